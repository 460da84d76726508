/* Another viscosity in layers of cells before faces, and what wall functions, of faces and solids,
 * do to the cells at them, after the collision. Include after collision.h's macros are defined.
 *
 * A wall function is a mirror, and takes momentum by friction: the cell at it loses the stress that
 * a law of the wall (wabe_wall_law) gives for its own velocity. Nothing is kept from step to step,
 * and no other cell is looked at. The eddies that carry momentum to a wall are smaller than cells
 * there, so that the subgrid model has mixing lengths of its own in the first layers
 * (wabe_face_layer.subgrid). */
#pragma once

#include "sweeps/cell/collision.h"

/* The collision of a cell has left what belongs to the model's viscosity; scales what the second
 * moments s.a have beside equilibrium to what another one leaves. subgrid: as
 * wabe_collision.subgrid, of another constant; added: to the relaxation time. */
WABE_INLINE wabe_second wabe_second_mixed(wabe_ten_moments s, WABE_REAL subgrid, WABE_REAL added,
                                          const wabe_collision *k) {
    wabe_moments after = wabe_moments_add_force(s.m, k, WABE_REAL_OF(-0.5));
    WABE_IF_CARRIED(after.scalar = wabe_scalar_amount(after);) /* of the density 1 */
    after.rho = WABE_REAL_OF(0.0);                             /* s.a is without it */
    const wabe_second q = wabe_second_viscous(s.a, after, k);
    const WABE_REAL one = WABE_REAL_OF(1.0), half = WABE_REAL_OF(0.5);
    const WABE_REAL size = wabe_second_size(q), tau = k->tau + wabe_tau_added(size, k);
    /* |p| before the collision, which has kept the part 1 - 1 / tau. */
    const WABE_REAL kept = (tau - one) / tau, least = WABE_REAL_OF(1e-30);
    const WABE_REAL before = size / WABE_SQRT(WABE_FMA(kept, kept, least));
    const WABE_REAL mixed =
        WABE_FMA(half, k->tau + WABE_SQRT(WABE_FMA(subgrid, before, k->tau_square)), added);
    const WABE_REAL more = ((mixed - one) * tau) / ((tau - one) * mixed) - one;
    s.a.xx = WABE_FMA(more, q.xx, s.a.xx), s.a.yy = WABE_FMA(more, q.yy, s.a.yy);
    s.a.zz = WABE_FMA(more, q.zz, s.a.zz), s.a.xy = WABE_FMA(more, q.xy, s.a.xy);
    s.a.xz = WABE_FMA(more, q.xz, s.a.xz), s.a.yz = WABE_FMA(more, q.yz, s.a.yz);
    return s.a;
}

/* The friction of a law of the wall, as the part of the velocity that a cell loses in a step. */
WABE_INLINE WABE_REAL wabe_wall_friction(WABE_REAL speed, const wabe_wall_law *law) {
    const WABE_REAL one = WABE_REAL_OF(1.0), half = WABE_REAL_OF(0.5);
    const WABE_REAL reynolds = WABE_COEFFICIENT(law->reynolds);
    WABE_REAL root = speed * reynolds; /* its 32nd root */
    for (int i = 0; i < 5; i++)
        root = WABE_SQRT(root);
    const WABE_REAL x = (root - WABE_COEFFICIENT(law->middle)) * WABE_COEFFICIENT(law->part);
    /* x, but from -1 to 1: (|x + 1| - |x - 1|) / 2 */
    const WABE_REAL up = x + one, down = x - one;
    const WABE_REAL at = half * (WABE_SQRT(up * up) - WABE_SQRT(down * down));
    WABE_REAL last = WABE_REAL_OF(0.0), sum = last; /* C. W. Clenshaw, Math. Tables 9 (1955) 118 */
    for (int i = WABE_WALL_LAW_TERMS - 1; i > 0; i--) {
        const WABE_REAL next = WABE_FMA(at + at, sum, WABE_COEFFICIENT(law->terms[i]) - last);
        last = sum;
        sum = next;
    }
    const WABE_REAL u_plus = WABE_FMA(at, sum, WABE_COEFFICIENT(law->terms[0]) - last);
    const WABE_REAL turbulent = speed / (u_plus * u_plus), laminar = one / reynolds;
    const WABE_REAL apart = turbulent - laminar;
    return half * ((turbulent + laminar) + WABE_SQRT(apart * apart)); /* the larger one */
}

