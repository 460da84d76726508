/* Air over terrain, compressible and not hydrostatic, for kernel files: a Runge-Kutta step of
 * three stages (L. J. Wicker, W. C. Skamarock, Mon. Weather Rev. 130 (2002) 2088) with substeps for
 * sound, explicit along x and z and implicit along y, which is up (J. B. Klemp, W. C. Skamarock, J.
 * Dudhia, Mon. Weather Rev. 135 (2007) 2897).
 *
 * Levels follow the terrain: a point at zeta over flat ground is at the height zeta (1 - h / H) + h
 * over ground of height h; H: of the lid. The coordinate y counts levels, times their mean
 * thickness, so that J, the height of a cell over the mean thickness, is the product of a number of
 * the column and one of the level. Momentum crosses levels, whose slopes are s, as
 *
 *   M = (m_y - s_x m_x - s_z m_z) / J
 *
 * The state is J times density rho, rho theta (theta: potential temperature; sweeps/cell/water.h
 * says what it is with water) and the momentum m, the first two as deviations from air at rest. Its
 * numbers stand at cells; those of momentum are on the cell's lower face along their own axis. Air
 * leaves neither through the ground, face 0, nor through the lid, behind the last level.
 *
 *   rho_t = -div(m_x, M, m_z)                    v = m / rho
 *   (rho theta)_t = -div((m_x, M, m_z) theta) + K_s rho laplace(theta') - r rho theta'
 *   m_t = -div((m_x, M, m_z) v) - grad(p') - g rho' e_y - f e_y x (m - rho V)
 *         + K rho laplace(v - V) - r (m - rho V)
 *   grad(p')_x = (J p')_x - (s_x p')_y           (z alike)
 *   p = p0 (rho theta / (J rho0 theta0))^gamma
 *
 * r: rate at which air is drawn to that at rest, with the wind V of a level, near the lid and the
 * sides; f: of Coriolis. In a stage rho v'', (rho theta)'' and rho'' are deviations from the
 * stage's state; substeps advance them by the tendencies of that state, `slow`, and by sound, with
 * p'' = c (rho theta)'', c = gamma p / (rho theta). What is slow of v is its advection, not that of
 * m: as deviations of m, whose advection by the wind belongs to changes of rho that are fast, sound
 * grew in any wind (by 4 % a step of 0.6 cells, whatever the substeps). */
#pragma once

#include "sweeps/cell/weather_air.h"
#include "sweeps/cell/weather_mixing.h"

WABE_WEATHER_ARGS(keep)
WABE_WEATHER_ARGS(begin)
WABE_WEATHER_ARGS(velocity)
WABE_WEATHER_ARGS(slow_scalars)
WABE_WEATHER_ARGS(slow_x)
WABE_WEATHER_ARGS(slow_y)
WABE_WEATHER_ARGS(slow_z)
WABE_WEATHER_ARGS(slow_scalars_eddies)
WABE_WEATHER_ARGS(slow_x_eddies)
WABE_WEATHER_ARGS(slow_y_eddies)
WABE_WEATHER_ARGS(slow_z_eddies)
WABE_WEATHER_ARGS(pivots)
WABE_WEATHER_ARGS(push)
WABE_WEATHER_ARGS(rise)
WABE_WEATHER_ARGS(sink)
WABE_WEATHER_ARGS(densities)
WABE_WEATHER_ARGS(finish)
WABE_WEATHER_ARGS(show)

/* See WABE_COLUMNS in sweeps/cell/stencils.h. */
#define WABE_WEATHER_COLUMNS(X)                                                                    \
    X(weather_keep, 0, 0, 5, 0, 0, 0, 11, 0, 40)                                                   \
    X(weather_begin, 0, 0, 4, 0, 0, 0, 9, 0, 90)                                                   \
    X(weather_velocity, 1, 2, 9, 0, 0, 0, 20, 0, 75)                                               \
    X(weather_slow_scalars, 1, 2, 2, 0, 0, 0, 9, 0, 130)                                           \
    X(weather_slow_x, 1, 3, 1, 0, 0, 0, 8, 0, 160)                                                 \
    X(weather_slow_y, 1, 3, 1, 0, 0, 0, 8, 0, 150)                                                 \
    X(weather_slow_z, 1, 3, 1, 0, 0, 0, 8, 0, 160)                                                 \
    X(weather_slow_scalars_eddies, 1, 2, 2, 0, 0, 0, 10, 0, 150)                                   \
    X(weather_slow_x_eddies, 1, 3, 1, 0, 0, 0, 9, 0, 220)                                          \
    X(weather_slow_y_eddies, 1, 3, 1, 0, 0, 0, 9, 0, 200)                                          \
    X(weather_slow_z_eddies, 1, 3, 1, 0, 0, 0, 9, 0, 220)                                          \
    X(weather_pivots, 1, 4, 3, 0, 0, 0, 6, 0, 35)                                                  \
    X(weather_push, 0, 0, 2, 0, 0, 0, 7, 0, 40)                                                    \
    X(weather_rise, 1, 8, 3, 0, 0, 0, 14, 0, 100)                                                  \
    X(weather_sink, -1, 4, 4, 0, 0, 0, 11, 0, 30)                                                  \
    X(weather_densities, 0, 0, 2, 0, 0, 0, 5, 0, 1)                                                \
    X(weather_finish, 0, 0, 5, 0, 0, 0, 17, 0, 25)                                                 \
    X(weather_show, 0, 0, 7, 0, 0, 0, 15, 0, 95)

#ifdef WABE_REAL

/* Twice the pressure of level dy on a face along the axis `own`. */
WABE_INLINE WABE_REAL wabe_weather_beside(const wabe_cell *c, int pressure, int own, int dy) {
    return WABE_AT(c, pressure, 0, 0, dy, 0) +
           WABE_AT(c, pressure, 0, -(own == 0), dy, -(own == 2));
}

/* The horizontal pressure gradient along that axis, (J p)_x - (s p)_y. Pressure between levels is
 * their mean; at the ground it goes on as above it. */
