/* wabe predict: what steps of a case take on a described machine, over its nodes. */
#include "apps/lbm.h"
#include "apps/machine.h"
#include "core/log.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 64, NODES_LARGEST = 1000000 };
#define SAME 1e-9            /* relative */
#define MEMORY_SURE 1e15     /* bytes that no component has */
#define NO_LONGER_FALLS 0.98 /* of the time on fewer nodes */

/* By the count of axes along which the domain is cut. */
static const char *const cuts[] = {"none", "1-D", "2-D", "3-D"};

enum { CUTS = sizeof cuts / sizeof cuts[0] };

typedef struct {
    bool possible, fits; /* otherwise there is no such grid; it takes too much memory */
    wabe_decomposition decomposition;
    double memory; /* bytes of a component */
    wabe_model_step step;
    double seconds;
} forecast;

static wabe_status read_nodes(const char *text, int *count, int64_t nodes[NODES_MAX]) {
    *count = 0;
    for (const char *at = text; *count < NODES_MAX; at++) {
        char *end;
        errno = 0;
        const long long value = strtoll(at, &end, 10);
        if (end == at || errno || value < 1 || value > NODES_LARGEST || (*end && *end != ','))
            break;
        if (*count > 0 && value <= nodes[*count - 1])
            break;
        nodes[(*count)++] = value;
        if (!*end)
            return WABE_OK;
        at = end;
    }
    return WABE_FAIL(
        WABE_INPUT,
        "--nodes needs up to %d numbers that grow, from 1 to %d, such as 1,2,4,8; not '%s'",
        NODES_MAX, NODES_LARGEST, text);
}

/* Of the pattern that the case will take; instruction sets move the same bytes. */
static wabe_status find_work(const wabe_lbm_run_state *run, wabe_model_work *out) {
    const wabe_simulation_options *s = &run->lbm_case.simulation;
    const wabe_streaming streaming = wabe_simulation_expects_list(s) ? WABE_STREAMING_list
                                                                     : s->model.streaming;
    for (int i = 0; i < wabe_registry_count(wabe_kernels()); i++) {
        const wabe_kernel *kernel = wabe_registry_row(wabe_kernels(), i);
        if (kernel->sweep == WABE_SWEEP_stream_collide && kernel->storage == s->model.type &&
            kernel->collision == s->model.collision && kernel->streaming == streaming) {
            *out = (wabe_model_work){.bytes = kernel->bytes, .flops = kernel->flops};
            return WABE_OK;
        }
    }
    return wabe_config_fail(run->config, "lbm.storage",
                            "no kernel of this build has this storage, collision and streaming");
}

static double fluid_share(const wabe_lbm_run_state *run) {
    const double share = run->lbm_case.simulation.fluid_share;
    return share > 0.0 ? share : 1.0; /* not surveyed: see wabe_lbm_survey */
}

static int neighbours_of(const wabe_decomposition *d, int axis) {
    const int count = d->processes[axis];
    return count == 1 ? 0 : count == 2 && !d->periodic[axis] ? 1 : 2;
}

static forecast foresee(const wabe_lbm_run_state *run, const wabe_machine *machine,
                        wabe_model_work work, const int64_t processes[3], bool apart) {
    const wabe_simulation_options *s = &run->lbm_case.simulation;
    forecast f = {.possible = true, .decomposition = run->decomposition};
    int64_t cells[3];
    wabe_model_block block = {.fluid_share = wabe_simulation_expects_list(s) ? fluid_share(run)
                                                                             : 1.0,
                              .number = (double)wabe_type_size(s->model.type),
                              .work = work};
    for (int d = 0; d < 3; d++) {
        cells[d] = (s->geometry.cells[d] + processes[d] - 1) / processes[d]; /* the largest */
        block.cells[d] = (double)cells[d];
        f.decomposition.processes[d] = (int)processes[d];
        block.neighbours[d] = neighbours_of(&f.decomposition, d);
    }
    f.memory = WABE_Q * block.number * block.cells[0] * block.cells[1] * block.cells[2];
    if (f.memory < MEMORY_SURE)
        f.memory = (double)wabe_simulation_forecast(s, cells, machine->target);
    f.fits = f.memory <= machine->memory;
    f.step = wabe_model_step_of(&machine->model, &block, apart);
    f.seconds = wabe_model_step_seconds(f.step, s->overlap);
    return f;
}

