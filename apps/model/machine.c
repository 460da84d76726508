#include "apps/model/machine.h"

#include "apps/runtime/input.h"
#include "apps/runtime/kernels.h"
#include "core/io/disk.h"
#include "sweeps/stencil/grid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GIGA 1e9
#define MICRO 1e-6

/* ---- applications ------------------------------------------------------------------- */

enum { SWEEPS_MAX = 16 };

/* Words of kernels[].application: flows, then wabe_machine_sweeps(), which writes them. */
static char applications[WABE_STRING_SIZE];

const wabe_sweep *const *wabe_machine_sweeps(void) {
    static const wabe_sweep *found[SWEEPS_MAX + 1];
    int count = 0, at;
    snprintf(applications, sizeof applications, "lbm");
    for (int i = 0; i < wabe_registry_count(wabe_kernels()) && count < SWEEPS_MAX; i++) {
        const wabe_sweep *sweep = wabe_registry_row(wabe_kernels(), i)->sweep;
        const wabe_grid_sample *sample = sweep->sample;
        for (at = 0; at < count && found[at] != sweep; at++)
            ;
        if (at < count || !sample || !sample->application)
            continue;
        const size_t used = strlen(applications);
        snprintf(applications + used, sizeof applications - used, "|%s", sample->application);
        found[count++] = sweep;
    }
    found[count] = NULL;
    return found;
}

int wabe_machine_application(const wabe_sweep *sweep) {
    const wabe_sweep *const *all = wabe_machine_sweeps();
    for (int i = 0; all[i]; i++)
        if (all[i] == sweep)
            return 1 + i;
    return WABE_MACHINE_NONE;
}

/* NULL: flows. */
static const wabe_grid_sample *sample_of(int application) {
    return application > 0 ? wabe_machine_sweeps()[application - 1]->sample : NULL;
}

/* ---- keys --------------------------------------------------------------------------- */

typedef struct {
    char name[WABE_STRING_SIZE];
    int kind; /* gpu, cpu */
    int64_t count, threads;
    double bandwidth, peak, memory, efficiency, buffer_bandwidth, buffer_latency, buffer_across,
        exchange, exchange_apart, staged, contention[3], one_thread, launch;
} component_options;

typedef struct {
    char component[WABE_STRING_SIZE];
    int application, storage, streaming;
    int64_t steps;
    bool walls;
    double fluid, edge, step, split[3];
} kernel_options;

typedef struct {
    double bandwidth, latency, eager;
    bool duplex, at_once;
} link_options;

typedef struct {
    char name[WABE_STRING_SIZE];
    wabe_option_list components, kernels;
    link_options bus, peer, node, crowd, network;
    double both_ways, both_ways_all;
    struct {
        int64_t nodes;
        double taper;
    } tree;
} machine_options;

#define POSITIVE 1e-9
#define LARGEST 1e9
#define SECOND 1e6 /* microseconds */

#define NUMBER(member, value, least, most, units, text)                                            \
    {                                                                                              \
        KEY(REAL, member), .default_value = value, WABE_RANGE(least, most), .unit = units,         \
                           .help = text                                                            \
    }

