#include "apps/dendrite/dendrite.h"

#include "apps/dendrite/tip.h"
#include "apps/runtime/stencil.h"
#include "core/base/hash.h"
#include "core/base/log.h"
#include "sweeps/stencil/dendrite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As the words in dendrite_schema.c. */
enum { MIRROR, PERIODIC, FIXED };
enum { PURE_METAL, KARMA_RAPPEL, ALLOY };
enum { F64, F32 };

#define PI 3.14159265358979323846
/* tanh(x) takes 2 atanh(0.8) from a tenth to nine tenths of its step. */
#define WIDTH 2.1972245773362196
#define A1 (5.0 / 8.0 * 1.4142135623730951) /* Karma and Rappel 1998: thin-interface constants */
#define A2 (47.0 / 75.0)
#define CELLS_MIN 3.0 /* of an interface */
#define SAFE 0.9
#define ROUND 0.7    /* of a ball's radius that a tip's may be */
#define THINNER 0.5  /* share of its width that an interface must keep */
#define RESOLVED 2.0 /* widths of the interface that a tip's radius must have to be measured */
/* Anisotropies at which the selection parameter of print_tip is known. */
static const double MEASURED[2] = {0.02, 0.05};
#define COLDEST 10.0        /* dimensionless temperatures beyond it are taken for kelvin */
#define CONVEX (1.0 / 15.0) /* anisotropy beyond which some orientations are missing */

typedef struct {
    wabe_dendrite_options options;
    wabe_stencil_case stencil;
    bool karma, alloy; /* karma: phi from -1 to 1, as alloys have it, too */
    bool periodic[3];
    wabe_wall walls[WABE_FACES];
    wabe_state_number units[2];
    wabe_dendrite_step step;
    double time_step, capillary_length;
    wabe_dendrite_nucleus *nuclei;
    int64_t nucleus_count;
    wabe_tip tip;
} dendrite;

/* ---- what the options say ------------------------------------------------------------- */

/* The second field in melt before anything grows. */
static double melt_value(const dendrite *d) {
    const double k = d->options.dendrite.partition_coefficient;
    const double undercooling = d->options.dendrite.undercooling;
    return d->alloy ? 1.0 - (1.0 - k) * undercooling : -undercooling;
}

static wabe_status take_faces(const wabe_config *config, dendrite *d) {
    const wabe_state_number *unit = &d->units[WABE_DENDRITE_U];
    bool periodic[WABE_FACES];
    for (int face = 0; face < WABE_FACES; face++)
        periodic[face] = d->options.faces[face].kind == PERIODIC;
    WABE_TRY(wabe_run_check_periodic(config, periodic));
    for (int face = 0; face < WABE_FACES; face++) {
        const wabe_dendrite_face *f = &d->options.faces[face];
        const double value = isfinite(f->temperature) ? f->temperature / unit->factor - unit->offset
                                                      : melt_value(d);
        char path[64];
        snprintf(path, sizeof path, "boundaries.%s.temperature", wabe_face_name(face));
        if (f->kind != FIXED && wabe_config_is_given(config, path))
            return wabe_config_fail(config, path, "is only of kind \"fixed\"");
        if (d->alloy && wabe_config_is_given(config, path))
            return wabe_config_fail(config, path,
                                    "is not of model \"alloy\": its temperature is "
                                    "constant");
        if (!d->karma && f->temperature <= 0.0)
            return wabe_config_fail(config, path, "is in K, and must be above 0");
        if (d->karma && fabs(f->temperature) > COLDEST)
            return wabe_config_fail(config, path,
                                    "is dimensionless here: 0 at melting, -undercooling in the "
                                    "melt; it must be between %g and %g",
                                    -COLDEST, COLDEST);
        d->periodic[face / 2] = periodic[face];
        d->walls[face] = f->kind == FIXED ? (wabe_wall){-1.0, 2.0 * value} : (wabe_wall){1.0, 0.0};
    }
    return WABE_OK;
}

