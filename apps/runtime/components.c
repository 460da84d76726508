#include "apps/runtime/components.h"

#include "comm/node.h"
#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/base/ranges.h"
#include "core/device/team.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *wabe_mode_word(wabe_mode mode) {
    static const char *const words[] = {"pure-mpi", "hybrid", "heterogeneous"};
    return words[mode];
}

int64_t wabe_component_memory(const wabe_component *component) {
    return component->device ? wabe_device_available_memory(component->device) /
                                   (component->users > 1 ? component->users : 1)
                             : wabe_component_available_memory();
}

/* ---- components of the input -------------------------------------------------------- */

/* Parses a list of cores, "0-3,8"; false: malformed. */
static bool read_cores(const char *text, wabe_component *out) {
    long first, last;
    out->core_count = 0;
    while (text) {
        if (!wabe_ranges_next(&text, CPU_SETSIZE - 1, &first, &last) ||
            last - first >= WABE_THREADS_MAX - out->core_count)
            return false;
        for (long core = first; core <= last; core++)
            out->cores[out->core_count++] = (int)core;
    }
    return true;
}

static const wabe_component *component_with_core(const wabe_components *all, int core) {
    for (int i = 0; i < all->count; i++)
        for (int k = 0; k < all->list[i].core_count; k++)
            if (all->list[i].cores[k] == core)
                return &all->list[i];
    return NULL;
}

static wabe_status describe_cpu(const wabe_config *config, const char *path,
                                const wabe_component_options *from, const wabe_components *before,
                                wabe_component *out) {
    *out = wabe_component_detect((int)from->threads);
    if (!from->cores[0])
        return WABE_OK;
    if (!read_cores(from->cores, out))
        return wabe_config_fail(config, path,
                                "has a list of cores that is none: \"%s\"; write \"0-7\" or "
                                "\"0,2,4\"",
                                from->cores);
    for (int k = 0; k < out->core_count; k++) {
        const wabe_component *other = component_with_core(before, out->cores[k]);
        if (other)
            return wabe_config_fail(config, path, "gives core %d out twice: %s has it already",
                                    out->cores[k], other->name);
    }
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (int k = 0; k < out->core_count; k++)
        if (!CPU_ISSET((size_t)out->cores[k], &allowed))
            return wabe_config_fail(
                config, path, "names core %d, which this process may not use: it has %d cores%s",
                out->cores[k], CPU_COUNT(&allowed),
                (int)sysconf(_SC_NPROCESSORS_ONLN) > CPU_COUNT(&allowed)
                    ? " (mpirun --bind-to none gives it all)"
                    : "");
    if (from->threads == 0)
        out->threads = out->core_count;
    return WABE_OK;
}

static wabe_status describe_gpu(const wabe_config *config, const char *path,
                                const wabe_component_options *from, const wabe_components *before,
                                wabe_component *out) {
    const char *why = "";
    const int count = wabe_devices_count(&why);
    if (from->device >= count && count > 0)
        return wabe_config_fail(config, path, "asks for GPU %lld, but there are GPUs 0 to %d alone",
                                (long long)from->device, count - 1);
    if (count == 0)
        return wabe_config_fail(config, path, "asks for GPU %lld, but there is none: %s",
                                (long long)from->device, why);
    WABE_TRY(wabe_component_open_gpu((int)from->device, out));
    for (int i = 0; i < before->count; i++)
        if (before->list[i].device == out->device)
            return wabe_config_fail(config, path, "gives GPU %lld out twice: %s has it already",
                                    (long long)from->device, before->list[i].name);
    return WABE_OK;
}

/* Rejects keys that are only for components of the other kind. */
static wabe_status refuse_unused(const wabe_config *config, const wabe_component_options *item,
                                 int index) {
    const bool gpu = item->kind == 0;
    const char *key = NULL;
    if (gpu && item->threads != 0)
        key = "threads";
    if (gpu && item->cores[0])
        key = "cores";
    if (!gpu && item->device != 0)
        key = "device";
    if (!key)
        return WABE_OK;
    char path[64];
    snprintf(path, sizeof path, "node.components[%d].%s", index, key);
    return wabe_config_fail(config, path, "is for %s: kind is \"%s\"", gpu ? "CPUs" : "GPUs",
                            gpu ? "gpu" : "cpu");
}

