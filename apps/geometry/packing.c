#include "apps/geometry/packing.h"

#include "apps/geometry/bed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sequential deposition: W. M. Visscher, M. Bolsterli, Random packing of equal and unequal spheres
 * in two and three dimensions, Nature 239 (1972), where spheres roll down to the nearest pocket.
 * Here bodies find theirs by small random moves. */

/* Largest deviation from the mean size, in units of the spread. */
static const double WIDEST = 3.0;

enum {
    STARTS = 15,    /* per particle; the lowest result is used */
    MORE = 45,      /* starts, for a denser bed */
    FAILURES = 150, /* consecutive starts that end too high: the container is full */
    RUNS = 16       /* at most, for a target porosity */
};

/* The tolerance of the porosity: below the promised 0.01, to leave a margin for the cells. */
static const double NEAR = 0.008;

/* Parameters of a bed: those that make it denser or looser, and attempt for another one of the same
 * kind. */
typedef struct {
    int starts;
    double sticking; /* fraction of the particles that stay where they first touch something */
    int attempt;
} manner;

/* ---- bodies ------------------------------------------------------------------------- */

static wabe_body body_of(const wabe_packing_options *o, double size) {
    const double radius = 0.5 * size * o->diameter;
    if (o->particle == WABE_PARTICLE_SPHERE)
        return wabe_body_sphere(radius);
    const double bore = o->particle == WABE_PARTICLE_RING ? 0.5 * size * o->bore : 0.0;
    return wabe_body_cylinder(radius, size * o->length, bore);
}

/* Approximately normal without tails: a sum of twelve uniform numbers. */
static double random_size(const wabe_packing_options *o, wabe_random *random) {
    double sum;
    do {
        sum = -6.0;
        for (int k = 0; k < 12; k++)
            sum += wabe_random_next(random);
    } while (fabs(sum) > WIDEST);
    return 1.0 + o->spread * sum;
}

static wabe_object object_of(const wabe_body *body) {
    wabe_object object = {.shape = WABE_SHAPE_SPHERE, .radius = body->radius};
    memcpy(object.center, body->center, sizeof object.center);
    if (body->round)
        return object;
    object.shape = WABE_SHAPE_CYLINDER;
    object.bore = body->middle > 0.0 ? body->middle - body->wall : 0.0;
    for (int d = 0; d < 3; d++) {
        object.low[d] = body->center[d] - body->half * body->axis[d];
        object.high[d] = body->center[d] + body->half * body->axis[d];
    }
    return object;
}

/* ---- checks of the options ---------------------------------------------------------- */

static wabe_status check_shape(const wabe_packing_options *o) {
    const bool sphere = o->particle == WABE_PARTICLE_SPHERE;
    WABE_CHECK(o->diameter > 0.0 && isfinite(o->diameter), WABE_INPUT,
               "particles have a diameter of %g cells; it must be positive", o->diameter);
    WABE_CHECK(sphere || (o->length > 0.0 && isfinite(o->length)), WABE_INPUT,
               "particles have a length of %g cells; it must be positive", o->length);
    WABE_CHECK(
        o->particle != WABE_PARTICLE_RING || (o->bore > 0.0 && o->bore < o->diameter), WABE_INPUT,
        "rings have a bore of %g cells; it must be positive and smaller than their diameter, "
        "%g",
        o->bore, o->diameter);
    WABE_CHECK(o->spread >= 0.0 && o->spread <= 0.3, WABE_INPUT,
               "the particles' sizes have a spread of %g; it must be from 0 to 0.3", o->spread);
    return WABE_OK;
}

static wabe_status check_container(const wabe_packing_options *o, double reach) {
    for (int d = 0; d < 3; d++)
        WABE_CHECK(o->high[d] > o->low[d], WABE_INPUT,
                   "the container of the particles reaches from %g to %g cells along %c; it must "
                   "have a positive width",
                   o->low[d], o->high[d], "xyz"[d]);
    double most = 1.0; /* rough number of particles */
    for (int d = 0; d < 3; d++)
        most *= 0.5 * (o->high[d] - o->low[d]) / reach;
    WABE_CHECK(
        most < 1e8, WABE_INPUT,
        "the container of the particles would hold some %.1e of them; choose larger particles "
        "or a smaller container, for at most 1e8",
        most);
    for (int d = 0; d < 2; d++) {
        WABE_CHECK(!o->periodic[d] || !o->tube, WABE_INPUT,
                   "a tube of particles cannot be periodic along %c; give it a wall, or fill a "
                   "channel",
                   "xyz"[d]);
        WABE_CHECK(!o->periodic[d] || o->high[d] - o->low[d] > 2.01 * reach, WABE_INPUT,
                   "the container of the particles is periodic along %c and %g cells wide; it must "
                   "be wider than %g, or a particle could meet itself",
                   "xyz"[d], o -> high[d] - o -> low[d], 2.01 * reach);
    }
    WABE_CHECK(o->porosity >= 0.0 && o->porosity < 1.0, WABE_INPUT,
               "the wanted porosity is %g; it must be between 0 and 1, or 0: as it comes",
               o->porosity);
    return WABE_OK;
}

