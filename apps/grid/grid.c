/* A run on a grid: its time loop, from the first step to the results. */
#include "apps/grid/grid_internal.h"

#include "apps/runtime/domain_report.h"
#include "apps/runtime/report.h"
#include "core/base/log.h"

#include <math.h>
#include <string.h>

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- the time loop ------------------------------------------------------------------ */

/* As many steps as a pass can do before something else is due. */
static void advance(grid_run *run, int64_t most) {
    const int64_t depth = run->slabs.model.depth;
    const int steps = (int)(most < depth ? most : depth);
    wabe_grid_slabs_set_steps(&run->slabs, steps);
    wabe_domain_step(&run->domain);
    run->step += steps;
}

/* Steps until the next one of every so many. */
static int64_t until(int64_t step, int64_t every) {
    return every > 0 ? every - step % every : INT64_MAX;
}

/* Steps that are not timed, and how many are to come. */
static void rehearse(grid_run *run) {
    double start = MPI_Wtime();
    int64_t before = 0; /* steps with what happens once, which takes time, too */
    while (run->step < run->app->rehearsal) {
        advance(run, run->app->rehearsal - run->step);
        if (before > 0)
            continue;
        before = run->step;
        wabe_domain_synchronise(&run->domain);
        MPI_Barrier(run->comm);
        start = MPI_Wtime();
    }
    wabe_domain_synchronise(&run->domain);
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, run->comm);
    wabe_domain_restart_clocks(&run->domain);
    run->steps = run->app->rehearsal + run->o->steps;
    if (run->app->duration > 0.0 && run->o->steps == 0)
        run->steps += 1 + (int64_t)(run->app->duration / fmax(seconds, 1e-9) *
                                    (double)(run->app->rehearsal - before));
}

/* A checkpoint, if it is time for one, but not of broken values; or the run's end. */
static wabe_status save_or_stop(grid_run *run, bool last) {
    wabe_decision decision;
    WABE_TRY(wabe_backlog_decide(&run->backlog, &run->lifetime, &run->domain.profile, run->step,
                                 last, &decision));
    if (decision == WABE_GO_ON)
        return WABE_OK;
    WABE_TRY(wabe_grid_check_state(run));
    if (run->app->options) /* others have no checkpoints */
        WABE_TRY(wabe_grid_save(run, decision));
    run->stopped = decision == WABE_SAVE_AND_STOP;
    return WABE_OK;
}

static wabe_status time_loop(grid_run *run) {
    wabe_status status = WABE_OK;
    rehearse(run);
    MPI_Barrier(run->comm);
    const double start = MPI_Wtime();
    wabe_report_clock clock = wabe_report_start(run->first_step);
    run->lifetime = wabe_lifetime_begin(run->comm, &run->o->checkpoint, run->step);
    if (run->step == run->steps || (run->first_step == 0 && run->o->output.every > 0))
        status = wabe_grid_write_state(run);
    while (run->step < run->steps && status == WABE_OK && !run->stopped) {
        const int64_t before = run->step - run->app->rehearsal;
        const int64_t due = min_of(until(before, run->o->output.every),
                                   min_of(until(before, run->o->monitor.every),
                                          until(before, run->o->checkpoint.every)));
        advance(run, min_of(run->steps - run->step, due));
        const bool last = run->step == run->steps;
        const int64_t timed = run->step - run->app->rehearsal;
        const bool written = last || wabe_report_is_due(timed, run->o->output.every);
        const bool noted = wabe_report_is_due(timed, run->o->monitor.every);
        if (written || noted)
            status = wabe_grid_check_state(run);
        if (noted && status == WABE_OK)
            status = wabe_grid_note_state(run);
        if (written && status == WABE_OK)
            status = wabe_grid_write_state(run);
        if (status == WABE_OK)
            status = save_or_stop(run, last);
        wabe_report_progress(&clock, timed, run->steps - run->app->rehearsal, wabe_grid_cells(run),
                             run->kernel->bytes / run->slabs.model.depth);
    }
    if (status == WABE_OK)
        status = wabe_backlog_end(&run->backlog, &run->lifetime, &run->domain.profile);
    wabe_domain_synchronise(&run->domain);
    MPI_Barrier(run->comm);
    const double *phases = run->domain.profile.seconds;
    run->seconds = MPI_Wtime() - start - phases[WABE_PHASE_output] - phases[WABE_PHASE_monitor];
    return status;
}

/* ---- the run ------------------------------------------------------------------------ */

