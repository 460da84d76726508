/* Streaming patterns: where a population is read and where it is written, step by step.
 *
 * pull    two grids; read at the neighbour, written in place (Feichtinger et al. 2015, section 2).
 * in_place  one grid, the AA pattern (Bailey et al. 2009): a step that reads and writes at the
 *         neighbours, then one that stays within the cell, populations turned round.
 * list    the same on memory for fluid cells alone (sweeps/list.h).
 * Step t (0, 1, ...) reads by in[t % 2] and writes by out[t % 2]; the state before step t was left
 * by out[(t + 1) % 2]. */
#pragma once

#include "core/device/field.h"
#include "sweeps/cell/lattice.h"
#include "sweeps/cell/lbm_products.h"

typedef struct {
    int grids;
    ptrdiff_t in[2][WABE_Q], out[2][WABE_Q]; /* elements from the cell */
} wabe_streaming_offsets;

/* Grids that a pattern needs. Local. */
int wabe_streaming_grids(wabe_streaming streaming);
wabe_streaming_offsets wabe_streaming_offsets_make(wabe_streaming streaming,
                                                   const wabe_layout *layout);
