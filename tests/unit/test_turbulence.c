/* The waves of an inflow's turbulence: free of divergence within its layers, of the given intensity
 * and length, and whole turns along periodic axes. */
#include "apps/lbm/turbulence.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static const double velocity[3] = {0.03, -0.04, 0.05};

static wabe_turbulence make(int face, double length, const double period[3]) {
    const wabe_turbulence_options o = {.intensity = 0.2, .length = length, .width = 8, .seed = 5};
    wabe_turbulence t;
    wabe_turbulence_fill(&o, face, velocity, period, &t);
    return t;
}

/* The flow at a place with a share that grows along the face's inward normal. */
static void flow_at(const wabe_turbulence *t, const double place[3], double u[3]) {
    const double inward = t->face % 2 ? -1.0 : 1.0, x = inward * place[t->face / 2];
    const double share = 0.01 * x * x, slope = 0.02 * x;
    for (int d = 0; d < 3; d++)
        u[d] = 0.0;
    for (int i = 0; i < WABE_WAVES; i++) {
        const wabe_wave *w = &t->waves[i];
        const double a =
            2.0 * PI *
            (w->turns[0] * place[0] + w->turns[1] * place[1] + w->turns[2] * place[2] + w->phase);
        for (int d = 0; d < 3; d++)
            u[d] += share * w->velocity[d] * cos(a) + slope * w->across[d] * sin(a);
    }
}

static void waves_have_no_divergence(void **state) {
    (void)state;
    const double period[3] = {WABE_WAVES_PERIOD, WABE_WAVES_PERIOD, WABE_WAVES_PERIOD};
    const double place[3] = {3.7, -2.9, 4.3}, h = 1e-4;
    for (int face = 0; face < WABE_FACES; face++) {
        const wabe_turbulence t = make(face, 20.0, period);
        double divergence = 0.0, size = 0.0, low[3], high[3];
        for (int d = 0; d < 3; d++) {
            double at[3] = {place[0], place[1], place[2]};
            at[d] = place[d] - h;
            flow_at(&t, at, low);
            at[d] = place[d] + h;
            flow_at(&t, at, high);
            divergence += (high[d] - low[d]) / (2.0 * h);
            size += fabs(high[d] - low[d]) / (2.0 * h);
        }
        assert_true(size > 1e-4 && fabs(divergence) < 1e-6 * size);
    }
}

static void waves_have_the_intensity_and_the_length(void **state) {
    (void)state;
    const double period[3] = {WABE_WAVES_PERIOD, WABE_WAVES_PERIOD, WABE_WAVES_PERIOD};
    const double lengths[] = {4.0, 8.0, 24.0, 100.0, 1000.0};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        const wabe_turbulence t = make(0, lengths[k], period);
        double square = 0.0, sum = 0.0;
        for (int i = 0; i < WABE_WAVES; i++) {
            const wabe_wave *w = &t.waves[i];
            double v = 0.0, turns = 0.0;
            for (int d = 0; d < 3; d++) {
                v += 0.5 * w->velocity[d] * w->velocity[d];
                turns += w->turns[d] * w->turns[d];
            }
            square += v;
            sum += v / (2.0 * PI * sqrt(turns));
        }
        const double rms = 0.2 * sqrt(0.03 * 0.03 + 0.04 * 0.04 + 0.05 * 0.05);
        assert_true(fabs(square / (3.0 * rms * rms) - 1.0) < 1e-6);
        /* L = 3 pi / 4 int E / k dk / int E dk */
        assert_true(fabs(0.75 * PI * sum / square / lengths[k] - 1.0) < 0.02);
    }
}

static void waves_fit_periodic_axes(void **state) {
    (void)state;
    const double period[3] = {WABE_WAVES_PERIOD, 48.0, 1.0};
    const wabe_turbulence t = make(0, 12.0, period);
    for (int i = 0; i < WABE_WAVES; i++) {
        const double turns = 48.0 * t.waves[i].turns[1];
        assert_true(fabs(turns - nearbyint(turns)) < 1e-12);
        assert_true(t.waves[i].turns[2] == 0.0); /* a plane: nothing depends on z */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_have_no_divergence),
        cmocka_unit_test(waves_have_the_intensity_and_the_length),
        cmocka_unit_test(waves_fit_periodic_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
