#include "apps/lbm/start.h"

#include "apps/runtime/field_file.h"
#include "core/base/log.h"
#include "core/io/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEY "initial.file"
#define FIELDS "VTKHDF/PointData/"

enum { PLANES = 2, MOMENTS = 4 };

struct wabe_start {
    char file[WABE_STRING_SIZE];
    wabe_dataset *velocity, *pressure, *solid; /* solid: NULL if not in the file */
    double velocity_unit, pressure_unit;       /* in lattice units; pressure: of density */
    double scalar;                             /* everywhere */
    double pressure_at_rest;                   /* offset: 1 if the file has densities */
    int axes[3];                               /* of the domain, for the file's i, j, k */
    int64_t cells[3], wanted[3];               /* of the file and of the domain */
    bool periodic[3];
    /* The part of a plane that the block needs: begin to end along x and y, unwrapped across
     * periodic faces. */
    int64_t begin[2], end[2];
    int64_t z[PLANES];                /* -1: none */
    int last;                         /* last requested */
    double *planes[PLANES], *numbers; /* [y][x][moment], NAN: solid; as read */
    wabe_status status;
};

/* ---- contents of the file ----------------------------------------------------------- */

static wabe_status open_field(const wabe_config *config, wabe_start *s, const char *name,
                              int components, wabe_dataset **out) {
    const wabe_status status = wabe_dataset_open_vectors(s->file, name, components, out);
    int bits;
    if (status != WABE_OK) {
        wabe_config_fail_because(config, KEY, "cannot be taken");
        return status;
    }
    return wabe_dataset_numbers(*out, &bits) == WABE_NUMBERS_REAL
               ? WABE_OK
               : wabe_config_fail(config, KEY, "has no real numbers in %s", name);
}

/* si: the value in SI units of 1 in lattice units. */
static wabe_status take_unit(const wabe_config *config, const wabe_dataset *field, const char *name,
                             const char *unit, double si, bool physical, double *out) {
    char text[32];
    if (!wabe_dataset_text(field, "unit", text, sizeof text))
        return wabe_config_fail(config, KEY,
                                "does not say the unit of its %s: the dataset needs an attribute "
                                "unit, \"lattice units\" or \"%s\"",
                                name, unit);
    *out = strcmp(text, unit) == 0 ? 1.0 / si : 1.0;
    if (strcmp(text, unit) == 0 && !physical)
        return wabe_config_fail(config, KEY,
                                "has its %s in %s, and this case has no such units: give "
                                "units.cell, units.velocity and units.viscosity",
                                name, unit);
    if (strcmp(text, unit) != 0 && strcmp(text, "lattice units") != 0)
        return wabe_config_fail(config, KEY, "has its %s in \"%s\", not in \"lattice units\" or %s",
                                name, text, unit);
    return WABE_OK;
}

static wabe_status open_fields(const wabe_config *config, const wabe_lbm_case *c, wabe_start *s) {
    const double velocity = c->dx / c->dt, mass = c->dm / (c->dx * c->dx * c->dx);
    WABE_TRY(open_field(config, s, FIELDS "velocity", 3, &s->velocity));
    WABE_TRY(take_unit(config, s->velocity, "velocity", "m/s", velocity, c->physical,
                       &s->velocity_unit));
    if (wabe_dataset_has(s->velocity, FIELDS "solid"))
        WABE_TRY(open_field(config, s, FIELDS "solid", 1, &s->solid));
    if (!wabe_dataset_has(s->velocity, FIELDS "pressure")) {
        s->pressure_at_rest = 1.0;
        WABE_TRY(open_field(config, s, FIELDS "density", 1, &s->pressure));
        return take_unit(config, s->pressure, "density", "kg/m^3", mass, c->physical,
                         &s->pressure_unit);
    }
    WABE_TRY(open_field(config, s, FIELDS "pressure", 1, &s->pressure)); /* has more digits */
    WABE_TRY(take_unit(config, s->pressure, "pressure", "Pa", mass * velocity * velocity,
                       c->physical, &s->pressure_unit));
    s->pressure_unit *= 3.0;
    return WABE_OK;
}

