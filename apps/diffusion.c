#include "apps/diffusion.h"

#include "apps/commands.h"
#include "core/log.h"
#include "sweeps/diffusion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PERIODIC, DIRICHLET, NEUMANN };
enum { CONSTANT, MODE, GAUSSIAN };

#define STABLE (1.0 / 6.0) /* kappa dt / dx^2 */
#define SAFE 0.75
#define PI 3.14159265358979323846
#define LEAST_LEFT 1e-10 /* of a mode, to tell how far off it is */

typedef struct {
    wabe_grid_options grid;
    wabe_diffusion_options options;
    wabe_diffusion_model model;
    double time_step;
    wabe_diffusion_slab *slabs[WABE_SLABS_MAX];
} diffusion;

/* ---- what the options say ------------------------------------------------------------- */

static const char *const faces[] = {"x_low", "x_high", "y_low", "y_high", "z_low", "z_high"};

/* Walls stand half a cell behind the last one. */
static wabe_status take_faces(const wabe_config *config, diffusion *d) {
    for (int face = 0; face < 6; face++) {
        const wabe_diffusion_face *f = &d->options.faces[face];
        const bool periodic = f->kind == PERIODIC;
        char path[64];
        snprintf(path, sizeof path, "boundaries.%s.kind", faces[face]);
        if (periodic != (d->options.faces[face ^ 1].kind == PERIODIC))
            return wabe_config_fail(config, path,
                                    "opposite faces must be periodic together: that of %s is not "
                                    "alike",
                                    faces[face ^ 1]);
        d->model.periodic[face / 2] = periodic;
        d->model.sides[face] = (wabe_side){.kind = WABE_SIDE_WALL,
                                           .factor = f->kind == DIRICHLET ? -1.0 : 1.0,
                                           .offset = f->kind == DIRICHLET
                                                         ? 2.0 * f->value
                                                         : f->gradient * d->grid.domain.spacing};
    }
    return WABE_OK;
}

static wabe_status take_time_step(const wabe_config *config, diffusion *d) {
    const double kappa = d->options.diffusion.diffusivity, dx = d->grid.domain.spacing;
    const double most = STABLE * dx * dx / kappa;
    d->time_step = isfinite(d->options.diffusion.time_step) ? d->options.diffusion.time_step
                   : kappa > 0.0                            ? SAFE * most
                                                            : 1.0;
    d->model.rate = kappa * d->time_step / (dx * dx);
    return d->model.rate <= STABLE * (1.0 + 1e-12)
               ? WABE_OK
               : wabe_config_fail(config, "diffusion.time_step",
                                  "is unstable: with this diffusivity and spacing the largest "
                                  "stable one is %.6g",
                                  most);
}

static wabe_status take_options(const wabe_config *config, diffusion *d) {
    d->model.type = d->options.diffusion.storage == 0 ? WABE_TYPE_f64 : WABE_TYPE_f32;
    d->model.kernel = d->options.diffusion.kernel;
    memcpy(d->model.cells, d->grid.domain.cells, sizeof d->model.cells);
    for (int axis = 0; axis < 3; axis++)
        if (!isfinite(d->options.initial.center[axis]))
            d->options.initial.center[axis] = 0.5 * d->grid.domain.spacing *
                                              (double)d->grid.domain.cells[axis];
    if (!isfinite(d->options.initial.width)) {
        double shortest = INFINITY;
        for (int axis = 0; axis < 3; axis++)
            shortest = fmin(shortest, (double)d->grid.domain.cells[axis]);
        d->options.initial.width = 0.1 * shortest * d->grid.domain.spacing;
    }
    WABE_TRY(take_faces(config, d));
    return take_time_step(config, d);
}

/* ---- the initial state, and what becomes of it ------------------------------------------ */

/* An eigenvector of the seven points between these faces, along one axis. */
static double wave(const diffusion *d, int axis, int64_t at) {
    const double n = (double)d->model.cells[axis], m = (double)d->options.initial.waves[axis];
    if (d->model.periodic[axis])
        return cos(2.0 * PI * m * (double)at / n);
    const double phase = PI * m * ((double)at + 0.5) / n;
    return d->options.faces[2 * axis].kind == DIRICHLET && m > 0.0 ? sin(phase) : cos(phase);
}

