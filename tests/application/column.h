/* A test program of column sweeps: a step spreads a number to its neighbours along x and z, more or
 * less by a map, and sideways along y, and then diffuses it along y, implicitly: Thomas' algorithm
 * is a march upwards and one downwards. What is shown are its slopes, in memory that the step uses
 * for its equations. */
#pragma once

#include "sweeps/cell/stencil.h"

enum { COLUMN_Q, COLUMN_SPREAD, COLUMN_ROWS, COLUMN_MAP, COLUMN_LEVELS, COLUMN_FIELDS };

typedef struct wabe_spread_args {
    wabe_grid_args grid;
} wabe_spread_args;
typedef struct wabe_climb_args {
    wabe_grid_args grid;
} wabe_climb_args;
typedef struct wabe_descend_args {
    wabe_grid_args grid;
} wabe_descend_args;
typedef struct wabe_slope_args {
    wabe_grid_args grid;
} wabe_slope_args;

#define COLUMN_STENCILS(X)                                                                         \
    X(spread, 0, 0, 1, 0, 0, 0, 3, 0, 20)                                                          \
    X(climb, 1, 2, 2, 0, 0, 0, 4, 0, 10)                                                           \
    X(descend, -1, 1, 1, 0, 0, 0, 3, 0, 2)                                                         \
    X(slope, 0, 0, 2, 0, 0, 0, 3, 0, 2)

#ifdef WABE_REAL

WABE_INLINE void wabe_spread_cell(const wabe_spread_args *a, const wabe_cell *c, WABE_REAL carry[],
                                  WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL own = WABE_AT(c, 1, 0, 0, 0, 0);
    const WABE_REAL x = (WABE_AT(c, 1, 0, -1, 0, 0) + WABE_AT(c, 1, 0, 1, 0, 0)) -
                        WABE_REAL_OF(2.0) * own;
    const WABE_REAL z = (WABE_AT(c, 1, 0, 0, 0, -2) + WABE_AT(c, 1, 0, 0, 0, 2)) -
                        WABE_REAL_OF(2.0) * own;
    const WABE_REAL up = WABE_AT(c, 1, 0, 0, 2, 0) - WABE_AT(c, 1, 0, 0, -2, 0);
    const WABE_REAL map = WABE_AT(c, 2, 0, 0, 0, 0) + WABE_AT(c, 2, 0, -1, 0, 0);
    (void)a, (void)carry, (void)reduced;
    out[0] = own + (map * (x + z) + WABE_AT(c, 3, 0, 0, 0, 0) * up);
}

/* Row y of the equations is -a q[y - 1] + (1 + a + b) q[y] - b q[y + 1], a and b the coefficients
 * of the faces below and above, 0 at the ends. Their solution is q[y] = out[1] - out[0] q[y + 1].
 */
WABE_INLINE void wabe_climb_cell(const wabe_climb_args *a, const wabe_cell *c, WABE_REAL carry[],
                                 WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL zero = WABE_REAL_OF(0.0);
    const WABE_REAL below = wabe_is_lowest(c) ? zero : WABE_AT(c, 2, 1, 0, 0, 0);
    const WABE_REAL above = wabe_is_highest(c) ? zero : WABE_AT(c, 2, 1, 0, 1, 0);
    const WABE_REAL pivot = WABE_REAL_OF(1.0) /
                            (((WABE_REAL_OF(1.0) + below) + above) + below * carry[0]);
    (void)a, (void)reduced;
    out[0] = carry[0] = zero - above * pivot;
    out[1] = carry[1] = (WABE_AT(c, 1, 0, 0, 0, 0) + below * carry[1]) * pivot;
}

WABE_INLINE void wabe_descend_cell(const wabe_descend_args *a, const wabe_cell *c,
                                   WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    (void)a, (void)reduced;
    out[0] = carry[0] = WABE_AT(c, 1, 1, 0, 0, 0) - WABE_AT(c, 1, 0, 0, 0, 0) * carry[0];
}

WABE_INLINE void wabe_slope_cell(const wabe_slope_args *a, const wabe_cell *c, WABE_REAL carry[],
                                 WABE_REAL out[], WABE_REAL reduced[]) {
    (void)a, (void)carry, (void)reduced;
    out[0] = WABE_AT(c, 1, 0, 1, 0, 0) - WABE_AT(c, 1, 0, 0, 0, 0);
    out[1] = WABE_AT(c, 1, 0, 0, 1, 0) - WABE_AT(c, 1, 0, 0, 0, 0);
}

#endif
