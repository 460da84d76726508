#include "apps/weather/weather_case.h"

#include "core/base/hash.h"
#include "core/base/log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As the words in weather_schema.c. */
enum { OF_THETA, OF_TEMPERATURE };
enum { COSINE, PACKET };
enum { F64, F32 };
enum { NO_WATER, KESSLER };
enum { NO_EDDIES, SMAGORINSKY };

/* Courant numbers of wind and of updraughts: below what a step of three stages is stable for. */
#define WIND_STABLE 0.9
#define RISE_STABLE 1.0
/* m/s: what a time step that is chosen has room for, beside the given wind; up and down; in clouds
 */
#define WIND_USUAL 30.0
#define RISE_USUAL 15.0
#define RISE_OF_CLOUDS 50.0
#define SAFE 0.9

/* ---- bubbles ------------------------------------------------------------------------- */

/* How far the nearest number in the middle of a level is from a height. */
static double off_levels(const wabe_weather_case *w, double height) {
    double least = INFINITY;
    for (int64_t y = 0; y < w->options.run.domain.cells[1]; y++)
        least = fmin(least, fabs(0.5 * (w->faces[y] + w->faces[y + 1]) - height));
    return least;
}

/* Over flat ground: is there a cell whose middle is in the bubble? */
static bool reaches_a_cell(const wabe_weather_case *w, const wabe_weather_bubble *b) {
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double column = floor(b->center[axis] / w->options.spacing);
        const double off = axis == 1 ? off_levels(w, b->center[1])
                                     : wabe_weather_away(w, axis, (int64_t)column, b->center[axis]);
        if (b->radius[axis] > 0.0)
            square += off / b->radius[axis] * (off / b->radius[axis]);
    }
    return b->shape == PACKET || square < 1.0;
}

/* Bubbles may add up; those of temperature are further from theta the higher they reach. What is
 * warmer carries sound faster. */
static wabe_status take_bubbles(const wabe_config *config, wabe_weather_case *w) {
    const wabe_weather_bubble *b = w->options.weather.bubbles.items;
    const int64_t levels = w->options.run.domain.cells[1];
    const double highest = 0.5 * (w->faces[levels - 1] + w->faces[levels]);
    double coldest = 0.0, warmest = 0.0, theta, exner;
    for (int64_t i = 0; i < w->options.weather.bubbles.count; i++) {
        char path[64];
        snprintf(path, sizeof path, "weather.bubbles[%d]", (int)i);
        if (w->highest == 0.0 && !reaches_a_cell(w, &b[i]))
            return wabe_config_fail(config, path,
                                    "reaches the middle of no cell: lengths are in m, and y "
                                    "is up");
        const bool ends = b[i].shape != PACKET && b[i].radius[1] > 0.0;
        const double top = ends ? b[i].center[1] + b[i].radius[1] : INFINITY;
        wabe_weather_balance(w, fmax(0.0, fmin(top, highest)), &theta, &exner);
        double of_theta = b[i].of == OF_TEMPERATURE ? exner : 1.0;
        if (b[i].shape == PACKET) {
            double ground[WABE_RESTS], here[WABE_RESTS];
            wabe_weather_rest(w, 0.0, ground);
            wabe_weather_rest(w, highest, here);
            of_theta *= sqrt(here[WABE_REST_DENSITY] / ground[WABE_REST_DENSITY]);
        }
        coldest += fmin(b[i].amplitude, 0.0) / of_theta;
        warmest += fmax(b[i].amplitude, 0.0) / of_theta;
    }
    wabe_weather_balance(w, 0.0, &theta, &exner);
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

static wabe_status check_bubbles(const wabe_config *config, const wabe_weather_case *w) {
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
        snprintf(path, sizeof path, "weather.bubbles[%d].center", (int)i);
        WABE_TRY(wabe_weather_check_inside(config, w, path, b->center));
    }
    return WABE_OK;
}

/* The Courant number of sound of a substep. */
static double sound_courant(const wabe_weather_case *w) {
    return w->sound * w->step.time_step / w->step.substeps * w->per_sound;
}

/* The largest stable Courant number of sound: damping of divergence adds to its waves of two cells.
 */
static double sound_stable(const wabe_weather_case *w) {
    return 1.0 / sqrt(1.0 + 2.0 * w->step.damping);
}

/* The largest diffusivity times time step, m2. */
static double mixing_stable(const wabe_weather_case *w) {
    const double dx = w->options.spacing, dy = w->thinnest;
    return 0.5 / (2.0 / (dx * dx) + 1.0 / (dy * dy));
}

