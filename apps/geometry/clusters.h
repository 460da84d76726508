/* Clusters: open cells that are connected by faces of cells, over the blocks of all processes.
 *
 * They are found by runs: stretches of open cells along x, which are joined where they touch in the
 * rows above and behind. Only what touches a block's faces is then compared between processes:
 * process 0 joins these clusters. So no array of the size of the domain is needed. */
#pragma once

#include "comm/decomposition.h"

#include <stdint.h>

typedef struct {
    int32_t begin, end; /* x, counted from the block's corner */
    uint32_t parent;    /* a run of the same cluster; its own number: the cluster's root */
} wabe_cluster_run;

typedef struct {
    wabe_box block;
    int64_t last[3]; /* of the domain: who is there is at the high face */
    int64_t count, room;
    wabe_cluster_run *runs;
    int64_t *rows; /* first run of each row of the block, and the end */
} wabe_clusters;

/* No row has been added yet. To be freed, whatever is returned. WABE_MEMORY. Local. */
wabe_status wabe_clusters_begin(wabe_box block, const int64_t last[3], wabe_clusters *out);
void wabe_clusters_free(wabe_clusters *clusters);

/* Adds the block's next row, y first, then z: a cell is open where closed is 0. WABE_MEMORY.
 * Local. */
wabe_status wabe_clusters_add_row(wabe_clusters *clusters, int64_t row, const uint8_t *closed);
/* The run that stands for the cluster of a run. Local. */
uint32_t wabe_clusters_root(const wabe_clusters *clusters, uint32_t run);

/* Counts the cells of clusters that reach from face to face of the domain, for each axis. They are
 * not followed across periodic faces. WABE_MEMORY. Collective. */
wabe_status wabe_clusters_count(MPI_Comm comm, const wabe_clusters *clusters,
                                const wabe_decomposition *decomposition, int64_t connected[3]);

/* Sets the bytes of the roots of clusters that reach from face to face along an axis; leads has one
 * for each run. Clusters are followed across periodic faces beside the axis. WABE_MEMORY.
 * Collective. */
wabe_status wabe_clusters_mark(MPI_Comm comm, const wabe_clusters *clusters,
                               const wabe_decomposition *decomposition, int axis, uint8_t *leads);
