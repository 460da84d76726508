/* What the values of a grid are like after a step, over all cells; the same bits on any number of
 * processes and threads. */
#ifndef WABE_APPS_GRID_GRID_STATE_H
#define WABE_APPS_GRID_GRID_STATE_H

#include "apps/runtime/domain.h"

typedef struct {
    double low, high, mean;
    int64_t broken;       /* values that are no numbers */
    int64_t first_broken; /* the number of the first cell with one, x fastest */
    uint64_t hash;        /* of all bits */
} wabe_grid_state;

/* values: one of a cell; host: threads to look at them. WABE_MEMORY. Collective. */
wabe_status wabe_grid_look(const wabe_domain *domain, const wabe_values *values,
                           const wabe_component *host, wabe_grid_state *out);

#endif
