#include "tests/conformance/scalar_lbm.h"

#include "tests/conformance/half.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In an order of its own: nothing may hang on the library's. */
static const int e[SCALAR_Q_MAX][3] = {
    {0, 0, -1},
    {0, 0, 1},
    {0, -1, 0},
    {0, 1, 0},
    {-1, 0, 0},
    {1, 0, 0},
    {0, 0, 0},
    {0, 1, 1},
    {0, 1, -1},
    {0, -1, 1},
    {1, 0, 1},
    {0, -1, -1},
    {1, 0, -1},
    {-1, 0, 1},
    {1, 1, 0},
    {1, -1, 0},
    {-1, 1, 0},
    {-1, 0, -1},
    {-1, -1, 0},
    /* D3Q27 alone */
    {-1, 1, 1},
    {1, -1, 1},
    {1, 1, -1},
    {1, -1, -1},
    {-1, 1, -1},
    {-1, -1, 1},
    {1, 1, 1},
    {-1, -1, -1},
};

static double weight(const scalar_lbm *s, int q) {
    const int square = e[q][0] * e[q][0] + e[q][1] * e[q][1] + e[q][2] * e[q][2];
    if (s->populations == 27)
        return 8.0 / 27.0 / (double)(1 << 2 * square); /* 2/3 or 1/6 for each axis */
    return square == 0 ? 1.0 / 3.0 : square == 1 ? 1.0 / 18.0 : 1.0 / 36.0;
}

static int find(int x, int y, int z) {
    for (int q = 0; q < SCALAR_Q_MAX; q++)
        if (e[q][0] == x && e[q][1] == y && e[q][2] == z)
            return q;
    assert(!"a velocity of the set");
    return -1;
}

static int opposite(int q) { return find(-e[q][0], -e[q][1], -e[q][2]); }

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double along(int q, const double v[3]) {
    return e[q][0] * v[0] + e[q][1] * v[1] + e[q][2] * v[2];
}

/* ---- geometry ----------------------------------------------------------------------- */

static bool is_in_cylinder(const wabe_object *o, const double p[3]) {
    double axis[3], from[3], cross[3];
    for (int d = 0; d < 3; d++) {
        axis[d] = o->high[d] - o->low[d];
        from[d] = p[d] - o->low[d];
    }
    for (int d = 0; d < 3; d++)
        cross[d] = axis[(d + 1) % 3] * from[(d + 2) % 3] - axis[(d + 2) % 3] * from[(d + 1) % 3];
    const double length = sqrt(dot(axis, axis)), height = dot(axis, from) / length;
    return height >= 0.0 && height <= length && sqrt(dot(cross, cross)) / length <= o->radius;
}

static bool is_in_object(const wabe_object *o, const double p[3]) {
    if (o->shape == WABE_SHAPE_CYLINDER)
        return is_in_cylinder(o, p);
    if (o->shape == WABE_SHAPE_SPHERE)
        return hypot(hypot(p[0] - o->center[0], p[1] - o->center[1]), p[2] - o->center[2]) <=
               o->radius;
    return p[0] >= o->low[0] && p[0] <= o->high[0] && p[1] >= o->low[1] && p[1] <= o->high[1] &&
           p[2] >= o->low[2] && p[2] <= o->high[2];
}

static const wabe_condition *find_obstacle(const wabe_geometry *g, const int64_t cell[3]) {
    const double center[3] = {(double)cell[0] + 0.5, (double)cell[1] + 0.5, (double)cell[2] + 0.5};
    for (int k = 0; k < g->object_count; k++)
        if (is_in_object(&g->objects[k], center))
            return &g->conditions[WABE_FACES + k];
    return NULL;
}

/* [z][y][x]: of the solver that there is, one at a time. Most of the time would go into finding
 * them for each population and step. */
static const wabe_condition **obstacles;

static void create_obstacles(const wabe_geometry *g) {
    const int64_t *n = g->cells;
    int64_t i = 0;
    assert(!obstacles);
    obstacles = calloc((size_t)(n[0] * n[1] * n[2]), sizeof(const wabe_condition *));
    assert(obstacles);
    for (int64_t cell[3] = {0, 0, 0}; cell[2] < n[2]; cell[2]++)
        for (cell[1] = 0; cell[1] < n[1]; cell[1]++)
            for (cell[0] = 0; cell[0] < n[0]; cell[0]++)
                obstacles[i++] = find_obstacle(g, cell);
}

/* The condition of the obstacle that a cell of the domain belongs to, NULL if it is fluid. */
static const wabe_condition *obstacle(const wabe_geometry *g, const int64_t cell[3]) {
    return obstacles[(cell[2] * g->cells[1] + cell[1]) * g->cells[0] + cell[0]];
}

/* no-slip, moving wall, velocity, pressure, normal pressure, free slip: the first wins where faces
 * meet. */
static int precedence(wabe_boundary kind) {
    switch (kind) {
    case WABE_BOUNDARY_no_slip:
        return 0;
    case WABE_BOUNDARY_moving_wall:
        return 1;
    case WABE_BOUNDARY_velocity:
        return 2;
    case WABE_BOUNDARY_pressure:
        return 3;
    case WABE_BOUNDARY_pressure_normal:
        return 4;
    default:
        return 5;
    }
}

/* Moves a cell that lies behind periodic faces back into the domain; the condition of the other
 * faces that it lies behind, NULL if there are none. */
static const wabe_condition *face_behind(const wabe_geometry *g, int64_t cell[3]) {
    const wabe_condition *found = NULL;
    for (int d = 0; d < 3; d++) {
        const wabe_condition *condition = &g->conditions[2 * d + (cell[d] < 0 ? 0 : 1)];
        if (cell[d] >= 0 && cell[d] < g->cells[d])
            continue;
        if (condition->kind == WABE_BOUNDARY_periodic)
            cell[d] = cell[d] < 0 ? g->cells[d] - 1 : 0;
        else if (!found || precedence(condition->kind) < precedence(found->kind))
            found = condition;
    }
    return found;
}

/* ---- cells -------------------------------------------------------------------------- */

static int64_t place(const scalar_lbm *s, int q, const int64_t cell[3]) {
    const int64_t *n = s->geometry->cells;
    return ((q * n[2] + cell[2]) * n[1] + cell[1]) * n[0] + cell[0];
}

static double equilibrium(const scalar_lbm *s, int q, double rho, const double u[3]) {
    const double eu = along(q, u);
    return weight(s, q) * (rho + 3.0 * eu + 4.5 * eu * eu - 1.5 * dot(u, u));
}

/* The force on a cell: with a carried scalar T, Boussinesq's. */
static double force_on(const scalar_lbm *s, double carried, int d) {
    return s->force[d] + (s->carried_populations ? s->buoyancy[d] * carried : 0.0);
}

/* Density and velocity of populations; share: of the force to be added to the velocity. */
static void sums(const scalar_lbm *s, const double f[SCALAR_Q_MAX], double carried, double share,
                 double *rho, double u[3]) {
    *rho = 0.0;
    for (int d = 0; d < 3; d++)
        u[d] = share * force_on(s, carried, d);
    for (int q = 0; q < s->populations; q++) {
        *rho += f[q];
        for (int d = 0; d < 3; d++)
            u[d] += e[q][d] * f[q];
    }
}

static double stored(const scalar_lbm *s, double value) {
    return s->halves ? half_population(half_stored(value)) : value;
}

/* ---- what is carried ---------------------------------------------------------------- */

enum { CARRIED_Q = 19, SEVEN = 7 }; /* the first velocities of e; the last of seven rests */

static double carried_weight(int q) { return q == SEVEN - 1 ? 0.25 : 0.125; }

/* What a cell has of a scalar: of seven populations T itself, of 19 T times the density. */
static double carried_at(const scalar_lbm *s, const double *g, const int64_t cell[3]) {
    double sum = 0.0;
    for (int q = 0; q < s->carried_populations; q++)
        sum += g[place(s, q, cell)];
    return sum;
}

static double over_density(const scalar_lbm *s, double carried, double rho) {
    return s->carried_populations == CARRIED_Q ? carried / (1.0 + rho) : carried;
}

/* T of a cell. */
static double value_at(const scalar_lbm *s, const double *f, const double *g,
                       const int64_t cell[3]) {
    double rho = 0.0;
    for (int q = 0; q < s->populations; q++)
        rho += f[place(s, q, cell)];
    return over_density(s, carried_at(s, g, cell), rho);
}

