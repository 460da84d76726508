/* Two fluids: every kernel against populations that stream and collide one by one, with walls,
 * planes of symmetry and solids; and what theory says of drops and layers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sweeps/stencil/two_fluids.h"
#include "tests/conformance/slab.h"
#include "tests/full.h"

enum { Q = 19, NUMBERS = WABE_TWO_FLUIDS_NUMBERS };

typedef struct {
    wabe_two_fluids_place place;
    wabe_two_fluids_step step;
    double (*phase)(const void *context, const int64_t cell[3]);
    const void *context;
    double velocity; /* of the liquid, along x */
} problem;

static double value_at(const problem *m, int number, const int64_t cell[3]) {
    const double c = m->phase(m->context, cell), u[3] = {m->velocity * c, 0.0, 0.0};
    return wabe_two_fluids_initial(number, c, 0.0, 0.0, u);
}

typedef struct {
    const problem *problem;
    int number;
} source;

static wabe_status value_row(const void *context, const int64_t cell[3], int64_t count,
                             double *row) {
    const source *s = context;
    for (int64_t i = 0; i < count; i++)
        row[i] = value_at(s->problem, s->number, (const int64_t[3]){cell[0] + i, cell[1], cell[2]});
    return WABE_OK;
}

static bool is_solid(const problem *m, const int64_t cell[3]) {
    return m->place.is_solid && m->place.is_solid(m->place.context, cell);
}

static wabe_status state_row(const void *context, const int64_t cell[3], int64_t count,
                             double *row) {
    const source *s = context;
    const wabe_status status = value_row(context, cell, count, row);
    for (int64_t i = 0; i < count; i++)
        if (is_solid(s->problem, (const int64_t[3]){cell[0] + i, cell[1], cell[2]}))
            row[i] = 0.0;
    return status;
}

static void open_problem(alone *a, const problem *m, wabe_type type, const char *kernel,
                         wabe_box inner) {
    const wabe_grid_model model = wabe_two_fluids_model(type, &m->place, kernel);
    open_slab(a, &model, inner);
    assert_int_equal(wabe_two_fluids_set(a->slab, &m->step, &m->place), WABE_OK);
    for (int number = 0; number < NUMBERS + 3; number++) {
        const source of = {m, number};
        const bool moves = number >= NUMBERS;
        set_field(a, moves ? WABE_TWO_FLUIDS_VELOCITY : WABE_TWO_FLUIDS_STATE,
                  moves ? number - NUMBERS : number, state_row, &of);
    }
}

static double *read_number(const alone *a, int field, int component) {
    double *values = malloc((size_t)wabe_box_cells(a->slab->block) * sizeof *values);
    assert_non_null(values);
    assert_int_equal(wabe_grid_read_field(a->slab, field, component, a->slab->block, values),
                     WABE_OK);
    return values;
}

/* ---- the reference ------------------------------------------------------------------ */

static int velocity_of(int i, int axis) {
    static const int c[Q][3] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
                                {0, 0, 1},  {0, 0, -1},  {1, 1, 0},   {-1, -1, 0}, {1, -1, 0},
                                {-1, 1, 0}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1},  {-1, 0, 1},
                                {0, 1, 1},  {0, -1, -1}, {0, 1, -1},  {0, -1, 1}};
    return c[i][axis];
}

static int number_of(const int c[3]) {
    for (int i = 0; i < Q; i++)
        if (velocity_of(i, 0) == c[0] && velocity_of(i, 1) == c[1] && velocity_of(i, 2) == c[2])
            return i;
    return -1;
}

static double weight_of(int i) { return i == 0 ? 1.0 / 3.0 : i < 7 ? 1.0 / 18.0 : 1.0 / 36.0; }

typedef double cell_populations[2][Q]; /* of the flow, of the phase */

typedef struct {
    const problem *m;
    int64_t cells;
    cell_populations *now, *next;
    double *c, *before; /* C, and that of the step before */
    double *unwetted;   /* of solids: C of the fluid beside them */
} plain;

static int64_t place_of(const problem *m, const int64_t at[3]) {
    return at[0] + m->place.cells[0] * (at[1] + m->place.cells[1] * at[2]);
}

/* What is off a cell: another one, or its image; an open face, or a wall, plus its number. */
enum { INNER = -1, OPEN_FACE, WALL = OPEN_FACE + 6 };

/* Finds what is off a cell: sets to, and the signs of its axes. */
static int image_of(const problem *m, const int64_t cell[3], const int off[3], int64_t to[3],
                    int sign[3]) {
    int open = INNER, wall = INNER;
    for (int axis = 0; axis < 3; axis++) {
        const int64_t n = m->place.cells[axis], at = cell[axis] + off[axis];
        const wabe_two_fluids_face face = m->place.faces[2 * axis + (at >= n)];
        const bool inside = at >= 0 && at < n;
        sign[axis] = inside || face == WABE_TWO_FLUIDS_PERIODIC ? 1 : -1;
        to[axis] = inside ? at : face == WABE_TWO_FLUIDS_PERIODIC ? (at + n) % n : cell[axis];
        if (!inside && face == WABE_TWO_FLUIDS_NO_SLIP && wall == INNER)
            wall = WALL + 2 * axis + (at >= n);
        if (!inside && face == WABE_TWO_FLUIDS_OPEN && open == INNER)
            open = OPEN_FACE + 2 * axis + (at >= n);
    }
    return wall != INNER ? wall : open;
}

