#include "apps/calibrate/sample.h"

#include "apps/runtime/kernels.h"
#include "sweeps/cell/stencil_attributes.h"
#include "sweeps/diffusion.h"
#include "sweeps/himeno.h"

#define RATE 0.125 /* kappa dt / dx^2 */

static wabe_status ones(const void *context, const int64_t cell[3], int64_t count, double *row) {
    (void)context, (void)cell;
    for (int64_t i = 0; i < count; i++)
        row[i] = 1.0;
    return WABE_OK;
}

static wabe_status make(const wabe_grid_model *model, const wabe_component *component,
                        wabe_grid_slab **out) {
    const wabe_box block = {.end = {model->cells[0], model->cells[1], model->cells[2]}};
    return wabe_grid_create(wabe_kernels(), component, model, block, block, out);
}

wabe_status wabe_sample_diffusion(const wabe_component *component, const wabe_kernel *kernel,
                                  const int64_t cells[3], bool walls, int depth,
                                  wabe_grid_slab **out) {
    const bool varied = kernel->sweep == &wabe_sweep_diffuse_varied;
    wabe_wall zero[6];
    for (int face = 0; face < 6; face++)
        zero[face] = (wabe_wall){-1.0, 0.0};
    wabe_grid_model model = wabe_diffusion_model(kernel->storage, cells,
                                                 (const bool[3]){!walls, !walls, !walls}, zero,
                                                 varied, kernel->name);
    model.wraps[0] &= wabe_stencil_wraps(kernel, cells[0]);
    model.depth = depth > 0 ? depth : wabe_grid_depth(kernel, &model, cells);
    WABE_TRY(make(&model, component, out));
    if (varied)
        return wabe_diffusion_vary(*out, RATE, ones, NULL);
    wabe_diffusion_set(*out, RATE);
    return WABE_OK;
}

wabe_status wabe_sample_himeno(const wabe_component *component, const wabe_kernel *kernel,
                               const int64_t cells[3], wabe_grid_slab **out) {
    const wabe_grid_model model = wabe_himeno_model(cells, kernel->name);
    WABE_TRY(make(&model, component, out));
    return wabe_himeno_fill(*out);
}
