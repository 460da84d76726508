#include "apps/diffusion/diffusion.h"

#include "apps/runtime/field_file.h"
#include "apps/runtime/stencil.h"
#include "core/base/log.h"
#include "sweeps/stencil/diffusion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PERIODIC, DIRICHLET, NEUMANN };
enum { CONSTANT, MODE, GAUSSIAN, FROM_FILE };

#define STABLE (1.0 / 6.0) /* upper limit of kappa dt / dx^2 */
#define SAFE 0.75
#define PI 3.14159265358979323846
#define LEAST_LEFT 1e-10 /* of the mode, below which its error is not reported */

typedef struct {
    wabe_diffusion_options options;
    wabe_stencil_case stencil;
    wabe_type type;
    bool periodic[3];
    wabe_wall walls[WABE_FACES];
    double rate, time_step;
    double *along_x;       /* the factor of the initial state along x */
    wabe_field_file *file; /* of the initial state */
    wabe_field_file *map;  /* of diffusivities, as factors of diffusion.diffusivity */
    double highest;        /* factor in the map */
    double mode_error;     /* at the end; NAN: not applicable */
} diffusion;

/* ---- options -------------------------------------------------------------------------- */

/* Walls are half a cell beyond the last cell. */
static wabe_status take_faces(const wabe_config *config, diffusion *d) {
    bool periodic[WABE_FACES];
    for (int face = 0; face < WABE_FACES; face++) {
        const wabe_diffusion_face *f = &d->options.faces[face];
        periodic[face] = f->kind == PERIODIC;
        d->periodic[face / 2] = periodic[face];
        d->walls[face] = (wabe_wall){.factor = f->kind == DIRICHLET ? -1.0 : 1.0,
                                     .offset = f->kind == DIRICHLET
                                                   ? 2.0 * f->value
                                                   : f->gradient * d->options.spacing};
    }
    return wabe_run_check_periodic(config, periodic);
}

static wabe_status take_time_step(const wabe_config *config, diffusion *d) {
    const double kappa = d->options.diffusion.diffusivity, dx = d->options.spacing;
    const double most = STABLE * dx * dx / (kappa * d->highest);
    d->time_step = isfinite(d->options.diffusion.time_step) ? d->options.diffusion.time_step
                   : kappa * d->highest > 0.0               ? SAFE * most
                                                            : 1.0;
    d->rate = kappa * d->time_step / (dx * dx);
    return d->rate * d->highest <= STABLE * (1.0 + 1e-12)
               ? WABE_OK
               : wabe_config_fail(
                     config, "diffusion.time_step",
                     "is unstable: with diffusion.diffusivity and domain.spacing as they "
                     "are the largest stable one is %.17g",
                     most);
}

static wabe_status take_options(const wabe_config *config, diffusion *d) {
    d->type = d->options.diffusion.storage == 0 ? WABE_TYPE_f64 : WABE_TYPE_f32;
    for (int axis = 0; axis < 3; axis++)
        if (!isfinite(d->options.initial.center[axis]))
            d->options.initial.center[axis] = 0.5 * d->options.spacing *
                                              (double)d->options.run.domain.cells[axis];
    if (!isfinite(d->options.initial.width)) {
        double shortest = INFINITY;
        for (int axis = 0; axis < 3; axis++)
            shortest = fmin(shortest, (double)d->options.run.domain.cells[axis]);
        d->options.initial.width = 0.1 * shortest * d->options.spacing;
    }
    return take_faces(config, d);
}

/* ---- initial state and exact solution --------------------------------------------------- */

/* An eigenvector of the seven-point stencil between these faces: its factor along an axis. */
static double wave(const diffusion *d, int axis, int64_t at) {
    const double n = (double)d->options.run.domain.cells[axis];
    const double m = (double)d->options.initial.waves[axis];
    if (d->periodic[axis])
        return cos(2.0 * PI * m * (double)at / n);
    const double phase = PI * m * ((double)at + 0.5) / n;
    return d->options.faces[2 * axis].kind == DIRICHLET && m > 0.0 ? sin(phase) : cos(phase);
}

/* The Gaussian's factor along an axis. */
static double bell(const diffusion *d, int axis, int64_t at) {
    const double from = ((double)at + 0.5) * d->options.spacing - d->options.initial.center[axis];
    return exp(-0.5 * from * from / (d->options.initial.width * d->options.initial.width));
}

/* Modes and Gaussians are products of factors along the axes. */
static wabe_status initial_row(const void *context, int number, const int64_t cell[3],
                               int64_t count, double *row) {
    const diffusion *d = context;
    (void)number;
    if (d->options.initial.kind == FROM_FILE)
        return wabe_field_file_row(d->file, cell, count, row);
    double (*const along)(const diffusion *, int, int64_t) = d->options.initial.kind == MODE ? wave
                                                                                             : bell;
    const double value = d->options.initial.value;
    const double rest = d->options.initial.kind == CONSTANT
                            ? 0.0
                            : d->options.initial.amplitude * along(d, 1, cell[1]) *
                                  along(d, 2, cell[2]);
    for (int64_t i = 0; i < count; i++)
        row[i] = value + rest * d->along_x[cell[0] + i];
    return WABE_OK;
}

