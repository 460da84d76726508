#include "apps/runtime/stencil_internal.h"

#include "apps/runtime/balance.h"
#include "apps/runtime/kernels.h"
#include "core/base/hash.h"
#include "core/base/log.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS = 4,        /* of the monitor, per number */
    COLUMNS_BESIDE = 32 /* of the application */
};
_Static_assert(COLUMNS *WABE_GRID_NUMBERS_MAX + COLUMNS_BESIDE <= WABE_MONITOR_COLUMNS_MAX &&
                   (int)WABE_GRID_NUMBERS_MAX <= (int)WABE_APPLICATION_NUMBERS_MAX &&
                   WABE_GRID_NUMBERS_MAX + 24 <= WABE_CHECKPOINT_NUMBERS_MAX,
               "lines, probes and checkpoints have room for all numbers");
_Static_assert(WABE_GRID_NUMBERS_MAX *COLUMNS *(sizeof(((wabe_stencil_number *)0)->prefix) + 12) <
                   WABE_LINE_SIZE,
               "the names of all columns fit a line");

/* ---- kernels and passes ------------------------------------------------------------- */

/* The model before passes are planned. */
static wabe_grid_model model_of(const wabe_stencil_case *s) {
    wabe_grid_model model = s->slabs.model;
    model.wraps[0] = s->wraps_x;
    return model;
}

static wabe_status pick_kernel(const wabe_run *run, int sweep, const wabe_component *component,
                               const wabe_kernel **out) {
    const wabe_grid_sweep_row *m = &wabe_stencil_case_of(run)->slabs.model.sweeps[sweep];
    const wabe_kernel_request request = {.sweep = m->sweep,
                                         .storage = m->type,
                                         .name_part = m->kernel};
    const wabe_status status = wabe_registry_select(wabe_kernels(), component, &request, out);
    if (status == WABE_INPUT && m->kernel[0])
        return wabe_config_fail_because(run->config, wabe_stencil_case_of(run)->kernel_key,
                                        "cannot be met");
    return status;
}

const wabe_kernel *wabe_stencil_find_kernel(const wabe_grid_sweep_row *sweep, wabe_target target) {
    for (int i = 0; i < wabe_registry_count(wabe_kernels()); i++) {
        const wabe_kernel *row = wabe_registry_row(wabe_kernels(), i);
        if (row->sweep == sweep->sweep && row->storage == sweep->type && row->target == target)
            return row;
    }
    return NULL;
}

/* Checkpoints and output files store numbers at cells only. */
static wabe_status check_state(const wabe_application *app, const wabe_grid_model *m) {
    for (const wabe_grid_field_row *f = m->fields; f < m->fields + m->field_count; f++) {
        const int axis = (int)f->at - WABE_AT_X_FACES;
        WABE_CHECK(f->role != WABE_FIELD_STATE || axis < 0 || m->periodic[axis], WABE_INPUT,
                   "field \"%s\" is of the state and stands on faces normal to %c, which has to be "
                   "periodic",
                   f->name, 'x' + axis);
        WABE_CHECK(f->role != WABE_FIELD_STATE || !f->fixed_layer || app->array_count == 0,
                   WABE_INPUT,
                   "field \"%s\" is of the state and keeps what is behind faces, which no "
                   "checkpoint has",
                   f->name);
    }
    return wabe_grid_check(m);
}

static wabe_status survey(wabe_run *run) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    wabe_grid_model model = model_of(s);
    const wabe_kernel *kernel = wabe_stencil_find_kernel(&model.sweeps[0], WABE_TARGET_cpu);
    model.depth = s->depth > 1 ? s->depth : 1;
    if (kernel && s->depth > wabe_stencil_attributes_of(kernel)->depth)
        return wabe_config_fail(run->config, s->depth_key,
                                "is more than kernels can do: %d at most",
                                wabe_stencil_attributes_of(kernel)->depth);
    return check_state(run->app, &model);
}

