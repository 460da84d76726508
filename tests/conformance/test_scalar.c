/* Flows that carry a scalar, with known solutions. Each test states how near it has to come, and
 * why.
 *
 *   test_scalar [emulated|gpu] */
#include "sweeps/cell/lattice.h"
#include "tests/conformance/cases.h"
#include "tests/conformance/flow.h"
#include "tests/full.h"
#include "tests/larger.h"

#include <math.h>

/* Each test is run with both lattices that have a scalar, and with regularized collisions. */
static wabe_lattice lattice;
static bool regularized;

/* The same with a scalar. */
static flow carrying(int64_t x, int64_t y, int64_t z, double tau, double diffusivity) {
    flow f = flow_of(x, y, z, tau);
    f.options.model.lattice = lattice;
    f.options.model.scalar.diffusivity = diffusivity;
    f.options.model.scalar.magic = 0.25;
    if (regularized)
        f.options.model.collision = WABE_COLLISION_recursive_regularized;
    return f;
}

static void put_wall(flow *f, int face, wabe_scalar_kind kind, double value) {
    f->conditions[face].kind = WABE_BOUNDARY_no_slip;
    f->conditions[face].scalar.kind = kind;
    f->conditions[face].scalar.value = value;
}

static wabe_monitor_result monitor_of(const flow *f) {
    wabe_monitor_result r;
    assert_int_equal(wabe_simulation_monitor(f->simulation, &r), WABE_OK);
    return r;
}

/* ---- conduction --------------------------------------------------------------------- */

enum { GAP = 16 };

/* A fluid at rest between two walls: linear, and walls are exactly half-way; what is left is
 * rounding. high: value of the wall at x high, that at x low is given or its flux is. */
static void conduct(wabe_scalar_kind kind, double given, double low, double high) {
    const double diffusivity = 0.3;
    flow f = carrying(GAP, 1, 1, 0.8, diffusivity);
    put_wall(&f, 0, kind, given);
    put_wall(&f, 1, WABE_SCALAR_VALUE, high);
    flow_start(&f, at_rest, NULL);
    flow_run(&f, 40000);
    double *m = moments_of(&f), most = 0.0;
    for (int64_t x = 0; x < GAP; x++)
        most = larger(most, fabs(m[4 * GAP + x] - (low + (high - low) * (x + 0.5) / GAP)));
    const double flux = wabe_sum_value(monitor_of(&f).scalar_flux[0]) / GAP;
    print_message("conduction: off by %.1e, flux by %.1e\n", most,
                  fabs(flux - diffusivity * (low - high) / GAP));
    assert_true(most < 1e-12);
    assert_true(fabs(flux - diffusivity * (low - high) / GAP) < 1e-13);
    free(m);
    flow_end(&f);
}

static void conduction_is_exact(void **state) {
    (void)state;
    conduct(WABE_SCALAR_VALUE, 1.0, 1.0, -0.5);
    conduct(WABE_SCALAR_FLUX, 0.01, 0.25 + 0.01 * GAP / 0.3, 0.25);
    conduct(WABE_SCALAR_INSULATED, 0.0, 0.25, 0.25);
}

/* What walls let in is all that the fluid gains, whatever it does; nineteen populations would let
 * in less or more at edges. */
static void nothing_gets_lost(void **state) {
    (void)state;
    const double flux = wabe_lattice_carries(lattice) ? 0.0 : 1e-4;
    const int64_t n[3] = {19, 10, 7};
    flow f = carrying(n[0], n[1], n[2], 0.6, 0.02);
    for (int face = 0; face < WABE_FACES; face++)
        put_wall(&f, face, WABE_SCALAR_INSULATED, 0.0);
    put_wall(&f, 2, WABE_SCALAR_FLUX, flux);
    f.conditions[5].kind = WABE_BOUNDARY_moving_wall;
    f.conditions[5].velocity[0] = 0.05;
    /* Where a wall meets others across its way it takes in and gives off fluid, with what that
     * carries. */
    for (int face = 0; face < 2 && wabe_lattice_carries(lattice); face++)
        f.conditions[face].kind = WABE_BOUNDARY_periodic;
    memcpy(f.options.model.scalar.buoyancy, (double[3]){0.0, 1e-3, 0.0},
           sizeof f.options.model.scalar.buoyancy);
    flow_start(&f, case_initial, NULL);
    const double before = wabe_sum_value(monitor_of(&f).scalar_amount);
    flow_run(&f, 500);
    const double gained = wabe_sum_value(monitor_of(&f).scalar_amount) - before;
    assert_true(fabs(gained - 500.0 * flux * (double)(n[0] * n[2])) < 1e-11);
    flow_end(&f);
}

