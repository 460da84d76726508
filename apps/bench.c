/* wabe bench: single kernels on a walled cube of cells, each compared with the memory limit at the
 * same moment.
 *
 * Since machines are shared and noisy, the limits (a copy with non-temporal stores, and an in-place
 * update of nineteen arrays) alternate with runs of the kernel, and the result is the median of the
 * ratios. GPUs of a node are assumed to be identical: only the first is measured. */
#include "apps/commands.h"
#include "apps/lbm/cavity.h"
#include "apps/runtime/bandwidth.h"
#include "apps/runtime/components.h"
#include "apps/runtime/kernels.h"

#include "core/base/json.h"
#include "sweeps/stencil/grid.h"

#include <stdlib.h>
#include <string.h>

enum {
    REPETITIONS_MAX = 101,
    CELLS_CPU = 160, /* edge of the cavity */
    CELLS_GPU = 256,
    STEPS_CPU = 2, /* per repetition */
    STEPS_GPU = 20,
    SMALL_CPU = 4, /* edges of cavities whose cells take no time */
    SMALL_GPU = 16,
    STEPS_SMALL = 1000
};

#define SUBGRID_CONSTANT 0.1

typedef struct {
    const char *pattern;
    bool json, les;
    int64_t cells; /* edge of the cavity; 0: the component's default */
    int64_t repetitions, threads;
    int64_t fluid; /* percent of the cavity's cells; the rest are spheres */
} bench_options;

#define ROW(kind, member) WABE_ARGUMENT(kind, bench_options, member)

const wabe_argument wabe_bench_arguments[] = {
    {"[PATTERN]", NULL, "the kernels whose name has it; otherwise all", ROW(TEXT, pattern)},
    {"--json", NULL, "print JSON", ROW(SWITCH, json)},
    {"--les", NULL, "with Smagorinsky's model, where a collision has one", ROW(SWITCH, les)},
    {"--cells", "N", "cells along each axis", ROW(INT, cells), .min = 4, .max = 2048},
    {"--threads", "N", "threads on CPUs", ROW(INT, threads), .min = 1, .max = 1024},
    {"--repetitions", "N", "measurements of each kernel", ROW(INT, repetitions), .min = 1,
     .max = REPETITIONS_MAX},
    {"--fluid", "PERCENT", "share of the cells that is fluid, among spheres", ROW(INT, fluid),
     .min = 5, .max = 100},
    {0},
};

/* ---- slabs for kernels -------------------------------------------------------------- */

static int64_t edge_of(const bench_options *options, const wabe_component *component) {
    return options->cells ? options->cells : component->device ? CELLS_GPU : CELLS_CPU;
}

static int small_edge(const wabe_component *component) {
    return component->device ? SMALL_GPU : SMALL_CPU;
}

/* A slab and its step. */
typedef struct {
    wabe_lbm_slab *lbm;
    wabe_grid_slab *grid;
    const wabe_timeline *timeline;
    wabe_schedule schedule;
    wabe_profile profile;
    double cells, bytes; /* cells updated per step; bytes allocated */
} subject;

static wabe_status make_flow(const bench_options *options, const wabe_cavity *cavity,
                             const wabe_component *component, const wabe_kernel *kernel,
                             subject *out) {
    wabe_lbm_model model = wabe_cavity_model(kernel->storage,
                                             wabe_lbm_attributes_of(kernel)->streaming);
    const int64_t *edges = cavity->geometry.cells;
    model.lattice = wabe_lbm_attributes_of(kernel)->lattice;
    model.collision = wabe_lbm_attributes_of(kernel)->collision;
    model.kernel = kernel->name;
    if (model.collision == WABE_COLLISION_srt_smagorinsky ||
        (options->les && wabe_has_subgrid(model.collision)))
        model.smagorinsky = SUBGRID_CONSTANT;
    WABE_TRY(wabe_cavity_slab(cavity, component, &model,
                              (wabe_box){.end = {edges[0], edges[1], edges[2]}}, &out->lbm));
    for (int region = 0; region < WABE_REGION_COUNT; region++)
        out->cells += (double)out->lbm->tiles->regions[region].cells; /* fluid only */
    out->bytes = (double)wabe_lbm_bytes(out->lbm);
    out->timeline = &out->lbm->timeline;
    wabe_lbm_schedule(1, &out->lbm, &out->schedule);
    return WABE_OK;
}