/* Takes the friction at a face from the cell at it: the momentum, and the second moments with it,
 * so that only populations that leave towards the face lose it (the others to order u). share: 1,
 * or 0 for cells that are not at this face. */
WABE_INLINE wabe_ten_moments wabe_wall_drag(wabe_ten_moments s, const wabe_wall_law *law, int face,
                                            WABE_REAL share) {
    const WABE_REAL none = WABE_REAL_OF(0.0);
    const WABE_REAL ux = face / 2 == 0 ? none : s.m.ux, uy = face / 2 == 1 ? none : s.m.uy;
    const WABE_REAL uz = face / 2 == 2 ? none : s.m.uz;
    const WABE_REAL square = WABE_FMA(uz, uz, WABE_FMA(uy, uy, ux * ux));
    const WABE_REAL speed = WABE_REAL_OF(1.0 / WABE_SCALE) * WABE_SQRT(square);
    const WABE_REAL part = share * wabe_wall_friction(speed, law);
    const WABE_REAL x = part * ux, y = part * uy, z = part * uz;
    s.m.ux = s.m.ux - x, s.m.uy = s.m.uy - y, s.m.uz = s.m.uz - z;
    const WABE_REAL outward = WABE_REAL_OF(face % 2 ? -1.0 : 1.0);
    if (face / 2 == 0) {
        s.a.xy = WABE_FMA(outward, y, s.a.xy);
        s.a.xz = WABE_FMA(outward, z, s.a.xz);
    } else if (face / 2 == 1) {
        s.a.xy = WABE_FMA(outward, x, s.a.xy);
        s.a.yz = WABE_FMA(outward, z, s.a.yz);
    } else {
        s.a.xz = WABE_FMA(outward, x, s.a.xz);
        s.a.yz = WABE_FMA(outward, y, s.a.yz);
    }
    return s;
}

/* Density, momentum and second moments of populations. */
WABE_INLINE wabe_ten_moments wabe_ten_moments_of_cell(wabe_cell f) {
    wabe_ten_moments s = {wabe_cell_moments(f), wabe_second_sums(f)};
    const WABE_REAL third = WABE_REAL_OF(-1.0 / 3.0) * s.m.rho;
    s.a.xx = s.a.xx + third, s.a.yy = s.a.yy + third, s.a.zz = s.a.zz + third;
    return s;
}

/* Adds to populations whose moments were from what makes them to. third: they have third moments
 * that follow from the others. */
WABE_INLINE wabe_cell wabe_cell_moved(wabe_cell f, wabe_ten_moments from, wabe_ten_moments to,
                                      int third) {
    wabe_moments m = from.m;
    m.rho = to.m.rho - from.m.rho;
    m.ux = to.m.ux - from.m.ux, m.uy = to.m.uy - from.m.uy, m.uz = to.m.uz - from.m.uz;
    const wabe_second a = {to.a.xx - from.a.xx, to.a.yy - from.a.yy, to.a.zz - from.a.zz,
                           to.a.xy - from.a.xy, to.a.xz - from.a.xz, to.a.yz - from.a.yz};
    const wabe_third t0 = wabe_third_moments(from.m, from.a), t1 = wabe_third_moments(to.m, to.a);
    const wabe_third t = {t1.xxy - t0.xxy, t1.xyy - t0.xyy, t1.xxz - t0.xxz,
                          t1.xzz - t0.xzz, t1.yyz - t0.yyz, t1.yzz - t0.yzz};
    const wabe_cell more = third ? wabe_cell_of_moments(m, a, &t)
                                 : wabe_cell_of_moments(m, a, NULL);
    const wabe_cell before = f;
    f.c = f.c + more.c;
#define X(name, opposite, projection, class)                                                       \
    f.name = f.name + more.name;                                                                   \
    f.opposite = f.opposite + more.opposite;
    WABE_FLOW_PAIRS(X)
#undef X
    return wabe_carry_change(f, before);
}
