/* Diffusion, df/dt = kappa laplace(f), by forward Euler and seven points: what its kernels are
 * given, and the physics of one cell, once for all of them. With WABE_REAL, WABE_FMA and
 * WABE_INLINE defined (sweeps/cell/d3q19.h says as what) there is the physics, else the arguments
 * alone. */
#ifndef WABE_SWEEPS_CELL_DIFFUSION_H
#define WABE_SWEEPS_CELL_DIFFUSION_H

#include "sweeps/cell/grid.h"

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

/* diffuse: items are rows of the boxes. */
typedef struct wabe_diffuse_args {
    wabe_grid_args grid;
    double rate;        /* kappa dt / dx^2 */
    wabe_side sides[6]; /* x low, x high, y low, ... */
} wabe_diffuse_args;

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
