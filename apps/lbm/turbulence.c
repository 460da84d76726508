#include "apps/lbm/turbulence.h"

#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/base/rounded.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define SHORTEST 8.0 /* wave, in cells */

/* ---- keys --------------------------------------------------------------------------- */

enum { KEY_SIZE = 64 };

static const char *key_of(int face, const char *member, char key[KEY_SIZE]) {
    snprintf(key, KEY_SIZE, "boundaries.%s.%s", wabe_face_name(face), member);
    return key;
}

/* An intensity that is given as 0 switches off what else is given. */
static wabe_status check_unused(const wabe_config *config, int face,
                                const wabe_turbulence_options *o) {
    char key[KEY_SIZE];
    const char *unused = isfinite(o->length)                 ? "turbulence.length"
                         : o->width != WABE_TURBULENCE_WIDTH ? "turbulence.width"
                         : o->seed != WABE_TURBULENCE_SEED   ? "turbulence.seed"
                                                             : NULL;
    if (!unused || wabe_config_is_given(config, key_of(face, "turbulence.intensity", key)))
        return WABE_OK;
    return wabe_config_fail(config, key_of(face, unused, key),
                            "is not used: it needs turbulence.intensity");
}

static wabe_status check_room(const wabe_config *config, int face, const wabe_turbulence_options *o,
                              const wabe_geometry *g) {
    char key[KEY_SIZE];
    const int64_t cells = g->cells[face / 2], sponge = g->conditions[face ^ 1].sponge_width;
    if (o->width + sponge <= cells)
        return WABE_OK;
    return wabe_config_fail(config, key_of(face, "turbulence.width", key),
                            "leaves no room: domain.cells has %lld along %c%s", (long long)cells,
                            'x' + face / 2,
                            sponge > 0 ? ", for the sponge at the other end, too" : "");
}

static wabe_status check(const wabe_config *config, int face, const wabe_turbulence_options *o,
                         const wabe_geometry *g) {
    const wabe_condition *condition = &g->conditions[face];
    const double inward = (face % 2 ? -1.0 : 1.0) * condition->velocity[face / 2];
    char key[KEY_SIZE];
    key_of(face, "turbulence.intensity", key);
    if (condition->kind != WABE_BOUNDARY_velocity)
        return wabe_config_fail(config, key,
                                "is not used: turbulence belongs to kind = \"velocity\"");
    if (inward <= 0.0)
        return wabe_config_fail(config, key_of(face, "velocity", key),
                                "leads out of the domain, and turbulence needs an inflow");
    if (!isfinite(o->length))
        return wabe_config_fail(config, key, "needs turbulence.length beside it, in cells");
    if (g->ramp > 0)
        return wabe_config_fail(
            config, key,
            "goes with no lbm.ramp: the turbulence is that of the full velocity; "
            "start with initial.kind = \"profile\" or \"uniform\"");
    return check_room(config, face, o, g);
}

/* ---- waves -------------------------------------------------------------------------- */

/* Between 0 and 1, both excluded. */
static double uniform(uint64_t seed, int wave, int draw) {
    const uint64_t hash =
        wabe_hash_mix(wabe_hash_mix(seed + 0x9e3779b97f4a7c15u) + (uint64_t)(4 * wave + draw));
    return ((double)(hash >> 12) + 0.5) * 0x1p-52;
}

static double length_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void unit_vector(double z, double angle, double out[3]) {
    out[0] = sqrt(1.0 - z * z) * cos(angle);
    out[1] = sqrt(1.0 - z * z) * sin(angle);
    out[2] = z;
}

/* Von Karman's spectrum, but for a factor; k: relative to the wave number of the large eddies. */
static double energy_at(double k) { return pow(k, 4.0) / pow(1.0 + k * k, 17.0 / 6.0); }

/* Gives waves their numbers, from the large eddies' (rad per cell) to the shortest wave's, evenly
 * in the logarithm, and directions that cover the sphere evenly in another order. Along each axis
 * whole turns fit its period. energy: of each, but for a factor. Returns the integral length, 3 pi
 * / 4 times the mean of 1 / k by energy (isotropic turbulence). */
static double aim(uint64_t seed, double large, wabe_turbulence *t, double energy[WABE_WAVES]) {
    const double low = 0.3 * large, ratio = 2.0 * PI / SHORTEST / low;
    double sum = 0.0, lengths = 0.0;
    for (int i = 0; i < WABE_WAVES; i++) {
        wabe_wave *w = &t->waves[i];
        const double turns = low * pow(ratio, (i + 0.5) / WABE_WAVES) / (2.0 * PI);
        double direction[3];
        unit_vector(1.0 - 2.0 * ((double)(37 * i % WABE_WAVES) + 0.5) / WABE_WAVES,
                    2.0 * PI * uniform(seed, i, 0), direction);
        for (int d = 0; d < 3; d++)
            w->turns[d] = nearbyint(t->period[d] * turns * direction[d]) / t->period[d];
        const double k = 2.0 * PI * length_of(w->turns);
        energy[i] = k > 0.0 ? k * energy_at(k / large) : 0.0;
        sum += energy[i];
        lengths += k > 0.0 ? energy[i] / k : 0.0;
        w->phase = wabe_rounded(uniform(seed, i, 1));
    }
    return sum > 0.0 ? 0.75 * PI * lengths / sum : 0.0;
}

