/* Final reports of a run: the table of phases, rates, results.json, timing.json. */
#include "apps/runtime/domain_report.h"
#include "apps/runtime/report.h"
#include "apps/runtime/run_internal.h"

#include "core/base/log.h"
#include "core/base/version.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMAND_SIZE = 2048 };

/* A run that has its cores to itself gets more than this share. */
#define CPU_SHARE_LOW 0.75

/* Data of a finished run. */
typedef struct {
    const wabe_run *run;
    wabe_slab_report *slabs;
    wabe_domain_messages messages;
    wabe_spread phases[WABE_PHASE_COUNT];
} ending;

static double rate_of(const wabe_run *run) { return wabe_run_rate(run, (double)run->updates); }

/* The share of the memory bandwidth: bytes moved per second over that of a copy. */
static double share_of_limit(const wabe_run *run) {
    return rate_of(run) * run->work.bytes / run->copy;
}

/* ---- origin ------------------------------------------------------------------------- */

/* The command line as a single text, truncated to size. */
static const char *command_of(const wabe_run *run, char text[], size_t size) {
    size_t used = (size_t)snprintf(text, size, "wabe");
    for (int i = 0; i < run->input->argc && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, " %s", run->input->argv[i]);
    return text;
}

static const char *date_of(const wabe_run *run, char text[32]) {
    struct tm when;
    strftime(text, 32, "%Y-%m-%dT%H:%M:%S%z", localtime_r(&run->began, &when));
    return text;
}

static const char *host_of(char text[HOST_NAME_MAX + 1]) {
    if (gethostname(text, HOST_NAME_MAX) != 0)
        snprintf(text, HOST_NAME_MAX, "?");
    text[HOST_NAME_MAX] = '\0';
    return text;
}

void wabe_run_print_origin(const wabe_run *run) {
    char date[32], host[HOST_NAME_MAX + 1], command[COMMAND_SIZE];
    wabe_log_line("wabe       %s (%s), %d process%s, %s, %s", WABE_VERSION, WABE_COMMIT, run->size,
                  run->size > 1 ? "es" : "", host_of(host), date_of(run, date));
    wabe_log_line("command    %s", command_of(run, command, sizeof command));
}

static void put_origin(const wabe_run *run, wabe_json *json) {
    char date[32], host[HOST_NAME_MAX + 1], command[COMMAND_SIZE], crc[16];
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(mpi, &length);
    mpi[strcspn(mpi, ",\n")] = '\0';
    snprintf(crc, sizeof crc, "%08lx", run->input->crc);
    wabe_json_open(json, "origin", '{');
    wabe_json_text(json, "version", WABE_VERSION);
    wabe_json_text(json, "commit", WABE_COMMIT);
    wabe_json_text(json, "compilers", WABE_COMPILERS);
    wabe_json_text(json, "mpi", mpi);
    wabe_json_text(json, "hdf5", WABE_HDF5_VERSION);
    wabe_json_text(json, "cuda", WABE_CUDA_VERSION);
    wabe_json_text(json, "date", date_of(run, date));
    wabe_json_text(json, "host", host_of(host));
    wabe_json_integer(json, "processes", run->size);
    wabe_json_text(json, "command", command_of(run, command, sizeof command));
    wabe_json_text(json, "input", run->input->file);
    wabe_json_text(json, "input_crc32", crc);
    wabe_json_close(json, '}');
}

/* ---- a run without results ---------------------------------------------------------- */

static void put_state(const void *context, wabe_json *json) {
    const wabe_run *run = context;
    wabe_json_text(json, "name", run->o->name);
    wabe_json_text(json, "status", run->status);
    if (run->message)
        wabe_json_text(json, "message", run->message);
    put_origin(run, json);
}

wabe_status wabe_run_report_state(const wabe_run *run) {
    return wabe_report_write(run->directory, "results.json", put_state, run);
}

void wabe_run_report_failure(wabe_run *run, wabe_status status) {
    char why[WABE_MESSAGE_SIZE];
    snprintf(why, sizeof why, "%s", wabe_error_message());
    run->status = "failed";
    run->message = why;
    if (wabe_folder_check(&run->folder) == WABE_OK)
        (void)wabe_run_report_state(run);
    else if (strcmp(why, wabe_error_message()) != 0) /* it explains the failure */
        wabe_log_warning("%s", wabe_error_message());
    run->message = NULL;
    (void)WABE_FAIL(status, "%s", why);
}

/* ---- results ------------------------------------------------------------------------ */

