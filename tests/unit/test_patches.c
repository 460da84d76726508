/* Patches that depend on time: those of each step are what constant conditions of that step's
 * velocity and density would have, in whatever order steps are asked for. Tables are looked up in
 * the middle of a step. */
#include "sweeps/lattice/patches.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { LID = WABE_FACES - 1, CONDITIONS = WABE_FACES };

static wabe_geometry geometry_of(wabe_condition conditions[CONDITIONS]) {
    memset(conditions, 0, CONDITIONS * sizeof *conditions);
    for (int k = 0; k < CONDITIONS; k++)
        conditions[k].kind = WABE_BOUNDARY_no_slip;
    conditions[0] = (wabe_condition){.kind = WABE_BOUNDARY_pressure, .density = 0.02};
    conditions[LID] = (wabe_condition){.kind = WABE_BOUNDARY_moving_wall,
                                       .velocity = {0.05, -0.025, 0.0}};
    return (wabe_geometry){.condition_count = CONDITIONS, .conditions = conditions};
}

/* The patches of a step, brought into memory if they are not there. */
static const wabe_patch *patches_in(wabe_patches *p, int64_t step) {
    if (!wabe_patches_have(p, step))
        wabe_patches_load(p, NULL, step);
    return wabe_patches_of(p, step);
}

/* Of a lattice with a scalar, whose part of a patch is not linear in the velocity. */
static void assert_factors(wabe_patches *p, int64_t step, double pressure, double speed) {
    wabe_condition conditions[CONDITIONS];
    const wabe_geometry geometry = geometry_of(conditions);
    conditions[0].density *= pressure;
    for (int d = 0; d < 3; d++)
        conditions[LID].velocity[d] *= speed;
    wabe_patches constant;
    assert_int_equal(wabe_patches_create(WABE_LATTICE_d3q19_d3q7, &geometry, &constant), WABE_OK);
    assert_false(wabe_patches_change(&constant, step));
    const wabe_patch *found = patches_in(p, step), *wanted = wabe_patches_of(&constant, step);
    for (int row = 0; row < constant.count; row++)
        for (int q = 0; q < WABE_Q_MAX; q++)
            assert_true(fabs(found[row].term[q] - wanted[row].term[q]) < 1e-15);
    wabe_patches_destroy(&constant);
}

/* Walls move at (1 - cos(pi t / ramp)) / 2 of their velocity, t in the middle of a step; pressures
 * are as given. After the ramp all steps have the same patches. */
static void walls_speed_up(void **state) {
    (void)state;
    static const int64_t ramps[] = {1, 10, 256, 3000};
    for (size_t i = 0; i < sizeof ramps / sizeof ramps[0]; i++) {
        wabe_condition conditions[CONDITIONS];
        wabe_geometry geometry = geometry_of(conditions);
        geometry.ramp = ramps[i];
        wabe_patches p;
        assert_int_equal(wabe_patches_create(WABE_LATTICE_d3q19_d3q7, &geometry, &p), WABE_OK);
        for (int64_t step = 0; step < 2 * geometry.ramp; step++) {
            const double part = ((double)step + 0.5) / (double)geometry.ramp;
            const double speed = step < geometry.ramp ? 0.5 * (1.0 - cos(acos(-1.0) * part)) : 1.0;
            const wabe_patch *lid = &patches_in(&p, step)[1 + LID];
            assert_true(fabs(lid->term[1] - speed * p.rows[1 + LID].term[1]) < 1e-13);
            assert_true(patches_in(&p, step)[1].term[1] == p.rows[1].term[1]);
        }
        assert_ptr_equal(patches_in(&p, geometry.ramp), p.rows);
        assert_ptr_equal(patches_in(&p, geometry.ramp + 1000000), p.rows);
        wabe_patches_destroy(&p);
    }
}

/* Each condition has a table of its own; steps are asked for in any order, as passes and restarts
 * do. */
static void tables_set_the_factors(void **state) {
    (void)state;
    double once[][2] = {{10.0, 0.0}, {20.0, 1.0}, {500.0, -2.0}};
    double again[][2] = {{0.0, 1.0}, {2.5, 0.5}, {7.5, -1.5}, {10.0, 1.0}};
    const wabe_table pressure = {.count = 3, .rows = once};
    const wabe_table speed = {.count = 4, .rows = again, .periodic = true};
    wabe_condition conditions[CONDITIONS];
    const wabe_geometry geometry = geometry_of(conditions);
    conditions[0].in_time = &pressure;
    conditions[LID].in_time = &speed;
    wabe_patches p;
    assert_int_equal(wabe_patches_create(WABE_LATTICE_d3q19_d3q7, &geometry, &p), WABE_OK);
    assert_factors(&p, 0, 0.0, 0.9);
    assert_factors(&p, 14, 0.45, -0.3);
    assert_factors(&p, 19, 0.95, 0.5);
    assert_factors(&p, 259, 1.0 - 3.0 * 239.5 / 480.0, 0.5);
    assert_factors(&p, 1004, -2.0, -0.3);
    assert_factors(&p, 1000003, -2.0, 0.1);
    assert_factors(&p, 1, 0.0, 0.7);
    assert_factors(&p, 255, 1.0 - 3.0 * 235.5 / 480.0, -0.7);
    wabe_patches_destroy(&p);
}

/* Patches of steps in memory stay where and what they are when later ones are brought. */
static void passes_keep_their_patches(void **state) {
    (void)state;
    wabe_condition conditions[CONDITIONS];
    wabe_geometry geometry = geometry_of(conditions);
    geometry.ramp = 5000;
    wabe_patches p;
    assert_int_equal(wabe_patches_create(WABE_LATTICE_d3q19, &geometry, &p), WABE_OK);
    wabe_patches_load(&p, NULL, 0);
    const wabe_patch *before = wabe_patches_of(&p, 200);
    const double term = before[1 + LID].term[1];
    assert_false(wabe_patches_have(&p, WABE_PATCH_STEPS_MAX));
    wabe_patches_load(&p, NULL, 200);
    assert_true(wabe_patches_have(&p, 200 + WABE_PATCH_STEPS_MAX - 1));
    assert_ptr_equal(wabe_patches_of(&p, 200), before);
    assert_true(before[1 + LID].term[1] == term && term != 0.0);
    wabe_patches_destroy(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(walls_speed_up),
                                       cmocka_unit_test(tables_set_the_factors),
                                       cmocka_unit_test(passes_keep_their_patches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
