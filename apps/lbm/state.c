/* The state of a flow, for the runtime. */
#include "apps/lbm/lbm.h"
#include "apps/lbm/tracers.h"

#include "core/base/log.h"
#include "sweeps/lattice/state_form.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The speed of sound: beyond it, the flow has diverged. */
#define SPEED_MAX 0.5773502691896258

static wabe_simulation *simulation_of(const wabe_run *run) { return wabe_flow_of(run)->simulation; }

/* ---- slabs -------------------------------------------------------------------------- */

static wabe_status create(wabe_run *run, wabe_domain **out) {
    wabe_flow *flow = wabe_flow_of(run);
    WABE_TRY(wabe_simulation_create(run->comm, &flow->lbm_case.simulation, &run->components,
                                    &flow->simulation));
    *out = &flow->simulation->domain;
    return WABE_OK;
}

static void destroy(wabe_run *run) { wabe_simulation_destroy(&wabe_flow_of(run)->simulation); }

static int64_t bytes(const wabe_run *run) { return wabe_simulation_bytes(simulation_of(run)); }

static wabe_status rest(wabe_run *run) {
    return wabe_simulation_initialise(simulation_of(run), wabe_lbm_at_rest, NULL);
}

/* An initial state with eddies added. */
typedef struct {
    wabe_lbm_initial initial;
    const void *context;
    const wabe_perturbation *perturbation;
} perturbed;

static void perturbed_moments(const void *context, const int64_t cell[3],
                              double moments[WABE_MOMENTS_GIVEN]) {
    const perturbed *p = context;
    p->initial(p->context, cell, moments);
    wabe_perturbation_add(p->perturbation, cell, moments + 1);
}

static wabe_status begin_with(const wabe_flow *flow, wabe_lbm_initial initial,
                              const void *context) {
    const perturbed p = {initial, context, flow->lbm_case.perturbation};
    return p.perturbation ? wabe_simulation_initialise(flow->simulation, perturbed_moments, &p)
                          : wabe_simulation_initialise(flow->simulation, initial, context);
}

static wabe_status begin_with_file(wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    WABE_TRY(wabe_agree(run->comm, wabe_start_begin(flow->start, run->block)));
    WABE_TRY(begin_with(flow, wabe_start_moments, &flow->start));
    const wabe_status status = wabe_start_end(flow->start);
    if (status != WABE_OK)
        wabe_config_fail_because(run->config, "initial.file", "cannot be taken");
    wabe_start_close(&flow->start); /* frees memory for the run */
    return wabe_agree(run->comm, status);
}

static wabe_status initialise(wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    if (flow->start && flow->lbm_case.scalar.present)
        wabe_log_line(
            "scalar     begins with scalar.initial everywhere: that of initial.file is not read");
    if (flow->start)
        return begin_with_file(run);
    const wabe_lbm_case_initial initial = wabe_lbm_case_initial_of(&flow->options, &flow->lbm_case);
    return begin_with(flow, wabe_lbm_case_moments, &initial);
}

/* ---- checkpoints -------------------------------------------------------------------- */

/* Such walls return values that are not representable in f16 (see wabe_patch). */
static bool rounds_at_walls(const wabe_simulation_options *s) {
    bool found = false;
    for (int i = 0; i < s->geometry.condition_count; i++) {
        const wabe_boundary kind = s->geometry.conditions[i].kind;
        found |= kind == WABE_BOUNDARY_moving_wall || kind == WABE_BOUNDARY_velocity ||
                 kind == WABE_BOUNDARY_pressure || kind == WABE_BOUNDARY_curved_wall;
    }
    for (int i = 0; i < s->geometry.condition_count && wabe_lattice_has_scalar(s->model.lattice);
         i++)
        found |= s->geometry.conditions[i].scalar.kind != WABE_SCALAR_INSULATED;
    return found && s->model.type == WABE_TYPE_f16;
}

static wabe_status stored(void *context, int q, wabe_box box, void *values) {
    return wabe_checkpoint_read(context, q, box, values);
}

/* A checkpoint whose cells are converted from populations to moments, or back. */
typedef struct {
    wabe_checkpoint *checkpoint;
    const wabe_lbm_model *model;
    int64_t bytes;      /* of a number on the box at hand */
    char *there, *here; /* its numbers in the checkpoint's form, and in the model's */
} conversion;

