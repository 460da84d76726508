/* wabe calibrate: measures the components of a node one after another. */
#include "apps/calibrate/calibration.h"
#include "apps/lbm/cavity.h"
#include "apps/runtime/bandwidth.h"
#include "apps/runtime/kernels.h"

#include "core/base/log.h"
#include "sweeps/cell/lattice.h"
#include "sweeps/stencil/grid.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define GIGA 1e9
#define PASS_SECONDS 75.0
#define UNSTEADY 2.0

enum {
    PASSES = 3,
    LIMIT_CPU = 128,
    LIMIT_GPU = 512,
    LIMIT_ROUNDS = 9,
    LAUNCH_EDGE = 16,
    BESIDE_EDGE = 160,
    QUICK_EDGE = 24
};

static wabe_status measure_copy(const wabe_component *component, double *out) {
    wabe_bandwidth limits;
    int64_t edge = component->device ? LIMIT_GPU : LIMIT_CPU;
    wabe_status status;
    while ((status = wabe_bandwidth_create(component, WABE_TYPE_f64, (int64_t[3]){edge, edge, edge},
                                           &limits)) == WABE_MEMORY &&
           edge > LIMIT_CPU) {
        wabe_bandwidth_destroy(&limits);
        edge /= 2;
    }
    *out = 0.0;
    for (int i = 0; i < LIMIT_ROUNDS && status == WABE_OK; i++)
        *out = fmax(*out, wabe_bandwidth_copy(&limits));
    wabe_bandwidth_destroy(&limits);
    return status;
}

/* Edges of cubes, ascending, ended by 0. */
static const int64_t edges_cpu[] = {8, 12, 16, 24, 32, 48, 64, 96, 128, 0};
static const int64_t edges_gpu[] = {16, 24, 32, 48, 64, 96, 128, 192, 256, 0};
static const int64_t edges_quick[] = {8, 16, 24, 0};
/* Multiples of the lattice constant of the spheres, so that all have the same fluid fraction. */
static const int64_t edges_list_cpu[] = {20, 40, 60, 80, 120, 0};
static const int64_t edges_list_gpu[] = {20, 40, 60, 100, 140, 200, 0};
static const int64_t edges_list_quick[] = {20, 40, 0};

/* For grids, which have fewer numbers per cell. */
static const int64_t edges_grid[] = {16, 32, 64, 128, 192, 256, 0};
static const int64_t edges_grid_quick[] = {16, 32, 0};
enum { EDGE_STEP_CPU = 128 }; /* the largest cube for whole steps on CPUs, which take long */

static const int64_t *edges_of(const wabe_calibration *c, const wabe_component *component,
                               bool list) {
    if (c->quick)
        return list ? edges_list_quick : edges_quick;
    if (component->device)
        return list ? edges_list_gpu : edges_gpu;
    return list ? edges_list_cpu : edges_cpu;
}

/* Dense kernels without solids, lists between spheres. */
static const struct {
    wabe_streaming streaming;
    double fluid;
} patterns[] = {{WABE_STREAMING_pull, 1.0},
                {WABE_STREAMING_in_place, 1.0},
                {WABE_STREAMING_moments, 1.0},
                {WABE_STREAMING_list, 0.7},
                {WABE_STREAMING_list, 0.36}};

enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

/* Do the slabs of the measurement take less than half of the memory? Systems that overcommit memory
 * kill processes that use it. */
static bool fits(const wabe_component *on, const wabe_machine_flavour *flavour, int64_t edge) {
    const wabe_lbm_model model = wabe_cavity_model(flavour->storage, flavour->streaming);
    const int64_t bytes = wabe_lbm_field_bytes(&model, (int64_t[3]){edge, edge, edge}, NULL,
                                               on->target);
    return WABE_PROBE_SLABS * bytes < wabe_component_memory(on) / 2;
}

