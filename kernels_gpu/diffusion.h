/* What a GPU does with one cell of a diffusion step, for CUDA and for emulated devices. Include
 * kernels_gpu/scalar.h first. */
#ifndef WABE_KERNELS_GPU_DIFFUSION_H
#define WABE_KERNELS_GPU_DIFFUSION_H

#include "sweeps/cell/diffusion.h"

/* The value beside a cell, one step along an axis; across: to the other end of the row. */
WABE_INLINE wabe_real wabe_value_beside(const wabe_diffuse_args *a, const wabe_stored *own,
                                        int64_t step, int64_t across, bool at_face, int face) {
    const wabe_side *side = &a->sides[face];
    if (at_face && side->kind == WABE_SIDE_WALL)
        return WABE_FMA((wabe_real)side->factor, wabe_from_stored(*own), (wabe_real)side->offset);
    return wabe_from_stored(own[at_face && side->kind == WABE_SIDE_ITSELF ? across : step]);
}

WABE_INLINE void wabe_diffuse_cell(const wabe_diffuse_args *a, int64_t x, int64_t y, int64_t z) {
    const int64_t at = x + y * a->grid.pitch + z * a->grid.plane, *n = a->grid.cells;
    const wabe_stored *own = (const wabe_stored *)a->grid.source + at;
    ((wabe_stored *)a->grid.target)[at] =
        wabe_to_stored(wabe_diffuse(wabe_diffusion_of((wabe_real)a->rate), wabe_from_stored(*own),
                                    wabe_value_beside(a, own, -1, n[0] - 1, x == 0, 0),
                                    wabe_value_beside(a, own, 1, 1 - n[0], x == n[0] - 1, 1),
                                    wabe_value_beside(a, own, -a->grid.pitch, 0, y == 0, 2),
                                    wabe_value_beside(a, own, a->grid.pitch, 0, y == n[1] - 1, 3),
                                    wabe_value_beside(a, own, -a->grid.plane, 0, z == 0, 4),
                                    wabe_value_beside(a, own, a->grid.plane, 0, z == n[2] - 1, 5)));
}

#endif
