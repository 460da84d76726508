/* Clouds and rain (sweeps/cell/water.h) in a column, against a plain program of the same equations,
 * written in theta and the Exner function with libm's powers; and what they must conserve. */
#define WABE_STORE_F64
#include "kernels_gpu/stencil_cell.h"
#include "sweeps/cell/water.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { LEVELS = 24, COLUMNS = 200 };
#define GAS 287.0
#define HEAT 1004.0
#define LATENT 2.5e6
#define EPSILON (287.0 / 461.5)
#define TIME_STEP 20.0
#define LEVEL 400.0 /* m: mean thickness; J is 0.5 to 1.5 */
#define GROUND_DENSITY 1.15

/* Per level: dry density, theta, and water per dry air. */
typedef struct {
    double density, theta, vapour, cloud, rain, jacobian;
} level;

static double number(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)*seed / 4294967296.0;
}

/* Dry, cloudy, raining and slightly negative cells, as advection leaves them. */
static void make_column(uint32_t *seed, level column[LEVELS]) {
    for (int k = 0; k < LEVELS; k++) {
        level *l = &column[k];
        l->density = 1.15 * exp(-(double)k * LEVEL / 9e3);
        l->theta = 300.0 + 0.004 * LEVEL * k + 2.0 * number(seed);
        l->vapour = 0.018 * number(seed) * exp(-(double)k * LEVEL / 2.5e3);
        l->vapour = k > 0 && number(seed) < 0.1 ? -1e-4 * number(seed) : l->vapour;
        l->cloud = number(seed) < 0.5 ? 0.0 : 0.004 * number(seed) - 1e-6;
        l->rain = number(seed) < 0.5 ? 0.0 : 0.008 * number(seed) - 1e-6;
        l->jacobian = 0.5 + number(seed);
    }
}

static double pressure_of(const level *l) {
    return 1e5 * pow(GAS * l->density * l->theta * (1.0 + l->vapour / EPSILON) / 1e5,
                     HEAT / (HEAT - GAS));
}

/* The plain program: changes the column, returns the rain that reaches the ground, kg/m2. */
static double reference(level column[LEVELS]) {
    double falling = 0.0, lacking = 0.0;
    for (int k = LEVELS - 1; k >= 0; k--) {
        level *l = &column[k];
        const double p = pressure_of(l), exner = pow(p / 1e5, GAS / HEAT);
        const double grams = 1e-3 * l->density, thickness = LEVEL * l->jacobian;
        const double was = l->vapour;
        l->vapour += lacking / (l->density * l->jacobian);
        lacking = fmin(l->vapour, 0.0) * l->density * l->jacobian;
        l->vapour -= k > 0 ? lacking / (l->density * l->jacobian) : 0.0;
        l->theta *= (1.0 + was / EPSILON) / (1.0 + l->vapour / EPSILON); /* heat stays */
        const double cloud = fmax(l->cloud, 0.0), old_rain = fmax(l->rain, 0.0);
        const double collected = cloud - (cloud - TIME_STEP * fmax(0.001 * (cloud - 0.001), 0.0)) /
                                             (1.0 + TIME_STEP * 2.2 * pow(old_rain, 0.875));
        l->cloud -= collected, l->rain += collected;
        const double loading = grams * fmax(l->rain, 0.0);
        const double speed = 36.34 * pow(loading, 0.1364) * sqrt(GROUND_DENSITY / l->density);
        l->rain = (l->rain + TIME_STEP / thickness * falling / l->density) /
                  (1.0 + TIME_STEP / thickness * speed);
        falling = speed * l->density * l->rain;
        const double t = l->theta * exner;
        const double most = 380.0 / p * exp(17.27 * (t - 273.0) / (t - 36.0));
        const double surplus = (l->vapour - most) / (1.0 + most * 17.27 * 237.0 * LATENT /
                                                               (HEAT * (t - 36.0) * (t - 36.0)));
        const double condensed = fmax(surplus, -l->cloud);
        const double dried = TIME_STEP * (1.6 + 124.9 * pow(loading, 0.2046)) *
                             pow(loading, 0.525) / (2.55e8 / (p * most) + 5.4e5) *
                             fmax(most - l->vapour, 0.0) / (grams * most);
        const double evaporated = fmin(fmin(dried, fmax(-surplus - l->cloud, 0.0)), l->rain);
        l->theta += LATENT / (HEAT * exner) * (condensed - evaporated);
        l->vapour -= condensed - evaporated;
        l->cloud += condensed;
        l->rain -= evaporated;
    }
    return TIME_STEP * falling;
}

/* What the kernel of the column sees: numbers [component][level]. */
typedef struct {
    double state[WABE_WEATHER_STATE][LEVELS], water[WABE_WATERS][LEVELS], fallen[LEVELS];
    double rest[WABE_RESTS][LEVELS], ground[WABE_GROUNDS][LEVELS], levels[WABE_LEVELS][LEVELS];
} column_fields;