/* Rows: the crystal's axes, turned by Bunge's Euler angles. */
static void take_orientation(dendrite *d) {
    double c[3], s[3];
    for (int i = 0; i < 3; i++) {
        c[i] = cos(d->options.dendrite.orientation[i] * PI / 180.0);
        s[i] = sin(d->options.dendrite.orientation[i] * PI / 180.0);
    }
    const double rows[3][3] = {{c[0] * c[2] - s[0] * s[2] * c[1], s[0] * c[2] + c[0] * s[2] * c[1],
                                s[2] * s[1]},
                               {-c[0] * s[2] - s[0] * c[2] * c[1],
                                -s[0] * s[2] + c[0] * c[2] * c[1], c[2] * s[1]},
                               {s[0] * s[1], -c[0] * s[1], c[1]}};
    memcpy(d->step.crystal, rows, sizeof rows);
}

/* Coefficients of a step of one unit of time. Pure metal: Shimokawabe et al., SC11, equations 2 to
 * 5. Karma and Rappel 1998, equations 60 and 61 without a kinetic effect. */
static void take_physics(dendrite *d) {
    const double dx2 = d->options.spacing * d->options.spacing;
    const double delta = d->options.dendrite.interface_width;
    const double latent = d->options.dendrite.latent_heat;
    const double melting = d->options.dendrite.melting_temperature;
    const double sigma = d->options.dendrite.surface_energy;
    const double per_kelvin = d->options.dendrite.heat_capacity / latent;
    d->step.karma_rappel = d->karma;
    d->step.diffusion = d->options.dendrite.diffusivity / dx2;
    d->step.anisotropy = d->options.dendrite.anisotropy;
    d->step.noise = d->options.dendrite.noise;
    d->step.seed = wabe_hash_mix((uint64_t)d->options.dendrite.noise_seed + 1);
    if (d->karma) {
        const double lambda = A1 * delta / d->options.dendrite.capillary_length;
        const double tau = A2 * lambda * delta * delta / d->options.dendrite.diffusivity;
        d->step.gradient = delta * delta / (tau * dx2);
        d->step.reaction = 1.0 / tau;
        d->step.driving = lambda;
        d->capillary_length = d->options.dendrite.capillary_length;
        d->units[WABE_DENDRITE_U] = (wabe_state_number){"temperature", 0.0, 1.0};
    } else {
        const double well = 6.0 * sigma * WIDTH / delta;
        const double mobility = WIDTH * melting * d->options.dendrite.kinetic_coefficient /
                                (3.0 * delta * latent);
        d->step.gradient = mobility * 3.0 * delta * sigma / (WIDTH * dx2);
        d->step.reaction = 4.0 * well * mobility;
        d->step.driving = 7.5 * latent / (well * per_kelvin * melting);
        d->capillary_length = sigma * melting * per_kelvin / latent;
        d->units[WABE_DENDRITE_U] = (wabe_state_number){"temperature", melting * per_kelvin,
                                                        1.0 / per_kelvin};
    }
    d->units[WABE_DENDRITE_PHI] = (wabe_state_number){"phi", 0.0, 1.0};
    if (d->alloy) {
        const double k = d->step.partition = d->options.dendrite.partition_coefficient;
        d->step.trapping = (1.0 - k) / sqrt(8.0) * delta / d->options.spacing;
        d->units[WABE_DENDRITE_U].name = "concentration";
    }
}

/* The largest stable time step: of heat, and of phi by the stiffest direction of its anisotropic
 * diffusion and the fastest reaction, which the coldest temperature drives. */
static double largest_step(const dendrite *d) {
    const double g = d->step.anisotropy, slowest = 1.0 - 3.0 * g; /* a, where nothing changes */
    double axes = 0.0, cold = d->options.dendrite.undercooling;
    for (int axis = 0; axis < 3; axis++)
        axes += d->options.run.domain.cells[axis] > 1;
    for (int face = 0; face < WABE_FACES && !d->alloy; face++)
        cold = fmax(cold, fabs(0.5 * d->walls[face].offset));
    double stiff = fmax((1.0 - g) * (1.0 + 15.0 * g), (1.0 + g) * (1.0 + g));
    double reaction = d->step.reaction * (0.5 + 0.193 * d->step.driving * cold);
    if (d->karma) {
        stiff /= slowest * slowest;
        reaction = d->step.reaction * (2.0 + 1.54 * d->step.driving * cold) / (slowest * slowest);
    }
    const double heat = 2.0 * fmax(axes, 1.0) * d->step.diffusion;
    const double phase = 2.0 * axes * stiff * d->step.gradient + 0.5 * reaction;
    return 1.0 / fmax(heat, phase);
}

