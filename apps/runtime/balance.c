#include "apps/runtime/balance.h"

#include "apps/model/forecast.h"
#include "apps/runtime/kernels.h"
#include "core/base/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROBE_PLANES = 32, /* of the first measurement, at most */
    WARM_STEPS = 4,
    STEPS_MAX = 200, /* of a round */
    ROUNDS = 3,      /* the fastest counts: other work on the machine only slows down */
    TRIAL_STEPS = 20,
    TRIALS = 3, /* other shares that are tried */
    FITTING_TRIALS = 8
};
#define ROUND_SECONDS 0.05
#define LIMITED_BY_GPUS 1.02 /* a step that takes less than so many times what its GPUs need */
#define MORE 1.08            /* times their rate, for processors that may have been idle */
#define MEMORY_USED 0.95     /* of a GPU's memory that shares may fill */

/* ---- planes that are given, equal planes -------------------------------------------- */

static wabe_status check_explicit(const wabe_components *c, int64_t planes) {
    int64_t sum = 0;
    for (int i = 0; i < c->count; i++) {
        WABE_CHECK(c->planes[i] > 0, WABE_INPUT,
                   "parallel.balance = \"explicit\" needs planes for each component; %s has none",
                   c->list[i].name);
        sum += c->planes[i];
    }
    WABE_CHECK(
        sum == planes, WABE_INPUT,
        "the planes of a process's components add up to %lld, but its block has %lld along z",
        (long long)sum, (long long)planes);
    return WABE_OK;
}

static wabe_status share_equally(wabe_components *c, int64_t planes) {
    WABE_CHECK(planes >= c->count, WABE_INPUT,
               "%lld planes along z are too few for %d components of a process", (long long)planes,
               c->count);
    for (int i = 0; i < c->count; i++)
        c->planes[i] = planes * (i + 1) / c->count - planes * i / c->count;
    return WABE_OK;
}

wabe_status wabe_balance_prepare(wabe_balance balance, wabe_box block,
                                 wabe_components *components) {
    const int64_t planes = wabe_box_extent(block, 2);
    return balance == WABE_BALANCE_EXPLICIT ? check_explicit(components, planes)
                                            : share_equally(components, planes);
}

/* ---- rates -------------------------------------------------------------------------- */

static void run_steps(wabe_lbm *lbm, wabe_schedule *schedule, int steps) {
    for (int step = 0; step < steps; step++)
        wabe_schedule_run(schedule);
    wabe_lbm_synchronise(lbm);
}

/* Seconds of a step in a round of measurement. */
static double time_round(wabe_lbm *lbm, wabe_schedule *schedule) {
    const double start = MPI_Wtime();
    double now = start;
    int steps = 0;
    while (now - start < ROUND_SECONDS && steps < STEPS_MAX) {
        run_steps(lbm, schedule, WARM_STEPS);
        steps += WARM_STEPS;
        now = MPI_Wtime();
    }
    return (now - start) / steps;
}

/* Seconds of a step of a slab alone. */
static double time_slab(wabe_lbm *lbm) {
    wabe_profile profile = {0};
    wabe_schedule schedule = {.profile = &profile};
    double best = INFINITY;
    wabe_lbm_schedule(1, &lbm, &schedule);
    run_steps(lbm, &schedule, WARM_STEPS);
    for (int round = 0; round < ROUNDS; round++)
        best = fmin(best, time_round(lbm, &schedule));
    return best;
}

/* Fluid cells per second of a component on a slab; 0 where there is no fluid. */
static wabe_status measure_rate(const wabe_simulation_options *options,
                                const wabe_component *component, wabe_box slab, double *out) {
    wabe_lbm *lbm = NULL;
    *out = 0.0;
    WABE_TRY(wabe_lbm_create(wabe_kernels(), component, &options->model, &options->geometry, slab,
                             slab, &lbm));
    wabe_lbm_forget(lbm);
    const wabe_status status = wabe_lbm_initialise(lbm, wabe_lbm_at_rest, NULL);
    const double cells = (double)(lbm->tiles->regions[0].cells + lbm->tiles->regions[1].cells);
    if (status == WABE_OK && cells > 0.0)
        *out = cells / time_slab(lbm);
    wabe_lbm_destroy(&lbm);
    return status;
}

