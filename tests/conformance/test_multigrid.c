/* Multigrid cycles: how exact their solution is, and how many it takes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sweeps/stencil/multigrid.h"
#include "tests/conformance/slab.h"
#include "tests/full.h"

#define PI 3.14159265358979323846

enum { P, B, W, FIELDS };

/* A box of cells: a drop in its middle, of a fifth of the box's length along x in radius, whose
 * density is ratio times that around it; or bubbles of 1 to 2.5 cells in radius all over it, of a
 * density that is 1 / ratio of that around them. */
typedef struct {
    int64_t n[3];
    double ratio;
    bool bubbles;
    bool manufactured; /* b is that of a product of cosines; otherwise noise */
    double mean;       /* of the noise, which b is without: walls let nothing through */
    int number;        /* of a row: b, then w */
} problem;

static double at(const problem *m, const int64_t cell[3], int axis) {
    return m->n[axis] == 1 ? 0.5 : ((double)cell[axis] + 0.5) / (double)m->n[axis];
}

static double solution(const problem *m, const int64_t cell[3]) {
    double product = 1.0;
    for (int axis = 0; axis < 3; axis++)
        product *= m->n[axis] > 1 ? cos(PI * at(m, cell, axis)) : 1.0;
    return product;
}

static double axes_of(const problem *m) { return m->n[2] > 1 ? 3.0 : 2.0; }

static double noise(const int64_t cell[3]) {
    return sin(12.9898 * (double)cell[0] + 78.233 * (double)cell[1] + 37.719 * (double)cell[2]);
}

/* One in each block of 8 cells an axis. */
static bool is_in_bubble(const problem *m, const int64_t cell[3]) {
    double square = 0.0;
    int64_t block[3];
    for (int axis = 0; axis < 3; axis++)
        block[axis] = cell[axis] / 8;
    for (int axis = 0; axis < 3; axis++) {
        const int64_t other[3] = {block[0] + 3 * axis, block[1] + 1, block[2] + 7};
        const double middle = 4.0 + 2.0 * noise(other);
        square += m->n[axis] > 1 ? pow((double)(cell[axis] % 8) + 0.5 - middle, 2.0) : 0.0;
    }
    return square < pow(1.75 + 0.75 * noise(block), 2.0);
}

static double density(const problem *m, const int64_t cell[3]) {
    if (m->bubbles)
        return is_in_bubble(m, cell) ? 1.0 / m->ratio : 1.0;
    double square = 0.0; /* of the distance from the middle, in cells */
    for (int axis = 0; axis < 3; axis++)
        square += pow((at(m, cell, axis) - 0.5) * (double)m->n[axis], 2.0);
    const double away = sqrt(square) - 0.2 * (double)m->n[0];
    return 1.0 + (m->ratio - 1.0) * (0.5 - 0.5 * tanh(away / 1.5));
}

/* The right-hand side times h^2. */
static double right_side(const problem *m, const int64_t cell[3]) {
    const double h = 1.0 / (double)m->n[0];
    return m->manufactured ? -axes_of(m) * PI * PI * h * h * solution(m, cell)
                           : noise(cell) - m->mean;
}

/* w of the low face normal to an axis; 0 on walls. */
static double weight(const problem *m, const int64_t cell[3], int axis) {
    int64_t before[3] = {cell[0], cell[1], cell[2]};
    before[axis]--;
    for (int d = 0; d < 3; d++)
        if (m->n[d] > 1 && (before[d] < 0 || cell[d] >= m->n[d]))
            return 0.0;
    return m->n[axis] == 1 ? 0.0 : 2.0 / (density(m, before) + density(m, cell));
}

static wabe_status row_of(const void *context, const int64_t cell[3], int64_t count, double *row) {
    const problem *m = context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t is[3] = {cell[0] + i, cell[1], cell[2]};
        row[i] = m->number == 0 ? right_side(m, is) : weight(m, is, m->number - 1);
    }
    return WABE_OK;
}

