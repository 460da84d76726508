/* Generated cities: streets and buildings lie where they should, heights have the distribution that
 * was asked for and depend on the seed alone; what has no streets, no room, or is too high is
 * refused. */
#include "apps/geometry/city.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { PITCH = 10, NX = 20 + 40 * PITCH, NZ = 25 * PITCH + 3, LOTS = 40 * 25 };

/* A city with up = y behind 20 cells without buildings, on ground 3 cells high. */
static wabe_city_plan plan_of(void) {
    return (wabe_city_plan){.low = {20, 3, 0},
                            .high = {NX, 1000, NZ},
                            .pitch = PITCH,
                            .share = 0.36,
                            .height = 20.0,
                            .sigma = 0.5,
                            .seed = 6};
}

static wabe_heights make(const wabe_city_plan *plan, const wabe_heights *ground,
                         wabe_city_report *report) {
    wabe_heights h = {.up = 1, .cells = {NX, 1000, NZ}};
    if (wabe_city_make(plan, ground, &h, report) != WABE_OK)
        fail_msg("%s", wabe_error_message());
    return h;
}

/* Buildings of 6 x 6 cells with 2 cells of street on each side. */
static void buildings_stand_between_streets(void **state) {
    (void)state;
    wabe_city_report report;
    const wabe_city_plan plan = plan_of();
    wabe_heights h = make(&plan, NULL, &report);
    for (int z = 0; z < NZ; z++)
        for (int x = 0; x < NX; x++) {
            const int u = x - 20, i = u / PITCH, j = z / PITCH;
            const bool built = u >= 0 && u % PITCH >= 2 && u % PITCH < 8 && z % PITCH >= 2 &&
                               z % PITCH < 8 && j < 25;
            const float height = h.heights[x + NX * z];
            if (built)
                assert_true(height >= 4.0f && height == floorf(height) &&
                            height == h.heights[20 + i * PITCH + 5 + NX * (j * PITCH + 5)]);
            else
                assert_true(height == 0.0f);
        }
    assert_int_equal(report.buildings, LOTS);
    assert_int_equal(report.towers, 0);
    assert_true(fabs(report.share - 0.36 * 250.0 / NZ) < 1e-9);
    assert_true(h.high == 3.0 + report.highest);
    wabe_heights_free(&h);
}

static void heights_have_their_distribution(void **state) {
    (void)state;
    wabe_city_report report;
    wabe_city_plan plan = plan_of();
    plan.towers = 0.1;
    plan.tower_height = 500.0;
    wabe_heights h = make(&plan, NULL, &report);
    double sum = 0.0, logs = 0.0, squares = 0.0;
    for (int j = 0; j < 25; j++)
        for (int i = 0; i < 40; i++) {
            const double height = h.heights[25 + i * PITCH + NX * (j * PITCH + 5)] - 3.0;
            if (height == 500.0)
                continue;
            sum += height;
            logs += log(height);
            squares += log(height) * log(height);
        }
    const double n = (double)report.buildings, mean = logs / n;
    assert_int_equal(report.buildings + report.towers, LOTS);
    assert_true(fabs((double)report.towers - 100.0) <
                30.0); /* three standard deviations, as below */
    assert_true(fabs(sum / n - 20.0) < 3.0 * 20.0 * 0.53 / sqrt(n));
    assert_true(fabs(sqrt(squares / n - mean * mean) - 0.5) < 3.0 * 0.5 / sqrt(2.0 * n) + 0.005);
    wabe_heights_free(&h);
}

static void the_seed_decides(void **state) {
    (void)state;
    wabe_city_report report;
    wabe_city_plan plan = plan_of();
    const size_t bytes = (size_t)NX * NZ * sizeof(float);
    wabe_heights a = make(&plan, NULL, &report), b = make(&plan, NULL, &report);
    plan.seed++;
    wabe_heights c = make(&plan, NULL, &report);
    assert_memory_equal(a.heights, b.heights, bytes);
    assert_memory_not_equal(a.heights, c.heights, bytes);
    wabe_heights_free(&a);
    wabe_heights_free(&b);
    wabe_heights_free(&c);
}

static void buildings_stand_on_the_terrain(void **state) {
    (void)state;
    static float slope[NX * NZ];
    wabe_city_report report;
    wabe_city_plan plan = plan_of();
    const wabe_heights ground = {.up = 1, .cells = {NX, 1000, NZ}, .heights = slope};
    plan.sigma = 0.0;
    for (int z = 0; z < NZ; z++)
        for (int x = 0; x < NX; x++)
            slope[x + NX * z] = 0.25f * (float)x + 0.125f * (float)z;
    wabe_heights h = make(&plan, &ground, &report);
    for (int j = 0; j < 25; j++)
        for (int i = 0; i < 40; i++) {
            const int x = 25 + i * PITCH, z = j * PITCH + 5;
            assert_true(h.heights[x - 2 + NX * (z + 2)] == 23.0f + slope[x + NX * z]);
        }
    wabe_heights_free(&h);
}

static void refuse(const wabe_city_plan *plan, const char *reason) {
    wabe_city_report report;
    wabe_heights h = {.up = 1, .cells = {NX, 1000, NZ}};
    assert_int_equal(wabe_city_make(plan, NULL, &h, &report), WABE_INPUT);
    assert_null(h.heights);
    if (!strstr(wabe_error_message(), reason))
        fail_msg("\"%s\" lacks \"%s\"", wabe_error_message(), reason);
}

static void impossible_cities_are_refused(void **state) {
    (void)state;
    wabe_city_plan plan = plan_of();
    plan.share = 1.0;
    refuse(&plan, "streets are 0 cells wide and buildings 10");
    plan.share = 0.01;
    refuse(&plan, "buildings 1; both have to have two cells at least");
    plan = plan_of();
    plan.high[0] = 29.0;
    refuse(&plan, "extends from 20 to 29 cells along x, which is less than a pitch of 10");
    plan = plan_of();
    plan.sigma = 0.0;
    plan.high[1] = 22.0;
    refuse(&plan, "a building at x = 25, z = 5 is 20 cells high, and reaches to 23 cells along y; "
                  "there is room up to 22");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buildings_stand_between_streets),
        cmocka_unit_test(heights_have_their_distribution),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(buildings_stand_on_the_terrain),
        cmocka_unit_test(impossible_cities_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