/* The rates of all components, on the slabs that their planes give them, or thinner ones. */
static wabe_status measure_rates(const wabe_simulation_options *options, wabe_box block,
                                 const wabe_components *c, int64_t planes_max, double *rates) {
    wabe_box slab = block;
    for (int i = 0; i < c->count; i++) {
        const int64_t end = slab.begin[2] + c->planes[i];
        slab.end[2] = slab.begin[2] + (c->planes[i] < planes_max ? c->planes[i] : planes_max);
        WABE_TRY(measure_rate(options, &c->list[i], slab, &rates[i]));
        slab.begin[2] = end;
    }
    return WABE_OK;
}

/* ---- shares ------------------------------------------------------------------------- */

/* Fluid cells below each plane of the block: planes + 1 numbers, to be freed, also on failure. */
static wabe_status count_fluid(const wabe_simulation_options *options, wabe_box block,
                               int64_t **out) {
    const int64_t planes = wabe_box_extent(block, 2);
    int64_t *below = calloc((size_t)planes + 1, sizeof *below);
    WABE_CHECK(below, WABE_MEMORY, "no memory for the balance of %lld planes", (long long)planes);
    const wabe_status status = wabe_geometry_count(&options->geometry, block, below + 1);
    for (int64_t z = 0; z < planes; z++)
        below[z + 1] += below[z];
    *out = below;
    return status;
}

/* A component whose probe had no fluid is taken for as fast as the slowest other one. */
static void fill_rates(int count, double *rates) {
    double slowest = INFINITY;
    for (int i = 0; i < count; i++)
        if (rates[i] > 0.0)
            slowest = fmin(slowest, rates[i]);
    for (int i = 0; i < count; i++)
        if (!(rates[i] > 0.0))
            rates[i] = isfinite(slowest) ? slowest : 1.0;
}

/* Slows down, for the sharing, GPUs whose planes would not fit their memory. False: none had to be.
 */
static bool fit_memory(const wabe_simulation_options *options, wabe_box block,
                       const wabe_components *c, double *rates) {
    const int64_t plane[3] = {wabe_box_extent(block, 0), wabe_box_extent(block, 1), 1};
    bool changed = false;
    for (int i = 0; i < c->count; i++) {
        int64_t cells[3] = {plane[0], plane[1], c->planes[i]};
        const wabe_component *component = &c->list[i];
        if (!component->device)
            continue;
        const double wanted = (double)wabe_simulation_forecast(options, cells, component->target);
        const double available = MEMORY_USED * (double)wabe_component_memory(component);
        if (wanted > available) {
            rates[i] *= available / wanted;
            changed = true;
        }
    }
    return changed;
}

/* Planes in proportion to rates, counted in fluid cells. Without any the shares stay. */
static void share_by_rates(const wabe_simulation_options *options, wabe_box block,
                           const int64_t *below, wabe_components *c, double *rates) {
    int trials = 0;
    if (below[wabe_box_extent(block, 2)] == 0)
        return;
    do {
        int64_t cuts[WABE_SLABS_MAX + 1];
        wabe_decomposition_share(below, wabe_box_extent(block, 2), c->count, rates, cuts);
        for (int i = 0; i < c->count; i++)
            c->planes[i] = cuts[i + 1] - cuts[i];
    } while (trials++ < FITTING_TRIALS && fit_memory(options, block, c, rates));
}

/* By the rates of each component alone. */
static wabe_status share_by_measurement(const wabe_simulation_options *options, wabe_box block,
                                        const int64_t *below, wabe_components *c, double *rates) {
    const int64_t planes = wabe_box_extent(block, 2);
    for (int round = 0; round < 2 && c->count > 1 && below[planes] > 0; round++) {
        WABE_TRY(measure_rates(options, block, c, round == 0 ? PROBE_PLANES : planes, rates));
        fill_rates(c->count, rates);
        share_by_rates(options, block, below, c, rates);
    }
    return WABE_OK;
}

/* ---- processors beside GPUs --------------------------------------------------------- */

/* Seconds of a whole step, exchange included: the fastest of some rounds, the slowest process's.
 * Collective. */
