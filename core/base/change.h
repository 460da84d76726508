/* The relative change of a value. */
#pragma once

#include <math.h>

/* Returns the difference of two values over the larger of their magnitudes and least; 0 if they are
 * equal, also if both are 0; NAN if before is, since there is nothing to compare with. Local. */
static inline double wabe_change(double before, double now, double least) {
    return now == before ? 0.0 : fabs(now - before) / fmax(fmax(fabs(now), fabs(before)), least);
}
