#include "sweeps/diffusion.h"

#include "sweeps/cell/stencil_attributes.h"

#include <stdlib.h>
#include <string.h>

WABE_SWEEP(diffuse, "diffusion steps, and their walls", "values", "values", .halo = 1,
           .exchanged = true, .phase = WABE_PHASE_inner, .family = &wabe_stencil_family);

WABE_SWEEP(diffuse_varied, "the same, where each cell has a diffusivity of its own",
           "values, weights", "values", .halo = 1, .exchanged = true, .phase = WABE_PHASE_inner,
           .family = &wabe_stencil_family);

wabe_grid_model wabe_diffusion_model(wabe_type type, const int64_t cells[3], const bool periodic[3],
                                     const char *kernel) {
    wabe_grid_model model = {.sweep = &wabe_sweep_diffuse,
                             .kernel = kernel,
                             .args_size = sizeof(wabe_diffuse_args),
                             .type = type,
                             .wraps = {true, true, true},
                             .depth = 1};
    memcpy(model.cells, cells, sizeof model.cells);
    memcpy(model.periodic, periodic, sizeof model.periodic);
    return model;
}

wabe_grid_model wabe_diffusion_varied_model(wabe_type type, const int64_t cells[3],
                                            const bool periodic[3], const char *kernel) {
    wabe_grid_model model = wabe_diffusion_model(type, cells, periodic, kernel);
    model.sweep = &wabe_sweep_diffuse_varied;
    model.args_size = sizeof(wabe_diffuse_varied_args);
    model.components = WABE_DIFFUSION_WEIGHTS;
    return model;
}

static wabe_side side_of(const wabe_grid_slab *slab, const wabe_side sides[6], int face) {
    const wabe_grid_model *m = &slab->model;
    const int axis = face / 2;
    const bool low = slab->block.begin[axis] == 0, high = slab->block.end[axis] == m->cells[axis];
    if (slab->wraps[axis])
        return (wabe_side){.kind = WABE_SIDE_ITSELF};
    if (m->periodic[axis] || !(face % 2 ? high : low))
        return (wabe_side){.kind = WABE_SIDE_NEIGHBOUR};
    return sides[face];
}

void wabe_diffusion_set(wabe_grid_slab *slab, double rate, const wabe_side sides[6]) {
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        wabe_diffuse_args *args = (wabe_diffuse_args *)(void *)slab->args[name];
        args->rate = rate;
        for (int face = 0; face < 6; face++)
            args->sides[face] = side_of(slab, sides, face);
    }
}

/* Diffusivities, as weights of the low faces normal to an axis. */
typedef struct {
    wabe_grid_values diffusivities;
    const void *context;
    double rate;
    int axis;
} faces;

static wabe_status weights(const void *context, const int64_t cell[3], int64_t count, double *row) {
    const faces *f = context;
    int64_t before[3] = {cell[0], cell[1], cell[2]};
    before[f->axis]--;
    double *low = malloc((size_t)count * sizeof *low);
    WABE_CHECK(low, WABE_MEMORY, "no memory for a row of %lld cells", (long long)count);
    wabe_status status = f->diffusivities(f->context, before, count, low);
    if (status == WABE_OK)
        status = f->diffusivities(f->context, cell, count, row);
    for (int64_t x = 0; x < count && status == WABE_OK; x++) {
        const double sum = low[x] + row[x];
        row[x] = sum > 0.0 ? f->rate * 2.0 * (low[x] / sum) * row[x] : 0.0;
    }
    free(low);
    return status;
}

wabe_status wabe_diffusion_vary(wabe_grid_slab *slab, double rate, const wabe_side sides[6],
                                wabe_grid_values diffusivities, const void *context) {
    wabe_diffusion_set(slab, rate, sides);
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        wabe_diffuse_varied_args *args = (wabe_diffuse_varied_args *)(void *)slab->args[name];
        args->weights = slab->constants->data;
        args->stride = slab->constants->layout.stride;
    }
    for (int axis = 0; axis < 3; axis++) {
        const faces f = {diffusivities, context, rate, axis};
        WABE_TRY(wabe_grid_set(slab, axis, weights, &f));
    }
    return WABE_OK;
}
