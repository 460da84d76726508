/* Equations div(w grad p) = b on a grid and coarser ones, whose cells are twice as long: a
 * multigrid V-cycle (U. Trottenberg, C. Oosterlee, A. Schueller, Multigrid, Academic Press 2001,
 * chapter 2).
 *
 * In cells of equal edges the equation of a cell is the sum over its faces of w (p beyond the face
 * - p) = b, b times a cell's volume; w is 0 on faces that nothing flows through. If there is no
 * other way out of the domain, the sum of b must be 0, and p is known up to a constant. Coarser
 * grids have the same form for the error of p: b is the sum of the residuals of the cells that make
 * up a coarse cell, w of a coarse face the sum over its faces, halved where the way between cells
 * is twice as long; the error is the same in all cells of a coarse one. A cycle takes a few sweeps
 * of the smoother, goes on to the next coarser grid, adds what is found there, and sweeps again.
 *
 * Where the coefficients differ much, as around small bubbles and in thin films of liquid, cycles
 * may leave most of some waves, and take too much of others, which turn round and may grow. After a
 * few of them a cycle is therefore taken as the preconditioner of the method of conjugate gradients
 * (Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., SIAM 2003, algorithm 9.1), which
 * it can be since it is symmetric: the same sweeps come before and after, and restriction is the
 * transpose of prolongation. In terms of z, what a cycle adds to p, and of the change e of the
 * iteration before, p += e with e = alpha z + beta e. The error's energy becomes smallest, as e is
 * orthogonal to the residual and z of the iteration before to this residual, with
 *     alpha = zr / (zr - zs - zr^2 / energy), beta = alpha zr / energy, energy of e = alpha zr,
 * where zr and zs are the products of z with the residuals before and after the cycle. Sums of
 * products must not depend on the order of summation (core/base/bins.h): z and the residuals are
 * therefore scaled by powers of 2, out of their largest numbers.
 *
 * The smoother is Jacobi's method with Chebyshev's polynomials (M. Adams et al., J. Comput. Phys.
 * 188 (2003) 593), which unlike Gauss and Seidel's reads only numbers of the sweep before, so that
 * cells may be computed in any order. */
#pragma once

#include "sweeps/cell/grid.h"

extern const struct wabe_sweep wabe_sweep_multigrid_smooth, wabe_sweep_multigrid_residual,
    wabe_sweep_multigrid_residual_known, wabe_sweep_multigrid_restrict,
    wabe_sweep_multigrid_prolong, wabe_sweep_multigrid_coarsen, wabe_sweep_multigrid_keep,
    wabe_sweep_multigrid_largest, wabe_sweep_multigrid_products, wabe_sweep_multigrid_conjugate;

enum {
    WABE_MULTIGRID_SWEEPS_MAX = 64, /* of the smoother, one after the other */
    WABE_FLOPS_MULTIGRID_SMOOTH = 24,
    WABE_FLOPS_MULTIGRID_RESIDUAL = 18,
    WABE_FLOPS_MULTIGRID_RESTRICT = 8,
    WABE_FLOPS_MULTIGRID_PROLONG = 1,
    WABE_FLOPS_MULTIGRID_COARSEN = 12,
    WABE_FLOPS_MULTIGRID_LARGEST = 22,
    WABE_FLOPS_MULTIGRID_PRODUCTS = 36,
    WABE_FLOPS_MULTIGRID_CONJUGATE = 5
};

/* A sweep: p += keep (p - p of the sweep before) + change (sum of w (p beyond - p) - b) / sum of w;
 * 0 in cells that nothing flows through.
 * loop: the place of the loop of sweeps among the open ones; its iterations have their own
 * numbers. */
typedef struct wabe_multigrid_smooth_args {
    wabe_grid_args grid;
    int loop;
    wabe_coefficient keep[WABE_MULTIGRID_SWEEPS_MAX], change[WABE_MULTIGRID_SWEEPS_MAX];
} wabe_multigrid_smooth_args;

/* b less the sum of w (p beyond - p). */
typedef struct wabe_multigrid_residual_args {
    wabe_grid_args grid;
} wabe_multigrid_residual_args;
/* The same, and the largest of them in size. */
typedef struct wabe_multigrid_residual_known_args {
    wabe_grid_args grid;
} wabe_multigrid_residual_known_args;
/* All: writes and reads, in this order; w stands on the low faces of a cell, its components along
 * x, y, z. */