#define KEY(type, member) WABE_KEY(#member, type, component_options, member)
static const wabe_option component_rows[] = {
    {KEY(STRING, name), .default_value = "",
     .help = "Name of the component; `kernels` refers to it."},
    {KEY(WORD, kind), .words = "gpu|cpu", .help = "A GPU or CPUs."},
    {KEY(INT, count), .default_value = "1", WABE_RANGE(1, 1024),
     .help = "Number of these components per node."},
    {KEY(INT, threads), .default_value = "1", WABE_RANGE(1, 1024),
     .help = "CPUs: the number of threads measured. With fewer, a proportional part of the rate is "
             "assumed."},
    NUMBER(bandwidth, NULL, POSITIVE, LARGEST, "GB/s",
           "Sustained memory bandwidth of one component, by a copy."),
    NUMBER(peak, "unset", POSITIVE, LARGEST, "Gflop/s",
           "Peak arithmetic rate of one component; unset: kernels are bound by memory alone."),
    NUMBER(memory, NULL, POSITIVE, LARGEST, "GB", "Memory of one component."),
    NUMBER(efficiency, "1.0", POSITIVE, 1.5, "",
           "Fraction of the lightspeed bound that kernels not listed in `kernels` reach."),
    NUMBER(buffer_bandwidth, "unset", POSITIVE, LARGEST, "GB/s",
           "Rate of packing and of unpacking, in message bytes; unset: half of the bandwidth."),
    NUMBER(buffer_latency, "0.0", 0.0, LARGEST, "us", "Start-up time of packing or unpacking."),
    NUMBER(buffer_across, "unset", POSITIVE, LARGEST, "GB/s",
           "buffer_bandwidth for faces normal to x, where no two numbers are adjacent in memory; "
           "unset: the same."),
    NUMBER(exchange, "0.0", -SECOND, SECOND, "us",
           "Time of an exchange with other processes beyond its messages: waking and waiting."),
    NUMBER(exchange_apart, "0.0", -SECOND, SECOND, "us", "The same without overlap."),
    NUMBER(staged, "0.0", -SECOND, SECOND, "us",
           "GPUs: the same for messages through the host and to other nodes."),
    {KEY(REAL3, contention), .default_value = "[0.0, 0.0, 0.0]", WABE_RANGE(0.0, SECOND),
     .unit = "us",
     .help = "GPUs: additional time of an exchange while the inner region fills the GPU, for f64, "
             "f32, f16."},
    NUMBER(launch, "0.0", 0.0, LARGEST, "us",
           "GPUs: host time to launch a step on one of several GPUs of a process."),
    NUMBER(one_thread, "unset", POSITIVE, 1.0, "",
           "CPUs: fraction of the full rate that one thread reaches alone; unset: 1 / `threads`."),
    {.path = NULL},
};
#undef KEY

#define KEY(type, member) WABE_KEY(#member, type, kernel_options, member)
static const wabe_option kernel_rows[] = {
    {KEY(STRING, component), .help = "Name of one of the `components`."},
    {KEY(WORD, application), .default_value = "lbm", .words = applications,
     .help = "Application that the kernel belongs to."},
    {KEY(INT, steps), .default_value = "1", WABE_RANGE(1, 64), .unit = "steps",
     .help = "Applications other than lbm: time steps per pass; `step` is the time of a pass."},
    {KEY(BOOL, walls), .default_value = "false",
     .help = "Diffusion: measured between walls; otherwise with all faces periodic."},
    {KEY(WORD, storage), .words = WABE_ENUM_WORDS(WABE_TYPES), .help = "As `lbm.storage`."},
    {KEY(WORD, streaming), .default_value = "none", .words = "none" WABE_STREAMINGS(WABE_ENUM_BAR),
     .help = "lbm: as `lbm.streaming`."},
    NUMBER(fluid, "1.0", 1e-3, 1.0, "", "Fraction of the cells that is fluid."),
    NUMBER(edge, NULL, 1.0, 1e6, "cells", "Edge of the slab, a cube."),
    NUMBER(step, NULL, POSITIVE, LARGEST, "us", "Time of a step of the slab as one region."),
    {KEY(REAL3, split), .default_value = "[0.0, 0.0, 0.0]", WABE_RANGE(0.0, LARGEST), .unit = "us",
     .help = "Additional time of a step if the layers at both ends of x, y, z are computed first."},
    {.path = NULL},
};
#undef KEY

#define KEY(type, member) WABE_KEY(#member, type, machine_options, member)
#define SWITCH(member, text)                                                                       \
    { KEY(BOOL, member), .default_value = "false", .unit = "", .help = text }
#define LINK(member, of)                                                                           \
    NUMBER(member.bandwidth, "unset", POSITIVE, LARGEST, "GB/s",                                   \
           of ": bandwidth in one direction, for very long messages."),                            \
        NUMBER(member.latency, "0.0", 0.0, SECOND, "us", "Latency of a message."),                 \
        NUMBER(member.eager, "0.0", 0.0, SECOND, "us",                                             \
               "Latency of messages of up to 4096 bytes; 0: that of all messages."),               \
        SWITCH(member.duplex, "Do two messages in opposite directions take as long as one?"),      \
        SWITCH(member.at_once, "Do the messages of an exchange share one latency?")

