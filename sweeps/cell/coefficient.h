/* Coefficients of kernels. */
#pragma once

/* A coefficient as f64 and as f32, so that no kernel converts it: WABE_COEFFICIENT(c) is the
 * kernel's. */
typedef struct {
    double f64;
    float f32;
} wabe_coefficient;

static inline wabe_coefficient wabe_coefficient_of(double value) {
    wabe_coefficient c;
    c.f64 = value;
    c.f32 = (float)value;
    return c;
}
