/* Eddies at the start, and the mean flow of a channel: what their headers promise. */
#include "apps/lbm/channel.h"
#include "apps/lbm/perturbation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NONE = 3 }; /* no axis */

static wabe_condition conditions[WABE_FACES];

static wabe_geometry domain(int64_t nx, int64_t ny, int64_t nz, int walls) {
    wabe_geometry g = {.cells = {nx, ny, nz},
                       .condition_count = WABE_FACES,
                       .conditions = conditions};
    for (int face = 0; face < WABE_FACES; face++)
        conditions[face].kind = face / 2 == walls ? WABE_BOUNDARY_no_slip : WABE_BOUNDARY_periodic;
    return g;
}

static wabe_perturbation *make(const wabe_geometry *g, double length, int64_t seed) {
    const wabe_perturbation_options o = {.velocity = 0.01, .length = length, .seed = seed};
    wabe_perturbation *p;
    assert_int_equal(wabe_perturbation_make(NULL, &o, g, &p), WABE_OK);
    return p;
}

static void velocity(const wabe_perturbation *p, int64_t x, int64_t y, int64_t z, double u[3]) {
    memset(u, 0, 3 * sizeof *u);
    wabe_perturbation_add(p, (const int64_t[3]){x, y, z}, u);
}

/* Root mean squares of the components, and of a gradient and the divergence by central differences,
 * cells beside walls aside. */
typedef struct {
    double component[3], gradient, divergence, mean[3];
} numbers;

static numbers measure(const wabe_perturbation *p, const wabe_geometry *g, int walls) {
    numbers n = {{0}, 0.0, 0.0, {0}};
    const double all = (double)(g->cells[0] * g->cells[1] * g->cells[2]);
    for (int64_t i = 0; i < g->cells[0] * g->cells[1] * g->cells[2]; i++) {
        const int64_t at[3] = {i % g->cells[0], i / g->cells[0] % g->cells[1],
                               i / g->cells[0] / g->cells[1]};
        double u[3], divergence = 0.0;
        velocity(p, at[0], at[1], at[2], u);
        for (int d = 0; d < 3; d++) {
            double low[3], high[3];
            n.component[d] += u[d] * u[d] / all;
            n.mean[d] += u[d] / all;
            velocity(p, at[0] - (d == 0), at[1] - (d == 1), at[2] - (d == 2), low);
            velocity(p, at[0] + (d == 0), at[1] + (d == 1), at[2] + (d == 2), high);
            divergence += 0.5 * (high[d] - low[d]);
            n.gradient += 0.25 * (high[d] - low[d]) * (high[d] - low[d]) / all;
        }
        if (walls == NONE || (at[walls] > 0 && at[walls] < g->cells[walls] - 1))
            n.divergence += divergence * divergence / all;
    }
    n.gradient = sqrt(n.gradient);
    n.divergence = sqrt(n.divergence);
    return n;
}

