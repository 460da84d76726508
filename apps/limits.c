#include "apps/limits.h"

#include "apps/commands.h"
#include "core/lattice_d3q19.h"
#include "core/movement.h"

#include <string.h>

enum { LINE_BYTES = 64 };

static int64_t array_bytes(const wabe_limits *l) {
    return l->field->layout.stride * (int64_t)wabe_type_size(l->field->layout.type);
}

static char *start_of(const wabe_limits *l) {
    return (char *)l->field->data -
           l->field->layout.front * (int64_t)wabe_type_size(l->field->layout.type);
}

static void copy_piece(void *context, int64_t begin, int64_t end) {
    const wabe_limits *l = context;
    const wabe_copy_args args = {.from = start_of(l),
                                 .to = start_of(l) + array_bytes(l) * (WABE_Q / 2)};
    l->copy->run.copy(&args, begin, end);
}

static void update_piece(void *context, int64_t begin, int64_t end) {
    const wabe_limits *l = context;
    const wabe_update_args args = {.data = start_of(l), .stride = array_bytes(l), .count = WABE_Q};
    l->update->run.update(&args, begin, end);
}

static double measure(const wabe_limits *l, int64_t lines, int64_t bytes,
                      wabe_component_work work) {
    const double start = MPI_Wtime();
    wabe_component_for(&l->component, lines, work, (void *)l, NULL, NULL);
    return (double)(lines * bytes) / (MPI_Wtime() - start);
}

double wabe_limits_copy(const wabe_limits *l) {
    return measure(l, array_bytes(l) * (WABE_Q / 2) / LINE_BYTES, 2 * LINE_BYTES, copy_piece);
}

int64_t wabe_limits_copy_bytes(const wabe_limits *l) { return 2 * array_bytes(l) * (WABE_Q / 2); }

double wabe_limits_update(const wabe_limits *l) {
    return measure(l, array_bytes(l) / LINE_BYTES, 2 * WABE_Q * LINE_BYTES, update_piece);
}

/* Pages go to the threads that the update will touch them by. */
static void touch_piece(void *context, int64_t begin, int64_t end) {
    const wabe_limits *l = context;
    for (int k = 0; k < WABE_Q; k++)
        memset(start_of(l) + k * array_bytes(l) + begin * LINE_BYTES, 0,
               (size_t)(end - begin) * LINE_BYTES);
}

wabe_status wabe_limits_create(const wabe_component *component, wabe_type type,
                               const int64_t cells[3], wabe_limits *out) {
    *out = (wabe_limits){.component = *component};
    const wabe_layout layout = wabe_layout_make(cells, WABE_Q, type);
    wabe_kernel_request request = {.sweep = WABE_SWEEP_copy, .storage = type};
    WABE_TRY(wabe_registry_select(wabe_kernels(), component, &request, &out->copy));
    request.sweep = WABE_SWEEP_update;
    WABE_TRY(wabe_registry_select(wabe_kernels(), component, &request, &out->update));
    WABE_TRY(wabe_field_create(&layout, &out->field));
    wabe_component_for_own(component, array_bytes(out) / LINE_BYTES, touch_piece, out);
    return WABE_OK;
}

void wabe_limits_destroy(wabe_limits *limits) { wabe_field_destroy(&limits->field); }
