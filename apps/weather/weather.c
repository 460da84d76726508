#include "apps/weather/weather.h"

#include "apps/runtime/stencil.h"
#include "core/base/log.h"
#include "sweeps/stencil/weather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As the words in weather_schema.c. */
enum { NEUTRAL, ISOTHERMAL, STRATIFIED };
enum { OF_THETA, OF_TEMPERATURE };
enum { F64, F32 };

#define PI 3.14159265358979323846
#define GRAVITY 9.81    /* m/s2 */
#define GAS 287.0       /* J/(kg K), of dry air */
#define HEAT 1004.0     /* the same, at constant pressure */
#define PRESSURE 1e5    /* Pa, at which theta is the temperature */
#define WIND_STABLE 1.0 /* of wind: below what all orders are stable for */
#define WIND_USUAL                                                                                 \
    30.0 /* m/s: what a time step that is chosen has room for, beside the given wind */
#define SAFE 0.9
enum { LEVELS_LEAST = 8, LAYERS = 3 };

typedef struct {
    wabe_weather_options options;
    wabe_stencil_case stencil;
    wabe_weather_step step;
    wabe_weather_level *levels;
    double sound; /* its largest speed, m/s */
} weather;

/* ---- air at rest ------------------------------------------------------------------------ */

/* theta and the Exner function (p / PRESSURE)^(GAS / HEAT) at a height, in hydrostatic balance: d
 * exner / dy = -g / (HEAT theta). */
static void rest_at(const weather *w, double height, double *theta, double *exner) {
    const double ground = w->options.sounding.theta, n = w->options.sounding.frequency;
    const double first = pow(w->options.sounding.pressure / PRESSURE, GAS / HEAT);
    if (w->options.sounding.kind == NEUTRAL) {
        *theta = ground;
        *exner = first - GRAVITY * height / (HEAT * ground);
    } else if (w->options.sounding.kind == ISOTHERMAL) {
        *exner = first * exp(-GRAVITY * height / (HEAT * ground));
        *theta = ground / *exner;
    } else {
        const double rise = n * n * height / GRAVITY;
        *theta = ground * exp(rise);
        *exner = first + GRAVITY * GRAVITY / (HEAT * ground * n * n) * expm1(-rise);
    }
}

static wabe_status take_levels(const wabe_config *config, weather *w) {
    const int64_t count = w->options.run.domain.cells[1];
    w->levels = calloc((size_t)count, sizeof *w->levels);
    WABE_CHECK(w->levels, WABE_MEMORY, "no memory for %lld levels", (long long)count);
    for (int64_t y = 0; y < count; y++) {
        const double height = ((double)y + 0.5) * w->options.spacing;
        double theta, exner;
        rest_at(w, height, &theta, &exner);
        if (!(exner > 0.05))
            return wabe_config_fail(config, "sounding.kind",
                                    "has no air at a height of %g m: the domain is %g m high",
                                    height, (double)count * w->options.spacing);
        const double pressure = PRESSURE * pow(exner, HEAT / GAS);
        w->levels[y][WABE_LEVEL_THETA] = theta;
        w->levels[y][WABE_LEVEL_PRESSURE] = pressure;
        w->levels[y][WABE_LEVEL_DENSITY] = pressure / (GAS * theta * exner);
        w->sound = fmax(w->sound, sqrt(w->step.gamma * GAS * theta * exner));
    }
    return WABE_OK;
}

/* Bubbles may add up; those of temperature are further from theta the higher they reach. What is
 * warmer carries sound faster. */
static wabe_status take_bubbles(const wabe_config *config, weather *w) {
    const wabe_weather_bubble *b = w->options.weather.bubbles.items;
    const int64_t count = w->options.run.domain.cells[1];
    double coldest = 0.0, warmest = 0.0;
    for (int64_t i = 0; i < w->options.weather.bubbles.count; i++) {
        double top = b[i].radius[1] > 0.0 ? b[i].center[1] + b[i].radius[1] : INFINITY;
        top = fmax(0.0, fmin(top / w->options.spacing, (double)(count - 1)));
        const double pressure = w->levels[(int64_t)top][WABE_LEVEL_PRESSURE] / PRESSURE;
        const double of_theta = b[i].of == OF_TEMPERATURE ? pow(pressure, GAS / HEAT) : 1.0;
        coldest += fmin(b[i].amplitude, 0.0) / of_theta;
        warmest += fmax(b[i].amplitude, 0.0) / of_theta;
    }
    const double theta = w->levels[0][WABE_LEVEL_THETA];
    if (coldest < -0.5 * theta || warmest > theta)
        return wabe_config_fail(
            config, "weather.bubbles",
            "may add up to potential temperatures %.4g to %.4g K away from that of "
            "air at rest, %.4g K: between minus a half of it and itself are possible",
            coldest, warmest, theta);
    w->sound *= sqrt(1.0 + warmest / theta);
    return WABE_OK;
}