static const wabe_option rows[] = {
    {KEY(STRING, name), .help = "Name of the machine."},
    {KEY(LIST, components), .help = "Compute components of a node: GPUs, CPUs.",
     .elements = component_rows, .element_size = sizeof(component_options)},
    {KEY(LIST, kernels), .default_value = "()",
     .help = "Measured steps of cubes. Without any, kernels are bound by memory.",
     .elements = kernel_rows, .element_size = sizeof(kernel_options)},
    LINK(bus, "Between GPU and host"),
    NUMBER(both_ways, "unset", POSITIVE, LARGEST, "GB/s",
           "Between GPU and host while long copies go both ways: bandwidth of each; unset: "
           "bus.bandwidth."),
    NUMBER(both_ways_all, "unset", POSITIVE, LARGEST, "GB/s",
           "The same for each GPU, while all GPUs of the node copy; unset: no less."),
    LINK(peer, "Between GPUs that reach each other's memory"),
    LINK(node, "Between processes of a node; unset: takes no time"),
    LINK(crowd, "Like node, while as many processes as cores exchange messages"),
    LINK(network, "Between nodes"),
    {KEY(INT, tree.nodes), .default_value = "0", WABE_RANGE(0, 1e9),
     .help =
         "Nodes per lowest switch of a fat tree, in the order of their numbers; 0: one switch for "
         "all."},
    NUMBER(tree.taper, "1.0", 1.0, 1e6, "",
           "Number of node links that share one link above the lowest switches."),
    {.path = NULL},
};

void wabe_machine_print_reference(FILE *file) {
    machine_options none = {0};
    const wabe_option_table table = {rows, &none};
    wabe_machine_sweeps(); /* sets the words */
    fputs("# Machine files\n\nA machine file describes a machine to the performance model, in the "
          "same syntax. `wabe calibrate` writes one; for another machine, write it by hand "
          "(examples: "
          "`input/machines`). [model.md](model.md) explains the model.\n\n",
          file);
    wabe_config_print_reference(file, 1, &table);
}

/* ---- reading ------------------------------------------------------------------------ */

static wabe_model_link link_of(link_options o) {
    return (wabe_model_link){.bandwidth = isfinite(o.bandwidth) ? GIGA * o.bandwidth : 0.0,
                             .latency = MICRO * o.latency,
                             .eager = MICRO * o.eager,
                             .duplex = o.duplex,
                             .at_once = o.at_once};
}

static wabe_status fill_components(const wabe_config *config, const machine_options *o,
                                   wabe_machine *m) {
    const component_options *list = o->components.items;
    if (o->components.count < 1 || o->components.count > WABE_MACHINE_COMPONENTS_MAX)
        return wabe_config_fail(config, "components", "needs 1 to %d elements",
                                WABE_MACHINE_COMPONENTS_MAX);
    m->component_count = (int)o->components.count;
    for (int i = 0; i < m->component_count; i++) {
        const component_options *c = &list[i];
        char path[32];
        snprintf(path, sizeof path, "components[%d].kind", i);
        if (c->kind == 0 && !isfinite(o->bus.bandwidth))
            return wabe_config_fail(config, path, "is \"gpu\", so bus.bandwidth is needed");
        for (int k = 0; k < i; k++)
            if (list[k].kind == c->kind)
                return wabe_config_fail(config, path,
                                        "is that of another component: alike ones are one, with "
                                        "their count");
        const bool measured = isfinite(c->buffer_bandwidth);
        m->components[i] = (wabe_machine_component){
            .target = c->kind == 0 ? WABE_TARGET_gpu : WABE_TARGET_cpu,
            .count = (int)c->count,
            .threads = (int)c->threads,
            .memory = GIGA * c->memory,
            .processor = {.bandwidth = GIGA * c->bandwidth,
                          .peak = isfinite(c->peak) ? GIGA * c->peak : GIGA * LARGEST},
            .efficiency = c->efficiency,
            .buffers = {.bandwidth = GIGA * (measured ? c->buffer_bandwidth : 0.5 * c->bandwidth),
                        .latency = MICRO * c->buffer_latency},
            .exchange = {MICRO * c->exchange, MICRO * c->exchange_apart},
            .staged = MICRO * c->staged,
            .launch = MICRO * c->launch,
            .one_thread = isfinite(c->one_thread) ? c->one_thread : 1.0 / (double)c->threads};
        m->components[i].across = isfinite(c->buffer_across) ? GIGA * c->buffer_across : 0.0;
        for (int type = 0; type < 3; type++)
            m->components[i].contention[type] = MICRO * c->contention[type];
        memcpy(m->components[i].name, c->name, sizeof c->name);
    }
    return WABE_OK;
}

