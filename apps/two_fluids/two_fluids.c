#include "apps/two_fluids/two_fluids.h"

#include "apps/lbm/solid_plane.h"
#include "apps/runtime/stencil.h"
#include "apps/two_fluids/two_fluids_solids.h"
#include "core/base/log.h"
#include "core/base/sum_over_ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As the words in two_fluids_schema.c. */
enum { F64, F32 };
enum { GAS, LIQUID };
enum { HARMONIC, ARITHMETIC };

#define PI 3.14159265358979323846
#define COURANT 0.05   /* cells that the fastest goes in a step that is chosen */
#define FASTEST 0.1    /* and may go */
#define WAVE 10.0      /* cells of the waves that a step that is chosen resolves */
#define THINNEST 1e-3  /* kinematic viscosity, times 3 */
#define THICKEST 1.5   /* kinematic viscosity */
#define TAUTEST 0.05   /* tension over the lighter density: waves of two cells are stable */
#define DENSEST 2000.0 /* ratio */
#define SMALLEST 2.0   /* radius of a sphere over the width of its interface */

typedef struct {
    wabe_two_fluids_options options;
    wabe_stencil_case stencil;
    wabe_two_fluids_step step;
    wabe_two_fluids_place place;
    wabe_two_fluids_solids solids;
    double time_step, velocity, pressure; /* what units of the lattice stand for */
    const char *limited_by;               /* of a time step that is chosen */
    double volume;                        /* of the liquid at the start */
    wabe_state_number units[WABE_TWO_FLUIDS_SHOWN];
    wabe_flags flags; /* of the block, while the initial state is set */
    wabe_status (*initialise)(wabe_run *run);
} two_fluids;

static two_fluids *two_fluids_of(const wabe_run *run) {
    return wabe_stencil_case_of(run)->slabs.context;
}

/* ---- what the options say ------------------------------------------------------------- */

static bool is_given(const double v[3]) { return isfinite(v[0]); }

/* The last part of the keys of a face; as the words of the schema. */
enum { KIND_VELOCITY = WABE_TWO_FLUIDS_OPEN, KIND_PRESSURE };

static wabe_status fail_at_face(const wabe_config *config, int face, const char *part,
                                const char *why) {
    char path[64];
    snprintf(path, sizeof path, "boundaries.%s.%s", wabe_face_name(face), part);
    return wabe_config_fail(config, path, "%s", why);
}

/* A face has the keys of its kind. */
static wabe_status check_face(const wabe_config *config, const two_fluids *t, int face) {
    const int kind = t->options.faces[face].kind;
    if (is_given(t->options.faces[face].velocity) != (kind == KIND_VELOCITY))
        return fail_at_face(config, face, "velocity",
                            kind == KIND_VELOCITY ? "is missing: the velocity of what flows through"
                                                  : "needs a face of kind velocity");
    if (isfinite(t->options.faces[face].pressure) != (kind == KIND_PRESSURE))
        return fail_at_face(config, face, "pressure",
                            kind == KIND_PRESSURE ? "is missing: the pressure there"
                                                  : "needs a face of kind pressure");
    if (t->options.faces[face].fluid >= 0 && kind != KIND_VELOCITY && kind != KIND_PRESSURE)
        return fail_at_face(config, face, "fluid", "needs a face of kind velocity or pressure");
    if (t->options.run.domain.cells[face / 2] == 1 &&
        (kind == KIND_VELOCITY || kind == KIND_PRESSURE))
        return fail_at_face(config, face, "kind", "must be another: the domain is one cell thick");
    return WABE_OK;
}

/* The velocity of what flows in through a face of given velocity, 0: another face. */
static double inflow_of(const two_fluids *t, int face) {
    const double along = t->options.faces[face].velocity[face / 2];
    return t->options.faces[face].kind == KIND_VELOCITY ? (face % 2 ? -along : along) : 0.0;
}

/* The fluids hardly give way to pressure. */
static wabe_status check_balance(const wabe_config *config, const two_fluids *t) {
    double net = 0.0, all = 0.0;
    int moving = 0;
    for (int face = 0; face < WABE_FACES; face++) {
        const int64_t *n = t->place.cells;
        const double flow = inflow_of(t, face) * (double)n[(face / 2 + 1) % 3] *
                            (double)n[(face / 2 + 2) % 3];
        net += flow;
        all += fabs(flow);
        moving = flow != 0.0 ? face : moving;
        if (t->options.faces[face].kind == KIND_PRESSURE)
            return WABE_OK;
    }
    if (fabs(net) > 1e-9 * all)
        return fail_at_face(config, moving, "velocity",
                            net > 0.0 ? "lets more in than flows out: another face must be of kind "
                                        "pressure"
                                      : "lets more out than flows in: another face must be of kind "
                                        "pressure");
    return WABE_OK;
}