static wabe_status take_time_step(const wabe_config *config, dendrite *d) {
    const double most = largest_step(d), given = d->options.dendrite.time_step;
    if (isfinite(given) && given > most * (1.0 + 1e-12))
        return wabe_config_fail(config, "dendrite.time_step",
                                "is unstable: at most %.17g is known to be stable", most);
    const double dt = d->time_step = isfinite(given) ? given : SAFE * most;
    d->step.gradient *= dt;
    d->step.reaction *= dt;
    d->step.diffusion *= dt;
    return WABE_OK;
}

/* Between a tenth and nine tenths of the phase, over interface_width. */
static double tenths(const dendrite *d) { return d->karma ? sqrt(2.0) * WIDTH : 1.0; }

static double interface_cells(const dendrite *d) {
    return d->options.dendrite.interface_width / d->options.spacing * tenths(d);
}

/* Keys of one model are of no use to the others; what one has no default for must be given. */
static wabe_status check_keys(const wabe_config *config, const dendrite *d) {
    enum { METAL = 1 << PURE_METAL, KARMA = 1 << KARMA_RAPPEL, MIXED = 1 << ALLOY };
    static const char *const words[] = {"pure_metal", "karma_rappel", "alloy"};
    static const struct {
        const char *key;
        unsigned of, required; /* models */
    } keys[] = {{"dendrite.melting_temperature", METAL, 0},
                {"dendrite.latent_heat", METAL, 0},
                {"dendrite.heat_capacity", METAL, 0},
                {"dendrite.surface_energy", METAL, 0},
                {"dendrite.kinetic_coefficient", METAL, 0},
                {"domain.spacing", METAL | KARMA | MIXED, KARMA | MIXED},
                {"dendrite.diffusivity", METAL | KARMA | MIXED, KARMA | MIXED},
                {"dendrite.capillary_length", KARMA | MIXED, KARMA | MIXED},
                {"dendrite.partition_coefficient", MIXED, MIXED}};
    const unsigned model = 1u << d->options.dendrite.model;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const bool given = wabe_config_is_given(config, keys[i].key);
        if (given ? !(keys[i].of & model) : (keys[i].required & model) != 0)
            return wabe_config_fail(config, keys[i].key,
                                    given ? "is not of model \"%s\""
                                          : "is missing: model \"%s\" needs it",
                                    words[d->options.dendrite.model]);
    }
    return WABE_OK;
}

static wabe_status check_interface(const wabe_config *config, const dendrite *d) {
    const double cells = interface_cells(d);
    double shortest = INFINITY;
    for (int axis = 0; axis < 3; axis++)
        if (d->options.run.domain.cells[axis] > 1)
            shortest = fmin(shortest, (double)d->options.run.domain.cells[axis]);
    if (cells > shortest)
        return wabe_config_fail(config, "dendrite.interface_width",
                                "is %.3g cells, and the domain has %.0f: is it in the unit of "
                                "domain.spacing, %g?",
                                cells, shortest, d->options.spacing);
    if (cells < CELLS_MIN * (1.0 - 1e-5)) /* the limit in the message will do */
        return wabe_config_fail(config, "dendrite.interface_width",
                                "is too thin: a tenth to nine tenths of the interface are %.3g "
                                "cells apart, at least %.0f are needed, %.6g here",
                                cells, CELLS_MIN, CELLS_MIN * d->options.spacing / tenths(d));
    if (d->options.dendrite.anisotropy > CONVEX) {
        char place[WABE_STRING_SIZE];
        wabe_config_place(config, "dendrite.anisotropy", place, sizeof place);
        wabe_log_warning("%sdendrite.anisotropy is beyond 1/15: the equilibrium shape has missing "
                         "orientations, and its edges are badly resolved",
                         place);
    }
    return WABE_OK;
}

/* ---- nuclei --------------------------------------------------------------------------- */

static void place_randomly(dendrite *d, int64_t number, wabe_dendrite_nucleus *n) {
    uint64_t key = wabe_hash_mix((uint64_t)d->options.dendrite.random_nuclei.seed + 1);
    key = wabe_hash_mix(key + (uint64_t)number);
    for (int axis = 0; axis < 3; axis++) {
        key = wabe_hash_mix(key + 1);
        n->center[axis] = (double)(key >> 11) * 0x1p-53 * d->options.spacing *
                          (double)d->options.run.domain.cells[axis];
    }
    n->radius = d->options.dendrite.random_nuclei.radius;
    if (!isfinite(n->radius))
        n->radius = 2.0 * d->options.dendrite.interface_width;
}

