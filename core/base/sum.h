/* Sums that do not depend on the order of summation: values are rounded to multiples of 2^-60 once
 * and added as integers. For host and device code; sums in every step of a stencil are kept in bins
 * (core/base/bins.h says why). */
#pragma once

#include "core/base/host_device.h"

#include <math.h>
#include <stdint.h>

/* The low 32 bits and the rest of the values are summed separately. At most 2^31 values may be
 * added between two carries; merging carries. */
typedef struct {
    int64_t low, high;
} wabe_sum;

WABE_HOST_DEVICE void wabe_sum_carry(wabe_sum *sum) {
    sum->high += sum->low >> 32;
    sum->low &= 0xffffffff;
}

/* Adds a value, |value| < 8. */
WABE_HOST_DEVICE void wabe_sum_add(wabe_sum *sum, double value) {
    const int64_t fixed = (int64_t)llrint(value * 0x1p60);
    sum->low += fixed & 0xffffffff;
    sum->high += fixed >> 32;
}

WABE_HOST_DEVICE void wabe_sum_merge(wabe_sum *sum, const wabe_sum *part) {
    sum->low += part->low;
    sum->high += part->high;
    wabe_sum_carry(sum);
}

/* Returns the sum with two roundings: the high part, including the low part's carry, and the
 * rest. */
WABE_HOST_DEVICE double wabe_sum_value(wabe_sum sum) {
    wabe_sum_carry(&sum);
    return (double)sum.high * 0x1p-28 + (double)sum.low * 0x1p-60;
}