WABE_INLINE WABE_REAL wabe_weather_gradient(const wabe_weather_air *air, const wabe_cell *c,
                                            int pressure, int ground, int levels, int own) {
    const int x = own == 0, z = own == 2;
    const WABE_REAL here = wabe_weather_beside(c, pressure, own, 0);
    const WABE_REAL next = wabe_weather_beside(c, pressure, own, 1);
    WABE_REAL below = wabe_weather_beside(c, pressure, own, -1) + here;
    if (wabe_is_lowest(c))
        below = WABE_REAL_OF(3.0) * here - next;
    const WABE_REAL slope = WABE_REAL_OF(0.25) *
                            WABE_AT(c, ground, own == 0 ? WABE_GROUND_SLOPE_X : WABE_GROUND_SLOPE_Z,
                                    0, 0, 0);
    const WABE_REAL along =
        WABE_AT(c, ground, WABE_GROUND_SHARE, 0, 0, 0) * WABE_AT(c, pressure, 0, 0, 0, 0) -
        WABE_AT(c, ground, WABE_GROUND_SHARE, -x, 0, -z) * WABE_AT(c, pressure, 0, -x, 0, -z);
    const WABE_REAL up = WABE_AT(c, levels, WABE_LEVEL_SLOPE_ABOVE, 0, 0, 0) * (here + next) -
                         WABE_AT(c, levels, WABE_LEVEL_SLOPE_BELOW, 0, 0, 0) * below;
    return (WABE_COEFFICIENT(air->per_length) * WABE_AT(c, levels, WABE_LEVEL_THICKNESS, 0, 0, 0)) *
               along -
           (WABE_COEFFICIENT(air->per_level) * slope) * up;
}

/* ---- begin of a stage --------------------------------------------------------------------- */

/* p' / p0, from the deviation of rho theta as a share of that of air at rest. */
WABE_INLINE WABE_REAL wabe_weather_pressure(const wabe_weather_air *air, WABE_REAL share) {
    return wabe_power_less_one(share, WABE_COEFFICIENT(air->gamma));
}

/* m_y on the ground, along which the lowest level's wind blows: it is no number of the state. */
WABE_INLINE WABE_REAL wabe_weather_on_ground(const wabe_cell *c, int state, int ground) {
    return WABE_HALF * wabe_weather_uphill(c, state, WABE_WEATHER_MOMENTUM,
                                           WABE_WEATHER_MOMENTUM + 2, ground, 0);
}

/* Twice J rho on a cell's lower faces; density: J rho of the cell, below: of that below it. */
WABE_INLINE void wabe_weather_face_densities(const wabe_cell *c, int state, int rest,
                                             WABE_REAL density, WABE_REAL below,
                                             WABE_REAL twice[3]) {
    twice[0] = wabe_weather_density(c, state, rest, -1, 0, 0) + density;
    twice[1] = below + density;
    twice[2] = wabe_weather_density(c, state, rest, 0, 0, -1) + density;
}

/* The velocity there; on the ground that of m_y there. */
WABE_INLINE void wabe_weather_velocities(const wabe_cell *c, int state, int ground,
                                         WABE_REAL density, const WABE_REAL twice[3],
                                         WABE_REAL velocity[3]) {
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        velocity[axis] = WABE_REAL_OF(2.0) *
                         WABE_AT(c, state, WABE_WEATHER_MOMENTUM + axis, 0, 0, 0) / twice[axis];
    if (wabe_is_lowest(c))
        velocity[1] = wabe_weather_on_ground(c, state, ground) / density;
}

/* Writes 0 old: deviations of density and heat, and the velocity; reads 1 state, 2 rest, 3 ground.
 */
WABE_INLINE void wabe_weather_keep_cell(const wabe_weather_keep_args *a, const wabe_cell *c,
                                        WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL density = wabe_weather_density(c, 1, 2, 0, 0, 0);
    WABE_REAL twice[3];
    (void)a, (void)carry, (void)reduced;
    out[WABE_WEATHER_DENSITY] = WABE_AT(c, 1, WABE_WEATHER_DENSITY, 0, 0, 0);
    out[WABE_WEATHER_HEAT] = WABE_AT(c, 1, WABE_WEATHER_HEAT, 0, 0, 0);
    wabe_weather_face_densities(c, 1, 2, density, wabe_weather_density(c, 1, 2, 0, -1, 0), twice);
    wabe_weather_velocities(c, 1, 3, density, twice, out + WABE_WEATHER_MOMENTUM);
}

/* Writes 0 warmer: theta', 1 theta, 2 pressure, 3 stiffness; reads 4 state, 5 rest. */
WABE_INLINE void wabe_weather_begin_cell(const wabe_weather_begin_args *a, const wabe_cell *c,
                                         WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL density = WABE_AT(c, 4, WABE_WEATHER_DENSITY, 0, 0, 0);
    const WABE_REAL heat = WABE_AT(c, 4, WABE_WEATHER_HEAT, 0, 0, 0);
    const WABE_REAL density0 = WABE_AT(c, 5, WABE_REST_DENSITY, 0, 0, 0);
    const WABE_REAL theta0 = WABE_AT(c, 5, WABE_REST_THETA, 0, 0, 0);
    const WABE_REAL pressure0 = WABE_AT(c, 5, WABE_REST_PRESSURE, 0, 0, 0);
    const WABE_REAL heat0 = density0 * theta0;
    (void)carry, (void)reduced;
    out[0] = (heat - theta0 * density) / (density0 + density);
    out[1] = theta0 + out[0];
    out[2] = pressure0 * wabe_weather_pressure(&a->air, heat / heat0);
    out[3] = WABE_COEFFICIENT(a->air.gamma) * (pressure0 + out[2]) / (heat0 + heat);
}

/* The velocity on faces, M, and how far the stage's state is from the old one. Upwards: writes 0
 * velocity, 1 crossing, 2 fast winds, 3 fast column; reads 4 state, 5 old, 6 rest, 7 ground, 8
 * levels. carry: J rho of the level below, and twice what goes uphill there. */