static wabe_status fill_kernel(const wabe_config *config, const machine_options *o, int64_t i,
                               wabe_machine *m) {
    const kernel_options *k = (const kernel_options *)o->kernels.items + i;
    const wabe_grid_sample *sample = sample_of(k->application);
    wabe_machine_kernel *out = &m->kernels[i];
    char path[48];
    *out = (wabe_machine_kernel){.component = -1,
                                 .storage = (wabe_type)(WABE_TYPE_any + 1 + k->storage),
                                 .streaming = (wabe_streaming)(WABE_STREAMING_any + k->streaming),
                                 .application = k->application,
                                 .steps = sample ? (int)k->steps : 0,
                                 .walls = sample && sample->walls && k->walls,
                                 .fluid = k->fluid,
                                 .edge = k->edge,
                                 .whole = MICRO * k->step};
    for (int d = 0; d < 3; d++)
        out->split[d] = MICRO * k->split[d];
    for (int c = m->component_count - 1; c >= 0; c--)
        if (strcmp(m->components[c].name, k->component) == 0)
            out->component = c;
    snprintf(path, sizeof path, "kernels[%lld].streaming", (long long)i);
    if (sample && out->streaming != WABE_STREAMING_any)
        return wabe_config_fail(config, path, "is for application = \"lbm\" alone");
    snprintf(path, sizeof path, "kernels[%lld]", (long long)i);
    if (!sample && out->streaming == WABE_STREAMING_any)
        return wabe_config_fail(config, path, "needs its streaming, as in lbm.streaming");
    snprintf(path, sizeof path, "kernels[%lld].component", (long long)i);
    return out->component >= 0
               ? WABE_OK
               : wabe_config_fail(config, path, "'%s' is not among components", k->component);
}

/* Curves need points of different sizes, and have a limited number. */
static wabe_status check_kernel(const wabe_config *config, const wabe_machine *m, int64_t i) {
    const wabe_machine_kernel *k = &m->kernels[i];
    int alike = 1;
    char path[48];
    snprintf(path, sizeof path, "kernels[%lld].edge", (long long)i);
    for (int64_t j = 0; j < i; j++) {
        const wabe_machine_kernel *other = &m->kernels[j];
        if (other->component != k->component || other->storage != k->storage ||
            other->streaming != k->streaming || other->fluid != k->fluid ||
            other->application != k->application || other->steps != k->steps ||
            other->walls != k->walls)
            continue;
        if (other->edge == k->edge)
            return wabe_config_fail(config, path, "stands there twice for this kernel");
        alike++;
    }
    return alike <= WABE_MODEL_POINTS_MAX
               ? WABE_OK
               : wabe_config_fail(config, path, "is one of more than %d for this kernel",
                                  WABE_MODEL_POINTS_MAX);
}

/* Sorts kernels by size, as curves need their points. */
static int by_edge(const void *a, const void *b) {
    const double x = ((const wabe_machine_kernel *)a)->edge,
                 y = ((const wabe_machine_kernel *)b)->edge;
    return (x > y) - (x < y);
}

