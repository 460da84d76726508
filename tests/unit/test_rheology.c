/* Fluids whose viscosity depends on the rate of strain: the models' formulas, the relaxation time
 * that belongs to second moments, and the table by which kernels find it. */
#include "sweeps/cell/lbm.h"
#include "sweeps/lattice/rheology.h"
#include "tests/larger.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

static wabe_rheology fluid_of(wabe_rheology_model model) {
    return (wabe_rheology){.model = model,
                           .viscosity = 0.02,
                           .rate = 1e-3,
                           .index = 0.5,
                           .exponent = 1.5,
                           .limit = 0.1,
                           .yield = 2.0,
                           .growth = 1000.0,
                           .lowest_tau = 0.501,
                           .highest_tau = 50.0};
}

static void assert_viscosity(wabe_rheology r, double strain, double expected) {
    const double found = wabe_rheology_viscosity(&r, strain);
    if (!(fabs(found / expected - 1.0) < 1e-5))
        fail_msg("%s: %.12g in place of %.12g", wabe_rheology_word(r.model), found, expected);
}

/* At four times the rate, and for yield stresses so far above the creeping rates that stresses are
 * yield stress + flow's. */
static void models_have_their_formulas(void **state) {
    (void)state;
    const double nu = 0.02, g = 4.0, strain = g * 1e-3;
    assert_viscosity(fluid_of(WABE_RHEOLOGY_power_law), strain, nu / 2.0);
    assert_viscosity(fluid_of(WABE_RHEOLOGY_carreau_yasuda), strain,
                     nu * (0.1 + 0.9 / cbrt(9.0))); /* (1 + 4^1.5)^(-0.5 / 1.5) */
    assert_viscosity(fluid_of(WABE_RHEOLOGY_bingham), strain, nu * (1.0 + 2.0 / g));
    assert_viscosity(fluid_of(WABE_RHEOLOGY_herschel_bulkley), strain, nu * (0.5 + 2.0 / g));
    wabe_rheology casson = fluid_of(WABE_RHEOLOGY_casson);
    casson.growth = 1e6;
    assert_viscosity(casson, strain, nu * (1.0 + sqrt(0.5)) * (1.0 + sqrt(0.5)));
}

static void viscosities_have_bounds(void **state) {
    (void)state;
    for (int model = WABE_RHEOLOGY_power_law; model <= WABE_RHEOLOGY_casson; model++) {
        wabe_rheology r = fluid_of((wabe_rheology_model)model);
        r.lowest_tau = 0.53;
        const bool thick = model == WABE_RHEOLOGY_bingham || model == WABE_RHEOLOGY_casson;
        assert_viscosity(r, 1e9, thick ? 0.02 : 0.01); /* those have a plateau there */
        r.highest_tau = 0.55;
        assert_viscosity(r, 0.0, 0.05 / 3.0);
    }
}

/* What kernels do with the table: sweeps/cell/collision.h. */
static double keep_of(double table[][WABE_RHEOLOGY_COEFFICIENTS], double square) {
    int exponent;
    const double part = 2.0 * frexp(square, &exponent) - 1.0;
    const int parts = 1 << WABE_RHEOLOGY_PARTS_BITS, number = (int)(parts * part);
    const double *row = table[parts * (exponent + WABE_RHEOLOGY_OCTAVES - 1) + number];
    const double x = part - (double)number / parts;
    return row[0] + x * (row[1] + x * (row[2] + x * row[3]));
}

/* The relaxation time solves its equation. The table has the viscosity to 2e-6 of itself where it
 * changes as a power, and to some hundredths at bounds and where a fluid yields: there it falls a
 * thousandfold while the stress rises by some thousandths. */
static void table_has_the_relaxation_time(void **state) {
    (void)state;
    for (int model = WABE_RHEOLOGY_power_law; model <= WABE_RHEOLOGY_casson; model++) {
        static double table[WABE_RHEOLOGY_ROWS][WABE_RHEOLOGY_COEFFICIENTS];
        const wabe_rheology r = fluid_of((wabe_rheology_model)model);
        double equation = 0.0, off = 0.0, most = 0.0;
        wabe_rheology_table(&r, table[0]);
        for (double square = 0x1.01p-96; square < 0.99; square *= 1.0057) {
            const double tau = wabe_rheology_tau(&r, square);
            const double strain = 1.5 * sqrt(2.0 * square) / tau;
            equation = larger(equation,
                              fabs((0.5 + 3.0 * wabe_rheology_viscosity(&r, strain)) / tau - 1.0));
            const double found = 1.0 / (1.0 - keep_of(table, square));
            const double error = fabs((found - tau) / (tau - 0.5));
            most = larger(most, error);
            assert_true(found > r.lowest_tau - 1e-12 && found < r.highest_tau + 1e-9);
            if (model <= WABE_RHEOLOGY_carreau_yasuda && tau > 0.502 && tau < 45.0)
                off = larger(off, error);
        }
        print_message("%s: tau off by %.1e, the table's viscosity by %.1e, at most %.1e\n",
                      wabe_rheology_word(r.model), equation, off, most);
        assert_true(equation < 1e-12);
        assert_true(off < 2e-6);
        assert_true(most < 5e-2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_have_their_formulas),
        cmocka_unit_test(viscosities_have_bounds),
        cmocka_unit_test(table_has_the_relaxation_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