static wabe_status take_faces(const wabe_config *config, two_fluids *t) {
    bool periodic[WABE_FACES];
    for (int face = 0; face < WABE_FACES; face++) {
        const bool flat = t->options.run.domain.cells[face / 2] == 1;
        const int kind = t->options.faces[face].kind;
        WABE_TRY(check_face(config, t, face));
        t->place.faces[face] = kind == KIND_VELOCITY || kind == KIND_PRESSURE ? WABE_TWO_FLUIDS_OPEN
                               : kind >= 0 ? (wabe_two_fluids_face)kind
                               : flat      ? WABE_TWO_FLUIDS_PERIODIC
                                           : WABE_TWO_FLUIDS_NO_SLIP;
        periodic[face] = t->place.faces[face] == WABE_TWO_FLUIDS_PERIODIC;
    }
    WABE_TRY(check_balance(config, t));
    return wabe_run_check_periodic(config, periodic);
}

static const wabe_two_fluids_shape *shape_of(const two_fluids *t, int64_t number) {
    return (const wabe_two_fluids_shape *)t->options.two_fluids.shapes.items + number;
}

static bool is_sphere(const wabe_two_fluids_shape *s) { return isfinite(s->radius); }

/* Is a part of a shape between the domain's faces, or are they periodic? */
static bool is_inside(const two_fluids *t, const wabe_two_fluids_shape *s) {
    bool inside = true;
    for (int axis = 0; axis < 3; axis++) {
        const double edge = t->options.spacing * (double)t->place.cells[axis];
        const double low = is_sphere(s) ? s->center[axis] - s->radius : s->low[axis];
        const double high = is_sphere(s) ? s->center[axis] + s->radius : s->high[axis];
        inside &= t->place.cells[axis] == 1 ||
                  t->place.faces[2 * axis] == WABE_TWO_FLUIDS_PERIODIC ||
                  (high > 0.0 && low < edge);
    }
    return inside;
}

static wabe_status check_shape(const wabe_config *config, const two_fluids *t, int number) {
    const wabe_two_fluids_shape *s = shape_of(t, number);
    const double cells = SMALLEST * t->options.two_fluids.interface_width;
    const bool low = isfinite(s->low[0]), high = isfinite(s->high[0]);
    const bool center = isfinite(s->center[0]);
    char path[64];
    snprintf(path, sizeof path, "two_fluids.shapes[%d]", number);
    if (is_sphere(s) ? !center || low || high : center || !low || !high)
        return wabe_config_fail(config, path,
                                "must be a sphere, with center and radius, or a box, with low and "
                                "high");
    snprintf(path, sizeof path, "two_fluids.shapes[%d].high", number);
    for (int axis = 0; axis < 3 && !is_sphere(s); axis++)
        if (!(s->high[axis] > s->low[axis]))
            return wabe_config_fail(config, path, "must be above low along all axes");
    snprintf(path, sizeof path, "two_fluids.shapes[%d].%s", number,
             is_sphere(s) ? "center" : "low");
    if (!is_inside(t, s))
        return wabe_config_fail(config, path, "is of a shape outside of the domain");
    snprintf(path, sizeof path, "two_fluids.shapes[%d].radius", number);
    if (is_sphere(s) && s->radius < cells * t->options.spacing)
        return wabe_config_fail(config, path,
                                "is %.4g cells: twice the interface's width, %g cells, are needed; "
                                "take domain.spacing = %.4g",
                                s->radius / t->options.spacing, cells, 0.9999 * s->radius / cells);
    return WABE_OK;
}

/* What the largest time step depends on: a speed each. The last one is that of the lighter fluid,
 * which the tension drives. */
typedef struct {
    const char *what;
    double speed;
} limit;
enum { OF_START, OF_FACES, OF_FALL, OF_WAVES, OF_TENSION, LIMITS };

/* The square of the speed of what falls from face to face. */
static double falls_by(const two_fluids *t) {
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++)
        if (t->place.faces[2 * axis] != WABE_TWO_FLUIDS_PERIODIC)
            sum += 2.0 * fabs(t->options.two_fluids.gravity[axis]) * t->options.spacing *
                   (double)t->options.run.domain.cells[axis];
    return sum;
}

static void find_limits(const two_fluids *t, limit out[LIMITS]) {
    const double dx = t->options.spacing, tension = t->options.two_fluids.tension;
    const wabe_fluid *liquid = &t->options.two_fluids.liquid, *gas = &t->options.two_fluids.gas;
    double start = wabe_length_of(t->options.two_fluids.velocity), through = 0.0;
    for (int64_t i = 0; i < t->options.two_fluids.shapes.count; i++)
        if (is_given(shape_of(t, i)->velocity))
            start = fmax(start, wabe_length_of(shape_of(t, i)->velocity));
    for (int face = 0; face < WABE_FACES; face++)
        if (t->options.faces[face].kind == KIND_VELOCITY)
            through = fmax(through, wabe_length_of(t->options.faces[face].velocity));
    out[OF_START] = (limit){"the velocity at the start", start};
    out[OF_FACES] = (limit){"what flows through faces", through};
    out[OF_FALL] = (limit){"what falls through the domain", sqrt(falls_by(t))};
    out[OF_WAVES] =
        (limit){"a wave of ten cells",
                sqrt(2.0 * PI * tension / ((liquid->density + gas->density) * WAVE * dx))};
    out[OF_TENSION] =
        (limit){"the lighter fluid beside waves of two cells",
                1.001 * COURANT *
                    sqrt(tension / (TAUTEST * fmin(liquid->density, gas->density) * dx))};
}