static wabe_status measure_size(wabe_calibration *c, int component, const wabe_component *on,
                                const wabe_machine_flavour *flavour, int64_t edge) {
    char of[64];
    snprintf(of, sizeof of, "%s %s %s %.2f", on->name, wabe_type_word(flavour->storage),
             wabe_streaming_word(flavour->streaming), flavour->fluid);
    wabe_machine_kernel *k = &c->machine.kernels[c->machine.kernel_count];
    WABE_CHECK(c->machine.kernel_count < WABE_CALIBRATION_KERNELS_MAX, WABE_INTERNAL,
               "too many kernels");
    const wabe_status status = fits(on, flavour, edge) ? wabe_probe_kernel(on, flavour, edge, k)
                                                       : WABE_MEMORY;
    if (status == WABE_MEMORY) /* other sizes must do; k->whole is 0 */
        *k = (wabe_machine_kernel){.storage = flavour->storage, .streaming = flavour->streaming};
    else
        WABE_TRY(status);
    k->component = component;
    c->machine.kernel_count++;
    if (status == WABE_MEMORY)
        return WABE_OK;
    c->unsteady += k->spread > UNSTEADY;
    c->measured++;
    wabe_calibration_point(c, "kernel", of, k->fluid * (double)(edge * edge * edge), k->whole,
                           k->whole);
    for (int d = 0; d < 3; d++)
        wabe_calibration_point(c, "split", of, (double)edge, k->split[d], k->split[d]);
    return WABE_OK;
}

static wabe_status measure_flavour(wabe_calibration *c, int component, const wabe_component *on,
                                   const wabe_machine_flavour *flavour) {
    const bool list = flavour->streaming == WABE_STREAMING_list;
    for (const int64_t *edge = edges_of(c, on, list); *edge; edge++)
        WABE_TRY(measure_size(c, component, on, flavour, *edge));
    return WABE_OK;
}

static double bytes_of_sample(const wabe_kernel *kernel, wabe_target target, int64_t edge,
                              bool walls) {
    const wabe_grid_sample *sample = kernel->sweep->sample;
    const int64_t cells[3] = {edge, edge, edge};
    const wabe_grid_model model = sample->step ? sample->step(kernel->storage, cells, walls)
                                               : sample->model(kernel, cells, walls);
    return (double)wabe_grid_bytes(&model, cells, target);
}

/* Measures all passes that the kernel supports; walls: see wabe_grid_sample. */
static wabe_status measure_grid(wabe_calibration *c, int component, const wabe_component *on,
                                const wabe_kernel *kernel, bool walls, int64_t edge) {
    const int count = wabe_stencil_attributes_of(kernel)->depth;
    const wabe_grid_sample *sample = kernel->sweep->sample;
    wabe_machine_kernel *k = &c->machine.kernels[c->machine.kernel_count];
    WABE_CHECK(c->machine.kernel_count + count <= WABE_CALIBRATION_KERNELS_MAX, WABE_INTERNAL,
               "too many kernels");
    const double bytes = bytes_of_sample(kernel, on->target, edge, walls);
    const wabe_status status = bytes < 0.5 * (double)wabe_component_memory(on)
                                   ? wabe_probe_grid(on, kernel, edge, walls, count, k)
                                   : WABE_MEMORY;
    if (status == WABE_MEMORY) /* other sizes must do; k->whole is 0 */
        memset(k, 0, (size_t)count * sizeof *k);
    else
        WABE_TRY(status);
    for (int i = 0; i < count; i++) {
        char of[64];
        k[i].component = component;
        c->machine.kernel_count++;
        if (status == WABE_MEMORY)
            continue;
        c->unsteady += k[i].spread > UNSTEADY;
        c->measured++;
        snprintf(of, sizeof of, "%s %s %s %d%s", on->name, wabe_type_word(k[i].storage),
                 sample->application, k[i].steps, walls ? " walls" : "");
        wabe_calibration_point(c, "grid", of, (double)(edge * edge * edge), k[i].whole, k[i].whole);
    }
    return WABE_OK;
}

