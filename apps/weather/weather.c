#include "apps/weather/weather.h"

#include "apps/geometry/heights.h"
#include "apps/runtime/stencil.h"
#include "core/base/hash.h"
#include "core/base/log.h"
#include "sweeps/stencil/weather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As the words in weather_schema.c. */
enum { NEUTRAL, ISOTHERMAL, STRATIFIED };
enum { OF_THETA, OF_TEMPERATURE };
enum { COSINE, PACKET };
enum { F64, F32 };
enum { FLAT, BELL, RIDGE, SCHAER, FROM_FILE };

#define PI 3.14159265358979323846
#define GRAVITY 9.81    /* m/s2 */
#define GAS 287.0       /* J/(kg K), of dry air */
#define HEAT 1004.0     /* the same, at constant pressure */
#define PRESSURE 1e5    /* Pa, at which theta is the temperature */
#define WIND_STABLE 1.0 /* of wind: below what all orders are stable for */
#define WIND_USUAL                                                                                 \
    30.0 /* m/s: what a time step that is chosen has room for, beside the given wind */
#define RISE_USUAL 15.0 /* m/s, the same, up and down */
#define SAFE 0.9
enum { LEVELS_LEAST = 8, LAYERS = 3 };

typedef struct {
    wabe_weather_options options;
    wabe_stencil_case stencil;
    wabe_weather_step step;
    wabe_weather_place place; /* whose heights belong to this */
    double *faces, *ground;
    double highest;         /* of the ground, m */
    double thinnest;        /* level, m */
    double sound;           /* its largest speed, m/s */
    double per_sound;       /* what its explicit terms make of the spacing, 1/m; see take_slopes */
    const char *limited_by; /* of a time step that is chosen */
    double mass;            /* of air at rest, kg */
} weather;

/* ---- air at rest ------------------------------------------------------------------------ */

/* theta and the Exner function (p / PRESSURE)^(GAS / HEAT) at a height, in hydrostatic balance: d
 * exner / dy = -g / (HEAT theta). */
