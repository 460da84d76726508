/* Beds of particles: checked by points of a fine grid and on the particles' surfaces, with plain
 * loops over all objects. */
#include "apps/geometry/packing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    wabe_packing_options options;
    wabe_particles particles;
    wabe_packing_report report;
} bed;

static const wabe_packing_options rings = {.particle = WABE_PARTICLE_RING,
                                           .diameter = 12.0,
                                           .length = 12.0,
                                           .bore = 7.0,
                                           .low = {0.0, 0.0, 0.0},
                                           .high = {48.0, 48.0, 72.0},
                                           .seed = 1};

static bed made(wabe_packing_options options) {
    bed b = {.options = options};
    if (wabe_packing_make(&options, &b.particles, &b.report) != WABE_OK)
        fail_msg("%s", wabe_error_message());
    return b;
}

/* One of each kind, in each container. */
enum { BEDS = 7 };
static wabe_packing_options variant(int k) {
    wabe_packing_options o = rings;
    o.seed = (uint64_t)k;
    o.particle = k % 3 == 0   ? WABE_PARTICLE_RING
                 : k % 3 == 1 ? WABE_PARTICLE_SPHERE
                              : WABE_PARTICLE_CYLINDER;
    o.tube = k == 1 || k == 2 || k == 3;
    o.periodic[0] = k == 4 || k == 5 || k == 6;
    o.periodic[1] = k == 5 || k == 6;
    o.spread = k == 1 || k == 5 ? 0.2 : 0.0;
    if (k == 3 || k == 6) /* long, thin ones that can hold each other */
        o.length = 20.0, o.bore = 10.5, o.low[0] = 3.3, o.high[0] = 45.7, o.low[2] = 5.0;
    if (k == 2)
        o.length = 7.0, o.high[1] = 60.0;
    return o;
}

/* ---- plain geometry ----------------------------------------------------------------- */

static bool is_round(const wabe_object *o) { return o->shape == WABE_SHAPE_SPHERE; }

static void center_of(const wabe_object *o, double center[3]) {
    for (int d = 0; d < 3; d++)
        center[d] = is_round(o) ? o->center[d] : 0.5 * (o->low[d] + o->high[d]);
}

static bool is_in(const wabe_object *o, const double p[3]) {
    double center[3], along = 0.0, length = 0.0, square = 0.0;
    center_of(o, center);
    for (int d = 0; d < 3; d++) {
        const double axis = is_round(o) ? 0.0 : o->high[d] - o->low[d];
        along += axis * (p[d] - center[d]);
        length += axis * axis;
        square += (p[d] - center[d]) * (p[d] - center[d]);
    }
    if (is_round(o))
        return square <= o->radius * o->radius;
    square -= along * along / length;
    return 2.0 * fabs(along) <= length && square <= o->radius * o->radius &&
           square >= o->bore * o->bore;
}

static double reach_of(const wabe_object *o) {
    double square = 0.0;
    for (int d = 0; d < 3 && !is_round(o); d++)
        square += 0.25 * (o->high[d] - o->low[d]) * (o->high[d] - o->low[d]);
    return sqrt(square + o->radius * o->radius);
}

/* How many objects each point of a grid over the container lies in; freed by the caller. */
enum { FINE = 2 }; /* points per cell and axis */

typedef struct {
    int64_t count[3];
    double low[3];
    uint8_t *owners;
} grid;

static grid grid_of(const bed *b) {
    grid g;
    for (int d = 0; d < 3; d++) {
        g.low[d] = b->options.low[d];
        g.count[d] = (int64_t)floor(FINE * (b->options.high[d] - b->options.low[d]));
    }
    g.owners = calloc((size_t)(g.count[0] * g.count[1] * g.count[2]), 1);
    assert_non_null(g.owners);
    return g;
}

static void point_of(const grid *g, int64_t x, int64_t y, int64_t z, double p[3]) {
    const int64_t at[3] = {x, y, z};
    for (int d = 0; d < 3; d++)
        p[d] = g->low[d] + ((double)at[d] + 0.5) / FINE;
}

/* Adds an object and returns how many points it has. */
static int64_t count_in(const grid *g, const wabe_object *o) {
    double center[3], p[3];
    int64_t begin[3], end[3], points = 0;
    center_of(o, center);
    for (int d = 0; d < 3; d++) {
        const double middle = FINE * (center[d] - g->low[d]), most = FINE * reach_of(o) + 1.0;
        begin[d] = (int64_t)fmax(floor(middle - most), 0.0);
        end[d] = (int64_t)fmin(ceil(middle + most), (double)g->count[d]);
    }
    for (int64_t z = begin[2]; z < end[2]; z++)
        for (int64_t y = begin[1]; y < end[1]; y++)
            for (int64_t x = begin[0]; x < end[0]; x++) {
                point_of(g, x, y, z, p);
                if (is_in(o, p))
                    g->owners[x + g->count[0] * (y + g->count[1] * z)]++, points++;
            }
    return points;
}

