/* Mixing of the air of sweeps/cell/weather.h by diffusion, for kernel files: with one diffusivity
 * K, or with K + K_e, where K_e is of eddies that cells do not resolve (J. Smagorinsky, Mon.
 * Weather Rev. 91 (1963) 99, with D. K. Lilly's correction for stratified air, Tellus 14 (1962)
 * 148).
 *
 *   K_e = (C d)^2 sqrt(|D|^2 - N^2 / Pr), |D|^2 = 2 S_ij S_ij, S = (grad v + (grad v)^T) / 2
 *
 * d^3: the volume of a cell; N^2 = g theta_y / theta; Pr: K or K_e over that of theta and water;
 * K_e is 0 where the root would be negative. With one K, second differences of what deviates from
 * air at rest are mixed; with eddies all of it, as div(2 rho K S) and div(rho K / Pr grad(theta)),
 * but along levels the deviation of theta and vapour, which over slopes would mix what lies above
 * each other. Terms of slopes are left out. */
#pragma once

#include "sweeps/cell/weather_air.h"

WABE_WEATHER_ARGS(eddies)

/* See WABE_COLUMNS in sweeps/cell/stencils.h. */
#define WABE_EDDIES_COLUMNS(X) X(weather_eddies, 0, 0, 1, 0, 0, 0, 9, 0, 210)

#ifdef WABE_REAL

/* ---- one diffusivity ---------------------------------------------------------------------- */

/* K rho laplace(v) but for rho: second differences along levels and up; terms of slopes are left
 * out. Nothing passes ground and lid but m_y, which mixes with what it is there. per: 1 / J below,
 * at and above the number. */
WABE_INLINE WABE_REAL wabe_weather_mix(WABE_REAL mixed_along, WABE_REAL mixed_up,
                                       const wabe_cell *c, int access, int q,
                                       const WABE_REAL per[3]) {
    const WABE_REAL here = WABE_AT(c, access, q, 0, 0, 0), twice = WABE_REAL_OF(2.0) * here;
    const WABE_REAL above = q == 1 ? wabe_weather_updraught(c, access, q, 0, 1, 0)
                                   : WABE_AT(c, access, q, 0, 1, 0);
    const WABE_REAL up = per[2] * (above - here) -
                         per[0] * (here - WABE_AT(c, access, q, 0, -1, 0));
    return mixed_along *
               (((WABE_AT(c, access, q, -1, 0, 0) + WABE_AT(c, access, q, 1, 0, 0)) - twice) +
                ((WABE_AT(c, access, q, 0, 0, -1) + WABE_AT(c, access, q, 0, 0, 1)) - twice)) +
           mixed_up * (per[1] * up);
}

/* K rho laplace(v - V) but for rho, of a horizontal wind. */
WABE_INLINE WABE_REAL wabe_weather_mix_wind(const wabe_weather_air *air, const wabe_cell *c,
                                            int axis, int ground, int levels) {
    const WABE_REAL wind = wabe_weather_wind(c, levels, axis, 0);
    const WABE_REAL mixed_up = WABE_COEFFICIENT(air->mixed_up);
    const WABE_REAL share = wabe_weather_per_share(c, ground, axis);
    const WABE_REAL per[3] = {share * WABE_AT(c, levels, WABE_LEVEL_PER_BELOW, 0, 0, 0),
                              share * WABE_AT(c, levels, WABE_LEVEL_PER_THICKNESS, 0, 0, 0),
                              share * WABE_AT(c, levels, WABE_LEVEL_PER_ABOVE, 0, 0, 0)};
    const WABE_REAL up = per[2] * (wabe_weather_wind(c, levels, axis, 1) - wind) -
                         per[0] * (wind - wabe_weather_wind(c, levels, axis, -1));
    return wabe_weather_mix(WABE_COEFFICIENT(air->mixed_along), mixed_up, c, 2, axis, per) -
           mixed_up * (per[1] * up);
}

/* ---- eddies ------------------------------------------------------------------------------- */

