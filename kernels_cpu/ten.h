/* Loads and stores of ten moments (sweeps/cell/moments.h): of as many cells as a vector has lanes,
 * in one group. */
#pragma once

#include "kernels_cpu/vector.h"

#include "sweeps/cell/collision.h"
#include "sweeps/cell/moments.h"

/* n: the first cell. */
WABE_INLINE wabe_ten wabe_ten_load(const wabe_stored *field, int64_t n) {
    const wabe_stored *p = field + wabe_moments_place(n);
    const wabe_ten s = {WABE_LOAD(p),
                        WABE_LOAD(p + WABE_MOMENTS_GROUP),
                        WABE_LOAD(p + 2 * WABE_MOMENTS_GROUP),
                        WABE_LOAD(p + 3 * WABE_MOMENTS_GROUP),
                        WABE_LOAD(p + 4 * WABE_MOMENTS_GROUP),
                        WABE_LOAD(p + 5 * WABE_MOMENTS_GROUP),
                        WABE_LOAD(p + 6 * WABE_MOMENTS_GROUP),
                        WABE_LOAD(p + 7 * WABE_MOMENTS_GROUP),
                        WABE_LOAD(p + 8 * WABE_MOMENTS_GROUP),
                        WABE_LOAD(p + 9 * WABE_MOMENTS_GROUP)};
    return s;
}

/* p: of the first cell's first moment; bits: lanes that are stored. */
WABE_INLINE void wabe_ten_store(wabe_stored *p, wabe_ten s, unsigned bits) {
    const wabe_vector values[WABE_MOMENTS] = {s.base, s.x,  s.y,  s.z,  s.xx,
                                              s.yy,   s.zz, s.xy, s.xz, s.yz};
    for (int i = 0; i < WABE_MOMENTS; i++)
        if (bits == (1u << WABE_LANES) - 1u)
            WABE_STORE(p + i * WABE_MOMENTS_GROUP, values[i]);
        else
            wabe_store_masked(p + i * WABE_MOMENTS_GROUP, values[i], bits);
}