/* The key of a nucleus, or of all random ones. */
static void nucleus_key(const dendrite *d, int64_t number, const char *what, char key[],
                        size_t size) {
    if (number < d->options.dendrite.nuclei.count)
        snprintf(key, size, "dendrite.nuclei[%d].%s", (int)number, what);
    else
        snprintf(key, size, "dendrite.random_nuclei.%s", what);
}

/* Is it in the domain, and of a size between a cell and the domain? */
static wabe_status check_nucleus(const wabe_config *config, const dendrite *d, int64_t number) {
    const double dx = d->options.spacing;
    const wabe_dendrite_nucleus *n = &d->nuclei[number];
    double edge[3], outside = 0.0, diagonal = 0.0;
    char path[80];
    for (int axis = 0; axis < 3; axis++) {
        edge[axis] = dx * (double)d->options.run.domain.cells[axis];
        outside = hypot(outside, fmax(fmax(-n->center[axis], n->center[axis] - edge[axis]), 0.0));
        diagonal = hypot(diagonal, edge[axis]);
    }
    const char *why = outside >= n->radius   ? "is outside of"
                      : n->radius > diagonal ? "is larger than"
                      : n->radius < dx       ? "is smaller than a cell of"
                                             : NULL;
    nucleus_key(d, number, outside >= n->radius ? "center" : "radius", path, sizeof path);
    return why ? wabe_config_fail(config, path, "%s the domain, which is %g x %g x %g, spacing %g",
                                  why, edge[0], edge[1], edge[2], dx)
               : WABE_OK;
}

static wabe_status check_unused(const wabe_config *config, const dendrite *d) {
    static const char *const of_random[] = {"dendrite.random_nuclei.radius",
                                            "dendrite.random_nuclei.seed"};
    for (int i = 0; i < 2; i++)
        if (d->options.dendrite.random_nuclei.count == 0 &&
            wabe_config_is_given(config, of_random[i]))
            return wabe_config_fail(config, of_random[i],
                                    "is not used: dendrite.random_nuclei.count is 0");
    if (d->options.dendrite.noise == 0.0 && wabe_config_is_given(config, "dendrite.noise_seed"))
        return wabe_config_fail(config, "dendrite.noise_seed", "is not used: dendrite.noise is 0");
    return WABE_OK;
}

static wabe_status take_nuclei(const wabe_config *config, dendrite *d) {
    const wabe_option_list *list = &d->options.dendrite.nuclei;
    d->nucleus_count = list->count + d->options.dendrite.random_nuclei.count;
    if (d->nucleus_count == 0)
        return wabe_config_fail(config, "dendrite.nuclei",
                                "is empty, and so is dendrite.random_nuclei: nothing would grow");
    WABE_TRY(check_unused(config, d));
    d->nuclei = calloc((size_t)d->nucleus_count, sizeof *d->nuclei);
    WABE_CHECK(d->nuclei, WABE_MEMORY, "no memory for %lld nuclei", (long long)d->nucleus_count);
    for (int64_t i = 0; i < d->nucleus_count; i++) {
        if (i < list->count)
            d->nuclei[i] = ((const wabe_dendrite_nucleus *)list->items)[i];
        else
            place_randomly(d, i - list->count, &d->nuclei[i]);
        WABE_TRY(check_nucleus(config, d, i));
    }
    return WABE_OK;
}

static wabe_status take_options(const wabe_config *config, dendrite *d) {
    d->karma = d->options.dendrite.model != PURE_METAL;
    d->alloy = d->options.dendrite.model == ALLOY;
    WABE_TRY(check_keys(config, d));
    WABE_TRY(check_interface(config, d));
    take_physics(d);
    const double most = d->units[WABE_DENDRITE_U].offset; /* at 0 K */
    if (!d->karma && d->options.dendrite.undercooling >= most)
        return wabe_config_fail(config, "dendrite.undercooling",
                                "puts the melt below 0 K: it must be below %.4g", most);
    if (d->alloy && melt_value(d) <= 0.0)
        return wabe_config_fail(config, "dendrite.undercooling",
                                "takes more than the solute that there is: it must be below %.4g",
                                1.0 / (1.0 - d->step.partition));
    take_orientation(d);
    WABE_TRY(take_faces(config, d));
    WABE_TRY(take_time_step(config, d));
    return take_nuclei(config, d);
}