/* The node's components as listed in the input. */
static wabe_status describe(const wabe_config *config, const wabe_node_options *options,
                            wabe_components *out) {
    const wabe_component_options *items = options->components.items;
    int cpus = 0;
    if (options->components.count > WABE_SLABS_MAX)
        return wabe_config_fail(config, "node.components", "has more than %d components",
                                WABE_SLABS_MAX);
    for (int i = 0; i < options->components.count; i++) {
        wabe_component *c = &out->list[i];
        char path[64];
        const bool gpu = items[i].kind == 0;
        WABE_TRY(refuse_unused(config, &items[i], i));
        snprintf(path, sizeof path, "node.components[%d].%s", i, gpu ? "device" : "cores");
        if (!wabe_config_is_given(config, path)) /* a default: name kind's line */
            snprintf(path, sizeof path, "node.components[%d].kind", i);
        WABE_TRY(gpu ? describe_gpu(config, path, &items[i], out, c)
                     : describe_cpu(config, path, &items[i], out, c));
        if (!gpu)
            snprintf(c->name, sizeof c->name, "cpu%d", cpus++);
        out->planes[i] = items[i].planes;
        out->count++;
    }
    return WABE_OK;
}

/* ---- detection ---------------------------------------------------------------------- */

static wabe_status detect(int threads, wabe_components *out) {
    const int gpus = wabe_devices_count(NULL);
    *out = (wabe_components){0};
    for (int i = 0; i < gpus && i < WABE_SLABS_MAX - 1; i++)
        WABE_TRY(wabe_component_open_gpu(i, &out->list[out->count++]));
    out->list[out->count++] = wabe_component_detect(threads);
    return WABE_OK;
}

wabe_status wabe_components_detect(wabe_components *out) { return detect(0, out); }

/* Threads of a process if the input does not set them: as many as OpenMP would start, but no more
 * than the node's cores for all of its processes, unless OMP_NUM_THREADS is set. */
static int threads_for(wabe_node_place here, int asked) {
    const int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    const int threads = wabe_component_detect(asked).threads;
    if (asked > 0 || getenv("OMP_NUM_THREADS") || threads * here.size <= cores)
        return threads;
    return cores / here.size > 0 ? cores / here.size : 1;
}

wabe_component wabe_components_host(MPI_Comm comm, const wabe_components *components) {
    const int threads = threads_for(wabe_node_place_of(comm), 0);
    for (int i = 0; i < components->count; i++)
        if (!components->list[i].device)
            return components->list[i];
    return wabe_component_detect(threads);
}

/* ---- assignment to processes -------------------------------------------------------- */

static bool is_of_kind(const wabe_component *component, bool gpu) {
    return (component->device != NULL) == gpu;
}

static int count_kind(const wabe_components *c, bool gpu) {
    int count = 0;
    for (int i = 0; i < c->count; i++)
        count += is_of_kind(&c->list[i], gpu);
    return count;
}

/* Appends components begin to end - 1 of a kind. */
static void append_kind(const wabe_components *from, bool gpu, int begin, int end,
                        wabe_components *to) {
    for (int i = 0, index = 0; i < from->count; i++) {
        if (!is_of_kind(&from->list[i], gpu))
            continue;
        if (index >= begin && index < end) {
            to->planes[to->count] = from->planes[i];
            to->list[to->count++] = from->list[i];
        }
        index++;
    }
}

static wabe_status take_one(const wabe_config *config, const wabe_node_options *options,
                            wabe_node_place here, wabe_components *c) {
    const bool described = options->components.count > 0;
    const int gpus = described ? 0 : c->count - 1;
    if (described && here.size > c->count)
        return wabe_config_fail(config, "node.components",
                                "lists %d component%s, but %d processes run on this node, each of "
                                "which takes one (parallel.mode = \"pure-mpi\"): start fewer "
                                "processes, list more components, or leave node.components out",
                                c->count, c->count > 1 ? "s" : "", here.size);
    if (gpus > 0 && here.size > gpus && here.rank == 0)
        wabe_log_warning("%d processes share %d GPU%s of this node", here.size, gpus,
                         gpus > 1 ? "s" : "");
    if (gpus > here.size && here.rank == 0)
        wabe_log_warning("%d of the %d GPUs of this node stay idle: start a process for each, or "
                         "set parallel.mode = \"hybrid\"",
                         gpus - here.size, gpus);
    if (described && c->count > here.size && here.rank == 0)
        wabe_log_warning(
            "%d of the %d components of this node stay idle: start a process for each, "
            "or set parallel.mode = \"hybrid\" or \"heterogeneous\"",
            c->count - here.size, c->count);
    const int index = gpus > 0 ? here.rank % gpus : here.rank;
    const int mine = described || gpus > 0 ? index : 0;
    c->list[0] = c->list[mine];
    c->planes[0] = c->planes[mine];
    c->count = 1;
    return WABE_OK;
}

