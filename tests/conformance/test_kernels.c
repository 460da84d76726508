/* Every kernel of the registry that this processor can run, or a GPU, held against the plain solver
 * of scalar_lbm.c, and against its relatives bit for bit.
 *
 *   test_kernels [emulated|gpu] */
#include "apps/lbm/simulation.h"
#include "apps/runtime/kernels.h"
#include "core/registry/transfer.h"
#include "sweeps/cell/lattice.h"
#include "tests/conformance/bench.h"
#include "tests/conformance/cases.h"
#include "tests/conformance/half.h"
#include "tests/conformance/scalar_lbm.h"
#include "tests/conformance/state.h"
#include "tests/full.h"
#include "tests/larger.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* The second has ghost rows with whole tiles that GPUs work on, too: few enough for its rows. */
static const int64_t sizes[][3] = {{19, 7, 5}, {33, 35, 3}, {16, 1, 3}, {1, 4, 1}};
static const int64_t several_columns[3] = {70, 8, 34}; /* of pattern moments, along each axis */
enum { SIZES = sizeof sizes / sizeof sizes[0], LARGEST = 1, STEPS = 4 };
static int hash_steps(void) { return test_is_full() ? 20 : 10; }
static int long_steps(void) { return test_is_full() ? 200 : 30; }

/* Rounding: a step adds a few roundings of sums as large as the largest moment, and collisions with
 * tau > 1/2 do not let them grow; so the deviation from the reference after n steps may be
 * ROUNDINGS (n + 1) eps times the largest moment. Seen: less than a third of it. */
#define ROUNDINGS 8.0

/* Halves are rounded by kernel and reference alike. They differ where the rounding of floats tips a
 * few of them to the other side: by 2^-10 of a population, which ROUNDINGS of these are. */
static double epsilon(wabe_type type) {
    return type == WABE_TYPE_f64 ? DBL_EPSILON : type == WABE_TYPE_f32 ? FLT_EPSILON : 0x1p-13;
}

/* Prints and counts: a test goes on to the next kernel, and fails at its end. */
#define EXPECT(failures, condition, ...)                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (failures)++;                                                                          \
            print_error("line %d: %s: ", __LINE__, #condition);                                    \
            print_error(__VA_ARGS__);                                                              \
            print_error("\n");                                                                     \
        }                                                                                          \
    } while (0)

/* ---- simulations -------------------------------------------------------------------- */

/* How a case is computed. */
typedef struct {
    int threads; /* of each slab, if a processor has it */
    int slabs;
    bool overlap; /* of the exchange between them */
    int rows;     /* of panels, through which passes go; 0: there are none */
} manner;

static const manner plain = {.threads = 1, .slabs = 1};

static wabe_component component_of(const wabe_kernel *row, int threads) {
    wabe_component component = wabe_component_detect(threads);
    component.instruction_set = row->instruction_set;
    if (row->target == WABE_TARGET_gpu)
        assert_int_equal(hardware_gpu(0, &component), WABE_OK);
    return component;
}

/* For slabs of so many planes in all. */
static wabe_components components_of(const wabe_kernel *row, manner how, int64_t planes) {
    wabe_components c = {.count = how.slabs};
    for (int i = 0; i < how.slabs; i++) {
        c.list[i] = component_of(row, how.threads);
        c.list[i].first_thread = i * how.threads;
        c.planes[i] = planes * (i + 1) / how.slabs - planes * i / how.slabs;
    }
    return c;
}

/* All sweeps on cells are done by kernels of the instruction set of this row. */
static void check_choice(const wabe_lbm_slab *lbm, const wabe_kernel *row) {
    assert_ptr_equal(lbm->kernels[WABE_LBM_STREAM_COLLIDE], row);
    for (int sweep = WABE_LBM_INITIALISE; sweep <= WABE_LBM_HASH; sweep++)
        assert_int_equal(lbm->kernels[sweep]->instruction_set, row->instruction_set);
}

/* The case on one process, in its initial state, by the kernel of this row. */
static wabe_simulation *simulate(const test_case *c, const wabe_kernel *row, manner how) {
    wabe_simulation_options options = {.model = case_model(c, wabe_lbm_attributes_of(row)->lattice,
                                                           row->storage,
                                                           wabe_lbm_attributes_of(row)->collision,
                                                           wabe_lbm_attributes_of(row)->streaming),
                                       .geometry = case_geometry(c),
                                       .overlap = how.overlap,
                                       .communicate = true};
    options.model.kernel = row->name;
    options.model.residency.rows = how.rows;
    options.model.residency.steps_per_pass = how.rows > 0 ? 3 : 0;
    wabe_simulation *s = NULL;
    const wabe_components components = components_of(row, how, c->cells[2]);
    const wabe_status status = wabe_simulation_create(MPI_COMM_SELF, &options, &components, &s);
    if (status != WABE_OK)
        fail_msg("%s", wabe_error_message());
    for (int i = 0; i < how.slabs; i++)
        check_choice(s->slabs[i], row);
    assert_int_equal(wabe_simulation_initialise(s, case_initial, NULL), WABE_OK);
    return s;
}

/* The hashes before and after the last of the steps, an odd and an even one. */
typedef struct {
    uint64_t before, after;
} hashes;

static bool equal(hashes a, hashes b) { return a.before == b.before && a.after == b.after; }

static hashes hash_after(const test_case *c, const wabe_kernel *row, manner how, int steps) {
    wabe_simulation *s = simulate(c, row, how);
    hashes h = {0};
    for (int step = 0; step < steps; step++) {
        wabe_simulation_step(s);
        h.before = h.after;
        if (step + 2 >= steps)
            assert_int_equal(wabe_simulation_hash(s, &h.after), WABE_OK);
    }
    wabe_simulation_destroy(&s);
    return h;
}

/* The rows of stream_collide that can be run on the processor, or on the GPU under test, one after
 * the other. */
static const wabe_kernel *next_row(wabe_target target, int *index) {
    while (*index < wabe_registry_count(wabe_kernels())) {
        const wabe_kernel *row = wabe_registry_row(wabe_kernels(), (*index)++);
        if (row->sweep != &wabe_sweep_stream_collide || row->target != target)
            continue;
        wabe_component component = wabe_component_detect(1);
        if (target == WABE_TARGET_gpu)
            component = component_of(row, 1);
        const char *why;
        if (row->available(&component, &why))
            return row;
    }
    return NULL;
}

static wabe_target target_under_test(void) {
    return hardware_gpus > 0 ? WABE_TARGET_gpu : WABE_TARGET_cpu;
}