/* T (w + (e.u)^2 / 2 + e.u / 2); the rest population has what is left of T. */
static double carried_even(int q, double carried, const double u[3]) {
    return carried * (carried_weight(q) + 0.5 * along(q, u) * along(q, u));
}
static double carried_equilibrium(int q, double carried, const double u[3]) {
    if (q < SEVEN - 1)
        return carried_even(q, carried, u) + 0.5 * carried * along(q, u);
    return carried * (carried_weight(q) - dot(u, u));
}

/* That of 19 populations is T times the flow's. */
static double carried_equilibrium_of(const scalar_lbm *s, int q, double carried, double rho,
                                     const double u[3]) {
    return s->carried_populations == SEVEN ? carried_equilibrium(q, carried, u)
                                           : carried * (weight(s, q) + equilibrium(s, q, rho, u));
}

/* ---- streaming ---------------------------------------------------------------------- */

static bool is_mirror(const wabe_condition *condition) {
    return condition && (condition->kind == WABE_BOUNDARY_free_slip ||
                         condition->kind == WABE_BOUNDARY_wall_function ||
                         condition->kind == WABE_BOUNDARY_pressure_normal);
}

/* The condition from which population q of a cell arrives, NULL if it is another cell: from. */
static const wabe_condition *condition_behind(const wabe_geometry *g, const int64_t cell[3], int q,
                                              int64_t from[3]) {
    for (int d = 0; d < 3; d++)
        from[d] = cell[d] - e[q][d];
    const wabe_condition *face = face_behind(g, from);
    return face ? face : obstacle(g, from);
}

/* The obstacle that has a cell, which may lie behind a periodic face; inside: the cell in the
 * domain. */
static const wabe_condition *obstacle_at(const wabe_geometry *g, const int64_t cell[3],
                                         int64_t inside[3], bool *outside) {
    *outside = false;
    for (int d = 0; d < 3; d++) {
        const bool periodic = g->conditions[2 * d].kind == WABE_BOUNDARY_periodic;
        inside[d] = periodic ? (cell[d] + g->cells[d]) % g->cells[d] : cell[d];
        *outside |= inside[d] < 0 || inside[d] >= g->cells[d];
    }
    return *outside ? NULL : obstacle(g, inside);
}

/* The axis normal to a flat wall with a law, in which population q of a cell has been thrown back:
 * the cell that it comes from, source, is at the wall, too. -1: there is none. */
static int flat_axis(const wabe_geometry *g, const int64_t cell[3], int q, int64_t source[3]) {
    const int64_t from[3] = {cell[0] - e[q][0], cell[1] - e[q][1], cell[2] - e[q][2]};
    int64_t inside[3];
    bool outside;
    const wabe_condition *behind = obstacle_at(g, from, inside, &outside);
    for (int d = 0; d < 3 && behind && behind->has_law; d++) {
        int64_t at[3] = {cell[0], cell[1], cell[2]};
        at[d] = from[d];
        const wabe_condition *wall = e[q][d] ? obstacle_at(g, at, inside, &outside) : NULL;
        memcpy(at, from, sizeof at);
        at[d] = cell[d];
        if (wall && wall->has_law && !obstacle_at(g, at, source, &outside) && !outside)
            return d;
    }
    return -1;
}

/* Population q of a cell that has been thrown back by free-slip faces: it left the mirror image of
 * the cell that it seems to come from, with velocity v. */
static void mirror(const wabe_geometry *g, const int64_t cell[3], int q, int64_t image[3],
                   int v[3]) {
    const int axis = flat_axis(g, cell, q, image);
    for (int d = 0; d < 3 && axis >= 0; d++)
        v[d] = d == axis ? -e[q][d] : e[q][d];
    for (int d = 0; d < 3 && axis < 0; d++) {
        image[d] = cell[d] - e[q][d];
        v[d] = e[q][d];
        const bool outside = image[d] < 0 || image[d] >= g->cells[d];
        if (outside && g->conditions[2 * d].kind == WABE_BOUNDARY_periodic) {
            image[d] = image[d] < 0 ? g->cells[d] - 1 : 0;
        } else if (outside) {
            image[d] = cell[d];
            v[d] = -v[d];
        }
    }
}

static bool is_wall(wabe_boundary kind) {
    return kind == WABE_BOUNDARY_no_slip || kind == WABE_BOUNDARY_moving_wall ||
           kind == WABE_BOUNDARY_curved_wall;
}

/* The condition of a boundary that returns population q of a cell, where boundaries meet in an edge
 * one of those beside the link: a velocity, otherwise a wall, goes before others. NULL: none
 * returns it, but from may be the image that a mirror makes of a fluid cell (*mirrored). */
static const wabe_condition *returned_by(const wabe_geometry *g, const int64_t cell[3], int q,
                                         int64_t from[3], bool *mirrored) {
    int v[3];
    *mirrored = flat_axis(g, cell, q, from) >= 0;
    if (*mirrored)
        return NULL;
    const wabe_condition *first = condition_behind(g, cell, q, from);
    *mirrored = is_mirror(first);
    if (*mirrored) {
        mirror(g, cell, q, from, v);
        first = obstacle(g, from);
    }
    for (int d = 0; d < 3 && first; d++) {
        int64_t there[3];
        const int beside = find(d == 0 ? e[q][0] : 0, d == 1 ? e[q][1] : 0, d == 2 ? e[q][2] : 0);
        const wabe_condition *other = e[q][d] ? condition_behind(g, cell, beside, there) : NULL;
        if (!other || first->kind == WABE_BOUNDARY_velocity)
            continue;
        if (other->kind == WABE_BOUNDARY_velocity ||
            (is_wall(other->kind) && !is_wall(first->kind)))
            first = other;
    }
    return first;
}

/* The part of the way from a fluid cell to a cell in this sphere that lies outside, rounded to the
 * end of one of 32 equal steps. */
static double cut(const wabe_object *sphere, const int64_t inside[3], int q) {
    double from[3], way[3];
    for (int d = 0; d < 3; d++) {
        way[d] = -e[q][d];
        from[d] = (double)inside[d] + 0.5 - way[d] - sphere->center[d];
    }
    const double a = dot(way, way), b = dot(way, from);
    const double c = dot(from, from) - sphere->radius * sphere->radius;
    if (a + 2.0 * b + c > 0.0)
        return 0.5; /* the cell is that of an image, or beside the link */
    return fmax(1.0, nearbyint(32.0 * (-b - sqrt(b * b - a * c)) / a)) / 32.0;
}

/* Does the sphere of this condition return population q by interpolation? What leaves into it then
 * arrives from fluid at the cell's other side, or from a mirror. */
static bool is_interpolated(const scalar_lbm *s, const wabe_condition *wall, const int64_t cell[3],
                            int q) {
    int64_t from[3];
    bool mirrored;
    return wall->kind == WABE_BOUNDARY_curved_wall &&
           !returned_by(s->geometry, cell, opposite(q), from, &mirrored);
}

static double interpolation(const scalar_lbm *s, const wabe_condition *wall, const int64_t cell[3],
                            int q) {
    int64_t inside[3];
    condition_behind(s->geometry, cell, q, inside);
    const double d = cut(&s->geometry->objects[wall - s->geometry->conditions - WABE_FACES], inside,
                         q);
    return (1.0 - 2.0 * d) / (1.0 + 2.0 * d);
}

static double arriving(const scalar_lbm *s, const int64_t cell[3], int q);

/* Central linear interpolation: the wall is where the straight line through the populations of the
 * link, before and after it has returned them, passes. The second term is stored as such. */
static double from_curved(const scalar_lbm *s, const wabe_condition *wall, const int64_t cell[3],
                          int q, double *second) {
    const double k = interpolation(s, wall, cell, q);
    *second = k * arriving(s, cell, opposite(q));
    return s->collided[place(s, opposite(q), cell)] - k * s->collided[place(s, q, cell)];
}

/* Population q of a cell as a wall of this condition returns it, exactly. */
static double from_wall(const scalar_lbm *s, const wabe_condition *wall, const int64_t cell[3],
                        int q) {
    double f[SCALAR_Q_MAX], rho, u[3];
    for (int p = 0; p < s->populations; p++)
        f[p] = s->collided[place(s, p, cell)];
    if (wall->kind == WABE_BOUNDARY_pressure) {
        sums(s, f, carried_at(s, s->carried_collided, cell), -0.5, &rho, u);
        const double eu = along(q, u);
        return -f[opposite(q)] +
               2.0 * weight(s, q) * (wall->density + 4.5 * eu * eu - 1.5 * dot(u, u));
    }
    if (wall->kind == WABE_BOUNDARY_no_slip || wall->kind == WABE_BOUNDARY_curved_wall)
        return f[opposite(q)];
    return f[opposite(q)] + 6.0 * weight(s, q) * along(q, wall->velocity);
}