static wabe_status convert(conversion *c, wabe_box box) {
    const int64_t cells = wabe_box_cells(box), old = c->bytes;
    const int count = wabe_checkpoint_head_of(c->checkpoint)->array_count;
    c->bytes = cells * (int64_t)wabe_type_size(c->model->type);
    if (c->bytes > old) {
        free(c->there), free(c->here);
        c->there = malloc((size_t)(count * c->bytes));
        c->here = malloc((size_t)(wabe_lbm_state_numbers(c->model) * c->bytes));
    }
    WABE_CHECK(c->there && c->here, WABE_MEMORY, "no memory to convert %lld cells of %s",
               (long long)cells, wabe_checkpoint_path(c->checkpoint));
    for (int q = 0; q < count; q++)
        WABE_TRY(wabe_checkpoint_read(c->checkpoint, q, box, c->there + q * c->bytes));
    if (count != WABE_MOMENTS)
        wabe_state_to_moments(c->model->type, cells, c->there, c->here);
    else
        wabe_state_to_populations(c->model->type,
                                  c->model->collision == WABE_COLLISION_recursive_regularized,
                                  cells, c->there, c->here);
    return WABE_OK;
}

static wabe_status converted(void *context, int q, wabe_box box, void *values) {
    conversion *c = context;
    if (q == 0)
        WABE_TRY(convert(c, box));
    memcpy(values, c->here + q * c->bytes, (size_t)c->bytes);
    return WABE_OK;
}

static wabe_status restore_converted(wabe_run *run, wabe_checkpoint *checkpoint) {
    conversion c = {.checkpoint = checkpoint,
                    .model = &wabe_flow_of(run)->lbm_case.simulation.model};
    wabe_log_line("restart    %s holds %s: converted to lbm.streaming's, %s",
                  wabe_checkpoint_path(checkpoint),
                  wabe_checkpoint_head_of(checkpoint)->array_count == WABE_MOMENTS ? "ten moments"
                                                                                   : "populations",
                  run->changed ? "as far as the present lbm.collision keeps them"
                               : "the same but for rounding");
    const wabe_status status = wabe_simulation_restore(simulation_of(run),
                                                       wabe_checkpoint_head_of(checkpoint)->step,
                                                       converted, &c);
    free(c.there);
    free(c.here);
    return status;
}

static wabe_status restore(wabe_run *run, wabe_checkpoint *c) {
    wabe_flow_of(run)->flux_restored = wabe_flux_restore(run, c);
    if (rounds_at_walls(&wabe_flow_of(run)->lbm_case.simulation))
        wabe_log_warning(
            "with lbm.storage = \"f16\" what walls return that move, are curved, or let "
            "the fluid in or out, is rounded once more: not the bits of an "
            "uninterrupted run");
    if (wabe_checkpoint_head_of(c)->array_count != run->app->array_count)
        return restore_converted(run, c);
    return wabe_simulation_restore(simulation_of(run), wabe_checkpoint_head_of(c)->step, stored, c);
}

static wabe_status store(const wabe_run *run, int array, wabe_box part, void *values) {
    return wabe_simulation_populations(simulation_of(run), array, part, values);
}

static int recall(const wabe_run *run, wabe_checkpoint_number out[]) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_checkpoint_number numbers[] = {{"fluid_cells", (double)run->updates},
                                              {"mass_at_start", flow->mass_at_start},
                                              {"flux", flow->watch.flux},
                                              {"flux_change", flow->watch.change},
                                              {"calm_looks", flow->watch.steady_checks},
                                              {"imbalance", flow->watch.imbalance},
                                              {"steady", flow->watch.steady},
                                              {"tolerance", flow->lbm_case.porous.tolerance}};
    enum { COUNT = sizeof numbers / sizeof numbers[0] };
    memcpy(out, numbers, sizeof numbers);
    return COUNT + wabe_flux_store(flow, out + COUNT);
}

/* A steady flow remains steady unless the tolerance is now smaller. changed: the checkpoint has
 * different physics. */
