/* wabe calibrate: measures the machine that it runs on into a machine file for the performance
 * model. One process of the first node measures the node's components while the others sleep; then
 * processes exchange messages. Nodes, and the GPUs of a node, are taken to be alike. */
#include "apps/commands.h"
#include "apps/components.h"
#include "apps/forecast.h"
#include "apps/limits.h"
#include "apps/probe.h"

#include "comm/node.h"
#include "core/lattice.h"
#include "core/log.h"
#include "core/version.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GIGA 1e9
#define BANDWIDTH_SEEN 1e14 /* bytes per second that no link has */
#define MICRO 1e-6
#define PASS_SECONDS 75.0
#define UNSTEADY 2.0
#define UNSTEADY_SHARE 0.2

enum {
    KERNELS_MAX = 1024,
    PASSES = 3,
    LIMIT_CPU = 128,
    LIMIT_GPU = 512,
    LIMIT_ROUNDS = 9,
    LAUNCH_EDGE = 16,
    BESIDE_EDGE = 160,
    QUICK_EDGE = 24
};

typedef struct {
    MPI_Comm comm;
    int rank, size;
    bool quick; /* few and small sizes: a trial */
    wabe_target only;
    int measured, unsteady; /* kernels; of them those whose rounds differed much */
    char file[WABE_STRING_SIZE], points[WABE_STRING_SIZE + 8];
    FILE *csv; /* rank 0: all points */
    wabe_components found;
    wabe_machine machine;
    double started;
} calibration;

static void note(const calibration *c, const char *what) {
    wabe_log_line("%5.1f s    %s", MPI_Wtime() - c->started, what);
}

/* ---- points and fits ---------------------------------------------------------------- */

static void put_point(const calibration *c, const char *what, const char *of, double size,
                      double seconds, double fitted) {
    if (c->csv)
        fprintf(c->csv, "%s,%s,%.6g,%.6g,%.6g\n", what, of, size, seconds / MICRO, fitted / MICRO);
}

/* Fits what a message takes in each direction; ways: that a point's seconds are of. */
static wabe_model_link fit(const calibration *c, const char *what, const char *of,
                           const wabe_probe *probe, double ways) {
    double deviation, seconds[WABE_MODEL_POINTS_MAX];
    for (int i = 0; i < probe->count; i++)
        seconds[i] = probe->seconds[i] / ways;
    const wabe_model_link link = wabe_model_link_fit(probe->count, probe->bytes, seconds,
                                                     &deviation);
    for (int i = 0; i < probe->count; i++)
        put_point(c, what, of, probe->bytes[i], seconds[i],
                  wabe_model_link_seconds(link, probe->bytes[i]));
    if (link.bandwidth > BANDWIDTH_SEEN)
        wabe_log_line("           %-8s %-8s sizes are too small to tell its bandwidth, %7.2f us",
                      what, of, link.latency / MICRO);
    else
        wabe_log_line("           %-8s %-8s %8.2f GB/s, %7.2f us; %d points are off by %.0f %%",
                      what, of, link.bandwidth / GIGA, link.latency / MICRO, probe->count,
                      100.0 * deviation);
    return link;
}

/* ---- components --------------------------------------------------------------------- */

static wabe_status measure_copy(const wabe_component *component, double *out) {
    wabe_limits limits;
    int64_t edge = component->device ? LIMIT_GPU : LIMIT_CPU;
    wabe_status status;
    while ((status = wabe_limits_create(component, WABE_TYPE_f64, (int64_t[3]){edge, edge, edge},
                                        &limits)) == WABE_MEMORY &&
           edge > LIMIT_CPU) {
        wabe_limits_destroy(&limits);
        edge /= 2;
    }
    *out = 0.0;
    for (int i = 0; i < LIMIT_ROUNDS && status == WABE_OK; i++)
        *out = fmax(*out, wabe_limits_copy(&limits));
    wabe_limits_destroy(&limits);
    return status;
}

