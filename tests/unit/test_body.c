/* Distances of hard bodies: in positions that can be thought through, and against points that cover
 * their surfaces. */
#include "apps/geometry/body.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Splitmix64. */
static double chance(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double distance(const wabe_body *a, const wabe_body *b) {
    return wabe_body_distance(a, b, 1e3, -HUGE_VAL);
}

static void assert_distance(const wabe_body *a, const wabe_body *b, double expected) {
    const double tolerance = wabe_body_tolerance(fmax(a->radius, b->radius));
    assert_float_equal(distance(a, b), expected, tolerance);
    assert_float_equal(distance(b, a), expected, tolerance);
}

static wabe_body placed(wabe_body body, double x, double y, double z) {
    body.center[0] = x, body.center[1] = y, body.center[2] = z;
    return body;
}

static wabe_body turned(wabe_body body, double x, double y, double z) {
    wabe_body_turn(&body, (const double[3]){x, y, z});
    return body;
}

static void spheres_are_exact(void **state) {
    (void)state;
    const wabe_body a = wabe_body_sphere(3.0), b = placed(wabe_body_sphere(2.0), 0.0, 3.0, 4.0);
    assert_float_equal(distance(&a, &b), 0.0, 1e-14);
    const wabe_body c = placed(wabe_body_sphere(1.0), 6.0, 0.0, 0.0);
    assert_float_equal(distance(&a, &c), 2.0, 1e-14);
}

static void cylinders_meet_in_every_way(void **state) {
    (void)state;
    const wabe_body c = wabe_body_cylinder(2.0, 6.0, 0.0);
    const wabe_body beside = placed(c, 5.0, 0.0, 1.0), above = placed(c, 1.0, 0.0, 6.5);
    assert_distance(&c, &beside, 1.0);
    assert_distance(&c, &above, 0.5);
    const wabe_body crossed = turned(placed(c, 0.3, 4.25, 0.4), 1.0, 0.0, 0.0);
    assert_distance(&c, &crossed, 0.25);
    const wabe_body lying = turned(placed(c, 0.0, 0.0, 5.75), 1.0, 0.0, 0.0);
    assert_distance(&c, &lying, 0.75);
    const wabe_body upright = turned(placed(c, 6.0, 0.0, 0.0), 1.0, 0.0, 0.0);
    assert_distance(&c, &upright, 1.0);
    const wabe_body tilted = turned(placed(c, 6.0, 0.0, 6.0), 1.0, 0.0, 1.0);
    assert_distance(&c, &tilted, sqrt(2.0) * 3.5 - 3.0);
    const wabe_body through = turned(placed(c, 0.0, 3.5, 0.0), 1.0, 0.0, 0.0);
    assert_true(distance(&c, &through) < -0.4);
}

static void rings_hold_what_fits_in(void **state) {
    (void)state;
    const wabe_body ring = wabe_body_cylinder(5.0, 4.0, 3.0);
    const wabe_body pin = wabe_body_cylinder(1.0, 20.0, 0.0);
    assert_distance(&ring, &pin, 2.0);
    const wabe_body aside = placed(pin, 1.5, 0.0, 3.0);
    assert_distance(&ring, &aside, 0.5);
    const wabe_body stuck = placed(pin, 2.5, 0.0, 0.0);
    assert_distance(&ring, &stuck, -0.5);
    const wabe_body ball = placed(wabe_body_sphere(2.0), 0.0, 0.5, 0.0);
    assert_distance(&ring, &ball, 0.5);
    const wabe_body nail = turned(placed(pin, 3.0, 0.0, 0.0), 0.0, 1.0, 0.0);
    assert_true(distance(&ring, &nail) < -0.5);
}

/* Long rings whose outer walls cut into each other, far from the rims. */
static void walls_count_between_the_ends(void **state) {
    (void)state;
    const wabe_body a = wabe_body_cylinder(2.0, 30.0, 1.5);
    for (int k = 0; k <= 10; k++) {
        const wabe_body b = turned(placed(a, 0.2, 3.6 + 0.05 * k, 0.1), 1.0, 0.0, 0.0);
        assert_distance(&a, &b, 0.05 * (k - 8));
    }
}

/* ---- against points ----------------------------------------------------------------- */

typedef struct {
    const wabe_body *body;
    int count;
    double points[60000][3];
} cover;

static void add_circle(cover *c, double end, double radius, double spacing) {
    const wabe_body *b = c->body;
    const int count = (int)ceil(2.0 * acos(-1.0) * radius / spacing) + 1;
    for (int k = 0; k < count; k++) {
        const double angle = 2.0 * acos(-1.0) * k / count;
        assert_true(c->count < 60000);
        for (int d = 0; d < 3; d++)
            c->points[c->count][d] =
                b->center[d] + end * b->axis[d] +
                radius * (cos(angle) * b->across[0][d] + sin(angle) * b->across[1][d]);
        c->count++;
    }
}

/* Rims, where most distances are found, are covered more densely. */
static void cover_body(cover *c, const wabe_body *body, double spacing) {
    c->body = body, c->count = 0;
    const double bore = body->middle > 0.0 ? body->middle - body->wall : 0.0;
    const int along = (int)ceil(2.0 * body->half / spacing);
    const int across = (int)ceil((body->radius - bore) / spacing);
    for (int k = 0; k <= along; k++) {
        const double end = body->half * (2.0 * k / along - 1.0);
        add_circle(c, end, body->radius, spacing);
        if (bore > 0.0)
            add_circle(c, end, bore, spacing);
    }
    for (int k = 0; k <= across; k++) {
        const double radius = bore + (body->radius - bore) * k / across;
        const double here = k == 0 || k == across ? 0.03 * spacing : spacing;
        add_circle(c, body->half, radius, here);
        add_circle(c, -body->half, radius, here);
    }
}

/* The nearest that a point of a is to b: a plain transcription of what a hollow cylinder is. */
static double covered_distance(const cover *a, const wabe_body *b) {
    double least = HUGE_VAL;
    for (int k = 0; k < a->count; k++) {
        double along = 0.0, square = 0.0;
        for (int d = 0; d < 3; d++) {
            const double from = a->points[k][d] - b->center[d];
            along += from * b->axis[d];
            square += from * from;
        }
        const double outward = sqrt(fmax(square - along * along, 0.0));
        const double bore = b->middle > 0.0 ? b->middle - b->wall : -1e9;
        const double side = fmax(outward - b->radius, bore - outward), end = fabs(along) - b->half;
        const double here = side > 0.0 && end > 0.0 ? hypot(side, end) : fmax(side, end);
        least = fmin(least, here);
    }
    return least;
}

/* The distance of bodies that are apart is right; of those that overlap by less than through a wall
 * it is known that they do. */
static void points_are_no_nearer(void **state) {
    (void)state;
    const double spacing = 0.1;
    static cover points[2];
    uint64_t random = 7;
    int apart = 0, together = 0;
    for (int k = 0; k < 1000; k++) {
        const double radius = 2.0, length = k % 2 ? 4.0 : 1.0 + 8.0 * chance(&random);
        const double bore = k % 4 < 2 ? 0.0 : 0.4 + 1.4 * chance(&random);
        wabe_body bodies[2];
        for (int i = 0; i < 2; i++) {
            bodies[i] = turned(wabe_body_cylinder(radius, length, bore), chance(&random) - 0.5,
                               chance(&random) - 0.5, chance(&random) - 0.5);
            for (int d = 0; d < 3; d++)
                bodies[i].center[d] = 5.0 * chance(&random);
            cover_body(&points[i], &bodies[i], spacing);
        }
        const double covered = fmin(covered_distance(&points[0], &bodies[1]),
                                    covered_distance(&points[1], &bodies[0]));
        const double found = distance(&bodies[0], &bodies[1]);
        const bool through = covered < -0.9 * bodies[0].wall;
        if (covered > 0.0) {
            assert_true(found <= covered + wabe_body_tolerance(radius));
            assert_true(found >= covered - spacing);
        } else if (!through)
            assert_true(found < 0.0);
        apart += covered > 0.0, together += covered <= 0.0 && !through;
    }
    assert_true(apart > 100 && together > 100);
}

/* A search that may end early says the same about any bound. */
static void early_ends_do_not_matter(void **state) {
    (void)state;
    uint64_t random = 11;
    const wabe_body a = wabe_body_cylinder(2.0, 5.0, 1.2);
    for (int k = 0; k < 2000; k++) {
        wabe_body b = turned(a, chance(&random) - 0.5, chance(&random) - 0.5, chance(&random));
        for (int d = 0; d < 3; d++)
            b.center[d] = 6.0 * chance(&random);
        const double bound = chance(&random) - 0.2, exact = distance(&a, &b);
        if (fabs(exact - bound) > wabe_body_tolerance(2.0))
            assert_int_equal(wabe_body_distance(&a, &b, bound, bound) < bound, exact < bound);
    }
}

static void extents_hold_all_points(void **state) {
    (void)state;
    static cover points;
    const wabe_body body = turned(wabe_body_cylinder(2.0, 5.0, 0.0), 0.3, -0.5, 0.7);
    cover_body(&points, &body, 0.05);
    for (int d = 0; d < 3; d++) {
        double most = 0.0;
        for (int k = 0; k < points.count; k++)
            most = fmax(most, points.points[k][d]);
        assert_float_equal(most, wabe_body_extent(&body, d), 1e-3);
        assert_true(most <= wabe_body_extent(&body, d) + 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_are_exact),       cmocka_unit_test(cylinders_meet_in_every_way),
        cmocka_unit_test(rings_hold_what_fits_in), cmocka_unit_test(walls_count_between_the_ends),
        cmocka_unit_test(points_are_no_nearer),    cmocka_unit_test(early_ends_do_not_matter),
        cmocka_unit_test(extents_hold_all_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
