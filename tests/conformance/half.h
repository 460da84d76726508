/* Half-precision numbers by plain arithmetic, as a reference for the processor's conversions. */
#pragma once

#include <math.h>
#include <stdint.h>

enum { HALF_INFINITY = 0x7c00, HALF_NAN = 0x7e00, HALF_SIGN = 0x8000 };

/* Sign, exponent with bias 15, fraction of ten bits; for exponent 0 there is no leading one. */
static inline double half_value(uint16_t half) {
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    double value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    if (exponent == 31)
        value = fraction ? NAN : INFINITY;
    return half & HALF_SIGN ? -value : value;
}

/* Returns the nearest half; ties go to the even one (nearbyint). A mantissa rounded up to the next
 * power of two carries into the exponent. */
static inline uint16_t half_of(double value) {
    const double size = fabs(value);
    const int sign = signbit(value) ? HALF_SIGN : 0;
    if (isnan(value))
        return HALF_NAN;
    if (size >= 65520.0) /* half-way between the largest half and the next power of two */
        return (uint16_t)(sign | HALF_INFINITY);
    if (size < 0x1p-14)
        return (uint16_t)(sign | (int)nearbyint(ldexp(size, 24)));
    const int exponent = ilogb(size), mantissa = (int)nearbyint(ldexp(size, 10 - exponent));
    return (uint16_t)(sign | (((exponent + 14) << 10) + mantissa));
}

/* Populations are stored multiplied by 2^15. */
static inline uint16_t half_stored(double population) { return half_of(population * 0x1p15); }
static inline double half_population(uint16_t stored) { return half_value(stored) * 0x1p-15; }
