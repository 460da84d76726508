#include "apps/two_fluids/two_fluids_case.h"

#include "apps/lbm/porous.h"

#include "core/base/log.h"

#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846
#define COURANT 0.05     /* cells that the fastest goes in a step that is chosen */
#define FASTEST 0.1      /* and may go */
#define WAVE 10.0        /* cells of the waves that a step that is chosen resolves */
#define THINNEST 1e-3    /* kinematic viscosity, times 3 */
#define EDDIES 0.05      /* Smagorinsky's constant with which it may be less */
#define THICKEST 1.5     /* kinematic viscosity */
#define TAUTEST 0.05     /* tension over the lighter density: waves of two cells are stable */
#define DENSEST 2000.0   /* ratio */
#define PRESSED_MOST 0.3 /* 3 times a given pressure over the lighter density */
#define SMALLEST 2.0     /* radius of a sphere over the width of its interface */

/* As the words in two_fluids_schema.c. */
enum { KIND_PERIODIC, KIND_NO_SLIP, KIND_FREE_SLIP, KIND_VELOCITY, KIND_PRESSURE };
static const wabe_two_fluids_face faces_of_kinds[] = {[KIND_PERIODIC] = WABE_TWO_FLUIDS_PERIODIC,
                                                      [KIND_NO_SLIP] = WABE_TWO_FLUIDS_NO_SLIP,
                                                      [KIND_FREE_SLIP] = WABE_TWO_FLUIDS_FREE_SLIP,
                                                      [KIND_VELOCITY] = WABE_TWO_FLUIDS_OPEN,
                                                      [KIND_PRESSURE] = WABE_TWO_FLUIDS_OPEN};

static bool is_open(int kind) { return kind == KIND_VELOCITY || kind == KIND_PRESSURE; }

static wabe_status fail_at_face(const wabe_config *config, int face, const char *part,
                                const char *why) {
    char path[64];
    snprintf(path, sizeof path, "boundaries.%s.%s", wabe_face_name(face), part);
    return wabe_config_fail(config, path, "%s", why);
}

/* Does porous.pressures say the pressure at a face? */
static bool has_levels_at(const wabe_two_fluids_case *t, int face) {
    return wabe_two_fluids_has_levels(t) && face == 2 * (t->options.porous.axis - 1);
}

/* A face has the keys of its kind. */
static wabe_status check_face(const wabe_config *config, const wabe_two_fluids_case *t, int face) {
    const int kind = t->options.faces[face].kind;
    if (wabe_is_given(t->options.faces[face].velocity) != (kind == KIND_VELOCITY))
        return fail_at_face(config, face, "velocity",
                            kind == KIND_VELOCITY ? "is missing: the velocity of what flows through"
                                                  : "needs a face of kind velocity");
    if (isfinite(t->options.faces[face].pressure) !=
        (kind == KIND_PRESSURE && !has_levels_at(t, face)))
        return fail_at_face(config, face, "pressure",
                            kind != KIND_PRESSURE ? "needs a face of kind pressure"
                            : has_levels_at(t, face)
                                ? "contradicts porous.pressures"
                                : "is missing: the pressure there, unless it is the lower "
                                  "face along porous.axis, with porous.pressures");
    if (t->options.faces[face].fluid >= 0 && !is_open(kind))
        return fail_at_face(config, face, "fluid", "needs a face of kind velocity or pressure");
    if (isfinite(t->options.faces[face].contact_angle) &&
        t->place.faces[face] != WABE_TWO_FLUIDS_NO_SLIP)
        return fail_at_face(config, face, "contact_angle", "needs a face of kind no_slip");
    if (t->options.run.domain.cells[face / 2] == 1 && is_open(kind))
        return fail_at_face(config, face, "kind", "must be another: the domain is one cell thick");
    return WABE_OK;
}

/* The velocity of what flows in through a face of given velocity, 0: another face. */
static double inflow_of(const wabe_two_fluids_case *t, int face) {
    const double along = t->options.faces[face].velocity[face / 2];
    return t->options.faces[face].kind == KIND_VELOCITY ? (face % 2 ? -along : along) : 0.0;
}