/* A face of given pressure sends back
 * the image with the other sign, around twice the equilibrium of its pressure and of the velocity
 * normal to it, the cell's. */
static double from_mirror(const scalar_lbm *s, const wabe_condition *face, const int64_t cell[3],
                          int q) {
    int64_t image[3];
    int v[3];
    mirror(s->geometry, cell, q, image, v);
    const double mirrored = s->sent[place(s, find(v[0], v[1], v[2]), image)];
    if (face->kind != WABE_BOUNDARY_pressure_normal)
        return mirrored;
    double f[SCALAR_Q_MAX], rho, u[3];
    for (int p = 0; p < s->populations; p++)
        f[p] = s->sent[place(s, p, cell)];
    sums(s, f, carried_at(s, s->carried_sent, cell), -0.5, &rho, u);
    const double un = u[(face - s->geometry->conditions) / 2];
    return -mirrored + 2.0 * weight(s, q) * (face->density + 4.5 * un * un - 1.5 * un * un);
}

static double arriving(const scalar_lbm *s, const int64_t cell[3], int q) {
    int64_t from[3], behind[3];
    bool mirrored;
    const wabe_condition *condition = returned_by(s->geometry, cell, q, from, &mirrored);
    double second;
    if (!condition && !mirrored)
        return s->sent[place(s, q, from)];
    if (!condition)
        return stored(s, from_mirror(s, condition_behind(s->geometry, cell, q, behind), cell, q));
    if (is_interpolated(s, condition, cell, q)) {
        const double first = stored(s, from_curved(s, condition, cell, q, &second));
        return first + second;
    }
    return stored(s, from_wall(s, condition, cell, q));
}

/* What curved walls give a cell with what arrives, (their interpolation) times p' - q', of which
 * the first is what arrives from behind in any case; left: of which the second is one. */
static double curved_gain(const scalar_lbm *s, const int64_t cell[3], bool arrives,
                          const double left[SCALAR_Q_MAX]) {
    double gain = 0.0;
    for (int q = 0; q < s->populations; q++) {
        int64_t from[3];
        bool mirrored;
        const wabe_condition *wall = returned_by(s->geometry, cell, q, from, &mirrored);
        if (!wall || !is_interpolated(s, wall, cell, q))
            continue;
        const double k = interpolation(s, wall, cell, q);
        gain += arrives ? k * arriving(s, cell, opposite(q)) : -k * left[q];
    }
    return gain;
}

/* The wall, at rest or moving, that returns population q of a cell; NULL: none does. */
static const wabe_condition *wall_behind(const scalar_lbm *s, const int64_t cell[3], int q) {
    int64_t from[3];
    bool mirrored;
    const wabe_condition *found = returned_by(s->geometry, cell, q, from, &mirrored);
    return found && is_wall(found->kind) ? found : NULL;
}

/* ---- collision ---------------------------------------------------------------------- */

static double source(const scalar_lbm *s, int q, double carried, const double u[3]) {
    double value = 0.0;
    for (int d = 0; d < 3; d++)
        value += (3.0 * (e[q][d] - u[d]) + 9.0 * along(q, u) * e[q][d]) * force_on(s, carried, d);
    return weight(s, q) * value;
}

/* Hermite polynomials of a velocity of the set: c_a c_b - delta_ab / 3, and of third order with two
 * equal axes, (c_a^2 - 1/3) c_b. */
static double hermite2(int q, int a, int b) { return e[q][a] * e[q][b] - (a == b) / 3.0; }
static double hermite3(int q, int a, int b) { return (e[q][a] * e[q][a] - 1.0 / 3.0) * e[q][b]; }

/* The third moment of axes a, a, b; p: second moments without u u. */
static double third_moment(const double u[3], double p[3][3], int a, int b) {
    return u[a] * u[a] * u[b] + 2.0 * u[a] * p[a][b] + u[b] * p[a][a];
}

/* D3Q19: the third-order terms of a velocity: sums and differences of the polynomials that have the
 * same odd axis b (Malaspinas 2015; weights 3 and 1). */
static double third_order(const scalar_lbm *s, const double u[3], double p[3][3], int q) {
    double sum = 0.0;
    for (int b = 0; b < 3; b++) {
        const int a = (b + 1) % 3, c = (b + 2) % 3;
        const double h[2] = {hermite3(q, a, b), hermite3(q, c, b)};
        const double m[2] = {third_moment(u, p, a, b), third_moment(u, p, c, b)};
        sum += 3.0 * (h[0] + h[1]) * (m[0] + m[1]) + (h[0] - h[1]) * (m[0] - m[1]);
    }
    return 4.5 * weight(s, q) * sum;
}

/* Moment of the orders n of a Gaussian with mean u and covariance c, by the recursion of Isserlis'
 * theorem: E[x_a g] = u_a E[g] + sum_b c_ab E[dg/dx_b]. */
static long double gaussian_moment(const int n[3], const double u[3], long double c[3][3]) {
    for (int a = 0; a < 3; a++) {
        if (n[a] == 0)
            continue;
        int less[3] = {n[0], n[1], n[2]};
        less[a]--;
        long double sum = u[a] * gaussian_moment(less, u, c);
        for (int b = 0; b < 3; b++) {
            if (less[b] == 0)
                continue;
            int derived[3] = {less[0], less[1], less[2]};
            derived[b]--;
            sum += c[a][b] * less[b] * gaussian_moment(derived, u, c);
        }
        return sum;
    }
    return 1.0;
}

/* All moments of orders up to two along each axis, x fastest; those of the Gaussian asked for
 * before are still known. */
static const long double *gaussian_moments(const double u[3], double p[3][3]) {
    static _Thread_local long double known[27];
    static _Thread_local double of[12] = {NAN};
    double now[12];
    bool same = true;
    long double c[3][3];
    memcpy(now, u, 3 * sizeof *u);
    memcpy(now + 3, p, 9 * sizeof *u);
    for (int i = 0; i < 12; i++)
        same &= of[i] == now[i];
    if (same)
        return known;
    for (int i = 0; i < 9; i++)
        c[i / 3][i % 3] = p[i / 3][i % 3] + (i % 4 == 0 ? 1.0L / 3.0L : 0.0L);
    for (int i = 0; i < 27; i++)
        known[i] = gaussian_moment((const int[3]){i % 3, i / 3 % 3, i / 9}, u, c);
    memcpy(of, now, sizeof of);
    return known;
}

/* The population of a fluid of density 1 whose velocities are distributed as a Gaussian with mean u
 * and covariance p + 1/3, less its expansion up to second moments: w_q (1 + 3 e.u + 9/2 (e e - 1/3)
 * : (u u + p)). */
static double beyond_second(const scalar_lbm *s, const double u[3], double p[3][3], int q) {
    const long double weights[4] = {8.0L / 27.0L, 2.0L / 27.0L, 1.0L / 54.0L, 1.0L / 216.0L};
    const int speed = e[q][0] * e[q][0] + e[q][1] * e[q][1] + e[q][2] * e[q][2];
    const long double *moments = gaussian_moments(u, p);
    long double sum = 0.0L, expansion = 1.0L;
    for (int d = 0; d < 3; d++)
        expansion += 3.0L * e[q][d] * u[d];
    for (int i = 0; i < 9; i++) {
        const int a = i / 3, b = i % 3;
        expansion += 4.5L * (e[q][a] * e[q][b] - (a == b ? 1.0L / 3.0L : 0.0L)) *
                     ((long double)u[a] * u[b] + p[a][b]);
    }
    for (int i = 0; i < 27; i++) { /* the polynomial that is 1 at e_q and 0 at other velocities */
        const int n[3] = {i % 3, i / 3 % 3, i / 9};
        double factor = 1.0;
        for (int d = 0; d < 3; d++)
            factor *= e[q][d] == 0 ? (n[d] == 0   ? 1.0
                                      : n[d] == 1 ? 0.0
                                                  : -1.0)
                      : n[d] == 0  ? 0.0
                      : n[d] == 1  ? 0.5 * e[q][d]
                                   : 0.5;
        if (factor != 0.0)
            sum += factor * moments[i];
    }
    (void)s;
    return (double)(sum - weights[speed] * expansion);
}

