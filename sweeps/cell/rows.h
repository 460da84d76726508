/* Grids as rows of cells: the items of kernels that work on boxes. */
#ifndef WABE_SWEEPS_CELL_ROWS_H
#define WABE_SWEEPS_CELL_ROWS_H

#include "core/anywhere.h"

#include <stdbool.h>
#include <stdint.h>

/* Rows of a box of cells, in panels of so many along y, plane by plane in each: what a plane needs
 * of the one below it is still in the cache. */
typedef struct {
    int64_t begin[3], end[3];
    int64_t first; /* rows of the boxes before it */
} wabe_row_box;

enum { WABE_ROW_BOXES_MAX = 6 };

/* Cells x begin to end - 1 of a row. */
typedef struct {
    int64_t begin, end, y, z;
} wabe_row;

WABE_ANYWHERE wabe_row wabe_row_of(const wabe_row_box *boxes, int box_count, int64_t panel,
                                   int64_t item) {
    int i = 0;
    while (i + 1 < box_count && item >= boxes[i + 1].first)
        i++;
    const wabe_row_box *b = &boxes[i];
    const int64_t height = b->end[1] - b->begin[1], depth = b->end[2] - b->begin[2];
    const int64_t at = item - b->first, low = at / (panel * depth) * panel;
    const int64_t rows = height - low < panel ? height - low : panel;
    const int64_t within = at - low * depth;
    wabe_row row;
    row.begin = b->begin[0], row.end = b->end[0];
    row.y = b->begin[1] + low + within % rows;
    row.z = b->begin[2] + within / rows;
    return row;
}

#endif