static grid counted(const bed *b) {
    grid g = grid_of(b);
    for (int k = 0; k < b->particles.count; k++)
        count_in(&g, &b->particles.list[k]);
    return g;
}

/* Points on the surface of a particle; visit says whether to go on. */
typedef bool visitor(const double p[3], void *data);

static bool visit_circle(const double center[3], const double across[2][3], double radius,
                         double spacing, visitor *visit, void *data) {
    const int count = (int)ceil(2.0 * acos(-1.0) * radius / spacing) + 1;
    for (int k = 0; k < count; k++) {
        const double angle = 2.0 * acos(-1.0) * k / count;
        double p[3];
        for (int d = 0; d < 3; d++)
            p[d] = center[d] + radius * (cos(angle) * across[0][d] + sin(angle) * across[1][d]);
        if (!visit(p, data))
            return false;
    }
    return true;
}

static void frame_of(const double axis[3], double across[2][3]) {
    const int least = fabs(axis[0]) < 0.6 ? 0 : 1;
    const double share = 1.0 / sqrt(1.0 - axis[least] * axis[least]);
    for (int d = 0; d < 3; d++)
        across[0][d] = share * ((d == least ? 1.0 : 0.0) - axis[least] * axis[d]);
    for (int d = 0; d < 3; d++)
        across[1][d] = axis[(d + 1) % 3] * across[0][(d + 2) % 3] -
                       axis[(d + 2) % 3] * across[0][(d + 1) % 3];
}

static bool visit_cylinder(const wabe_object *o, double spacing, visitor *visit, void *data) {
    double axis[3], across[2][3], length = 0.0, center[3];
    for (int d = 0; d < 3; d++)
        length += (o->high[d] - o->low[d]) * (o->high[d] - o->low[d]);
    length = sqrt(length);
    for (int d = 0; d < 3; d++)
        axis[d] = (o->high[d] - o->low[d]) / length;
    frame_of(axis, across);
    const int along = (int)ceil(length / spacing);
    const int outward = (int)ceil((o->radius - o->bore) / spacing);
    bool more = true;
    for (int k = 0; k <= along && more; k++) {
        for (int d = 0; d < 3; d++)
            center[d] = o->low[d] + length * k / along * axis[d];
        more = visit_circle(center, across, o->radius, spacing, visit, data) &&
               visit_circle(center, across, o->bore, spacing, visit, data);
    }
    for (int k = 1; k < outward && more; k++) {
        const double radius = o->bore + (o->radius - o->bore) * k / outward;
        more = visit_circle(o->low, across, radius, spacing, visit, data) &&
               visit_circle(o->high, across, radius, spacing, visit, data);
    }
    return more;
}

static bool visit_sphere(const wabe_object *o, double spacing, visitor *visit, void *data) {
    static const double across[2][3] = {{1, 0, 0}, {0, 1, 0}};
    const int count = (int)ceil(2.0 * o->radius / spacing);
    bool more = true;
    for (int k = 0; k <= count && more; k++) {
        const double z = o->radius * (2.0 * k / count - 1.0);
        const double radius = sqrt(fmax(o->radius * o->radius - z * z, 0.0));
        const double center[3] = {o->center[0], o->center[1], o->center[2] + z};
        more = visit_circle(center, across, radius, spacing, visit, data);
    }
    return more;
}

static bool visit_surface(const wabe_object *o, double spacing, visitor *visit, void *data) {
    return is_round(o) ? visit_sphere(o, spacing, visit, data)
                       : visit_cylinder(o, spacing, visit, data);
}

/* ---- what must hold of every bed ---------------------------------------------------- */

static void no_point_is_shared(const bed *b) {
    grid g = counted(b);
    int64_t shared = 0;
    for (int64_t i = 0; i < g.count[0] * g.count[1] * g.count[2]; i++)
        shared += g.owners[i] > 1;
    assert_int_equal(shared, 0);
    free(g.owners);
}

static bool is_on_this_side(const double p[3], void *data) {
    const wabe_packing_options *o = data;
    const double slack = 1e-6;
    double square = 0.0, width = HUGE_VAL;
    for (int d = 0; d < 3; d++) {
        if ((d == 2 || !o->periodic[d]) && (p[d] < o->low[d] - slack || p[d] > o->high[d] + slack))
            return false;
        const double from = p[d] - 0.5 * (o->low[d] + o->high[d]);
        if (d < 2)
            square += from * from, width = fmin(width, o->high[d] - o->low[d]);
    }
    return !o->tube || sqrt(square) <= 0.5 * width + slack;
}