/* A velocity, at offsets of numbers. */
WABE_INLINE WABE_REAL wabe_eddies_velocity(const wabe_cell *c, int access, int q,
                                           const int offset[3]) {
    if (q == 1)
        return wabe_weather_updraught(c, access, q, offset[0], offset[1], offset[2]);
    return WABE_AT(c, access, q, offset[0], offset[1], offset[2]);
}

/* Offset `at`, moved by one along an axis. */
#define WABE_MOVED(at, axis, by)                                                                   \
    {                                                                                              \
        (at)[0] + ((axis) == 0) * (by), (at)[1] + ((axis) == 1) * (by),                            \
            (at)[2] + ((axis) == 2) * (by)                                                         \
    }

/* One over the distance of numbers along an axis; per: 1 / J there. */
WABE_INLINE WABE_REAL wabe_eddies_per(const wabe_weather_air *air, int axis, WABE_REAL per) {
    if (axis == 1)
        return WABE_COEFFICIENT(air->per_level) * per;
    return WABE_COEFFICIENT(air->per_length);
}

/* 2 S_ab on the edge that is low along the axes a and b of the cell at an offset. per: 1 / J there.
 */
WABE_INLINE WABE_REAL wabe_eddies_shear(const wabe_weather_air *air, const wabe_cell *c,
                                        int velocity, int a, int b, const int offset[3],
                                        WABE_REAL per) {
    const int behind_a[3] = WABE_MOVED(offset, a, -1), behind_b[3] = WABE_MOVED(offset, b, -1);
    return (wabe_eddies_velocity(c, velocity, a, offset) -
            wabe_eddies_velocity(c, velocity, a, behind_b)) *
               wabe_eddies_per(air, b, per) +
           (wabe_eddies_velocity(c, velocity, b, offset) -
            wabe_eddies_velocity(c, velocity, b, behind_a)) *
               wabe_eddies_per(air, a, per);
}

/* The mean of (2 S_ab)^2 over the four edges of a cell along the third axis, but for those on
 * ground and lid, which have no stress of eddies. */
WABE_INLINE WABE_REAL wabe_eddies_shears(const wabe_weather_air *air, const wabe_cell *c,
                                         int velocity, int a, int b, const WABE_REAL per[3]) {
    WABE_REAL sum = WABE_REAL_OF(0.0);
    WABE_UNROLL
    for (int i = 0; i < 4; i++) {
        const int origin[3] = {0, 0, 0}, first[3] = WABE_MOVED(origin, a, i & 1);
        const int at[3] = WABE_MOVED(first, b, i >> 1);
        const WABE_REAL shear = wabe_eddies_shear(air, c, velocity, a, b, at,
                                                  at[1] > 0 ? per[2] : per[0]);
        if ((a != 1 && b != 1) || wabe_weather_is_open(c, at[1]))
            sum = sum + shear * shear;
    }
    if ((a == 1 || b == 1) && (wabe_is_lowest(c) || wabe_is_highest(c)))
        sum = WABE_REAL_OF(2.0) * sum;
    return WABE_REAL_OF(0.25) * sum;
}

/* |D|^2 in the middle of a cell. per: 1 / J below, at and above it. */
WABE_INLINE WABE_REAL wabe_eddies_strain(const wabe_weather_air *air, const wabe_cell *c,
                                         int velocity, const WABE_REAL per[3]) {
    const int here[3] = {0, 0, 0};
    WABE_REAL own = WABE_REAL_OF(0.0);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const int before[3] = WABE_MOVED(here, axis, 1);
        const WABE_REAL stretch = (wabe_eddies_velocity(c, velocity, axis, before) -
                                   wabe_eddies_velocity(c, velocity, axis, here)) *
                                  wabe_eddies_per(air, axis, per[1]);
        own = own + stretch * stretch;
    }
    return WABE_REAL_OF(2.0) * own + ((wabe_eddies_shears(air, c, velocity, 0, 1, per) +
                                       wabe_eddies_shears(air, c, velocity, 1, 2, per)) +
                                      wabe_eddies_shears(air, c, velocity, 0, 2, per));
}

