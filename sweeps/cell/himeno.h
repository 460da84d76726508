/* The Himeno benchmark: one Jacobi iteration for the pressure, with all of its coefficient arrays.
 * Arguments of its kernels, and the arithmetic of a cell, shared by all of them. The arithmetic
 * needs WABE_REAL, WABE_REAL_OF and WABE_INLINE (see sweeps/cell/collision.h); without them the
 * header has the arguments alone. The benchmark's i, j, k are z, y, x here. */
#pragma once

#include "sweeps/cell/grid.h"

extern const struct wabe_sweep wabe_sweep_himeno;

enum {
    WABE_FLOPS_HIMENO = 34,    /* as counted by the benchmark */
    WABE_HIMENO_CONSTANTS = 12 /* per cell */
};

/* The order of the constants. */
enum {
    WABE_HIMENO_A, /* 4 */
    WABE_HIMENO_B = 4,
    WABE_HIMENO_C = 7,
    WABE_HIMENO_BND = 10,
    WABE_HIMENO_WRK1
};

/* himeno: items are rows of the boxes. Writes the pressure, reads it and the constants, sums the
 * squares of its changes. */
typedef struct wabe_himeno_args {
    wabe_grid_args grid;
} wabe_himeno_args;

/* The sweep's fields. */
enum { WABE_HIMENO_TO, WABE_HIMENO_FROM, WABE_HIMENO_BY };

#ifdef WABE_REAL

/* The change of the pressure, before relaxation. p[dz + 1][dy + 1][dx + 1]: pressure of the cell
 * and its neighbours (corners are not used). Every operation is rounded, in the benchmark's
 * order. */
WABE_INLINE WABE_REAL wabe_himeno_change(const WABE_REAL k[WABE_HIMENO_CONSTANTS],
                                         WABE_REAL p[3][3][3]) {
    WABE_REAL s = k[WABE_HIMENO_A] * p[2][1][1];
    s = s + k[WABE_HIMENO_A + 1] * p[1][2][1];
    s = s + k[WABE_HIMENO_A + 2] * p[1][1][2];
    s = s + k[WABE_HIMENO_B] * (((p[2][2][1] - p[2][0][1]) - p[0][2][1]) + p[0][0][1]);
    s = s + k[WABE_HIMENO_B + 1] * (((p[1][2][2] - p[1][0][2]) - p[1][2][0]) + p[1][0][0]);
    s = s + k[WABE_HIMENO_B + 2] * (((p[2][1][2] - p[0][1][2]) - p[2][1][0]) + p[0][1][0]);
    s = s + k[WABE_HIMENO_C] * p[0][1][1];
    s = s + k[WABE_HIMENO_C + 1] * p[1][0][1];
    s = s + k[WABE_HIMENO_C + 2] * p[1][1][0];
    s = s + k[WABE_HIMENO_WRK1];
    return (s * k[WABE_HIMENO_A + 3] - p[1][1][1]) * k[WABE_HIMENO_BND];
}

WABE_INLINE WABE_REAL wabe_himeno_relax(WABE_REAL own, WABE_REAL change) {
    return own + WABE_REAL_OF(0.8f) * change;
}

#endif