/* ---- what is even stays even -------------------------------------------------------- */

static void all_one(const void *context, const int64_t cell[3], double moments[]) {
    (void)cell;
    moments[1] = *(const double *)context;
    moments[4] = 1.0;
}

/* The largest difference of the scalar from 1. Solid cells have 0. */
static double unevenness(const flow *f) {
    const int64_t *n = f->options.geometry.cells, cells = n[0] * n[1] * n[2];
    double *m = moments_of(f), most = 0.0;
    for (int64_t i = 0; i < cells; i++)
        if (m[4 * cells + i] != 0.0)
            most = larger(most, fabs(m[4 * cells + i] - 1.0));
    free(m);
    return most;
}

/* Fluid that comes in through a face takes its value along, and leaves with that of the cell there;
 * walls that move against their cells' faces, as those of bodies that turn, take the cell's along.
 * With seven populations what is left comes from edges, where velocities of cells are not free of
 * divergence; it falls with the velocity over the diffusivity. With nineteen it is rounding. */
static void what_is_even_stays_even(void **state) {
    (void)state;
    const double speed = 0.03;
    const bool carries = wabe_lattice_carries(lattice);
    flow f = carrying(30, 14, 12, 0.6, carries ? 0.01 : 0.2);
    f.conditions[0].kind = f.conditions[1].kind = WABE_BOUNDARY_velocity;
    f.conditions[0].velocity[0] = f.conditions[1].velocity[0] = speed;
    f.conditions[0].scalar.kind = WABE_SCALAR_VALUE;
    f.conditions[0].scalar.value = 1.0;
    f.conditions[1].scalar.kind = WABE_SCALAR_OPEN;
    const wabe_object box = {.low = {8, 4, 4}, .high = {14, 10, 8}};
    f.conditions[WABE_FACES].kind = WABE_BOUNDARY_moving_wall;
    memcpy(f.conditions[WABE_FACES].velocity, (double[3]){0.02, -0.01, 0.015},
           sizeof f.conditions[0].velocity);
    f.options.geometry.object_count = 1;
    f.options.geometry.objects = &box;
    flow_start(&f, all_one, &speed);
    double most = 0.0;
    for (int k = 0; k < 10; k++) {
        flow_run(&f, 200);
        most = larger(most, unevenness(&f));
    }
    print_message("even scalar: off by %.2e at most\n", most);
    assert_true(most < (carries ? 1e-12 : 0.03));
    flow_end(&f);
}

/* ---- waves that are carried along --------------------------------------------------- */

/* A wave along x, the same in each plane normal to it; the fluid moves along x. */
typedef struct {
    double wave; /* number, per cell */
    double (*velocity)(const void *duct, const int64_t cell[3]);
    const void *duct;
} carried_wave;

static void wave_moments(const void *context, const int64_t cell[3], double moments[]) {
    const carried_wave *w = context;
    moments[1] = w->velocity(w->duct, cell);
    moments[4] = cos(w->wave * ((double)cell[0] + 0.5));
}

/* The wave's amplitude, and the phase by which it has moved. */
static double amplitude_of(const flow *f, double wave, double *phase) {
    const int64_t *n = f->options.geometry.cells, cells = n[0] * n[1] * n[2];
    double *m = moments_of(f), real = 0.0, imaginary = 0.0;
    for (int64_t i = 0; i < cells; i++) {
        const double x = wave * ((double)(i % n[0]) + 0.5);
        real += m[4 * cells + i] * cos(x);
        imaginary += m[4 * cells + i] * sin(x);
    }
    free(m);
    *phase = atan2(imaginary, real);
    return 2.0 * hypot(real, imaginary) / (double)cells;
}

/* The diffusivity with which the wave decays from step begin to end, and its velocity. */
static double dispersion_of(flow *f, const carried_wave *w, int64_t begin, int64_t end,
                            double *velocity) {
    double before, after;
    flow_start(f, wave_moments, w);
    flow_run(f, begin);
    const double first = amplitude_of(f, w->wave, &before);
    flow_run(f, end - begin);
    const double last = amplitude_of(f, w->wave, &after);
    const double steps = (double)(end - begin);
    *velocity = remainder(after - before, 2.0 * pi) / (w->wave * steps);
    flow_end(f);
    return log(first / last) / (w->wave * w->wave * steps);
}

