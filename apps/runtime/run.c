/* A run: set-up, time loop, conclusion. */
#include "apps/runtime/run_internal.h"

#include "apps/runtime/bandwidth.h"
#include "apps/runtime/cpu_share.h"
#include "apps/runtime/domain_report.h"
#include "apps/runtime/report.h"
#include "core/base/log.h"
#include "core/io/disk.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

void wabe_run_name_cell(const wabe_run *run, int64_t number, char text[], size_t size) {
    const int64_t *n = run->o->domain.cells;
    snprintf(text, size, "(%lld, %lld, %lld)", (long long)(number % n[0]),
             (long long)(number / n[0] % n[1]), (long long)(number / n[0] / n[1]));
}

void wabe_run_warn(const wabe_run *run, const char *key, const char *format, ...) {
    char place[WABE_MESSAGE_SIZE], text[WABE_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wabe_config_place(run->config, key, place, sizeof place);
    wabe_log_warning("%s%s", place, text);
}

/* ---- set-up ------------------------------------------------------------------------- */

/* Measuring the memory's bandwidth takes a quarter of a second, in which a few cores do about so
 * many updates of cells: shorter runs go without. */
enum { UPDATES_MEASURED_MIN = 20000000 };

bool wabe_run_measures_copy(const wabe_run *run) {
    const double updates = wabe_run_cells(run) * wabe_run_steps_left(run);
    return run->app->duration > 0.0 || updates >= UPDATES_MEASURED_MIN;
}

static wabe_status measure_copy(wabe_run *run) {
    run->copy = NAN;
    return wabe_run_measures_copy(run)
               ? wabe_bandwidth_of_components(run->comm, &run->components, &run->copy)
               : WABE_OK;
}

/* Up to the first state; the folder is locked, and keeps its files. */
static wabe_status set_up(wabe_run *run) {
    WABE_TRY(wabe_run_take_folder(run));
    wabe_run_print_origin(run);
    WABE_TRY(wabe_async_open(run->comm, &run->components, &run->async));
    WABE_TRY(wabe_run_open_fields(run));
    wabe_run_print_case(run);
    WABE_TRY(wabe_run_balance(run));
    WABE_TRY(measure_copy(run));
    WABE_TRY(run->app->create(run, &run->domain));
    wabe_async_widen(run->comm, &run->components, run->app->bytes(run), &run->async);
    WABE_TRY(wabe_domain_print(run->domain));
    wabe_run_forecast_step(run);
    WABE_TRY(wabe_run_begin_state(run));
    wabe_run_print_time(run);
    return WABE_OK;
}

static wabe_status open_files(wabe_run *run) {
    WABE_TRY(wabe_run_begin_folder(run)); /* only now: files that were read may have been in it */
    if (run->goes_on)
        WABE_TRY(wabe_run_resume_fields(run));
    WABE_TRY(wabe_run_write_configuration(run, run->directory, run->app->table_count,
                                          run->app->tables)); /* only if it is not refused */
    WABE_TRY(wabe_run_open_monitor(run));
    WABE_TRY(wabe_run_open_probes(run));
    if (run->app->records.every > 0)
        WABE_TRY(run->app->records.open(run));
    run->begun = true; /* from now on results.json states the run's fate */
    run->status = "running";
    return wabe_agree(run->comm, run->rank == 0 ? wabe_run_report_state(run) : WABE_OK);
}

/* ---- the time loop ------------------------------------------------------------------ */

/* Is the state checked after this step? */
static bool is_checked(const wabe_run *run, int64_t step) {
    const int64_t timed = step - run->rehearsal;
    return wabe_run_ends_at(run, step) || wabe_run_fields_are_due(run, timed) ||
           wabe_report_is_due(timed, run->o->monitor.every) ||
           wabe_report_is_due(timed, run->app->steady.every) ||
           wabe_report_is_due(timed, run->app->check_every);
}

/* Does a pass of up to this many steps. */
static void advance(wabe_run *run, int64_t most) {
    const int steps = (int)min_of(most, run->pass_steps > 0 ? run->pass_steps : run->depth);
    const int64_t after = run->step + steps;
    wabe_run_plan_step(run);
    const wabe_coming_pass pass = {.steps = steps,
                                   .checked = is_checked(run, after),
                                   .averaged = wabe_run_average_is_due(run, after - run->rehearsal),
                                   .last = wabe_run_ends_at(run, after)};
    if (run->app->set_pass)
        run->app->set_pass(run, &pass);
    wabe_domain_step(run->domain);
    run->step += steps;
    run->clock.before = run->clock.now;
    run->clock.now = run->clock.next;
}

/* The duration of passes is measured with whole ones, the first of which does not count. */
static int64_t rehearsal_of(const wabe_run *run) {
    const bool measures = run->app->duration > 0.0 && run->o->steps == 0;
    return measures && run->pass_steps > 0 ? 2 * (int64_t)run->pass_steps : run->app->rehearsal;
}

/* Does the untimed steps, and chooses the number of timed ones if the input gives a duration. */
static void rehearse(wabe_run *run) {
    const wabe_application *app = run->app;
    double start = MPI_Wtime();
    int64_t before = 0; /* steps of the first pass, which includes one-time costs */
    while (run->step < run->rehearsal) {
        advance(run, run->rehearsal - run->step);
        if (before > 0)
            continue;
        before = run->step;
        wabe_domain_synchronise(run->domain);
        MPI_Barrier(run->comm);
        start = MPI_Wtime();
    }
    wabe_domain_synchronise(run->domain);
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, run->comm);
    wabe_domain_restart_clocks(run->domain);
    if (app->duration > 0.0 && run->o->steps == 0)
        run->steps +=
            1 + (int64_t)(app->duration / fmax(seconds, 1e-9) * (double)(run->rehearsal - before));
}