/* ---- what the options say ------------------------------------------------------------- */

static wabe_status check_domain(const wabe_config *config, const weather *w) {
    const int64_t *n = w->options.run.domain.cells;
    if (n[1] < LEVELS_LEAST)
        return wabe_config_fail(config, "domain.cells",
                                "has %lld levels along y, which is up: at least %d are needed",
                                (long long)n[1], LEVELS_LEAST);
    for (int axis = 0; axis < 3; axis += 2)
        if (n[axis] > 1 && n[axis] < LAYERS)
            return wabe_config_fail(config, "domain.cells",
                                    "has %lld cells along %c: 1, or at least %d, are needed",
                                    (long long)n[axis], 'x' + axis, LAYERS);
    return WABE_OK;
}

static wabe_status check_sounding(const wabe_config *config, const weather *w) {
    const bool given = wabe_config_is_given(config, "sounding.frequency");
    if (given != (w->options.sounding.kind == STRATIFIED))
        return wabe_config_fail(config, "sounding.frequency",
                                given ? "is only of kind \"stratified\""
                                      : "is missing: kind \"stratified\" needs it");
    return WABE_OK;
}

static wabe_status check_bubbles(const wabe_config *config, const weather *w) {
    const wabe_option_list *list = &w->options.weather.bubbles;
    for (int64_t i = 0; i < list->count; i++) {
        const wabe_weather_bubble *b = &((const wabe_weather_bubble *)list->items)[i];
        char path[64];
        snprintf(path, sizeof path, "weather.bubbles[%d].radius", (int)i);
        for (int axis = 0; axis < 3; axis++)
            if (!(b->radius[axis] >= 0.0))
                return wabe_config_fail(config, path, "must not be negative");
        snprintf(path, sizeof path, "weather.bubbles[%d].amplitude", (int)i);
        if (!(fabs(b->amplitude) < 100.0))
            return wabe_config_fail(config, path, "is in K, and must be between -100 and 100");
    }
    return WABE_OK;
}

/* Axes along which sound needs a limit of the time step. */
static int open_axes(const weather *w) {
    const int64_t *n = w->options.run.domain.cells;
    return (n[0] > 1) + (n[2] > 1);
}

/* The Courant number of sound of a substep. */
static double sound_courant(const weather *w) {
    const double substep = w->step.time_step / w->step.substeps;
    return w->sound * substep * sqrt((double)open_axes(w)) / w->options.spacing;
}

/* The largest stable Courant number of sound: damping of divergence adds to its waves of two cells.
 */
static double sound_stable(const weather *w) { return 1.0 / sqrt(1.0 + 2.0 * w->step.damping); }

static wabe_status take_time_step(const wabe_config *config, weather *w) {
    const double given = w->options.weather.time_step, dx = w->options.spacing;
    const double *wind = w->options.weather.wind;
    if (w->options.weather.substeps % 2)
        return wabe_config_fail(config, "weather.substeps",
                                "must be even: half of them are done in "
                                "the second stage");
    w->step.substeps = (int)w->options.weather.substeps;
    w->step.time_step = 1.0;
    const double blowing = fabs(wind[0]) + fabs(wind[2]);
    const double most = sound_stable(w) / sound_courant(w); /* infinite for a single column */
    w->step.time_step = isfinite(given)
                            ? given
                            : SAFE * fmin(fmin(most, WIND_STABLE * dx / (blowing + WIND_USUAL)),
                                          dx * dx / (6.0 * w->options.weather.diffusivity));
    if (sound_courant(w) > sound_stable(w))
        return wabe_config_fail(
            config, "weather.time_step",
            "is unstable: sound, at %.4g m/s, goes %.3g cells in a substep, at most %g; take %g s "
            "or less, or weather.substeps = %d",
            w->sound, sound_courant(w), sound_stable(w), most,
            2 * (int)ceil(0.5 * w->step.substeps * sound_courant(w) / sound_stable(w)));
    const double courant = blowing * w->step.time_step / dx;
    if (courant > WIND_STABLE)
        return wabe_config_fail(config, "weather.time_step",
                                "is unstable: the wind goes %.3g cells in a step, at most %g",
                                courant, WIND_STABLE);
    const double mixing = w->options.weather.diffusivity * w->step.time_step / (dx * dx);
    if (6.0 * mixing > 1.0)
        return wabe_config_fail(config, "weather.diffusivity",
                                "is unstable with a time step of %g s: at most %.4g m2/s",
                                w->step.time_step, dx * dx / (6.0 * w->step.time_step));
    if (wind[1] != 0.0)
        return wabe_config_fail(config, "weather.wind", "must be 0 along y, which is up");
    return WABE_OK;
}

