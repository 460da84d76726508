#include "apps/runtime/stencil.h"

#include "apps/runtime/balance.h"
#include "apps/runtime/kernels.h"
#include "core/base/log.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- kernels and passes ------------------------------------------------------------- */

/* The model before passes are planned. */
static wabe_grid_model model_of(const wabe_stencil_case *s) {
    wabe_grid_model model = s->slabs.model;
    model.wraps[0] = s->wraps_x;
    return model;
}

static wabe_status pick_kernel(const wabe_run *run, const wabe_component *component,
                               const wabe_kernel **out) {
    const wabe_grid_sweep_row *m = &wabe_stencil_case_of(run)->slabs.model.sweeps[0];
    const wabe_kernel_request request = {.sweep = m->sweep,
                                         .storage = m->type,
                                         .name_part = m->kernel};
    const wabe_status status = wabe_registry_select(wabe_kernels(), component, &request, out);
    if (status == WABE_INPUT && m->kernel[0])
        return wabe_config_fail_because(run->config, wabe_stencil_case_of(run)->kernel_key,
                                        "cannot be met");
    return status;
}

/* Kernels of other instruction sets move the same bytes. NULL: there is none. */
static const wabe_kernel *find_kernel(const wabe_grid_model *model, wabe_target target) {
    for (int i = 0; i < wabe_registry_count(wabe_kernels()); i++) {
        const wabe_kernel *row = wabe_registry_row(wabe_kernels(), i);
        if (row->sweep == model->sweeps[0].sweep && row->storage == model->sweeps[0].type &&
            row->target == target)
            return row;
    }
    return NULL;
}

static wabe_status survey(wabe_run *run) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    const wabe_kernel *kernel = find_kernel(&s->slabs.model, WABE_TARGET_cpu);
    if (kernel && s->depth > wabe_stencil_attributes_of(kernel)->depth)
        return wabe_config_fail(run->config, s->depth_key,
                                "is more than kernels can do: %d at most",
                                wabe_stencil_attributes_of(kernel)->depth);
    return WABE_OK;
}

/* Time steps of a pass, and whether rows can wrap round: all slabs must do alike. Local. */
static wabe_status plan_passes(const wabe_run *run, int *out, int *wraps) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    const wabe_grid_model model = model_of(s);
    *out = s->depth ? s->depth : INT_MAX;
    *wraps = model.wraps[0];
    for (int i = 0; i < run->components.count; i++) {
        const wabe_kernel *kernel;
        const int64_t cells[3] = {wabe_box_extent(run->block, 0), wabe_box_extent(run->block, 1),
                                  run->components.planes[i]};
        WABE_TRY(pick_kernel(run, &run->components.list[i], &kernel));
        *wraps &= wabe_stencil_wraps(kernel, cells[0]);
        const int depth = wabe_grid_depth(kernel, &model, cells);
        if (s->depth == 0)
            *out = depth < *out ? depth : *out;
        else if (s->depth > wabe_stencil_attributes_of(kernel)->depth)
            return wabe_config_fail(run->config, s->depth_key,
                                    "is more than kernel %s can do: %d at most", kernel->name,
                                    wabe_stencil_attributes_of(kernel)->depth);
        else if (wabe_grid_fits(&model, cells, s->depth) != WABE_OK)
            return wabe_config_fail(run->config, s->depth_key,
                                    "is more than a slab has cells along an axis that is cut, or "
                                    "periodic: %lld x %lld x %lld",
                                    (long long)cells[0], (long long)cells[1], (long long)cells[2]);
    }
    return WABE_OK;
}

/* The processors among them, or those that a process has beside its GPUs. */
static wabe_component host_of(const wabe_components *c) {
    for (int i = 0; i < c->count; i++)
        if (!c->list[i].device)
            return c->list[i];
    return wabe_component_detect(0);
}

static wabe_status plan(wabe_run *run) {
    wabe_stencil_case *s = wabe_stencil_case_of(run);
    int least[2] = {1, 0};
    WABE_TRY(wabe_agree(run->comm, pick_kernel(run, &run->components.list[0], &run->kernel)));
    WABE_TRY(wabe_agree(run->comm, plan_passes(run, &least[0], &least[1])));
    MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT, MPI_MIN, run->comm);
    run->depth = s->slabs.model.depth = least[0];
    s->slabs.model.wraps[0] = least[1];
    s->host = host_of(&run->components);
    return WABE_OK;
}