/* Edges of cubes, growing; ended by 0. */
static const int64_t edges_cpu[] = {8, 12, 16, 24, 32, 48, 64, 96, 128, 0};
static const int64_t edges_gpu[] = {16, 24, 32, 48, 64, 96, 128, 192, 256, 0};
static const int64_t edges_quick[] = {8, 16, 24, 0};
/* Whole cells of the array of spheres, so that all have the same share of fluid. */
static const int64_t edges_list_cpu[] = {20, 40, 60, 80, 120, 0};
static const int64_t edges_list_gpu[] = {20, 40, 60, 100, 140, 200, 0};
static const int64_t edges_list_quick[] = {20, 40, 0};

static const int64_t *edges_of(const calibration *c, const wabe_component *component, bool list) {
    if (c->quick)
        return list ? edges_list_quick : edges_quick;
    if (component->device)
        return list ? edges_list_gpu : edges_gpu;
    return list ? edges_list_cpu : edges_cpu;
}

/* Dense kernels on all cells, lists on what is left between spheres. */
static const struct {
    wabe_streaming streaming;
    double fluid;
} patterns[] = {{WABE_STREAMING_pull, 1.0},
                {WABE_STREAMING_in_place, 1.0},
                {WABE_STREAMING_list, 0.7},
                {WABE_STREAMING_list, 0.36}};

enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

/* Whether the slabs that are measured take less than half of the memory: a system that hands out
 * more than it has ends who uses it. */
static bool fits(const wabe_component *on, const wabe_machine_flavour *flavour, int64_t edge) {
    const wabe_lbm_model model = {.type = flavour->storage, .streaming = flavour->streaming};
    const int64_t bytes = wabe_lbm_field_bytes(&model, (int64_t[3]){edge, edge, edge}, on->target);
    return WABE_PROBE_SLABS * bytes < wabe_component_memory(on) / 2;
}

static wabe_status measure_size(calibration *c, int component, const wabe_component *on,
                                const wabe_machine_flavour *flavour, int64_t edge) {
    char of[64];
    snprintf(of, sizeof of, "%s %s %s %.2f", on->name, wabe_type_word(flavour->storage),
             wabe_streaming_word(flavour->streaming), flavour->fluid);
    wabe_machine_kernel *k = &c->machine.kernels[c->machine.kernel_count];
    WABE_CHECK(c->machine.kernel_count < KERNELS_MAX, WABE_INTERNAL, "too many kernels");
    const wabe_status status = fits(on, flavour, edge) ? wabe_probe_kernel(on, flavour, edge, k)
                                                       : WABE_MEMORY;
    if (status == WABE_MEMORY) /* what else is there must do; k->whole is 0 */
        *k = (wabe_machine_kernel){.storage = flavour->storage, .streaming = flavour->streaming};
    else
        WABE_TRY(status);
    k->component = component;
    c->machine.kernel_count++;
    if (status == WABE_MEMORY)
        return WABE_OK;
    c->unsteady += k->spread > UNSTEADY;
    c->measured++;
    put_point(c, "kernel", of, k->fluid * (double)(edge * edge * edge), k->whole, k->whole);
    for (int d = 0; d < 3; d++)
        put_point(c, "split", of, (double)edge, k->split[d], k->split[d]);
    return WABE_OK;
}

static wabe_status measure_flavour(calibration *c, int component, const wabe_component *on,
                                   const wabe_machine_flavour *flavour) {
    const bool list = flavour->streaming == WABE_STREAMING_list;
    for (const int64_t *edge = edges_of(c, on, list); *edge; edge++)
        WABE_TRY(measure_size(c, component, on, flavour, *edge));
    return WABE_OK;
}

