/* Dry air over flat ground, compressible and not hydrostatic, for kernel files: a Runge-Kutta step
 * of three stages (L. J. Wicker, W. C. Skamarock, Mon. Weather Rev. 130 (2002) 2088) with substeps
 * for sound, explicit along x and z and implicit along y, which is up (J. B. Klemp, W. C.
 * Skamarock, J. Dudhia, Mon. Weather Rev. 135 (2007) 2897).
 *
 * The state is density rho, rho theta (theta: potential temperature) and the momentum, as
 * deviations from air at rest whose levels are in a table. All numbers stand at cells; those of
 * momentum are on the cell's lower face along their own axis. Air leaves neither through the
 * ground, face 0, nor through the lid, behind the last level.
 *
 *   rho_t = -div(m)                     m: momentum, v = m / rho
 *   (rho theta)_t = -div(m theta) + K rho laplace(theta')
 *   m_t = -div(m v) - grad(p') - g rho' e_y + K rho laplace(v)
 *   p = p0 (rho theta / (rho0 theta0))^gamma
 *
 * In a stage m'', (rho theta)'' and rho'' are deviations from the stage's state; substeps advance
 * them by the tendencies of that state, `slow`, and by sound, with p'' = c (rho theta)'', c = gamma
 * p / (rho theta). */
#pragma once

#include "sweeps/cell/coefficient.h"
#include "sweeps/cell/stencil.h"

/* The components of the fields with several. */
enum {
    WABE_WEATHER_DENSITY,
    WABE_WEATHER_HEAT, /* rho theta */
    WABE_WEATHER_MOMENTUM,
    WABE_WEATHER_STATE = WABE_WEATHER_MOMENTUM + 3
};
enum { WABE_WEATHER_THETA = 3, WABE_WEATHER_CARRIED }; /* after the velocity */
enum { WABE_LEVEL_DENSITY, WABE_LEVEL_THETA, WABE_LEVEL_PRESSURE, WABE_LEVELS };

typedef struct {
    wabe_coefficient per_length; /* 1 / spacing */
    wabe_coefficient gravity, gamma;
    wabe_coefficient now, before; /* weights of new and old values along y; their sum is 1 */
    wabe_coefficient damping;     /* of divergence */
    wabe_coefficient diffusivity; /* K / spacing^2 */
} wabe_weather_air;

/* Value i of an entry of the step is the length of a substep of stage i. */
#define WABE_WEATHER_ARGS(name)                                                                    \
    typedef struct wabe_weather_##name##_args {                                                    \
        wabe_grid_args grid;                                                                       \
        wabe_weather_air air;                                                                      \
    } wabe_weather_##name##_args;                                                                  \
    extern const struct wabe_sweep wabe_sweep_weather_##name;
WABE_WEATHER_ARGS(keep)
WABE_WEATHER_ARGS(begin)
WABE_WEATHER_ARGS(slow_scalars)
WABE_WEATHER_ARGS(slow_winds)
WABE_WEATHER_ARGS(pivots)
WABE_WEATHER_ARGS(push)
WABE_WEATHER_ARGS(rise)
WABE_WEATHER_ARGS(sink)
WABE_WEATHER_ARGS(finish)
WABE_WEATHER_ARGS(show)

/* See WABE_COLUMNS in sweeps/cell/stencils.h. */
#define WABE_WEATHER_COLUMNS(X)                                                                    \
    X(weather_keep, 0, 0, 5, 0, 0, 0, 10, 0, 0)                                                    \
    X(weather_begin, 0, 0, 11, 0, 0, 0, 21, 0, 120)                                                \
    X(weather_slow_scalars, 0, 0, 2, 0, 0, 0, 7, 0, 120)                                           \
    X(weather_slow_winds, 0, 0, 3, 0, 0, 0, 11, 0, 300)                                            \
    X(weather_pivots, 1, 5, 3, 0, 0, 0, 6, 0, 30)                                                  \
    X(weather_push, 0, 0, 2, 0, 0, 0, 7, 0, 10)                                                    \
    X(weather_rise, 1, 7, 3, 0, 0, 0, 14, 0, 70)                                                   \
    X(weather_sink, -1, 3, 4, 0, 0, 0, 11, 0, 25)                                                  \
    X(weather_finish, 0, 0, 5, 0, 0, 0, 15, 0, 5)                                                  \
    X(weather_show, 0, 0, 5, 0, 0, 0, 10, 0, 80)

