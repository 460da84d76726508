/* The vector type of a kernel file: lanes of double (WABE_VECTOR_F64) or float (WABE_VECTOR_F32,
 * _F16) in the instruction set that the file is compiled for. Lanes are stored unchanged, or with
 * WABE_VECTOR_F16 in half precision, which CPUs convert but do not compute with.
 *
 * With WABE_PORTABLE it is for any processor that has fused multiply-adds: vectors of 16 bytes,
 * which compilers turn into its instructions; half precision for 64-bit Arm alone.
 *
 * The vector types have C's arithmetic operators (gcc and clang), so the same source of the cell
 * physics compiles for vectors and scalars. In a mask, bit i is for lane i. Without FMA (x86-64
 * baseline) WABE_FMA rounds twice: the bits differ, and the kernels' metadata says so. */
#pragma once

#include "sweeps/cell/lbm.h"

#if !defined(WABE_PORTABLE)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
#include <stdint.h>

#define WABE_INLINE static inline __attribute__((always_inline))
#define WABE_NOINLINE static __attribute__((noinline, unused)) /* what few cells need */

/* Before a loop: unrolls it, so that an array that it fills can stay in registers. */
#ifdef __clang__
#define WABE_UNROLL _Pragma("unroll")
#else
#define WABE_UNROLL _Pragma("GCC unroll 32")
#endif

#if defined(WABE_VECTOR_F64)
typedef double wabe_scalar, wabe_stored;
#elif defined(WABE_VECTOR_F32)
typedef float wabe_scalar, wabe_stored;
#else
typedef float wabe_scalar;
typedef uint16_t wabe_stored;
#endif

/* Adding it to a number and subtracting it again rounds the number to an integer. */
#ifdef WABE_VECTOR_F64
#define WABE_ROUNDING 0x1.8p52
enum { WABE_MANTISSA = 52 };
#else
#define WABE_ROUNDING 0x1.8p23
enum { WABE_MANTISSA = 23 };
#endif

#if defined(WABE_PORTABLE)
typedef wabe_scalar wabe_vector __attribute__((vector_size(16)));
#define WABE_SET1 wabe_set1
#define WABE_SQRT wabe_sqrt_of
#define WABE_FMA(a, b, c) wabe_fma(a, b, c)
#define WABE_KEEP(v, bits) wabe_keep(v, bits)
#if defined(WABE_VECTOR_F16)
typedef uint16_t wabe_halves __attribute__((vector_size(8)));
#define WABE_HALVES wabe_halves
#define WABE_FROM_HALVES(h) vcvt_f32_f16((float16x4_t)(h))
#define WABE_TO_HALVES(v) vcvt_f16_f32((float32x4_t)(v))
#define WABE_LOAD_HALVES(p) (wabe_halves) vld1_u16((const uint16_t *)(p))
#define WABE_STORE_HALVES(p, h) vst1_u16((uint16_t *)(p), (uint16x4_t)(h))
#define WABE_STREAM_COPY(to, from) __builtin_memcpy(to, from, sizeof(wabe_vector))
#else
#define WABE_LOAD wabe_load
#define WABE_STORE wabe_store
#define WABE_STREAM wabe_store
#endif

#elif defined(__AVX512F__) && defined(WABE_VECTOR_F64)
typedef __m512d wabe_vector;
#define WABE_SET1 _mm512_set1_pd
#define WABE_SQRT _mm512_sqrt_pd
#define WABE_FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define WABE_LOAD _mm512_loadu_pd
#define WABE_STORE _mm512_storeu_pd
#define WABE_STREAM _mm512_stream_pd
#define WABE_KEEP(v, bits) _mm512_maskz_mov_pd((__mmask8)(bits), v)
#define WABE_EXPAND(v, bits, p) _mm512_mask_expand_pd(v, (__mmask8)(bits), _mm512_loadu_pd(p))
#define WABE_COMPRESS(v, bits) _mm512_maskz_compress_pd((__mmask8)(bits), v)
#define WABE_STORE_MASKED(p, v, bits) _mm512_mask_storeu_pd(p, (__mmask8)(bits), v)

