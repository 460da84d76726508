/* About how long a run will take: by the machine file, or else, for wabe check, by kernels that are
 * measured on a part of the domain. */
#include "apps/runtime/run_internal.h"

#include "comm/node.h"
#include "core/base/log.h"

#include <math.h>
#include <unistd.h>

/* ---- rates of kernels --------------------------------------------------------------- */

enum {
    PART_OF_THREAD = 1 << 17, /* cells that are measured: more than caches hold, and within half a
                                 second with one step for each */
    PART_OF_GPU = 1 << 22,
    PART_EMULATED = 1 << 13,
    PART_EDGE = 16 /* at least */
};

static int64_t cells_of_part(const wabe_component *c) {
    return !c->device                           ? (int64_t)c->threads * PART_OF_THREAD
           : wabe_device_is_emulated(c->device) ? PART_EMULATED
                                                : PART_OF_GPU;
}

/* The middle of a box, of about so many cells, with rows along x as long as they are. */
static wabe_box part_of(wabe_box box, int64_t cells) {
    for (int axis = 2; axis >= 0; axis--) {
        const int64_t all = wabe_box_extent(box, axis);
        int64_t kept = cells / (wabe_box_cells(box) / all);
        kept = kept > PART_EDGE ? kept : PART_EDGE;
        kept = kept < all ? kept : all;
        box.begin[axis] += (all - kept) / 2;
        box.end[axis] = box.begin[axis] + kept;
    }
    return box;
}

/* Updates per second of each component, measured. */
static wabe_status measure_rates(const wabe_run *run, double rates[]) {
    for (int i = 0; i < run->components.count; i++) {
        const wabe_component *c = &run->components.list[i];
        WABE_TRY(run->app->rate(run, c, part_of(run->block, cells_of_part(c)), &rates[i]));
    }
    return WABE_OK;
}

/* The same by the machine file. busy: threads of all processes of the node. */
static wabe_status predict_rates(const wabe_run *run, double updates, double busy, double rates[]) {
    const wabe_machine *machine = &run->model.machine;
    for (int i = 0; i < run->components.count; i++) {
        const wabe_component *c = &run->components.list[i];
        const int index = wabe_machine_find(machine, c->target);
        wabe_step_cost cost;
        bool measured;
        WABE_CHECK(index >= 0 && run->app->cost(run, run->o->domain.cells, c->target, &cost),
                   WABE_INPUT, "%s has no such component or kernel", run->model.file);
        const wabe_model_component model = wabe_forecast_component(machine, index, &cost,
                                                                   c->threads, busy, &measured);
        rates[i] = updates * cost.pass.steps /
                   wabe_model_curve_seconds(&model.kernel.whole, updates / model.share);
    }
    return WABE_OK;
}

/* ---- time of a step ----------------------------------------------------------------- */

static double threads_of_node(const wabe_run *run) {
    double threads = 0.0;
    for (int i = 0; i < run->components.count; i++)
        threads += run->components.list[i].device ? 0.0 : run->components.list[i].threads;
    return fmin(wabe_node_sum(run->comm, threads), (double)sysconf(_SC_NPROCESSORS_ONLN));
}

/* Seconds in which a process's components do a step on its block: those that share it by rates end
 * together. */
static double seconds_of_step(const wabe_run *run, double updates, const double rates[]) {
    const wabe_components *c = &run->components;
    const bool fixed = wabe_run_is_balance(run, WABE_BALANCE_EQUAL) ||
                       wabe_run_is_balance(run, WABE_BALANCE_EXPLICIT);
    double slowest = 0.0, all = 0.0;
    for (int i = 0; i < c->count; i++) {
        const double share = (double)c->planes[i] / (double)wabe_box_extent(run->block, 2);
        slowest = fmax(slowest, share * updates / rates[i]);
        all += rates[i];
    }
    return fixed ? slowest : updates / all;
}

static double share_of_updates(const wabe_run *run) {
    wabe_step_cost cost;
    return run->app->cost(run, run->o->domain.cells, run->components.list[0].target, &cost)
               ? cost.share
               : 1.0;
}

/* Seconds of the kernels of a step, of the slowest process; INFINITY: unknown. Collective. */
static double kernel_seconds(const wabe_run *run, double share) {
    const double updates = share * (double)wabe_box_cells(run->block);
    const double busy = threads_of_node(run);
    double rates[WABE_SLABS_MAX];
    const wabe_status status = run->model.machine.component_count > 0
                                   ? predict_rates(run, updates, busy, rates)
                                   : measure_rates(run, rates);
    if (status != WABE_OK)
        wabe_log_detail("time       unknown: %s", wabe_error_message());
    double seconds = status == WABE_OK ? seconds_of_step(run, updates, rates) : INFINITY;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, run->comm);
    return seconds;
}

/* ---- the line ----------------------------------------------------------------------- */

static const char *in_words(double seconds, char text[32]) {
    if (seconds < 100.0)
        snprintf(text, 32, seconds < 10.0 ? "%.1f s" : "%.0f s", seconds);
    else if (seconds < 6000.0)
        snprintf(text, 32, "%.0f minutes", seconds / 60.0);
    else if (seconds < 172800.0)
        snprintf(text, 32, "%.1f hours", seconds / 3600.0);
    else
        snprintf(text, 32, "%.1f days", seconds / 86400.0);
    return text;
}

/* Says nothing of less than a second. missing: what the estimate leaves out; of: what it is made
 * of. */
static void print_time(const wabe_run *run, double steps, double seconds, const char *missing,
                       const char *of) {
    const bool may_end = run->o->monitor.steady > 0.0 || run->app->steady.every > 0;
    char text[32];
    if (steps * seconds < 1.0)
        return;
    wabe_log_line("time       about %s%s for %.0f steps%s, without %s (an estimate%s)",
                  in_words(steps * seconds, text), may_end ? " at most" : "", steps,
                  run->app->longest_step ? ", if they stay as long as the first one" : "", missing,
                  of);
}

void wabe_run_print_time(const wabe_run *run) {
    const double steps = wabe_run_steps_left(run);
    char of[WABE_STRING_SIZE + 16];
    if (run->model.machine.component_count == 0 || steps <= 0.0)
        return;
    snprintf(of, sizeof of, " by %s", run->model.file);
    print_time(run, steps, run->model.forecast.seconds, "output", of);
}

void wabe_run_estimate_time(const wabe_run *run) {
    const bool machine = run->model.machine.component_count > 0;
    if (wabe_run_steps_left(run) == 0.0 || run->input->quiet || wabe_run_is_streamed(run) ||
        !wabe_run_measures_copy(run))
        return;
    const double share = share_of_updates(run), seconds = kernel_seconds(run, share);
    char of[WABE_STRING_SIZE + 96];
    if (!isfinite(seconds) || seconds <= 0.0)
        return;
    snprintf(of, sizeof of, ": %.1f %s, %s%s", 1e-6 * share * wabe_run_cells(run) / seconds,
             run->app->rate_unit, machine ? "by " : "measured on a part of the domain",
             machine ? run->model.file : "");
    print_time(run, wabe_run_steps_left(run), seconds,
               run->size > 1 ? "output and messages between processes" : "output", of);
}
