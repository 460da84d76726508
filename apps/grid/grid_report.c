/* What a run on a grid says at its end: rates, results.json, timing.json. */
#include "apps/grid/grid_internal.h"

#include "apps/runtime/domain_report.h"
#include "apps/runtime/parallel.h"
#include "apps/runtime/report.h"
#include "core/base/log.h"

#include <math.h>
#include <stdlib.h>

static double rate_of(const grid_run *run) {
    const double timed = (double)(run->step - run->app->rehearsal - run->first_step);
    return run->seconds > 0.0 ? wabe_grid_cells(run) * timed / run->seconds : 0.0;
}

/* Share of what the memory allows: a copy of the bytes that a step moves. */
static double share_of_limit(const grid_run *run) {
    return rate_of(run) * run->kernel->bytes / run->copy;
}

static void put_run(const grid_run *run, wabe_json *json, const char *status) {
    const int64_t *n = run->o->domain.cells;
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)run->last.hash);
    wabe_json_text(json, "application", run->o->application);
    wabe_json_text(json, "name", run->o->name);
    wabe_json_text(json, "status", status);
    wabe_json_text(json, "mode", wabe_mode_word((wabe_mode)run->o->parallel.mode));
    wabe_json_integer(json, "steps", run->step);
    wabe_json_integer(json, "steps_timed", run->step - run->app->rehearsal - run->first_step);
    wabe_json_integer(json, "first_step", run->first_step);
    wabe_json_real(json, "time", (double)run->step * run->app->time_step);
    wabe_json_integer(json, "cells", n[0] * n[1] * n[2]);
    wabe_json_integer(json, "ranks", run->size);
    wabe_json_boolean(json, "communicates", run->o->parallel.communication == 0);
    wabe_json_text(json, "kernel", run->kernel->name);
    wabe_json_integer(json, "steps_per_pass", run->slabs.model.depth);
    wabe_json_real(json, "seconds", run->seconds);
    wabe_json_real(json, "mlups", 1e-6 * rate_of(run));
    wabe_json_real(json, "gflops", 1e-9 * rate_of(run) * run->kernel->flops);
    wabe_json_real(json, "copy_bandwidth", run->copy);
    wabe_json_real(json, "of_limit", share_of_limit(run));
    wabe_json_real(json, "memory", run->bytes);
    wabe_json_real(json, "lowest", run->last.low);
    wabe_json_real(json, "highest", run->last.high);
    wabe_json_real(json, "mean", run->last.mean);
    wabe_json_real(json, "mean_at_start", run->first.mean);
    wabe_json_text(json, "state_hash", hash);
}

static void print_rate(const grid_run *run) {
    wabe_log_line(" ");
    wabe_log_line(
        "rate       %.1f MLUPS, %.2f GFLOPS: %.0f %% of what a copy of %.1f GB/s allows%s",
        1e-6 * rate_of(run), 1e-9 * rate_of(run) * run->kernel->flops, 100.0 * share_of_limit(run),
        1e-9 * run->copy, run->slabs.model.depth > 1 ? " to a step a pass" : "");
    wabe_log_line("%-10s %.9g to %.9g, mean %.9g (%.9g at the start)", run->app->field,
                  run->last.low, run->last.high, run->last.mean, run->first.mean);
}

/* What is known of a run when it has ended. */
typedef struct {
    const grid_run *run;
    const char *status;
    wabe_slab_report *slabs;
    wabe_domain_messages messages;
    wabe_spread phases[WABE_PHASE_COUNT];
} ending;

static void put_results(const void *context, wabe_json *json) {
    const ending *c = context;
    put_run(c->run, json, c->status);
    wabe_json_integer(json, "messages", c->messages.count);
    wabe_json_integer(json, "message_bytes", c->messages.bytes);
    wabe_domain_put_slabs(&c->run->domain, c->slabs, json);
    c->run->app->put(c->run->slabs.context, json);
}

static void put_timing(const void *context, wabe_json *json) {
    const ending *c = context;
    wabe_json_real(json, "seconds", c->run->seconds);
    wabe_json_integer(json, "ranks", c->run->size);
    wabe_report_put_phases(c->phases, json);
}

wabe_status wabe_grid_write_results(grid_run *run, const char *status_word) {
    ending c = {.run = run, .status = status_word};
    const double *seconds = run->domain.profile.seconds;
    const wabe_grid_view view = {&run->domain, run->step, &run->slabs, rate_of(run)};
    wabe_report_phases(run->comm, &run->domain.profile, c.phases);
    wabe_report_print_phases(
        c.phases,
        fmax(run->seconds + seconds[WABE_PHASE_output] + seconds[WABE_PHASE_monitor], 1e-9),
        run->o->parallel.separate);
    print_rate(run);
    WABE_TRY(run->app->conclude(run->slabs.context, &view));
    c.messages = wabe_domain_count_messages(&run->domain, WABE_TRANSPORT_any);
    wabe_status status = wabe_domain_report(&run->domain, &c.slabs);
    if (status == WABE_OK)
        status = wabe_report_results(run->comm, run->directory,
                                     !run->restart || run->step > run->first_step, put_results,
                                     put_timing, &c);
    free(c.slabs);
    if (status == WABE_OK)
        wabe_log_line("results    %s/results.json", run->directory);
    return status;
}