static void all_are_inside(bed *b) {
    for (int k = 0; k < b->particles.count; k++)
        assert_true(visit_surface(&b->particles.list[k], 0.5, is_on_this_side, &b->options));
}

static double area_of(const wabe_packing_options *o) {
    const double x = o->high[0] - o->low[0], y = o->high[1] - o->low[1];
    return o->tube ? 0.25 * acos(-1.0) * fmin(x, y) * fmin(x, y) : x * y;
}

/* Solid share between two heights. */
static double share_between(const bed *b, const grid *g, double low, double high) {
    int64_t points = 0, planes = 0;
    for (int64_t z = 0; z < g->count[2]; z++) {
        const double height = g->low[2] + ((double)z + 0.5) / FINE;
        if (height < low || height > high)
            continue;
        planes++;
        for (int64_t i = 0; i < g->count[0] * g->count[1]; i++)
            points += g->owners[i + g->count[0] * g->count[1] * z] > 0;
    }
    return (double)points / FINE / FINE / ((double)planes * area_of(&b->options));
}

/* The reported porosity is that of the points. */
static void porosity_is_right(const bed *b) {
    grid g = counted(b);
    const double low = b->options.low[2], top = b->report.top;
    assert_float_equal(1.0 - share_between(b, &g, low, top), b->report.porosity, 0.01);
    free(g.owners);
}

static void bed_is_full_to_its_top(const bed *b) {
    grid g = counted(b);
    const double low = b->options.low[2], top = b->report.top;
    const double all = share_between(b, &g, low, top);
    assert_true(share_between(b, &g, top - 15.0, top) > 0.75 * all);
    assert_true(top > b->options.high[2] - 40.0 && top < b->options.high[2]);
    free(g.owners);
}

/* One particle, moved down, and all the others. */
typedef struct {
    const bed *b;
    const wabe_object *list;
    int count;
} others;

static bool is_outside(const double p[3], void *data) {
    const others *o = data;
    if (p[2] < o->b->options.low[2])
        return false;
    for (int k = 0; k < o->count; k++)
        if (is_in(&o->list[k], p))
            return false;
    return true;
}

/* Whether object i, moved down by this much, meets another one, the floor, or a tube's wall. */
static bool is_held(const bed *b, int i, double down) {
    wabe_object moved = b->particles.list[i], near[64];
    moved.center[2] -= down, moved.low[2] -= down, moved.high[2] -= down;
    double center[3], other[3];
    int count = 0;
    center_of(&moved, center);
    for (int k = 0; k < b->particles.count; k++) {
        const wabe_object *o = &b->particles.list[k];
        center_of(o, other);
        const double apart = hypot(hypot(center[0] - other[0], center[1] - other[1]),
                                   center[2] - other[2]);
        if (k != i && apart < reach_of(&moved) + reach_of(o)) {
            assert_true(count < 64);
            near[count++] = *o;
        }
    }
    if (!visit_surface(&moved, 0.25, is_outside, &(others){b, near, count}))
        return true;
    for (int k = 0; k < count; k++)
        if (!visit_surface(&near[k], 0.25, is_outside, &(others){b, &moved, 1}))
            return true;
    return false;
}

static void all_are_held(const bed *b) {
    for (int i = 0; i < b->particles.count; i++) {
        double center[3];
        bool held = false, image = false;
        center_of(&b->particles.list[i], center);
        for (int d = 0; d < 2; d++)
            image |= center[d] < b->options.low[d] || center[d] >= b->options.high[d];
        for (int k = 1; k <= 5 && !held && !image; k++)
            held = is_held(b, i, 0.01 * k * b->options.diameter);
        if (!held && !image)
            fail_msg("seed %d: particle %d at %g %g %g is not held", (int)b->options.seed, i,
                     center[0], center[1], center[2]);
    }
}

/* Every image that reaches into the container is there, and no other; the particles are those with
 * their centres inside. */