static wabe_status measure_grids(wabe_calibration *c, int component, const wabe_component *on) {
    for (int type = WABE_TYPE_f64; type <= WABE_TYPE_f32; type++)
        for (const wabe_sweep *const *sweep = wabe_machine_sweeps(); *sweep; sweep++) {
            const wabe_grid_sample *sample = (*sweep)->sample;
            const wabe_kernel_request request = {.sweep = *sweep,
                                                 .storage = (wabe_type)type,
                                                 .name_part = ""};
            const wabe_kernel *kernel;
            if (wabe_registry_select(wabe_kernels(), on, &request, &kernel) != WABE_OK ||
                !strstr(kernel->name, c->part))
                continue; /* no kernel for this component, or not asked for */
            for (int walls = 0; walls <= sample->walls; walls++)
                for (const int64_t *e = c->quick ? edges_grid_quick : edges_grid; *e; e++)
                    if (on->device || !sample->step || *e <= EDGE_STEP_CPU)
                        WABE_TRY(measure_grid(c, component, on, kernel, walls == 1, *e));
        }
    return WABE_OK;
}

/* A trial skips the last storage type and the last pattern. */
static wabe_status measure_once(wabe_calibration *c, int component, const wabe_component *on) {
    const int patterns_meant = c->quick ? PATTERNS - 1 : PATTERNS;
    for (int type = WABE_TYPE_any + 1; type < (c->quick ? WABE_TYPE_f16 : WABE_TYPE_end); type++)
        for (int i = 0; i < patterns_meant; i++) {
            const wabe_machine_flavour flavour = {.storage = (wabe_type)type,
                                                  .streaming = patterns[i].streaming,
                                                  .fluid = patterns[i].fluid};
            const wabe_lbm_model model = wabe_cavity_model(flavour.storage, flavour.streaming);
            const wabe_lbm_attributes wanted = {.lattice = model.lattice,
                                                .collision = model.collision,
                                                .streaming = flavour.streaming};
            const wabe_kernel_request request = {.sweep = &wabe_sweep_stream_collide,
                                                 .storage = flavour.storage,
                                                 .attributes = &wanted,
                                                 .name_part = ""};
            const wabe_kernel *kernel;
            if (wabe_registry_select(wabe_kernels(), on, &request, &kernel) != WABE_OK ||
                !strstr(kernel->name, c->part))
                continue; /* no kernel for this component, or not asked for */
            WABE_TRY(measure_flavour(c, component, on, &flavour));
        }
    return measure_grids(c, component, on);
}

static double median(double a, double b, double c) { return fmax(fmin(a, b), fmin(fmax(a, b), c)); }

/* The speed of CPUs drifts over times longer than a measurement: all sizes are measured three
 * times in turn, and the medians taken, unless that would take too long. */
static wabe_status measure_kernels(wabe_calibration *c, int component, const wabe_component *on) {
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
    for (int i = 0; i < rows; i++) /* drop those that did not fit into memory */
        if (k[i].whole > 0.0)
            c->machine.kernels[c->machine.kernel_count++] = k[i];
    return WABE_OK;
}

/* If the largest slab is faster than a copy, part of it is still in caches: measures one that is
 * half as long again in each direction. Kernels of a flavour are consecutive. */
static wabe_status measure_beyond_caches(wabe_calibration *c, int component,
                                         const wabe_component *on, int first) {
    const int rows = c->machine.kernel_count - first;
    const double copy = c->machine.components[component].processor.bandwidth;
    for (int i = first; i < first + rows; i++) {
        const wabe_machine_kernel *k = &c->machine.kernels[i];
        const wabe_machine_flavour flavour = {.storage = k->storage,
                                              .streaming = k->streaming,
                                              .fluid = k->fluid};
        const double bytes = 2.0 * WABE_COUNT_d3q19 * (double)wabe_type_size(k->storage) *
                             k->fluid * k->edge * k->edge * k->edge;
        const bool largest = i + 1 == first + rows || k[1].edge <= k->edge;
        if (k->application != WABE_MACHINE_FLOWS || !largest || bytes <= copy * k->whole)
            continue;
        const int before = c->machine.kernel_count;
        WABE_TRY(measure_size(c, component, on, &flavour, 3 * (int64_t)k->edge / 2));
        /* Here the cost of splitting is lost in noise; smaller slabs provide it. */
        memset(c->machine.kernels[before].split, 0, sizeof c->machine.kernels[before].split);
        if (!(c->machine.kernels[before].whole > 0.0))
            c->machine.kernel_count = before;
    }
    return WABE_OK;
}