/* theta_y: the mean of that below and above; at the column's ends that of one side. */
WABE_INLINE WABE_REAL wabe_eddies_stratification(const wabe_weather_air *air, const wabe_cell *c,
                                                 int theta, const WABE_REAL per[3]) {
    const WABE_REAL here = WABE_AT(c, theta, 0, 0, 0, 0);
    WABE_REAL sum = per[2] * (WABE_AT(c, theta, 0, 0, 1, 0) - here) +
                    per[0] * (here - WABE_AT(c, theta, 0, 0, -1, 0));
    if (!wabe_is_lowest(c) && !wabe_is_highest(c))
        sum = WABE_HALF * sum;
    return WABE_COEFFICIENT(air->per_level) * sum;
}

/* Writes 0 mixing: J rho K_e; reads 1 velocity, 2 theta, 3 state, 4 rest, 5 ground, 6 levels.
 */
WABE_INLINE void wabe_weather_eddies_cell(const wabe_weather_eddies_args *a, const wabe_cell *c,
                                          WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL zero = WABE_REAL_OF(0.0);
    WABE_REAL per[3];
    (void)carry, (void)reduced;
    wabe_weather_per_level(c, 5, 6, per);
    const WABE_REAL buoyancy = WABE_COEFFICIENT(a->air.gravity) *
                               wabe_eddies_stratification(&a->air, c, 2, per) /
                               WABE_AT(c, 2, 0, 0, 0, 0);
    const WABE_REAL square = wabe_eddies_strain(&a->air, c, 1, per) -
                             WABE_COEFFICIENT(a->air.per_prandtl) * buoyancy;
    const WABE_REAL size = wabe_exp2(WABE_REAL_OF(-2.0 / 3.0) * wabe_log2(per[1]));
    const WABE_REAL mixing = (WABE_COEFFICIENT(a->air.eddies) * size) *
                             WABE_SQRT(wabe_largest(square, zero));
    out[0] = wabe_weather_density(c, 3, 4, 0, 0, 0) *
             wabe_smallest(mixing, WABE_COEFFICIENT(a->air.most_mixing));
}

/* J rho K on the edge that is low along the axes a and b of the cell at an offset. */
WABE_INLINE WABE_REAL wabe_eddies_at_edge(const wabe_cell *c, int mixing, int a, int b,
                                          const int offset[3]) {
    const int behind_a[3] = WABE_MOVED(offset, a, -1), behind_b[3] = WABE_MOVED(offset, b, -1);
    const int behind[3] = WABE_MOVED(behind_a, b, -1);
    return WABE_REAL_OF(0.25) * ((WABE_AT(c, mixing, 0, offset[0], offset[1], offset[2]) +
                                  WABE_AT(c, mixing, 0, behind_a[0], behind_a[1], behind_a[2])) +
                                 (WABE_AT(c, mixing, 0, behind_b[0], behind_b[1], behind_b[2]) +
                                  WABE_AT(c, mixing, 0, behind[0], behind[1], behind[2])));
}

/* J times the stress of eddies on that edge. */
WABE_INLINE WABE_REAL wabe_eddies_stress(const wabe_weather_air *air, const wabe_cell *c,
                                         int velocity, int mixing, int a, int b,
                                         const int offset[3], WABE_REAL per) {
    return wabe_eddies_at_edge(c, mixing, a, b, offset) *
           wabe_eddies_shear(air, c, velocity, a, b, offset, per);
}

/* What the stress along b adds to J times the momentum along a, from both sides; b is horizontal,
 * and not a. per: 1 / J at the number. */
WABE_INLINE WABE_REAL wabe_eddies_beside(const wabe_weather_air *air, const wabe_cell *c,
                                         int velocity, int mixing, int a, int b, WABE_REAL per) {
    const int here[3] = {0, 0, 0}, next[3] = WABE_MOVED(here, b, 1);
    return WABE_COEFFICIENT(air->per_length) *
           (wabe_eddies_stress(air, c, velocity, mixing, a, b, next, per) -
            wabe_eddies_stress(air, c, velocity, mixing, a, b, here, per));
}

