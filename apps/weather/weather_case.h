/* A weather case, for the files of this folder. */
#pragma once

#include "apps/runtime/stencil.h"
#include "apps/weather/weather.h"
#include "sweeps/stencil/weather.h"

/* As the words in weather_schema.c. */
enum { WABE_NEUTRAL, WABE_ISOTHERMAL, WABE_STRATIFIED, WABE_WEISMAN_KLEMP, WABE_SOUNDING_TABLE };
enum { WABE_FLAT, WABE_BELL, WABE_RIDGE, WABE_SCHAER, WABE_TERRAIN_FILE };

#define WABE_PI 3.14159265358979323846
#define WABE_GRAVITY 9.81          /* m/s2 */
#define WABE_EVAPORATION 2.5e6     /* heat of evaporation, J/kg */
#define WABE_STANDARD_PRESSURE 1e5 /* Pa, at which theta is the temperature */

/* Air at rest of soundings that are no formula: from the ground to the lid, in equal steps. */
typedef struct {
    int64_t points;                 /* 0: the sounding is a formula */
    double step;                    /* m */
    double *theta, *exner, *vapour; /* see wabe_weather_balance; vapour: share of all air */
} wabe_weather_profile;

typedef struct {
    wabe_weather_options options;
    wabe_stencil_case stencil;
    wabe_weather_step step;
    wabe_weather_place place; /* whose heights belong to this */
    wabe_weather_place start; /* the same, whose air is that of the start, without bubbles */
    double *faces, *ground;
    wabe_weather_profile profile;
    double highest;         /* of the ground, m */
    double thinnest;        /* level, m */
    double sound;           /* its largest speed, m/s */
    double per_sound;       /* what its explicit terms make of the spacing, 1/m; see take_slopes */
    const char *limited_by; /* of a time step that is chosen */
    double mass;            /* of air at rest, kg */
    bool has_water;
    const char *units[WABE_GRID_NUMBERS_MAX];
} wabe_weather_case;

/* ---- sounding.c -------------------------------------------------------------------------- */

/* Checks the keys of the sounding and makes its profile up to the lid. WABE_INPUT, WABE_MEMORY.
 * Local. */
wabe_status wabe_weather_take_sounding(const wabe_config *config, wabe_weather_case *w);
/* Finds the speed of sound, and the mass of air at rest. WABE_INPUT: there is no air below the lid.
 * Local. */
wabe_status wabe_weather_take_air(const wabe_config *config, wabe_weather_case *w);
/* Sets theta, of sweeps/cell/water.h if there is water, and the Exner function of air at rest at a
 * height. Local. */
void wabe_weather_balance(const wabe_weather_case *w, double height, double *theta, double *exner);
/* Returns the share of vapour in air at rest. Local. */
double wabe_weather_vapour(const wabe_weather_case *w, double height);
/* As in wabe_weather_place, whose context is the case. Local. */
void wabe_weather_rest(const void *context, double height, double rest[WABE_RESTS]);
void wabe_weather_start(const void *context, double height, double start[WABE_RESTS]);
double wabe_weather_wind_at(const void *context, int axis, double height);
/* Returns the largest wind of a level, the speeds along both axes added up, m/s. Local. */
double wabe_weather_fastest(const wabe_weather_case *w);

/* ---- place.c ----------------------------------------------------------------------------- */

/* Check the domain's cells and the zones in which air is drawn to rest. WABE_INPUT. Local. */
wabe_status wabe_weather_check_domain(const wabe_config *config, const wabe_weather_case *w);
wabe_status wabe_weather_check_relaxation(const wabe_config *config, const wabe_weather_case *w);
/* Make the levels, and the ground, which needs them. WABE_INPUT, WABE_MEMORY. Local. */
wabe_status wabe_weather_take_levels(const wabe_config *config, wabe_weather_case *w);
wabe_status wabe_weather_take_terrain(const wabe_config *config, wabe_weather_case *w);
/* Checks that the zones reach numbers of some cells; after all of the above. WABE_INPUT. Local. */
wabe_status wabe_weather_check_zones(const wabe_config *config, const wabe_weather_case *w);
/* Checks a place, given under this key; NAN: not given. WABE_INPUT: it is outside. Local. */
wabe_status wabe_weather_check_inside(const wabe_config *config, const wabe_weather_case *w,
                                      const char *path, const double place[3]);
/* Returns the height of the lid, and how far the middle of a column is from a place along a
 * periodic axis, m. Local. */
double wabe_weather_lid(const wabe_weather_case *w);
double wabe_weather_away(const wabe_weather_case *w, int axis, int64_t index, double from);
/* As in wabe_weather_place, whose context is the case. Local. */
double wabe_weather_level_rate(const void *context, double height);
double wabe_weather_column_rate(const void *context, int64_t x, int64_t z);