/* Do moments beyond the second ones follow from these? What populations then have of them. */
static bool has_beyond(const scalar_lbm *s) {
    return s->collision == SCALAR_RECURSIVE || s->collision == SCALAR_CUMULANT;
}
static double beyond(const scalar_lbm *s, const double u[3], double p[3][3], int q) {
    return s->collision == SCALAR_CUMULANT ? beyond_second(s, u, p, q) : third_order(s, u, p, q);
}

/* Second moments without those of the equilibrium. */
static void nonequilibrium(const scalar_lbm *s, const double f[SCALAR_Q_MAX], double rho,
                           const double u[3], double p[3][3]) {
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            p[a][b] = 0.0;
            for (int q = 0; q < s->populations; q++)
                p[a][b] += e[q][a] * e[q][b] * (f[q] - equilibrium(s, q, rho, u));
        }
}

/* The relaxation time, by bisection from tau = tau_0 + 3 (C |S|)^2 / |S|, |S| = 3/2 sqrt(2 p:p) /
 * tau. */
static double tau_of(const scalar_lbm *s, double constant, double p[3][3]) {
    double square = 0.0, low = s->tau, high = s->tau + 10.0;
    for (int i = 0; i < 9; i++)
        square += p[i / 3][i % 3] * p[i / 3][i % 3];
    for (int i = 0; i < 64; i++) {
        const double tau = 0.5 * (low + high), strain = 1.5 * sqrt(2.0 * square) / tau;
        if (tau < s->tau + 3.0 * constant * constant * strain)
            low = tau;
        else
            high = tau;
    }
    return 0.5 * (low + high);
}
static double local_tau(const scalar_lbm *s, double p[3][3]) {
    return tau_of(s, s->smagorinsky, p);
}

/* Takes the trace away if it relaxes at a rate of its own. Returns it. */
static double take_trace(const scalar_lbm *s, double p[3][3]) {
    const double trace = p[0][0] + p[1][1] + p[2][2];
    for (int a = 0; a < 3 && s->bulk_is_one; a++)
        p[a][a] -= trace / 3.0;
    return trace;
}

/* The relaxation time that the table has for the rate of strain: its rows are eighths of octaves of
 * p:p from 2^-96 to 1, here without the force's second moments, -(u F + F u) / 2. */
static double tau_of_table(const scalar_lbm *s, double p[3][3], const double u[3],
                           const double force[3]) {
    double strain[3][3], square = 0.0;
    for (int i = 0; i < 9; i++) {
        const int a = i / 3, b = i % 3;
        strain[a][b] = p[a][b] + 0.5 * (u[a] * force[b] + u[b] * force[a]);
    }
    take_trace(s, strain);
    for (int i = 0; i < 9; i++)
        square += strain[i / 3][i % 3] * strain[i / 3][i % 3];
    int exponent;
    const double part = 2.0 * frexp(fmin(fmax(square, 0x1p-96), 1.0 - 0x1p-24), &exponent) - 1.0;
    const int eighth = (int)(8.0 * part);
    const double *row = s->rheology[8 * (exponent + 95) + eighth], x = part - eighth / 8.0;
    return 1.0 / (1.0 - (row[0] + row[1] * x + row[2] * x * x + row[3] * x * x * x));
}

/* As nonequilibrium, without that trace, which is returned. */
static double shear(const scalar_lbm *s, const double f[SCALAR_Q_MAX], double rho,
                    const double u[3], double p[3][3]) {
    nonequilibrium(s, f, rho, u, p);
    return take_trace(s, p);
}

/* -3 (1 - 1/(2 tau)) u_a^2 du_a/da of the correction, its trace with its own relaxation time. */
static double correction(const scalar_lbm *s, int axis, double trace, double tau, const double u[3],
                         double p[3][3]) {
    const double bulk = s->bulk_is_one ? 1.0 : tau;
    double left[3], sum = 0.0;
    for (int a = 0; a < 3; a++) {
        const double deviator = p[a][a] - (s->bulk_is_one ? 0.0 : trace / 3.0);
        left[a] = -3.0 * u[a] * u[a] * (-1.5 / tau * deviator - 0.5 / bulk * trace);
        sum += left[a];
    }
    return (1.0 - 0.5 / tau) * (left[axis] - sum / 3.0) + (1.0 - 0.5 / bulk) * sum / 3.0;
}

/* Populations with the equilibrium's moments, the second ones relaxed, and the momentum that the
 * force adds; third moments are those of the velocity and the second moments after the collision.
 */
static void regularize(const scalar_lbm *s, double carried, double f[SCALAR_Q_MAX]) {
    double rho, u[3], p[3][3], force[3];
    sums(s, f, carried, 0.5, &rho, u);
    for (int d = 0; d < 3; d++)
        force[d] = force_on(s, carried, d);
    const double trace = shear(s, f, rho, u, p);
    const double tau = s->rheology            ? tau_of_table(s, p, u, force)
                       : s->smagorinsky > 0.0 ? local_tau(s, p)
                                              : s->tau;
    const double keep = 1.0 - 1.0 / tau;
    double v[3], added[3][3], left[3][3];
    for (int a = 0; a < 3; a++)
        v[a] = u[a] + 0.5 * force[a];
    for (int i = 0; i < 9; i++) {
        const int a = i / 3, b = i % 3;
        added[a][b] = keep * p[a][b] + (1.0 - 0.5 / tau) * (u[a] * force[b] + u[b] * force[a]);
        if (a == b && s->corrects)
            added[a][a] += correction(s, a, trace, tau, u, p);
        left[a][b] = u[a] * u[b] + added[a][b] - v[a] * v[b];
    }
    for (int q = 0; q < s->populations; q++) {
        double second = 0.0;
        for (int i = 0; i < 9; i++)
            second += hermite2(q, i / 3, i % 3) * added[i / 3][i % 3];
        f[q] = equilibrium(s, q, rho, u) + weight(s, q) * (4.5 * second + 1.5 * along(q, force));
        if (has_beyond(s))
            f[q] += beyond(s, v, left, q);
    }
}

/* carried: 0 if there is nothing. */
static void collide(const scalar_lbm *s, double carried, double f[SCALAR_Q_MAX]) {
    if (s->collision == SCALAR_REGULARIZED || s->collision == SCALAR_RECURSIVE ||
        s->collision == SCALAR_CUMULANT) {
        regularize(s, carried, f);
        return;
    }
    double rho, u[3], p[3][3], before[SCALAR_Q_MAX];
    sums(s, f, carried, 0.5, &rho, u);
    nonequilibrium(s, f, rho, u, p);
    const double tau = s->collision == SCALAR_SRT_LES ? local_tau(s, p) : s->tau;
    const double tau_odd = s->collision == SCALAR_TRT ? 0.5 + s->magic / (s->tau - 0.5) : tau;
    memcpy(before, f, sizeof before);
    for (int q = 0; q < s->populations; q++) {
        const int r = opposite(q);
        const double feq_q = equilibrium(s, q, rho, u), feq_r = equilibrium(s, r, rho, u);
        const double even = 0.5 * (before[q] + before[r]), odd = 0.5 * (before[q] - before[r]);
        const double even_eq = 0.5 * (feq_q + feq_r), odd_eq = 0.5 * (feq_q - feq_r);
        const double s_q = source(s, q, carried, u), s_r = source(s, r, carried, u);
        f[q] = before[q] - (even - even_eq) / tau - (odd - odd_eq) / tau_odd +
               (1.0 - 0.5 / tau) * 0.5 * (s_q + s_r) + (1.0 - 0.5 / tau_odd) * 0.5 * (s_q - s_r);
    }
}

/* ---- sponges ------------------------------------------------------------------------ */

/* The face whose sponge has the highest rate in a cell; -1: the cell is in none. profile: the part
 * of what the sponge does at the face. */
static int sponge_at(const wabe_geometry *g, const int64_t cell[3], double *rate, double *profile) {
    int found = -1;
    *rate = *profile = 0.0;
    for (int face = 0; face < WABE_FACES; face++) {
        const int axis = face / 2;
        const double width = (double)g->conditions[face].sponge_width;
        const double x = (double)cell[axis] + 0.5;
        const double inside = width - (face % 2 ? (double)g->cells[axis] - x : x);
        if (inside <= 0.0)
            continue;
        const double here = g->conditions[face].sponge_strength * (inside / width) *
                            (inside / width);
        if (here > *rate) {
            *rate = here;
            *profile = (inside / width) * (inside / width);
            found = face;
        }
    }
    return found;
}

