/* The two regions of a slab of a grid, as boxes of rows. */
#ifndef WABE_SWEEPS_ROWS_H
#define WABE_SWEEPS_ROWS_H

#include "core/box.h"
#include "sweeps/cell/rows.h"

/* What of a box is outside the inner one, in boxes that do not overlap, by local indices (cells of
 * the slab from 0). Returns how many boxes there are, rows: how many rows. Local. */
int wabe_rows_outer(wabe_box slab, wabe_box inner, wabe_row_box boxes[WABE_ROW_BOXES_MAX],
                    int64_t *rows);
/* The inner one as a box of rows. Returns 0 if it is empty. Local. */
int wabe_rows_inner(wabe_box slab, wabe_box inner, wabe_row_box boxes[WABE_ROW_BOXES_MAX],
                    int64_t *rows);

#endif