/* A trial leaves out the last storage and the last pattern. */
static wabe_status measure_once(calibration *c, int component, const wabe_component *on) {
    const int patterns_meant = c->quick ? PATTERNS - 1 : PATTERNS;
    for (int type = WABE_TYPE_any + 1; type < (c->quick ? WABE_TYPE_f16 : WABE_TYPE_end); type++)
        for (int i = 0; i < patterns_meant; i++) {
            const wabe_machine_flavour flavour = {.storage = (wabe_type)type,
                                                  .streaming = patterns[i].streaming,
                                                  .fluid = patterns[i].fluid};
            const wabe_kernel_request request = {.sweep = WABE_SWEEP_stream_collide,
                                                 .storage = flavour.storage,
                                                 .collision = WABE_COLLISION_trt,
                                                 .streaming = flavour.streaming,
                                                 .name_part = ""};
            const wabe_kernel *kernel;
            if (wabe_registry_select(wabe_kernels(), on, &request, &kernel) != WABE_OK)
                continue; /* not on this component */
            WABE_TRY(measure_flavour(c, component, on, &flavour));
        }
    return WABE_OK;
}

static double median(double a, double b, double c) { return fmax(fmin(a, b), fmin(fmax(a, b), c)); }

/* Processors have moods that last longer than a measurement: all sizes one after the other, three
 * times, and the medians; once where that would take too long. */
static wabe_status measure_kernels(calibration *c, int component, const wabe_component *on) {
    const int first = c->machine.kernel_count;
    const double start = MPI_Wtime();
    wabe_machine_kernel *k = &c->machine.kernels[first];
    WABE_TRY(measure_once(c, component, on));
    const int rows = c->machine.kernel_count - first;
    if (!c->quick && !on->device && MPI_Wtime() - start < PASS_SECONDS) {
        for (int pass = 1; pass < PASSES; pass++)
            WABE_TRY(measure_once(c, component, on));
        for (int i = 0; i < rows; i++) {
            k[i].whole = median(k[i].whole, k[i + rows].whole, k[i + 2 * rows].whole);
            for (int d = 0; d < 3; d++)
                k[i].split[d] = median(k[i].split[d], k[i + rows].split[d],
                                       k[i + 2 * rows].split[d]);
        }
    }
    c->machine.kernel_count = first;
    for (int i = 0; i < rows; i++) /* but for those that memory was too small for */
        if (k[i].whole > 0.0)
            c->machine.kernels[c->machine.kernel_count++] = k[i];
    return WABE_OK;
}

/* Where the largest slab is faster than a copy, caches still hold part of it: half as long again in
 * each direction. Rows of a flavour follow each other. */
static wabe_status measure_beyond_caches(calibration *c, int component, const wabe_component *on,
                                         int first) {
    const int rows = c->machine.kernel_count - first;
    const double copy = c->machine.components[component].processor.bandwidth;
    for (int i = first; i < first + rows; i++) {
        const wabe_machine_kernel *k = &c->machine.kernels[i];
        const wabe_machine_flavour flavour = {k->storage, k->streaming, k->fluid, {0.0, 0.0}};
        const double bytes = 2.0 * WABE_Q * (double)wabe_type_size(k->storage) * k->fluid *
                             k->edge * k->edge * k->edge;
        const bool largest = i + 1 == first + rows || k[1].edge <= k->edge;
        if (!largest || bytes <= copy * k->whole)
            continue;
        const int before = c->machine.kernel_count;
        WABE_TRY(measure_size(c, component, on, &flavour, 3 * (int64_t)k->edge / 2));
        /* What splitting costs is lost in what else varies there; smaller slabs tell. */
        memset(c->machine.kernels[before].split, 0, sizeof c->machine.kernels[before].split);
        if (!(c->machine.kernels[before].whole > 0.0))
            c->machine.kernel_count = before;
    }
    return WABE_OK;
}

/* The share of the copy bandwidth that the largest dense slabs in f64 reach. */
static double efficiency_of(const wabe_machine *m, int component) {
    double efficiency = 1.0;
    for (int i = 0; i < m->kernel_count; i++) {
        const wabe_machine_kernel *k = &m->kernels[i];
        const double cells = k->edge * k->edge * k->edge;
        if (k->component == component && k->storage == WABE_TYPE_f64 && k->fluid == 1.0)
            efficiency = cells * 2.0 * 19.0 * 8.0 / k->whole /
                         m->components[component].processor.bandwidth;
    }
    return fmin(efficiency, 1.5);
}