static int64_t place_of(const problem *m, const int64_t cell[3]) {
    return cell[0] + m->n[0] * (cell[1] + m->n[1] * cell[2]);
}

#define FOR_ALL(m, cell)                                                                           \
    for (int64_t cell[3] = {0, 0, 0}; cell[2] < (m)->n[2]; cell[2]++)                              \
        for (cell[1] = 0; cell[1] < (m)->n[1]; cell[1]++)                                          \
            for (cell[0] = 0; cell[0] < (m)->n[0]; cell[0]++)

/* goal: NULL: a step is a cycle; otherwise as many as it needs. */
static wabe_grid_model model_of(const problem *m, wabe_multigrid *cycle,
                                wabe_multigrid_goal *goal) {
    wabe_grid_model model = {.field_count = FIELDS,
                             .cells = {m->n[0], m->n[1], m->n[2]},
                             .periodic = {false, false, m->n[2] == 1},
                             .wraps = {true, true, true},
                             .depth = 1};
    const wabe_grid_field_row row = {.name = "b",
                                     .type = WABE_TYPE_f64,
                                     .role = WABE_FIELD_CONSTANT,
                                     .components = 1,
                                     .grids = 1};
    model.fields[P] = model.fields[B] = model.fields[W] = row;
    model.fields[P].name = "p", model.fields[P].role = WABE_FIELD_STATE, model.fields[P].grids = 2;
    model.fields[W].name = "w", model.fields[W].components = 3;
    for (int face = 0; face < 6; face++)
        model.fields[P].walls[face] = (wabe_wall){1.0, 0.0};
    *cycle = wabe_multigrid_add(&model, WABE_TYPE_f64,
                                &(wabe_multigrid_fields){.p = P, .b = B, .w = W}, goal ? 1 : 0, "",
                                goal);
    wabe_multigrid_add_coarsening(&model, cycle);
    if (goal)
        wabe_grid_add_entry(
            &model, WABE_STEP_LOOP,
            wabe_grid_add_loop(&model, &(wabe_grid_loop_row){.name = "cycles",
                                                             .again = wabe_multigrid_goes_on,
                                                             .context = goal}),
            0.0);
    wabe_multigrid_add_cycle(&model, cycle);
    if (goal)
        wabe_grid_add_entry(&model, WABE_STEP_END, 0, 0.0);
    return model;
}

static void open_problem(alone *a, problem *m, wabe_multigrid_goal *goal) {
    wabe_multigrid cycle;
    const wabe_grid_model model = model_of(m, &cycle, goal);
    m->mean = 0.0;
    FOR_ALL(m, cell) m->mean += noise(cell) / (double)wabe_box_cells(all_of(m->n));
    open_slab(a, &model, all_of(m->n));
    wabe_multigrid_set(a->slab, &cycle);
    for (m->number = 0; m->number < 4; m->number++)
        set_field(a, m->number == 0 ? B : W, m->number == 0 ? 0 : m->number - 1, row_of, m);
}

/* What the equations lack over their right-hand sides, in the mean of squares. */
static double lacks(const problem *m, const double *p) {
    double sum = 0.0, all = 0.0;
    FOR_ALL(m, cell) {
        double flow = 0.0;
        for (int axis = 0; axis < 3; axis++)
            for (int way = 0; way < 2; way++) {
                int64_t beyond[3] = {cell[0], cell[1], cell[2]};
                beyond[axis] += 2 * way - 1;
                const double w = weight(m, way ? beyond : cell, axis);
                flow += w == 0.0 ? 0.0 : w * (p[place_of(m, beyond)] - p[place_of(m, cell)]);
            }
        const double b = right_side(m, cell);
        sum += (b - flow) * (b - flow);
        all += b * b;
    }
    return sqrt(sum / all);
}