static void balance_at(const weather *w, double height, double *theta, double *exner) {
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

static void rest_at(const void *context, double height, double rest[WABE_RESTS]) {
    double theta, exner;
    balance_at(context, height, &theta, &exner);
    rest[WABE_REST_THETA] = theta;
    rest[WABE_REST_PRESSURE] = PRESSURE * pow(exner, HEAT / GAS);
    rest[WABE_REST_DENSITY] = rest[WABE_REST_PRESSURE] / (GAS * theta * exner);
}

static double lid_of(const weather *w) { return w->faces[w->options.run.domain.cells[1]]; }

/* Finds the speed of sound, and the mass of air at rest: columns bear the difference of pressures.
 */
static wabe_status take_air(const wabe_config *config, weather *w) {
    const int64_t *n = w->options.run.domain.cells;
    const double lid = lid_of(w), dx = w->options.spacing;
    double top[WABE_RESTS], theta, exner;
    for (int64_t y = 0; y <= n[1]; y++) {
        const double height = w->faces[y];
        balance_at(w, height, &theta, &exner);
        if (!(exner > 0.05))
            return wabe_config_fail(config, "sounding.kind",
                                    "has no air at a height of %g m, and the domain is %g m high: "
                                    "take fewer levels (domain.cells), or thinner ones (levels)",
                                    height, lid);
        w->sound = fmax(w->sound, sqrt(w->step.gamma * GAS * theta * exner));
    }
    rest_at(w, lid, top);
    for (int64_t i = 0; i < n[0] * n[2]; i++) {
        double bottom[WABE_RESTS];
        rest_at(w, w->ground[i], bottom);
        w->mass += dx * dx * (bottom[WABE_REST_PRESSURE] - top[WABE_REST_PRESSURE]) / GRAVITY;
    }
    return WABE_OK;
}

/* Bubbles may add up; those of temperature are further from theta the higher they reach. What is
 * warmer carries sound faster. */
static wabe_status take_bubbles(const wabe_config *config, weather *w) {
    const wabe_weather_bubble *b = w->options.weather.bubbles.items;
    const int64_t levels = w->options.run.domain.cells[1];
    const double highest = 0.5 * (w->faces[levels - 1] + w->faces[levels]);
    double coldest = 0.0, warmest = 0.0, theta, exner;
    for (int64_t i = 0; i < w->options.weather.bubbles.count; i++) {
        const bool ends = b[i].shape != PACKET && b[i].radius[1] > 0.0;
        const double top = ends ? b[i].center[1] + b[i].radius[1] : INFINITY;
        balance_at(w, fmax(0.0, fmin(top, highest)), &theta, &exner);
        double of_theta = b[i].of == OF_TEMPERATURE ? exner : 1.0;
        if (b[i].shape == PACKET) {
            double ground[WABE_RESTS], here[WABE_RESTS];
            rest_at(w, 0.0, ground);
            rest_at(w, highest, here);
            of_theta *= sqrt(here[WABE_REST_DENSITY] / ground[WABE_REST_DENSITY]);
        }
        coldest += fmin(b[i].amplitude, 0.0) / of_theta;
        warmest += fmax(b[i].amplitude, 0.0) / of_theta;
    }
    balance_at(w, 0.0, &theta, &exner);
    if (coldest < -0.5 * theta || warmest > theta)
        return wabe_config_fail(
            config, "weather.bubbles",
            "may add up to potential temperatures %.4g to %.4g K away from that of "
            "air at rest, %.4g K: between minus a half of it and itself are possible",
            coldest, warmest, theta);
    w->sound *= sqrt(1.0 + warmest / theta);
    return WABE_OK;
}

/* ---- the place ------------------------------------------------------------------------ */

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

/* Each level is thicker than the one below by the same factor. */
static wabe_status take_levels(const wabe_config *config, weather *w) {
    const int64_t count = w->options.run.domain.cells[1];
    const double growth = w->options.levels.growth;
    const double first = isfinite(w->options.levels.thickness) ? w->options.levels.thickness
                                                               : w->options.spacing;
    w->faces = calloc((size_t)count + 1, sizeof *w->faces);
    WABE_CHECK(w->faces, WABE_MEMORY, "no memory for %lld levels", (long long)count);
    for (int64_t y = 1; y <= count; y++)
        w->faces[y] = growth == 1.0 ? first * (double)y
                                    : first * (pow(growth, (double)y) - 1.0) / (growth - 1.0);
    const double last = w->faces[count] - w->faces[count - 1];
    const char *key = growth != 1.0                                      ? "levels.growth"
                      : wabe_config_is_given(config, "levels.thickness") ? "levels.thickness"
                                                                         : "domain.spacing";
    if (!(w->faces[count] <= 1e6))
        return wabe_config_fail(config, key,
                                "makes the domain %g m high: at most 1e6 m are possible",
                                w->faces[count]);
    w->thinnest = fmin(first, last);
    if (!(w->thinnest > 1e-3 * w->faces[count] / (double)count))
        return wabe_config_fail(
            config, key,
            "makes levels %g m thin: at least a thousandth of their mean, %g m, "
            "is needed",
            w->thinnest, w->faces[count] / (double)count);
    w->step.thickness = w->faces[count] / (double)count;
    return WABE_OK;
}

/* How far a column is from a point, along a periodic axis. */
static double away(const weather *w, int axis, int64_t index, double from) {
    const double edge = (double)w->options.run.domain.cells[axis] * w->options.spacing;
    const double off = fabs(((double)index + 0.5) * w->options.spacing - from);
    return fmin(off, fabs(edge - off));
}

static double hill_at(const weather *w, int64_t x, int64_t z) {
    const double wide = w->options.terrain.half_width;
    const double *center = w->options.terrain.center;
    double from[3];
    for (int axis = 0; axis < 3; axis++)
        from[axis] = isfinite(center[axis])
                         ? center[axis]
                         : 0.5 * (double)w->options.run.domain.cells[axis] * w->options.spacing;
    const double off = away(w, 0, x, from[0]) / wide, beside = away(w, 2, z, from[2]) / wide;
    switch (w->options.terrain.kind) {
    case BELL:
        return w->options.terrain.height * pow(1.0 + off * off + beside * beside, -1.5);
    case RIDGE:
        return w->options.terrain.height / (1.0 + off * off);
    case SCHAER: {
        const double wave = cos(PI * off * wide / w->options.terrain.wave_length);
        return w->options.terrain.height * exp(-off * off) * wave * wave;
    }
    default:
        return 0.0;
    }
}

/* path: the key of a place; NAN: not given. */
static wabe_status check_inside(const wabe_config *config, const weather *w, const char *path,
                                const double place[3]) {
    for (int axis = 0; axis < 3; axis += 2) {
        const double edge = (double)w->options.run.domain.cells[axis] * w->options.spacing;
        if (place[axis] < 0.0 || place[axis] > edge)
            return wabe_config_fail(config, path,
                                    "is outside the domain, which is %g m long along %c", edge,
                                    'x' + axis);
    }
    return WABE_OK;
}

static wabe_status check_terrain(const wabe_config *config, const weather *w) {
    const wabe_weather_terrain *t = &w->options.terrain;
    static const char *const kinds[] = {"flat", "bell", "ridge", "schaer", "file"};
    const bool is_hill = t->kind == BELL || t->kind == RIDGE || t->kind == SCHAER;
    const struct {
        const char *key;
        bool needed;
    } keys[] = {{"terrain.height", is_hill},
                {"terrain.half_width", is_hill},
                {"terrain.wave_length", t->kind == SCHAER},
                {"terrain.file", t->kind == FROM_FILE}};
    const char *const others[] = {"terrain.dataset", "terrain.scale", "terrain.offset"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (wabe_config_is_given(config, keys[i].key) != keys[i].needed)
            return wabe_config_fail(config, keys[i].needed ? "terrain.kind" : keys[i].key,
                                    keys[i].needed
                                        ? "is \"%s\", which needs %s"
                                        : "is given, but terrain.kind is \"%s\": %s is not of it",
                                    kinds[t->kind], keys[i].key);
    for (size_t i = 0; i < sizeof others / sizeof others[0] && t->kind != FROM_FILE; i++)
        if (wabe_config_is_given(config, others[i]))
            return wabe_config_fail(config, others[i], "is only of terrain.kind \"file\"");
    if (!is_hill && wabe_config_is_given(config, "terrain.center"))
        return wabe_config_fail(config, "terrain.center", "is only of hills and ridges");
    if (t->kind == SCHAER && t->wave_length < 4.0 * w->options.spacing)
        return wabe_config_fail(config, "terrain.wave_length",
                                "is %g m: at least four cells of %g m (domain.spacing) are needed",
                                t->wave_length, w->options.spacing);
    if (is_hill && t->half_width < w->options.spacing)
        return wabe_config_fail(config, "terrain.half_width",
                                "is %g m, less than a cell of %g m (domain.spacing)", t->half_width,
                                w->options.spacing);
    return check_inside(config, w, "terrain.center", t->center);
}

static wabe_status read_terrain(weather *w) {
    const int64_t *n = w->options.run.domain.cells;
    const wabe_weather_terrain *t = &w->options.terrain;
    wabe_heights heights = {.up = 1, .cells = {n[0], n[1], n[2]}};
    WABE_TRY(wabe_heights_read(&(wabe_heights_source){t->file, t->dataset, t->scale, t->offset},
                               &heights));
    for (int64_t i = 0; i < n[0] * n[2]; i++)
        w->ground[i] = (double)heights.heights[i];
    wabe_heights_free(&heights);
    return WABE_OK;
}

/* The slope from the column before along an axis. */
static double slope_at(const weather *w, int axis, int64_t x, int64_t z) {
    const int64_t *n = w->options.run.domain.cells;
    const int64_t behind = axis == 0 ? z * n[0] + (x + n[0] - 1) % n[0]
                                     : (z + n[2] - 1) % n[2] * n[0] + x;
    return fabs(w->ground[z * n[0] + x] - w->ground[behind]) / w->options.spacing;
}

static double steepest(const weather *w) {
    const int64_t *n = w->options.run.domain.cells;
    double most = 0.0;
    for (int64_t z = 0; z < n[2]; z++)
        for (int64_t x = 0; x < n[0]; x++)
            most = fmax(most, fmax(slope_at(w, 0, x, z), slope_at(w, 2, x, z)));
    return most;
}

/* Sound along levels is explicit, also as far as slopes make it go up: with s cos(a / 2) sin(b) /
 * dz beside 2 sin(a / 2) / dx its Courant number is at most that of sqrt(1 / dx^2 + (s / (2 dz))^2)
 * in place of 1 / dx, for each axis. */
static void take_slopes(weather *w) {
    const int64_t *n = w->options.run.domain.cells;
    const double dx = w->options.spacing, lid = lid_of(w);
    double per_level = 0.0, most = 0.0;
    for (int64_t y = 0; y < n[1]; y++)
        per_level = fmax(per_level, (1.0 - w->faces[y] / lid) / (w->faces[y + 1] - w->faces[y]));
    for (int64_t z = 0; z < n[2]; z++)
        for (int64_t x = 0; x < n[0]; x++) {
            double all = 0.0;
            for (int axis = 0; axis < 3; axis += 2) {
                const double slope = slope_at(w, axis, x, z);
                const double share = 1.0 - (w->ground[z * n[0] + x] + slope * dx) / lid;
                const double up = 0.5 * slope * per_level / fmax(share, 1.0 - w->highest / lid);
                all += n[axis] > 1 ? 1.0 / (dx * dx) + up * up : 0.0;
            }
            most = fmax(most, all);
        }
    w->per_sound = sqrt(most);
    w->thinnest *= 1.0 - w->highest / lid;
}

static wabe_status take_terrain(const wabe_config *config, weather *w) {
    const int64_t *n = w->options.run.domain.cells;
    const bool from_file = w->options.terrain.kind == FROM_FILE;
    const char *key = from_file ? "terrain.file" : "terrain.height";
    const double limit = lid_of(w) - w->options.relaxation.width[1];
    double lowest = 0.0;
    WABE_TRY(check_terrain(config, w));
    w->ground = calloc((size_t)(n[0] * n[2]), sizeof *w->ground);
    WABE_CHECK(w->ground, WABE_MEMORY, "no memory for the ground of %lld columns",
               (long long)(n[0] * n[2]));
    if (from_file && read_terrain(w) != WABE_OK)
        return wabe_config_fail_because(config, key, "cannot be used");
    for (int64_t i = 0; i < n[0] * n[2]; i++) {
        if (!from_file)
            w->ground[i] = hill_at(w, i % n[0], i / n[0]);
        w->highest = fmax(w->highest, w->ground[i]);
        lowest = fmin(lowest, w->ground[i]);
    }
    if (lowest < 0.0)
        return wabe_config_fail(config, key, "makes ground %g m below 0", -lowest);
    if (w->highest > 0.0 && !(w->highest < limit))
        return wabe_config_fail(
            config, key,
            "makes ground %g m high: it must stay below %g m, where the lid, or "
            "the relaxation zone under it, begins",
            w->highest, limit);
    if (steepest(w) > 1.0)
        return wabe_config_fail(config, key,
                                "makes slopes of %.3g between columns: at most 1 is possible",
                                steepest(w));
    take_slopes(w);
    return WABE_OK;
}

/* ---- where air is drawn to rest --------------------------------------------------------- */

/* 1 at the edge of a zone, 0 at its inner end and beyond. */
static double zone(double from_edge, double width) {
    const double wave = width > 0.0 ? sin(0.5 * PI * fmax(0.0, 1.0 - from_edge / width)) : 0.0;
    return wave * wave;
}

static double level_rate(const void *context, double height) {
    const weather *w = context;
    return w->options.relaxation.rate[1] * zone(lid_of(w) - height, w->options.relaxation.width[1]);
}

static double column_rate(const void *context, int64_t x, int64_t z) {
    const weather *w = context;
    const int64_t at[3] = {x, 0, z};
    double rate = 0.0;
    for (int axis = 0; axis < 3; axis += 2)
        rate += w->options.relaxation.rate[axis] *
                zone(away(w, axis, at[axis], 0.0), w->options.relaxation.width[axis]);
    return rate;
}

static wabe_status check_relaxation(const wabe_config *config, const weather *w) {
    const double *width = w->options.relaxation.width, *rate = w->options.relaxation.rate;
    const int64_t *n = w->options.run.domain.cells;
    const double edges[3] = {0.5 * (double)n[0] * w->options.spacing, lid_of(w),
                             0.5 * (double)n[2] * w->options.spacing};
    for (int axis = 0; axis < 3; axis++) {
        if (!(width[axis] >= 0.0 && width[axis] <= edges[axis]))
            return wabe_config_fail(config, "relaxation.width",
                                    "is %g m along %c: at most %g m, %s, are possible", width[axis],
                                    'x' + axis, edges[axis],
                                    axis == 1 ? "all levels" : "half of the domain");
        if (!(rate[axis] >= 0.0))
            return wabe_config_fail(config, "relaxation.rate", "must not be negative");
    }
    return WABE_OK;
}

/* ---- what the options say ------------------------------------------------------------- */

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
        snprintf(path, sizeof path, "weather.bubbles[%d].center", (int)i);
        WABE_TRY(check_inside(config, w, path, b->center));
    }
    return WABE_OK;
}

