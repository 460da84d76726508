/* Statistics of a field over all cells; bitwise the same on any number of processes and threads. */
#pragma once

#include "apps/runtime/domain.h"

typedef struct {
    double low, high, mean, mean_square;
    int64_t broken;       /* number of values that are NaN or infinite */
    int64_t first_broken; /* index of the first such cell, x fastest */
    uint64_t hash;        /* of all bits */
} wabe_field_state;

/* Computes the statistics. values: one number per cell; host: the component whose threads work.
 * WABE_MEMORY. Collective. */
wabe_status wabe_field_scan(const wabe_domain *domain, const wabe_values *values,
                            const wabe_component *host, wabe_field_state *out);
