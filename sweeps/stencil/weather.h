/* The weather core on slabs of a grid: see sweeps/cell/weather.h. */
#pragma once

#include "sweeps/cell/weather.h"
#include "sweeps/stencil/grid.h"

/* Air at rest: density, theta and pressure of a level (WABE_LEVEL_*). */
typedef double wabe_weather_level[WABE_LEVELS];

typedef struct {
    double spacing, time_step; /* m, s */
    int substeps;              /* of a time step; even */
    double gravity, gamma;
    double off_centring; /* of the implicit parts; 0: Crank-Nicolson */
    double damping;      /* of divergence */
    double diffusivity;  /* m2/s */
} wabe_weather_step;

/* Makes the model of a domain of this many cells, periodic along x and z. type: of all numbers.
 * step must outlive it. kernel: a part of its name, or "". Local. */
wabe_grid_model wabe_weather_model(wabe_type type, const int64_t cells[3],
                                   const wabe_weather_step *step, const char *kernel);

/* Sets the arguments of a slab's sweeps, and its levels, one for each cell along y. WABE_MEMORY.
 * Local. */
wabe_status wabe_weather_set(wabe_grid_slab *slab, const wabe_weather_step *step,
                             const wabe_weather_level levels[]);