static wabe_status time_steps(MPI_Comm comm, const wabe_simulation_options *options,
                              const wabe_components *components, double *out) {
    wabe_simulation *s = NULL;
    WABE_TRY(wabe_simulation_create(comm, options, components, &s));
    wabe_status status = wabe_simulation_initialise(s, wabe_lbm_at_rest, NULL);
    double best = INFINITY;
    for (int round = 0; round < ROUNDS && status == WABE_OK; round++) {
        wabe_domain_synchronise(&s->domain);
        MPI_Barrier(comm);
        const double start = MPI_Wtime();
        for (int step = 0; step < TRIAL_STEPS; step++)
            wabe_simulation_step(s);
        wabe_domain_synchronise(&s->domain);
        best = fmin(best, (MPI_Wtime() - start) / TRIAL_STEPS);
    }
    MPI_Allreduce(&best, out, 1, MPI_DOUBLE, MPI_MAX, comm);
    wabe_simulation_destroy(&s);
    return status;
}

/* Seconds that the slowest GPU (devices) or the slowest processors should need for their planes. */
static double expected_seconds(const int64_t *below, const wabe_components *c, const double *rates,
                               bool devices) {
    double seconds = 0.0;
    for (int i = 0; i < c->count; below += c->planes[i++])
        if ((c->list[i].device != NULL) == devices)
            seconds = fmax(seconds, (double)(below[c->planes[i]] - below[0]) / rates[i]);
    return seconds;
}

/* What a step has told of the processors' rates. GPUs are as fast beside them as alone: a step that
 * takes no longer than they need leaves the processors idle, nobody knows how long. */
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

/* Whole steps tell better than slabs alone how fast processors are, since one of their threads
 * drives GPUs and exchange, and since a slab alone is timed for a moment. Keeps the fastest of some
 * shares; out: seconds of its step. Collective. */