/* Third moments as they follow from the others: if those are the state. */
static void add_third(const scalar_lbm *s, double f[SCALAR_Q_MAX], double share) {
    double rho, v[3], p[3][3];
    if (!s->moments || !has_beyond(s))
        return;
    sums(s, f, 0.0, 0.0, &rho, v);
    nonequilibrium(s, f, rho, v, p);
    for (int q = 0; q < s->populations; q++)
        f[q] += share * beyond(s, v, p, q);
}

/* The density moves towards the face's, and with it the velocity, as in a wave that goes there. */
static void absorb(const scalar_lbm *s, const int64_t cell[3], double f[SCALAR_Q_MAX],
                   double g[CARRIED_Q]) {
    double rate, profile, rho, u[3], v[3];
    const int face = sponge_at(s->geometry, cell, &rate, &profile);
    if (face < 0)
        return;
    for (int q = 0; q < s->populations; q++)
        f[q] = stored(s, f[q]);
    double carried = 0.0;
    for (int q = 0; q < s->carried_populations; q++)
        carried += g[q] = stored(s, g[q]);
    sums(s, f, carried, 0.0, &rho, u);
    carried = over_density(s, carried, rho);
    const double more = rate * (s->geometry->conditions[face].density - rho);
    memcpy(v, u, sizeof v);
    const double outward = face % 2 ? 1.0 : -1.0, un = outward * u[face / 2];
    v[face / 2] += outward * more * (un + sqrt(un * un + 1.0 / 3.0));
    add_third(s, f, -1.0);
    for (int q = 0; q < s->populations; q++)
        f[q] += equilibrium(s, q, rho + more, v) - equilibrium(s, q, rho, u);
    for (int q = 0; q < s->carried_populations; q++)
        g[q] += carried_equilibrium_of(s, q, carried, rho + more, v) -
                carried_equilibrium_of(s, q, carried, rho, u);
    add_third(s, f, 1.0);
}

/* ---- another viscosity in layers; wall functions, rough ones
 * ------------------------------------------------------ */

/* The layer of a cell at a wall function on the side of a face, from 0; NULL: there is none, since
 * what comes first there is another boundary or too far away. */
static const wabe_condition *law_at(const wabe_geometry *g, const int64_t cell[3], int face,
                                    int *layer) {
    int64_t next[3] = {cell[0], cell[1], cell[2]}, inside[3];
    bool outside;
    for (*layer = 0; *layer < 3; (*layer)++) {
        next[face / 2] += face % 2 ? 1 : -1;
        const wabe_condition *solid = obstacle_at(g, next, inside, &outside);
        if (solid)
            return solid->has_law ? solid : NULL;
        if (outside)
            return g->conditions[face].kind == WABE_BOUNDARY_wall_function ? &g->conditions[face]
                                                                           : NULL;
    }
    return NULL;
}

/* Adds to the velocity and the second moments of populations. */
static void add_moments(const scalar_lbm *s, const double v[3], double a[3][3],
                        double f[SCALAR_Q_MAX]) {
    double rho, u[3], p[3][3];
    for (int round = 0; round < 2; round++) {
        sums(s, f, 0.0, 0.0, &rho, u);
        nonequilibrium(s, f, rho, u, p);
        for (int q = 0; q < s->populations; q++) {
            if (has_beyond(s))
                f[q] += (round ? 1.0 : -1.0) * beyond(s, u, p, q);
            for (int i = 0; i < 9 && !round; i++)
                f[q] += 4.5 * weight(s, q) * hermite2(q, i / 3, i % 3) * a[i / 3][i % 3];
            f[q] += round ? 0.0 : 3.0 * weight(s, q) * along(q, v);
        }
    }
}

/* The relaxation time whose collision has left second moments q beside equilibrium, by bisection:
 * before it they were p, and tau (tau - tau_0) = 9/2 C^2 sqrt(2 p:p). tau_0 < 1. */
static double tau_left(const scalar_lbm *s, double q[3][3]) {
    double square = 0.0, low = s->tau, high = 0.5 * (1.0 + s->tau);
    for (int i = 0; i < 9; i++)
        square += q[i / 3][i % 3] * q[i / 3][i % 3];
    for (int i = 0; i < 64; i++) {
        const double tau = 0.5 * (low + high), p = sqrt(square) * tau / (1.0 - tau);
        if (tau * (tau - s->tau) < 4.5 * s->smagorinsky * s->smagorinsky * sqrt(2.0) * p)
            low = tau;
        else
            high = tau;
    }
    return 0.5 * (low + high);
}

static bool is_regularized(const scalar_lbm *s) {
    return s->collision == SCALAR_REGULARIZED || s->collision == SCALAR_RECURSIVE ||
           s->collision == SCALAR_CUMULANT;
}

/* In a sponge the viscosity is at least 0.02 times the profile. At a wall function, in three layers
 * of cells, the relaxation time is that of a mixing length of their own; the cell at the wall loses
 * the stress of u = u_tau ln(z / z0) / 0.4, at its centre, or that of a linear profile. */
static void change_layers(const scalar_lbm *s, const int64_t cell[3], double carried,
                          double f[SCALAR_Q_MAX]) {
    static const double lengths[3] = {0.17, 0.5, 0.5};
    double rho, u[3], v[3], p[3][3], length = INFINITY, rate_of_sponge, profile;
    sponge_at(s->geometry, cell, &rate_of_sponge, &profile);
    const double more = fmax(3.0 * 0.02 * profile - (s->tau - 0.5), 0.0);
    int layer;
    for (int face = 0; face < WABE_FACES; face++)
        if (law_at(s->geometry, cell, face, &layer))
            length = fmin(length, lengths[layer]);
    if (!is_regularized(s) || s->rheology || (isinf(length) && more == 0.0))
        return;
    sums(s, f, 0.0, 0.0, &rho, u);
    nonequilibrium(s, f, rho, u, p);
    /* Without the force's second moments, (v F + F v) / 2 with v = u - F / 2. */
    for (int i = 0; i < 9; i++)
        p[i / 3][i % 3] += 0.25 * force_on(s, carried, i / 3) * force_on(s, carried, i % 3);
    take_trace(s, p);
    const double left = tau_left(s, p);
    for (int i = 0; i < 9; i++)
        p[i / 3][i % 3] /= 1.0 - 1.0 / left;
    const double rate = 1.0 / (tau_of(s, isinf(length) ? s->smagorinsky : length, p) + more);
    for (int i = 0; i < 9; i++)
        p[i / 3][i % 3] *= 1.0 / left - rate;
    add_moments(s, (const double[3]){0.0, 0.0, 0.0}, p, f);
    for (int side = 0; side < 2 * WABE_FACES; side++) { /* faces, then solids */
        const int face = side % WABE_FACES;
        const wabe_condition *wall = law_at(s->geometry, cell, face, &layer);
        if (!wall || layer != 0 || wall->has_law != (side >= WABE_FACES))
            continue;
        sums(s, f, 0.0, 0.0, &rho, u);
        u[face / 2] = 0.0;
        const double speed = sqrt(dot(u, u));
        const double friction = 0.4 * speed / log(0.5 / wall->roughness);
        const double stress = fmax(friction * friction, (s->tau - 0.5) / 3.0 * speed / 0.5);
        memset(p, 0, sizeof p);
        for (int d = 0; d < 3; d++) {
            v[d] = -stress * u[d] / speed;
            p[face / 2][d] += (face % 2 ? 1.0 : -1.0) * v[d];
            p[d][face / 2] += (face % 2 ? 1.0 : -1.0) * v[d];
        }
        add_moments(s, v, p, f);
    }
}

/* ---- what is carried: streaming and collision --------------------------------------- */

/* Of a boundary, from the populations that have left a cell before rounding, with the velocity u
 * there. */
static double carried_from(const wabe_condition *wall, int q, double leaving, double carried,
                           const double u[3]) {
    const bool moves = wall->kind == WABE_BOUNDARY_moving_wall ||
                       wall->kind == WABE_BOUNDARY_velocity;
    const double inwards = moves ? along(q, wall->velocity) : 0.0;
    switch (wall->scalar.kind) {
    case WABE_SCALAR_VALUE:
        return 2.0 * carried_even(q, wall->scalar.value, wall->velocity) - leaving;
    case WABE_SCALAR_FLUX:
        return leaving + carried * inwards + wall->scalar.value;
    case WABE_SCALAR_OPEN:
        if (moves)
            return 2.0 * carried_even(q, inwards > 0.0 ? wall->scalar.value : carried,
                                      wall->velocity) -
                   leaving;
        return 2.0 * carried_even(q, carried, u) - leaving;
    default:
        return leaving + carried * inwards;
    }
}