WABE_INLINE void wabe_weather_velocity_cell(const wabe_weather_velocity_args *a, const wabe_cell *c,
                                            WABE_REAL carry[], WABE_REAL out[],
                                            WABE_REAL reduced[]) {
    const int x = WABE_WEATHER_MOMENTUM, y = x + 1, z = x + 2;
    const WABE_REAL density = wabe_weather_density(c, 4, 6, 0, 0, 0);
    WABE_REAL *const winds = out + 4, *const column = out + 6, fast[3], twice[3];
    (void)a, (void)reduced;
    wabe_weather_face_densities(c, 4, 6, density, carry[0], twice);
    wabe_weather_velocities(c, 4, 7, density, twice, out);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        fast[axis] = WABE_HALF * twice[axis] *
                     (WABE_AT(c, 5, WABE_WEATHER_MOMENTUM + axis, 0, 0, 0) - out[axis]);
    const WABE_REAL slope = WABE_REAL_OF(0.25) * WABE_AT(c, 8, WABE_LEVEL_SLOPE_BELOW, 0, 0, 0);
    const WABE_REAL uphill = wabe_weather_uphill(c, 4, x, z, 7, 0);
    out[3] = wabe_weather_above_ground(c,
                                       (WABE_AT(c, 4, y, 0, 0, 0) - slope * (carry[1] + uphill)) *
                                           wabe_weather_per_below(c, 7, 8));
    winds[0] = fast[0], winds[1] = fast[2];
    column[0] = WABE_AT(c, 5, WABE_WEATHER_DENSITY, 0, 0, 0) -
                WABE_AT(c, 4, WABE_WEATHER_DENSITY, 0, 0, 0);
    column[1] = WABE_AT(c, 5, WABE_WEATHER_HEAT, 0, 0, 0) -
                WABE_AT(c, 4, WABE_WEATHER_HEAT, 0, 0, 0);
    column[2] = wabe_weather_above_ground(c, fast[1]);
    carry[0] = density, carry[1] = uphill;
}

/* ---- slow tendencies ----------------------------------------------------------------------- */

WABE_INLINE WABE_REAL wabe_weather_magnitude(WABE_REAL flux) {
    return wabe_select(flux < WABE_REAL_OF(0.0), WABE_REAL_OF(0.0) - flux, flux);
}

/* What a flux carries through a face along x or z, from the values of three cells on each side of
 * it: upwind-biased, of order 5 (Wicker and Skamarock 2002, equation 4a). */
WABE_INLINE WABE_REAL wabe_weather_through(const WABE_REAL v[6], WABE_REAL flux) {
    const WABE_REAL wide = WABE_FMA(WABE_REAL_OF(-8.0), v[1] + v[4], v[0] + v[5]);
    const WABE_REAL mean = WABE_FMA(WABE_REAL_OF(37.0), v[2] + v[3], wide);
    const WABE_REAL far = WABE_FMA(WABE_REAL_OF(5.0), v[4] - v[1], v[0] - v[5]);
    const WABE_REAL difference = WABE_FMA(WABE_REAL_OF(-10.0), v[3] - v[2], far);
    return WABE_REAL_OF(1.0 / 60.0) *
           WABE_FMA(flux, mean, wabe_weather_magnitude(flux) * difference);
}

/* The same along y, of order 3 (equation 4b), from two values on each side. has_none_below, _above:
 * the outer one is beyond the column's end, and goes on from the other two. */
WABE_INLINE WABE_REAL wabe_weather_through_level(WABE_REAL v[4], int has_none_below,
                                                 int has_none_above, WABE_REAL flux) {
    if (has_none_below)
        v[0] = WABE_REAL_OF(2.0) * v[1] - v[2];
    if (has_none_above)
        v[3] = WABE_REAL_OF(2.0) * v[2] - v[1];
    const WABE_REAL mean = WABE_FMA(WABE_REAL_OF(7.0), v[1] + v[2],
                                    WABE_REAL_OF(0.0) - (v[0] + v[3]));
    const WABE_REAL difference = WABE_FMA(WABE_REAL_OF(-3.0), v[2] - v[1], v[3] - v[0]);
    return WABE_REAL_OF(1.0 / 12.0) *
           WABE_FMA(flux, mean, wabe_weather_magnitude(flux) * difference);
}

/* Is this the level below the highest one, so that one level alone is above its upper face? */
WABE_INLINE int wabe_weather_is_second(const wabe_cell *c) {
    return (int)c->y == (int)c->grid->cells[1] - 2;
}

/* theta less the cell's own theta0, carried through the face above. */
WABE_INLINE WABE_REAL wabe_weather_theta_up(const wabe_cell *c, int warmer, int rest,
                                            WABE_REAL flux) {
    const WABE_REAL own = WABE_AT(c, rest, WABE_REST_THETA, 0, 0, 0);
    WABE_REAL v[4];
    WABE_UNROLL
    for (int i = 0; i < 4; i++)
        v[i] = (WABE_AT(c, rest, WABE_REST_THETA, 0, i - 1, 0) - own) +
               WABE_AT(c, warmer, 0, 0, i - 1, 0);
    return wabe_weather_through_level(v, wabe_is_lowest(c), wabe_weather_is_second(c), flux);
}

/* The same along x or z, out of the cell through both faces. */
WABE_INLINE WABE_REAL wabe_weather_theta_along(const wabe_cell *c, int warmer, int rest, int axis,
                                               const WABE_REAL flux[2]) {
    const WABE_REAL own = WABE_AT(c, rest, WABE_REST_THETA, 0, 0, 0);
    WABE_REAL v[7];
    WABE_UNROLL
    for (int i = 0; i < 7; i++) {
        const int x = axis == 0 ? i - 3 : 0, z = axis == 2 ? i - 3 : 0;
        v[i] = (WABE_AT(c, rest, WABE_REST_THETA, x, 0, z) - own) + WABE_AT(c, warmer, 0, x, 0, z);
    }
    return wabe_weather_through(v + 1, flux[1]) - wabe_weather_through(v, flux[0]);
}

/* What the ground adds to rho and rho theta of the lowest level, per thickness: vapour and heat, at
 * the pressure of air at rest there. What vapour that is there already makes of theta is left out:
 * 2 % of the heat in moist air. */
WABE_INLINE void wabe_weather_from_ground(const wabe_weather_air *air, const wabe_cell *c,
                                          WABE_REAL out[2]) {
    const WABE_REAL pressure = WABE_REAL_OF(1e-5) * WABE_AT(c, 4, WABE_REST_PRESSURE, 0, 0, 0);
    const WABE_REAL exner =
        wabe_exp2(WABE_REAL_OF(WABE_GAS / WABE_HEAT_CAPACITY) * wabe_log2(pressure));
    const WABE_REAL theta = WABE_AT(c, 4, WABE_REST_THETA, 0, 0, 0) + WABE_AT(c, 3, 0, 0, 0, 0);
    out[0] = WABE_COEFFICIENT(air->moistening);
    out[1] = WABE_COEFFICIENT(air->heating) / exner +
             (WABE_VAPOUR_OVER_AIR * theta) * WABE_COEFFICIENT(air->moistening);
}

/* The functions of two sweeps that mix: NAME with one diffusivity, NAME_eddies with that of eddies,
 * made of wabe_NAME_level(air, cell, has eddies, carry, out). */