/* ---- the initial state ---------------------------------------------------------------- */

/* The phase of melt; that of solid is 1. */
static double liquid_phase(const dendrite *d) { return d->karma ? -1.0 : 0.0; }

/* From a place to a nucleus along an axis; periodic axes go round. */
static double off_along(const dendrite *d, int axis, double place, double center) {
    const double edge = (double)d->options.run.domain.cells[axis] * d->options.spacing;
    const double off = fabs(place - center);
    if (d->options.run.domain.cells[axis] == 1)
        return 0.0; /* two-dimensional: discs */
    return d->periodic[axis] ? fmin(off, fabs(edge - off)) : off;
}

/* Of the cells of a row from the nearest surface, negative inside; INFINITY: beyond reach. */
static void distances(const dendrite *d, const int64_t cell[3], int64_t count, double reach,
                      double *row) {
    const double dx = d->options.spacing;
    for (int64_t i = 0; i < count; i++)
        row[i] = INFINITY;
    for (int64_t k = 0; k < d->nucleus_count; k++) {
        const wabe_dendrite_nucleus *n = &d->nuclei[k];
        const double y = off_along(d, 1, ((double)cell[1] + 0.5) * dx, n->center[1]);
        const double z = off_along(d, 2, ((double)cell[2] + 0.5) * dx, n->center[2]);
        if (sqrt(y * y + z * z) > n->radius + reach)
            continue;
        for (int64_t i = 0; i < count; i++) {
            const double x = off_along(d, 0, ((double)(cell[0] + i) + 0.5) * dx, n->center[0]);
            row[i] = fmin(row[i], sqrt(x * x + y * y + z * z) - n->radius);
        }
    }
}

static wabe_status initial_row(const void *context, int number, const int64_t cell[3],
                               int64_t count, double *row) {
    const dendrite *d = context;
    const double delta = d->options.dendrite.interface_width, melt = melt_value(d);
    const double width = d->karma ? sqrt(2.0) * delta : delta / WIDTH;
    const double k = d->step.partition;
    if (number == WABE_DENDRITE_PHI || d->alloy)
        distances(d, cell, count, 20.0 * width, row); /* beyond, tanh is 1 */
    for (int64_t i = 0; i < count; i++) {
        const double phi = number == WABE_DENDRITE_PHI || d->alloy ? -tanh(row[i] / width) : 0.0;
        if (number == WABE_DENDRITE_PHI)
            row[i] = d->karma ? phi : 0.5 + 0.5 * phi;
        else /* alloys: in equilibrium with this melt */
            row[i] = d->alloy ? melt * (0.5 + 0.5 * k - (0.5 - 0.5 * k) * phi) : melt;
    }
    return WABE_OK;
}

/* ---- results -------------------------------------------------------------------------- */

static dendrite *dendrite_of(const wabe_run *run) {
    return wabe_stencil_case_of(run)->slabs.context;
}

static double solid_fraction(const dendrite *d) {
    const double mean = d->stencil.numbers[WABE_DENDRITE_PHI].last.mean;
    return d->karma ? 0.5 + 0.5 * mean : mean;
}

/* Does an arm of the crystals grow along x? */
static bool points_along_x(const dendrite *d) {
    double most = 0.0;
    for (int i = 0; i < 3; i++)
        most = fmax(most, fabs(d->step.crystal[i][0]));
    return most > 1.0 - 1e-6;
}

static wabe_status monitor(wabe_run *run, double columns[]) {
    dendrite *d = dendrite_of(run);
    if (isnan(d->tip.from_step) && solid_fraction(d) > 0.5)
        wabe_run_warn(run, "dendrite.nuclei",
                      "the nuclei make %.3g %% of the domain solid at the start",
                      100.0 * solid_fraction(d));
    WABE_TRY(wabe_tip_find(run, d->nuclei[0].center, 1.0, liquid_phase(d), &d->tip, columns));
    if (!points_along_x(d))
        d->tip.radius = columns[2] = NAN; /* no tip, but the flank of one */
    return WABE_OK;
}

static int recall(const wabe_run *run, wabe_checkpoint_number out[]) {
    const dendrite *d = dendrite_of(run);
    out[0] = (wabe_checkpoint_number){"tip_from", d->tip.from};
    out[1] = (wabe_checkpoint_number){"tip_from_step", d->tip.from_step};
    out[2] = (wabe_checkpoint_number){"tip_velocity", d->tip.velocity};
    return 3;
}