#ifdef WABE_REAL

#include "sweeps/cell/stencil_math.h"

#define WABE_HALF WABE_REAL_OF(0.5)

/* The length of a substep of the present stage. */
WABE_INLINE WABE_REAL wabe_weather_substep(const wabe_grid_args *g) {
    return WABE_COEFFICIENT(g->values[g->index[0]]);
}

/* theta, whose deviation and level are in these accesses. */
WABE_INLINE WABE_REAL wabe_weather_theta(const wabe_cell *c, int carried, int levels, int dx,
                                         int dy, int dz) {
    return WABE_AT(c, levels, WABE_LEVEL_THETA, dx, dy, dz) +
           WABE_AT(c, carried, WABE_WEATHER_THETA, dx, dy, dz);
}

/* rho. */
WABE_INLINE WABE_REAL wabe_weather_density(const wabe_cell *c, int state, int levels, int dx,
                                           int dy, int dz) {
    return WABE_AT(c, levels, WABE_LEVEL_DENSITY, dx, dy, dz) +
           WABE_AT(c, state, WABE_WEATHER_DENSITY, dx, dy, dz);
}

/* Does the face below level dy of the column let air through? */
WABE_INLINE int wabe_weather_is_open(const wabe_cell *c, int dy) {
    const int64_t face = c->y + dy;
    return face > 0 && face < c->grid->cells[1];
}

/* A value of the face below the cell, or 0 at the ground. */
WABE_INLINE WABE_REAL wabe_weather_above_ground(const wabe_cell *c, WABE_REAL value) {
    if (!wabe_weather_is_open(c, 0))
        value = WABE_REAL_OF(0.0);
    return value;
}

/* A vertical velocity or momentum at the face below level dy: 0 at the ground and the lid. */
WABE_INLINE WABE_REAL wabe_weather_upward(const wabe_cell *c, int access, int q, int dx, int dy,
                                          int dz) {
    return wabe_weather_is_open(c, dy) ? WABE_AT(c, access, q, dx, dy, dz) : WABE_REAL_OF(0.0);
}

/* ---- begin of a stage --------------------------------------------------------------------- */

/* p' / p0, from the deviation of rho theta as a share of that of air at rest. */
WABE_INLINE WABE_REAL wabe_weather_pressure(const wabe_weather_air *air, WABE_REAL share) {
    return wabe_power_less_one(share, WABE_COEFFICIENT(air->gamma));
}

/* Writes 0 old; reads 1 state. */
WABE_INLINE void wabe_weather_keep_cell(const wabe_weather_keep_args *a, const wabe_cell *c,
                                        WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    (void)a, (void)carry, (void)reduced;
    WABE_UNROLL
    for (int i = 0; i < WABE_WEATHER_STATE; i++)
        out[i] = WABE_AT(c, 1, i, 0, 0, 0);
}

/* Writes 0 fast winds, 1 fast column, 2 carried, 3 pressure, 4 stiffness; reads 5 state, 6 old, 7
 * levels. */
WABE_INLINE void wabe_weather_begin_cell(const wabe_weather_begin_args *a, const wabe_cell *c,
                                         WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    WABE_REAL *const winds = out, *const column = out + 2, *const carried = out + 5;
    WABE_REAL *const pressure = out + 9, *const stiffness = out + 10;
    WABE_REAL state[WABE_WEATHER_STATE], fast[WABE_WEATHER_STATE];
    (void)carry, (void)reduced;
    WABE_UNROLL
    for (int i = 0; i < WABE_WEATHER_STATE; i++) {
        state[i] = WABE_AT(c, 5, i, 0, 0, 0);
        fast[i] = WABE_AT(c, 6, i, 0, 0, 0) - state[i];
    }
    winds[0] = fast[WABE_WEATHER_MOMENTUM], winds[1] = fast[WABE_WEATHER_MOMENTUM + 2];
    column[0] = fast[WABE_WEATHER_DENSITY], column[1] = fast[WABE_WEATHER_HEAT];
    column[2] = fast[WABE_WEATHER_MOMENTUM + 1];

    const WABE_REAL density = wabe_weather_density(c, 5, 7, 0, 0, 0);
    const WABE_REAL theta0 = WABE_AT(c, 7, WABE_LEVEL_THETA, 0, 0, 0);
    const WABE_REAL pressure0 = WABE_AT(c, 7, WABE_LEVEL_PRESSURE, 0, 0, 0);
    const WABE_REAL two = WABE_REAL_OF(2.0);
    carried[0] = two * state[WABE_WEATHER_MOMENTUM] /
                 (wabe_weather_density(c, 5, 7, -1, 0, 0) + density);
    carried[1] = wabe_weather_above_ground(c,
                                           two * state[WABE_WEATHER_MOMENTUM + 1] /
                                               (wabe_weather_density(c, 5, 7, 0, -1, 0) + density));
    carried[2] = two * state[WABE_WEATHER_MOMENTUM + 2] /
                 (wabe_weather_density(c, 5, 7, 0, 0, -1) + density);
    carried[WABE_WEATHER_THETA] =
        (state[WABE_WEATHER_HEAT] - theta0 * state[WABE_WEATHER_DENSITY]) / density;

    const WABE_REAL heat0 = WABE_AT(c, 7, WABE_LEVEL_DENSITY, 0, 0, 0) * theta0;
    pressure[0] = pressure0 * wabe_weather_pressure(&a->air, state[WABE_WEATHER_HEAT] / heat0);
    stiffness[0] = WABE_COEFFICIENT(a->air.gamma) * (pressure0 + pressure[0]) /
                   (heat0 + state[WABE_WEATHER_HEAT]);
}

