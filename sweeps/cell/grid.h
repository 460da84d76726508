/* Grids of one value a cell, two of them in turn: what kernels that work on rows of cells are
 * given. A sweep's own arguments begin with these. */
#ifndef WABE_SWEEPS_CELL_GRID_H
#define WABE_SWEEPS_CELL_GRID_H

#include "core/base/anywhere.h"

#include <stdint.h>

typedef struct {
    int64_t begin[3], end[3];
    int64_t first, first_tile; /* rows, tiles of the boxes before it */
} wabe_row_box;

enum { WABE_ROW_BOXES_MAX = 6 };

/* Items are the rows of the boxes, in panels of so many along y, plane by plane in each: what a
 * plane needs of the one below it is still in the cache. Or they are tiles: so many planes of a
 * panel at most, panel by panel. */
typedef struct {
    const void *source; /* the slab's cell (0, 0, 0), before the step */
    void *target;       /* after it */
    int64_t step;       /* passes before this one */
    int steps;          /* of time, that the pass does */
    int64_t pitch, plane;
    int64_t cells[3];
    int64_t rows, tiles; /* of all boxes */
    int box_count;
    int64_t panel, chunk; /* rows and planes */
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

/* Panels of a box, and tiles: layers of panels. */
WABE_ANYWHERE int64_t wabe_panels_of(const wabe_grid_args *grid, const wabe_row_box *b) {
    return (b->end[1] - b->begin[1] + grid->panel - 1) / grid->panel;
}
WABE_ANYWHERE int64_t wabe_tiles_of(const wabe_grid_args *grid, const wabe_row_box *b) {
    return (b->end[2] - b->begin[2] + grid->chunk - 1) / grid->chunk * wabe_panels_of(grid, b);
}

/* Tiles of a box are as equal as can be. */
WABE_ANYWHERE wabe_row_box wabe_tile_of(const wabe_grid_args *grid, int64_t item) {
    int i = 0;
    while (i + 1 < grid->box_count && item >= grid->boxes[i + 1].first_tile)
        i++;
    const wabe_row_box *b = &grid->boxes[i];
    const int64_t at = item - b->first_tile, panels = wabe_panels_of(grid, b);
    const int64_t chunks = wabe_tiles_of(grid, b) / panels;
    const int64_t counts[2] = {panels, chunks}, places[2] = {at / chunks, at % chunks};
    wabe_row_box tile = *b;
    for (int d = 0; d < 2; d++) {
        const int64_t extent = b->end[d + 1] - b->begin[d + 1];
        tile.begin[d + 1] = b->begin[d + 1] + extent * places[d] / counts[d];
        tile.end[d + 1] = b->begin[d + 1] + extent * (places[d] + 1) / counts[d];
    }
    return tile;
}

/* What a thread needs for a tile of a pass of several steps, in numbers: of each time level between
 * the first and the last a window of three planes, with the cells around the tile that later levels
 * need. line: numbers of a cache line. */
enum {
    WABE_WINDOW = 3,
    WABE_WINDOW_MARGIN = 2 /* lines before the first row, and behind the last */
};
WABE_ANYWHERE int64_t wabe_window_pitch(const wabe_grid_args *grid, int64_t line) {
    return (grid->cells[0] + line - 1) / line * line + WABE_WINDOW_MARGIN * line;
}
WABE_ANYWHERE int64_t wabe_window_plane(const wabe_grid_args *grid, int steps, int64_t line) {
    return (grid->panel + 2 * steps) * wabe_window_pitch(grid, line);
}
WABE_ANYWHERE int64_t wabe_windows(const wabe_grid_args *grid, int steps, int64_t line) {
    return (steps - 1) * WABE_WINDOW * wabe_window_plane(grid, steps, line) +
           2 * WABE_WINDOW_MARGIN * line;
}

#endif