/* Finds the file's axes: values are ordered as x, y, z, apart from axes of one cell. */
static bool take_axes(wabe_start *s) {
    const int64_t *size = wabe_dataset_size(s->velocity);
    double direction[9];
    int last = -1, found = 0;
    if (!wabe_dataset_reals(s->velocity, "VTKHDF", "Direction", 9, direction))
        return false;
    for (int d = 0; d < 3; d++) {
        for (int axis = 0; axis < 3; axis++)
            if (direction[3 * axis + d] == 1.0)
                s->axes[d] = axis;
        found |= 1 << s->axes[d];
        if (size[d] > 1 && s->axes[d] < last)
            return false;
        last = size[d] > 1 ? s->axes[d] : last;
        s->cells[s->axes[d]] = size[d];
    }
    return found == 7;
}

/* Checks that the file has the whole domain. An axis of one cell may have two layers in the
 * file. */
static bool take_cells(wabe_start *s) {
    double cells[3], origin[3], spacing[3];
    if (!wabe_dataset_reals(s->velocity, "VTKHDF", "Origin", 3, origin) ||
        !wabe_dataset_reals(s->velocity, "VTKHDF", "Spacing", 3, spacing))
        return false;
    const bool known = wabe_dataset_reals(s->velocity, "wabe", "cells", 3, cells);
    bool whole = true; /* the first value is at the centre of the first cell, or at its face */
    for (int d = 0; d < 3; d++) {
        const bool flat = known && cells[d] == 1.0;
        s->cells[d] = flat ? 1 : s->cells[d];
        whole &= fabs(origin[d] - 0.5 * spacing[d]) <= 1e-6 * spacing[d] ||
                 (flat && fabs(origin[d]) <= 1e-6 * spacing[d]);
    }
    return whole;
}

static bool has_shape(const wabe_start *s, const wabe_dataset *field) {
    return !field || memcmp(wabe_dataset_size(field), wabe_dataset_size(s->velocity),
                            3 * sizeof(int64_t)) == 0;
}

/* Do all axes have the same ratio of cells? Axes with one cell in both are not scaled. */
static bool fits(const wabe_start *s) {
    bool good = true;
    for (int d = 0; d < 3; d++)
        for (int other = 0; other < d; other++)
            if ((s->cells[d] > 1 || s->wanted[d] > 1) &&
                (s->cells[other] > 1 || s->wanted[other] > 1))
                good &= s->cells[d] * s->wanted[other] == s->cells[other] * s->wanted[d];
    return good;
}

static wabe_status check_grid(const wabe_config *config, wabe_start *s) {
    if (!take_axes(s) || !has_shape(s, s->pressure) || !has_shape(s, s->solid))
        return wabe_config_fail(config, KEY,
                                "is not as Wabe writes fields: its datasets have different shapes, "
                                "or no attribute Direction says which axes are which");
    if (!take_cells(s))
        return wabe_config_fail(
            config, KEY,
            "has a part of a domain, or every n-th cell of it; it must have all of it");
    const int64_t *n = s->cells, *m = s->wanted;
    return fits(s) ? WABE_OK
                   : wabe_config_fail(config, KEY,
                                      "has %lld x %lld x %lld cells, and domain.cells %lld x %lld "
                                      "x %lld: the ratios must be the same",
                                      (long long)n[0], (long long)n[1], (long long)n[2],
                                      (long long)m[0], (long long)m[1], (long long)m[2]);
}

static wabe_status open(const wabe_config *config, const wabe_lbm_options *o,
                        const wabe_lbm_case *c, wabe_start *s) {
    snprintf(s->file, sizeof s->file, "%s", o->initial.file);
    memcpy(s->wanted, o->run.domain.cells, sizeof s->wanted);
    wabe_geometry_periodic(&c->simulation.geometry, s->periodic);
    WABE_TRY(wabe_field_file_check_folder(config, &o->run, KEY, s->file));
    WABE_TRY(open_fields(config, c, s));
    return check_grid(config, s);
}

wabe_status wabe_start_open(const wabe_config *config, const wabe_lbm_options *o,
                            const wabe_lbm_case *c, wabe_start **out) {
    *out = NULL;
    if (o->initial.kind != WABE_INITIAL_FILE)
        return o->initial.file[0]
                   ? wabe_config_fail(config, KEY, "is for initial.kind = \"file\" alone")
                   : WABE_OK;
    if (!o->initial.file[0])
        return wabe_config_fail(config, "initial.kind", "\"file\" needs an initial.file");
    *out = calloc(1, sizeof **out);
    WABE_CHECK(*out, WABE_MEMORY, "no memory for the initial state");
    (*out)->scalar = c->scalar.initial;
    return open(config, o, c, *out);
}