/* ---- slow tendencies ----------------------------------------------------------------------- */

WABE_INLINE WABE_REAL wabe_weather_magnitude(WABE_REAL flux) {
    return wabe_select(flux < WABE_REAL_OF(0.0), WABE_REAL_OF(0.0) - flux, flux);
}

/* What a flux carries through a face, from values at three cells on each side of it along x or z,
 * the nearest ones at and before offset: upwind-biased, of order 5 (Wicker and Skamarock 2002,
 * equation 4a). */
WABE_INLINE WABE_REAL wabe_weather_through(const wabe_cell *c, int access, int q, int axis,
                                           int offset, WABE_REAL flux) {
    WABE_REAL v[6];
    WABE_UNROLL
    for (int i = 0; i < 6; i++) {
        const int at = offset + i - 3;
        v[i] = axis == 0 ? WABE_AT(c, access, q, at, 0, 0) : WABE_AT(c, access, q, 0, 0, at);
    }
    const WABE_REAL mean = WABE_REAL_OF(37.0) * (v[2] + v[3]) - WABE_REAL_OF(8.0) * (v[1] + v[4]) +
                           (v[0] + v[5]);
    const WABE_REAL difference = (v[5] - v[0]) - WABE_REAL_OF(5.0) * (v[4] - v[1]) +
                                 WABE_REAL_OF(10.0) * (v[3] - v[2]);
    return WABE_REAL_OF(1.0 / 60.0) * (flux * mean - wabe_weather_magnitude(flux) * difference);
}

/* The same along y, of order 3 (equation 4b), from two values on each side. */
WABE_INLINE WABE_REAL wabe_weather_through_level(const WABE_REAL v[4], WABE_REAL flux) {
    const WABE_REAL mean = WABE_REAL_OF(7.0) * (v[1] + v[2]) - (v[0] + v[3]);
    const WABE_REAL difference = (v[3] - v[0]) - WABE_REAL_OF(3.0) * (v[2] - v[1]);
    return WABE_REAL_OF(1.0 / 12.0) * (flux * mean + wabe_weather_magnitude(flux) * difference);
}

/* Momentum through a face along an axis. */
WABE_INLINE WABE_REAL wabe_weather_flux(const wabe_cell *c, int state, int axis, int dx, int dy,
                                        int dz) {
    const int q = WABE_WEATHER_MOMENTUM + axis;
    return axis == 1 ? wabe_weather_upward(c, state, q, dx, dy, dz)
                     : WABE_AT(c, state, q, dx, dy, dz);
}

/* Second differences along all axes. is_vertical: of the velocity along y. */
WABE_INLINE WABE_REAL wabe_weather_laplace(const wabe_cell *c, int access, int q, int is_vertical) {
    const WABE_REAL twice = WABE_REAL_OF(2.0) * WABE_AT(c, access, q, 0, 0, 0);
    const WABE_REAL below = is_vertical ? wabe_weather_upward(c, access, q, 0, -1, 0)
                                        : WABE_AT(c, access, q, 0, -1, 0);
    const WABE_REAL above = is_vertical ? wabe_weather_upward(c, access, q, 0, 1, 0)
                                        : WABE_AT(c, access, q, 0, 1, 0);
    return ((WABE_AT(c, access, q, -1, 0, 0) + WABE_AT(c, access, q, 1, 0, 0)) - twice) +
           ((below + above) - twice) +
           ((WABE_AT(c, access, q, 0, 0, -1) + WABE_AT(c, access, q, 0, 0, 1)) - twice);
}