static double error_of(const problem *m, const double *p) {
    double mean = 0.0, sum = 0.0;
    const double cells = (double)(m->n[0] * m->n[1] * m->n[2]);
    FOR_ALL(m, cell) mean += (p[place_of(m, cell)] - solution(m, cell)) / cells;
    FOR_ALL(m, cell) {
        const double off = p[place_of(m, cell)] - solution(m, cell) - mean;
        sum += off * off / cells;
    }
    return sqrt(sum);
}

static void solve(problem *m, int cycles, double *residual, double *error) {
    alone a;
    open_problem(&a, m, NULL);
    run_slab(&a, cycles);
    double *p = read_field(&a, P);
    *residual = lacks(m, p);
    *error = error_of(m, p);
    free(p);
    wabe_grid_destroy(&a.slab);
}

static void solutions_are_of_second_order(void **state) {
    static const int64_t sizes[][3] = {{64, 64, 1}, {32, 32, 32}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        double residual, errors[2];
        for (int k = 0; k < 2; k++) {
            problem m = {.n = {sizes[i][0] << k, sizes[i][1] << k, sizes[i][2] > 1 ? 32 << k : 1},
                         .ratio = 1.0,
                         .manufactured = true};
            solve(&m, 12, &residual, &errors[k]);
            print_message("%lld cells an axis: error %.3e, residual %.1e\n", (long long)m.n[0],
                          errors[k], residual);
        }
        assert_true(fabs(errors[0] / errors[1] - 4.0) < 0.05);
    }
}

static void ten_cycles_solve_any_ratio(void **state) {
    static const int64_t sizes[][3] = {{64, 64, 1}, {256, 256, 1}, {32, 32, 32},
                                       {256, 8, 1}, {64, 64, 4},   {128, 128, 128}};
    static const double ratios[] = {1.0, 100.0, 1000.0};
    (void)state;
    for (int i = 0; i < (test_is_full() ? 6 : 5); i++)
        for (int k = 0; k < (sizes[i][1] == 8 ? 1 : 3);
             k++) { /* there the drop would part the rest */
            problem m = {.n = {sizes[i][0], sizes[i][1], sizes[i][2]}, .ratio = ratios[k]};
            double residual, error;
            solve(&m, 10, &residual, &error);
            print_message("%lld x %lld x %lld cells, ratio %g: residual %.1e\n", (long long)m.n[0],
                          (long long)m.n[1], (long long)m.n[2], m.ratio, residual);
            assert_true(residual < 1e-8);
        }
}

/* ---- conjugate gradients around cycles -------------------------------------------------- */

/* Cycles alone leave a thousandth or more: some waves stay, or grow. */
static void gradients_find_what_cycles_do_not(void **state) {
    static const int64_t sizes[][3] = {{64, 64, 1}, {32, 32, 32}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        problem m = {.n = {sizes[i][0], sizes[i][1], sizes[i][2]},
                     .ratio = 1000.0,
                     .bubbles = true};
        double residual, error;
        alone a;
        wabe_multigrid_goal goal = {.limit = 1e-8, .most = 60};
        open_problem(&a, &m, &goal);
        run_slab(&a, 1);
        double *p = read_field(&a, P);
        print_message("%lld x %lld x %lld cells, bubbles: %lld cycles, residual %.1e\n",
                      (long long)m.n[0], (long long)m.n[1], (long long)m.n[2],
                      (long long)goal.cycles, lacks(&m, p));
        assert_true(lacks(&m, p) < 1e-8 && goal.cycles <= 40);
        free(p);
        wabe_grid_destroy(&a.slab);
        solve(&m, (int)goal.cycles, &residual, &error);
        print_message("as many cycles alone: residual %.1e\n", residual);
        assert_true(residual > 1e-3);
    }
}

int main(int argc, char *argv[]) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(solutions_are_of_second_order),
                                       cmocka_unit_test(ten_cycles_solve_any_ratio),
                                       cmocka_unit_test(gradients_find_what_cycles_do_not)};
    const int code = hardware_choose(argc, argv, 1);
    return code ? code : cmocka_run_group_tests(tests, NULL, NULL);
}
