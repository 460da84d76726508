/* Sums that do not depend on the order in which they are taken. */
#include "core/sum.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { COUNT = 100000 };

static double values[COUNT];

/* Values of all sizes and both signs; splitmix64. */
static int make_values(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < COUNT; i++) {
        uint64_t v = seed += 0x9e3779b97f4a7c15u;
        v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
        v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
        v ^= v >> 31;
        values[i] = ldexp((double)(v >> 11) * 0x1p-53 - 0.5, (int)(v & 31) - 27);
    }
    return 0;
}

static wabe_sum sum_of(int begin, int end) {
    wabe_sum sum = {0};
    for (int i = begin; i < end; i++)
        wabe_sum_add(&sum, values[i]);
    return sum;
}

/* Each value is rounded to a multiple of 2^-60, the sum twice. */
static void agrees_with_long_double(void **state) {
    (void)state;
    long double exact = 0.0L;
    for (int i = 0; i < COUNT; i++)
        exact += values[i];
    const double found = wabe_sum_value(sum_of(0, COUNT));
    assert_true(fabsl(found - exact) <= COUNT * 0x1p-61L + 2 * 0x1p-53L * fabsl(exact));
}

/* Merged in any order and from parts of any size. */
static void does_not_depend_on_order(void **state) {
    (void)state;
    const double whole = wabe_sum_value(sum_of(0, COUNT));
    wabe_sum backwards = {0};
    for (int i = COUNT - 1; i >= 0; i--)
        wabe_sum_add(&backwards, values[i]);
    assert_true(wabe_sum_value(backwards) == whole);
    for (int parts = 2; parts < 40; parts += 7) {
        wabe_sum merged = {0};
        for (int p = parts - 1; p >= 0; p--) {
            const wabe_sum part = sum_of(COUNT / parts * p,
                                         p + 1 == parts ? COUNT : COUNT / parts * (p + 1));
            wabe_sum_merge(&merged, &part);
        }
        assert_true(wabe_sum_value(merged) == whole);
    }
}

static void small_and_large_values_cancel(void **state) {
    (void)state;
    wabe_sum sum = {0};
    assert_true(wabe_sum_value(sum) == 0.0);
    for (int i = 0; i < 1000; i++)
        wabe_sum_add(&sum, 7.9);
    wabe_sum_add(&sum, 0x1p-58);
    for (int i = 0; i < 1000; i++)
        wabe_sum_add(&sum, -7.9);
    assert_true(wabe_sum_value(sum) == 0x1p-58);
    wabe_sum_add(&sum, -0x1p-57);
    assert_true(wabe_sum_value(sum) == -0x1p-58);
    const double extremes[] = {-7.999999999, -4.0, -0x1p-60, 0x1p-60, 1.0 / 3.0, 7.999999999};
    for (size_t i = 0; i < sizeof extremes / sizeof extremes[0]; i++) {
        wabe_sum one = {0};
        wabe_sum_add(&one, extremes[i]);
        assert_true(fabs(wabe_sum_value(one) - extremes[i]) <= 0x1p-61);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_long_double),
        cmocka_unit_test(does_not_depend_on_order),
        cmocka_unit_test(small_and_large_values_cancel),
    };
    return cmocka_run_group_tests(tests, make_values, NULL);
}