static double memory(const wabe_run *run, const wabe_component *component, const int64_t cells[3]) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    wabe_grid_model model = s->slabs.model;
    const wabe_kernel *kernel = find_kernel(&model, component->target);
    if (model.depth == 0) /* not planned */
        model.depth = s->depth ? s->depth : kernel ? wabe_grid_depth(kernel, &model, cells) : 1;
    double bytes = (double)wabe_grid_bytes(&model, cells, component->target);
    if (!component->device && component->threads > 0 &&
        pick_kernel(run, component, &kernel) == WABE_OK)
        bytes += (double)component->threads * (double)wabe_grid_scratch(kernel, &model, cells);
    return bytes;
}

/* ---- costs -------------------------------------------------------------------------- */

static wabe_step_cost cost_of(const wabe_stencil_case *s, const wabe_kernel *kernel, int depth) {
    const wabe_grid_sweep_row *sweep = &s->slabs.model.sweeps[0];
    const double layers = depth, work = wabe_stencil_attributes_of(kernel)->work;
    const double edges = depth > 1 || sweep->reads[0].stencil == WABE_STENCIL_AROUND;
    return (wabe_step_cost){.flavour = {.storage = sweep->type,
                                        .application = s->application,
                                        .steps = 1,
                                        .walls = s->walls,
                                        .fluid = 1.0,
                                        .work = {.bytes = kernel->bytes, .flops = kernel->flops}},
                            .pass = {.steps = depth,
                                     .cost = (1.0 + work * layers) / (1.0 + work),
                                     .crossing = {layers, edges * layers * layers,
                                                  edges * layers * layers * layers}},
                            .wraps = true,
                            .share = 1.0};
}

static bool cost(const wabe_run *run, const int64_t cells[3], wabe_target target,
                 wabe_step_cost *out) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    const wabe_grid_model model = model_of(s);
    const wabe_kernel *kernel = find_kernel(&model, target);
    if (!kernel)
        return false;
    *out = cost_of(s, kernel, s->depth ? s->depth : wabe_grid_depth(kernel, &model, cells));
    return true;
}

static void slab_costs(const wabe_run *run, wabe_step_cost out[]) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    for (int i = 0; i < run->domain->slab_count; i++)
        out[i] = cost_of(s, s->slabs.list[i]->kernels[0], run->depth);
}

static wabe_status zeros(const void *context, const int64_t cell[3], int64_t count, double *row) {
    (void)context, (void)cell;
    memset(row, 0, (size_t)count * sizeof *row);
    return WABE_OK;
}

static void reduce_nothing(void *context, int reduction) { (void)context, (void)reduction; }

static double seconds_of(wabe_grid_slab *slab) {
    const wabe_grid_control control = {.reduce = reduce_nothing};
    wabe_profile profile = {0};
    wabe_schedule schedule = {.profile = &profile};
    wabe_grid_schedule(1, &slab, &control, &schedule);
    return wabe_balance_seconds(&schedule, &slab->timeline);
}

/* In passes as the slab alone would do them. */
static wabe_status rate(const wabe_run *run, const wabe_component *component, wabe_box box,
                        double *out) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    const int64_t cells[3] = {wabe_box_extent(box, 0), wabe_box_extent(box, 1),
                              wabe_box_extent(box, 2)};
    wabe_grid_model model = s->slabs.model;
    const wabe_kernel *kernel;
    wabe_grid_slab *slab = NULL;
    WABE_TRY(pick_kernel(run, component, &kernel));
    model.depth = s->depth ? s->depth : wabe_grid_depth(kernel, &model, cells);
    WABE_TRY(wabe_grid_create(wabe_kernels(), component, &model, box, box, &slab));
    wabe_status status = s->slabs.fill ? s->slabs.fill(s->slabs.context, slab) : WABE_OK;
    if (status == WABE_OK)
        status = wabe_grid_reset(slab);
    if (status == WABE_OK)
        status = wabe_grid_set(slab, 0, 0, zeros, NULL);
    if (status == WABE_OK)
        *out = (double)wabe_box_cells(box) * model.depth / seconds_of(slab);
    wabe_grid_destroy(&slab);
    return status;
}

/* ---- slabs -------------------------------------------------------------------------- */

static wabe_status create(wabe_run *run, wabe_domain **out) {
    wabe_stencil_case *s = wabe_stencil_case_of(run);
    const wabe_parallel_options *p = &run->o->parallel;
    const wabe_domain_slabs slabs = wabe_grid_slabs_of_domain(run->comm, &s->slabs);
    wabe_domain_options d = {.halo = wabe_grid_halo(&s->slabs.model),
                             .overlap = p->overlap,
                             .communicate = p->communication == 0,
                             .separate = p->separate,
                             .exchange.transport = (wabe_transport)p->transport};
    memcpy(d.cells, run->o->domain.cells, sizeof d.cells);
    memcpy(d.processes, p->processes, sizeof d.processes);
    memcpy(d.periodic, s->slabs.model.periodic, sizeof d.periodic);
    memcpy(d.wraps, s->slabs.model.wraps, sizeof d.wraps);
    *out = &s->domain;
    return wabe_domain_create(run->comm, &d, &run->components, &slabs, &s->domain);
}

