/* Water in the air of sweeps/cell/weather.h, for kernel files: vapour, cloud and rain, and what
 * they do to the air (E. Kessler, Meteorol. Monogr. 10, no. 32 (1969), in the form of J. B. Klemp,
 * R. B. Wilhelmson, J. Atmos. Sci. 35 (1978) 1070, section 2c, with the constants of C. M. Zarzycki
 * et al., Geosci. Model Dev. 12 (2019) 879).
 *
 * Density is that of all, dry air and water, and so is momentum; the heat rho theta of the state is
 * that of dry air, rho_d theta_m, theta_m = theta (1 + r_v / epsilon), r_v: vapour over dry air.
 * Then p = p0 (heat / heat0)^gamma, and the equations of weather.h hold as they stand, weight of
 * water included: in place of theta, heat / rho is carried along. It falls with the rain alone,
 * which takes mass and momentum with it, but no heat.
 *
 * The state is J times the densities of vapour, cloud and rain. What carries them is the momentum
 * of a stage and the mean of its substeps', so that a share of air that is the same everywhere
 * stays so; faces have values of B. Koren's limiter (1993). */
#pragma once

#include "sweeps/cell/weather.h"

/* The vapour per dry air that saturates it: A / p exp(B (T - C) / (T - D)) (Klemp and Wilhelmson
 * 1978, equation 2.11). */
#define WABE_SATURATION_A 380.0 /* Pa */
#define WABE_SATURATION_B 17.27
#define WABE_SATURATION_C 273.0 /* K */
#define WABE_SATURATION_D 36.0  /* K */

enum { WABE_WATER_VAPOUR, WABE_WATER_CLOUD, WABE_WATER_RAIN, WABE_WATERS };

WABE_WEATHER_ARGS(keep_water)
WABE_WEATHER_ARGS(sink_water)
WABE_WEATHER_ARGS(humidity)
WABE_WEATHER_ARGS(carry_water)
WABE_WEATHER_ARGS(carry_water_eddies)
WABE_WEATHER_ARGS(rain)
WABE_WEATHER_ARGS(settle)
WABE_WEATHER_ARGS(show_water)

/* See WABE_COLUMNS in sweeps/cell/stencils.h. */
#define WABE_WATER_COLUMNS(X)                                                                      \
    X(weather_keep_water, 0, 0, 3, 0, 0, 0, 6, 0, 0)                                               \
    X(weather_sink_water, -1, 4, 7, 0, 0, 0, 20, 0, 36)                                            \
    X(weather_humidity, 0, 0, 6, 0, 0, 0, 16, 0, 10)                                               \
    X(weather_carry_water, 1, 4, 3, 0, 0, 0, 14, 0, 330)                                           \
    X(weather_carry_water_eddies, 1, 4, 3, 0, 0, 0, 15, 0, 330)                                    \
    X(weather_rain, -1, 2, 7, 0, 0, 0, 17, 0, 240)                                                 \
    X(weather_settle, 0, 0, 5, 0, 0, 0, 13, 0, 30)                                                 \
    X(weather_show_water, 0, 0, 10, 0, 0, 0, 22, 0, 140)

#ifdef WABE_REAL

/* J rho_d. */
WABE_INLINE WABE_REAL wabe_water_dry(WABE_REAL density, const WABE_REAL water[WABE_WATERS]) {
    return density - ((water[0] + water[1]) + water[2]);
}

/* Writes 0 old water; reads 1 water. */
WABE_INLINE void wabe_weather_keep_water_cell(const wabe_weather_keep_water_args *a,
                                              const wabe_cell *c, WABE_REAL carry[],
                                              WABE_REAL out[], WABE_REAL reduced[]) {
    (void)a, (void)carry, (void)reduced;
    WABE_UNROLL
    for (int i = 0; i < WABE_WATERS; i++)
        out[i] = WABE_AT(c, 1, i, 0, 0, 0);
}

/* As wabe_weather_sink_cell, and adds up what the substeps of a stage move. Writes 0 fast column, 1
 * pressure, 2 moved; reads 3 fast column, 4 rows, 5 upper, 6 theta, 7 stiffness, 8 ground, 9
 * levels, 10 fast winds, 11 moved. */
