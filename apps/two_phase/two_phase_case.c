/* What the keys say: the case, its time step, the initial state. */
#include "apps/two_phase/two_phase_run.h"

#include "core/base/log.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define SAFE (1.0 / 3.0) /* of the longest time step, in one that is chosen */
#define SHARE 0.5        /* the same, of steps that differ */
#define GROWTH 1.25      /* from one of them to the next, at most */
#define SMALLEST 3.0     /* cells of a radius, below which a distance has no curvature */

/* As the words in two_phase_schema.c. */
static const wabe_two_phase_face faces_of_kinds[] = {WABE_TWO_PHASE_PERIODIC,
                                                     WABE_TWO_PHASE_NO_SLIP,
                                                     WABE_TWO_PHASE_FREE_SLIP,
                                                     WABE_TWO_PHASE_INFLOW, WABE_TWO_PHASE_OUTFLOW};

static wabe_status fail_face(const wabe_config *config, int face, const char *key,
                             const char *what) {
    char path[64];
    snprintf(path, sizeof path, "boundaries.%s.%s", wabe_face_name(face), key);
    return wabe_config_fail(config, path, "%s", what);
}

/* Takes what flows in through a face. */
static wabe_status take_inflow(const wabe_config *config, wabe_two_phase *t, int face) {
    const bool in = t->step.faces[face] == WABE_TWO_PHASE_INFLOW;
    const bool out = t->step.faces[face] == WABE_TWO_PHASE_OUTFLOW;
    const double *velocity = t->options.faces[face].velocity;
    const double inwards = face % 2 ? -velocity[face / 2] : velocity[face / 2];
    const int fluid = t->options.faces[face].fluid;
    if (!in && wabe_is_given(velocity))
        return fail_face(config, face, "velocity", "needs a face of kind inflow");
    if (!in && !out && fluid >= 0)
        return fail_face(config, face, "fluid", "needs a face of kind inflow or outflow");
    t->step.inflows[face].fraction = fluid < 0 ? NAN : fluid == WABE_LIQUID ? 1.0 : 0.0;
    if (!in)
        return WABE_OK;
    if (!wabe_is_given(velocity))
        return fail_face(config, face, "kind", "is inflow, which needs velocity and fluid");
    if (!(inwards > 0.0))
        return fail_face(config, face, "velocity", "must point into the domain");
    if (fluid < 0)
        return fail_face(config, face, "kind", "is inflow, which needs fluid: gas or liquid");
    memcpy(t->step.inflows[face].velocity, velocity, sizeof t->step.inflows[face].velocity);
    return WABE_OK;
}

/* What flows in has to go out; and the layer outside needs one inside, on which it depends. */
static wabe_status check_through(const wabe_config *config, const wabe_two_phase *t) {
    int in = -1, out = -1;
    for (int face = 0; face < WABE_FACES; face++) {
        in = t->step.faces[face] == WABE_TWO_PHASE_INFLOW ? face : in;
        out = t->step.faces[face] == WABE_TWO_PHASE_OUTFLOW ? face : out;
        if (out == face && t->step.cells[face / 2] < 4)
            return fail_face(config, face, "kind", "is outflow, which needs four cells at least");
    }
    return in >= 0 && out < 0 ? fail_face(config, in, "kind",
                                          "is inflow, and both fluids are incompressible: "
                                          "another face has to be outflow")
                              : WABE_OK;
}

static wabe_status take_faces(const wabe_config *config, wabe_two_phase *t) {
    bool periodic[WABE_FACES];
    for (int face = 0; face < WABE_FACES; face++) {
        const int kind = t->options.faces[face].kind;
        const bool flat = t->step.cells[face / 2] == 1;
        t->step.faces[face] = kind >= 0 ? faces_of_kinds[kind]
                              : flat    ? WABE_TWO_PHASE_PERIODIC
                                        : WABE_TWO_PHASE_NO_SLIP;
        periodic[face] = t->step.faces[face] == WABE_TWO_PHASE_PERIODIC;
        if (flat && !periodic[face]) {
            char path[64];
            snprintf(path, sizeof path, "boundaries.%s.kind", wabe_face_name(face));
            return wabe_config_fail(config, path,
                                    "must be periodic: the domain is one cell thick there");
        }
        const double angle = t->options.faces[face].contact_angle;
        t->step.angles[face] = t->step.faces[face] != WABE_TWO_PHASE_NO_SLIP ? 0.5 * PI
                               : isfinite(angle)                             ? angle * PI / 180.0
                                                                             : t->step.angle;
        if (t->step.faces[face] != WABE_TWO_PHASE_NO_SLIP && isfinite(angle)) {
            char path[64];
            snprintf(path, sizeof path, "boundaries.%s.contact_angle", wabe_face_name(face));
            return wabe_config_fail(config, path, "needs a face of kind no_slip");
        }
        WABE_TRY(take_inflow(config, t, face));
    }
    WABE_TRY(check_through(config, t));
    return wabe_run_check_periodic(config, periodic);
}