/* theta less the cell's own theta0, carried through the face below level dy. */
WABE_INLINE WABE_REAL wabe_weather_theta_up(const wabe_cell *c, int carried, int levels, int dy,
                                            WABE_REAL flux) {
    const WABE_REAL own = WABE_AT(c, levels, WABE_LEVEL_THETA, 0, 0, 0);
    WABE_REAL v[4];
    WABE_UNROLL
    for (int i = 0; i < 4; i++)
        v[i] = (WABE_AT(c, levels, WABE_LEVEL_THETA, 0, dy + i - 2, 0) - own) +
               WABE_AT(c, carried, WABE_WEATHER_THETA, 0, dy + i - 2, 0);
    return wabe_weather_through_level(v, flux);
}

/* Writes 0 slow scalars; reads 1 state, 2 carried, 3 levels. */
WABE_INLINE void wabe_weather_slow_scalars_cell(const wabe_weather_slow_scalars_args *a,
                                                const wabe_cell *c, WABE_REAL carry[],
                                                WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL zero = WABE_REAL_OF(0.0), per = WABE_COEFFICIENT(a->air.per_length);
    const WABE_REAL x[2] = {wabe_weather_flux(c, 1, 0, 0, 0, 0),
                            wabe_weather_flux(c, 1, 0, 1, 0, 0)};
    const WABE_REAL y[2] = {wabe_weather_flux(c, 1, 1, 0, 0, 0),
                            wabe_weather_flux(c, 1, 1, 0, 1, 0)};
    const WABE_REAL z[2] = {wabe_weather_flux(c, 1, 2, 0, 0, 0),
                            wabe_weather_flux(c, 1, 2, 0, 0, 1)};
    const WABE_REAL out_of = per * (((x[1] - x[0]) + (z[1] - z[0])) + (y[1] - y[0]));
    const WABE_REAL along_x = wabe_weather_through(c, 2, WABE_WEATHER_THETA, 0, 1, x[1]) -
                              wabe_weather_through(c, 2, WABE_WEATHER_THETA, 0, 0, x[0]);
    const WABE_REAL along_z = wabe_weather_through(c, 2, WABE_WEATHER_THETA, 2, 1, z[1]) -
                              wabe_weather_through(c, 2, WABE_WEATHER_THETA, 2, 0, z[0]);
    const WABE_REAL along_y = wabe_weather_theta_up(c, 2, 3, 1, y[1]) -
                              wabe_weather_theta_up(c, 2, 3, 0, y[0]);
    const WABE_REAL mixed = WABE_COEFFICIENT(a->air.diffusivity) *
                            wabe_weather_density(c, 1, 3, 0, 0, 0) *
                            wabe_weather_laplace(c, 2, WABE_WEATHER_THETA, 0);
    (void)carry, (void)reduced;
    out[0] = zero - out_of;
    out[1] = mixed - (WABE_AT(c, 3, WABE_LEVEL_THETA, 0, 0, 0) * out_of +
                      per * ((along_x + along_z) + along_y));
}

/* The momentum along y that a horizontal velocity carries through the face below level dy. */
WABE_INLINE WABE_REAL wabe_weather_wind_up(const wabe_cell *c, int axis, int dy) {
    const WABE_REAL flux = WABE_HALF *
                           (wabe_weather_flux(c, 1, 1, axis == 0 ? -1 : 0, dy, axis == 2 ? -1 : 0) +
                            wabe_weather_flux(c, 1, 1, 0, dy, 0));
    WABE_REAL v[4];
    WABE_UNROLL
    for (int i = 0; i < 4; i++)
        v[i] = WABE_AT(c, 2, axis, 0, dy + i - 2, 0);
    return wabe_weather_through_level(v, flux);
}

/* The tendency of a horizontal momentum, whose axis is `own`; `other` is the other horizontal one.
 */
