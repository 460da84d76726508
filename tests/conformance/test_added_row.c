/* A kernel that is added by one function and one row: registry and simulation take it as it is. A
 * sweep that is added with a sample: machine files, and what is measured for them, have it. */
#include "apps/calibrate/probe.h"
#include "apps/runtime/kernels.h"
#include "sweeps/cell/lattice.h"
#include "sweeps/lattice/lbm.h"
#include "sweeps/stencil/diffusion.h"
#include "tests/conformance/cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { STEPS = 7 };

/* ---- the added kernel --------------------------------------------------------------- */

static const wabe_kernel *imitated;
static _Atomic int64_t chunks_done;

static void counting_stream_collide(const wabe_stream_collide_args *args, int64_t begin,
                                    int64_t end) {
    imitated->run(args, begin, end);
    chunks_done += end - begin;
}

static bool is_there(const wabe_component *component, const char **why) {
    (void)component;
    (void)why;
    return true;
}

static const wabe_lbm_attributes added = {.collision = WABE_COLLISION_trt,
                                          .streaming = WABE_STREAMING_in_place,
                                          .treats = 1u << WABE_BOUNDARY_no_slip |
                                                    1u << WABE_BOUNDARY_moving_wall,
                                          .wall_buffer = true};

/* Cheaper than all others by its own account, so that it is taken. */
static const wabe_kernel added_rows[] = {
    {.name = "stream_collide.trt.d3q19.in_place.f64.counting",
     .sweep = &wabe_sweep_stream_collide,
     .target = WABE_TARGET_cpu,
     .instruction_set = WABE_INSTRUCTION_SET_x86_64,
     .storage = WABE_TYPE_f64,
     .arithmetic = WABE_TYPE_f64,
     .attributes = &added,
     .bytes = 1,
     .available = is_there,
     .run = WABE_RUN(stream_collide, counting_stream_collide)}};

/* ---- with it and without ------------------------------------------------------------ */

static uint64_t hash_with(const wabe_registry *registry, case_name name, int64_t *chunks,
                          const char **kernel) {
    const wabe_component component = wabe_component_detect(2);
    const test_case c = case_make(name, 21, 9, 7);
    const wabe_geometry geometry = case_geometry(&c);
    wabe_lbm_model model = case_model(&c, WABE_LATTICE_d3q19, WABE_TYPE_f64, WABE_COLLISION_trt,
                                      WABE_STREAMING_in_place);
    const wabe_box block = {.end = {c.cells[0], c.cells[1], c.cells[2]}};
    wabe_profile profile = {0};
    wabe_schedule schedule = {.profile = &profile};
    wabe_lbm_slab *lbm = NULL;
    uint64_t hash = 0;
    assert_int_equal(wabe_lbm_create(registry, &component, &model, &geometry, block, block, NULL,
                                     &lbm),
                     WABE_OK);
    assert_int_equal(wabe_lbm_initialise(lbm, case_initial, NULL), WABE_OK);
    wabe_lbm_schedule(1, &lbm, &schedule);
    for (int step = 0; step < STEPS; step++)
        wabe_schedule_run(&schedule);
    assert_int_equal(wabe_lbm_hash(lbm, &hash), WABE_OK);
    *chunks = lbm->tiles->regions[WABE_REGION_INNER].chunk_count;
    *kernel = lbm->kernels[WABE_LBM_STREAM_COLLIDE]->name;
    wabe_lbm_destroy(&lbm);
    return hash;
}

static wabe_registry extended(void) {
    wabe_registry registry = *wabe_kernels();
    registry.tables[registry.table_count++] = (wabe_kernel_table){1, added_rows};
    return registry;
}

static void an_added_row_is_taken_and_run(void **state) {
    (void)state;
    const wabe_component component = wabe_component_detect(2);
    const wabe_lbm_attributes wanted = {.collision = WABE_COLLISION_trt,
                                        .streaming = WABE_STREAMING_in_place};
    const wabe_kernel_request request = {.sweep = &wabe_sweep_stream_collide,
                                         .storage = WABE_TYPE_f64,
                                         .attributes = &wanted,
                                         .name_part = ""};
    assert_int_equal(wabe_registry_select(wabe_kernels(), &component, &request, &imitated),
                     WABE_OK);
    const wabe_registry with = extended();
    int64_t chunks;
    const char *kernel;
    const uint64_t plain = hash_with(wabe_kernels(), CASE_CAVITY, &chunks, &kernel);
    assert_string_equal(kernel, imitated->name);
    assert_int_equal(chunks_done, 0);
    assert_true(hash_with(&with, CASE_CAVITY, &chunks, &kernel) == plain);
    assert_string_equal(kernel, added_rows[0].name);
    assert_int_equal(chunks_done, STEPS * chunks);
}