/* Finds the large eddies whose waves have the integral length: 0.747 / length, but for the waves
 * that are too short for cells or do not fit a period. */
static void aim_for_length(const wabe_turbulence_options *o, wabe_turbulence *t,
                           double energy[WABE_WAVES]) {
    const double most = 2.0 * PI / SHORTEST / 0.6;
    double large = 0.747 / o->length;
    for (int i = 0; i < 30; i++) {
        const double length = aim((uint64_t)o->seed, large, t, energy);
        if (length > 0.0)
            large = wabe_rounded(fmin(large * length / o->length, most));
    }
    aim((uint64_t)o->seed, large, t, energy);
}

/* Gives a wave a velocity of random direction normal to that in which it varies. */
static void polarise(uint64_t seed, int wave, double speed, wabe_wave *out) {
    double random[3], normal[3];
    unit_vector(2.0 * uniform(seed, wave, 2) - 1.0, 2.0 * PI * uniform(seed, wave, 3), random);
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        normal[d] = out->turns[e] * random[f] - out->turns[f] * random[e];
    }
    const double length = length_of(normal);
    for (int d = 0; d < 3; d++)
        out->velocity[d] = length > 0.0 ? wabe_rounded(speed * normal[d] / length) : 0.0;
}

/* With k = 2 pi turns, velocity x k / k^2 is the potential: k x (velocity x k) = k^2 velocity. */
static void find_across(int face, wabe_wave *w) {
    const double *t = w->turns, square = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
    const int n = face / 2, e = (n + 1) % 3, f = (n + 2) % 3;
    const double inward = face % 2 ? -1.0 : 1.0;
    double potential[3];
    for (int d = 0; d < 3 && square > 0.0; d++) {
        const int g = (d + 1) % 3, h = (d + 2) % 3;
        potential[d] = (w->velocity[g] * t[h] - w->velocity[h] * t[g]) / (2.0 * PI * square);
    }
    w->across[n] = 0.0;
    w->across[e] = square > 0.0 ? wabe_rounded(-inward * potential[f]) : 0.0;
    w->across[f] = square > 0.0 ? wabe_rounded(inward * potential[e]) : 0.0;
}

void wabe_turbulence_fill(const wabe_turbulence_options *o, int face, const double velocity[3],
                          const double period[3], wabe_turbulence *out) {
    double energy[WABE_WAVES], sum = 0.0;
    *out = (wabe_turbulence){.face = face, .width = o->width};
    memcpy(out->carried, velocity, sizeof out->carried);
    memcpy(out->period, period, sizeof out->period);
    aim_for_length(o, out, energy);
    for (int i = 0; i < WABE_WAVES; i++)
        sum += energy[i];
    const double rms = o->intensity * length_of(velocity);
    for (int i = 0; i < WABE_WAVES && sum > 0.0; i++) { /* mean square: half of the amplitude's */
        polarise((uint64_t)o->seed, i, rms * sqrt(6.0 * energy[i] / sum), &out->waves[i]);
        find_across(face, &out->waves[i]);
    }
}

wabe_status wabe_turbulence_make(const wabe_config *config,
                                 const wabe_turbulence_options *const options[WABE_FACES],
                                 const wabe_geometry *g, wabe_turbulence *out) {
    double period[3];
    out->face = -1;
    for (int d = 0; d < 3; d++)
        period[d] = g->conditions[2 * d].kind == WABE_BOUNDARY_periodic ? (double)g->cells[d]
                                                                        : WABE_WAVES_PERIOD;
    for (int face = 0; face < WABE_FACES; face++) {
        char key[KEY_SIZE];
        if (options[face]->intensity == 0.0) {
            WABE_TRY(check_unused(config, face, options[face]));
            continue;
        }
        if (out->face >= 0)
            return wabe_config_fail(
                config, key_of(face, "turbulence.intensity", key),
                "is that of a second face: %s has turbulence, and one face alone "
                "can",
                wabe_face_name(out->face));
        WABE_TRY(check(config, face, options[face], g));
        wabe_turbulence_fill(options[face], face, g->conditions[face].velocity, period, out);
    }
    return WABE_OK;
}

void wabe_turbulence_print(const wabe_turbulence *t, const wabe_turbulence_options *o) {
    const double speed = length_of(t->carried);
    double percent[3];
    for (int d = 0; d < 3; d++) {
        double square = 0.0;
        for (int i = 0; i < WABE_WAVES; i++)
            square += 0.5 * t->waves[i].velocity[d] * t->waves[i].velocity[d];
        percent[d] = 100.0 * sqrt(square) / speed;
    }
    wabe_log_line(
        "inflow     %s: turbulence of %.3g, %.3g, %.3g %% of the speed along x, y, z, %.4g "
        "cells long, arises in the first %lld layers",
        wabe_face_name(t->face), percent[0], percent[1], percent[2], o->length,
        (long long)t->width);
}
