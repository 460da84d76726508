/* Diffusion: every kernel against a plain loop of our own, cell by cell, and its physics against
 * what is known of it.
 *
 *   test_diffusion [emulated|gpu] */
#include "sweeps/stencil/diffusion.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/conformance/slab.h"
#include "tests/full.h"
#include "tests/larger.h"

#define PI 3.14159265358979323846

/* A slab that is the whole domain. */
typedef struct {
    wabe_type type;
    double rate;
    int64_t cells[3];
    bool periodic[3];
    wabe_wall walls[6];
    const char *kernel;
    int depth;                                    /* time steps of a pass */
    int panel, chunk;                             /* of tiles; 0: as large as may be */
    double (*diffusivity)(const int64_t cell[3]); /* in units of that of rate; NULL: 1 */
} problem;

/* Of a cell beside one of the domain's: across periodic faces, or of the nearest. */
static double diffusivity_at(const problem *m, const int64_t cell[3]) {
    int64_t at[3];
    for (int axis = 0; axis < 3; axis++) {
        const int64_t n = m->cells[axis];
        at[axis] = m->periodic[axis]    ? (cell[axis] + 2 * n) % n
                   : cell[axis] < 0     ? 0
                   : cell[axis] > n - 1 ? n - 1
                                        : cell[axis];
    }
    return m->diffusivity(at);
}
static wabe_status diffusivities(const void *context, const int64_t cell[3], int64_t count,
                                 double *row) {
    for (int64_t i = 0; i < count; i++)
        row[i] = diffusivity_at(context, (const int64_t[3]){cell[0] + i, cell[1], cell[2]});
    return WABE_OK;
}

static void open_problem(alone *a, const problem *m, wabe_box inner, wabe_grid_values initial,
                         const void *context) {
    wabe_grid_model model = wabe_diffusion_model(m->type, m->cells, m->periodic, m->walls,
                                                 m->diffusivity, m->kernel);
    model.depth = m->depth;
    model.panel = m->panel;
    model.chunk = m->chunk;
    open_slab(a, &model, inner);
    if (m->diffusivity)
        assert_int_equal(wabe_diffusion_vary(a->slab, m->rate, diffusivities, m), WABE_OK);
    else
        wabe_diffusion_set(a->slab, m->rate);
    set_field(a, WABE_DIFFUSION_VALUE, 0, initial, context);
}

static double *run_and_read(alone *a, int steps) {
    run_slab(a, steps);
    return read_field(a, WABE_DIFFUSION_VALUE);
}

/* Some value for each cell. */
static double scatter(const int64_t cell[3]) {
    return sin(1.0 + 12.9898 * (double)cell[0] + 78.233 * (double)cell[1] +
               37.719 * (double)cell[2]);
}
static wabe_status scattered(const void *context, const int64_t cell[3], int64_t count,
                             double *row) {
    (void)context;
    for (int64_t i = 0; i < count; i++)
        row[i] = scatter((int64_t[3]){cell[0] + i, cell[1], cell[2]});
    return WABE_OK;
}

/* ---- statistics --------------------------------------------------------------------- */

static wabe_status with_holes(const void *context, const int64_t cell[3], int64_t count,
                              double *row) {
    const wabe_status status = scattered(context, cell, count, row);
    for (int64_t i = 0; i < count; i++)
        if (cell[0] + i == 20 && cell[2] == 2)
            row[i] = cell[1] == 3 ? (double)NAN : cell[1] == 1 ? -(double)INFINITY : row[i];
    return status;
}

static void check_statistics(const problem *m) {
    alone a;
    open_problem(&a, m, all_of(m->cells), with_holes, NULL);
    double *values = read_field(&a, WABE_DIFFUSION_VALUE), low = INFINITY, high = -INFINITY;
    long double sum = 0.0L, squares = 0.0L;
    const int64_t *n = m->cells, cells = n[0] * n[1] * n[2];
    uint64_t hash = 0;
    wabe_scan_result s = wabe_scan_of_none();
    assert_int_equal(wabe_grid_scan(a.slab, WABE_DIFFUSION_VALUE, 0, 0.5, &s), WABE_OK);
    for (int64_t i = 0; i < cells; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        hash += wabe_hash_mix(bits + wabe_hash_mix((uint64_t)i + 1));
        if (isfinite(values[i])) {
            low = fmin(low, values[i]), high = fmax(high, values[i]);
            sum += 0.5L * (long double)values[i];
            squares += 0.25L * (long double)values[i] * (long double)values[i];
        }
    }
    assert_true(s.low == low && s.high == high && s.hash == hash);
    assert_true(s.broken == 2 && s.first_broken == 20 + n[0] * (1 + n[1] * 2));
    assert_true(fabs(wabe_sum_value(s.sum) - (double)sum) < 1e-15 * (double)cells);
    assert_true(fabs(wabe_sum_value(s.squares) - (double)squares) < 1e-15 * (double)cells);
    free(values);
    wabe_grid_destroy(&a.slab);
}