/* The fluids hardly give way to pressure. */
static wabe_status check_balance(const wabe_config *config, const wabe_two_fluids_case *t) {
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
    if (all > 0.0 && wabe_two_fluids_has_solids(t))
        return fail_at_face(config, moving, "velocity",
                            "may let more in than flows out, as solids may cover a part of the "
                            "face: another face must be of kind pressure");
    if (fabs(net) > 1e-9 * all)
        return fail_at_face(config, moving, "velocity",
                            net > 0.0 ? "lets more in than flows out: another face must be of kind "
                                        "pressure"
                                      : "lets more out than flows in: another face must be of kind "
                                        "pressure");
    return WABE_OK;
}

static wabe_status take_faces(const wabe_config *config, wabe_two_fluids_case *t) {
    bool periodic[WABE_FACES];
    for (int face = 0; face < WABE_FACES; face++) {
        const bool flat = t->options.run.domain.cells[face / 2] == 1;
        const int kind = t->options.faces[face].kind;
        const double angle = t->options.faces[face].contact_angle;
        t->place.faces[face] = kind >= 0 ? faces_of_kinds[kind]
                               : flat    ? WABE_TWO_FLUIDS_PERIODIC
                                         : WABE_TWO_FLUIDS_NO_SLIP;
        WABE_TRY(check_face(config, t, face));
        t->place.angles[face] = angle * PI / 180.0;
        t->place.wetting_differs |= isfinite(angle);
        periodic[face] = t->place.faces[face] == WABE_TWO_FLUIDS_PERIODIC;
    }
    return wabe_run_check_periodic(config, periodic);
}

static wabe_status check_shape(const wabe_config *config, const wabe_two_fluids_case *t,
                               int number) {
    const wabe_fluid_shape *s = wabe_two_fluids_shape_of(t, number);
    const wabe_fluid_shape_space space = wabe_two_fluids_space(t);
    const double cells = SMALLEST * t->options.two_fluids.interface_width;
    char path[64];
    WABE_TRY(wabe_fluid_shape_check(config, "two_fluids.shapes", number, &space, s));
    snprintf(path, sizeof path, "two_fluids.shapes[%d].radius", number);
    if (wabe_fluid_shape_is_sphere(s) && s->radius < cells * t->options.spacing)
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
static double falls_by(const wabe_two_fluids_case *t) {
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++)
        if (t->place.faces[2 * axis] != WABE_TWO_FLUIDS_PERIODIC)
            sum += 2.0 * fabs(t->options.two_fluids.gravity[axis]) * t->options.spacing *
                   (double)t->options.run.domain.cells[axis];
    return sum;
}

static void find_limits(const wabe_two_fluids_case *t, limit out[LIMITS]) {
    const double dx = t->options.spacing, tension = t->options.two_fluids.tension;
    const wabe_fluid *liquid = &t->options.two_fluids.liquid, *gas = &t->options.two_fluids.gas;
    double start = wabe_length_of(t->options.two_fluids.velocity), through = 0.0;
    for (int64_t i = 0; i < t->options.two_fluids.shapes.count; i++)
        if (wabe_is_given(wabe_two_fluids_shape_of(t, i)->velocity))
            start = fmax(start, wabe_length_of(wabe_two_fluids_shape_of(t, i)->velocity));
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

static wabe_status take_time_step(const wabe_config *config, wabe_two_fluids_case *t) {
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
                                "is missing: nothing moves at the start or through faces, falls "
                                "between walls, or is held by a tension, from which it could be "
                                "chosen");
    t->time_step = COURANT * dx / limits[most].speed;
    t->limited_by = limits[most].what;
    return WABE_OK;
}

/* The first of porous.pressures, if there are any. */
static double pressure_at(const wabe_two_fluids_case *t, int face) {
    return has_levels_at(t, face) ? wabe_two_fluids_level(t, 0) : t->options.faces[face].pressure;
}