static wabe_status remember(wabe_flow *flow, const wabe_checkpoint *c, bool changed) {
    const double cells = wabe_checkpoint_number_of(c, "fluid_cells", NAN);
    const double calm = wabe_checkpoint_number_of(c, "calm_looks", 0.0);
    WABE_CHECK(cells == (double)flow->first.cells, WABE_INPUT,
               "%s was computed with %.0f fluid cells, and this case has %lld: a run that goes on "
               "keeps their number; look at the keys of geometry and at the files that they name",
               wabe_checkpoint_path(c), cells, (long long)flow->first.cells);
    flow->mass_at_start = wabe_checkpoint_number_of(c, "mass_at_start", flow->mass_at_start);
    if (changed)
        return WABE_OK;
    flow->watch.flux = wabe_checkpoint_number_of(c, "flux", 0.0);
    flow->watch.change = wabe_checkpoint_number_of(c, "flux_change", 1.0);
    flow->watch.imbalance = wabe_checkpoint_number_of(c, "imbalance", 0.0);
    flow->watch.steady_checks = calm >= 0.0 && calm <= INT_MAX / 2 ? (int)calm
                                                                   : 0; /* room to grow */
    flow->watch.steady = wabe_checkpoint_number_of(c, "steady", 0.0) >= 1.0 &&
                         flow->lbm_case.porous.tolerance >=
                             wabe_checkpoint_number_of(c, "tolerance", INFINITY);
    return WABE_OK;
}

static wabe_status begin(wabe_run *run, const wabe_checkpoint *checkpoint) {
    wabe_flow *flow = wabe_flow_of(run);
    WABE_TRY(wabe_simulation_monitor(flow->simulation, &flow->first));
    flow->mass_at_start = wabe_sum_value(flow->first.mass);
    flow->last = flow->good = flow->first;
    flow->good_step = run->step;
    run->updates = flow->first.cells;
    wabe_flux_begin(run, flow->flux_restored);
    if (checkpoint)
        WABE_TRY(wabe_agree(run->comm, remember(flow, checkpoint, run->changed)));
    return WABE_OK;
}

/* ---- checks of the state ------------------------------------------------------------ */

void wabe_flow_scalar_means(const wabe_flow *flow, double cells, double out[5]) {
    const wabe_scalar_case *s = &flow->lbm_case.scalar;
    const double unit = s->difference * flow->lbm_case.units.velocity;
    out[0] = s->reference + s->difference * wabe_sum_value(flow->last.scalar) / cells;
    out[1] = 2.0 * s->difference * sqrt(wabe_sum_value(flow->last.scalar_square) / cells);
    for (int d = 0; d < 3; d++)
        out[2 + d] = unit * wabe_sum_value(flow->last.scalar_flux[d]) / cells;
}

/* In the units of the run, as in results.json. */
static wabe_status monitor_state(wabe_run *run, double columns[]) {
    wabe_flow *flow = wabe_flow_of(run);
    wabe_monitor_result *m = &flow->last;
    const wabe_lbm_units *u = &flow->lbm_case.units;
    WABE_TRY(wabe_simulation_monitor(flow->simulation, m));
    const double cells = (double)run->updates;
    columns[0] = (wabe_sum_value(m->mass) - flow->mass_at_start) / (cells + flow->mass_at_start);
    columns[1] = u->energy * wabe_sum_value(m->energy) / cells;
    columns[2] = u->velocity * sqrt(m->speed_squared);
    if (flow->lbm_case.scalar.present)
        wabe_flow_scalar_means(flow, cells, columns + 3);
    double *last = columns + (flow->lbm_case.scalar.present ? 8 : 3), force[3];
    wabe_lbm_present_force(flow->simulation->slabs[0], force);
    for (int d = 0; d < 3; d++) {
        last[d] = u->velocity * wabe_sum_value(m->momentum[d]) / cells;
        last[3 + d] = u->density * u->velocity / u->time * force[d];
    }
    if (m->broken > 0 || m->speed_squared > SPEED_MAX * SPEED_MAX)
        return wabe_flow_diverged(run);
    flow->good = *m;
    flow->good_step = run->step;
    return WABE_OK;
}

static wabe_status look_at_flux(wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    WABE_TRY(wabe_porous_check_flux(&flow->lbm_case.porous, flow->simulation, &flow->last,
                                    &flow->watch));
    if (flow->watch.steady)
        wabe_log_line("steady     after %lld steps: the flux changes by %.2g of itself in %lld",
                      (long long)run->step, flow->watch.change,
                      (long long)flow->lbm_case.porous.interval);
    return WABE_OK;
}

static bool flux_is_steady(const wabe_run *run) { return wabe_flow_of(run)->watch.steady; }