WABE_INLINE void wabe_weather_sink_water_cell(const wabe_weather_sink_water_args *a,
                                              const wabe_cell *c, WABE_REAL carry[],
                                              WABE_REAL out[], WABE_REAL reduced[]) {
    WABE_REAL *const moved = out + 4;
    (void)reduced;
    wabe_weather_sink_level(&a->air, c, 3, carry, out);
    moved[0] = WABE_AT(c, 10, 0, 0, 0, 0);
    moved[1] = WABE_COEFFICIENT(a->air.before) * WABE_AT(c, 3, 2, 0, 0, 0) +
               WABE_COEFFICIENT(a->air.now) * out[2];
    moved[2] = WABE_AT(c, 10, 1, 0, 0, 0);
    if (c->grid->index[1] > 0) {
        WABE_UNROLL
        for (int axis = 0; axis < 3; axis++)
            moved[axis] = moved[axis] + WABE_AT(c, 11, axis, 0, 0, 0);
    }
}

/* What a stage carries: writes 0 shares of vapour, cloud and rain, 1 moved: now the momentum that
 * has moved air; reads 2 state, 3 water, 4 moved, 5 densities. The value of the step is the inverse
 * number of substeps. */
WABE_INLINE void wabe_weather_humidity_cell(const wabe_weather_humidity_args *a, const wabe_cell *c,
                                            WABE_REAL carry[], WABE_REAL out[],
                                            WABE_REAL reduced[]) {
    const WABE_REAL mean = wabe_weather_substep(c->grid);
    const WABE_REAL per = WABE_REAL_OF(1.0) / WABE_AT(c, 5, 0, 0, 0, 0);
    (void)a, (void)carry, (void)reduced;
    WABE_UNROLL
    for (int i = 0; i < WABE_WATERS; i++)
        out[i] = per * WABE_AT(c, 3, i, 0, 0, 0);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++)
        out[WABE_WATERS + axis] = WABE_AT(c, 2, WABE_WEATHER_MOMENTUM + axis, 0, 0, 0) +
                                  mean * WABE_AT(c, 4, axis, 0, 0, 0);
}

/* ---- what air carries along ---------------------------------------------------------------- */

/* What a flux carries through a face, from the values of two cells on each side of it: of order 3
 * where it is smooth, and no new extremes (B. Koren, Notes Numer. Fluid Mech. 45 (1993) 117). */
WABE_INLINE WABE_REAL wabe_water_through(const WABE_REAL v[4], WABE_REAL flux) {
    const WABE_REAL zero = WABE_REAL_OF(0.0);
    const wabe_bits back = flux < zero;
    const WABE_REAL behind = wabe_select(back, v[3], v[0]), here = wabe_select(back, v[2], v[1]);
    const WABE_REAL before = wabe_select(back, v[1], v[2]);
    const WABE_REAL past = here - behind, next = before - here;
    const WABE_REAL a = wabe_weather_magnitude(past), b = wabe_weather_magnitude(next);
    const WABE_REAL third = WABE_REAL_OF(1.0 / 6.0) * (a + WABE_REAL_OF(2.0) * b);
    const WABE_REAL size = wabe_smallest(wabe_smallest(a, b), third);
    const WABE_REAL step = wabe_select(past < zero, zero - size, size);
    return flux * (here + wabe_select(past * next > zero, step, zero));
}

/* The same for both faces of a cell along x or z: out of it. */
WABE_INLINE WABE_REAL wabe_water_along(const wabe_cell *c, int q, int axis,
                                       const WABE_REAL flux[2]) {
    WABE_REAL v[5];
    WABE_UNROLL
    for (int i = 0; i < 5; i++)
        v[i] = WABE_AT(c, 2, q, axis == 0 ? i - 2 : 0, 0, axis == 2 ? i - 2 : 0);
    return wabe_water_through(v + 1, flux[1]) - wabe_water_through(v, flux[0]);
}

/* Through the face above. Beyond the column's ends its last value goes on. */
WABE_INLINE WABE_REAL wabe_water_up(const wabe_cell *c, int q, WABE_REAL flux) {
    WABE_REAL v[4];
    WABE_UNROLL
    for (int i = 0; i < 4; i++)
        v[i] = WABE_AT(c, 2, q, 0, i - 1, 0);
    return wabe_water_through(v, flux);
}