/* The velocity at the last collision; f, g: collided or sent. */
static void velocity_after(const scalar_lbm *s, const double *f, const double *g,
                           const int64_t cell[3], double u[3]) {
    double all[SCALAR_Q_MAX], rho;
    for (int q = 0; q < s->populations; q++)
        all[q] = f[place(s, q, cell)];
    sums(s, all, carried_at(s, g, cell), -0.5, &rho, u);
}

/* Does a curved wall return 19 populations as it returns the flow's? */
static bool is_carried_over(const scalar_lbm *s, const wabe_condition *wall, const int64_t cell[3],
                            int q) {
    return wall->scalar.kind == WABE_SCALAR_INSULATED && is_interpolated(s, wall, cell, q);
}

/* Of a boundary, with 19 populations: what those that leave, g, have beside T f comes back, where f
 * leaves, and returned is what the boundary makes of it. */
static double nineteen_from(const scalar_lbm *s, const wabe_condition *wall, int q, double g,
                            double f, double returned, double carried) {
    const wabe_scalar_kind kind = wall->scalar.kind;
    const int face = (int)(wall - s->geometry->conditions);
    const double inwards = face < WABE_FACES ? (face % 2 ? -1.0 : 1.0) * wall->velocity[face / 2]
                                             : along(q, wall->velocity);
    const bool enters = wall->kind == WABE_BOUNDARY_velocity && inwards > 0.0;
    double t = carried, given = 0.0;
    if (kind == WABE_SCALAR_VALUE && wall->kind != WABE_BOUNDARY_velocity) {
        t = wall->scalar.value;
        return t * (weight(s, q) + returned) - (g - t * (weight(s, q) + f));
    }
    if (enters && (kind == WABE_SCALAR_VALUE || kind == WABE_SCALAR_OPEN))
        t = wall->scalar.value;
    if (kind == WABE_SCALAR_FLUX)
        given = 6.0 * weight(s, q) * wall->scalar.value;
    return g - t * (weight(s, q) + f) + t * (weight(s, q) + returned) + given;
}

static double nineteen_arriving(const scalar_lbm *s, const int64_t cell[3], int q) {
    int64_t from[3], image[3];
    bool mirrored;
    int v[3];
    const wabe_condition *wall = returned_by(s->geometry, cell, q, from, &mirrored);
    const int64_t out = place(s, opposite(q), cell);
    if (!wall && !mirrored)
        return s->carried_sent[place(s, q, from)];
    if (!wall) {
        mirror(s->geometry, cell, q, image, v);
        wall = condition_behind(s->geometry, cell, q, from);
        const int64_t there = place(s, find(v[0], v[1], v[2]), image);
        if (wall->kind != WABE_BOUNDARY_pressure_normal)
            return stored(s, s->carried_sent[there]);
        return stored(s, nineteen_from(s, wall, q, s->carried_sent[there], s->sent[there],
                                       from_mirror(s, wall, cell, q),
                                       value_at(s, s->sent, s->carried_sent, cell)));
    }
    if (is_carried_over(s, wall, cell, q)) {
        const double k = interpolation(s, wall, cell, q);
        return stored(s, s->carried_collided[out] - k * s->carried_collided[place(s, q, cell)]) +
               k * nineteen_arriving(s, cell, opposite(q));
    }
    return stored(s, nineteen_from(s, wall, q, s->carried_collided[out], s->collided[out],
                                   from_wall(s, wall, cell, q),
                                   value_at(s, s->collided, s->carried_collided, cell)));
}

/* A mirror sends back what has left the cell into it, unless the cell beside it is solid. */
static double carried_arriving(const scalar_lbm *s, const int64_t cell[3], int q) {
    if (s->carried_populations == CARRIED_Q)
        return nineteen_arriving(s, cell, q);
    static const wabe_condition insulated = {.scalar = {.kind = WABE_SCALAR_INSULATED}};
    int64_t from[3], image[3];
    int v[3];
    double u[3];
    const wabe_condition *wall = condition_behind(s->geometry, cell, q, from);
    if (!wall)
        return s->carried_sent[place(s, q, from)];
    const double *f = s->collided, *g = s->carried_collided;
    if (is_mirror(wall)) {
        mirror(s->geometry, cell, q, image, v);
        wall = wall->kind == WABE_BOUNDARY_free_slip || obstacle(s->geometry, image) ? &insulated
                                                                                     : wall;
        f = s->sent, g = s->carried_sent;
    }
    velocity_after(s, f, g, cell, u);
    return stored(s,
                  carried_from(wall, q, g[place(s, opposite(q), cell)], carried_at(s, g, cell), u));
}

/* What a subgrid model adds to the relaxation time of arrived populations. amount: carried. */
static double added_tau(const scalar_lbm *s, double amount, const double f[SCALAR_Q_MAX]) {
    double rho, u[3], p[3][3];
    if (s->smagorinsky == 0.0)
        return 0.0;
    sums(s, f, amount, 0.5, &rho, u);
    shear(s, f, rho, u, p);
    return local_tau(s, p) - s->tau;
}

/* With 19 populations: what they have beside T f, before the flow's collision, is relaxed.
 * f_before, f: before and after it. */
static void nineteen_collide(const scalar_lbm *s, double rho, double carried,
                             const double f_before[], const double f[], double g[CARRIED_Q]) {
    double beside[CARRIED_Q];
    const double tau_odd = 3.0 * s->diffusivity + 0.5;
    const double tau_even = s->carried_magic / (tau_odd - 0.5) + 0.5;
    for (int q = 0; q < CARRIED_Q; q++)
        beside[q] = g[q] - carried * (weight(s, q) + f_before[q]);
    if (is_regularized(s)) { /* the flux J and u J + J u are left */
        const double tau = tau_odd + added_tau(s, (1.0 + rho) * carried, f_before) / s->schmidt;
        double flux[3] = {0.0}, u[3];
        sums(s, f_before, (1.0 + rho) * carried, 0.5, &rho, u);
        for (int q = 0; q < CARRIED_Q; q++)
            for (int d = 0; d < 3; d++)
                flux[d] += e[q][d] * beside[q];
        for (int q = 0; q < CARRIED_Q; q++) {
            double sum = 3.0 * along(q, flux);
            for (int i = 0; i < 9; i++)
                sum += 4.5 * hermite2(q, i / 3, i % 3) *
                       (u[i / 3] * flux[i % 3] + flux[i / 3] * u[i % 3]);
            g[q] = carried * (weight(s, q) + f[q]) + (1.0 - 1.0 / tau) * weight(s, q) * sum;
        }
        return;
    }
    for (int q = 0; q < CARRIED_Q; q++) {
        const double other = beside[opposite(q)];
        g[q] = carried * (weight(s, q) + f[q]) +
               (1.0 - 1.0 / tau_even) * 0.5 * (beside[q] + other) +
               (1.0 - 1.0 / tau_odd) * 0.5 * (beside[q] - other);
    }
}

static void seven_collide(const scalar_lbm *s, const double u[3], double g[CARRIED_Q]) {
    double before[SEVEN], carried = 0.0;
    const double tau_odd = 4.0 * s->diffusivity + 0.5;
    const double tau_even = s->carried_magic / (tau_odd - 0.5) + 0.5;
    for (int q = 0; q < SEVEN; q++)
        carried += before[q] = g[q];
    for (int q = 0; q < SEVEN; q++) {
        const int r = opposite(q);
        const double eq_q = carried_equilibrium(q, carried, u);
        const double eq_r = carried_equilibrium(r, carried, u);
        g[q] -= 0.5 * ((before[q] + before[r]) - (eq_q + eq_r)) / tau_even +
                0.5 * ((before[q] - before[r]) - (eq_q - eq_r)) / tau_odd;
    }
}

/* ---- the solver --------------------------------------------------------------------- */