static wabe_status resume(wabe_run *run, const wabe_checkpoint *checkpoint) {
    dendrite *d = dendrite_of(run);
    d->tip.from = wabe_checkpoint_number_of(checkpoint, "tip_from", NAN);
    d->tip.from_step = wabe_checkpoint_number_of(checkpoint, "tip_from_step", NAN);
    d->tip.velocity = wabe_checkpoint_number_of(checkpoint, "tip_velocity", NAN);
    return WABE_OK;
}

/* Of a pure metal; the other model has the units of its input. */
static void put_units(wabe_json *json) {
    static const char *const units[][2] = {{"time", "s"},         {"time_step", "s"},
                                           {"temperature", "K"},  {"capillary_length", "m"},
                                           {"tip_position", "m"}, {"tip_velocity", "m/s"},
                                           {"tip_radius", "m"}};
    wabe_json_open(json, "units", '{');
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        wabe_json_text(json, units[i][0], units[i][1]);
    wabe_json_close(json, '}');
}

static void put(const wabe_run *run, wabe_json *json) {
    const dendrite *d = dendrite_of(run);
    wabe_json_real(json, "time_step", d->time_step);
    wabe_json_real(json, "capillary_length", d->capillary_length);
    wabe_json_real(json, "solid_fraction", solid_fraction(d));
    wabe_json_real(json, "tip_position", d->tip.position);
    wabe_json_real(json, "tip_velocity", d->tip.velocity);
    wabe_json_real(json, "tip_radius", d->tip.radius);
    wabe_json_real(json, "tip_velocity_scaled",
                   d->tip.velocity * d->capillary_length / d->options.dendrite.diffusivity);
    if (!d->karma)
        put_units(json);
}

static void print(const wabe_run *run) {
    const dendrite *d = dendrite_of(run);
    const char *m = d->karma ? "" : " m", *m_s = d->karma ? "" : " m/s";
    if (isfinite(d->tip.position) && !points_along_x(d))
        wabe_log_line("surface    %.6g%s from the first nucleus along x, velocity %.6g%s: no tip, "
                      "since no axis of the crystal lies along x",
                      d->tip.position, m, d->tip.velocity, m_s);
    else if (isfinite(d->tip.position))
        wabe_log_line("tip        %.6g%s from its nucleus along x, velocity %.6g%s, radius %.6g%s",
                      d->tip.position, m, d->tip.velocity, m_s, d->tip.radius, m);
    else
        wabe_log_line("tip        none on the row of cells from the first nucleus along x");
    wabe_log_line("solid      %.4g %% of the domain", 100.0 * solid_fraction(d));
}

/* Heat or solute reaches as far ahead of a tip as the diffusion length. */
static void warn_of_face(const wabe_run *run) {
    const dendrite *d = dendrite_of(run);
    const double length = d->options.spacing * (double)d->options.run.domain.cells[0];
    const double left = length - d->nuclei[0].center[0] - d->tip.position;
    const double reach = d->options.dendrite.diffusivity / d->tip.velocity;
    if (d->tip.velocity > 0.0 && left < reach)
        wabe_run_warn(run, "domain.cells",
                      "the tip ends %.3g before the face x_high, within the diffusion length %.3g "
                      "(diffusivity over velocity): the face changes its velocity; take fewer "
                      "steps or more cells",
                      left, reach);
}

static bool is_flat_front(const dendrite *d) {
    const int64_t *n = d->options.run.domain.cells;
    return n[1] == 1 && n[2] == 1;
}

