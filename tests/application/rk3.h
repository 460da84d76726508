/* A test program of many sweeps, as weather models have them: a Runge-Kutta step of three stages,
 * each with substeps of its own number for fast waves (L. J. Wicker, W. C. Skamarock, Mon. Weather
 * Rev. 130 (2002) 2088), on 20 fields of two types.
 *
 * First keep saves all that a step changes. Then three stages follow, for t = 1/3, 1/2, 1 of a
 * step. slow computes tendencies of u, v, w, p from two cells around; keep brings back their values
 * of the step's beginning; 1, n / 2, n substeps follow, in which u, v, w fall with the gradient of
 * p, and then p with the differences of u, v, w; at last trace computes q from those differences
 * and from what u carries.
 *
 * It is no model of anything: each field's differences along all axes are summed, so that every
 * exchange is needed. */
#pragma once

#include "sweeps/cell/stencil.h"

enum { RK3_U, RK3_V, RK3_W, RK3_P, RK3_Q, RK3_STATE = RK3_Q + 3 }; /* three q */
enum {
    RK3_BEFORE = RK3_STATE, /* those of the step's beginning */
    RK3_SLOW = RK3_BEFORE + RK3_STATE,
    RK3_MAP = RK3_SLOW + 4, /* constant */
    RK3_DIVERGENCE,
    RK3_FIELDS
};
enum { RK3_SUBSTEPS = 6 };

typedef struct wabe_keep_args {
    wabe_grid_args grid;
} wabe_keep_args;
typedef struct wabe_slow_args {
    wabe_grid_args grid;
    double rate;
} wabe_slow_args;
typedef struct wabe_fall_args {
    wabe_grid_args grid;
    double along[3];
} wabe_fall_args;
typedef struct wabe_squeeze_args {
    wabe_grid_args grid;
} wabe_squeeze_args;
typedef struct wabe_trace_args {
    wabe_grid_args grid;
} wabe_trace_args;

enum {
    WABE_BEGINS_keep = 1,
    WABE_BEGINS_slow = 1,
    WABE_BEGINS_fall = 1,
    WABE_BEGINS_squeeze = 3,
    WABE_BEGINS_trace = 1
};
#define RK3_STENCILS(X)                                                                            \
    X(keep, 1, 0, 0, 0, 2, 0, 0)                                                                   \
    X(slow, 1, 0, 0, 0, 3, 0, 20)                                                                  \
    X(fall, 1, 0, 0, 0, 4, 0, 20)                                                                  \
    X(squeeze, 2, 0, 0x2, 0, 6, 4, 20)                                                             \
    X(trace, 1, 0x8, 0, 0, 4, 8, 20)

#ifdef WABE_REAL

WABE_INLINE void wabe_keep_cell(const wabe_keep_args *a, const wabe_cell *c, WABE_REAL out[],
                                WABE_REAL reduced[]) {
    (void)a, (void)reduced;
    out[0] = WABE_AT(c, 1, 0, 0, 0, 0);
}

WABE_INLINE void wabe_slow_cell(const wabe_slow_args *a, const wabe_cell *c, WABE_REAL out[],
                                WABE_REAL reduced[]) {
    WABE_REAL sum = WABE_REAL_OF(-12.0) * WABE_AT(c, 1, 0, 0, 0, 0);
    (void)reduced;
    for (int far = 1; far <= 2; far++) {
        sum = sum + (WABE_AT(c, 1, 0, -far, 0, 0) + WABE_AT(c, 1, 0, far, 0, 0));
        sum = sum + (WABE_AT(c, 1, 0, 0, -far, 0) + WABE_AT(c, 1, 0, 0, far, 0));
        sum = sum + (WABE_AT(c, 1, 0, 0, 0, -far) + WABE_AT(c, 1, 0, 0, 0, far));
    }
    out[0] = WABE_REAL_OF(a->rate) * (sum * WABE_AT(c, 2, 0, 0, 0, 0));
}

/* The difference across a cell along an axis, and the sum of all three. */
#define RK3_ACROSS(c, access, x, y, z)                                                             \
    (WABE_AT(c, access, 0, x, y, z) - WABE_AT(c, access, 0, -(x), -(y), -(z)))
#define RK3_SUM(c, access)                                                                         \
    (RK3_ACROSS(c, access, 1, 0, 0) +                                                              \
     (RK3_ACROSS(c, access, 0, 1, 0) + RK3_ACROSS(c, access, 0, 0, 1)))

/* Every other substep of a stage is a little shorter. */
WABE_INLINE WABE_REAL wabe_rk3_substep(const wabe_grid_args *g) {
    return WABE_COEFFICIENT(g->values[g->index[0]]) *
           WABE_REAL_OF(g->index[1] & 1 ? g->values[3].f64 : 1.0);
}

WABE_INLINE void wabe_fall_cell(const wabe_fall_args *a, const wabe_cell *c, WABE_REAL out[],
                                WABE_REAL reduced[]) {
    const WABE_REAL gradient = WABE_REAL_OF(a->along[0]) * RK3_ACROSS(c, 2, 1, 0, 0) +
                               (WABE_REAL_OF(a->along[1]) * RK3_ACROSS(c, 2, 0, 1, 0) +
                                WABE_REAL_OF(a->along[2]) * RK3_ACROSS(c, 2, 0, 0, 1));
    (void)reduced;
    out[0] = WABE_AT(c, 1, 0, 0, 0, 0) +
             wabe_rk3_substep(&a->grid) * (WABE_AT(c, 3, 0, 0, 0, 0) - gradient);
}

WABE_INLINE void wabe_squeeze_cell(const wabe_squeeze_args *a, const wabe_cell *c, WABE_REAL out[],
                                   WABE_REAL reduced[]) {
    const WABE_REAL sum = RK3_SUM(c, 3) + (RK3_SUM(c, 4) + RK3_SUM(c, 5));
    (void)reduced;
    out[0] = WABE_AT(c, 2, 0, 0, 0, 0) +
             wabe_rk3_substep(&a->grid) * (WABE_AT(c, 6, 0, 0, 0, 0) - sum);
    out[1] = sum;
}

WABE_INLINE void wabe_trace_cell(const wabe_trace_args *a, const wabe_cell *c, WABE_REAL out[],
                                 WABE_REAL reduced[]) {
    const WABE_REAL flow = WABE_AT(c, 3, 0, 0, 0, 0) * RK3_SUM(c, 2);
    (void)reduced;
    out[0] = WABE_AT(c, 1, 0, 0, 0, 0) + WABE_COEFFICIENT(a->grid.values[a->grid.index[0]]) *
                                             (WABE_AT(c, 4, 0, 0, 0, 0) - flow);
}

#endif