/* Keeps only the GPUs, or, if there are none, the CPUs. */
static void keep_one_kind(wabe_components *c) {
    const wabe_components all = *c;
    c->count = 0;
    append_kind(&all, count_kind(&all, true) > 0, 0, all.count, c);
}

/* Distributes the components of a node over its processes, each kind evenly and in order.
 * CPUs that were detected, not listed, belong to every process. */
static wabe_status share_out(const wabe_config *config, const wabe_node_options *options,
                             wabe_node_place here, wabe_components *c) {
    const wabe_components all = *c;
    c->count = 0;
    for (int gpu = 1; gpu >= 0; gpu--) {
        const int total = count_kind(&all, gpu);
        if (total == 0)
            continue;
        const bool everyones = !gpu && options->components.count == 0;
        const int begin = everyones ? 0 : total * here.rank / here.size;
        const int end = everyones ? total : total * (here.rank + 1) / here.size;
        if (begin == end && gpu)
            return wabe_config_fail(config, "parallel.mode",
                                    "needs a GPU for each process, but %d processes run on a node "
                                    "with %d",
                                    here.size, total);
        append_kind(&all, gpu, begin, end, c);
    }
    return WABE_OK;
}

/* Numbers the process's threads consecutively over its CPU components. */
static wabe_status number_threads(wabe_components *c) {
    int threads = 0;
    for (int i = 0; i < c->count; i++) {
        if (c->list[i].device)
            continue;
        c->list[i].first_thread = threads;
        threads += c->list[i].threads;
    }
    WABE_CHECK(threads <= WABE_THREADS_MAX, WABE_INPUT, "%d threads in a process: at most %d",
               threads, WABE_THREADS_MAX);
    for (int i = 0; i < c->count; i++)
        WABE_TRY(wabe_team_bind(&c->list[i]));
    return WABE_OK;
}

static wabe_status choose(const wabe_config *config, const wabe_node_options *options,
                          wabe_node_place here, wabe_components *out) {
    *out = (wabe_components){0};
    if (options->components.count > 0)
        WABE_TRY(describe(config, options, out));
    else
        WABE_TRY(detect(threads_for(here, (int)options->threads), out));
    if (options->mode == WABE_MODE_PURE_MPI) {
        WABE_TRY(take_one(config, options, here, out));
    } else {
        if (options->mode == WABE_MODE_HYBRID)
            keep_one_kind(out);
        WABE_TRY(share_out(config, options, here, out));
    }
    if (out->count == 0)
        return wabe_config_fail(config, "node.components",
                                "leaves process %d of %d of this node without a component",
                                here.rank, here.size);
    return number_threads(out);
}

static void warn_of_threads(MPI_Comm comm, const wabe_components *c, wabe_node_place here) {
    int threads = 0;
    for (int i = 0; i < c->count; i++)
        threads += c->list[i].device ? 0 : c->list[i].threads;
    threads = (int)wabe_node_sum(comm, threads);
    const int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (threads > cores && here.rank == 0)
        wabe_log_warning("%d threads in %d processes on a node of %d cores: they will wait for "
                         "each other",
                         threads, here.size, cores);
}

/* Only processes of one component may share it. Collective. */
static void count_users(MPI_Comm comm, wabe_component *first) {
    const char *id = first->device ? wabe_device_describe(first->device)->id : "";
    const int same = wabe_node_count_same(comm, wabe_hash_bytes(id, (int64_t)strlen(id)));
    first->users = first->device ? same : 0;
}

wabe_status wabe_components_choose(MPI_Comm comm, const wabe_config *config,
                                   const wabe_node_options *options, wabe_components *out) {
    const wabe_node_place here = wabe_node_place_of(comm);
    if (options->emulated_gpus > 0)
        wabe_devices_emulate((int)options->emulated_gpus);
    WABE_TRY(wabe_agree(comm, choose(config, options, here, out)));
    count_users(comm, &out->list[0]);
    warn_of_threads(comm, out, here);
    return WABE_OK;
}
