/* Values whose last digits depend on the processor, as those of exp, log, pow, cos and sin do,
 * without these digits. */
#pragma once

#include <math.h>

static inline double wabe_rounded(double value) { return nearbyint(0x1p40 * value) * 0x1p-40; }
