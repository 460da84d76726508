/* Boxes of rows as tiles: a block of threads for each, a warp for each of its rows, which marches
 * through its planes. */
#ifndef WABE_KERNELS_GPU_TILES_CUH
#define WABE_KERNELS_GPU_TILES_CUH

#include "sweeps/cell/grid.h"

enum {
    WABE_TILE_LANES = 32,
    WABE_TILE_ROWS = 8,
    WABE_TILE_THREADS = WABE_TILE_LANES * WABE_TILE_ROWS,
    WABE_TILE_FLOOR = 1 << 20 /* cells of a plane that are worked on at the same time */
};

/* Of each box: the number of its first tile, and how many there are along each axis, and of those
 * along y in a panel: within a panel all of a plane before the next one. */
typedef struct {
    int first[WABE_ROW_BOXES_MAX + 1];
    int count[WABE_ROW_BOXES_MAX][3], panel[WABE_ROW_BOXES_MAX];
} wabe_tiles;

/* Cells of its first row and plane; the box. */
typedef struct {
    int64_t x, y, z;
    int box;
} wabe_tile;

static inline int wabe_tiles_along(int64_t cells, int each) {
    return (int)((cells + each - 1) / each);
}

/* vector: cells of a thread; tiles begin at a multiple of it. */
static inline wabe_tiles wabe_tiles_make(const wabe_grid_args *grid, int vector, int planes) {
    wabe_tiles t;
    t.first[0] = 0;
    for (int i = 0; i < grid->box_count; i++) {
        const wabe_row_box *b = &grid->boxes[i];
        const int64_t begin = b->begin[0] / vector * vector;
        t.count[i][0] = wabe_tiles_along(b->end[0] - begin, vector * WABE_TILE_LANES);
        t.count[i][1] = wabe_tiles_along(b->end[1] - b->begin[1], WABE_TILE_ROWS);
        t.count[i][2] = wabe_tiles_along(b->end[2] - b->begin[2], planes);
        const int rows = WABE_TILE_FLOOR / (t.count[i][0] * vector * WABE_TILE_THREADS);
        t.panel[i] = rows > 1 ? rows : 1;
        t.first[i + 1] = t.first[i] + t.count[i][0] * t.count[i][1] * t.count[i][2];
    }
    return t;
}

static __device__ inline wabe_tile wabe_tile_of(const wabe_grid_args *grid, const wabe_tiles *t,
                                                int vector, int planes, int number) {
    wabe_tile tile;
    tile.box = 0;
    while (tile.box + 1 < grid->box_count && number >= t->first[tile.box + 1])
        tile.box++;
    const wabe_row_box *b = &grid->boxes[tile.box];
    const int *count = t->count[tile.box];
    const int at = number - t->first[tile.box], row = at / count[0];
    const int low = row / (t->panel[tile.box] * count[2]) * t->panel[tile.box];
    const int rows = min(t->panel[tile.box], count[1] - low), within = row - low * count[2];
    tile.x = b->begin[0] / vector * vector + (at - row * count[0]) * vector * WABE_TILE_LANES;
    tile.y = b->begin[1] + (low + within % rows) * WABE_TILE_ROWS;
    tile.z = b->begin[2] + within / rows * planes;
    return tile;
}

#endif
