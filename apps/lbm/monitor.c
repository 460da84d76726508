/* Looks at the state of a flow: is it one, what of it is written to monitor.csv, is it steady? */
#include "apps/lbm/lbm.h"
#include "apps/runtime/time_series.h"

#include "core/base/log.h"

#include <math.h>

/* Above it nothing is a flow any more: the speed of sound. */
#define SPEED_MAX 0.5773502691896258

enum { CALM_LOOKS = 3 }; /* that are enough for a steady state */

wabe_status wabe_lbm_look(wabe_lbm_run_state *run, int64_t step) {
    wabe_profile_start(&run->simulation->domain.profile);
    WABE_TRY(wabe_simulation_monitor(run->simulation, &run->last));
    wabe_profile_stop(&run->simulation->domain.profile, WABE_PHASE_monitor);
    const bool runaway = !(run->last.speed_squared <= SPEED_MAX * SPEED_MAX);
    if (run->last.broken == 0 && !runaway)
        return WABE_OK;
    run->status = "diverged";
    const int64_t n = run->last.broken ? run->last.first_broken : run->last.fastest;
    const int64_t *cells = run->options.domain.cells;
    return WABE_FAIL(WABE_DIVERGED,
                     "the simulation diverged: at step %lld %s in cell (%lld, %lld, %lld); lower "
                     "lbm.velocity or the force, raise the viscosity, or use more cells",
                     (long long)step,
                     run->last.broken ? "a value is broken"
                                      : "the speed of sound "
                                        "is exceeded",
                     (long long)(n % cells[0]), (long long)(n / cells[0] % cells[1]),
                     (long long)(n / cells[0] / cells[1]));
}

wabe_status wabe_lbm_open_monitor(wabe_lbm_run_state *run) {
    return wabe_time_series_open(run->comm, run->directory, "monitor.csv",
                                 "step,time,mass_drift,mean_kinetic_energy,max_velocity,residual",
                                 run->simulation->first_step, &run->monitor);
}

/* In lattice units but for the time, as in results.json. */
wabe_status wabe_lbm_note(wabe_lbm_run_state *run, int64_t step) {
    const double cells = (double)run->fluid_cells, mass = wabe_sum_value(run->last.mass);
    const double energy = wabe_sum_value(run->last.energy) / cells;
    const double residual = fabs(energy - run->calm.energy) / energy;
    const double values[] = {(double)step * run->lbm_case.dt,
                             (mass - run->mass_at_start) / (cells + run->mass_at_start), energy,
                             sqrt(run->last.speed_squared), residual};
    const double steady = run->options.monitor.steady;
    run->calm.energy = energy;
    run->calm.looks = residual < steady ? run->calm.looks + 1 : 0;
    run->calm.steady = steady > 0.0 && run->calm.looks >= CALM_LOOKS;
    if (run->calm.steady)
        wabe_log_line(
            "steady     after %lld steps: the kinetic energy changes by %.2g of itself in "
            "%lld",
            (long long)step, residual, (long long)run->options.monitor.every);
    return wabe_agree(run->comm, wabe_time_series_add(&run->monitor, step, 5, values));
}

wabe_status wabe_lbm_not_calm(const wabe_lbm_run_state *run) {
    return WABE_FAIL(
        WABE_NOT_CONVERGED,
        "not converged: after %lld steps the kinetic energy still changes by more than "
        "monitor.steady, %.2g, of itself in %lld steps, or has not done so %d times in "
        "a row; allow more steps",
        (long long)wabe_simulation_steps(run->simulation), run->options.monitor.steady,
        (long long)run->options.monitor.every, CALM_LOOKS);
}
