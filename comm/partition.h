/* The domain as slabs: each process's block cut along z over its compute components. */
#pragma once

#include "comm/decomposition.h"
#include "core/device/component.h"

typedef struct {
    int rank, index; /* whose it is, and its place among those of the rank */
    int node;        /* the lowest rank of the node that it is on */
    bool on_device;
    wabe_box box; /* global indices */
} wabe_slab;

typedef struct {
    int64_t cells[3];
    bool periodic[3];
    int count;
    wabe_slab *slabs; /* by rank, then index */
    int first, mine;  /* this rank's first slab, and how many it has */
} wabe_partition;

/* Cuts this rank's block over count components, planes[i] along z for component i. WABE_INPUT: a
 * component without planes, or planes that do not add up to the block's; WABE_MEMORY. Collective.
 */
wabe_status wabe_partition_create(MPI_Comm comm, const wabe_decomposition *decomposition, int count,
                                  const wabe_component *components, const int64_t *planes,
                                  wabe_partition *out);
void wabe_partition_free(wabe_partition *partition);