/* The Courant number of sound of a substep. */
static double sound_courant(const weather *w) {
    return w->sound * w->step.time_step / w->step.substeps * w->per_sound;
}

/* The largest stable Courant number of sound: damping of divergence adds to its waves of two cells.
 */
static double sound_stable(const weather *w) { return 1.0 / sqrt(1.0 + 2.0 * w->step.damping); }

/* The largest diffusivity times time step, m2. */
static double mixing_stable(const weather *w) {
    const double dx = w->options.spacing, dy = w->thinnest;
    return 0.5 / (2.0 / (dx * dx) + 1.0 / (dy * dy));
}

static void choose_time_step(weather *w, double blowing) {
    const double dx = w->options.spacing;
    const struct {
        const char *what;
        double most;
    } limits[] = {{"sound", w->step.substeps * sound_stable(w) / (w->sound * w->per_sound)},
                  {"a wind that is 30 m/s faster", WIND_STABLE * dx / (blowing + WIND_USUAL)},
                  {"updraughts of 15 m/s", WIND_STABLE * w->thinnest / RISE_USUAL},
                  {"diffusion", mixing_stable(w) / w->options.weather.diffusivity}};
    int least = 0;
    for (int i = 1; i < 4; i++)
        least = limits[i].most < limits[least].most ? i : least;
    w->step.time_step = SAFE * limits[least].most;
    w->limited_by = limits[least].what;
}

