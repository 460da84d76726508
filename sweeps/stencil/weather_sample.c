/* The sweeps of weather in the registry, and the case that wabe bench and wabe calibrate measure
 * them on: air at rest whose theta is the same everywhere, over flat ground; dry, or, for sweeps
 * that dry air has not, with water and eddies. */
#include "sweeps/stencil/weather.h"

#include "sweeps/cell/stencil_attributes.h"

#include <math.h>
#include <stdlib.h>

#define THETA 300.0
#define GRAVITY 9.81
#define THICKNESS 50.0 /* of a level, m */
#define STANDARD 1e5   /* Pa */

/* The first one is measured as a step; each sweep is in one of them. */
static const wabe_weather_parts parts[] = {{.flat = true},
                                           {.flat = true, .water = true},
                                           {.flat = true, .water = true, .eddies = true}};

static const wabe_weather_step sample_numbers = {.spacing = 100.0,
                                                 .thickness = THICKNESS,
                                                 .time_step = 0.5,
                                                 .substeps = 6,
                                                 .gravity = GRAVITY,
                                                 .gamma = WABE_HEAT_CAPACITY /
                                                          (WABE_HEAT_CAPACITY - WABE_GAS),
                                                 .off_centring = 0.1,
                                                 .damping = 0.1,
                                                 .prandtl_number = 1.0,
                                                 .smagorinsky = 0.2,
                                                 .most_mixing = 100.0,
                                                 .gas = WABE_GAS,
                                                 .latent = 2490.0,
                                                 .ground_density = 1.2};

static wabe_grid_model sample_step(wabe_type type, const int64_t cells[3], bool walls) {
    (void)walls;
    return wabe_weather_model(type, cells, &parts[0], &sample_numbers, "");
}

static bool has(const wabe_grid_model *m, const wabe_sweep *sweep) {
    bool found = false;
    for (int i = 0; i < m->sweep_count; i++)
        found |= m->sweeps[i].sweep == sweep;
    return found;
}

static wabe_grid_model sample_model(const wabe_kernel *kernel, const int64_t cells[3], bool walls) {
    wabe_grid_model step = sample_step(kernel->storage, cells, walls);
    for (int i = 1; !has(&step, kernel->sweep); i++)
        step = wabe_weather_model(kernel->storage, cells, &parts[i], &sample_numbers, "");
    return wabe_grid_model_of_one(&step, kernel);
}

static void rest(const void *context, double height, double out[WABE_RESTS]) {
    const double exner = 1.0 - GRAVITY * height / (WABE_HEAT_CAPACITY * THETA);
    (void)context;
    out[WABE_REST_PRESSURE] = STANDARD * pow(exner, WABE_HEAT_CAPACITY / WABE_GAS);
    out[WABE_REST_DENSITY] = out[WABE_REST_PRESSURE] / (WABE_GAS * THETA * exner);
    out[WABE_REST_THETA] = THETA;
    out[WABE_REST_VAPOUR] = 0.0;
}

static double no_level_rate(const void *context, double height) {
    (void)context, (void)height;
    return 0.0;
}

static double no_column_rate(const void *context, int64_t x, int64_t z) {
    (void)context, (void)x, (void)z;
    return 0.0;
}

static double calm(const void *context, int axis, double height) {
    (void)context, (void)axis, (void)height;
    return 0.0;
}

/* The state of air at rest is 0, as all fields are. */
static wabe_status sample_fill(wabe_grid_slab *slab) {
    const int64_t *n = slab->model.cells;
    double *faces = malloc(((size_t)n[1] + 1) * sizeof *faces);
    double *ground = calloc((size_t)(n[0] * n[2]), sizeof *ground);
    const wabe_weather_place place = {.cells = {n[0], n[1], n[2]},
                                      .spacing = sample_numbers.spacing,
                                      .faces = faces,
                                      .ground = ground,
                                      .rest = rest,
                                      .level_rate = no_level_rate,
                                      .column_rate = no_column_rate,
                                      .wind = calm};
    for (int64_t i = 0; faces && i <= n[1]; i++)
        faces[i] = (double)i * THICKNESS;
    const wabe_status status = faces && ground ? wabe_weather_set(slab, &sample_numbers, &place)
                                               : WABE_FAIL(WABE_MEMORY, "no memory for columns");
    free(faces);
    free(ground);
    return status;
}

