#include "apps/model/scaling.h"

#include "core/device/field.h"

#include <math.h>
#include <string.h>

#define SAME 1e-9        /* relative */
#define MEMORY_SURE 1e15 /* bytes, beyond any component */

enum { DIRECTIONS = 27 }; /* a slab and its neighbours */

#define LARGE 1e7 /* cells, for the rates that decide on shares */

/* The GPUs' share of a block on which the node's CPUs also work; one of the CPUs'
 * threads drives the GPUs. */
static double kept_by_gpus(const wabe_machine *m, const wabe_machine_flavour *flavour,
                           const wabe_placement *p) {
    const int cpu = wabe_machine_find(m, WABE_TARGET_cpu);
    if (cpu < 0 || !p->component.device)
        return 1.0;
    const double threads = m->components[cpu].count * m->components[cpu].threads - 1.0;
    if (threads < 1.0)
        return 1.0;
    bool measured;
    const wabe_model_component c = wabe_machine_model(m, cpu, flavour, threads, threads, &measured);
    const double gpu = wabe_model_curve_seconds(&p->component.kernel.whole, LARGE) / p->per_node;
    const double help = wabe_model_curve_seconds(&c.kernel.whole, LARGE / c.share);
    return help / (gpu + help);
}

wabe_placement wabe_placement_of(const wabe_scaling_case *k, const wabe_machine *machine,
                                 wabe_mode mode, bool weak) {
    const wabe_machine_flavour *flavour = &k->flavour;
    const bool hybrid = mode != WABE_MODE_PURE_MPI;
    wabe_placement p = {.machine = machine, .together = hybrid, .weak = weak, .kept = 1.0};
    p.index = wabe_machine_find(machine, WABE_TARGET_gpu);
    p.index = p.index < 0 ? wabe_machine_find(machine, WABE_TARGET_cpu) : p.index;
    const wabe_machine_component *c = &machine->components[p.index];
    const int cores = c->count * c->threads, asked = (int)k->node.threads;
    const int threads = asked > 0 ? asked : hybrid ? cores : 1;
    if (c->target == WABE_TARGET_gpu)
        p.per_node = c->count;
    else
        p.per_node = hybrid ? 1 : threads < cores ? cores / threads : 1;
    const double each = threads < cores ? threads : cores;
    p.threads = each;
    p.busy = each * p.per_node;
    p.component = wabe_machine_model(machine, p.index, flavour, p.threads, p.busy, &p.measured);
    p.links = wabe_machine_links(machine, hybrid ? 1.0 : p.per_node);
    p.reaches = p.component.device && machine->links.peer.bandwidth > 0.0 &&
                k->transport != WABE_TRANSPORT_host;
    if (mode == WABE_MODE_HETEROGENEOUS)
        p.kept = kept_by_gpus(machine, flavour, &p);
    return p;
}

/* ---- a slab and its neighbours -------------------------------------------------------- */

static int64_t number_of(const int64_t slabs[3], const int64_t at[3]) {
    return at[0] + slabs[0] * (at[1] + slabs[1] * at[2]);
}

static int64_t node_of(const wabe_placement *p, const int64_t slabs[3], const int64_t at[3]) {
    const int64_t block[3] = {at[0], at[1], at[2] / p->per_node};
    return p->together ? number_of(slabs, block) : number_of(slabs, at) / p->per_node;
}

/* The neighbouring slab in a direction; false: there is none. */
static bool step_to(const bool periodic[3], const int64_t slabs[3], const int64_t from[3],
                    const int e[3], int64_t to[3]) {
    for (int axis = 0; axis < 3; axis++) {
        to[axis] = from[axis] + e[axis];
        if (!periodic[axis] && (to[axis] < 0 || to[axis] >= slabs[axis]))
            return false;
        to[axis] = (to[axis] + slabs[axis]) % slabs[axis];
    }
    return true;
}