static wabe_status take_time_step(const wabe_config *config, two_fluids *t) {
    const double given = t->options.two_fluids.time_step, dx = t->options.spacing;
    limit limits[LIMITS];
    int most = 0;
    find_limits(t, limits);
    for (int i = 1; i < LIMITS; i++)
        most = limits[i].speed > limits[most].speed ? i : most;
    t->time_step = given;
    for (int i = OF_START; i <= OF_FACES; i++)
        if (isfinite(given) && limits[i].speed * given > FASTEST * dx)
            return wabe_config_fail(config, "two_fluids.time_step",
                                    "is too long for %s, which goes %.3g cells in it, at most %g: "
                                    "take %.4g or less",
                                    limits[i].what, limits[i].speed * given / dx, FASTEST,
                                    0.9999 * FASTEST * dx / limits[i].speed);
    if (isfinite(given))
        return WABE_OK;
    if (limits[most].speed == 0.0)
        return wabe_config_fail(config, "two_fluids.time_step",
                                "is missing: nothing moves at the start, falls between walls, or "
                                "is held by a tension, from which it could be chosen");
    t->time_step = COURANT * dx / limits[most].speed;
    t->limited_by = limits[most].what;
    return WABE_OK;
}

/* Units of the lattice: a cell, a time step, the density of the heavier fluid. */
static void take_units(two_fluids *t) {
    const double dx = t->options.spacing, dt = t->time_step;
    const double unit = fmax(t->options.two_fluids.liquid.density,
                             t->options.two_fluids.gas.density);
    const double viscosity = unit * dx * dx / dt;
    t->velocity = dx / dt;
    t->pressure = unit * t->velocity * t->velocity;
    t->step =
        (wabe_two_fluids_step){.liquid = {t->options.two_fluids.liquid.density / unit,
                                          t->options.two_fluids.liquid.viscosity / viscosity},
                               .gas = {t->options.two_fluids.gas.density / unit,
                                       t->options.two_fluids.gas.viscosity / viscosity},
                               .tension = t->options.two_fluids.tension / (t->pressure * dx),
                               .width = t->options.two_fluids.interface_width,
                               .mobility = t->options.two_fluids.mobility,
                               .linear = t->options.two_fluids.mean_viscosity == ARITHMETIC,
                               .contact_angle = t->options.two_fluids.contact_angle * PI / 180.0};
    t->step.reference = fmin(t->step.liquid.density, t->step.gas.density);
    for (int axis = 0; axis < 3; axis++) {
        t->step.gravity[axis] = t->options.two_fluids.gravity[axis] * dt * dt / dx;
        t->step.force[axis] = t->options.two_fluids.force[axis] * dx / t->pressure;
    }
    for (int face = 0; face < WABE_FACES; face++) {
        wabe_two_fluids_passage *through = &t->step.through[face];
        const int fluid = t->options.faces[face].fluid;
        through->has_pressure = t->options.faces[face].kind == KIND_PRESSURE;
        through->pressure = t->options.faces[face].pressure / t->pressure;
        through->phase = fluid < 0 ? NAN : fluid == LIQUID ? 1.0 : 0.0;
        for (int axis = 0; axis < 3; axis++)
            through->velocity[axis] = t->options.faces[face].velocity[axis] / t->velocity;
    }
}

static wabe_status check_fluids(const wabe_config *config, const two_fluids *t) {
    const wabe_two_fluids_step *s = &t->step;
    const wabe_fluid *fluids[] = {&s->gas, &s->liquid};
    static const char *const keys[] = {"two_fluids.gas.viscosity", "two_fluids.liquid.viscosity"};
    const double dx = t->options.spacing, dt = t->time_step;
    for (int i = 0; i < 2; i++) {
        const double nu = fluids[i]->viscosity / fluids[i]->density;
        if (!(3.0 * nu >= THINNEST))
            return wabe_config_fail(config, keys[i],
                                    "is too small for these cells and time steps: over the density "
                                    "it is %.3g dx^2 / dt, at least %.3g; take domain.spacing = "
                                    "%.4g with a time step of %.4g",
                                    nu, THINNEST / 3.0, 0.9999 * dx * 3.0 * nu / THINNEST,
                                    0.9999 * dt * 3.0 * nu / THINNEST);
    }
    if (s->reference < 1.0 / DENSEST)
        return wabe_config_fail(config, "two_fluids.gas.density",
                                "makes the ratio of densities %.4g: at most %g", 1.0 / s->reference,
                                DENSEST);
    return WABE_OK;
}

