/* Checkpoints of a flow, and going on from them. */
#include "apps/runtime/restart.h"
#include "apps/lbm/lbm.h"

#include "core/base/log.h"
#include "sweeps/cell/lattice.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What decides how fast, how long and what is looked at: the flow stays the same. */
static const char *const may_differ[] = {"lbm.streaming",   "lbm.kernel",     "porous.tolerance",
                                         "porous.interval", "porous.tracers", NULL};

/* ---- writing ------------------------------------------------------------------------ */

/* Populations, and sums over time behind them. */
static wabe_status fill(void *context, int array, wabe_box part, void *values) {
    const wabe_lbm_run_state *run = context;
    return array < WABE_Q
               ? wabe_simulation_populations(run->simulation, array, part, values)
               : wabe_simulation_read_sums(run->simulation, array - WABE_Q, part, values);
}

static wabe_status save(wabe_lbm_run_state *run, const char *configuration,
                        wabe_decision decision) {
    const wabe_checkpoint_head head = {
        .application = "lbm",
        .step = wabe_simulation_steps(run->simulation),
        .cells = {run->options.domain.cells[0], run->options.domain.cells[1],
                  run->options.domain.cells[2]},
        .array_count = WABE_Q,
        .type = run->lbm_case.simulation.model.type,
        .real_count = wabe_lbm_has_averages(run) ? WABE_SUM_ROWS : 0,
        .configuration = configuration,
        .number_count = 14,
        .numbers = {{"fluid_cells", (double)run->fluid_cells},
                    {"mass_at_start", run->mass_at_start},
                    {"flux", run->watch.flux},
                    {"flux_change", run->watch.change},
                    {"calm_looks", run->watch.calm},
                    {"energy", run->calm.energy},
                    {"calm_energies", run->calm.looks},
                    {"imbalance", run->watch.imbalance},
                    {"steady", run->watch.steady},
                    {"steady_energy", run->calm.steady},
                    {"samples", (double)run->samples},
                    {"average_begin", (double)run->options.output.average.begin},
                    {"average_every", (double)run->options.output.average.every},
                    {"tolerance", run->lbm_case.porous.tolerance}}};
    const wabe_checkpoint_request request = {.directory = run->directory,
                                             .head = head,
                                             .block = run->block,
                                             .fill = fill,
                                             .context = run,
                                             .compress = run->options.checkpoint.compress,
                                             .keep = run->options.checkpoint.keep};
    return wabe_backlog_save(run->comm, &run->backlog, &request, decision, &run->lifetime);
}

wabe_status wabe_lbm_save(wabe_lbm_run_state *run, wabe_decision decision) {
    const wabe_option_table table = {wabe_lbm_option_rows, &run->options};
    wabe_profile_start(&run->simulation->domain.profile);
    char *configuration = wabe_restart_configuration(1, &table);
    wabe_status status = configuration ? WABE_OK
                                       : WABE_FAIL(WABE_MEMORY, "no memory for a checkpoint");
    status = wabe_agree(run->comm, status);
    if (status == WABE_OK)
        status = save(run, configuration, decision);
    free(configuration);
    wabe_profile_stop(&run->simulation->domain.profile, WABE_PHASE_output);
    return status;
}

/* ---- going on ----------------------------------------------------------------------- */

static wabe_status stored(void *context, int q, wabe_box box, void *values) {
    return wabe_checkpoint_read(context, q, box, values);
}

static int count_of(const wabe_checkpoint *c, const char *name) {
    const double value = wabe_checkpoint_number_of(c, name, 0.0);
    return value >= 0.0 && value <= INT_MAX / 2 ? (int)value : 0; /* it will grow */
}

/* What was steady is so still, unless more is asked for now. */
static void recall_looks(wabe_lbm_run_state *run, const wabe_checkpoint *c) {
    const double tolerance = run->lbm_case.porous.tolerance, steady = run->options.monitor.steady;
    run->watch.flux = wabe_checkpoint_number_of(c, "flux", 0.0);
    run->watch.change = wabe_checkpoint_number_of(c, "flux_change", 1.0);
    run->watch.imbalance = wabe_checkpoint_number_of(c, "imbalance", 0.0);
    run->watch.calm = count_of(c, "calm_looks");
    run->watch.steady = count_of(c, "steady") > 0 &&
                        tolerance >= wabe_checkpoint_number_of(c, "tolerance", INFINITY);
    run->calm.energy = wabe_checkpoint_number_of(c, "energy", NAN);
    run->calm.looks = count_of(c, "calm_energies");
    run->calm.steady = count_of(c, "steady_energy") > 0 && steady > 0.0;
}