/* last: no step follows, so everything is due. */
static wabe_status write_state(wabe_run *run, int64_t timed, bool last) {
    wabe_profile_start(&run->domain->profile);
    wabe_status status = wabe_run_check_folder(run);
    if (status == WABE_OK)
        status = wabe_run_write_fields(run, timed, last);
    wabe_profile_stop(&run->domain->profile, WABE_PHASE_output);
    return status;
}

static bool is_last(const wabe_run *run) {
    return wabe_run_ends_at(run, run->step) || wabe_run_is_steady(run);
}

/* Adds the record that is due, and prepares the one of the next step. */
static wabe_status serve_records(wabe_run *run, int64_t timed) {
    const wabe_own_records *records = &run->app->records;
    wabe_status status = WABE_OK;
    wabe_profile_start(&run->domain->profile);
    if (timed > run->first_step && wabe_report_is_due(timed, records->every))
        status = records->add(run);
    if (status == WABE_OK && records->prepare && wabe_report_is_due(timed + 1, records->every))
        status = records->prepare(run);
    wabe_profile_stop(&run->domain->profile, WABE_PHASE_output);
    return status;
}

/* Does what is due after a step. The state is checked first, so that broken values are not
 * written. */
static wabe_status serve(wabe_run *run, int64_t timed) {
    const bool noted = wabe_report_is_due(timed, run->o->monitor.every);
    const bool closer = wabe_report_is_due(timed, run->app->steady.every);
    const bool written = wabe_run_ends_at(run, run->step) || wabe_run_fields_are_due(run, timed);
    if (is_checked(run, run->step))
        WABE_TRY(wabe_run_check_state(run));
    if (noted)
        WABE_TRY(wabe_run_add_monitor_line(run));
    if (closer)
        WABE_TRY(wabe_run_check_criterion(run));
    WABE_TRY(serve_records(run, timed));
    WABE_TRY(wabe_run_average(run, timed));
    WABE_TRY(wabe_run_follow_probes(run, timed));
    return written || wabe_run_is_steady(run) ? write_state(run, timed, is_last(run)) : WABE_OK;
}

/* Writes a checkpoint if it is time for one, or stops the run; checks the state first. A run that
 * has done its steps and is not steady, as it should be, leaves its state even if nobody has asked
 * for it: more steps may make it steady. */