static void images_are_complete(const bed *b) {
    const wabe_packing_options *o = &b->options;
    int own = 0;
    for (int i = 0; i < b->particles.count; i++) {
        double center[3];
        bool inside = true;
        center_of(&b->particles.list[i], center);
        for (int d = 0; d < 2; d++)
            inside &= center[d] >= o->low[d] && center[d] < o->high[d];
        own += inside;
        grid g = grid_of(b);
        for (int k = 0; k < 9; k++) {
            wabe_object image = b->particles.list[i];
            const int step[2] = {k % 3 - 1, k / 3 - 1};
            bool exists = true;
            for (int d = 0; d < 2; d++) {
                const double shift = step[d] * (o->high[d] - o->low[d]);
                exists &= step[d] == 0 || o->periodic[d];
                image.center[d] += shift, image.low[d] += shift, image.high[d] += shift;
            }
            if (!exists || !inside || count_in(&g, &image) == 0)
                continue;
            double wanted[3], other[3];
            int found = 0;
            center_of(&image, wanted);
            for (int j = 0; j < b->particles.count; j++) {
                center_of(&b->particles.list[j], other);
                found += fabs(other[0] - wanted[0]) + fabs(other[1] - wanted[1]) +
                             fabs(other[2] - wanted[2]) <
                         1e-9;
            }
            assert_int_equal(found, 1);
        }
        free(g.owners);
    }
    assert_int_equal(own, b->report.particles);
}

static void beds_are_packings(void **state) {
    (void)state;
    for (int k = 0; k < BEDS; k++) {
        bed b = made(variant(k));
        assert_true(b.report.particles >= 10);
        no_point_is_shared(&b);
        all_are_inside(&b);
        porosity_is_right(&b);
        bed_is_full_to_its_top(&b);
        all_are_held(&b);
        images_are_complete(&b);
        assert_true(b.report.overlap < 1e-9);
        assert_true(b.report.contacts > 2.5 && b.report.contacts < 7.0);
        wabe_particles_free(&b.particles);
    }
}

/* ---- single properties -------------------------------------------------------------- */

static void seeds_are_beds(void **state) {
    (void)state;
    wabe_packing_options other = rings;
    other.seed = 2;
    bed a = made(rings), again = made(rings), b = made(other);
    assert_int_equal(a.particles.count, again.particles.count);
    for (int k = 0; k < a.particles.count; k++) {
        assert_memory_equal(a.particles.list[k].low, again.particles.list[k].low, 24);
        assert_memory_equal(a.particles.list[k].high, again.particles.list[k].high, 24);
        assert_memory_not_equal(a.particles.list[k].low,
                                b.particles.list[k % b.particles.count].low, 24);
    }
    assert_true(a.report.porosity == again.report.porosity);
    wabe_particles_free(&a.particles);
    wabe_particles_free(&again.particles);
    wabe_particles_free(&b.particles);
}

/* Sizes of objects are as asked for, and spread as asked for. */
static void sizes_are_kept(void **state) {
    (void)state;
    wabe_packing_options o = rings;
    bed b = made(o);
    for (int k = 0; k < b.particles.count; k++) {
        const wabe_object *p = &b.particles.list[k];
        assert_true(p->shape == WABE_SHAPE_CYLINDER && p->radius == 6.0 && p->bore == 3.5);
        assert_float_equal(hypot(hypot(p->high[0] - p->low[0], p->high[1] - p->low[1]),
                                 p->high[2] - p->low[2]),
                           12.0, 1e-9);
    }
    wabe_particles_free(&b.particles);
    o.particle = WABE_PARTICLE_SPHERE, o.spread = 0.1, o.diameter = 5.0;
    b = made(o);
    double sum = 0.0, squares = 0.0;
    for (int k = 0; k < b.particles.count; k++) {
        const double size = b.particles.list[k].radius / 2.5 - 1.0;
        assert_true(fabs(size) < 0.301);
        sum += size, squares += size * size;
    }
    assert_true(b.particles.count > 1000);
    assert_float_equal(sum / b.particles.count, 0.0, 0.015);
    assert_float_equal(sqrt(squares / b.particles.count), 0.1, 0.01);
    wabe_particles_free(&b.particles);
}

/* Beds that are poured: spheres 0.40 to 0.45, equilateral cylinders 0.35 to 0.45, rings with this
 * bore 0.60 to 0.70; small ones deviate a little. */
static void porosities_are_plausible(void **state) {
    (void)state;
    static const struct {
        wabe_particle particle;
        double low, high;
    } rows[] = {{WABE_PARTICLE_SPHERE, 0.40, 0.45},
                {WABE_PARTICLE_CYLINDER, 0.33, 0.45},
                {WABE_PARTICLE_RING, 0.58, 0.70}};
    for (int k = 0; k < 3; k++) {
        wabe_packing_options o = rings;
        o.particle = rows[k].particle, o.bore = 0.6 * o.diameter;
        o.periodic[0] = o.periodic[1] = true;
        bed b = made(o);
        assert_true(b.report.porosity > rows[k].low && b.report.porosity < rows[k].high);
        wabe_particles_free(&b.particles);
    }
}

