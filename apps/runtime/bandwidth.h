/* The memory bandwidth of a component, measured: what rates are stated beside. */
#pragma once

#include "apps/runtime/components.h"
#include "core/device/field.h"
#include "core/registry/kernel.h"

typedef struct {
    wabe_component component;
    wabe_field *field;   /* nineteen arrays */
    wabe_stream *stream; /* of a GPU */
    const wabe_kernel *copy, *update;
    int64_t shift; /* bytes that the copy goes further, where that is fastest */
} wabe_bandwidth;

/* Arrays of the size of a field of nineteen numbers for cells[0] x cells[1] x cells[2] cells.
 * WABE_MEMORY. Local. */
wabe_status wabe_bandwidth_create(const wabe_component *component, wabe_type type,
                                  const int64_t cells[3], wabe_bandwidth *out);
void wabe_bandwidth_destroy(wabe_bandwidth *limits);

/* Bytes per second, read and written, of one copy of half of the arrays onto the other half with
 * stores past the caches, and of one update of all of them in place. Local. */
double wabe_bandwidth_copy(const wabe_bandwidth *limits);
double wabe_bandwidth_update(const wabe_bandwidth *limits);

/* Bytes per second of a copy on all components: those of a process one after the other, all
 * processes at once, as they will run. Where there is too little memory for the measurement, of
 * smaller arrays, or NAN, with a warning. Collective. */
wabe_status wabe_bandwidth_of_components(MPI_Comm comm, const wabe_components *components,
                                         double *all);