/* How much more of a water there is in a cell beside than in air at rest; all of it where eddies
 * mix it up and down. */
WABE_INLINE WABE_REAL wabe_water_surplus(const wabe_cell *c, int q, int is_all, int dx, int dy,
                                         int dz) {
    WABE_REAL share = WABE_AT(c, 2, q, dx, dy, dz);
    if (q == WABE_WATER_VAPOUR && !is_all)
        share = share - WABE_AT(c, 5, WABE_REST_VAPOUR, dx, dy, dz);
    return share;
}

/* What diffuses into a cell from one beside it, but for the coefficient; weight: access of J rho,
 * or of J rho K. */
WABE_INLINE WABE_REAL wabe_water_from(const wabe_cell *c, int q, int weight, int is_all, int dx,
                                      int dy, int dz) {
    return (WABE_AT(c, weight, 0, 0, 0, 0) + WABE_AT(c, weight, 0, dx, dy, dz)) *
           (wabe_water_surplus(c, q, is_all, dx, dy, dz) -
            wabe_water_surplus(c, q, is_all, 0, 0, 0));
}

/* div(K rho grad(share)); terms of slopes are left out. See sweeps/cell/weather_mixing.h. */
WABE_INLINE WABE_REAL wabe_water_mixed(const wabe_weather_air *air, const wabe_cell *c, int q,
                                       int weight) {
    const int is_all = weight == 8;
    const WABE_REAL below = wabe_weather_per_below(c, 6, 7),
                    above = wabe_weather_per_above(c, 6, 7);
    const WABE_REAL level =
        (wabe_water_from(c, q, weight, 0, -1, 0, 0) + wabe_water_from(c, q, weight, 0, 1, 0, 0)) +
        (wabe_water_from(c, q, weight, 0, 0, 0, -1) + wabe_water_from(c, q, weight, 0, 0, 0, 1));
    const WABE_REAL up = (below * below) * wabe_water_from(c, q, weight, is_all, 0, -1, 0) +
                         (above * above) * wabe_water_from(c, q, weight, is_all, 0, 1, 0);
    return WABE_HALF *
           (WABE_COEFFICIENT(air->scalars_along) * level + WABE_COEFFICIENT(air->scalars_up) * up);
}

/* Upwards: writes 0 water; reads 1 old water, 2 shares, 3 moved, 4 densities, 5 rest, 6 ground, 7
 * levels, with eddies 8 mixing. carry: what crosses the face below, and twice what goes uphill in
 * this level. The value of the step is the length of the stage. */
WABE_INLINE void wabe_weather_carry_water_level(const wabe_weather_air *air, const wabe_cell *c,
                                                int has_eddies, WABE_REAL carry[],
                                                WABE_REAL out[]) {
    const WABE_REAL d = wabe_weather_substep(c->grid), density = WABE_AT(c, 4, 0, 0, 0, 0);
    const WABE_REAL slope = WABE_REAL_OF(0.25) * WABE_AT(c, 7, WABE_LEVEL_SLOPE_ABOVE, 0, 0, 0);
    const WABE_REAL uphill = wabe_weather_uphill(c, 3, 0, 2, 6, 1);
    if (wabe_is_lowest(c))
        carry[WABE_WATERS] = wabe_weather_uphill(c, 3, 0, 2, 6, 0);
    WABE_REAL crossing = wabe_weather_per_above(c, 6, 7) * (wabe_weather_across(c, 3, 1, 0, 1, 0) -
                                                            slope * (carry[WABE_WATERS] + uphill));
    if (wabe_is_highest(c))
        crossing = WABE_REAL_OF(0.0);
    const WABE_REAL x[2] = {WABE_AT(c, 3, 0, 0, 0, 0), WABE_AT(c, 3, 0, 1, 0, 0)};
    const WABE_REAL z[2] = {WABE_AT(c, 3, 2, 0, 0, 0), WABE_AT(c, 3, 2, 0, 0, 1)};
    const WABE_REAL rate = WABE_AT(c, 7, WABE_LEVEL_RATE, 0, 0, 0) +
                           WABE_AT(c, 6, WABE_GROUND_RATE, 0, 0, 0);
    WABE_UNROLL
    for (int q = 0; q < WABE_WATERS; q++) {
        const WABE_REAL above = wabe_water_up(c, q, crossing);
        const WABE_REAL flow = WABE_COEFFICIENT(air->per_length) *
                                   (wabe_water_along(c, q, 0, x) + wabe_water_along(c, q, 2, z)) +
                               WABE_COEFFICIENT(air->per_level) * (above - carry[q]);
        const WABE_REAL drawn = (rate * density) * wabe_water_surplus(c, q, 0, 0, 0, 0);
        const WABE_REAL mixed = wabe_water_mixed(air, c, q, has_eddies ? 8 : 4);
        out[q] = WABE_AT(c, 1, q, 0, 0, 0) + d * ((mixed - drawn) - flow);
        carry[q] = above;
    }
    if (wabe_is_lowest(c))
        out[WABE_WATER_VAPOUR] = out[WABE_WATER_VAPOUR] + d * (WABE_COEFFICIENT(air->per_level) *
                                                               WABE_COEFFICIENT(air->moistening));
    carry[WABE_WATERS] = uphill;
}
WABE_WEATHER_MIXED(weather_carry_water)