/* It does not treat pressure boundaries: a case that has some takes another row. */
static void an_added_row_is_left_where_it_does_not_fit(void **state) {
    (void)state;
    const wabe_registry with = extended();
    int64_t chunks;
    const char *kernel;
    chunks_done = 0;
    hash_with(&with, CASE_MIXED, &chunks, &kernel);
    assert_string_equal(kernel, imitated->name);
    assert_int_equal(chunks_done, 0);
}

/* ---- an added sweep ----------------------------------------------------------------- */

static wabe_grid_model seepage_model(const wabe_kernel *kernel, const int64_t cells[3],
                                     bool walls) {
    static const wabe_wall mirrors[6] = {{1.0, 0.0}, {1.0, 0.0}, {1.0, 0.0},
                                         {1.0, 0.0}, {1.0, 0.0}, {1.0, 0.0}};
    wabe_grid_model model = wabe_diffusion_model(kernel->storage, cells,
                                                 (const bool[3]){!walls, !walls, !walls}, mirrors,
                                                 false, kernel->name);
    model.sweeps[0].sweep = kernel->sweep;
    return model;
}

static int seepage_fills;

static wabe_status seepage_fill(wabe_grid_slab *slab) {
    wabe_diffusion_set(slab, 0.125);
    seepage_fills++;
    return WABE_OK;
}

static const wabe_grid_sample seepage = {.application = "seepage",
                                         .walls = true,
                                         .model = seepage_model,
                                         .fill = seepage_fill};
static const wabe_sweep seep = {.name = "seep",
                                .text = "diffusion by another name",
                                .reads = "values",
                                .writes = "values",
                                .halo = 1,
                                .exchanged = true,
                                .args_size = sizeof(wabe_diffuse_args),
                                .family = &wabe_stencil_family,
                                .sample = &seepage};

static const wabe_kernel *add_seep(const wabe_component *component) {
    static wabe_kernel row;
    const wabe_kernel_table table = {1, &row};
    const wabe_kernel_request request = {.sweep = &wabe_sweep_diffuse,
                                         .storage = WABE_TYPE_f64,
                                         .name_part = ""};
    const wabe_kernel *plain;
    assert_int_equal(wabe_registry_select(wabe_kernels(), component, &request, &plain), WABE_OK);
    row = *plain;
    row.name = "seep.f64";
    row.sweep = &seep;
    wabe_kernels_add(&table);
    return &row;
}

static bool is_measured(const wabe_machine *machine, const wabe_sweep *sweep, bool walls) {
    const wabe_machine_flavour flavour = {.storage = WABE_TYPE_f64,
                                          .fluid = 1.0,
                                          .work = {.bytes = 16.0, .flops = 13.0},
                                          .application = wabe_machine_application(sweep),
                                          .steps = 2,
                                          .walls = walls};
    bool measured;
    wabe_machine_model(machine, 0, &flavour, 1.0, 1.0, &measured);
    return measured;
}

static void an_added_sweep_is_measured_and_in_machine_files(void **state) {
    (void)state;
    const wabe_component component = wabe_component_detect(1);
    const int diffusion = wabe_machine_application(&wabe_sweep_diffuse);
    wabe_machine_kernel kernels[2];
    wabe_machine read, machine = {.name = "here",
                                  .component_count = 1,
                                  .components = {{.name = "cpu",
                                                  .target = WABE_TARGET_cpu,
                                                  .count = 1,
                                                  .threads = 1,
                                                  .memory = 1e9,
                                                  .processor = {.bandwidth = 1e9, .peak = 1e9},
                                                  .efficiency = 1.0,
                                                  .buffers.bandwidth = 1e9,
                                                  .one_thread = 1.0}},
                                  .kernel_count = 2,
                                  .kernels = kernels};
    char file[] = "/tmp/wabe_machine_XXXXXX";
    assert_int_equal(wabe_machine_application(&seep), WABE_MACHINE_NONE);
    const wabe_kernel *kernel = add_seep(&component);
    assert_int_equal(wabe_machine_application(&wabe_sweep_diffuse), diffusion);
    assert_int_equal(wabe_machine_application(&wabe_sweep_diffuse_varied), WABE_MACHINE_NONE);
    assert_int_equal(wabe_probe_grid(&component, kernel, 12, true, 2, kernels), WABE_OK);
    assert_int_equal(seepage_fills, 1);
    close(mkstemp(file));
    assert_int_equal(wabe_machine_write(&machine, file, ""), WABE_OK);
    assert_int_equal(wabe_machine_read(MPI_COMM_SELF, file, &read), WABE_OK);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(read.kernel_count, 2);
    assert_true(is_measured(&read, &seep, true));
    assert_false(is_measured(&read, &seep, false));
    assert_false(is_measured(&read, &wabe_sweep_diffuse, true));
    wabe_machine_free(&read);
}

int main(int argc, char *argv[]) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_added_row_is_taken_and_run),
        cmocka_unit_test(an_added_row_is_left_where_it_does_not_fit),
        cmocka_unit_test(an_added_sweep_is_measured_and_in_machine_files),
    };
    MPI_Init(&argc, &argv);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
