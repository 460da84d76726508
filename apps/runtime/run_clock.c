/* The time of a run, if steps differ that of each one; and what is due by it. */
#include "apps/runtime/run_internal.h"

#include <math.h>

#define CLOSE 1e-9 /* of an interval, or of a step: what rounding may have left */
enum { FEW = 3 };  /* steps over which a shorter way to the next due time is shared */

/* ---- steps of equal length -------------------------------------------------------------- */

int64_t wabe_run_last_step(const wabe_run_options *o, double time_step) {
    const double steps = fmin(ceil(o->end_time / time_step * (1.0 - CLOSE)), WABE_STEPS_MAX);
    return !(steps > 0.0) || (o->steps != INT64_MIN && (double)o->steps < steps) ? o->steps
                                                                                 : (int64_t)steps;
}

double wabe_run_time_at(const wabe_run *run, int64_t step) {
    const wabe_run_clock *c = &run->clock;
    if (!run->app->longest_step)
        return (double)step * run->app->time_step;
    return step < run->step ? c->before : step > run->step ? c->next : c->now;
}

/* Whole intervals that have passed. */
static double intervals_at(const wabe_run *run, double interval, int64_t step) {
    return floor(wabe_run_time_at(run, step) / interval + CLOSE);
}

bool wabe_run_time_is_due(const wabe_run *run, double interval, int64_t step) {
    return interval > 0.0 &&
           (step == 0 || intervals_at(run, interval, step) > intervals_at(run, interval, step - 1));
}

int64_t wabe_run_steps_to_time(const wabe_run *run, double interval, int64_t step) {
    if (interval == 0.0)
        return INT64_MAX;
    if (run->app->longest_step)
        return 1;
    const double due = intervals_at(run, interval, step) + 1.0 - CLOSE;
    const double at = ceil(due * interval / run->app->time_step);
    if (at > WABE_STEPS_MAX)
        return INT64_MAX;
    const int64_t steps = (int64_t)at > step ? (int64_t)at - step : 1;
    return wabe_run_time_is_due(run, interval, step + steps) ? steps : steps + 1; /* rounding */
}

/* ---- steps that differ -------------------------------------------------------------------- */

wabe_status wabe_run_set_clock(wabe_run *run, const wabe_checkpoint *c) {
    wabe_run_clock *clock = &run->clock;
    const double step = (double)run->step * run->app->time_step; /* of checkpoints without it */
    *clock = (wabe_run_clock){.time_step = run->app->time_step};
    if (!c)
        return WABE_OK;
    clock->now = clock->before = wabe_checkpoint_number_of(c, "time", step);
    clock->time_step = wabe_checkpoint_number_of(c, "time_step", run->app->time_step);
    if (run->step > run->o->steps)
        return wabe_config_fail(run->config,
                                wabe_config_is_given(run->config, "steps") ? "steps" : "end_time",
                                "has been passed: %s is of step %lld", wabe_checkpoint_path(c),
                                (long long)run->step);
    if (run->app->longest_step && clock->now > run->o->end_time)
        return wabe_config_fail(run->config, "end_time", "has been passed: %s is of time %g",
                                wabe_checkpoint_path(c), clock->now);
    return WABE_OK;
}

/* The next time at which a step must end. An output less than a step before the run's end waits for
 * it: a step that is very short would divide what is left of the divergence by next to nothing. */
static double due_time(const wabe_run *run, double most) {
    const double interval = run->o->output.interval, end = run->o->end_time;
    const double output = interval > 0.0 ? (intervals_at(run, interval, run->step) + 1.0) * interval
                                         : INFINITY;
    return !isnan(end) && end - output < most ? end : output;
}

void wabe_run_plan_step(wabe_run *run) {
    wabe_run_clock *c = &run->clock;
    if (!run->app->longest_step)
        return;
    const double most = run->app->longest_step(run);
    const double due = due_time(run, most), left = due - c->now;
    const double steps = fmax(ceil(left / most - CLOSE), 1.0);
    c->time_step = steps <= FEW ? left / steps : most;
    c->next = steps == 1.0 ? due : c->now + c->time_step;
}

bool wabe_run_ends_at(const wabe_run *run, int64_t step) {
    return step == run->steps ||
           (run->app->longest_step && wabe_run_time_at(run, step) >= run->o->end_time);
}

/* ---- how much is left ----------------------------------------------------------------------- */

double wabe_run_steps_left(const wabe_run *run) {
    const double steps = (double)(run->o->steps - run->step);
    const double by_time = (run->o->end_time - run->clock.now) / run->clock.time_step;
    return run->app->longest_step && by_time < steps ? ceil(by_time) : steps;
}

double wabe_run_share_done(const wabe_run *run) {
    const double steps = (double)(run->step - run->rehearsal) /
                         (double)(run->steps - run->rehearsal);
    const double by_time = run->clock.now / run->o->end_time;
    return run->app->longest_step && by_time > steps ? by_time : steps;
}

static bool ends_by_time(const wabe_run *run) {
    return run->app->longest_step && isfinite(run->o->end_time);
}

const char *wabe_run_length(const wabe_run *run, char text[WABE_RUN_LENGTH_SIZE]) {
    const wabe_run_options *o = run->o;
    const int size = WABE_RUN_LENGTH_SIZE;
    if (run->app->duration > 0.0 && o->steps == 0)
        snprintf(text, size, "steps for %g s", run->app->duration);
    else if (ends_by_time(run) && wabe_config_is_given(run->config, "steps"))
        snprintf(text, size, "until time %g, %lld steps at most", o->end_time, (long long)o->steps);
    else if (ends_by_time(run))
        snprintf(text, size, "until time %g", o->end_time);
    else
        snprintf(text, size, "%lld steps", (long long)o->steps);
    return text;
}

const char *wabe_run_place(const wabe_run *run, char text[WABE_RUN_LENGTH_SIZE]) {
    const int size = WABE_RUN_LENGTH_SIZE;
    const long long step = run->step - run->rehearsal;
    if (ends_by_time(run))
        snprintf(text, size, "step %lld, time %.4g of %g", step, run->clock.now, run->o->end_time);
    else
        snprintf(text, size, "step %lld of %lld", step, (long long)(run->steps - run->rehearsal));
    return text;
}
