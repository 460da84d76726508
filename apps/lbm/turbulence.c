#include "apps/lbm/turbulence.h"

#include "core/base/hash.h"
#include "core/base/log.h"

#include <math.h>

#define PI 3.14159265358979323846
#define SHORTEST 8.0 /* wave, in cells */

/* ---- keys --------------------------------------------------------------------------- */

static wabe_status fail(const wabe_config *config, int face, const char *member, const char *text) {
    char key[64];
    snprintf(key, sizeof key, "boundaries.%s.turbulence.%s", wabe_face_name(face), member);
    return wabe_config_fail(config, key, "%s", text);
}

static wabe_status check_unused(const wabe_config *config, int face,
                                const wabe_turbulence_options *o) {
    const char *text = "is not used: it needs an intensity above 0";
    if (isfinite(o->length))
        return fail(config, face, "length", text);
    if (o->width != WABE_TURBULENCE_WIDTH)
        return fail(config, face, "width", text);
    return o->seed == WABE_TURBULENCE_SEED ? WABE_OK : fail(config, face, "seed", text);
}

static wabe_status check(const wabe_config *config, int face, const wabe_turbulence_options *o,
                         const wabe_geometry *g) {
    const wabe_condition *condition = &g->conditions[face];
    const double inward = (face % 2 ? -1.0 : 1.0) * condition->velocity[face / 2];
    if (condition->kind != WABE_BOUNDARY_velocity)
        return fail(config, face, "intensity",
                    "is not used: turbulence belongs to kind = \"velocity\"");
    if (inward <= 0.0)
        return fail(config, face, "intensity", "needs a velocity into the domain");
    if (!isfinite(o->length))
        return fail(config, face, "intensity", "needs the length beside it, in cells");
    if (o->width + g->conditions[face ^ 1].sponge_width > g->cells[face / 2])
        return fail(config, face, "width", "leaves no room in the domain");
    return WABE_OK;
}

/* ---- waves -------------------------------------------------------------------------- */

/* Between 0 and 1, both excluded. */
static double uniform(uint64_t seed, int wave, int draw) {
    const uint64_t hash =
        wabe_hash_mix(wabe_hash_mix(seed + 0x9e3779b97f4a7c15u) + (uint64_t)(4 * wave + draw));
    return ((double)(hash >> 12) + 0.5) * 0x1p-52;
}

/* The last digits of log, pow and cos depend on the processor. */
static double rounded(double value) { return nearbyint(0x1p40 * value) * 0x1p-40; }

/* Von Karman's spectrum, but for a factor; k: relative to the wave number 0.747 / length. */
static double energy_at(double k) { return pow(k, 4.0) / pow(1.0 + k * k, 17.0 / 6.0); }

/* Directions of waves, even over the sphere; wave numbers, even in their logarithm, are of other
 * order. */
static void aim(uint64_t seed, int wave, double turns, wabe_wave *out) {
    const double z = 1.0 - 2.0 * ((double)(37 * wave % WABE_WAVES) + 0.5) / WABE_WAVES;
    const double r = sqrt(1.0 - z * z), angle = 2.0 * PI * uniform(seed, wave, 0);
    const double direction[3] = {r * cos(angle), r * sin(angle), z};
    for (int d = 0; d < 3; d++)
        out->turns[d] = nearbyint(WABE_WAVES_PERIOD * turns * direction[d]) / WABE_WAVES_PERIOD;
    out->phase = rounded(uniform(seed, wave, 1));
}

/* Gives a wave a velocity of random direction normal to that in which it varies. */
static void polarise(uint64_t seed, int wave, double speed, wabe_wave *out) {
    const double z = 2.0 * uniform(seed, wave, 2) - 1.0, angle = 2.0 * PI * uniform(seed, wave, 3);
    const double r = sqrt(1.0 - z * z), any[3] = {r * cos(angle), r * sin(angle), z};
    double across[3], square = 0.0;
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        across[d] = out->turns[e] * any[f] - out->turns[f] * any[e];
        square += across[d] * across[d];
    }
    for (int d = 0; d < 3; d++)
        out->velocity[d] = square > 0.0 ? rounded(speed * across[d] / sqrt(square)) : 0.0;
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
    w->across[e] = square > 0.0 ? rounded(-inward * potential[f]) : 0.0;
    w->across[f] = square > 0.0 ? rounded(inward * potential[e]) : 0.0;
}

/* rms: of each component, in cells per step. */
static void make_waves(const wabe_turbulence_options *o, int face, double rms, wabe_wave *waves) {
    const double unit = 0.747 / o->length; /* wave number, rad per cell */
    const double low = 0.3, high = 2.0 * PI / SHORTEST / unit, ratio = high / low;
    const uint64_t seed = (uint64_t)o->seed;
    double energy[WABE_WAVES], sum = 0.0;
    for (int i = 0; i < WABE_WAVES; i++) {
        const double k = low * pow(ratio, (i + 0.5) / WABE_WAVES);
        energy[i] = energy_at(k) * k;
        sum += energy[i];
        aim(seed, i, k * unit / (2.0 * PI), &waves[i]);
    }
    for (int i = 0; i < WABE_WAVES; i++) { /* a wave's mean square is half of its amplitude's */
        polarise(seed, i, rms * sqrt(6.0 * energy[i] / sum), &waves[i]);
        find_across(face, &waves[i]);
    }
}

wabe_status wabe_turbulence_make(const wabe_config *config,
                                 const wabe_turbulence_options *const options[WABE_FACES],
                                 const wabe_geometry *g, wabe_turbulence *out, bool *there) {
    *there = false;
    for (int face = 0; face < WABE_FACES; face++) {
        const wabe_turbulence_options *o = options[face];
        const double *velocity = g->conditions[face].velocity;
        if (o->intensity == 0.0) {
            WABE_TRY(check_unused(config, face, o));
            continue;
        }
        if (*there)
            return fail(config, face, "intensity",
                        "is that of a second face: one alone can have turbulence");
        WABE_TRY(check(config, face, o, g));
        *there = true;
        *out = (wabe_turbulence){.face = face, .width = o->width};
        for (int d = 0; d < 3; d++)
            out->carried[d] = velocity[d];
        const double speed =
            sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]);
        make_waves(o, face, o->intensity * speed, out->waves);
    }
    return WABE_OK;
}

void wabe_turbulence_print(const wabe_turbulence *t, const wabe_turbulence_options *o) {
    wabe_log_line(
        "inflow     %s: turbulence of %.3g %% of the speed, %.4g cells long, arises in the "
        "first %lld layers",
        wabe_face_name(t->face), 100.0 * o->intensity, o->length, (long long)t->width);
}
