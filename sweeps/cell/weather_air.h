/* The air of sweeps/cell/weather.h, for kernel files: what its numbers are, and small functions
 * that all of its sweeps use. */
#pragma once

#include "sweeps/cell/coefficient.h"
#include "sweeps/cell/stencil.h"

#define WABE_GAS 287.0            /* J/(kg K), of dry air */
#define WABE_VAPOUR_GAS 461.5     /* the same, of vapour */
#define WABE_HEAT_CAPACITY 1004.0 /* of dry air at constant pressure, J/(kg K) */

/* The components of the fields with several. */
enum {
    WABE_WEATHER_DENSITY,
    WABE_WEATHER_HEAT, /* rho theta */
    WABE_WEATHER_MOMENTUM,
    WABE_WEATHER_STATE = WABE_WEATHER_MOMENTUM + 3
};

/* Air at rest: J rho, theta, p of cells, and with water the share of vapour. */
enum { WABE_REST_DENSITY, WABE_REST_THETA, WABE_REST_PRESSURE, WABE_REST_VAPOUR, WABE_RESTS };

/* Of levels: their thickness over the mean one, and its inverse; the inverse at the faces below and
 * above, where it is the mean of two levels; what is left of the ground's slope there, 0 at the
 * lid; zeta of the middle, r, and V along x and z. */
enum {
    WABE_LEVEL_THICKNESS,
    WABE_LEVEL_PER_THICKNESS,
    WABE_LEVEL_PER_BELOW,
    WABE_LEVEL_PER_ABOVE,
    WABE_LEVEL_SLOPE_BELOW,
    WABE_LEVEL_SLOPE_ABOVE,
    WABE_LEVEL_HEIGHT,
    WABE_LEVEL_RATE,
    WABE_LEVEL_WIND_X,
    WABE_LEVEL_WIND_Z,
    WABE_LEVELS
};

/* Of columns: 1 - h / H, which is J over mean levels, and its inverse; the ground's slopes on the
 * lower faces along x and z, its height h, and r. */
enum {
    WABE_GROUND_SHARE,
    WABE_GROUND_PER_SHARE,
    WABE_GROUND_SLOPE_X,
    WABE_GROUND_SLOPE_Z,
    WABE_GROUND_HEIGHT,
    WABE_GROUND_RATE,
    WABE_GROUNDS
};

typedef struct {
    wabe_coefficient per_length, per_level; /* 1 / spacing along x and z; 1 / mean thickness */
    wabe_coefficient gravity, gamma;
    wabe_coefficient now, before; /* weights of new and old values along y; their sum is 1 */
    wabe_coefficient damping;     /* of divergence */
    wabe_coefficient mixed_along, mixed_up;     /* K / spacing^2, K / mean thickness^2; with eddies
                                                   without K, which each cell has */
    wabe_coefficient scalars_along, scalars_up; /* the same of K_s, of theta and water */
    wabe_coefficient eddies;                    /* C^2 (spacing^2 mean thickness)^(2/3) */
    wabe_coefficient per_prandtl, most_mixing;  /* 1 / Pr; the largest diffusivity that is stable */
    wabe_coefficient turning;                   /* f */
    wabe_coefficient drag;                      /* of the ground: stress over rho |v| v */
    wabe_coefficient heating, moistening; /* by the ground: heat over that of a kelvin of air, kg
                                             K/(m2 s), and vapour, kg/(m2 s) */
    wabe_coefficient gas, latent; /* J/(kg K), of dry air; heat of evaporation over that of a kelvin
                                     of air, K */
    wabe_coefficient ground_density; /* kg/m3, of air at rest at a height of 0 */
} wabe_weather_air;

/* Value i of an entry of the step is the length of a substep of stage i. */
#define WABE_WEATHER_ARGS(name)                                                                    \
    typedef struct wabe_weather_##name##_args {                                                    \
        wabe_grid_args grid;                                                                       \
        wabe_weather_air air;                                                                      \
    } wabe_weather_##name##_args;                                                                  \
    extern const struct wabe_sweep wabe_sweep_weather_##name;
#ifdef WABE_REAL

#include "sweeps/cell/stencil_math.h"

#define WABE_HALF WABE_REAL_OF(0.5)

/* 1 / epsilon. */
#define WABE_VAPOUR_OVER_AIR WABE_REAL_OF(WABE_VAPOUR_GAS / WABE_GAS)

/* The length of a substep of the present stage. */
WABE_INLINE WABE_REAL wabe_weather_substep(const wabe_grid_args *g) {
    return WABE_COEFFICIENT(g->values[g->index[0]]);
}

/* J rho. */
WABE_INLINE WABE_REAL wabe_weather_density(const wabe_cell *c, int state, int rest, int dx, int dy,
                                           int dz) {
    return WABE_AT(c, rest, WABE_REST_DENSITY, dx, dy, dz) +
           WABE_AT(c, state, WABE_WEATHER_DENSITY, dx, dy, dz);
}