static wabe_fluid_shape_space space_of(const wabe_two_phase *t) {
    wabe_fluid_shape_space space = {.spacing = t->options.spacing};
    for (int axis = 0; axis < 3; axis++) {
        space.cells[axis] = t->step.cells[axis];
        space.periodic[axis] = t->step.faces[2 * axis] == WABE_TWO_PHASE_PERIODIC;
    }
    return space;
}

/* ---- the time step -------------------------------------------------------------------- */

/* What it must stay below: a time each. */
typedef struct {
    const char *what;
    double time;
} limit;
enum { OF_START, OF_VISCOSITY, OF_WAVES, OF_FALL, LIMITS };

static void find_limits(const wabe_two_phase *t, limit out[LIMITS]) {
    const double dx = t->options.spacing, *g = t->options.two_phase.gravity;
    const wabe_fluid *liquid = &t->options.two_phase.liquid, *gas = &t->options.two_phase.gas;
    const double nu = fmax(liquid->viscosity / liquid->density, gas->viscosity / gas->density);
    double start = 0.0, falls = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        start = fmax(start, fabs(t->options.two_phase.velocity[axis]));
        for (int64_t i = 0; i < t->options.two_phase.shapes.count; i++)
            if (wabe_is_given(wabe_two_phase_shape_of(t, i)->velocity))
                start = fmax(start, fabs(wabe_two_phase_shape_of(t, i)->velocity[axis]));
        for (int face = 0; face < WABE_FACES; face++)
            start = fmax(start, fabs(t->step.inflows[face].velocity[axis]));
        if (t->step.cells[axis] > 1 &&
            (t->step.has_solids || t->step.faces[2 * axis] != WABE_TWO_PHASE_PERIODIC))
            falls += 2.0 * fabs(g[axis]) * dx * (double)t->step.cells[axis];
    }
    out[OF_START] = (limit){"the velocity at the start", WABE_TWO_PHASE_FASTEST * dx / start};
    out[OF_VISCOSITY] = (limit){"the viscosity", dx * dx / (2.0 * wabe_two_phase_axes(t) * nu)};
    out[OF_WAVES] = (limit){"the shortest waves of the interface",
                            sqrt((liquid->density + gas->density) * dx * dx * dx /
                                 (4.0 * PI * t->options.two_phase.tension))};
    out[OF_FALL] = (limit){"what falls through the domain",
                           WABE_TWO_PHASE_FASTEST * dx / sqrt(falls)};
}

/* The longest step of those that differ, of fluids at rest: what begins to fall is slow enough
 * after one. */
static double longest_step(const wabe_two_phase *t, const limit limits[LIMITS]) {
    const double *g = t->options.two_phase.gravity, given = t->options.two_phase.time_step;
    const double most = fmax(fmax(fabs(g[0]), fabs(g[1])), fabs(g[2]));
    double time = SHARE * fmin(limits[OF_VISCOSITY].time, limits[OF_WAVES].time);
    time = fmin(time, sqrt(2.0 * t->options.two_phase.courant * t->options.spacing / most));
    return isfinite(given) ? fmin(given, time) : time;
}

static double time_of_cells(const wabe_two_phase *t, double speed) {
    return t->options.two_phase.courant * t->options.spacing / speed;
}

double wabe_two_phase_longest_step(const wabe_run *run) {
    const wabe_two_phase *t = wabe_two_phase_of(run);
    const double fastest = run->step > run->first_step ? t->stencil.slabs.values[t->tables.fastest]
                                                       : wabe_two_phase_fastest(t);
    return fmin(fmin(t->longest, time_of_cells(t, fastest)), GROWTH * run->clock.time_step);
}

void wabe_two_phase_set_pass(wabe_run *run, const wabe_coming_pass *pass) {
    wabe_two_phase *t = wabe_two_phase_of(run);
    t->set_pass(run, pass);
    if (run->clock.time_step == t->step.time_step && t->step.time_step == t->step.last_time_step)
        return;
    t->step.last_time_step = t->step.time_step;
    t->step.time_step = run->clock.time_step;
    t->pressure.limit = wabe_two_phase_limit(&t->step);
    for (int i = 0; i < run->domain->slab_count; i++)
        wabe_two_phase_set_time_step(t->stencil.slabs.list[i], &t->step);
}