/* own: the contact angle, or NAN; distance: of the fluid along the wall's normal. */
static double wetted(const problem *m, double own, double distance, double c) {
    const double angle = isnan(own) ? m->step.contact_angle : own;
    const double exact = 4.0 / m->step.width * cos(angle) * distance;
    const double slope = m->place.wetting_differs ? (double)(float)exact : exact; /* as stored */
    const double first = c + 0.5 * slope * c * (1.0 - c);
    return c + slope * first * (1.0 - first);
}

static double pressure_of(const double f[Q]) {
    double sum = 0.0;
    for (int i = 0; i < Q; i++)
        sum += f[i];
    return sum;
}

static double volume_of_phase(const problem *m, double c) {
    return wabe_two_fluids_volume_of(&m->step, fmin(fmax(c, 0.0), 1.0));
}

static bool fluid_off(const plain *p, const int64_t at[3], const int off[3]) {
    int64_t to[3];
    int sign[3];
    return image_of(p->m, at, off, to, sign) == INNER && !is_solid(p->m, to);
}

/* Adds the C that is off a cell, in the step before, if there is fluid; returns whether there is.
 */
static bool add_fluid(const plain *p, const int64_t at[3], const int off[3], double *sum) {
    int64_t to[3];
    int sign[3];
    image_of(p->m, at, off, to, sign);
    if (fluid_off(p, at, off))
        *sum += pressure_of(p->now[place_of(p->m, to)][1]);
    return fluid_off(p, at, off);
}

/* V of a cell: walls, solids and what is behind open faces are mirror images: of the cell along an
 * axis, of fluid beside the cell across an edge. */
static double mean_volume(const plain *p, const int64_t at[3]) {
    const double c = pressure_of(p->now[place_of(p->m, at)][1]), own = volume_of_phase(p->m, c);
    double mean = own;
    for (int i = 1; i < Q; i++) {
        const int off[3] = {velocity_of(i, 0), velocity_of(i, 1), velocity_of(i, 2)};
        double sum = 0.0, count = add_fluid(p, at, off, &sum);
        for (int axis = 0; axis < 3 && i >= 7 && !fluid_off(p, at, off); axis++) {
            const int beside[3] = {axis == 0 ? 0 : off[0], axis == 1 ? 0 : off[1],
                                   axis == 2 ? 0 : off[2]};
            count += off[axis] != 0 && add_fluid(p, at, beside, &sum);
        }
        mean += 1.5 * weight_of(i) * (volume_of_phase(p->m, count > 0.0 ? sum / count : c) - own);
    }
    return mean;
}

/* What populations i that leave a cell through a face come back as. Behind a face of given pressure
 * is what is before it, but for the pressure. */
static void pass(const plain *p, const int64_t at[3], int face, int i, double back[2]) {
    const problem *m = p->m;
    const wabe_two_fluids_boundary *t = &m->step.through[face];
    const int axis = face / 2;
    const cell_populations *out = &p->now[place_of(m, at)];
    int opposite[3], beside[3], sign[3];
    int64_t there[3];
    double speed[3], lacks = 0.0, came = (*out)[0][i];
    for (int a = 0; a < 3; a++) {
        opposite[a] = -velocity_of(i, a);
        beside[a] = a == axis ? 0 : velocity_of(i, a);
        speed[a] = t->velocity[a];
        came -= t->has_pressure ? 0.0 : 6.0 * weight_of(i) * velocity_of(i, a) * speed[a];
    }
    if (t->has_pressure) {
        const bool fluid = image_of(m, at, beside, there, sign) == INNER && !is_solid(m, there);
        const double(*f)[Q] = p->now[place_of(m, fluid ? there : at)];
        const int turned[3] = {fluid ? sign[0] * opposite[0] : opposite[0],
                               fluid ? sign[1] * opposite[1] : opposite[1],
                               fluid ? sign[2] * opposite[2] : opposite[2]};
        lacks = 3.0 * t->pressure * mean_volume(p, at) - pressure_of((*out)[0]);
        speed[axis] = 0.0;
        for (int k = 0; k < Q; k++)
            speed[axis] += velocity_of(k, axis) * f[0][k];
        came = f[0][number_of(turned)] + 2.0 * weight_of(i) * lacks;
    }
    const double c = pressure_of((*out)[1]);
    const double inflow = fmax(0.0, (face % 2 ? -3.0 : 3.0) * speed[axis] + lacks);
    back[0] = came;
    back[1] = (*out)[1][i] + c * (came - (*out)[0][i]);
    if (isfinite(t->phase)) /* what flows in differs */
        back[1] += 2.0 * weight_of(i) * (t->phase - c) * inflow;
}

static void stream(plain *p, const int64_t at[3]) {
    const problem *m = p->m;
    const int64_t own = place_of(m, at);
    for (int i = 0; i < Q; i++) {
        const int back[3] = {-velocity_of(i, 0), -velocity_of(i, 1), -velocity_of(i, 2)};
        int64_t from[3];
        int sign[3];
        const int what = image_of(m, at, back, from, sign);
        const bool solid = what >= WALL || is_solid(m, from);
        const int turned[3] = {-back[0] * sign[0], -back[1] * sign[1], -back[2] * sign[2]};
        double passed[2];
        if (what >= OPEN_FACE && what < WALL)
            pass(p, at, what - OPEN_FACE, number_of(back), passed);
        for (int lattice = 0; lattice < 2; lattice++)
            p->next[own][lattice][i] = solid ? p->now[own][lattice][number_of(back)]
                                       : what >= OPEN_FACE
                                           ? passed[lattice]
                                           : p->now[place_of(m, from)][lattice][number_of(turned)];
    }
    p->c[own] = 0.0;
    for (int i = 0; i < Q; i++)
        p->c[own] += p->next[own][1][i];
}