static wabe_status make_grid(const bench_options *options, const wabe_cavity *cavity,
                             const wabe_component *component, const wabe_kernel *kernel,
                             subject *out) {
    (void)options;
    WABE_TRY(wabe_grid_sample_create(wabe_kernels(), component, kernel, cavity->geometry.cells,
                                     true, 0, &out->grid));
    const wabe_grid_slab *grid = out->grid;
    out->cells = (double)wabe_box_cells(grid->block);
    out->bytes = (double)wabe_grid_bytes(&grid->model, cavity->geometry.cells,
                                         grid->component->target);
    out->timeline = &grid->timeline;
    wabe_grid_schedule(1, &out->grid, NULL, &out->schedule);
    return WABE_OK;
}

static void free_subject(subject *s) {
    wabe_lbm_destroy(&s->lbm);
    wabe_grid_destroy(&s->grid);
}

static bool is_flow(const wabe_kernel *kernel) {
    return kernel->sweep == &wabe_sweep_stream_collide;
}

/* ---- one kernel --------------------------------------------------------------------- */

typedef struct {
    double mlups, ratio;          /* median rate, median of rate over limit */
    double copy, update;          /* medians, GB/s */
    double ratio_low, ratio_high; /* quartiles */
    double bytes_per_cell;        /* allocated */
    int steps_per_pass;
    bool les; /* with a subgrid model */
} bench_result;

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(double *values, int count, double q) {
    qsort(values, (size_t)count, sizeof values[0], compare);
    return values[(int)(q * (count - 1) + 0.5)];
}

static wabe_status bench_kernel(const bench_options *options, const wabe_cavity *cavity,
                                const wabe_kernel *kernel, const wabe_bandwidth *l,
                                bench_result *result) {
    subject s = {.schedule.profile = NULL};
    s.schedule.profile = &s.profile;
    const wabe_status status = (is_flow(kernel) ? make_flow : make_grid)(options, cavity,
                                                                         &l->component, kernel, &s);
    double rates[REPETITIONS_MAX], ratios[REPETITIONS_MAX], copies[REPETITIONS_MAX],
        updates[REPETITIONS_MAX];
    const int steps = l->component.device ? STEPS_GPU : STEPS_CPU, n = (int)options->repetitions;
    for (int i = -1; i < n && status == WABE_OK; i++) {
        const int k = i < 0 ? 0 : i; /* the first round warms up */
        copies[k] = wabe_bandwidth_copy(l);
        updates[k] = wabe_bandwidth_update(l);
        const double start = MPI_Wtime();
        for (int step = 0; step < steps; step++)
            wabe_schedule_run(&s.schedule);
        wabe_timeline_synchronise(s.timeline);
        rates[k] = steps * (s.grid ? s.grid->steps : 1) * s.cells / (MPI_Wtime() - start);
        ratios[k] = rates[k] * kernel->bytes / (copies[k] > updates[k] ? copies[k] : updates[k]);
    }
    if (status == WABE_OK) {
        const double edge = (double)edge_of(options, &l->component);
        *result = (bench_result){.mlups = 1e-6 * quantile(rates, n, 0.5),
                                 .ratio = quantile(ratios, n, 0.5),
                                 .ratio_low = quantile(ratios, n, 0.25),
                                 .ratio_high = quantile(ratios, n, 0.75),
                                 .copy = 1e-9 * quantile(copies, n, 0.5),
                                 .update = 1e-9 * quantile(updates, n, 0.5),
                                 .bytes_per_cell = s.bytes / (edge * edge * edge),
                                 .steps_per_pass = s.grid ? s.grid->steps : 1,
                                 .les = s.lbm && s.lbm->model.smagorinsky > 0.0};
    }
    free_subject(&s);
    return status;
}

/* ---- the command -------------------------------------------------------------------- */