static wabe_model_path path_to(const wabe_placement *p, const int64_t slabs[3],
                               const int64_t from[3], const int64_t to[3]) {
    if (number_of(slabs, from) == number_of(slabs, to))
        return WABE_MODEL_HERE;
    const int64_t a = node_of(p, slabs, from), b = node_of(p, slabs, to);
    const int64_t switched = p->machine->switched;
    if (a != b)
        return switched > 0 && a / switched != b / switched ? WABE_MODEL_FAR : WABE_MODEL_NETWORK;
    if (p->reaches)
        return p->together ? WABE_MODEL_PEER : WABE_MODEL_IPC;
    return p->together ? WABE_MODEL_HOST : WABE_MODEL_NODE;
}

/* Bytes that cross a face, an edge or a corner in a pass. */
static double bytes_of(const wabe_model_block *block, const wabe_scaling_pass *pass,
                       const int e[3]) {
    double bytes = block->number * block->fluid_share;
    int kind = -1;
    for (int axis = 0; axis < 3; axis++) {
        bytes *= e[axis] ? 1.0 : block->cells[axis];
        kind += e[axis] != 0;
    }
    return bytes * pass->crossing[kind];
}

/* The messages of a slab, one per neighbour. Dense slabs send the numbers of all cells, fluid or
 * not. */
static int messages_of(const wabe_scaling_case *k, const wabe_placement *p,
                       const wabe_scaling_pass *pass, wabe_model_block block,
                       const int64_t slabs[3], const int64_t at[3],
                       wabe_model_message out[DIRECTIONS]) {
    int64_t known[DIRECTIONS];
    int count = 0;
    const bool list = k->flavour.streaming == WABE_STREAMING_list;
    const bool planes = k->flavour.streaming == WABE_STREAMING_moments && slabs[0] == 1 &&
                        slabs[1] == 1; /* see wabe_exchange_field.grids */
    block.fluid_share = list ? block.fluid_share : 1.0;
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        const int e[3] = {direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1};
        int64_t to[3];
        if (direction == DIRECTIONS / 2 || !step_to(k->periodic, slabs, at, e, to))
            continue;
        const double bytes = bytes_of(&block, pass, e);
        const wabe_model_path path = path_to(p, slabs, at, to);
        if (bytes <= 0.0 || (path == WABE_MODEL_HERE && (list || k->wraps)))
            continue;
        int i = 0;
        while (i < count && known[i] != number_of(slabs, to))
            i++;
        if (i == count) {
            known[count] = number_of(slabs, to);
            out[count++] = (wabe_model_message){.path = path,
                                                .sharers = 1,
                                                .unpacked = planes && (path == WABE_MODEL_PEER ||
                                                                       path == WABE_MODEL_IPC)};
        }
        out[i].bytes += bytes;
        out[i].across += e[0] != 0 ? bytes : 0.0;
    }
    return count;
}

static void coordinates(const wabe_placement *p, const int64_t slabs[3], int64_t node,
                        int64_t index, int64_t at[3]) {
    const int64_t n = p->together ? node : node * p->per_node + index;
    at[0] = n % slabs[0];
    at[1] = n / slabs[0] % slabs[1];
    at[2] = n / slabs[0] / slabs[1] * (p->together ? p->per_node : 1) + (p->together ? index : 0);
}

/* ---- grids of slabs ------------------------------------------------------------------- */

/* Layers at both ends of an axis that neighbours need, and that are therefore computed first. */
static int outer_layers(const wabe_scaling_case *k, const wabe_scaling_pass *pass,
                        const wabe_grid_forecast *f, const int64_t at[3], int axis) {
    if (k->periodic[axis] && k->wraps && f->slabs[axis] == 1)
        return 0;
    return pass->steps * ((at[axis] > 0 || k->periodic[axis]) +
                          (at[axis] + 1 < f->slabs[axis] || k->periodic[axis]));
}

/* Forecasts the slowest slab of a node; of those that hide their exchange equally well, the one
 * with most of it. */
