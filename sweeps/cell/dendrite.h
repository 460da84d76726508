/* Solidification by a phase field: one forward Euler step of the phase phi (19 points) and of the
 * dimensionless temperature u = (T - Tm) C / L (7 points). The fluxes of phi through the faces of a
 * cell come from W^2 |grad phi|^2 a(n)^2 / 2 with the cubic anisotropy a = 1 - 3 g + 4 g sum n_i^4;
 * lengths are in cells.
 *
 * solidify: phi from 0 (liquid) to 1 (solid), Kobayashi's model with the noise chi of Shimokawabe
 * et al., SC11 (equations 1 to 6), q = phi (1 - phi):
 *
 *     phi' = phi + gradient div(flux) + reaction q (phi - 1/2 - driving u q + noise chi)
 *
 * karma_rappel: phi from -1 to 1, Karma and Rappel, Phys. Rev. E 57 (1998), q = 1 - phi^2:
 *
 *     a^2 (phi' - phi) = gradient div(flux) + reaction q (phi - driving u q + noise chi)
 *
 * Both, with the solid fraction h of a phase:
 *
 *     u' = u + diffusion laplace(u) + h(phi') - h(phi)
 *
 * In sweeps whose name ends in _turned the rows of a matrix are the crystal's axes. */
#pragma once

#include "sweeps/cell/grid.h"

extern const struct wabe_sweep wabe_sweep_solidify, wabe_sweep_solidify_turned,
    wabe_sweep_karma_rappel, wabe_sweep_karma_rappel_turned;

/* Per update at an interface without noise; a fused multiply-add counts as two. */
enum {
    WABE_FLOPS_SOLIDIFY = 258,
    WABE_FLOPS_SOLIDIFY_TURNED = 390,
    WABE_FLOPS_KARMA_RAPPEL = 269,
    WABE_FLOPS_KARMA_RAPPEL_TURNED = 416
};

/* See above, and wabe_dendrite_set. */
typedef struct wabe_solidify_args {
    wabe_grid_args grid;
    uint64_t seed; /* of the noise */
    int is_noisy;
    wabe_coefficient gradient, reaction, driving, noise, diffusion;
    wabe_coefficient a_base, a_fourth, a_slope; /* 1 - 3 g, 4 g, 16 g */
    wabe_coefficient crystal[3][3];
    wabe_coefficient partition_mean, partition_half; /* of alloys, see sweeps/cell/alloy.h */
    /* A phase that comes as close as tiny to a bulk value becomes that value, and one that leaves
     * it does so once it is further away than waking. */
    wabe_coefficient tiny_square, waking_square;
} wabe_solidify_args;
/* Kernels are declared with a struct of their sweep's own. */
#define WABE_ARGS_LIKE_SOLIDIFY(name)                                                              \
    typedef struct wabe_##name##_args {                                                            \
        wabe_solidify_args same;                                                                   \
    } wabe_##name##_args;
WABE_ARGS_LIKE_SOLIDIFY(solidify_turned)
WABE_ARGS_LIKE_SOLIDIFY(karma_rappel)
WABE_ARGS_LIKE_SOLIDIFY(karma_rappel_turned)

/* The sweeps' accesses. */
enum { WABE_SOLIDIFY_PHI_TO, WABE_SOLIDIFY_U_TO, WABE_SOLIDIFY_PHI, WABE_SOLIDIFY_U };

#ifdef WABE_AT

#include "sweeps/cell/stencil_math.h"

/* Neighbours of a cell count from it, in an array of the 27 cells around it. */
enum {
    WABE_SOLIDIFY_NEXT_X = 1,
    WABE_SOLIDIFY_NEXT_Y = 3,
    WABE_SOLIDIFY_NEXT_Z = 9,
    WABE_SOLIDIFY_CENTRE = 13,
    WABE_SOLIDIFY_AROUND = 27
};

/* a, from the sums of squares and of fourth powers of the gradient's components in the crystal's
 * axes, and 1 / g2^2. Gradients below 1e-5 per cell count as none, with a = 1 - 3 g. */