WABE_INLINE WABE_REAL wabe_weather_slow_wind(const wabe_weather_air *air, const wabe_cell *c,
                                             int own) {
    const int other = 2 - own, x = own == 0, z = own == 2;
    const WABE_REAL per = WABE_COEFFICIENT(air->per_length);
    const WABE_REAL here = wabe_weather_flux(c, 1, own, 0, 0, 0);
    /* Along its own axis through the middles of the cells behind and before the face. */
    const WABE_REAL behind = WABE_HALF * (wabe_weather_flux(c, 1, own, -x, 0, -z) + here);
    const WABE_REAL before = WABE_HALF * (here + wabe_weather_flux(c, 1, own, x, 0, z));
    const WABE_REAL along = wabe_weather_through(c, 2, own, own, 1, before) -
                            wabe_weather_through(c, 2, own, own, 0, behind);
    const WABE_REAL low = WABE_HALF * (wabe_weather_flux(c, 1, other, -x, 0, -z) +
                                       wabe_weather_flux(c, 1, other, 0, 0, 0));
    const WABE_REAL high = WABE_HALF * (wabe_weather_flux(c, 1, other, z - x, 0, x - z) +
                                        wabe_weather_flux(c, 1, other, z, 0, x));
    const WABE_REAL across = wabe_weather_through(c, 2, own, other, 1, high) -
                             wabe_weather_through(c, 2, own, other, 0, low);
    const WABE_REAL upwards = wabe_weather_wind_up(c, own, 1) - wabe_weather_wind_up(c, own, 0);
    const WABE_REAL density = WABE_HALF * (wabe_weather_density(c, 1, 4, -x, 0, -z) +
                                           wabe_weather_density(c, 1, 4, 0, 0, 0));
    const WABE_REAL mixed = WABE_COEFFICIENT(air->diffusivity) * density *
                            wabe_weather_laplace(c, 2, own, 0);
    const WABE_REAL pressure = WABE_AT(c, 3, 0, 0, 0, 0) - WABE_AT(c, 3, 0, -x, 0, -z);
    return mixed - per * (((along + across) + upwards) + pressure);
}

/* The vertical momentum that is carried along x or z through the face at offset. */
WABE_INLINE WABE_REAL wabe_weather_rise_along(const wabe_cell *c, int axis, int offset) {
    const int x = axis == 0 ? offset : 0, z = axis == 2 ? offset : 0;
    const WABE_REAL flux = WABE_HALF * (wabe_weather_flux(c, 1, axis, x, -1, z) +
                                        wabe_weather_flux(c, 1, axis, x, 0, z));
    return wabe_weather_through(c, 2, 1, axis, offset, flux);
}

/* The vertical momentum carried upwards through the middle of level dy. */
WABE_INLINE WABE_REAL wabe_weather_rise_up(const wabe_cell *c, int dy) {
    const WABE_REAL flux = WABE_HALF * (wabe_weather_flux(c, 1, 1, 0, dy, 0) +
                                        wabe_weather_flux(c, 1, 1, 0, dy + 1, 0));
    WABE_REAL v[4];
    WABE_UNROLL
    for (int i = 0; i < 4; i++)
        v[i] = wabe_weather_upward(c, 2, 1, 0, dy + i - 1, 0);
    return wabe_weather_through_level(v, flux);
}

WABE_INLINE WABE_REAL wabe_weather_slow_rise(const wabe_weather_air *air, const wabe_cell *c) {
    const WABE_REAL per = WABE_COEFFICIENT(air->per_length);
    if (!wabe_weather_is_open(c, 0))
        return WABE_REAL_OF(0.0);
    const WABE_REAL along_x = wabe_weather_rise_along(c, 0, 1) - wabe_weather_rise_along(c, 0, 0);
    const WABE_REAL along_z = wabe_weather_rise_along(c, 2, 1) - wabe_weather_rise_along(c, 2, 0);
    const WABE_REAL upwards = wabe_weather_rise_up(c, 0) - wabe_weather_rise_up(c, -1);
    const WABE_REAL density = WABE_HALF * (wabe_weather_density(c, 1, 4, 0, -1, 0) +
                                           wabe_weather_density(c, 1, 4, 0, 0, 0));
    const WABE_REAL mixed = WABE_COEFFICIENT(air->diffusivity) * density *
                            wabe_weather_laplace(c, 2, 1, 1);
    const WABE_REAL pressure = WABE_AT(c, 3, 0, 0, 0, 0) - WABE_AT(c, 3, 0, 0, -1, 0);
    const WABE_REAL weight = WABE_COEFFICIENT(air->gravity) * WABE_HALF *
                             (WABE_AT(c, 1, WABE_WEATHER_DENSITY, 0, -1, 0) +
                              WABE_AT(c, 1, WABE_WEATHER_DENSITY, 0, 0, 0));
    return mixed - (per * (((along_x + along_z) + upwards) + pressure) + weight);
}

