/* Himeno's benchmark: every kernel against the plain loop that defines it, with coefficients of all
 * kinds (the benchmark's own are zero in nine of nineteen places).
 *
 *   test_himeno [emulated|gpu] */
#include "apps/commands.h"
#include "sweeps/himeno.h"
#include "tests/conformance/hardware.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- the reference ------------------------------------------------------------------ */

/* All points, the fixed ones at both ends of each axis too; k is along x. */
typedef struct {
    int imax, jmax, kmax;
    float *p, *wrk2, *constants[WABE_HIMENO_CONSTANTS];
} arrays;

static size_t at(const arrays *a, int i, int j, int k) {
    return ((size_t)i * (size_t)a->jmax + (size_t)j) * (size_t)a->kmax + (size_t)k;
}

static double scatter(int component, const int64_t cell[3], int64_t x) {
    return sin(1.0 + component + 12.9898 * (double)(cell[0] + x) + 78.233 * (double)cell[1] +
               37.719 * (double)cell[2]);
}
static void scattered(const void *component, const int64_t cell[3], int64_t count, double *row) {
    for (int64_t x = 0; x < count; x++)
        row[x] = 0.1 * scatter(*(const int *)component, cell, x);
}
static void pressure(const void *context, const int64_t cell[3], int64_t count, double *row) {
    (void)context;
    for (int64_t x = 0; x < count; x++)
        row[x] = scatter(20, cell, x);
}

static arrays make_arrays(const int64_t cells[3]) {
    arrays a = {(int)cells[2] + 2, (int)cells[1] + 2, (int)cells[0] + 2, NULL, NULL, {NULL}};
    const size_t n = (size_t)a.imax * (size_t)a.jmax * (size_t)a.kmax;
    double *row = malloc((size_t)a.kmax * sizeof *row);
    a.p = calloc(n, sizeof *a.p);
    a.wrk2 = calloc(n, sizeof *a.wrk2);
    for (int c = 0; c < WABE_HIMENO_CONSTANTS; c++)
        a.constants[c] = calloc(n, sizeof *a.p);
    for (int i = 0; i < a.imax; i++)
        for (int j = 0; j < a.jmax; j++) {
            const int64_t cell[3] = {-1, j - 1, i - 1};
            pressure(NULL, cell, a.kmax, row);
            for (int k = 0; k < a.kmax; k++)
                a.p[at(&a, i, j, k)] = a.wrk2[at(&a, i, j, k)] = (float)row[k];
            for (int c = 0; c < WABE_HIMENO_CONSTANTS; c++) {
                scattered(&c, cell, a.kmax, row);
                for (int k = 0; k < a.kmax; k++)
                    a.constants[c][at(&a, i, j, k)] = (float)row[k];
            }
        }
    free(row);
    return a;
}

static void free_arrays(arrays *a) {
    free(a->p);
    free(a->wrk2);
    for (int c = 0; c < WABE_HIMENO_CONSTANTS; c++)
        free(a->constants[c]);
}

/* The benchmark's formula as it is published, each operation rounded. */
static float change_of(const arrays *m, int i, int j, int k) {
#define P(di, dj, dk) m->p[at(m, i + (di), j + (dj), k + (dk))]
#define C(n) m->constants[n][at(m, i, j, k)]
    const float s0 = C(0) * P(1, 0, 0) + C(1) * P(0, 1, 0) + C(2) * P(0, 0, 1) +
                     C(4) * (P(1, 1, 0) - P(1, -1, 0) - P(-1, 1, 0) + P(-1, -1, 0)) +
                     C(5) * (P(0, 1, 1) - P(0, -1, 1) - P(0, 1, -1) + P(0, -1, -1)) +
                     C(6) * (P(1, 0, 1) - P(-1, 0, 1) - P(1, 0, -1) + P(-1, 0, -1)) +
                     C(7) * P(-1, 0, 0) + C(8) * P(0, -1, 0) + C(9) * P(0, 0, -1) + C(11);
    return (s0 * C(3) - P(0, 0, 0)) * C(10);
#undef P
#undef C
}

static long double iterate(arrays *a) {
    long double gosa = 0.0L;
    for (int i = 1; i < a->imax - 1; i++)
        for (int j = 1; j < a->jmax - 1; j++)
            for (int k = 1; k < a->kmax - 1; k++) {
                const float change = change_of(a, i, j, k), square = change * change;
                gosa += (long double)square;
                a->wrk2[at(a, i, j, k)] = a->p[at(a, i, j, k)] + 0.8f * change;
            }
    float *const other = a->p;
    a->p = a->wrk2;
    a->wrk2 = other;
    return gosa;
}

/* ---- kernels ------------------------------------------------------------------------ */