/* The normal of solids near a solid cell, of those up to three cells away. */
static void normal_of(const problem *m, const int64_t at[3], double normal[3]) {
    double length = 0.0;
    normal[0] = normal[1] = normal[2] = 0.0;
    for (int i = 0; i < 343; i++) {
        const int off[3] = {i % 7 - 3, i / 7 % 7 - 3, i / 49 - 3};
        const int square = off[0] * off[0] + off[1] * off[1] + off[2] * off[2];
        int64_t to[3];
        for (int axis = 0; axis < 3; axis++) { /* images in mirrors, or of periodic axes */
            const int64_t n = m->place.cells[axis];
            to[axis] = at[axis] + off[axis];
            while (to[axis] < 0 || to[axis] >= n)
                to[axis] = m->place.faces[2 * axis] == WABE_TWO_FLUIDS_PERIODIC
                               ? (to[axis] + n) % n
                               : (to[axis] < 0 ? -1 : 2 * n - 1) - to[axis];
        }
        for (int axis = 0; axis < 3 && square < 16 && is_solid(m, to); axis++)
            normal[axis] -= (16 - square) * (16 - square) * off[axis];
    }
    for (int axis = 0; axis < 3; axis++)
        length += normal[axis] * normal[axis];
    for (int axis = 0; axis < 3 && length > 0.0; axis++)
        normal[axis] /= sqrt(length);
}

/* C in a solid: from the fluid around it, a step before; across edges only if there is none along
 * the axes. */
static void wet(plain *p, const int64_t at[3]) {
    double sums[2] = {0.0, 0.0}, counts[2] = {0.0, 0.0}, along[2] = {0.0, 0.0}, normal[3];
    normal_of(p->m, at, normal);
    for (int i = 1; i < Q; i++) {
        const int off[3] = {velocity_of(i, 0), velocity_of(i, 1), velocity_of(i, 2)};
        int64_t to[3];
        int sign[3];
        if (image_of(p->m, at, off, to, sign) == INNER && !is_solid(p->m, to)) {
            const int kind = abs(off[0]) + abs(off[1]) + abs(off[2]) - 1;
            sums[kind] += p->before[place_of(p->m, to)];
            counts[kind] += 1.0;
            along[kind] += off[0] * normal[0] + off[1] * normal[1] + off[2] * normal[2];
        }
    }
    const int kind = counts[0] > 0.0 ? 0 : 1;
    const double angle = p->m->place.angle_of_solid(p->m->place.context, at);
    const double count = fmax(counts[kind], 1.0);
    p->unwetted[place_of(p->m, at)] = sums[kind] / count;
    p->c[place_of(p->m, at)] = wetted(p->m, angle, fmax(along[kind] / count, 0.0),
                                      sums[kind] / count);
}

static void expand(double pressure, const double u[3], const double second[3][3], double c,
                   const double flux[3], cell_populations out) {
    for (int i = 0; i < Q; i++) {
        double even = 0.0, along = 0.0, carried = 0.0;
        for (int a = 0; a < 3; a++) {
            along += velocity_of(i, a) * u[a];
            carried += velocity_of(i, a) * flux[a];
            for (int b = 0; b < 3; b++)
                even += (velocity_of(i, a) * velocity_of(i, b) - (a == b ? 1.0 / 3.0 : 0.0)) *
                        second[a][b];
        }
        out[0][i] = weight_of(i) * (pressure + 3.0 * along + 4.5 * even);
        out[1][i] = weight_of(i) * (c + 3.0 * carried);
    }
}

/* The inverse of the density off a cell, behind faces that of its image; of solids that of the
 * fluid beside them. */
static double volume_off(const plain *p, const int64_t at[3], const int off[3]) {
    int64_t to[3];
    int sign[3];
    image_of(p->m, at, off, to, sign);
    return volume_of_phase(p->m, (is_solid(p->m, to) ? p->unwetted : p->c)[place_of(p->m, to)]);
}

/* The part of a symmetric tensor between a normal, of any length, and what is across it. */
static void shearing(const double of[3][3], const double normal[3], double out[3][3]) {
    double n[3], q[3], size = 0.0, along = 0.0;
    for (int a = 0; a < 3; a++)
        size += normal[a] * normal[a];
    for (int a = 0; a < 3; a++)
        n[a] = normal[a] / (sqrt(size) + 1e-12);
    for (int a = 0; a < 3; a++)
        q[a] = of[a][0] * n[0] + of[a][1] * n[1] + of[a][2] * n[2];
    for (int a = 0; a < 3; a++)
        along += n[a] * q[a];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            out[a][b] = n[a] * (q[b] - along * n[b]) + (q[a] - along * n[a]) * n[b];
}

/* Moments of what has arrived at a cell, and what C and 1 / rho are like around it. */
typedef struct {
    double pressure, j[3], second[3][3], flux[3];
    double gradient[3], size, laplacian, volume, grad_v[3]; /* size: of the gradient; volume: V */
} surroundings;

