/* Velocity sets: moments of the weights, and what set-up code derives from the rows. */
#include "sweeps/cell/lattice.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define FOR_LATTICES(lattice)                                                                      \
    for (wabe_lattice lattice = WABE_LATTICE_any + 1; lattice < WABE_LATTICE_end; lattice++)

static double power(int base, int exponent) {
    return exponent == 0 ? 1.0 : base * power(base, exponent - 1);
}

/* sum w c_x^a c_y^b c_z^c over populations begin to end - 1 */
static double moment_of(wabe_lattice lattice, int begin, int end, int a, int b, int c) {
    double sum = 0.0;
    for (int q = begin; q < end; q++) {
        const int *e = wabe_lattice_e(lattice, q);
        sum += wabe_lattice_weight(lattice, q) * power(e[0], a) * power(e[1], b) * power(e[2], c);
    }
    return sum;
}

/* Of the flow's. */
static double moment(wabe_lattice lattice, int a, int b, int c) {
    return moment_of(lattice, 0, wabe_lattice_flow(lattice), a, b, c);
}

static void near(double found, double wanted) { assert_true(fabs(found - wanted) < 1e-15); }

/* Up to the fourth order as those of a Maxwell distribution of variance 1/3. */
static void moments_are_isotropic(void **state) {
    (void)state;
    FOR_LATTICES(lattice)
    for (int d = 0; d < 3; d++) {
        int n[3] = {0};
        near(moment(lattice, 0, 0, 0), 1.0);
        for (n[d] = 1; n[d] < 6; n[d] += 2)
            near(moment(lattice, n[0], n[1], n[2]), 0.0);
        n[d] = 2;
        near(moment(lattice, n[0], n[1], n[2]), 1.0 / 3.0);
        n[(d + 1) % 3] = 2;
        near(moment(lattice, n[0], n[1], n[2]), 1.0 / 9.0);
        n[d] = 4, n[(d + 1) % 3] = 0;
        near(moment(lattice, n[0], n[1], n[2]), 1.0 / 3.0);
    }
    near(moment(WABE_LATTICE_d3q19, 2, 2, 2), 0.0); /* should be 1/27 */
    near(moment(WABE_LATTICE_d3q27, 2, 2, 2), 1.0 / 27.0);
}

/* A scalar's seven populations have the variance 1/4, nineteen the flow's, 1/3: the diffusivity
 * over tau - 1/2. Those along diagonals couple two axes. */
static void moments_of_scalars(void **state) {
    (void)state;
    FOR_LATTICES(lattice) {
        const int begin = wabe_lattice_flow(lattice), end = wabe_lattice_count(lattice);
        if (!wabe_lattice_has_scalar(lattice))
            continue;
        const bool carries = wabe_lattice_carries(lattice);
        assert_int_equal(begin, 19);
        assert_int_equal(end, carries ? 38 : 26);
        near(wabe_lattice_diffusion(lattice), carries ? 1.0 / 3.0 : 0.25);
        near(moment_of(lattice, begin, end, 0, 0, 0), 1.0);
        for (int d = 0; d < 3; d++) {
            near(moment_of(lattice, begin, end, d == 0, d == 1, d == 2), 0.0);
            near(moment_of(lattice, begin, end, 2 * (d == 0), 2 * (d == 1), 2 * (d == 2)),
                 wabe_lattice_diffusion(lattice));
            near(moment_of(lattice, begin, end, 2 * (d != 0), 2 * (d != 1), 2 * (d != 2)),
                 carries ? 1.0 / 9.0 : 0.0);
        }
    }
}

static void opposites_and_mirrors(void **state) {
    (void)state;
    FOR_LATTICES(lattice)
    for (int q = 0; q < wabe_lattice_count(lattice); q++)
        for (unsigned axes = 0; axes < 8; axes++) {
            const int p = wabe_lattice_mirror(lattice, q, axes), flow = wabe_lattice_flow(lattice);
            assert_true(p < wabe_lattice_count(lattice));
            assert_true((p < flow) == (q < flow));
            for (int d = 0; d < 3; d++)
                assert_int_equal(wabe_lattice_e(lattice, p)[d],
                                 (axes >> d & 1 ? -1 : 1) * wabe_lattice_e(lattice, q)[d]);
            if (axes == 7)
                assert_int_equal(p, wabe_lattice_opposite(wabe_lattice_count(lattice), q));
        }
}

static void crossing_populations(void **state) {
    (void)state;
    static const int crossing[WABE_LATTICE_end][3] = {[WABE_LATTICE_d3q19] = {5, 1, 0},
                                                      [WABE_LATTICE_d3q27] = {9, 3, 1},
                                                      [WABE_LATTICE_d3q19_d3q7] = {6, 1, 0},
                                                      [WABE_LATTICE_d3q19_d3q19] = {10, 2, 0}};
    FOR_LATTICES(lattice)
    for (int axes = 1; axes <= 3; axes++)
        assert_int_equal(wabe_lattice_crossing(lattice, axes), crossing[lattice][axes - 1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_isotropic),
        cmocka_unit_test(moments_of_scalars),
        cmocka_unit_test(opposites_and_mirrors),
        cmocka_unit_test(crossing_populations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