static wabe_status measure_exchanges(const calibration *c, const wabe_components *slabs, int axis,
                                     wabe_probe *out) {
    *out = (wabe_probe){0};
    for (const int64_t *edge = edges_of(c, &slabs->list[0], false); *edge; edge++) {
        const wabe_status status = wabe_probe_exchange(slabs, *edge, axis, &out->bytes[out->count],
                                                       &out->seconds[out->count]);
        if (status == WABE_MEMORY && out->count >= 2)
            break;
        WABE_TRY(status);
        out->count++;
    }
    return WABE_OK;
}

static wabe_status measure_bus(calibration *c, const wabe_component *device) {
    wabe_probe probe = {0};
    for (double bytes = 256.0; bytes <= 3e7; bytes *= 4.0, probe.count++) {
        probe.bytes[probe.count] = bytes;
        WABE_TRY(wabe_probe_bus(device, bytes, &probe.seconds[probe.count]));
    }
    c->machine.bus = fit(c, "bus", device->name, &probe, 2.0);
    c->machine.bus.at_once = true;
    return WABE_OK;
}

/* What exchanges between two GPUs take longer than packing and unpacking, two messages each way;
 * and steps so small that the thread which drives both GPUs limits them. */
static wabe_status measure_peer(calibration *c, wabe_model_link buffers, double *launch) {
    wabe_components two = {.count = 2, .list = {c->found.list[0], c->found.list[1]}};
    wabe_probe probe;
    if (c->found.count < 2 || !two.list[1].device ||
        !wabe_device_reach(two.list[0].device, two.list[1].device) ||
        !wabe_device_reach(two.list[1].device, two.list[0].device))
        return WABE_OK;
    WABE_TRY(measure_exchanges(c, &two, 2, &probe));
    for (int i = 0; i < probe.count; i++) {
        const double rest = probe.seconds[i] -
                            2.0 * wabe_model_link_seconds(buffers, probe.bytes[i]);
        probe.seconds[i] = fmax(rest, 0.01 * probe.seconds[i]);
    }
    c->machine.links.peer = fit(c, "peer", "gpu0", &probe, 1.0);
    c->machine.links.peer.duplex = c->machine.links.peer.at_once = true;
    return wabe_probe_slabs(&two, LAUNCH_EDGE, launch);
}

static int count_like(const wabe_components *found, const wabe_component *component) {
    int count = 0;
    for (int i = 0; i < found->count; i++)
        count += found->list[i].target == component->target;
    return count;
}

/* Of processors: what one thread alone reaches. */
static wabe_status measure_one_thread(const calibration *c, const wabe_component *on,
                                      wabe_machine_component *m) {
    double alone = 0.0;
    m->one_thread = 1.0;
    if (on->device || on->threads < 2)
        return WABE_OK;
    const wabe_component one = wabe_component_detect(1);
    WABE_TRY(measure_copy(&one, &alone));
    put_point(c, "copy", "one thread", GIGA, GIGA / alone, 0.0);
    m->one_thread = fmin(1.0, alone / m->processor.bandwidth);
    return WABE_OK;
}

/* Within what a machine file may say. */
static double memory_of(const wabe_component *on) {
    return fmin(fmax((double)wabe_component_memory(on), 1e6), 1e15);
}

static wabe_status measure_contention(const calibration *c, const wabe_component *device,
                                      wabe_machine_component *m) {
    for (int i = 0; i < 3; i++) {
        const wabe_type type = (wabe_type)(WABE_TYPE_any + 1 + i);
        const wabe_status status = wabe_probe_contention(device, type,
                                                         c->quick ? QUICK_EDGE : BESIDE_EDGE,
                                                         &m->contention[i]);
        if (status == WABE_MEMORY)
            continue; /* too small a GPU to be filled by what it has room for */
        WABE_TRY(status);
        put_point(c, "contention", wabe_type_word(type), 0.0, m->contention[i], 0.0);
        wabe_log_line("           contention       %-8s %8.2f us beside steps in %s", device->name,
                      m->contention[i] / MICRO, wabe_type_word(type));
    }
    return WABE_OK;
}