static void forecast_node(const wabe_scaling_case *k, const wabe_placement *p,
                          const wabe_scaling_pass *pass, wabe_model_block block, int64_t node,
                          wabe_grid_forecast *f) {
    wabe_model_message messages[DIRECTIONS];
    const bool overlap = k->overlap && f->slabs[0] * f->slabs[1] * f->slabs[2] > 1;
    int64_t at[3];
    double of_node = 0.0;
    for (int i = 0; i < p->per_node; i++) {
        coordinates(p, f->slabs, node, i, at);
        const int count = messages_of(k, p, pass, block, f->slabs, at, messages);
        of_node += wabe_model_network_seconds(&p->links, count, messages);
    }
    for (int i = 0; i < p->per_node; i++) {
        coordinates(p, f->slabs, node, i, at);
        const int count = messages_of(k, p, pass, block, f->slabs, at, messages);
        wabe_model_share_network(of_node, &p->links, count, messages);
        for (int axis = 0; axis < 3; axis++)
            block.neighbours[axis] = overlap ? outer_layers(k, pass, f, at, axis) : 0;
        const wabe_model_step step = wabe_model_step_with(&p->component, &p->links, &block, count,
                                                          messages, overlap);
        const double seconds = wabe_model_step_seconds(step, overlap);
        const double together = wabe_model_step_seconds(step, false);
        if (seconds > f->seconds ||
            (seconds == f->seconds && together > wabe_model_step_seconds(f->step, false))) {
            f->seconds = seconds;
            f->step = step;
            f->slowest = number_of(f->slabs, at);
        }
    }
}

static bool is_inside(const wabe_placement *p, const wabe_model_block *b) {
    return wabe_model_curve_is_near(&p->component.kernel.whole, b->cells[0] * b->cells[1] *
                                                                    b->cells[2] * b->fluid_share /
                                                                    p->component.share);
}

/* Those of the row of slabs in the middle represent all nodes: they have the most neighbours, and
 * share the row in most of the ways that nodes do; with them the first and the last one of a
 * switch there. */
static void forecast_nodes(const wabe_scaling_case *k, const wabe_placement *p,
                           const wabe_scaling_pass *pass, wabe_model_block block, int64_t nodes,
                           wabe_grid_forecast *f) {
    const int64_t switched = p->machine->switched, *n = f->slabs;
    int64_t known = -1, middle = 0;
    for (int64_t x = 0; x < n[0]; x++) {
        const int64_t node = node_of(p, n, (int64_t[3]){x, n[1] / 2, n[2] / 2});
        middle = x == n[0] / 2 ? node : middle;
        if (node != known)
            forecast_node(k, p, pass, block, node, f);
        known = node;
    }
    const int64_t first = switched > 0 ? middle / switched * switched : 0;
    const int64_t last = first + switched - 1;
    if (switched > 0)
        forecast_node(k, p, pass, block, first, f);
    if (switched > 0 && last < nodes)
        forecast_node(k, p, pass, block, last, f);
}

/* The pass as measured, or else a single step's time multiplied by the pass's relative cost. */
static wabe_placement with_pass(const wabe_scaling_case *k, const wabe_placement *placement,
                                const wabe_scaling_pass *pass) {
    wabe_placement p = *placement;
    wabe_machine_flavour flavour = k->flavour;
    bool measured;
    if (pass->steps == 1)
        return p;
    flavour.steps = pass->steps;
    const wabe_model_component component = wabe_machine_model(p.machine, p.index, &flavour,
                                                              p.threads, p.busy, &measured);
    wabe_model_curve *whole = &p.component.kernel.whole;
    if (measured)
        p.component = component;
    else
        for (int i = 0; i < whole->count; i++)
            whole->seconds[i] *= pass->cost;
    return p;
}

/* Bytes of a node's memory, as far as the machine file has its CPUs; 0: it has none. */
static double host_memory(const wabe_machine *m) {
    double bytes = 0.0;
    for (int i = 0; i < m->component_count; i++)
        if (m->components[i].target == WABE_TARGET_cpu)
            bytes += m->components[i].count * m->components[i].memory;
    return bytes;
}