static double uniform_velocity(const void *speed, const int64_t cell[3]) {
    (void)cell;
    return *(const double *)speed;
}

/* In a uniform stream a wave diffuses as in a fluid at rest: without the equilibrium's second term
 * it would do so by 4 u^2 less. What is left is of second order in the wave's number. */
static void a_stream_does_not_change_diffusion(void **state) {
    (void)state;
    const double diffusivity = 0.05, speed = 0.1;
    double error[2];
    for (int k = 0; k < 2; k++) {
        const int64_t n = 32 << k;
        flow f = carrying(n, 1, 1, 0.8, diffusivity);
        const carried_wave w = {.wave = 2.0 * pi / (double)n,
                                .velocity = uniform_velocity,
                                .duct = &speed};
        double velocity;
        error[k] = dispersion_of(&f, &w, 100, 100 + n, &velocity) / diffusivity - 1.0;
        print_message("uniform stream, %d cells: diffusivity off by %.2e, velocity by %.2e\n",
                      (int)n, error[k], velocity / speed - 1.0);
        assert_true(fabs(velocity / speed - 1.0) < 0.02 / (double)(1 << 2 * k));
    }
    assert_true(fabs(error[1]) < 0.3 * fabs(error[0]));
    assert_true(fabs(error[0]) < 0.01); /* and not 4 u^2 = 0.04 */
}

/* At rest between insulated walls a wave along them diffuses as without them. Nineteen populations
 * lose a sixth of D in the cells at walls, where those that leave along diagonals come back to the
 * same cell; with regularized collisions less, here a fifth of that. */
static void diffuses_along_walls(void **state) {
    (void)state;
    enum { HEIGHT = 8, LENGTH = 128 };
    const double diffusivity = 0.03, still = 0.0;
    flow f = carrying(LENGTH, HEIGHT, 1, 0.8, diffusivity);
    put_wall(&f, 2, WABE_SCALAR_INSULATED, 0.0);
    put_wall(&f, 3, WABE_SCALAR_INSULATED, 0.0);
    const carried_wave w = {.wave = 2.0 * pi / LENGTH,
                            .velocity = uniform_velocity,
                            .duct = &still};
    double velocity;
    const double part = dispersion_of(&f, &w, 500, 1500, &velocity) / diffusivity;
    print_message("along insulated walls %d cells apart: %.5f D\n", HEIGHT, part);
    if (regularized)
        assert_true(part > 0.99 && part < 1.0);
    else
        assert_true(
            fabs(part - (wabe_lattice_carries(lattice) ? 1.0 - 1.0 / (3.0 * HEIGHT) : 1.0)) < 1e-3);
}

/* ---- eddies ------------------------------------------------------------------------- */

enum { SHEAR = 16 };

static void shear(const void *context, const int64_t cell[3], double moments[]) {
    const double y = ((double)cell[1] + 0.5) / SHEAR;
    moments[1] = *(const double *)context * (2.0 * y - 1.0);
    moments[4] = cos(pi * y);
}

/* The amplitude of half a wave across the gap. */
static double half_wave(const flow *f) {
    double *m = moments_of(f), sum = 0.0;
    for (int64_t y = 0; y < SHEAR; y++)
        sum += 2.0 / SHEAR * m[4 * SHEAR + y] * cos(pi * ((double)y + 0.5) / SHEAR);
    free(m);
    return sum;
}

/* Between walls that move against each other the eddy viscosity of Smagorinsky's model is C^2 S,
 * with the shear S, everywhere. Half a wave of the scalar across the gap decays by D + C^2 S / Sc,
 * here twice to six times as fast as by D; what is left is of second order in the wave's number. */