static wabe_status measure_component(calibration *c, const wabe_component *on) {
    const int index = c->machine.component_count++;
    wabe_machine_component *m = &c->machine.components[index];
    const wabe_components alone = {.count = 1, .list = {*on}};
    wabe_probe probe;
    *m = (wabe_machine_component){.target = on->target,
                                  .count = count_like(&c->found, on),
                                  .threads = on->device ? 1 : on->threads,
                                  .memory = memory_of(on)};
    snprintf(m->name, sizeof m->name, "%s", wabe_target_word(on->target));
    note(c, m->name);
    WABE_TRY(measure_copy(on, &m->processor.bandwidth));
    put_point(c, "copy", on->name, GIGA, GIGA / m->processor.bandwidth, 0.0);
    WABE_TRY(measure_one_thread(c, on, m));
    wabe_log_line("           copy     %-8s %8.2f GB/s", on->name, m->processor.bandwidth / GIGA);
    WABE_TRY(measure_exchanges(c, &alone, 2, &probe));
    m->buffers = fit(c, "buffers", on->name, &probe, 2.0);
    WABE_TRY(measure_exchanges(c, &alone, 0, &probe));
    m->across = fit(c, "across x", on->name, &probe, 2.0).bandwidth;
    if (on->device) {
        WABE_TRY(measure_contention(c, on, m));
        WABE_TRY(measure_bus(c, on));
        WABE_TRY(measure_peer(c, m->buffers, &m->launch));
        m->launch *= 0.5; /* it was of two */
    }
    note(c, "kernels");
    const int first = c->machine.kernel_count;
    WABE_TRY(measure_kernels(c, index, on));
    if (!on->device && !c->quick)
        WABE_TRY(measure_beyond_caches(c, index, on, first));
    m->efficiency = efficiency_of(&c->machine, index);
    return WABE_OK;
}

static bool is_wanted(const calibration *c, wabe_target target) {
    return c->only == WABE_TARGET_any || c->only == target;
}

/* The first GPU, and the processors. */
static wabe_status measure_components(calibration *c) {
    WABE_TRY(wabe_components_detect(&c->found));
    const wabe_component *first = &c->found.list[0];
    const wabe_component *processors = &c->found.list[c->found.count - 1];
    WABE_CHECK(first->device || c->only != WABE_TARGET_gpu, WABE_INPUT, "there is no GPU here");
    if (first->device)
        snprintf(c->machine.name, sizeof c->machine.name, "%s",
                 wabe_device_describe(first->device)->name);
    else
        wabe_component_processor_name(c->machine.name, sizeof c->machine.name);
    if (first->device && is_wanted(c, WABE_TARGET_gpu))
        WABE_TRY(measure_component(c, first));
    const int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (processors->threads < cores && is_wanted(c, WABE_TARGET_cpu))
        wabe_log_warning("processors are measured with %d of %d cores: OMP_NUM_THREADS, or mpirun "
                         "without --bind-to none",
                         processors->threads, cores);
    return is_wanted(c, WABE_TARGET_cpu) ? measure_component(c, processors) : WABE_OK;
}

/* ---- messages ----------------------------------------------------------------------- */

/* Who exchanges messages with whom: this process's partner. */
typedef enum { ONE_PAIR, ALL_PAIRS } pairs;

/* Neighbours in the order of the node's processes; or processes in the same place of neighbouring
 * nodes. places: of all ranks, the node's lowest rank and the place on it. Collective. */