/* Does the face below level dy of the column let air through? */
WABE_INLINE int wabe_weather_is_open(const wabe_cell *c, int dy) {
    const int face = (int)c->y + dy; /* in 64 bits a GPU has more to do */
    return face > 0 && face < (int)c->grid->cells[1];
}

/* A value, or 0 where a face is closed. What is read is read in any case: loads that wait for a
 * comparison take longer. */
WABE_INLINE WABE_REAL wabe_weather_if(int is_open, WABE_REAL value) {
    if (!is_open)
        value = WABE_REAL_OF(0.0);
    return value;
}

/* A value of the face below the cell, or 0 at the ground. */
WABE_INLINE WABE_REAL wabe_weather_above_ground(const wabe_cell *c, WABE_REAL value) {
    return wabe_weather_if(wabe_weather_is_open(c, 0), value);
}

/* What crosses the face below level dy: 0 at the ground and the lid. */
WABE_INLINE WABE_REAL wabe_weather_across(const wabe_cell *c, int access, int q, int dx, int dy,
                                          int dz) {
    return wabe_weather_if(wabe_weather_is_open(c, dy), WABE_AT(c, access, q, dx, dy, dz));
}

/* The vertical velocity at the face below level dy: 0 at the lid; below the ground that at it. */
WABE_INLINE WABE_REAL wabe_weather_updraught(const wabe_cell *c, int access, int q, int dx, int dy,
                                             int dz) {
    return wabe_weather_if((int)c->y + dy < (int)c->grid->cells[1],
                           WABE_AT(c, access, q, dx, dy, dz));
}

/* 1 / J at the faces below and above a level. */
WABE_INLINE WABE_REAL wabe_weather_per_below(const wabe_cell *c, int ground, int levels) {
    return WABE_AT(c, ground, WABE_GROUND_PER_SHARE, 0, 0, 0) *
           WABE_AT(c, levels, WABE_LEVEL_PER_BELOW, 0, 0, 0);
}
WABE_INLINE WABE_REAL wabe_weather_per_above(const wabe_cell *c, int ground, int levels) {
    return WABE_AT(c, ground, WABE_GROUND_PER_SHARE, 0, 0, 0) *
           WABE_AT(c, levels, WABE_LEVEL_PER_ABOVE, 0, 0, 0);
}

/* Twice the horizontal momentum of level dy along the ground's slopes: the means of two faces each
 * along x and z, whose momenta are numbers x and z of an access. */
WABE_INLINE WABE_REAL wabe_weather_uphill(const wabe_cell *c, int access, int x, int z, int ground,
                                          int dy) {
    return (WABE_AT(c, ground, WABE_GROUND_SLOPE_X, 0, 0, 0) * WABE_AT(c, access, x, 0, dy, 0) +
            WABE_AT(c, ground, WABE_GROUND_SLOPE_X, 1, 0, 0) * WABE_AT(c, access, x, 1, dy, 0)) +
           (WABE_AT(c, ground, WABE_GROUND_SLOPE_Z, 0, 0, 0) * WABE_AT(c, access, z, 0, dy, 0) +
            WABE_AT(c, ground, WABE_GROUND_SLOPE_Z, 0, 0, 1) * WABE_AT(c, access, z, 0, dy, 1));
}

/* 1 / J below, at and above the middle of a level. */
WABE_INLINE void wabe_weather_per_level(const wabe_cell *c, int ground, int levels,
                                        WABE_REAL per[3]) {
    per[0] = wabe_weather_per_below(c, ground, levels);
    per[1] = WABE_AT(c, ground, WABE_GROUND_PER_SHARE, 0, 0, 0) *
             WABE_AT(c, levels, WABE_LEVEL_PER_THICKNESS, 0, 0, 0);
    per[2] = wabe_weather_per_above(c, ground, levels);
}

/* The inverse share of the column that a number on the lower face along a horizontal axis is in:
 * the mean of those on both sides. */
WABE_INLINE WABE_REAL wabe_weather_per_share(const wabe_cell *c, int ground, int axis) {
    return WABE_HALF * (WABE_AT(c, ground, WABE_GROUND_PER_SHARE, 0, 0, 0) +
                        WABE_AT(c, ground, WABE_GROUND_PER_SHARE, -(axis == 0), 0, -(axis == 2)));
}

/* The wind V of level dy along an axis. */
WABE_INLINE WABE_REAL wabe_weather_wind(const wabe_cell *c, int levels, int axis, int dy) {
    return WABE_AT(c, levels, axis == 0 ? WABE_LEVEL_WIND_X : WABE_LEVEL_WIND_Z, 0, dy, 0);
}

#endif
