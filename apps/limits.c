#include "apps/limits.h"

#include "apps/commands.h"
#include "core/call.h"
#include "core/lattice_d3q19.h"
#include "core/movement.h"

enum { LINE_BYTES = 64, GPU_TIMES = 10 };

static int64_t array_bytes(const wabe_limits *l) {
    return l->field->layout.stride * (int64_t)wabe_type_size(l->field->layout.type);
}

static char *start_of(const wabe_limits *l) {
    return (char *)l->field->data -
           l->field->layout.front * (int64_t)wabe_type_size(l->field->layout.type);
}

/* Bytes per second of a call on lines, each of which moves so many bytes. A GPU gets it several
 * times, so that starting it does not count. */
static double measure(const wabe_limits *l, const wabe_kernel *kernel, const void *args,
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

double wabe_limits_copy(const wabe_limits *l) {
    const wabe_copy_args args = {.from = start_of(l),
                                 .to = start_of(l) + array_bytes(l) * (WABE_Q / 2) + l->shift};
    return measure(l, l->copy, &args, array_bytes(l) * (WABE_Q / 2) / LINE_BYTES, 2 * LINE_BYTES);
}

int64_t wabe_limits_copy_bytes(const wabe_limits *l) { return 2 * array_bytes(l) * (WABE_Q / 2); }

double wabe_limits_update(const wabe_limits *l) {
    const wabe_update_args args = {.data = start_of(l), .stride = array_bytes(l), .count = WABE_Q};
    return measure(l, l->update, &args, array_bytes(l) / LINE_BYTES, 2 * WABE_Q * LINE_BYTES);
}

/* How far apart what is read and what is written lie decides by 10 % how fast a GPU copies: the
 * limit is the best of a few distances. */
static void find_shift(wabe_limits *l) {
    static const int64_t shifts[] = {0, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 5 << 18};
    double best = 0.0;
    int64_t found = 0;
    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0] && shifts[i] < array_bytes(l); i++) {
        l->shift = shifts[i];
        wabe_limits_copy(l);
        const double rate = wabe_limits_copy(l);
        if (rate > best) {
            best = rate;
            found = shifts[i];
        }
    }
    l->shift = found;
}

wabe_status wabe_limits_create(const wabe_component *component, wabe_type type,
                               const int64_t cells[3], wabe_limits *out) {
    *out = (wabe_limits){.component = *component};
    const wabe_layout layout = wabe_layout_make(cells, WABE_Q, type, component->target);
    wabe_kernel_request request = {.sweep = WABE_SWEEP_copy, .storage = type};
    WABE_TRY(wabe_registry_select(wabe_kernels(), component, &request, &out->copy));
    request.sweep = WABE_SWEEP_update;
    WABE_TRY(wabe_registry_select(wabe_kernels(), component, &request, &out->update));
    if (component->device)
        WABE_TRY(wabe_stream_create(component->device, false, &out->stream));
    WABE_TRY(wabe_field_create(&out->component, &layout, &out->field));
    wabe_field_zero(out->field, out->stream);
    if (component->device)
        find_shift(out);
    return WABE_OK;
}

void wabe_limits_destroy(wabe_limits *limits) {
    wabe_field_destroy(&limits->field);
    wabe_stream_destroy(&limits->stream);
}