/* The time steps per pass that a slab would do. */
static wabe_status plan_slab(const wabe_run *run, const wabe_grid_model *model,
                             const wabe_kernel *kernel, const int64_t cells[3], int *depth) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    *depth = s->depth ? s->depth : wabe_grid_depth(kernel, model, cells);
    if (s->depth > wabe_stencil_attributes_of(kernel)->depth)
        return wabe_config_fail(run->config, s->depth_key,
                                "is more than kernel %s can do: %d at most", kernel->name,
                                wabe_stencil_attributes_of(kernel)->depth);
    const wabe_status fits = wabe_grid_fits(model, cells, *depth);
    if (fits != WABE_OK && s->depth)
        return wabe_config_fail(run->config, s->depth_key,
                                "is more than a slab has cells along an axis that is cut, or "
                                "periodic: %lld x %lld x %lld",
                                (long long)cells[0], (long long)cells[1], (long long)cells[2]);
    return fits;
}

/* Both must be the same for all slabs. */
wabe_status wabe_stencil_plan_passes(const wabe_run *run, int *out, int *wraps) {
    const wabe_grid_model model = model_of(wabe_stencil_case_of(run));
    *out = INT_MAX;
    *wraps = model.wraps[0];
    for (int i = 0; i < run->components.count; i++) {
        const int64_t cells[3] = {wabe_box_extent(run->block, 0), wabe_box_extent(run->block, 1),
                                  run->components.planes[i]};
        const wabe_kernel *kernel;
        int depth;
        for (int sweep = 0; sweep < model.sweep_count; sweep++) {
            WABE_TRY(pick_kernel(run, sweep, &run->components.list[i], &kernel));
            *wraps &= wabe_stencil_wraps(kernel, cells[0]);
        }
        WABE_TRY(pick_kernel(run, 0, &run->components.list[i], &kernel));
        WABE_TRY(plan_slab(run, &model, kernel, cells, &depth));
        *out = depth < *out ? depth : *out;
    }
    return WABE_OK;
}

static wabe_status plan(wabe_run *run) {
    wabe_stencil_case *s = wabe_stencil_case_of(run);
    int depth = 1, wraps = 0;
    WABE_TRY(wabe_agree(run->comm, pick_kernel(run, 0, &run->components.list[0], &run->kernel)));
    WABE_TRY(wabe_agree(run->comm, wabe_stencil_plan_passes(run, &depth, &wraps)));
    run->depth = s->slabs.model.depth = wabe_least(run->comm, depth);
    s->slabs.model.wraps[0] = wabe_least(run->comm, wraps);
    return WABE_OK;
}

static double memory(const wabe_run *run, const wabe_component *component, const int64_t cells[3]) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    wabe_grid_model model = s->slabs.model;
    const wabe_kernel *kernel = wabe_stencil_find_kernel(&model.sweeps[0], component->target);
    const double streamed = wabe_stencil_streamed_memory(run);
    if (streamed > 0.0 && component->device)
        return streamed;
    if (model.depth == 0) /* not planned */
        model.depth = s->depth ? s->depth : kernel ? wabe_grid_depth(kernel, &model, cells) : 1;
    double bytes = (double)wabe_grid_bytes(&model, cells, component->target);
    if (!component->device && component->threads > 0 &&
        pick_kernel(run, 0, component, &kernel) == WABE_OK)
        bytes += (double)component->threads * (double)wabe_grid_scratch(kernel, &model, cells);
    return bytes;
}

/* ---- costs -------------------------------------------------------------------------- */

/* How often an entry's sweep runs per step; loops of unknown length count once. */
static double times_of(const wabe_grid_model *m, int entry) {
    double times = 1.0, open[WABE_SCHEDULE_LOOPS_MAX];
    int depth = 0;
    for (int i = 0; i < entry; i++) {
        if (m->entries[i].kind == WABE_STEP_LOOP) {
            const wabe_grid_loop_row *loop = &m->loops[m->entries[i].number];
            const double count = loop->again ? loop->average : (double)loop->count;
            times *= open[depth++] = count > 0.0 ? count : 1.0;
        } else if (m->entries[i].kind == WABE_STEP_END) {
            times /= open[--depth];
        }
    }
    return times;
}

/* Cells of a level's grid over those of the domain's: of all, or of a face normal to z. */
static double share_of_level(const wabe_grid_model *m, int level, int axes) {
    double share = 1.0;
    for (int axis = 0; axis < axes; axis++)
        share /= (double)((int64_t)1 << wabe_grid_halvings(m, axis, level));
    return share;
}

