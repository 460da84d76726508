/* Checks of the state: divergence, monitor.csv, steady state. */
#include "apps/runtime/run_internal.h"

#include "core/base/change.h"
#include "core/base/log.h"

#include <math.h>
#include <string.h>

enum { STEADY_CHECKS = 3 }; /* consecutive ones for a steady state */

wabe_status wabe_run_open_monitor(wabe_run *run) {
    char columns[WABE_LINE_SIZE + 32];
    snprintf(columns, sizeof columns, "step,time,%s,residual", run->app->columns);
    WABE_TRY(wabe_time_series_open(&run->folder, "monitor.csv", columns,
                                   run->goes_on ? run->first_step : 0, &run->monitor.file));
    if (run->monitor.file.dropped > 0)
        wabe_log_line("           monitor.csv and other tables lose the earlier run's lines after "
                      "step %lld",
                      (long long)run->first_step);
    return WABE_OK;
}

/* Unless checks are part of the timed seconds, pending work of GPUs and the wait for other
 * processes must not count as time of the check. */
wabe_status wabe_run_check_state(wabe_run *run) {
    if (!run->app->checks_are_timed) {
        wabe_domain_synchronise(run->domain);
        MPI_Barrier(run->comm);
    }
    wabe_profile_start(&run->domain->profile);
    const wabe_status status = run->app->check(run, run->monitor.columns);
    wabe_profile_stop(&run->domain->profile, WABE_PHASE_monitor);
    return status;
}

wabe_status wabe_run_check_criterion(wabe_run *run) {
    wabe_profile_start(&run->domain->profile);
    const wabe_status status = run->app->steady.check(run);
    wabe_profile_stop(&run->domain->profile, WABE_PHASE_monitor);
    return status;
}

/* The relative change since the previous line; of two columns the larger one. */
static double residual_of(const wabe_run *run, double now) {
    const wabe_run_monitor *m = &run->monitor;
    const wabe_application *app = run->app;
    double residual = wabe_change(m->last, now, 0.0);
    if (now == 0.0 && m->last == 0.0 && app->steady_below > 0)
        residual = wabe_change(m->below, m->columns[app->steady_below], app->steady_least);
    return app->steady_also == 0
               ? residual
               : fmax(residual, wabe_change(m->also, m->columns[app->steady_also], 0.0));
}

static void log_steady(const wabe_run *run, double now) {
    char change[64] = "is 0, and stays so";
    if (now != 0.0 || run->app->steady_also > 0)
        snprintf(change, sizeof change, "changes by %.2g of itself", run->monitor.residual);
    wabe_log_line("steady     after %lld steps: %s %s in %lld", (long long)run->step,
                  run->app->steady_what, change, (long long)run->o->monitor.every);
}

wabe_status wabe_run_add_monitor_line(wabe_run *run) {
    wabe_run_monitor *m = &run->monitor;
    const int count = run->app->column_count;
    const double now = m->columns[run->app->steady_column], steady = run->o->monitor.steady;
    const double residual = m->residual = residual_of(run, now);
    double line[2 + WABE_MONITOR_COLUMNS_MAX] = {wabe_run_time(run)};
    memcpy(line + 1, m->columns, (size_t)count * sizeof *line);
    line[1 + count] = residual;
    m->last = now;
    m->also = m->columns[run->app->steady_also];
    m->below = m->columns[run->app->steady_below];
    m->steady_checks = residual < steady ? m->steady_checks + 1 : 0;
    m->steady = steady > 0.0 && m->steady_checks >= STEADY_CHECKS;
    if (m->steady)
        log_steady(run, now);
    return wabe_agree(run->comm, wabe_time_series_add(&m->file, run->step, 2 + count, line));
}

bool wabe_run_is_steady(const wabe_run *run) {
    const wabe_steady_criterion *own = &run->app->steady;
    return run->monitor.steady || (own->every > 0 && own->holds(run));
}

/* Says why, from the checks of this run; a first check has nothing to compare with. */
static wabe_status not_steady(const wabe_run *run) {
    const wabe_run_monitor *m = &run->monitor;
    const int64_t every = run->o->monitor.every;
    const int64_t checks = run->step / every - run->first_step / every;
    const int needed = run->first_step > 0 ? 1 : 1 + STEADY_CHECKS;
    char count[32] = "no", residual[64] = "";
    if (checks > 0)
        snprintf(count, sizeof count, "%lld", (long long)checks);
    if (checks > 1)
        snprintf(residual, sizeof residual, ", the last residual is %.2g", m->residual);
    WABE_CHECK(
        checks >= needed, WABE_NOT_CONVERGED,
        "not converged: after %lld steps there %s %s check%s%s, monitor.steady needs at "
        "least %d: monitor.every is %lld%s; allow more steps with --restart latest, or check "
        "more often",
        (long long)run->step, checks > 1 ? "have been" : "has been", count, checks > 1 ? "s" : "",
        run->first_step > 0 ? " since the restart" : "", needed, (long long)every, residual);
    WABE_CHECK(m->steady_checks == 0, WABE_NOT_CONVERGED,
               "not converged: after %lld steps %s changes by %.2g of itself in %lld steps, less "
               "than monitor.steady, but only %d of %d checks in succession have found that; "
               "allow %lld steps more, with --restart latest",
               (long long)run->step, run->app->steady_what, m->residual, (long long)every,
               m->steady_checks, STEADY_CHECKS,
               (long long)((STEADY_CHECKS - m->steady_checks) * every - run->step % every));
    return WABE_FAIL(
        WABE_NOT_CONVERGED,
        "not converged: after %lld steps %s still changes by %.2g of itself in %lld "
        "steps, monitor.steady is %.2g (at %d checks in succession); allow more steps, "
        "with --restart latest",
        (long long)run->step, run->app->steady_what, m->residual, (long long)every,
        run->o->monitor.steady, STEADY_CHECKS);
}

bool wabe_run_must_be_steady(const wabe_run *run) {
    return run->o->monitor.steady > 0.0 || run->app->steady.required;
}

/* With no steps to do, nothing can change. */
wabe_status wabe_run_check_steady(const wabe_run *run) {
    if (run->o->steps == 0 || !wabe_run_must_be_steady(run) || wabe_run_is_steady(run))
        return WABE_OK;
    return run->o->monitor.steady > 0.0 ? not_steady(run) : run->app->steady.unmet(run);
}