/* Where the exchange is hidden altogether, the one with less of it: no model is exact. */
static bool is_better(const forecast *a, const forecast *b) {
    if (a->possible != b->possible || a->fits != b->fits)
        return a->possible > b->possible || a->fits > b->fits;
    const double together = wabe_model_step_seconds(a->step, false);
    return a->possible && (a->seconds < (1.0 - SAME) * b->seconds ||
                           (a->seconds < (1.0 + SAME) * b->seconds &&
                            together < (1.0 - SAME) * wabe_model_step_seconds(b->step, false)));
}

/* The fastest grid for each count of axes that are cut. */
static void foresee_all(const wabe_lbm_run_state *run, const wabe_machine *machine,
                        wabe_model_work work, int64_t nodes, forecast best[CUTS]) {
    const int64_t size = nodes * machine->model.per_node, *cells = run->options.domain.cells;
    memset(best, 0, CUTS * sizeof *best);
    for (int64_t x = 1; x <= size && x <= cells[0]; x++)
        for (int64_t y = 1; size % x == 0 && y <= size / x && y <= cells[1]; y++) {
            const int64_t grid[3] = {x, y, size / x / y};
            if (size / x % y != 0 || grid[2] > cells[2])
                continue;
            const forecast f = foresee(run, machine, work, grid, nodes > 1);
            const int axes = (grid[0] > 1) + (grid[1] > 1) + (grid[2] > 1);
            if (is_better(&f, &best[axes]))
                best[axes] = f;
        }
}

/* -1: none fits. */
static int best_of(const forecast f[CUTS]) {
    int best = -1;
    for (int cut = 0; cut < CUTS; cut++)
        if (f[cut].possible && f[cut].fits && (best < 0 || is_better(&f[cut], &f[best])))
            best = cut;
    return best;
}

static void print_head(const wabe_lbm_run_state *run, const wabe_machine *machine,
                       wabe_model_work work) {
    const wabe_model_machine *m = &machine->model;
    const int64_t *n = run->options.domain.cells;
    wabe_log_line("case       %s: %lld x %lld x %lld cells, %.4f of them fluid", run->options.name,
                  (long long)n[0], (long long)n[1], (long long)n[2], fluid_share(run));
    wabe_log_line("kernel     moves %.0f B, %.0f flop per cell", work.bytes, work.flops);
    wabe_log_line("machine    %s: %d %s in a node; a kernel reaches %.1f million cells per second",
                  machine->name, m->per_node,
                  machine->target == WABE_TARGET_gpu ? "GPU(s)" : "processor component(s)",
                  1e-6 * m->efficiency * wabe_model_lightspeed(m->processor, work).updates);
    wabe_log_line("steps      with%s overlap, ms\n", run->lbm_case.simulation.overlap ? "" : "out");
    wabe_log_line("%6s %5s %-14s %9s %10s %10s  %8s %8s %8s %8s %8s", "nodes", "cut", "processes",
                  "step", "MFLUPS", "efficiency", "outer", "inner", "buffers", "bus", "network");
}