WABE_INLINE WABE_REAL wabe_solidify_anisotropy(const wabe_solidify_args *a, WABE_REAL g2,
                                               WABE_REAL s, WABE_REAL *inverse) {
    *inverse = WABE_REAL_OF(1.0) / WABE_FMA(g2, g2, WABE_REAL_OF(1e-20));
    return WABE_FMA(WABE_COEFFICIENT(a->a_fourth) * s, *inverse, WABE_COEFFICIENT(a->a_base));
}

/* Components of a gradient in the crystal's axes. */
WABE_INLINE void wabe_solidify_turn(const wabe_solidify_args *a, const WABE_REAL gradient[3],
                                    WABE_REAL out[3]) {
    WABE_UNROLL
    for (int i = 0; i < 3; i++)
        out[i] = WABE_FMA(WABE_COEFFICIENT(a->crystal[i][0]), gradient[0],
                          WABE_FMA(WABE_COEFFICIENT(a->crystal[i][1]), gradient[1],
                                   WABE_COEFFICIENT(a->crystal[i][2]) * gradient[2]));
}

/* Distance to the next cell along axis; axes 3 and 4 are 0 and 1 again. */
WABE_INLINE int wabe_solidify_next(int axis) {
    const int steps[5] = {WABE_SOLIDIFY_NEXT_X, WABE_SOLIDIFY_NEXT_Y, WABE_SOLIDIFY_NEXT_Z,
                          WABE_SOLIDIFY_NEXT_X, WABE_SOLIDIFY_NEXT_Y};
    return steps[axis];
}

/* The gradient of phi in the middle of the face between cell p and the next one along axis. */
WABE_INLINE void wabe_solidify_gradient(const WABE_REAL *p, int axis, WABE_REAL out[3]) {
    const WABE_REAL *next = p + wabe_solidify_next(axis);
    out[axis] = next[0] - p[0];
    WABE_UNROLL
    for (int d = axis + 1; d < axis + 3; d++) {
        const int side = wabe_solidify_next(d);
        out[d % 3] = WABE_REAL_OF(0.25) * ((p[side] + next[side]) - (p[-side] + next[-side]));
    }
}

/* The flux along axis from cell p to the next one. Terms of this axis stand first, so that the
 * other two are treated alike. */
WABE_INLINE WABE_REAL wabe_solidify_flux(const wabe_solidify_args *a, const WABE_REAL *p, int axis,
                                         int turned) {
    WABE_REAL gradient[3], own[3], square[3], inverse;
    wabe_solidify_gradient(p, axis, gradient);
    WABE_UNROLL
    for (int i = 0; i < 3; i++)
        own[i] = gradient[(axis + i) % 3];
    if (turned)
        wabe_solidify_turn(a, gradient, own);
    WABE_UNROLL
    for (int i = 0; i < 3; i++)
        square[i] = own[i] * own[i];
    const WABE_REAL g2 = square[0] + (square[1] + square[2]);
    const WABE_REAL s = WABE_FMA(square[0], square[0],
                                 square[1] * square[1] + square[2] * square[2]);
    const WABE_REAL is = wabe_solidify_anisotropy(a, g2, s, &inverse);
    WABE_REAL cubes = square[0] * own[0];
    if (turned)
        cubes = WABE_FMA(WABE_COEFFICIENT(a->crystal[0][axis]), cubes,
                         WABE_FMA(WABE_COEFFICIENT(a->crystal[1][axis]), square[1] * own[1],
                                  WABE_COEFFICIENT(a->crystal[2][axis]) * (square[2] * own[2])));
    const WABE_REAL tilt = WABE_COEFFICIENT(a->a_slope) * inverse *
                           WABE_FMA(cubes, g2, -(gradient[axis] * s));
    return is * WABE_FMA(is, gradient[axis], tilt);
}