static surroundings look_around(const plain *p, const int64_t at[3]) {
    const problem *m = p->m;
    const double c = p->c[place_of(m, at)], own = volume_of_phase(m, c);
    surroundings s = {.volume = own};
    for (int i = 0; i < Q; i++) {
        const int off[3] = {velocity_of(i, 0), velocity_of(i, 1), velocity_of(i, 2)};
        const cell_populations *arrived = &p->next[place_of(m, at)];
        const double f = (*arrived)[0][i], lighter = volume_off(p, at, off) - own;
        int64_t to[3];
        int sign[3];
        const int wall = image_of(m, at, off, to, sign) - WALL;
        const double angle = m->place.wetting_differs && wall >= 0 ? m->place.angles[wall] : NAN;
        const double image = p->c[place_of(m, to)];
        const double there = wall >= 0 ? wetted(m, angle, 1.0, image) : image;
        s.pressure += f;
        s.volume += 1.5 * weight_of(i) * lighter; /* a quarter of the Laplacian of 1 / rho */
        s.laplacian += 6.0 * weight_of(i) * (there - c);
        for (int a = 0; a < 3; a++) {
            s.j[a] += off[a] * f;
            s.flux[a] += off[a] * (*arrived)[1][i];
            s.gradient[a] += 3.0 * weight_of(i) * off[a] * there;
            s.grad_v[a] += 3.0 * weight_of(i) * off[a] * lighter;
            for (int b = 0; b < 3; b++)
                s.second[a][b] += off[a] * off[b] * f;
        }
    }
    s.size = sqrt(s.gradient[0] * s.gradient[0] + s.gradient[1] * s.gradient[1] +
                  s.gradient[2] * s.gradient[2]) +
             1e-12;
    return s;
}

/* The force on a cell, but for what shears. */
static void push(const problem *m, const surroundings *around, double c, double force[3]) {
    const wabe_two_fluids_step *s = &m->step;
    const double rho = 1.0 / volume_of_phase(m, c), v = around->volume;
    /* Between cells the slope of an interface has a mean square that is less than in theory. */
    const double steep = 4.0 / s->width, coth = 1.0 + 2.0 / (exp(2.0 * steep) - 1.0);
    const double tension = s->tension / (3.0 * (steep * coth - 1.0) / (steep * steep));
    const double potential = 48.0 * tension / s->width * c * (c - 1.0) * (c - 0.5) -
                             1.5 * tension * s->width * around->laplacian;
    double square = 0.0;
    for (int a = 0; a < 3; a++)
        square += around->grad_v[a] * around->grad_v[a];
    for (int a = 0; a < 3; a++)
        force[a] = rho * (v - 0.25 * square / v) * potential * around->gradient[a] +
                   rho * around->pressure / (3.0 * v) * around->grad_v[a] +
                   (rho - s->reference) * s->gravity[a] + s->force[a];
}

static void find_stress(const surroundings *around, const double u[3], double stress[3][3]) {
    double trace = 0.0;
    for (int a = 0; a < 3; a++)
        trace += around->second[a][a] - u[a] * u[a];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            stress[a][b] = around->second[a][b] - u[a] * u[b] - (a == b ? trace / 3.0 : 0.0);
}

/* Sets omega of what shears along the interface, and of the rest, and nu omega. */
static void find_viscosity(const problem *m, const surroundings *around, double c,
                           const double stress[3][3], double omega[2], double product[2]) {
    const wabe_two_fluids_step *s = &m->step;
    const double share = fmin(fmax(c, 0.0), 1.0), gas = 1.0 / s->gas.viscosity;
    const double mu = s->gas.viscosity + share * (s->liquid.viscosity - s->gas.viscosity);
    const double per_mu = gas + share * (1.0 / s->liquid.viscosity - gas);
    const double own = volume_of_phase(m, c), lap = 4.0 * (around->volume - own);
    const double nu[2] = {around->volume / fmax(per_mu + 1.5 * lap, 0.25 * per_mu), mu * own};
    double square = 0.0;
    for (int a = 0; a < 9; a++)
        square += 2.0 * stress[a / 3][a % 3] * stress[a / 3][a % 3];
    for (int part = 0; part < 2; part++) { /* eddies: |S| = 3 omega |N| / 2 */
        const double time = 3.0 * nu[part] + 0.5, eddies = pow(s->smagorinsky, 2.0);
        omega[part] = 2.0 / (time + sqrt(time * time + 18.0 * eddies * sqrt(square)));
        product[part] = (1.0 - 0.5 * omega[part]) / 3.0;
    }
}

/* The force of the stress where the density changes: what shears acts along the interface, the rest
 * along its normal, on which grad v lies. */
static void drag(const surroundings *around, double rho, const double stress[3][3],
                 const double product[2], double force[3]) {
    double all[3] = {0.0}, along = 0.0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            all[a] += 3.0 * rho * stress[a][b] * around->grad_v[b] / around->volume;
    for (int a = 0; a < 3; a++)
        along += around->gradient[a] / around->size * all[a];
    for (int a = 0; a < 3; a++)
        force[a] += product[0] * all[a] +
                    (product[1] - product[0]) * along * around->gradient[a] / around->size;
}