static double rise_usual(const wabe_weather_case *w) {
    return w->has_water ? RISE_OF_CLOUDS : RISE_USUAL;
}

static void choose_time_step(wabe_weather_case *w, double blowing) {
    const double dx = w->options.spacing;
    const struct {
        const char *what;
        double most;
    } limits[] = {{"sound", w->step.substeps * sound_stable(w) / (w->sound * w->per_sound)},
                  {"a wind that is 30 m/s faster", WIND_STABLE * dx / (blowing + WIND_USUAL)},
                  {w->has_water ? "updraughts of 50 m/s" : "updraughts of 15 m/s",
                   RISE_STABLE * w->thinnest / rise_usual(w)},
                  {"diffusion", mixing_stable(w) / w->step.diffusivity *
                                    fmax(1.0, 1.0 / w->step.prandtl_number)}};
    int least = 0;
    for (int i = 1; i < 4; i++)
        least = limits[i].most < limits[least].most ? i : least;
    w->step.time_step = SAFE * limits[least].most;
    w->limited_by = limits[least].what;
}

static wabe_status check_time_step(const wabe_config *config, const wabe_weather_case *w,
                                   double blowing) {
    const double dt = w->step.time_step, courant = blowing * dt / w->options.spacing;
    double rate = 0.0;
    for (int axis = 0; axis < 3; axis++)
        rate += w->options.relaxation.width[axis] > 0.0 ? w->options.relaxation.rate[axis] : 0.0;
    if (sound_courant(w) > sound_stable(w))
        return wabe_config_fail(config, "weather.time_step",
                                "is unstable: sound, at %.4g m/s, goes %.3g cells in a substep, "
                                "slopes included, at most %.3g; take %.5g s or less, or "
                                "weather.substeps = %d",
                                w->sound, sound_courant(w), sound_stable(w),
                                0.9999 * dt * sound_stable(w) / sound_courant(w),
                                2 * (int)ceil(0.5 * w->step.substeps * sound_courant(w) /
                                              sound_stable(w)));
    if (courant > WIND_STABLE)
        return wabe_config_fail(config, "weather.time_step",
                                "is unstable: the wind goes %.3g cells in a step, at most %g",
                                courant, WIND_STABLE);
    if (w->step.diffusivity * fmax(1.0, 1.0 / w->step.prandtl_number) * dt > mixing_stable(w))
        return wabe_config_fail(config, "weather.diffusivity",
                                "is unstable with a time step of %g s%s: at most %.4g m2/s", dt,
                                w->step.prandtl_number < 1.0 ? " and weather.prandtl_number" : "",
                                mixing_stable(w) / dt * fmin(1.0, w->step.prandtl_number));
    if (w->step.drag * (blowing + WIND_USUAL) * dt > 0.5 * w->thinnest)
        return wabe_config_fail(
            config, "surface.drag",
            "is unstable with a time step of %g s and levels of %g m: at most %.4g", dt,
            w->thinnest, 0.5 * w->thinnest / ((blowing + WIND_USUAL) * dt));
    if (rate * dt > 1.0)
        return wabe_config_fail(config, "relaxation.rate",
                                "is unstable with a time step of %g s: rates may add up to %.4g "
                                "1/s at most",
                                dt, 1.0 / dt);
    if (fabs(w->step.coriolis) * dt > 1.0)
        return wabe_config_fail(config, "weather.coriolis",
                                "is unstable with a time step of %g s: at most %.4g 1/s", dt,
                                1.0 / dt);
    return WABE_OK;
}

static wabe_status take_time_step(const wabe_config *config, wabe_weather_case *w) {
    const double given = w->options.weather.time_step;
    const double blowing = wabe_weather_fastest(w);
    if (w->options.weather.substeps % 2)
        return wabe_config_fail(config, "weather.substeps",
                                "must be even: half of them are done in "
                                "the second stage");
    if (w->options.weather.wind[1] != 0.0)
        return wabe_config_fail(config, "weather.wind", "must be 0 along y, which is up");
    w->step.substeps = (int)w->options.weather.substeps;
    w->step.time_step = given;
    if (!isfinite(given))
        choose_time_step(w, blowing);
    if (w->step.time_step * rise_usual(w) > RISE_STABLE * w->thinnest)
        wabe_log_warning(
            "updraughts of more than %.3g m/s go through more than a level in a time step: "
            "with them the run may be unstable",
            RISE_STABLE * w->thinnest / w->step.time_step);
    w->step.most_mixing = SAFE * mixing_stable(w) / w->step.time_step *
                          fmin(1.0, w->step.prandtl_number);
    return check_time_step(config, w, blowing);
}