#define WABE_WEATHER_MIXED(name)                                                                   \
    WABE_INLINE void wabe_##name##_cell(const wabe_##name##_args *a, const wabe_cell *c,           \
                                        WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) { \
        (void)reduced;                                                                             \
        wabe_##name##_level(&a->air, c, 0, carry, out);                                            \
    }                                                                                              \
    WABE_INLINE void wabe_##name##_eddies_cell(const wabe_##name##_eddies_args *a,                 \
                                               const wabe_cell *c, WABE_REAL carry[],              \
                                               WABE_REAL out[], WABE_REAL reduced[]) {             \
        (void)reduced;                                                                             \
        wabe_##name##_level(&a->air, c, 1, carry, out);                                            \
    }

/* Upwards: writes 0 slow scalars; reads 1 state, 2 crossing, 3 warmer, 4 rest, 5 ground, 6
 * levels, with eddies 7 mixing. carry: the theta that crosses the face below, less theta0 of the
 * level below, and that theta0. */
WABE_INLINE void wabe_weather_slow_scalars_level(const wabe_weather_air *air, const wabe_cell *c,
                                                 int has_eddies, WABE_REAL carry[],
                                                 WABE_REAL out[]) {
    const int x = WABE_WEATHER_MOMENTUM, z = WABE_WEATHER_MOMENTUM + 2;
    const WABE_REAL zero = WABE_REAL_OF(0.0), theta0 = WABE_AT(c, 4, WABE_REST_THETA, 0, 0, 0);
    const WABE_REAL along_x[2] = {WABE_AT(c, 1, x, 0, 0, 0), WABE_AT(c, 1, x, 1, 0, 0)};
    const WABE_REAL along_z[2] = {WABE_AT(c, 1, z, 0, 0, 0), WABE_AT(c, 1, z, 0, 0, 1)};
    const WABE_REAL up[2] = {WABE_AT(c, 2, 0, 0, 0, 0), wabe_weather_across(c, 2, 0, 0, 1, 0)};
    const WABE_REAL out_of = WABE_COEFFICIENT(air->per_length) *
                                 ((along_x[1] - along_x[0]) + (along_z[1] - along_z[0])) +
                             WABE_COEFFICIENT(air->per_level) * (up[1] - up[0]);
    const WABE_REAL level = wabe_weather_theta_along(c, 3, 4, 0, along_x) +
                            wabe_weather_theta_along(c, 3, 4, 2, along_z);
    const WABE_REAL above = wabe_weather_theta_up(c, 3, 4, up[1]);
    const WABE_REAL below = carry[0] + up[0] * (carry[1] - theta0);
    const WABE_REAL rate = WABE_AT(c, 6, WABE_LEVEL_RATE, 0, 0, 0) +
                           WABE_AT(c, 5, WABE_GROUND_RATE, 0, 0, 0);
    WABE_REAL per[3];
    wabe_weather_per_level(c, 5, 6, per);
    const WABE_REAL density = wabe_weather_density(c, 1, 4, 0, 0, 0);
    const WABE_REAL to_rest = rate * WABE_AT(c, 3, 0, 0, 0, 0);
    WABE_REAL drawn;
    if (has_eddies)
        drawn = wabe_eddies_theta(air, c, 7, 3, 4, per) - density * to_rest;
    else
        drawn = density * (wabe_weather_mix(WABE_COEFFICIENT(air->scalars_along),
                                            WABE_COEFFICIENT(air->scalars_up), c, 3, 0, per) -
                           to_rest);
    out[0] = zero - out_of;
    out[1] = drawn - (theta0 * out_of + (WABE_COEFFICIENT(air->per_length) * level +
                                         WABE_COEFFICIENT(air->per_level) * (above - below)));
    if (wabe_is_lowest(c)) {
        WABE_REAL added[2];
        wabe_weather_from_ground(air, c, added);
        out[0] = out[0] + WABE_COEFFICIENT(air->per_level) * added[0];
        out[1] = out[1] + WABE_COEFFICIENT(air->per_level) * added[1];
    }
    carry[0] = above, carry[1] = theta0;
}
WABE_WEATHER_MIXED(weather_slow_scalars)

/* What a flux carries out of a cell along an axis, through its lower and its upper face, of a
 * velocity less the cell's own. */
WABE_INLINE WABE_REAL wabe_weather_out_along(const wabe_cell *c, int q, int axis, WABE_REAL low,
                                             WABE_REAL high) {
    const WABE_REAL own = WABE_AT(c, 2, q, 0, 0, 0);
    WABE_REAL v[7];
    WABE_UNROLL
    for (int i = 0; i < 7; i++) {
        const int at = i - 3;
        v[i] = (axis == 0 ? WABE_AT(c, 2, q, at, 0, 0) : WABE_AT(c, 2, q, 0, 0, at)) - own;
    }
    return wabe_weather_through(v + 1, high) - wabe_weather_through(v, low);
}

/* What crosses the face above a horizontal velocity. */
WABE_INLINE WABE_REAL wabe_weather_over(const wabe_cell *c, int own) {
    return WABE_HALF * (wabe_weather_across(c, 3, 0, -(own == 0), 1, -(own == 2)) +
                        wabe_weather_across(c, 3, 0, 0, 1, 0));
}

/* The velocity, less the cell's own, that this flux carries there. */
WABE_INLINE WABE_REAL wabe_weather_wind_up(const wabe_cell *c, int own, WABE_REAL flux) {
    const WABE_REAL here = WABE_AT(c, 2, own, 0, 0, 0);
    WABE_REAL v[4];
    WABE_UNROLL
    for (int i = 0; i < 4; i++)
        v[i] = WABE_AT(c, 2, own, 0, i - 1, 0) - here;
    return wabe_weather_through_level(v, wabe_is_lowest(c), wabe_weather_is_second(c), flux);
}

/* What came up from the level below, now less this cell's own velocity, and what the next level
 * needs of it: carry has what was carried up less the velocity there, this velocity, and the flux.
 */
WABE_INLINE WABE_REAL wabe_weather_from_below(WABE_REAL carry[], WABE_REAL above, WABE_REAL own,
                                              WABE_REAL flux) {
    const WABE_REAL below = carry[0] + carry[2] * (carry[1] - own);
    carry[0] = above, carry[1] = own, carry[2] = flux;
    return below;
}

/* The ground's stress on the wind of the lowest level, per thickness, against it. density: J rho at
 * the number; crosswind: momentum along the other horizontal axis. */
