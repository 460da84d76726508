/* The two adjacent cells of a thread. Populations of neighbours lie at any offset, even or odd.
 * Threads nevertheless read and write aligned words of two numbers, and shift numbers between
 * threads within the warp. */
#pragma once

#include "kernels_gpu/scalar.h"

enum { WABE_WARP = 32 };

#if defined(WABE_STORE_F16)
typedef unsigned wabe_pair;
WABE_INLINE wabe_stored wabe_pair_low(wabe_pair p) {
    return __ushort_as_half((unsigned short)(p & 0xffffu));
}
WABE_INLINE wabe_stored wabe_pair_high(wabe_pair p) {
    return __ushort_as_half((unsigned short)(p >> 16));
}
WABE_INLINE wabe_pair wabe_pair_store(wabe_real low, wabe_real high) {
    const __half2 both = __floats2half2_rn(low, high);
    return *(const unsigned *)&both;
}
/* The high number of one pair and the low number of the next. */
WABE_INLINE wabe_pair wabe_pair_between(wabe_pair p, wabe_pair next) {
    return __funnelshift_r(p, next, 16);
}
WABE_INLINE wabe_pair wabe_pair_from_next(wabe_pair p) {
    return __shfl_down_sync(0xffffffffu, p, 1);
}
WABE_INLINE wabe_pair wabe_pair_from_previous(wabe_pair p) {
    return __shfl_up_sync(0xffffffffu, p, 1);
}
#else
#if defined(WABE_STORE_F64)
typedef double2 wabe_pair;
#define MAKE_PAIR make_double2
#else
typedef float2 wabe_pair;
#define MAKE_PAIR make_float2
#endif
WABE_INLINE wabe_stored wabe_pair_low(wabe_pair p) { return p.x; }
WABE_INLINE wabe_stored wabe_pair_high(wabe_pair p) { return p.y; }
WABE_INLINE wabe_pair wabe_pair_store(wabe_real low, wabe_real high) {
    return MAKE_PAIR(low, high);
}
WABE_INLINE wabe_pair wabe_pair_between(wabe_pair p, wabe_pair next) {
    return MAKE_PAIR(p.y, next.x);
}
/* Only the half of a neighbour's pair that is needed. */
WABE_INLINE wabe_pair wabe_pair_from_next(wabe_pair p) {
    return MAKE_PAIR(__shfl_down_sync(0xffffffffu, p.x, 1), 0);
}
WABE_INLINE wabe_pair wabe_pair_from_previous(wabe_pair p) {
    return MAKE_PAIR(0, __shfl_up_sync(0xffffffffu, p.y, 1));
}
#endif