static wabe_status flux_is_not(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    return wabe_porous_not_steady(&flow->lbm_case.porous, &flow->watch, run->o->steps);
}

/* ---- values and sums ---------------------------------------------------------------- */

static wabe_values values(const wabe_run *run) {
    return wabe_simulation_values(simulation_of(run));
}

static bool needs_gradients(const wabe_output_quantity *q) {
    return q->over_time == WABE_NOW && q->first >= WABE_OUTPUT_COUNT;
}

static bool part_needs_gradients(const wabe_run_part *part) {
    bool needed = false;
    for (int f = 0; f < part->field_count; f++)
        needed |= needs_gradients(part->fields[f]);
    return needed;
}

static int64_t beside(const wabe_run *run) {
    const int64_t tracers = wabe_flow_of(run)->lbm_case.porous.tracers;
    int64_t bytes = tracers > 0 ? wabe_tracers_memory(run->block, tracers) : 0;
    for (int i = 0; i < run->part_count; i++) {
        const int64_t its = part_needs_gradients(&run->parts[i]) ? wabe_gradients_memory(run->block)
                                                                 : 0;
        bytes = its > bytes ? its : bytes;
    }
    return bytes;
}

static wabe_status before_fields(wabe_run *run, const bool due[]) {
    wabe_flow *flow = wabe_flow_of(run);
    bool needed = false;
    for (int i = 0; i < run->part_count; i++)
        needed |= due[i] && part_needs_gradients(&run->parts[i]);
    return needed ? wabe_gradients_begin(flow->simulation, &flow->gradients) : WABE_OK;
}

static void after_fields(wabe_run *run) { wabe_gradients_end(&wabe_flow_of(run)->gradients); }

static wabe_status fill(const wabe_run *run, const wabe_output_quantity *q, wabe_box box,
                        int64_t stride, wabe_type type, void *out) {
    const wabe_quantity quantity = {q->first, q->count, q->offset, q->factor};
    if (needs_gradients(q))
        return wabe_gradients_quantity(&wabe_flow_of(run)->gradients, &quantity, box, stride, type,
                                       out);
    return wabe_simulation_quantity(simulation_of(run), &quantity, box, stride, type, out);
}

static wabe_status begin_sums(wabe_run *run) {
    return wabe_simulation_begin_sums(simulation_of(run), run->averages.rows,
                                      run->app->sums.threshold);
}

static wabe_status add_to_sums(wabe_run *run) {
    wabe_simulation_add_to_sums(simulation_of(run));
    return WABE_OK;
}

static wabe_status read_sums(const wabe_run *run, int row, wabe_box box, double *out) {
    return wabe_simulation_read_sums(simulation_of(run), row, box, out);
}

static wabe_status write_sums(wabe_run *run, int row, int64_t z, const double *plane) {
    return wabe_simulation_write_sums(simulation_of(run), row, z, plane);
}

/* Squares are of velocities only: number 1, ux, has its squares in row 4. */
void wabe_flow_enter_state(const wabe_flow *flow, wabe_application *app) {
    const wabe_porous *p = &flow->lbm_case.porous;
    app->create = create;
    app->destroy = destroy;
    app->bytes = bytes;
    app->rest = rest;
    app->initialise = initialise;
    app->restore = restore;
    app->store = store;
    app->recall = recall;
    app->begin = begin;
    app->check = monitor_state;
    app->values = values;
    app->beside = beside;
    app->before_fields = before_fields;
    app->after_fields = after_fields;
    app->fill = fill;
    app->sums = (wabe_time_sums){.rows = WABE_SUM_ROWS_MIN,
                                 .squares = 3,
                                 .vector = 1,
                                 .products = WABE_SUM_PRODUCTS,
                                 .carried = WABE_SUM_SCALAR,
                                 .wanted = flow->options.mean_profiles ? WABE_SUM_SCALAR : 0,
                                 .threshold = flow->options.average_threshold,
                                 .begin = begin_sums,
                                 .add = add_to_sums,
                                 .read = read_sums,
                                 .write = write_sums};
    if (wabe_flow_is_porous(flow))
        app->steady = (wabe_steady_criterion){.every = p->interval,
                                              .key = "porous.interval",
                                              .required = p->tolerance > 0.0,
                                              .check = look_at_flux,
                                              .holds = flux_is_steady,
                                              .unmet = flux_is_not};
}