static wabe_component hardware_component(void) {
    wabe_component component = wabe_component_detect(2);
    if (hardware_gpus > 0)
        assert_int_equal(hardware_gpu(0, &component), WABE_OK);
    return component;
}

/* Are the kernel's pressure and gosa those of the plain loop, after each of some iterations? */
static void compare(const wabe_component *component, const wabe_kernel *row, const int64_t cells[3],
                    wabe_box inner) {
    const wabe_grid_model model = wabe_himeno_model(cells, row->name);
    const wabe_box block = {.end = {cells[0], cells[1], cells[2]}};
    arrays a = make_arrays(cells);
    wabe_schedule schedule = {.slab_count = 0};
    wabe_profile profile;
    wabe_grid_slab *slab = NULL;
    float *const memory[2] = {a.p, a.wrk2};
    assert_int_equal(wabe_grid_create(wabe_kernels(), component, &model, block, inner, &slab),
                     WABE_OK);
    assert_int_equal(wabe_himeno_furnish(slab), WABE_OK);
    for (int c = 0; c < WABE_HIMENO_CONSTANTS; c++)
        assert_int_equal(wabe_grid_set(slab, c, scattered, &c), WABE_OK);
    assert_int_equal(wabe_grid_initialise(slab, pressure, NULL), WABE_OK);
    memset(&profile, 0, sizeof profile);
    schedule.profile = &profile;
    wabe_grid_schedule(1, &slab, &schedule);
    double *found = malloc((size_t)wabe_box_cells(block) * sizeof *found);
    for (int step = 0; step < 5; step++) {
        const double expected = (double)iterate(&a);
        double bins[WABE_BINS] = {0.0};
        wabe_schedule_run(&schedule);
        assert_int_equal(wabe_grid_read(slab, block, found), WABE_OK);
        const double *value = found;
        for (int i = 1; i < a.imax - 1; i++)
            for (int j = 1; j < a.jmax - 1; j++)
                for (int k = 1; k < a.kmax - 1; k++)
                    assert_true(*value++ == (double)a.p[at(&a, i, j, k)]);
        assert_int_equal(wabe_himeno_add_gosa(slab, bins), WABE_OK);
        assert_true(fabs(wabe_bins_value(bins) - expected) <= 1e-15 * expected);
    }
    free(found);
    wabe_himeno_release(slab);
    wabe_grid_destroy(&slab);
    a.p = memory[0], a.wrk2 = memory[1];
    free_arrays(&a);
}

static void every_kernel_is_the_plain_loop(void **state) {
    static const int64_t sizes[][3] = {{37, 5, 4}, {16, 3, 3}, {1, 2, 3}, {62, 9, 1}, {131, 9, 6}};
    const wabe_component component = hardware_component();
    int rows = 0;
    (void)state;
    for (int i = 0; i < wabe_registry_count(wabe_kernels()); i++) {
        const wabe_kernel *row = wabe_registry_row(wabe_kernels(), i);
        const char *why;
        if (row->sweep != WABE_SWEEP_himeno || row->target != component.target ||
            !row->available(&component, &why))
            continue;
        for (size_t size = 0; size < sizeof sizes / sizeof sizes[0]; size++) {
            const int64_t *n = sizes[size];
            compare(&component, row, n, (wabe_box){{0}, {n[0], n[1], n[2]}});
            compare(&component, row, n, (wabe_box){{0}, {0}});
            compare(&component, row, n, (wabe_box){{1, 1, 1}, {n[0] - 1, n[1], n[2]}});
            compare(&component, row, n, (wabe_box){{0, 1, 0}, {n[0], n[1] - 1, n[2] - 1}});
        }
        rows++;
    }
    assert_true(rows >= 1);
}

/* Values so far apart that plain sums would lose the small ones, in two orders. */
static void bins_know_no_order(void **state) {
    double up[WABE_BINS] = {0.0}, down[WABE_BINS] = {0.0}, plain = 0.0;
    (void)state;
    for (int i = 0; i < 100000; i++) {
        double rising = exp2(-60.0 * i / 99999.0), falling = exp2(-60.0 * (99999 - i) / 99999.0);
        plain += falling;
        WABE_BINS_ADD(up, rising, WABE_BIN_0, WABE_BIN_1, WABE_BIN_2);
        WABE_BINS_ADD(down, falling, WABE_BIN_0, WABE_BIN_1, WABE_BIN_2);
    }
    assert_memory_equal(up, down, sizeof up);
    assert_true(fabs(wabe_bins_value(up) - plain) < 1e-11 * plain);
}

int main(int argc, char *argv[]) {
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_is_the_plain_loop),
        cmocka_unit_test(bins_know_no_order),
    };
    int code = hardware_choose(argc, argv, 1);
    if (code == 0)
        code = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return code;
}
