#include "apps/lbm/perturbation.h"

#include "apps/lbm/turbulence.h"
#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/base/rounded.h"

#include <math.h>
#include <stdlib.h>

#define GROUP "initial.perturbation."
#define PI 3.14159265358979323846

enum { SAMPLES = 32768 }; /* cells whose mean square stands for that of all */

/* Of the cells along an axis. The potential of a wave is P share sin(a), with the share a product
 * of one factor per axis; its difference along an axis, (next - last) / 2, is P times the other
 * axes' factors times (slope cos(k) sin(a) + mean sin(k) cos(a)), where k is the angle from cell to
 * cell, and slope and mean are half the difference and half the sum of the neighbours' factors. */
typedef struct {
    double factor, slope, mean;
    double cosine[WABE_WAVES], sine[WABE_WAVES]; /* of the angle along this axis */
} station;

struct wabe_perturbation {
    wabe_perturbation_options options;
    int64_t cells[3];
    station *stations[3]; /* [axis][cell] */
    /* Of the difference along an axis, its contribution to the curl per sin(a) and cos(a). */
    double by_sine[3][3][WABE_WAVES], by_cosine[3][3][WABE_WAVES]; /* [difference][component] */
};

/* ---- keys --------------------------------------------------------------------------- */

static wabe_status check(const wabe_config *config, const wabe_perturbation_options *o) {
    const bool has = o->velocity > 0.0;
    const char *unused = isfinite(o->length)                 ? GROUP "length"
                         : o->seed != WABE_PERTURBATION_SEED ? GROUP "seed"
                                                             : NULL;
    if (!has && unused && !wabe_config_is_given(config, GROUP "velocity"))
        return wabe_config_fail(config, unused, "is not used: it needs " GROUP "velocity");
    if (has && !isfinite(o->length))
        return wabe_config_fail(config, GROUP "velocity",
                                "needs " GROUP "length beside it, in cells");
    return WABE_OK;
}

/* ---- along the axes ----------------------------------------------------------------- */

/* The factor at a place between faces: from 0 to 1 by a cubic, with no slope at its ends, and the
 * same on both sides of a face. */
static double factor_at(double place, double cells, double length) {
    const double width = fmin(length, 0.5 * cells);
    const double share = fmin(fabs(fmin(place, cells - place)) / width, 1.0);
    return share * share * (3.0 - 2.0 * share);
}

static station station_at(const wabe_perturbation *p, const wabe_turbulence *t, int axis,
                          bool damped, int64_t cell) {
    const double place = (double)cell + 0.5, n = (double)p->cells[axis];
    station s = {.factor = 1.0, .slope = 0.0, .mean = 1.0};
    if (damped) {
        const double last = factor_at(place - 1.0, n, p->options.length);
        const double next = factor_at(place + 1.0, n, p->options.length);
        s.factor = factor_at(place, n, p->options.length);
        s.slope = 0.5 * (next - last);
        s.mean = 0.5 * (next + last);
    }
    for (int i = 0; i < WABE_WAVES; i++) {
        const wabe_wave *w = &t->waves[i];
        const double angle = 2.0 * PI * (w->turns[axis] * place + (axis == 0 ? w->phase : 0.0));
        s.cosine[i] = wabe_rounded(cos(angle));
        s.sine[i] = wabe_rounded(sin(angle));
    }
    return s;
}

static wabe_status make_stations(const wabe_geometry *g, const wabe_turbulence *t,
                                 wabe_perturbation *p) {
    bool periodic[3];
    wabe_geometry_periodic(g, periodic);
    for (int d = 0; d < 3; d++) {
        p->stations[d] = malloc((size_t)p->cells[d] * sizeof *p->stations[d]);
        WABE_CHECK(p->stations[d], WABE_MEMORY, "no memory for the perturbation");
        for (int64_t cell = 0; cell < p->cells[d]; cell++)
            p->stations[d][cell] = station_at(p, t, d, !periodic[d] && p->cells[d] > 1, cell);
    }
    return WABE_OK;
}

/* ---- waves -------------------------------------------------------------------------- */

/* Sets the terms of wave i. With s the sines of its angles from cell to cell, its potential is P =
 * (velocity x s) / s^2: its curl by central differences is s x P, the part of velocity normal to s.
 * In a plane of cells, velocity stays in the plane. */
static void take_wave(const wabe_wave *w, int i, wabe_perturbation *p) {
    double s[3], v[3], potential[3], square = 0.0;
    for (int d = 0; d < 3; d++) {
        s[d] = wabe_rounded(sin(2.0 * PI * w->turns[d]));
        v[d] = p->cells[d] > 1 ? w->velocity[d] : 0.0;
        square += s[d] * s[d];
    }
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        potential[d] = square > 0.0 ? (v[e] * s[f] - v[f] * s[e]) / square : 0.0;
    }
    for (int d = 0; d < 3; d++) { /* the difference along d, times unit vector d x potential */
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        const double cosine = wabe_rounded(cos(2.0 * PI * w->turns[d]));
        p->by_sine[d][d][i] = p->by_cosine[d][d][i] = 0.0;
        p->by_sine[d][e][i] = -cosine * potential[f];
        p->by_sine[d][f][i] = cosine * potential[e];
        p->by_cosine[d][e][i] = -s[d] * potential[f];
        p->by_cosine[d][f][i] = s[d] * potential[e];
    }
}

