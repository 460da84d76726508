/* wabe predict: what steps of a case take on a described machine, over its nodes. */
#include "apps/lbm.h"
#include "apps/machine.h"
#include "core/lattice.h"
#include "core/lattice_d3q19.h"
#include "core/log.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NODES_MAX = 64, NODES_LARGEST = 1000000 };
#define SAME 1e-9            /* relative */
#define MEMORY_SURE 1e15     /* bytes that no component has */
#define NO_LONGER_FALLS 0.98 /* of the time on fewer nodes */

/* By the count of axes along which the domain is cut. */
static const char *const cuts[] = {"none", "1-D", "2-D", "3-D"};

enum { CUTS = sizeof cuts / sizeof cuts[0] };

/* How a case is put onto nodes. */
typedef struct {
    const wabe_machine *machine;
    wabe_machine_flavour flavour;
    wabe_model_component component; /* of each slab */
    wabe_model_links links;
    int index;     /* of the component in the machine's list */
    int per_node;  /* slabs of a node */
    bool together; /* they are cut along z from one block, of one process */
    bool measured; /* the kernel's flavour is in the machine file */
} placement;

typedef struct {
    bool possible, fits; /* otherwise there is no such grid; it takes too much memory */
    int64_t slabs[3];    /* along x, y, z */
    double memory;       /* bytes of a slab */
    int64_t slowest;     /* a slab */
    wabe_model_step step;
    double seconds;
    bool inside; /* near to the sizes that were measured */
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
static wabe_status find_flavour(const wabe_lbm_run_state *run, wabe_machine_flavour *out) {
    const wabe_simulation_options *s = &run->lbm_case.simulation;
    const bool list = wabe_simulation_expects_list(s);
    const wabe_streaming streaming = list ? WABE_STREAMING_list : s->model.streaming;
    for (int i = 0; i < wabe_registry_count(wabe_kernels()); i++) {
        const wabe_kernel *kernel = wabe_registry_row(wabe_kernels(), i);
        if (kernel->sweep == WABE_SWEEP_stream_collide && kernel->storage == s->model.type &&
            kernel->collision == s->model.collision && kernel->streaming == streaming) {
            *out = (wabe_machine_flavour){.storage = s->model.type,
                                          .streaming = streaming,
                                          .fluid = list && s->fluid_share > 0.0 ? s->fluid_share
                                                                                : 1.0,
                                          .work = {.bytes = kernel->bytes, .flops = kernel->flops}};
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

/* GPUs if the machine has any. pure-mpi: a process for each, or for each core; hybrid: one for a
 * node. */
static placement place(const wabe_lbm_run_state *run, const wabe_machine *machine,
                       const wabe_machine_flavour *flavour) {
    const bool hybrid = run->lbm_case.node.mode != WABE_MODE_PURE_MPI;
    placement p = {.machine = machine, .flavour = *flavour, .together = hybrid};
    p.index = wabe_machine_find(machine, WABE_TARGET_gpu);
    p.index = p.index < 0 ? wabe_machine_find(machine, WABE_TARGET_cpu) : p.index;
    const wabe_machine_component *c = &machine->components[p.index];
    const int cores = c->count * c->threads, asked = (int)run->lbm_case.node.threads;
    const int threads = asked > 0 ? asked : hybrid ? cores : 1;
    if (c->target == WABE_TARGET_gpu)
        p.per_node = c->count;
    else
        p.per_node = hybrid ? 1 : threads < cores ? cores / threads : 1;
    const double each = threads < cores ? threads : cores;
    p.component = wabe_machine_model(machine, p.index, flavour, each, each * p.per_node,
                                     &p.measured);
    p.links = wabe_machine_links(machine, hybrid ? 1.0 : p.per_node);
    return p;
}

/* ---- a slab and its neighbours -------------------------------------------------------- */

static int64_t number_of(const int64_t slabs[3], const int64_t at[3]) {
    return at[0] + slabs[0] * (at[1] + slabs[1] * at[2]);
}

static int64_t node_of(const placement *p, const int64_t slabs[3], const int64_t at[3]) {
    const int64_t block[3] = {at[0], at[1], at[2] / p->per_node};
    return p->together ? number_of(slabs, block) : number_of(slabs, at) / p->per_node;
}

/* The slab next to one in a direction; false: there is none. */
static bool step_to(const wabe_decomposition *d, const int64_t slabs[3], const int64_t from[3],
                    const int e[3], int64_t to[3]) {
    for (int axis = 0; axis < 3; axis++) {
        to[axis] = from[axis] + e[axis];
        if (!d->periodic[axis] && (to[axis] < 0 || to[axis] >= slabs[axis]))
            return false;
        to[axis] = (to[axis] + slabs[axis]) % slabs[axis];
    }
    return true;
}

static wabe_model_path path_to(const placement *p, const int64_t slabs[3], const int64_t from[3],
                               const int64_t to[3]) {
    if (number_of(slabs, from) == number_of(slabs, to))
        return WABE_MODEL_HERE;
    if (node_of(p, slabs, from) != node_of(p, slabs, to))
        return WABE_MODEL_NETWORK;
    if (p->component.device && p->machine->links.peer.bandwidth > 0.0)
        return p->together ? WABE_MODEL_PEER : WABE_MODEL_IPC;
    return p->together ? WABE_MODEL_HOST : WABE_MODEL_NODE;
}

/* Messages of a slab, one for each neighbour. */
static int messages_of(const placement *p, const wabe_decomposition *d,
                       const wabe_model_block *block, const int64_t slabs[3], const int64_t at[3],
                       wabe_model_message out[WABE_Q]) {
    int64_t known[WABE_Q];
    int count = 0;
    for (int q = 1; q < WABE_Q; q++) {
        const int *e = wabe_lattice_e[q];
        int64_t to[3];
        if (!step_to(d, slabs, at, e, to))
            continue;
        const wabe_model_path path = path_to(p, slabs, at, to);
        if (path == WABE_MODEL_HERE && p->flavour.streaming == WABE_STREAMING_list)
            continue; /* it wraps round */
        const int axis = e[0] && e[1] ? 2 : e[0] && e[2] ? 1 : e[1] && e[2] ? 0 : -1;
        const double bytes = axis >= 0 ? wabe_model_edge_bytes(block, axis)
                                       : wabe_model_face_bytes(block, e[0]   ? 0
                                                                      : e[1] ? 1
                                                                             : 2);
        int i = 0;
        while (i < count && known[i] != number_of(slabs, to))
            i++;
        if (i == count) {
            known[count] = number_of(slabs, to);
            out[count++] = (wabe_model_message){.path = path, .sharers = 1};
        }
        out[i].bytes += bytes;
    }
    return count;
}

/* Messages that the slabs of a node send to other nodes. */
static int network_messages(int count, const wabe_model_message messages[]) {
    int found = 0;
    for (int i = 0; i < count; i++)
        found += messages[i].path == WABE_MODEL_NETWORK;
    return found;
}

static void coordinates(const placement *p, const int64_t slabs[3], int64_t node, int64_t index,
                        int64_t at[3]) {
    const int64_t n = p->together ? node : node * p->per_node + index;
    at[0] = n % slabs[0];
    at[1] = n / slabs[0] % slabs[1];
    at[2] = n / slabs[0] / slabs[1] * (p->together ? p->per_node : 1) + (p->together ? index : 0);
}

/* ---- grids of slabs ------------------------------------------------------------------- */

static wabe_model_step step_at(const placement *p, const wabe_model_block *block, int count,
                               wabe_model_message messages[], int of_node, bool overlap) {
    const int mine = network_messages(count, messages);
    for (int i = 0; i < count; i++)
        if (messages[i].path == WABE_MODEL_NETWORK)
            messages[i].sharers = of_node / mine;
    return wabe_model_step_with(&p->component, &p->links, block, count, messages, overlap);
}

/* The slowest slab of a node. */
static void foresee_node(const wabe_lbm_run_state *run, const placement *p, wabe_model_block block,
                         int64_t node, forecast *f) {
    const wabe_decomposition *d = &run->decomposition;
    wabe_model_message messages[WABE_Q];
    int64_t at[3];
    int of_node = 0;
    for (int k = 0; k < p->per_node; k++) {
        coordinates(p, f->slabs, node, k, at);
        of_node += network_messages(messages_of(p, d, &block, f->slabs, at, messages), messages);
    }
    for (int k = 0; k < p->per_node; k++) {
        coordinates(p, f->slabs, node, k, at);
        const int count = messages_of(p, d, &block, f->slabs, at, messages);
        const bool overlap = run->lbm_case.simulation.overlap &&
                             f->slabs[0] * f->slabs[1] * f->slabs[2] > 1;
        for (int axis = 0; axis < 3; axis++)
            block.neighbours[axis] = !overlap
                                         ? 0
                                         : (at[axis] > 0 || d->periodic[axis]) +
                                               (at[axis] + 1 < f->slabs[axis] || d->periodic[axis]);
        const wabe_model_step step = step_at(p, &block, count, messages, of_node, overlap);
        const double seconds = wabe_model_step_seconds(step, overlap);
        if (seconds > f->seconds) {
            f->seconds = seconds;
            f->step = step;
            f->slowest = number_of(f->slabs, at);
        }
    }
}

static bool is_inside(const placement *p, const wabe_model_block *b) {
    return wabe_model_curve_is_near(&p->component.kernel.whole, b->cells[0] * b->cells[1] *
                                                                    b->cells[2] * b->fluid_share /
                                                                    p->component.share);
}

/* The slabs of a node in the middle and of the first one stand for all; the first one of a slab
 * that is larger than others by a cell. */
static forecast foresee(const wabe_lbm_run_state *run, const placement *p, const int64_t slabs[3]) {
    const wabe_simulation_options *s = &run->lbm_case.simulation;
    forecast f = {.possible = true, .slabs = {slabs[0], slabs[1], slabs[2]}};
    int64_t cells[3];
    wabe_model_block block = {.fluid_share = p->flavour.fluid,
                              .number = (double)wabe_type_size(s->model.type),
                              .work = p->flavour.work};
    for (int d = 0; d < 3; d++) {
        cells[d] = (s->geometry.cells[d] + slabs[d] - 1) / slabs[d]; /* the largest */
        block.cells[d] = (double)cells[d];
    }
    const wabe_machine_component *c = &p->machine->components[p->index];
    f.memory = WABE_Q * block.number * block.cells[0] * block.cells[1] * block.cells[2];
    if (f.memory < MEMORY_SURE)
        f.memory = (double)wabe_simulation_forecast(s, cells, c->target);
    f.fits = f.memory <= c->memory * (p->component.device ? 1.0 : p->component.share);
    f.inside = is_inside(p, &block);
    const int64_t nodes = slabs[0] * slabs[1] * slabs[2] / p->per_node;
    if (p->together && p->component.device && p->per_node > 1)
        f.seconds = p->per_node * c->launch;
    foresee_node(run, p, block, nodes / 2, &f);
    if (nodes > 1)
        foresee_node(run, p, block, 0, &f);
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
static void foresee_all(const wabe_lbm_run_state *run, const placement *p, int64_t nodes,
                        forecast best[CUTS]) {
    const int64_t size = nodes * p->per_node, *cells = run->options.domain.cells;
    memset(best, 0, CUTS * sizeof *best);
    for (int64_t x = 1; x <= size && x <= cells[0]; x++)
        for (int64_t y = 1; size % x == 0 && y <= size / x && y <= cells[1]; y++) {
            const int64_t grid[3] = {x, y, size / x / y};
            if (size / x % y != 0 || grid[2] > cells[2] ||
                (p->together && grid[2] % p->per_node != 0))
                continue;
            const forecast f = foresee(run, p, grid);
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

static void print_head(const wabe_lbm_run_state *run, const placement *p) {
    const wabe_machine_component *c = &p->machine->components[p->index];
    const int64_t *n = run->options.domain.cells;
    wabe_log_line("case       %s: %lld x %lld x %lld cells, %.4f of them fluid", run->options.name,
                  (long long)n[0], (long long)n[1], (long long)n[2], fluid_share(run));
    wabe_log_line("kernel     moves %.0f B, %.0f flop per cell", p->flavour.work.bytes,
                  p->flavour.work.flops);
    const double rate =
        p->measured ? 1e9 / wabe_model_curve_seconds(&p->component.kernel.whole, 1e9)
                    : c->efficiency * wabe_model_lightspeed(c->processor, p->flavour.work).updates;
    wabe_log_line("machine    %s: %d %s in a node; a kernel reaches %.1f million cells per second",
                  p->machine->name, c->count,
                  p->component.device ? "GPU(s)" : "processor component(s)", 1e-6 * rate);
    wabe_log_line("mode       %s: %d %s for each node", wabe_mode_word(run->lbm_case.node.mode),
                  p->per_node, p->together ? "slab(s) of one process" : "process(es)");
    wabe_log_line("steps      with%s overlap, ms\n", run->lbm_case.simulation.overlap ? "" : "out");
    wabe_log_line("%6s %5s %-14s %9s %10s %10s  %8s %8s %8s %8s %8s %8s %8s", "nodes", "cut",
                  "slabs", "step", "MFLUPS", "efficiency", "outer", "inner", "buffers", "bus",
                  "network", "sync", "slowest");
}

static void print_row(const wabe_lbm_run_state *run, const placement *p, int64_t nodes, int cut,
                      const forecast *f, bool best, double first) {
    const int64_t *n = run->options.domain.cells, *g = f->slabs;
    const double cells = (double)n[0] * (double)n[1] * (double)n[2] * fluid_share(run);
    const wabe_model_step *s = &f->step;
    char grid[64];
    snprintf(grid, sizeof grid, "%lld x %lld x %lld", (long long)g[0], (long long)g[1],
             (long long)g[2]);
    if (!f->possible)
        return;
    if (!f->fits)
        wabe_log_line("%6lld %5s %-14s does not fit: %.2f GB of %.2f GB", (long long)nodes,
                      cuts[cut], grid, 1e-9 * f->memory,
                      1e-9 * p->machine->components[p->index].memory);
    else
        wabe_log_line("%6lld %5s %-14s %9.3f %10.1f %10.3f%c %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f "
                      "%8lld%s",
                      (long long)nodes, cuts[cut], grid, 1e3 * f->seconds,
                      1e-6 * cells / f->seconds, first / (f->seconds * (double)nodes),
                      best ? '*' : ' ', 1e3 * s->outer, 1e3 * s->inner, 1e3 * s->buffers,
                      1e3 * s->bus, 1e3 * s->network, 1e3 * s->sync, (long long)f->slowest,
                      f->inside ? "" : " !");
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

static void print_scaling(const wabe_lbm_run_state *run, const placement *p, int count,
                          const int64_t nodes[NODES_MAX]) {
    double first = 0.0, seconds[NODES_MAX]; /* node seconds at first; of each count's best */
    bool inside = true;
    print_head(run, p);
    for (int i = 0; i < count; i++) {
        forecast f[CUTS];
        foresee_all(run, p, nodes[i], f);
        const int best = best_of(f);
        if (best >= 0 && first == 0.0)
            first = f[best].seconds * (double)nodes[i];
        for (int cut = 0; cut < CUTS; cut++)
            print_row(run, p, nodes[i], cut, &f[cut], cut == best, first);
        for (int cut = 0; cut < CUTS; cut++)
            inside &= !f[cut].possible || f[cut].inside;
        if (!f[0].possible && !f[1].possible && !f[2].possible && !f[3].possible)
            wabe_log_line("%6lld  no grid of so many processes, each with a cell or more",
                          (long long)nodes[i]);
        seconds[i] = best >= 0 ? f[best].seconds : INFINITY;
    }
    wabe_log_line(
        "\n* the fastest cut; efficiency: speed-up over the first count that fits, per node");
    if (!inside)
        wabe_log_line("! slabs far from the sizes that were measured: extrapolated");
    print_enough(count, nodes, seconds);
}

/* Where all of the model is at hand. */
static wabe_status predict(const wabe_lbm_run_state *run, const wabe_machine *machine,
                           const char *file, int count, const int64_t nodes[NODES_MAX]) {
    wabe_machine_flavour flavour;
    WABE_TRY(find_flavour(run, &flavour));
    const placement p = place(run, machine, &flavour);
    WABE_CHECK(nodes[count - 1] <= INT32_MAX / p.per_node, WABE_INPUT,
               "--nodes: %lld nodes of %d components are too many", (long long)nodes[count - 1],
               p.per_node);
    WABE_CHECK(nodes[count - 1] == 1 || machine->links.network.bandwidth > 0.0, WABE_INPUT,
               "%s: has no network, which more than one node needs: give network.bandwidth and "
               "network.latency, or --nodes 1",
               file);
    if (!p.measured && machine->kernel_count > 0)
        wabe_log_warning("%s has no kernel of this storage and streaming: rates follow from its "
                         "bandwidth",
                         file);
    print_scaling(run, &p, count, nodes);
    return WABE_OK;
}

wabe_status wabe_lbm_predict(MPI_Comm comm, const wabe_input *input, wabe_config *config) {
    const char *file = input->machine ? input->machine : WABE_MACHINE_FILE;
    wabe_machine machine;
    int64_t nodes[NODES_MAX];
    int count;
    WABE_CHECK(input->machine || access(file, R_OK) == 0, WABE_INPUT,
               "no --machine FILE is given, and there is no %s here, which wabe calibrate writes",
               file);
    WABE_TRY(wabe_machine_read(comm, file, &machine));
    const bool network = machine.links.network.bandwidth > 0.0;
    const char *list = input->nodes ? input->nodes : network ? "1,2,4,8,16,32,64" : "1";
    wabe_status status = read_nodes(list, &count, nodes);
    wabe_lbm_run_state run = {0};
    if (status == WABE_OK)
        status = wabe_lbm_read(comm, config, 0, &run);
    if (status == WABE_OK)
        status = wabe_lbm_survey(&run);
    if (status == WABE_OK && run.pores.cells > 0 && run.pores.fluid == 0)
        status = wabe_config_fail(config, "geometry", "leaves no cell of the domain to the fluid");
    if (status == WABE_OK)
        status = predict(&run, &machine, file, count, nodes);
    wabe_lbm_finish(&run);
    wabe_machine_free(&machine);
    return status;
}