/* A link with only a latency is incomplete. */
static wabe_status check_link(const wabe_config *config, const char *name, link_options o) {
    char path[32];
    snprintf(path, sizeof path, "%s.latency", name);
    return isfinite(o.bandwidth) || !wabe_config_is_given(config, path)
               ? WABE_OK
               : wabe_config_fail(config, path, "needs %s.bandwidth as well", name);
}

static wabe_status check_links(const wabe_config *config, const machine_options *o) {
    WABE_TRY(check_link(config, "bus", o->bus));
    WABE_TRY(check_link(config, "peer", o->peer));
    WABE_TRY(check_link(config, "node", o->node));
    WABE_TRY(check_link(config, "crowd", o->crowd));
    WABE_TRY(check_link(config, "network", o->network));
    return isfinite(o->crowd.bandwidth) && !isfinite(o->node.bandwidth)
               ? wabe_config_fail(config, "crowd.bandwidth", "needs node.bandwidth as well")
               : WABE_OK;
}

static wabe_status fill(const wabe_config *config, const machine_options *o, wabe_machine *m) {
    WABE_TRY(check_links(config, o));
    memcpy(m->name, o->name, sizeof m->name);
    m->bus = link_of(o->bus);
    m->both_ways = isfinite(o->both_ways) ? o->both_ways * GIGA : m->bus.bandwidth;
    m->both_ways_all = isfinite(o->both_ways_all) ? o->both_ways_all * GIGA : 0.0;
    m->crowd = link_of(o->crowd);
    m->switched = o->tree.nodes;
    m->taper = o->tree.taper;
    m->links = (wabe_model_links){.peer = link_of(o->peer),
                                  .node = link_of(o->node),
                                  .network = link_of(o->network)};
    WABE_TRY(fill_components(config, o, m));
    m->kernels = calloc((size_t)o->kernels.count + 1, sizeof *m->kernels);
    WABE_CHECK(m->kernels, WABE_MEMORY, "no memory for the machine's kernels");
    m->kernel_count = (int)o->kernels.count;
    for (int64_t i = 0; i < o->kernels.count; i++)
        WABE_TRY(fill_kernel(config, o, i, m));
    for (int64_t i = 0; i < o->kernels.count; i++)
        WABE_TRY(check_kernel(config, m, i));
    qsort(m->kernels, (size_t)m->kernel_count, sizeof *m->kernels, by_edge);
    return WABE_OK;
}

static wabe_status check_file(MPI_Comm comm, const char *file) {
    int rank;
    int64_t bytes;
    MPI_Comm_rank(comm, &rank);
    const bool good = rank != 0 || wabe_disk_check(file, &bytes) == WABE_OK;
    return wabe_agree(comm, good ? WABE_OK : WABE_FAIL(WABE_INPUT, "%s", wabe_error_message()));
}

wabe_status wabe_machine_read(MPI_Comm comm, const char *file, wabe_machine *out) {
    wabe_input input = {.file = file};
    machine_options options;
    const wabe_option_table table = {rows, &options};
    wabe_config *config = NULL;
    *out = (wabe_machine){0};
    wabe_machine_sweeps(); /* sets the words */
    WABE_TRY(check_file(comm, file));
    WABE_TRY(wabe_input_load(comm, &input, &config));
    wabe_status status = wabe_config_read(config, 1, &table);
    if (status == WABE_OK)
        status = fill(config, &options, out);
    wabe_config_destroy(&config);
    status = wabe_agree(comm, status);
    if (status != WABE_OK)
        wabe_machine_free(out);
    return status;
}

void wabe_machine_free(wabe_machine *machine) {
    free(machine->kernels);
    machine->kernels = NULL;
    machine->kernel_count = 0;
}

/* ---- writing ------------------------------------------------------------------------ */