static wabe_status take_options(const wabe_config *config, two_fluids *t) {
    memcpy(t->place.cells, t->options.run.domain.cells, sizeof t->place.cells);
    WABE_TRY(take_faces(config, t));
    for (int64_t i = 0; i < t->options.two_fluids.shapes.count; i++)
        WABE_TRY(check_shape(config, t, (int)i));
    WABE_TRY(take_time_step(config, t));
    take_units(t);
    WABE_TRY(check_fluids(config, t));
    /* What the schema leaves out is not given. */
    t->options.geometry.city = (wabe_city_options){.pitch = NAN, .height = NAN, .roughness = NAN};
    return wabe_two_fluids_solids_make(config, &t->options.geometry, &t->place, &t->solids);
}

/* ---- the initial state ---------------------------------------------------------------- */

/* From the middle of a cell to a place along an axis, the shorter way round; 0 along an axis of one
 * cell. */
static double away(const two_fluids *t, int axis, int64_t index, double from) {
    const int64_t n = t->place.cells[axis];
    const double edge = (double)n * t->options.spacing;
    const double off = ((double)index + 0.5) * t->options.spacing - from;
    if (n == 1)
        return 0.0;
    return t->place.faces[2 * axis] == WABE_TWO_FLUIDS_PERIODIC ? off - edge * round(off / edge)
                                                                : off;
}

/* How far a cell is from a box along an axis, negative inside. Where the box ends with the domain
 * it goes on behind the face. */
static double beyond_box(const two_fluids *t, const wabe_two_fluids_shape *s, int axis,
                         int64_t index) {
    const double low = s->low[axis], high = s->high[axis];
    const double edge = (double)t->place.cells[axis] * t->options.spacing;
    const double at = ((double)index + 0.5) * t->options.spacing;
    if (t->place.faces[2 * axis] == WABE_TWO_FLUIDS_PERIODIC)
        return high - low >= edge
                   ? -INFINITY
                   : fabs(away(t, axis, index, 0.5 * (low + high))) - 0.5 * (high - low);
    return fmax(low <= 0.0 ? -INFINITY : low - at, high >= edge ? -INFINITY : at - high);
}

/* The distance of a cell from the surface of a shape, negative inside. */
static double distance(const two_fluids *t, const wabe_two_fluids_shape *s, const int64_t cell[3]) {
    double off[3], outside = 0.0, inside = -INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        if (is_sphere(s)) {
            off[axis] = away(t, axis, cell[axis], s->center[axis]);
        } else if (t->place.cells[axis] > 1) {
            const double beyond = beyond_box(t, s, axis, cell[axis]);
            outside = hypot(outside, fmax(beyond, 0.0));
            inside = fmax(inside, beyond);
        }
    }
    if (is_sphere(s))
        return wabe_length_of(off) - s->radius;
    return outside > 0.0 ? outside : inside;
}

/* The density at a place, sharp, of boxes and what is outside of all shapes. */
static double density_of_boxes(const two_fluids *t, const double place[3]) {
    int fluid = t->options.two_fluids.fluid;
    for (int64_t i = 0; i < t->options.two_fluids.shapes.count; i++) {
        const wabe_two_fluids_shape *s = shape_of(t, i);
        bool inside = !is_sphere(s);
        for (int axis = 0; axis < 3 && inside; axis++) {
            const double edge = (double)t->place.cells[axis] * t->options.spacing;
            const int round = t->place.faces[2 * axis] == WABE_TWO_FLUIDS_PERIODIC;
            inside = t->place.cells[axis] == 1;
            for (int turn = -round; turn <= round; turn++)
                inside |= place[axis] + turn * edge >= s->low[axis] &&
                          place[axis] + turn * edge < s->high[axis];
        }
        fluid = inside ? s->fluid : fluid;
    }
    return fluid == LIQUID ? t->options.two_fluids.liquid.density
                           : t->options.two_fluids.gas.density;
}

/* The nearest face of a box beyond a place in a direction along an axis, or the domain's. */
static double next_face(const two_fluids *t, int axis, double from, bool up) {
    double next = up ? t->options.spacing * (double)t->place.cells[axis] : 0.0;
    for (int64_t i = 0; i < t->options.two_fluids.shapes.count; i++) {
        const wabe_two_fluids_shape *s = shape_of(t, i);
        const double faces[2] = {s->low[axis], s->high[axis]};
        for (int face = 0; face < 2 && !is_sphere(s); face++)
            if (up ? faces[face] > from && faces[face] < next
                   : faces[face] < from && faces[face] > next)
                next = faces[face];
    }
    return next;
}

/* The pressure of the weight above a cell between walls, of boxes and what is outside of all
 * shapes, as if these were at rest: without it all would begin to fall at once, and sound would run
 * up and down. Spheres are left out: they do rise and fall. */