static wabe_status take_options(const wabe_config *config, weather *w) {
    const wabe_weather_options *o = &w->options;
    w->step = (wabe_weather_step){.spacing = o->spacing,
                                  .gravity = GRAVITY,
                                  .gamma = HEAT / (HEAT - GAS),
                                  .off_centring = o->weather.off_centring,
                                  .damping = o->weather.damping,
                                  .diffusivity = o->weather.diffusivity};
    WABE_TRY(check_domain(config, w));
    WABE_TRY(check_sounding(config, w));
    WABE_TRY(check_bubbles(config, w));
    WABE_TRY(take_levels(config, w));
    WABE_TRY(take_bubbles(config, w));
    return take_time_step(config, w);
}

/* ---- the initial state ---------------------------------------------------------------- */

/* 1 in the middle of a bubble, 0 outside. */
static double shape_of(const weather *w, const wabe_weather_bubble *b, const int64_t cell[3]) {
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double edge = (double)w->options.run.domain.cells[axis] * w->options.spacing;
        double off = fabs(((double)cell[axis] + 0.5) * w->options.spacing - b->center[axis]);
        if (axis != 1)
            off = fmin(off, fabs(edge - off)); /* periodic */
        if (b->radius[axis] > 0.0)
            square += off / b->radius[axis] * (off / b->radius[axis]);
    }
    const double wave = cos(0.5 * PI * fmin(sqrt(square), 1.0));
    return square < 1.0 ? wave * wave : 0.0;
}

/* The density's deviation: bubbles have the pressure of air at rest, and so its rho theta. */
static double density_at(const weather *w, const int64_t cell[3]) {
    const wabe_weather_bubble *b = w->options.weather.bubbles.items;
    const double *level = w->levels[cell[1]];
    const double theta0 = level[WABE_LEVEL_THETA];
    const double exner = pow(level[WABE_LEVEL_PRESSURE] / PRESSURE, GAS / HEAT);
    double deviation = 0.0;
    for (int64_t i = 0; i < w->options.weather.bubbles.count; i++)
        deviation += b[i].amplitude * shape_of(w, &b[i], cell) /
                     (b[i].of == OF_TEMPERATURE ? exner : 1.0);
    return -level[WABE_LEVEL_DENSITY] * deviation / (theta0 + deviation);
}

/* Momentum is on the lower face along its axis. */
static double momentum_at(const weather *w, int axis, const int64_t cell[3]) {
    const double wind = w->options.weather.wind[axis];
    const int64_t n = w->options.run.domain.cells[axis];
    int64_t behind[3] = {cell[0], cell[1], cell[2]};
    behind[axis] = (cell[axis] + n - 1) % n;
    return wind == 0.0 ? 0.0
                       : wind * (w->levels[cell[1]][WABE_LEVEL_DENSITY] +
                                 0.5 * (density_at(w, behind) + density_at(w, cell)));
}

static wabe_status initial_row(const void *context, int number, const int64_t cell[3],
                               int64_t count, double *row) {
    const weather *w = context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at[3] = {cell[0] + i, cell[1], cell[2]};
        row[i] = number == WABE_WEATHER_DENSITY ? density_at(w, at)
                 : number == WABE_WEATHER_HEAT  ? 0.0
                                               : momentum_at(w, number - WABE_WEATHER_MOMENTUM, at);
    }
    return WABE_OK;
}

/* ---- results -------------------------------------------------------------------------- */

static weather *weather_of(const wabe_run *run) { return wabe_stencil_case_of(run)->slabs.context; }

/* Numbers that are shown follow the state's. */
enum { VELOCITY = WABE_WEATHER_STATE, THETA = VELOCITY + 3 };