static void print_header(const bench_options *options, const wabe_component *component,
                         double small_step) {
    char hardware[128];
    const long long n = (long long)edge_of(options, component);
    if (component->device)
        snprintf(hardware, sizeof hardware, "%s", wabe_device_describe(component->device)->name);
    else
        wabe_component_processor_name(hardware, sizeof hardware);
    printf("%s: %lld^3 cells between walls, ", component->name, n);
    if (options->fluid < 100)
        printf("%d %% fluid among spheres, ", (int)options->fluid);
    printf("%s", hardware);
    if (!component->device)
        printf(", %d threads", component->threads);
    printf("\nstart of a step: %.1f us, measured on %d^3 cells", 1e6 * small_step,
           small_edge(component));
    if (options->les)
        printf("; collisions that have Smagorinsky's model with constant %.2g", SUBGRID_CONSTANT);
    printf(
        "\nlimit: the better of a copy past the caches and an update of %d arrays in place; what "
        "stays in the caches\nis not bound by it\n",
        WABE_BANDWIDTH_ARRAYS);
    printf("%-44s %9s %7s  %-13s %9s %9s %8s\n", "kernel",
           options->fluid < 100 ? "MFLUPS" : "MLUPS", "of limit", "(quartiles)", "copy GB/s",
           "upd. GB/s", "B/cell");
}

/* Streaming pattern moments: its share of the limit of kernels that move the populations; 0
 * for other kernels. */
static double of_population_limit(const wabe_kernel *kernel, const bench_result *r) {
    const wabe_lbm_attributes *a = is_flow(kernel) ? kernel->attributes : NULL;
    return a && a->streaming == WABE_STREAMING_moments
               ? r->ratio * 2.0 * wabe_lattice_count(a->lattice) *
                     (double)wabe_type_size(kernel->storage) / kernel->bytes
               : 0.0;
}

static void print_row(const wabe_kernel *kernel, const bench_result *r) {
    printf("%-44s %9.1f %7.3f  (%.3f, %.3f) %9.1f %9.1f %8.1f\n", kernel->name, r->mlups, r->ratio,
           r->ratio_low, r->ratio_high, r->copy, r->update, r->bytes_per_cell);
    if (r->steps_per_pass > 1)
        printf("%44s %d steps a pass, the limit is that of one\n", "", r->steps_per_pass);
    if (of_population_limit(kernel, r) > 0.0)
        printf("%44s %9s %7.3f  of the limit with nineteen populations\n", "", "",
               of_population_limit(kernel, r));
    fflush(stdout);
}

static void json_row(wabe_json *json, int64_t edge, const wabe_kernel *kernel,
                     const bench_result *r) {
    wabe_json_open(json, NULL, '{');
    wabe_json_integer(json, "cells_per_edge", edge);
    wabe_json_text(json, "kernel", kernel->name);
    wabe_json_real(json, "mlups", r->mlups);
    wabe_json_real(json, "of_limit", r->ratio);
    if (of_population_limit(kernel, r) > 0.0)
        wabe_json_real(json, "of_population_limit", of_population_limit(kernel, r));
    wabe_json_boolean(json, "les", r->les);
    wabe_json_real(json, "copy_gb_per_s", r->copy);
    wabe_json_real(json, "update_gb_per_s", r->update);
    wabe_json_real(json, "bytes_per_cell", r->bytes_per_cell);
    wabe_json_integer(json, "steps_per_pass", r->steps_per_pass);
    wabe_json_close(json, '}');
}

static bool is_meant(const bench_options *options, const wabe_kernel *kernel,
                     const wabe_component *component) {
    const char *why;
    return (is_flow(kernel) || (kernel->sweep->sample && options->fluid == 100)) &&
           strstr(kernel->name, options->pattern) && kernel->target == component->target &&
           kernel->available(component, &why);
}

static int count_meant(const bench_options *options, const wabe_component *component) {
    int count = 0;
    for (int i = 0; i < wabe_registry_count(wabe_kernels()); i++)
        count += is_meant(options, wabe_registry_row(wabe_kernels(), i), component);
    return count;
}

static wabe_status bench_type(const bench_options *options, const wabe_cavity *cavity,
                              const wabe_component *component, wabe_type type, wabe_json *json) {
    wabe_bandwidth l;
    const int64_t n = edge_of(options, component);
    wabe_status status = wabe_bandwidth_create(component, type, (int64_t[3]){n, n, n}, &l);
    for (int i = 0; i < wabe_registry_count(wabe_kernels()) && status == WABE_OK; i++) {
        const wabe_kernel *kernel = wabe_registry_row(wabe_kernels(), i);
        if (kernel->storage != type || !is_meant(options, kernel, component))
            continue;
        bench_result result;
        status = bench_kernel(options, cavity, kernel, &l, &result);
        if (status != WABE_OK)
            break;
        if (options->json)
            json_row(json, n, kernel, &result);
        else
            print_row(kernel, &result);
    }
    wabe_bandwidth_destroy(&l);
    return status;
}