/* Components that cross a face, an edge or a corner, whose normal has so many axes. */
static int components_across(const wabe_grid_field_row *f, int axes) {
    int count = 0;
    for (int q = 0; q < f->components; q++) {
        bool crosses = true;
        for (int axis = 0; axis < axes && f->velocities; axis++)
            crosses &= f->velocities[q][axis] > 0;
        count += crosses;
    }
    return count;
}

/* Numbers of this type that are exchanged, per cell of a cut face, an edge, a corner. */
static void crossing_of(const wabe_grid_model *m, wabe_type type, double out[3]) {
    const wabe_grid_plan plan = wabe_grid_plan_of(m);
    out[0] = out[1] = out[2] = 0.0;
    for (int entry = 0; entry < m->entry_count; entry++) {
        if (plan.begins[entry] == WABE_NO_EXCHANGE)
            continue;
        const wabe_grid_exchange *x = &plan.exchanges[plan.begins[entry]];
        for (int i = 0; i < x->field_count; i++) {
            const wabe_grid_field_row *f = &m->fields[x->fields[i].field];
            const double layers = x->fields[i].layers, edges = x->fields[i].edges;
            const double times = times_of(m, entry) * (double)wabe_type_size(f->type) /
                                 (double)wabe_type_size(type) * share_of_level(m, f->level, 2);
            out[0] += times * layers * components_across(f, 1);
            out[1] += times * edges * layers * layers * components_across(f, 2);
            out[2] += times * edges * layers * layers * layers * components_across(f, 3);
        }
    }
}

static void times_of_exchanges(const wabe_grid_model *m, double out[WABE_EXCHANGES_MAX]) {
    const wabe_grid_plan plan = wabe_grid_plan_of(m);
    for (int entry = 0; entry < m->entry_count; entry++)
        if (plan.begins[entry] != WABE_NO_EXCHANGE)
            out[plan.begins[entry]] += times_of(m, entry);
}

/* What a step moves and computes of a cell. kernels: of the sweeps. */
static wabe_model_work work_of(const wabe_grid_model *model, const wabe_kernel *const kernels[]) {
    wabe_model_work work = {0};
    for (int i = 0; i < model->entry_count; i++)
        if (model->entries[i].kind == WABE_STEP_SWEEP) {
            const wabe_kernel *kernel = kernels[model->entries[i].number];
            const int level = wabe_grid_level_of(model, model->entries[i].number);
            const double times = times_of(model, i) * share_of_level(model, level, 3);
            work.bytes += times * kernel->bytes;
            work.flops += times * kernel->flops;
        }
    return work;
}

/* How long a cell takes beside others of the same type: arithmetic is done while memory moves, but
 * not all of it. A flop counts as so many bytes, measured with a step of two-phase flow. */
static double weight_of(wabe_model_work work, wabe_type type, wabe_target target) {
    const double flop = target == WABE_TARGET_gpu ? 0.1 : 1.2; /* of f64 */
    return work.bytes + work.flops * flop * (double)wabe_type_size(type) / sizeof(double);
}

/* The same of a cell in the step that machine files have for an application of several sweeps; 0:
 * this is none, or kernels are missing. */
static double weight_of_sample(const wabe_grid_model *m, wabe_target target) {
    const wabe_grid_sample *sample = m->sweeps[0].sweep->sample;
    const wabe_kernel *kernels[WABE_GRID_SWEEPS_MAX];
    if (!sample || !sample->step)
        return 0.0;
    const wabe_grid_model step = sample->step(m->sweeps[0].type, (int64_t[3]){64, 64, 64}, false);
    for (int i = 0; i < step.sweep_count; i++)
        if (!(kernels[i] = wabe_stencil_find_kernel(&step.sweeps[i], target)))
            return 0.0;
    return weight_of(work_of(&step, kernels), m->sweeps[0].type, target);
}