/* Writes 0 slow winds; reads 1 state, 2 carried, 3 pressure, 4 levels. */
WABE_INLINE void wabe_weather_slow_winds_cell(const wabe_weather_slow_winds_args *a,
                                              const wabe_cell *c, WABE_REAL carry[],
                                              WABE_REAL out[], WABE_REAL reduced[]) {
    (void)carry, (void)reduced;
    out[0] = wabe_weather_slow_wind(&a->air, c, 0);
    out[1] = wabe_weather_slow_rise(&a->air, c);
    out[2] = wabe_weather_slow_wind(&a->air, c, 2);
}

/* ---- substeps ------------------------------------------------------------------------------ */

/* The vertical momentum W'' at the faces of a column solves, for all faces but ground and lid,
 *   lower W''[y - 1] + diagonal W''[y] + upper W''[y + 1] = explicit parts
 * (Klemp et al. 2007, section 3), where, with theta on faces and c of levels,
 *   lower = weight - square c[y - 1] theta[y - 1],  upper = -weight - square c[y] theta[y + 1],
 *   diagonal = 1 + square (c[y - 1] + c[y]) theta[y]
 * below: c theta of the level below, theta on its lower face. */
WABE_INLINE WABE_REAL wabe_weather_square(const wabe_weather_air *air, const wabe_grid_args *g) {
    const WABE_REAL d = wabe_weather_substep(g) * WABE_COEFFICIENT(air->now);
    const WABE_REAL per = WABE_COEFFICIENT(air->per_length);
    return (d * per) * (d * per);
}
WABE_INLINE WABE_REAL wabe_weather_weight(const wabe_weather_air *air, const wabe_grid_args *g) {
    const WABE_REAL d = wabe_weather_substep(g) * WABE_COEFFICIENT(air->now);
    return (d * d) *
           (WABE_HALF * (WABE_COEFFICIENT(air->gravity) * WABE_COEFFICIENT(air->per_length)));
}
WABE_INLINE WABE_REAL wabe_weather_lower(const wabe_weather_air *air, const wabe_grid_args *g,
                                         WABE_REAL below) {
    return wabe_weather_weight(air, g) - wabe_weather_square(air, g) * below;
}

/* Upwards: writes 0 pivots (1 / pivot, upper / pivot), 1 pressure, now p''; reads 2 stiffness, 3
 * carried, 4 fast column, 5 levels. carry: upper / pivot; c and c theta of the level below; theta
 * on the face between, and of this level. */
WABE_INLINE void wabe_weather_pivots_cell(const wabe_weather_pivots_args *a, const wabe_cell *c,
                                          WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL square = wabe_weather_square(&a->air, c->grid), zero = WABE_REAL_OF(0.0);
    const WABE_REAL stiffness = WABE_AT(c, 2, 0, 0, 0, 0);
    (void)reduced;
    if (wabe_is_lowest(c))
        carry[4] = wabe_weather_theta(c, 3, 5, 0, 0, 0);
    const WABE_REAL theta_above = wabe_weather_theta(c, 3, 5, 0, 1, 0);
    const WABE_REAL face = carry[3], face_above = WABE_HALF * (carry[4] + theta_above);
    const WABE_REAL lower = wabe_weather_lower(&a->air, c->grid, carry[2]);
    const WABE_REAL diagonal = WABE_REAL_OF(1.0) + square * ((stiffness + carry[1]) * face);
    const WABE_REAL upper =
        zero - (square * (stiffness * face_above) + wabe_weather_weight(&a->air, c->grid));
    out[0] = wabe_weather_above_ground(c, WABE_REAL_OF(1.0) / (diagonal - lower * carry[0]));
    out[1] = upper * out[0];
    out[2] = stiffness * WABE_AT(c, 4, 1, 0, 0, 0);
    carry[0] = out[1], carry[1] = stiffness, carry[2] = stiffness * face;
    carry[3] = face_above, carry[4] = theta_above;
}

