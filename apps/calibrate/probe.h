/* Measurements of wabe calibrate: seconds of kernels, buffers and messages as functions of size. */
#pragma once

#include "apps/lbm/simulation.h"
#include "apps/model/machine.h"

/* Measured points: bytes in each direction, seconds. */
typedef struct {
    int count;
    double bytes[WABE_MODEL_POINTS_MAX], seconds[WABE_MODEL_POINTS_MAX];
} wabe_probe;

enum { WABE_PROBE_SLABS = 4 }; /* allocated at once by wabe_probe_kernel */

/* Times steps on a cube of this edge: medians of several rounds; splits are at least a thousandth
 * of whole. WABE_MEMORY. Local. */
wabe_status wabe_probe_kernel(const wabe_component *component, const wabe_machine_flavour *flavour,
                              int64_t edge, wabe_machine_kernel *out);

/* Times passes of 1 to count steps of a kernel on the same slab, a cube of a grid. walls: see
 * wabe_grid_sample. WABE_MEMORY. Local. */
wabe_status wabe_probe_grid(const wabe_component *component, const wabe_kernel *kernel,
                            int64_t edge, bool walls, int count, wabe_machine_kernel out[]);

/* Times exchanges without steps between slabs of edge x edge x edge cells, stacked along z, one per
 * component of this process; the domain is periodic along axis. bytes: sent, and received, by one
 * component; seconds: per exchange. WABE_MEMORY. Local. */
wabe_status wabe_probe_exchange(const wabe_components *components, int64_t edge, int axis,
                                double *bytes, double *seconds);

/* Times a copy from device to host and back: seconds of both together. WABE_MEMORY. Local. */
wabe_status wabe_probe_bus(const wabe_component *device, double bytes, double *seconds);

/* Times a copy from device to host beside one of as many bytes back, on so many devices at once.
 * WABE_MEMORY. Local. */
wabe_status wabe_probe_both_ways(int count, const wabe_component devices[], double bytes,
                                 double *seconds);

/* Times messages sent in both directions at once between this process and partner (MPI_PROC_NULL:
 * none); seconds: of the slowest pair. WABE_MEMORY. Collective. */
wabe_status wabe_probe_message(MPI_Comm comm, int partner, double bytes, double *seconds);

/* Times whole steps of a cavity cut along z, with edge x edge x edge cells per process. seconds: by
 * how much the exchange takes longer than the machine file predicts. WABE_INPUT, WABE_MEMORY.
 * Collective. */
wabe_status wabe_probe_step(MPI_Comm comm, const wabe_machine *machine,
                            const wabe_component *component, int64_t edge, bool overlap,
                            wabe_transport transport, double *seconds);

/* Measures by how much a device's exchange with itself slows down while a slab of edge x edge x
 * edge cells is updated on it: median seconds, at least 0. WABE_MEMORY. Local. */
wabe_status wabe_probe_contention(const wabe_component *device, wabe_type storage, int64_t edge,
                                  double *seconds);

/* Times whole steps of slabs of edge x edge x edge cells, one per component of this process.
 * WABE_MEMORY. Local. */
wabe_status wabe_probe_slabs(const wabe_components *components, int64_t edge, double *seconds);

/* A barrier whose waiting processes leave their cores to others. Collective. */
void wabe_probe_wait(MPI_Comm comm);
