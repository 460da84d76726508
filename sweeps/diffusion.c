#include "sweeps/diffusion.h"

#include <string.h>

wabe_grid_model wabe_diffusion_model(wabe_type type, const int64_t cells[3], const bool periodic[3],
                                     const char *kernel) {
    wabe_grid_model model = {.sweep = WABE_SWEEP_diffuse,
                             .kernel = kernel,
                             .args_size = sizeof(wabe_diffuse_args),
                             .type = type,
                             /* Rows that wrap are whole vectors. */
                             .wraps = {cells[0] % WABE_DIFFUSION_VECTOR == 0, true, true},
                             .depth = 1};
    memcpy(model.cells, cells, sizeof model.cells);
    memcpy(model.periodic, periodic, sizeof model.periodic);
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