static void destroy(wabe_run *run) {
    wabe_stencil_case *s = wabe_stencil_case_of(run);
    wabe_domain_destroy(&s->domain);
    wabe_grid_slabs_destroy(&s->slabs);
    s->domain = (wabe_domain){0};
}

static int64_t bytes(const wabe_run *run) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    int64_t sum = 0;
    for (int i = 0; i < s->domain.slab_count; i++)
        sum += wabe_grid_bytes(&s->slabs.model, s->slabs.list[i]->layouts[0].cells,
                               s->slabs.list[i]->component->target);
    return sum;
}

static wabe_status begin_with(wabe_run *run, wabe_grid_values values, const void *context) {
    wabe_stencil_case *s = wabe_stencil_case_of(run);
    WABE_TRY(wabe_agree(run->comm, wabe_grid_slabs_initialise(&s->slabs, values, context)));
    wabe_domain_initialise(&s->domain);
    return WABE_OK;
}

static wabe_status rest(wabe_run *run) { return begin_with(run, zeros, NULL); }

static wabe_status initialise(wabe_run *run) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    return begin_with(run, s->initial, s->slabs.context);
}

static void set_steps(wabe_run *run, int steps) {
    wabe_grid_slabs_set_steps(&wabe_stencil_case_of(run)->slabs, steps);
}

/* ---- checkpoints -------------------------------------------------------------------- */

/* Of a checkpoint, the part of a plane that lies in this process's block. */
typedef struct {
    wabe_checkpoint *checkpoint;
    wabe_type type;
    wabe_box part; /* what values holds */
    void *values;
} stored_plane;

static wabe_status stored_row(const void *context, const int64_t cell[3], int64_t count,
                              double *row) {
    stored_plane *s = *(stored_plane *const *)context;
    if (s->part.begin[2] != cell[2]) {
        s->part.begin[2] = cell[2];
        s->part.end[2] = cell[2] + 1;
        WABE_TRY(wabe_checkpoint_read(s->checkpoint, 0, s->part, s->values));
    }
    const int64_t first = cell[0] - s->part.begin[0] +
                          wabe_box_extent(s->part, 0) * (cell[1] - s->part.begin[1]);
    for (int64_t i = 0; i < count; i++)
        row[i] = s->type == WABE_TYPE_f64 ? ((double *)s->values)[first + i]
                                          : (double)((float *)s->values)[first + i];
    return WABE_OK;
}

static wabe_status restore(wabe_run *run, wabe_checkpoint *c) {
    stored_plane plane = {.checkpoint = c,
                          .type = wabe_checkpoint_head_of(c)->type,
                          .part = run->block};
    stored_plane *const context = &plane;
    plane.part.begin[2] = plane.part.end[2] = -1; /* none yet */
    plane.values =
        malloc((size_t)(wabe_box_extent(plane.part, 0) * wabe_box_extent(plane.part, 1)) *
               wabe_type_size(plane.type));
    WABE_TRY(wabe_agree(run->comm,
                        plane.values
                            ? WABE_OK
                            : WABE_FAIL(WABE_MEMORY, "no memory for a plane of a checkpoint")));
    const wabe_status status = begin_with(run, stored_row, &context);
    free(plane.values);
    return status;
}

static wabe_status store(const wabe_run *run, int array, wabe_box part, void *values) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    (void)array;
    return wabe_grid_slabs_read(&s->slabs, &s->domain, part, s->slabs.model.fields[0].type, values);
}

static int recall(const wabe_run *run, wabe_checkpoint_number out[]) {
    out[0] = (wabe_checkpoint_number){"mean_at_start", wabe_stencil_case_of(run)->first.mean};
    return 1;
}

/* ---- looks -------------------------------------------------------------------------- */

static wabe_values values(const wabe_run *run) {
    return wabe_grid_slabs_values(&wabe_stencil_case_of(run)->slabs);
}

static wabe_status look(wabe_run *run, double columns[]) {
    wabe_stencil_case *s = wabe_stencil_case_of(run);
    const wabe_values v = values(run);
    char cell[96];
    WABE_TRY(wabe_field_scan(&s->domain, &v, &s->host, &s->last));
    columns[0] = s->last.low;
    columns[1] = s->last.high;
    columns[2] = s->last.mean;
    columns[3] = s->last.mean_square;
    wabe_run_name_cell(run, s->last.first_broken, cell, sizeof cell);
    WABE_CHECK(s->last.broken == 0, WABE_DIVERGED, "at step %lld a value is broken in cell %s",
               (long long)run->step, cell);
    return WABE_OK;
}

