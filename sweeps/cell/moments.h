/* Ten moments of a cell in place of its nineteen populations: the state of streaming pattern
 * moments, for collisions that leave nothing else (wabe_relax_second). Include after collision.h's
 * macros are defined.
 *
 * They are stored scaled, so that populations are nearly all sums of them. With momentum u and
 * second moments a without density / 3:
 *
 *   base = (rho - 3/2 tr a) / 36,  x y z = u / 12,  xx yy zz xy xz yz = a / 8
 *   rest: 12 base;  along x: 2 (base + xx +- x);  diagonal in xy: base + xx + yy +- 2 xy +- x +- y
 *
 * and with third moments t (wabe_third): minus t / 2 along axes, plus t / 4 on diagonals.
 *
 * Moments of what arrives at a cell are sums over the layer of cells below, its own, and the one
 * above, in this order, on all hardware: GPUs add layers as they march through planes. */
#pragma once

#include "sweeps/cell/collision.h"

typedef struct {
    WABE_REAL base, x, y, z, xx, yy, zz, xy, xz, yz;
} wabe_ten;

WABE_INLINE wabe_ten wabe_ten_of(wabe_moments m, wabe_second a) {
    const WABE_REAL first = WABE_REAL_OF(1.0 / 12.0), second = WABE_REAL_OF(0.125);
    wabe_ten s;
    s.base = WABE_FMA(WABE_REAL_OF(1.0 / 36.0), m.rho,
                      WABE_REAL_OF(-1.0 / 24.0) * ((a.xx + a.yy) + a.zz));
    s.x = first * m.ux, s.y = first * m.uy, s.z = first * m.uz;
    s.xx = second * a.xx, s.yy = second * a.yy, s.zz = second * a.zz;
    s.xy = second * a.xy, s.xz = second * a.xz, s.yz = second * a.yz;
    return s;
}

/* The moments of a fluid in equilibrium; the velocity is that of momentum. */
WABE_INLINE wabe_ten wabe_ten_of_equilibrium(wabe_moments m) {
    const WABE_REAL unit = WABE_REAL_OF(1.0 / WABE_SCALE);
    const WABE_REAL ux = unit * m.ux, uy = unit * m.uy, uz = unit * m.uz;
    const wabe_second a = {ux * m.ux, uy * m.uy, uz * m.uz, ux * m.uy, ux * m.uz, uy * m.uz};
    return wabe_ten_of(m, a);
}

/* The mirror image behind faces normal to axes (bit d). */
WABE_INLINE wabe_ten wabe_ten_mirrored(wabe_ten s, unsigned axes) {
    if (axes & 1)
        s.x = -s.x, s.xy = -s.xy, s.xz = -s.xz;
    if (axes & 2)
        s.y = -s.y, s.xy = -s.xy, s.yz = -s.yz;
    if (axes & 4)
        s.z = -s.z, s.xz = -s.xz, s.yz = -s.yz;
    return s;
}

/* Density and momentum. */
WABE_INLINE wabe_moments wabe_ten_moments_of(wabe_ten s) {
    const WABE_REAL twelve = WABE_REAL_OF(12.0);
    wabe_moments m;
    m.rho = WABE_FMA(WABE_REAL_OF(36.0), s.base, twelve * ((s.xx + s.yy) + s.zz));
    m.ux = twelve * s.x, m.uy = twelve * s.y, m.uz = twelve * s.z;
    return m;
}

/* X(number): the ten. */
#define WABE_TEN(X) X(base) X(x) X(y) X(z) X(xx) X(yy) X(zz) X(xy) X(xz) X(yz)

WABE_INLINE wabe_ten wabe_ten_of_moments(wabe_ten_moments s) { return wabe_ten_of(s.m, s.a); }

WABE_INLINE wabe_ten_moments wabe_moments_of_ten(wabe_ten s) {
    const WABE_REAL eight = WABE_REAL_OF(8.0);
    const wabe_second a = {eight * s.xx, eight * s.yy, eight * s.zz,
                           eight * s.xy, eight * s.xz, eight * s.yz};
    const wabe_ten_moments out = {wabe_ten_moments_of(s), a};
    return out;
}