/* Puts the body at the centre of the container's bottom, upright or lying, as it fits. */
static bool can_hold(wabe_bed *bed, wabe_body *body) {
    const wabe_container *box = &bed->container;
    for (int k = 0; k < (body->round ? 1 : 3); k++) {
        double axis[3] = {0.0, 0.0, 0.0};
        axis[2 - k] = 1.0;
        if (!body->round)
            wabe_body_turn(body, axis);
        for (int d = 0; d < 3; d++)
            body->center[d] = 0.5 * (box->low[d] + box->high[d]);
        body->center[2] = box->low[2] + wabe_body_extent(body, 2);
        if (wabe_bed_is_below_top(bed, body) && wabe_bed_contains(bed, body))
            return true;
    }
    return false;
}

static wabe_status check_room(wabe_bed *bed, const wabe_packing_options *o) {
    wabe_body largest = body_of(o, 1.0 + WIDEST * o->spread);
    WABE_CHECK(can_hold(bed, &largest), WABE_INPUT,
               "no particle fits into the container of %g x %g x %g cells: the largest has a "
               "diameter of %g and a length of %g (and needs a gap of %g to a tube's wall); choose "
               "a larger container, smaller particles, or less spread of their sizes",
               o->high[0] - o->low[0], o->high[1] - o->low[1], o->high[2] - o->low[2],
               2.0 * largest.radius, 2.0 * (largest.round ? largest.radius : largest.half),
               bed->gap);
    return WABE_OK;
}

static wabe_status open_bed(const wabe_packing_options *o, int attempt, wabe_bed *bed) {
    wabe_container container = {.tube = o->tube};
    memcpy(container.low, o->low, sizeof container.low);
    memcpy(container.high, o->high, sizeof container.high);
    memcpy(container.periodic, o->periodic, sizeof container.periodic);
    const wabe_body smallest = body_of(o, 1.0 - WIDEST * o->spread);
    const double thinnest = smallest.round ? smallest.radius
                                           : 2.0 * fmin(smallest.wall, smallest.half);
    const double reach = body_of(o, 1.0 + WIDEST * o->spread).reach;
    const uint64_t seed = o->seed + (uint64_t)attempt * 0xd1342543de82ef95u;
    return wabe_bed_create(&container, reach, thinnest, smallest.round, seed, bed);
}

/* ---- filling ------------------------------------------------------------------------ */

/* Puts the body above the bed at a random place and orientation, more and more upright until it
 * fits. */
static void start(wabe_bed *bed, wabe_body *body) {
    enum { TRIES = 300 };
    const wabe_container *box = &bed->container;
    bool fits = false;
    for (int k = 0; k < TRIES && !fits; k++) {
        double axis[3];
        wabe_bed_direction(bed, axis);
        axis[2] += copysign(0.02 * k, axis[2]);
        if (!body->round)
            wabe_body_turn(body, axis);
        for (int d = 0; d < 2; d++) {
            const double margin = box->periodic[d] ? 0.0 : wabe_body_extent(body, d);
            const double room = box->high[d] - box->low[d] - 2.0 * margin;
            body->center[d] = box->low[d] + margin + room * wabe_random_next(&bed->random);
        }
        body->center[2] = bed->highest + body->reach + 2.0 * bed->gap;
        fits = wabe_bed_contains(bed, body);
    }
    if (!fits)
        can_hold(bed, body);
    body->center[2] = bed->highest + body->reach + 2.0 * bed->gap;
}