static wabe_status take_time_step(const wabe_config *config, wabe_two_phase *t) {
    const double given = t->options.two_phase.time_step;
    limit limits[LIMITS];
    int least = 0;
    find_limits(t, limits);
    for (int i = 1; i < LIMITS; i++)
        least = limits[i].time < limits[least].time ? i : least;
    t->step.steps_differ = isfinite(t->options.two_phase.courant);
    for (int i = 0; i < OF_FALL; i++)
        if (!t->step.steps_differ && given > limits[i].time)
            return wabe_config_fail(config, "two_phase.time_step",
                                    "is too long for %s: take %.4g or less", limits[i].what,
                                    limits[i].time);
    t->step.time_step = isfinite(given) ? given : SAFE * limits[least].time;
    t->limited_by = isfinite(given) ? NULL : limits[least].what;
    if (t->step.steps_differ) {
        t->longest = longest_step(t, limits);
        /* What begins with jumps of the velocity may be faster once the pressure has acted. */
        const double speed = 2.0 * WABE_TWO_PHASE_FASTEST * t->options.spacing /
                             limits[OF_START].time;
        t->step.time_step = fmin(t->longest, time_of_cells(t, speed));
    }
    t->step.last_time_step = t->step.time_step;
    return WABE_OK;
}

static wabe_status make_solids(const wabe_config *config, wabe_two_phase *t) {
    static const wabe_boundary kinds[] = {[WABE_TWO_PHASE_PERIODIC] = WABE_BOUNDARY_periodic,
                                          [WABE_TWO_PHASE_NO_SLIP] = WABE_BOUNDARY_no_slip,
                                          [WABE_TWO_PHASE_FREE_SLIP] = WABE_BOUNDARY_free_slip,
                                          [WABE_TWO_PHASE_INFLOW] = WABE_BOUNDARY_no_slip,
                                          [WABE_TWO_PHASE_OUTFLOW] = WABE_BOUNDARY_no_slip};
    wabe_boundary faces[WABE_FACES];
    for (int face = 0; face < WABE_FACES; face++)
        faces[face] = kinds[t->step.faces[face]];
    WABE_TRY(wabe_grid_solids_make(config, &t->options.geometry, t->step.cells, faces, &t->solids));
    t->step.has_solids = wabe_geometry_has_solids(&t->solids.geometry);
    return WABE_OK;
}

wabe_status wabe_two_phase_take(const wabe_config *config, wabe_two_phase *t) {
    const wabe_two_phase_options *o = &t->options;
    t->step = (wabe_two_phase_case){.spacing = o->spacing,
                                    .liquid = o->two_phase.liquid,
                                    .gas = o->two_phase.gas,
                                    .tension = o->two_phase.tension,
                                    .sharpness = o->two_phase.sharpness,
                                    .cycles = o->two_phase.pressure_cycles,
                                    .tolerance = o->two_phase.pressure_tolerance};
    for (int axis = 0; axis < 3; axis++) {
        t->step.cells[axis] = o->run.domain.cells[axis];
        t->step.gravity[axis] = o->two_phase.gravity[axis];
    }
    t->step.angle = o->two_phase.contact_angle * PI / 180.0;
    WABE_TRY(take_faces(config, t));
    WABE_TRY(make_solids(config, t));
    const wabe_fluid_shape_space space = space_of(t);
    for (int i = 0; i < o->two_phase.shapes.count; i++)
        WABE_TRY(wabe_fluid_shape_check(config, "two_phase.shapes", i, &space,
                                        wabe_two_phase_shape_of(t, i)));
    return take_time_step(config, t);
}

/* ---- what is printed ------------------------------------------------------------------- */

void wabe_two_phase_print_model(const wabe_run *run) {
    const wabe_two_phase *t = wabe_two_phase_of(run);
    const wabe_fluid *liquid = &t->step.liquid, *gas = &t->step.gas;
    wabe_log_line("fluids     densities %.6g : 1, viscosities %.6g : 1, tension %.6g",
                  liquid->density / gas->density, liquid->viscosity / gas->viscosity,
                  t->step.tension);
    if (t->step.cycles == 0)
        wabe_log_line("pressure   multigrid cycles down to %g of a cell's volume, on %d grids",
                      t->step.tolerance, t->tables.multigrid.levels);
    else
        wabe_log_line("pressure   %lld multigrid cycles a step, on %d grids",
                      (long long)t->step.cycles, t->tables.multigrid.levels);
    if (t->step.steps_differ)
        wabe_log_line("time step  %.6g at first, %.6g at most, and nothing goes more than %g cells",
                      t->step.time_step, t->longest, t->options.two_phase.courant);
    else
        wabe_log_line("time step  %.6g%s%s", t->step.time_step,
                      t->limited_by ? ", a third of the limit by " : "",
                      t->limited_by ? t->limited_by : "");
}