static double initial_value(const void *context, const int64_t cell[3]) {
    const diffusion *d = context;
    const double value = d->options.initial.value, amplitude = d->options.initial.amplitude;
    if (d->options.initial.kind == MODE)
        return value + amplitude * wave(d, 0, cell[0]) * wave(d, 1, cell[1]) * wave(d, 2, cell[2]);
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double from = ((double)cell[axis] + 0.5) * d->grid.domain.spacing -
                            d->options.initial.center[axis];
        square += from * from / (d->options.initial.width * d->options.initial.width);
    }
    return d->options.initial.kind == GAUSSIAN ? value + amplitude * exp(-0.5 * square) : value;
}

/* By how much a step multiplies the mode. */
static double decay(const diffusion *d) {
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double turns = (d->model.periodic[axis] ? 1.0 : 0.5) *
                             (double)d->options.initial.waves[axis] / (double)d->model.cells[axis];
        sum += 4.0 * sin(PI * turns) * sin(PI * turns);
    }
    return 1.0 - d->model.rate * sum;
}

/* Does the mode keep its shape? Walls must be alike at both ends, and want the value there. */
static bool is_eigenvector(const diffusion *d) {
    bool exact = d->options.initial.kind == MODE;
    for (int face = 0; face < 6; face++) {
        const wabe_diffusion_face *f = &d->options.faces[face];
        exact &= f->kind == d->options.faces[face ^ 1].kind;
        exact &= f->kind != DIRICHLET ||
                 (f->value == d->options.initial.value && d->options.initial.waves[face / 2] > 0);
        exact &= f->kind != NEUMANN || f->gradient == 0.0;
    }
    return exact;
}

static wabe_status read_slab(const void *context, int slab, wabe_box box, double *values) {
    return wabe_diffusion_read(((const diffusion *)context)->slabs[slab], box, values);
}

/* The largest deviation from the exact solution of the discrete equation, of its amplitude. */
static wabe_status mode_error(const diffusion *d, const wabe_domain *domain, double *out) {
    const wabe_values v = {.context = d, .rows = 1, .read = read_slab};
    const double left = pow(decay(d), (double)domain->step);
    wabe_box plane = domain->block;
    double *values =
        malloc((size_t)(wabe_box_extent(plane, 0) * wabe_box_extent(plane, 1)) * sizeof *values);
    WABE_CHECK(values, WABE_MEMORY, "no memory for a plane");
    wabe_status status = WABE_OK;
    for (int64_t z = domain->block.begin[2]; z < domain->block.end[2] && status == WABE_OK; z++) {
        plane.begin[2] = z, plane.end[2] = z + 1;
        status = wabe_domain_read(domain, &v, plane, values);
        const double *value = values;
        for (int64_t y = plane.begin[1]; y < plane.end[1] && status == WABE_OK; y++)
            for (int64_t x = plane.begin[0]; x < plane.end[0]; x++, value++) {
                const double start = initial_value(d, (int64_t[3]){x, y, z});
                const double rest = d->options.initial.value;
                *out = fmax(*out, fabs(*value - rest - left * (start - rest)));
            }
    }
    free(values);
    /* Rounding does not decay: where little is left, nothing can be told. */
    const double rest = fabs(left * d->options.initial.amplitude);
    const double all = fabs(d->options.initial.value) + fabs(d->options.initial.amplitude);
    *out = rest > LEAST_LEFT * all ? *out / rest : NAN;
    return status;
}

static wabe_status put(void *context, const wabe_domain *domain, wabe_json *json) {
    const diffusion *d = context;
    double error = 0.0;
    if (json) {
        wabe_json_real(json, "diffusivity", d->options.diffusion.diffusivity);
        wabe_json_real(json, "time_step", d->time_step);
    }
    if (!is_eigenvector(d))
        return WABE_OK;
    WABE_TRY(wabe_agree(domain->comm, mode_error(d, domain, &error)));
    if (isnan(error)) /* on all processes */
        return WABE_OK;
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, domain->comm);
    wabe_log_line("mode       %.3g of what is left of it is off", error);
    if (json) {
        wabe_json_real(json, "decay", decay(d));
        wabe_json_real(json, "mode_error", error);
    }
    return WABE_OK;
}

