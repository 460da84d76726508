#include "apps/geometry/body.h"

#include <math.h>
#include <string.h>

/* Two hollow cylinders can touch in two ways: a rim of one meets the other, or their outer walls
 * meet at the points where the axes are closest to each other. All other contacts include a rim:
 * flat ends; an end on a wall, along a line; walls of parallel cylinders; and a cylinder inside a
 * bore. It therefore suffices to compute the smallest distance of a rim from a solid of revolution,
 * and that of the walls along the common perpendicular of the axes. */

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double a[3], const double b[3], double out[3]) {
    for (int d = 0; d < 3; d++)
        out[d] = a[d] - b[d];
}

/* out = a + share * b */
static void add(const double a[3], double share, const double b[3], double out[3]) {
    for (int d = 0; d < 3; d++)
        out[d] = a[d] + share * b[d];
}

static void normalise(double v[3]) {
    const double share = 1.0 / sqrt(dot(v, v));
    for (int d = 0; d < 3; d++)
        v[d] *= share;
}

wabe_body wabe_body_sphere(double radius) {
    return (wabe_body){.round = true, .radius = radius, .wall = radius, .reach = radius};
}

wabe_body wabe_body_cylinder(double radius, double length, double bore) {
    wabe_body body = {.half = 0.5 * length, .radius = radius, .wall = radius};
    if (bore > 0.0)
        body.middle = 0.5 * (radius + bore), body.wall = 0.5 * (radius - bore);
    body.reach = sqrt(radius * radius + body.half * body.half);
    wabe_body_turn(&body, (const double[3]){0.0, 0.0, 1.0});
    return body;
}

