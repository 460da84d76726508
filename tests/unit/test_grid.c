/* How many time steps a pass over a slab of a grid does. */
#include "sweeps/cell/grid.h"
#include "sweeps/cell/stencil_attributes.h"
#include "sweeps/stencil/diffusion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <stdlib.h>
#include <cmocka.h>

static const wabe_stencil_attributes four_steps = {.depth = 4, .work = 0.2};
static const wabe_kernel deep = {.attributes = &four_steps};

/* Of 64^3 cells between walls along x and y. */
static wabe_grid_model model_of(bool periodic_z) {
    static const wabe_wall walls[6];
    return wabe_diffusion_model(WABE_TYPE_f64, (const int64_t[3]){64, 64, 64},
                                (const bool[3]){false, false, periodic_z}, walls, false, "");
}

static int depth_of(const wabe_kernel *kernel, bool periodic_z, int64_t planes) {
    const wabe_grid_model model = model_of(periodic_z);
    return wabe_grid_depth(kernel, &model, (const int64_t[3]){64, 64, planes});
}

static void slabs_without_neighbours_go_as_deep_as_kernels(void **state) {
    static const wabe_kernel shallow = {.name = "of single steps"};
    (void)state;
    assert_int_equal(depth_of(&deep, false, 64), 4);
    assert_int_equal(depth_of(&deep, true, 64), 4);
    assert_int_equal(depth_of(&shallow, true, 64), 1);
}

/* Ghosts are cells of the next slab; where there is none, there is no limit. */
static void ghosts_fit_the_next_slab(void **state) {
    (void)state;
    for (int64_t planes = 1; planes < 8; planes++) {
        const int64_t cells[3] = {64, 64, planes};
        const wabe_grid_model cut = model_of(false);
        wabe_grid_model flat = model_of(false), ring = model_of(true);
        flat.cells[2] = ring.cells[2] = planes;
        for (int depth = 1; depth < 8; depth++) {
            assert_int_equal(wabe_grid_fits(&cut, cells, depth) == WABE_OK, depth <= planes);
            assert_int_equal(wabe_grid_fits(&ring, cells, depth) == WABE_OK, depth <= planes);
            assert_int_equal(wabe_grid_fits(&flat, cells, depth), WABE_OK);
        }
        assert_true(depth_of(&deep, false, planes) <= planes);
    }
}

/* Computing layers twice must not cost more than the passes that are saved. */
static void thinner_slabs_do_not_go_deeper(void **state) {
    (void)state;
    int before = 1;
    for (int64_t planes = 1; planes < 64; planes++) {
        const int depth = depth_of(&deep, false, planes);
        assert_true(depth >= before);
        before = depth;
    }
}

/* Mirrored again and again, what one cell has between walls of fixed values 3 and 5 is the straight
 * line through them, also behind y walls of slope 0. */
static void thin_slabs_are_mirrored_in_turn(void **state) {
    (void)state;
    wabe_grid_args grid = {.cells = {1, 1, 1}};
    for (int side = 0; side < 6; side++)
        grid.sides[side] = WABE_SIDE_WALL;
    const wabe_grid_field field = {
        .faces = -1,
        .walls = {{-1.0, 6.0}, {-1.0, 10.0}, {1.0, 0.0}, {1.0, 0.0}, {1.0, 0.0}, {1.0, 0.0}}};
    for (int64_t at = -3; at <= 3; at++) {
        wabe_reflection image = wabe_reflection_of_nothing();
        assert_int_equal(wabe_grid_mirror(&grid, &field, 1, -2, &image), 0);
        assert_int_equal(wabe_grid_mirror(&grid, &field, 0, at, &image), 0);
        assert_true(image.factor * 4.0 + image.offset == 4.0 + 2.0 * (double)at);
    }
}

/* A vector's component across a mirror changes its sign, and that of a tensor with it once for each
 * of the two axes; what is mirrored twice is as it was. */
