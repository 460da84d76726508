#include "apps/lbm/inflow.h"

#include "core/base/log.h"
#include "core/base/rounded.h"
#include "core/io/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPEED_MAX 1.0 /* cells a step, as of surfaces that turn */

enum { KEY_SIZE = 64, FEWEST_CONDITIONS = 8 };

static const char *const kind_words[] = {"none", "logarithmic", "power", "parabolic", "table"};

static void key_of(int face, const char *member, char out[KEY_SIZE]) {
    snprintf(out, KEY_SIZE, "boundaries.%s.profile.%s", wabe_face_name(face), member);
}

/* ---- keys --------------------------------------------------------------------------- */

/* Rejects keys that the kind of profile does not take, and missing ones that it needs. */
static wabe_status check_keys(const wabe_config *config, int face, const wabe_profile_options *o) {
    enum { LOG = 1 << WABE_PROFILE_LOGARITHMIC, POW = 1 << WABE_PROFILE_POWER };
    enum { PAR = 1 << WABE_PROFILE_PARABOLIC, TAB = 1 << WABE_PROFILE_TABLE };
    static const struct {
        const char *member;
        unsigned takes, needs;
    } rows[] = {{"up", LOG | POW | PAR | TAB, 0}, {"height", LOG | POW, LOG | POW},
                {"roughness", LOG, LOG},          {"displacement", LOG, 0},
                {"exponent", POW, POW},           {"file", TAB, TAB}};
    /* Unlike their defaults, with which config.resolved.cfg writes them. */
    const bool set[] = {o->up != 1,           isfinite(o->height),   isfinite(o->roughness),
                        o->displacement != 0, isfinite(o->exponent), o->file[0] != 0};
    char key[KEY_SIZE], kind[KEY_SIZE];
    key_of(face, "kind", kind);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        key_of(face, rows[i].member, key);
        const bool given = wabe_config_is_given(config, key);
        if (set[i] && !(rows[i].takes >> o->kind & 1))
            return wabe_config_fail(config, key, "is not used: %s is \"%s\", which takes none",
                                    kind, kind_words[o->kind]);
        if (!given && rows[i].needs >> o->kind & 1)
            return wabe_config_fail(config, kind, "is \"%s\", which needs %s: it is missing",
                                    kind_words[o->kind], key);
    }
    return WABE_OK;
}

static bool is_wall(const wabe_geometry *g, int face) {
    return g->conditions[face].kind == WABE_BOUNDARY_no_slip ||
           g->conditions[face].kind == WABE_BOUNDARY_moving_wall;
}

static wabe_status check_axis(const wabe_config *config, int face, const wabe_profile_options *o,
                              const wabe_geometry *g) {
    const wabe_condition *condition = &g->conditions[face];
    char key[KEY_SIZE], velocity[KEY_SIZE];
    key_of(face, "up", key);
    snprintf(velocity, sizeof velocity, "boundaries.%s.velocity", wabe_face_name(face));
    if (!wabe_config_is_given(config, key))
        key_of(face, "kind", key);
    if (o->up == face / 2)
        return wabe_config_fail(config, key,
                                "makes heights those along %c, and face %s is normal to it: all "
                                "its cells have the same",
                                'x' + o->up, wabe_face_name(face));
    if (o->kind == WABE_PROFILE_PARABOLIC && !(is_wall(g, 2 * o->up) && is_wall(g, 2 * o->up + 1)))
        return wabe_config_fail(config, key,
                                "is \"parabolic\", the flow between two walls along %c: make both "
                                "faces no_slip or moving_wall",
                                'x' + o->up);
    if (condition->velocity[o->up] != 0.0)
        return wabe_config_fail(config, velocity,
                                "blows along %c, along which the profile measures heights: make "
                                "that component 0",
                                'x' + o->up);
    if (g->conditions[2 * o->up].kind == WABE_BOUNDARY_periodic)
        return wabe_config_fail(config, key,
                                "makes heights those along %c, where the domain is periodic, so "
                                "that there is no ground",
                                'x' + o->up);
    return WABE_OK;
}

/* The logarithm must be positive at the height, and somewhere in the domain, and, over flat ground,
 * in the lowest cells. */
static wabe_status check_logarithm(const wabe_config *config, int face,
                                   const wabe_profile_options *o, int64_t levels) {
    char key[KEY_SIZE];
    const double rest = o->displacement + o->roughness;
    if (o->kind != WABE_PROFILE_LOGARITHMIC)
        return WABE_OK;
    key_of(face, "height", key);
    if (o->height <= rest)
        return wabe_config_fail(config, key,
                                "is %g, where the profile is at rest: it must be above "
                                "displacement + roughness, %g",
                                o->height, rest);
    key_of(face, "roughness", key);
    if (o->displacement == 0.0 && o->roughness >= 0.5)
        return wabe_config_fail(config, key,
                                "is %g: the lowest cells' centres, at 0.5, would be at rest; it "
                                "must be below 0.5, or the ground displaced",
                                o->roughness);
    if (rest >= (double)levels - 0.5)
        return wabe_config_fail(config, key,
                                "and displacement leave the whole domain, %lld cells high, at rest",
                                (long long)levels);
    return WABE_OK;
}