/* Waves behind mountains come back from a lid without a zone as thick as they are long. */
static void warn_of_echoes(const wabe_weather_case *w) {
    const double width = w->options.relaxation.width[1];
    const double wind[2] = {wabe_weather_wind_at(w, 0, w->highest),
                            wabe_weather_wind_at(w, 2, w->highest)};
    double low, high, exner;
    wabe_weather_balance(w, 0.0, &low, &exner);
    wabe_weather_balance(w, wabe_weather_lid(w), &high, &exner);
    const double frequency = sqrt(WABE_GRAVITY * log(high / low) / wabe_weather_lid(w));
    const double length = 2.0 * WABE_PI * hypot(wind[0], wind[1]) / frequency;
    if (w->highest > 0.0 && isfinite(length) && width < 0.9 * length)
        wabe_log_warning(
            "waves behind the ground's hills are about %.3g m long upwards, and come back "
            "from the lid: relaxation.width has %g m along y under it",
            length, width);
}

static wabe_status take_options(const wabe_config *config, wabe_weather_case *w) {
    const wabe_weather_options *o = &w->options;
    w->step = (wabe_weather_step){.spacing = o->spacing,
                                  .gravity = WABE_GRAVITY,
                                  .gamma = WABE_HEAT_CAPACITY / (WABE_HEAT_CAPACITY - WABE_GAS),
                                  .off_centring = o->weather.off_centring,
                                  .damping = o->weather.damping,
                                  .diffusivity = o->weather.diffusivity,
                                  .prandtl_number = o->weather.prandtl_number,
                                  .smagorinsky = o->weather.turbulence == SMAGORINSKY
                                                     ? o->weather.smagorinsky_constant
                                                     : 0.0,
                                  .coriolis = o->weather.coriolis,
                                  .drag = o->surface.drag,
                                  .heating = o->surface.heat_flux / WABE_HEAT_CAPACITY,
                                  .moistening = o->surface.moisture_flux,
                                  .gas = WABE_GAS,
                                  .latent = WABE_EVAPORATION / WABE_HEAT_CAPACITY};
    w->has_water = o->weather.microphysics == KESSLER;
    if (o->weather.turbulence != NO_EDDIES && o->weather.diffusivity > 0.0)
        return wabe_config_fail(config, "weather.diffusivity",
                                "cannot be with eddies (weather.turbulence), which have their own");
    if (o->weather.turbulence == NO_EDDIES &&
        wabe_config_is_given(config, "weather.smagorinsky_constant"))
        return wabe_config_fail(config, "weather.smagorinsky_constant",
                                "is given, but weather.turbulence is \"none\"");
    if (o->weather.turbulence == NO_EDDIES &&
        wabe_config_is_given(config, "weather.prandtl_number") &&
        !wabe_config_is_given(config, "weather.diffusivity"))
        return wabe_config_fail(config, "weather.prandtl_number",
                                "is given, but neither weather.diffusivity nor weather.turbulence");
    if (o->surface.moisture_flux != 0.0 && !w->has_water)
        return wabe_config_fail(config, "surface.moisture_flux",
                                "is given, but weather.microphysics is \"none\": take \"kessler\"");
    WABE_TRY(wabe_weather_check_domain(config, w));
    WABE_TRY(check_bubbles(config, w));
    WABE_TRY(wabe_weather_take_levels(config, w));
    WABE_TRY(wabe_weather_take_sounding(config, w));
    WABE_TRY(wabe_weather_check_relaxation(config, w));
    WABE_TRY(wabe_weather_take_terrain(config, w));
    WABE_TRY(wabe_weather_take_air(config, w));
    WABE_TRY(wabe_weather_check_zones(config, w));
    WABE_TRY(take_bubbles(config, w));
    w->place = (wabe_weather_place){.spacing = o->spacing,
                                    .faces = w->faces,
                                    .ground = w->ground,
                                    .context = w,
                                    .rest = wabe_weather_rest,
                                    .level_rate = wabe_weather_level_rate,
                                    .column_rate = wabe_weather_column_rate,
                                    .wind = wabe_weather_wind_at};
    memcpy(w->place.cells, o->run.domain.cells, sizeof w->place.cells);
    w->start = w->place;
    w->start.rest = wabe_weather_start;
    warn_of_echoes(w);
    return take_time_step(config, w);
}