static void mirrors_turn_vectors_round(void **state) {
    (void)state;
    enum { ALONG, X, XY };
    wabe_grid_args grid = {.cells = {1, 1, 1}};
    wabe_grid_field field = {.faces = -1,
                             .odd = {{1u << X | 1u << XY, 1u << XY, 0}},
                             .walls = {{1.0, 0.0}, {1.0, 0.0}, {1.0, 0.0}, {1.0, 0.0}}};
    for (int side = 0; side < 6; side++)
        grid.sides[side] = WABE_SIDE_WALL;
    for (int x = -2; x <= 2; x++)
        for (int y = -2; y <= 2; y++) {
            wabe_reflection image = wabe_reflection_of_nothing();
            wabe_grid_mirror(&grid, &field, 0, x, &image);
            wabe_grid_mirror(&grid, &field, 1, y, &image);
            assert_true(wabe_reflection_is_plain(&image) && !wabe_reflection_is_odd(&image, ALONG));
            assert_true(wabe_reflection_is_odd(&image, X) == (x % 2 != 0));
            assert_true(wabe_reflection_is_odd(&image, XY) == ((x + y) % 2 != 0));
        }
}

static void ghosts_are_as_deep_as_passes(void **state) {
    (void)state;
    wabe_grid_model model = model_of(true);
    wabe_grid_plan plan = wabe_grid_plan_of(&model);
    assert_int_equal(wabe_grid_halo(&model), 1);
    assert_int_equal(plan.count, 1);
    assert_int_equal(plan.exchanges[0].fields[0].layers, 1);
    assert_false(plan.exchanges[0].fields[0].edges);
    model.depth = 3;
    plan = wabe_grid_plan_of(&model);
    assert_int_equal(wabe_grid_halo(&model), 3);
    assert_int_equal(plan.exchanges[0].fields[0].layers, 3);
    assert_true(plan.exchanges[0].fields[0].edges);
}

/* Every cell of the boxes is in one tile, and none is larger than asked for. */
static void tiles_cover_boxes_once(void **state) {
    enum { NX = 3, NY = 17, NZ = 11 };
    static int seen[NZ][NY][NX];
    wabe_grid_args grid = {.panel = 5, .chunk = 4, .box_count = 2};
    (void)state;
    grid.boxes[0] = (wabe_row_box){{0, 0, 0}, {NX, NY, 2}, 0, 0, 0};
    grid.boxes[1] =
        (wabe_row_box){{1, 3, 2}, {NX, NY, NZ}, 0, wabe_tiles_of(&grid, &grid.boxes[0]), 0};
    const int64_t tiles = grid.boxes[1].first_tile + wabe_tiles_of(&grid, &grid.boxes[1]);
    for (int64_t item = 0; item < tiles; item++) {
        const wabe_row_box t = wabe_tile_of(&grid, item);
        assert_true(t.end[1] - t.begin[1] <= grid.panel && t.end[2] - t.begin[2] <= grid.chunk);
        for (int64_t z = t.begin[2]; z < t.end[2]; z++)
            for (int64_t y = t.begin[1]; y < t.end[1]; y++)
                for (int64_t x = t.begin[0]; x < t.end[0]; x++)
                    seen[z][y][x]++;
    }
    for (int z = 0; z < NZ; z++)
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++)
                assert_int_equal(seen[z][y][x], z < 2 || (y >= 3 && x >= 1));
}

/* Of a diffusion in f32, four steps a call. */
static wabe_grid_model streamed_model(const int64_t cells[3], int64_t memory, int steps) {
    static const wabe_wall walls[6];
    wabe_grid_model model = wabe_diffusion_model(WABE_TYPE_f32, cells,
                                                 (const bool[3]){false, false, false}, walls, false,
                                                 "");
    model.depth = 4;
    model.residency = (wabe_grid_residency){memory, steps};
    return model;
}