static wabe_status check_time_step(const wabe_config *config, const weather *w, double blowing) {
    const double dt = w->step.time_step, courant = blowing * dt / w->options.spacing;
    double rate = 0.0;
    for (int axis = 0; axis < 3; axis++)
        rate += w->options.relaxation.width[axis] > 0.0 ? w->options.relaxation.rate[axis] : 0.0;
    if (sound_courant(w) > sound_stable(w))
        return wabe_config_fail(config, "weather.time_step",
                                "is unstable: sound, at %.4g m/s, goes %.3g cells in a substep, "
                                "slopes included, at most "
                                "%g; take %g s "
                                "or less, or weather.substeps = %d",
                                w->sound, sound_courant(w), sound_stable(w),
                                dt * sound_stable(w) / sound_courant(w),
                                2 * (int)ceil(0.5 * w->step.substeps * sound_courant(w) /
                                              sound_stable(w)));
    if (courant > WIND_STABLE)
        return wabe_config_fail(config, "weather.time_step",
                                "is unstable: the wind goes %.3g cells in a step, at most %g",
                                courant, WIND_STABLE);
    if (w->options.weather.diffusivity * dt > mixing_stable(w))
        return wabe_config_fail(config, "weather.diffusivity",
                                "is unstable with a time step of %g s: at most %.4g m2/s", dt,
                                mixing_stable(w) / dt);
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

static wabe_status take_time_step(const wabe_config *config, weather *w) {
    const double given = w->options.weather.time_step;
    const double *wind = w->options.weather.wind;
    const double blowing = fabs(wind[0]) + fabs(wind[2]);
    if (w->options.weather.substeps % 2)
        return wabe_config_fail(config, "weather.substeps",
                                "must be even: half of them are done in "
                                "the second stage");
    if (wind[1] != 0.0)
        return wabe_config_fail(config, "weather.wind", "must be 0 along y, which is up");
    w->step.substeps = (int)w->options.weather.substeps;
    w->step.time_step = given;
    if (!isfinite(given))
        choose_time_step(w, blowing);
    return check_time_step(config, w, blowing);
}

/* Waves behind mountains come back from a lid without a zone as thick as they are long. */
static void warn_of_echoes(const weather *w) {
    const double *wind = w->options.weather.wind, width = w->options.relaxation.width[1];
    double low, high, exner;
    balance_at(w, 0.0, &low, &exner);
    balance_at(w, lid_of(w), &high, &exner);
    const double frequency = sqrt(GRAVITY * log(high / low) / lid_of(w));
    const double length = 2.0 * PI * hypot(wind[0], wind[2]) / frequency;
    if (w->highest > 0.0 && isfinite(length) && width < 0.9 * length)
        wabe_log_warning(
            "waves behind the ground's hills are about %.3g m long upwards, and come back "
            "from the lid: relaxation.width has %g m along y under it",
            length, width);
}

static wabe_status take_options(const wabe_config *config, weather *w) {
    const wabe_weather_options *o = &w->options;
    w->step = (wabe_weather_step){.spacing = o->spacing,
                                  .gravity = GRAVITY,
                                  .gamma = HEAT / (HEAT - GAS),
                                  .off_centring = o->weather.off_centring,
                                  .damping = o->weather.damping,
                                  .diffusivity = o->weather.diffusivity,
                                  .coriolis = o->weather.coriolis,
                                  .wind = {o->weather.wind[0], 0.0, o->weather.wind[2]}};
    WABE_TRY(check_domain(config, w));
    WABE_TRY(check_sounding(config, w));
    WABE_TRY(check_bubbles(config, w));
    WABE_TRY(take_levels(config, w));
    WABE_TRY(check_relaxation(config, w));
    WABE_TRY(take_terrain(config, w));
    WABE_TRY(take_air(config, w));
    WABE_TRY(take_bubbles(config, w));
    w->place = (wabe_weather_place){.spacing = o->spacing,
                                    .faces = w->faces,
                                    .ground = w->ground,
                                    .context = w,
                                    .rest = rest_at,
                                    .level_rate = level_rate,
                                    .column_rate = column_rate};
    memcpy(w->place.cells, o->run.domain.cells, sizeof w->place.cells);
    warn_of_echoes(w);
    return take_time_step(config, w);
}

/* ---- the initial state ---------------------------------------------------------------- */

/* 1 in the middle of a bubble, 0 outside. */
static double shape_of(const weather *w, const wabe_weather_bubble *b, const int64_t cell[3]) {
    const double height = wabe_weather_height(&w->place, cell);
    const double off[3] = {away(w, 0, cell[0], b->center[0]), height - b->center[1],
                           away(w, 2, cell[2], b->center[2])};
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++)
        if (b->radius[axis] > 0.0 && !(axis == 1 && b->shape == PACKET))
            square += off[axis] / b->radius[axis] * (off[axis] / b->radius[axis]);
    if (b->shape == PACKET) {
        double ground[WABE_RESTS], here[WABE_RESTS];
        rest_at(w, 0.0, ground);
        rest_at(w, height, here);
        return exp(-square) * sin(PI * height / lid_of(w)) *
               sqrt(ground[WABE_REST_DENSITY] / here[WABE_REST_DENSITY]);
    }
    const double wave = cos(0.5 * PI * fmin(sqrt(square), 1.0));
    return square < 1.0 ? wave * wave : 0.0;
}