/* Adds the sums over waves. */
static void add_curl(const wabe_perturbation *p, const station *const at[3],
                     const double sine[WABE_WAVES], const double cosine[WABE_WAVES],
                     double velocity[3]) {
    for (int d = 0; d < 3; d++) {
        const double others = at[(d + 1) % 3]->factor * at[(d + 2) % 3]->factor;
        const double slope = others * at[d]->slope, mean = others * at[d]->mean;
        for (int way = 1; way < 3; way++) { /* a difference along d acts across d */
            const int component = (d + way) % 3;
            const double *by_sine = p->by_sine[d][component];
            const double *by_cosine = p->by_cosine[d][component];
            double of_sines = 0.0, of_cosines = 0.0;
            for (int i = 0; i < WABE_WAVES; i++)
                of_cosines += by_cosine[i] * cosine[i];
            for (int i = 0; i < WABE_WAVES && slope != 0.0; i++)
                of_sines += by_sine[i] * sine[i];
            velocity[component] += slope * of_sines + mean * of_cosines;
        }
    }
}

void wabe_perturbation_add(const wabe_perturbation *p, const int64_t cell[3], double velocity[3]) {
    const station *at[3];
    double sine[WABE_WAVES], cosine[WABE_WAVES];
    for (int d = 0; d < 3; d++)
        at[d] = &p->stations[d][(cell[d] % p->cells[d] + p->cells[d]) % p->cells[d]];
    for (int i = 0; i < WABE_WAVES; i++) { /* of the sum of the angles along the axes */
        const double c = at[0]->cosine[i] * at[1]->cosine[i] - at[0]->sine[i] * at[1]->sine[i];
        const double s = at[0]->sine[i] * at[1]->cosine[i] + at[0]->cosine[i] * at[1]->sine[i];
        cosine[i] = c * at[2]->cosine[i] - s * at[2]->sine[i];
        sine[i] = s * at[2]->cosine[i] + c * at[2]->sine[i];
    }
    add_curl(p, at, sine, cosine, velocity);
}

/* ---- size --------------------------------------------------------------------------- */

/* The mean square of all cells, or of some that are spread by a hash. */
static double mean_square(const wabe_perturbation *p) {
    const uint64_t nx = (uint64_t)p->cells[0], ny = (uint64_t)p->cells[1];
    const uint64_t all = nx * ny * (uint64_t)p->cells[2];
    const uint64_t count = all < SAMPLES ? all : SAMPLES;
    double sum = 0.0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t k = all <= SAMPLES ? i : wabe_hash_mix(i + 1) % all;
        const int64_t cell[3] = {(int64_t)(k % nx), (int64_t)(k / nx % ny), (int64_t)(k / nx / ny)};
        double v[3] = {0.0, 0.0, 0.0};
        wabe_perturbation_add(p, cell, v);
        sum += v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    }
    return sum / (double)count;
}

/* Scales the waves so that the mean square of the components that a domain has is as wanted. */
static wabe_status scale(const wabe_config *config, wabe_perturbation *p) {
    int axes = 0;
    for (int d = 0; d < 3; d++)
        axes += p->cells[d] > 1;
    const double square = mean_square(p);
    if (!(square > 1e-12))
        return wabe_config_fail(config, GROUP "length",
                                "leaves no eddies: no wave of 8 cells or more, and of about this "
                                "length, fits the domain");
    const double by = wabe_rounded(p->options.velocity * sqrt((double)axes / square));
    for (int d = 0; d < 3; d++)
        for (int e = 0; e < 3; e++)
            for (int i = 0; i < WABE_WAVES; i++) {
                p->by_sine[d][e][i] *= by;
                p->by_cosine[d][e][i] *= by;
            }
    return WABE_OK;
}

/* ---- all ---------------------------------------------------------------------------- */

static wabe_status fill(const wabe_config *config, const wabe_geometry *g, wabe_perturbation *p) {
    const wabe_turbulence_options o = {.intensity = 1.0,
                                       .length = p->options.length,
                                       .seed = p->options.seed};
    double period[3];
    bool periodic[3];
    wabe_turbulence t;
    wabe_geometry_periodic(g, periodic);
    for (int d = 0; d < 3; d++) {
        p->cells[d] = g->cells[d];
        period[d] = periodic[d] || g->cells[d] == 1 ? (double)g->cells[d] : WABE_WAVES_PERIOD;
    }
    wabe_turbulence_fill(&o, 0, (const double[3]){1.0, 0.0, 0.0}, period, &t);
    for (int i = 0; i < WABE_WAVES; i++)
        take_wave(&t.waves[i], i, p);
    WABE_TRY(make_stations(g, &t, p));
    return scale(config, p);
}

wabe_status wabe_perturbation_make(const wabe_config *config,
                                   const wabe_perturbation_options *options,
                                   const wabe_geometry *geometry, wabe_perturbation **out) {
    *out = NULL;
    WABE_TRY(check(config, options));
    if (options->velocity == 0.0)
        return WABE_OK;
    *out = calloc(1, sizeof **out);
    WABE_CHECK(*out, WABE_MEMORY, "no memory for the perturbation");
    (*out)->options = *options;
    const wabe_status status = fill(config, geometry, *out);
    if (status != WABE_OK)
        wabe_perturbation_free(out);
    return status;
}

void wabe_perturbation_free(wabe_perturbation **perturbation) {
    for (int d = 0; *perturbation && d < 3; d++)
        free((*perturbation)->stations[d]);
    free(*perturbation);
    *perturbation = NULL;
}

void wabe_perturbation_print(const wabe_perturbation *p) {
    wabe_log_line("initial    eddies of %.4g cells a step (rms of a component), %.4g cells long",
                  p->options.velocity, p->options.length);
}
