/* Connected components ("clusters") of open cells, connected by cell faces, over the blocks of all
 * processes.
 *
 * Each process finds runs of open cells along x and merges them with a union-find structure where
 * they touch runs of adjacent rows. Only the clusters at the faces of blocks are then compared
 * between processes, and merged by process 0. No array of the size of the domain is needed. */
#pragma once

#include "comm/decomposition.h"

#include <stdint.h>

typedef struct {
    int32_t begin, end; /* x, relative to the block's corner */
    uint32_t parent; /* another run of the same cluster; for the cluster's root, its own number */
} wabe_cluster_run;

typedef struct {
    wabe_box block;
    int64_t last[3]; /* the domain's last cells, which are those at the high faces */
    int64_t count, room;
    wabe_cluster_run *runs;
    int64_t *rows; /* the first run of each row of the block, and the end */
} wabe_clusters;

/* Starts with no rows. Call wabe_clusters_free even if it fails. WABE_MEMORY. Local. */
wabe_status wabe_clusters_begin(wabe_box block, const int64_t last[3], wabe_clusters *out);
void wabe_clusters_free(wabe_clusters *clusters);

/* Adds the block's next row (y varies first, then z); a cell is open where closed is 0.
 * WABE_MEMORY. Local. */
wabe_status wabe_clusters_add_row(wabe_clusters *clusters, int64_t row, const uint8_t *closed);
/* Returns the root of the cluster of a run. Local. */
uint32_t wabe_clusters_root(const wabe_clusters *clusters, uint32_t run);

/* Counts, for each axis, the cells of clusters that percolate from face to face of the domain.
 * Clusters are not connected across periodic faces. WABE_MEMORY. Collective. */
wabe_status wabe_clusters_count(MPI_Comm comm, const wabe_clusters *clusters,
                                const wabe_decomposition *decomposition, int64_t connected[3]);

/* Sets the bytes of the roots of clusters that percolate along an axis; leads has a byte for each
 * run. Clusters are connected across periodic faces normal to the other axes. WABE_MEMORY.
 * Collective. */
wabe_status wabe_clusters_mark(MPI_Comm comm, const wabe_clusters *clusters,
                               const wabe_decomposition *decomposition, int axis, uint8_t *leads);