/* The largest Courant number of wind, and dry mass: that of air at rest and its deviation. */
static wabe_status monitor(wabe_run *run, double columns[]) {
    const weather *w = weather_of(run);
    const wabe_stencil_number *n = w->stencil.numbers;
    const int64_t *cells = w->options.run.domain.cells;
    const double volume = pow(w->options.spacing, 3.0);
    double courant = 0.0, mass = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const wabe_field_state *is = &n[VELOCITY + axis].last;
        courant += fmax(fabs(is->low), fabs(is->high)) * w->step.time_step / w->options.spacing;
    }
    for (int64_t y = 0; y < cells[1]; y++)
        mass += w->levels[y][WABE_LEVEL_DENSITY];
    columns[0] = courant;
    columns[1] = volume * (double)(cells[0] * cells[2]) *
                 (mass + (double)cells[1] * n[WABE_WEATHER_DENSITY].last.mean);
    return WABE_OK;
}

static void put(const wabe_run *run, wabe_json *json) {
    const weather *w = weather_of(run);
    wabe_json_real(json, "time_step", w->step.time_step);
    wabe_json_real(json, "sound_courant", sound_courant(w));
}

static void print_model(const wabe_run *run) {
    const weather *w = weather_of(run);
    const int64_t top = w->options.run.domain.cells[1] - 1;
    wabe_log_line(
        "air        %.4g to %.4g K potential temperature, %.4g to %.4g hPa, sound %.4g m/s",
        w->levels[0][WABE_LEVEL_THETA], w->levels[top][WABE_LEVEL_THETA],
        w->levels[0][WABE_LEVEL_PRESSURE] / 100.0, w->levels[top][WABE_LEVEL_PRESSURE] / 100.0,
        w->sound);
    wabe_log_line("time step  %.6g s, %d substeps, Courant number of sound %.3g", w->step.time_step,
                  w->step.substeps, sound_courant(w));
}

/* ---- the application ------------------------------------------------------------------ */

static wabe_status fill(void *context, wabe_grid_slab *slab) {
    const weather *w = context;
    return wabe_weather_set(slab, &w->step, (const wabe_weather_level *)w->levels);
}

/* How it is computed: the values stay the same. */
static const char *const may_differ[] = {"weather.kernel", NULL};
static const char *const fixed_keys[] = {"domain.spacing", "sounding.", NULL};

wabe_status wabe_weather_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                                 wabe_verb verb) {
    static const char *const units[] = {"kg/m^3",     "K kg/m^3", "kg/(m^2 s)", "kg/(m^2 s)",
                                        "kg/(m^2 s)", "m/s",      "m/s",        "m/s",
                                        "K",          "Pa"};
    weather w = {.sound = 0.0};
    wabe_option_table tables[3];
    wabe_application app = wabe_run_application("weather", wabe_weather_option_rows, &w.options,
                                                sizeof w.options, tables);
    bool stopped;
    wabe_status status = wabe_config_read(config, 3, tables);
    if (status == WABE_OK)
        status = take_options(config, &w);
    status = wabe_agree(comm, status);
    if (status == WABE_OK) {
        const wabe_type type = w.options.weather.storage == F64 ? WABE_TYPE_f64 : WABE_TYPE_f32;
        w.stencil = (wabe_stencil_case){
            .slabs = {.model = wabe_weather_model(type, w.options.run.domain.cells, &w.step,
                                                  w.options.weather.kernel),
                      .context = &w,
                      .fill = fill},
            .kernel_key = "weather.kernel",
            .unit_words = units,
            .initial = initial_row,
            .monitor = monitor,
            .monitor_columns = "courant,mass",
            .monitor_column_count = 2,
            .likely_cause = "weather.time_step may be too long for the wind: the column courant of "
                            "monitor.csv should stay below 1",
            .put = put};
        wabe_stencil_enter(&w.stencil, &app);
        app.may_differ = may_differ;
        app.fixed_keys = fixed_keys;
        app.print_model = print_model;
        app.default_quantities = "velocity_x, velocity_y, velocity_z, theta, pressure";
        app.picture = "theta";
        app.picture_beside = "velocity_y";
        app.up = 2; /* y */
        app.length_unit = "m";
        app.time_unit = "s";
        app.spacing = w.options.spacing;
        app.time_step = w.step.time_step;
        status = wabe_run_case(comm, input, config, &app, verb, &stopped);
    }
    free(w.levels);
    return status;
}
