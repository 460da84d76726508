/* What is due after which steps of a run: a pass of several steps ends there. */
#include "apps/runtime/run_internal.h"

enum { INTERVALS_MAX = WABE_PARTS_MAX + 9 };
#define COSTLY 1.15 /* passes for one of full length */

/* Every so many steps, counted from step first on. */
typedef struct {
    const char *key;
    int64_t every, first;
} interval;

/* Those with a number above 0. */
static int find_intervals(const wabe_run *run, interval out[INTERVALS_MAX]) {
    const wabe_run_options *o = run->o;
    const wabe_own_records *records = &run->app->records;
    const interval all[] = {{"output.every", o->output.every, 0},
                            {"monitor.every", o->monitor.every, 0},
                            {"checkpoint.every", o->checkpoint.every, 0},
                            {"output.probe_every", run->probe_count > 0 ? o->output.probe_every : 0,
                             0},
                            {"output.average.every",
                             run->averages.kept ? o->output.average.every : 0,
                             o->output.average.begin},
                            {run->app->steady.key, run->app->steady.every, 0},
                            {run->app->check_key, run->app->check_every, 0},
                            {records->key, records->every, 0},
                            {records->key, records->prepare ? records->every : 0, -1}};
    int count = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].every > 0)
            out[count++] = all[i];
    for (int i = 0; i < run->part_count; i++)
        if (run->parts[i].every > 0)
            out[count++] = (interval){"output.parts[].every", run->parts[i].every, 0};
    return count;
}

int64_t wabe_run_steps_to_go(const wabe_run *run, int64_t timed) {
    interval all[INTERVALS_MAX];
    const int count = find_intervals(run, all);
    int64_t steps = run->steps - run->step;
    for (int i = 0; i < count; i++) {
        const int64_t after = timed - all[i].first;
        const int64_t left = after < 0 ? -after : all[i].every - after % all[i].every;
        steps = left < steps ? left : steps;
    }
    const int64_t to_time = wabe_run_steps_to_time(run, run->o->output.interval, timed);
    return to_time < steps ? to_time : steps;
}

const char *wabe_run_costly_interval(const wabe_run *run, int most, int64_t *every) {
    interval all[INTERVALS_MAX];
    const int count = find_intervals(run, all);
    const char *key = NULL;
    double worst = 1.0;
    for (int i = 0; i < count; i++) {
        const int64_t passes = (all[i].every + most - 1) / most + (all[i].first < 0);
        const double more = (double)passes * most / (double)all[i].every;
        if (all[i].first <= run->o->steps && more > worst) {
            worst = more;
            key = all[i].key;
            *every = all[i].every;
        }
    }
    return worst > COSTLY ? key : NULL;
}