enum { WABE_MULTIGRID_TO, WABE_MULTIGRID_P, WABE_MULTIGRID_W, WABE_MULTIGRID_B };

/* b of a coarse cell, and p = 0. once: 1 over how often each cell of the finer grid is met
 * (WABE_AT_CHILD). */
typedef struct wabe_multigrid_restrict_args {
    wabe_grid_args grid;
    wabe_coefficient once;
} wabe_multigrid_restrict_args;

/* Adds p of the coarse cell. */
typedef struct wabe_multigrid_prolong_args {
    wabe_grid_args grid;
} wabe_multigrid_prolong_args;

/* Copies p. */
typedef struct wabe_multigrid_keep_args {
    wabe_grid_args grid;
} wabe_multigrid_keep_args;
/* The residual of p kept; and the largest of what the cycle has added, and of that residual, in
 * size. Reads p kept in the place of p. */
typedef struct wabe_multigrid_largest_args {
    wabe_grid_args grid;
} wabe_multigrid_largest_args;
/* The residual of p, in the place of that of p kept; and the products of what the cycle has added,
 * times value 0 of the entry, with that of p kept and with that of p, times value 1. */
typedef struct wabe_multigrid_products_args {
    wabe_grid_args grid;
} wabe_multigrid_products_args;
/* Of both: the last access. */
enum { WABE_MULTIGRID_OTHER_P = 4 };

/* The change becomes value 0 of the entry times what the cycle has added, and value 1 times itself;
 * p is p kept and the change. */
typedef struct wabe_multigrid_conjugate_args {
    wabe_grid_args grid;
} wabe_multigrid_conjugate_args;
enum {
    WABE_MULTIGRID_CONJUGATE_CHANGE = 1,
    WABE_MULTIGRID_CONJUGATE_P,
    WABE_MULTIGRID_CONJUGATE_KEPT
};

/* w of a coarse cell. shares: of the sum over the faces along each axis, as once of restrict. */
typedef struct wabe_multigrid_coarsen_args {
    wabe_grid_args grid;
    wabe_coefficient shares[3];
} wabe_multigrid_coarsen_args;

/* See sweeps/cell/stencils.h. */
#define WABE_MULTIGRID_CELLWISE(X)                                                                 \
    X(multigrid_smooth, 1, 0, 0, 0, 7, 0, WABE_FLOPS_MULTIGRID_SMOOTH)                             \
    X(multigrid_residual, 1, 0, 0, 0, 6, 0, WABE_FLOPS_MULTIGRID_RESIDUAL)                         \
    X(multigrid_residual_known, 1, 0, 0, 1, 6, 0, WABE_FLOPS_MULTIGRID_RESIDUAL)                   \
    X(multigrid_restrict, 2, 0, 0, 0, 10, 0, WABE_FLOPS_MULTIGRID_RESTRICT)                        \
    X(multigrid_prolong, 1, 0, 0, 0, 3, 0, WABE_FLOPS_MULTIGRID_PROLONG)                           \
    X(multigrid_coarsen, 3, 0, 0, 0, 27, 0, WABE_FLOPS_MULTIGRID_COARSEN)                          \
    X(multigrid_keep, 1, 0, 0, 0, 2, 0, 0)                                                         \
    X(multigrid_largest, 1, 0, 0, 2, 7, 0, WABE_FLOPS_MULTIGRID_LARGEST)                           \
    X(multigrid_products, 1, 0, 0, 2, 8, 0, WABE_FLOPS_MULTIGRID_PRODUCTS)                         \
    X(multigrid_conjugate, 2, 0, 0, 0, 5, 0, WABE_FLOPS_MULTIGRID_CONJUGATE)
enum {
    WABE_BEGINS_multigrid_smooth = 1,
    WABE_BEGINS_multigrid_residual = 1,
    WABE_BEGINS_multigrid_residual_known = 1,
    WABE_BEGINS_multigrid_restrict = 3,
    WABE_BEGINS_multigrid_prolong = 1,
    WABE_BEGINS_multigrid_coarsen = 1,
    WABE_BEGINS_multigrid_keep = 1,
    WABE_BEGINS_multigrid_largest = 1,
    WABE_BEGINS_multigrid_products = 1,
    WABE_BEGINS_multigrid_conjugate = 3
};

