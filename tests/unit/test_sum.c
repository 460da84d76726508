/* Sums that do not depend on the order in which they are taken. */
#include "core/base/bins.h"
#include "core/base/sum.h"

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

/* Bins: values so far apart that plain sums would lose the small ones, in two orders. */
static void bins_know_no_order(void **state) {
    double up[WABE_BINS] = {0.0}, down[WABE_BINS] = {0.0};
    long double exact = 0.0L;
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        double rising = fabs(values[i]) / 16.0, falling = fabs(values[COUNT - 1 - i]) / 16.0;
        exact += (long double)rising;
        WABE_BINS_ADD(up, rising);
        WABE_BINS_ADD(down, falling);
    }
    assert_memory_equal(up, down, sizeof up);
    assert_true(fabsl((long double)wabe_bins_value(up) - exact) <=
                COUNT * 0x1p-68L + 2 * 0x1p-53L * exact);
}

/* 2^31 - 1 of the largest values stand in them already, one more is added exactly. */
static void bins_hold_as_many_values_as_stated(void **state) {
    static const double quanta[WABE_BINS] = {0x1p-21, 0x1p-44, 0x1p-67};
    double value = 2.0 - 0x1p-21 + 0x1p-22 - 0x1p-44 + 0x1p-45 - 0x1p-67, one[WABE_BINS] = {0.0};
    double bins[WABE_BINS], before[WABE_BINS];
    (void)state;
    double copy = value;
    WABE_BINS_ADD(one, copy);
    for (int i = 0; i < WABE_BINS; i++)
        before[i] = bins[i] = 0x7fffffff * one[i];
    copy = value;
    WABE_BINS_ADD(bins, copy);
    for (int i = 0; i < WABE_BINS; i++) {
        const int64_t sum = (int64_t)(bins[i] / quanta[i]);
        assert_true(sum == (int64_t)(before[i] / quanta[i]) + (int64_t)(one[i] / quanta[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_long_double),
        cmocka_unit_test(does_not_depend_on_order),
        cmocka_unit_test(bins_know_no_order),
        cmocka_unit_test(bins_hold_as_many_values_as_stated),
        cmocka_unit_test(small_and_large_values_cancel),
    };
    return cmocka_run_group_tests(tests, make_values, NULL);
}