static wabe_status save_or_stop(wabe_run *run) {
    uint64_t busy = wabe_async_busy(&run->async);
    const wabe_decision decision = wabe_checkpoint_decide(&run->policy, run->step, is_last(run),
                                                          &busy);
    WABE_TRY(wabe_async_proceed(&run->async, busy, &run->domain->profile));
    const bool unsteady = wabe_run_ends_at(run, run->step) && wabe_run_must_be_steady(run) &&
                          !wabe_run_is_steady(run);
    if (decision == WABE_GO_ON && !unsteady)
        return WABE_OK;
    run->stopped = decision == WABE_SAVE_AND_STOP;
    WABE_TRY(wabe_run_check_state(run));
    const bool vital = run->stopped || (is_last(run) && decision != WABE_GO_ON);
    return run->app->array_count > 0 ? wabe_run_save(run, vital) : WABE_OK;
}

/* Waits for all that is written in the background. */
static wabe_status end_files(wabe_run *run) {
    const wabe_status status = wabe_async_end(&run->async, &run->domain->profile);
    wabe_profile_start(&run->domain->profile);
    const wabe_status pictures = wabe_run_end_pictures(run);
    wabe_profile_stop(&run->domain->profile, WABE_PHASE_output);
    return status != WABE_OK ? status : pictures;
}

static wabe_status go_through_steps(wabe_run *run) {
    const int64_t rehearsal = run->rehearsal;
    wabe_report_clock clock = wabe_report_start(run->first_step, wabe_run_share_done(run));
    char place[WABE_RUN_LENGTH_SIZE];
    const int64_t begin = run->step - rehearsal;
    if (is_last(run))
        WABE_TRY(write_state(run, begin, true));
    else if (begin == 0 && wabe_run_fields_are_due(run, 0))
        WABE_TRY(write_state(run, 0, false));
    WABE_TRY(serve_records(run, begin));
    while (!is_last(run) && !run->stopped) {
        advance(run, wabe_run_steps_to_go(run, run->step - rehearsal));
        WABE_TRY(serve(run, run->step - rehearsal));
        WABE_TRY(save_or_stop(run));
        wabe_report_progress(&clock, run->step - rehearsal, wabe_run_place(run, place),
                             wabe_run_share_done(run), (double)run->updates,
                             run->work.bytes / run->depth);
    }
    return end_files(run);
}

static wabe_status time_loop(wabe_run *run) {
    run->rehearsal = rehearsal_of(run);
    run->steps = run->rehearsal + run->o->steps;
    if (run->rehearsal > 0)
        rehearse(run);
    MPI_Barrier(run->comm);
    const double start = MPI_Wtime();
    const wabe_cpu_time began = wabe_cpu_time_now();
    run->policy = wabe_checkpoint_policy_begin(run->comm, &run->o->checkpoint, run->step);
    run->async.known = run->step;
    const wabe_status status = go_through_steps(run);
    wabe_domain_synchronise(run->domain);
    MPI_Barrier(run->comm);
    const double *phases = run->domain->profile.seconds;
    run->seconds = MPI_Wtime() - start - phases[WABE_PHASE_output];
    run->seconds -= run->app->checks_are_timed ? 0.0 : phases[WABE_PHASE_monitor];
    run->cpu_share = wabe_cpu_share(run->comm, began);
    return status;
}

/* ---- the run ------------------------------------------------------------------------ */

static void name_picture(const wabe_run *run, const wabe_run_part *part, bool first) {
    const char *known = part->fields[0]->unit;
    const char *unit = known && strcmp(known, "1") != 0 ? known : "";
    if (part->number < 0)
        wabe_log_line("%-10s %s/%s_%08lld.png: from %.4g to %.4g%s%s", "picture", run->directory,
                      part->name, (long long)run->step, part->drawn_low[0], part->drawn_high[0],
                      unit[0] ? " " : "", unit);
    else if (part->every > 0 || part->interval > 0.0)
        wabe_log_line("%-10s scripts/make_film.py %s %s", first ? "film" : "", run->directory,
                      part->name);
}

