/* Tables: values between, before and after rows, in periods, and means. */
#include "core/io/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static double rows[][2] = {{1.0, 2.0}, {3.0, -2.0}, {4.0, 5.0}, {9.0, 2.0}};

/* The mean by many samples, each in the middle of its part. */
static double sampled_mean(const wabe_table *t, double from, double to) {
    enum { SAMPLES = 200000 };
    double sum = 0.0;
    for (int i = 0; i < SAMPLES; i++)
        sum += wabe_table_at(t, from + (to - from) * (i + 0.5) / SAMPLES);
    return sum / SAMPLES;
}

static void values_are_linear_between_rows(void **state) {
    (void)state;
    const wabe_table once = {.count = 4, .rows = rows};
    const wabe_table again = {.count = 4, .rows = rows, .periodic = true};
    assert_true(wabe_table_at(NULL, 7.0) == 1.0 && wabe_table_most(NULL) == 1.0);
    assert_true(wabe_table_at(&once, -5.0) == 2.0 && wabe_table_at(&once, 100.0) == 2.0);
    assert_true(wabe_table_at(&once, 2.0) == 0.0 && wabe_table_at(&once, 4.0) == 5.0);
    assert_true(wabe_table_most(&once) == 5.0);
    for (int period = -3; period < 4; period++) {
        assert_true(wabe_table_at(&again, 2.0 + 8.0 * period) == 0.0);
        assert_true(wabe_table_at(&again, 9.0 + 8.0 * period) == 2.0);
    }
    assert_true(wabe_table_at(&again, 8e15 + 3.0) == -2.0);
}

static void means_are_those_of_the_values(void **state) {
    (void)state;
    static const double ends[][2] = {
        {-7.0, 0.5}, {-2.0, 2.5}, {1.5, 3.5}, {0.0, 40.0}, {10.0, 11.0}};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        for (int periodic = 0; periodic < 2; periodic++) {
            const wabe_table t = {.count = 4, .rows = rows, .periodic = periodic};
            const double mean = wabe_table_mean(&t, ends[i][0], ends[i][1]);
            assert_true(fabs(mean - sampled_mean(&t, ends[i][0], ends[i][1])) < 1e-6);
        }
    /* 1000 periods, of an area of 0 + 1.5 + 17.5 each. */
    const wabe_table again = {.count = 4, .rows = rows, .periodic = true};
    assert_true(fabs(wabe_table_mean(&again, 0.0, 8000.0) - 19.0 / 8.0) < 1e-12);
    assert_true(wabe_table_mean(NULL, 0.0, 1.0) == 1.0);
}

static void write_file(const char *text) {
    FILE *file = fopen("rows.csv", "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void files_are_read_or_refused(void **state) {
    (void)state;
    wabe_table t;
    write_file("# measured\ntime, factor\n 0, 1\n\n2.5,-3e-1\n");
    assert_int_equal(wabe_table_read("rows.csv", "time, factor", &t), WABE_OK);
    assert_true(t.count == 2 && t.rows[1][0] == 2.5 && t.rows[1][1] == -0.3 && !t.periodic);
    wabe_table_free(&t);
    static const char *const bad[] = {
        "",         "time, factor\n",      "0\n", "0, 1, 2\n", "0, 1\n0, 2\n",
        "0, inf\n", "0, 1\ntime, factor\n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        write_file(bad[i]);
        assert_int_equal(wabe_table_read("rows.csv", "time, factor", &t), WABE_INPUT);
    }
    assert_int_equal(wabe_table_read("none.csv", "time, factor", &t), WABE_FILE);
    remove("rows.csv");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_linear_between_rows),
                                       cmocka_unit_test(means_are_those_of_the_values),
                                       cmocka_unit_test(files_are_read_or_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