static wabe_status check(const wabe_config *config, int face, const wabe_profile_options *o,
                         const wabe_geometry *g) {
    char key[KEY_SIZE];
    WABE_TRY(check_keys(config, face, o));
    if (o->kind == WABE_PROFILE_NONE)
        return WABE_OK;
    key_of(face, "kind", key);
    if (g->conditions[face].kind != WABE_BOUNDARY_velocity)
        return wabe_config_fail(config, key, "is for boundaries.%s.kind = \"velocity\" alone",
                                wabe_face_name(face));
    WABE_TRY(check_axis(config, face, o, g));
    return check_logarithm(config, face, o, g->cells[o->up]);
}

/* ---- levels ------------------------------------------------------------------------- */

/* The velocity relative to that at the profile's height. logarithmic: the wind over rough ground,
 * displaced upwards by buildings or plants (for example Stull, An Introduction to Boundary Layer
 * Meteorology (1988), section 9.7). */
static double factor_at(const wabe_profile_options *o, const wabe_table *t, int64_t levels,
                        double y) {
    const double above = (y - o->displacement) / o->roughness;
    switch ((wabe_profile_kind)o->kind) {
    case WABE_PROFILE_LOGARITHMIC:
        return above <= 1.0 ? 0.0 : log(above) / log((o->height - o->displacement) / o->roughness);
    case WABE_PROFILE_POWER:
        return pow(y / o->height, o->exponent);
    case WABE_PROFILE_PARABOLIC:
        return 4.0 * y * ((double)levels - y) / ((double)levels * (double)levels);
    default:
        return wabe_table_at(t, y);
    }
}

/* Divides the levels among count conditions so that each covers the same part of the profile's
 * change from the ground to the top, and numbers those that are used; returns how many are. */
static int divide(const double *factors, int64_t levels, int count, uint8_t *out) {
    double change = 0.0, so_far = 0.0;
    int64_t last = 0;
    int used = 0;
    for (int64_t k = 1; k < levels; k++)
        change += fabs(factors[k] - factors[k - 1]);
    for (int64_t k = 0; k < levels; k++) {
        so_far += k > 0 ? fabs(factors[k] - factors[k - 1]) : 0.0;
        const int64_t part = levels <= count ? k
                             : change > 0.0  ? (int64_t)(so_far / change * count)
                                             : 0;
        const int64_t its = part < count ? part : count - 1;
        used += k > 0 && its != last;
        last = its;
        out[k] = (uint8_t)used;
    }
    return used + 1;
}

