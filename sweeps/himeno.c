#include "sweeps/himeno.h"

#include "core/device/memory.h"
#include "sweeps/cell/stencil_attributes.h"

#include <string.h>

WABE_SWEEP(himeno, "an iteration of Himeno's benchmark, and its residual", "values, coefficients",
           "values, sums", .halo = 1, .exchanged = true, .phase = WABE_PHASE_inner,
           .family = &wabe_stencil_family);

wabe_grid_model wabe_himeno_model(const int64_t cells[3], const char *kernel) {
    wabe_grid_model model = {.sweep = &wabe_sweep_himeno,
                             .kernel = kernel,
                             .args_size = sizeof(wabe_himeno_args),
                             .type = WABE_TYPE_f32,
                             .diagonals = true,
                             .rim = true,
                             .components = WABE_HIMENO_CONSTANTS,
                             .depth = 1};
    memcpy(model.cells, cells, sizeof model.cells);
    return model;
}

wabe_status wabe_himeno_initial(const void *context, const int64_t cell[3], int64_t count,
                                double *row) {
    const int64_t i = cell[2] + 1, last = ((const int64_t *)context)[2] + 1;
    const float value = (float)(i * i) / (float)(last * last);
    for (int64_t x = 0; x < count; x++)
        row[x] = (double)value;
    return WABE_OK;
}

static wabe_status constant(const void *value, const int64_t cell[3], int64_t count, double *row) {
    (void)cell;
    for (int64_t x = 0; x < count; x++)
        row[x] = *(const double *)value;
    return WABE_OK;
}

static wabe_himeno_args *args_of(const wabe_grid_slab *slab, int name) {
    return (wabe_himeno_args *)(void *)slab->args[name];
}

wabe_status wabe_himeno_furnish(wabe_grid_slab *slab) {
    static const double values[WABE_HIMENO_CONSTANTS] = {
        [WABE_HIMENO_A] = 1.0, 1.0, 1.0, 1.0 / 6.0,
        [WABE_HIMENO_C] = 1.0, 1.0, 1.0, [WABE_HIMENO_BND] = 1.0};
    static const wabe_himeno_sums zero[WABE_HIMENO_SLOTS];
    void *sums = NULL;
    for (int i = 0; i < WABE_HIMENO_CONSTANTS; i++)
        WABE_TRY(wabe_grid_set(slab, i, constant, &values[i]));
    WABE_TRY(wabe_memory_create(slab->component, sizeof zero, &sums));
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        args_of(slab, name)->constants = slab->constants->data;
        args_of(slab, name)->stride = slab->constants->layout.stride;
        args_of(slab, name)->sums = sums;
    }
    return wabe_memory_write(slab->component, slab->timeline.streams[WABE_REGION_OUTER], sums, zero,
                             sizeof zero);
}

void wabe_himeno_release(wabe_grid_slab *slab) {
    void *sums = args_of(slab, 0)->sums;
    wabe_timeline_synchronise(&slab->timeline);
    wabe_memory_destroy(slab->component, &sums);
}

wabe_status wabe_himeno_add_gosa(const wabe_grid_slab *slab, double bins[WABE_BINS]) {
    wabe_himeno_sums sums;
    const int64_t slot = (slab->timeline.step + WABE_HIMENO_SLOTS - 1) % WABE_HIMENO_SLOTS;
    wabe_timeline_synchronise(&slab->timeline);
    WABE_TRY(wabe_memory_read(slab->component, slab->timeline.streams[WABE_REGION_OUTER], sums,
                              args_of(slab, 0)->sums[slot], sizeof sums));
    for (int place = 0; place < WABE_HIMENO_PLACES; place++)
        for (int i = 0; i < WABE_BINS; i++)
            bins[i] += sums[place][i];
    return WABE_OK;
}