/* Limits are measured only for storage types of selected kernels. */
static bool has_type(const bench_options *options, const wabe_component *component,
                     wabe_type type) {
    for (int i = 0; i < wabe_registry_count(wabe_kernels()); i++) {
        const wabe_kernel *kernel = wabe_registry_row(wabe_kernels(), i);
        if (kernel->storage == type && is_meant(options, kernel, component))
            return true;
    }
    return false;
}

/* Measures the seconds of a step that consists of starting its kernel. */
static wabe_status time_small_step(const wabe_component *component, double *seconds) {
    const int n = small_edge(component);
    const wabe_lbm_model model = wabe_cavity_model(WABE_TYPE_f64, WABE_STREAMING_in_place);
    const wabe_box box = {.end = {n, n, n}};
    wabe_schedule schedule = {.slab_count = 0};
    wabe_profile profile = {0};
    wabe_lbm_slab *lbm = NULL;
    wabe_cavity cavity;
    wabe_status status = wabe_cavity_make(box.end, 1.0, -1, &cavity);
    if (status == WABE_OK)
        status = wabe_cavity_slab(&cavity, component, &model, box, &lbm);
    *seconds = 0.0;
    if (status == WABE_OK) {
        schedule.profile = &profile;
        wabe_lbm_schedule(1, &lbm, &schedule);
        double start = 0.0;
        for (int step = -STEPS_SMALL / 4; step < STEPS_SMALL; step++) {
            if (step == 0) {
                wabe_lbm_synchronise(lbm);
                start = MPI_Wtime();
            }
            wabe_schedule_run(&schedule);
        }
        wabe_lbm_synchronise(lbm);
        *seconds = (MPI_Wtime() - start) / STEPS_SMALL;
    }
    wabe_lbm_destroy(&lbm);
    wabe_cavity_free(&cavity);
    return status;
}

static wabe_status bench_component(const bench_options *options, const wabe_component *component,
                                   wabe_json *json) {
    const int64_t n = edge_of(options, component);
    wabe_cavity cavity;
    wabe_status status = wabe_cavity_make((int64_t[3]){n, n, n}, 0.01 * (double)options->fluid, -1,
                                          &cavity);
    double small = 0.0;
    if (status == WABE_OK && !options->json)
        status = time_small_step(component, &small);
    if (!options->json)
        print_header(options, component, small);
    for (int type = WABE_TYPE_any + 1; type < WABE_TYPE_end && status == WABE_OK; type++)
        if (has_type(options, component, (wabe_type)type))
            status = bench_type(options, &cavity, component, (wabe_type)type, json);
    wabe_cavity_free(&cavity);
    return status;
}

/* The first GPU and the CPUs. */
static wabe_status find_components(const bench_options *options, wabe_components *out) {
    WABE_TRY(wabe_components_detect(out));
    out->list[0] = out->list[0].device ? out->list[0]
                                       : wabe_component_detect((int)options->threads);
    if (out->count > 1) {
        out->list[1] = wabe_component_detect((int)options->threads);
        out->count = 2;
    }
    return WABE_OK;
}

wabe_status wabe_command_bench(int argc, char *argv[]) {
    bench_options options = {.repetitions = 11, .fluid = 100};
    WABE_TRY(wabe_arguments_read(wabe_bench_arguments, argc, argv, &options));
    options.pattern = options.pattern ? options.pattern : "";
    int size, count = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    WABE_CHECK(size == 1, WABE_INPUT, "wabe bench runs in one process; threads are its own");
    wabe_components components;
    WABE_TRY(find_components(&options, &components));
    for (int i = 0; i < components.count; i++)
        count += count_meant(&options, &components.list[i]);
    const char *why = "";
    const bool gpus = wabe_devices_count(&why) > 0;
    WABE_CHECK(count > 0, WABE_INPUT,
               "no kernel of a step that runs here has '%s' in its name (wabe kernels lists "
               "all)%s%s",
               options.pattern, gpus ? "" : "; no GPU: ", gpus ? "" : why);
    wabe_json json = wabe_json_begin(stdout);
    if (options.json)
        wabe_json_open(&json, NULL, '[');
    for (int i = 0; i < components.count; i++)
        if (count_meant(&options, &components.list[i]) > 0)
            WABE_TRY(bench_component(&options, &components.list[i], &json));
    if (options.json) {
        wabe_json_close(&json, ']');
        wabe_json_end(&json);
    }
    return WABE_OK;
}
