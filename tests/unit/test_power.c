/* Powers of cell functions (sweeps/cell/stencil_math.h) against libm's. */
#define WABE_STORE_F64
#include "kernels_gpu/stencil_cell.h"
#include "sweeps/cell/stencil_math.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Within five units in the last place of what long double says, from tiny shares to the largest
 * ones, on both sides of 0. */
static void test_power_less_one(void **state) {
    static const double exponents[] = {1004.0 / 717.0, 287.0 / 1004.0, 2.0, 1.0, -0.5, -2.0};
    (void)state;
    for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; i++)
        for (int k = -4000; k <= 4000; k++) {
            const double x = 0.5 * (double)k / 4000.0 * fabs((double)k / 4000.0), a = exponents[i];
            const long double right = expm1l((long double)a * log1pl((long double)x));
            const double value = wabe_power_less_one(x, a);
            const double ulp = nextafter(fabs((double)right), INFINITY) - fabs((double)right);
            assert_true(fabsl((long double)value - right) <= 5.0L * (long double)ulp);
        }
    assert_true(wabe_power_less_one(0.0, 1.4) == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_power_less_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