/* The same along a itself, from the middles of the cells before and behind; a is horizontal. */
WABE_INLINE WABE_REAL wabe_eddies_along(const wabe_weather_air *air, const wabe_cell *c,
                                        int velocity, int mixing, int a) {
    const int here[3] = {0, 0, 0}, next[3] = WABE_MOVED(here, a, 1);
    const int behind[3] = WABE_MOVED(here, a, -1);
    const WABE_REAL per = WABE_COEFFICIENT(air->per_length);
    const WABE_REAL wind = WABE_AT(c, velocity, a, 0, 0, 0);
    return (WABE_REAL_OF(2.0) * (per * per)) *
           (WABE_AT(c, mixing, 0, 0, 0, 0) * (WABE_AT(c, velocity, a, next[0], 0, next[2]) - wind) -
            WABE_AT(c, mixing, 0, behind[0], 0, behind[2]) *
                (wind - WABE_AT(c, velocity, a, behind[0], 0, behind[2])));
}

/* The horizontal momentum along a that eddies carry up through the face above; none through the
 * lid. */
WABE_INLINE WABE_REAL wabe_eddies_wind_up(const wabe_weather_air *air, const wabe_cell *c,
                                          int velocity, int mixing, int a, WABE_REAL per) {
    const int above[3] = {0, 1, 0};
    WABE_REAL carried = WABE_REAL_OF(0.0) -
                        per * wabe_eddies_stress(air, c, velocity, mixing, a, 1, above, per);
    if (wabe_is_highest(c))
        carried = WABE_REAL_OF(0.0);
    return carried;
}

/* The vertical momentum that they carry up through the middle of the level. */
WABE_INLINE WABE_REAL wabe_eddies_rise_up(const wabe_weather_air *air, const wabe_cell *c,
                                          int velocity, int mixing, WABE_REAL per) {
    const WABE_REAL stretch = wabe_weather_updraught(c, velocity, 1, 0, 1, 0) -
                              WABE_AT(c, velocity, 1, 0, 0, 0);
    return WABE_REAL_OF(-2.0) * ((WABE_COEFFICIENT(air->per_level) * (per * per)) *
                                 (WABE_AT(c, mixing, 0, 0, 0, 0) * stretch));
}

/* What mixes theta, from both sides along levels and up, where it is all of theta. */
WABE_INLINE WABE_REAL wabe_eddies_theta(const wabe_weather_air *air, const wabe_cell *c, int mixing,
                                        int warmer, int rest, const WABE_REAL per[3]) {
    const WABE_REAL weight = WABE_AT(c, mixing, 0, 0, 0, 0), here = WABE_AT(c, warmer, 0, 0, 0, 0);
    const WABE_REAL theta0 = WABE_AT(c, rest, WABE_REST_THETA, 0, 0, 0);
    WABE_REAL sides = WABE_REAL_OF(0.0), ends[2];
    WABE_UNROLL
    for (int i = 0; i < 4; i++) {
        const int x = i == 0 ? -1 : i == 1, z = i == 2 ? -1 : i == 3;
        sides = sides +
                (weight + WABE_AT(c, mixing, 0, x, 0, z)) * (WABE_AT(c, warmer, 0, x, 0, z) - here);
    }
    WABE_UNROLL
    for (int i = 0; i < 2; i++) {
        const int y = 2 * i - 1;
        ends[i] = (weight + WABE_AT(c, mixing, 0, 0, y, 0)) *
                  ((WABE_AT(c, warmer, 0, 0, y, 0) - here) +
                   (WABE_AT(c, rest, WABE_REST_THETA, 0, y, 0) - theta0));
    }
    return WABE_HALF * (WABE_COEFFICIENT(air->scalars_along) * sides +
                        WABE_COEFFICIENT(air->scalars_up) *
                            ((per[0] * per[0]) * ends[0] + (per[2] * per[2]) * ends[1]));
}

#endif