void scalar_lbm_create(scalar_lbm *s) {
    const int64_t *n = s->geometry->cells;
    const size_t count = (size_t)(s->populations * n[0] * n[1] * n[2]);
    create_obstacles(s->geometry);
    s->collided = calloc(count, sizeof(double));
    s->sent = calloc(count, sizeof(double));
    s->arrived = calloc(count, sizeof(double));
    s->gained = calloc((size_t)(n[0] * n[1] * n[2]), sizeof(double));
    assert(s->collided && s->sent && s->arrived && s->gained);
    double **carried[] = {&s->carried_collided, &s->carried_sent, &s->carried_arrived};
    for (int i = 0; i < 3; i++) {
        *carried[i] = calloc((size_t)(CARRIED_Q * n[0] * n[1] * n[2]), sizeof(double));
        assert(*carried[i]);
    }
}

void scalar_lbm_destroy(scalar_lbm *s) {
    free(obstacles);
    obstacles = NULL;
    free(s->collided);
    free(s->sent);
    free(s->arrived);
    free(s->gained);
    free(s->carried_collided);
    free(s->carried_sent);
    free(s->carried_arrived);
}

/* Loops over the fluid cells of s; the cell's indices are in cell. */
#define FOR_FLUID(s, cell)                                                                         \
    for (int64_t cell[3] = {0, 0, 0}; cell[2] < (s)->geometry->cells[2]; cell[2]++)                \
        for (cell[1] = 0; cell[1] < (s)->geometry->cells[1]; cell[1]++)                            \
            for (cell[0] = 0; cell[0] < (s)->geometry->cells[0]; cell[0]++)                        \
                if (!obstacle((s)->geometry, cell))

void scalar_lbm_initialise(scalar_lbm *s, scalar_initial initial, const void *context) {
    s->steps = 0;
    FOR_FLUID(s, cell) {
        double m[SCALAR_MOMENTS] = {0};
        initial(context, cell, m);
        const double density = s->carried_populations == CARRIED_Q ? 1.0 + m[0] : 1.0;
        for (int d = 0; d < 3; d++)
            m[d + 1] += 0.5 * force_on(s, density * m[4], d);
        for (int k = 0; k < SCALAR_MOMENTS && s->from_float; k++)
            m[k] = (float)m[k];
        for (int q = 0; q < s->populations; q++) {
            const int64_t at = place(s, q, cell);
            double none[3][3] = {{0.0}}, f = equilibrium(s, q, m[0], m + 1);
            if (s->moments && has_beyond(s))
                f += beyond(s, m + 1, none, q);
            s->collided[at] = s->sent[at] = stored(s, f);
        }
        for (int q = 0; q < s->carried_populations; q++) {
            const int64_t at = place(s, q, cell);
            s->carried_collided[at] = s->carried_sent[at] =
                stored(s, carried_equilibrium_of(s, q, m[4], m[0], m + 1));
        }
    }
}

/* Of populations the gain is taken after the collision, and compared with what leaves then; of
 * moments from what arrives, which is compared with what has left before. */
static void keep_mass(scalar_lbm *s, const int64_t cell[3]) {
    double left[SCALAR_Q_MAX];
    for (int q = 0; q < s->populations; q++)
        left[q] = s->sent[place(s, q, cell)];
    s->gained[place(s, 0, cell)] = curved_gain(s, cell, true, left);
    if (s->moments)
        s->arrived[place(s, find(0, 0, 0), cell)] -= s->gained[place(s, 0, cell)] +
                                                     curved_gain(s, cell, false, left);
}

/* Takes from the density of populations that leave what makes their gain that of what is left:
 * (sum of k (p' - f)) / (1 - sum of k w). */
static void take_gain(const scalar_lbm *s, const int64_t cell[3], double f[SCALAR_Q_MAX]) {
    double weights[SCALAR_Q_MAX];
    for (int q = 0; q < s->populations; q++)
        weights[q] = weight(s, q);
    const double gain = s->gained[place(s, 0, cell)] + curved_gain(s, cell, false, f);
    const double mass = gain / (1.0 + curved_gain(s, cell, false, weights));
    for (int q = 0; q < s->populations; q++)
        f[q] -= weights[q] * mass;
}

/* The same of 19 populations of a scalar, whose gain is that at insulated curved walls. */
static void take_carried_gain(const scalar_lbm *s, const int64_t cell[3], double g[CARRIED_Q]) {
    double gain = 0.0, share = 1.0;
    for (int q = 0; q < s->carried_populations; q++) {
        int64_t from[3];
        bool mirrored;
        const wabe_condition *wall = returned_by(s->geometry, cell, q, from, &mirrored);
        if (!wall || !is_carried_over(s, wall, cell, q))
            continue;
        const double k = interpolation(s, wall, cell, q);
        gain += k * (s->carried_arrived[place(s, opposite(q), cell)] - g[q]);
        share -= k * weight(s, q);
    }
    for (int q = 0; q < s->carried_populations; q++)
        g[q] -= weight(s, q) * gain / share;
}

/* Of a wall that returns q: what it would return of the populations f, or of moments what leaves
 * into it, less what this was a step before. 0: no such wall. */
static double change_at_wall(const scalar_lbm *s, const int64_t cell[3], int q,
                             const double f[SCALAR_Q_MAX]) {
    int64_t from[3];
    bool mirrored;
    double second;
    const wabe_condition *wall = returned_by(s->geometry, cell, q, from, &mirrored);
    if (!wall || wall->kind == WABE_BOUNDARY_pressure)
        return 0.0;
    const int r = opposite(q);
    if (s->moments)
        return f[r] - s->sent[place(s, r, cell)];
    if (is_interpolated(s, wall, cell, q))
        return f[r] - interpolation(s, wall, cell, q) * f[q] -
               stored(s, from_curved(s, wall, cell, q, &second));
    return f[r] + from_wall(s, wall, cell, q) - s->collided[place(s, r, cell)] -
           s->arrived[place(s, q, cell)];
}

/* Regularized collisions, every 64th step: three quarters of what the momentum that leaves into
 * walls has changed by is taken from the cell. */
static void damp(const scalar_lbm *s, const int64_t cell[3], double f[SCALAR_Q_MAX]) {
    double taken[3] = {0.0};
    for (int q = 0; q < s->populations; q++) {
        const double change = change_at_wall(s, cell, q, f);
        for (int d = 0; d < 3; d++)
            taken[d] += 0.75 * e[opposite(q)][d] * change;
    }
    add_third(s, f, -1.0);
    for (int q = 0; q < s->populations; q++)
        f[q] -= 3.0 * weight(s, q) * along(q, taken);
    add_third(s, f, 1.0);
}

static double amount_of(const scalar_lbm *s, const double g[CARRIED_Q]) {
    double amount = 0.0;
    for (int q = 0; q < s->carried_populations; q++)
        amount += g[q];
    return amount;
}

/* Of 19 populations T f goes where f has gone. */
static void carry_along(const scalar_lbm *s, const double before[], const double f[],
                        double g[CARRIED_Q]) {
    double rho = 0.0;
    if (s->carried_populations != CARRIED_Q)
        return;
    for (int q = 0; q < CARRIED_Q; q++)
        rho += before[q];
    const double carried = amount_of(s, g) / (1.0 + rho);
    for (int q = 0; q < CARRIED_Q; q++)
        g[q] += carried * (f[q] - before[q]);
}

/* What sources give off in a cell. */
static double source_at(const scalar_lbm *s, const int64_t cell[3]) {
    double amount = 0.0;
    for (int i = 0; i < s->geometry->source_count; i++) {
        const wabe_source *source = &s->geometry->sources[i];
        if (s->steps >= source->begin && s->steps < source->end &&
            wabe_box_contains(source->box, cell[0], cell[1], cell[2]))
            amount += source->amount;
    }
    return amount;
}

/* Sources, and other layers, act on what is stored. */
static void store_before_layers(const scalar_lbm *s, const int64_t cell[3], double f[],
                                double g[CARRIED_Q]) {
    if (s->carried_populations == 0 || source_at(s, cell) == 0.0)
        return;
    for (int q = 0; q < s->populations; q++)
        f[q] = stored(s, f[q]);
    for (int q = 0; q < s->carried_populations; q++)
        g[q] = stored(s, g[q]);
}

/* Sources give off the equilibrium of their amount, at the velocity of the momentum. */
static void release(const scalar_lbm *s, const int64_t cell[3], const double f[],
                    double g[CARRIED_Q]) {
    double rho, u[3];
    const double amount = source_at(s, cell);
    sums(s, f, 0.0, 0.0, &rho, u);
    for (int q = 0; q < s->carried_populations && amount != 0.0; q++)
        g[q] += s->carried_populations == SEVEN ? carried_equilibrium(q, amount, u)
                                                : amount / (1.0 + rho) * (weight(s, q) + f[q]);
}

