/* The weather core on slabs of a grid: see sweeps/cell/weather.h. */
#pragma once

#include "sweeps/cell/water.h"
#include "sweeps/cell/weather.h"
#include "sweeps/stencil/grid.h"

typedef struct {
    double spacing, thickness; /* along x and z; of levels, in the mean; m */
    double time_step;          /* s */
    int substeps;              /* of a time step; even */
    double gravity, gamma;
    double off_centring;   /* of the implicit parts; 0: Crank-Nicolson */
    double damping;        /* of divergence */
    double diffusivity;    /* m2/s, of momentum */
    double prandtl_number; /* it, and that of eddies, over those of theta and water */
    double smagorinsky;    /* C of the eddies' diffusivity; 0: there are none */
    double most_mixing;    /* the largest diffusivity of eddies that is stable, m2/s */
    double coriolis;       /* 1/s */
    double drag;           /* of the ground: stress over rho |v| v of the lowest level */
    double heating;        /* of the air by the ground, over its heat capacity, kg K/(m2 s) */
    double moistening;     /* the same by vapour, kg/(m2 s) */
    double gas;            /* constant of dry air, J/(kg K) */
    /* With water. */
    double latent;         /* heat of evaporation over that of a kelvin of air, K */
    double ground_density; /* of air at rest at a height of 0, kg/m3 */
} wabe_weather_step;

/* What a model has beside dry air over terrain. */
typedef struct {
    bool flat;   /* the ground has height 0 everywhere */
    bool water;  /* vapour, cloud and rain */
    bool eddies; /* smagorinsky is not 0 */
} wabe_weather_parts;

/* Where the air is. */
typedef struct {
    int64_t cells[3];     /* of the domain */
    double spacing;       /* along x and z, m */
    const double *faces;  /* heights of the levels' faces over flat ground: 0, ..., of the lid */
    const double *ground; /* heights of the ground under the middles of columns, [z][x] */
    const void *context;
    /* The density, theta, pressure and share of vapour (WABE_REST_*) of air at rest at a height. */
    void (*rest)(const void *context, double height, double out[WABE_RESTS]);
    /* The rates at which air is drawn to that at rest, 1/s, which add up: of a height over flat
     * ground, and of a column. */
    double (*level_rate)(const void *context, double height);
    double (*column_rate)(const void *context, int64_t x, int64_t z);
    /* The wind along an axis at a height over flat ground, that blows beside what turns, and where
     * air is drawn to rest, m/s. */
    double (*wind)(const void *context, int axis, double height);
} wabe_weather_place;

/* Returns the height of the middle of a cell, or sets rest to J rho, theta, p and share of
 * vapour of air at rest there. Indices count on across the periodic faces. Local. */
double wabe_weather_height(const wabe_weather_place *place, const int64_t cell[3]);
void wabe_weather_rest_at(const wabe_weather_place *place, const int64_t cell[3],
                          double rest[WABE_RESTS]);

/* Makes the model of a domain of this many cells, periodic along x and z. type: of all numbers.
 * step must outlive it. kernel: a part of its name, or "". Local. */
wabe_grid_model wabe_weather_model(wabe_type type, const int64_t cells[3],
                                   const wabe_weather_parts *parts, const wabe_weather_step *step,
                                   const char *kernel);

/* Sets the arguments of a slab's sweeps, and its constants. WABE_MEMORY. Local. */
wabe_status wabe_weather_set(wabe_grid_slab *slab, const wabe_weather_step *step,
                             const wabe_weather_place *place);
