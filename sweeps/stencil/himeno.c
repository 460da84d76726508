#include "sweeps/stencil/himeno.h"

#include "sweeps/cell/stencil_attributes.h"

#include <string.h>

wabe_grid_model wabe_himeno_model(const int64_t cells[3], const char *kernel) {
    static const bool periodic[3] = {false};
    const wabe_grid_sweep_row sweep = {
        .name = "himeno",
        .sweep = &wabe_sweep_himeno,
        .kernel = kernel,
        .type = WABE_TYPE_f32,
        .read_count = 2,
        .reads = {{WABE_HIMENO_PRESSURE, WABE_STENCIL_AROUND, 1, false},
                  {WABE_HIMENO_COEFFICIENTS, WABE_STENCIL_OWN, 0, false}},
        .write_count = 1,
        .writes = {WABE_HIMENO_PRESSURE},
        .reduction_count = 1,
        .reductions = {WABE_HIMENO_GOSA}};
    wabe_grid_model model = wabe_grid_model_of_sweep(&sweep, cells, periodic);
    model.field_count = 2;
    model.fields[WABE_HIMENO_PRESSURE] = (wabe_grid_field_row){.name = "pressure",
                                                               .type = WABE_TYPE_f32,
                                                               .role = WABE_FIELD_STATE,
                                                               .components = 1,
                                                               .grids = 2,
                                                               .fixed_layer = true};
    model.fields[WABE_HIMENO_COEFFICIENTS] =
        (wabe_grid_field_row){.name = "coefficients",
                              .type = WABE_TYPE_f32,
                              .role = WABE_FIELD_CONSTANT,
                              .components = WABE_HIMENO_CONSTANTS,
                              .grids = 1};
    model.reduction_count = 1;
    model.reductions[WABE_HIMENO_GOSA] = (wabe_grid_reduction_row){"gosa", WABE_REDUCE_SUM};
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

wabe_status wabe_himeno_fill(wabe_grid_slab *slab) {
    static const double values[WABE_HIMENO_CONSTANTS] = {
        [WABE_HIMENO_A] = 1.0, 1.0, 1.0, 1.0 / 6.0,
        [WABE_HIMENO_C] = 1.0, 1.0, 1.0, [WABE_HIMENO_BND] = 1.0};
    for (int i = 0; i < WABE_HIMENO_CONSTANTS; i++)
        WABE_TRY(wabe_grid_set(slab, WABE_HIMENO_COEFFICIENTS, i, constant, &values[i]));
    return WABE_OK;
}

/* ---- the sweep, and what its kernels are measured on ------------------------------------ */

static wabe_grid_model sample_model(const wabe_kernel *kernel, const int64_t cells[3], bool walls) {
    (void)walls;
    return wabe_himeno_model(cells, kernel->name);
}

WABE_SWEEP(himeno, "an iteration of Himeno's benchmark, and its residual", "values, coefficients",
           "values, sums", .halo = 1, .exchanged = true, .phase = WABE_PHASE_inner,
           .family = &wabe_stencil_family,
           .sample = &(const wabe_grid_sample){.application = "himeno",
                                               .model = sample_model,
                                               .fill = wabe_himeno_fill});