static const wabe_grid_sample sample = {.model = sample_model, .fill = sample_fill};
static const wabe_grid_sample step = {.application = "weather",
                                      .model = sample_model,
                                      .fill = sample_fill,
                                      .step = sample_step};

#define WEATHER_SAMPLED(name, does, from, to, of)                                                  \
    WABE_SWEEP(weather_##name, does, from, to, .halo = 3, .exchanged = true,                       \
               .phase = WABE_PHASE_inner, .family = &wabe_stencil_family, .sample = of)
#define WEATHER_SWEEP(name, does, from, to) WEATHER_SAMPLED(name, does, from, to, &sample)

WEATHER_SAMPLED(keep, "the state at the begin of a step of weather", "state", "old state", &step);
WEATHER_SWEEP(begin, "the begin of a stage of weather: theta, pressure", "state",
              "theta, pressure, stiffness");
WEATHER_SWEEP(velocity, "the velocity of a stage of weather", "state, old state",
              "velocity, crossing, fast fields");
WEATHER_SWEEP(densities, "the densities at the end of a stage of weather", "state, fast column",
              "densities");
WEATHER_SWEEP(slow_scalars, "advection and diffusion of density and heat", "state, warmer",
              "slow scalars");
WEATHER_SWEEP(slow_x, "advection, pressure and turning of wind along x",
              "state, velocity, pressure", "slow x");
WEATHER_SWEEP(slow_y, "advection, pressure and weight of rising air", "state, velocity, pressure",
              "slow y");
WEATHER_SWEEP(slow_z, "advection, pressure and turning of wind along z",
              "state, velocity, pressure", "slow z");
WEATHER_SWEEP(slow_scalars_eddies, "advection of density and heat, which eddies mix",
              "state, warmer, mixing", "slow scalars");
WEATHER_SWEEP(slow_x_eddies, "what acts on wind along x, and eddies",
              "state, velocity, pressure, mixing", "slow x");
WEATHER_SWEEP(slow_y_eddies, "what acts on rising air, and eddies",
              "state, velocity, pressure, mixing", "slow y");
WEATHER_SWEEP(slow_z_eddies, "what acts on wind along z, and eddies",
              "state, velocity, pressure, mixing", "slow z");
WEATHER_SWEEP(pivots, "the elimination of columns, upwards", "stiffness, theta, fast column",
              "pivot, upper, pressure");
WEATHER_SWEEP(push, "a substep of horizontal winds", "fast winds, slow winds, pressure",
              "fast winds");
WEATHER_SWEEP(rise, "a substep of columns, upwards", "fast fields, slow fields, theta", "rows");
WEATHER_SWEEP(sink, "a substep of columns, downwards", "rows, upper", "fast column, pressure");
WEATHER_SWEEP(finish, "the end of a stage of weather", "state, fast fields", "state");
WEATHER_SWEEP(eddies, "the diffusivity of eddies (Smagorinsky, Lilly)", "velocity, theta, state",
              "mixing");
WEATHER_SWEEP(keep_water, "water at the begin of a step of weather", "water", "old water");
WEATHER_SWEEP(sink_water, "a substep of columns, downwards, with what it moves", "rows, upper",
              "fast column, pressure, moved");
WEATHER_SWEEP(humidity, "shares of water, and the momentum that carries them",
              "state, water, moved", "shares, moved");
WEATHER_SWEEP(carry_water, "advection and diffusion of water", "old water, shares, moved", "water");
WEATHER_SWEEP(carry_water_eddies, "advection of water, which eddies mix",
              "old water, shares, moved, mixing", "water");
WEATHER_SWEEP(rain, "clouds, rain and its fall", "state, water",
              "water, rain on the ground, column");
WEATHER_SWEEP(settle, "the wind after rain has fallen", "state, column", "state");
WEATHER_SWEEP(show_water, "the velocity, theta, pressure, height and water of weather",
              "state, water", "slow fields, stiffness, shares");
WEATHER_SWEEP(show, "the velocity, theta, pressure and height of weather", "state",
              "slow fields, stiffness");