/* kernels: of the sweeps. */
static wabe_step_cost cost_of(const wabe_stencil_case *s, const wabe_kernel *const kernels[],
                              int depth) {
    wabe_grid_model model = model_of(s);
    const wabe_type type = model.sweeps[0].type;
    const double work = wabe_stencil_attributes_of(kernels[0])->work;
    wabe_step_cost cost = {.flavour = {.storage = type,
                                       .application = s->application,
                                       .steps = 1,
                                       .walls = s->walls,
                                       .fluid = 1.0},
                           .pass = {.steps = depth, .cost = (1.0 + work * depth) / (1.0 + work)},
                           .wraps = true,
                           .share = 1.0};
    model.depth = depth;
    crossing_of(&model, type, cost.pass.crossing);
    times_of_exchanges(&model, cost.times);
    cost.flavour.work = work_of(&model, kernels);
    const double sample = weight_of_sample(&model, kernels[0]->target);
    if (sample > 0.0)
        cost.flavour.times = weight_of(cost.flavour.work, type, kernels[0]->target) / sample;
    return cost;
}

static bool cost(const wabe_run *run, const int64_t cells[3], wabe_target target,
                 wabe_step_cost *out) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    const wabe_grid_model model = model_of(s);
    const wabe_kernel *kernels[WABE_GRID_SWEEPS_MAX];
    for (int i = 0; i < model.sweep_count; i++)
        if (!(kernels[i] = wabe_stencil_find_kernel(&model.sweeps[i], target)))
            return false;
    *out = cost_of(s, kernels, s->depth ? s->depth : wabe_grid_depth(kernels[0], &model, cells));
    return true;
}

static void slab_costs(const wabe_run *run, wabe_step_cost out[]) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    for (int i = 0; i < run->domain->slab_count; i++)
        out[i] = cost_of(s, s->slabs.list[i]->kernels, run->depth);
    out[0].passes = wabe_stencil_passes(run);
}

static wabe_status zeros(const void *context, int number, const int64_t cell[3], int64_t count,
                         double *row) {
    (void)context, (void)number, (void)cell;
    memset(row, 0, (size_t)count * sizeof *row);
    return WABE_OK;
}

static void reduce_nothing(void *context, int reduction) { (void)context, (void)reduction; }

static bool once(void *context, int loop, const wabe_position *position) {
    (void)context, (void)loop;
    return position->index[position->depth - 1] < 1;
}

static double seconds_of(wabe_grid_slab *slab) {
    const wabe_grid_control control = {.reduce = reduce_nothing, .again = once};
    wabe_profile profile = {0};
    wabe_schedule schedule = {.profile = &profile};
    wabe_grid_schedule(1, &slab, &control, &schedule);
    return wabe_balance_seconds(&schedule, &slab->timeline);
}

/* With the pass that the slab by itself would do. */
static wabe_status rate(const wabe_run *run, const wabe_component *component, wabe_box box,
                        double *out) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    int64_t cells[3];
    wabe_box_extents(box, cells);
    wabe_grid_slabs alone = {.model = s->slabs.model};
    wabe_grid_model *model = &alone.model;
    const wabe_kernel *kernel;
    WABE_TRY(pick_kernel(run, 0, component, &kernel));
    model->depth = s->depth ? s->depth : wabe_grid_depth(kernel, model, cells);
    WABE_TRY(wabe_grid_create(wabe_kernels(), component, model, box, box, &alone.list[0]));
    wabe_status status = s->slabs.fill ? s->slabs.fill(s->slabs.context, alone.list[0]) : WABE_OK;
    if (status == WABE_OK)
        status = wabe_grid_slabs_initialise(&alone, zeros, NULL);
    if (status == WABE_OK)
        *out = (double)wabe_box_cells(box) * model->depth / seconds_of(alone.list[0]);
    wabe_grid_slabs_destroy(&alone);
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
    memcpy(d.grain, run->app->grain, sizeof d.grain);
    memcpy(d.processes, p->processes, sizeof d.processes);
    memcpy(d.periodic, s->slabs.model.periodic, sizeof d.periodic);
    memcpy(d.wraps, s->slabs.model.wraps, sizeof d.wraps);
    *out = &s->domain;
    WABE_TRY(wabe_domain_create(run->comm, &d, &run->components, &slabs, &s->domain));
    return wabe_stencil_meet_neighbours(run);
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
    for (int i = 0; i < s->domain.slab_count; i++) {
        int64_t cells[3];
        wabe_box_extents(s->slabs.list[i]->block, cells);
        sum += wabe_grid_bytes(&s->slabs.model, cells, s->slabs.list[i]->component->target);
    }
    if (wabe_run_is_streamed(run))
        sum = wabe_ring_bytes(&run->streamed.ring) + (int64_t)run->streamed.host;
    return sum;
}

