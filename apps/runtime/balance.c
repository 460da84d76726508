#include "apps/runtime/balance.h"

#include "core/base/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROBE_PLANES = 32, /* at most, in the first measurement */
    WARM_STEPS = 4,
    STEPS_MAX = 200, /* per round */
    ROUNDS = 3,      /* the fastest counts: disturbances only slow down */
    TRIAL_STEPS = 20,
    TRIALS = 3, /* of other shares */
    FITTING_TRIALS = 8
};
#define ROUND_SECONDS 0.05
#define LIMITED_BY_GPUS 1.02 /* of the GPUs' seconds: steps up to this are limited by GPUs */
#define MORE 1.08            /* factor on the rate of CPUs that may have been idle */
#define MEMORY_USED 0.95     /* fraction of a GPU's memory that may be filled */

/* ---- explicit and equal shares ------------------------------------------------------ */

static wabe_status check_explicit(const wabe_components *c, int64_t planes, int64_t grain) {
    int64_t sum = 0;
    for (int i = 0; i < c->count; i++) {
        WABE_CHECK(c->planes[i] > 0, WABE_INPUT,
                   "parallel.balance = \"explicit\" needs planes for each component; %s has none",
                   c->list[i].name);
        WABE_CHECK(c->planes[i] % grain == 0, WABE_INPUT,
                   "component %s gets %lld planes, and its grids need a multiple of %lld",
                   c->list[i].name, (long long)c->planes[i], (long long)grain);
        sum += c->planes[i];
    }
    WABE_CHECK(
        sum == planes, WABE_INPUT,
        "the planes of a process's components add up to %lld, but its block has %lld along z",
        (long long)sum, (long long)planes);
    return WABE_OK;
}

static wabe_status share_equally(wabe_components *c, int64_t planes, int64_t grain) {
    const int64_t grains = planes / grain;
    WABE_CHECK(grains >= c->count, WABE_INPUT,
               "%lld planes along z are too few for %d components of a process, which need %lld or "
               "more each",
               (long long)planes, c->count, (long long)grain);
    for (int i = 0; i < c->count; i++)
        c->planes[i] = (grains * (i + 1) / c->count - grains * i / c->count) * grain;
    return WABE_OK;
}

wabe_status wabe_balance_prepare(wabe_balance balance, wabe_box block, int64_t grain,
                                 wabe_components *components) {
    const int64_t planes = wabe_box_extent(block, 2), each = grain > 0 ? grain : 1;
    return balance == WABE_BALANCE_EXPLICIT ? check_explicit(components, planes, each)
                                            : share_equally(components, planes, each);
}

/* ---- rates -------------------------------------------------------------------------- */

static void run_steps(const wabe_schedule *schedule, const wabe_timeline *timeline, int steps) {
    for (int step = 0; step < steps; step++)
        wabe_schedule_run(schedule);
    wabe_timeline_synchronise(timeline);
}

/* Seconds per step in a round of measurement. */
static double time_round(const wabe_schedule *schedule, const wabe_timeline *timeline) {
    const double start = MPI_Wtime();
    double now = start;
    int steps = 0;
    while (now - start < ROUND_SECONDS && steps < STEPS_MAX) {
        run_steps(schedule, timeline, WARM_STEPS);
        steps += WARM_STEPS;
        now = MPI_Wtime();
    }
    return (now - start) / steps;
}

double wabe_balance_seconds(const wabe_schedule *schedule, const wabe_timeline *timeline) {
    double best = INFINITY;
    run_steps(schedule, timeline, WARM_STEPS);
    for (int round = 0; round < ROUNDS; round++)
        best = fmin(best, time_round(schedule, timeline));
    return best;
}

/* Measures the rates of all components on slabs of their planes, but at most planes_max. */
static wabe_status measure_rates(const wabe_run *run, const wabe_components *c, int64_t planes_max,
                                 double *rates) {
    wabe_box slab = run->block;
    const int64_t grain = run->app->grain[2] > 0 ? run->app->grain[2] : 1;
    planes_max = (planes_max + grain - 1) / grain * grain;
    for (int i = 0; i < c->count; i++) {
        const int64_t end = slab.begin[2] + c->planes[i];
        slab.end[2] = slab.begin[2] + (c->planes[i] < planes_max ? c->planes[i] : planes_max);
        WABE_TRY(run->app->rate(run, &c->list[i], slab, &rates[i]));
        slab.begin[2] = end;
    }
    return WABE_OK;
}