/* An axis that cannot be halved often leaves much of the pressure's residual. */
static void warn_of_cells(const wabe_run *run) {
    const wabe_two_phase *t = wabe_two_phase_of(run);
    int64_t multiple;
    const int axis = wabe_multigrid_slow_axis(&t->tables.model, &t->tables.multigrid, &multiple);
    if (axis < 0)
        return;
    const int64_t n = t->step.cells[axis], below = n / multiple * multiple;
    wabe_run_warn(run, "domain.cells",
                  "domain.cells: the pressure's equation converges slowly, as %lld cells along %c "
                  "cannot be halved often enough: take %lld",
                  (long long)n, 'x' + axis,
                  (long long)(below > 0 && n - below < multiple / 2 ? below : below + multiple));
}

/* Names the smallest one. */
static void warn_of_spheres(const wabe_run *run) {
    const wabe_two_phase *t = wabe_two_phase_of(run);
    int least = -1, count = 0;
    for (int i = 0; i < t->options.two_phase.shapes.count; i++) {
        const wabe_fluid_shape *s = wabe_two_phase_shape_of(t, i);
        if (!wabe_fluid_shape_is_sphere(s) || s->radius >= SMALLEST * t->step.spacing)
            continue;
        if (least < 0 || s->radius < wabe_two_phase_shape_of(t, least)->radius)
            least = i;
        count++;
    }
    if (least < 0)
        return;
    char path[64], others[32] = "";
    snprintf(path, sizeof path, "two_phase.shapes[%d].radius", least);
    if (count > 1)
        snprintf(others, sizeof others, ", the smallest of %d", count);
    wabe_run_warn(run, path, "%s is %.3g cells%s: the curvature of less than %g is not found", path,
                  wabe_two_phase_shape_of(t, least)->radius / t->step.spacing, others, SMALLEST);
}

/* Along periodic axes without walls beside them all fluid would go faster and faster, or, along one
 * cell, nothing moves. */
static void warn_of_gravity(const wabe_run *run) {
    const wabe_two_phase *t = wabe_two_phase_of(run);
    bool is_held = t->step.has_solids;
    for (int face = 0; face < WABE_FACES; face++)
        is_held |= t->step.faces[face] == WABE_TWO_PHASE_NO_SLIP;
    for (int axis = 0; axis < 3; axis++)
        if (t->step.gravity[axis] != 0.0 && t->step.faces[2 * axis] == WABE_TWO_PHASE_PERIODIC &&
            (!is_held || t->step.cells[axis] == 1))
            wabe_run_warn(run, "two_phase.gravity",
                          "two_phase.gravity acts along %c, which is periodic: nothing holds the "
                          "fluids there",
                          'x' + axis);
}

void wabe_two_phase_print_more(const wabe_run *run) {
    const wabe_two_phase *t = wabe_two_phase_of(run);
    limit limits[LIMITS];
    find_limits(t, limits);
    warn_of_cells(run);
    warn_of_gravity(run);
    if (!t->step.steps_differ && t->step.time_step > limits[OF_FALL].time)
        wabe_run_warn(run, "two_phase.time_step",
                      "two_phase.time_step is long: %s may go more than %g cells in it; take %.4g "
                      "or less",
                      limits[OF_FALL].what, WABE_TWO_PHASE_FASTEST, limits[OF_FALL].time);
    warn_of_spheres(run);
}

/* ---- the initial state ------------------------------------------------------------------ */

/* The shape that a place lies in, the last one of several; NULL: none. */
static const wabe_fluid_shape *
shape_at(const wabe_two_phase *t, const wabe_fluid_shape_space *space, const double place[3]) {
    const wabe_fluid_shape *found = NULL;
    for (int64_t i = 0; i < t->options.two_phase.shapes.count; i++) {
        const wabe_fluid_shape *s = wabe_two_phase_shape_of(t, i);
        found = wabe_fluid_shape_distance(space, s, place) < 0.0 ? s : found;
    }
    return found;
}

static bool is_liquid(const wabe_two_phase *t, const wabe_fluid_shape *shape) {
    return (shape ? shape->fluid : t->options.two_phase.fluid) == WABE_LIQUID;
}

static const double *velocity_of(const wabe_two_phase *t, const wabe_fluid_shape *shape) {
    return shape && wabe_is_given(shape->velocity) ? shape->velocity
                                                   : t->options.two_phase.velocity;
}