static void collide(plain *p, const int64_t at[3]) {
    const problem *m = p->m;
    const int64_t own = place_of(m, at);
    const double c = p->c[own], rho = 1.0 / volume_of_phase(m, c);
    const double slope = 4.0 / m->step.width * c * (1.0 - c);
    const surroundings around = look_around(p, at);
    double force[3], u[3], stress[3][3], shears[3][3], omega[2], product[2];
    push(m, &around, c, force);
    for (int round = 0; round < 2; round++) {
        for (int a = 0; a < 3; a++)
            u[a] = around.j[a] + 0.5 * force[a] / rho;
        find_stress(&around, u, stress);
        if (round == 0) {
            find_viscosity(m, &around, c, (const double(*)[3])stress, omega, product);
            drag(&around, rho, (const double(*)[3])stress, product, force);
        }
    }
    shearing((const double(*)[3])stress, around.gradient, shears);
    const double rate = 1.0 / (3.0 * m->step.mobility + 0.5);
    double leaves[3], kept[3][3], left[3];
    for (int a = 0; a < 3; a++) {
        const double sharp = slope / 3.0 * around.gradient[a] / around.size;
        leaves[a] = u[a] + 0.5 * force[a] / rho;
        left[a] = around.flux[a] - rate * (around.flux[a] - c * u[a] + 0.5 * sharp) + sharp;
        for (int b = 0; b < 3; b++)
            kept[a][b] = u[a] * u[b] + (1.0 - omega[1]) * (stress[a][b] - shears[a][b]) +
                         (1.0 - omega[0]) * shears[a][b];
    }
    expand(around.pressure, leaves, (const double(*)[3])kept, c, left, p->now[own]);
}

/* Calls what for all cells that are solid, or all others. */
static void each(plain *p, bool solid, void (*what)(plain *, const int64_t[3])) {
    const int64_t *n = p->m->place.cells;
    int64_t at[3];
    for (at[2] = 0; at[2] < n[2]; at[2]++)
        for (at[1] = 0; at[1] < n[1]; at[1]++)
            for (at[0] = 0; at[0] < n[0]; at[0]++)
                if (is_solid(p->m, at) == solid)
                    what(p, at);
}

static void begin(plain *p, const int64_t at[3]) {
    const double c = p->m->phase(p->m->context, at), u[3] = {p->m->velocity * c, 0.0, 0.0};
    const double second[3][3] = {{u[0] * u[0]}}, flux[3] = {c * u[0], 0.0, 0.0};
    expand(0.0, u, second, c, flux, p->now[place_of(p->m, at)]);
    p->c[place_of(p->m, at)] = c;
}

static void plain_step(plain *p) {
    memcpy(p->before, p->c, (size_t)p->cells * sizeof *p->c);
    each(p, false, stream);
    each(p, true, wet);
    each(p, false, collide);
}

static plain open_plain(const problem *m) {
    const int64_t n = m->place.cells[0] * m->place.cells[1] * m->place.cells[2];
    plain p = {m,
               n,
               calloc((size_t)n, sizeof *p.now),
               calloc((size_t)n, sizeof *p.next),
               calloc((size_t)n, sizeof *p.c),
               calloc((size_t)n, sizeof *p.before),
               calloc((size_t)n, sizeof *p.unwetted)};
    assert_true(p.now && p.next && p.c && p.before && p.unwetted);
    each(&p, false, begin);
    return p;
}

static void close_plain(plain *p) {
    free(p->now);
    free(p->next);
    free(p->c);
    free(p->before);
    free(p->unwetted);
}

/* The number of the state of a cell's populations. */
static double number_from(const cell_populations f, int number) {
    static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    double pressure = 0.0, first[3] = {0.0}, flux[3] = {0.0}, second[3][3] = {{0.0}}, c = 0.0;
    for (int i = 0; i < Q; i++) {
        pressure += f[0][i];
        c += f[1][i];
        for (int a = 0; a < 3; a++) {
            first[a] += velocity_of(i, a) * f[0][i];
            flux[a] += velocity_of(i, a) * f[1][i];
            for (int b = 0; b < 3; b++)
                second[a][b] += velocity_of(i, a) * velocity_of(i, b) * f[0][i];
        }
    }
    for (int a = 0; a < 3; a++)
        second[a][a] -= pressure / 3.0;
    const int a = (number - WABE_TWO_FLUIDS_X) % 3;
    if (number == WABE_TWO_FLUIDS_BASE)
        return pressure - 1.5 * (second[0][0] + second[1][1] + second[2][2]);
    if (number < WABE_TWO_FLUIDS_XX)
        return 3.0 * first[a];
    if (number < WABE_TWO_FLUIDS_XY)
        return 4.5 * second[a][a];
    if (number < WABE_TWO_FLUIDS_PHASE)
        return 9.0 * second[pairs[a][0]][pairs[a][1]];
    return number == WABE_TWO_FLUIDS_PHASE ? c : 3.0 * flux[number - WABE_TWO_FLUIDS_FLUX];
}

/* ---- every kernel ------------------------------------------------------------------- */

/* A drop that is not round, so that an interface meets walls, solids and ends of vectors. */
static double wavy_drop(const void *context, const int64_t cell[3]) {
    const problem *m = context;
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double off = (double)cell[axis] - 0.35 * (double)m->place.cells[axis];
        square += off * off;
    }
    const double wavy = 1.0 + 0.2 * sin(1.3 * (double)cell[0] + 0.7 * (double)cell[1]);
    return 0.5 - 0.5 * tanh(0.5 * (sqrt(square) * wavy - 4.0));
}

/* A corner of three cells, and one by itself; context: the cells of the domain. */
static bool few_solids(const void *context, const int64_t cell[3]) {
    const int64_t *n = context, x = cell[0] - n[0] / 2, y = cell[1] - n[1] / 2;
    const int64_t z = cell[2] - n[2] / 2;
    return (x == 0 && y == 0 && (z == 0 || z == 1)) || (x == 1 && y == 0 && z == 0) ||
           (x == 3 && y == -1 && z == -1);
}