static void print_row(const wabe_lbm_run_state *run, const wabe_machine *machine, int64_t nodes,
                      int cut, const forecast *f, bool best, double first) {
    const int *p = f->decomposition.processes;
    const int64_t *n = run->options.domain.cells;
    const double cells = (double)n[0] * (double)n[1] * (double)n[2] * fluid_share(run);
    char grid[48];
    snprintf(grid, sizeof grid, "%d x %d x %d", p[0], p[1], p[2]);
    if (!f->possible)
        return;
    if (!f->fits)
        wabe_log_line("%6lld %5s %-14s does not fit: %.2f GB of %.2f GB", (long long)nodes,
                      cuts[cut], grid, 1e-9 * f->memory, 1e-9 * machine->memory);
    else
        wabe_log_line("%6lld %5s %-14s %9.3f %10.1f %10.3f%c %8.3f %8.3f %8.3f %8.3f %8.3f",
                      (long long)nodes, cuts[cut], grid, 1e3 * f->seconds,
                      1e-6 * cells / f->seconds, first / (f->seconds * (double)nodes),
                      best ? '*' : ' ', 1e3 * f->step.outer, 1e3 * f->step.inner,
                      1e3 * f->step.buffers, 1e3 * f->step.bus, 1e3 * f->step.network);
}

/* From where on the list has nothing that is much faster. */
static void print_enough(int count, const int64_t nodes[], const double seconds[]) {
    double fastest = INFINITY;
    int enough = 0, last = 0;
    for (int i = 0; i < count; i++) {
        fastest = fmin(fastest, seconds[i]);
        last = isfinite(seconds[i]) ? i : last;
    }
    while (enough < count && !(seconds[enough] <= fastest / NO_LONGER_FALLS))
        enough++;
    if (enough < last)
        wabe_log_line("more than %lld of these nodes do not make steps faster",
                      (long long)nodes[enough]);
}

static void print_scaling(const wabe_lbm_run_state *run, const wabe_machine *machine,
                          wabe_model_work work, int count, const int64_t nodes[NODES_MAX]) {
    double first = 0.0, seconds[NODES_MAX]; /* node seconds at first; of each count's best */
    print_head(run, machine, work);
    for (int i = 0; i < count; i++) {
        forecast f[CUTS];
        foresee_all(run, machine, work, nodes[i], f);
        const int best = best_of(f);
        if (best >= 0 && first == 0.0)
            first = f[best].seconds * (double)nodes[i];
        for (int cut = 0; cut < CUTS; cut++)
            print_row(run, machine, nodes[i], cut, &f[cut], cut == best, first);
        if (!f[0].possible && !f[1].possible && !f[2].possible && !f[3].possible)
            wabe_log_line("%6lld  no grid of so many processes, each with a cell or more",
                          (long long)nodes[i]);
        seconds[i] = best >= 0 ? f[best].seconds : INFINITY;
    }
    wabe_log_line(
        "\n* the fastest cut; efficiency: speed-up over the first count that fits, per node");
    print_enough(count, nodes, seconds);
}

wabe_status wabe_lbm_predict(MPI_Comm comm, const wabe_input *input, wabe_config *config) {
    wabe_machine machine;
    wabe_model_work work = {0};
    int64_t nodes[NODES_MAX];
    int count;
    WABE_CHECK(input->machine, WABE_INPUT,
               "usage: wabe predict FILE --machine FILE [--nodes 1,2,4,...] [--set path=value]...");
    WABE_TRY(read_nodes(input->nodes ? input->nodes : "1,2,4,8,16,32,64", &count, nodes));
    WABE_TRY(wabe_machine_read(comm, input->machine, &machine));
    WABE_CHECK(nodes[count - 1] <= INT32_MAX / machine.model.per_node, WABE_INPUT,
               "--nodes: %lld nodes of %d components are too many", (long long)nodes[count - 1],
               machine.model.per_node);
    wabe_lbm_run_state run;
    wabe_status status = wabe_lbm_read(comm, config, 0, &run);
    if (status == WABE_OK)
        status = wabe_lbm_survey(&run);
    if (status == WABE_OK && run.pores.cells > 0 && run.pores.fluid == 0)
        status = wabe_config_fail(config, "geometry", "leaves no cell of the domain to the fluid");
    if (status == WABE_OK)
        status = find_work(&run, &work);
    if (status == WABE_OK)
        print_scaling(&run, &machine, work, count, nodes);
    wabe_lbm_finish(&run);
    return status;
}
