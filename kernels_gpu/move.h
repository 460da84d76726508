/* Positions of the numbers of segments, for CUDA kernels and emulated devices. */
#pragma once

#include "core/registry/transfer.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __CUDACC__
#define WABE_MOVE static __device__ __forceinline__
#else
#define WABE_MOVE static inline
#endif

/* The segment of number i: the last one whose first number is not after i. */
WABE_MOVE const wabe_segment *wabe_segment_of(const wabe_segment *segments, int64_t count,
                                              int64_t i) {
    int64_t low = 0, high = count;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (segments[middle].first <= i)
            low = middle;
        else
            high = middle;
    }
    return &segments[low];
}

WABE_MOVE bool wabe_is_wanted(const uint32_t *mask, int64_t i) {
    return mask == NULL || (mask[i / 32] >> i % 32 & 1);
}

#define WABE_NOWHERE INT64_MIN

/* Position in the field, from cell 0, of number i (of all segments), which lies in segment s; it
 * may be negative for ghost cells. WABE_NOWHERE: none. */
WABE_MOVE int64_t wabe_segment_place(const wabe_segment *s, const wabe_strides *strides,
                                     const uint32_t *indices, int64_t i) {
    if (indices)
        return indices[i] == WABE_NO_INDEX ? WABE_NOWHERE : (int64_t)indices[i];
    const int64_t local = i - s->first, row = local / s->count[0];
    const int64_t x = s->lane + local % s->count[0], group = strides->group;
    return s->offset + (group ? x / group * strides->width + x % group : x) +
           row % s->count[1] * strides->pitch + row / s->count[1] * strides->plane;
}
