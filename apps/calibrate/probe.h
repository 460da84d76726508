/* What wabe calibrate measures: seconds of kernels, buffers, and messages over their sizes. */
#pragma once

#include "apps/lbm/simulation.h"
#include "apps/model/machine.h"

/* Measured points, bytes each way and seconds. */
typedef struct {
    int count;
    double bytes[WABE_MODEL_POINTS_MAX], seconds[WABE_MODEL_POINTS_MAX];
} wabe_probe;

enum { WABE_PROBE_SLABS = 4 }; /* that wabe_probe_kernel has at once */

/* Steps of a cube of this edge: medians of some rounds; splits are never less than a thousandth of
 * the whole. WABE_MEMORY. Local. */
wabe_status wabe_probe_kernel(const wabe_component *component, const wabe_machine_flavour *flavour,
                              int64_t edge, wabe_machine_kernel *out);

/* Passes of 1 to count steps over a cube of a grid, one after the other: of the same slab, by its
 * kernel; walls: see wabe_grid_sample. WABE_MEMORY. Local. */
wabe_status wabe_probe_grid(const wabe_component *component, const wabe_kernel *kernel,
                            int64_t edge, bool walls, int count, wabe_machine_kernel out[]);

/* Exchanges without steps between slabs of edge x edge x edge cells, one for each component of this
 * process, along z, that is periodic along an axis. bytes: that one component sends, and receives;
 * seconds: of an exchange. WABE_MEMORY. Local. */
wabe_status wabe_probe_exchange(const wabe_components *components, int64_t edge, int axis,
                                double *bytes, double *seconds);

/* From a device to the host and back: seconds of both. WABE_MEMORY. Local. */
wabe_status wabe_probe_bus(const wabe_component *device, double bytes, double *seconds);

/* Between this process and partner (MPI_PROC_NULL: it takes no part): a message each way at once,
 * of all pairs the slowest. WABE_MEMORY. Collective. */
wabe_status wabe_probe_message(MPI_Comm comm, int partner, double bytes, double *seconds);

/* Whole steps of a cavity that is cut along z, edge x edge x edge cells for each process: what the
 * exchange takes longer than the machine says. WABE_INPUT, WABE_MEMORY. Collective. */
wabe_status wabe_probe_step(MPI_Comm comm, const wabe_machine *machine,
                            const wabe_component *component, int64_t edge, bool overlap,
                            wabe_transport transport, double *seconds);

/* What an exchange of a device with itself takes longer while slabs of edge x edge x edge cells are
 * worked on beside it: medians; 0 at least. WABE_MEMORY. Local. */
wabe_status wabe_probe_contention(const wabe_component *device, wabe_type storage, int64_t edge,
                                  double *seconds);

/* Whole steps of slabs of edge x edge x edge cells, one for each component of this process.
 * WABE_MEMORY. Local. */
wabe_status wabe_probe_slabs(const wabe_components *components, int64_t edge, double *seconds);

/* A barrier at which who waits leaves the processors to others. Collective. */
void wabe_probe_wait(MPI_Comm comm);