static double angle_of_few(const void *context, const int64_t cell[3]) {
    const int64_t *n = context;
    return cell[0] == n[0] / 2 ? 2.2 : NAN;
}

static problem mixed_problem(void) {
    return (problem){.place = {.cells = {21, 7, 6}},
                     .step = {.liquid = {1.0, 0.08},
                              .gas = {0.02, 0.002},
                              .tension = 2e-3,
                              .width = 4.0,
                              .mobility = 0.03,
                              .reference = 0.02,
                              .gravity = {1e-5, -3e-5, 2e-5},
                              .force = {-2e-7, 1e-7, 3e-7},
                              .contact_angle = 1.1},
                     .phase = wavy_drop,
                     .velocity = 0.02};
}

/* Returns the largest difference over the largest number of its kind, or over a hundredth: rounding
 * is that of C and of weights. */
static double off_plain(const problem *m, wabe_type type, const char *kernel, wabe_box inner,
                        int steps) {
    plain p = open_plain(m);
    alone a;
    double most = 0.0;
    open_problem(&a, m, type, kernel, inner);
    run_slab(&a, steps);
    for (int step = 0; step < steps; step++)
        plain_step(&p);
    for (int number = 0; number < NUMBERS; number++) {
        double *found = read_number(&a, WABE_TWO_FLUIDS_STATE, number), large = 1e-2;
        for (int64_t i = 0; i < p.cells; i++)
            large = fmax(large, fabs(number_from(p.now[i], number)));
        for (int64_t i = 0; i < p.cells; i++) {
            const double off = fabs(found[i] - number_from(p.now[i], number)) / large;
            most = isnan(off) || off > most ? (isnan(off) ? INFINITY : off) : most;
        }
        free(found);
    }
    wabe_grid_destroy(&a.slab);
    close_plain(&p);
    return most;
}

/* What flows through faces: in at a velocity, in or out by a pressure, of all kinds of fluid. */
static void open_faces(problem *m) {
    static const double phases[] = {1.0, 0.0, NAN};
    for (int face = 0; face < 6; face++) {
        m->step.through[face] = (wabe_two_fluids_boundary){.has_pressure = face % 2 || face == 2,
                                                           .velocity = {0.01, -0.02, 0.015},
                                                           .pressure = face == 2 ? 2e-4 : -1e-4,
                                                           .phase = phases[face % 3]};
    }
}

/* Kinds of faces along x, y and z; each axis is of each kind. */
static void check_kernel(wabe_type type, const char *kernel) {
    static const wabe_two_fluids_face kinds[][3] = {
        {WABE_TWO_FLUIDS_PERIODIC, WABE_TWO_FLUIDS_NO_SLIP, WABE_TWO_FLUIDS_FREE_SLIP},
        {WABE_TWO_FLUIDS_FREE_SLIP, WABE_TWO_FLUIDS_PERIODIC, WABE_TWO_FLUIDS_NO_SLIP},
        {WABE_TWO_FLUIDS_NO_SLIP, WABE_TWO_FLUIDS_FREE_SLIP, WABE_TWO_FLUIDS_PERIODIC},
        {WABE_TWO_FLUIDS_OPEN, WABE_TWO_FLUIDS_PERIODIC, WABE_TWO_FLUIDS_NO_SLIP},
        {WABE_TWO_FLUIDS_FREE_SLIP, WABE_TWO_FLUIDS_OPEN, WABE_TWO_FLUIDS_OPEN}};
    enum { THIN = 3, COUNT = 3 * sizeof kinds / sizeof kinds[0] };
    for (int i = 0; i < COUNT; i++) {
        const bool thin = i % THIN == 2; /* one cell thick along y */
        problem m = mixed_problem();
        if (thin)
            m.place.cells[1] = 1;
        open_faces(&m);
        for (int face = 0; face < 6; face++)
            m.place.faces[face] = thin && face / 2 == 1 ? WABE_TWO_FLUIDS_PERIODIC
                                                        : kinds[i / THIN][face / 2];
        m.context = &m;
        if (i % 2) {
            m.place.is_solid = few_solids;
            m.place.angle_of_solid = angle_of_few;
            m.place.context = m.place.cells;
        }
        m.place.wetting_differs = i % 2 || i % 4 == 2;
        for (int face = 0; face < 6; face++)
            m.place.angles[face] = face == 3 ? NAN : 0.6 + 0.3 * face;
        if (i % 3 == 1)
            m.step.smagorinsky = 0.2;
        const wabe_box all = all_of(m.place.cells), part = {{2, 1, 1}, {17, 5, 4}};
        const double off = off_plain(&m, type, kernel, i % 2 && !thin ? part : all, 7);
        print_message("two fluids, %s %s, faces %d: off by %.1e\n", wabe_type_word(type), kernel, i,
                      off);
        assert_true(off < (type == WABE_TYPE_f64 ? 1e-13 : 1e-5));
    }
}

static void every_kernel_is_the_plain_model(void **state) {
    (void)state;
    for (int i = 0; i < wabe_registry_count(wabe_kernels()); i++) {
        const wabe_kernel *row = wabe_registry_row(wabe_kernels(), i), *found;
        const wabe_component component = hardware_component();
        const char *part = strrchr(row->name, '.');
        const wabe_kernel_request request = {.sweep = row->sweep,
                                             .storage = row->storage,
                                             .name_part = part};
        if (row->sweep == &wabe_sweep_two_fluids_collide && row->target == component.target &&
            wabe_registry_select(wabe_kernels(), &component, &request, &found) == WABE_OK)
            check_kernel(row->storage, part);
    }
}