/* Of results, once the run has ended. */
static wabe_status conclude(wabe_run *run) {
    const dendrite *d = dendrite_of(run);
    const double width = d->options.dendrite.interface_width * tenths(d);
    if (d->stencil.numbers[WABE_DENDRITE_PHI].last.high < 0.5 * (1.0 + liquid_phase(d)))
        wabe_run_warn(run, "dendrite.nuclei",
                      "all crystals have melted: take larger nuclei or a larger undercooling");
    if (d->tip.velocity > 0.0 && d->tip.radius < RESOLVED * width)
        wabe_run_warn(run, "dendrite.interface_width",
                      "the tip is not resolved: its radius, %.3g, is %.3g times the width of the "
                      "interface, %.3g, and should be %g or more; its velocity depends on that "
                      "width, its radius and Peclet number mean little",
                      d->tip.radius, d->tip.radius / width, width, RESOLVED);
    if (points_along_x(d) && d->tip.radius > ROUND * d->tip.position && !is_flat_front(d))
        wabe_run_warn(run, "steps",
                      "the crystal is still round: the tip's radius, %.3g, is about its distance "
                      "from the nucleus, %.3g; take more steps and cells, a larger anisotropy, or "
                      "noise",
                      d->tip.radius, d->tip.position);
    if (d->tip.width < THINNER * width)
        wabe_run_warn(run, "dendrite.interface_width",
                      "the interface has become %.3g wide, %.2g cells, in place of %.3g: the "
                      "undercooling drives it more than the surface energy holds it together; its "
                      "velocity depends on the grid. interface_width is %.3g times the capillary "
                      "length, %.3g: make it, and domain.spacing, smaller",
                      d->tip.width, d->tip.width / d->options.spacing, width,
                      d->options.dendrite.interface_width / d->capillary_length,
                      d->capillary_length);
    warn_of_face(run);
    return WABE_OK;
}

/* Of likely mistakes in the input. */
static void warn(const wabe_run *run) {
    const dendrite *d = dendrite_of(run);
    const wabe_dendrite_options *o = &d->options;
    const int64_t *n = o->run.domain.cells;
    const wabe_dendrite_nucleus *first = d->nuclei;
    char key[64];
    for (int64_t i = 0; i < d->nucleus_count; i++) {
        if (first[i].radius >= o->dendrite.interface_width)
            continue;
        nucleus_key(d, i, "radius", key, sizeof key);
        wabe_run_warn(run, key, "%s is below dendrite.interface_width, %g: such a nucleus may melt",
                      key, o->dendrite.interface_width);
        break; /* one is enough */
    }
    nucleus_key(d, 0, o->dendrite.nuclei.count > 0 ? "center" : "seed", key, sizeof key);
    if (first->center[0] + first->radius >= (double)n[0] * o->spacing)
        wabe_run_warn(run, key,
                      "%s: the first nucleus reaches the face x_high, so its tip along +x, which "
                      "is measured, lies outside",
                      key);
    if (o->dendrite.undercooling >= 1.0 && n[1] * n[2] > 1)
        wabe_run_warn(run, "dendrite.undercooling",
                      "dendrite.undercooling is %g: from 1 on, no needle grows steadily",
                      o->dendrite.undercooling);
}

/* The velocity of a flat interface at the whole undercooling. */
static double kinetic_limit(const dendrite *d) {
    return d->karma ? INFINITY
                    : d->options.dendrite.kinetic_coefficient * d->options.dendrite.undercooling *
                          d->units[WABE_DENDRITE_U].factor;
}

/* How fine the grid must be is known before the run: a steady tip has the radius d0 / (sigma P)
 * with Ivantsov's Peclet number P and a selection parameter sigma, 0.129 at an anisotropy of 0.05
 * (A. Karma, W.-J. Rappel, Phys. Rev. E 57, 4323 (1998), two dimensions, undercooling 0.55). Below,
 * runs had about the 3/4th power of the anisotropy (docs/validation.md, Dendrites). */
static void print_tip(const dendrite *d) {
    const double undercooling = d->options.dendrite.undercooling, g = d->step.anisotropy;
    int axes = 0;
    for (int axis = 0; axis < 3; axis++)
        axes += d->options.run.domain.cells[axis] > 1;
    if (axes < 2 || undercooling >= 1.0 || g <= 0.0 || d->alloy) /* solute has another sigma */
        return;
    const double peclet = wabe_tip_peclet(undercooling, axes);
    const double radius = d->capillary_length / (0.129 * pow(g / 0.05, 0.75) * peclet);
    const double velocity = 2.0 * peclet * d->options.dendrite.diffusivity / radius;
    const double diffusivity = d->options.dendrite.diffusivity, most = kinetic_limit(d);
    const double faster = fmin(velocity, most),
                 widths = radius / (d->options.spacing * interface_cells(d));
    const char *metre = d->karma ? "" : " m", *m_s = d->karma ? "" : " m/s";
    wabe_log_line(
        "tip        a steady %s, without kinetics: Peclet number %.3g, radius about %.2g%s, "
        "%.3g times the interface's width%s%s",
        axes == 2 ? "parabola" : "paraboloid", peclet, radius, metre, widths,
        widths < RESOLVED ? ": not resolved" : "",
        g < MEASURED[0] || g > MEASURED[1] ? " (extrapolated: measured for anisotropies of "
                                             "0.02 to 0.05)"
                                           : "");
    wabe_log_line(
        "           velocity about %.2g%s%s; then the diffusion length is %.2g%s, and a tip is "
        "steady after several times %.2g steps",
        faster, m_s, velocity > most ? " at most, by kinetics" : "", diffusivity / faster, metre,
        diffusivity / (faster * faster) / d->time_step);
}