static void eddies_diffuse(void **state) {
    (void)state;
    const double diffusivity = 1e-3, speed = 0.05, constant = 0.3, wave = pi / SHEAR;
    for (double schmidt = 0.1; schmidt < 1.0 && regularized; schmidt += 0.4) {
        flow f = carrying(1, SHEAR, 1, 0.52, diffusivity);
        f.options.model.smagorinsky = constant;
        f.options.model.scalar.turbulent_schmidt = schmidt;
        for (int face = 2; face < 4; face++) {
            put_wall(&f, face, WABE_SCALAR_INSULATED, 0.0);
            f.conditions[face].kind = WABE_BOUNDARY_moving_wall;
            f.conditions[face].velocity[0] = face == 2 ? -speed : speed;
        }
        flow_start(&f, shear, &speed);
        flow_run(&f, 500);
        const double before = half_wave(&f);
        flow_run(&f, 2000);
        const double found = log(before / half_wave(&f)) / (wave * wave * 2000.0);
        const double eddy = constant * constant * 2.0 * speed / SHEAR;
        const double wanted = diffusivity + eddy / schmidt;
        print_message("eddies, Sc %.1f: %.4e, %.4e wanted, %.1e off\n", schmidt, found, wanted,
                      found / wanted - 1.0);
        assert_true(fabs(found / wanted - 1.0) < 0.01);
        assert_true(wanted > 1.5 * diffusivity);
        flow_end(&f);
    }
}

/* ---- Taylor dispersion -------------------------------------------------------------- */

/* A flow along x between walls at y, or also at z; mean: its velocity. */
typedef struct {
    int64_t height;
    bool square;
    double mean;
} duct;

/* Of a square duct over its mean pressure term: Boussinesq's series. y, z: from the middle, in
 * heights. */
static double square_profile(double y, double z) {
    double sum = 0.25 - y * y, sign = 1.0;
    for (int k = 1; k < 60; k += 2, sign = -sign)
        sum -= 8.0 / (pi * pi * pi) * sign * cosh(k * pi * z) / cosh(0.5 * k * pi) *
               cos(k * pi * y) / (k * k * k);
    return sum;
}

static double mean_of_square(void) {
    enum { N = 400 };
    double sum = 0.0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            sum += square_profile((i + 0.5) / N - 0.5, (j + 0.5) / N - 0.5);
    return sum / (N * N);
}

static double duct_velocity(const void *context, const int64_t cell[3]) {
    const duct *d = context;
    static double mean = 0.0;
    const double y = ((double)cell[1] + 0.5) / (double)d->height - 0.5;
    const double z = ((double)cell[2] + 0.5) / (double)d->height - 0.5;
    if (mean == 0.0)
        mean = mean_of_square();
    return d->mean * (d->square ? square_profile(y, z) / mean : 1.5 * (1.0 - 4.0 * y * y));
}

/* K of D (1 + K (U h / D)^2): between plates 1/210 (Aris, Proc. R. Soc. A 235 (1956) 67). In
 * general sum |u_mn|^2 / lambda_mn over the cosines cos(m pi y) cos(n pi z) of the section, with
 * the coefficients u_mn of u / U - 1. */
static double dispersion_coefficient(bool square) {
    enum { N = 200, MODES = 24 };
    static double u[N][N];
    double sum = 0.0;
    if (!square)
        return 1.0 / 210.0;
    const double mean = mean_of_square();
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            u[j][i] = square_profile((i + 0.5) / N - 0.5, (j + 0.5) / N - 0.5) / mean - 1.0;
    for (int m = 0; m < MODES; m += 2)
        for (int n = m == 0 ? 2 : 0; n < MODES; n += 2) {
            double c = 0.0;
            for (int j = 0; j < N; j++)
                for (int i = 0; i < N; i++)
                    c += u[j][i] * cos(m * pi * (i + 0.5) / N) * cos(n * pi * (j + 0.5) / N);
            c /= N * N;
            sum += (m ? 2.0 : 1.0) * (n ? 2.0 : 1.0) * c * c / (pi * pi * (m * m + n * n));
        }
    return sum;
}

/* The wave is so long that across the duct all is even: corrections are of the order of (wave U h^2
 * / (4 pi^2 D))^2, below 1e-3. The rest is the profile's error on so few cells, which regularized
 * collisions have twice as large. */
