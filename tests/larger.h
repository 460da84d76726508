/* The largest error of many, which is as bad as any number if one of them is not a number. */
#pragma once

#include <math.h>

/* Returns the larger of both; infinity if off is not a number, which fmax would pass over. Local.
 */
static inline double larger(double most, double off) {
    return isnan(off) ? INFINITY : fmax(most, off);
}