/* ---- clouds and rain ----------------------------------------------------------------------- */

/* What a cell has of each water per dry air, and J rho_d. */
typedef struct {
    WABE_REAL vapour, cloud, rain, dry;
} wabe_moisture;

/* Cloud that becomes rain in a time d, by itself and by what falls through it (Klemp and Wilhelmson
 * 1978, equations 2.13; Soong and Ogura's implicit form). */
WABE_INLINE WABE_REAL wabe_water_collected(const wabe_moisture *m, WABE_REAL log_rain,
                                           WABE_REAL d) {
    const WABE_REAL zero = WABE_REAL_OF(0.0), cloud = wabe_largest(m->cloud, zero);
    const WABE_REAL by_itself = WABE_REAL_OF(0.001) *
                                wabe_largest(cloud - WABE_REAL_OF(0.001), zero);
    const WABE_REAL falling = WABE_REAL_OF(2.2) * wabe_exp2(WABE_REAL_OF(0.875) * log_rain);
    return cloud -
           (cloud - wabe_smallest(d * by_itself, cloud)) / (WABE_REAL_OF(1.0) + d * falling);
}

/* The speed at which rain falls, m/s (equation 2.15). log_loading: of rain in g/cm3. */
WABE_INLINE WABE_REAL wabe_water_speed(const wabe_weather_air *air, WABE_REAL log_loading,
                                       WABE_REAL density) {
    return WABE_REAL_OF(36.34) * wabe_exp2(WABE_REAL_OF(0.1364) * log_loading) *
           WABE_SQRT(WABE_COEFFICIENT(air->ground_density) / density);
}

/* See WABE_SATURATION_A. */
WABE_INLINE WABE_REAL wabe_water_saturation(WABE_REAL pressure, WABE_REAL temperature) {
    const WABE_REAL from = WABE_REAL_OF(WABE_SATURATION_B * 1.4426950408889634) *
                           (temperature - WABE_REAL_OF(WABE_SATURATION_C)) /
                           (temperature - WABE_REAL_OF(WABE_SATURATION_D));
    return WABE_REAL_OF(WABE_SATURATION_A) / pressure * wabe_exp2(from);
}

/* The most rain that evaporates in a time d into air that is not saturated (equations 2.14). */
WABE_INLINE WABE_REAL wabe_water_dried(const wabe_moisture *m, WABE_REAL saturation,
                                       WABE_REAL pressure, WABE_REAL density, WABE_REAL log_loading,
                                       WABE_REAL d) {
    const WABE_REAL zero = WABE_REAL_OF(0.0);
    const WABE_REAL air =
        (WABE_REAL_OF(1.6) + WABE_REAL_OF(124.9) * wabe_exp2(WABE_REAL_OF(0.2046) * log_loading)) *
        wabe_exp2(WABE_REAL_OF(0.525) * log_loading);
    const WABE_REAL against = WABE_REAL_OF(2.55e8) / (pressure * saturation) + WABE_REAL_OF(5.4e5);
    return d * (air / against) * wabe_largest(saturation - m->vapour, zero) /
           ((WABE_REAL_OF(0.001) * density) * saturation);
}

