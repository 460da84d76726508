/* The domain cut over processes: a grid of blocks whose sizes differ by one cell at most, unless
 * the planes of its cuts along z are given. */
#pragma once

#include "core/base/box.h"
#include "core/base/status.h"

typedef struct {
    int64_t cells[3];
    bool periodic[3];
    int processes[3];    /* ranks count along x first */
    const int64_t *cuts; /* along z, process k has the planes from cuts[k] on; NULL: equal shares */
} wabe_decomposition;

/* Cuts cells over size processes. processes: how many along x, y, z; 0 lets the axis be chosen, so
 * that the least area lies between blocks, where faces normal to x, whose cells are far apart in
 * memory, count eight times; among equals, the cuts are along z, then y.
 * WABE_INPUT: the grid does not multiply to size, or has more processes than cells along an axis.
 * Local. */
wabe_status wabe_decomposition_make(const int64_t cells[3], const bool periodic[3],
                                    const int64_t processes[3], int size, wabe_decomposition *out);

/* Shares planes out among count parts in proportion to their rates, one plane at least for each, so
 * that the weights come closest: below[k] is the weight of the first k planes. Part i gets the
 * planes from cuts[i] to cuts[i + 1]. Wants count planes or more. Local. */
void wabe_decomposition_share(const int64_t *below, int64_t planes, int count, const double *rates,
                              int64_t *cuts);

/* The block of a rank, global indices. Local. */
wabe_box wabe_decomposition_block(const wabe_decomposition *decomposition, int rank);

/* The rank whose block is step places (1 or -1) further along an axis; MPI_PROC_NULL behind the
 * ends, unless wraps: then it goes on at the other one. Local. */
int wabe_decomposition_neighbour(const wabe_decomposition *decomposition, int rank, int axis,
                                 int step, bool wraps);