/* ---- theory ------------------------------------------------------------------------- */

enum { SIDE = 64, RADIUS = 16 };

static double disc(const void *context, const int64_t cell[3]) {
    (void)context;
    const double x = (double)cell[0] + 0.5 - 0.5 * SIDE, y = (double)cell[1] + 0.5 - 0.5 * SIDE;
    return 0.5 - 0.5 * tanh(0.5 * (sqrt(x * x + y * y) - RADIUS));
}

/* A drop at rest, a thousand times as dense as the gas around it, has the pressure of Laplace, and
 * hardly anything moves around it. */
static void drops_at_rest_have_laplaces_pressure(void **state) {
    (void)state;
    const double tension = 1e-3;
    if (hardware_gpus > 0 || !test_is_full())
        skip(); /* its kernels are those of every_kernel_is_the_plain_model */
    problem m = {.place = {.cells = {SIDE, SIDE, 1}},
                 .step = {.liquid = {1.0, 1.0 / 6.0},
                          .gas = {1e-3, 1e-3 / 6.0},
                          .tension = tension,
                          .width = 4.0,
                          .mobility = 0.02,
                          .reference = 1e-3,
                          .contact_angle = 1.5707963267948966},
                 .phase = disc};
    alone a;
    double area = 0.0, before = 0.0, fastest = 0.0;
    open_problem(&a, &m, WABE_TYPE_f64, "", all_of(m.place.cells));
    double *c = read_number(&a, WABE_TWO_FLUIDS_STATE, WABE_TWO_FLUIDS_PHASE);
    for (int i = 0; i < SIDE * SIDE; i++)
        before += c[i];
    free(c);
    run_slab(&a, 6000);
    c = read_number(&a, WABE_TWO_FLUIDS_STATE, WABE_TWO_FLUIDS_PHASE);
    double *u = read_number(&a, WABE_TWO_FLUIDS_VELOCITY, 0);
    double *p = read_number(&a, WABE_TWO_FLUIDS_SCRATCH, 0);
    for (int i = 0; i < SIDE * SIDE; i++) {
        area += c[i];
        fastest = fmax(fastest, fabs(u[i]));
    }
    const double jump = p[SIDE / 2 + SIDE * (SIDE / 2)] - p[0];
    const double radius = sqrt(area / 3.14159265358979323846);
    print_message("drop: jump %.4f of theory, at most %.1e cells a step, volume %.1e\n",
                  jump * radius / tension, fastest, area / before - 1.0);
    assert_true(fabs(jump * radius / tension - 1.0) < 0.02);
    assert_true(fastest < 5e-5);
    assert_true(fabs(area / before - 1.0) < 1e-12);
    free(c);
    free(u);
    free(p);
    wabe_grid_destroy(&a.slab);
}

/* ---- a pressure that is the same everywhere ------------------------------------------- */

enum { LONG = 48 };
#define EVERYWHERE 5e-5

/* Two fluids side by side along an axis; context: the axis. */
static double side_by_side(const void *context, const int64_t cell[3]) {
    const int *axis = context;
    return 0.5 - 0.5 * tanh(0.5 * ((double)cell[*axis] + 0.5 - 0.5 * LONG));
}

/* The inverse of the density, and beyond the ends that of the cells there. */
static double volume_along(const problem *m, int64_t place) {
    const int64_t at = place < 0 ? 0 : place >= LONG ? LONG - 1 : place;
    return wabe_two_fluids_volume_of(&m->step, side_by_side(m->context, (int64_t[3]){at, at, at}));
}

/* The state in which the pressure is the same everywhere and nothing moves: half of what it
 * accelerates the fluid by in a step leaves a cell. */
static wabe_status rest_row(const void *context, const int64_t cell[3], int64_t count,
                            double *row) {
    const source *s = context;
    const problem *m = s->problem;
    const int axis = *(const int *)m->context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at[3] = {cell[0] + i, cell[1], cell[2]};
        const double v[3] = {volume_along(m, at[axis] - 1), volume_along(m, at[axis]),
                             volume_along(m, at[axis] + 1)};
        const double push = EVERYWHERE * 0.5 * (v[2] - v[0]), u[3] = {0.0, 0.0, 0.0};
        row[i] = wabe_two_fluids_initial(s->number, side_by_side(&axis, at),
                                         0.25 * (v[0] + 2.0 * v[1] + v[2]), EVERYWHERE, u);
        if (s->number == WABE_TWO_FLUIDS_X + axis)
            row[i] = 1.5 * push;
    }
    return WABE_OK;
}

/* Returns the fastest velocity after some steps, and in ends the pressure of either fluid. open:
 * the pressure is also given at the faces along both fluids. */