/* The deviation of J rho: bubbles have the pressure of air at rest, and so its rho theta. */
static double density_at(const weather *w, const int64_t cell[3], const double rest[WABE_RESTS]) {
    const wabe_weather_bubble *b = w->options.weather.bubbles.items;
    const double exner = pow(rest[WABE_REST_PRESSURE] / PRESSURE, GAS / HEAT);
    double deviation = 0.0;
    for (int64_t i = 0; i < w->options.weather.bubbles.count; i++)
        deviation += b[i].amplitude * shape_of(w, &b[i], cell) /
                     (b[i].of == OF_TEMPERATURE ? exner : 1.0);
    return -rest[WABE_REST_DENSITY] * deviation / (rest[WABE_REST_THETA] + deviation);
}

/* J rho. */
static double all_density_at(const weather *w, const int64_t cell[3]) {
    double rest[WABE_RESTS];
    wabe_weather_rest_at(&w->place, cell, rest);
    return rest[WABE_REST_DENSITY] + density_at(w, cell, rest);
}

/* Momentum is on the lower face along its axis. */
static double momentum_at(const weather *w, int axis, const int64_t cell[3]) {
    const double wind = w->options.weather.wind[axis];
    const int64_t n = w->options.run.domain.cells[axis];
    int64_t behind[3] = {cell[0], cell[1], cell[2]};
    behind[axis] = (cell[axis] + n - 1) % n;
    return wind == 0.0 ? 0.0 : wind * 0.5 * (all_density_at(w, behind) + all_density_at(w, cell));
}

