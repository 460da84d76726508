/* Diffusion, df/dt = kappa laplace(f), by forward Euler and seven points: what its kernels are
 * given, and the physics of one cell, once for all of them. With WABE_REAL, WABE_FMA and
 * WABE_INLINE defined (sweeps/cell/d3q19.h says as what) there is the physics, else the arguments
 * alone. */
#ifndef WABE_SWEEPS_CELL_DIFFUSION_H
#define WABE_SWEEPS_CELL_DIFFUSION_H

#include "core/anywhere.h"

#include <stdbool.h>
#include <stdint.h>

/* Of an update: a product and six fused multiply-adds ([S]: 13). */
enum { WABE_FLOPS_DIFFUSION = 13 };

/* What a cell finds behind a face of its slab. */
typedef enum {
    WABE_SIDE_NEIGHBOUR, /* memory: ghosts that the exchange fills */
    WABE_SIDE_WALL,      /* half a cell away: factor times its own value, and offset */
    WABE_SIDE_ITSELF     /* the slab's other end along x, across periodic faces */
} wabe_side_kind;

typedef struct {
    wabe_side_kind kind;
    double factor, offset;
} wabe_side;

/* Rows of a box of cells, in panels of so many along y, plane by plane in each: what a plane needs
 * of the one below it is still in the cache. */
typedef struct {
    int64_t begin[3], end[3];
    int64_t first; /* rows of the boxes before it */
} wabe_row_box;

enum { WABE_ROW_BOXES_MAX = 6 };

/* diffuse: items are rows of the boxes. */
typedef struct wabe_diffuse_args {
    const void *source;
    void *target;
    const void *rates; /* kappa dt / dx^2 of each cell; NULL: rate everywhere */
    double rate;
    int64_t pitch, plane;
    int64_t cells[3];
    wabe_side sides[6]; /* x low, x high, y low, ... */
    int box_count;
    int64_t panel;
    wabe_row_box boxes[WABE_ROW_BOXES_MAX];
} wabe_diffuse_args;

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

#ifdef WABE_REAL

/* rate, 1 - 6 rate */
typedef struct {
    WABE_REAL side, centre;
} wabe_diffusion;

WABE_INLINE wabe_diffusion wabe_diffusion_of(WABE_REAL rate) {
    wabe_diffusion k;
    k.side = rate;
    k.centre = WABE_FMA(WABE_REAL_OF(-6.0), rate, WABE_REAL_OF(1.0));
    return k;
}

WABE_INLINE WABE_REAL wabe_diffuse(wabe_diffusion k, WABE_REAL own, WABE_REAL west, WABE_REAL east,
                                   WABE_REAL south, WABE_REAL north, WABE_REAL below,
                                   WABE_REAL above) {
    WABE_REAL f = k.centre * own;
    f = WABE_FMA(k.side, west, f);
    f = WABE_FMA(k.side, east, f);
    f = WABE_FMA(k.side, south, f);
    f = WABE_FMA(k.side, north, f);
    f = WABE_FMA(k.side, below, f);
    return WABE_FMA(k.side, above, f);
}

#endif
#endif