static wabe_status partner_of(const calibration *c, bool between_nodes, pairs which, int *out) {
    const wabe_node_place here = wabe_node_place_of(c->comm);
    int mine[2] = {here.lowest, here.rank}, node = 0;
    int *all = calloc(3 * (size_t)c->size, sizeof *all), nodes = 0;
    *out = MPI_PROC_NULL;
    WABE_TRY(wabe_agree(c->comm, all ? WABE_OK : WABE_FAIL(WABE_MEMORY, "no memory for places")));
    int *leaders = all + 2 * (size_t)c->size;
    MPI_Allgather(mine, 2, MPI_INT, all, 2, MPI_INT, c->comm);
    for (int r = 0; r < c->size; r++)
        if (all[2 * r + 1] == 0) {
            node = all[2 * r] == here.lowest ? nodes : node;
            leaders[nodes++] = all[2 * r];
        }
    const int wanted_node = between_nodes ? node ^ 1 : node;
    const int wanted_place = between_nodes ? here.rank : here.rank ^ 1;
    const bool meant = which == ALL_PAIRS ||
                       (between_nodes ? here.rank == 0 && node < 2 : here.rank < 2 && node == 0);
    for (int r = 0; r < c->size && meant && wanted_node < nodes; r++)
        if (all[2 * r] == leaders[wanted_node] && all[2 * r + 1] == wanted_place)
            *out = r;
    free(all);
    return WABE_OK;
}

/* A line for large messages; small ones go along with their announcement, all in the same time. */
static void fit_messages(const calibration *c, const char *what, const char *of,
                         const wabe_probe *probe, wabe_model_link *out) {
    double eager = 0.0;
    int small = 0;
    while (small + 2 < probe->count && probe->bytes[small] <= WABE_MODEL_EAGER)
        eager += probe->seconds[small++];
    wabe_probe large = {.count = probe->count - small};
    for (int i = 0; i < large.count; i++) {
        large.bytes[i] = probe->bytes[small + i];
        large.seconds[i] = probe->seconds[small + i];
    }
    *out = fit(c, what, of, &large, 1.0);
    out->duplex = true;
    out->eager = small > 0 ? eager / small : 0.0;
    for (int i = 0; i < small; i++)
        put_point(c, what, of, probe->bytes[i], probe->seconds[i], out->eager);
}

/* out: left alone if there is no such pair. Collective. */
static wabe_status measure_messages(calibration *c, bool between_nodes, pairs which,
                                    wabe_model_link *out) {
    int partner;
    WABE_TRY(partner_of(c, between_nodes, which, &partner));
    int any = partner != MPI_PROC_NULL;
    wabe_probe probe = {0};
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, c->comm);
    const double largest = c->quick ? 1e5 : 2e7;
    for (double bytes = 8.0; bytes <= largest && any; bytes *= 4.0, probe.count++) {
        probe.bytes[probe.count] = bytes;
        WABE_TRY(wabe_probe_message(c->comm, partner, bytes, &probe.seconds[probe.count]));
    }
    if (!any)
        return WABE_OK;
    fit_messages(c, between_nodes ? "network" : "node", which == ONE_PAIR ? "one pair" : "all",
                 &probe, out);
    return WABE_OK;
}

static wabe_status measure_links(calibration *c) {
    wabe_model_links *l = &c->machine.links;
    wabe_model_link spare;
    note(c, "messages between processes");
    WABE_TRY(measure_messages(c, false, ONE_PAIR, &l->node));
    WABE_TRY(measure_messages(c, false, ALL_PAIRS, &c->machine.crowd));
    WABE_TRY(measure_messages(c, true, ALL_PAIRS, &spare));
    return measure_messages(c, true, ONE_PAIR, &l->network);
}

/* ---- whole steps ---------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool overlap;
    wabe_transport transport;
} exchanges[] = {{"exchange", true, WABE_TRANSPORT_any},
                 {"exchange apart", false, WABE_TRANSPORT_any},
                 {"staged", true, WABE_TRANSPORT_host}};

enum { KINDS = sizeof exchanges / sizeof exchanges[0], EXCHANGE_EDGES = 4, EXCHANGE_EDGE = 8 };

/* What an exchange takes that its parts alone do not tell: of processes of the first node, each
 * with a GPU or one thread. */
