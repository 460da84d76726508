/* Sums that do not depend on the order of summation, using only additions of doubles, so that
 * vectors and GPUs can compute them. A value is split into three parts; each is rounded to a
 * quantum so coarse that adding up to 2^31 of them is exact (Demmel and Nguyen, Fast reproducible
 * floating-point summation, ARITH 2013, with fixed split points). The error is at most 2^-68 per
 * value.
 *
 * core/base/sum.h sums in integers. Neither replaces the other. Before AVX-512, CPUs cannot
 * round vectors of doubles to 64-bit integers, so that sums in integers are slower, and residuals
 * are summed over all cells in every step. Integers take values up to 8 and any number of them, and
 * the bits of monitors depend on their last places. */
#pragma once

#include "core/base/host_device.h"

enum { WABE_BINS = 3 };

/* Adding and then subtracting one of these rounds to multiples of 2^-21, 2^-44, 2^-67. Compilers
 * must not simplify this: no fast-math. */
#define WABE_BIN_0 0x1.8p31
#define WABE_BIN_1 0x1.8p8
#define WABE_BIN_2 0x1.8p-15

/* Adds value, from -2 to 2, to double bins[WABE_BINS] (scalars or vectors). Overwrites value. */
#define WABE_BINS_ADD(bins, value)                                                                 \
    do {                                                                                           \
        const __typeof__(value) high_ = ((value) + WABE_BIN_0) - WABE_BIN_0;                       \
        (value) = (value)-high_;                                                                   \
        const __typeof__(value) middle_ = ((value) + WABE_BIN_1) - WABE_BIN_1;                     \
        (value) = (value)-middle_;                                                                 \
        (bins)[0] = (bins)[0] + high_;                                                             \
        (bins)[1] = (bins)[1] + middle_;                                                           \
        (bins)[2] = (bins)[2] + (((value) + WABE_BIN_2) - WABE_BIN_2);                             \
    } while (0)

WABE_HOST_DEVICE double wabe_bins_value(const double bins[WABE_BINS]) {
    return bins[0] + (bins[1] + bins[2]);
}