void wabe_start_close(wabe_start **start) {
    wabe_start *s = *start;
    if (!s)
        return;
    wabe_dataset_close(&s->velocity);
    wabe_dataset_close(&s->pressure);
    wabe_dataset_close(&s->solid);
    for (int i = 0; i < PLANES; i++)
        free(s->planes[i]);
    free(s->numbers);
    free(s);
    *start = NULL;
}

/* ---- interpolation ------------------------------------------------------------------ */

/* Two cells of the file: the second one has this weight, the first one the rest of 1. */
typedef struct {
    int64_t at[2];
    double weight;
} neighbours;

/* Cell centres are at (x + 1/2) / n of the axis; integers keep weights exact. */
static neighbours neighbours_of(const wabe_start *s, int axis, int64_t x) {
    const int64_t n = s->cells[axis], whole = 2 * s->wanted[axis];
    const int64_t place = (2 * x + 1) * n - s->wanted[axis];
    int64_t first = place >= 0 ? place / whole : -1; /* place is at least -whole / 2 */
    if (n == 1)
        return (neighbours){{0, 0}, 0.0};
    if (!s->periodic[axis])
        first = first < 0 ? 0 : first < n - 2 ? first : n - 2;
    const double weight = (double)(place - first * whole) / (double)whole;
    if (weight == 0.0 || weight == 1.0)
        return (neighbours){{first + (weight > 0.0), first + (weight > 0.0)}, 0.0};
    return (neighbours){{first, first + 1}, weight};
}

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t inside(const wabe_start *s, int axis, int64_t at) {
    const int64_t n = s->cells[axis];
    return (at % n + n) % n;
}

/* ---- planes of the file ------------------------------------------------------------- */

wabe_status wabe_start_begin(wabe_start *s, wabe_box block) {
    int64_t cells = 1;
    for (int d = 0; d < 2; d++) {
        s->begin[d] = neighbours_of(s, d, block.begin[d]).at[0];
        s->end[d] = neighbours_of(s, d, block.end[d] - 1).at[1] + 1;
        cells *= s->end[d] - s->begin[d];
    }
    s->numbers = malloc((size_t)cells * 3 * sizeof *s->numbers);
    for (int i = 0; i < PLANES; i++) {
        s->z[i] = -1;
        s->planes[i] = malloc((size_t)cells * MOMENTS * sizeof **s->planes);
        WABE_CHECK(s->planes[i] && s->numbers, WABE_MEMORY,
                   "no memory for planes of the initial state");
    }
    wabe_log_line("initial    from %s, %lld x %lld x %lld cells, at equilibrium", s->file,
                  (long long)s->cells[0], (long long)s->cells[1], (long long)s->cells[2]);
    return WABE_OK;
}

static wabe_status read_numbers(wabe_start *s, const wabe_dataset *field, wabe_box box) {
    wabe_box there;
    for (int d = 0; d < 3; d++) {
        there.begin[d] = box.begin[s->axes[d]];
        there.end[d] = box.end[s->axes[d]];
    }
    return wabe_dataset_read(field, there, s->numbers);
}

/* Reads a box as moments; pitch: cells from row to row of out. */
static wabe_status read_box(wabe_start *s, wabe_box box, double *out, int64_t pitch) {
    const int64_t nx = wabe_box_extent(box, 0), cells = wabe_box_cells(box);
    WABE_TRY(read_numbers(s, s->velocity, box));
    for (int64_t i = 0; i < cells; i++)
        for (int d = 0; d < 3; d++)
            out[(i / nx * pitch + i % nx) * MOMENTS + 1 + d] = s->velocity_unit *
                                                               s->numbers[3 * i + d];
    WABE_TRY(read_numbers(s, s->pressure, box));
    for (int64_t i = 0; i < cells; i++)
        out[(i / nx * pitch + i % nx) * MOMENTS] = s->pressure_unit * s->numbers[i] -
                                                   s->pressure_at_rest;
    if (s->solid)
        WABE_TRY(read_numbers(s, s->solid, box));
    for (int64_t i = 0; i < cells; i++) {
        double *m = out + (i / nx * pitch + i % nx) * MOMENTS;
        if (s->solid && s->numbers[i] != 0.0)
            m[0] = NAN;
        else
            WABE_CHECK(isfinite(m[0] + m[1] + m[2] + m[3]), WABE_INPUT,
                       "%s has a value that is no number, or infinite, in cell (%lld, %lld, %lld)",
                       s->file, (long long)(box.begin[0] + i % nx),
                       (long long)(box.begin[1] + i / nx), (long long)box.begin[2]);
    }
    return WABE_OK;
}

