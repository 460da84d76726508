/* Himeno's benchmark: every kernel against the plain loop that defines it, with coefficients of all
 * kinds (the benchmark's own are zero in nine of nineteen places).
 *
 *   test_himeno [emulated|gpu] */
#include "apps/runtime/kernels.h"
#include "sweeps/himeno.h"
#include "tests/conformance/hardware.h"
#include "tests/conformance/himeno_reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

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
    for (int c = 0; c < WABE_HIMENO_CONSTANTS; c++)
        assert_int_equal(wabe_grid_set(slab, WABE_HIMENO_COEFFICIENTS, c, scattered, &c), WABE_OK);
    assert_int_equal(wabe_grid_set(slab, WABE_HIMENO_PRESSURE, 0, pressure, NULL), WABE_OK);
    memset(&profile, 0, sizeof profile);
    schedule.profile = &profile;
    wabe_grid_schedule(1, &slab, NULL, &schedule);
    double *found = malloc((size_t)wabe_box_cells(block) * sizeof *found);
    for (int step = 0; step < 5; step++) {
        const double expected = (double)iterate(&a);
        double bins[WABE_BINS] = {0.0};
        wabe_schedule_run(&schedule);
        assert_int_equal(wabe_grid_read_field(slab, WABE_HIMENO_PRESSURE, 0, block, found),
                         WABE_OK);
        const double *value = found;
        for (int i = 1; i < a.imax - 1; i++)
            for (int j = 1; j < a.jmax - 1; j++)
                for (int k = 1; k < a.kmax - 1; k++)
                    assert_true(*value++ == (double)a.p[at(&a, i, j, k)]);
        assert_int_equal(wabe_grid_reduce(slab, WABE_HIMENO_GOSA, bins), WABE_OK);
        assert_true(fabs(wabe_bins_value(bins) - expected) <= 1e-15 * expected);
    }
    free(found);
    wabe_grid_destroy(&slab);
    a.p = memory[0], a.wrk2 = memory[1];
    free_arrays(&a);
}

static void every_kernel_is_the_plain_loop(void **state) {
    static const int64_t sizes[][3] = {{37, 5, 4}, {16, 3, 3},   {1, 2, 3},
                                       {62, 9, 1}, {131, 9, 17}, {1, 8300, 2}};
    const wabe_component component = hardware_component();
    int rows = 0;
    (void)state;
    for (int i = 0; i < wabe_registry_count(wabe_kernels()); i++) {
        const wabe_kernel *row = wabe_registry_row(wabe_kernels(), i);
        const char *why;
        if (row->sweep != &wabe_sweep_himeno || row->target != component.target ||
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

int main(int argc, char *argv[]) {
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_is_the_plain_loop),
    };
    int code = hardware_choose(argc, argv, 1);
    if (code == 0)
        code = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return code;
}