/* The factor by which a step multiplies the mode. */
static double decay(const diffusion *d) {
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double turns = (d->periodic[axis] ? 1.0 : 0.5) *
                             (double)d->options.initial.waves[axis] /
                             (double)d->options.run.domain.cells[axis];
        sum += 4.0 * sin(PI * turns) * sin(PI * turns);
    }
    return 1.0 - d->rate * sum;
}

/* Is the mode an eigenvector? Opposite walls must be alike, and must prescribe its mean value or
 * zero gradient. */
static bool is_eigenvector(const diffusion *d) {
    bool exact = d->options.initial.kind == MODE && !d->map;
    for (int face = 0; face < WABE_FACES; face++) {
        const wabe_diffusion_face *f = &d->options.faces[face];
        exact &= f->kind == d->options.faces[face ^ 1].kind;
        exact &= f->kind != DIRICHLET ||
                 (f->value == d->options.initial.value && d->options.initial.waves[face / 2] > 0);
        exact &= f->kind != NEUMANN || f->gradient == 0.0;
    }
    return exact;
}

/* The largest deviation from the exact solution of the discrete equation, relative to its
 * amplitude. */
static wabe_status mode_error(const diffusion *d, const wabe_run *run, double *out) {
    const wabe_values v = run->app->values(run);
    const double left = pow(decay(d), (double)run->step);
    const double rest = d->options.initial.value;
    const int64_t nx = d->options.run.domain.cells[0];
    wabe_box row = run->block;
    double *values = malloc((size_t)(2 * nx) * sizeof *values);
    WABE_CHECK(values, WABE_MEMORY, "no memory for two rows");
    wabe_status status = WABE_OK;
    *out = 0.0;
    for (int64_t z = run->block.begin[2]; z < run->block.end[2]; z++)
        for (int64_t y = run->block.begin[1]; y < run->block.end[1]; y++) {
            row.begin[1] = y, row.end[1] = y + 1, row.begin[2] = z, row.end[2] = z + 1;
            if (status == WABE_OK)
                status = wabe_domain_read(run->domain, &v, row, values);
            if (status == WABE_OK)
                status = initial_row(d, 0, row.begin, wabe_box_extent(row, 0), values + nx);
            for (int64_t x = 0; x < wabe_box_extent(row, 0) && status == WABE_OK; x++)
                *out = fmax(*out, fabs(values[x] - rest - left * (values[nx + x] - rest)));
        }
    free(values);
    /* Rounding errors do not decay: if little is left of the mode, the result means nothing. */
    const double there = fabs(left * d->options.initial.amplitude);
    const double all = fabs(rest) + fabs(d->options.initial.amplitude);
    *out = there > LEAST_LEFT * all ? *out / there : NAN;
    return status;
}

static diffusion *diffusion_of(const wabe_run *run) {
    return wabe_stencil_case_of(run)->slabs.context;
}

static wabe_status conclude(wabe_run *run) {
    diffusion *d = diffusion_of(run);
    d->mode_error = NAN;
    if (!is_eigenvector(d))
        return WABE_OK;
    WABE_TRY(wabe_agree(run->comm, mode_error(d, run, &d->mode_error)));
    if (!isnan(d->mode_error)) /* the same on all processes */
        MPI_Allreduce(MPI_IN_PLACE, &d->mode_error, 1, MPI_DOUBLE, MPI_MAX, run->comm);
    return WABE_OK;
}

static void put(const wabe_run *run, wabe_json *json) {
    const diffusion *d = diffusion_of(run);
    wabe_json_real(json, "diffusivity", d->options.diffusion.diffusivity);
    wabe_json_real(json, "time_step", d->time_step);
    if (isnan(d->mode_error))
        return;
    wabe_json_real(json, "decay", decay(d));
    wabe_json_real(json, "mode_error", d->mode_error);
}

static void print(const wabe_run *run) {
    const diffusion *d = diffusion_of(run);
    if (!isnan(d->mode_error))
        wabe_log_line("mode       %.3g of what is left of it is off", d->mode_error);
}

static void print_model(const wabe_run *run) {
    const diffusion *d = diffusion_of(run);
    wabe_log_line("model      diffusion, %s, diffusivity %g, time step %g, %.3f of the largest "
                  "stable one",
                  wabe_type_word(d->type), d->options.diffusion.diffusivity, d->time_step,
                  d->rate * d->highest / STABLE);
}

/* ---- files ------------------------------------------------------------------------- */

static wabe_status open_initial(const wabe_config *config, diffusion *d) {
    if (d->options.initial.kind != FROM_FILE && d->options.initial.file[0])
        return wabe_config_fail(config, "initial.file", "is for initial.kind = \"file\" alone");
    if (d->options.initial.kind != FROM_FILE)
        return WABE_OK;
    if (!d->options.initial.file[0])
        return wabe_config_fail(config, "initial.kind", "\"file\" needs an initial.file");
    WABE_TRY(wabe_field_file_check_folder(config, &d->options.run, "initial.file",
                                          d->options.initial.file));
    return wabe_field_file_open(config, "initial", d->options.initial.file,
                                d->options.initial.dataset, d->options.run.domain.cells,
                                d->periodic, &d->file);
}