#ifdef WABE_AT

/* Sums over the faces of a cell: of w (p beyond - p), and of w. */
typedef struct {
    WABE_REAL flows, weights;
} wabe_multigrid_faces;

WABE_INLINE wabe_multigrid_faces wabe_multigrid_sum(const wabe_cell *c) {
    const WABE_REAL own = WABE_AT(c, WABE_MULTIGRID_P, 0, 0, 0, 0);
    WABE_REAL flows[3], weights[3];
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const int x = axis == 0, y = axis == 1, z = axis == 2;
        const WABE_REAL low = WABE_AT(c, WABE_MULTIGRID_W, axis, 0, 0, 0);
        const WABE_REAL high = WABE_AT(c, WABE_MULTIGRID_W, axis, x, y, z);
        flows[axis] = low * (WABE_AT(c, WABE_MULTIGRID_P, 0, -x, -y, -z) - own) +
                      high * (WABE_AT(c, WABE_MULTIGRID_P, 0, x, y, z) - own);
        weights[axis] = low + high;
    }
    const wabe_multigrid_faces sums = {(flows[0] + flows[1]) + flows[2],
                                       (weights[0] + weights[1]) + weights[2]};
    return sums;
}

WABE_INLINE void wabe_multigrid_smooth_cell(const wabe_multigrid_smooth_args *a, const wabe_cell *c,
                                            WABE_REAL out[], WABE_REAL reduced[]) {
    const int sweep = (int)a->grid.index[a->loop];
    const WABE_REAL none = WABE_REAL_OF(0.0), one = WABE_REAL_OF(1.0);
    const WABE_REAL p = WABE_AT(c, WABE_MULTIGRID_P, 0, 0, 0, 0);
    const WABE_REAL before = WABE_AT(c, WABE_MULTIGRID_TO, 0, 0, 0, 0); /* not yet written */
    const wabe_multigrid_faces sums = wabe_multigrid_sum(c);
    const WABE_REAL lacks = sums.flows - WABE_AT(c, WABE_MULTIGRID_B, 0, 0, 0, 0);
    const wabe_bits open = sums.weights > none; /* a face, that is */
    (void)reduced;
    const WABE_REAL change = WABE_COEFFICIENT(a->change[sweep]) *
                             (lacks / wabe_select(open, sums.weights, one));
    out[0] = wabe_select(open, p + (WABE_COEFFICIENT(a->keep[sweep]) * (p - before) + change),
                         none);
}

WABE_INLINE WABE_REAL wabe_multigrid_lacks(const wabe_cell *c) {
    return WABE_AT(c, WABE_MULTIGRID_B, 0, 0, 0, 0) - wabe_multigrid_sum(c).flows;
}

WABE_INLINE void wabe_multigrid_residual_cell(const wabe_multigrid_residual_args *a,
                                              const wabe_cell *c, WABE_REAL out[],
                                              WABE_REAL reduced[]) {
    (void)a, (void)reduced;
    out[0] = wabe_multigrid_lacks(c);
}

WABE_INLINE void wabe_multigrid_residual_known_cell(const wabe_multigrid_residual_known_args *a,
                                                    const wabe_cell *c, WABE_REAL out[],
                                                    WABE_REAL reduced[]) {
    (void)a;
    out[0] = wabe_multigrid_lacks(c);
    reduced[0] = wabe_largest(out[0], -out[0]);
}

WABE_INLINE void wabe_multigrid_restrict_cell(const wabe_multigrid_restrict_args *a,
                                              const wabe_cell *c, WABE_REAL out[],
                                              WABE_REAL reduced[]) {
    WABE_REAL sum = WABE_REAL_OF(0.0);
    WABE_UNROLL
    for (int i = 0; i < 8; i++)
        sum = sum + WABE_AT_CHILD(c, 2, 0, i % 2, i / 2 % 2, i / 4);
    (void)reduced;
    out[0] = WABE_COEFFICIENT(a->once) * sum;
    out[1] = WABE_REAL_OF(0.0);
}