WABE_INLINE WABE_REAL wabe_solidify_flux_divergence(const wabe_solidify_args *a, const WABE_REAL *p,
                                                    int turned) {
    return wabe_sum_of_three(wabe_solidify_flux(a, p, 0, turned) -
                                 wabe_solidify_flux(a, p - WABE_SOLIDIFY_NEXT_X, 0, turned),
                             wabe_solidify_flux(a, p, 1, turned) -
                                 wabe_solidify_flux(a, p - WABE_SOLIDIFY_NEXT_Y, 1, turned),
                             wabe_solidify_flux(a, p, 2, turned) -
                                 wabe_solidify_flux(a, p - WABE_SOLIDIFY_NEXT_Z, 2, turned));
}

/* 1 / a^2 in the middle of cell p. */
WABE_INLINE WABE_REAL wabe_solidify_mobility(const wabe_solidify_args *a, const WABE_REAL *p,
                                             int turned) {
    const WABE_REAL half = WABE_REAL_OF(0.5);
    const WABE_REAL gradient[3] = {half * (p[WABE_SOLIDIFY_NEXT_X] - p[-WABE_SOLIDIFY_NEXT_X]),
                                   half * (p[WABE_SOLIDIFY_NEXT_Y] - p[-WABE_SOLIDIFY_NEXT_Y]),
                                   half * (p[WABE_SOLIDIFY_NEXT_Z] - p[-WABE_SOLIDIFY_NEXT_Z])};
    WABE_REAL own[3] = {gradient[0], gradient[1], gradient[2]}, square[3], inverse;
    if (turned)
        wabe_solidify_turn(a, gradient, own);
    WABE_UNROLL
    for (int i = 0; i < 3; i++)
        square[i] = own[i] * own[i];
    const WABE_REAL is =
        wabe_solidify_anisotropy(a, wabe_sum_of_three(square[0], square[1], square[2]),
                                 wabe_sum_of_three(square[0] * square[0], square[1] * square[1],
                                                   square[2] * square[2]),
                                 &inverse);
    return WABE_REAL_OF(1.0) / (is * is);
}

/* The new phase, or the bulk value that it is close to. A cell that leaves bulk may do so slowly:
 * its first step is as small as the time step and its neighbour's phase. */
WABE_INLINE WABE_REAL wabe_solidify_settle(const wabe_solidify_args *a, WABE_REAL own,
                                           WABE_REAL value, double bulk) {
    const WABE_REAL off = value - WABE_REAL_OF(bulk), was = own - WABE_REAL_OF(bulk);
    const WABE_REAL square = off * off;
    const wabe_bits near = (square < WABE_COEFFICIENT(a->tiny_square)) & (square <= was * was);
    return wabe_select(near | (square < WABE_COEFFICIENT(a->waking_square)), WABE_REAL_OF(bulk),
                       value);
}

/* The new phase, and as *released the share of the latent heat that is set free. */
WABE_INLINE WABE_REAL wabe_solidified(const wabe_solidify_args *a, const wabe_cell *c,
                                      const WABE_REAL *p, WABE_REAL u, int karma, int turned,
                                      WABE_REAL *released) {
    const WABE_REAL own = p[0], one = WABE_REAL_OF(1.0);
    const WABE_REAL q = (own - WABE_REAL_OF(karma ? -1.0 : 0.0)) * (one - own);
    WABE_REAL drive = WABE_FMA(-WABE_COEFFICIENT(a->driving) * u, q,
                               own - WABE_REAL_OF(karma ? 0.0 : 0.5));
    if (a->is_noisy)
        drive = WABE_FMA(WABE_COEFFICIENT(a->noise), wabe_noise(c, a->seed), drive);
    WABE_REAL change = WABE_FMA(WABE_COEFFICIENT(a->gradient),
                                wabe_solidify_flux_divergence(a, p, turned),
                                WABE_COEFFICIENT(a->reaction) * q * drive);
    if (karma)
        change = change * wabe_solidify_mobility(a, p, turned);
    WABE_REAL phi = wabe_solidify_settle(a, own, own + change, 1.0);
    phi = wabe_solidify_settle(a, own, phi, karma ? -1.0 : 0.0);
    const WABE_REAL d = phi - own;
    if (karma) {
        *released = WABE_REAL_OF(0.5) * d;
    } else { /* h(phi) - h(own), h = phi^3 (10 - 15 phi + 6 phi^2), without cancellation */
        const WABE_REAL mean = WABE_FMA(WABE_REAL_OF(0.5), d, own), d2 = d * d;
        const WABE_REAL m = mean * (one - mean);
        const WABE_REAL more = WABE_FMA(WABE_REAL_OF(-15.0), m,
                                        WABE_FMA(WABE_REAL_OF(0.375), d2, WABE_REAL_OF(2.5)));
        *released = d * WABE_FMA(WABE_REAL_OF(30.0) * m, m, d2 * more);
    }
    return phi;
}