/* Density and velocity after the collision; see wabe_cell_moments_after. */
WABE_INLINE wabe_moments wabe_ten_moments_after(wabe_ten s, const wabe_collision *k) {
    return wabe_moments_add_force(wabe_ten_moments_of(s), k, WABE_REAL_OF(-0.5));
}

/* What a sponge leaves of them; see wabe_cell_absorb. */
WABE_INLINE wabe_ten wabe_ten_absorb(wabe_ten s, wabe_layer_here sponge) {
    const wabe_moments m = wabe_ten_moments_of(s);
    const wabe_ten from = wabe_ten_of_equilibrium(m);
    const wabe_ten to = wabe_ten_of_equilibrium(wabe_moments_absorb(m, sponge));
    s.base = s.base + (to.base - from.base);
    s.x = s.x + (to.x - from.x), s.y = s.y + (to.y - from.y), s.z = s.z + (to.z - from.z);
    s.xx = s.xx + (to.xx - from.xx), s.yy = s.yy + (to.yy - from.yy);
    s.zz = s.zz + (to.zz - from.zz), s.xy = s.xy + (to.xy - from.xy);
    s.xz = s.xz + (to.xz - from.xz), s.yz = s.yz + (to.yz - from.yz);
    return s;
}

/* Nineteen populations that have left a cell. third is a constant at every call. */
WABE_INLINE wabe_cell wabe_nineteen_of_ten(wabe_ten s, int third) {
    const WABE_REAL two = WABE_REAL_OF(2.0);
    const WABE_REAL bx = s.base + s.xx, by = s.base + s.yy, bz = s.base + s.zz;
    const WABE_REAL xy = two * s.xy, xz = two * s.xz, yz = two * s.yz;
    const WABE_REAL none = WABE_REAL_OF(0.0);
    wabe_third t = {none, none, none, none, none, none};
    if (third) { /* a quarter of each */
        const WABE_REAL mixed = WABE_REAL_OF(48.0 / WABE_SCALE);
        const WABE_REAL own = WABE_REAL_OF(24.0 / WABE_SCALE);
        const WABE_REAL square = WABE_REAL_OF(-36.0 / WABE_SCALE);
        const WABE_REAL ux = mixed * s.x, uy = mixed * s.y, uz = mixed * s.z;
        const WABE_REAL pxx = own * WABE_FMA(square * s.x, s.x, s.xx);
        const WABE_REAL pyy = own * WABE_FMA(square * s.y, s.y, s.yy);
        const WABE_REAL pzz = own * WABE_FMA(square * s.z, s.z, s.zz);
        t.xxy = WABE_FMA(ux, s.xy, s.y * pxx), t.xyy = WABE_FMA(uy, s.xy, s.x * pyy);
        t.xxz = WABE_FMA(ux, s.xz, s.z * pxx), t.xzz = WABE_FMA(uz, s.xz, s.x * pzz);
        t.yyz = WABE_FMA(uy, s.yz, s.z * pyy), t.yzz = WABE_FMA(uz, s.yz, s.y * pzz);
    }
    wabe_cell f = wabe_cell_of_zeros();
    f.c = WABE_REAL_OF(12.0) * s.base;
#define AXIS(name, opposite, even, u, others)                                                      \
    {                                                                                              \
        WABE_REAL odd = u;                                                                         \
        if (third)                                                                                 \
            odd = odd - (others);                                                                  \
        f.name = two * ((even) + odd);                                                             \
        f.opposite = two * ((even)-odd);                                                           \
    }
#define DIAGONAL(name, opposite, even, u, others)                                                  \
    {                                                                                              \
        WABE_REAL odd = u;                                                                         \
        if (third)                                                                                 \
            odd = odd + (others);                                                                  \
        f.name = (even) + odd;                                                                     \
        f.opposite = (even)-odd;                                                                   \
    }
    AXIS(e, w, bx, s.x, t.xyy + t.xzz)
    AXIS(n, s, by, s.y, t.xxy + t.yzz)
    AXIS(t, b, bz, s.z, t.xxz + t.yyz)
    DIAGONAL(ne, sw, (bx + s.yy) + xy, s.x + s.y, t.xyy + t.xxy)
    DIAGONAL(se, nw, (bx + s.yy) - xy, s.x - s.y, t.xyy - t.xxy)
    DIAGONAL(te, bw, (bx + s.zz) + xz, s.x + s.z, t.xzz + t.xxz)
    DIAGONAL(be, tw, (bx + s.zz) - xz, s.x - s.z, t.xzz - t.xxz)
    DIAGONAL(tn, bs, (by + s.zz) + yz, s.y + s.z, t.yzz + t.yyz)
    DIAGONAL(bn, ts, (by + s.zz) - yz, s.y - s.z, t.yzz - t.yyz)
#undef AXIS
#undef DIAGONAL
    return f;
}

