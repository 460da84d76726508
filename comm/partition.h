/* The domain as slabs: each process's block is cut along z over its compute components. */
#pragma once

#include "comm/decomposition.h"
#include "core/device/component.h"

typedef struct {
    int rank, index; /* owner, and index among the owner's slabs */
    int node;        /* lowest rank on its node */
    bool on_device;
    wabe_box box; /* global indices */
} wabe_slab;

typedef struct {
    int64_t cells[3];
    bool periodic[3];
    int count;
    wabe_slab *slabs; /* by rank, then index */
    int first, mine;  /* this rank's first slab, and its number of slabs */
} wabe_partition;

/* Cuts this rank's block over count components: component i gets planes[i] planes along z.
 * WABE_INPUT: a component without planes, or planes that do not add up to the block's; WABE_MEMORY.
 * Collective. */
wabe_status wabe_partition_create(MPI_Comm comm, const wabe_decomposition *decomposition, int count,
                                  const wabe_component *components, const int64_t *planes,
                                  wabe_partition *out);
void wabe_partition_free(wabe_partition *partition);