/* Why slabs of a grid are not streamed; NULL: they can be, and f has their passes. */
static const char *plan_stream(const wabe_scaling_case *k, const wabe_placement *p,
                               const int64_t cells[3], wabe_grid_forecast *f) {
    const int64_t *slabs = f->slabs;
    const int neighbours = slabs[2] > 2 || k->periodic[2] ? 2 : (int)slabs[2] - 1;
    if (p->kept < 1.0 || (p->together && p->per_node > 1))
        return "there must be a process for each GPU, as in mode pure-mpi";
    if (slabs[0] > 1 || slabs[1] > 1)
        return "the domain must be cut along z alone";
    if (!k->stream)
        return "this application has no streamed slabs";
    if (k->stream(k->context, cells, neighbours, p->per_node, f->room, &f->passes, &f->host) !=
        WABE_OK)
        return wabe_error_message();
    return NULL;
}

/* Slabs that do not fit their GPUs, and are cut along z alone, are streamed if they can be: nothing
 * but planes goes from slab to slab, while passes go on. p: with kernels that do pass->steps at
 * once.
 */
static void stream(const wabe_scaling_case *k, const wabe_placement *p,
                   const wabe_scaling_pass *pass, const int64_t cells[3], wabe_grid_forecast *f) {
    const wabe_machine_component *c = &p->machine->components[p->index];
    if (!p->component.device)
        return;
    const char *why = plan_stream(k, p, cells, f);
    const double host = host_memory(p->machine), wanted = f->host * p->per_node;
    snprintf(f->not_streamed, sizeof f->not_streamed, "%s", why ? why : "");
    if (!why && host > 0.0 && wanted > host)
        snprintf(f->not_streamed, sizeof f->not_streamed,
                 "that takes %.1f GB of a node's memory, which has %.1f GB", 1e-9 * wanted,
                 1e-9 * host);
    if (f->not_streamed[0]) {
        f->passes.steps = 0.0;
        return;
    }
    const double updates = (double)cells[0] * (double)cells[1] * (double)cells[2] *
                           k->flavour.fluid;
    const double kernel = wabe_model_curve_seconds(&p->component.kernel.whole,
                                                   updates / p->component.share) /
                          pass->steps;
    f->step = (wabe_model_step){
        .device = true,
        .inner = wabe_model_pass_seconds(f->passes, kernel, c->processor.bandwidth,
                                         wabe_machine_both_ways(p->machine, p->per_node))};
    f->seconds = f->step.inner;
    f->fits = true;
}

/* Assumes the largest slab's size for all slabs. grid: slabs of a copy of the case along each axis;
 * times: copies along each axis. */
static wabe_grid_forecast forecast_grid(const wabe_scaling_case *k, const wabe_placement *p,
                                        const int64_t grid[3], const int64_t times[3]) {
    wabe_grid_forecast f = {.possible = true};
    int64_t cells[3], slabs = 1;
    wabe_model_block block = {.fluid_share = k->flavour.fluid,
                              .number = (double)wabe_type_size(k->type),
                              .work = k->flavour.work};
    for (int d = 0; d < 3; d++) {
        f.slabs[d] = grid[d] * times[d];
        f.domain[d] = k->cells[d] * times[d];
        slabs *= f.slabs[d];
        cells[d] = (k->cells[d] + grid[d] - 1) / grid[d]; /* of the largest slab */
        block.cells[d] = (double)cells[d];
    }
    if ((1.0 - p->kept) * block.cells[2] * p->per_node >= 1.0) /* else CPUs get no plane */
        block.cells[2] *= p->kept;
    const wabe_machine_component *c = &p->machine->components[p->index];
    f.memory = block.number * block.cells[0] * block.cells[1] * block.cells[2];
    if (f.memory < MEMORY_SURE)
        f.memory = (double)k->memory(k->context, cells, c->target);
    f.room = p->component.device ? fmin(c->memory, k->device_memory)
                                 : c->memory * (double)c->count / p->per_node;
    f.fits = f.memory <= f.room;
    f.inside = is_inside(p, &block);
    const wabe_scaling_pass pass = k->pass(k->context, cells, c->target);
    const wabe_placement of_pass = with_pass(k, p, &pass);
    forecast_nodes(k, &of_pass, &pass, block, slabs / p->per_node, &f);
    if (p->together && p->component.device && p->per_node > 1)
        f.seconds = fmax(f.seconds, p->per_node * c->launch);
    f.seconds /= pass.steps;
    f.step = wabe_model_step_share(f.step, pass.steps);
    if (!f.fits && f.memory < MEMORY_SURE)
        stream(k, &of_pass, &pass, cells, &f);
    return f;
}