static double weight_on(const two_fluids *t, const int64_t cell[3]) {
    const double *g = t->options.two_fluids.gravity, dx = t->options.spacing;
    const double lighter = fmin(t->options.two_fluids.liquid.density,
                                t->options.two_fluids.gas.density);
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const bool up = g[axis] < 0.0;
        double place[3], low = ((double)cell[axis] + 0.5) * dx;
        for (int other = 0; other < 3; other++)
            place[other] = ((double)cell[other] + 0.5) * dx;
        while (g[axis] != 0.0 && t->place.faces[2 * axis] != WABE_TWO_FLUIDS_PERIODIC) {
            const double high = next_face(t, axis, low, up);
            if (high == low)
                break;
            place[axis] = 0.5 * (low + high);
            sum += (density_of_boxes(t, place) - lighter) * fabs(g[axis] * (high - low));
            low = high;
        }
    }
    return sum;
}

static int axes_of(const two_fluids *t) {
    return (t->place.cells[0] > 1) + (t->place.cells[1] > 1) + (t->place.cells[2] > 1);
}

/* What the tension adds to the pressure in spheres of other fluid than what is around them. */
static double tension_on(const two_fluids *t, const int64_t cell[3]) {
    const double width = t->step.width * t->options.spacing;
    const double curved = fmax(axes_of(t) - 1, 0) * t->options.two_fluids.tension;
    double sum = 0.0;
    int fluid = t->options.two_fluids.fluid;
    for (int64_t i = 0; i < t->options.two_fluids.shapes.count; i++) {
        const wabe_two_fluids_shape *s = shape_of(t, i);
        const double off = distance(t, s, cell), share = 0.5 - 0.5 * tanh(2.0 * off / width);
        const double own = is_sphere(s) && s->fluid != fluid ? curved / s->radius : 0.0;
        if (s->fluid != fluid)
            sum += share * (own - sum);
        fluid = off < 0.0 ? s->fluid : fluid;
    }
    return sum;
}

/* C of a cell, and its velocity in units of the lattice. */
static double initial_cell(const two_fluids *t, const int64_t cell[3], double velocity[3]) {
    const double width = t->step.width * t->options.spacing;
    double into = t->options.two_fluids.fluid == LIQUID ? INFINITY : -INFINITY; /* the liquid */
    for (int axis = 0; axis < 3; axis++)
        velocity[axis] = t->options.two_fluids.velocity[axis] / t->velocity;
    for (int64_t i = 0; i < t->options.two_fluids.shapes.count; i++) {
        const wabe_two_fluids_shape *s = shape_of(t, i);
        const double off = distance(t, s, cell), share = 0.5 - 0.5 * tanh(2.0 * off / width);
        into = s->fluid == LIQUID ? fmax(into, -off) : fmin(into, off);
        for (int axis = 0; axis < 3 && is_given(s->velocity); axis++)
            velocity[axis] += share * (s->velocity[axis] / t->velocity - velocity[axis]);
    }
    return 0.5 + 0.5 * tanh(2.0 * into / width);
}

static wabe_status initial_row(const void *context, int number, const int64_t cell[3],
                               int64_t count, double *row) {
    const two_fluids *t = context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at[3] = {cell[0] + i, cell[1], cell[2]};
        double velocity[3];
        row[i] = 0.0;
        if (t->flags.ids && wabe_flags_at(&t->flags, at[0], at[1], at[2]) != 0)
            continue; /* what a solid holds would go on into the fluid beside it */
        const double c = initial_cell(t, at, velocity);
        const double pressure = number == WABE_TWO_FLUIDS_BASE
                                    ? (weight_on(t, at) + tension_on(t, at)) / t->pressure
                                    : 0.0;
        row[i] = wabe_two_fluids_initial(&t->step, number, c, pressure, velocity);
    }
    return WABE_OK;
}

static wabe_status initialise(wabe_run *run) {
    two_fluids *t = two_fluids_of(run);
    WABE_TRY(
        wabe_agree(run->comm, wabe_geometry_flags(&t->solids.geometry, run->block, &t->flags)));
    const wabe_status status = t->initialise(run);
    wabe_flags_free(&t->flags);
    t->flags.ids = NULL;
    return status;
}

/* ---- results -------------------------------------------------------------------------- */

static bool has_solids(const two_fluids *t) {
    return wabe_geometry_has_solids(&t->solids.geometry);
}

/* Sums over the cells of fluid, of C and of what C and 1 - C carry, in a sense that keeps terms
 * below 8: places count from the domain's corner in its edges, velocities are those of the lattice.
 */
enum { SURFACE, OF_FLUIDS, PLACE = 1, SPEED = 4, SUMS_EACH = 7, SUMS = 1 + 2 * SUMS_EACH };
enum { PARTS = 4, KIND = PARTS }; /* C and velocity; what a cell is */
#define LEAST 1e-6                /* of a cell, which may be rounding */

/* Of the cells of a block: the sums, and the first cell along each axis that has more of a fluid
 * than of the other one, and that behind the last, as its negative. */