static wabe_status initial_row(const void *context, int number, const int64_t cell[3],
                               int64_t count, double *row) {
    const weather *w = context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at[3] = {cell[0] + i, cell[1], cell[2]};
        double rest[WABE_RESTS];
        wabe_weather_rest_at(&w->place, at, rest);
        row[i] = number == WABE_WEATHER_DENSITY ? density_at(w, at, rest)
                 : number == WABE_WEATHER_HEAT  ? 0.0
                                               : momentum_at(w, number - WABE_WEATHER_MOMENTUM, at);
    }
    return WABE_OK;
}

/* ---- results -------------------------------------------------------------------------- */

static weather *weather_of(const wabe_run *run) { return wabe_stencil_case_of(run)->slabs.context; }

/* Numbers that are shown follow the state's. */
enum { VELOCITY = WABE_WEATHER_STATE, HEIGHT = VELOCITY + 5 };

/* The largest Courant number of wind, and dry mass: that of air at rest and its deviation. */
static wabe_status monitor(wabe_run *run, double columns[]) {
    const weather *w = weather_of(run);
    const wabe_stencil_number *n = w->stencil.numbers;
    const int64_t *cells = w->options.run.domain.cells;
    const double dx = w->options.spacing, volume = dx * dx * w->step.thickness;
    double courant = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const wabe_field_state *is = &n[VELOCITY + axis].last;
        courant += fmax(fabs(is->low), fabs(is->high)) * w->step.time_step /
                   (axis == 1 ? w->thinnest : dx);
    }
    columns[0] = courant;
    columns[1] = w->mass + volume * (double)(cells[0] * cells[1] * cells[2]) *
                               n[WABE_WEATHER_DENSITY].last.mean;
    return WABE_OK;
}