static wabe_status begin(wabe_run *run, const wabe_checkpoint *checkpoint) {
    wabe_stencil_case *s = wabe_stencil_case_of(run);
    const wabe_values v = values(run);
    char cell[96];
    WABE_TRY(wabe_field_scan(&s->domain, &v, &s->host, &s->first));
    s->last = s->first;
    wabe_run_name_cell(run, s->first.first_broken, cell, sizeof cell);
    WABE_CHECK(s->first.broken == 0, WABE_INPUT,
               "the initial state has %lld values that are no numbers, or too large for %s, the "
               "first in cell %s",
               (long long)s->first.broken, wabe_type_word(s->slabs.model.fields[0].type), cell);
    if (checkpoint) {
        const double mean = wabe_checkpoint_number_of(checkpoint, "mean_at_start", NAN);
        s->first.mean = isfinite(mean) ? mean : s->first.mean;
    }
    run->updates = (int64_t)wabe_run_cells(run);
    return WABE_OK;
}

/* ---- the end ------------------------------------------------------------------------ */

static wabe_status conclude(wabe_run *run) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    return s->conclude ? s->conclude(run) : WABE_OK;
}

static void put(const wabe_run *run, wabe_json *json) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s->last.hash);
    wabe_json_real(json, "lowest", s->last.low);
    wabe_json_real(json, "highest", s->last.high);
    wabe_json_real(json, "mean", s->last.mean);
    wabe_json_real(json, "mean_at_start", s->first.mean);
    wabe_json_text(json, "state_hash", hash);
    s->put(run, json);
}

static void print(const wabe_run *run) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    wabe_log_line("%-10s %.9g to %.9g, mean %.9g (%.9g at the start)", s->field, s->last.low,
                  s->last.high, s->last.mean, s->first.mean);
    if (s->print)
        s->print(run);
}

/* ---- the table ---------------------------------------------------------------------- */

static void name_quantities(wabe_stencil_case *s) {
    snprintf(s->mean_name, sizeof s->mean_name, "mean_%s", s->field);
    snprintf(s->rms_name, sizeof s->rms_name, "rms_%s", s->field);
    s->number = (wabe_state_number){s->field, 0.0, 1.0};
    s->quantities[0] = (wabe_output_quantity){s->field, 0, 1, 0.0, 1.0, WABE_NOW};
    s->quantities[1] = (wabe_output_quantity){s->mean_name, 0, 1, 0.0, 1.0, WABE_MEAN_OVER_TIME};
    s->quantities[2] = (wabe_output_quantity){s->rms_name, 0, 1, 0.0, 1.0, WABE_RMS_OVER_TIME};
}

void wabe_stencil_enter(wabe_stencil_case *s, wabe_application *app) {
    const wabe_sweep *sweep = s->slabs.model.sweeps[0].sweep;
    const wabe_grid_sample *sample = sweep->sample;
    const bool *periodic = s->slabs.model.periodic;
    name_quantities(s);
    s->application = wabe_machine_application(sweep);
    s->walls = sample && sample->walls && !(periodic[0] && periodic[1] && periodic[2]);
    s->wraps_x = s->slabs.model.wraps[0];
    s->slabs.model.depth = 0;
    app->context = s;
    memcpy(app->periodic, s->slabs.model.periodic, sizeof app->periodic);
    app->memory_hint = app->folder = app->picture_unit = "";
    app->planes_min = s->depth;
    app->rate_unit = "MLUPS";
    app->number_count = 1;
    app->numbers = &s->number;
    app->quantity_count = 3;
    app->quantities = s->quantities;
    app->default_quantities = app->picture = s->field;
    app->array_type = s->slabs.model.fields[0].type;
    app->columns = "lowest,highest,mean,mean_square";
    app->column_count = 4;
    app->steady_column = 3;
    app->steady_what = "the mean square";
    app->survey = survey;
    app->plan = plan;
    app->memory = memory;
    app->rate = rate;
    app->cost = cost;
    app->create = create;
    app->destroy = destroy;
    app->rest = rest;
    app->initialise = initialise;
    app->restore = restore;
    app->begin = begin;
    app->set_steps = set_steps;
    app->bytes = bytes;
    app->slab_costs = slab_costs;
    app->look = look;
    app->values = values;
    app->store = store;
    app->recall = recall;
    app->conclude = conclude;
    app->put = put;
    app->print = print;
}