static wabe_status begin_with(wabe_run *run, wabe_grid_state_values values, const void *context) {
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

static void set_pass(wabe_run *run, const wabe_coming_pass *pass) {
    wabe_grid_slabs_set_steps(&wabe_stencil_case_of(run)->slabs, run->step, pass->steps);
}

/* ---- checkpoints -------------------------------------------------------------------- */

/* The part of a plane of a checkpoint's array that lies in this process's block. */
typedef struct {
    wabe_checkpoint *checkpoint;
    wabe_type type;
    int array;     /* in the values now; -1: none */
    wabe_box part; /* the present values' box */
    void *values;
} stored_plane;

static wabe_status stored_row(const void *context, int number, const int64_t cell[3], int64_t count,
                              double *row) {
    stored_plane *s = *(stored_plane *const *)context;
    if (s->array != number || s->part.begin[2] != cell[2]) {
        s->array = number;
        s->part.begin[2] = cell[2];
        s->part.end[2] = cell[2] + 1;
        WABE_TRY(wabe_checkpoint_read(s->checkpoint, number, s->part, s->values));
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
                          .array = -1,
                          .part = run->block};
    stored_plane *const context = &plane;
    plane.values =
        malloc((size_t)(wabe_box_extent(plane.part, 0) * wabe_box_extent(plane.part, 1)) *
               wabe_type_size(plane.type));
    WABE_TRY(wabe_agree_memory(run->comm, plane.values != NULL, "a plane of a checkpoint"));
    const wabe_status status = begin_with(run, stored_row, &context);
    free(plane.values);
    return status;
}

static wabe_status store(const wabe_run *run, int array, wabe_box part, void *values) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    return wabe_grid_slabs_read(&s->numbers[array].of, &s->domain, part, run->app->array_type,
                                values);
}

static int recall(const wabe_run *run, wabe_checkpoint_number out[]) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    for (int i = 0; i < s->number_count; i++)
        out[i] = (wabe_checkpoint_number){s->numbers[i].mean_at_start, s->numbers[i].first.mean};
    return s->number_count + (s->recall ? s->recall(run, out + s->number_count) : 0);
}

/* ---- checks of the state ------------------------------------------------------------ */

static wabe_values values(const wabe_run *run) {
    return wabe_grid_slabs_values(&wabe_stencil_case_of(run)->slabs);
}

/* The state of a number in the units of the run. */
static wabe_status scan(const wabe_stencil_case *s, wabe_stencil_number *number) {
    const wabe_state_number *unit = &s->of_state[number - s->numbers];
    wabe_field_state *is = &number->last;
    const double o = unit->offset, f2 = unit->factor * unit->factor;
    WABE_TRY(wabe_field_scan(&number->of, is));
    is->mean_square = f2 *
                      (o != 0.0 ? o * (o + 2.0 * is->mean) + is->mean_square : is->mean_square);
    is->low = wabe_state_number_of(unit, is->low);
    is->high = wabe_state_number_of(unit, is->high);
    is->mean = wabe_state_number_of(unit, is->mean);
    return WABE_OK;
}

static bool is_inner(const wabe_stencil_case *s, const wabe_stencil_number *n) {
    return s->inner_numbers >> (n - s->numbers) & 1;
}

static wabe_status monitor_state(wabe_run *run, double columns[]) {
    wabe_stencil_case *s = wabe_stencil_case_of(run);
    int count = 0;
    for (int i = 0; i < s->number_count; i++) {
        const wabe_field_state *is = &s->numbers[i].last;
        char cell[96];
        WABE_TRY(scan(s, &s->numbers[i]));
        const double row[COLUMNS] = {is->low, is->high, is->mean, is->mean_square};
        if (!is_inner(s, &s->numbers[i]))
            memcpy(columns + COLUMNS * count++, row, sizeof row);
        wabe_run_name_cell(run, is->first_broken, cell, sizeof cell);
        WABE_CHECK(is->broken == 0, WABE_DIVERGED, "at step %lld %s is broken in cell %s%s%s",
                   (long long)run->step, s->numbers[i].name, cell, s->likely_cause ? "; " : "",
                   s->likely_cause ? s->likely_cause : "");
    }
    return s->monitor ? s->monitor(run, columns + COLUMNS * count) : WABE_OK;
}