/* Finds a place for one more particle; false: none below the container's top. */
static bool place(const wabe_packing_options *o, int starts, bool sticks, wabe_bed *bed,
                  wabe_body *out) {
    const wabe_body body = body_of(o, random_size(o, &bed->random));
    bool found = false;
    for (int k = 0; k < starts; k++) {
        wabe_body trial = body;
        start(bed, &trial);
        wabe_bed_drop(bed, &trial);
        if (!sticks) {
            wabe_bed_sink(bed, &trial);
            wabe_bed_drop(bed, &trial);
        }
        if (wabe_bed_is_below_top(bed, &trial) && (!found || trial.center[2] < out->center[2]))
            *out = trial, found = true;
    }
    return found;
}

static wabe_status tell(const wabe_packing_options *o, const wabe_bed *bed) {
    const double share = (bed->highest - o->low[2]) / (o->high[2] - o->low[2]);
    WABE_CHECK(!o->go_on || o->go_on(o->context, bed->count, share), WABE_NOT_CONVERGED,
               "the bed is left unfinished with %d particles", bed->count);
    return WABE_OK;
}

static wabe_status fill(const wabe_packing_options *o, manner how, wabe_bed *bed) {
    WABE_TRY(check_room(bed, o));
    for (int failures = 0; failures < FAILURES;) {
        wabe_body body;
        const bool sticks = wabe_random_next(&bed->random) < how.sticking;
        const int starts = sticks ? 1 : how.starts;
        const bool found = place(o, starts, sticks, bed, &body);
        WABE_TRY(bed->status);
        if (found)
            WABE_TRY(wabe_bed_add(bed, &body));
        failures = found ? 0 : failures + starts;
        WABE_TRY(tell(o, bed));
    }
    WABE_CHECK(
        bed->count > 0, WABE_INPUT,
        "no particle comes to rest below %g cells, the top of the container; choose a higher "
        "one, or smaller particles",
        o->high[2]);
    return WABE_OK;
}

/* ---- results ------------------------------------------------------------------------ */

/* The fraction of a body's volume below top, by random sampling. */
static double share_below(const wabe_body *body, double top) {
    const double extent = wabe_body_extent(body, 2);
    if (body->center[2] + extent <= top || body->center[2] - extent >= top)
        return body->center[2] < top ? 1.0 : 0.0;
    wabe_random random = {1};
    wabe_body point = wabe_body_sphere(0.0);
    int inside = 0, below = 0;
    for (int k = 0; k < 4000; k++) {
        for (int d = 0; d < 3; d++)
            point.center[d] = body->center[d] +
                              body->reach * (2.0 * wabe_random_next(&random) - 1.0);
        if (wabe_body_distance(&point, body, 0.0, 0.0) < 0.0)
            inside++, below += point.center[2] < top;
    }
    return inside > 0 ? (double)below / inside : 0.5;
}

static void measure(const wabe_packing_options *o, wabe_bed *bed, wabe_packing_report *report) {
    const double pi = 3.14159265358979324, floor = o->low[2];
    const double x = o->high[0] - o->low[0], y = o->high[1] - o->low[1], tube = fmin(x, y);
    const double area = o->tube ? 0.25 * pi * tube * tube : x * y;
    const double half = 0.5 * (floor + bed->highest);
    *report = (wabe_packing_report){.particles = bed->count};
    report->top = fmax(bed->highest - 2.0 * bed->reach, half); /* half: for a single layer */
    double solid = 0.0, least = 0.0;
    int64_t contacts = 0;
    for (int i = 0; i < bed->count; i++) {
        double distance;
        solid += wabe_body_volume(&bed->bodies[i]) * share_below(&bed->bodies[i], report->top);
        contacts += wabe_bed_contacts(bed, i, bed->gap + 0.01 * o->diameter, &distance);
        least = fmin(least, distance);
    }
    report->porosity = 1.0 - solid / (area * (report->top - floor));
    report->contacts = (double)contacts / bed->count;
    report->overlap = 0.0 - least;
}

static bool reaches(const wabe_bed *bed, const wabe_body *body, int d) {
    const double extent = wabe_body_extent(body, d);
    return body->center[d] + extent > bed->container.low[d] &&
           body->center[d] - extent < bed->container.high[d];
}