/* The fraction of the copy bandwidth reached by the largest dense slab in f64. */
static double efficiency_of(const wabe_machine *m, int component) {
    double efficiency = 1.0;
    for (int i = 0; i < m->kernel_count; i++) {
        const wabe_machine_kernel *k = &m->kernels[i];
        const double cells = k->edge * k->edge * k->edge;
        if (k->application == WABE_MACHINE_FLOWS && k->component == component &&
            k->storage == WABE_TYPE_f64 && k->fluid == 1.0)
            efficiency = cells * 2.0 * 19.0 * 8.0 / k->whole /
                         m->components[component].processor.bandwidth;
    }
    return fmin(efficiency, 1.5);
}

static wabe_status measure_exchanges(const wabe_calibration *c, const wabe_components *slabs,
                                     int axis, wabe_probe *out) {
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

static int count_like(const wabe_components *found, const wabe_component *component) {
    int count = 0;
    for (int i = 0; i < found->count; i++)
        count += found->list[i].target == component->target;
    return count;
}

static wabe_status measure_both_ways(wabe_calibration *c, const char *what, int count,
                                     double *out) {
    const wabe_component *devices = c->found.list; /* GPUs come first */
    const double bytes = 1e8;                      /* more than caches of processors hold */
    double seconds;
    WABE_TRY(wabe_probe_both_ways(count, devices, bytes, &seconds));
    *out = bytes / seconds;
    wabe_calibration_point(c, what, devices[0].name, bytes, seconds, 0.0);
    wabe_log_line("           %-8s %-8s %8.2f GB/s each way, %d at once", "both", devices[0].name,
                  *out / GIGA, count);
    return WABE_OK;
}

static wabe_status measure_bus(wabe_calibration *c, const wabe_component *device) {
    const int count = count_like(&c->found, device);
    wabe_probe probe = {0};
    for (double bytes = 256.0; bytes <= 3e7; bytes *= 4.0, probe.count++) {
        probe.bytes[probe.count] = bytes;
        WABE_TRY(wabe_probe_bus(device, bytes, &probe.seconds[probe.count]));
    }
    c->machine.bus = wabe_calibration_fit(c, "bus", device->name, &probe, 2.0);
    c->machine.bus.at_once = true;
    WABE_TRY(measure_both_ways(c, "both ways", 1, &c->machine.both_ways));
    return count > 1 ? measure_both_ways(c, "both ways, all", count, &c->machine.both_ways_all)
                     : WABE_OK;
}

/* Measures by how much exchanges between two GPUs take longer than packing and unpacking two
 * messages each way, and steps so small that launching them on both GPUs is the limit. */
static wabe_status measure_peer(wabe_calibration *c, wabe_model_link buffers, double *launch) {
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
    c->machine.links.peer = wabe_calibration_fit(c, "peer", "gpu0", &probe, 1.0);
    c->machine.links.peer.duplex = c->machine.links.peer.at_once = true;
    return wabe_probe_slabs(&two, LAUNCH_EDGE, launch);
}

/* CPUs: measures the fraction of the rate that one thread reaches. */
static wabe_status measure_one_thread(const wabe_calibration *c, const wabe_component *on,
                                      wabe_machine_component *m) {
    double alone = 0.0;
    m->one_thread = 1.0;
    if (on->device || on->threads < 2)
        return WABE_OK;
    const wabe_component one = wabe_component_detect(1);
    WABE_TRY(measure_copy(&one, &alone));
    wabe_calibration_point(c, "copy", "one thread", GIGA, GIGA / alone, 0.0);
    m->one_thread = fmin(1.0, alone / m->processor.bandwidth);
    return WABE_OK;
}

/* Limited to the range of machine files. */
static double memory_of(const wabe_component *on) {
    return fmin(fmax((double)wabe_component_memory(on), 1e6), 1e15);
}

static wabe_status measure_contention(const wabe_calibration *c, const wabe_component *device,
                                      wabe_machine_component *m) {
    for (int i = 0; i < 3; i++) {
        const wabe_type type = (wabe_type)(WABE_TYPE_any + 1 + i);
        const wabe_status status = wabe_probe_contention(device, type,
                                                         c->quick ? QUICK_EDGE : BESIDE_EDGE,
                                                         &m->contention[i]);
        if (status == WABE_MEMORY)
            continue; /* the GPU is too small to be filled */
        WABE_TRY(status);
        wabe_calibration_point(c, "contention", wabe_type_word(type), 0.0, m->contention[i], 0.0);
        wabe_log_line("           contention       %-8s %8.2f us beside steps in %s", device->name,
                      m->contention[i] / WABE_MICRO, wabe_type_word(type));
    }
    return WABE_OK;
}

static wabe_status measure_component(wabe_calibration *c, const wabe_component *on) {
    const int index = c->machine.component_count++;
    wabe_machine_component *m = &c->machine.components[index];
    const wabe_components alone = {.count = 1, .list = {*on}};
    wabe_probe probe;
    *m = (wabe_machine_component){.target = on->target,
                                  .count = count_like(&c->found, on),
                                  .threads = on->device ? 1 : on->threads,
                                  .memory = memory_of(on)};
    snprintf(m->name, sizeof m->name, "%s", wabe_target_word(on->target));
    wabe_calibration_note(c, m->name);
    WABE_TRY(measure_copy(on, &m->processor.bandwidth));
    wabe_calibration_point(c, "copy", on->name, GIGA, GIGA / m->processor.bandwidth, 0.0);
    WABE_TRY(measure_one_thread(c, on, m));
    wabe_log_line("           copy     %-8s %8.2f GB/s", on->name, m->processor.bandwidth / GIGA);
    WABE_TRY(measure_exchanges(c, &alone, 2, &probe));
    m->buffers = wabe_calibration_fit(c, "buffers", on->name, &probe, 2.0);
    WABE_TRY(measure_exchanges(c, &alone, 0, &probe));
    m->across = wabe_calibration_fit(c, "across x", on->name, &probe, 2.0).bandwidth;
    if (on->device) {
        WABE_TRY(measure_contention(c, on, m));
        WABE_TRY(measure_bus(c, on));
        WABE_TRY(measure_peer(c, m->buffers, &m->launch));
        m->launch *= 0.5; /* measured with two GPUs */
    }
    wabe_calibration_note(c, "kernels");
    const int first = c->machine.kernel_count;
    WABE_TRY(measure_kernels(c, index, on));
    if (!on->device && !c->quick)
        WABE_TRY(measure_beyond_caches(c, index, on, first));
    WABE_CHECK(c->machine.kernel_count > first || !*c->part, WABE_INPUT,
               "--kernels: no kernel of %s that calibrate measures has '%s' in its name; wabe "
               "kernels lists them",
               on->name, c->part);
    m->efficiency = efficiency_of(&c->machine, index);
    return WABE_OK;
}

static bool is_wanted(const wabe_calibration *c, wabe_target target) {
    return c->only == WABE_TARGET_any || c->only == target;
}

/* Measures the first GPU and the CPUs. */
wabe_status wabe_calibrate_components(wabe_calibration *c) {
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
        wabe_log_warning("CPUs are measured with %d of %d cores: OMP_NUM_THREADS, or mpirun "
                         "without --bind-to none",
                         processors->threads, cores);
    return is_wanted(c, WABE_TARGET_cpu) ? measure_component(c, processors) : WABE_OK;
}