static void put_run(const wabe_run *run, wabe_json *json) {
    const int64_t *n = run->o->domain.cells;
    wabe_json_text(json, "application", run->app->name);
    wabe_json_text(json, "name", run->o->name);
    wabe_json_text(json, "status", run->status);
    if (run->message)
        wabe_json_text(json, "message", run->message);
    wabe_json_text(json, "mode", wabe_mode_word((wabe_mode)run->o->parallel.mode));
    wabe_json_integer(json, "steps", run->step);
    wabe_json_integer(json, "steps_timed", wabe_run_timed_steps(run));
    wabe_json_integer(json, "first_step", run->first_step);
    wabe_json_real(json, "time", wabe_run_time(run));
    if (run->averages.kept)
        wabe_json_integer(json, "averaged_states", run->averages.samples);
    wabe_json_integer(json, "cells", n[0] * n[1] * n[2]);
    wabe_json_integer(json, "ranks", run->size);
    wabe_json_boolean(json, "communicates", run->o->parallel.communication == 0);
    wabe_json_text(json, "kernel", run->kernel->name);
    wabe_json_integer(json, "steps_per_pass", run->pass_steps > 0 ? run->pass_steps : run->depth);
    wabe_json_real(json, "seconds", run->seconds);
    wabe_json_real(json, "mlups", 1e-6 * wabe_run_rate(run, wabe_run_cells(run)));
    wabe_json_real(json, "gflops", 1e-9 * rate_of(run) * run->work.flops);
    wabe_json_real(json, "copy_bandwidth", run->copy);
    wabe_json_real(json, "of_limit", share_of_limit(run));
    wabe_json_real(json, "cpu_share", run->cpu_share);
    wabe_json_real(json, "memory", run->memory);
    wabe_json_real(json, "peak_memory", run->peak);
}

static void put_results(const void *context, wabe_json *json) {
    const ending *e = context;
    put_run(e->run, json);
    wabe_json_integer(json, "messages", e->messages.count);
    wabe_json_integer(json, "message_bytes", e->messages.bytes);
    wabe_domain_put_slabs(e->run->domain, e->slabs, json);
    e->run->app->put(e->run, json);
    put_origin(e->run, json);
}

static void put_timing(const void *context, wabe_json *json) {
    const ending *e = context;
    wabe_json_real(json, "seconds", e->run->seconds);
    wabe_json_integer(json, "ranks", e->run->size);
    wabe_report_put_phases(e->phases, json);
    wabe_run_put_forecast(e->run, e->phases, json);
}

/* A remark on that share, for the same line. */
static const char *remark(const wabe_run *run) {
    if (run->depth > 1 || run->pass_steps > 1)
        return ", for one step per pass";
    return share_of_limit(run) > 1.0 ? "; more than 100 %: data fit the caches, or the memory was "
                                       "slower when its limit was measured"
                                     : "";
}

/* Reports a lack of processor time, which can slow a run down many times without showing in its
 * phases. */
static void print_cpu_share(const wabe_run *run) {
    if (run->cpu_share < CPU_SHARE_LOW && wabe_run_timed_steps(run) > 0)
        wabe_log_line("cores      threads had a core for %.0f %% of the time that they could have "
                      "used one: others, or too many of its own, hold them; use fewer threads "
                      "(parallel.threads) or processes, or other cores",
                      100.0 * run->cpu_share);
}

static void print(const ending *e) {
    const wabe_run *run = e->run;
    const double *phases = run->domain->profile.seconds;
    const double looks = run->app->checks_are_timed ? 0.0 : phases[WABE_PHASE_monitor];
    wabe_report_print_phases(e->phases,
                             fmax(run->seconds + phases[WABE_PHASE_output] + looks, 1e-9),
                             run->o->parallel.separate);
    wabe_run_print_forecast(run, e->phases);
    char limit[256] = "";
    if (!isnan(run->copy))
        snprintf(limit, sizeof limit, ", %.0f %% of the memory's limit (copies at %.1f GB/s)%s",
                 100.0 * share_of_limit(run), 1e-9 * run->copy, remark(run));
    wabe_log_line(" ");
    wabe_log_line("rate       %.1f %s in %.2f s", 1e-6 * rate_of(run), run->app->rate_unit,
                  run->seconds);
    wabe_log_detail("           %.2f GFLOPS%s", 1e-9 * rate_of(run) * run->work.flops, limit);
    print_cpu_share(run);
    wabe_run_print_memory(run);
    run->app->print(run);
}

wabe_status wabe_run_report(wabe_run *run, bool whole) {
    ending e = {.run = run};
    WABE_TRY(wabe_run_check_folder(run));
    WABE_TRY(run->app->conclude(run));
    wabe_report_phases(run->comm, &run->domain->profile, e.phases);
    wabe_run_measure_memory(run);
    e.messages = wabe_domain_count_messages(run->domain, WABE_TRANSPORT_any);
    wabe_status status = wabe_domain_report(run->domain, &e.slabs);
    if (status == WABE_OK)
        status = wabe_report_results(run->comm, run->directory,
                                     !run->input->restart || run->step > run->first_step,
                                     put_results, put_timing, &e);
    free(e.slabs);
    run->told = status == WABE_OK;
    if (status == WABE_OK && whole)
        print(&e);
    return status;
}