static void disperse(bool square, int64_t height, int64_t length, double allowed) {
    const double diffusivity = 0.03, tau = 0.9;
    const duct d = {.height = height, .square = square, .mean = 0.04};
    const double h = (double)height, nu = (tau - 0.5) / 3.0;
    flow f = carrying(length, height, square ? height : 1, tau, diffusivity);
    for (int face = 2; face < (square ? 6 : 4); face++)
        put_wall(&f, face, WABE_SCALAR_INSULATED, 0.0);
    f.options.model.force[0] = square ? 2.0 * nu * d.mean / (h * h) / mean_of_square()
                                      : 12.0 * nu * d.mean / (h * h);
    const carried_wave w = {.wave = 2.0 * pi / (double)length,
                            .velocity = duct_velocity,
                            .duct = &d};
    double velocity;
    const double found = dispersion_of(&f, &w, 2000, 4000, &velocity);
    const double peclet = velocity * h / diffusivity;
    const double wanted = diffusivity * (1.0 + dispersion_coefficient(square) * peclet * peclet);
    print_message("Taylor dispersion, %s: %.5f D, %.5f D wanted (Peclet number %.1f), %.1e off\n",
                  square ? "square duct" : "between plates", found / diffusivity,
                  wanted / diffusivity, peclet, found / wanted - 1.0);
    assert_true(fabs(found / wanted - 1.0) < (regularized                     ? 5.0
                                              : wabe_lattice_carries(lattice) ? 2.5
                                                                              : 1.0) *
                                                 allowed);
    assert_true(wanted > 2.0 * diffusivity);
}

static void taylor_dispersion(void **state) {
    (void)state;
    disperse(false, 16, 2048, 0.005);
    if (test_is_full() && !regularized)
        disperse(true, 12, 1024, 0.02);
}

/* ---- a plume ------------------------------------------------------------------------ */

enum { PLUME_LENGTH = 56, PLUME_WIDTH = 29, PLUME_FROM = 6, PLUME_MARGIN = 5 };

static void uniform_stream(const void *context, const int64_t cell[3], double moments[]) {
    (void)cell;
    moments[1] = *(const double *)context;
}

/* The largest deviation from the plume of a point in an unbounded stream, T = Q exp(-U (R - x) / 2
 * D) / (4 pi D R), over its value on the axis there, between 22 cells behind the source and 12
 * before the outlet, not beside the walls. R, x: distance from the source, and along the stream.
 * (What one cell gives off begins a third of a cell wide: on the axis 13 cells behind it are 1 to 3
 * % less.) */
static double plume_deviation(const double *scalar, double rate, double speed, double diffusivity) {
    const double pi_times_4 = 4.0 * pi, middle = 0.5 * (PLUME_WIDTH - 1);
    double most = 0.0;
    for (int64_t z = PLUME_MARGIN; z < PLUME_WIDTH - PLUME_MARGIN; z++)
        for (int64_t y = PLUME_MARGIN; y < PLUME_WIDTH - PLUME_MARGIN; y++)
            for (int64_t x = 22; x < PLUME_LENGTH - 12 - PLUME_FROM; x++) {
                const double dy = (double)y - middle, dz = (double)z - middle, along = (double)x;
                const double r = sqrt(along * along + dy * dy + dz * dz);
                const double axis = rate / (pi_times_4 * diffusivity * along);
                const double right = rate / (pi_times_4 * diffusivity * r) *
                                     exp(-0.5 * speed * (r - along) / diffusivity);
                const double found = scalar[PLUME_FROM + x + PLUME_LENGTH * (y + PLUME_WIDTH * z)];
                most = larger(most, fabs(found - right) / axis);
            }
    return most;
}

/* The plume of one cell in a uniform stream, at a grid Peclet number of 2.5. */
static void a_source_makes_a_plume(void **state) {
    (void)state;
    const double speed = 0.1, diffusivity = 0.04, rate = 0.05;
    const int64_t middle = (PLUME_WIDTH - 1) / 2, cells = PLUME_LENGTH * PLUME_WIDTH * PLUME_WIDTH;
    const wabe_source source = {.box = {{PLUME_FROM, middle, middle},
                                        {PLUME_FROM + 1, middle + 1, middle + 1}},
                                .amount = rate,
                                .end = INT64_MAX};
    flow f = carrying(PLUME_LENGTH, PLUME_WIDTH, PLUME_WIDTH, 0.8, diffusivity);
    for (int face = 0; face < 2; face++) {
        f.conditions[face].kind = WABE_BOUNDARY_velocity;
        f.conditions[face].velocity[0] = speed;
        f.conditions[face].scalar.kind = WABE_SCALAR_OPEN;
    }
    for (int face = 2; face < WABE_FACES; face++)
        f.conditions[face].kind = WABE_BOUNDARY_free_slip;
    f.options.geometry.source_count = 1;
    f.options.geometry.sources = &source;
    flow_start(&f, uniform_stream, &speed);
    flow_run(&f, 1400);
    double *m = moments_of(&f);
    const double off = plume_deviation(m + 4 * cells, rate, speed, diffusivity);
    print_message("plume: off by %.4f of its axis\n", off);
    assert_true(off < (regularized ? 0.02 : 0.01));
    free(m);
    flow_end(&f);
}

