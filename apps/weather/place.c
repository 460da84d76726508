/* Where the air is: levels, terrain, and zones in which it is drawn to rest. */
#include "apps/geometry/heights.h"
#include "apps/weather/weather_case.h"

#include <math.h>
#include <stdlib.h>

enum { LEVELS_LEAST = 8, LAYERS = 3 };

/* ---- levels -------------------------------------------------------------------------------- */

double wabe_weather_lid(const wabe_weather_case *w) {
    return w->faces[w->options.run.domain.cells[1]];
}

wabe_status wabe_weather_check_domain(const wabe_config *config, const wabe_weather_case *w) {
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
wabe_status wabe_weather_take_levels(const wabe_config *config, wabe_weather_case *w) {
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

/* ---- terrain ------------------------------------------------------------------------------- */

/* How far a column is from a point, along a periodic axis. */
double wabe_weather_away(const wabe_weather_case *w, int axis, int64_t index, double from) {
    const double edge = (double)w->options.run.domain.cells[axis] * w->options.spacing;
    const double off = fabs(((double)index + 0.5) * w->options.spacing - from);
    return fmin(off, fabs(edge - off));
}

static double hill_at(const wabe_weather_case *w, int64_t x, int64_t z) {
    const double wide = w->options.terrain.half_width;
    const double *center = w->options.terrain.center;
    double from[3];
    for (int axis = 0; axis < 3; axis++)
        from[axis] = isfinite(center[axis])
                         ? center[axis]
                         : 0.5 * (double)w->options.run.domain.cells[axis] * w->options.spacing;
    const double off = wabe_weather_away(w, 0, x, from[0]) / wide,
                 beside = wabe_weather_away(w, 2, z, from[2]) / wide;
    switch (w->options.terrain.kind) {
    case WABE_BELL:
        return w->options.terrain.height * pow(1.0 + off * off + beside * beside, -1.5);
    case WABE_RIDGE:
        return w->options.terrain.height / (1.0 + off * off);
    case WABE_SCHAER: {
        const double wave = cos(WABE_PI * off * wide / w->options.terrain.wave_length);
        return w->options.terrain.height * exp(-off * off) * wave * wave;
    }
    default:
        return 0.0;
    }
}

/* path: the key of a place; NAN: not given. */
wabe_status wabe_weather_check_inside(const wabe_config *config, const wabe_weather_case *w,
                                      const char *path, const double place[3]) {
    for (int axis = 0; axis < 3; axis += 2) {
        const double edge = (double)w->options.run.domain.cells[axis] * w->options.spacing;
        if (place[axis] < 0.0 || place[axis] > edge)
            return wabe_config_fail(config, path,
                                    "is outside the domain, which is %g m long along %c", edge,
                                    'x' + axis);
    }
    return WABE_OK;
}

static wabe_status check_terrain(const wabe_config *config, const wabe_weather_case *w) {
    const wabe_weather_terrain *t = &w->options.terrain;
    static const char *const kinds[] = {"flat", "bell", "ridge", "schaer", "file"};
    const bool is_hill = t->kind == WABE_BELL || t->kind == WABE_RIDGE || t->kind == WABE_SCHAER;
    const struct {
        const char *key;
        bool needed;
    } keys[] = {{"terrain.height", is_hill},
                {"terrain.half_width", is_hill},
                {"terrain.wave_length", t->kind == WABE_SCHAER},
                {"terrain.file", t->kind == WABE_TERRAIN_FILE}};
    const char *const others[] = {"terrain.dataset", "terrain.scale", "terrain.offset"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (wabe_config_is_given(config, keys[i].key) != keys[i].needed)
            return wabe_config_fail(config, keys[i].needed ? "terrain.kind" : keys[i].key,
                                    keys[i].needed
                                        ? "is \"%s\", which needs %s"
                                        : "is given, but terrain.kind is \"%s\": %s is not of it",
                                    kinds[t->kind], keys[i].key);
    for (size_t i = 0; i < sizeof others / sizeof others[0] && t->kind != WABE_TERRAIN_FILE; i++)
        if (wabe_config_is_given(config, others[i]))
            return wabe_config_fail(config, others[i], "is only of terrain.kind \"file\"");
    if (!is_hill && wabe_config_is_given(config, "terrain.center"))
        return wabe_config_fail(config, "terrain.center", "is only of hills and ridges");
    if (t->kind == WABE_SCHAER && t->wave_length < 4.0 * w->options.spacing)
        return wabe_config_fail(config, "terrain.wave_length",
                                "is %g m: at least four cells of %g m (domain.spacing) are needed",
                                t->wave_length, w->options.spacing);
    if (is_hill && t->half_width < w->options.spacing)
        return wabe_config_fail(config, "terrain.half_width",
                                "is %g m, less than a cell of %g m (domain.spacing)", t->half_width,
                                w->options.spacing);
    return wabe_weather_check_inside(config, w, "terrain.center", t->center);
}

static wabe_status read_terrain(wabe_weather_case *w) {
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
static double slope_at(const wabe_weather_case *w, int axis, int64_t x, int64_t z) {
    const int64_t *n = w->options.run.domain.cells;
    const int64_t behind = axis == 0 ? z * n[0] + (x + n[0] - 1) % n[0]
                                     : (z + n[2] - 1) % n[2] * n[0] + x;
    return fabs(w->ground[z * n[0] + x] - w->ground[behind]) / w->options.spacing;
}

static double steepest(const wabe_weather_case *w) {
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
static void take_slopes(wabe_weather_case *w) {
    const int64_t *n = w->options.run.domain.cells;
    const double dx = w->options.spacing, lid = wabe_weather_lid(w);
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

wabe_status wabe_weather_take_terrain(const wabe_config *config, wabe_weather_case *w) {
    const int64_t *n = w->options.run.domain.cells;
    const bool from_file = w->options.terrain.kind == WABE_TERRAIN_FILE;
    const char *key = from_file ? "terrain.file" : "terrain.height";
    const double limit = wabe_weather_lid(w) - w->options.relaxation.width[1];
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
    const double wave = width > 0.0 ? sin(0.5 * WABE_PI * fmax(0.0, 1.0 - from_edge / width)) : 0.0;
    return wave * wave;
}

double wabe_weather_level_rate(const void *context, double height) {
    const wabe_weather_case *w = context;
    return w->options.relaxation.rate[1] *
           zone(wabe_weather_lid(w) - height, w->options.relaxation.width[1]);
}

double wabe_weather_column_rate(const void *context, int64_t x, int64_t z) {
    const wabe_weather_case *w = context;
    const int64_t at[3] = {x, 0, z};
    double rate = 0.0;
    for (int axis = 0; axis < 3; axis += 2)
        rate += w->options.relaxation.rate[axis] *
                zone(wabe_weather_away(w, axis, at[axis], 0.0), w->options.relaxation.width[axis]);
    return rate;
}

wabe_status wabe_weather_check_relaxation(const wabe_config *config, const wabe_weather_case *w) {
    const double *width = w->options.relaxation.width, *rate = w->options.relaxation.rate;
    const int64_t *n = w->options.run.domain.cells;
    const double edges[3] = {0.5 * (double)n[0] * w->options.spacing, wabe_weather_lid(w),
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

wabe_status wabe_weather_check_zones(const wabe_config *config, const wabe_weather_case *w) {
    const double *width = w->options.relaxation.width;
    const double *lid = &w->faces[w->options.run.domain.cells[1]];
    for (int axis = 0; axis < 3; axis++) {
        const double middle = 0.5 * (axis == 1 ? lid[0] - lid[-1] : w->options.spacing);
        if (width[axis] > 0.0 && width[axis] <= middle)
            return wabe_config_fail(config, "relaxation.width",
                                    "is %g m along %c, which reaches no number: the first one is "
                                    "%g m from the edge",
                                    width[axis], 'x' + axis, middle);
    }
    return WABE_OK;
}