/* The message about too little memory says how much would do. */
static void least_windows_are_enough(void **state) {
    (void)state;
    for (int64_t edge = 64; edge <= 8192; edge *= 2) {
        const int64_t cells[3] = {edge, edge, 500}, unit = 2 << 20;
        wabe_grid_pass_plan plan, least;
        wabe_grid_model model = streamed_model(cells, 1, 0);
        assert_int_equal(wabe_grid_plan_passes(unit, &model, cells, &plan), WABE_MEMORY);
        model.residency.memory = plan.least;
        assert_int_equal(wabe_grid_plan_passes(unit, &model, cells, &least), WABE_OK);
        assert_true(wabe_ring_bytes(&least.ring) <= plan.least && least.steps_per_pass >= 4);
    }
}

/* Levels leave room for calls of so many planes that little is computed twice at their ends. */
static void calls_of_wide_domains_have_many_planes(void **state) {
    (void)state;
    for (int64_t edge = 1024; edge <= 8192; edge *= 2) {
        const int64_t cells[3] = {edge, edge, 2000};
        wabe_grid_pass_plan plan;
        const wabe_grid_model model = streamed_model(cells, (int64_t)78e9, 0);
        assert_int_equal(wabe_grid_plan_passes(2 << 20, &model, cells, &plan), WABE_OK);
        assert_true(plan.advance >= 4 * plan.reach && plan.steps_per_pass >= 4 * 10);
    }
}

/* A step that runs a sweep so many times. */
static wabe_grid_model repeated(int times) {
    wabe_grid_model model = model_of(true);
    for (int i = 0; i < times && i < WABE_GRID_ENTRIES_MAX; i++)
        model.entries[i] = model.entries[0];
    model.entry_count = times;
    return model;
}

/* Each run has an exchange, which the next one awaits, the first one that of the step before; more
 * than can be planned are refused. */
static void steps_have_as_many_exchanges_as_sweeps(void **state) {
    const wabe_grid_model most = repeated(WABE_EXCHANGES_MAX),
                          more = repeated(WABE_EXCHANGES_MAX + 1);
    const wabe_grid_model entries = repeated(WABE_GRID_ENTRIES_MAX + 1);
    const wabe_grid_plan plan = wabe_grid_plan_of(&most);
    (void)state;
    assert_int_equal(wabe_grid_check(&most), WABE_OK);
    assert_int_equal(plan.count, WABE_EXCHANGES_MAX);
    for (int i = 0; i < WABE_EXCHANGES_MAX; i++) {
        const int before = (i + WABE_EXCHANGES_MAX - 1) % WABE_EXCHANGES_MAX;
        assert_int_equal(plan.begins[i], i);
        assert_true(plan.awaits[i] >> before & 1);
        assert_false(plan.awaits[i] >> i & 1);
    }
    assert_int_equal(wabe_grid_plan_of(&more).count, WABE_EXCHANGES_MAX);
    assert_int_equal(wabe_grid_check(&more), WABE_INPUT);
    assert_non_null(strstr(wabe_error_message(), "sweeps"));
    assert_int_equal(wabe_grid_check(&entries), WABE_INPUT);
    assert_non_null(strstr(wabe_error_message(), "entries"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slabs_without_neighbours_go_as_deep_as_kernels),
        cmocka_unit_test(ghosts_fit_the_next_slab),
        cmocka_unit_test(thinner_slabs_do_not_go_deeper),
        cmocka_unit_test(thin_slabs_are_mirrored_in_turn),
        cmocka_unit_test(mirrors_turn_vectors_round),
        cmocka_unit_test(ghosts_are_as_deep_as_passes),
        cmocka_unit_test(tiles_cover_boxes_once),
        cmocka_unit_test(least_windows_are_enough),
        cmocka_unit_test(calls_of_wide_domains_have_many_planes),
        cmocka_unit_test(steps_have_as_many_exchanges_as_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
