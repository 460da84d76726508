/* Blocks of processes: they tile the domain, evenly, and the grid is the cheapest that fits. */
#include "comm/decomposition.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const int64_t any[3] = {0, 0, 0};
static const bool closed[3] = {false, false, false};

static wabe_decomposition make(const int64_t cells[3], const bool periodic[3],
                               const int64_t processes[3], int size) {
    wabe_decomposition d;
    if (wabe_decomposition_make(cells, periodic, NULL, processes, size, &d) != WABE_OK)
        fail_msg("%s", wabe_error_message());
    return d;
}

static void check_tiling(const wabe_decomposition *d, int size) {
    const int64_t *n = d->cells;
    char *seen = calloc((size_t)(n[0] * n[1] * n[2]), 1);
    for (int rank = 0; rank < size; rank++) {
        const wabe_box b = wabe_decomposition_block(d, rank);
        for (int axis = 0; axis < 3; axis++) {
            const int64_t least = n[axis] / d->processes[axis];
            assert_in_range(wabe_box_extent(b, axis), least,
                            least + (n[axis] % d->processes[axis] > 0));
        }
        for (int64_t z = b.begin[2]; z < b.end[2]; z++)
            for (int64_t y = b.begin[1]; y < b.end[1]; y++)
                for (int64_t x = b.begin[0]; x < b.end[0]; x++)
                    seen[x + n[0] * (y + n[1] * z)]++;
    }
    for (int64_t i = 0; i < n[0] * n[1] * n[2]; i++)
        assert_int_equal(seen[i], 1);
    free(seen);
}

static void blocks_tile_the_domain(void **state) {
    (void)state;
    static const int64_t cells[][3] = {{20, 18, 16}, {13, 7, 5}, {1, 1, 40}, {5, 40, 2}};
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
        for (int size = 1; size <= 40; size++) {
            wabe_decomposition d;
            const wabe_status status = wabe_decomposition_make(cells[i], closed, NULL, any, size,
                                                               &d);
            assert_true(status == WABE_OK || status == WABE_INPUT);
            if (status == WABE_OK) {
                assert_int_equal(d.processes[0] * d.processes[1] * d.processes[2], size);
                check_tiling(&d, size);
            }
        }
}

static void ranks_count_along_x_first(void **state) {
    (void)state;
    const int64_t cells[3] = {10, 9, 8}, grid[3] = {2, 3, 2};
    const wabe_decomposition d = make(cells, closed, grid, 12);
    const wabe_box b = wabe_decomposition_block(&d, 1 + 2 * (2 + 3 * 1));
    assert_memory_equal(b.begin, ((int64_t[3]){5, 6, 4}), sizeof b.begin);
    assert_memory_equal(b.end, cells, sizeof b.end);
}

static void expect_grid(const int64_t cells[3], const bool periodic[3], const int64_t asked[3],
                        int size, int x, int y, int z) {
    const wabe_decomposition d = make(cells, periodic, asked, size);
    assert_int_equal(d.processes[0], x);
    assert_int_equal(d.processes[1], y);
    assert_int_equal(d.processes[2], z);
}

static void chooses_the_cheapest_surface(void **state) {
    (void)state;
    const int64_t cube[3] = {64, 64, 64}, wide[3] = {1024, 16, 16}, flat[3] = {64, 64, 4};
    const int64_t long_rows[3] = {254, 126, 126};
    /* Among equals: along z, then y. */
    expect_grid(cube, closed, any, 1, 1, 1, 1);
    expect_grid(cube, closed, any, 2, 1, 1, 2);
    expect_grid(cube, closed, any, 4, 1, 2, 2);
    expect_grid(flat, closed, any, 4, 1, 4, 1);
    /* Faces normal to x count eight times: their cells lie apart in memory. */
    expect_grid(cube, closed, any, 8, 1, 2, 4);
    expect_grid(cube, closed, any, 512, 2, 16, 16);
    expect_grid(long_rows, closed, any, 2, 1, 1, 2);
    expect_grid(wide, closed, any, 8, 8, 1, 1);
    /* A periodic axis costs a face more when it is cut. */
    const bool periodic_z[3] = {false, false, true};
    expect_grid(cube, periodic_z, any, 2, 1, 2, 1);
    /* What is asked for is kept. */
    expect_grid(cube, closed, (const int64_t[3]){4, 0, 0}, 8, 4, 1, 2);
    expect_grid(cube, closed, (const int64_t[3]){8, 1, 1}, 8, 8, 1, 1);
    /* No more processes than cells. */
    expect_grid((const int64_t[3]){2, 2, 2}, closed, any, 8, 2, 2, 2);
}

static void refuses_what_does_not_fit(void **state) {
    (void)state;
    wabe_decomposition d;
    const int64_t cells[3] = {4, 4, 4};
    assert_int_equal(wabe_decomposition_make(cells, closed, NULL, any, 7, &d), WABE_INPUT);
    assert_int_equal(wabe_decomposition_make(cells, closed, NULL, any, 128, &d), WABE_INPUT);
    assert_int_equal(wabe_decomposition_make(cells, closed, NULL, (const int64_t[3]){3, 0, 0}, 8,
                                             &d),
                     WABE_INPUT);
    assert_non_null(strstr(wabe_error_message(), "[3, any, any]"));
    assert_int_equal(wabe_decomposition_make(cells, closed, NULL, (const int64_t[3]){1, 1, 8}, 8,
                                             &d),
                     WABE_INPUT);
    assert_int_equal(wabe_decomposition_make(cells, closed, NULL, (const int64_t[3]){2, 2, 1}, 8,
                                             &d),
                     WABE_INPUT);
}

/* Blocks begin at multiples of the grain. */
static void blocks_keep_the_grain(void **state) {
    const int64_t cells[3] = {32, 48, 1}, grain[3] = {8, 16, 1};
    wabe_decomposition d;
    (void)state;
    assert_int_equal(wabe_decomposition_make(cells, closed, grain, any, 6, &d), WABE_OK);
    for (int rank = 0; rank < 6; rank++) {
        const wabe_box b = wabe_decomposition_block(&d, rank);
        for (int axis = 0; axis < 3; axis++)
            assert_true(b.begin[axis] % grain[axis] == 0 && b.end[axis] % grain[axis] == 0 &&
                        b.end[axis] > b.begin[axis]);
    }
    assert_int_equal(wabe_decomposition_make(cells, closed, grain, any, 12, &d), WABE_OK);
    assert_int_equal(wabe_decomposition_make(cells, closed, grain, any, 16, &d), WABE_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_tile_the_domain),       cmocka_unit_test(ranks_count_along_x_first),
        cmocka_unit_test(chooses_the_cheapest_surface), cmocka_unit_test(refuses_what_does_not_fit),
        cmocka_unit_test(blocks_keep_the_grain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
