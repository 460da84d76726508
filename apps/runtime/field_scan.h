/* Statistics of a number of the state over all cells; bitwise the same on any number of processes,
 * slabs and threads. */
#pragma once

#include "apps/runtime/stencil_slabs.h"

/* As stored, not in the run's units. low, high: INFINITY, -INFINITY if no value is finite. Means:
 * sums of the finite values over the number of all cells. */
typedef struct {
    double low, high, mean, mean_square;
    int64_t broken;       /* number of values that are NaN or infinite */
    int64_t first_broken; /* index of the first such cell, x fastest; INT64_MAX: none */
    uint64_t hash;        /* of all bits */
} wabe_field_state;

/* Computes the statistics. WABE_MEMORY. Collective. */
wabe_status wabe_field_scan(const wabe_grid_slabs_number *number, wabe_field_state *out);