static wabe_status initialise(grid_run *run) {
    WABE_TRY(wabe_grid_begin(run));
    WABE_TRY(wabe_agree(run->comm, run->rank == 0 ? wabe_grid_write_configuration(run) : WABE_OK));
    const wabe_values values = wabe_grid_slabs_values(&run->slabs);
    WABE_TRY(wabe_grid_look(&run->domain, &values, &run->host, &run->first));
    run->last = run->first;
    WABE_TRY(wabe_time_series_open(run->comm, run->directory, "monitor.csv",
                                   "step,time,lowest,highest,mean", run->first_step,
                                   &run->monitor));
    run->first.mean = isfinite(run->mean_at_start) ? run->mean_at_start : run->first.mean;
    char cell[96];
    wabe_grid_name_cell(run, run->first, cell, sizeof cell);
    WABE_CHECK(run->first.broken == 0, WABE_INPUT,
               "the initial state has %lld values that are no numbers, or too large for %s, the "
               "first in cell %s",
               (long long)run->first.broken, wabe_type_word(run->slabs.model.fields[0].type), cell);
    run->begun = true; /* from here on results.json says what becomes of the run */
    return wabe_agree(run->comm, run->rank == 0 ? wabe_report_state(run->directory, run->o->name,
                                                                    "running", "")
                                                : WABE_OK);
}

static wabe_status run_all(grid_run *run) {
    const wabe_parallel_options *p = &run->o->parallel;
    const wabe_domain_slabs slabs = wabe_grid_slabs_of_domain(run->comm, &run->slabs);
    wabe_domain_options d = {.halo = wabe_grid_halo(&run->slabs.model),
                             .overlap = p->overlap,
                             .communicate = p->communication == 0,
                             .separate = p->separate,
                             .exchange.transport = (wabe_transport)p->transport};
    memcpy(d.cells, run->o->domain.cells, sizeof d.cells);
    memcpy(d.processes, p->processes, sizeof d.processes);
    memcpy(d.periodic, run->slabs.model.periodic, sizeof d.periodic);
    memcpy(d.wraps, run->slabs.model.wraps, sizeof d.wraps);
    WABE_TRY(wabe_domain_create(run->comm, &d, &run->components, &slabs, &run->domain));
    WABE_TRY(wabe_domain_print(&run->domain));
    WABE_TRY(wabe_agree(run->comm, wabe_grid_open_output(run)));
    WABE_TRY(initialise(run));
    const wabe_status status = time_loop(run);
    if (status != WABE_OK && status != WABE_DIVERGED)
        return status;
    char why[WABE_MESSAGE_SIZE];
    snprintf(why, sizeof why, "%s", wabe_error_message());
    WABE_TRY(wabe_grid_write_results(run, status != WABE_OK ? "diverged"
                                          : run->stopped    ? "interrupted"
                                                            : "done"));
    if (run->stopped)
        wabe_log_line("interrupted after step %lld of %lld%s", (long long)run->step,
                      (long long)run->steps,
                      run->app->options ? "; --restart latest goes on from there" : "");
    return status == WABE_OK ? WABE_OK : WABE_FAIL(WABE_DIVERGED, "%s", why);
}

void wabe_grid_directory(const wabe_grid_options *options, char *out, size_t size) {
    if (options->output.directory[0])
        snprintf(out, size, "%s", options->output.directory);
    else
        snprintf(out, size, "out/%s", options->name);
}

wabe_status wabe_grid_run(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                          const wabe_grid_options *options,
                          const wabe_grid_application *application, int table_count,
                          const wabe_option_table tables[], wabe_grid_verb verb) {
    const bool check = verb == WABE_GRID_CHECK;
    if (verb == WABE_GRID_PREDICT)
        return wabe_grid_predict(comm, input, config, options, application);
    WABE_CHECK(!input->machine, WABE_INPUT,
               "--machine: forecasts beside a run are for application = \"lbm\" alone; there is "
               "wabe predict");
    grid_run run = {.comm = comm,
                    .config = config,
                    .o = options,
                    .app = application,
                    .table_count = table_count,
                    .tables = tables,
                    .checks = check,
                    .restart = input->restart,
                    .mean_at_start = NAN,
                    .slabs = application->slabs};
    MPI_Comm_rank(comm, &run.rank);
    MPI_Comm_size(comm, &run.size);
    wabe_grid_directory(options, run.directory, sizeof run.directory);
    WABE_CHECK(!run.restart || application->options, WABE_INPUT,
               "--restart: application = \"%s\" has no checkpoints", options->application);
    if (!check)
        wabe_lifetime_watch();
    wabe_status status = wabe_grid_prepare(&run);
    if (status == WABE_OK && !check)
        status = run_all(&run);
    if (run.begun && run.rank == 0 && status != WABE_OK && status != WABE_DIVERGED)
        wabe_report_failure(run.directory, options->name, status);
    wabe_time_series_close(&run.monitor);
    wabe_backlog_close(&run.backlog);
    wabe_domain_destroy(&run.domain);
    wabe_grid_slabs_destroy(&run.slabs);
    return status;
}