/* ---- natural convection ------------------------------------------------------------- */

/* A cavity heated at x low and cooled at x high, insulated at the others, or endless along z;
 * found: the Nusselt number, and the largest velocity along y on the line y = 1/2 in units of D /
 * edge. */
static void heat_cavity(int64_t n, bool cube, double rayleigh, int64_t steps, double *nusselt,
                        double *fastest) {
    const double edge = (double)n, fall = 0.1, prandtl = 0.71;
    const double nu = fall * edge * sqrt(prandtl / rayleigh), diffusivity = nu / prandtl;
    flow f = carrying(n, n, cube ? n : 1, 3.0 * nu + 0.5, diffusivity);
    for (int face = 0; face < (cube ? 6 : 4); face++)
        put_wall(&f, face, face < 2 ? WABE_SCALAR_VALUE : WABE_SCALAR_INSULATED,
                 face == 0   ? 0.5
                 : face == 1 ? -0.5
                             : 0.0);
    f.options.model.scalar.buoyancy[1] = fall * fall / edge;
    flow_start(&f, at_rest, NULL);
    flow_run(&f, steps);
    const wabe_monitor_result r = monitor_of(&f);
    *nusselt = wabe_sum_value(r.scalar_flux[0]) / (double)r.cells * edge / diffusivity;
    double *m = moments_of(&f);
    *fastest = 0.0;
    for (int64_t x = 0; x < n; x++) {
        const double *low = m + 2 * r.cells + x + n * (n / 2 - 1), *high = low + n;
        *fastest = fmax(*fastest, 0.5 * (low[0] + high[0]) * edge / diffusivity);
    }
    free(m);
    flow_end(&f);
}

/* G. de Vahl Davis, Int. J. Numer. Methods Fluids 3 (1983) 249: a square; E. Tric, G. Labrosse, M.
 * Betrouni, Int. J. Heat Mass Transf. 43 (2000) 4043: a cube. Errors fall with the square of the
 * cells per boundary layer, whose thickness is about edge / (2 Nu). */
static void heated_cavities(void **state) {
    (void)state;
    static const struct {
        bool cube;
        int64_t n, steps;
        double rayleigh, nusselt, fastest, allowed;
    } rows[] = {{false, 40, 20000, 1e4, 2.243, 19.617, 0.01},
                {false, 64, 40000, 1e5, 4.519, 68.59, 0.01},
                {true, 24, 12000, 1e4, 2.054, NAN, 0.015}};
    const bool all = test_is_full() && !regularized;
    for (size_t i = 0; i < (all ? sizeof rows / sizeof rows[0] : 1); i++) {
        double nusselt, fastest;
        heat_cavity(rows[i].n, rows[i].cube, rows[i].rayleigh, rows[i].steps, &nusselt, &fastest);
        print_message("%s, Ra %.0e, %d cells: Nusselt number %.4f (%.4f), velocity %.3f (%.3f)\n",
                      rows[i].cube ? "cube" : "square", rows[i].rayleigh, (int)rows[i].n, nusselt,
                      rows[i].nusselt, fastest, rows[i].fastest);
        assert_true(fabs(nusselt / rows[i].nusselt - 1.0) < rows[i].allowed);
        assert_true(rows[i].cube || fabs(fastest / rows[i].fastest - 1.0) < rows[i].allowed);
    }
}

static int choose(void **state) {
    (void)state;
    regularized = lattice == WABE_LATTICE_d3q19_d3q19;
    lattice = lattice == WABE_LATTICE_any ? WABE_LATTICE_d3q19_d3q7 : WABE_LATTICE_d3q19_d3q19;
    return 0;
}

int main(int argc, char *argv[]) {
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conduction_is_exact),
        cmocka_unit_test(nothing_gets_lost),
        cmocka_unit_test(what_is_even_stays_even),
        cmocka_unit_test(a_stream_does_not_change_diffusion),
        cmocka_unit_test(diffuses_along_walls),
        cmocka_unit_test(eddies_diffuse),
        cmocka_unit_test(taylor_dispersion),
        cmocka_unit_test(a_source_makes_a_plume),
        cmocka_unit_test(heated_cavities),
    };
    int code = hardware_choose(argc, argv, 1);
    for (int i = 0; i < 3 && code == 0; i++)
        code = cmocka_run_group_tests(tests, choose, NULL);
    MPI_Finalize();
    return code;
}