#elif defined(__AVX512F__)
typedef __m512 wabe_vector;
#define WABE_SET1 _mm512_set1_ps
#define WABE_SQRT _mm512_sqrt_ps
#define WABE_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define WABE_KEEP(v, bits) _mm512_maskz_mov_ps((__mmask16)(bits), v)
#define WABE_EXPAND(v, bits, p) _mm512_mask_expand_ps(v, (__mmask16)(bits), WABE_LOAD(p))
#define WABE_COMPRESS(v, bits) _mm512_maskz_compress_ps((__mmask16)(bits), v)
#if defined(WABE_VECTOR_F32)
#define WABE_LOAD _mm512_loadu_ps
#define WABE_STORE _mm512_storeu_ps
#define WABE_STREAM _mm512_stream_ps
#define WABE_STORE_MASKED(p, v, bits) _mm512_mask_storeu_ps(p, (__mmask16)(bits), v)
#else
#define WABE_HALVES __m256i
#define WABE_FROM_HALVES _mm512_cvtph_ps
#define WABE_TO_HALVES(v) _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define WABE_LOAD_HALVES _mm256_loadu_si256
#define WABE_STORE_HALVES _mm256_storeu_si256
#define WABE_STREAM_COPY(to, from) _mm512_stream_si512((void *)(to), _mm512_loadu_si512(from))
#define WABE_STORE_MASKED(p, v, bits)                                                              \
    _mm256_mask_storeu_epi16(p, (__mmask16)(bits), (__m256i)wabe_pack(v))
#endif

#elif defined(__AVX2__) && defined(WABE_VECTOR_F64)
typedef __m256d wabe_vector;
#define WABE_SET1 _mm256_set1_pd
#define WABE_SQRT _mm256_sqrt_pd
#define WABE_FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define WABE_LOAD _mm256_loadu_pd
#define WABE_STORE _mm256_storeu_pd
#define WABE_STREAM _mm256_stream_pd
WABE_INLINE __m256i wabe_lanes(unsigned bits) {
    const __m256i lane = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(bits), lane), lane);
}
#define WABE_KEEP(v, bits) _mm256_and_pd(_mm256_castsi256_pd(wabe_lanes(bits)), v)
#define WABE_STORE_MASKED(p, v, bits) _mm256_maskstore_pd(p, wabe_lanes(bits), v)

#elif defined(__AVX2__)
typedef __m256 wabe_vector;
#define WABE_SET1 _mm256_set1_ps
#define WABE_SQRT _mm256_sqrt_ps
#define WABE_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
WABE_INLINE __m256i wabe_lanes(unsigned bits) {
    const __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), lane), lane);
}
#define WABE_KEEP(v, bits) _mm256_and_ps(_mm256_castsi256_ps(wabe_lanes(bits)), v)
#if defined(WABE_VECTOR_F32)
#define WABE_LOAD _mm256_loadu_ps
#define WABE_STORE _mm256_storeu_ps
#define WABE_STREAM _mm256_stream_ps
#define WABE_STORE_MASKED(p, v, bits) _mm256_maskstore_ps(p, wabe_lanes(bits), v)
#else
#define WABE_HALVES __m128i
#define WABE_FROM_HALVES _mm256_cvtph_ps
#define WABE_TO_HALVES(v) _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define WABE_LOAD_HALVES _mm_loadu_si128
#define WABE_STORE_HALVES _mm_storeu_si128
#define WABE_STREAM_COPY(to, from)                                                                 \
    _mm256_stream_si256((__m256i *)(to), _mm256_loadu_si256((const __m256i *)(from)))
#endif

#elif defined(WABE_VECTOR_F64)
typedef __m128d wabe_vector;
#define WABE_SET1 _mm_set1_pd
#define WABE_SQRT _mm_sqrt_pd
#define WABE_FMA(a, b, c) ((a) * (b) + (c))
#define WABE_LOAD _mm_loadu_pd
#define WABE_STORE _mm_storeu_pd
#define WABE_STREAM _mm_stream_pd
WABE_INLINE __m128d wabe_lanes(unsigned bits) {
    return _mm_castsi128_pd(_mm_set_epi64x(-(int64_t)((bits >> 1) & 1), -(int64_t)(bits & 1)));
}
#define WABE_KEEP(v, bits) _mm_and_pd(wabe_lanes(bits), v)

#else
typedef __m128 wabe_vector;
#define WABE_SET1 _mm_set1_ps
#define WABE_SQRT _mm_sqrt_ps
#define WABE_FMA(a, b, c) ((a) * (b) + (c))
#define WABE_LOAD _mm_loadu_ps
#define WABE_STORE _mm_storeu_ps
#define WABE_STREAM _mm_stream_ps
WABE_INLINE __m128 wabe_lanes(unsigned bits) {
    const __m128i lane = _mm_setr_epi32(1, 2, 4, 8);
    return _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)bits), lane), lane));
}
#define WABE_KEEP(v, bits) _mm_and_ps(wabe_lanes(bits), v)
#endif

enum {
    WABE_LANES = sizeof(wabe_vector) / sizeof(wabe_scalar),
    WABE_COPIED = sizeof(wabe_vector) / sizeof(wabe_stored) /* numbers per WABE_STREAM_COPY */
};