/* Units of the lattice: a cell, a time step, the density of the heavier fluid. */
static void take_units(wabe_two_fluids_case *t) {
    const double dx = t->options.spacing, dt = t->time_step;
    const double unit = fmax(t->options.two_fluids.liquid.density,
                             t->options.two_fluids.gas.density);
    const double viscosity = unit * dx * dx / dt;
    t->velocity = dx / dt;
    t->density = unit;
    t->pressure = unit * t->velocity * t->velocity;
    t->step =
        (wabe_two_fluids_step){.liquid = {t->options.two_fluids.liquid.density / unit,
                                          t->options.two_fluids.liquid.viscosity / viscosity},
                               .gas = {t->options.two_fluids.gas.density / unit,
                                       t->options.two_fluids.gas.viscosity / viscosity},
                               .tension = t->options.two_fluids.tension / (t->pressure * dx),
                               .width = t->options.two_fluids.interface_width,
                               .mobility = t->options.two_fluids.mobility,
                               .contact_angle = t->options.two_fluids.contact_angle * PI / 180.0,
                               .smagorinsky = t->options.two_fluids.smagorinsky_constant};
    t->step.reference = fmin(t->step.liquid.density, t->step.gas.density);
    for (int axis = 0; axis < 3; axis++) {
        t->step.gravity[axis] = t->options.two_fluids.gravity[axis] * dt * dt / dx;
        t->step.force[axis] = t->options.two_fluids.force[axis] * dx / t->pressure;
    }
    for (int face = 0; face < WABE_FACES; face++) {
        wabe_two_fluids_boundary *through = &t->step.through[face];
        const int fluid = t->options.faces[face].fluid;
        through->has_pressure = t->options.faces[face].kind == KIND_PRESSURE;
        through->pressure = pressure_at(t, face) / t->pressure;
        through->phase = fluid < 0 ? NAN : fluid == WABE_LIQUID ? 1.0 : 0.0;
        for (int axis = 0; axis < 3; axis++)
            through->velocity[axis] = t->options.faces[face].velocity[axis] / t->velocity;
    }
}

/* p* is 3 p over the density, and must be small beside 1. */
static wabe_status check_pressures(const wabe_config *config, const wabe_two_fluids_case *t) {
    double most = 0.0;
    int at = 0;
    for (int face = 0; face < WABE_FACES; face++) {
        double pressure = t->step.through[face].has_pressure ? t->step.through[face].pressure : 0.0;
        if (has_levels_at(t, face))
            pressure = fmax(fabs(t->options.porous.pressures.first),
                            fabs(t->options.porous.pressures.last)) /
                       t->pressure;
        if (fabs(pressure) > most)
            most = fabs(pressure), at = face;
    }
    const double largest = PRESSED_MOST / 3.0 * t->step.reference;
    if (most <= largest)
        return WABE_OK;
    char why[200];
    snprintf(why, sizeof why,
             "is too large: %.4g, at most %.4g with this time step, a tenth of the lighter fluid's "
             "density times (spacing / time step)^2; take two_fluids.time_step = %.4g",
             most * t->pressure, largest * t->pressure,
             0.9999 * t->time_step * sqrt(largest / most));
    return has_levels_at(t, at) ? wabe_config_fail(config, "porous.pressures.last", "%s", why)
                                : fail_at_face(config, at, "pressure", why);
}

static wabe_status check_fluids(const wabe_config *config, const wabe_two_fluids_case *t) {
    const wabe_two_fluids_step *s = &t->step;
    const wabe_fluid *fluids[] = {&s->gas, &s->liquid};
    static const char *const keys[] = {"two_fluids.gas.viscosity", "two_fluids.liquid.viscosity"};
    const double dx = t->options.spacing, dt = t->time_step;
    for (int i = 0; i < 2; i++) {
        const double nu = fluids[i]->viscosity / fluids[i]->density;
        if (s->smagorinsky < EDDIES && !(3.0 * nu >= THINNEST))
            return wabe_config_fail(config, keys[i],
                                    "is too small for these cells and time steps: over the density "
                                    "it is %.3g dx^2 / dt, at least %.3g; take a model of eddies, "
                                    "two_fluids.smagorinsky_constant = 0.1, or more cells, "
                                    "domain.spacing = %.4g with a time step of %.4g",
                                    nu, THINNEST / 3.0, 0.999 * dx * 3.0 * nu / THINNEST,
                                    0.999 * dt * 3.0 * nu / THINNEST);
    }
    if (s->reference < 1.0 / DENSEST)
        return wabe_config_fail(config, "two_fluids.gas.density",
                                "makes the ratio of densities %.4g: at most %g", 1.0 / s->reference,
                                DENSEST);
    return WABE_OK;
}

