/* The links through which a slab's fluid acts on solids, in the order in which sweep forces reads
 * them. */
#pragma once

#include "core/device/component.h"
#include "sweeps/cell/lbm.h"

typedef struct {
    const wabe_component *component; /* owner of the memory; NULL: no plan */
    int64_t link_count, block_count;
    void *links, *blocks, *results;
    uint16_t *conditions;   /* of each block; on the host, as the next ones */
    uint32_t *first, *last; /* streamed slabs: the first and the last cell of each block's links */
    int64_t bytes;
} wabe_force_plan;

void wabe_force_plan_destroy(wabe_force_plan *plan);
