/* Laws of the wall: Spalding's is the log law far from a wall and a linear profile at it, and its
 * expansion, which kernels evaluate, comes near to it. */
#include "sweeps/wall_law.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void spalding_is_linear_then_logarithmic(void **state) {
    (void)state;
    for (double y = 0.1; y < 1e7; y *= 3.0) {
        double u = wabe_spalding(y * y); /* linear: u+ = y+ */
        if (y < 3.0)
            assert_true(fabs(u / y - 1.0) < 0.02);
        const double log_law = log(y) / WABE_KAPPA + WABE_LOG_LAW_B;
        u = wabe_spalding(log_law * y);
        if (y > 150.0)
            assert_true(fabs(u / log_law - 1.0) < 0.005);
    }
}

/* As sweeps/cell/wall_function.h has it. */
static double u_plus(const wabe_wall_law *law, double reynolds) {
    const double x = (pow(reynolds, 1.0 / 16.0) - law->middle.f64) * law->part.f64;
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
    for (double reynolds = 20.0; reynolds < 1e9; reynolds *= 1.01)
        most = fmax(most, fabs(u_plus(&smooth, reynolds) / wabe_spalding(reynolds) - 1.0));
    print_message("at most %.2e of u+\n", most);
    assert_true(most < 5e-3);
    assert_true(fabs(u_plus(&rough, 1e3) - log(0.5 / 0.02) / 0.4) < 1e-12);
    assert_true(fabs(u_plus(&rough, 1e12) - log(0.5 / 0.02) / 0.4) < 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spalding_is_linear_then_logarithmic),
        cmocka_unit_test(expansions_are_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
