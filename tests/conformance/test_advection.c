/* The advection of a fraction of liquid by given velocities (sweeps/cell/two_phase.h): a slotted
 * disc that turns round once (S. T. Zalesak, J. Comput. Phys. 31 (1979) 335), a disc in a vortex
 * that turns back (W. J. Rider, D. B. Kothe, J. Comput. Phys. 141 (1998) 112, T = 8), and a sphere
 * in a flow of three axes that does (R. J. LeVeque, SIAM J. Numer. Anal. 33 (1996) 627; D. Enright
 * et al., J. Comput. Phys. 183 (2002) 83, T = 3). Bounds are exact; the largest error of the shape
 * is the present one, since the published ones (K. Yokoi, J. Comput. Phys. 226 (2007) 1985) could
 * not be checked. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sweeps/stencil/two_phase.h"
#include "tests/conformance/slab.h"
#include "tests/full.h"

#define PI 3.14159265358979323846
#define COURANT 0.25 /* of the velocity 1 */
enum { FINE = 16 };  /* places in a cell, along each axis, that the fraction is counted from */

typedef struct {
    const char *name;
    int axes;
    /* Is a place in a cube with edge 1 inside the shape? */
    bool (*is_inside)(const double at[3]);
    /* The flow through the low face of the cell with this low corner, over its area: the sum of a
     * potential's differences, so that no cell gains anything. */
    double (*velocity)(const double low[3], double edge, int axis);
    double time;     /* with velocities of 1 */
    bool turns_back; /* after half of it */
} flow;

/* A case of it. */
typedef struct {
    const flow *flow;
    int64_t n;
    int number; /* of a row: the fraction, then velocities */
} problem;

/* ---- shapes and flows ----------------------------------------------------------------- */

static bool in_ball(const double at[3], double x, double y, double z, double radius) {
    const double dx = at[0] - x, dy = at[1] - y, dz = at[2] - z;
    return dx * dx + dy * dy + dz * dz < radius * radius;
}

static bool in_slotted_disc(const double at[3]) {
    const bool slot = fabs(at[0] - 0.5) < 0.025 && at[1] < 0.85;
    return in_ball(at, 0.5, 0.75, at[2], 0.15) && !slot;
}
static bool in_disc(const double at[3]) { return in_ball(at, 0.5, 0.75, at[2], 0.15); }
static bool in_sphere(const double at[3]) { return in_ball(at, 0.35, 0.35, 0.35, 0.15); }

/* Velocities from a stream function: u = d/dy, v = -d/dx. */
static double from_stream(double (*stream)(double, double), const double low[3], double edge,
                          int axis) {
    const double here = stream(low[0], low[1]);
    return axis == 0   ? (stream(low[0], low[1] + edge) - here) / edge
           : axis == 1 ? -(stream(low[0] + edge, low[1]) - here) / edge
                       : 0.0;
}

static double turn(double x, double y) {
    const double dx = x - 0.5, dy = y - 0.5;
    return dx * dx + dy * dy < 0.25 ? 0.25 - dx * dx - dy * dy : 0.0;
}
static double vortex(double x, double y) {
    const double sx = sin(PI * x), sy = sin(PI * y);
    return sx * sx * sy * sy / PI;
}
static double of_turn(const double low[3], double edge, int axis) {
    return from_stream(turn, low, edge, axis);
}
static double of_vortex(const double low[3], double edge, int axis) {
    return from_stream(vortex, low, edge, axis);
}

/* Means over faces of 2 sin^2(pi x) sin(2 pi y) sin(2 pi z), and of half of that with the other
 * axes' squares and the opposite sign. */
static double of_sphere(const double low[3], double edge, int axis) {
    double product = axis == 0 ? 2.0 : -1.0;
    for (int d = 0; d < 3; d++) {
        const double s = sin(PI * low[d]);
        product *= d == axis ? s * s
                             : (cos(2.0 * PI * low[d]) - cos(2.0 * PI * (low[d] + edge))) /
                                   (2.0 * PI * edge);
    }
    return product;
}

static const flow zalesak = {"slotted disc", 2, in_slotted_disc, of_turn, PI, false};
static const flow rider = {"vortex", 2, in_disc, of_vortex, 2.0 * 8.0 / PI, true};
static const flow enright = {"sphere", 3, in_sphere, of_sphere, 2.0 * 3.0 / PI, true};

/* ---- a run ------------------------------------------------------------------------------ */

static double fraction_of(const problem *m, const int64_t cell[3]) {
    const int fine_z = m->flow->axes == 3 ? FINE : 1;
    int inside = 0;
    for (int i = 0; i < FINE * FINE * fine_z; i++) {
        const int k[3] = {i % FINE, i / FINE % FINE, i / FINE / FINE};
        double at[3];
        for (int d = 0; d < 3; d++)
            at[d] = ((double)cell[d] + ((double)k[d] + 0.5) / FINE) / (double)m->n;
        inside += m->flow->is_inside(at);
    }
    return (double)inside / (FINE * FINE * fine_z);
}