static void wanted_porosities_are_met(void **state) {
    (void)state;
    static const double wanted[] = {0.70, 0.80};
    for (int k = 0; k < 2; k++) {
        wabe_packing_options o = rings;
        o.porosity = wanted[k];
        bed b = made(o);
        assert_float_equal(b.report.porosity, wanted[k], 0.01);
        no_point_is_shared(&b);
        porosity_is_right(&b);
        all_are_held(&b);
        wabe_particles_free(&b.particles);
    }
}

static void refused(wabe_packing_options o, const char *word) {
    wabe_particles particles;
    wabe_packing_report report;
    assert_int_equal(wabe_packing_make(&o, &particles, &report), WABE_INPUT);
    if (!strstr(wabe_error_message(), word))
        fail_msg("no \"%s\" in: %s", word, wabe_error_message());
    assert_true(particles.list == NULL && particles.count == 0);
}

static void bad_options_are_refused(void **state) {
    (void)state;
    wabe_packing_options o = rings;
    o.diameter = 0.0, refused(o, "diameter"), o.diameter = NAN, refused(o, "diameter");
    o = rings, o.length = -1.0, refused(o, "length");
    o = rings, o.bore = 12.0, refused(o, "smaller than their diameter");
    o = rings, o.bore = 0.0, refused(o, "bore");
    o = rings, o.spread = 0.31, refused(o, "from 0 to 0.3");
    o = rings, o.high[1] = 0.0, refused(o, "along y");
    o = rings, o.high[2] = HUGE_VAL, refused(o, "1e8");
    o = rings, o.diameter = o.length = o.bore = 1e-9, o.bore /= 2.0, refused(o, "larger particles");
    o = rings, o.tube = o.periodic[0] = true, refused(o, "tube");
    o = rings, o.periodic[1] = true, o.high[1] = 16.0, refused(o, "meet itself");
    o = rings, o.porosity = 1.0, refused(o, "between 0 and 1");
    o = rings, o.high[0] = 11.9, refused(o, "no particle fits");
    o = rings, o.high[2] = 11.9, refused(o, "no particle fits");
    o = rings, o.tube = true, o.high[0] = 12.0, refused(o, "tube's wall");
    o = rings, o.high[2] = 40.0;
    o.porosity = 0.3, refused(o, "no less than 0.");
    o.porosity = 0.99, refused(o, "no more than 0.");
}

typedef struct {
    int calls, most, particles;
    double share;
} watcher;

static bool watch(void *context, int particles, double share) {
    watcher *w = context;
    assert_true(particles >= w->particles && particles <= w->particles + 1);
    assert_true(share >= w->share && share <= 1.0 + 1e-9);
    w->particles = particles;
    w->share = share;
    return ++w->calls < w->most;
}

static void beds_are_left_on_request(void **state) {
    (void)state;
    wabe_packing_options o = rings;
    watcher patient = {.most = 1 << 30}, hasty = {.most = 5};
    o.go_on = watch;
    o.context = &patient;
    bed all = made(o);
    assert_int_equal(patient.particles, all.report.particles);
    o.context = &hasty;
    bed none = {.options = o};
    assert_int_equal(wabe_packing_make(&o, &none.particles, &none.report), WABE_NOT_CONVERGED);
    assert_int_equal(hasty.calls, 5);
    assert_true(none.particles.list == NULL && none.particles.count == 0);
    wabe_particles_free(&all.particles);
}

/* Containers that hold but a few: one upright pile, one layer. */
static void narrow_containers_are_filled(void **state) {
    (void)state;
    wabe_packing_options o = rings;
    o.tube = true, o.high[0] = o.high[1] = 12.5;
    bed pile = made(o);
    assert_int_equal(pile.report.particles, 5); /* six would reach 72 but for the gaps */
    all_are_inside(&pile);
    no_point_is_shared(&pile);
    o = rings, o.particle = WABE_PARTICLE_SPHERE, o.high[2] = 12.0;
    bed layer = made(o);
    assert_true(layer.report.particles >= 6 && layer.report.particles <= 16);
    for (int k = 0; k < layer.particles.count; k++)
        assert_true(layer.particles.list[k].center[2] == 6.0);
    wabe_particles_free(&pile.particles);
    wabe_particles_free(&layer.particles);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beds_are_packings),
        cmocka_unit_test(seeds_are_beds),
        cmocka_unit_test(sizes_are_kept),
        cmocka_unit_test(porosities_are_plausible),
        cmocka_unit_test(wanted_porosities_are_met),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(beds_are_left_on_request),
        cmocka_unit_test(narrow_containers_are_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
