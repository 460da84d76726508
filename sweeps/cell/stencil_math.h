/* What functions of a cell (sweeps/cell/stencil.h) have in common: noise, sums that keep a
 * symmetry, and powers. For kernel files, where wabe_cell is known. */
#pragma once

#include "core/base/hash.h"
#include "sweeps/cell/grid.h"

/* Uniform numbers in [-1, 1] that depend on seed, the run's time step and the cell's global indices
 * alone, so they are the same for any decomposition. Words are mixed by the finaliser lowbias32 (C.
 * Wellons, public domain). */
WABE_INLINE WABE_REAL wabe_noise(const wabe_cell *c, uint64_t seed) {
    const wabe_grid_args *g = c->grid;
    uint64_t key = wabe_hash_mix(seed + (uint64_t)g->step);
    const int64_t z = g->first[2] + c->z;
    key = wabe_hash_mix(key + (uint64_t)(z < 0           ? z + g->planes
                                         : z < g->planes ? z
                                                         : z - g->planes));
    key = wabe_hash_mix(key + (uint64_t)(g->first[1] + c->y));
    wabe_words words = wabe_words_from((uint32_t)(g->first[0] + c->x)) ^ (uint32_t)key;
    words = (words ^ (words >> 16)) * 0x7feb352du + (uint32_t)(key >> 32);
    words = (words ^ (words >> 15)) * 0x846ca68bu;
    words ^= words >> 16;
    return WABE_REAL_OF(0x1p-31) * wabe_of_words(words);
}

/* The same for all orders of a, b, c. */
WABE_INLINE WABE_REAL wabe_sum_of_three(WABE_REAL a, WABE_REAL b, WABE_REAL c) {
    const WABE_REAL low = wabe_select(a < b, a, b), high = wabe_select(a < b, b, a);
    const WABE_REAL lowest = wabe_select(low < c, low, c), other = wabe_select(low < c, c, low);
    const WABE_REAL highest = wabe_select(high < other, other, high);
    const WABE_REAL middle = wabe_select(high < other, high, other);
    return (lowest + highest) + middle;
}

/* (1 + x)^a - 1 for |x| up to 0.5 and |a| up to 2, without cancellation: exactly 0 at x = 0, and
 * within 5 units in the last place. Of fused multiply-adds and a division alone, so that all
 * devices have the same bits: Taylor series of log(1 + x) = 2 artanh(x / (2 + x)), and of exp. */
#if defined(WABE_STORE_F64) || defined(WABE_VECTOR_F64)
enum { WABE_ARTANH_TERMS = 17, WABE_EXP_TERMS = 21 };
#else
enum { WABE_ARTANH_TERMS = 8, WABE_EXP_TERMS = 13 };
#endif
WABE_INLINE WABE_REAL wabe_power_less_one(WABE_REAL x, WABE_REAL a) {
    const WABE_REAL s = x / (WABE_REAL_OF(2.0) + x), square = s * s;
    WABE_REAL series = WABE_REAL_OF(1.0 / (2 * WABE_ARTANH_TERMS - 1));
    WABE_UNROLL
    for (int i = WABE_ARTANH_TERMS - 2; i >= 0; i--)
        series = WABE_FMA(series, square, WABE_REAL_OF(1.0 / (2 * i + 1)));
    const WABE_REAL y = WABE_REAL_OF(2.0) * (a * (s * series));
    WABE_REAL e = WABE_REAL_OF(1.0);
    WABE_UNROLL
    for (int i = WABE_EXP_TERMS; i > 1; i--)
        e = WABE_FMA(e, y * WABE_REAL_OF(1.0 / i), WABE_REAL_OF(1.0));
    return e * y;
}

/* ---- powers of numbers of any size ----------------------------------------------------- */