static void name_files(const wabe_run *run) {
    wabe_log_line(" ");
    wabe_log_line("results    %s/results.json, timing.json", run->directory);
    for (int i = 0; i < run->written_count; i++)
        wabe_log_line("%-10s open %s/%s.hdf.series (or %s.xdmf)", i == 0 ? "ParaView" : "",
                      run->directory, run->parts[i].name, run->parts[i].name);
    for (int i = run->written_count; i < run->part_count; i++)
        name_picture(run, &run->parts[i], i == run->written_count || run->parts[i - 1].number < 0);
    if (run->o->output.profiles)
        wabe_log_line("profiles   %s/profiles.csv", run->directory);
    if (run->app->plot) /* scripts/run.sh executes this line */
        wabe_log_line("plot       scripts/plot_%s.py %s", run->app->plot, run->directory);
}

/* Writes the results of a run that has diverged, or has done its steps but cannot write all that it
 * should: what can be written is. */
static wabe_status conclude_failed(wabe_run *run, wabe_status failure) {
    char why[WABE_MESSAGE_SIZE];
    snprintf(why, sizeof why, "%s", wabe_error_message());
    run->status = failure == WABE_DIVERGED ? "diverged" : "failed";
    run->message = why;
    const wabe_status status = wabe_run_report(run, false);
    run->message = NULL;
    return failure == WABE_DIVERGED && status != WABE_OK ? status : WABE_FAIL(failure, "%s", why);
}

/* Writes the results so far of a run that a later one is to continue. */
static wabe_status conclude_stopped(wabe_run *run) {
    run->status = "interrupted";
    WABE_TRY(wabe_run_report(run, false));
    char place[WABE_RUN_LENGTH_SIZE];
    wabe_log_line("interrupted after %s%s", wabe_run_place(run, place),
                  run->app->array_count > 0 ? "; --restart latest goes on from there" : "");
    return WABE_OK;
}

static wabe_status run_all(wabe_run *run) {
    WABE_TRY(set_up(run));
    if (wabe_run_is_done(run)) {
        wabe_log_line("done       already at step %lld: nothing to do", (long long)run->step);
        return WABE_OK;
    }
    WABE_TRY(open_files(run));
    wabe_status status = time_loop(run);
    if (status == WABE_OK && !run->stopped && run->o->output.profiles)
        status = wabe_run_write_profiles(run);
    if (status == WABE_DIVERGED || (status == WABE_FILE && (is_last(run) || run->stopped)))
        return conclude_failed(run, status);
    WABE_TRY(status);
    if (run->stopped)
        return conclude_stopped(run);
    const wabe_status open = wabe_run_check_steady(run);
    char why[WABE_MESSAGE_SIZE];
    snprintf(why, sizeof why, "%s", wabe_error_message());
    run->status = open != WABE_OK ? "not converged" : "done";
    run->message = open != WABE_OK ? why : NULL;
    WABE_TRY(wabe_run_report(run, true));
    name_files(run);
    return open != WABE_OK ? WABE_FAIL(open, "%s", why) : WABE_OK;
}

/* Leaves axes that slabs must span uncut. */
static wabe_status keep_whole(const wabe_config *config, const wabe_application *app,
                              wabe_run_options *o) {
    for (int axis = 0; axis < 3; axis++) {
        if (app->whole[axis] && o->parallel.processes[axis] > 1)
            return wabe_config_fail(config, "parallel.processes",
                                    "cuts the %c axis, along which application \"%s\" needs "
                                    "whole columns: the number there must be 1",
                                    'x' + axis, app->name);
        if (app->whole[axis])
            o->parallel.processes[axis] = 1;
    }
    return WABE_OK;
}

/* Of steps that differ nobody knows how many it takes to the end. */
static void set_steps(const wabe_application *app, wabe_run_options *o) {
    if (!app->longest_step)
        o->steps = wabe_run_last_step(o, app->time_step);
    else if (o->steps == INT64_MIN)
        o->steps = (int64_t)WABE_STEPS_MAX;
}