/* ---- the initial state ---------------------------------------------------------------- */

/* 1 in the middle of a bubble, 0 outside. */
static double shape_of(const wabe_weather_case *w, const wabe_weather_bubble *b,
                       const int64_t cell[3]) {
    const double height = wabe_weather_height(&w->place, cell);
    const double off[3] = {wabe_weather_away(w, 0, cell[0], b->center[0]), height - b->center[1],
                           wabe_weather_away(w, 2, cell[2], b->center[2])};
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++)
        if (b->radius[axis] > 0.0 && !(axis == 1 && b->shape == PACKET))
            square += off[axis] / b->radius[axis] * (off[axis] / b->radius[axis]);
    if (b->shape == PACKET) {
        double ground[WABE_RESTS], here[WABE_RESTS];
        wabe_weather_rest(w, 0.0, ground);
        wabe_weather_rest(w, height, here);
        return exp(-square) * sin(WABE_PI * height / wabe_weather_lid(w)) *
               sqrt(ground[WABE_REST_DENSITY] / here[WABE_REST_DENSITY]);
    }
    const double wave = cos(0.5 * WABE_PI * fmin(sqrt(square), 1.0));
    return square < 1.0 ? wave * wave : 0.0;
}

/* What bubbles add to J rho: they have the pressure of the air around them, and so its rho theta,
 * and its share of vapour. */
static double of_bubbles(const wabe_weather_case *w, const int64_t cell[3],
                         const double air[WABE_RESTS]) {
    const wabe_weather_bubble *b = w->options.weather.bubbles.items;
    const double exner = pow(air[WABE_REST_PRESSURE] / WABE_STANDARD_PRESSURE,
                             WABE_GAS / WABE_HEAT_CAPACITY);
    const double moist = 1.0 + (WABE_VAPOUR_GAS / WABE_GAS - 1.0) * air[WABE_REST_VAPOUR];
    double deviation = 0.0;
    for (int64_t i = 0; i < w->options.weather.bubbles.count; i++)
        deviation += moist * b[i].amplitude * shape_of(w, &b[i], cell) /
                     (b[i].of == OF_TEMPERATURE ? exner : 1.0);
    return -air[WABE_REST_DENSITY] * deviation / (air[WABE_REST_THETA] + deviation);
}

/* J rho. */
static double all_density_at(const wabe_weather_case *w, const int64_t cell[3]) {
    double air[WABE_RESTS];
    wabe_weather_rest_at(&w->start, cell, air);
    return air[WABE_REST_DENSITY] + of_bubbles(w, cell, air);
}

/* Momentum is on the lower face along its axis. */
static double momentum_at(const wabe_weather_case *w, int axis, const int64_t cell[3]) {
    const double height = 0.5 * (w->faces[cell[1]] + w->faces[cell[1] + 1]); /* over flat ground */
    const double wind = axis == 1 ? 0.0 : wabe_weather_wind_at(w, axis, height);
    const int64_t n = w->options.run.domain.cells[axis];
    int64_t behind[3] = {cell[0], cell[1], cell[2]};
    behind[axis] = (cell[axis] + n - 1) % n;
    return wind == 0.0 ? 0.0 : wind * 0.5 * (all_density_at(w, behind) + all_density_at(w, cell));
}

static wabe_status initial_row(const void *context, int number, const int64_t cell[3],
                               int64_t count, double *row) {
    const wabe_weather_case *w = context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at[3] = {cell[0] + i, cell[1], cell[2]};
        double rest[WABE_RESTS], air[WABE_RESTS];
        wabe_weather_rest_at(&w->place, at, rest);
        wabe_weather_rest_at(&w->start, at, air);
        if (number == WABE_WEATHER_DENSITY)
            row[i] = of_bubbles(w, at, air) + (air[WABE_REST_DENSITY] - rest[WABE_REST_DENSITY]);
        else if (number == WABE_WEATHER_HEAT)
            row[i] = air[WABE_REST_DENSITY] * air[WABE_REST_THETA] -
                     rest[WABE_REST_DENSITY] * rest[WABE_REST_THETA];
        else if (number >= WABE_WEATHER_MOMENTUM && number < WABE_WEATHER_STATE)
            row[i] = momentum_at(w, number - WABE_WEATHER_MOMENTUM, at);
        else if (number == WABE_WEATHER_STATE + WABE_WATER_VAPOUR)
            row[i] = air[WABE_REST_VAPOUR] * all_density_at(w, at);
        else
            row[i] = 0.0;
    }
    return WABE_OK;
}