WABE_INLINE WABE_REAL wabe_weather_stress(const wabe_weather_air *air, const wabe_cell *c, int own,
                                          WABE_REAL density, WABE_REAL crosswind) {
    const WABE_REAL wind = WABE_AT(c, 2, own, 0, 0, 0), across = crosswind / density;
    const WABE_REAL per = wabe_weather_per_share(c, 6, own) *
                          WABE_AT(c, 7, WABE_LEVEL_PER_THICKNESS, 0, 0, 0);
    return (WABE_COEFFICIENT(air->per_level) * WABE_COEFFICIENT(air->drag)) *
           ((density * per) * (WABE_SQRT(wind * wind + across * across) * wind));
}

/* rho times the tendency of a horizontal velocity, whose axis is `own`; `other` is the other
 * horizontal one. Upwards: reads 1 state, 2 velocity, 3 crossing, 4 pressure, 5 rest, 6 ground, 7
 * levels, with eddies 8 mixing. carry: see wabe_weather_from_below. */
WABE_INLINE WABE_REAL wabe_weather_slow_wind(const wabe_weather_air *air, const wabe_cell *c,
                                             int own, int has_eddies, WABE_REAL carry[]) {
    const int other = 2 - own, x = own == 0, z = own == 2;
    const int q = WABE_WEATHER_MOMENTUM + own, beside = WABE_WEATHER_MOMENTUM + other;
    const WABE_REAL here = WABE_AT(c, 1, q, 0, 0, 0);
    /* Along its own axis through the middles of the cells behind and before the face. */
    const WABE_REAL behind = WABE_HALF * (WABE_AT(c, 1, q, -x, 0, -z) + here);
    const WABE_REAL before = WABE_HALF * (here + WABE_AT(c, 1, q, x, 0, z));
    const WABE_REAL low = WABE_HALF *
                          (WABE_AT(c, 1, beside, -x, 0, -z) + WABE_AT(c, 1, beside, 0, 0, 0));
    const WABE_REAL high =
        WABE_HALF * (WABE_AT(c, 1, beside, z - x, 0, x - z) + WABE_AT(c, 1, beside, z, 0, x));
    const WABE_REAL level = wabe_weather_out_along(c, own, own, behind, before) +
                            wabe_weather_out_along(c, own, other, low, high);
    const WABE_REAL flux = wabe_weather_over(c, own), wind = WABE_AT(c, 2, own, 0, 0, 0);
    WABE_REAL above = wabe_weather_wind_up(c, own, flux);
    const WABE_REAL density = WABE_HALF * (wabe_weather_density(c, 1, 5, -x, 0, -z) +
                                           wabe_weather_density(c, 1, 5, 0, 0, 0));
    const WABE_REAL rate = WABE_AT(c, 7, WABE_LEVEL_RATE, 0, 0, 0) +
                           WABE_HALF * (WABE_AT(c, 6, WABE_GROUND_RATE, -x, 0, -z) +
                                        WABE_AT(c, 6, WABE_GROUND_RATE, 0, 0, 0));
    const WABE_REAL to_rest = rate * (wind - wabe_weather_wind(c, 7, own, 0));
    WABE_REAL drawn;
    if (has_eddies) {
        const WABE_REAL per = wabe_weather_per_share(c, 6, own) *
                              WABE_AT(c, 7, WABE_LEVEL_PER_ABOVE, 0, 0, 0);
        above = above + wabe_eddies_wind_up(air, c, 2, 8, own, per);
        drawn = (wabe_eddies_along(air, c, 2, 8, own) +
                 wabe_eddies_beside(air, c, 2, 8, own, other, per)) -
                density * to_rest;
    } else
        drawn = density * (wabe_weather_mix_wind(air, c, own, 6, 7) - to_rest);
    if (wabe_is_lowest(c))
        drawn = drawn - wabe_weather_stress(air, c, own, density, WABE_HALF * (low + high));
    const WABE_REAL crosswind = WABE_HALF * (low + high) -
                                density * wabe_weather_wind(c, 7, other, 0);
    const WABE_REAL turned = WABE_COEFFICIENT(air->turning) * crosswind;
    const WABE_REAL flow = WABE_COEFFICIENT(air->per_length) * level +
                           WABE_COEFFICIENT(air->per_level) *
                               (above - wabe_weather_from_below(carry, above, wind, flux));
    return ((own == 0 ? drawn - turned : drawn + turned) - flow) -
           wabe_weather_gradient(air, c, 4, 6, 7, own);
}

/* Write 0 slow x (or z). */
WABE_INLINE void wabe_weather_slow_x_level(const wabe_weather_air *air, const wabe_cell *c,
                                           int has_eddies, WABE_REAL carry[], WABE_REAL out[]) {
    out[0] = wabe_weather_slow_wind(air, c, 0, has_eddies, carry);
}
WABE_INLINE void wabe_weather_slow_z_level(const wabe_weather_air *air, const wabe_cell *c,
                                           int has_eddies, WABE_REAL carry[], WABE_REAL out[]) {
    out[0] = wabe_weather_slow_wind(air, c, 2, has_eddies, carry);
}
WABE_WEATHER_MIXED(weather_slow_x)
WABE_WEATHER_MIXED(weather_slow_z)

/* The horizontal momentum on the lower edge of a cell's face along x or z. */
WABE_INLINE WABE_REAL wabe_weather_edge(const wabe_cell *c, int axis, int offset) {
    const int x = axis == 0 ? offset : 0, z = axis == 2 ? offset : 0;
    return WABE_HALF * (WABE_AT(c, 1, WABE_WEATHER_MOMENTUM + axis, x, -1, z) +
                        WABE_AT(c, 1, WABE_WEATHER_MOMENTUM + axis, x, 0, z));
}

/* What crosses the middle of a level. */
WABE_INLINE WABE_REAL wabe_weather_through_middle(const wabe_cell *c) {
    return WABE_HALF * (WABE_AT(c, 3, 0, 0, 0, 0) + wabe_weather_across(c, 3, 0, 0, 1, 0));
}

/* The vertical velocity, less the cell's own, that this flux carries there. */
WABE_INLINE WABE_REAL wabe_weather_rise_up(const wabe_cell *c, WABE_REAL flux) {
    const WABE_REAL here = WABE_AT(c, 2, 1, 0, 0, 0);
    WABE_REAL v[4];
    WABE_UNROLL
    for (int i = 0; i < 4; i++)
        v[i] = wabe_weather_updraught(c, 2, 1, 0, i - 1, 0) - here;
    return wabe_weather_through_level(v, wabe_is_lowest(c), wabe_is_highest(c), flux);
}

