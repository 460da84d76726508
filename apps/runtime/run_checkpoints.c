/* Checkpoints of a run, and restarts from them. */
#include "apps/runtime/restart.h"
#include "apps/runtime/run_internal.h"

#include "core/base/log.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ------------------------------------------------------------------------ */

/* The state, followed by the sums over time. */
static wabe_status fill(void *context, int array, wabe_box part, void *values) {
    const wabe_run *run = context;
    const int count = run->app->array_count;
    return array < count ? run->app->store(run, array, part, values)
                         : run->averages.of.read(run, array - count, part, values);
}

/* Without the configuration and the numbers. */
static wabe_checkpoint_request request_of(wabe_run *run) {
    wabe_checkpoint_request request = {.directory = run->directory,
                                       .head = {.application = run->app->name,
                                                .step = run->step,
                                                .array_count = run->app->array_count,
                                                .type = run->app->array_type,
                                                .real_count = run->averages.rows},
                                       .block = run->block,
                                       .fill = fill,
                                       .context = run,
                                       .compress = run->o->checkpoint.compress,
                                       .keep = run->o->checkpoint.keep};
    memcpy(request.head.cells, run->o->domain.cells, sizeof request.head.cells);
    return request;
}

wabe_status wabe_run_checkpoints_memory(wabe_run *run, wabe_writer_memory *all) {
    const wabe_checkpoint_options *o = &run->o->checkpoint;
    const wabe_checkpoint_request request = request_of(run);
    wabe_writer_memory one;
    if (run->app->array_count == 0 || (o->every == 0 && o->minutes == 0.0 && o->stop_after == 0.0 &&
                                       !o->last && !wabe_run_must_be_steady(run)))
        return WABE_OK;
    WABE_TRY(wabe_checkpoint_memory(run->comm, &request, &one));
    wabe_writer_memory_add(all, &one);
    return WABE_OK;
}

static wabe_status save(wabe_run *run, const char *configuration, bool vital) {
    wabe_checkpoint_request request = request_of(run);
    const wabe_checkpoint_number numbers[] = {
        {"time", wabe_run_time(run)},
        {"time_step", run->app->longest_step ? run->clock.time_step : run->app->time_step},
        {"energy", run->monitor.last}, /* of the deciding column */
        {"also", run->monitor.also},
        {"below", run->monitor.below},
        {"calm_energies", run->monitor.steady_checks},
        {"steady_energy", run->monitor.steady},
        {"samples", (double)run->averages.samples},
        {"average_begin", (double)run->o->output.average.begin},
        {"average_every", (double)run->o->output.average.every},
        {"average_threshold", run->app->sums.threshold}};
    wabe_checkpoint_head *head = &request.head;
    memcpy(head->numbers, numbers, sizeof numbers);
    head->number_count = sizeof numbers / sizeof numbers[0];
    head->number_count += run->app->recall(run, head->numbers + head->number_count);
    head->configuration = configuration;
    return wabe_async_save(run->comm, &run->async, &request, vital);
}

wabe_status wabe_run_save(wabe_run *run, bool vital) {
    wabe_profile_start(&run->domain->profile);
    char *text = wabe_restart_configuration(run->app->table_count, run->app->tables);
    wabe_status status = wabe_agree_memory(run->comm, text != NULL, "a checkpoint");
    if (status == WABE_OK)
        status = wabe_run_check_folder(run);
    if (status == WABE_OK)
        status = save(run, text, vital);
    free(text);
    wabe_profile_stop(&run->domain->profile, WABE_PHASE_output);
    return status;
}

/* ---- restart ------------------------------------------------------------------------ */

static int count_of(const wabe_checkpoint *c, const char *name) {
    const double value = wabe_checkpoint_number_of(c, name, 0.0);
    return value >= 0.0 && value <= INT_MAX / 2 ? (int)value : 0; /* room to grow */
}

/* A state that was steady remains so, unless monitor.steady is now off or the physics has
 * changed. */
static wabe_status recall(wabe_run *run, const wabe_checkpoint *c) {
    run->monitor.last = wabe_checkpoint_number_of(c, "energy", NAN);
    run->monitor.also = wabe_checkpoint_number_of(c, "also", NAN);
    run->monitor.below = wabe_checkpoint_number_of(c, "below", NAN);
    run->monitor.steady_checks = run->changed ? 0 : count_of(c, "calm_energies");
    run->monitor.steady = count_of(c, "steady_energy") > 0 && run->o->monitor.steady > 0.0 &&
                          !run->changed;
    return WABE_OK;
}

static wabe_status open_checkpoint(wabe_run *run, wabe_checkpoint **out) {
    const wabe_application *app = run->app;
    wabe_restart_request request = {.application = app->name,
                                    .array_count = app->array_count,
                                    .other_array_count = app->other_array_count,
                                    .array_key = app->array_key,
                                    .type = app->array_type,
                                    .config = run->config,
                                    .table_count = app->table_count,
                                    .tables = app->tables,
                                    .options = app->all,
                                    .options_size = app->all_size,
                                    .may_differ = app->may_differ,
                                    .fixed_keys = app->fixed_keys,
                                    .change = run->input->change_physics,
                                    .changed = &run->changed};
    memcpy(request.cells, run->o->domain.cells, sizeof request.cells);
    WABE_TRY(wabe_restart_open(run->comm, run->input->restart, run->directory, &request, out));
    if (*out)
        return WABE_OK;
    WABE_TRY(wabe_run_check_none_begun(run));
    wabe_log_line("restart    no checkpoint in %s: from the beginning", run->directory);
    return WABE_OK;
}

static wabe_status begin(wabe_run *run, wabe_checkpoint *c) {
    WABE_CHECK(!run->goes_on || !run->input->overwrite, WABE_INPUT,
               "--overwrite replaces the run in %s, and --restart %s goes on with it: give one of "
               "them",
               run->directory, run->input->restart);
    if (c)
        run->step = run->first_step = wabe_checkpoint_head_of(c)->step;
    WABE_TRY(wabe_agree(run->comm, wabe_run_set_clock(run, c)));
    WABE_TRY(c ? run->app->restore(run, c) : run->app->initialise(run));
    WABE_TRY(run->app->begin(run, c));
    if (c)
        WABE_TRY(wabe_agree(run->comm, recall(run, c)));
    if (c) /* only now: the run is not refused */
        wabe_log_line("restart    from step %lld, %s", (long long)run->step,
                      wabe_checkpoint_path(c));
    return wabe_agree(run->comm, wabe_run_begin_averages(run, c));
}

wabe_status wabe_run_begin_state(wabe_run *run) {
    wabe_checkpoint *checkpoint = NULL;
    if (run->input->restart)
        WABE_TRY(open_checkpoint(run, &checkpoint));
    run->goes_on = checkpoint && wabe_run_is_in_folder(run, wabe_checkpoint_path(checkpoint));
    MPI_Bcast(&run->goes_on, 1, MPI_C_BOOL, 0, run->comm);
    const wabe_status status = begin(run, checkpoint);
    wabe_checkpoint_close(&checkpoint);
    return status;
}