/* May a cell around a place be cut by a shape's surface? */
static bool is_near(const wabe_two_phase *t, const wabe_fluid_shape_space *space,
                    const double middle[3]) {
    bool near = false;
    for (int64_t i = 0; i < t->options.two_phase.shapes.count; i++)
        near |= fabs(wabe_fluid_shape_distance(space, wabe_two_phase_shape_of(t, i), middle)) <
                t->step.spacing;
    return near;
}

/* Places in a cell, so many along each axis of more than a cell; one in the middle if nothing cuts
 * the cell. Cells of velocities lie around the low face normal to an axis; axis -1: those of
 * fractions. */
typedef struct {
    double low[3];
    int64_t n[3], count;
} places;

static places places_in(const wabe_two_phase *t, const wabe_fluid_shape_space *space,
                        const int64_t cell[3], int axis) {
    const int64_t along = wabe_two_phase_axes(t) > 2 ? 8 : 64;
    places p = {.count = 1};
    double middle[3];
    for (int d = 0; d < 3; d++) {
        p.low[d] = ((double)cell[d] - (d == axis ? 0.5 : 0.0)) * t->step.spacing;
        middle[d] = p.low[d] + 0.5 * t->step.spacing;
    }
    const bool near = is_near(t, space, middle);
    for (int d = 0; d < 3; d++)
        p.count *= p.n[d] = near && t->step.cells[d] > 1 ? along : 1;
    return p;
}

static void place_of(const wabe_two_phase *t, const places *p, int64_t number, double out[3]) {
    const int64_t at[3] = {number % p->n[0], number / p->n[0] % p->n[1],
                           number / p->n[0] / p->n[1]};
    for (int d = 0; d < 3; d++)
        out[d] = p->low[d] + ((double)at[d] + 0.5) / (double)p->n[d] * t->step.spacing;
}

/* The share of liquid of a cell. */
static double fraction_at(const wabe_two_phase *t, const int64_t cell[3]) {
    const wabe_fluid_shape_space space = space_of(t);
    const places p = places_in(t, &space, cell, -1);
    int64_t liquid = 0;
    for (int64_t i = 0; i < p.count; i++) {
        double place[3];
        place_of(t, &p, i, place);
        liquid += is_liquid(t, shape_at(t, &space, place));
    }
    return (double)liquid / (double)p.count;
}

/* The velocity on the low face of a cell: of the mass around it, so that what a surface
 * cuts has all of its momentum. */
static double velocity_at(const wabe_two_phase *t, const int64_t cell[3], int axis) {
    const wabe_fluid_shape_space space = space_of(t);
    const places p = places_in(t, &space, cell, axis);
    double mass = 0.0, momentum = 0.0;
    if (cell[axis] == 0 && t->step.faces[2 * axis] != WABE_TWO_PHASE_PERIODIC &&
        t->step.faces[2 * axis] != WABE_TWO_PHASE_OUTFLOW)
        return t->step.inflows[2 * axis].velocity[axis]; /* 0 at walls */
    for (int64_t i = 0; i < p.count; i++) {
        double place[3];
        place_of(t, &p, i, place);
        const wabe_fluid_shape *shape = shape_at(t, &space, place);
        const double density = is_liquid(t, shape) ? t->step.liquid.density : t->step.gas.density;
        mass += density;
        momentum += density * velocity_of(t, shape)[axis];
    }
    return momentum / mass;
}

/* Does anything move at the start? */
static bool is_moving(const wabe_two_phase *t) {
    bool moves = wabe_two_phase_is_through(t);
    for (int axis = 0; axis < 3; axis++)
        moves |= t->options.two_phase.velocity[axis] != 0.0;
    for (int64_t i = 0; i < t->options.two_phase.shapes.count; i++)
        moves |= wabe_is_given(wabe_two_phase_shape_of(t, i)->velocity);
    return moves;
}

wabe_status wabe_two_phase_initial_row(const void *context, int number, const int64_t cell[3],
                                       int64_t count, double *row) {
    const wabe_two_phase *t = context;
    const bool moves = number < WABE_TWO_PHASE_NUMBER_OF_ADVECTION && is_moving(t);
    for (int64_t i = 0; i < count; i++) {
        const int64_t at[3] = {cell[0] + i, cell[1], cell[2]};
        const int axis = number - WABE_TWO_PHASE_NUMBER_OF_VELOCITY;
        row[i] = number == 0 ? fraction_at(t, at) : moves ? velocity_at(t, at, axis) : 0.0;
    }
    return WABE_OK;
}
