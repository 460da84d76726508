/* Attributes of stencil kernels, beside the registry's columns. */
#pragma once

#include "core/registry/kernel.h"

typedef struct {
    int depth;    /* maximal number of time steps per pass, at least 1 */
    double work;  /* cost of each of them, relative to a pass over memory */
    bool tiles;   /* items are tiles of a grid (wabe_tile_of), not its rows */
    bool column;  /* reads stop at the ends of columns along y, which slabs must have whole */
    bool marches; /* along columns: items are strips (wabe_strip_of) */
    int wraps_by; /* slabs must be a multiple of this long to wrap round x; 0: any */
    /* Generated kernels: from their row (sweeps/cell/stencil.h). */
    int numbers, reductions;
    uint64_t begins; /* WABE_BEGINS of the sweep; 0: not known */
    unsigned wide, narrow;
} wabe_stencil_attributes;

#define WABE_STENCIL_ATTRIBUTES(begins_, numbers_, wide_, narrow_, reductions_)                    \
    (&(const wabe_stencil_attributes){.depth = 1,                                                  \
                                      .begins = begins_,                                           \
                                      .numbers = numbers_,                                         \
                                      .wide = wide_,                                               \
                                      .narrow = narrow_,                                           \
                                      .reductions = reductions_})

#define WABE_COLUMN_ATTRIBUTES(direction_, numbers_, wide_, narrow_, reductions_)                  \
    (&(const wabe_stencil_attributes){.depth = 1,                                                  \
                                      .column = true,                                              \
                                      .marches = (direction_) != 0,                                \
                                      .numbers = numbers_,                                         \
                                      .wide = wide_,                                               \
                                      .narrow = narrow_,                                           \
                                      .reductions = reductions_})

extern const wabe_kernel_family wabe_stencil_family;

/* Returns the attributes of a kernel of such a sweep; if it has none: one step, rows, any length.
 * Local. */
const wabe_stencil_attributes *wabe_stencil_attributes_of(const wabe_kernel *kernel);

/* Can the kernel wrap round x in slabs of this many cells? Local. */
static inline bool wabe_stencil_wraps(const wabe_kernel *kernel, int64_t cells) {
    const int by = wabe_stencil_attributes_of(kernel)->wraps_by;
    return by == 0 || cells % by == 0;
}
