/* Air at rest, in hydrostatic balance, and the wind that blows in it. */
#include "apps/weather/weather_case.h"
#include "core/base/log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 4097, ITERATIONS = 3 };

/* ---- soundings that are integrated -------------------------------------------------------- */

/* The vapour per dry air that saturates it: as wabe_water_saturation in sweeps/cell/water.h. */
static double saturation(double pressure, double temperature) {
    return WABE_SATURATION_A / pressure *
           exp(WABE_SATURATION_B * (temperature - WABE_SATURATION_C) /
               (temperature - WABE_SATURATION_D));
}

static double pressure_of(double exner) {
    return WABE_STANDARD_PRESSURE * pow(exner, WABE_HEAT_CAPACITY / WABE_GAS);
}

/* Where a height is in the table: between the row that is returned and the next one. */
static int64_t row_of(const wabe_weather_case *w, double height, double *share) {
    const wabe_sounding_level *rows = w->options.sounding.table.items;
    int64_t i = 0;
    while (i + 2 < w->options.sounding.table.count && rows[i + 1].height <= height)
        i++;
    *share = (height - rows[i].height) / (rows[i + 1].height - rows[i].height);
    return i;
}

static double between(double low, double high, double share) { return low + share * (high - low); }

/* theta and vapour per dry air of a table, or of M. L. Weisman, J. B. Klemp, Mon. Weather Rev. 110
 * (1982) 504, as J. B. Klemp et al., J. Adv. Model. Earth Syst. 7 (2015) 1155 have it. */
static void sounding_at(const wabe_weather_case *w, double height, double exner, double *theta,
                        double *vapour) {
    const double top = 12e3, top_theta = 343.0, top_temperature = 213.0; /* of the troposphere */
    const double rise = pow(fmin(height / top, 1.0), 1.25), ground = w->options.sounding.theta;
    if (w->options.sounding.kind == WABE_SOUNDING_TABLE) {
        const wabe_sounding_level *rows = w->options.sounding.table.items;
        double share;
        const int64_t i = row_of(w, height, &share);
        *theta = between(rows[i].theta, rows[i + 1].theta, share);
        *vapour = between(rows[i].vapour, rows[i + 1].vapour, share);
        return;
    }
    *theta = height <= top ? ground + (top_theta - ground) * rise
                           : top_theta * exp(WABE_GRAVITY * (height - top) /
                                             (WABE_HEAT_CAPACITY * top_temperature));
    *vapour = fmin((1.0 - 0.75 * rise) * saturation(pressure_of(exner), *theta * exner),
                   w->options.sounding.vapour);
}

/* Sets a point of the profile, whose Exner function is known but for what its vapour changes. */
static void set_point(wabe_weather_profile *p, const wabe_weather_case *w, int64_t i) {
    double theta, vapour;
    sounding_at(w, (double)i * p->step, p->exner[i], &theta, &vapour);
    p->theta[i] = theta * (1.0 + WABE_VAPOUR_GAS / WABE_GAS * vapour) / (1.0 + vapour);
    p->vapour[i] = vapour / (1.0 + vapour);
}

/* d exner / dy = -g / (c_p theta), by the trapezoidal rule. */
static wabe_status integrate(wabe_weather_case *w) {
    wabe_weather_profile *p = &w->profile;
    double **const columns[] = {&p->theta, &p->exner, &p->vapour};
    for (int i = 0; i < 3; i++) {
        *columns[i] = calloc(POINTS, sizeof **columns[i]);
        WABE_CHECK(*columns[i], WABE_MEMORY, "no memory for a sounding");
    }
    p->points = POINTS, p->step = wabe_weather_lid(w) / (POINTS - 1);
    p->exner[0] = pow(w->options.sounding.pressure / WABE_STANDARD_PRESSURE,
                      WABE_GAS / WABE_HEAT_CAPACITY);
    set_point(p, w, 0);
    for (int64_t i = 1; i < POINTS; i++) {
        p->theta[i] = p->theta[i - 1];
        for (int again = 0; again < ITERATIONS; again++) {
            p->exner[i] = p->exner[i - 1] - 0.5 * p->step * WABE_GRAVITY / WABE_HEAT_CAPACITY *
                                                (1.0 / p->theta[i - 1] + 1.0 / p->theta[i]);
            set_point(p, w, i);
        }
    }
    return WABE_OK;
}