static wabe_status measure_exchange(calibration *c, wabe_target target) {
    const int index = wabe_machine_find(&c->machine, target);
    const wabe_node_place here = wabe_node_place_of(c->comm);
    const int count = index < 0                   ? 0
                      : target == WABE_TARGET_gpu ? c->machine.components[index].count
                                                  : here.size;
    const bool mine = here.lowest == 0 && here.rank < count && here.size > 1 && count > 1;
    double seconds[KINDS][EXCHANGE_EDGES] = {{0}};
    const int kinds = target == WABE_TARGET_gpu ? KINDS : KINDS - 1;
    MPI_Comm some;
    MPI_Comm_split(c->comm, mine ? 0 : MPI_UNDEFINED, c->rank, &some);
    wabe_component on = wabe_component_detect(1);
    wabe_status status = WABE_OK;
    if (mine && target == WABE_TARGET_gpu)
        status = wabe_component_open_gpu(here.rank, &on);
    if (mine)
        status = wabe_agree(some, status);
    for (int k = 0; k < kinds && mine; k++)
        for (int i = 0; i < EXCHANGE_EDGES && status == WABE_OK; i++)
            status = wabe_probe_step(some, &c->machine, &on, EXCHANGE_EDGE * (i + 1),
                                     exchanges[k].overlap, exchanges[k].transport, &seconds[k][i]);
    if (mine)
        MPI_Comm_free(&some);
    wabe_probe_wait(c->comm);
    WABE_TRY(wabe_agree(c->comm, status));
    if (c->rank != 0 || !mine)
        return WABE_OK;
    wabe_machine_component *m = &c->machine.components[index];
    double *means[KINDS] = {&m->exchange[0], &m->exchange[1], &m->staged};
    for (int k = 0; k < kinds; k++) {
        for (int i = 0; i < EXCHANGE_EDGES; i++) {
            put_point(c, exchanges[k].name, m->name, EXCHANGE_EDGE * (i + 1.0), seconds[k][i], 0.0);
            *means[k] += seconds[k][i] / EXCHANGE_EDGES;
        }
        wabe_log_line("           %-16s %-8s %8.2f us beside its parts", exchanges[k].name, m->name,
                      *means[k] / MICRO);
    }
    return WABE_OK;
}

/* ---- the command -------------------------------------------------------------------- */

/* Rank 0's machine is everybody's. */
static void share_machine(calibration *c) {
    wabe_machine_kernel *kernels = c->machine.kernels;
    MPI_Bcast(&c->machine, sizeof c->machine, MPI_BYTE, 0, c->comm);
    c->machine.kernels = kernels;
    MPI_Bcast(kernels, KERNELS_MAX * (int)sizeof *kernels, MPI_BYTE, 0, c->comm);
}

static wabe_status open_points(calibration *c) {
    snprintf(c->points, sizeof c->points, "%s.csv", c->file);
    if (c->rank != 0)
        return WABE_OK;
    FILE *machine = fopen(c->file, "a"); /* better to know now than in the end */
    WABE_CHECK(machine && fclose(machine) == 0, WABE_FILE, "%s: cannot be written: %s", c->file,
               strerror(errno));
    c->csv = tmpfile(); /* what is there is kept until all has been measured */
    WABE_CHECK(c->csv, WABE_FILE, "no temporary file: %s", strerror(errno));
    fputs("what,of,size,microseconds,fitted\n", c->csv);
    return WABE_OK;
}

static wabe_status write_points(const calibration *c) {
    FILE *file = fopen(c->points, "w");
    WABE_CHECK(file, WABE_FILE, "%s: cannot be written: %s", c->points, strerror(errno));
    rewind(c->csv);
    for (int byte = fgetc(c->csv); byte != EOF; byte = fgetc(c->csv))
        fputc(byte, file);
    const bool failed = ferror(file) != 0 || ferror(c->csv) != 0;
    WABE_CHECK(fclose(file) == 0 && !failed, WABE_FILE, "%s: cannot be written: %s", c->points,
               strerror(errno));
    return WABE_OK;
}

