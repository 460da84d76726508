/* Himeno's benchmark: every kernel against the plain loop that defines it, with coefficients of all
 * kinds (the benchmark's own are zero in nine of nineteen places).
 *
 *   test_himeno [emulated|gpu] */
#include "sweeps/stencil/himeno.h"
#include "tests/conformance/himeno_reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/conformance/slab.h"

/* ---- kernels ------------------------------------------------------------------------ */

/* Are the kernel's pressure and gosa those of the plain loop, after each of some iterations? */
static void compare(const wabe_kernel *row, const int64_t cells[3], wabe_box inner) {
    const wabe_grid_model model = wabe_himeno_model(cells, row->name);
    arrays a = make_arrays(cells);
    float *const memory[2] = {a.p, a.wrk2};
    alone s;
    open_slab(&s, &model, inner);
    for (int c = 0; c < WABE_HIMENO_CONSTANTS; c++)
        set_field(&s, WABE_HIMENO_COEFFICIENTS, c, scattered, &c);
    set_field(&s, WABE_HIMENO_PRESSURE, 0, pressure, NULL);
    for (int step = 0; step < 5; step++) {
        const double expected = (double)iterate(&a);
        double bins[WABE_BINS] = {0.0};
        run_slab(&s, 1);
        double *found = read_field(&s, WABE_HIMENO_PRESSURE);
        const double *value = found;
        for (int i = 1; i < a.imax - 1; i++)
            for (int j = 1; j < a.jmax - 1; j++)
                for (int k = 1; k < a.kmax - 1; k++)
                    assert_true(*value++ == (double)a.p[at(&a, i, j, k)]);
        assert_int_equal(wabe_grid_reduce(s.slab, WABE_HIMENO_GOSA, bins), WABE_OK);
        assert_true(fabs(wabe_bins_value(bins) - expected) <= 1e-15 * expected);
        free(found);
    }
    wabe_grid_destroy(&s.slab);
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
            compare(row, n, (wabe_box){{0}, {n[0], n[1], n[2]}});
            compare(row, n, (wabe_box){{0}, {0}});
            compare(row, n, (wabe_box){{1, 1, 1}, {n[0] - 1, n[1], n[2]}});
            compare(row, n, (wabe_box){{0, 1, 0}, {n[0], n[1] - 1, n[2] - 1}});
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