/* Three moments along an axis, a_0, a_1 / 2 and a_2 / 2 in Hermite polynomials 1, c, c^2 - 1/3, to
 * the populations that move against the axis, rest, and move along it. */
#define WABE_LINE(low, rest, high)                                                                 \
    do {                                                                                           \
        const WABE_REAL half = WABE_FMA(WABE_REAL_OF(1.0 / 6.0), h##low, h##high);                 \
        const WABE_REAL odd = h##rest;                                                             \
        h##rest = WABE_FMA(WABE_REAL_OF(-2.0), half, h##low);                                      \
        h##low = half - odd;                                                                       \
        h##high = half + odd;                                                                      \
    } while (0)

/* Twenty-seven populations, where all cumulants above second order are 0: those of a Gaussian with
 * these second moments (M. Geier et al., Comput. Math. Appl. 70 (2015) 507), at the density of rest
 * (He, Luo 1997). Hermite moments h of the orders a, b, c along x, y, z, times 1/2 for each axis of
 * order 1 or 2, follow from x = u_x / 2, the second moments A_x = a_xx / 2, B_xy = a_xy / 4, and
 * T_xy = (a_xy - u_x u_y) / 4 by Isserlis' theorem. */
WABE_INLINE wabe_cell wabe_twenty_seven_of_ten(wabe_ten s) {
    const WABE_REAL unit = WABE_REAL_OF(1.0 / WABE_SCALE), two = WABE_REAL_OF(2.0);
    const WABE_REAL four = WABE_REAL_OF(4.0), six = WABE_REAL_OF(6.0) * unit;
    const WABE_REAL x = six * s.x, y = six * s.y, z = six * s.z, twice_z = z + z;
    const WABE_REAL xy = x * y, xz = x * z, yz = y * z;
    const WABE_REAL ax = four * unit * s.xx, ay = four * unit * s.yy, az = four * unit * s.zz;
    const WABE_REAL bxy = two * unit * s.xy, bxz = two * unit * s.xz, byz = two * unit * s.yz;
    const WABE_REAL txy = bxy - xy, txz = bxz - xz, tyz = byz - yz;
    const WABE_REAL fxy = four * txy, fxz = four * txz, fyz = four * tyz;
    const WABE_REAL exy = two * fxy, exz = two * fxz, eyz = two * fyz;
    WABE_REAL h000 = WABE_FMA(WABE_REAL_OF(36.0) * unit, s.base,
                              WABE_REAL_OF(3.0) * ((ax + ay) + az));
    WABE_REAL h100 = x, h010 = y, h001 = z, h200 = ax, h020 = ay, h002 = az;
    WABE_REAL h110 = bxy, h101 = bxz, h011 = byz;
    WABE_REAL h210 = WABE_FMA(ax, y, x * fxy), h120 = WABE_FMA(ay, x, y * fxy);
    WABE_REAL h201 = WABE_FMA(ax, z, x * fxz), h102 = WABE_FMA(az, x, z * fxz);
    WABE_REAL h021 = WABE_FMA(ay, z, y * fyz), h012 = WABE_FMA(az, y, z * fyz);
    WABE_REAL h111 = WABE_FMA(bxy, z, WABE_FMA(x, tyz, y * txz));
    WABE_REAL h220 = WABE_FMA(ax, ay, exy * (bxy + xy));
    WABE_REAL h202 = WABE_FMA(ax, az, exz * (bxz + xz));
    WABE_REAL h022 = WABE_FMA(ay, az, eyz * (byz + yz));
    WABE_REAL h211 = WABE_FMA(h210, z, WABE_FMA(fxz, bxy, tyz * ax));
    WABE_REAL h121 = WABE_FMA(h120, z, WABE_FMA(fyz, bxy, txz * ay));
    WABE_REAL h112 = WABE_FMA(h102, y, WABE_FMA(fyz, bxz, txy * az));
    WABE_REAL h221 = WABE_FMA(h220, z, WABE_FMA(fxz, h120, fyz * h210));
    WABE_REAL h212 = WABE_FMA(h202, y, WABE_FMA(fxy, h102, fyz * h201));
    WABE_REAL h122 = WABE_FMA(h022, x, WABE_FMA(fxy, h012, fxz * h021));
    const WABE_REAL along_z = WABE_FMA(WABE_REAL_OF(-1.0) * z, twice_z, az);
    WABE_REAL h222 = WABE_FMA(h221, twice_z,
                              WABE_FMA(exz, h121, WABE_FMA(eyz, h211, along_z * h220)));
    WABE_LINE(000, 001, 002);
    WABE_LINE(010, 011, 012);
    WABE_LINE(020, 021, 022);
    WABE_LINE(100, 101, 102);
    WABE_LINE(110, 111, 112);
    WABE_LINE(120, 121, 122);
    WABE_LINE(200, 201, 202);
    WABE_LINE(210, 211, 212);
    WABE_LINE(220, 221, 222);
    WABE_LINE(000, 010, 020);
    WABE_LINE(001, 011, 021);
    WABE_LINE(002, 012, 022);
    WABE_LINE(100, 110, 120);
    WABE_LINE(101, 111, 121);
    WABE_LINE(102, 112, 122);
    WABE_LINE(200, 210, 220);
    WABE_LINE(201, 211, 221);
    WABE_LINE(202, 212, 222);
    WABE_LINE(000, 100, 200);
    WABE_LINE(001, 101, 201);
    WABE_LINE(002, 102, 202);
    WABE_LINE(010, 110, 210);
    WABE_LINE(011, 111, 211);
    WABE_LINE(012, 112, 212);
    WABE_LINE(020, 120, 220);
    WABE_LINE(021, 121, 221);
    WABE_LINE(022, 122, 222);
    const WABE_REAL scale = WABE_REAL_OF(WABE_SCALE);
    wabe_cell f = wabe_cell_of_zeros();
    f.c = scale * h111, f.e = scale * h211, f.w = scale * h011;
    f.n = scale * h121, f.s = scale * h101, f.t = scale * h112, f.b = scale * h110;
    f.ne = scale * h221, f.sw = scale * h001, f.se = scale * h201, f.nw = scale * h021;
    f.te = scale * h212, f.bw = scale * h010, f.be = scale * h210, f.tw = scale * h012;
    f.tn = scale * h122, f.bs = scale * h100, f.bn = scale * h120, f.ts = scale * h102;
    WABE_IF_CORNERS({
        f.tne = scale * h222, f.bsw = scale * h000, f.bne = scale * h220, f.tsw = scale * h002;
        f.tse = scale * h202, f.bnw = scale * h020, f.bse = scale * h200, f.tnw = scale * h022;
    })
    (void)h000, (void)h220, (void)h002, (void)h202, (void)h020, (void)h200, (void)h022, (void)h222;
    return f;
}

/* The populations that have left a cell. third, which twenty-seven do not ask for, is a constant at
 * every call. */
WABE_INLINE wabe_cell wabe_cell_of_ten(wabe_ten s, int third) {
    return (int)WABE_FLOW_Q == (int)WABE_COUNT_d3q27 ? wabe_twenty_seven_of_ten(s)
                                                     : wabe_nineteen_of_ten(s, third);
}

/* Sums over the populations of a layer: all of them, c_x, c_y, c_x^2, c_y^2, and c_x c_y, which of
 * nineteen populations those of the cell's own layer have alone. */
typedef struct {
    WABE_REAL all, x, y, xx, yy, xy;
} wabe_layer;

/* Five populations that come from the layer below or above. */
WABE_INLINE wabe_layer wabe_layer_of_five(WABE_REAL along_z, WABE_REAL east, WABE_REAL west,
                                          WABE_REAL north, WABE_REAL south) {
    wabe_layer s;
    s.x = east - west, s.y = north - south, s.xx = east + west, s.yy = north + south;
    s.all = (s.xx + s.yy) + along_z;
    s.xy = WABE_REAL_OF(0.0);
    return s;
}

/* The nine of the cell's own layer. */
WABE_INLINE wabe_layer wabe_layer_of_nine(wabe_cell f) {
    const WABE_REAL rising = f.ne + f.sw, falling = f.se + f.nw;
    const WABE_REAL to_rise = f.ne - f.sw, to_fall = f.se - f.nw, beside = f.n + f.s;
    wabe_layer s;
    s.xy = rising - falling;
    s.xx = (rising + falling) + (f.e + f.w);
    s.yy = (rising + falling) + beside;
    s.x = (to_rise + to_fall) + (f.e - f.w);
    s.y = (to_rise - to_fall) + (f.n - f.s);
    s.all = (s.xx + beside) + f.c;
    return s;
}

/* Those that come from the layer below, and from the one above. */
WABE_INLINE wabe_layer wabe_layer_of_rising(wabe_cell f) {
    WABE_IF_CORNERS({
        wabe_cell flat = f;
        flat.c = f.t, flat.e = f.te, flat.w = f.tw, flat.n = f.tn, flat.s = f.ts;
        flat.ne = f.tne, flat.sw = f.tsw, flat.se = f.tse, flat.nw = f.tnw;
        return wabe_layer_of_nine(flat);
    })
    return wabe_layer_of_five(f.t, f.te, f.tw, f.tn, f.ts);
}
WABE_INLINE wabe_layer wabe_layer_of_falling(wabe_cell f) {
    WABE_IF_CORNERS({
        wabe_cell flat = f;
        flat.c = f.b, flat.e = f.be, flat.w = f.bw, flat.n = f.bn, flat.s = f.bs;
        flat.ne = f.bne, flat.sw = f.bsw, flat.se = f.bse, flat.nw = f.bnw;
        return wabe_layer_of_nine(flat);
    })
    return wabe_layer_of_five(f.b, f.be, f.bw, f.bn, f.bs);
}

/* What the nine and the layer below add up to; of the layer below, all, x and y are needed again.
 */
WABE_INLINE wabe_layer wabe_layer_add(wabe_layer own, wabe_layer below) {
    own.all = own.all + below.all, own.x = own.x + below.x, own.y = own.y + below.y;
    own.xx = own.xx + below.xx, own.yy = own.yy + below.yy;
    WABE_IF_CORNERS(own.xy = own.xy + below.xy;)
    return own;
}

/* X(population, opposite, e_dot_u, class): those that stay in their layer, rise, and fall, in the
 * order in which what curved walls give with them is summed, of falling ones apart. */
#define WABE_BY_LAYERS(X)                                                                          \
    X(e, w, ux, axis)                                                                              \
    X(w, e, -ux, axis)                                                                             \
    X(n, s, uy, axis)                                                                              \
    X(s, n, -uy, axis)                                                                             \
    X(ne, sw, ux + uy, diagonal)                                                                   \
    X(sw, ne, -(ux + uy), diagonal)                                                                \
    X(se, nw, ux - uy, diagonal)                                                                   \
    X(nw, se, -(ux - uy), diagonal)                                                                \
    X(te, bw, ux + uz, diagonal)                                                                   \
    X(tw, be, -(ux - uz), diagonal)                                                                \
    X(tn, bs, uy + uz, diagonal)                                                                   \
    X(ts, bn, -(uy - uz), diagonal)                                                                \
    WABE_IF_CORNERS(WABE_CORNERS_RISING(X))                                                        \
    X(be, tw, ux - uz, diagonal)                                                                   \
    X(bw, te, -(ux + uz), diagonal)                                                                \
    X(bn, ts, uy - uz, diagonal)                                                                   \
    X(bs, tn, -(uy + uz), diagonal)                                                                \
    WABE_IF_CORNERS(WABE_CORNERS_FALLING(X))                                                       \
    X(t, b, uz, axis)                                                                              \
    X(b, t, -uz, axis)

#define WABE_CORNERS_RISING(X)                                                                     \
    X(tne, bsw, (ux + uy) + uz, corner)                                                            \
    X(tsw, bne, -((ux + uy) - uz), corner)                                                         \
    X(tse, bnw, (ux - uy) + uz, corner)                                                            \
    X(tnw, bse, -((ux - uy) - uz), corner)
#define WABE_CORNERS_FALLING(X)                                                                    \
    X(bne, tsw, (ux + uy) - uz, corner)                                                            \
    X(bsw, tne, -((ux + uy) + uz), corner)                                                         \
    X(bse, tnw, (ux - uy) - uz, corner)                                                            \
    X(bnw, tse, -((ux - uy) + uz), corner)

/* Updates a cell from what has arrived: own: wabe_layer_add of its layer and the one below. terms
 * is a constant at every call. */
WABE_INLINE wabe_ten wabe_ten_update(wabe_layer own, WABE_REAL below_all, WABE_REAL below_x,
                                     WABE_REAL below_y, wabe_layer above, const wabe_collision *k,
                                     int terms) {
    wabe_moments m;
    m.rho = own.all + above.all;
    m.ux = own.x + above.x, m.uy = own.y + above.y, m.uz = below_all - above.all;
    wabe_second sums = {own.xx + above.xx, own.yy + above.yy, below_all + above.all, own.xy,
                        below_x - above.x, below_y - above.y};
    WABE_IF_CORNERS(sums.xy = sums.xy + above.xy;)
    if (terms)
        m = wabe_moments_add_force(m, k, WABE_REAL_OF(0.5));
    const wabe_ten_moments left = wabe_relax_second(m, sums, k, terms);
    return wabe_ten_of(left.m, left.a);
}

/* wabe_damp_at_walls for ten moments; change: of what leaves into walls, since the step before. */
WABE_INLINE wabe_ten wabe_ten_damp_at_walls(wabe_ten s, wabe_cell change, const wabe_collision *k) {
    const wabe_moments m = wabe_cell_moments(change);
    const WABE_REAL part = WABE_REAL_OF(-1.0 / 12.0) * k->wall_damping;
    s.x = WABE_FMA(part, m.ux, s.x);
    s.y = WABE_FMA(part, m.uy, s.y);
    s.z = WABE_FMA(part, m.uz, s.z);
    return s;
}

/* The same from the populations that have arrived. gain: the mass to be taken that curved
 * walls have given with populations from the layer above. */
WABE_INLINE wabe_ten wabe_ten_of_arrived(wabe_cell f, WABE_REAL gain, const wabe_collision *k,
                                         int terms) {
    const wabe_layer below = wabe_layer_of_rising(f), above = wabe_layer_of_falling(f);
    wabe_layer own = wabe_layer_add(wabe_layer_of_nine(f), below);
    own.all = own.all - gain;
    return wabe_ten_update(own, below.all, below.x, below.y, above, k, terms);
}