static double speed_of(const wabe_condition *condition) {
    const double *v = condition->velocity;
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Gives each condition the mean velocity of its levels. */
static void set_velocities(const double *factors, const wabe_condition *of_face, int first,
                           wabe_condition *conditions, wabe_inflow *f) {
    const double speed = speed_of(of_face);
    for (int64_t begin = 0, end; begin < f->level_count; begin = end) {
        double mean = 0.0;
        for (end = begin; end < f->level_count && f->conditions[end] == f->conditions[begin]; end++)
            mean += factors[end];
        mean /= (double)(end - begin);
        wabe_condition *condition = &conditions[first + f->conditions[begin]];
        *condition = *of_face;
        for (int d = 0; d < 3; d++)
            condition->velocity[d] = mean * of_face->velocity[d];
        f->most = fmax(f->most, fabs(mean) * speed);
        for (int64_t k = begin; k < end; k++)
            f->error = fmax(f->error, fabs(factors[k] - mean) * speed);
    }
    for (int64_t k = 0; k < f->level_count; k++)
        f->conditions[k] = (uint8_t)(first + f->conditions[k]);
}

/* Rejects levels that are faster than a surface may move. The key that makes them so: the table,
 * the height at which the velocity is the given one, or, of a parabola, that velocity. */
static wabe_status check_speeds(const wabe_config *config, int face, const wabe_profile_options *o,
                                const double *factors, int64_t levels, double speed) {
    char key[KEY_SIZE];
    key_of(face, o->kind == WABE_PROFILE_TABLE ? "file" : "height", key);
    if (o->kind == WABE_PROFILE_PARABOLIC)
        snprintf(key, sizeof key, "boundaries.%s.velocity", wabe_face_name(face));
    for (int64_t k = 0; k < levels; k++)
        if (!(fabs(factors[k]) * speed <= SPEED_MAX)) /* nor NAN */
            return wabe_config_fail(config, key,
                                    "makes the velocity at height %g %.4g cells a step, at most %g "
                                    "is possible: it is %.4g times boundaries.%s.velocity there",
                                    (double)k + 0.5, fabs(factors[k]) * speed, SPEED_MAX,
                                    factors[k], wabe_face_name(face));
    return WABE_OK;
}

/* count: of the conditions that the face may use. */
static wabe_status make_levels(const wabe_config *config, int face, const wabe_profile_options *o,
                               const wabe_table *t, int count, wabe_geometry *g,
                               wabe_condition *conditions, wabe_inflow *f) {
    f->kind = (wabe_profile_kind)o->kind;
    f->up = o->up;
    f->level_count = g->cells[o->up];
    f->conditions = malloc((size_t)f->level_count);
    double *factors = malloc((size_t)f->level_count * sizeof *factors);
    wabe_status status = WABE_OK;
    if (f->conditions && factors) {
        for (int64_t k = 0; k < f->level_count; k++)
            factors[k] = wabe_rounded(factor_at(o, t, f->level_count, (double)k + 0.5));
        status = check_speeds(config, face, o, factors, f->level_count,
                              speed_of(&conditions[face]));
    } else {
        status = WABE_FAIL(WABE_MEMORY, "no memory for %lld levels of a profile",
                           (long long)f->level_count);
    }
    if (status == WABE_OK) {
        f->condition_count = divide(factors, f->level_count, count, f->conditions);
        set_velocities(factors, &conditions[face], g->condition_count, conditions, f);
        g->condition_count += f->condition_count;
        g->levels[face] = (wabe_face_levels){.axis = f->up, .conditions = f->conditions};
    }
    free(factors);
    return status;
}

static wabe_status make(const wabe_config *config, int face, const wabe_profile_options *o,
                        int count, wabe_geometry *g, wabe_condition *conditions, wabe_inflow *out) {
    char key[KEY_SIZE];
    wabe_table t = {0};
    key_of(face, "kind", key);
    if (count < FEWEST_CONDITIONS)
        return wabe_config_fail(config, key,
                                "leaves no conditions for its levels: of %d for faces, objects and "
                                "profiles %d are left for this one",
                                WABE_CONDITIONS_MAX, count);
    if (o->kind == WABE_PROFILE_TABLE && !o->file[0]) {
        key_of(face, "file", key);
        return wabe_config_fail(config, key, "is needed: the table's name");
    }
    wabe_status status = o->kind == WABE_PROFILE_TABLE
                             ? wabe_table_read(o->file, "height, factor", &t)
                             : WABE_OK;
    if (status == WABE_INPUT || status == WABE_FILE) {
        key_of(face, "file", key);
        wabe_config_fail_because(config, key, "cannot be used");
    }
    if (status == WABE_OK)
        status = make_levels(config, face, o, &t, count, g, conditions, out);
    wabe_table_free(&t);
    return status;
}

wabe_status wabe_inflow_make(const wabe_config *config,
                             const wabe_profile_options *const options[WABE_FACES],
                             wabe_geometry *g, wabe_condition *conditions,
                             wabe_inflow out[WABE_FACES]) {
    int left = 0; /* profiles to be made */
    for (int face = 0; face < WABE_FACES; face++) {
        WABE_TRY(check(config, face, options[face], g));
        left += options[face]->kind != WABE_PROFILE_NONE;
    }
    for (int face = 0; face < WABE_FACES; face++)
        if (options[face]->kind != WABE_PROFILE_NONE)
            WABE_TRY(make(config, face, options[face],
                          (WABE_CONDITIONS_MAX - g->condition_count) / left--, g, conditions,
                          &out[face]));
    return WABE_OK;
}

void wabe_inflow_free(wabe_inflow inflows[WABE_FACES]) {
    for (int face = 0; face < WABE_FACES; face++) {
        free(inflows[face].conditions);
        inflows[face] = (wabe_inflow){.conditions = NULL};
    }
}

int wabe_inflow_first(const wabe_inflow inflows[WABE_FACES]) {
    for (int face = 0; face < WABE_FACES; face++)
        if (inflows[face].kind != WABE_PROFILE_NONE)
            return face;
    return -1;
}

/* ---- the log ------------------------------------------------------------------------ */

void wabe_inflow_print(const wabe_inflow inflows[WABE_FACES], const wabe_condition *conditions) {
    for (int face = 0; face < WABE_FACES; face++) {
        const wabe_inflow *f = &inflows[face];
        if (f->kind == WABE_PROFILE_NONE)
            continue;
        wabe_log_line("inflow     %s: %s along %c, from %.4g in the lowest to %.4g in the highest "
                      "cells, at most %.4g",
                      wabe_face_name(face), kind_words[f->kind], 'x' + f->up,
                      speed_of(&conditions[f->conditions[0]]),
                      speed_of(&conditions[f->conditions[f->level_count - 1]]), f->most);
        if (f->condition_count < f->level_count)
            wabe_log_line("           %lld levels share %d velocities, which differ from the "
                          "profile by %.2g cells a step at most",
                          (long long)f->level_count, f->condition_count, f->error);
    }
}