/* Downwards, after a step: cloud becomes rain, rain falls and evaporates, vapour condenses. Rain
 * that falls is that of the end of the step (implicit, upwind), so that no speed is too fast. Where
 * advection or diffusion left less than nothing, cloud and rain are made up for by vapour, and
 * vapour by that of the level below.
 *
 * Writes 0 water, 1 rain that reached the ground, 2 column: J rho, what it gained, and heat; reads
 * 3 state, 4 water, 5 rain on the ground, 6 rest, 7 ground, 8 levels. carry: rain that falls
 * through the face above, kg/(m2 s), and the vapour that the level above lacks. */
WABE_INLINE void wabe_weather_rain_cell(const wabe_weather_rain_args *a, const wabe_cell *c,
                                        WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    const WABE_REAL zero = WABE_REAL_OF(0.0), one = WABE_REAL_OF(1.0);
    const WABE_REAL d = WABE_COEFFICIENT(c->grid->values[0]);
    const WABE_REAL per = WABE_AT(c, 7, WABE_GROUND_PER_SHARE, 0, 0, 0) *
                          WABE_AT(c, 8, WABE_LEVEL_PER_THICKNESS, 0, 0, 0);
    const WABE_REAL water[WABE_WATERS] = {WABE_AT(c, 4, 0, 0, 0, 0), WABE_AT(c, 4, 1, 0, 0, 0),
                                          WABE_AT(c, 4, 2, 0, 0, 0)};
    const WABE_REAL density = wabe_weather_density(c, 3, 6, 0, 0, 0);
    const WABE_REAL dry = wabe_water_dry(density, water), share = one / dry, rho = dry * per;
    WABE_REAL vapour = water[0] + carry[1];
    carry[1] = wabe_smallest(vapour, zero);
    if (!wabe_is_lowest(c))
        vapour = vapour - carry[1];
    wabe_moisture m = {share * vapour, share * water[1], share * water[2], dry};

    const WABE_REAL collected = wabe_water_collected(&m, wabe_log2(wabe_largest(m.rain, zero)), d);
    const WABE_REAL log_loading =
        wabe_log2(WABE_REAL_OF(0.001) * (rho * wabe_largest(m.rain + collected, zero)));
    const WABE_REAL speed = per * wabe_water_speed(&a->air, log_loading, rho);
    const WABE_REAL before = water[2] + collected * dry;
    const WABE_REAL per_level = d * WABE_COEFFICIENT(a->air.per_level);
    const WABE_REAL rain = (before + per_level * carry[0]) / (one + per_level * speed);
    m.cloud = m.cloud - collected, m.rain = share * rain;

    const WABE_REAL heat0 = WABE_AT(c, 6, WABE_REST_DENSITY, 0, 0, 0) *
                            WABE_AT(c, 6, WABE_REST_THETA, 0, 0, 0);
    const WABE_REAL heat = WABE_AT(c, 3, WABE_WEATHER_HEAT, 0, 0, 0);
    const WABE_REAL pressure = WABE_AT(c, 6, WABE_REST_PRESSURE, 0, 0, 0) *
                               (one + wabe_weather_pressure(&a->air, heat / heat0));
    const WABE_REAL moist = one + WABE_VAPOUR_OVER_AIR * m.vapour;
    const WABE_REAL temperature = pressure / (WABE_COEFFICIENT(a->air.gas) * (rho * moist));
    const WABE_REAL latent = WABE_COEFFICIENT(a->air.latent); /* over the heat capacity, K */
    /* The formula is of no use far below the coldest air there is, and has a pole at 36 K. */
    const WABE_REAL warm = wabe_largest(temperature, WABE_REAL_OF(100.0));
    const WABE_REAL saturation = wabe_water_saturation(pressure, warm);
    const WABE_REAL off = warm - WABE_REAL_OF(WABE_SATURATION_D);
    const WABE_REAL slope =
        saturation *
        (WABE_REAL_OF(WABE_SATURATION_B * (WABE_SATURATION_C - WABE_SATURATION_D)) * latent) /
        (off * off);
    const WABE_REAL surplus = (m.vapour - saturation) / (one + slope); /* equation 3.10 */
    const WABE_REAL condensed = wabe_largest(surplus, zero - m.cloud);
    const WABE_REAL dried =
        wabe_smallest(wabe_smallest(wabe_water_dried(&m, saturation, pressure, rho, log_loading, d),
                                    wabe_largest((zero - surplus) - m.cloud, zero)),
                      m.rain);
    const WABE_REAL gained = condensed - dried;
    const WABE_REAL warmed = latent * gained / temperature;
    const WABE_REAL thinned = WABE_VAPOUR_OVER_AIR * gained / moist;
    (void)reduced;
    out[0] = vapour - gained * dry;
    out[1] = wabe_select(surplus > zero - m.cloud, water[1] + (condensed - collected) * dry, zero);
    out[2] = wabe_select(dried < m.rain, rain - dried * dry, zero);
    carry[0] = speed * rain;
    out[3] = WABE_AT(c, 5, 0, 0, 0, 0);
    if (wabe_is_lowest(c))
        out[3] = out[3] + d * carry[0];
    out[5] = (rain - before) + (vapour - water[0]);
    out[4] = density;
    out[6] = heat + (heat0 + heat) * (warmed - (thinned + warmed * thinned));
}

