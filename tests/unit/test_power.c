/* Powers of cell functions (sweeps/cell/stencil_math.h) against libm's. */
#ifndef WABE_STORE_F32
#define WABE_STORE_F64
#endif
#include "kernels_gpu/stencil_cell.h"
#include "sweeps/cell/stencil_math.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static long double unit_of(long double right) {
#ifdef WABE_STORE_F32
    return (long double)nextafterf((float)fabsl(right), INFINITY) - (float)fabsl(right);
#else
    return (long double)nextafter((double)fabsl(right), INFINITY) - (double)fabsl(right);
#endif
}

/* Within five units in the last place of what long double says, from tiny shares to the largest
 * ones, on both sides of 0. */
static void test_power_less_one(void **state) {
    static const double exponents[] = {1004.0 / 717.0, 287.0 / 1004.0, 2.0, 1.0, -0.5, -2.0};
    (void)state;
    for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; i++)
        for (int k = -4000; k <= 4000; k++) {
            const double share = 0.5 * (double)k / 4000.0 * fabs((double)k / 4000.0);
            const wabe_real x = (wabe_real)share, a = (wabe_real)exponents[i];
            const long double right = expm1l((long double)a * log1pl((long double)x));
            const wabe_real value = wabe_power_less_one(x, a);
            assert_true(fabsl((long double)value - right) <= 5.0L * unit_of(right));
        }
    assert_true(wabe_power_less_one((wabe_real)0.0, (wabe_real)1.4) == (wabe_real)0.0);
}

/* Within two units, over the whole range, and near 1, where the logarithm is small. */
static void test_log2(void **state) {
    (void)state;
    for (int k = -4000; k <= 4000; k++) {
        const wabe_real wide = (wabe_real)exp2((double)k / 4001.0 * (WABE_BIAS - 1));
        const wabe_real close = (wabe_real)(1.0 + 0.4 * pow((double)k / 4000.0, 5.0));
        const wabe_real values[] = {wide, close};
        for (int i = 0; i < 2; i++) {
            const long double right = log2l((long double)values[i]);
            const wabe_real value = wabe_log2(values[i]);
            assert_true(fabsl((long double)value - right) <= 2.0L * unit_of(right));
        }
    }
    assert_true(wabe_log2((wabe_real)0.0) == (wabe_real)(1 - WABE_BIAS));
}

static void test_exp2(void **state) {
    (void)state;
    for (int k = -4000; k <= 4000; k++) {
        const wabe_real y = (wabe_real)((double)k / 4000.0 * (WABE_BIAS - 1));
        const long double right = exp2l((long double)y);
        assert_true(fabsl((long double)wabe_exp2(y) - right) <= 2.0L * unit_of(right));
    }
    for (int k = 1 - WABE_BIAS; k <= WABE_BIAS; k++)
        assert_true(wabe_exp2((wabe_real)k) == (wabe_real)ldexp(1.0, k));
    assert_true(wabe_exp2((wabe_real)1e6) == (wabe_real)ldexp(1.0, WABE_BIAS));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_power_less_one),
                                       cmocka_unit_test(test_log2), cmocka_unit_test(test_exp2)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
