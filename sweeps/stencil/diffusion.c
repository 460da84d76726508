#include "sweeps/stencil/diffusion.h"

#include "sweeps/cell/stencil_attributes.h"

#include <string.h>

wabe_grid_model wabe_diffusion_model(wabe_type type, const int64_t cells[3], const bool periodic[3],
                                     const wabe_wall walls[6], bool varied, const char *kernel) {
    const wabe_grid_sweep_row sweep = {
        .name = "diffuse",
        .sweep = varied ? &wabe_sweep_diffuse_varied : &wabe_sweep_diffuse,
        .kernel = kernel,
        .type = type,
        .read_count = varied ? 2 : 1,
        .reads = {{WABE_DIFFUSION_VALUE, WABE_STENCIL_ALONG, 1, false},
                  {WABE_DIFFUSION_WEIGHT, WABE_STENCIL_ALONG, 1, false}},
        .write_count = 1,
        .writes = {WABE_DIFFUSION_VALUE}};
    wabe_grid_model model = wabe_grid_model_of_sweep(&sweep, cells, periodic);
    model.field_count = varied ? 2 : 1;
    model.fields[WABE_DIFFUSION_VALUE] = (wabe_grid_field_row){
        .name = "value", .type = type, .role = WABE_FIELD_STATE, .components = 1, .grids = 2};
    model.fields[WABE_DIFFUSION_WEIGHT] =
        (wabe_grid_field_row){.name = "weight",
                              .type = type,
                              .role = WABE_FIELD_CONSTANT,
                              .components = WABE_DIFFUSION_WEIGHTS,
                              .grids = 1};
    memcpy(model.fields[WABE_DIFFUSION_VALUE].walls, walls, 6 * sizeof *walls);
    for (int axis = 0; axis < 3; axis++)
        model.wraps[axis] = true;
    return model;
}

void wabe_diffusion_set(wabe_grid_slab *slab, double rate) {
    for (int name = 0; name < WABE_REGION_COUNT; name++)
        ((wabe_diffuse_args *)(void *)slab->args[0][name])->rate = rate;
}

/* Diffusivities, from which weights makes those of the low faces normal to axis. */
typedef struct {
    wabe_grid_values diffusivities;
    const void *context;
    double rate;
    int axis;
} faces;

enum { PIECE = 256 };

/* Of at most PIECE cells. */
static wabe_status weights_of_piece(const faces *f, const int64_t cell[3], int64_t count,
                                    double *row) {
    double low[PIECE];
    int64_t before[3] = {cell[0], cell[1], cell[2]};
    before[f->axis]--;
    WABE_TRY(f->diffusivities(f->context, before, count, low));
    WABE_TRY(f->diffusivities(f->context, cell, count, row));
    for (int64_t x = 0; x < count; x++) {
        const double sum = low[x] + row[x];
        row[x] = sum > 0.0 ? f->rate * 2.0 * (low[x] / sum) * row[x] : 0.0;
    }
    return WABE_OK;
}

static wabe_status weights(const void *context, const int64_t cell[3], int64_t count, double *row) {
    for (int64_t x = 0; x < count; x += PIECE) {
        const int64_t here[3] = {cell[0] + x, cell[1], cell[2]};
        WABE_TRY(weights_of_piece(context, here, count - x < PIECE ? count - x : PIECE, row + x));
    }
    return WABE_OK;
}

wabe_status wabe_diffusion_vary(wabe_grid_slab *slab, double rate, wabe_grid_values diffusivities,
                                const void *context) {
    wabe_diffusion_set(slab, rate);
    for (int axis = 0; axis < 3; axis++) {
        const faces f = {diffusivities, context, rate, axis};
        WABE_TRY(wabe_grid_set(slab, WABE_DIFFUSION_WEIGHT, axis, weights, &f));
    }
    return WABE_OK;
}

/* ---- the sweeps, and what their kernels are measured on -------------------------------- */

#define SAMPLE_RATE 0.125

/* The value is zero on the walls. */
static wabe_grid_model sample_model(const wabe_kernel *kernel, const int64_t cells[3], bool walls) {
    static const wabe_wall zero[6] = {{-1.0, 0.0}, {-1.0, 0.0}, {-1.0, 0.0},
                                      {-1.0, 0.0}, {-1.0, 0.0}, {-1.0, 0.0}};
    return wabe_diffusion_model(kernel->storage, cells, (const bool[3]){!walls, !walls, !walls},
                                zero, kernel->sweep == &wabe_sweep_diffuse_varied, kernel->name);
}

static wabe_status ones(const void *context, const int64_t cell[3], int64_t count, double *row) {
    (void)context, (void)cell;
    for (int64_t x = 0; x < count; x++)
        row[x] = 1.0;
    return WABE_OK;
}

static wabe_status sample_fill(wabe_grid_slab *slab) {
    wabe_diffusion_set(slab, SAMPLE_RATE);
    return WABE_OK;
}

static wabe_status sample_vary(wabe_grid_slab *slab) {
    return wabe_diffusion_vary(slab, SAMPLE_RATE, ones, NULL);
}

WABE_SWEEP(diffuse, "diffusion steps, and their walls", "values", "values", .halo = 1,
           .exchanged = true, .phase = WABE_PHASE_inner, .family = &wabe_stencil_family,
           .sample = &(const wabe_grid_sample){.application = "diffusion",
                                               .walls = true,
                                               .model = sample_model,
                                               .fill = sample_fill});

WABE_SWEEP(diffuse_varied, "the same, where each cell has a diffusivity of its own",
           "values, weights", "values", .halo = 1, .exchanged = true, .phase = WABE_PHASE_inner,
           .family = &wabe_stencil_family,
           .sample = &(const wabe_grid_sample){.model = sample_model, .fill = sample_vary});