static void print_model(const wabe_run *run) {
    const dendrite *d = dendrite_of(run);
    const wabe_dendrite_options *o = &d->options;
    wabe_log_line("interface  %.3g cells wide, capillary length %.6g, time step %.6g",
                  interface_cells(d), d->capillary_length, d->time_step);
    char kelvin[40] = "";
    if (!d->karma)
        snprintf(kelvin, sizeof kelvin, " (%.6g K)",
                 o->dendrite.undercooling * d->units[WABE_DENDRITE_U].factor);
    wabe_log_line("melt       undercooled by %.6g%s, %lld %s", o->dendrite.undercooling, kelvin,
                  (long long)d->nucleus_count, d->nucleus_count == 1 ? "nucleus" : "nuclei");
    print_tip(d);
}

/* ---- the application ------------------------------------------------------------------ */

static wabe_status fill(void *context, wabe_grid_slab *slab) {
    wabe_dendrite_set(slab, &((const dendrite *)context)->step);
    return WABE_OK;
}

/* How it is computed: the values stay the same. */
static const char *const may_differ[] = {"dendrite.kernel", NULL};
static const char *const fixed_keys[] = {"domain.spacing",
                                         "dendrite.model",
                                         "dendrite.undercooling",
                                         "dendrite.partition_coefficient",
                                         "dendrite.melting_temperature",
                                         "dendrite.latent_heat",
                                         "dendrite.heat_capacity",
                                         "dendrite.nuclei",
                                         "dendrite.random_nuclei.",
                                         NULL};

wabe_status wabe_dendrite_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                                  wabe_verb verb) {
    static const char *const units[] = {"1", "K"};
    dendrite d = {.tip = {NAN, NAN, NAN, NAN, NAN, NAN}};
    wabe_option_table tables[3];
    wabe_application app = wabe_run_application("dendrite", wabe_dendrite_option_rows, &d.options,
                                                sizeof d.options, tables);
    bool stopped;
    wabe_status status = wabe_config_read(config, 3, tables);
    if (status == WABE_OK)
        status = take_options(config, &d);
    status = wabe_agree(comm, status);
    if (status == WABE_OK) {
        const wabe_type type = d.options.dendrite.storage == F64 ? WABE_TYPE_f64 : WABE_TYPE_f32;
        d.stencil = (wabe_stencil_case){
            .slabs = {.model = wabe_dendrite_model(type, d.options.run.domain.cells, d.periodic,
                                                   d.walls, &d.step, d.options.dendrite.kernel),
                      .context = &d,
                      .fill = fill},
            .kernel_key = "dendrite.kernel",
            .units = d.units,
            .unit_words = d.karma ? NULL : units,
            .initial = initial_row,
            .monitor = monitor,
            .monitor_columns = wabe_tip_columns,
            .monitor_column_count = WABE_TIP_COLUMNS,
            .recall = recall,
            .resume = resume,
            .conclude = conclude,
            .put = put,
            .print = print};
        wabe_stencil_enter(&d.stencil, &app);
        app.may_differ = may_differ;
        app.fixed_keys = fixed_keys;
        app.print_model = print_model;
        app.print_more = warn;
        app.plot = d.options.run.monitor.every > 0 ? "dendrite" : NULL;
        app.picture_beside = d.units[WABE_DENDRITE_U].name;
        app.length_unit = d.karma ? NULL : "m";
        app.time_unit = d.karma ? NULL : "s";
        wabe_run_cubes(&app, d.options.spacing);
        app.time_step = d.time_step;
        status = wabe_run_case(comm, input, config, &app, verb, &stopped);
    }
    free(d.nuclei);
    return status;
}