#define FOR_ROWS_ON(target, row)                                                                   \
    int row##_index = 0;                                                                           \
    for (const wabe_kernel *row; (row = next_row(target, &row##_index)) != NULL;)

#define FOR_ROWS(row) FOR_ROWS_ON(target_under_test(), row)

static bool holds_moments(const wabe_kernel *row) {
    return wabe_lbm_attributes_of(row)->streaming == WABE_STREAMING_moments;
}

/* What does not depend on the collision is tested with two of them. */
static bool stands_for_others(const wabe_kernel *row) {
    const wabe_collision_operator collision = wabe_lbm_attributes_of(row)->collision;
    return collision == WABE_COLLISION_trt || collision == WABE_COLLISION_recursive_regularized;
}

/* In the short form, what stands for others is tested in full; emulated GPUs have the same plain
 * loops for all. */
static bool is_wanted_in_full(const wabe_kernel *row) {
    /* Cumulants have the files of kernels that D3Q19's moments have. */
    const bool alike = wabe_lbm_attributes_of(row)->collision == WABE_COLLISION_cumulant;
    return (test_is_full() && !hardware_emulated && !alike) || stands_for_others(row);
}

/* In the short form each storage, streaming pattern, lattice and collision has every second of some
 * cases, so that all pairs of one of these with a case are tested, but not all combinations. */
static bool is_covered(const wabe_kernel *row, int index) {
    const wabe_lbm_attributes *a = wabe_lbm_attributes_of(row);
    return test_is_full() ||
           ((int)row->storage + (int)a->streaming + (int)a->lattice + (int)a->collision + index) %
                   2 ==
               0;
}

/* The row that differs from this one as asked, NULL if there is none here. */
static const wabe_kernel *relative(const wabe_kernel *of, wabe_streaming streaming,
                                   wabe_instruction_set set) {
    FOR_ROWS_ON(set == WABE_INSTRUCTION_SET_cuda ? WABE_TARGET_gpu : WABE_TARGET_cpu, row)
    if (row->storage == of->storage &&
        wabe_lbm_attributes_of(row)->lattice == wabe_lbm_attributes_of(of)->lattice &&
        wabe_lbm_attributes_of(row)->collision == wabe_lbm_attributes_of(of)->collision &&
        wabe_lbm_attributes_of(row)->streaming == streaming && row->instruction_set == set)
        return row;
    return NULL;
}

/* With fused multiply-adds all hardware has the bits of this set: AVX2, or AVX-512 in a build
 * without it. Baseline x86-64 has none, and so other bits. */
static wabe_instruction_set base_set(void) {
    FOR_ROWS_ON(WABE_TARGET_cpu, row)
    if (row->instruction_set == WABE_INSTRUCTION_SET_avx2)
        return WABE_INSTRUCTION_SET_avx2;
    return WABE_INSTRUCTION_SET_avx512;
}

/* The row of that set that this one has the bits of; NULL for the row itself. */
static const wabe_kernel *base_of(const wabe_kernel *row) {
    const wabe_instruction_set base = base_set();
    if (row->instruction_set <= base)
        return NULL;
    return relative(row, wabe_lbm_attributes_of(row)->streaming, base);
}

/* ---- against the reference ---------------------------------------------------------- */

static scalar_lbm reference_of(const wabe_geometry *geometry, const wabe_lbm_model *model) {
    static double rheology[WABE_RHEOLOGY_ROWS][WABE_RHEOLOGY_COEFFICIENTS];
    const bool varies = model->rheology.model != WABE_RHEOLOGY_NONE;
    if (varies)
        wabe_rheology_table(&model->rheology, rheology[0]);
    scalar_lbm r = {.geometry = geometry,
                    .populations = wabe_lattice_flow(model->lattice),
                    .carried_populations = wabe_lattice_count(model->lattice) -
                                           wabe_lattice_flow(model->lattice),
                    .diffusivity = model->scalar.diffusivity,
                    .carried_magic = model->scalar.magic,
                    .collision = (scalar_collision)(model->collision - WABE_COLLISION_srt),
                    .smagorinsky = model->smagorinsky,
                    .bulk_is_one = model->bulk_is_one,
                    .corrects = model->corrects,
                    .rheology = varies ? rheology : NULL,
                    .schmidt = model->smagorinsky > 0.0 ? model->scalar.turbulent_schmidt : 1.0,
                    .tau = model->tau,
                    .magic = model->magic,
                    .moments = model->streaming == WABE_STREAMING_moments,
                    .from_float = model->type != WABE_TYPE_f64,
                    .halves = model->type == WABE_TYPE_f16};
    memcpy(r.force, model->force, sizeof r.force);
    memcpy(r.buoyancy, model->scalar.buoyancy, sizeof r.buoyancy);
    scalar_lbm_create(&r);
    scalar_lbm_initialise(&r, case_initial, NULL);
    return r;
}

#define FOR_CELLS(cells, cell)                                                                     \
    for (int64_t cell[3] = {0, 0, 0}; cell[2] < (cells)[2]; cell[2]++)                             \
        for (cell[1] = 0; cell[1] < (cells)[1]; cell[1]++)                                         \
            for (cell[0] = 0; cell[0] < (cells)[0]; cell[0]++)

static double largest_moment(const scalar_lbm *r) {
    double largest = 0.0;
    FOR_CELLS(r->geometry->cells, cell) {
        double m[SCALAR_MOMENTS];
        scalar_lbm_moments(r, cell, m);
        for (int k = 0; k < SCALAR_MOMENTS && scalar_lbm_is_fluid(r, cell); k++)
            largest = larger(largest, fabs(m[k]));
    }
    return largest;
}

static double *read_moments(const wabe_lbm_slab *lbm, wabe_box box) {
    double *moments =
        malloc((size_t)(WABE_MOMENTS_GIVEN * wabe_box_cells(box) + WABE_TILE) * sizeof *moments);
    assert_non_null(moments);
    assert_int_equal(wabe_lbm_moments(lbm, box, WABE_MOMENTS_GIVEN, moments), WABE_OK);
    return moments;
}

/* Of the reference: population q of a lattice. */
static double sent(const scalar_lbm *r, wabe_lattice lattice, const int64_t cell[3], int q) {
    const int *e = wabe_lattice_e(lattice, q);
    return q < wabe_lattice_flow(lattice) ? scalar_lbm_sent(r, cell, e)
                                          : scalar_lbm_carried_sent(r, cell, e);
}
static double collided(const scalar_lbm *r, wabe_lattice lattice, const int64_t cell[3], int q) {
    const int *e = wabe_lattice_e(lattice, q);
    return q < wabe_lattice_flow(lattice) ? scalar_lbm_collided(r, cell, e)
                                          : scalar_lbm_carried_collided(r, cell, e);
}

/* The largest deviation of populations and moments of fluid cells; obstacles must be at rest. */
static double deviation(const wabe_lbm_slab *lbm, const scalar_lbm *r) {
    const int64_t *cells = r->geometry->cells;
    const int64_t count = cells[0] * cells[1] * cells[2];
    const wabe_lattice lattice = lbm->model.lattice;
    double *moments = read_moments(lbm, lbm->block), largest = 0.0;
    state_copy p = state_read(lbm);
    FOR_CELLS(cells, cell) {
        const int64_t n = cell[0] + cells[0] * (cell[1] + cells[1] * cell[2]);
        double m[SCALAR_MOMENTS] = {0};
        const bool fluid = scalar_lbm_is_fluid(r, cell);
        if (fluid)
            scalar_lbm_moments(r, cell, m);
        for (int q = 0; q < wabe_lattice_count(lattice) && fluid; q++)
            largest = larger(largest, fabs(state_sent(&p, cell, q) - sent(r, lattice, cell, q)));
        for (int k = 0; k < SCALAR_MOMENTS; k++) {
            const double value = moments[k * count + n];
            largest = larger(largest, fabs(value - m[k]) * fluid);
        }
    }
    state_free(&p);
    free(moments);
    return largest;
}

static double worst[WABE_TYPE_end];

/* Rows whose runs one reference run stands for: that takes longer than theirs. */
enum { ALIKE_MAX = 16 };
typedef struct {
    int count;
    const wabe_kernel *rows[ALIKE_MAX];
} alike;

/* Do two rows have the same model, and the same faces of each case? */
static bool are_alike(const wabe_kernel *a, const wabe_kernel *b) {
    const wabe_streaming s = wabe_lbm_attributes_of(a)->streaming,
                         t = wabe_lbm_attributes_of(b)->streaming;
    bool same = a->storage == b->storage && holds_moments(a) == holds_moments(b) &&
                wabe_lbm_attributes_of(a)->lattice == wabe_lbm_attributes_of(b)->lattice &&
                wabe_lbm_attributes_of(a)->collision == wabe_lbm_attributes_of(b)->collision;
    for (int kind = 0; kind < WABE_BOUNDARY_end; kind++)
        same &= case_has_face(s, (wabe_boundary)kind) == case_has_face(t, (wabe_boundary)kind);
    return same;
}

static int compare_step(const wabe_kernel *row, const wabe_lbm_slab *lbm,
                        const scalar_lbm *reference, const char *name, int step) {
    int failures = 0;
    const int64_t *size = reference->geometry->cells;
    const double unit = (step + 1) * epsilon(row->storage) * largest_moment(reference);
    const double found = deviation(lbm, reference);
    worst[row->storage] = fmax(worst[row->storage], found / unit);
    EXPECT(failures, found <= ROUNDINGS * unit,
           "%s, %s, %lld x %lld x %lld, step %d: off by %.3g, %.3g allowed", row->name, name,
           (long long)size[0], (long long)size[1], (long long)size[2], step, found,
           ROUNDINGS * unit);
    return failures;
}

static int compare_case(const alike *group, case_name name, const int64_t size[3]) {
    int failures = 0;
    const test_case c = case_for(wabe_lbm_attributes_of(group->rows[0])->streaming, name, size[0],
                                 size[1], size[2]);
    const wabe_geometry geometry = case_geometry(&c);
    wabe_simulation *runs[ALIKE_MAX];
    for (int i = 0; i < group->count; i++)
        runs[i] = simulate(&c, group->rows[i], plain);
    scalar_lbm reference = reference_of(&geometry, &runs[0]->slabs[0]->model);
    for (int step = 0; step <= STEPS && !failures; step++) {
        for (int i = 0; i < group->count; i++) {
            failures += compare_step(group->rows[i], runs[i]->slabs[0], &reference,
                                     case_words[name], step);
            wabe_simulation_step(runs[i]);
        }
        scalar_lbm_step(&reference);
    }
    scalar_lbm_destroy(&reference);
    for (int i = 0; i < group->count; i++)
        wabe_simulation_destroy(&runs[i]);
    return failures;
}

/* The first of these rows, and those alike, which are taken out. */
static alike take_alike(const wabe_kernel *rows[], int *count) {
    alike group = {0};
    int left = 0;
    const wabe_kernel *first = rows[0];
    for (int i = 0; i < *count; i++)
        if (group.count < ALIKE_MAX && are_alike(first, rows[i]))
            group.rows[group.count++] = rows[i];
        else
            rows[left++] = rows[i];
    *count = left;
    return group;
}

/* The rows under test that are wanted. Returns how many. */
enum { ROWS_MAX = 512 };
static int collect(const wabe_kernel *rows[ROWS_MAX], bool (*is_wanted)(const wabe_kernel *row)) {
    int count = 0;
    FOR_ROWS(row)
    if (is_wanted(row)) {
        assert_true(count < ROWS_MAX);
        rows[count++] = row;
    }
    return count;
}

/* Emulated GPUs have the bits of CPUs (see same_bits), which agree. */
static bool may_disagree(const wabe_kernel *row) {
    return !hardware_emulated || base_of(row) == NULL;
}

static void agrees_with_reference(void **state) {
    (void)state;
    const wabe_kernel *rows[ROWS_MAX];
    int failures = 0, count = collect(rows, may_disagree), compared = 0;
    while (count > 0) {
        const alike group = take_alike(rows, &count);
        compared += group.count;
        for (int name = 0; name < CASE_COUNT; name++)
            for (int i = 0; i < SIZES; i++)
                if (i != LARGEST ||
                    (is_wanted_in_full(group.rows[0]) && is_covered(group.rows[0], name)))
                    failures += compare_case(&group, (case_name)name, sizes[i]);
        if (holds_moments(group.rows[0]) && is_wanted_in_full(group.rows[0]))
            failures += compare_case(&group, CASE_MIXED, several_columns);
    }
    print_message("%d kernels, at most %.2f, %.2f, %.2f (n + 1) eps of f64, f32, f16\n", compared,
                  worst[WABE_TYPE_f64], worst[WABE_TYPE_f32], worst[WABE_TYPE_f16]);
    assert_int_equal(failures, 0);
    assert_true(compared > 0 || hardware_emulated);
}

static bool may_have_wall_functions(const wabe_kernel *row) {
    const wabe_lbm_attributes *a = wabe_lbm_attributes_of(row);
    return wabe_is_regularized(a->collision) && a->streaming != WABE_STREAMING_list;
}

static bool may_have_solid_wall_functions(const wabe_kernel *row) {
    return may_have_wall_functions(row) && !holds_moments(row);
}

/* Two of them that meet, a mirror, and a sponge over all. One is so rough that its law has more
 * friction than a linear profile in some cells. */
static test_case with_wall_functions(void) {
    test_case c = case_make(CASE_CAVITY, 19, 9, 8);
    for (int face = 0; face < WABE_FACES; face++)
        c.conditions[face] = (wabe_condition){.kind = WABE_BOUNDARY_periodic};
    c.conditions[2] = (wabe_condition){.kind = WABE_BOUNDARY_wall_function, .roughness = 0.45};
    c.conditions[3].kind = WABE_BOUNDARY_free_slip;
    c.conditions[5] = (wabe_condition){.kind = WABE_BOUNDARY_wall_function, .roughness = 0.1};
    c.conditions[4] =
        (wabe_condition){.kind = WABE_BOUNDARY_pressure, .sponge_width = 6, .sponge_strength = 0.4};
    case_add(&c, (wabe_object){.low = {3, 0, 5}, .high = {6, 4, 9}},
             case_condition(WABE_BOUNDARY_no_slip, 0, 0, 0));
    case_add(&c, (wabe_object){.low = {9, 0, 1}, .high = {14, 1, 4}},
             case_condition(WABE_BOUNDARY_no_slip, 0, 0, 0));
    c.force[0] = 1e-30; /* so that there is a subgrid model */
    c.tau = 0.51;       /* so small that the sponge has more viscosity */
    return c;
}

/* Beside them, solids with flat walls, edges, corners and a gap of one cell, some across a periodic
 * face, and one that is no wall function. */
static test_case with_solid_wall_functions(void) {
    const wabe_condition law = {.kind = WABE_BOUNDARY_no_slip, .has_law = true, .roughness = 0.07};
    test_case c = with_wall_functions();
    c.object_count = 0;
    case_add(&c, (wabe_object){.low = {3, 0, 5}, .high = {6, 4, 9}}, law);
    case_add(&c, (wabe_object){.low = {7, 2, 5}, .high = {12, 6, 7}}, law);
    case_add(&c, (wabe_object){.low = {-1, 4, 2}, .high = {2, 7, 4}}, law);
    case_add(&c, (wabe_object){.low = {17, 4, 2}, .high = {20, 7, 4}}, law);
    case_add(&c, (wabe_object){.low = {9, 0, 1}, .high = {14, 1, 4}},
             case_condition(WABE_BOUNDARY_no_slip, 0, 0, 0));
    return c;
}

static int compare_walls(const test_case *c, bool (*wanted)(const wabe_kernel *row)) {
    const wabe_geometry geometry = case_geometry(c);
    const wabe_kernel *rows[ROWS_MAX];
    int failures = 0;
    const int count = collect(rows, wanted);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        wabe_simulation *run = simulate(c, rows[i], plain);
        scalar_lbm reference = reference_of(&geometry, &run->slabs[0]->model);
        for (int step = 0; step <= STEPS && !failures; step++) {
            failures += compare_step(rows[i], run->slabs[0], &reference, "wall functions", step);
            wabe_simulation_step(run);
            scalar_lbm_step(&reference);
        }
        scalar_lbm_destroy(&reference);
        wabe_simulation_destroy(&run);
    }
    return failures;
}

static void wall_functions_agree_with_reference(void **state) {
    (void)state;
    const test_case faces = with_wall_functions(), solids = with_solid_wall_functions();
    assert_int_equal(compare_walls(&faces, may_have_wall_functions), 0);
    assert_int_equal(compare_walls(&solids, may_have_solid_wall_functions), 0);
}

static void lists_what_is_missing(void **state) {
    (void)state;
    const wabe_component component = wabe_component_detect(1);
    for (int i = 0; i < wabe_registry_count(wabe_kernels()); i++) {
        const wabe_kernel *row = wabe_registry_row(wabe_kernels(), i);
        const char *why = NULL;
        if (!row->available(&component, &why)) {
            assert_non_null(why);
            print_message("not run: %s: %s\n", row->name, why);
        }
    }
}

/* The reference itself must notice: a wall condition that is off by little is no rounding. */
static void reference_tells_cases_apart(void **state) {
    (void)state;
    int index = 0;
    const wabe_kernel *row = next_row(target_under_test(), &index);
    const test_case c = case_make(CASE_CHANNEL, 19, 7, 5);
    test_case other = c;
    other.conditions[1].density *= 1.0 + 1e-6;
    const wabe_geometry geometry = case_geometry(&other);
    wabe_simulation *s = simulate(&c, row, plain);
    scalar_lbm reference = reference_of(&geometry, &s->slabs[0]->model);
    wabe_simulation_step(s);
    scalar_lbm_step(&reference);
    assert_true(deviation(s->slabs[0], &reference) >
                2 * ROUNDINGS * epsilon(row->storage) * largest_moment(&reference));
    scalar_lbm_destroy(&reference);
    wabe_simulation_destroy(&s);
}

/* What a kernel stores as a half lies within half a unit of its last place of what the reference
 * computes from the same halves, but for the rounding of floats; so it was rounded once, to the
 * nearest. */
static int compare_halves(const wabe_lbm_slab *lbm, scalar_lbm *r) {
    const wabe_lattice lattice = lbm->model.lattice;
    int failures = 0;
    state_copy p = state_read(lbm);
    const double float_rounding = ROUNDINGS * FLT_EPSILON * largest_moment(r);
    FOR_CELLS(r->geometry->cells, cell) {
        for (int q = 0; q < wabe_lattice_count(lattice) && scalar_lbm_is_fluid(r, cell); q++) {
            const double found = state_sent(&p, cell, q);
            const double exact = collided(r, lattice, cell, q);
            const double unit = ldexp(0x1p-10, found == 0.0 ? -29 : ilogb(found));
            EXPECT(failures, fabs(found - exact) <= 0.5 * fmax(unit, 0x1p-39) + float_rounding,
                   "population %d: %a, not %a", q, found, exact);
        }
    }
    state_free(&p);
    return failures;
}

/* The reference goes on from what the kernel has stored. */
static void take_state(const wabe_lbm_slab *lbm, scalar_lbm *r) {
    const wabe_lattice lattice = lbm->model.lattice;
    state_copy p = state_read(lbm);
    FOR_CELLS(r->geometry->cells, cell) {
        for (int q = 0; q < wabe_lattice_count(lattice) && scalar_lbm_is_fluid(r, cell); q++)
            (q < wabe_lattice_flow(lattice) ? scalar_lbm_replace : scalar_lbm_carried_replace)(
                r, cell, wabe_lattice_e(lattice, q), state_sent(&p, cell, q));
    }
    state_free(&p);
}

static void halves_are_rounded_once(void **state) {
    (void)state;
    int failures = 0;
    test_case c = case_make(CASE_OBSTACLES, 33, 9, 6);
    c.source_count = 0;                      /* small sums of what is half rounded */
    for (int i = 0; i < c.object_count; i++) /* these return what is stored, and round nothing */
        c.conditions[WABE_FACES + i] = case_condition(WABE_BOUNDARY_no_slip, 0, 0, 0);
    const wabe_geometry geometry = case_geometry(&c);
    FOR_ROWS(row) {
        if (row->storage != WABE_TYPE_f16 || holds_moments(row))
            continue;
        wabe_simulation *s = simulate(&c, row, plain);
        scalar_lbm reference = reference_of(&geometry, &s->slabs[0]->model);
        for (int step = 0; step < STEPS && !failures; step++) {
            take_state(s->slabs[0], &reference);
            wabe_simulation_step(s);
            scalar_lbm_step(&reference);
            failures += compare_halves(s->slabs[0], &reference);
        }
        scalar_lbm_destroy(&reference);
        wabe_simulation_destroy(&s);
    }
    assert_int_equal(failures, 0);
}

/* ---- drag --------------------------------------------------------------------------- */

static wabe_monitor_result monitor_of(wabe_simulation *s) {
    wabe_monitor_result found;
    assert_int_equal(wabe_simulation_monitor(s, &found), WABE_OK);
    return found;
}

/* Links add up to the drag in the same state, but for the rounding of each: to double (moments: of
 * the rebuilt populations), and to a multiple of 2^-60, of which there are 10 at most for each cell
 * and axis. */
static int compare_drag(wabe_simulation *s, scalar_lbm *r, const char *name) {
    int failures = 0;
    double expected[3];
    take_state(s->slabs[0], r);
    const wabe_monitor_result found = monitor_of(s);
    const wabe_kernel *row = s->slabs[0]->kernels[WABE_LBM_STREAM_COLLIDE];
    const double rounding = holds_moments(row) ? ROUNDINGS * epsilon(row->arithmetic)
                                               : 2.0 * DBL_EPSILON;
    const double allowed = rounding * scalar_lbm_drag(r, expected) +
                           10.0 * (double)found.cells * 0x1p-60;
    for (int d = 0; d < 3; d++)
        EXPECT(failures, fabs(wabe_sum_value(found.drag[d]) - expected[d]) <= allowed,
               "%s, axis %d: %.17g instead of %.17g, %.2g allowed", name, d,
               wabe_sum_value(found.drag[d]), expected[d], allowed);
    return failures;
}

/* Before the first step, and after odd and even ones, on all kinds of boundaries. */
static void drag_is_the_sum_over_links(void **state) {
    (void)state;
    int failures = 0;
    FOR_ROWS(row)
    for (int name = 0; name < CASE_COUNT && is_wanted_in_full(row); name++) {
        if (!is_covered(row, name))
            continue;
        const test_case c = case_for(wabe_lbm_attributes_of(row)->streaming, (case_name)name, 19, 7,
                                     5);
        const wabe_geometry geometry = case_geometry(&c);
        wabe_simulation *s = simulate(&c, row, plain);
        scalar_lbm reference = reference_of(&geometry, &s->slabs[0]->model);
        for (int step = 0; step <= STEPS; step++) {
            failures += compare_drag(s, &reference, case_words[name]);
            wabe_simulation_step(s);
        }
        EXPECT(failures, failures == 0, "%s", row->name);
        scalar_lbm_destroy(&reference);
        wabe_simulation_destroy(&s);
    }
    assert_int_equal(failures, 0);
}

/* In a closed or periodic domain a step adds the force to the momentum and takes the drag of the
 * state before away; collisions keep it. Momentum is that of the last collision: the half of the
 * force that it lacks is the same before and after. Rounding as above: of every cell, once.
 *
 * Of regularized collisions the first step also takes momentum from cells at walls, and every 64th
 * one after it (wabe_damp_at_walls): these are left out. */
static void momentum_goes_into_drag(void **state) {
    (void)state;
    static const case_name names[] = {CASE_CAVITY, CASE_OBSTACLES};
    int failures = 0;
    FOR_ROWS(row)
    for (int i = 0; i < 2 && row->storage == WABE_TYPE_f64; i++) {
        test_case c = case_make(names[i], 33, 9, 6);
        c.source_count = 0; /* what a source gives off exerts its force from the next step on */
        wabe_simulation *s = simulate(&c, row, plain);
        for (int step = 0; step < STEPS; step++) {
            const wabe_monitor_result before = monitor_of(s);
            wabe_simulation_step(s);
            const wabe_monitor_result after = monitor_of(s);
            const double cells = (double)before.cells;
            const bool damped = step == 0 &&
                                wabe_is_regularized(wabe_lbm_attributes_of(row)->collision);
            for (int d = 0; d < 3 && !damped; d++) {
                const double gained = wabe_sum_value(after.momentum[d]) -
                                      wabe_sum_value(before.momentum[d]);
                /* A scalar's force acts by half before and after its transport. */
                const double scalar = 0.5 * (wabe_sum_value(before.scalar_amount) +
                                             wabe_sum_value(after.scalar_amount));
                const double expected = c.force[d] * cells - wabe_sum_value(before.drag[d]) +
                                        s->options.model.scalar.buoyancy[d] * scalar;
                EXPECT(failures, fabs(gained - expected) <= ROUNDINGS * DBL_EPSILON * 0.02 * cells,
                       "%s, %s, step %d, axis %d: momentum grows by %.17g instead of %.17g",
                       row->name, case_words[names[i]], step, d, gained, expected);
            }
        }
        wabe_simulation_destroy(&s);
    }
    assert_int_equal(failures, 0);
}

/* ---- bits --------------------------------------------------------------------------- */

static int same_bits(const wabe_kernel *a, const wabe_kernel *b, const char *what) {
    int failures = 0;
    for (int name = 0; name < CASE_COUNT && b; name++)
        for (int i = 0; i < SIZES; i++) {
            if (i == LARGEST && !(is_wanted_in_full(b) && is_covered(b, name)))
                continue;
            const test_case c = case_for(wabe_lbm_attributes_of(b)->streaming, (case_name)name,
                                         sizes[i][0], sizes[i][1], sizes[i][2]);
            EXPECT(failures,
                   equal(hash_after(&c, a, plain, hash_steps()),
                         hash_after(&c, b, plain, hash_steps())),
                   "%s: %s and %s, %s, size %d", what, a->name, b->name, case_words[name], i);
        }
    return failures;
}

static void patterns_have_equal_bits(void **state) {
    (void)state;
    int failures = 0;
    FOR_ROWS(row)
    if (stands_for_others(row) && wabe_lbm_attributes_of(row)->streaming == WABE_STREAMING_pull)
        for (int s = WABE_STREAMING_pull + 1; s < WABE_STREAMING_moments; s++)
            failures += same_bits(row, relative(row, (wabe_streaming)s, row->instruction_set),
                                  "patterns");
    assert_int_equal(failures, 0);
}

static void instruction_sets_have_equal_bits(void **state) {
    (void)state;
    int failures = 0;
    FOR_ROWS(row)
    failures += same_bits(row, base_of(row), "instruction sets");
    assert_int_equal(failures, 0);
}

typedef struct {
    uint64_t hash;
    wabe_monitor_result monitor;
    double *moments; /* to be freed */
} outcome;

static outcome outcome_of(const test_case *c, const wabe_kernel *row) {
    outcome found;
    wabe_simulation *s = simulate(c, row, plain);
    for (int step = 0; step < long_steps(); step++)
        wabe_simulation_step(s);
    assert_int_equal(wabe_simulation_hash(s, &found.hash), WABE_OK);
    assert_int_equal(wabe_simulation_monitor(s, &found.monitor), WABE_OK);
    found.moments = read_moments(s->slabs[0], s->domain.block);
    wabe_simulation_destroy(&s);
    return found;
}

/* Everything that a run can give has the same bits; nothing has gone wrong in it. */
static int same_outcome(const test_case *c, const wabe_kernel *a, const wabe_kernel *b) {
    int failures = 0;
    const size_t values = (size_t)(4 * c->cells[0] * c->cells[1] * c->cells[2]);
    const outcome first = outcome_of(c, a), second = outcome_of(c, b);
    EXPECT(failures, first.monitor.broken == 0 && first.monitor.speed_squared > 0.0, "%s", a->name);
    EXPECT(failures, first.hash == second.hash, "hash: %s and %s", a->name, b->name);
    EXPECT(failures, case_same_monitor(&first.monitor, &second.monitor), "sums: %s and %s", a->name,
           b->name);
    EXPECT(failures, memcmp(first.moments, second.moments, values * sizeof(double)) == 0,
           "moments: %s and %s", a->name, b->name);
    free(first.moments);
    free(second.moments);
    return failures;
}

/* All hardware with fused multiply-adds, on everything from closed to wide open, in long runs. */
static void hardware_has_equal_bits(void **state) {
    (void)state;
    int failures = 0, pairs = 0;
    FOR_ROWS(row) {
        const wabe_kernel *other = is_wanted_in_full(row) ? base_of(row) : NULL;
        for (int name = 0; name < CASE_COUNT && other; name++) {
            const test_case c = case_for(wabe_lbm_attributes_of(row)->streaming, (case_name)name,
                                         19, 7, 5);
            const int found = same_outcome(&c, other, row);
            EXPECT(failures, found == 0, "%s", case_words[name]);
            pairs++;
        }
    }
    print_message("%d pairs of runs compared\n", pairs);
    assert_int_equal(failures, 0);
}

static int check_manner(const test_case *c, const wabe_kernel *row, manner how,
                        const hashes *alone) {
    int failures = 0;
    EXPECT(failures, equal(hash_after(c, row, how, 9), *alone),
           "%s: %d threads, %d slabs, overlap %d", row->name, how.threads, how.slabs, how.overlap);
    return failures;
}

/* Passes of three steps through panels of a few rows; between walls, since images and periodic axes
 * have none. */
static int check_panels(const wabe_kernel *row, case_name name) {
    int failures = 0;
    test_case c = case_for(WABE_STREAMING_in_place, name, 43, 31, 12);
    for (int face = 0; face < WABE_FACES; face++)
        if ((WABE_MIRRORS | 1u << WABE_BOUNDARY_periodic) >> c.conditions[face].kind & 1)
            c.conditions[face].kind = WABE_BOUNDARY_no_slip;
    wabe_simulation *s = simulate(&c, row, (manner){.threads = 2, .slabs = 1, .rows = 7});
    uint64_t hash;
    EXPECT(failures, s->slabs[0]->driver.panels.chunks != NULL, "%s, %s", row->name,
           case_words[name]);
    for (int steps = 3; steps > 0; steps--) { /* 6 in all */
        s->slabs[0]->passes.steps = steps;
        wabe_simulation_step(s);
    }
    assert_int_equal(wabe_simulation_hash(s, &hash), WABE_OK);
    EXPECT(failures, hash == hash_after(&c, row, plain, 6).after, "%s, %s: panels", row->name,
           case_words[name]);
    wabe_simulation_destroy(&s);
    return failures;
}

static void panels_have_equal_bits(void **state) {
    (void)state;
    int failures = 0;
    FOR_ROWS_ON(WABE_TARGET_cpu, row)
    if (wabe_lbm_attributes_of(row)->streaming == WABE_STREAMING_in_place &&
        stands_for_others(row) && target_under_test() == WABE_TARGET_cpu)
        for (int name = 0; name < CASE_COUNT; name++)
            failures += is_covered(row, name) ? check_panels(row, (case_name)name) : 0;
    assert_int_equal(failures, 0);
}

static void threads_and_slabs_have_equal_bits(void **state) {
    (void)state;
    int failures = 0;
    FOR_ROWS(row)
    if (stands_for_others(row))
        for (int name = 0; name < CASE_COUNT; name++) {
            if (!is_covered(row, name))
                continue;
            const test_case c = case_for(wabe_lbm_attributes_of(row)->streaming, (case_name)name,
                                         43, 9, 6);
            const hashes alone = hash_after(&c, row, plain, 9);
            const int threads = row->target == WABE_TARGET_cpu ? 3 : 1;
            if (threads > 1)
                failures += check_manner(&c, row, (manner){threads, 1, false, 0}, &alone);
            for (int slabs = 2; slabs <= 3; slabs++)
                failures += check_manner(&c, row, (manner){1, slabs, true, 0}, &alone);
            failures += check_manner(&c, row, (manner){1, 2, false, 0}, &alone);
            if (threads > 1)
                failures += check_manner(&c, row, (manner){threads, 2, true, 0}, &alone);
            EXPECT(failures, failures == 0, "%s", case_words[name]);
        }
    assert_int_equal(failures, 0);
}

/* A case without periodic faces, so without exchange; its inner region is the given box. */
static uint64_t hash_of_split(const test_case *c, const wabe_kernel *row, wabe_box inner) {
    const wabe_component component = component_of(row, 2);
    const wabe_geometry geometry = case_geometry(c);
    wabe_lbm_model model = case_model(c, wabe_lbm_attributes_of(row)->lattice, row->storage,
                                      wabe_lbm_attributes_of(row)->collision,
                                      wabe_lbm_attributes_of(row)->streaming);
    model.kernel = row->name;
    const wabe_box block = {.end = {c->cells[0], c->cells[1], c->cells[2]}};
    wabe_profile profile = {0};
    wabe_schedule schedule = {.profile = &profile};
    wabe_lbm_slab *lbm = NULL;
    assert_int_equal(wabe_lbm_create(wabe_kernels(), &component, &model, &geometry, block, inner,
                                     NULL, &lbm),
                     WABE_OK);
    assert_int_equal(wabe_lbm_initialise(lbm, case_initial, NULL), WABE_OK);
    wabe_lbm_schedule(1, &lbm, &schedule);
    for (int step = 0; step < 9; step++)
        wabe_schedule_run(&schedule);
    uint64_t hash;
    assert_int_equal(wabe_lbm_hash(lbm, &hash), WABE_OK);
    wabe_lbm_destroy(&lbm);
    return hash;
}

static void regions_have_equal_bits(void **state) {
    (void)state;
    static const wabe_box inner[] = {{{1, 1, 1}, {42, 8, 5}}, {{5, 2, 3}, {19, 7, 4}},
                                     {{0, 0, 0}, {43, 9, 3}}, {{17, 0, 0}, {18, 9, 6}},
                                     {{0, 0, 0}, {0, 0, 0}},  {{30, 5, 5}, {10, 2, 2}}};
    static const case_name closed[] = {CASE_CAVITY, CASE_CHANNEL};
    int failures = 0;
    FOR_ROWS(row)
    if (stands_for_others(row))
        for (int k = 0; k < 2; k++) {
            if (!is_covered(row, k))
                continue;
            const test_case c = case_for(wabe_lbm_attributes_of(row)->streaming, closed[k], 43, 9,
                                         6);
            const uint64_t whole = hash_of_split(&c, row, (wabe_box){.end = {43, 9, 6}});
            EXPECT(failures, whole == hash_after(&c, row, plain, 9).after, "%s", row->name);
            for (size_t i = 0; i < sizeof inner / sizeof inner[0]; i++)
                EXPECT(failures, hash_of_split(&c, row, inner[i]) == whole, "%s, %s, split %d",
                       row->name, case_words[closed[k]], (int)i);
        }
    assert_int_equal(failures, 0);
}

/* ---- moments and sums --------------------------------------------------------------- */

/* How many moments its state has. */
static int count_of(const wabe_kernel *row) {
    return wabe_lattice_has_scalar(wabe_lbm_attributes_of(row)->lattice) ? WABE_MOMENTS_GIVEN : 4;
}

/* What is initialised is what macroscopic finds. */
static int round_trip(const wabe_kernel *row, case_name name) {
    int failures = 0;
    const test_case c = case_for(wabe_lbm_attributes_of(row)->streaming, name, 33, 9, 6);
    wabe_simulation *s = simulate(&c, row, plain);
    const wabe_box box = {{3, 2, 1}, {30, 8, 5}};
    const int64_t count = wabe_box_cells(box);
    double *found = read_moments(s->slabs[0], box), most = 0.0;
    int64_t n = 0;
    for (int64_t z = box.begin[2]; z < box.end[2]; z++)
        for (int64_t y = box.begin[1]; y < box.end[1]; y++)
            for (int64_t x = box.begin[0]; x < box.end[0]; x++, n++) {
                double m[WABE_MOMENTS_GIVEN];
                case_initial(NULL, (int64_t[3]){x, y, z}, m);
                for (int k = 0; k < count_of(row); k++)
                    most = larger(most, fabs(found[k * count + n] - m[k]));
            }
    EXPECT(failures, most < 0.02 * ROUNDINGS * epsilon(row->storage), "%s: off by %g", row->name,
           most);
    free(found);
    wabe_simulation_destroy(&s);
    return failures;
}

static void moments_make_the_round_trip(void **state) {
    (void)state;
    int failures = 0;
    FOR_ROWS(row)
    failures += round_trip(row, CASE_CAVITY) + round_trip(row, CASE_MIXED);
    assert_int_equal(failures, 0);
}

/* The largest deviation of a scalar's flux after a step. */
static double flux_deviation(const wabe_lbm_slab *lbm, const scalar_lbm *r) {
    const wabe_quantity quantity = {WABE_OUTPUT_scalar_flux_x, 3, 0.0, 1.0};
    double *found = malloc((size_t)(3 * wabe_box_cells(lbm->block)) * sizeof *found), most = 0.0;
    assert_non_null(found);
    assert_int_equal(wabe_lbm_quantity(lbm, &quantity, lbm->block, 1, WABE_TYPE_f64, found),
                     WABE_OK);
    FOR_CELLS(r->geometry->cells, cell) {
        const double *here = found + 3 * wabe_box_place(lbm->block, cell[0], cell[1], cell[2]);
        double right[3] = {0.0};
        if (scalar_lbm_is_fluid(r, cell))
            scalar_lbm_carried_flux(r, cell, right);
        for (int d = 0; d < 3; d++)
            most = larger(most, fabs(here[d] - right[d]));
    }
    free(found);
    return most;
}

/* How far a flux of a scalar may be off since the kernels find the eddy viscosity, and with it the
 * diffusivity, without the force's share (see check_viscous): by a relaxation time off by some u F.
 */
static double flux_by_force(const wabe_lbm_model *model, double largest) {
    double off = 0.0;
    for (int d = 0; d < 3 && model->smagorinsky > 0.0; d++)
        off += 6.0 * largest * largest *
               (fabs(model->force[d]) + largest * fabs(model->scalar.buoyancy[d]));
    return off;
}

/* The flux is found from what the collision leaves of it, a third here. */
static void finds_the_flux_of_a_scalar(void **state) {
    (void)state;
    int failures = 0;
    FOR_ROWS(row) {
        if (!wabe_lattice_has_scalar(wabe_lbm_attributes_of(row)->lattice) ||
            row->storage == WABE_TYPE_f16)
            continue;
        const test_case c = case_make(CASE_OBSTACLES, 33, 9, 6);
        const wabe_geometry geometry = case_geometry(&c);
        wabe_simulation *s = simulate(&c, row, plain);
        scalar_lbm reference = reference_of(&geometry, &s->slabs[0]->model);
        for (int step = 0; step < STEPS; step++) {
            wabe_simulation_step(s);
            scalar_lbm_step(&reference);
        }
        const double most = flux_deviation(s->slabs[0], &reference);
        const double largest = largest_moment(&reference);
        const double allowed = 3.0 * STEPS * ROUNDINGS * epsilon(row->storage) * largest +
                               flux_by_force(&s->slabs[0]->model, largest);
        EXPECT(failures, most <= allowed, "%s: the flux is off by %.3g, %.3g allowed", row->name,
               most, allowed);
        scalar_lbm_destroy(&reference);
        wabe_simulation_destroy(&s);
    }
    assert_int_equal(failures, 0);
}

/* The largest deviation of stress and eddy viscosity after a step. */
static double viscous_deviation(const wabe_lbm_slab *lbm, const scalar_lbm *r) {
    const int64_t *cells = r->geometry->cells;
    const wabe_quantity quantity = {WABE_OUTPUT_stress_xx, 7, 0.0, 1.0};
    double *found = malloc((size_t)(7 * wabe_box_cells(lbm->block)) * sizeof *found), most = 0.0;
    assert_non_null(found);
    assert_int_equal(wabe_lbm_quantity(lbm, &quantity, lbm->block, 1, WABE_TYPE_f64, found),
                     WABE_OK);
    FOR_CELLS(cells, cell) {
        const double *here = found + 7 * wabe_box_place(lbm->block, cell[0], cell[1], cell[2]);
        double right[7] = {0.0};
        if (scalar_lbm_is_fluid(r, cell))
            scalar_lbm_viscous(r, cell, right, &right[6]);
        for (int k = 0; k < 7; k++)
            most = larger(most, fabs(here[k] - right[k]));
    }
    free(found);
    return most;
}

/* The kernels find the eddy viscosity from what the collision has left without the force's share
 * (see wabe_cell_viscous), which is a difference of the order of u F. Not after a step
 * that takes momentum at walls (WABE_DAMPED_STEPS), and so changes u u. */
static int check_viscous(const wabe_kernel *row, case_name name) {
    int failures = 0;
    const test_case c = case_for(wabe_lbm_attributes_of(row)->streaming, name, 43, 9, 6);
    const wabe_geometry geometry = case_geometry(&c);
    wabe_simulation *s = simulate(&c, row, plain);
    const wabe_lbm_model *model = &s->slabs[0]->model;
    if (model->rheology.model != WABE_RHEOLOGY_NONE) { /* then collisions do not tell the stress */
        wabe_simulation_destroy(&s);
        return 0;
    }
    scalar_lbm reference = reference_of(&geometry, model);
    for (int step = 0; step < STEPS; step++) {
        wabe_simulation_step(s);
        scalar_lbm_step(&reference);
    }
    const double largest = largest_moment(&reference);
    double allowed = 4 * ROUNDINGS * epsilon(row->storage) * largest;
    for (int d = 0; d < 3 && model->smagorinsky > 0.0; d++)
        allowed += 0.5 * largest * fabs(model->force[d]);
    if (model->corrects) /* which changes what the collision leaves by the order of u^2 of itself */
        allowed += largest * largest * largest;
    /* Sponges and curved walls change the amount of a scalar that is carried after the collision,
     * by the order of u, and with it the force. */
    for (int d = 0; d < 3 && wabe_lattice_carries(model->lattice); d++)
        allowed += largest * largest * largest * fabs(model->scalar.buoyancy[d]);
    const double found = viscous_deviation(s->slabs[0], &reference);
    EXPECT(failures, found <= allowed, "%s, %s: stress off by %.3g, %.3g allowed", row->name,
           case_words[name], found, allowed);
    scalar_lbm_destroy(&reference);
    wabe_simulation_destroy(&s);
    return failures;
}

static void stress_is_that_of_the_reference(void **state) {
    (void)state;
    int failures = 0;
    FOR_ROWS(row)
    if (stands_for_others(row) ||
        wabe_lbm_attributes_of(row)->collision == WABE_COLLISION_srt_smagorinsky)
        for (int k = 0; k < 2; k++)
            failures += is_covered(row, k) ? check_viscous(row, k ? CASE_MIXED : CASE_CAVITY) : 0;
    assert_int_equal(failures, 0);
}

typedef struct {
    double mass, energy, momentum[3], speed_squared, scalar, scalar_amount, scalar_flux[3];
    int64_t cells;
} totals;

static totals totals_of(const scalar_lbm *r) {
    totals t = {0};
    FOR_CELLS(r->geometry->cells, cell) {
        if (!scalar_lbm_is_fluid(r, cell))
            continue;
        double m[SCALAR_MOMENTS], flux[3];
        scalar_lbm_moments(r, cell, m);
        scalar_lbm_carried_flux(r, cell, flux);
        const double square = m[1] * m[1] + m[2] * m[2] + m[3] * m[3];
        t.mass += m[0] + scalar_lbm_taken(r, cell);
        t.energy += 0.5 * square;
        for (int d = 0; d < 3; d++)
            t.momentum[d] += m[1 + d];
        t.scalar += m[4];
        t.scalar_amount += r->carried_populations == 19 ? (1.0 + m[0]) * m[4] : m[4];
        for (int d = 0; d < 3; d++)
            t.scalar_flux[d] += flux[d];
        t.speed_squared = fmax(t.speed_squared, square);
        t.cells++;
    }
    return t;
}

static int compare_sums(wabe_simulation *s, const scalar_lbm *reference, case_name name) {
    int failures = 0;
    const wabe_kernel *row = s->slabs[0]->kernels[WABE_LBM_STREAM_COLLIDE];
    const totals t = totals_of(reference);
    const wabe_monitor_result r = monitor_of(s);
    const double off = 4 * ROUNDINGS * epsilon(row->storage) * largest_moment(reference) *
                       (double)t.cells;
    EXPECT(failures, r.cells == t.cells && r.broken == 0, "%s: %lld cells", row->name,
           (long long)r.cells);
    EXPECT(failures, fabs(wabe_sum_value(r.mass) - t.mass) < off, "%s", row->name);
    EXPECT(failures, fabs(wabe_sum_value(r.energy) - t.energy) < off, "%s", row->name);
    for (int d = 0; d < 3; d++)
        EXPECT(failures, fabs(wabe_sum_value(r.momentum[d]) - t.momentum[d]) < off, "%s",
               row->name);
    EXPECT(failures, fabs(wabe_sum_value(r.scalar) - t.scalar) < off, "%s", row->name);
    EXPECT(failures, fabs(wabe_sum_value(r.scalar_amount) - t.scalar_amount) < off, "%s",
           row->name);
    /* A sponge's velocity is another one after it. */
    const bool sponges = name == CASE_CHANNEL || name == CASE_MIXED;
    const double flux_off = 3.0 * off + (double)t.cells * flux_by_force(&s->slabs[0]->model,
                                                                        largest_moment(reference));
    for (int d = 0; d < 3 && reference->carried_populations && !sponges; d++)
        EXPECT(failures, fabs(wabe_sum_value(r.scalar_flux[d]) - t.scalar_flux[d]) < flux_off, "%s",
               row->name);
    const int64_t fastest[3] = {r.fastest % 43, r.fastest / 43 % 9, r.fastest / 43 / 9};
    double m[SCALAR_MOMENTS];
    scalar_lbm_moments(reference, fastest, m);
    const double square = m[1] * m[1] + m[2] * m[2] + m[3] * m[3];
    EXPECT(failures, fabs(r.speed_squared - t.speed_squared) < off, "%s", row->name);
    EXPECT(failures, fabs(square - t.speed_squared) < off, "%s", row->name);
    return failures;
}

/* After three steps, of one slab and of two. */
static int check_monitor(const alike *group, case_name name) {
    static const manner manners[] = {{.threads = 2, .slabs = 1}, {2, 2, true, 0}};
    enum { MANNERS = sizeof manners / sizeof manners[0] };
    int failures = 0;
    test_case c = case_for(wabe_lbm_attributes_of(group->rows[0])->streaming, name, 43, 9, 6);
    c.source_count = 0; /* the reference's flux is that of the collision, before sources */
    const wabe_geometry geometry = case_geometry(&c);
    scalar_lbm reference = {0};
    for (int i = 0; i < MANNERS * group->count; i++) {
        wabe_simulation *s = simulate(&c, group->rows[i / MANNERS], manners[i % MANNERS]);
        if (i == 0)
            reference = reference_of(&geometry, &s->slabs[0]->model);
        for (int step = 0; step < 3; step++) {
            wabe_simulation_step(s);
            if (i == 0)
                scalar_lbm_step(&reference);
        }
        failures += compare_sums(s, &reference, name);
        wabe_simulation_destroy(&s);
    }
    scalar_lbm_destroy(&reference);
    return failures;
}

/* Other CPUs have the sums of the base set: see hardware_has_equal_bits. */
static bool has_sums_of_its_own(const wabe_kernel *row) {
    return stands_for_others(row) && (row->target != WABE_TARGET_cpu || base_of(row) == NULL);
}

static void monitor_adds_up(void **state) {
    (void)state;
    const wabe_kernel *rows[ROWS_MAX];
    int failures = 0, count = collect(rows, has_sums_of_its_own);
    while (count > 0) {
        const alike group = take_alike(rows, &count);
        for (int name = 0; name < CASE_COUNT; name++)
            if (is_covered(group.rows[0], name))
                failures += check_monitor(&group, (case_name)name);
    }
    assert_int_equal(failures, 0);
}

/* Puts a value where a cell's population has left it. */
static void put_population(const wabe_lbm_slab *lbm, const int64_t cell[3], int q, double value) {
    union {
        double f64;
        float f32;
        uint16_t f16;
    } number = {.f64 = value};
    if (lbm->model.type == WABE_TYPE_f32)
        number.f32 = (float)value;
    if (lbm->model.type == WABE_TYPE_f16)
        number.f16 = half_stored(value);
    const int64_t size = (int64_t)state_number_size(lbm);
    state_copy copy = state_read(lbm);
    const int64_t at = lbm->form == WABE_STATE_POPULATIONS
                           ? state_place(&copy, cell, q)
                           : wabe_layout_place(&lbm->stored, 0, cell[0], cell[1], cell[2]);
    char *to = (char *)wabe_lbm_state(lbm)->data + at * size;
    state_free(&copy);
    assert_int_equal(wabe_memory_write(lbm->component, lbm->timeline.streams[WABE_REGION_OUTER], to,
                                       &number, size),
                     WABE_OK);
}

/* NAN, infinity and nonsense are counted, and the first such cell is named. */
static int check_broken(const wabe_kernel *row) {
    int failures = 0;
    const double nonsense[3] = {NAN, -INFINITY, 1e3};
    const int64_t cells[3][3] = {{41, 7, 3}, {2, 5, 2}, {42, 8, 5}};
    const test_case c = case_make(CASE_CAVITY, 43, 9, 6);
    wabe_simulation *s = simulate(&c, row, (manner){.threads = 2, .slabs = 1});
    for (int i = 0; i < 3; i++)
        put_population(s->slabs[0], cells[i], WABE_Q_ne, nonsense[i]);
    wabe_monitor_result r;
    assert_int_equal(wabe_simulation_monitor(s, &r), WABE_OK);
    EXPECT(failures, r.broken == 3, "%s: %lld", row->name, (long long)r.broken);
    EXPECT(failures, r.first_broken == 2 + 43 * (5 + 9 * 2), "%s: %lld", row->name,
           (long long)r.first_broken);
    wabe_simulation_destroy(&s);
    return failures;
}

static void monitor_finds_what_is_broken(void **state) {
    (void)state;
    int failures = 0;
    FOR_ROWS(row)
    failures += check_broken(row);
    assert_int_equal(failures, 0);
}

/* Obstacles, also wider than a tile, show no trace of the initial state or of the force. */
static int check_rest(const wabe_kernel *row, case_name name) {
    int failures = 0;
    test_case c = case_for(wabe_lbm_attributes_of(row)->streaming, name, 80, 6, 6);
    case_add(&c, (wabe_object){.low = {10, -1, -1}, .high = {70, 4, 4}},
             case_condition(WABE_BOUNDARY_no_slip, 0, 0, 0));
    wabe_simulation *s = simulate(&c, row, plain);
    const wabe_box box = {{30, 1, 1}, {50, 2, 2}};
    for (int step = 0; step <= 3; step++) {
        double m[WABE_MOMENTS_GIVEN * 20 + WABE_TILE], most = 0.0;
        assert_int_equal(wabe_lbm_moments(s->slabs[0], box, WABE_MOMENTS_GIVEN, m), WABE_OK);
        for (int i = 0; i < WABE_MOMENTS_GIVEN * 20; i++)
            most = larger(most, fabs(m[i]));
        EXPECT(failures, most == 0.0, "%s, %s: %g in a wall after %d steps", row->name,
               case_words[name], most, step);
        wabe_simulation_step(s);
    }
    wabe_simulation_destroy(&s);
    return failures;
}

static void obstacles_are_at_rest(void **state) {
    (void)state;
    int failures = 0;
    FOR_ROWS(row)
    failures += check_rest(row, CASE_CAVITY) + check_rest(row, CASE_MIXED);
    assert_int_equal(failures, 0);
}

/* ---- packing ------------------------------------------------------------------------ */

enum { FIELD = 3000, PITCH = 13, PLANE = 143, SEGMENTS = 4, NUMBERS_MAX = 256 };

/* Boxes of a field of 3000 numbers, one after the other in the buffer. Returns their numbers. */
static int64_t make_segments(wabe_segment segments[SEGMENTS], char *buffer, size_t size) {
    static const int64_t counts[SEGMENTS][3] = {{5, 3, 4}, {1, 7, 1}, {12, 1, 2}, {1, 1, 1}};
    static const int64_t offsets[SEGMENTS] = {17, 600, 901, 2999};
    int64_t numbers = 0;
    for (int i = 0; i < SEGMENTS; i++) {
        segments[i] = (wabe_segment){.offset = offsets[i],
                                     .count = {counts[i][0], counts[i][1], counts[i][2]},
                                     .first = numbers,
                                     .buffer = buffer + numbers * (int64_t)size};
        numbers += counts[i][0] * counts[i][1] * counts[i][2];
    }
    return numbers;
}

/* The number's index in the field for each place of the buffer. */
static void list_numbers(const wabe_segment *segments, int64_t *indices) {
    for (int i = 0; i < SEGMENTS; i++)
        for (int64_t z = 0; z < segments[i].count[2]; z++)
            for (int64_t y = 0; y < segments[i].count[1]; y++)
                for (int64_t x = 0; x < segments[i].count[0]; x++)
                    *indices++ = segments[i].offset + x + y * PITCH + z * PLANE;
}

/* Numbers of size bytes: the first bytes of value, which fits 16 bits. */
static void put(char *numbers, size_t size, int64_t at, int16_t value) {
    memset(numbers + at * (int64_t)size, 0, size);
    memcpy(numbers + at * (int64_t)size, &value, sizeof value);
}

static int get(const char *numbers, size_t size, int64_t at) {
    int16_t value;
    memcpy(&value, numbers + at * (int64_t)size, sizeof value);
    return value;
}

/* Has the row move the numbers between field and buffer, memory of the host, in calls of so many.
 */
static void move(const wabe_kernel *row, char *field, char *buffer, const uint32_t *mask,
                 const uint32_t *places, int64_t piece) {
    bench b = bench_open();
    const size_t size = wabe_type_size(row->storage);
    wabe_segment list[SEGMENTS];
    char *there = bench_put(&b, field, FIELD * size);
    char *buffer_there = bench_put(&b, buffer, NUMBERS_MAX * size);
    const int64_t numbers = make_segments(list, buffer_there, size);
    wabe_segment *segments = bench_put(&b, list, sizeof list);
    uint32_t *mask_there = mask ? bench_put(&b, mask, NUMBERS_MAX / 8) : NULL;
    uint32_t *at = places ? bench_put(&b, places, NUMBERS_MAX * sizeof *places) : NULL;
    const wabe_pack_args pack = {there, {.pitch = PITCH, .plane = PLANE}, SEGMENTS, segments, at};
    const wabe_unpack_args unpack = {there,      {.pitch = PITCH, .plane = PLANE},
                                     SEGMENTS,   segments,
                                     mask_there, at};
    const bool packs = row->sweep == &wabe_sweep_pack;
    for (int64_t begin = 0; begin < numbers; begin += piece)
        bench_run(&b, row, packs ? (const void *)&pack : &unpack, begin,
                  begin + piece < numbers ? begin + piece : numbers);
    bench_read(&b, field, there, FIELD * size);
    bench_read(&b, buffer, buffer_there, NUMBERS_MAX * size);
    bench_free(&b, there);
    bench_free(&b, buffer_there);
    bench_free(&b, segments);
    bench_free(&b, mask_there);
    bench_free(&b, at);
    bench_close(&b);
}

static bool is_wanted(const uint32_t *mask, int64_t i) {
    return !mask || (mask[i / 32] >> i % 32 & 1);
}

static int check_move(const wabe_kernel *row, int64_t piece, const uint32_t *mask) {
    int failures = 0;
    const size_t size = wabe_type_size(row->storage);
    wabe_segment segments[SEGMENTS];
    int64_t indices[NUMBERS_MAX];
    char *field = malloc(FIELD * size), *buffer = malloc(NUMBERS_MAX * size);
    const int64_t elements = make_segments(segments, buffer, size);
    list_numbers(segments, indices);
    for (int64_t i = 0; i < FIELD; i++)
        put(field, size, i, (int16_t)(i + 1));
    for (int64_t i = 0; i < NUMBERS_MAX; i++)
        put(buffer, size, i, (int16_t) - (i + 1));
    move(row, field, buffer, mask, NULL, piece);
    const bool packed = row->sweep == &wabe_sweep_pack;
    for (int64_t i = 0; i < NUMBERS_MAX; i++)
        EXPECT(failures,
               get(buffer, size, i) == (packed && i < elements ? indices[i] + 1 : -(i + 1)),
               "%s: buffer %d", row->name, (int)i);
    for (int64_t i = 0; i < elements; i++) {
        const int64_t wanted = packed || !is_wanted(mask, i) ? indices[i] + 1 : -(i + 1);
        EXPECT(failures, get(field, size, indices[i]) == wanted, "%s: field %d", row->name, (int)i);
        put(field, size, indices[i], (int16_t)(indices[i] + 1));
    }
    for (int64_t i = 0; i < FIELD; i++)
        EXPECT(failures, get(field, size, i) == i + 1, "%s: other number %d", row->name, (int)i);
    free(field);
    free(buffer);
    return failures;
}

/* Numbers that stand anywhere, and some nowhere. */
static int check_places(const wabe_kernel *row, int64_t piece) {
    int failures = 0;
    const size_t size = wabe_type_size(row->storage);
    wabe_segment segments[SEGMENTS];
    uint32_t places[NUMBERS_MAX];
    int expected[FIELD];
    char *field = malloc(FIELD * size), *buffer = malloc(NUMBERS_MAX * size);
    const int64_t elements = make_segments(segments, buffer, size);
    for (int i = 0; i < FIELD; i++) {
        expected[i] = i + 1;
        put(field, size, i, (int16_t)(i + 1));
    }
    for (int i = 0; i < NUMBERS_MAX; i++) {
        places[i] = i % 7 == 3 ? WABE_NO_INDEX : (uint32_t)(FIELD - 1 - i * 7);
        put(buffer, size, i, (int16_t) - (i + 1));
    }
    move(row, field, buffer, NULL, places, piece);
    for (int i = 0; i < elements; i++) {
        const bool nowhere = places[i] == WABE_NO_INDEX;
        if (row->sweep == &wabe_sweep_pack)
            EXPECT(failures, get(buffer, size, i) == (nowhere ? 0 : expected[places[i]]),
                   "%s: buffer %d", row->name, i);
        else if (!nowhere)
            expected[places[i]] = -(i + 1);
    }
    for (int i = 0; i < FIELD; i++)
        EXPECT(failures, get(field, size, i) == expected[i], "%s: field %d", row->name, i);
    free(field);
    free(buffer);
    return failures;
}

/* GPUs leave out the numbers that a mask does not want. */
static void packing_moves_the_right_numbers(void **state) {
    (void)state;
    int failures = 0, rows = 0;
    uint32_t mask[NUMBERS_MAX / 32];
    for (int i = 0; i < NUMBERS_MAX / 32; i++)
        mask[i] = 0x9a3d70e5u + (uint32_t)i * 0x10204081u;
    for (int i = 0; i < wabe_registry_count(wabe_kernels()); i++) {
        const wabe_kernel *row = wabe_registry_row(wabe_kernels(), i);
        const bool unpacks = row->sweep == &wabe_sweep_unpack;
        if ((row->sweep != &wabe_sweep_pack && !unpacks) || row->target != target_under_test())
            continue;
        rows++;
        for (int64_t piece = 1; piece < 32; piece += 5) {
            failures += check_move(row, piece, NULL);
            failures += check_places(row, piece);
            if (unpacks && row->target == WABE_TARGET_gpu)
                failures += check_move(row, piece, mask);
        }
    }
    assert_int_equal(failures, 0);
    assert_true(rows >= 6);
}

int main(int argc, char *argv[]) {
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_reference),
        cmocka_unit_test(wall_functions_agree_with_reference),
        cmocka_unit_test(halves_are_rounded_once),
        cmocka_unit_test(lists_what_is_missing),
        cmocka_unit_test(reference_tells_cases_apart),
        cmocka_unit_test(drag_is_the_sum_over_links),
        cmocka_unit_test(momentum_goes_into_drag),
        cmocka_unit_test(patterns_have_equal_bits),
        cmocka_unit_test(instruction_sets_have_equal_bits),
        cmocka_unit_test(hardware_has_equal_bits),
        cmocka_unit_test(threads_and_slabs_have_equal_bits),
        cmocka_unit_test(panels_have_equal_bits),
        cmocka_unit_test(regions_have_equal_bits),
        cmocka_unit_test(moments_make_the_round_trip),
        cmocka_unit_test(finds_the_flux_of_a_scalar),
        cmocka_unit_test(stress_is_that_of_the_reference),
        cmocka_unit_test(monitor_adds_up),
        cmocka_unit_test(monitor_finds_what_is_broken),
        cmocka_unit_test(obstacles_are_at_rest),
        cmocka_unit_test(packing_moves_the_right_numbers),
    };
    int code = hardware_choose(argc, argv, 1);
    if (code == 0)
        code = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return code;
}