wabe_status wabe_run_begin(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                           const wabe_application *app, wabe_run *run) {
    *run = (wabe_run){.comm = comm,
                      .input = input,
                      .config = config,
                      .app = app,
                      .o = app->options,
                      .depth = 1,
                      .monitor.last = NAN,
                      .monitor.also = NAN,
                      .monitor.below = NAN,
                      .began = time(NULL),
                      .status = "prepared"};
    wabe_log_leave(); /* left by an earlier run */
    MPI_Comm_rank(comm, &run->rank);
    MPI_Comm_size(comm, &run->size);
    wabe_run_directory(run->o, run->directory, sizeof run->directory);
    run->folder = wabe_folder_of(comm, run->directory);
    run->folder.home = app->home ? &app->home->folder : NULL;
    const size_t used = strlen(run->directory);
    if (app->folder[0])
        snprintf(run->directory + used, sizeof run->directory - used, "/%s", app->folder);
    wabe_run_complete_options(config, app->tables[0].target);
    WABE_TRY(wabe_agree(comm, wabe_run_check_options(config, run->o)));
    set_steps(app, app->tables[0].target); /* run->o */
    run->steps = run->o->steps;
    run->clock.time_step = app->time_step;
    WABE_TRY(wabe_agree(comm, keep_whole(config, app, app->tables[0].target)));
    WABE_TRY(wabe_agree(comm, wabe_run_choose_fields(run)));
    WABE_TRY(wabe_agree(comm, wabe_run_choose_probes(run)));
    wabe_status status = wabe_decomposition_make(run->o->domain.cells, app->periodic, app->grain,
                                                 run->o->parallel.processes, run->size,
                                                 &run->decomposition);
    if (status != WABE_OK)
        status = wabe_config_fail_because(config, "parallel.processes", "cannot be met");
    WABE_TRY(wabe_agree(comm, status));
    run->block = wabe_decomposition_block(&run->decomposition, run->rank);
    return app->cut ? app->cut(run) : WABE_OK;
}

void wabe_run_finish(wabe_run *run) {
    wabe_time_series_close(&run->monitor.file);
    for (int i = 0; i < run->probe_count; i++)
        wabe_time_series_close(&run->probes[i].file);
    if (run->app->records.every > 0)
        run->app->records.close(run);
    wabe_run_close_pictures(run);
    wabe_async_close(&run->async);
    wabe_run_end_averages(run);
    run->app->destroy(run);
    wabe_machine_free(&run->model.machine);
    wabe_folder_leave(&run->folder);
}

static wabe_status do_verb(wabe_run *run, wabe_verb verb) {
    if (verb == WABE_VERB_PREDICT)
        return wabe_run_predict(run);
    WABE_TRY(wabe_run_prepare(run));
    if (verb == WABE_VERB_RUN)
        return run_all(run);
    wabe_run_print_case(run);
    wabe_run_estimate_time(run);
    return WABE_OK;
}

wabe_application wabe_run_application(const char *name, const wabe_option own[], void *all,
                                      size_t size, wabe_option_table tables[3]) {
    tables[0] = (wabe_option_table){wabe_run_option_rows, all};
    tables[1] = (wabe_option_table){wabe_run_case_rows, all};
    tables[2] = (wabe_option_table){own, all};
    return (wabe_application){.name = name,
                              .options = all,
                              .table_count = 3,
                              .tables = tables,
                              .all = all,
                              .all_size = size,
                              .size_key = "domain.cells"};
}

void wabe_run_cubes(wabe_application *app, double edge) {
    for (int axis = 0; axis < 3; axis++)
        app->spacing[axis] = edge;
}

wabe_status wabe_run_case(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                          const wabe_application *application, wabe_verb verb, bool *stopped) {
    wabe_run *run = calloc(1, sizeof *run);
    WABE_TRY(wabe_agree_memory(comm, run, "a run"));
    if (verb == WABE_VERB_RUN)
        wabe_checkpoint_watch();
    wabe_status status = wabe_run_begin(comm, input, config, application, run);
    if (status == WABE_OK)
        status = do_verb(run, verb);
    if (run->begun && !run->told && status != WABE_OK && run->rank == 0)
        wabe_run_report_failure(run, status);
    *stopped = run->stopped;
    wabe_run_finish(run);
    free(run);
    return status;
}
