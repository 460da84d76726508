/* What the values of a field are like after a step, over all cells; the same bits on any number of
 * processes and threads. */
#pragma once

#include "apps/runtime/domain.h"

typedef struct {
    double low, high, mean, mean_square;
    int64_t broken;       /* values that are no numbers */
    int64_t first_broken; /* the number of the first cell with one, x fastest */
    uint64_t hash;        /* of all bits */
} wabe_field_state;

/* values: one of a cell; host: threads to look at them. WABE_MEMORY. Collective. */
wabe_status wabe_field_scan(const wabe_domain *domain, const wabe_values *values,
                            const wabe_component *host, wabe_field_state *out);