static double of_profile(const wabe_weather_profile *p, const double *values, double height) {
    const double at = fmax(0.0, fmin(height / p->step, (double)(p->points - 1)));
    const int64_t i = at < (double)(p->points - 2) ? (int64_t)at : p->points - 2;
    return between(values[i], values[i + 1], at - (double)i);
}

/* ---- air at rest -------------------------------------------------------------------------- */

/* warmer: than the sounding, K; 0 for profiles. */
static void balance(const wabe_weather_case *w, double warmer, double height, double *theta,
                    double *exner) {
    const double ground = w->options.sounding.theta + warmer, n = w->options.sounding.frequency;
    const double first = pow(w->options.sounding.pressure / WABE_STANDARD_PRESSURE,
                             WABE_GAS / WABE_HEAT_CAPACITY);
    if (w->profile.points > 0) {
        *theta = of_profile(&w->profile, w->profile.theta, height);
        *exner = of_profile(&w->profile, w->profile.exner, height);
    } else if (w->options.sounding.kind == WABE_NEUTRAL) {
        *theta = ground;
        *exner = first - WABE_GRAVITY * height / (WABE_HEAT_CAPACITY * ground);
    } else if (w->options.sounding.kind == WABE_ISOTHERMAL) {
        *exner = first * exp(-WABE_GRAVITY * height / (WABE_HEAT_CAPACITY * ground));
        *theta = ground / *exner;
    } else {
        const double rise = n * n * height / WABE_GRAVITY;
        *theta = ground * exp(rise);
        *exner = first +
                 WABE_GRAVITY * WABE_GRAVITY / (WABE_HEAT_CAPACITY * ground * n * n) * expm1(-rise);
    }
}

void wabe_weather_balance(const wabe_weather_case *w, double height, double *theta, double *exner) {
    balance(w, 0.0, height, theta, exner);
}

double wabe_weather_vapour(const wabe_weather_case *w, double height) {
    return w->profile.points > 0 ? of_profile(&w->profile, w->profile.vapour, height) : 0.0;
}

static void air_at(const wabe_weather_case *w, double warmer, double height,
                   double out[WABE_RESTS]) {
    double theta, exner;
    balance(w, warmer, height, &theta, &exner);
    out[WABE_REST_THETA] = theta;
    out[WABE_REST_PRESSURE] = pressure_of(exner);
    out[WABE_REST_DENSITY] = out[WABE_REST_PRESSURE] / (WABE_GAS * theta * exner);
    out[WABE_REST_VAPOUR] = wabe_weather_vapour(w, height);
}

void wabe_weather_rest(const void *context, double height, double rest[WABE_RESTS]) {
    air_at(context, 0.0, height, rest);
}

void wabe_weather_start(const void *context, double height, double start[WABE_RESTS]) {
    const wabe_weather_case *w = context;
    air_at(w, w->options.sounding.warmer, height, start);
}

/* Columns bear the difference of pressures. */
wabe_status wabe_weather_take_air(const wabe_config *config, wabe_weather_case *w) {
    const int64_t *n = w->options.run.domain.cells;
    const double lid = wabe_weather_lid(w), dx = w->options.spacing;
    double top[WABE_RESTS], theta, exner;
    for (int64_t y = 0; y <= n[1]; y++) {
        const double height = w->faces[y];
        balance(w, fmax(0.0, w->options.sounding.warmer), height, &theta, &exner);
        if (!(exner > 0.05))
            return wabe_config_fail(config, "sounding.kind",
                                    "has no air at a height of %g m, and the domain is %g m high: "
                                    "take fewer levels (domain.cells), or thinner ones (levels)",
                                    height, lid);
        w->sound = fmax(w->sound, sqrt(w->step.gamma * WABE_GAS * theta * exner));
    }
    wabe_weather_rest(w, lid, top);
    for (int64_t i = 0; i < n[0] * n[2]; i++) {
        double bottom[WABE_RESTS];
        wabe_weather_rest(w, w->ground[i], bottom);
        w->mass += dx * dx * (bottom[WABE_REST_PRESSURE] - top[WABE_REST_PRESSURE]) / WABE_GRAVITY;
    }
    wabe_weather_rest(w, 0.0, top);
    w->step.ground_density = top[WABE_REST_DENSITY] * (1.0 - top[WABE_REST_VAPOUR]);
    return WABE_OK;
}

