/* What a GPU does with one cell of a diffusion step where each cell has a diffusivity of its own,
 * for CUDA and for emulated devices. Include kernels_gpu/scalar.h first. */
#ifndef WABE_KERNELS_GPU_DIFFUSION_VARIED_H
#define WABE_KERNELS_GPU_DIFFUSION_VARIED_H

#include "sweeps/cell/diffusion.h"

WABE_INLINE void wabe_diffuse_varied_cell(const wabe_diffuse_varied_args *a, int64_t x, int64_t y,
                                          int64_t z) {
    const wabe_grid_args *g = &a->plain.grid;
    const wabe_grid_field *from = &g->fields[WABE_DIFFUSE_FROM], *by = &g->fields[WABE_DIFFUSE_BY];
    const int64_t cell[3] = {x, y, z}, step[3] = {1, from->pitch, from->plane};
    const int64_t at = x + y * from->pitch + z * from->plane;
    const wabe_real *own = (const wabe_real *)from->data + at;
    wabe_real beside[6], weight[6];
    for (int face = 0; face < 6; face++) {
        const wabe_wall *wall = &from->walls[face];
        const int axis = face / 2, high = face % 2;
        const int64_t last = g->cells[axis] - 1, away = high ? step[axis] : -step[axis];
        const bool at_face = cell[axis] == (high ? last : 0);
        weight[face] = ((const wabe_real *)by->data)[at + axis * by->stride + high * step[axis]];
        if (at_face && g->sides[face] == WABE_SIDE_WALL)
            beside[face] = WABE_FMA((wabe_real)wall->factor, *own, (wabe_real)wall->offset);
        else
            beside[face] = own[at_face && g->sides[face] == WABE_SIDE_ITSELF ? -away * last : away];
    }
    ((wabe_real *)g->fields[WABE_DIFFUSE_TO].data)[at] = wabe_diffuse_varied(*own, beside, weight);
}

#endif