/* ---- results -------------------------------------------------------------------------- */

static wabe_weather_case *weather_of(const wabe_run *run) {
    return wabe_stencil_case_of(run)->slabs.context;
}

/* With water the state goes on; numbers that are shown follow it. */
enum { RAIN_ON_GROUND = WABE_WEATHER_STATE + WABE_WATERS, WATER_END };
static int velocity_of(const wabe_weather_case *w) {
    return w->has_water ? WATER_END : WABE_WEATHER_STATE;
}

/* The largest Courant number of wind, and mass of dry air: that of air at rest and its deviation,
 * less water; then water in the air, and rain on the ground, which the lowest level has. */
static wabe_status monitor(wabe_run *run, double columns[]) {
    const wabe_weather_case *w = weather_of(run);
    const wabe_stencil_number *n = w->stencil.numbers;
    const int64_t *cells = w->options.run.domain.cells;
    const double dx = w->options.spacing, volume = dx * dx * w->step.thickness;
    const double all = (double)(cells[0] * cells[1] * cells[2]);
    double courant = 0.0, water = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const wabe_field_state *is = &n[velocity_of(w) + axis].last;
        courant += fmax(fabs(is->low), fabs(is->high)) * w->step.time_step /
                   (axis == 1 ? w->thinnest : dx);
    }
    columns[0] = courant;
    for (int i = 0; i < WABE_WATERS && w->has_water; i++)
        water += volume * all * n[WABE_WEATHER_STATE + i].last.mean;
    columns[1] = w->mass + volume * all * n[WABE_WEATHER_DENSITY].last.mean - water;
    if (w->has_water) {
        columns[2] = water;
        columns[3] = dx * dx * all * n[RAIN_ON_GROUND].last.mean;
    }
    return WABE_OK;
}

static void set_units(wabe_weather_case *w) {
    static const char *const state[] = {"kg/m^3", "K kg/m^3", "kg/(m^2 s)", "kg/(m^2 s)",
                                        "kg/(m^2 s)"};
    static const char *const water[] = {"kg/m^3", "kg/m^3", "kg/m^3", "kg/m^2"};
    static const char *const shown[] = {"m/s", "m/s", "m/s", "K", "Pa", "m", "K"};
    static const char *const shares[] = {"kg/kg", "kg/kg", "kg/kg"};
    const struct {
        const char *const *words;
        int count;
    } parts[] = {{state, 5},
                 {water, w->has_water ? 4 : 0},
                 {shown, 7},
                 {shares, w->has_water ? 3 : 0}};
    int at = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        for (int word = 0; word < parts[i].count; word++)
            w->units[at++] = parts[i].words[word];
}

/* Of what results.json and monitor.csv say of numbers. */
static void put_units(const wabe_weather_case *w, wabe_json *json) {
    static const char *const ends[] = {"lowest", "highest", "mean"};
    wabe_json_open(json, "units", '{');
    wabe_json_text(json, "time", "s");
    wabe_json_text(json, "time_step", "s");
    wabe_json_text(json, "mass", "kg");
    if (w->has_water) {
        wabe_json_text(json, "water", "kg");
        wabe_json_text(json, "rain_fallen", "kg");
    }
    for (int i = 0; i < w->stencil.number_count; i++)
        for (int end = 0; end < 3; end++) {
            char name[96];
            snprintf(name, sizeof name, "%s_%s", w->stencil.numbers[i].name, ends[end]);
            wabe_json_text(json, name, w->units[i]);
        }
    wabe_json_close(json, '}');
}

static void put(const wabe_run *run, wabe_json *json) {
    const wabe_weather_case *w = weather_of(run);
    put_units(w, json);
    wabe_json_real(json, "time_step", w->step.time_step);
    wabe_json_real(json, "sound_courant", sound_courant(w));
}

