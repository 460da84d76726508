/* Himeno's benchmark with coefficients of all kinds on every grid of processes, with one or several
 * components in each: pressure and gosa have the bits of the plain loop's, so all neighbours, those
 * across edges too, are heard of.
 *
 *   test_himeno [emulated|gpu] */
#include "apps/runtime/stencil_slabs.h"
#include "tests/conformance/himeno_reference.h"
#include "tests/mpi/components.h"
#include "tests/mpi/grids.h"

static const int64_t cells[3] = {37, 10, 12};
enum { STEPS = 12 };

static wabe_status fill(void *context, wabe_grid_slab *slab) {
    (void)context;
    for (int c = 0; c < WABE_HIMENO_CONSTANTS; c++)
        WABE_TRY(wabe_grid_set(slab, WABE_HIMENO_COEFFICIENTS, c, scattered, &c));
    return WABE_OK;
}

static wabe_status initial(const void *context, int number, const int64_t cell[3], int64_t count,
                           double *row) {
    (void)number;
    return pressure(context, cell, count, row);
}

static void compare_values(const wabe_domain *d, const wabe_grid_slabs *slabs, const arrays *a,
                           const char *what) {
    const wabe_values values = wabe_grid_slabs_values(slabs);
    const wabe_box block = d->block;
    double *found = malloc((size_t)wabe_box_cells(block) * sizeof *found);
    CHECK(wabe_domain_read(d, &values, block, found) == WABE_OK, "%s", wabe_error_message());
    const double *value = found;
    int64_t others = 0;
    for (int64_t z = block.begin[2]; z < block.end[2]; z++)
        for (int64_t y = block.begin[1]; y < block.end[1]; y++)
            for (int64_t x = block.begin[0]; x < block.end[0]; x++)
                others += *value++ != (double)a->p[at(a, (int)z + 1, (int)y + 1, (int)x + 1)];
    CHECK(others == 0, "%s: %lld cells with other bits", what, (long long)others);
    free(found);
}

static void compare_gosa(wabe_grid_slabs *slabs, double expected, const char *what) {
    const double gosa = wabe_grid_slabs_reduce(slabs, WABE_HIMENO_GOSA);
    CHECK(fabs(gosa - expected) <= 1e-15 * expected, "%s: gosa %.17g, not %.17g", what, gosa,
          expected);
}

static void check(const char *word, const int64_t processes[3], bool overlap) {
    char what[128];
    snprintf(what, sizeof what, "components %s, grid %d x %d x %d, overlap %d", word,
             (int)processes[0], (int)processes[1], (int)processes[2], overlap);
    wabe_domain domain;
    wabe_decomposition cut;
    wabe_components components = {0};
    wabe_grid_slabs slabs = {.model = wabe_himeno_model(cells, ""), .fill = fill};
    wabe_domain_options options = {.cells = {cells[0], cells[1], cells[2]},
                                   .processes = {processes[0], processes[1], processes[2]},
                                   .halo = wabe_grid_halo(&slabs.model),
                                   .overlap = overlap,
                                   .communicate = true};
    const wabe_domain_slabs of_domain = wabe_grid_slabs_of_domain(MPI_COMM_WORLD, &slabs);
    CHECK(wabe_decomposition_make(cells, options.periodic, NULL, processes, check_size, &cut) ==
              WABE_OK,
          "%s", wabe_error_message());
    const wabe_box block = wabe_decomposition_block(&cut, check_rank);
    components.count = components_make(word, wabe_box_extent(block, 2), components.list,
                                       components.planes);
    CHECK(wabe_domain_create(MPI_COMM_WORLD, &options, &components, &of_domain, &domain) == WABE_OK,
          "%s: %s", what, wabe_error_message());
    CHECK(wabe_grid_slabs_initialise(&slabs, initial, NULL) == WABE_OK, "%s", wabe_error_message());
    wabe_domain_initialise(&domain);
    arrays a = make_arrays(cells);
    float *const memory[2] = {a.p, a.wrk2};
    double gosa = 0.0;
    for (int step = 0; step < STEPS; step++) {
        gosa = (double)iterate(&a);
        wabe_domain_step(&domain);
    }
    compare_values(&domain, &slabs, &a, what);
    compare_gosa(&slabs, gosa, what);
    a.p = memory[0], a.wrk2 = memory[1];
    free_arrays(&a);
    wabe_domain_destroy(&domain);
    wabe_grid_slabs_destroy(&slabs);
}

int main(int argc, char *argv[]) {
    static const char *const of_processors[] = {"c", "cc"}, *const of_gpus[] = {"g", "gg", "gcg"};
    check_begin(&argc, &argv);
    const int code = hardware_choose(argc, argv, EMULATED_GPUS);
    const bool gpus = hardware_gpus > 0;
    for (int i = 0; i < (gpus ? 3 : 2) && code == 0; i++) {
        int64_t grid[3] = {1, 0, 0};
        const int64_t most[3] = {8, 4, 4}; /* so that all components have planes */
        while (grids_next(most, grid))
            for (int overlap = 0; overlap < 2; overlap++)
                check(gpus ? of_gpus[i] : of_processors[i], grid, overlap);
    }
    return check_end(code);
}