static void statistics_are_those_of_the_values(void **state) {
    static const int64_t sizes[][3] = {{37, 5, 4}, {35, 130, 70}}; /* rows: some, and thousands */
    (void)state;
    for (int i = 0; i < 4; i++) {
        const int64_t *n = sizes[i / 2];
        const problem m = {.type = i % 2 ? WABE_TYPE_f32 : WABE_TYPE_f64,
                           .rate = 0.1,
                           .cells = {n[0], n[1], n[2]},
                           .kernel = "",
                           .depth = 1};
        check_statistics(&m);
    }
}

/* ---- the reference ------------------------------------------------------------------ */

static int64_t place_of(const problem *m, const int64_t at[3]) {
    return at[0] + m->cells[0] * (at[1] + m->cells[1] * at[2]);
}

/* Of the face between a cell and the one beside it: the harmonic mean. */
static double weight_of(const problem *m, const int64_t at[3], int face) {
    int64_t to[3] = {at[0], at[1], at[2]};
    to[face / 2] += face % 2 ? 1 : -1;
    const double a = m->diffusivity(at), b = diffusivity_at(m, to);
    return a > 0.0 && b > 0.0 ? m->rate * 2.0 / (1.0 / a + 1.0 / b) : 0.0;
}

/* What a cell finds one step along an axis. */
#define REFERENCE(number, fused)                                                                   \
    static number beside_##number(const problem *m, const number *f, const int64_t at[3],          \
                                  int face) {                                                      \
        const int axis = face / 2;                                                                 \
        int64_t to[3] = {at[0], at[1], at[2]};                                                     \
        to[axis] += face % 2 ? 1 : -1;                                                             \
        if (to[axis] >= 0 && to[axis] < m->cells[axis])                                            \
            return f[place_of(m, to)];                                                             \
        if (!m->periodic[axis])                                                                    \
            return fused((number)m->walls[face].factor, f[place_of(m, at)],                        \
                         (number)m->walls[face].offset);                                           \
        to[axis] = (to[axis] + m->cells[axis]) % m->cells[axis];                                   \
        return f[place_of(m, to)];                                                                 \
    }                                                                                              \
    static void step_##number(const problem *m, const number *f, number *g) {                      \
        const number rate = (number)m->rate, centre = fused((number)-6, rate, (number)1);          \
        int64_t at[3];                                                                             \
        for (at[2] = 0; at[2] < m->cells[2]; at[2]++)                                              \
            for (at[1] = 0; at[1] < m->cells[1]; at[1]++)                                          \
                for (at[0] = 0; at[0] < m->cells[0]; at[0]++) {                                    \
                    const number own = f[place_of(m, at)];                                         \
                    number sum = m->diffusivity ? own : centre * own;                              \
                    for (int face = 0; face < 6; face++)                                           \
                        if (m->diffusivity)                                                        \
                            sum = fused((number)weight_of(m, at, face),                            \
                                        beside_##number(m, f, at, face) - own, sum);               \
                        else                                                                       \
                            sum = fused(rate, beside_##number(m, f, at, face), sum);               \
                    g[place_of(m, at)] = sum;                                                      \
                }                                                                                  \
    }
REFERENCE(double, fma)
REFERENCE(float, fmaf)

/* The largest deviation of a kernel after some steps. */
static double deviation(const problem *m, wabe_box inner, int steps) {
    const int64_t n = m->cells[0] * m->cells[1] * m->cells[2];
    double *d[2] = {calloc((size_t)n, 8), calloc((size_t)n, 8)}, most = 0.0;
    float *s[2] = {calloc((size_t)n, 4), calloc((size_t)n, 4)};
    for (int64_t i = 0; i < n; i++) {
        const int64_t at[3] = {i % m->cells[0], i / m->cells[0] % m->cells[1],
                               i / m->cells[0] / m->cells[1]};
        d[0][i] = scatter(at);
        s[0][i] = (float)d[0][i];
    }
    for (int step = 0; step < steps; step++) {
        if (m->type == WABE_TYPE_f64)
            step_double(m, d[step % 2], d[1 - step % 2]);
        else
            step_float(m, s[step % 2], s[1 - step % 2]);
    }
    alone a;
    open_problem(&a, m, inner, scattered, NULL);
    double *found = run_and_read(&a, steps);
    for (int64_t i = 0; i < n; i++) {
        const double expected = m->type == WABE_TYPE_f64 ? d[steps % 2][i]
                                                         : (double)s[steps % 2][i];
        most = larger(most, fabs(found[i] - expected));
        if (isnan(found[i]))
            most = INFINITY;
    }
    free(found);
    wabe_grid_destroy(&a.slab);
    for (int i = 0; i < 2; i++) {
        free(d[i]);
        free(s[i]);
    }
    return most;
}

/* wraps: bit d, axis d is periodic. */
static problem model_of(int64_t nx, int64_t ny, int64_t nz, unsigned wraps) {
    problem m = {.type = WABE_TYPE_f64,
                 .rate = 0.13,
                 .cells = {nx, ny, nz},
                 .periodic = {wraps & 1, wraps >> 1 & 1, wraps >> 2 & 1},
                 .kernel = "",
                 .depth = 1};
    for (int face = 0; face < 6; face++)
        m.walls[face] = (wabe_wall){.factor = face % 3 == 0 ? -1.0 : 1.0, .offset = 0.1 * face};
    return m;
}

/* Some layers let nothing through. */
static double layered(const int64_t cell[3]) {
    return cell[1] % 5 == 3 ? 0.0
                            : (double)(1 + (7 * cell[0] + 3 * cell[1] + 5 * cell[2]) % 11) / 11.0;
}

/* Between walls and round all faces where a slab can wrap, the regions cut in all ways. */
static void check_kernel(const wabe_kernel *row, const int64_t n[3], int depth) {
    static const unsigned wraps[] = {0, 1, 6, 7};
    enum { LARGE = 10000 }; /* in the short form, between walls alone */
    const double rounding = row->storage == WABE_TYPE_f64 ? 1e-15 : 1e-6;
    const bool varied = row->sweep == &wabe_sweep_diffuse_varied; /* weights are rounded, too */
    const bool fuses = row->instruction_set != WABE_INSTRUCTION_SET_x86_64 && !varied;
    const wabe_box parts[] = {all_of(n),
                              {{0}, {0}},
                              {.begin = {1, 1, 1}, .end = {n[0] - 1, n[1], n[2]}},
                              {.begin = {0, 1, 0}, .end = {n[0], n[1] - 1, n[2] - 1}}};
    for (size_t i = 0; i < sizeof wraps / sizeof wraps[0]; i++)
        for (size_t part = 0; part < sizeof parts / sizeof parts[0]; part++) {
            if (wraps[i] & 1 && wabe_stencil_attributes_of(row)->wraps_by != 0 &&
                n[0] % wabe_stencil_attributes_of(row)->wraps_by != 0)
                continue;
            if (n[0] * n[1] * n[2] > LARGE && i > 0 && !test_is_full())
                continue;
            problem m = model_of(n[0], n[1], n[2], wraps[i]);
            m.type = row->storage;
            m.kernel = row->name;
            m.depth = depth;
            m.diffusivity = varied ? layered : NULL;
            const int steps = 2 * depth + 1;
            assert_true(deviation(&m, parts[part], steps) <= (fuses ? 0.0 : steps * rounding));
            m.panel = 3, m.chunk = 2;
            if (wabe_stencil_attributes_of(row)->tiles && part == 2)
                assert_true(deviation(&m, parts[part], steps) <= (fuses ? 0.0 : steps * rounding));
        }
}

/* Rows shorter and longer than a vector, and of one cell; GPUs: tiles with walls and without, more
 * than a panel of them. */
static void every_kernel_is_the_plain_loop(void **state) {
    static const int64_t sizes[][3] = {{37, 5, 4},  {16, 3, 3},   {1, 2, 3},    {50, 9, 1},
                                       {128, 4, 5}, {140, 19, 9}, {250, 20, 3}, {1, 16500, 2}};
    const wabe_component component = hardware_component();
    int rows = 0;
    (void)state;
    for (int i = 0; i < wabe_registry_count(wabe_kernels()); i++) {
        const wabe_kernel *row = wabe_registry_row(wabe_kernels(), i);
        const char *why;
        if ((row->sweep != &wabe_sweep_diffuse && row->sweep != &wabe_sweep_diffuse_varied) ||
            row->target != component.target || !row->available(&component, &why))
            continue;
        for (size_t size = 0; size < sizeof sizes / sizeof sizes[0]; size++)
            check_kernel(row, sizes[size], 1);
        rows++;
    }
    assert_true(rows >= 4);
}

/* Several steps of a pass, also more than a domain has cells. */
static void passes_are_their_steps(void **state) {
    static const int64_t sizes[][3] = {{36, 5, 4}, {3, 2, 9}, {4, 4, 4}, {248, 31, 5}};
    const wabe_component component = hardware_component();
    (void)state;
    for (int i = 0; i < wabe_registry_count(wabe_kernels()); i++) {
        const wabe_kernel *row = wabe_registry_row(wabe_kernels(), i);
        const char *why;
        if (row->sweep != &wabe_sweep_diffuse || row->target != component.target ||
            !row->available(&component, &why))
            continue;
        for (size_t size = 0; size < sizeof sizes / sizeof sizes[0]; size++)
            for (int depth = 2; depth <= wabe_stencil_attributes_of(row)->depth; depth++)
                check_kernel(row, sizes[size], depth);
    }
}

/* ---- physics ------------------------------------------------------------------------ */

/* exp(-kappa k^2 t) cos(kx) between walls that nothing crosses, at a fixed time: the error of a
 * time step that goes with the square of the spacing falls with that square. */
static wabe_status cosine(const void *edge, const int64_t cell[3], int64_t count, double *row) {
    for (int64_t i = 0; i < count; i++)
        row[i] = cos(PI * ((double)(cell[0] + i) + 0.5) / *(const double *)edge);
    return WABE_OK;
}

static double error_with(int64_t n) {
    problem m = model_of(n, 3, 3, 0);
    const double edge = (double)n, time = 0.05;
    for (int face = 0; face < 6; face++)
        m.walls[face] = (wabe_wall){1.0, 0.0};
    m.rate = 0.125;
    const int steps = (int)lround(time * edge * edge / m.rate);
    alone a;
    open_problem(&a, &m, all_of(m.cells), cosine, &edge);
    double *found = run_and_read(&a, steps), most = 0.0, start[128];
    cosine(&edge, (const int64_t[3]){0}, n, start);
    for (int64_t x = 0; x < n; x++)
        most = larger(most, fabs(found[x] - exp(-PI * PI * time) * start[x]));
    free(found);
    wabe_grid_destroy(&a.slab);
    return most;
}

static void converges_with_second_order(void **state) {
    (void)state;
    const double coarse = error_with(20), fine = error_with(40), finest = error_with(80);
    assert_true(fabs(coarse / fine - 4.0) < 0.1);
    assert_true(fabs(fine / finest - 4.0) < 0.05);
}

/* Between two values the steady state is a straight line, which seven points and walls half a cell
 * away have exactly. */
static wabe_status zero(const void *context, const int64_t cell[3], int64_t count, double *row) {
    (void)context;
    (void)cell;
    memset(row, 0, (size_t)count * sizeof *row);
    return WABE_OK;
}

static void steady_state_is_a_line(void **state) {
    (void)state;
    problem m = model_of(12, 2, 2, 0);
    m.rate = 1.0 / 6.0;
    for (int face = 0; face < 6; face++)
        m.walls[face] = (wabe_wall){1.0, 0.0};
    m.walls[0] = (wabe_wall){-1.0, 2.0 * 1.0};  /* 1 */
    m.walls[1] = (wabe_wall){-1.0, 2.0 * -2.0}; /* -2 */
    alone a;
    open_problem(&a, &m, all_of(m.cells), zero, NULL);
    double *found = run_and_read(&a, 4000);
    for (int64_t x = 0; x < 12; x++)
        assert_true(fabs(found[x] - (1.0 - 3.0 * ((double)x + 0.5) / 12.0)) < 1e-14);
    free(found);
    wabe_grid_destroy(&a.slab);
}

/* Two layers, of 1 and 1/4, between 0 and 1: the same flows through both, so the steep one has four
 * fifths of the difference; the harmonic mean gives both lines exactly. */
static double halves(const int64_t cell[3]) { return cell[0] < 6 ? 1.0 : 0.25; }

static void steady_state_of_two_layers(void **state) {
    (void)state;
    problem m = model_of(12, 2, 2, 0);
    m.rate = 1.0 / 6.0;
    m.diffusivity = halves;
    for (int face = 0; face < 6; face++)
        m.walls[face] = (wabe_wall){1.0, 0.0};
    m.walls[0] = (wabe_wall){-1.0, 0.0};
    m.walls[1] = (wabe_wall){-1.0, 2.0};
    alone a;
    open_problem(&a, &m, all_of(m.cells), zero, NULL);
    double *found = run_and_read(&a, 12000);
    for (int64_t x = 0; x < 12; x++) {
        const double at = (double)x + 0.5;
        const double expected = at < 6.0 ? 0.2 * at / 6.0 : 0.2 + 0.8 * (at - 6.0) / 6.0;
        assert_true(fabs(found[x] - expected) < 1e-13);
    }
    free(found);
    wabe_grid_destroy(&a.slab);
}

int main(int argc, char *argv[]) {
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_are_those_of_the_values),
        cmocka_unit_test(every_kernel_is_the_plain_loop),
        cmocka_unit_test(passes_are_their_steps),
        cmocka_unit_test(converges_with_second_order),
        cmocka_unit_test(steady_state_is_a_line),
        cmocka_unit_test(steady_state_of_two_layers),
    };
    int code = hardware_choose(argc, argv, 1);
    if (code == 0)
        code = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return code;
}