typedef struct {
    wabe_sum sums[SUMS];
    double extents[2][6];
} survey;

static void survey_cell(const two_fluids *t, const int64_t cell[3], const double *values,
                        int64_t stride, survey *s) {
    const double c = fmin(fmax(values[0], -1.0), 2.0), shares[2] = {1.0 - c, c};
    wabe_sum_add(&s->sums[SURFACE], 4.0 * c * (1.0 - c) / t->step.width);
    for (int fluid = 0; fluid < 2; fluid++) {
        wabe_sum *own = s->sums + OF_FLUIDS + fluid * SUMS_EACH;
        double *extents = s->extents[fluid];
        wabe_sum_add(&own[0], shares[fluid]);
        for (int axis = 0; axis < 3; axis++) {
            const double at = ((double)cell[axis] + 0.5) / (double)t->place.cells[axis];
            const double u = fmin(fmax(values[(1 + axis) * stride], -1.0), 1.0);
            wabe_sum_add(&own[PLACE + axis], shares[fluid] * at);
            wabe_sum_add(&own[SPEED + axis], shares[fluid] * u);
            if (shares[fluid] > 0.5) {
                extents[axis] = fmin(extents[axis], (double)cell[axis]);
                extents[3 + axis] = fmin(extents[3 + axis], -(double)cell[axis] - 1.0);
            }
        }
    }
}

static wabe_status survey_plane(const wabe_run *run, wabe_box plane, double *values, survey *out) {
    static const int parts[PARTS] = {WABE_TWO_FLUIDS_PHASE, WABE_TWO_FLUIDS_NUMBERS,
                                     WABE_TWO_FLUIDS_NUMBERS + 1, WABE_TWO_FLUIDS_NUMBERS + 2};
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    const two_fluids *t = two_fluids_of(run);
    const int64_t nx = wabe_box_extent(plane, 0), cells = wabe_box_cells(plane);
    const wabe_grid_slabs_number kind = {&s->slabs, {.field = WABE_TWO_FLUIDS_KIND}};
    for (int part = 0; part < PARTS; part++)
        WABE_TRY(wabe_grid_slabs_read(&s->numbers[parts[part]].of, run->domain, plane,
                                      WABE_TYPE_f64, values + part * cells));
    if (has_solids(t))
        WABE_TRY(
            wabe_grid_slabs_read(&kind, run->domain, plane, WABE_TYPE_f64, values + KIND * cells));
    for (int64_t i = 0; i < cells; i++)
        if (!has_solids(t) || values[KIND * cells + i] < WABE_TWO_FLUIDS_SOLID)
            survey_cell(t,
                        (const int64_t[3]){plane.begin[0] + i % nx, plane.begin[1] + i / nx,
                                           plane.begin[2]},
                        values + i, cells, out);
    for (int sum = 0; sum < SUMS; sum++)
        wabe_sum_carry(&out->sums[sum]);
    return WABE_OK;
}

static wabe_status survey_block(const wabe_run *run, survey *out) {
    wabe_box plane = run->block;
    plane.end[2] = plane.begin[2] + 1;
    double *values = malloc((size_t)((PARTS + 1) * wabe_box_cells(plane)) * sizeof *values);
    WABE_CHECK(values, WABE_MEMORY, "no memory for a plane of cells");
    wabe_status status = WABE_OK;
    for (; plane.begin[2] < run->block.end[2] && status == WABE_OK; plane.begin[2]++) {
        plane.end[2] = plane.begin[2] + 1;
        status = survey_plane(run, plane, values, out);
    }
    free(values);
    return status;
}

/* Columns of monitor.csv: of all, then of each fluid. */
enum { OF_ALL = 3, EACH = 12, COLUMNS = OF_ALL + 2 * EACH };
#define COLUMNS_OF(fluid)                                                                          \
    fluid "_x," fluid "_y," fluid "_z," fluid "_velocity_x," fluid "_velocity_y," fluid            \
          "_velocity_z," fluid "_low_x," fluid "_low_y," fluid "_low_z," fluid "_high_x," fluid    \
          "_high_y," fluid "_high_z"
static const char columns_of_fluids[] =
    "liquid_volume,surface_area,liquid_share," COLUMNS_OF("liquid") "," COLUMNS_OF("gas");

/* Of a fluid: the centre of its volume, its mean velocity, the box that it fills. */
static void put_fluid(const two_fluids *t, const double own[SUMS_EACH], const double extents[6],
                      double out[EACH]) {
    const double dx = t->options.spacing;
    const double amount = fabs(own[0]) > LEAST ? own[0] : NAN; /* cells: there is some */
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = own[PLACE + axis] / amount * dx * (double)t->place.cells[axis];
        out[3 + axis] = own[SPEED + axis] / amount * t->velocity;
        out[6 + axis] = isfinite(extents[axis]) ? dx * extents[axis] : NAN;
        out[9 + axis] = isfinite(extents[3 + axis]) ? -dx * extents[3 + axis] : NAN;
    }
}