/* Of fused multiply-adds, a division and integers alone, as wabe_power_less_one. */
#if defined(WABE_STORE_F64) || defined(WABE_VECTOR_F64)
enum { WABE_BIAS = 1023, WABE_LOG_TERMS = 11, WABE_EXP2_TERMS = 13 };
#define WABE_LEAST 0x1p-1022
#define WABE_PER_LOG2 0x1.71547652b82fep0 /* 1 / log(2), and what is left of it */
#define WABE_PER_LOG2_REST 2.0355273740931033e-17
#else
enum { WABE_BIAS = 127, WABE_LOG_TERMS = 5, WABE_EXP2_TERMS = 7 };
#define WABE_LEAST 0x1p-126
#define WABE_PER_LOG2 0x1.715476p0
#define WABE_PER_LOG2_REST 1.9259629911266175e-8
#endif

WABE_INLINE WABE_REAL wabe_largest(WABE_REAL a, WABE_REAL b) { return wabe_select(a < b, b, a); }
WABE_INLINE WABE_REAL wabe_smallest(WABE_REAL a, WABE_REAL b) { return wabe_select(b < a, b, a); }

/* The logarithm to base 2; of numbers below WABE_LEAST that of it. Within 2 units in the last
 * place. x = 2^e (1 + f), 1 + f between sqrt(1 / 2) and sqrt(2), and, with s = f / (2 + f) and h =
 * f^2 / 2,
 *
 *   log(1 + f) = 2 artanh(s) = f - (h - s (h + 2 s^2 / 3 + 2 s^4 / 5 + ...)),
 *
 * whose first term is exact. */
WABE_INLINE WABE_REAL wabe_log2(WABE_REAL x) {
    const WABE_REAL rounding = WABE_REAL_OF(WABE_ROUNDING), one = WABE_REAL_OF(1.0);
    const wabe_bits root = wabe_bits_of(WABE_REAL_OF(0.70710678118654752));
    const wabe_bits above = wabe_bits_of(wabe_largest(x, WABE_REAL_OF(WABE_LEAST))) - root;
    const WABE_REAL e = wabe_of_bits((above >> WABE_MANTISSA) + wabe_bits_of(rounding)) - rounding;
    const WABE_REAL f = wabe_of_bits((above & ((1LL << WABE_MANTISSA) - 1)) + root) - one;
    const WABE_REAL s = f / (WABE_REAL_OF(2.0) + f), square = s * s;
    WABE_REAL series = WABE_REAL_OF(2.0 / (2 * WABE_LOG_TERMS - 1));
    WABE_UNROLL
    for (int i = WABE_LOG_TERMS - 2; i > 0; i--)
        series = WABE_FMA(series, square, WABE_REAL_OF(2.0 / (2 * i + 1)));
    const WABE_REAL half = WABE_REAL_OF(0.5) * (f * f);
    const WABE_REAL less = half - s * WABE_FMA(series, square, half);
    const WABE_REAL per = WABE_REAL_OF(WABE_PER_LOG2), rest = WABE_REAL_OF(WABE_PER_LOG2_REST);
    return e + WABE_FMA(f, per, f * rest - less * per);
}

/* 2^y for y between 1 - WABE_BIAS and WABE_BIAS; y beyond them, or that is no number, is taken for
 * the nearest of them, or the latter. Within 2 units in the last place. */
WABE_INLINE WABE_REAL wabe_exp2(WABE_REAL y) {
    const WABE_REAL rounding = WABE_REAL_OF(WABE_ROUNDING), one = WABE_REAL_OF(1.0);
    y = wabe_largest(WABE_REAL_OF(1 - WABE_BIAS), wabe_smallest(WABE_REAL_OF(WABE_BIAS), y));
    const WABE_REAL rounded = y + rounding;
    const WABE_REAL x = (y - (rounded - rounding)) * WABE_REAL_OF(0.69314718055994531);
    const wabe_bits exponent = wabe_bits_of(rounded) - wabe_bits_of(rounding) + WABE_BIAS;
    WABE_REAL e = one;
    WABE_UNROLL
    for (int i = WABE_EXP2_TERMS; i > 0; i--)
        e = WABE_FMA(e, x * WABE_REAL_OF(1.0 / i), one);
    return e * wabe_of_bits(exponent << WABE_MANTISSA);
}