static void set_fields(const level column[LEVELS], column_fields *f) {
    for (int k = 0; k < LEVELS; k++) {
        const level *l = &column[k];
        const double dry = l->jacobian * l->density;
        const double heat = dry * l->theta * (1.0 + l->vapour / EPSILON);
        const double all = dry * (1.0 + l->vapour + l->cloud + l->rain);
        f->water[WABE_WATER_VAPOUR][k] = dry * l->vapour;
        f->water[WABE_WATER_CLOUD][k] = dry * l->cloud;
        f->water[WABE_WATER_RAIN][k] = dry * l->rain;
        f->rest[WABE_REST_DENSITY][k] = 0.99 * all;
        f->rest[WABE_REST_THETA][k] = 1.005 * heat / all;
        f->rest[WABE_REST_PRESSURE][k] = 1e5 * pow(GAS * 0.99 * 1.005 * heat / l->jacobian / 1e5,
                                                   HEAT / (HEAT - GAS));
        f->state[WABE_WEATHER_DENSITY][k] = all - f->rest[WABE_REST_DENSITY][k];
        f->state[WABE_WEATHER_HEAT][k] = heat - f->rest[WABE_REST_DENSITY][k] *
                                                    f->rest[WABE_REST_THETA][k];
        f->ground[WABE_GROUND_PER_SHARE][k] = 1.0;
        f->levels[WABE_LEVEL_PER_THICKNESS][k] = 1.0 / l->jacobian;
        f->fallen[k] = 3.0;
    }
}

static void set_args(const column_fields *f, wabe_weather_rain_args *a) {
    const double *const data[] = {NULL,      NULL,       NULL,         f->state[0], f->water[0],
                                  f->fallen, f->rest[0], f->ground[0], f->levels[0]};
    *a = (wabe_weather_rain_args){.grid = {.cells = {1, LEVELS, 1},
                                           .values = {wabe_coefficient_of(TIME_STEP)}},
                                  .air = {.per_level = wabe_coefficient_of(1.0 / LEVEL),
                                          .gamma = wabe_coefficient_of(HEAT / (HEAT - GAS)),
                                          .gas = wabe_coefficient_of(GAS),
                                          .latent = wabe_coefficient_of(LATENT / HEAT),
                                          .ground_density = wabe_coefficient_of(GROUND_DENSITY)}};
    for (int i = 3; i < 9; i++)
        a->grid.fields[i] = (wabe_grid_field){
            .data = (void *)data[i], .pitch = 1, .plane = LEVELS, .stride = LEVELS, .is_f64 = 1};
}

static void near(double value, double right, double size) {
    assert_true(fabs(value - right) <= 1e-12 * size);
}

static void compare(const level *was, const level *right, const double *water, const double out[]) {
    const double dry = was->jacobian * was->density;
    const double heat = dry * right->theta * (1.0 + right->vapour / EPSILON);
    near(out[0], dry * right->vapour, dry * 0.02);
    near(out[1], dry * right->cloud, dry * 0.02);
    near(out[2], dry * right->rain, dry * 0.02);
    near(out[4] + out[5] - (out[0] + out[1] + out[2]), dry, dry); /* dry air stays */
    near(out[5], (out[0] + out[1] + out[2]) - (water[0] + water[1] + water[2]), dry * 0.02);
    near(out[6], heat, heat);
    assert_true(out[1] >= 0.0 && out[2] >= 0.0);
}

static void test_columns(void **state) {
    uint32_t seed = 12345;
    (void)state;
    for (int i = 0; i < COLUMNS; i++) {
        level column[LEVELS], right[LEVELS];
        column_fields f;
        wabe_weather_rain_args a;
        double carry[2] = {0.0}, before = 0.0, after = 0.0, on_ground = 0.0;
        make_column(&seed, column);
        memcpy(right, column, sizeof right);
        set_fields(column, &f);
        set_args(&f, &a);
        const double ground = reference(right);
        for (int k = LEVELS - 1; k >= 0; k--) {
            const wabe_cell c = {.grid = &a.grid, .edge = WABE_ANY_EDGE, .y = k, .column = 1};
            const double water[WABE_WATERS] = {f.water[0][k], f.water[1][k], f.water[2][k]};
            double out[7];
            wabe_weather_rain_cell(&a, &c, carry, out, NULL);
            out[6] += f.rest[WABE_REST_DENSITY][k] * f.rest[WABE_REST_THETA][k];
            compare(&column[k], &right[k], water, out);
            before += LEVEL * (water[0] + water[1] + water[2]);
            after += LEVEL * (out[0] + out[1] + out[2]);
            on_ground = out[3] - 3.0;
        }
        near(on_ground, ground, 1.0);
        near(after + on_ground, before, before);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