static wabe_status monitor(wabe_run *run, double columns[]) {
    two_fluids *t = two_fluids_of(run);
    const double dx = t->options.spacing;
    survey s = {.extents = {{INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY},
                            {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY}}};
    double value[SUMS];
    const int axes = axes_of(t);
    WABE_TRY(wabe_agree(run->comm, survey_block(run, &s)));
    for (int i = 0; i < SUMS; i++) {
        wabe_sum_over_ranks(run->comm, &s.sums[i]);
        value[i] = wabe_sum_value(s.sums[i]);
    }
    MPI_Allreduce(MPI_IN_PLACE, s.extents, 2 * 6, MPI_DOUBLE, MPI_MIN, run->comm);
    const double *of[2] = {value + OF_FLUIDS, value + OF_FLUIDS + SUMS_EACH};
    put_fluid(t, of[LIQUID], s.extents[LIQUID], columns + OF_ALL);
    put_fluid(t, of[GAS], s.extents[GAS], columns + OF_ALL + EACH);
    columns[0] = of[LIQUID][0] * pow(dx, axes);
    columns[1] = value[SURFACE] * pow(dx, axes > 0 ? axes - 1 : 0);
    columns[2] = of[LIQUID][0] / (of[LIQUID][0] + of[GAS][0]);
    t->volume = isnan(t->volume) ? columns[0] : t->volume;
    return WABE_OK;
}

static wabe_status mask(const wabe_run *run, wabe_box plane, uint8_t **out) {
    return wabe_lbm_gather_solid(run, &two_fluids_of(run)->solids.geometry, plane, out);
}

static int recall(const wabe_run *run, wabe_checkpoint_number out[]) {
    out[0] = (wabe_checkpoint_number){"liquid_volume", two_fluids_of(run)->volume};
    out[1] = (wabe_checkpoint_number){"unit_of_time", two_fluids_of(run)->time_step};
    return 2;
}

static wabe_status resume(wabe_run *run, const wabe_checkpoint *checkpoint) {
    two_fluids *t = two_fluids_of(run);
    const double before = wabe_checkpoint_number_of(checkpoint, "unit_of_time", t->time_step);
    t->volume = wabe_checkpoint_number_of(checkpoint, "liquid_volume", NAN);
    if (before != t->time_step)
        return wabe_config_fail(run->config, "two_fluids.time_step",
                                "was %.17g when the checkpoint was written, and is the unit of its "
                                "velocities: it would be %.17g now; give that of before",
                                before, t->time_step);
    return WABE_OK;
}

static void put(const wabe_run *run, wabe_json *json) {
    const two_fluids *t = two_fluids_of(run);
    wabe_json_real(json, "time_step", t->time_step);
    wabe_json_real(json, "liquid_volume_at_start", t->volume);
}

static void print_model(const wabe_run *run) {
    const two_fluids *t = two_fluids_of(run);
    const wabe_two_fluids_step *s = &t->step;
    wabe_log_line("fluids     densities %.4g : 1, viscosities %.4g : 1, tension %.4g",
                  s->liquid.density / s->gas.density, s->liquid.viscosity / s->gas.viscosity,
                  t->options.two_fluids.tension);
    wabe_log_line("lattice    kinematic viscosities %.4g (liquid) and %.4g (gas), tension %.4g",
                  s->liquid.viscosity / s->liquid.density, s->gas.viscosity / s->gas.density,
                  s->tension);
    wabe_log_line("time step  %.6g%s%s%s", t->time_step, t->limited_by ? ", in which " : "",
                  t->limited_by ? t->limited_by : "",
                  t->limited_by ? " goes a twentieth of a cell" : "");
}

/* Layers that are thinner than what an interface takes dissolve. */
static void warn_of_shapes(const wabe_run *run) {
    const two_fluids *t = two_fluids_of(run);
    const double width = t->step.width * t->options.spacing;
    for (int64_t i = 0; i < t->options.two_fluids.shapes.count; i++) {
        const wabe_two_fluids_shape *s = shape_of(t, i);
        char path[64];
        snprintf(path, sizeof path, "two_fluids.shapes[%d].high", (int)i);
        for (int axis = 0; axis < 3 && !is_sphere(s); axis++)
            if (t->place.cells[axis] > 1 && s->high[axis] - s->low[axis] < width) {
                wabe_run_warn(run, path,
                              "%s: the box is %.3g cells thick along %c, less than the interface's "
                              "width, and may dissolve",
                              path, (s->high[axis] - s->low[axis]) / t->options.spacing,
                              'x' + axis);
                break;
            }
    }
}