/* ---- slabs -------------------------------------------------------------------------------- */

static wabe_status create_slab(void *context, int slab, const wabe_component *component,
                               wabe_box block, wabe_box inner) {
    diffusion *d = context;
    return wabe_diffusion_create(wabe_kernels(), component, &d->model, block, inner,
                                 &d->slabs[slab]);
}

/* Layers at the faces, each along its axis. */
static void describe_slab(void *context, int slab, wabe_crossing crossings[],
                          wabe_exchange_data *out) {
    const wabe_diffusion_slab *s = ((diffusion *)context)->slabs[slab];
    const ptrdiff_t steps[3] = {1, s->layout.pitch, s->layout.plane};
    for (int axis = s->wraps_x ? 1 : 0; axis < 3; axis++)
        crossings[out->crossing_count++] = wabe_crossing_layers(axis, steps[axis],
                                                                WABE_DIFFUSION_HALO);
    out->pack = s->pack;
    out->unpack = s->unpack;
    out->layout = s->layout;
    out->field[0] = s->fields[1]->data; /* what step 0 has written */
    out->field[1] = s->fields[0]->data;
    out->stream = s->timeline.streams[WABE_REGION_OUTER];
}

static void schedule_slabs(void *context, int slab_count, wabe_schedule *schedule) {
    wabe_diffusion_schedule(slab_count, ((diffusion *)context)->slabs, schedule);
}

static wabe_status initialise_slab(void *context, int slab) {
    return wabe_diffusion_initialise(((diffusion *)context)->slabs[slab], initial_value, context);
}

static wabe_timeline *timeline_of(void *context, int slab) {
    return &((diffusion *)context)->slabs[slab]->timeline;
}

static void destroy_slab(void *context, int slab) {
    wabe_diffusion_destroy(&((diffusion *)context)->slabs[slab]);
}

static int64_t bytes_of(const void *context, const int64_t cells[3], wabe_target target) {
    return wabe_diffusion_bytes(((const diffusion *)context)->model.type, cells, target);
}

/* ---- the commands ------------------------------------------------------------------------- */

static wabe_status hand_over(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                             bool check) {
    diffusion d = {0};
    WABE_CHECK(!input->machine, WABE_INPUT,
               "--machine: forecasts are for application = \"lbm\" alone");
    const wabe_option_table tables[] = {{wabe_grid_option_rows, &d.grid},
                                        {wabe_diffusion_option_rows, &d.options}};
    wabe_status status = wabe_config_read(config, 2, tables);
    if (status == WABE_OK)
        status = take_options(config, &d);
    WABE_TRY(wabe_agree(comm, status));
    wabe_grid_application app = {
        .field = "value",
        .sweep = WABE_SWEEP_diffuse,
        .type = d.model.type,
        .kernel = d.model.kernel,
        .time_step = d.time_step,
        .slabs = {&d, create_slab, describe_slab, schedule_slabs},
        .read = read_slab,
        .initialise = initialise_slab,
        .timeline = timeline_of,
        .destroy = destroy_slab,
        .bytes = bytes_of,
        .put = put,
    };
    memcpy(app.periodic, d.model.periodic, sizeof app.periodic);
    wabe_log_line("model      diffusion, %s, diffusivity %g, time step %g, %.3f of the largest "
                  "stable one",
                  wabe_type_word(d.model.type), d.options.diffusion.diffusivity, d.time_step,
                  d.model.rate / STABLE);
    return wabe_grid_run(comm, config, &d.grid, &app, 2, tables, check);
}

wabe_status wabe_diffusion_run(MPI_Comm comm, const wabe_input *input, wabe_config *config) {
    return hand_over(comm, input, config, false);
}

wabe_status wabe_diffusion_check(MPI_Comm comm, const wabe_input *input, wabe_config *config) {
    return hand_over(comm, input, config, true);
}