static const char *const units[] = {"kg/m^3",     "K kg/m^3", "kg/(m^2 s)", "kg/(m^2 s)",
                                    "kg/(m^2 s)", "m/s",      "m/s",        "m/s",
                                    "K",          "Pa",       "m"};

/* Of what results.json and monitor.csv say of numbers. */
static void put_units(const weather *w, wabe_json *json) {
    static const char *const ends[] = {"lowest", "highest", "mean"};
    wabe_json_open(json, "units", '{');
    wabe_json_text(json, "time", "s");
    wabe_json_text(json, "time_step", "s");
    wabe_json_text(json, "mass", "kg");
    for (int i = 0; i < (int)(sizeof units / sizeof units[0]); i++)
        for (int end = 0; end < 3; end++) {
            char name[96];
            snprintf(name, sizeof name, "%s_%s", w->stencil.numbers[i].name, ends[end]);
            wabe_json_text(json, name, units[i]);
        }
    wabe_json_close(json, '}');
}

static void put(const wabe_run *run, wabe_json *json) {
    const weather *w = weather_of(run);
    put_units(w, json);
    wabe_json_real(json, "time_step", w->step.time_step);
    wabe_json_real(json, "sound_courant", sound_courant(w));
}

static void print_model(const wabe_run *run) {
    const weather *w = weather_of(run);
    const int64_t levels = w->options.run.domain.cells[1];
    double low[WABE_RESTS], high[WABE_RESTS];
    rest_at(w, 0.0, low);
    rest_at(w, lid_of(w), high);
    wabe_log_line("levels     %.4g to %.4g m thick, lid at %.6g m, ground up to %.4g m",
                  w->faces[1], w->faces[levels] - w->faces[levels - 1], lid_of(w), w->highest);
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
static double hash_ground(const weather *w) {
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
    const weather *w = context;
    return wabe_weather_set(slab, &w->step, &w->place);
}

/* How it is computed: the values stay the same. */
static const char *const may_differ[] = {"weather.kernel", NULL};
static const char *const fixed_keys[] = {"domain.spacing", "levels.", "sounding.", "terrain.",
                                         NULL};

wabe_status wabe_weather_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                                 wabe_verb verb) {
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
            .slabs = {.model = wabe_weather_model(type, w.options.run.domain.cells,
                                                  w.highest == 0.0, &w.step,
                                                  w.options.weather.kernel),
                      .context = &w,
                      .fill = fill},
            .kernel_key = "weather.kernel",
            .unit_words = units,
            .signed_numbers = (1u << HEIGHT) - 1u, /* deviations and velocities */
            .initial = initial_row,
            .monitor = monitor,
            .monitor_columns = "courant,mass",
            .monitor_column_count = 2,
            .likely_cause = "weather.time_step may be too long for the wind: the column courant of "
                            "monitor.csv should stay below 1",
            .recall = recall,
            .resume = resume,
            .put = put};
        wabe_stencil_enter(&w.stencil, &app);
        app.may_differ = may_differ;
        app.fixed_keys = fixed_keys;
        app.print_model = print_model;
        app.default_quantities = "velocity_x, velocity_y, velocity_z, theta, pressure, height";
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
    return status;
}
