/* A kernel that is added by one function and one row: registry and simulation take it as it is. */
#include "apps/runtime/kernels.h"
#include "sweeps/cell/lattice.h"
#include "sweeps/lbm.h"
#include "tests/conformance/cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

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
    wabe_lbm_model model = case_model(&c, WABE_TYPE_f64, WABE_COLLISION_trt,
                                      WABE_STREAMING_in_place);
    const wabe_box block = {.end = {c.cells[0], c.cells[1], c.cells[2]}};
    wabe_profile profile = {0};
    wabe_schedule schedule = {.profile = &profile};
    wabe_lbm *lbm = NULL;
    uint64_t hash = 0;
    assert_int_equal(wabe_lbm_create(registry, &component, &model, &geometry, block, block, &lbm),
                     WABE_OK);
    assert_int_equal(wabe_lbm_initialise(lbm, case_initial, NULL), WABE_OK);
    wabe_lbm_schedule(1, &lbm, &schedule);
    for (int step = 0; step < STEPS; step++)
        wabe_schedule_run(&schedule);
    assert_int_equal(wabe_lbm_hash(lbm, c.cells, &hash), WABE_OK);
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

int main(int argc, char *argv[]) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_added_row_is_taken_and_run),
        cmocka_unit_test(an_added_row_is_left_where_it_does_not_fit),
    };
    MPI_Init(&argc, &argv);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