/* ---- shares ------------------------------------------------------------------------- */

/* Counts updates below each plane of the block: planes + 1 numbers, to be freed, also on
 * failure. */
static wabe_status count_updates(const wabe_run *run, int64_t **out) {
    const int64_t planes = wabe_box_extent(run->block, 2);
    const int64_t cells = wabe_box_plane_cells(run->block);
    int64_t *below = calloc((size_t)planes + 1, sizeof *below);
    WABE_CHECK(below, WABE_MEMORY, "no memory for the balance of %lld planes", (long long)planes);
    wabe_status status = WABE_OK;
    if (run->app->count)
        status = run->app->count(run, run->block, below + 1);
    for (int64_t z = 0; z < planes; z++)
        below[z + 1] = below[z] + (run->app->count ? below[z + 1] : cells);
    *out = below;
    return status;
}

/* A component whose probe had no updates is assumed to be as fast as the slowest other one. */
static void fill_rates(int count, double *rates) {
    double slowest = INFINITY;
    for (int i = 0; i < count; i++)
        if (rates[i] > 0.0)
            slowest = fmin(slowest, rates[i]);
    for (int i = 0; i < count; i++)
        if (!(rates[i] > 0.0))
            rates[i] = isfinite(slowest) ? slowest : 1.0;
}

/* Reduces the rates of GPUs whose planes would not fit into memory. False: all fit. */
static bool fit_memory(const wabe_run *run, const wabe_components *c, double *rates) {
    bool changed = false;
    for (int i = 0; i < c->count; i++) {
        const int64_t cells[3] = {wabe_box_extent(run->block, 0), wabe_box_extent(run->block, 1),
                                  c->planes[i]};
        const wabe_component *component = &c->list[i];
        if (!component->device)
            continue;
        const double wanted = run->app->memory(run, component, cells);
        const double available = MEMORY_USED * (double)wabe_component_memory(component);
        if (wanted > available) {
            rates[i] *= available / wanted;
            changed = true;
        }
    }
    return changed;
}

/* Gives each slab at least the planes that the application requires, whatever the rates. */
static void keep_least(const wabe_run *run, int count, int64_t *cuts) {
    const int64_t least = run->app->planes_min, planes = wabe_box_extent(run->block, 2);
    if (least <= 1 || planes < count * least)
        return;
    for (int i = 1; i < count; i++) {
        const int64_t low = cuts[i - 1] + least, high = planes - (count - i) * least;
        cuts[i] = cuts[i] < low ? low : cuts[i] < high ? cuts[i] : high;
    }
}

/* Moves cuts to multiples of the grain that the application needs. */
static void keep_grain(const wabe_run *run, int count, int64_t *cuts) {
    const int64_t grain = run->app->grain[2], planes = wabe_box_extent(run->block, 2);
    for (int i = 1; i < count && grain > 1; i++) {
        const int64_t low = cuts[i - 1] + grain, high = planes - (count - i) * grain;
        const int64_t near = (cuts[i] + grain / 2) / grain * grain;
        cuts[i] = near < low ? low : near < high ? near : high;
    }
}

/* Distributes planes in proportion to rates, weighted by updates. Without any updates the shares
 * remain. */
static void share_by_rates(const wabe_run *run, const int64_t *below, wabe_components *c,
                           double *rates) {
    const int64_t planes = wabe_box_extent(run->block, 2);
    int trials = 0;
    if (below[planes] == 0)
        return;
    do {
        int64_t cuts[WABE_SLABS_MAX + 1];
        wabe_decomposition_share(below, planes, c->count, rates, cuts);
        keep_least(run, c->count, cuts);
        keep_grain(run, c->count, cuts);
        for (int i = 0; i < c->count; i++)
            c->planes[i] = cuts[i + 1] - cuts[i];
    } while (trials++ < FITTING_TRIALS && fit_memory(run, c, rates));
}

/* By the rates of each component alone. */
static wabe_status share_by_measurement(const wabe_run *run, const int64_t *below,
                                        wabe_components *c, double *rates) {
    const int64_t planes = wabe_box_extent(run->block, 2);
    for (int round = 0; round < 2 && c->count > 1 && below[planes] > 0; round++) {
        WABE_TRY(measure_rates(run, c, round == 0 ? PROBE_PLANES : planes, rates));
        fill_rates(c->count, rates);
        share_by_rates(run, below, c, rates);
    }
    return WABE_OK;
}

/* ---- CPUs beside GPUs --------------------------------------------------------- */