/* Faster; or equally fast, because the exchange is hidden, but with less exchange: the model is not
 * exact. */
static bool is_better(const wabe_grid_forecast *a, const wabe_grid_forecast *b) {
    if (a->possible != b->possible || a->fits != b->fits)
        return a->possible > b->possible || a->fits > b->fits;
    const double together = wabe_model_step_seconds(a->step, false);
    return a->possible && (a->seconds < (1.0 - SAME) * b->seconds ||
                           (a->seconds < (1.0 + SAME) * b->seconds &&
                            together < (1.0 - SAME) * wabe_model_step_seconds(b->step, false)));
}

/* The next factorisation of a number into three factors within their limits, starting from {1, 0};
 * false: there are no more. */
static bool next_product(int64_t number, const int64_t most[3], int64_t factors[3]) {
    int64_t x = factors[0], y = factors[1] + 1;
    for (; x <= number && x <= most[0]; x++, y = 1)
        for (; number % x == 0 && y <= number / x && y <= most[1]; y++) {
            const int64_t z = number / x / y;
            if (number / x % y == 0 && z <= most[2]) {
                factors[0] = x, factors[1] = y, factors[2] = z;
                return true;
            }
        }
    return false;
}

static int axes_of(const int64_t grid[3]) { return (grid[0] > 1) + (grid[1] > 1) + (grid[2] > 1); }

static int64_t largest_of(const int64_t factors[3]) {
    const int64_t xy = factors[0] > factors[1] ? factors[0] : factors[1];
    return xy > factors[2] ? xy : factors[2];
}

/* For one, two and three factors above 1: the largest factor of the most even factorisation. */
static void find_even(int64_t number, const int64_t limits[3], int64_t largest[WABE_CUTS]) {
    int64_t factors[3] = {1, 0};
    memset(largest, 0, WABE_CUTS * sizeof *largest);
    while (next_product(number, limits, factors)) {
        int64_t *known = &largest[axes_of(factors)];
        if (*known == 0 || largest_of(factors) < *known)
            *known = largest_of(factors);
    }
}

/* The most slabs along each axis. */
static void limits_of(const wabe_scaling_case *k, const int64_t most[3], int64_t limits[3]) {
    for (int d = 0; d < 3; d++)
        limits[d] = k->uncut[d] ? 1 : most[d];
}

/* Forecasts all grids that cut the case into size slabs; times: copies of it along each axis. */
static void forecast_size(const wabe_scaling_case *k, const wabe_placement *p, int64_t size,
                          const int64_t times[3], wabe_grid_forecast best[WABE_CUTS]) {
    int64_t grid[3] = {1, 0}, limits[3];
    limits_of(k, k->cells, limits);
    while (next_product(size, limits, grid)) {
        if (p->together && grid[2] % p->per_node != 0)
            continue;
        const wabe_grid_forecast f = forecast_grid(k, p, grid, times);
        wabe_grid_forecast *known = &best[axes_of(p->weak ? times : grid)];
        if (is_better(&f, known))
            *known = f;
    }
}

void wabe_forecast_grids(const wabe_scaling_case *k, const wabe_placement *p, int64_t nodes,
                         wabe_grid_forecast best[WABE_CUTS]) {
    const int64_t copies = p->weak ? nodes : 1, most[3] = {copies, copies, copies};
    int64_t times[3] = {1, 0}, limits[3], even[WABE_CUTS];
    memset(best, 0, WABE_CUTS * sizeof *best);
    limits_of(k, most, limits);
    find_even(copies, limits, even);
    while (next_product(copies, limits, times))
        if (largest_of(times) == even[axes_of(times)])
            forecast_size(k, p, nodes / copies * p->per_node, times, best);
}

int wabe_fastest_cut(const wabe_grid_forecast f[WABE_CUTS]) {
    int best = -1;
    for (int cut = 0; cut < WABE_CUTS; cut++)
        if (f[cut].possible && f[cut].fits && (best < 0 || is_better(&f[cut], &f[best])))
            best = cut;
    return best;
}