/* What the run had found out; step: the last one that was done. */
static wabe_status recall(wabe_lbm_run_state *run, const wabe_checkpoint *c, int64_t step) {
    const double cells = wabe_checkpoint_number_of(c, "fluid_cells", NAN);
    WABE_CHECK(cells == (double)run->first.cells, WABE_INPUT,
               "%s was computed with %.0f fluid cells, and this case has %lld: has a file that "
               "tells what is solid been changed?",
               wabe_checkpoint_path(c), cells, (long long)run->first.cells);
    run->mass_at_start = wabe_checkpoint_number_of(c, "mass_at_start", run->mass_at_start);
    recall_looks(run, c);
    if (step > run->options.steps)
        return wabe_config_fail(run->config, "steps", "has been passed: %s is of step %lld",
                                wabe_checkpoint_path(c), (long long)step);
    return WABE_OK;
}

static wabe_status begin_anew(wabe_lbm_run_state *run) {
    const wabe_lbm_case_initial initial = wabe_lbm_case_initial_of(&run->options, &run->lbm_case);
    WABE_TRY(wabe_simulation_initialise(run->simulation, wabe_lbm_case_moments, &initial));
    WABE_TRY(wabe_simulation_monitor(run->simulation, &run->first));
    run->mass_at_start = wabe_sum_value(run->first.mass);
    return WABE_OK;
}

/* What these walls return is made of numbers that no half can hold (see wabe_patch). */
static bool rounds_at_walls(const wabe_simulation_options *s) {
    bool found = false;
    for (int i = 0; i < s->geometry.condition_count; i++) {
        const wabe_boundary kind = s->geometry.conditions[i].kind;
        found |= kind != WABE_BOUNDARY_periodic && kind != WABE_BOUNDARY_no_slip &&
                 kind != WABE_BOUNDARY_free_slip;
    }
    return found && s->model.type == WABE_TYPE_f16;
}

static wabe_status go_on(wabe_lbm_run_state *run, wabe_checkpoint *c) {
    const int64_t step = wabe_checkpoint_head_of(c)->step;
    if (rounds_at_walls(&run->lbm_case.simulation))
        wabe_log_warning("with lbm.storage = \"f16\" what walls return that move, or let the fluid "
                         "in or out, is rounded once more: not the bits of an uninterrupted run");
    WABE_TRY(wabe_simulation_restore(run->simulation, step, stored, c));
    WABE_TRY(wabe_simulation_monitor(run->simulation, &run->first));
    return wabe_agree(run->comm, recall(run, c, step));
}

wabe_status wabe_lbm_begin(wabe_lbm_run_state *run) {
    const wabe_option_table table = {wabe_lbm_option_rows, &run->options};
    wabe_restart_request request = {.application = "lbm",
                                    .array_count = WABE_Q,
                                    .type = run->lbm_case.simulation.model.type,
                                    .config = run->config,
                                    .table_count = 1,
                                    .tables = &table,
                                    .options = &run->options,
                                    .options_size = sizeof run->options,
                                    .may_differ = may_differ};
    wabe_checkpoint *checkpoint = NULL;
    memcpy(request.cells, run->options.domain.cells, sizeof request.cells);
    if (!run->restart && run->rank == 0)
        wabe_restart_warn_of_others(run->directory);
    if (run->restart)
        WABE_TRY(wabe_restart_open(run->comm, run->restart, run->directory, &request, &checkpoint));
    wabe_status status = checkpoint ? go_on(run, checkpoint) : begin_anew(run);
    if (status == WABE_OK)
        status = wabe_agree(run->comm, wabe_lbm_begin_averages(run, checkpoint));
    wabe_checkpoint_close(&checkpoint);
    if (status == WABE_OK && run->simulation->first_step > 0)
        return wabe_lbm_resume_fields(run);
    return status;
}