/* Times the run's components. Collective. */
static wabe_status time_run(wabe_run *run, double *out) {
    wabe_domain *domain;
    WABE_TRY(run->app->plan(run));
    WABE_TRY(run->app->create(run, &domain));
    WABE_TRY(run->app->rest(run));
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        wabe_domain_synchronise(domain);
        MPI_Barrier(run->comm);
        const double start = MPI_Wtime();
        for (int pass = 0; pass < TRIAL_STEPS; pass++)
            wabe_domain_step(domain);
        wabe_domain_synchronise(domain);
        best = fmin(best, (MPI_Wtime() - start) / (TRIAL_STEPS * run->depth));
    }
    MPI_Allreduce(&best, out, 1, MPI_DOUBLE, MPI_MAX, run->comm);
    return WABE_OK;
}

/* Times whole steps, exchange included: the fastest of several rounds, of the slowest process.
 * Collective. */
static wabe_status time_steps(wabe_run *run, const wabe_components *components, double *out) {
    const wabe_components own = run->components;
    run->components = *components;
    const wabe_status status = time_run(run, out);
    run->app->destroy(run);
    run->components = own;
    return status;
}

/* Expected seconds of the slowest GPU (devices) or of the slowest CPUs for their planes. */
static double expected_seconds(const int64_t *below, const wabe_components *c, const double *rates,
                               bool devices) {
    double seconds = 0.0;
    for (int i = 0; i < c->count; below += c->planes[i++])
        if ((c->list[i].device != NULL) == devices)
            seconds = fmax(seconds, (double)(below[c->planes[i]] - below[0]) / rates[i]);
    return seconds;
}

/* Corrects the CPUs' rates by a timed step. GPUs are assumed to be as fast as alone; if the
 * step took no longer than they need, CPUs were idle for an unknown time. */
static void correct_processors(const int64_t *below, const wabe_components *c, double step,
                               double *rates) {
    const double gpus = expected_seconds(below, c, rates, true);
    const double processors = expected_seconds(below, c, rates, false);
    const double factor = step < LIMITED_BY_GPUS * gpus || processors == 0.0 ? MORE
                                                                             : processors / step;
    for (int i = 0; i < c->count; i++)
        if (!c->list[i].device)
            rates[i] *= factor;
}

/* Tries several shares in whole steps and keeps the fastest; out: seconds of its step. Whole steps
 * are more accurate than rates of slabs alone: a thread of the CPUs drives GPUs and exchange,
 * and a slab alone is timed only briefly. Collective. */
static wabe_status correct_shares(wabe_run *run, const int64_t *below, double *rates, double *out) {
    wabe_components trial = run->components;
    double seconds, trial_rates[WABE_SLABS_MAX];
    memcpy(trial_rates, rates, sizeof trial_rates);
    WABE_TRY(time_steps(run, &trial, out));
    seconds = *out;
    for (int k = 0; k < TRIALS; k++) {
        correct_processors(below, &trial, seconds, trial_rates);
        share_by_rates(run, below, &trial, trial_rates);
        const wabe_status status = time_steps(run, &trial, &seconds);
        if (status == WABE_MEMORY) /* the shares found so far do fit */
            return WABE_OK;
        WABE_TRY(status);
        if (seconds < *out) {
            *out = seconds;
            run->components = trial;
            memcpy(rates, trial_rates, sizeof trial_rates);
        }
    }
    return WABE_OK;
}

static wabe_components without_processors(const wabe_components *c) {
    wabe_components gpus = {0};
    for (int i = 0; i < c->count; i++)
        if (c->list[i].device) {
            gpus.planes[gpus.count] = c->planes[i];
            gpus.list[gpus.count++] = c->list[i];
        }
    return gpus;
}

/* Do all processes have GPUs and CPUs? Collective. */
static bool is_mixed(MPI_Comm comm, const wabe_components *c) {
    const int gpus = without_processors(c).count;
    int mixed = gpus > 0 && gpus < c->count;
    MPI_Allreduce(MPI_IN_PLACE, &mixed, 1, MPI_INT, MPI_MIN, comm);
    return mixed;
}