/* Upwards: writes 0 slow y; reads 1 state, 2 velocity, 3 crossing, 4 pressure, 5 rest, 6 ground, 7
 * levels, with eddies 8 mixing. carry: see wabe_weather_from_below. */
WABE_INLINE void wabe_weather_slow_y_level(const wabe_weather_air *air, const wabe_cell *c,
                                           int has_eddies, WABE_REAL carry[], WABE_REAL out[]) {
    const WABE_REAL per = WABE_AT(c, 6, WABE_GROUND_PER_SHARE, 0, 0, 0);
    const WABE_REAL per_level = WABE_COEFFICIENT(air->per_level);
    const WABE_REAL flux = wabe_weather_through_middle(c), rising = WABE_AT(c, 2, 1, 0, 0, 0);
    WABE_REAL above = wabe_weather_rise_up(c, flux);
    const WABE_REAL mixing[3] = {per * WABE_AT(c, 7, WABE_LEVEL_PER_THICKNESS, 0, -1, 0),
                                 wabe_weather_per_below(c, 6, 7),
                                 per * WABE_AT(c, 7, WABE_LEVEL_PER_THICKNESS, 0, 0, 0)};
    const WABE_REAL level =
        wabe_weather_out_along(c, 1, 0, wabe_weather_edge(c, 0, 0), wabe_weather_edge(c, 0, 1)) +
        wabe_weather_out_along(c, 1, 2, wabe_weather_edge(c, 2, 0), wabe_weather_edge(c, 2, 1));
    const WABE_REAL density = WABE_HALF * (wabe_weather_density(c, 1, 5, 0, -1, 0) +
                                           wabe_weather_density(c, 1, 5, 0, 0, 0));
    const WABE_REAL rate = WABE_HALF * (WABE_AT(c, 7, WABE_LEVEL_RATE, 0, -1, 0) +
                                        WABE_AT(c, 7, WABE_LEVEL_RATE, 0, 0, 0)) +
                           WABE_AT(c, 6, WABE_GROUND_RATE, 0, 0, 0);
    const WABE_REAL to_rest = rate * rising;
    WABE_REAL drawn;
    if (has_eddies) {
        above = above + wabe_eddies_rise_up(air, c, 2, 8, mixing[2]);
        drawn = (wabe_eddies_beside(air, c, 2, 8, 1, 0, mixing[1]) +
                 wabe_eddies_beside(air, c, 2, 8, 1, 2, mixing[1])) -
                density * to_rest;
    } else
        drawn = density * (wabe_weather_mix(WABE_COEFFICIENT(air->mixed_along),
                                            WABE_COEFFICIENT(air->mixed_up), c, 2, 1, mixing) -
                           to_rest);
    const WABE_REAL pressure = WABE_AT(c, 4, 0, 0, 0, 0) - WABE_AT(c, 4, 0, 0, -1, 0);
    const WABE_REAL weight = WABE_COEFFICIENT(air->gravity) * WABE_HALF *
                             (WABE_AT(c, 1, WABE_WEATHER_DENSITY, 0, -1, 0) +
                              WABE_AT(c, 1, WABE_WEATHER_DENSITY, 0, 0, 0));
    const WABE_REAL below = wabe_weather_from_below(carry, above, rising, flux);
    out[0] = wabe_weather_above_ground(c, drawn - ((WABE_COEFFICIENT(air->per_length) * level +
                                                    per_level * ((above - below) + pressure)) +
                                                   weight));
}
WABE_WEATHER_MIXED(weather_slow_y)

/* ---- substeps ------------------------------------------------------------------------------ */

/* m_y'' on the faces of a column, here W, solves for all faces but ground and lid
 *   lower W[y - 1] + diagonal W[y] + upper W[y + 1] = explicit parts
 * (Klemp et al. 2007, section 3), where, with theta and per = 1 / J on faces and c of levels,
 *   lower = per[y - 1] (weight - square c[y - 1] theta[y - 1]),
 *   upper = -per[y + 1] (weight + square c[y] theta[y + 1]),
 *   diagonal = 1 + square (c[y - 1] + c[y]) per[y] theta[y] */
WABE_INLINE WABE_REAL wabe_weather_square(const wabe_weather_air *air, const wabe_grid_args *g) {
    const WABE_REAL d = wabe_weather_substep(g) * WABE_COEFFICIENT(air->now);
    const WABE_REAL per = WABE_COEFFICIENT(air->per_level);
    return (d * per) * (d * per);
}
WABE_INLINE WABE_REAL wabe_weather_weight(const wabe_weather_air *air, const wabe_grid_args *g) {
    const WABE_REAL d = wabe_weather_substep(g) * WABE_COEFFICIENT(air->now);
    return (d * d) *
           (WABE_HALF * (WABE_COEFFICIENT(air->gravity) * WABE_COEFFICIENT(air->per_level)));
}
/* lower of the next level, from what stands at the face below this one. */
WABE_INLINE WABE_REAL wabe_weather_lower(const wabe_weather_air *air, const wabe_grid_args *g,
                                         WABE_REAL per, WABE_REAL stiffness, WABE_REAL theta) {
    return per * (wabe_weather_weight(air, g) - wabe_weather_square(air, g) * (stiffness * theta));
}

/* Upwards: writes 0 pivot: its inverse, 1 upper / pivot, 2 pressure, now p''; reads 3 stiffness, 4
 * theta, 5 fast column, 6 ground, 7 levels. carry: upper / pivot and c of the level below; lower;
 * theta on the face between. */
WABE_INLINE void wabe_weather_pivots_cell(const wabe_weather_pivots_args *a, const wabe_cell *c,
                                          WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    const wabe_grid_args *g = c->grid;
    const WABE_REAL square = wabe_weather_square(&a->air, g), zero = WABE_REAL_OF(0.0);
    const WABE_REAL stiffness = WABE_AT(c, 3, 0, 0, 0, 0), face = carry[3];
    const WABE_REAL face_above = WABE_HALF *
                                 (WABE_AT(c, 4, 0, 0, 0, 0) + WABE_AT(c, 4, 0, 0, 1, 0));
    const WABE_REAL per = wabe_weather_per_below(c, 6, 7);
    const WABE_REAL diagonal = WABE_REAL_OF(1.0) + (square * (stiffness + carry[1])) * (per * face);
    const WABE_REAL upper =
        zero - wabe_weather_per_above(c, 6, 7) *
                   (square * (stiffness * face_above) + wabe_weather_weight(&a->air, g));
    (void)reduced;
    out[0] = wabe_weather_above_ground(c, WABE_REAL_OF(1.0) / (diagonal - carry[2] * carry[0]));
    out[1] = upper * out[0];
    out[2] = stiffness * WABE_AT(c, 5, 1, 0, 0, 0);
    carry[0] = out[1], carry[1] = stiffness;
    carry[2] = wabe_weather_lower(&a->air, g, per, stiffness, face);
    carry[3] = face_above;
}