static wabe_status begin(wabe_run *run, const wabe_checkpoint *checkpoint) {
    wabe_stencil_case *s = wabe_stencil_case_of(run);
    for (wabe_stencil_number *n = s->numbers; n < s->numbers + s->number_count; n++) {
        char cell[96];
        WABE_TRY(scan(s, n));
        n->first = n->last;
        wabe_run_name_cell(run, n->first.first_broken, cell, sizeof cell);
        WABE_CHECK(n->first.broken == 0, WABE_INPUT,
                   "the initial state has %lld values of %s that are no numbers, or too large for "
                   "%s, the first in cell %s",
                   (long long)n->first.broken, n->name, wabe_type_word(n->type), cell);
        if (checkpoint) {
            const double mean = wabe_checkpoint_number_of(checkpoint, n->mean_at_start, NAN);
            n->first.mean = isfinite(mean) ? mean : n->first.mean;
        }
    }
    run->updates = (int64_t)wabe_run_cells(run);
    if (checkpoint && s->resume)
        WABE_TRY(s->resume(run, checkpoint));
    double columns[WABE_MONITOR_COLUMNS_MAX]; /* no line is written */
    return s->monitor ? s->monitor(run, columns) : WABE_OK;
}

/* ---- results ------------------------------------------------------------------------ */

static wabe_status conclude(wabe_run *run) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    return s->conclude ? s->conclude(run) : WABE_OK;
}

static void put_number(wabe_json *json, const wabe_stencil_number *n, const char *what,
                       double value) {
    char key[64];
    snprintf(key, sizeof key, "%s%s", n->prefix, what);
    wabe_json_real(json, key, value);
}

static void put(const wabe_run *run, wabe_json *json) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    char text[32];
    uint64_t hash = 0;
    for (int i = 0; i < s->number_count; i++) {
        const wabe_stencil_number *n = &s->numbers[i];
        if (!is_inner(s, n)) {
            put_number(json, n, "lowest", n->last.low);
            put_number(json, n, "highest", n->last.high);
            put_number(json, n, "mean", n->last.mean);
            put_number(json, n, "mean_at_start", n->first.mean);
        }
        if (i < s->state_count)
            hash = (hash ? wabe_hash_mix(hash) : 0) + n->last.hash;
    }
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    wabe_json_text(json, "state_hash", text);
    wabe_stencil_put_residency(run, json);
    if (s->put)
        s->put(run, json);
}

static void print(const wabe_run *run) {
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    for (const wabe_stencil_number *n = s->numbers; n < s->numbers + s->number_count; n++)
        if (!is_inner(s, n))
            wabe_log_line("%-10s %.9g to %.9g, mean %.9g (%.9g at the start)", n->name, n->last.low,
                          n->last.high, n->last.mean, n->first.mean);
    if (s->print)
        s->print(run);
    wabe_stencil_print_copies(run);
}

/* ---- setting up the application ----------------------------------------------------- */

/* Numbers of scalar fields have the field's name; vectors append a component, others a count. */
static void name_number(const wabe_grid_model *m, wabe_grid_number at, bool alone,
                        wabe_stencil_number *n) {
    const wabe_grid_field_row *f = &m->fields[at.field];
    char name[sizeof n->name];
    if (f->names)
        snprintf(name, sizeof name, "%s", f->names[at.component]);
    else if (f->components == 1)
        snprintf(name, sizeof name, "%s", f->name);
    else if (f->components == 3)
        snprintf(name, sizeof name, "%s_%c", f->name, 'x' + at.component);
    else
        snprintf(name, sizeof name, "%s_%d", f->name, at.component);
    const char *const first = alone ? "" : name, *const link = alone ? "" : "_";
    snprintf(n->name, sizeof n->name, "%s", name);
    snprintf(n->mean, sizeof n->mean, "mean_%s", name);
    snprintf(n->rms, sizeof n->rms, "rms_%s", name);
    snprintf(n->prefix, sizeof n->prefix, "%s%s", first, link);
    snprintf(n->mean_at_start, sizeof n->mean_at_start, "%s%smean_at_start", first, link);
}