static void put_component(FILE *file, const wabe_machine_component *c, bool last) {
    fprintf(file,
            "  { name = \"%s\"; kind = \"%s\"; count = %d; threads = %d; bandwidth = %.6g; memory "
            "= %.6g;\n    efficiency = %.4f; one_thread = %.4f; launch = %.6g; buffer_bandwidth = "
            "%.6g; buffer_latency = %.6g;\n",
            c->name, wabe_target_word(c->target), c->count, c->threads,
            c->processor.bandwidth / GIGA, c->memory / GIGA, c->efficiency, c->one_thread,
            c->launch / MICRO, c->buffers.bandwidth / GIGA, c->buffers.latency / MICRO);
    if (c->across > 0.0)
        fprintf(file, "    buffer_across = %.6g;\n", c->across / GIGA);
    fprintf(file,
            "    exchange = %.6g; exchange_apart = %.6g; staged = %.6g; contention = [%.6g, %.6g, "
            "%.6g]; }%s\n",
            c->exchange[0] / MICRO, c->exchange[1] / MICRO, c->staged / MICRO,
            c->contention[0] / MICRO, c->contention[1] / MICRO, c->contention[2] / MICRO,
            last ? "" : ",");
}

static void put_kernel(FILE *file, const wabe_machine *m, const wabe_machine_kernel *k, bool last) {
    fprintf(file, "  { component = \"%s\"; storage = \"%s\"; ", m->components[k->component].name,
            wabe_type_word(k->storage));
    if (k->application == WABE_MACHINE_FLOWS)
        fprintf(file, "streaming = \"%s\"; fluid = %.4f; ", wabe_streaming_word(k->streaming),
                k->fluid);
    else
        fprintf(file, "application = \"%s\"; steps = %d; walls = %s; ",
                sample_of(k->application)->application, k->steps, k->walls ? "true" : "false");
    fprintf(file, "edge = %.1f; step = %.6g;\n    split = [%.6g, %.6g, %.6g]; }%s\n", k->edge,
            k->whole / MICRO, k->split[0] / MICRO, k->split[1] / MICRO, k->split[2] / MICRO,
            last ? "" : ",");
}

static void put_link(FILE *file, const char *name, wabe_model_link link) {
    if (link.bandwidth > 0.0)
        fprintf(file,
                "%s = { bandwidth = %.6g; latency = %.6g; eager = %.6g; duplex = %s; "
                "at_once = %s; };\n",
                name, link.bandwidth / GIGA, link.latency / MICRO, link.eager / MICRO,
                link.duplex ? "true" : "false", link.at_once ? "true" : "false");
}

wabe_status wabe_machine_write(const wabe_machine *m, const char *name, const char *head) {
    FILE *file;
    WABE_TRY(wabe_disk_open_new(name, &file));
    fprintf(file, "%sname = \"", head);
    for (const char *at = m->name; *at; at++)
        if (*at != '"' && *at != '\\')
            fputc(*at, file);
    fputs("\";\ncomponents = (\n", file);
    for (int i = 0; i < m->component_count; i++)
        put_component(file, &m->components[i], i + 1 == m->component_count);
    fputs(");\n# GB/s, us\n", file);
    put_link(file, "bus", m->bus);
    if (m->both_ways > 0.0)
        fprintf(file, "both_ways = %.6g;\n", m->both_ways / GIGA);
    if (m->both_ways_all > 0.0)
        fprintf(file, "both_ways_all = %.6g;\n", m->both_ways_all / GIGA);
    put_link(file, "peer", m->links.peer);
    put_link(file, "node", m->links.node);
    put_link(file, "crowd", m->crowd);
    put_link(file, "network", m->links.network);
    fputs("# us\nkernels = (\n", file);
    for (int i = 0; i < m->kernel_count; i++)
        put_kernel(file, m, &m->kernels[i], i + 1 == m->kernel_count);
    fputs(");\n", file);
    return wabe_disk_close_new(name, file);
}

/* ---- input of the model ------------------------------------------------------------- */

int wabe_machine_find(const wabe_machine *m, wabe_target target) {
    for (int i = 0; i < m->component_count; i++)
        if (m->components[i].target == target)
            return i;
    return -1;
}

/* All GPUs together copy at most at what the host's memory gives. */
double wabe_machine_both_ways(const wabe_machine *m, double processes) {
    const int gpu = wabe_machine_find(m, WABE_TARGET_gpu);
    const double together = gpu >= 0 ? m->both_ways_all * (double)m->components[gpu].count : 0.0;
    return together > 0.0 ? fmin(m->both_ways, together / processes) : m->both_ways;
}

