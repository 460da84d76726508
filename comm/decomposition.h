/* The domain decomposition over processes: a grid of blocks whose sizes differ by at most one
 * grain, unless the planes of its cuts along z are given. */
#pragma once

#include "core/base/box.h"
#include "core/base/status.h"

typedef struct {
    int64_t cells[3];
    bool periodic[3];
    int64_t grain[3];    /* blocks are multiples of so many cells along each axis */
    int processes[3];    /* ranks count along x first */
    const int64_t *cuts; /* along z, process k has planes from cuts[k] on; NULL: equal shares */
} wabe_decomposition;

/* Decomposes cells over size processes. grain: what blocks are multiples of, as the cells are;
 * NULL, or 0: of one cell. processes: their number along x, y, z; 0: chosen so that the area
 * between blocks is least. Faces normal to x count eight times, since their cells are far apart in
 * memory. Among equals, cuts are along z, then y. WABE_INPUT: the product of the grid is not size,
 * or there are more processes than grains along an axis. Local. */
wabe_status wabe_decomposition_make(const int64_t cells[3], const bool periodic[3],
                                    const int64_t *grain, const int64_t processes[3], int size,
                                    wabe_decomposition *out);

/* Shares planes among count parts as closely as possible in proportion to their rates, at least one
 * plane each. weights[k]: weight of the first k planes. Part i gets planes cuts[i] to cuts[i + 1] -
 * 1. Requires planes >= count. Local. */
void wabe_decomposition_share(const int64_t *weights, int64_t planes, int count,
                              const double *rates, int64_t *cuts);

/* Returns the block of a rank (global indices). Local. */
wabe_box wabe_decomposition_block(const wabe_decomposition *decomposition, int rank);

/* Returns the rank of the neighbouring block along an axis; step: 1 or -1. Beyond the ends it is
 * MPI_PROC_NULL, or, if wraps, the rank at the other end. Local. */
int wabe_decomposition_neighbour(const wabe_decomposition *decomposition, int rank, int axis,
                                 int step, bool wraps);