static bool is_damped(const scalar_lbm *s) { return s->steps % 64 == 0 && is_regularized(s); }

void scalar_lbm_step(scalar_lbm *s) {
    FOR_FLUID(s, cell) {
        for (int q = 0; q < s->populations; q++)
            s->arrived[place(s, q, cell)] = arriving(s, cell, q);
        keep_mass(s, cell);
        for (int q = 0; q < s->carried_populations; q++)
            s->carried_arrived[place(s, q, cell)] = carried_arriving(s, cell, q);
    }
    FOR_FLUID(s, cell) {
        double f[SCALAR_Q_MAX], before[SCALAR_Q_MAX];
        for (int q = 0; q < s->populations; q++)
            f[q] = before[q] = s->arrived[place(s, q, cell)];
        double g[CARRIED_Q] = {0}, rho, u[3];
        for (int q = 0; q < s->carried_populations; q++)
            g[q] = s->carried_arrived[place(s, q, cell)];
        const double carried = carried_at(s, s->carried_arrived, cell);
        sums(s, f, carried, 0.5, &rho, u);
        collide(s, carried, f);
        if (s->carried_populations == SEVEN)
            seven_collide(s, u, g);
        else if (s->carried_populations)
            nineteen_collide(s, rho, over_density(s, carried, rho), before, f, g);
        memcpy(before, f, sizeof before);
        if (is_damped(s))
            damp(s, cell, f);
        carry_along(s, before, f, g);
        if (!s->moments)
            take_gain(s, cell, f);
        if (s->carried_populations == CARRIED_Q)
            take_carried_gain(s, cell, g);
        store_before_layers(s, cell, f, g);
        absorb(s, cell, f, g);
        memcpy(before, f, sizeof before);
        change_layers(s, cell, amount_of(s, g), f);
        carry_along(s, before, f, g);
        release(s, cell, f, g);
        for (int q = 0; q < s->carried_populations; q++) {
            s->carried_collided[place(s, q, cell)] = g[q];
            s->carried_sent[place(s, q, cell)] = stored(s, g[q]);
        }
        for (int q = 0; q < s->populations; q++) {
            s->collided[place(s, q, cell)] = f[q];
            s->sent[place(s, q, cell)] = stored(s, f[q]);
        }
    }
    s->steps++;
}

bool scalar_lbm_is_fluid(const scalar_lbm *s, const int64_t cell[3]) {
    return !obstacle(s->geometry, cell);
}

double scalar_lbm_sent(const scalar_lbm *s, const int64_t cell[3], const int velocity[3]) {
    return s->sent[place(s, find(velocity[0], velocity[1], velocity[2]), cell)];
}

double scalar_lbm_collided(const scalar_lbm *s, const int64_t cell[3], const int velocity[3]) {
    return s->collided[place(s, find(velocity[0], velocity[1], velocity[2]), cell)];
}

/* S = -3/2 (p + (u F + F u) / 2) / tau, without its trace if that relaxes at a rate of its own. */
void scalar_lbm_viscous(const scalar_lbm *s, const int64_t cell[3], double stress[6],
                        double *eddy) {
    static const int axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
    double f[SCALAR_Q_MAX], rho, u[3], p[3][3];
    for (int q = 0; q < s->populations; q++)
        f[q] = s->arrived[place(s, q, cell)];
    const double carried = carried_at(s, s->carried_arrived, cell);
    sums(s, f, carried, 0.5, &rho, u);
    shear(s, f, rho, u, p);
    const double tau = s->smagorinsky > 0.0 ? local_tau(s, p) : s->tau, nu = (tau - 0.5) / 3.0;
    double power = 0.0;
    for (int d = 0; d < 3 && s->bulk_is_one; d++)
        power += u[d] * force_on(s, carried, d);
    *eddy = (tau - s->tau) / 3.0;
    for (int i = 0; i < 6; i++) {
        const int a = axes[i][0], b = axes[i][1];
        const double force = 0.5 *
                             (u[a] * force_on(s, carried, b) + u[b] * force_on(s, carried, a));
        const double mean = a == b ? power / 3.0 : 0.0;
        stress[i] = 2.0 * nu * -1.5 * (p[a][b] + force - mean) / tau;
    }
}

double scalar_lbm_taken(const scalar_lbm *s, const int64_t cell[3]) {
    double left[SCALAR_Q_MAX];
    for (int q = 0; q < s->populations; q++)
        left[q] = s->sent[place(s, q, cell)];
    return s->moments ? 0.0 : curved_gain(s, cell, false, left);
}

double scalar_lbm_drag(const scalar_lbm *s, double drag[3]) {
    long double sums[3] = {0.0L, 0.0L, 0.0L};
    double magnitudes = 0.0;
    FOR_FLUID(s, cell) {
        for (int q = 0; q < s->populations; q++) {
            const wabe_condition *wall = wall_behind(s, cell, q);
            if (!wall)
                continue;
            const double into = s->sent[place(s, opposite(q), cell)];
            double second = 0.0;
            double back = is_interpolated(s, wall, cell, q) ? from_curved(s, wall, cell, q, &second)
                                                            : from_wall(s, wall, cell, q);
            back += second;
            magnitudes += fabs(into) + fabs(back);
            for (int d = 0; d < 3; d++)
                sums[d] -= e[q][d] * ((long double)into + back);
        }
    }
    for (int d = 0; d < 3; d++)
        drag[d] = (double)sums[d];
    return magnitudes;
}

void scalar_lbm_replace(scalar_lbm *s, const int64_t cell[3], const int velocity[3], double value) {
    const int64_t at = place(s, find(velocity[0], velocity[1], velocity[2]), cell);
    s->collided[at] = s->sent[at] = value;
}

void scalar_lbm_moments(const scalar_lbm *s, const int64_t cell[3],
                        double moments[SCALAR_MOMENTS]) {
    double f[SCALAR_Q_MAX];
    for (int q = 0; q < s->populations; q++)
        f[q] = s->sent[place(s, q, cell)];
    sums(s, f, carried_at(s, s->carried_sent, cell), -0.5, &moments[0], moments + 1);
    moments[4] = value_at(s, s->sent, s->carried_sent, cell);
}

double scalar_lbm_carried_sent(const scalar_lbm *s, const int64_t cell[3], const int velocity[3]) {
    return s->carried_sent[place(s, find(velocity[0], velocity[1], velocity[2]), cell)];
}

double scalar_lbm_carried_collided(const scalar_lbm *s, const int64_t cell[3],
                                   const int velocity[3]) {
    return s->carried_collided[place(s, find(velocity[0], velocity[1], velocity[2]), cell)];
}

void scalar_lbm_carried_replace(scalar_lbm *s, const int64_t cell[3], const int velocity[3],
                                double value) {
    const int64_t at = place(s, find(velocity[0], velocity[1], velocity[2]), cell);
    s->carried_collided[at] = s->carried_sent[at] = value;
}

/* What is beside T u counts by 1 - 1 / (2 tau), as it has arrived. Of 19 populations it is found
 * from what leaves, since curved walls change T after the collision. */
void scalar_lbm_carried_flux(const scalar_lbm *s, const int64_t cell[3], double flux[3]) {
    const bool seven = s->carried_populations == SEVEN;
    const double *all = seven ? s->arrived : s->collided;
    const double *g = seven ? s->carried_arrived : s->carried_collided;
    double arrived[SCALAR_Q_MAX];
    for (int q = 0; q < s->populations; q++)
        arrived[q] = s->arrived[place(s, q, cell)];
    const double added = added_tau(s, carried_at(s, s->carried_arrived, cell), arrived);
    const double tau = (seven ? 4.0 : 3.0) * s->diffusivity + 0.5 + added / s->schmidt;
    const double part = (1.0 - 0.5 / tau) / (seven ? 1.0 : 1.0 - 1.0 / tau);
    double f[SCALAR_Q_MAX], rho, u[3];
    for (int q = 0; q < s->populations; q++)
        f[q] = all[place(s, q, cell)];
    sums(s, f, carried_at(s, g, cell), seven ? 0.5 : -0.5, &rho, u);
    const double value = value_at(s, all, g, cell);
    for (int d = 0; d < 3; d++) {
        double sum = seven ? -value * u[d] : 0.0;
        for (int q = 0; q < s->carried_populations; q++)
            sum += e[q][d] * (g[place(s, q, cell)] - (seven ? 0.0 : value * (weight(s, q) + f[q])));
        flux[d] = value * u[d] + part * sum;
    }
}
