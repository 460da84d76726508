/* Streaming patterns: where each step reads and writes a population.
 *
 * pull      two grids: read at the neighbours, write in the cell (Feichtinger et al. 2015, section
 *           2).
 * in_place  one grid, the AA pattern (Bailey et al. 2009): an odd AA step reads and writes at the
 *           neighbours, the even AA step after it stays within the cell and reverses the
 *           populations. Step 0 is an odd AA step.
 * list      the same on memory for fluid cells alone (sweeps/lattice/list.h).
 * moments   two grids of ten numbers per cell, no populations (sweeps/lattice/moments.h).
 *
 * Step t (0, 1, ...) reads at in[t % 2] and writes at out[t % 2]. Before step t the populations are
 * at out[(t + 1) % 2]. */
#pragma once

#include "core/device/field.h"
#include "sweeps/cell/lattice.h"
#include "sweeps/cell/lbm_products.h"

typedef struct {
    int grids;
    ptrdiff_t in[2][WABE_Q_MAX], out[2][WABE_Q_MAX]; /* offsets from the cell, in elements */
} wabe_streaming_offsets;

/* The number of grids that a pattern needs. Local. */
int wabe_streaming_grids(wabe_streaming streaming);
/* The tables of a pattern for slabs of this layout, which has as many components as the lattice has
 * populations. Local. */
wabe_streaming_offsets wabe_streaming_offsets_make(wabe_streaming streaming, wabe_lattice lattice,
                                                   const wabe_layout *layout);