static void print_model(const wabe_run *run) {
    const wabe_weather_case *w = weather_of(run);
    const int64_t levels = w->options.run.domain.cells[1];
    double low[WABE_RESTS], high[WABE_RESTS];
    wabe_weather_rest(w, 0.0, low);
    wabe_weather_rest(w, wabe_weather_lid(w), high);
    wabe_log_line("levels     %.4g to %.4g m thick, lid at %.6g m, ground up to %.4g m",
                  w->faces[1], w->faces[levels] - w->faces[levels - 1], wabe_weather_lid(w),
                  w->highest);
    wabe_log_line(
        "air        %.4g to %.4g K potential temperature, %.4g to %.4g hPa, sound %.4g m/s",
        low[WABE_REST_THETA], high[WABE_REST_THETA], low[WABE_REST_PRESSURE] / 100.0,
        high[WABE_REST_PRESSURE] / 100.0, w->sound);
    wabe_log_line("time step  %.6g s%s%s, %d substeps, Courant number of sound %.3g",
                  w->step.time_step, w->limited_by ? ", nine tenths of what is stable for " : "",
                  w->limited_by ? w->limited_by : "", w->step.substeps, sound_courant(w));
}

/* A hash of the ground's heights: a file may have others when a run goes on. A double holds 53
 * bits. */
static double hash_ground(const wabe_weather_case *w) {
    const int64_t columns = w->options.run.domain.cells[0] * w->options.run.domain.cells[2];
    return (double)(wabe_hash_bytes(w->ground, columns * (int64_t)sizeof *w->ground) >> 11);
}

static int recall(const wabe_run *run, wabe_checkpoint_number out[]) {
    out[0] = (wabe_checkpoint_number){"ground", hash_ground(weather_of(run))};
    return 1;
}

static wabe_status resume(wabe_run *run, const wabe_checkpoint *checkpoint) {
    const double now = hash_ground(weather_of(run));
    return wabe_checkpoint_number_of(checkpoint, "ground", now) == now
               ? WABE_OK
               : wabe_config_fail(run->config, "terrain.file",
                                  "has other heights than when the checkpoint was written");
}

/* ---- the application ------------------------------------------------------------------ */

static wabe_status fill(void *context, wabe_grid_slab *slab) {
    const wabe_weather_case *w = context;
    return wabe_weather_set(slab, &w->step, &w->place);
}

/* How it is computed: the values stay the same. */
static const char *const may_differ[] = {"weather.kernel", NULL};
static const char *const fixed_keys[] = {"domain.spacing",       "levels.", "sounding.", "terrain.",
                                         "weather.microphysics", NULL};

wabe_status wabe_weather_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                                 wabe_verb verb) {
    wabe_weather_case w = {.sound = 0.0};
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
        const wabe_weather_parts parts = {.flat = w.highest == 0.0,
                                          .water = w.has_water,
                                          .eddies = w.step.smagorinsky > 0.0};
        w.stencil = (wabe_stencil_case){
            .slabs = {.model = wabe_weather_model(type, w.options.run.domain.cells, &parts, &w.step,
                                                  w.options.weather.kernel),
                      .context = &w,
                      .fill = fill},
            .kernel_key = "weather.kernel",
            .unit_words = w.units,
            /* Deviations and velocities. */
            .signed_numbers = ((1u << WABE_WEATHER_STATE) - 1u) | 31u << velocity_of(&w),
            .initial = initial_row,
            .monitor = monitor,
            .monitor_columns = w.has_water ? "courant,mass,water,rain_fallen" : "courant,mass",
            .monitor_column_count = w.has_water ? 4 : 2,
            .likely_cause = "weather.time_step may be too long for the wind: the column courant of "
                            "monitor.csv should stay below 1",
            .recall = recall,
            .resume = resume,
            .put = put};
        set_units(&w);
        wabe_stencil_enter(&w.stencil, &app);
        app.may_differ = may_differ;
        app.fixed_keys = fixed_keys;
        app.print_model = print_model;
        app.default_quantities =
            w.has_water ? "velocity_x, velocity_y, velocity_z, theta, pressure, height, humidity, "
                          "cloud, rain, rain_on_ground"
                        : "velocity_x, velocity_y, velocity_z, theta, pressure, height";
        app.picture = "theta";
        app.picture_beside = "velocity_y";
        app.up = 2; /* y */
        app.length_unit = "m";
        app.time_unit = "s";
        wabe_run_cubes(&app, w.options.spacing);
        app.spacing[1] = w.step.thickness;
        app.uneven = w.options.levels.growth == 1.0 ? 0 : 2;
        app.time_step = w.step.time_step;
        status = wabe_run_case(comm, input, config, &app, verb, &stopped);
    }
    free(w.faces);
    free(w.ground);
    free(w.profile.theta);
    free(w.profile.exner);
    free(w.profile.vapour);
    return status;
}
