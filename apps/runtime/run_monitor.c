/* Checks of the state: divergence, monitor.csv, steady state. */
#include "apps/runtime/run_internal.h"

#include "core/base/log.h"

#include <math.h>
#include <string.h>

enum { STEADY_CHECKS = 3 }; /* consecutive ones for a steady state */

wabe_status wabe_run_open_monitor(wabe_run *run) {
    char columns[WABE_LINE_SIZE + 32];
    snprintf(columns, sizeof columns, "step,time,%s,residual", run->app->columns);
    return wabe_time_series_open(run->comm, run->directory, "monitor.csv", columns,
                                 run->goes_on ? run->first_step : 0, &run->monitor.file);
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

wabe_status wabe_run_add_monitor_line(wabe_run *run) {
    wabe_run_monitor *m = &run->monitor;
    const int count = run->app->column_count;
    const double now = m->columns[run->app->steady_column], steady = run->o->monitor.steady;
    const double residual = fabs(now - m->last) / now;
    double line[2 + WABE_MONITOR_COLUMNS_MAX] = {(double)run->step * run->app->time_step};
    memcpy(line + 1, m->columns, (size_t)count * sizeof *line);
    line[1 + count] = residual;
    m->last = now;
    m->steady_checks = residual < steady ? m->steady_checks + 1 : 0;
    m->steady = steady > 0.0 && m->steady_checks >= STEADY_CHECKS;
    if (m->steady)
        wabe_log_line("steady     after %lld steps: %s changes by %.2g of itself in %lld",
                      (long long)run->step, run->app->steady_what, residual,
                      (long long)run->o->monitor.every);
    return wabe_agree(run->comm, wabe_time_series_add(&m->file, run->step, 2 + count, line));
}

bool wabe_run_is_steady(const wabe_run *run) {
    const wabe_steady_criterion *own = &run->app->steady;
    return run->monitor.steady || (own->every > 0 && own->holds(run));
}

/* With no steps to do, nothing can change. */
wabe_status wabe_run_check_steady(const wabe_run *run) {
    const double steady = run->o->monitor.steady;
    if (run->o->steps == 0 || wabe_run_is_steady(run))
        return WABE_OK;
    if (steady > 0.0)
        return WABE_FAIL(WABE_NOT_CONVERGED,
                         "not converged: after %lld steps %s still changes by more than "
                         "monitor.steady, %.2g, of itself in %lld steps, or has not done so %d "
                         "times in a row; allow more steps",
                         (long long)run->step, run->app->steady_what, steady,
                         (long long)run->o->monitor.every, STEADY_CHECKS);
    return run->app->steady.required ? run->app->steady.unmet(run) : WABE_OK;
}