WABE_INLINE void wabe_multigrid_prolong_cell(const wabe_multigrid_prolong_args *a,
                                             const wabe_cell *c, WABE_REAL out[],
                                             WABE_REAL reduced[]) {
    (void)a, (void)reduced;
    out[0] = WABE_AT(c, 1, 0, 0, 0, 0) + WABE_AT_PARENT(c, 2, 0);
}

WABE_INLINE void wabe_multigrid_keep_cell(const wabe_multigrid_keep_args *a, const wabe_cell *c,
                                          WABE_REAL out[], WABE_REAL reduced[]) {
    (void)a, (void)reduced;
    out[0] = WABE_AT(c, 1, 0, 0, 0, 0);
}

WABE_INLINE void wabe_multigrid_largest_cell(const wabe_multigrid_largest_args *a,
                                             const wabe_cell *c, WABE_REAL out[],
                                             WABE_REAL reduced[]) {
    const WABE_REAL added = WABE_AT(c, WABE_MULTIGRID_OTHER_P, 0, 0, 0, 0) -
                            WABE_AT(c, WABE_MULTIGRID_P, 0, 0, 0, 0);
    (void)a;
    out[0] = wabe_multigrid_lacks(c);
    reduced[0] = wabe_largest(added, -added);
    reduced[1] = wabe_largest(out[0], -out[0]);
}

/* A cycle that leaves more than 32 times the residual before it has failed, whatever the sum is. */
WABE_INLINE void wabe_multigrid_products_cell(const wabe_multigrid_products_args *a,
                                              const wabe_cell *c, WABE_REAL out[],
                                              WABE_REAL reduced[]) {
    const WABE_REAL most = WABE_REAL_OF(2.0);
    const WABE_REAL scale = WABE_COEFFICIENT(a->grid.values[1]);
    const WABE_REAL added =
        WABE_COEFFICIENT(a->grid.values[0]) *
        (WABE_AT(c, WABE_MULTIGRID_P, 0, 0, 0, 0) - WABE_AT(c, WABE_MULTIGRID_OTHER_P, 0, 0, 0, 0));
    const WABE_REAL before = WABE_AT(c, WABE_MULTIGRID_TO, 0, 0, 0, 0); /* not yet written */
    out[0] = wabe_multigrid_lacks(c);
    reduced[0] = added * (scale * before);
    reduced[1] = wabe_largest(-most, wabe_smallest(most, added * (scale * out[0])));
}

WABE_INLINE void wabe_multigrid_conjugate_cell(const wabe_multigrid_conjugate_args *a,
                                               const wabe_cell *c, WABE_REAL out[],
                                               WABE_REAL reduced[]) {
    const WABE_REAL kept = WABE_AT(c, WABE_MULTIGRID_CONJUGATE_KEPT, 0, 0, 0, 0);
    const WABE_REAL added = WABE_AT(c, WABE_MULTIGRID_CONJUGATE_P, 0, 0, 0, 0) - kept;
    const WABE_REAL change = WABE_AT(c, WABE_MULTIGRID_CONJUGATE_CHANGE, 0, 0, 0, 0);
    (void)reduced;
    out[1] = WABE_FMA(WABE_COEFFICIENT(a->grid.values[0]), added,
                      WABE_COEFFICIENT(a->grid.values[1]) * change);
    out[0] = kept + out[1];
}

WABE_INLINE void wabe_multigrid_coarsen_cell(const wabe_multigrid_coarsen_args *a,
                                             const wabe_cell *c, WABE_REAL out[],
                                             WABE_REAL reduced[]) {
    (void)reduced;
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        WABE_REAL sum = WABE_REAL_OF(0.0);
        WABE_UNROLL
        for (int i = 0; i < 4; i++) {
            const int first = i % 2, second = i / 2; /* along the other axes */
            sum = sum + WABE_AT_CHILD(c, 1, axis, axis == 0 ? 0 : first,
                                      axis == 1   ? 0
                                      : axis == 0 ? first
                                                  : second,
                                      axis == 2 ? 0 : second);
        }
        out[axis] = WABE_COEFFICIENT(a->shares[axis]) * sum;
    }
}

#endif
