/* A test application that uses all features of grids: three fields of two types, one of them
 * constant, one on faces; a sweep that reads edges and corners, one that reads two layers and both
 * this step's and the previous values; a loop that a reduction ends.
 *
 *   drift   u' = u + c (k mean of 26 neighbours of u - u) + e w_0          u: f64, k: f64
 *   relax   w' = w + a (sum along the axes, two cells far) + b (u - u below) + d u of before
 *           w: f32, two numbers on each face normal to z */
#pragma once

#include "sweeps/cell/stencil.h"

typedef struct wabe_drift_args {
    wabe_grid_args grid;
    double rate;
} wabe_drift_args;

typedef struct wabe_relax_args {
    wabe_grid_args grid;
    double rate;
} wabe_relax_args;

/* The sweeps' accesses. */
enum { DRIFT_TO, DRIFT_U, DRIFT_K, DRIFT_W };
enum { RELAX_TO, RELAX_W, RELAX_U, RELAX_BEFORE };

/* See sweeps/cell/stencil.h. drift is in f64 except for w, relax in f32 except for u. */
enum { WABE_BEGINS_drift = 1, WABE_BEGINS_relax = 1 };
#define APPLICATION_STENCILS(X)                                                                    \
    X(drift, 1, 0x7, 0x8, 0, 3, 4, 60)                                                             \
    X(relax, 2, 0xc, 0x3, 2, 2, 24, 60)

#ifdef WABE_REAL

WABE_INLINE void wabe_drift_cell(const wabe_drift_args *a, const wabe_cell *c, WABE_REAL out[],
                                 WABE_REAL reduced[]) {
    const WABE_REAL own = WABE_AT(c, DRIFT_U, 0, 0, 0, 0);
    WABE_REAL sum = own - own;
    (void)reduced;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                if (dx || dy || dz)
                    sum = sum + WABE_AT(c, DRIFT_U, 0, dx, dy, dz);
    const WABE_REAL mean = WABE_AT(c, DRIFT_K, 0, 0, 0, 0) * (sum * WABE_REAL_OF(1.0 / 26.0));
    const WABE_REAL moved = own + WABE_REAL_OF(a->rate) * (mean - own);
    out[0] = moved + WABE_REAL_OF(0.0625) * WABE_AT(c, DRIFT_W, 0, 0, 0, 0);
}

WABE_INLINE void wabe_relax_cell(const wabe_relax_args *a, const wabe_cell *c, WABE_REAL out[],
                                 WABE_REAL reduced[]) {
    const WABE_REAL step = WABE_AT(c, RELAX_U, 0, 0, 0, 0) - WABE_AT(c, RELAX_U, 0, 0, 0, -1);
    const WABE_REAL before = WABE_REAL_OF(0.03125) * WABE_AT(c, RELAX_BEFORE, 0, 0, 0, 0);
    for (int q = 0; q < 2; q++) {
        const WABE_REAL own = WABE_AT(c, RELAX_W, q, 0, 0, 0);
        WABE_REAL sum = WABE_REAL_OF(-12.0) * own;
        for (int far = 1; far <= 2; far++) {
            sum = sum + (WABE_AT(c, RELAX_W, q, -far, 0, 0) + WABE_AT(c, RELAX_W, q, far, 0, 0));
            sum = sum + (WABE_AT(c, RELAX_W, q, 0, -far, 0) + WABE_AT(c, RELAX_W, q, 0, far, 0));
            sum = sum + (WABE_AT(c, RELAX_W, q, 0, 0, -far) + WABE_AT(c, RELAX_W, q, 0, 0, far));
        }
        const WABE_REAL more = WABE_REAL_OF(q == 0 ? 0.125 : -0.25) * step + before;
        out[q] = own + (WABE_REAL_OF(a->rate) * sum + more);
    }
    const WABE_REAL change = out[0] - WABE_AT(c, RELAX_W, 0, 0, 0, 0);
    reduced[0] = change * change;
    reduced[1] = out[0];
}

#endif