static wabe_status make_solids(const wabe_config *config, wabe_two_fluids_case *t) {
    static const wabe_boundary kinds[] = {[WABE_TWO_FLUIDS_PERIODIC] = WABE_BOUNDARY_periodic,
                                          [WABE_TWO_FLUIDS_NO_SLIP] = WABE_BOUNDARY_no_slip,
                                          [WABE_TWO_FLUIDS_FREE_SLIP] = WABE_BOUNDARY_free_slip,
                                          [WABE_TWO_FLUIDS_OPEN] = WABE_BOUNDARY_pressure};
    wabe_boundary faces[WABE_FACES];
    for (int face = 0; face < WABE_FACES; face++)
        faces[face] = kinds[t->place.faces[face]];
    return wabe_grid_solids_make(config, &t->options.geometry, t->place.cells, faces, &t->solids);
}

wabe_status wabe_two_fluids_take(const wabe_config *config, wabe_two_fluids_case *t) {
    memcpy(t->place.cells, t->options.run.domain.cells, sizeof t->place.cells);
    WABE_TRY(take_faces(config, t));
    for (int64_t i = 0; i < t->options.two_fluids.shapes.count; i++)
        WABE_TRY(check_shape(config, t, (int)i));
    WABE_TRY(wabe_two_fluids_check_blobs(config, t));
    WABE_TRY(take_time_step(config, t));
    take_units(t);
    WABE_TRY(check_fluids(config, t));
    WABE_TRY(check_pressures(config, t));
    WABE_TRY(wabe_two_fluids_check_porous(config, t));
    WABE_TRY(make_solids(config, t));
    t->place.wetting_differs |= wabe_two_fluids_has_solids(t);
    return check_balance(config, t);
}

/* ---- what is printed --------------------------------------------------------------------- */

void wabe_two_fluids_print_model(const wabe_run *run) {
    const wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    const wabe_two_fluids_step *s = &t->step;
    wabe_log_line("fluids     densities %.4g : 1, viscosities %.4g : 1, tension %.4g",
                  s->liquid.density / s->gas.density, s->liquid.viscosity / s->gas.viscosity,
                  t->options.two_fluids.tension);
    wabe_log_line("lattice    kinematic viscosities %.4g (liquid) and %.4g (gas), tension %.4g",
                  s->liquid.viscosity / s->liquid.density, s->gas.viscosity / s->gas.density,
                  s->tension);
    if (s->smagorinsky > 0.0)
        wabe_log_line("eddies     Smagorinsky, constant %g", s->smagorinsky);
    wabe_log_line("time step  %.6g%s%s%s", t->time_step, t->limited_by ? ", in which " : "",
                  t->limited_by ? t->limited_by : "",
                  t->limited_by ? " goes a twentieth of a cell" : "");
    wabe_two_fluids_print_porous(t);
}

/* Layers that are thinner than what an interface takes dissolve. */
static void warn_of_shapes(const wabe_run *run) {
    const wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    const double width = t->step.width * t->options.spacing;
    for (int64_t i = 0; i < t->options.two_fluids.shapes.count; i++) {
        const wabe_fluid_shape *s = wabe_two_fluids_shape_of(t, i);
        char path[64];
        snprintf(path, sizeof path, "two_fluids.shapes[%d].high", (int)i);
        for (int axis = 0; axis < 3 && !wabe_fluid_shape_is_sphere(s); axis++)
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
    const wabe_two_fluids_step *s = &wabe_two_fluids_of(run)->step;
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

void wabe_two_fluids_print_more(const wabe_run *run) {
    const wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    limit limits[LIMITS];
    find_limits(t, limits);
    if (t->pores.cells > 0)
        wabe_porous_print_pores(t->options.porous.axis - 1, &t->pores);
    warn_of_shapes(run);
    wabe_two_fluids_warn_of_porous(run);
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