/* Rain that falls takes its momentum along: the wind stays. Writes 0 state; reads 1 state, 2
 * column. */
WABE_INLINE void wabe_weather_settle_cell(const wabe_weather_settle_args *a, const wabe_cell *c,
                                          WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[]) {
    (void)a, (void)carry, (void)reduced;
    out[WABE_WEATHER_DENSITY] = WABE_AT(c, 1, WABE_WEATHER_DENSITY, 0, 0, 0) +
                                WABE_AT(c, 2, 1, 0, 0, 0);
    out[WABE_WEATHER_HEAT] = WABE_AT(c, 2, 2, 0, 0, 0);
    WABE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        const int q = WABE_WEATHER_MOMENTUM + axis;
        out[q] = wabe_weather_gained(c, 2, axis, WABE_AT(c, 1, q, 0, 0, 0));
    }
}

/* ---- what is shown ------------------------------------------------------------------------- */

/* theta over theta of heat / rho, less 1: both of air with this much vapour and water. */
WABE_INLINE WABE_REAL wabe_water_lighter(WABE_REAL vapour, WABE_REAL water) {
    return (water - WABE_VAPOUR_OVER_AIR * vapour) /
           (WABE_REAL_OF(1.0) + WABE_VAPOUR_OVER_AIR * vapour);
}

/* As wabe_weather_show_cell, and waters per dry air: writes 0 to 5 as there, 6 shares; reads 7
 * state, 8 rest, 9 ground, 10 levels, 11 water. */
WABE_INLINE void wabe_weather_show_water_cell(const wabe_weather_show_water_args *a,
                                              const wabe_cell *c, WABE_REAL carry[],
                                              WABE_REAL out[], WABE_REAL reduced[]) {
    WABE_REAL *const theta = out + 3, *const shares = out + 7;
    const WABE_REAL water[WABE_WATERS] = {WABE_AT(c, 11, 0, 0, 0, 0), WABE_AT(c, 11, 1, 0, 0, 0),
                                          WABE_AT(c, 11, 2, 0, 0, 0)};
    const WABE_REAL density = wabe_weather_density(c, 7, 8, 0, 0, 0);
    const WABE_REAL per = WABE_REAL_OF(1.0) / wabe_water_dry(density, water);
    const WABE_REAL vapour0 = WABE_AT(c, 8, WABE_REST_VAPOUR, 0, 0, 0);
    const WABE_REAL rest = vapour0 / (WABE_REAL_OF(1.0) - vapour0);
    (void)carry, (void)reduced;
    wabe_weather_show_air(&a->air, c, 7, out);
    WABE_UNROLL
    for (int i = 0; i < WABE_WATERS; i++)
        shares[i] = per * water[i];
    const WABE_REAL lighter = wabe_water_lighter(shares[0], (shares[0] + shares[1]) + shares[2]);
    const WABE_REAL lighter0 = wabe_water_lighter(rest, rest);
    *theta = *theta +
             (*theta * lighter + WABE_AT(c, 8, WABE_REST_THETA, 0, 0, 0) * (lighter - lighter0));
    out[6] = out[6] * (density * per) /
             (WABE_COEFFICIENT(a->air.gas) *
              (WABE_REAL_OF(1.0) + WABE_VAPOUR_OVER_AIR * shares[WABE_WATER_VAPOUR]));
}

#endif