static wabe_status row_of(const void *context, const int64_t cell[3], int64_t count, double *row) {
    const problem *m = context;
    const double edge = 1.0 / (double)m->n;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at[3] = {cell[0] + i, cell[1], cell[2]};
        const double low[3] = {edge * (double)at[0], edge * (double)at[1], edge * (double)at[2]};
        row[i] = m->number == 0 ? fraction_of(m, at) : m->flow->velocity(low, edge, m->number - 1);
    }
    return WABE_OK;
}

/* A model whose steps advect, and do nothing else: its cycles have no goal. */
static wabe_two_phase_tables tables_of(wabe_type type, const wabe_two_phase_case *c) {
    wabe_multigrid_goal goal;
    wabe_two_phase_tables t = wabe_two_phase_model(type, c, "", &goal);
    t.model.entry_count = 0;
    for (int axis = 0; axis < 3; axis++)
        t.model.entry_count += c->cells[axis] > 1;
    return t;
}

/* What the fraction is off after a run, over what there is. */
static double run(wabe_type type, const flow *f, int64_t n) {
    const bool wide = type == WABE_TYPE_f64;
    problem m = {f, n, 0};
    alone a;
    const wabe_fluid fluid = {.density = 1.0, .viscosity = 1.0};
    wabe_two_phase_case c = {.cells = {n, n, f->axes == 3 ? n : 1},
                             .spacing = 1.0 / (double)n,
                             .liquid = fluid,
                             .gas = fluid,
                             .sharpness = 2.3,
                             .cycles = 1};
    for (int face = 0; face < 6; face++) {
        c.faces[face] = f->axes == 2 && face >= 4 ? WABE_TWO_PHASE_PERIODIC
                                                  : WABE_TWO_PHASE_NO_SLIP;
        c.angles[face] = PI / 2.0;
    }
    const int steps = 2 * (int)ceil(0.5 * f->time * (double)n / COURANT);
    c.time_step = f->time / steps;
    const wabe_two_phase_tables t = tables_of(type, &c);
    open_slab(&a, &t.model, (wabe_box){{0, 0, 0}, {n, n, c.cells[2]}});
    for (m.number = 0; m.number <= 3; m.number++)
        set_field(&a,
                  m.number == 0 ? WABE_TWO_PHASE_FRACTION : WABE_TWO_PHASE_VELOCITY + m.number - 1,
                  0, row_of, &m);
    double *before = read_field(&a, WABE_TWO_PHASE_FRACTION);
    for (int half = 0; half < 2; half++) {
        assert_int_equal(wabe_two_phase_set(a.slab, &c, &t.multigrid), WABE_OK);
        run_slab(&a, steps / 2);
        c.time_step = f->turns_back ? -c.time_step : c.time_step;
    }
    double *after = read_field(&a, WABE_TWO_PHASE_FRACTION);
    double off = 0.0, sum = 0.0, change = 0.0, least = 1.0, most = 0.0;
    for (int64_t i = 0; i < n * n * c.cells[2]; i++) {
        off += fabs(after[i] - before[i]);
        sum += before[i];
        change += after[i] - before[i];
        least = fmin(least, after[i]);
        most = fmax(most, after[i]);
    }
    print_message(
        "%s, %lld cells an axis, %d steps: off by %.2e, mass %.0e, from %.0e to 1 %+.0e\n", f->name,
        (long long)n, steps, off / sum, change / sum, least, most - 1.0);
    assert_true(fabs(change / sum) < (wide ? 1e-12 : 1e-4));
    assert_true(least > (wide ? -1e-9 : -1e-6) && most < 1.0 + (wide ? 1e-9 : 1e-6));
    free(before), free(after);
    wabe_grid_destroy(&a.slab);
    return off / sum;
}

static void a_slotted_disc_keeps_its_shape(void **state) {
    (void)state;
    assert_true(run(WABE_TYPE_f64, &zalesak, 100) < 0.076);
    assert_true(run(WABE_TYPE_f32, &zalesak, 100) < 0.076);
}

static void a_disc_returns_from_a_vortex(void **state) {
    (void)state;
    assert_true(run(WABE_TYPE_f64, &rider, 64) < 0.257);
    assert_true(run(WABE_TYPE_f64, &rider, 128) < 0.064);
}

static void a_sphere_returns(void **state) {
    (void)state;
    assert_true(run(WABE_TYPE_f64, &enright, test_is_full() ? 64 : 32) <
                (test_is_full() ? 0.386 : 0.78));
}

int main(int argc, char *argv[]) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_slotted_disc_keeps_its_shape),
                                       cmocka_unit_test(a_disc_returns_from_a_vortex),
                                       cmocka_unit_test(a_sphere_returns)};
    const int code = hardware_choose(argc, argv, 1);
    return code ? code : cmocka_run_group_tests(tests, NULL, NULL);
}
