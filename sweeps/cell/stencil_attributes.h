/* What kernels that work on grids with a stencil have beside the registry's columns. */
#pragma once

#include "core/registry/kernel.h"

typedef struct {
    int depth;    /* time steps that a pass can do, 1 or more */
    double work;  /* of each of them, beside the 1 that memory takes for a pass */
    bool tiles;   /* items are tiles of a grid (wabe_tile_of), not its rows */
    int wraps_by; /* slabs that wrap round x are a multiple of so many cells long; 0: any */
    /* Of generated kernels, from their row (sweeps/cell/stencil.h). */
    int numbers, reductions;
    unsigned wide, narrow;
} wabe_stencil_attributes;

#define WABE_STENCIL_ATTRIBUTES(numbers_, wide_, narrow_, reductions_)                             \
    (&(const wabe_stencil_attributes){.depth = 1,                                                  \
                                      .numbers = numbers_,                                         \
                                      .wide = wide_,                                               \
                                      .narrow = narrow_,                                           \
                                      .reductions = reductions_})

extern const wabe_kernel_family wabe_stencil_family;

/* Of a kernel of such a sweep; of one that has none: a step, rows, any length. Local. */
const wabe_stencil_attributes *wabe_stencil_attributes_of(const wabe_kernel *kernel);

/* Can the kernel wrap round x in slabs of so many cells? Local. */
static inline bool wabe_stencil_wraps(const wabe_kernel *kernel, int64_t cells) {
    const int by = wabe_stencil_attributes_of(kernel)->wraps_by;
    return by == 0 || cells % by == 0;
}