static double stirred_by_pressure(int axis, wabe_two_fluids_face along, double ends[2]) {
    const int across = (axis + 1) % 3;
    problem m = {.step = {.liquid = {1.0, 1.0 / 6.0},
                          .gas = {1e-3, 1e-3 / 6.0},
                          .width = 4.0,
                          .mobility = 0.02,
                          .reference = 1e-3,
                          .contact_angle = 1.5707963267948966},
                 .phase = side_by_side,
                 .context = &axis};
    alone a;
    double fastest = 0.0;
    for (int face = 0; face < 6; face++) {
        m.place.cells[face / 2] = face / 2 == axis ? LONG : 2;
        m.place.faces[face] = face / 2 == axis     ? WABE_TWO_FLUIDS_FREE_SLIP
                              : face / 2 == across ? along
                                                   : WABE_TWO_FLUIDS_PERIODIC;
        m.step.through[face] =
            (wabe_two_fluids_boundary){.has_pressure = true, .pressure = EVERYWHERE, .phase = NAN};
    }
    open_problem(&a, &m, WABE_TYPE_f64, "", all_of(m.place.cells));
    for (int number = 0; number < NUMBERS; number++)
        set_field(&a, WABE_TWO_FLUIDS_STATE, number, rest_row, &(source){&m, number});
    run_slab(&a, 500);
    double *p = read_number(&a, WABE_TWO_FLUIDS_SCRATCH, 0);
    for (int component = 0; component < 3; component++) {
        double *u = read_number(&a, WABE_TWO_FLUIDS_VELOCITY, component);
        for (int i = 0; i < 4 * LONG; i++)
            fastest = fmax(fastest, fabs(u[i]));
        free(u);
    }
    ends[0] = p[0];
    ends[1] = p[4 * LONG - 1];
    free(p);
    wabe_grid_destroy(&a.slab);
    return fastest;
}

static void the_same_pressure_everywhere_moves_nothing(void **state) {
    static const struct {
        wabe_two_fluids_face kind;
        const char *name;
    } along[] = {{WABE_TWO_FLUIDS_PERIODIC, "periodic"},
                 {WABE_TWO_FLUIDS_OPEN, "given"},
                 {WABE_TWO_FLUIDS_NO_SLIP, "no_slip"}};
    (void)state;
    for (int i = 0; i < 9; i++) {
        double ends[2];
        const double fastest = stirred_by_pressure(i % 3, along[i / 3].kind, ends);
        print_message("the same pressure everywhere, along %c, faces along it %s: at most %.1e "
                      "cells a step, pressures %.4f and %.4f of it\n",
                      'x' + i % 3, along[i / 3].name, fastest, ends[0] / EVERYWHERE,
                      ends[1] / EVERYWHERE);
        assert_true(fastest < 1e-4);
        assert_true(fabs(ends[0] - ends[1]) < 0.005 * EVERYWHERE);
    }
}

/* ---- layers --------------------------------------------------------------------------- */

enum { HIGH = 80, INTERFACE = 6 /* cells on each side of its middle */ };

static double layer(const void *context, const int64_t cell[3]) {
    (void)context;
    return 0.5 - 0.5 * tanh(0.5 * ((double)cell[1] + 0.5 - 0.5 * HIGH));
}

/* Two fluids, the lower one ten times as viscous, are driven between plates: two parabolas, but for
 * the interface. */
static void layers_flow_between_plates(void **state) {
    (void)state;
    const double h = 0.5 * HIGH, f = 1e-7, gas = 0.1, liquid = 1.0;
    if (hardware_gpus > 0 || !test_is_full())
        skip(); /* its kernels are those of every_kernel_is_the_plain_model */
    problem m = {.place = {.cells = {2, HIGH, 1},
                           .faces = {WABE_TWO_FLUIDS_PERIODIC, WABE_TWO_FLUIDS_PERIODIC,
                                     WABE_TWO_FLUIDS_NO_SLIP, WABE_TWO_FLUIDS_NO_SLIP,
                                     WABE_TWO_FLUIDS_PERIODIC, WABE_TWO_FLUIDS_PERIODIC}},
                 .step = {.liquid = {1.0, liquid},
                          .gas = {1.0, gas},
                          .tension = 1e-4,
                          .width = 4.0,
                          .mobility = 0.02,
                          .reference = 1.0,
                          .force = {f, 0.0, 0.0},
                          .contact_angle = 1.5707963267948966},
                 .phase = layer};
    alone a;
    double worst = 0.0;
    open_problem(&a, &m, WABE_TYPE_f64, "", all_of(m.place.cells));
    run_slab(&a, 30000);
    double *u = read_number(&a, WABE_TWO_FLUIDS_VELOCITY, 0);
    /* mu u'' = -f; u is 0 at both plates, and it and mu u' go on at h, where u is middle. */
    const double middle = f * h * h / (liquid + gas);
    double largest = 0.0;
    for (int y = 0; y < HIGH; y++) {
        const double from = y + 0.5 > h ? 2.0 * h - y - 0.5 : y + 0.5; /* the nearer plate */
        const double exact = middle * from / h +
                             f / (2.0 * (y + 0.5 > h ? gas : liquid)) * from * (h - from);
        if (fabs(y + 0.5 - h) > INTERFACE)
            worst = fmax(worst, fabs(u[2 * y] - exact));
        largest = fmax(largest, exact);
    }
    print_message("layers: off by %.4f of the largest velocity\n", worst / largest);
    assert_true(worst < 0.01 * largest);
    free(u);
    wabe_grid_destroy(&a.slab);
}

int main(int argc, char *argv[]) {
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_is_the_plain_model),
        cmocka_unit_test(drops_at_rest_have_laplaces_pressure),
        cmocka_unit_test(the_same_pressure_everywhere_moves_nothing),
        cmocka_unit_test(layers_flow_between_plates),
    };
    int code = hardware_choose(argc, argv, 1);
    if (code == 0)
        code = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return code;
}