/* Asks for the cache line of an address; makes streamed stores visible to other threads. */
#define WABE_PREFETCH(p) __builtin_prefetch(p, 0, 3)
#ifdef WABE_PORTABLE
#define WABE_FENCE() ((void)0)
#else
#define WABE_FENCE() _mm_sfence()
#endif

#define WABE_REAL wabe_vector
#define WABE_REAL_OF(constant) WABE_SET1((wabe_scalar)(constant))
#ifdef WABE_VECTOR_F64
#define WABE_COEFFICIENT(c) WABE_SET1((c).f64)
#else
#define WABE_COEFFICIENT(c) WABE_SET1((c).f32)
#endif

/* wabe_bits: the bits of each lane as an integer, also the result of a comparison. wabe_words: an
 * unsigned integer of 32 bits per lane. */
#if defined(WABE_VECTOR_F64)
typedef int64_t wabe_bits __attribute__((vector_size(sizeof(wabe_vector))));
#else
typedef int32_t wabe_bits __attribute__((vector_size(sizeof(wabe_vector))));
#endif
typedef uint32_t wabe_words __attribute__((vector_size(WABE_LANES * sizeof(uint32_t))));
typedef int32_t wabe_signed_words __attribute__((vector_size(WABE_LANES * sizeof(int32_t))));

WABE_INLINE wabe_bits wabe_bits_of(wabe_vector v) { return (wabe_bits)v; }
WABE_INLINE wabe_vector wabe_of_bits(wabe_bits bits) { return (wabe_vector)bits; }

#ifdef WABE_PORTABLE
WABE_INLINE wabe_vector wabe_set1(wabe_scalar value) {
    wabe_vector v;
    for (int lane = 0; lane < WABE_LANES; lane++)
        v[lane] = value;
    return v;
}

WABE_INLINE wabe_vector wabe_fma(wabe_vector a, wabe_vector b, wabe_vector c) {
#if defined(__aarch64__) && defined(WABE_VECTOR_F64)
    return (wabe_vector)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#elif defined(__aarch64__)
    return (wabe_vector)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    for (int lane = 0; lane < WABE_LANES; lane++)
        c[lane] = sizeof(wabe_scalar) == sizeof(double)
                      ? (wabe_scalar)__builtin_fma(a[lane], b[lane], c[lane])
                      : (wabe_scalar)__builtin_fmaf((float)a[lane], (float)b[lane], (float)c[lane]);
    return c;
#endif
}

WABE_INLINE wabe_vector wabe_sqrt_of(wabe_vector v) {
    for (int lane = 0; lane < WABE_LANES; lane++)
        v[lane] = sizeof(wabe_scalar) == sizeof(double)
                      ? (wabe_scalar)__builtin_sqrt(v[lane])
                      : (wabe_scalar)__builtin_sqrtf((float)v[lane]);
    return v;
}

/* Returns v with 0 in the lanes whose bit is not set. */
WABE_INLINE wabe_vector wabe_keep(wabe_vector v, unsigned bits) {
    wabe_bits lanes, asked;
    for (int lane = 0; lane < WABE_LANES; lane++) {
        lanes[lane] = 1 << lane;
        asked[lane] = (int)bits;
    }
    return (wabe_vector)((wabe_bits)v & (wabe_bits)((asked & lanes) == lanes));
}