static void eddies_have_their_velocity_and_no_divergence(void **state) {
    (void)state;
    const struct {
        int64_t n[3];
        int walls;
        double length;
    } cases[] = {{{48, 40, 36}, NONE, 6.0},
                 {{96, 48, 32}, 2, 12.0},
                 {{30, 64, 20}, 1, 8.0},
                 {{64, 80, 1}, NONE, 8.0},
                 {{16, 12, 14}, 0, 5.0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const wabe_geometry g = domain(cases[k].n[0], cases[k].n[1], cases[k].n[2], cases[k].walls);
        wabe_perturbation *p = make(&g, cases[k].length, 3);
        const numbers n = measure(p, &g, cases[k].walls);
        double square = 0.0;
        for (int d = 0; d < 3; d++) {
            square += n.component[d];
            assert_true(fabs(n.mean[d]) < 0.03 * 0.01);
        }
        const double rms = sqrt(square / (g.cells[2] == 1 ? 2.0 : 3.0));
        assert_true(fabs(rms / 0.01 - 1.0) < 0.02);
        assert_true(g.cells[2] > 1 || n.component[2] == 0.0);
        assert_true(n.gradient > 1e-3 && n.divergence < 1e-9 * n.gradient);
        wabe_perturbation_free(&p);
    }
}

/* Towards a wall the velocity falls, that through it with the square of the distance. */
static void eddies_vanish_at_walls(void **state) {
    (void)state;
    const wabe_geometry g = domain(64, 48, 64, 2);
    wabe_perturbation *p = make(&g, 24.0, 1);
    double square[2][3] = {{0}};
    for (int64_t i = 0; i < 64 * 48; i++)
        for (int middle = 0; middle < 2; middle++) {
            double u[3];
            velocity(p, i % 64, i / 64, middle ? 32 : 0, u);
            for (int d = 0; d < 3; d++)
                square[middle][d] += u[d] * u[d];
        }
    assert_true(square[0][0] + square[0][1] < 0.05 * (square[1][0] + square[1][1]));
    assert_true(square[0][2] < 1e-3 * square[1][2]);
    wabe_perturbation_free(&p);
}

static void eddies_repeat_and_depend_on_the_seed(void **state) {
    (void)state;
    const wabe_geometry g = domain(32, 24, 40, 2);
    wabe_perturbation *p = make(&g, 8.0, 1), *same = make(&g, 8.0, 1), *other = make(&g, 8.0, 2);
    double u[3], v[3], w[3], across[3];
    velocity(p, 3, 5, 7, u);
    velocity(same, 3, 5, 7, v);
    velocity(other, 3, 5, 7, w);
    velocity(p, 3 - 32, 5 + 24, 7, across);
    assert_memory_equal(u, v, sizeof u);
    assert_memory_equal(u, across, sizeof u);
    assert_true(fabs(u[0] - w[0]) > 1e-6);
    wabe_perturbation_free(&p);
    wabe_perturbation_free(&same);
    wabe_perturbation_free(&other);
}

/* By the mean velocity, and by the force; Re_tau 180 has a mean of 15.7 friction velocities and a
 * maximum of 18.3 (Moser, Kim and Mansour 1999). */
static void channel_has_its_mean(void **state) {
    (void)state;
    const wabe_geometry g = domain(8, 8, 400, 2);
    const double still[3] = {0}, force[3] = {0.0, 2e-7, 0.0};
    wabe_channel by_force, by_mean;
    const double friction = sqrt(2e-7 * 200.0), viscosity = friction * 200.0 / 178.12;
    assert_int_equal(wabe_channel_make(NULL, &g, still, force, viscosity, &by_force), WABE_OK);
    assert_true(fabs(by_force.friction - friction) <= 0x1p-40 /* rounded, for all processors */);
    assert_true(fabs(by_force.bulk / friction / 15.7 - 1.0) < 0.03);
    assert_true(fabs(wabe_channel_speed(&by_force, 200) / friction / 18.3 - 1.0) < 0.03);
    assert_true(wabe_channel_speed(&by_force, 3) == wabe_channel_speed(&by_force, 396));
    assert_true(by_force.direction[1] == 1.0 && by_force.direction[0] == 0.0);
    const double mean[3] = {-by_force.bulk, 0.0, 0.0};
    assert_int_equal(wabe_channel_make(NULL, &g, mean, force, viscosity, &by_mean), WABE_OK);
    assert_true(fabs(by_mean.friction / friction - 1.0) < 1e-9 && by_mean.direction[0] == -1.0);
}

/* Over one wall, to a free surface, the flow is the lower half. */
static void one_wall_has_half_a_channel(void **state) {
    (void)state;
    const double still[3] = {0}, force[3] = {1e-6, 0.0, 0.0};
    wabe_channel whole, half;
    wabe_geometry g = domain(8, 8, 60, 2);
    assert_int_equal(wabe_channel_make(NULL, &g, still, force, 1e-3, &whole), WABE_OK);
    g.cells[2] = 30;
    conditions[5].kind = WABE_BOUNDARY_free_slip;
    assert_int_equal(wabe_channel_make(NULL, &g, still, force, 1e-3, &half), WABE_OK);
    for (int64_t z = 0; z < 30; z++)
        assert_true(wabe_channel_speed(&whole, z) == wabe_channel_speed(&half, z));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eddies_have_their_velocity_and_no_divergence),
        cmocka_unit_test(eddies_vanish_at_walls),
        cmocka_unit_test(eddies_repeat_and_depend_on_the_seed),
        cmocka_unit_test(channel_has_its_mean),
        cmocka_unit_test(one_wall_has_half_a_channel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