/* ---- wind --------------------------------------------------------------------------------- */

/* From 0 at the ground to 1 above a depth, smoothly (Klemp et al. 2015, equation 16). */
static double sheared(double height, double depth) {
    const double at = height / depth;
    return at < 0.8 ? at : at < 1.2 ? -0.8 + 3.0 * at - 1.25 * at * at : 1.0;
}

double wabe_weather_wind_at(const void *context, int axis, double height) {
    const wabe_weather_case *w = context;
    const wabe_sounding_level *rows = w->options.sounding.table.items;
    double wind = w->options.weather.wind[axis], share;
    if (w->options.sounding.kind == WABE_SOUNDING_TABLE) {
        const int64_t i = row_of(w, height, &share);
        wind += between(rows[i].wind[axis], rows[i + 1].wind[axis], share);
    } else if (axis == 0)
        wind += w->options.sounding.shear * sheared(height, w->options.sounding.shear_depth);
    return wind;
}

double wabe_weather_fastest(const wabe_weather_case *w) {
    double most = 0.0;
    for (int64_t y = 0; y < w->options.run.domain.cells[1]; y++) {
        const double height = 0.5 * (w->faces[y] + w->faces[y + 1]);
        most = fmax(most, fabs(wabe_weather_wind_at(w, 0, height)) +
                              fabs(wabe_weather_wind_at(w, 2, height)));
    }
    return most;
}

/* ---- keys --------------------------------------------------------------------------------- */

static wabe_status check_keys(const wabe_config *config, const wabe_weather_case *w) {
    static const struct {
        const char *key, *word;
        int kind;
        bool needed;
    } keys[] = {{"sounding.frequency", "stratified", WABE_STRATIFIED, true},
                {"sounding.table", "table", WABE_SOUNDING_TABLE, true},
                {"sounding.vapour", "weisman_klemp", WABE_WEISMAN_KLEMP, false}};
    const int kind = w->options.sounding.kind;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const bool given = wabe_config_is_given(config, keys[i].key);
        if (given && kind != keys[i].kind)
            return wabe_config_fail(config, keys[i].key, "is only of kind \"%s\"", keys[i].word);
        if (!given && kind == keys[i].kind && keys[i].needed)
            return wabe_config_fail(config, keys[i].key, "is missing: kind \"%s\" needs it",
                                    keys[i].word);
    }
    if (kind == WABE_SOUNDING_TABLE && (wabe_config_is_given(config, "sounding.theta") ||
                                        wabe_config_is_given(config, "sounding.shear")))
        return wabe_config_fail(config,
                                wabe_config_is_given(config, "sounding.theta") ? "sounding.theta"
                                                                               : "sounding.shear",
                                "is given, but the table has it for each height");
    if (kind == WABE_WEISMAN_KLEMP && !(w->options.sounding.theta < 343.0))
        return wabe_config_fail(config, "sounding.theta",
                                "must be below 343 K, that of kind \"weisman_klemp\" at 12 km");
    if ((kind == WABE_WEISMAN_KLEMP || kind == WABE_SOUNDING_TABLE) &&
        w->options.sounding.warmer != 0.0)
        return wabe_config_fail(config, "sounding.warmer",
                                "is only of kind \"neutral\", \"isothermal\" or \"stratified\"");
    for (int axis = 0; axis < 3 && w->options.sounding.warmer != 0.0; axis++)
        if (w->options.relaxation.width[axis] > 0.0)
            return wabe_config_fail(config, "sounding.warmer",
                                    "is %g K, but relaxation.width has zones that would draw the "
                                    "air back to the sounding: take one of them away",
                                    w->options.sounding.warmer);
    if (w->options.sounding.shear == 0.0 && wabe_config_is_given(config, "sounding.shear_depth"))
        return wabe_config_fail(config, "sounding.shear_depth",
                                "is given without sounding.shear, which needs it");
    if (w->options.sounding.shear != 0.0 && w->options.sounding.shear_depth < 2.0 * w->thinnest)
        return wabe_config_fail(config, "sounding.shear_depth",
                                "is %g m, less than two levels (of %g m): the wind would jump",
                                w->options.sounding.shear_depth, w->thinnest);
    return WABE_OK;
}