/* Writes 0 fast winds; reads 1 fast winds, 2 slow x, 3 slow z, 4 pressure, 5 ground, 6 levels. */
WABE_INLINE void wabe_weather_push_cell(const wabe_weather_push_args *a, const wabe_cell *c,
                                        WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL d = wabe_weather_substep(c->grid);
    (void)carry, (void)reduced;
    out[0] = WABE_AT(c, 1, 0, 0, 0, 0) +
             d * (WABE_AT(c, 2, 0, 0, 0, 0) - wabe_weather_gradient(&a->air, c, 4, 5, 6, 0));
    out[1] = WABE_AT(c, 1, 1, 0, 0, 0) +
             d * (WABE_AT(c, 3, 0, 0, 0, 0) - wabe_weather_gradient(&a->air, c, 4, 5, 6, 2));
}

/* Upwards: explicit parts, and elimination. Writes 0 rows: (rho theta)'' and rho'' without the new
 * W, and the eliminated right-hand side; reads 1 fast winds, 2 fast column, 3 slow scalars, 4 slow
 * y, 5 theta, 6 stiffness, 7 pivot, 8 ground, 9 levels. carry: p'', rho'' and right-hand side of
 * the level below; lower; theta, M'' without the new W, and W on the face between; and twice what
 * goes uphill in this level. */
WABE_INLINE void wabe_weather_rise_cell(const wabe_weather_rise_args *a, const wabe_cell *c,
                                        WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL d = wabe_weather_substep(c->grid), per = WABE_COEFFICIENT(a->air.per_length);
    const WABE_REAL per_level = WABE_COEFFICIENT(a->air.per_level);
    const WABE_REAL now = WABE_COEFFICIENT(a->air.now), before = WABE_COEFFICIENT(a->air.before);
    const WABE_REAL density = WABE_AT(c, 2, 0, 0, 0, 0), heat = WABE_AT(c, 2, 1, 0, 0, 0);
    const WABE_REAL stiffness = WABE_AT(c, 6, 0, 0, 0, 0);
    const WABE_REAL theta = WABE_AT(c, 5, 0, 0, 0, 0);
    if (wabe_is_lowest(c))
        carry[7] = wabe_weather_uphill(c, 1, 0, 1, 8, 0);
    const WABE_REAL uphill = wabe_weather_uphill(c, 1, 0, 1, 8, 1);
    const WABE_REAL slope = WABE_REAL_OF(0.25) * WABE_AT(c, 9, WABE_LEVEL_SLOPE_ABOVE, 0, 0, 0);
    const WABE_REAL w = carry[6], w_above = wabe_weather_across(c, 2, 2, 0, 1, 0);
    const WABE_REAL crossing = wabe_weather_per_above(c, 8, 9) *
                               (before * w_above - slope * (carry[7] + uphill));
    const WABE_REAL y[2] = {carry[5], wabe_is_highest(c) ? WABE_REAL_OF(0.0) : crossing};
    const WABE_REAL faces[2] = {carry[4], WABE_HALF * (theta + WABE_AT(c, 5, 0, 0, 1, 0))};
    const WABE_REAL x[2] = {WABE_AT(c, 1, 0, 0, 0, 0), WABE_AT(c, 1, 0, 1, 0, 0)};
    const WABE_REAL z[2] = {WABE_AT(c, 1, 1, 0, 0, 0), WABE_AT(c, 1, 1, 0, 0, 1)};
    const WABE_REAL heat_x = x[1] * (theta + WABE_AT(c, 5, 0, 1, 0, 0)) -
                             x[0] * (theta + WABE_AT(c, 5, 0, -1, 0, 0));
    const WABE_REAL heat_z = z[1] * (theta + WABE_AT(c, 5, 0, 0, 0, 1)) -
                             z[0] * (theta + WABE_AT(c, 5, 0, 0, 0, -1));
    (void)reduced;
    out[0] = heat +
             d * (WABE_AT(c, 3, 1, 0, 0, 0) - ((per * WABE_HALF) * (heat_x + heat_z) +
                                               per_level * (y[1] * faces[1] - y[0] * faces[0])));
    out[1] = density + d * (WABE_AT(c, 3, 0, 0, 0, 0) -
                            (per * ((x[1] - x[0]) + (z[1] - z[0])) + per_level * (y[1] - y[0])));
    const WABE_REAL pressure = stiffness * (before * heat + now * out[0]);
    const WABE_REAL mass = before * density + now * out[1];
    const WABE_REAL force = per_level * (pressure - carry[0]) +
                            WABE_HALF * WABE_COEFFICIENT(a->air.gravity) * (mass + carry[1]);
    const WABE_REAL right = w + d * (WABE_AT(c, 4, 0, 0, 0, 0) - force);
    out[2] = wabe_weather_above_ground(c,
                                       (right - carry[3] * carry[2]) * WABE_AT(c, 7, 0, 0, 0, 0));
    carry[0] = pressure, carry[1] = mass, carry[2] = out[2];
    carry[3] = wabe_weather_lower(&a->air, c->grid, wabe_weather_per_below(c, 8, 9), stiffness,
                                  faces[0]);
    carry[4] = faces[1], carry[5] = y[1], carry[6] = w_above, carry[7] = uphill;
}

/* Downwards: sets fast column and pressure; reads, from access `first` on, fast column, rows,
 * upper, theta, stiffness, ground, levels. carry: W of the face above, what of it crosses, and
 * theta that it takes along; and theta of this level. The p'' that winds see has a share of its
 * last change on top, which damps sound (Klemp et al. 2007, equation 36). */
