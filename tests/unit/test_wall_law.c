/* Laws of the wall: that of smooth walls is linear at the wall and logarithmic far from it, and the
 * expansion in Re, which kernels evaluate, comes near to it. */
#include "sweeps/lattice/wall_law.h"
#include "tests/larger.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void law_is_linear_then_logarithmic(void **state) {
    (void)state;
    for (double y = 1e-3; y < 1e7; y *= 3.0) {
        const double u = wabe_law_of_the_wall(y), far = log(y) / WABE_KAPPA + WABE_LOG_LAW_B;
        if (y < 3.0)
            assert_true(fabs(u / y - 1.0) < 0.1);
        if (y > 200.0)
            assert_true(fabs(u / far - 1.0) < 0.005);
    }
    /* Direct simulation at Re_tau 180, of which this is a part that depends little on Re:
     * tests/data/ channel_re180.csv. */
    assert_true(fabs(wabe_law_of_the_wall(7.67) / 6.989 - 1.0) < 0.07);
    assert_true(fabs(wabe_law_of_the_wall(13.559) / 10.311 - 1.0) < 0.1);
}

/* As sweeps/cell/wall_function.h has it. */
static double u_plus(const wabe_wall_law *law, double reynolds) {
    const double x = (pow(reynolds, 1.0 / 32.0) - law->middle.f64) * law->part.f64;
    const double at = fmax(-1.0, fmin(1.0, x));
    double sum = 0.0;
    for (int i = 0; i < WABE_WALL_LAW_TERMS; i++)
        sum += law->terms[i].f64 * cos(i * acos(at));
    return sum;
}

static void expansions_are_near(void **state) {
    (void)state;
    const wabe_wall_law smooth = wabe_wall_law_of(1e-5, 0.0), rough = wabe_wall_law_of(1e-5, 0.02);
    double most = 0.0;
    for (double y = 6.8; y < 2e7; y *= 1.01) {
        const double exact = wabe_law_of_the_wall(y);
        most = larger(most, fabs(u_plus(&smooth, exact * y) / exact - 1.0));
    }
    print_message("at most %.2e of u+\n", most);
    assert_true(most < 5e-3);
    assert_true(fabs(u_plus(&rough, 1e3) - log(0.5 / 0.02) / 0.4) < 1e-12);
    assert_true(fabs(u_plus(&rough, 1e12) - log(0.5 / 0.02) / 0.4) < 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_is_linear_then_logarithmic),
        cmocka_unit_test(expansions_are_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