/* The new phase, from u of the cell. In bulk, where phi is the same bulk value in all 19 cells, it
 * stays exactly: groups of cells that are all in bulk leave out the rest. from: the access. */
WABE_INLINE WABE_REAL wabe_solidify_phase(const wabe_solidify_args *a, const wabe_cell *c, int from,
                                          WABE_REAL u, int karma, int turned, WABE_REAL *released) {
    WABE_REAL around[WABE_SOLIDIFY_AROUND];
    const WABE_REAL low = WABE_REAL_OF(karma ? -1.0 : 0.0), one = WABE_REAL_OF(1.0);
    const WABE_REAL own = WABE_AT(c, from, 0, 0, 0, 0);
    wabe_bits interface = wabe_bits_of((own - low) * (one - own));
    WABE_UNROLL
    for (int i = 0; i < WABE_SOLIDIFY_AROUND; i++) {
        const int x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1;
        if (x != 0 && y != 0 && z != 0)
            continue; /* corners are in no flux */
        around[i] = WABE_AT(c, from, 0, x, y, z);
        interface |= wabe_bits_of(around[i]) ^ wabe_bits_of(own);
    }
    *released = WABE_REAL_OF(0.0);
    if (!wabe_any(interface))
        return own;
    return wabe_solidified(a, c, around + WABE_SOLIDIFY_CENTRE, u, karma, turned, released);
}

WABE_INLINE void wabe_solidify_of(const wabe_solidify_args *a, const wabe_cell *c, WABE_REAL out[],
                                  int karma, int turned) {
    WABE_REAL beside[3], released;
    const WABE_REAL u = WABE_AT(c, WABE_SOLIDIFY_U, 0, 0, 0, 0);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        beside[axis] =
            WABE_FMA(WABE_REAL_OF(-2.0), u,
                     WABE_AT(c, WABE_SOLIDIFY_U, 0, -(axis == 0), -(axis == 1), -(axis == 2)) +
                         WABE_AT(c, WABE_SOLIDIFY_U, 0, axis == 0, axis == 1, axis == 2));
    out[0] = wabe_solidify_phase(a, c, WABE_SOLIDIFY_PHI, u, karma, turned, &released);
    out[1] = WABE_FMA(WABE_COEFFICIENT(a->diffusion),
                      wabe_sum_of_three(beside[0], beside[1], beside[2]), u) +
             released;
}

#define WABE_SOLIDIFY_CELL(name, karma, turned)                                                    \
    WABE_INLINE void wabe_##name##_cell(const wabe_##name##_args *a, const wabe_cell *c,           \
                                        WABE_REAL out[], WABE_REAL reduced[]) {                    \
        (void)reduced;                                                                             \
        wabe_solidify_of((const wabe_solidify_args *)a, c, out, karma, turned);                    \
    }
WABE_SOLIDIFY_CELL(solidify, 0, 0)
WABE_SOLIDIFY_CELL(solidify_turned, 0, 1)
WABE_SOLIDIFY_CELL(karma_rappel, 1, 0)
WABE_SOLIDIFY_CELL(karma_rappel_turned, 1, 1)

#endif
