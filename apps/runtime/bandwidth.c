#include "apps/runtime/bandwidth.h"

#include "apps/runtime/kernels.h"
#include "core/base/log.h"
#include "core/registry/call.h"
#include "core/registry/transfer.h"

#include <math.h>

enum { LINE_BYTES = 64, GPU_TIMES = 10, ARRAYS = WABE_BANDWIDTH_ARRAYS };

static int64_t array_bytes(const wabe_bandwidth *l) {
    return l->field->layout.stride * (int64_t)wabe_type_size(l->field->layout.type);
}

static char *start_of(const wabe_bandwidth *l) {
    return (char *)l->field->data -
           l->field->layout.front * (int64_t)wabe_type_size(l->field->layout.type);
}

/* Bytes per second of a call on lines with this many bytes each. GPUs repeat it, so that launching
 * is negligible. */
static double measure(const wabe_bandwidth *l, const wabe_kernel *kernel, const void *args,
                      int64_t lines, int64_t bytes) {
    const wabe_call call = {.component = &l->component,
                            .kernel = kernel,
                            .args = args,
                            .count = lines,
                            .stream = l->stream};
    const int times = l->stream ? GPU_TIMES : 1;
    if (l->stream)
        wabe_stream_synchronise(l->stream);
    const double start = MPI_Wtime();
    for (int i = 0; i < times; i++)
        wabe_calls_run(1, &call, NULL);
    if (l->stream)
        wabe_stream_synchronise(l->stream);
    return times * (double)(lines * bytes) / (MPI_Wtime() - start);
}

double wabe_bandwidth_copy(const wabe_bandwidth *l) {
    const wabe_copy_args args = {.from = start_of(l),
                                 .to = start_of(l) + array_bytes(l) * (ARRAYS / 2) + l->shift};
    return measure(l, l->copy, &args, array_bytes(l) * (ARRAYS / 2) / LINE_BYTES, 2 * LINE_BYTES);
}

double wabe_bandwidth_update(const wabe_bandwidth *l) {
    const wabe_update_args args = {.data = start_of(l), .stride = array_bytes(l), .count = ARRAYS};
    return measure(l, l->update, &args, array_bytes(l) / LINE_BYTES, 2 * ARRAYS * LINE_BYTES);
}

/* The distance between source and target changes a GPU's copy rate by 10 %: the best of several is
 * used. */
static void find_shift(wabe_bandwidth *l) {
    static const int64_t shifts[] = {0, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 5 << 18};
    double best = 0.0;
    int64_t found = 0;
    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0] && shifts[i] < array_bytes(l); i++) {
        l->shift = shifts[i];
        wabe_bandwidth_copy(l);
        const double rate = wabe_bandwidth_copy(l);
        if (rate > best) {
            best = rate;
            found = shifts[i];
        }
    }
    l->shift = found;
}

wabe_status wabe_bandwidth_create(const wabe_component *component, wabe_type type,
                                  const int64_t cells[3], wabe_bandwidth *out) {
    *out = (wabe_bandwidth){.component = *component};
    const wabe_layout layout = wabe_layout_make(cells, NULL, ARRAYS, type, component->target);
    wabe_kernel_request request = {.sweep = &wabe_sweep_copy, .storage = type};
    WABE_TRY(wabe_registry_select(wabe_kernels(), component, &request, &out->copy));
    request.sweep = &wabe_sweep_update;
    WABE_TRY(wabe_registry_select(wabe_kernels(), component, &request, &out->update));
    if (component->device)
        WABE_TRY(wabe_stream_create(component->device, false, &out->stream));
    WABE_TRY(wabe_field_create(&out->component, &layout, &out->field));
    wabe_field_zero(out->field, out->stream);
    if (component->device)
        find_shift(out);
    return WABE_OK;
}

void wabe_bandwidth_destroy(wabe_bandwidth *limits) {
    wabe_field_destroy(&limits->field);
    wabe_stream_destroy(&limits->stream);
}

/* ---- bandwidth for a run ------------------------------------------------------------ */

/* Edges of the arrays of the measurement. */
enum { COPIES = 3, CELLS_CPU = 96, CELLS_GPU = 200, CELLS_EMULATED = 16 };

static wabe_status measure_arrays(MPI_Comm comm, const wabe_component *component, int edge,
                                  double *out) {
    wabe_bandwidth limits;
    const int64_t cells[3] = {edge, edge, edge};
    wabe_status status =
        wabe_agree(comm, wabe_bandwidth_create(component, WABE_TYPE_f64, cells, &limits));
    for (int i = 0; i < COPIES && status == WABE_OK; i++) {
        MPI_Barrier(comm);
        *out = fmax(*out, wabe_bandwidth_copy(&limits));
    }
    wabe_bandwidth_destroy(&limits);
    return status;
}

static int edge_of(const wabe_component *component) {
    return !component->device                           ? CELLS_CPU
           : wabe_device_is_emulated(component->device) ? CELLS_EMULATED
                                                        : CELLS_GPU;
}

static int64_t memory_of(const wabe_component *component) {
    const int edge = edge_of(component);
    const wabe_layout layout = wabe_layout_make((const int64_t[3]){edge, edge, edge}, NULL, ARRAYS,
                                                WABE_TYPE_f64, component->target);
    return wabe_layout_bytes(&layout);
}

int64_t wabe_bandwidth_memory(const wabe_components *components) {
    int64_t most = 0;
    for (int i = 0; i < components->count; i++) {
        const wabe_component *c = &components->list[i];
        most = !c->device && memory_of(c) > most ? memory_of(c) : most;
    }
    return most;
}

/* Measures on smaller arrays, down to an eighth, if memory is short; smaller: set in this case. */
static wabe_status measure_component(MPI_Comm comm, const wabe_component *component, double *out,
                                     bool *smaller) {
    const int edge = edge_of(component);
    wabe_status status = WABE_MEMORY;
    for (int quarters = 4; quarters > 1 && status == WABE_MEMORY; quarters--) {
        status = measure_arrays(comm, component, edge * quarters / 4, out);
        *smaller |= quarters < 4;
    }
    return status;
}

/* All processes must measure equally often: those with fewer components repeat their last one. */
static wabe_status measure_all(MPI_Comm comm, const wabe_components *components, double *all,
                               bool *smaller) {
    int most = components->count;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, comm);
    for (int i = 0; i < most; i++) {
        const int mine = i < components->count ? i : components->count - 1;
        double bandwidth = 0.0;
        WABE_TRY(measure_component(comm, &components->list[mine], &bandwidth, smaller));
        *all += i < components->count ? bandwidth : 0.0;
    }
    MPI_Allreduce(MPI_IN_PLACE, all, 1, MPI_DOUBLE, MPI_SUM, comm);
    return WABE_OK;
}

wabe_status wabe_bandwidth_of_components(MPI_Comm comm, const wabe_components *components,
                                         double *all) {
    *all = 0.0;
    bool smaller = false;
    const wabe_status status = measure_all(comm, components, all, &smaller);
    if (status == WABE_OK && smaller)
        wabe_log_warning(
            "there is memory for small arrays alone to measure its bandwidth on: caches "
            "may hold them, and make it seem faster");
    if (status != WABE_MEMORY)
        return status;
    wabe_log_warning("the bandwidth of the memory is not measured: %s", wabe_error_message());
    *all = NAN;
    return WABE_OK;
}
