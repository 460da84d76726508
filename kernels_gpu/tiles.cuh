/* Boxes of rows as tiles: a thread block per tile, and a warp per row, or few rows, of it, which
 * marches through its planes. */
#pragma once

#include "kernels_gpu/scalar.h"
#include "sweeps/cell/grid.h"

enum {
    WABE_TILE_LANES = 32,
    WABE_TILE_VECTOR = 16 / sizeof(wabe_real), /* cells of a row per thread */
    WABE_TILE_LINE = WABE_TILE_LANES * WABE_TILE_VECTOR,
    WABE_TILE_FLOOR = 1 << 20 /* cells of a plane in progress at once */
};

#define WABE_TILE_ALL 0xffffffffu

#ifdef WABE_STORE_F64
typedef double2 wabe_tile_vector;
#else
typedef float4 wabe_tile_vector;
#endif
typedef union {
    wabe_tile_vector all;
    wabe_real at[WABE_TILE_VECTOR];
} wabe_cells;

/* The size of a tile; its first cell along x is a multiple of align. */
typedef struct {
    int align, width, rows, planes;
} wabe_tile_shape;

/* For each box: the number of its first tile, its tiles along each axis, and its tiles along y in a
 * panel. Within a panel, all tiles of a plane come before the next plane. */
typedef struct {
    int first[WABE_ROW_BOXES_MAX + 1];
    int count[WABE_ROW_BOXES_MAX][3], panel[WABE_ROW_BOXES_MAX];
    wabe_tile_shape shape[WABE_ROW_BOXES_MAX];
} wabe_tiles;

/* The tile's first cell, and its box. */
typedef struct {
    int64_t x, y, z;
    int box;
} wabe_tile;

static inline int wabe_tiles_along(int64_t cells, int each) {
    return (int)((cells + each - 1) / each);
}

/* Cuts box i into tiles, numbered after those of the boxes before it. */
static inline void wabe_tiles_cut(wabe_tiles *t, int i, const wabe_row_box *b,
                                  wabe_tile_shape shape) {
    const int64_t begin = b->begin[0] / shape.align * shape.align;
    const int rows = WABE_TILE_FLOOR / (shape.width * shape.rows);
    t->shape[i] = shape;
    t->count[i][0] = wabe_tiles_along(b->end[0] - begin, shape.width);
    t->count[i][1] = wabe_tiles_along(b->end[1] - b->begin[1], shape.rows);
    t->count[i][2] = wabe_tiles_along(b->end[2] - b->begin[2], shape.planes);
    t->panel[i] = rows > t->count[i][0] ? rows / t->count[i][0] : 1;
    t->first[i + 1] = t->first[i] + t->count[i][0] * t->count[i][1] * t->count[i][2];
}

static __device__ inline wabe_tile wabe_tile_of(const wabe_grid_args *grid, const wabe_tiles *t,
                                                int number) {
    wabe_tile tile;
    tile.box = 0;
    while (tile.box + 1 < grid->box_count && number >= t->first[tile.box + 1])
        tile.box++;
    const wabe_row_box *b = &grid->boxes[tile.box];
    const wabe_tile_shape *shape = &t->shape[tile.box];
    const int *count = t->count[tile.box];
    const int at = number - t->first[tile.box], row = at / count[0];
    const int low = row / (t->panel[tile.box] * count[2]) * t->panel[tile.box];
    const int rows = min(t->panel[tile.box], count[1] - low), within = row - low * count[2];
    tile.x = b->begin[0] / shape->align * shape->align + (at - row * count[0]) * shape->width;
    tile.y = b->begin[1] + (low + within % rows) * shape->rows;
    tile.z = b->begin[2] + within / rows * shape->planes;
    return tile;
}
