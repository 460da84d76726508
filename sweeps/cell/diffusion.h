/* Diffusion, df/dt = kappa laplace(f), by forward Euler and a seven-point stencil. Arguments of its
 * kernels, and the physics of a cell, shared by all of them. The physics needs WABE_REAL, WABE_FMA
 * and WABE_INLINE (see sweeps/cell/collision.h); without them the header has the arguments alone.
 */
#pragma once

#include "sweeps/cell/grid.h"

extern const struct wabe_sweep wabe_sweep_diffuse, wabe_sweep_diffuse_varied;

/* Per update: a product and six fused multiply-adds ([S]: 13). */
enum { WABE_FLOPS_DIFFUSION = 13 };

/* Maximal number of time steps per pass. */
enum { WABE_DIFFUSION_DEPTH = 4 };

/* Slabs whose GPU kernels wrap round x must be a multiple of this long. */
enum { WABE_DIFFUSION_VECTOR = 4 };

/* diffuse: items are tiles of the boxes, on GPUs their rows. A pass of several steps reads as many
 * ghost layers. Writes values, reads values. */
typedef struct wabe_diffuse_args {
    wabe_grid_args grid;
    double rate; /* kappa dt / dx^2 */
} wabe_diffuse_args;

/* diffuse_varied: the same with a diffusivity per cell, one step per pass. Reads weights, too:
 * kappa dt / dx^2 of the cell's low face normal to each axis. */
enum { WABE_FLOPS_DIFFUSION_VARIED = 18, WABE_DIFFUSION_WEIGHTS = 3 };

typedef struct wabe_diffuse_varied_args {
    wabe_diffuse_args plain;
} wabe_diffuse_varied_args;

/* The sweeps' fields. */
enum { WABE_DIFFUSE_TO, WABE_DIFFUSE_FROM, WABE_DIFFUSE_BY };

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

/* A cell's new value is this multiple of its own value, plus the six values next to it, added in
 * the order west, east, south, north, below, above. */
WABE_INLINE WABE_REAL wabe_diffuse_own(wabe_diffusion k, WABE_REAL own) { return k.centre * own; }
WABE_INLINE WABE_REAL wabe_diffuse_add(wabe_diffusion k, WABE_REAL sum, WABE_REAL neighbour) {
    return WABE_FMA(k.side, neighbour, sum);
}

WABE_INLINE WABE_REAL wabe_diffuse(wabe_diffusion k, WABE_REAL own, WABE_REAL west, WABE_REAL east,
                                   WABE_REAL south, WABE_REAL north, WABE_REAL below,
                                   WABE_REAL above) {
    WABE_REAL f = wabe_diffuse_own(k, own);
    f = wabe_diffuse_add(k, f, west);
    f = wabe_diffuse_add(k, f, east);
    f = wabe_diffuse_add(k, f, south);
    f = wabe_diffuse_add(k, f, north);
    f = wabe_diffuse_add(k, f, below);
    return wabe_diffuse_add(k, f, above);
}

/* The flow through a face is the same seen from both sides, as both use the face's weight. */
WABE_INLINE WABE_REAL wabe_diffuse_flow(WABE_REAL sum, WABE_REAL weight, WABE_REAL own,
                                        WABE_REAL neighbour) {
    return WABE_FMA(weight, neighbour - own, sum);
}

/* beside, weight: west, east, south, north, below, above. */
WABE_INLINE WABE_REAL wabe_diffuse_varied(WABE_REAL own, const WABE_REAL neighbours[6],
                                          const WABE_REAL weight[6]) {
    WABE_REAL f = own;
    WABE_UNROLL
    for (int face = 0; face < 6; face++)
        f = wabe_diffuse_flow(f, weight[face], own, neighbours[face]);
    return f;
}

#ifdef WABE_AT

WABE_INLINE void wabe_diffuse_varied_cell(const wabe_diffuse_varied_args *a, const wabe_cell *c,
                                          WABE_REAL out[], WABE_REAL reduced[]) {
    WABE_REAL beside[6], weight[6];
    WABE_UNROLL
    for (int face = 0; face < 6; face++) {
        const int axis = face / 2, step = face % 2 ? 1 : -1;
        beside[face] = WABE_AT(c, WABE_DIFFUSE_FROM, 0, axis == 0 ? step : 0, axis == 1 ? step : 0,
                               axis == 2 ? step : 0);
        weight[face] = WABE_AT(c, WABE_DIFFUSE_BY, axis, face == 1, face == 3, face == 5);
    }
    (void)a, (void)reduced;
    out[0] = wabe_diffuse_varied(WABE_AT(c, WABE_DIFFUSE_FROM, 0, 0, 0, 0), beside, weight);
}

#endif

#endif
