/* The vector of a kernel file: lanes of double (WABE_VECTOR_F64) or float (WABE_VECTOR_F32) in the
 * instruction set that the file is compiled for.
 *
 * The vector types take the arithmetic operators of C (gcc and clang), so the cell physics is the
 * same text as for scalars. Masks are bits, lane i in bit i. Without FMA (x86-64 baseline) WABE_FMA
 * rounds twice: other bits, and the kernels' metadata says so. */
#ifndef WABE_KERNELS_CPU_VECTOR_H
#define WABE_KERNELS_CPU_VECTOR_H

#include <immintrin.h>
#include <stdint.h>

#define WABE_INLINE static inline __attribute__((always_inline))

#if defined(WABE_VECTOR_F64)
typedef double wabe_scalar;
#else
typedef float wabe_scalar;
#endif

#if defined(__AVX512F__) && defined(WABE_VECTOR_F64)
typedef __m512d wabe_vector;
#define WABE_SET1 _mm512_set1_pd
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
#define WABE_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define WABE_LOAD _mm512_loadu_ps
#define WABE_STORE _mm512_storeu_ps
#define WABE_STREAM _mm512_stream_ps
#define WABE_KEEP(v, bits) _mm512_maskz_mov_ps((__mmask16)(bits), v)
#define WABE_EXPAND(v, bits, p) _mm512_mask_expand_ps(v, (__mmask16)(bits), _mm512_loadu_ps(p))
#define WABE_COMPRESS(v, bits) _mm512_maskz_compress_ps((__mmask16)(bits), v)
#define WABE_STORE_MASKED(p, v, bits) _mm512_mask_storeu_ps(p, (__mmask16)(bits), v)

#elif defined(__AVX2__) && defined(WABE_VECTOR_F64)
typedef __m256d wabe_vector;
#define WABE_SET1 _mm256_set1_pd
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
#define WABE_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define WABE_LOAD _mm256_loadu_ps
#define WABE_STORE _mm256_storeu_ps
#define WABE_STREAM _mm256_stream_ps
WABE_INLINE __m256i wabe_lanes(unsigned bits) {
    const __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), lane), lane);
}
#define WABE_KEEP(v, bits) _mm256_and_ps(_mm256_castsi256_ps(wabe_lanes(bits)), v)
#define WABE_STORE_MASKED(p, v, bits) _mm256_maskstore_ps(p, wabe_lanes(bits), v)

#elif defined(WABE_VECTOR_F64)
typedef __m128d wabe_vector;
#define WABE_SET1 _mm_set1_pd
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

enum { WABE_LANES = sizeof(wabe_vector) / sizeof(wabe_scalar) };

#define WABE_REAL wabe_vector
#define WABE_REAL_OF(constant) WABE_SET1((wabe_scalar)(constant))

/* Stores the lanes of v whose bit is set; the others keep what they hold. */
WABE_INLINE void wabe_store_masked(wabe_scalar *p, wabe_vector v, unsigned bits) {
#ifdef WABE_STORE_MASKED
    WABE_STORE_MASKED(p, v, bits);
#else
    for (int i = 0; i < WABE_LANES; i++)
        if (bits >> i & 1)
            p[i] = v[i];
#endif
}

/* v with its lanes whose bit is set taken from p, p + 1, ... in turn. Reads a whole vector. */
WABE_INLINE wabe_vector wabe_expand(wabe_vector v, unsigned bits, const wabe_scalar *p) {
#ifdef WABE_EXPAND
    return WABE_EXPAND(v, bits, p);
#else
    for (int i = 0; bits; i++, bits >>= 1)
        if (bits & 1)
            v[i] = *p++;
    return v;
#endif
}

/* The lanes of v whose bit is set, one after the other to p, p + 1, ... and nothing beyond. */
WABE_INLINE void wabe_compress(wabe_scalar *p, unsigned bits, wabe_vector v) {
#ifdef WABE_COMPRESS
    WABE_STORE_MASKED(p, WABE_COMPRESS(v, bits), (1u << __builtin_popcount(bits)) - 1u);
#else
    for (int i = 0; bits; i++, bits >>= 1)
        if (bits & 1)
            *p++ = v[i];
#endif
}

#endif
