/* The numbers of a file that computes one cell at a time, as kernels for CUDA and emulated devices
 * do: wabe_real, selected by the macro that the file is compiled with (WABE_STORE_F64, _F32 or
 * _F16). */
#pragma once

#include "sweeps/cell/lbm.h"

#include <math.h>
#include <string.h>

#ifdef __CUDACC__
#define WABE_INLINE static __device__ __forceinline__
#define WABE_NOINLINE static __device__ __noinline__ /* what few cells need */
#define WABE_READ_ONLY(address) __ldg(address)
#define WABE_UNROLL _Pragma("unroll") /* see kernels_cpu/vector.h */
#else
#define WABE_INLINE static inline
#define WABE_NOINLINE static __attribute__((noinline, unused))
#define WABE_READ_ONLY(address) (*(address))
#define WABE_UNROLL
#endif

#if defined(WABE_STORE_F64)
typedef double wabe_real;
#define WABE_FMA fma
#define WABE_SQRT sqrt
#define WABE_ROUNDING 0x1.8p52 /* adding and subtracting it rounds to an integer */
enum { WABE_MANTISSA = 52 };
#else
typedef float wabe_real;
#define WABE_FMA fmaf
#define WABE_SQRT sqrtf
#define WABE_ROUNDING 0x1.8p23
enum { WABE_MANTISSA = 23 };
#endif

#define WABE_REAL wabe_real
#define WABE_REAL_OF(constant) ((wabe_real)(constant))
#ifdef WABE_STORE_F64
#define WABE_COEFFICIENT(c) ((c).f64)
#else
#define WABE_COEFFICIENT(c) ((c).f32)
#endif

/* As in kernels_cpu/vector.h, for one number; comparisons yield 0 or 1. */
#if defined(WABE_STORE_F64)
typedef int64_t wabe_bits;
#else
typedef int32_t wabe_bits;
#endif
typedef uint32_t wabe_words;

WABE_INLINE wabe_bits wabe_bits_of(wabe_real value) {
    wabe_bits bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
WABE_INLINE wabe_real wabe_of_bits(wabe_bits bits) {
    wabe_real value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
WABE_INLINE int wabe_any(wabe_bits bits) { return bits != 0; }
WABE_INLINE wabe_real wabe_select(wabe_bits holds, wabe_real a, wabe_real b) {
    return holds ? a : b;
}
WABE_INLINE wabe_real wabe_look_up(const void *numbers, wabe_bits place) {
    return WABE_READ_ONLY((const wabe_real *)numbers + place);
}
WABE_INLINE wabe_words wabe_words_from(uint32_t first) { return first; }
WABE_INLINE wabe_real wabe_of_words(wabe_words words) { return (wabe_real)(int32_t)words; }

/* The unit of populations: see sweeps/cell/collision.h. */
#if defined(WABE_STORE_F16)
#define WABE_SCALE WABE_HALF_SCALE
#else
#define WABE_SCALE 1.0
#endif