/* Writes 0 fast winds; reads 1 fast winds, 2 slow winds, 3 pressure. */
WABE_INLINE void wabe_weather_push_cell(const wabe_weather_push_args *a, const wabe_cell *c,
                                        WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL d = wabe_weather_substep(c->grid), per = WABE_COEFFICIENT(a->air.per_length);
    const WABE_REAL own = WABE_AT(c, 3, 0, 0, 0, 0);
    (void)carry, (void)reduced;
    out[0] = WABE_AT(c, 1, 0, 0, 0, 0) +
             d * (WABE_AT(c, 2, 0, 0, 0, 0) - per * (own - WABE_AT(c, 3, 0, -1, 0, 0)));
    out[1] = WABE_AT(c, 1, 1, 0, 0, 0) +
             d * (WABE_AT(c, 2, 2, 0, 0, 0) - per * (own - WABE_AT(c, 3, 0, 0, 0, -1)));
}

/* Upwards: explicit parts, and elimination. Writes 0 rows: (rho theta)'' and rho'' without the new
 * W'', and the eliminated right-hand side; reads 1 fast winds, 2 fast column, 3 slow scalars, 4
 * slow winds, 5 carried, 6 stiffness, 7 pivots, 8 levels. carry: p'', rho'', right-hand side, and c
 * theta of the level below, theta there on its lower face; what the level below has read of this
 * one, theta and W''; and theta on the face between. */
WABE_INLINE void wabe_weather_rise_cell(const wabe_weather_rise_args *a, const wabe_cell *c,
                                        WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL d = wabe_weather_substep(c->grid), per = WABE_COEFFICIENT(a->air.per_length);
    const WABE_REAL now = WABE_COEFFICIENT(a->air.now), before = WABE_COEFFICIENT(a->air.before);
    const WABE_REAL density = WABE_AT(c, 2, 0, 0, 0, 0), heat = WABE_AT(c, 2, 1, 0, 0, 0);
    const WABE_REAL stiffness = WABE_AT(c, 6, 0, 0, 0, 0);
    if (wabe_is_lowest(c))
        carry[4] = wabe_weather_theta(c, 5, 8, 0, 0, 0);
    const WABE_REAL theta = carry[4], theta_above = wabe_weather_theta(c, 5, 8, 0, 1, 0);
    const WABE_REAL level = WABE_AT(c, 8, WABE_LEVEL_THETA, 0, 0, 0);
    const WABE_REAL faces[2] = {carry[6], WABE_HALF * (theta + theta_above)};
    const WABE_REAL w = carry[5], w_above = wabe_weather_upward(c, 2, 2, 0, 1, 0);
    const WABE_REAL x[2] = {WABE_AT(c, 1, 0, 0, 0, 0), WABE_AT(c, 1, 0, 1, 0, 0)};
    const WABE_REAL z[2] = {WABE_AT(c, 1, 1, 0, 0, 0), WABE_AT(c, 1, 1, 0, 0, 1)};
    const WABE_REAL y[2] = {before * w, before * w_above};
    const WABE_REAL both = theta + level; /* and the deviation beside makes twice theta on a face */
    const WABE_REAL heat_x = x[1] * (both + WABE_AT(c, 5, WABE_WEATHER_THETA, 1, 0, 0)) -
                             x[0] * (both + WABE_AT(c, 5, WABE_WEATHER_THETA, -1, 0, 0));
    const WABE_REAL heat_z = z[1] * (both + WABE_AT(c, 5, WABE_WEATHER_THETA, 0, 0, 1)) -
                             z[0] * (both + WABE_AT(c, 5, WABE_WEATHER_THETA, 0, 0, -1));
    const WABE_REAL heat_y = y[1] * faces[1] - y[0] * faces[0];
    (void)reduced;
    out[0] = heat +
             d * (WABE_AT(c, 3, 1, 0, 0, 0) - per * (WABE_HALF * (heat_x + heat_z) + heat_y));
    out[1] = density + d * (WABE_AT(c, 3, 0, 0, 0, 0) -
                            per * (((x[1] - x[0]) + (z[1] - z[0])) + (y[1] - y[0])));
    const WABE_REAL pressure = stiffness * (before * heat + now * out[0]);
    const WABE_REAL mass = before * density + now * out[1];
    const WABE_REAL force = per * (pressure - carry[0]) +
                            WABE_HALF * WABE_COEFFICIENT(a->air.gravity) * (mass + carry[1]);
    const WABE_REAL right = w + d * (WABE_AT(c, 4, 1, 0, 0, 0) - force);
    out[2] = wabe_weather_above_ground(c, (right - wabe_weather_lower(&a->air, c->grid, carry[3]) *
                                                       carry[2]) *
                                              WABE_AT(c, 7, 0, 0, 0, 0));
    carry[0] = pressure, carry[1] = mass, carry[2] = out[2], carry[3] = stiffness * faces[0];
    carry[4] = theta_above, carry[5] = w_above, carry[6] = faces[1];
}