static wabe_status correct_shares(MPI_Comm comm, const wabe_simulation_options *options,
                                  wabe_box block, const int64_t *below, wabe_components *c,
                                  double *rates, double *out) {
    wabe_components trial = *c;
    double seconds, trial_rates[WABE_SLABS_MAX];
    memcpy(trial_rates, rates, sizeof trial_rates);
    WABE_TRY(time_steps(comm, options, &trial, out));
    seconds = *out;
    for (int k = 0; k < TRIALS; k++) {
        correct_processors(below, &trial, seconds, trial_rates);
        share_by_rates(options, block, below, &trial, trial_rates);
        const wabe_status status = time_steps(comm, options, &trial, &seconds);
        if (status == WABE_MEMORY) /* the shares that there are do fit */
            return WABE_OK;
        WABE_TRY(status);
        if (seconds < *out) {
            *out = seconds;
            *c = trial;
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

/* Do all processes have both? Collective. */
static bool is_mixed(MPI_Comm comm, const wabe_components *c) {
    const int gpus = without_processors(c).count;
    int mixed = gpus > 0 && gpus < c->count;
    MPI_Allreduce(MPI_IN_PLACE, &mixed, 1, MPI_INT, MPI_MIN, comm);
    return mixed;
}

/* Compares steps with all components (with) and with the GPUs alone. Collective. */
static wabe_status leave_out_what_does_not_pay(MPI_Comm comm,
                                               const wabe_simulation_options *options,
                                               wabe_box block, const int64_t *below, double with,
                                               wabe_components *c) {
    wabe_components gpus = without_processors(c);
    double rates[WABE_SLABS_MAX], without = 0.0;
    wabe_status status = share_equally(&gpus, wabe_box_extent(block, 2));
    if (status == WABE_OK)
        status = share_by_measurement(options, block, below, &gpus, rates);
    status = wabe_agree(comm, status);
    if (status == WABE_OK)
        status = time_steps(comm, options, &gpus, &without);
    if (status == WABE_MEMORY) {
        wabe_log_line("balance    the GPUs alone have too little memory: the processors stay");
        return WABE_OK;
    }
    WABE_TRY(status);
    wabe_log_line("balance    a step takes %.3f ms with the processors' help, %.3f ms without: %s",
                  1e3 * with, 1e3 * without, with < without ? "it pays" : "they are left out");
    if (with >= without)
        *c = gpus;
    return WABE_OK;
}

/* Collective. */
static wabe_status measure(MPI_Comm comm, const wabe_simulation_options *options, wabe_box block,
                           const int64_t *below, wabe_components *c) {
    double rates[WABE_SLABS_MAX], with = 0.0;
    const bool mixed = is_mixed(comm, c);
    for (int i = 0; i < WABE_SLABS_MAX; i++)
        rates[i] = 1.0;
    WABE_TRY(wabe_agree(comm, share_by_measurement(options, block, below, c, rates)));
    if (mixed)
        WABE_TRY(correct_shares(comm, options, block, below, c, rates, &with));
    for (int i = 0; i < c->count && c->count > 1; i++)
        wabe_log_line("balance    %s reaches %.1f MFLUPS: %lld of %lld planes", c->list[i].name,
                      1e-6 * rates[i], (long long)c->planes[i],
                      (long long)wabe_box_extent(block, 2));
    return mixed ? leave_out_what_does_not_pay(comm, options, block, below, with, c) : WABE_OK;
}

wabe_status wabe_balance_measure(MPI_Comm comm, const wabe_simulation_options *options,
                                 wabe_box block, wabe_components *components) {
    int most = components->count;
    int64_t *below = NULL;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, comm);
    if (most < 2)
        return WABE_OK;
    MPI_Barrier(comm);
    wabe_status status = wabe_agree(comm, count_fluid(options, block, &below));
    if (status == WABE_OK)
        status = measure(comm, options, block, below, components);
    free(below);
    return status;
}

/* ---- by a machine file -------------------------------------------------------------- */

/* Fluid cells per second of a component on so many fluid cells. A thread of the process drives its
 * GPUs. */
static wabe_status foresee_rate(const wabe_machine *machine, const wabe_machine_flavour *flavour,
                                const wabe_component *component, bool drives, double cells,
                                double *rate) {
    const int index = wabe_machine_find(machine, component->target);
    bool measured;
    WABE_CHECK(index >= 0, WABE_INPUT, "it has no component of kind \"%s\"",
               wabe_target_word(component->target));
    const double threads = component->threads - (drives && component->threads > 1 ? 1.0 : 0.0);
    const wabe_model_component c = wabe_machine_model(machine, index, flavour, threads, threads,
                                                      &measured);
    *rate = cells / wabe_model_curve_seconds(&c.kernel.whole, cells / c.share);
    return WABE_OK;
}

static wabe_status share_by_machine(const wabe_simulation_options *options, wabe_box block,
                                    const int64_t *below, const wabe_machine *machine,
                                    wabe_components *c) {
    wabe_machine_flavour flavour;
    WABE_CHECK(wabe_forecast_flavour(options, &flavour), WABE_INPUT,
               "there is no kernel of this storage and streaming");
    double rates[WABE_SLABS_MAX];
    bool drives = false;
    for (int i = 0; i < c->count; i++)
        drives |= c->list[i].device != NULL;
    for (int round = 0; round < FITTING_TRIALS; round++) {
        int64_t plane = 0;
        for (int i = 0; i < c->count; plane += c->planes[i++]) {
            const double cells = (double)(below[plane + c->planes[i]] - below[plane]);
            WABE_TRY(
                foresee_rate(machine, &flavour, &c->list[i], drives, fmax(cells, 1.0), &rates[i]));
        }
        share_by_rates(options, block, below, c, rates);
    }
    for (int i = 0; i < c->count && c->count > 1; i++)
        wabe_log_line("balance    %s should reach %.1f MFLUPS: %lld of %lld planes",
                      c->list[i].name, 1e-6 * rates[i], (long long)c->planes[i],
                      (long long)wabe_box_extent(block, 2));
    return WABE_OK;
}

wabe_status wabe_balance_foresee(MPI_Comm comm, const wabe_simulation_options *options,
                                 wabe_box block, const wabe_machine *machine,
                                 wabe_components *components) {
    int64_t *below = NULL;
    wabe_status status = count_fluid(options, block, &below);
    if (status == WABE_OK)
        status = share_by_machine(options, block, below, machine, components);
    free(below);
    return wabe_agree(comm, status);
}