/* Compares the time of steps with all components (with) and with GPUs only. Collective. */
static wabe_status leave_out_what_does_not_pay(wabe_run *run, const int64_t *below, double with) {
    wabe_components gpus = without_processors(&run->components);
    double rates[WABE_SLABS_MAX], without = 0.0;
    const int64_t grain = run->app->grain[2] > 0 ? run->app->grain[2] : 1;
    wabe_status status = share_equally(&gpus, wabe_box_extent(run->block, 2), grain);
    if (status == WABE_OK)
        status = share_by_measurement(run, below, &gpus, rates);
    status = wabe_agree(run->comm, status);
    if (status == WABE_OK)
        status = time_steps(run, &gpus, &without);
    if (status == WABE_MEMORY) {
        wabe_log_line("balance    the GPUs alone have too little memory: the CPUs are kept");
        return WABE_OK;
    }
    WABE_TRY(status);
    wabe_log_line("balance    a step takes %.3f ms with the CPUs' help, %.3f ms without: %s",
                  1e3 * with, 1e3 * without, with < without ? "it pays" : "they are left out");
    if (with >= without)
        run->components = gpus;
    return WABE_OK;
}

static void print_shares(const wabe_run *run, const char *verb, const double *rates) {
    const wabe_components *c = &run->components;
    for (int i = 0; i < c->count && c->count > 1; i++)
        wabe_log_detail("balance    %s %s %.1f %s: %lld of %lld planes", c->list[i].name, verb,
                        1e-6 * rates[i], run->app->rate_unit, (long long)c->planes[i],
                        (long long)wabe_box_extent(run->block, 2));
}

/* Collective. */
static wabe_status measure(wabe_run *run, const int64_t *below) {
    double rates[WABE_SLABS_MAX], with = 0.0;
    const bool mixed = is_mixed(run->comm, &run->components);
    for (int i = 0; i < WABE_SLABS_MAX; i++)
        rates[i] = 1.0;
    WABE_TRY(wabe_agree(run->comm, share_by_measurement(run, below, &run->components, rates)));
    if (mixed)
        WABE_TRY(correct_shares(run, below, rates, &with));
    print_shares(run, "reaches", rates);
    return mixed ? leave_out_what_does_not_pay(run, below, with) : WABE_OK;
}

wabe_status wabe_balance_measure(wabe_run *run) {
    int most = run->components.count;
    int64_t *below = NULL;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, run->comm);
    if (most < 2)
        return WABE_OK;
    MPI_Barrier(run->comm);
    wabe_status status = wabe_agree(run->comm, count_updates(run, &below));
    if (status == WABE_OK)
        status = measure(run, below);
    free(below);
    return status;
}

/* ---- shares by a machine file ------------------------------------------------------- */

/* Updates per second of a component with this many updates. If the process drives GPUs, this takes
 * one of its threads. */
static wabe_status predict_rate(const wabe_run *run, const wabe_component *component, bool drives,
                                double updates, double *rate) {
    const wabe_machine *machine = &run->model.machine;
    const int index = wabe_machine_find(machine, component->target);
    wabe_step_cost cost;
    bool measured;
    WABE_CHECK(index >= 0, WABE_INPUT, "%s: it has no component of kind \"%s\"", run->model.file,
               wabe_target_word(component->target));
    WABE_CHECK(run->app->cost(run, run->o->domain.cells, component->target, &cost), WABE_INPUT,
               "%s: there is no kernel of this storage and streaming", run->model.file);
    const double threads = component->threads - (drives && component->threads > 1 ? 1.0 : 0.0);
    const wabe_model_component c = wabe_machine_model(machine, index, &cost.flavour, threads,
                                                      threads, &measured);
    *rate = updates / wabe_model_curve_seconds(&c.kernel.whole, updates / c.share);
    return WABE_OK;
}

static wabe_status share_by_machine(wabe_run *run, const int64_t *below) {
    wabe_components *c = &run->components;
    double rates[WABE_SLABS_MAX];
    bool drives = false;
    for (int i = 0; i < c->count; i++)
        drives |= c->list[i].device != NULL;
    for (int round = 0; round < FITTING_TRIALS; round++) {
        int64_t plane = 0;
        for (int i = 0; i < c->count; plane += c->planes[i++]) {
            const double updates = (double)(below[plane + c->planes[i]] - below[plane]);
            WABE_TRY(predict_rate(run, &c->list[i], drives, fmax(updates, 1.0), &rates[i]));
        }
        share_by_rates(run, below, c, rates);
    }
    print_shares(run, "should reach", rates);
    return WABE_OK;
}

wabe_status wabe_balance_predict(wabe_run *run) {
    int64_t *below = NULL;
    wabe_status status = count_updates(run, &below);
    if (status == WABE_OK)
        status = share_by_machine(run, below);
    free(below);
    return wabe_agree(run->comm, status);
}