/* Downwards: writes 0 fast column, 1 pressure; reads 2 fast column, 3 rows, 4 pivots, 5 carried, 6
 * stiffness, 7 levels. carry: W'' and theta of the face above, and theta of this level. The p''
 * that winds see has a share of its last change on top, which damps sound (Klemp et al. 2007,
 * equation 36). */
WABE_INLINE void wabe_weather_sink_cell(const wabe_weather_sink_args *a, const wabe_cell *c,
                                        WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL rate = wabe_weather_substep(c->grid) * WABE_COEFFICIENT(a->air.now) *
                           WABE_COEFFICIENT(a->air.per_length);
    if (wabe_is_highest(c))
        carry[2] = wabe_weather_theta(c, 5, 7, 0, 0, 0);
    const WABE_REAL above = carry[0], theta_below = wabe_weather_theta(c, 5, 7, 0, -1, 0);
    const WABE_REAL face = WABE_HALF * (theta_below + carry[2]);
    const WABE_REAL own =
        wabe_weather_above_ground(c, WABE_AT(c, 3, 2, 0, 0, 0) - WABE_AT(c, 4, 1, 0, 0, 0) * above);
    (void)reduced;
    out[0] = WABE_AT(c, 3, 1, 0, 0, 0) - rate * (above - own);
    out[1] = WABE_AT(c, 3, 0, 0, 0, 0) - rate * (above * carry[1] - own * face);
    const WABE_REAL change = out[1] - WABE_AT(c, 2, 1, 0, 0, 0);
    out[2] = own;
    out[3] = WABE_AT(c, 6, 0, 0, 0, 0) * (out[1] + WABE_COEFFICIENT(a->air.damping) * change);
    carry[0] = own, carry[1] = face, carry[2] = theta_below;
}

/* ---- end of a stage, and what is shown ----------------------------------------------------- */

/* Writes 0 state; reads 1 state, 2 fast winds, 3 fast column. */
WABE_INLINE void wabe_weather_finish_cell(const wabe_weather_finish_args *a, const wabe_cell *c,
                                          WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    (void)a, (void)carry, (void)reduced;
    WABE_UNROLL
    for (int i = 0; i < WABE_WEATHER_MOMENTUM; i++)
        out[i] = WABE_AT(c, 1, i, 0, 0, 0) + WABE_AT(c, 3, i, 0, 0, 0);
    out[2] = WABE_AT(c, 1, 2, 0, 0, 0) + WABE_AT(c, 2, 0, 0, 0, 0);
    out[3] = WABE_AT(c, 1, 3, 0, 0, 0) + WABE_AT(c, 3, 2, 0, 0, 0);
    out[4] = WABE_AT(c, 1, 4, 0, 0, 0) + WABE_AT(c, 2, 1, 0, 0, 0);
}

/* The velocity at the middle of a cell, theta' and p': writes 0 slow winds, 1 slow scalars, whose
 * memory is free then; reads 2 state, 3 levels. */
WABE_INLINE void wabe_weather_show_cell(const wabe_weather_show_args *a, const wabe_cell *c,
                                        WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL density = wabe_weather_density(c, 2, 3, 0, 0, 0);
    const WABE_REAL theta0 = WABE_AT(c, 3, WABE_LEVEL_THETA, 0, 0, 0);
    const WABE_REAL heat0 = WABE_AT(c, 3, WABE_LEVEL_DENSITY, 0, 0, 0) * theta0;
    const WABE_REAL heat = WABE_AT(c, 2, WABE_WEATHER_HEAT, 0, 0, 0);
    (void)carry, (void)reduced;
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        out[axis] = WABE_HALF *
                    (wabe_weather_flux(c, 2, axis, 0, 0, 0) +
                     wabe_weather_flux(c, 2, axis, axis == 0, axis == 1, axis == 2)) /
                    density;
    out[3] = (heat - theta0 * WABE_AT(c, 2, WABE_WEATHER_DENSITY, 0, 0, 0)) / density;
    out[4] = WABE_AT(c, 3, WABE_LEVEL_PRESSURE, 0, 0, 0) *
             wabe_weather_pressure(&a->air, heat / heat0);
}

#endif
