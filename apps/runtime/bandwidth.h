/* Measures the memory bandwidth of components, as the reference for update rates. */
#pragma once

#include "apps/runtime/components.h"
#include "core/device/field.h"
#include "core/registry/kernel.h"

enum { WABE_BANDWIDTH_ARRAYS = 19 }; /* of wabe_bandwidth_update: as many as D3Q19 has */

typedef struct {
    wabe_component component;
    wabe_field *field;   /* of nineteen arrays */
    wabe_stream *stream; /* GPUs only */
    const wabe_kernel *copy, *update;
    int64_t shift; /* by which the copy's target is displaced, chosen as the fastest */
} wabe_bandwidth;

/* Allocates a field of nineteen numbers per cell for cells[0] x cells[1] x cells[2] cells.
 * WABE_MEMORY. Local. */
wabe_status wabe_bandwidth_create(const wabe_component *component, wabe_type type,
                                  const int64_t cells[3], wabe_bandwidth *out);
void wabe_bandwidth_destroy(wabe_bandwidth *limits);

/* Measure bytes per second, read and written: copying half of the arrays onto the other half with
 * non-temporal stores; updating all of them in place. Local. */
double wabe_bandwidth_copy(const wabe_bandwidth *limits);
double wabe_bandwidth_update(const wabe_bandwidth *limits);

/* Returns the bytes of the host's memory that the following function takes at most. Local. */
int64_t wabe_bandwidth_memory(const wabe_components *components);
/* Measures bytes per second of copies on all components, as they will run: the components of a
 * process one after the other, all processes at once. With too little memory it uses smaller
 * arrays, or returns NAN with a warning. Collective. */
wabe_status wabe_bandwidth_of_components(MPI_Comm comm, const wabe_components *components,
                                         double *all);