WABE_INLINE void wabe_weather_sink_level(const wabe_weather_air *air, const wabe_cell *c, int first,
                                         WABE_REAL carry[], WABE_REAL out[]) {
    const int rows = first + 1, upper = first + 2, theta = first + 3, stiffness = first + 4;
    const WABE_REAL rate = wabe_weather_substep(c->grid) * WABE_COEFFICIENT(air->now) *
                           WABE_COEFFICIENT(air->per_level);
    if (wabe_is_highest(c))
        carry[3] = WABE_AT(c, theta, 0, 0, 0, 0);
    const WABE_REAL theta_below = WABE_AT(c, theta, 0, 0, -1, 0);
    const WABE_REAL own = wabe_weather_above_ground(c,
                                                    WABE_AT(c, rows, 2, 0, 0, 0) -
                                                        WABE_AT(c, upper, 0, 0, 0, 0) * carry[0]);
    const WABE_REAL crossing = own * wabe_weather_per_below(c, first + 5, first + 6);
    const WABE_REAL taken = crossing * (WABE_HALF * (theta_below + carry[3]));
    out[0] = WABE_AT(c, rows, 1, 0, 0, 0) - rate * (carry[1] - crossing);
    out[1] = WABE_AT(c, rows, 0, 0, 0, 0) - rate * (carry[2] - taken);
    const WABE_REAL change = out[1] - WABE_AT(c, first, 1, 0, 0, 0);
    out[2] = own;
    out[3] = WABE_AT(c, stiffness, 0, 0, 0, 0) * (out[1] + WABE_COEFFICIENT(air->damping) * change);
    carry[0] = own, carry[1] = crossing, carry[2] = taken, carry[3] = theta_below;
}

/* Writes 0 fast column, 1 pressure; reads 2 to 8. */
WABE_INLINE void wabe_weather_sink_cell(const wabe_weather_sink_args *a, const wabe_cell *c,
                                        WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    (void)reduced;
    wabe_weather_sink_level(&a->air, c, 2, carry, out);
}

/* ---- end of a stage, and what is shown ----------------------------------------------------- */

/* Writes 0 densities: J rho, and what it gains; reads 1 state, 2 fast column, 3 rest. */
WABE_INLINE void wabe_weather_densities_cell(const wabe_weather_densities_args *a,
                                             const wabe_cell *c, WABE_REAL carry[], WABE_REAL out[],
                                             WABE_REAL reduced[]) {
    (void)a, (void)carry, (void)reduced;
    out[0] = wabe_weather_density(c, 1, 3, 0, 0, 0);
    out[1] = WABE_AT(c, 2, 0, 0, 0, 0);
}

/* The momentum along an axis once the densities, numbers 0 and 1 of an access, have gained, at the
 * same velocity. */
WABE_INLINE WABE_REAL wabe_weather_gained(const wabe_cell *c, int densities, int axis,
                                          WABE_REAL momentum) {
    const int x = -(axis == 0), y = -(axis == 1), z = -(axis == 2);
    const WABE_REAL now = WABE_AT(c, densities, 0, 0, 0, 0) + WABE_AT(c, densities, 0, x, y, z);
    const WABE_REAL more = WABE_AT(c, densities, 1, 0, 0, 0) + WABE_AT(c, densities, 1, x, y, z);
    return momentum + momentum * (more / now);
}

/* Writes 0 state; reads 1 state, 2 fast winds, 3 fast column, 4 densities. */
WABE_INLINE void wabe_weather_finish_cell(const wabe_weather_finish_args *a, const wabe_cell *c,
                                          WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL fast[3] = {WABE_AT(c, 2, 0, 0, 0, 0), WABE_AT(c, 3, 2, 0, 0, 0),
                               WABE_AT(c, 2, 1, 0, 0, 0)};
    (void)a, (void)carry, (void)reduced;
    WABE_UNROLL
    for (int i = 0; i < WABE_WEATHER_MOMENTUM; i++)
        out[i] = WABE_AT(c, 1, i, 0, 0, 0) + WABE_AT(c, 3, i, 0, 0, 0);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const int q = WABE_WEATHER_MOMENTUM + axis;
        out[q] = wabe_weather_gained(c, 4, axis, WABE_AT(c, 1, q, 0, 0, 0) + fast[axis]);
    }
}

/* The velocity at the middle of a cell, theta', p', the height, and R T, R: constant of dry air;
 * reads, from access `state` on, state, rest, ground, levels. */
WABE_INLINE void wabe_weather_show_air(const wabe_weather_air *air, const wabe_cell *c, int state,
                                       WABE_REAL out[]) {
    const int rest = state + 1, ground = state + 2, levels = state + 3;
    const WABE_REAL density = wabe_weather_density(c, state, rest, 0, 0, 0);
    const WABE_REAL theta0 = WABE_AT(c, rest, WABE_REST_THETA, 0, 0, 0);
    const WABE_REAL heat0 = WABE_AT(c, rest, WABE_REST_DENSITY, 0, 0, 0) * theta0;
    const WABE_REAL heat = WABE_AT(c, state, WABE_WEATHER_HEAT, 0, 0, 0);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const int q = WABE_WEATHER_MOMENTUM + axis;
        const WABE_REAL low = axis == 1 && wabe_is_lowest(c)
                                  ? wabe_weather_on_ground(c, state, ground)
                                  : WABE_AT(c, state, q, 0, 0, 0);
        const WABE_REAL high = axis == 1 ? wabe_weather_across(c, state, q, 0, 1, 0)
                                         : WABE_AT(c, state, q, axis == 0, 0, axis == 2);
        out[axis] = WABE_HALF * (low + high) / density;
    }
    out[3] = (heat - theta0 * WABE_AT(c, state, WABE_WEATHER_DENSITY, 0, 0, 0)) / density;
    out[4] = WABE_AT(c, rest, WABE_REST_PRESSURE, 0, 0, 0) *
             wabe_weather_pressure(air, heat / heat0);
    out[5] = WABE_AT(c, levels, WABE_LEVEL_HEIGHT, 0, 0, 0) *
                 WABE_AT(c, ground, WABE_GROUND_SHARE, 0, 0, 0) +
             WABE_AT(c, ground, WABE_GROUND_HEIGHT, 0, 0, 0);
    out[6] = (WABE_AT(c, rest, WABE_REST_PRESSURE, 0, 0, 0) + out[4]) /
             (density * (WABE_AT(c, ground, WABE_GROUND_PER_SHARE, 0, 0, 0) *
                         WABE_AT(c, levels, WABE_LEVEL_PER_THICKNESS, 0, 0, 0)));
}

/* Writes 0 slow x, 1 slow y, 2 slow z, 3 slow scalars, 4 stiffness, 5 theta, whose memory is free
 * then: what is above, and the temperature; reads 6 to 9. */
WABE_INLINE void wabe_weather_show_cell(const wabe_weather_show_args *a, const wabe_cell *c,
                                        WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    (void)carry, (void)reduced;
    wabe_weather_show_air(&a->air, c, 6, out);
    out[6] = out[6] / WABE_COEFFICIENT(a->air.gas);
}

#endif