/* Collective. */
static wabe_status open_map(MPI_Comm comm, const wabe_config *config, diffusion *d) {
    const char *file = d->options.diffusion.map.file, *name = d->options.diffusion.map.dataset;
    double low;
    d->highest = 1.0;
    if (!file[0] && name[0])
        return wabe_config_fail(config, "diffusion.map.dataset", "needs a diffusion.map.file");
    if (!file[0])
        return WABE_OK;
    WABE_TRY(wabe_agree(comm, wabe_field_file_check_folder(config, &d->options.run,
                                                           "diffusion.map.file", file)));
    WABE_TRY(
        wabe_agree(comm, wabe_field_file_open(config, "diffusion.map", file,
                                              name[0] ? name : "diffusivity",
                                              d->options.run.domain.cells, d->periodic, &d->map)));
    WABE_TRY(wabe_field_file_extremes(comm, d->map, &low, &d->highest));
    if (isnan(low))
        return wabe_config_fail(config, "diffusion.map.dataset",
                                "has values that are no numbers, or infinite, in %s", file);
    if (low < 0.0)
        return wabe_config_fail(config, "diffusion.map.dataset",
                                "has values from %g to %g in %s; a diffusivity is at least 0", low,
                                d->highest, file);
    return WABE_OK;
}

static wabe_status map_row(const void *context, const int64_t cell[3], int64_t count, double *row) {
    return wabe_field_file_row(((const diffusion *)context)->map, cell, count, row);
}

static void free_initial(diffusion *d) {
    wabe_field_file_close(&d->file);
    wabe_field_file_close(&d->map);
    free(d->along_x);
}

static wabe_status make_row(diffusion *d) {
    const int64_t nx = d->options.run.domain.cells[0];
    d->along_x = malloc((size_t)nx * sizeof *d->along_x);
    WABE_CHECK(d->along_x, WABE_MEMORY, "no memory for a row of %lld cells", (long long)nx);
    for (int64_t x = 0; x < nx; x++)
        d->along_x[x] = d->options.initial.kind == MODE ? wave(d, 0, x) : bell(d, 0, x);
    return WABE_OK;
}

/* ---- slabs -------------------------------------------------------------------------------- */

static wabe_grid_model model_of(const diffusion *d) {
    return wabe_diffusion_model(d->type, d->options.run.domain.cells, d->periodic, d->walls, d->map,
                                d->options.diffusion.kernel);
}

static wabe_status fill(void *context, wabe_grid_slab *slab) {
    const diffusion *d = context;
    if (d->map)
        return wabe_diffusion_vary(slab, d->rate, map_row, d);
    wabe_diffusion_set(slab, d->rate);
    return WABE_OK;
}

/* ---- the application ---------------------------------------------------------------------- */

/* Keys that set how it is computed, not the values. */
static const char *const may_differ[] = {"diffusion.kernel", "diffusion.steps_per_pass", NULL};

/* Collective. */
static wabe_status read_case(MPI_Comm comm, wabe_config *config, int table_count,
                             const wabe_option_table tables[], diffusion *d) {
    wabe_status status = wabe_config_read(config, table_count, tables);
    if (status == WABE_OK)
        status = take_options(config, d);
    WABE_TRY(wabe_agree(comm, status));
    status = open_map(comm, config, d);
    if (status == WABE_OK)
        status = take_time_step(config, d);
    if (status == WABE_OK)
        status = make_row(d);
    if (status == WABE_OK)
        status = open_initial(config, d);
    return wabe_agree(comm, status);
}

wabe_status wabe_diffusion_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                                   wabe_verb verb) {
    diffusion d = {0};
    wabe_option_table tables[3];
    wabe_application app = wabe_run_application("diffusion", wabe_diffusion_option_rows, &d.options,
                                                sizeof d.options, tables);
    bool stopped;
    wabe_status status = read_case(comm, config, 3, tables, &d);
    d.stencil = (wabe_stencil_case){.slabs = {.model = model_of(&d), .context = &d, .fill = fill},
                                    .depth = (int)d.options.diffusion.steps_per_pass,
                                    .depth_key = "diffusion.steps_per_pass",
                                    .kernel_key = "diffusion.kernel",
                                    .initial = initial_row,
                                    .conclude = conclude,
                                    .put = put,
                                    .print = print};
    wabe_stencil_enter(&d.stencil, &app);
    app.may_differ = may_differ;
    app.print_model = print_model;
    wabe_run_cubes(&app, d.options.spacing);
    app.time_step = d.time_step;
    if (status == WABE_OK)
        status = wabe_run_case(comm, input, config, &app, verb, &stopped);
    free_initial(&d);
    return status;
}
