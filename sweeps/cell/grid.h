/* Grids of one value a cell, two of them in turn: what kernels that work on rows of cells are
 * given. A sweep's own arguments begin with these. */
#ifndef WABE_SWEEPS_CELL_GRID_H
#define WABE_SWEEPS_CELL_GRID_H

#include "core/anywhere.h"

#include <stdint.h>

typedef struct {
    int64_t begin[3], end[3];
    int64_t first; /* rows of the boxes before it */
} wabe_row_box;

enum { WABE_ROW_BOXES_MAX = 6 };

/* Items are the rows of the boxes, in panels of so many along y, plane by plane in each: what a
 * plane needs of the one below it is still in the cache. */
typedef struct {
    const void *source; /* the slab's cell (0, 0, 0), before the step */
    void *target;       /* after it */
    int64_t step;       /* passes before this one */
    int steps;          /* of time, that the pass does */
    int64_t pitch, plane;
    int64_t cells[3];
    int box_count;
    int64_t panel;
    wabe_row_box boxes[WABE_ROW_BOXES_MAX];
} wabe_grid_args;

/* Cells x begin to end - 1 of a row. */
typedef struct {
    int64_t begin, end, y, z;
} wabe_row;

WABE_ANYWHERE wabe_row wabe_row_of(const wabe_grid_args *grid, int64_t item) {
    int i = 0;
    while (i + 1 < grid->box_count && item >= grid->boxes[i + 1].first)
        i++;
    const wabe_row_box *b = &grid->boxes[i];
    const int64_t height = b->end[1] - b->begin[1], depth = b->end[2] - b->begin[2];
    const int64_t at = item - b->first, low = at / (grid->panel * depth) * grid->panel;
    const int64_t rows = height - low < grid->panel ? height - low : grid->panel;
    const int64_t within = at - low * depth;
    wabe_row row;
    row.begin = b->begin[0], row.end = b->end[0];
    row.y = b->begin[1] + low + within % rows;
    row.z = b->begin[2] + within / rows;
    return row;
}

#endif