static double between(double a, double b, double share) { return a + share * (b - a); }

wabe_model_links wabe_machine_links(const wabe_machine *m, double processes) {
    wabe_model_links links = m->links;
    links.far = wabe_model_link_tapered(links.network, m->taper);
    const int cpu = wabe_machine_find(m, WABE_TARGET_cpu);
    const double cores = cpu >= 0 ? m->components[cpu].count * m->components[cpu].threads : 0.0;
    if (m->crowd.bandwidth > 0.0 && cores > 2.0) {
        const double share = fmin(1.0, fmax(0.0, (processes - 2.0) / (cores - 2.0)));
        links.node.bandwidth = 1.0 / between(1.0 / m->links.node.bandwidth,
                                             1.0 / m->crowd.bandwidth, share);
        links.node.latency = between(m->links.node.latency, m->crowd.latency, share);
        links.node.eager = between(m->links.node.eager, m->crowd.eager, share);
    }
    if (!(links.node.bandwidth > 0.0)) /* unknown: messages take no time */
        links.node.bandwidth = INFINITY;
    return links;
}

static bool is_flavour(const wabe_machine_kernel *k, int component, const wabe_machine_flavour *f) {
    return k->component == component && k->storage == f->storage && k->streaming == f->streaming &&
           k->application == f->application && k->steps == f->steps && k->walls == f->walls;
}

/* The measured fluid fraction closest to the flavour's. */
static double nearest_fluid(const wabe_machine *m, int component, const wabe_machine_flavour *f) {
    double nearest = INFINITY;
    for (int i = 0; i < m->kernel_count; i++)
        if (is_flavour(&m->kernels[i], component, f) &&
            fabs(m->kernels[i].fluid - f->fluid) < fabs(nearest - f->fluid))
            nearest = m->kernels[i].fluid;
    return nearest;
}

static void add_point(wabe_model_curve *curve, double size, double seconds) {
    if (curve->count == WABE_MODEL_POINTS_MAX || !(seconds > 0.0))
        return;
    curve->size[curve->count] = size;
    curve->seconds[curve->count++] = seconds;
}

static wabe_model_kernel kernel_of(const wabe_machine *m, int component,
                                   const wabe_machine_flavour *f) {
    const double fluid = nearest_fluid(m, component, f), times = f->times > 0.0 ? f->times : 1.0;
    wabe_model_kernel kernel = {0};
    for (int i = 0; i < m->kernel_count; i++) {
        const wabe_machine_kernel *k = &m->kernels[i];
        if (!is_flavour(k, component, f) || k->fluid != fluid)
            continue;
        add_point(&kernel.whole, k->fluid * k->edge * k->edge * k->edge / times, k->whole);
        for (int d = 0; d < 3; d++)
            add_point(&kernel.split[d], k->fluid * 2.0 * k->edge * k->edge / times, k->split[d]);
    }
    return kernel;
}

wabe_model_component wabe_machine_model(const wabe_machine *m, int component,
                                        const wabe_machine_flavour *f, double threads, double busy,
                                        bool *measured) {
    const wabe_machine_component *c = &m->components[component];
    const bool device = c->target == WABE_TARGET_gpu;
    wabe_model_component model = {.device = device,
                                  .kernel = kernel_of(m, component, f),
                                  .share = device ? 1.0
                                                  : fmin(c->count, c->one_thread * busy) * threads /
                                                        busy,
                                  .threads = threads,
                                  .buffers = c->buffers,
                                  .bus = m->bus,
                                  .exchange = {c->exchange[0], c->exchange[1]},
                                  .staged = c->staged,
                                  .across = c->across,
                                  .contention = c->contention[f->storage - 1]};
    *measured = model.kernel.whole.count > 0;
    if (!*measured)
        model.kernel = wabe_model_kernel_of_rate(
            c->efficiency * wabe_model_lightspeed(c->processor, f->work).updates);
    return model;
}