/* Writes the body and its images to out, if not NULL; returns their number. */
static int images_of(const wabe_bed *bed, const wabe_body *body, wabe_object *out) {
    const wabe_container *box = &bed->container;
    int count = 0;
    for (int k = 0; k < 9; k++) {
        const int step[2] = {k % 3 - 1, k / 3 - 1};
        wabe_body image = *body;
        bool exists = true;
        for (int d = 0; d < 2; d++) {
            image.center[d] += step[d] * (box->high[d] - box->low[d]);
            exists &= step[d] == 0 || (box->periodic[d] && reaches(bed, &image, d));
        }
        if (exists && out)
            out[count] = object_of(&image);
        count += exists;
    }
    return count;
}

static wabe_status hand_out(const wabe_bed *bed, wabe_particles *out) {
    for (int i = 0; i < bed->count; i++)
        out->count += images_of(bed, &bed->bodies[i], NULL);
    out->list = malloc((size_t)out->count * sizeof *out->list);
    WABE_CHECK(out->list, WABE_MEMORY, "no memory for %d particles", out->count);
    for (int i = 0, k = 0; i < bed->count; i++)
        k += images_of(bed, &bed->bodies[i], out->list + k);
    return WABE_OK;
}

/* ---- target porosity ---------------------------------------------------------------- */

static wabe_status run(const wabe_packing_options *o, manner how, wabe_bed *bed,
                       wabe_packing_report *report) {
    wabe_bed_destroy(bed);
    WABE_TRY(open_bed(o, how.attempt, bed));
    WABE_TRY(fill(o, how, bed));
    measure(o, bed, report);
    return bed->status;
}

static bool is_met(const wabe_packing_options *o, const wabe_packing_report *report) {
    return o->porosity == 0.0 || fabs(report->porosity - o->porosity) <= NEAR;
}

/* Regula falsi: apart from chance, the porosity is nearly linear in the fraction that sticks. */
static wabe_status loosen(const wabe_packing_options *o, int starts, wabe_bed *bed,
                          wabe_packing_report *report) {
    double low = 0.0, high = 1.0, at_low = report->porosity;
    WABE_TRY(run(o, (manner){starts, high, 0}, bed, report));
    double at_high = report->porosity;
    WABE_CHECK(at_high > o->porosity - NEAR, WABE_INPUT,
               "the wanted porosity of the particles is %g, but no more than %.3f is reached; what "
               "makes it larger: a larger bore of rings, longer cylinders, a narrower container",
               o->porosity, at_high);
    for (int k = 0; k < RUNS && !is_met(o, report); k++) {
        const double share = (o->porosity - at_low) / (at_high - at_low);
        const double sticking = low + fmin(fmax(share, 0.1), 0.9) * (high - low);
        WABE_TRY(run(o, (manner){starts, sticking, k}, bed, report));
        if (report->porosity < o->porosity)
            low = sticking, at_low = report->porosity;
        else
            high = sticking, at_high = report->porosity;
    }
    WABE_CHECK(is_met(o, report), WABE_INPUT,
               "the wanted porosity of the particles, %g, is not met: the last of %d beds has %d "
               "particles and a porosity of %.3f; choose a larger container, where single "
               "particles matter less, or another seed",
               o->porosity, RUNS, report->particles, report->porosity);
    return WABE_OK;
}

static wabe_status make(const wabe_packing_options *o, wabe_bed *bed, wabe_packing_report *report) {
    int starts = STARTS;
    WABE_TRY(run(o, (manner){.starts = starts}, bed, report));
    if (!is_met(o, report) && report->porosity > o->porosity) {
        starts = MORE;
        WABE_TRY(run(o, (manner){.starts = starts}, bed, report));
    }
    if (is_met(o, report))
        return WABE_OK;
    WABE_CHECK(report->porosity < o->porosity, WABE_INPUT,
               "the wanted porosity of the particles is %g, but no less than %.3f is reached; what "
               "makes it smaller: a wider container, a spread of sizes, a smaller bore of rings",
               o->porosity, report->porosity);
    return loosen(o, starts, bed, report);
}

wabe_status wabe_packing_make(const wabe_packing_options *options, wabe_particles *out,
                              wabe_packing_report *report) {
    *out = (wabe_particles){0};
    *report = (wabe_packing_report){0};
    WABE_TRY(check_shape(options));
    WABE_TRY(check_container(options, body_of(options, 1.0 + WIDEST * options->spread).reach));
    wabe_bed bed = {0};
    wabe_status status = make(options, &bed, report);
    if (status == WABE_OK)
        status = hand_out(&bed, out);
    wabe_bed_destroy(&bed);
    return status;
}