static wabe_status write_files(calibration *c) {
    char head[512], day[32];
    const time_t now = time(NULL);
    strftime(day, sizeof day, "%Y-%m-%d", localtime(&now));
    snprintf(head, sizeof head,
             "# Measured by wabe %s on %s, %d process(es), in %.0f s%s. All points: %s\n",
             WABE_VERSION, day, c->size, MPI_Wtime() - c->started,
             c->quick ? " (--quick: a trial, no ground for forecasts)" : "", c->points);
    WABE_TRY(wabe_machine_write(&c->machine, c->file, head));
    return write_points(c);
}

static wabe_status measure_all(calibration *c) {
    WABE_TRY(wabe_agree(c->comm, open_points(c)));
    wabe_status status = c->rank == 0 ? measure_components(c) : WABE_OK;
    wabe_probe_wait(c->comm);
    WABE_TRY(wabe_agree(c->comm, status));
    WABE_TRY(measure_links(c));
    share_machine(c);
    note(c, "whole steps");
    for (int target = WABE_TARGET_any + 1; target < WABE_TARGET_end; target++)
        WABE_TRY(measure_exchange(c, (wabe_target)target));
    WABE_TRY(wabe_agree(c->comm, c->rank == 0 ? write_files(c) : WABE_OK));
    note(c, "done");
    wabe_log_line("machine    %s", c->file);
    wabe_log_line("points     %s; picture: scripts/plot_machine.py %s", c->points, c->points);
    if (c->quick)
        wabe_log_warning("--quick is a trial: its few small sizes are no ground for forecasts");
    if (c->unsteady > UNSTEADY_SHARE * c->measured)
        wabe_log_warning("other work disturbed %d of %d measurements of kernels: repeat when the "
                         "machine is idle",
                         c->unsteady, c->measured);
    if (c->size < 2)
        wabe_log_warning("messages between processes were not measured: mpirun -np 2 --bind-to "
                         "none wabe calibrate does");
    return WABE_OK;
}

static wabe_status read_arguments(int argc, char *argv[], calibration *c) {
    snprintf(c->file, sizeof c->file, "%s", WABE_MACHINE_FILE);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--output") == 0) {
            WABE_CHECK(i + 1 < argc, WABE_INPUT, "--output needs a file");
            WABE_CHECK(strlen(argv[++i]) < sizeof c->file, WABE_INPUT,
                       "--output: a name of %zu bytes at most", sizeof c->file - 1);
            snprintf(c->file, sizeof c->file, "%s", argv[i]);
        } else if (strcmp(argv[i], "--only") == 0) {
            WABE_CHECK(i + 1 < argc &&
                           (strcmp(argv[i + 1], "gpu") == 0 || strcmp(argv[i + 1], "cpu") == 0),
                       WABE_INPUT, "--only must be gpu or cpu");
            c->only = argv[++i][0] == 'g' ? WABE_TARGET_gpu : WABE_TARGET_cpu;
        } else {
            WABE_CHECK(
                strcmp(argv[i], "--quick") == 0, WABE_INPUT,
                "unknown option '%s'; usage: wabe calibrate [--output FILE] [--only gpu|cpu] "
                "[--quick]",
                argv[i]);
            c->quick = true;
        }
    }
    return WABE_OK;
}

wabe_status wabe_command_calibrate(int argc, char *argv[]) {
    calibration c = {.comm = MPI_COMM_WORLD, .started = MPI_Wtime()};
    MPI_Comm_rank(c.comm, &c.rank);
    MPI_Comm_size(c.comm, &c.size);
    WABE_TRY(read_arguments(argc, argv, &c));
    c.machine.taper = 1.0;
    c.machine.kernels = calloc(KERNELS_MAX, sizeof *c.machine.kernels);
    wabe_status status = c.machine.kernels ? WABE_OK : WABE_FAIL(WABE_MEMORY, "no memory");
    status = wabe_agree(c.comm, status);
    if (status == WABE_OK)
        status = measure_all(&c);
    if (c.csv)
        fclose(c.csv);
    wabe_machine_free(&c.machine);
    return status;
}
