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

/* The populations that have left a cell. third is a constant at every call. */
WABE_INLINE wabe_cell wabe_cell_of_ten(wabe_ten s, int third) {
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
    wabe_cell f;
    WABE_IF_CORNERS(f.tne = f.bsw = f.bne = f.tsw = f.tse = f.bnw = f.bse = f.tnw = none;)
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

/* Sums over the populations of a layer: all of them, c_x, c_y, c_x^2, c_y^2, and in the cell's own
 * layer c_x c_y. */
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

/* What the nine and the layer below add up to; of the layer below, all, x and y are needed again.
 */
WABE_INLINE wabe_layer wabe_layer_add(wabe_layer own, wabe_layer below) {
    own.all = own.all + below.all, own.x = own.x + below.x, own.y = own.y + below.y;
    own.xx = own.xx + below.xx, own.yy = own.yy + below.yy;
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
    X(be, tw, ux - uz, diagonal)                                                                   \
    X(bw, te, -(ux + uz), diagonal)                                                                \
    X(bn, ts, uy - uz, diagonal)                                                                   \
    X(bs, tn, -(uy + uz), diagonal)                                                                \
    X(t, b, uz, axis)                                                                              \
    X(b, t, -uz, axis)

/* Updates a cell from what has arrived: own: wabe_layer_add of its layer and the one below. terms
 * is a constant at every call. */
WABE_INLINE wabe_ten wabe_ten_update(wabe_layer own, WABE_REAL below_all, WABE_REAL below_x,
                                     WABE_REAL below_y, wabe_layer above, const wabe_collision *k,
                                     int terms) {
    wabe_moments m;
    m.rho = own.all + above.all;
    m.ux = own.x + above.x, m.uy = own.y + above.y, m.uz = below_all - above.all;
    const wabe_second sums = {own.xx + above.xx, own.yy + above.yy, below_all + above.all, own.xy,
                              below_x - above.x, below_y - above.y};
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

/* The same from the nineteen populations that have arrived. gain: the mass to be taken that curved
 * walls have given with populations from the layer above. */
WABE_INLINE wabe_ten wabe_ten_of_arrived(wabe_cell f, WABE_REAL gain, const wabe_collision *k,
                                         int terms) {
    const wabe_layer below = wabe_layer_of_five(f.t, f.te, f.tw, f.tn, f.ts);
    const wabe_layer above = wabe_layer_of_five(f.b, f.be, f.bw, f.bn, f.bs);
    wabe_layer own = wabe_layer_add(wabe_layer_of_nine(f), below);
    own.all = own.all - gain;
    return wabe_ten_update(own, below.all, below.x, below.y, above, k, terms);
}