void wabe_body_turn(wabe_body *body, const double axis[3]) {
    memcpy(body->axis, axis, sizeof body->axis);
    double *u = body->axis, *v = body->across[0], *w = body->across[1];
    normalise(u);
    int least = 0;
    for (int d = 1; d < 3; d++)
        if (fabs(u[d]) < fabs(u[least]))
            least = d;
    double edge[3] = {0.0, 0.0, 0.0};
    edge[least] = 1.0;
    add(edge, -u[least], u, v);
    normalise(v);
    for (int d = 0; d < 3; d++)
        w[d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
}

/* The extent of a cylinder in a direction whose angle to its axis has this cosine. */
static double extent_at(const wabe_body *body, double cosine) {
    const double square = 1.0 - cosine * cosine;
    return body->half * fabs(cosine) + (square > 0.0 ? body->radius * sqrt(square) : 0.0);
}

double wabe_body_extent(const wabe_body *body, int d) {
    return body->round ? body->radius : extent_at(body, body->axis[d]);
}

double wabe_body_volume(const wabe_body *body) {
    const double pi = 3.14159265358979324, r = body->radius, bore = body->middle - body->wall;
    if (body->round)
        return 4.0 / 3.0 * pi * r * r * r;
    return 2.0 * pi * body->half * (r * r - (body->middle > 0.0 ? bore * bore : 0.0));
}

/* ---- rims --------------------------------------------------------------------------- */

/* A circle and a solid of revolution. along: the position of the circle's point in direction (c, s)
 * on the solid's axis, from its centre; square: its squared distance from the centre; each with
 * coefficients of 1, c, s. */
typedef struct {
    const wabe_body *solid;
    double radius;
    double along[3], square[3];
    double enough;
} rim;

/* Faster than fmin and fmax, which handle NAN. */
static double smaller(double a, double b) { return a < b ? a : b; }
static double larger(double a, double b) { return a > b ? a : b; }

/* Signed distance of a point from a solid of revolution, which in the half plane is a rectangle. */
static double from_solid(const wabe_body *solid, double along, double square) {
    const double outward = sqrt(larger(square - along * along, 0.0));
    const double side = fabs(outward - solid->middle) - solid->wall;
    const double end = fabs(along) - solid->half;
    return side > 0.0 && end > 0.0 ? sqrt(side * side + end * end) : larger(side, end);
}

static double at(const rim *r, const double direction[2]) {
    const double c = direction[0], s = direction[1];
    return from_solid(r->solid, r->along[0] + c * r->along[1] + s * r->along[2],
                      r->square[0] + c * r->square[1] + s * r->square[2]);
}

/* Bisection of arcs, from an eighth of a circle. */
enum { LEVELS = 9 };
static const struct {
    double share; /* factor from the sum of the directions to both ends to that to the middle */
    double chord; /* from the middle to an end, on the unit circle */
} arcs[LEVELS] = {
    {0.54119610014619701, 0.3901806440322565},    {0.50979557910415918, 0.19603428065912121},
    {0.50241928618815568, 0.09813534865483603},   {0.50060299823519627, 0.049082457045824576},
    {0.50015063602065102, 0.024543076571439851},  {0.50003765191554772, 0.012271769298308951},
    {0.50000941253588782, 0.0061359135259319523}, {0.50000235310628605, 0.003067960372569531},
    {0.50000058827484117, 0.001533980637485409},
};

double wabe_body_tolerance(double radius) { return radius * arcs[LEVELS - 1].chord; }

/* The distance of an arc, or least if that is smaller. A distance changes by no more than the point
 * moves, so that an arc whose middle is far enough away is not bisected. */
static double arc(const rim *r, const double a[2], const double b[2], int level, double least) {
    const double share = arcs[level].share;
    const double middle[2] = {share * (a[0] + b[0]), share * (a[1] + b[1])};
    const double distance = at(r, middle);
    if (distance - r->radius * arcs[level].chord >= least)
        return least;
    least = smaller(least, distance);
    if (least >= r->enough && level + 1 < LEVELS)
        least = arc(r, a, middle, level + 1, least);
    if (least >= r->enough && level + 1 < LEVELS)
        least = arc(r, middle, b, level + 1, least);
    return least;
}

static double circle(const rim *r, double least) {
    static const double h = 0.70710678118654752;
    static const double eighths[9][2] = {{1, 0},   {h, h},  {0, 1},  {-h, h}, {-1, 0},
                                         {-h, -h}, {0, -1}, {h, -h}, {1, 0}};
    if (from_solid(r->solid, r->along[0], r->square[0] - r->radius * r->radius) - r->radius >=
        least)
        return least;
    for (int k = 0; k < 8 && least >= r->enough; k++)
        least = arc(r, eighths[k], eighths[k + 1], 0, least);
    return least;
}

/* The rims at one end of a: outer and, if hollow, inner. */
static double rims_at(const wabe_body *a, double end, const wabe_body *b, double least,
                      double enough) {
    double center[3], from[3];
    add(a->center, end, a->axis, center);
    subtract(center, b->center, from);
    for (int k = 0; k < (a->middle > 0.0 ? 2 : 1) && least >= enough; k++) {
        const double radius = k == 0 ? a->radius : a->middle - a->wall;
        rim r = {.solid = b, .radius = radius, .enough = enough};
        r.along[0] = dot(from, b->axis);
        r.square[0] = dot(from, from) + radius * radius;
        for (int i = 0; i < 2; i++) {
            r.along[1 + i] = radius * dot(a->across[i], b->axis);
            r.square[1 + i] = 2.0 * radius * dot(a->across[i], from);
        }
        least = circle(&r, least);
    }
    return least;
}

static double from_center(const wabe_body *a, const wabe_body *b) {
    double from[3];
    subtract(a->center, b->center, from);
    return from_solid(b, dot(from, b->axis), dot(from, from));
}

double wabe_body_rims_distance(const wabe_body *a, const wabe_body *b, double limit,
                               double enough) {
    if (a->round)
        return smaller(limit, from_center(a, b) - a->radius);
    double least = rims_at(a, -a->half, b, limit, enough);
    return least < enough ? least : rims_at(a, a->half, b, least, enough);
}

/* ---- pairs -------------------------------------------------------------------------- */

/* Where the axes are closest to each other, each body covers two intervals of their common
 * perpendicular. */
static double walls_distance(const wabe_body *a, const wabe_body *b, double limit) {
    double from[3], across[3];
    subtract(a->center, b->center, from);
    const double cosine = dot(a->axis, b->axis), square = 1.0 - cosine * cosine;
    const double p = dot(a->axis, from), q = dot(b->axis, from);
    const double on_a = cosine * q - p, on_b = q - cosine * p;
    if (fabs(on_a) >= a->half * square || fabs(on_b) >= b->half * square)
        return limit;
    add(from, on_a / square, a->axis, across);
    add(across, -on_b / square, b->axis, across);
    const double apart = sqrt(dot(across, across));
    for (int k = 0; k < 4; k++) {
        const double middle = (k & 1 ? a->middle : -a->middle) + (k & 2 ? b->middle : -b->middle);
        limit = smaller(limit, fabs(apart + middle) - a->wall - b->wall);
    }
    return limit;
}

/* Does a plane perpendicular or parallel to b's axis separate the bodies by limit or more? */
static bool are_parted(const wabe_body *a, const wabe_body *b, const double from[3], double limit) {
    const double along = dot(from, b->axis);
    if (fabs(along) - b->half - extent_at(a, dot(a->axis, b->axis)) >= limit)
        return true;
    double across[3];
    add(from, -along, b->axis, across);
    const double distance = sqrt(dot(across, across));
    if (distance < b->radius)
        return false;
    for (int d = 0; d < 3; d++)
        across[d] /= distance;
    return distance - b->radius - extent_at(a, dot(a->axis, across)) >= limit;
}

double wabe_body_distance(const wabe_body *a, const wabe_body *b, double limit, double enough) {
    double from[3];
    subtract(a->center, b->center, from);
    const double square = dot(from, from), near = a->reach + b->reach + limit;
    if (square >= near * near)
        return limit;
    if (a->round && b->round)
        return smaller(limit, sqrt(square) - near + limit);
    if (a->round || b->round)
        return a->round ? wabe_body_rims_distance(a, b, limit, enough)
                        : wabe_body_rims_distance(b, a, limit, enough);
    if (are_parted(a, b, from, limit) || are_parted(b, a, from, limit))
        return limit;
    double least = walls_distance(a, b, limit);
    if (least >= enough)
        least = wabe_body_rims_distance(a, b, least, enough);
    return least < enough ? least : wabe_body_rims_distance(b, a, least, enough);
}