/* Sets up monitor, output and checkpoints of all numbers, and their statistics over time. */
static void enter_numbers(wabe_stencil_case *s, wabe_application *app) {
    wabe_grid_number all[WABE_GRID_NUMBERS_MAX];
    s->state_count = wabe_grid_state(&s->slabs.model, all);
    const int count = s->number_count = wabe_grid_numbers(&s->slabs.model, all);
    size_t used = 0, named = 0;
    int shown = 0;
    app->array_type = WABE_TYPE_f32;
    for (int i = 0; i < count; i++) {
        wabe_stencil_number *n = &s->numbers[i];
        const char *prefix = n->prefix;
        n->of = (wabe_grid_slabs_number){&s->slabs, all[i]};
        n->type = s->slabs.model.fields[all[i].field].type;
        name_number(&s->slabs.model, all[i], count == 1, n);
        const double offset = s->units ? s->units[i].offset : 0.0;
        const double factor = s->units ? s->units[i].factor : 1.0;
        s->of_state[i] = (wabe_state_number){n->name, offset, factor};
        const char *unit = s->unit_words ? s->unit_words[i] : NULL;
        const bool has_sign = s->signed_numbers >> i & 1;
        s->quantities[i] = (wabe_output_quantity){n->name, i,        1,    offset,
                                                  factor,  WABE_NOW, unit, has_sign};
        s->quantities[count + i] = (wabe_output_quantity){n->mean, i,       1,
                                                          offset,  factor,  WABE_MEAN_OVER_TIME,
                                                          unit,    has_sign};
        s->quantities[2 * count + i] =
            (wabe_output_quantity){n->rms, i, 1, 0.0, factor, WABE_RMS_OVER_TIME, unit, false};
        if (used < sizeof s->columns && !is_inner(s, n))
            used += (size_t)snprintf(s->columns + used, sizeof s->columns - used,
                                     "%s%slowest,%shighest,%smean,%smean_square",
                                     shown++ ? "," : "", prefix, prefix, prefix, prefix);
        if (i < WABE_PART_FIELDS_MAX)
            named += (size_t)snprintf(s->names + named, sizeof s->names - named, "%s%s",
                                      i ? ", " : "", n->name);
        if (n->type == WABE_TYPE_f64 && i < s->state_count)
            app->array_type = WABE_TYPE_f64; /* holds values of narrower types exactly */
    }
    app->number_count = count;
    app->array_count = s->state_count;
    app->numbers = s->of_state;
    app->quantity_count = 3 * count;
    app->quantities = s->quantities;
    app->default_quantities = s->names;
    app->picture = s->numbers[0].name;
    app->columns = s->columns;
    app->column_count = COLUMNS * shown + s->monitor_column_count;
    if (s->monitor)
        snprintf(s->columns + used, sizeof s->columns - used, ",%s", s->monitor_columns);
    app->steady_column = 3;
    app->steady_what = shown == 1 ? "the mean square" : "the mean square of the first field";
}

void wabe_stencil_enter(wabe_stencil_case *s, wabe_application *app) {
    const wabe_grid_model *m = &s->slabs.model;
    const wabe_grid_sample *sample = m->sweeps[0].sweep->sample;
    enter_numbers(s, app);
    s->application = m->entry_count == 1 || (sample && sample->step)
                         ? wabe_machine_application(m->sweeps[0].sweep)
                         : WABE_MACHINE_NONE;
    s->walls = sample && sample->walls && !(m->periodic[0] && m->periodic[1] && m->periodic[2]);
    s->wraps_x = s->slabs.model.wraps[0];
    app->planes_min = wabe_grid_halo(&s->slabs.model) * (s->depth > 1 ? s->depth : 1);
    s->slabs.model.depth = 0; /* not planned */
    app->context = s;
    memcpy(app->periodic, s->slabs.model.periodic, sizeof app->periodic);
    for (int i = 0; i < m->sweep_count; i++)
        for (int axis = 0; axis < 3; axis++)
            app->whole[axis] |= m->sweeps[i].whole[axis];
    wabe_grid_grain(m, app->grain);
    app->memory_hint = app->folder = "";
    app->rate_unit = "MLUPS";
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
    app->set_pass = set_pass;
    wabe_stencil_enter_residency(app);
    app->bytes = bytes;
    app->slab_costs = slab_costs;
    app->check = monitor_state;
    app->values = values;
    app->store = store;
    app->recall = recall;
    app->conclude = conclude;
    app->put = put;
    app->print = print;
}