#ifndef WABE_VECTOR_F16
WABE_INLINE wabe_vector wabe_load(const wabe_stored *p) {
    wabe_vector v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
WABE_INLINE void wabe_store(wabe_stored *p, wabe_vector v) { __builtin_memcpy(p, &v, sizeof v); }
#endif
#endif

/* Returns old with other numbers in the lanes whose bit is set. */
WABE_INLINE wabe_vector wabe_replace(wabe_vector old, unsigned lanes, wabe_vector values) {
    return (wabe_vector)((wabe_bits)WABE_KEEP(values, lanes) |
                         (wabe_bits)WABE_KEEP(old, ~lanes & ((1u << WABE_LANES) - 1)));
}

/* Returns whether any bit of any lane is set. */
WABE_INLINE bool wabe_any(wabe_bits bits) {
#if defined(WABE_PORTABLE)
    bool any = false;
    for (int lane = 0; lane < WABE_LANES; lane++)
        any |= bits[lane] != 0;
    return any;
#elif defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)bits, (__m512i)bits) != 0;
#elif defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)bits, (__m256i)bits);
#else
    const __m128i zero = _mm_cmpeq_epi32((__m128i)bits, _mm_setzero_si128());
    return _mm_movemask_epi8(zero) != 0xffff;
#endif
}

/* Returns a in lanes where the comparison holds, b in the others. */
WABE_INLINE wabe_vector wabe_select(wabe_bits holds, wabe_vector a, wabe_vector b) {
    return (wabe_vector)((holds & (wabe_bits)a) | (~holds & (wabe_bits)b));
}

/* Returns v with one lane replaced. */
WABE_INLINE wabe_vector wabe_set_lane(wabe_vector v, int lane, wabe_scalar value) {
    wabe_bits lanes;
    for (int i = 0; i < WABE_LANES; i++)
        lanes[i] = i;
    return wabe_select(lanes == lane, WABE_SET1(value), v);
}

/* Returns numbers[places], one per lane. numbers: of the lanes' type. (Gathering instructions are
 * not faster.) */
WABE_INLINE wabe_vector wabe_look_up(const void *numbers, wabe_bits places) {
    const wabe_scalar *from = (const wabe_scalar *)numbers;
    wabe_vector v;
    WABE_UNROLL
    for (int lane = 0; lane < WABE_LANES; lane++)
        v[lane] = from[places[lane]];
    return v;
}

/* Returns first, first + 1, ..., one per lane. */
WABE_INLINE wabe_words wabe_words_from(uint32_t first) {
    wabe_words words;
    for (int lane = 0; lane < WABE_LANES; lane++)
        words[lane] = first + (uint32_t)lane;
    return words;
}

/* Converts words, read as signed integers, to the nearest floating-point numbers. */
WABE_INLINE wabe_vector wabe_of_words(wabe_words words) {
    return __builtin_convertvector((wabe_signed_words)words, wabe_vector);
}

/* The unit of populations: see sweeps/cell/collision.h. */
#if defined(WABE_VECTOR_F16)
#define WABE_SCALE WABE_HALF_SCALE
#else
#define WABE_SCALE 1.0
#endif

#if defined(WABE_VECTOR_F16)
/* A vector in its stored form. */
typedef uint16_t wabe_packed __attribute__((vector_size(sizeof(WABE_HALVES))));
WABE_INLINE wabe_packed wabe_pack(wabe_vector v) { return (wabe_packed)WABE_TO_HALVES(v); }
WABE_INLINE wabe_vector wabe_load(const wabe_stored *p) {
    return WABE_FROM_HALVES(WABE_LOAD_HALVES((const WABE_HALVES *)p));
}
WABE_INLINE void wabe_store(wabe_stored *p, wabe_vector v) {
    WABE_STORE_HALVES((WABE_HALVES *)p, (WABE_HALVES)wabe_pack(v));
}
WABE_INLINE wabe_scalar wabe_value(wabe_stored stored) {
#ifdef WABE_PORTABLE
    __fp16 half;
    __builtin_memcpy(&half, &stored, sizeof half);
    return half;
#else
    return _cvtsh_ss(stored);
#endif
}
#define WABE_LOAD wabe_load
#define WABE_STORE wabe_store
#define WABE_STREAM wabe_store /* shorter than a cache line: kernels gather whole lines */
#else
typedef wabe_vector wabe_packed;
WABE_INLINE wabe_packed wabe_pack(wabe_vector v) { return v; }
WABE_INLINE wabe_scalar wabe_value(wabe_stored stored) { return stored; }
#define WABE_STREAM_COPY(to, from) WABE_STREAM(to, WABE_LOAD(from))
#endif

/* Stores the lanes of v whose bit is set. */
WABE_INLINE void wabe_store_masked(wabe_stored *p, wabe_vector v, unsigned bits) {
#ifdef WABE_STORE_MASKED
    WABE_STORE_MASKED(p, v, bits);
#else
    const wabe_packed packed = wabe_pack(v);
    for (int i = 0; i < WABE_LANES; i++)
        if (bits >> i & 1)
            p[i] = packed[i];
#endif
}

/* Returns v with the lanes whose bit is set replaced by p[0], p[1], ... in order. May read a whole
 * vector from p. */
WABE_INLINE wabe_vector wabe_expand(wabe_vector v, unsigned bits, const wabe_stored *p) {
#ifdef WABE_EXPAND
    return WABE_EXPAND(v, bits, p);
#else
    for (int i = 0; bits; i++, bits >>= 1)
        if (bits & 1)
            v[i] = wabe_value(*p++);
    return v;
#endif
}

/* Writes to p[0], p[1], ... in order the lanes of v whose bit is set, and nothing beyond. */
WABE_INLINE void wabe_compress(wabe_stored *p, unsigned bits, wabe_vector v) {
#ifdef WABE_COMPRESS
    WABE_STORE_MASKED(p, WABE_COMPRESS(v, bits), (1u << __builtin_popcount(bits)) - 1u);
#else
    const wabe_packed packed = wabe_pack(v);
    for (int i = 0; bits; i++, bits >>= 1)
        if (bits & 1)
            *p++ = packed[i];
#endif
}