static wabe_status check_row(const wabe_config *config, const wabe_weather_case *w, int64_t i) {
    const wabe_sounding_level *rows = w->options.sounding.table.items;
    char path[64];
    snprintf(path, sizeof path, "sounding.table[%d].height", (int)i);
    if (i == 0 && rows[i].height != 0.0)
        return wabe_config_fail(config, path, "is %g m: the first one must be 0", rows[i].height);
    if (i > 0 && !(rows[i].height > rows[i - 1].height))
        return wabe_config_fail(config, path, "is %g m, not above the one before it, %g m",
                                rows[i].height, rows[i - 1].height);
    if (i + 1 == w->options.sounding.table.count && rows[i].height < wabe_weather_lid(w))
        return wabe_config_fail(config, path,
                                "is %g m: the last one must not be below the lid, %g m",
                                rows[i].height, wabe_weather_lid(w));
    snprintf(path, sizeof path, "sounding.table[%d].wind", (int)i);
    if (rows[i].wind[1] != 0.0)
        return wabe_config_fail(config, path, "must be 0 along y, which is up");
    if (i > 0 && rows[i].theta < rows[i - 1].theta)
        wabe_log_warning(
            "sounding.table: theta falls from %g to %g K between %g and %g m: this air "
            "overturns by itself",
            rows[i - 1].theta, rows[i].theta, rows[i - 1].height, rows[i].height);
    return WABE_OK;
}

/* Vapour beyond saturation would rain at once. Between rows there may be more of it than at both:
 * lines are straight, saturation is not. */
static wabe_status check_saturation(const wabe_config *config, const wabe_weather_case *w) {
    const wabe_weather_profile *p = &w->profile;
    bool has_vapour = false;
    double share;
    char path[64];
    for (int64_t i = 0; i < p->points; i++) {
        double theta, vapour;
        sounding_at(w, (double)i * p->step, p->exner[i], &theta, &vapour);
        const double most = saturation(pressure_of(p->exner[i]), theta * p->exner[i]);
        has_vapour |= vapour > 0.0;
        if (vapour <= most)
            continue;
        snprintf(path, sizeof path, "sounding.table[%d].vapour",
                 (int)row_of(w, (double)i * p->step, &share));
        return wabe_config_fail(
            config, path,
            "and that of the next row make supersaturated air: vapour is %.6g at "
            "a height of %.4g m, where %.6g saturates it; give less, or more rows",
            vapour, (double)i * p->step, most);
    }
    if (has_vapour && !w->has_water)
        return wabe_config_fail(
            config, "weather.microphysics",
            "is \"none\", but there is vapour in the sounding: take \"kessler\"");
    return WABE_OK;
}

wabe_status wabe_weather_take_sounding(const wabe_config *config, wabe_weather_case *w) {
    const int kind = w->options.sounding.kind;
    WABE_TRY(check_keys(config, w));
    if (kind != WABE_WEISMAN_KLEMP && kind != WABE_SOUNDING_TABLE)
        return WABE_OK;
    if (kind == WABE_SOUNDING_TABLE && w->options.sounding.table.count < 2)
        return wabe_config_fail(config, "sounding.table", "has %d rows: at least 2 are needed",
                                (int)w->options.sounding.table.count);
    for (int64_t i = 0; kind == WABE_SOUNDING_TABLE && i < w->options.sounding.table.count; i++)
        WABE_TRY(check_row(config, w, i));
    WABE_TRY(integrate(w));
    return check_saturation(config, w);
}