static void warn_of_viscosity(const wabe_run *run) {
    const wabe_two_fluids_step *s = &two_fluids_of(run)->step;
    const double nu[2] = {s->gas.viscosity / s->gas.density,
                          s->liquid.viscosity / s->liquid.density};
    static const char *const keys[] = {"two_fluids.gas.viscosity", "two_fluids.liquid.viscosity"};
    for (int i = 0; i < 2; i++)
        if (nu[i] > THICKEST)
            wabe_run_warn(run, keys[i],
                          "%s is large for these cells and time steps: over the density it is %.3g "
                          "dx^2 / dt, more than %g, and walls lie at the wrong place; take a "
                          "shorter time step",
                          keys[i], nu[i], THICKEST);
}

/* Of likely mistakes in the input. */
static void warn(const wabe_run *run) {
    const two_fluids *t = two_fluids_of(run);
    limit limits[LIMITS];
    find_limits(t, limits);
    warn_of_shapes(run);
    warn_of_viscosity(run);
    for (int i = OF_FALL; i <= OF_WAVES; i++)
        if (limits[i].speed * t->time_step > FASTEST * t->options.spacing)
            wabe_run_warn(run, "two_fluids.time_step",
                          "two_fluids.time_step is long: %s may go %.3g cells in it, more than %g; "
                          "take %.4g or less",
                          limits[i].what, limits[i].speed * t->time_step / t->options.spacing,
                          FASTEST, FASTEST * t->options.spacing / limits[i].speed);
    if (t->step.tension > TAUTEST * t->step.reference)
        wabe_run_warn(run, "two_fluids.tension",
                      "two_fluids.tension is large for this time step, and may make the lighter "
                      "fluid diverge: take a time step of %.4g or less",
                      t->time_step * sqrt(TAUTEST * t->step.reference / t->step.tension));
}

/* ---- the application ------------------------------------------------------------------ */

static wabe_status fill(void *context, wabe_grid_slab *slab) {
    const two_fluids *t = context;
    return wabe_two_fluids_solids_set(&t->solids, &t->step, &t->place, slab);
}

/* How it is computed: the values stay the same. */
static const char *const may_differ[] = {"two_fluids.kernel", NULL};
static const char *const fixed_keys[] = {"domain.spacing",
                                         "two_fluids.time_step",
                                         "two_fluids.fluid",
                                         "two_fluids.shapes",
                                         "two_fluids.velocity",
                                         "geometry.",
                                         NULL};

/* Moments stay in units of the lattice; what is shown is in those of the run. */
static void set_units(two_fluids *t) {
    for (int i = 0; i < WABE_TWO_FLUIDS_SHOWN; i++)
        t->units[i].factor = i < WABE_TWO_FLUIDS_NUMBERS    ? 1.0
                             : i < WABE_TWO_FLUIDS_PRESSURE ? t->velocity
                                                            : t->pressure;
}

wabe_status wabe_two_fluids_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                                    wabe_verb verb) {
    two_fluids t = {.volume = NAN};
    wabe_option_table tables[3];
    wabe_application app = wabe_run_application("two_fluids", wabe_two_fluids_option_rows,
                                                &t.options, sizeof t.options, tables);
    bool stopped;
    wabe_status status = wabe_config_read(config, 3, tables);
    if (status == WABE_OK)
        status = take_options(config, &t);
    status = wabe_agree(comm, status);
    if (status != WABE_OK) {
        wabe_two_fluids_solids_free(&t.solids);
        return status;
    }
    const wabe_type type = t.options.two_fluids.storage == F64 ? WABE_TYPE_f64 : WABE_TYPE_f32;
    t.stencil = (wabe_stencil_case){
        .slabs = {.model = wabe_two_fluids_model(type, &t.place, t.options.two_fluids.kernel),
                  .context = &t,
                  .fill = fill},
        .kernel_key = "two_fluids.kernel",
        .units = t.units,
        /* All but the phase. */
        .signed_numbers = ((1u << WABE_TWO_FLUIDS_SHOWN) - 1u) & ~(1u << WABE_TWO_FLUIDS_PHASE),
        .inner_numbers = ((1u << WABE_TWO_FLUIDS_NUMBERS) - 1u) & ~(1u << WABE_TWO_FLUIDS_PHASE),
        .initial = initial_row,
        .monitor = monitor,
        .monitor_columns = columns_of_fluids,
        .monitor_column_count = COLUMNS,
        .likely_cause = "two_fluids.time_step may be too long",
        .recall = recall,
        .resume = resume,
        .put = put};
    set_units(&t);
    wabe_stencil_enter(&t.stencil, &app);
    app.may_differ = may_differ;
    app.fixed_keys = fixed_keys;
    app.print_model = print_model;
    app.print_more = warn;
    app.default_quantities = "phase, pressure, velocity_x, velocity_y, velocity_z";
    app.picture = "phase";
    if (has_solids(&t)) {
        app.mask = mask;
        t.initialise = app.initialise;
        app.initialise = initialise;
    }
    wabe_run_cubes(&app, t.options.spacing);
    app.time_step = t.time_step;
    status = wabe_run_case(comm, input, config, &app, verb, &stopped);
    wabe_two_fluids_solids_free(&t.solids);
    return status;
}