/* Reads the block's part of a plane, split at periodic faces. */
static wabe_status read_plane(wabe_start *s, int64_t z, double *out) {
    const int64_t pitch = s->end[0] - s->begin[0];
    wabe_box box = {.begin[2] = z, .end[2] = z + 1};
    for (int64_t y = s->begin[1]; y < s->end[1]; y += wabe_box_extent(box, 1)) {
        box.begin[1] = inside(s, 1, y);
        box.end[1] = min_of(s->cells[1], box.begin[1] + s->end[1] - y);
        for (int64_t x = s->begin[0]; x < s->end[0]; x += wabe_box_extent(box, 0)) {
            box.begin[0] = inside(s, 0, x);
            box.end[0] = min_of(s->cells[0], box.begin[0] + s->end[0] - x);
            WABE_TRY(read_box(s, box, out + ((y - s->begin[1]) * pitch + x - s->begin[0]) * MOMENTS,
                              pitch));
        }
    }
    return WABE_OK;
}

/* Replaces the plane that was not requested last. */
static const double *plane_of(wabe_start *s, int64_t at) {
    const int64_t z = inside(s, 2, at);
    if (s->z[s->last] != z)
        s->last = (s->last + 1) % PLANES;
    if (s->z[s->last] != z) {
        s->status = read_plane(s, z, s->planes[s->last]);
        s->z[s->last] = z;
    }
    return s->planes[s->last];
}

/* ---- moments ------------------------------------------------------------------------ */

static double weight_of(const neighbours near[3], int corner, bool within) {
    double product = 1.0;
    for (int d = 0; d < 3; d++) {
        const double weight = within ? fmin(fmax(near[d].weight, 0.0), 1.0) : near[d].weight;
        product *= corner >> d & 1 ? weight : 1.0 - weight;
    }
    return product;
}

/* within: clamps weights to 0 to 1, and normalises those of the fluid. */
static void mix(const neighbours near[3], const double *const corners[8], bool within,
                double moments[WABE_MOMENTS_GIVEN]) {
    double sum = 0.0, all[MOMENTS] = {0};
    for (int i = 0; i < 8; i++) {
        const double weight = weight_of(near, i, within);
        if (weight == 0.0 || isnan(corners[i][0]))
            continue;
        sum += weight;
        for (int k = 0; k < MOMENTS; k++)
            all[k] += weight * corners[i][k];
    }
    for (int k = 0; k < MOMENTS; k++)
        moments[k] = !within ? all[k] : sum > 0.0 ? all[k] / sum : 0.0;
}

void wabe_start_moments(const void *context, const int64_t cell[3],
                        double moments[WABE_MOMENTS_GIVEN]) {
    wabe_start *s = *(wabe_start *const *)context;
    neighbours near[3];
    const double *corners[8];
    bool solid = false;
    memset(moments, 0, MOMENTS * sizeof *moments);
    moments[MOMENTS] = s->scalar;
    for (int d = 0; d < 3; d++)
        near[d] = neighbours_of(s, d, cell[d]);
    for (int i = 0; i < 8 && s->status == WABE_OK; i++) {
        const int64_t x = near[0].at[i & 1], y = near[1].at[i >> 1 & 1];
        corners[i] = plane_of(s, near[2].at[i >> 2]) +
                     ((y - s->begin[1]) * (s->end[0] - s->begin[0]) + x - s->begin[0]) * MOMENTS;
    }
    if (s->status != WABE_OK)
        return;
    for (int i = 0; i < 8; i++)
        solid |= isnan(corners[i][0]) && weight_of(near, i, false) != 0.0;
    mix(near, corners, solid, moments);
}

wabe_status wabe_start_end(const wabe_start *s) { return s->status; }
