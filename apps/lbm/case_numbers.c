#include "apps/lbm/case.h"
#include "apps/lbm/faces.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

/* The key with which a Taylor-Green vortex is no solution of the flow; NULL: none, or no vortex.
 * Free-slip faces lie in its planes of symmetry. */
static const char *find_disturbance(const wabe_lbm_options *o, const wabe_lbm_case *c) {
    const int64_t *n = o->run.domain.cells;
    const bool cube = n[0] == n[1] && n[1] == n[2];
    const bool three = o->initial.kind == WABE_INITIAL_TAYLOR_GREEN_3D;
    if (!wabe_lbm_is_vortex(o))
        return NULL;
    if (three ? !cube : n[0] == 1 || n[1] == 1)
        return "domain.cells";
    if (wabe_geometry_has_solids(&c->simulation.geometry))
        return "geometry";
    if (o->lbm.rheology.model)
        return "lbm.rheology.model";
    if (o->porous.axis)
        return "porous.axis";
    if (wabe_length_of(o->lbm.force) > 0.0)
        return "lbm.force";
    if (wabe_length_of(o->lbm.flux.velocity) > 0.0)
        return "lbm.flux.velocity";
    if (o->initial.perturbation.velocity > 0.0)
        return "initial.perturbation.velocity";
    if (wabe_length_of(o->scalar.buoyancy) > 0.0)
        return "scalar.buoyancy";
    for (int face = 0; face < WABE_FACES; face++)
        if (c->conditions[face].kind != WABE_BOUNDARY_periodic &&
            c->conditions[face].kind != WABE_BOUNDARY_free_slip)
            return wabe_face_kind_key(face);
    return NULL;
}

/* The edge over 2 pi is the unit of length of the vortex that becomes turbulent. */
static double default_length(const wabe_lbm_options *o) {
    const double cells = (double)o->run.domain.cells[0];
    return o->initial.kind == WABE_INITIAL_TAYLOR_GREEN_3D ? cells / (2.0 * PI) : cells;
}

/* Takes a velocity, if it is larger than those before. */
void wabe_case_take_velocity(wabe_lbm_case *c, double speed, const char *format, ...) {
    va_list arguments;
    if (!(speed > c->fastest))
        return;
    c->fastest = speed;
    va_start(arguments, format);
    vsnprintf(c->fastest_key, sizeof c->fastest_key, format, arguments);
    va_end(arguments);
}

/* Finds the largest velocities and the key: a boundary rather than the initial state. */
static void find_fastest(const wabe_lbm_options *o, wabe_lbm_case *c) {
    const double initial = wabe_length_of(o->initial.velocity),
                 kept = wabe_length_of(o->lbm.flux.velocity);
    const double eddies = o->initial.perturbation.velocity;
    char solid[64];
    c->given = fmax(fmax(initial, eddies), kept);
    wabe_case_take_velocity(c, kept, "lbm.flux.velocity");
    for (int face = 0; face < WABE_FACES; face++) {
        const double speed = wabe_length_of(c->conditions[face].velocity);
        const double factor = wabe_table_most(c->conditions[face].in_time);
        const bool even = c->inflows[face].kind == WABE_PROFILE_NONE;
        c->given = fmax(c->given, speed);
        wabe_case_take_velocity(c, factor * (even ? speed : c->inflows[face].most),
                                "boundaries.%s.%s", wabe_face_name(face),
                                factor > 1.0 ? "in_time"
                                : even       ? "velocity"
                                             : "profile");
        if (o->faces[face].turbulence.intensity >
            0.0) /* few gusts are twice the root mean square */
            wabe_case_take_velocity(c,
                                    fmax(speed, c->inflows[face].most) +
                                        2.0 * o->faces[face].turbulence.intensity * speed,
                                    "boundaries.%s.turbulence.intensity", wabe_face_name(face));
    }
    for (int k = WABE_FACES; k < c->simulation.geometry.condition_count; k++) {
        const double speed = wabe_length_of(c->conditions[k].velocity);
        if (!wabe_lbm_solid_of(o, c, k, solid))
            continue;
        c->given = fmax(c->given, speed);
        wabe_case_take_velocity(c, speed, "%s.velocity", solid);
    }
    for (int k = 0; k < c->turning_count; k++) {
        const wabe_turning *t = &c->turnings[k];
        c->given = fmax(c->given, t->most);
        wabe_case_take_velocity(c, t->most, "%s.spin",
                                wabe_lbm_solid_of(o, c, t->condition, solid));
    }
    wabe_case_take_velocity(c, initial, "initial.velocity");
    wabe_case_take_velocity(c, eddies, "initial.perturbation.velocity");
}

wabe_status wabe_case_velocities(const wabe_config *config, const wabe_lbm_options *o,
                                 wabe_lbm_case *c) {
    find_fastest(o, c);
    c->velocity = wabe_config_is_given(config, "lbm.velocity") ? o->lbm.velocity : c->given;
    c->length = wabe_config_is_given(config, "lbm.length") ? o->lbm.length : default_length(o);
    c->vortex_disturbed_by = find_disturbance(o, c);
    return WABE_OK;
}

/* The key that sets the viscosity; exactly one is allowed. */
static wabe_status viscosity_key(const wabe_config *config, const char **out) {
    static const char *const keys[] = {"lbm.tau", "lbm.viscosity", "lbm.reynolds",
                                       "units.viscosity"};
    *out = NULL;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (!wabe_config_is_given(config, keys[i]))
            continue;
        if (*out)
            return wabe_config_fail(config, keys[i],
                                    "contradicts %s: the viscosity is to be given once", *out);
        *out = keys[i];
    }
    if (!*out)
        return wabe_config_fail(config, "lbm.viscosity",
                                "the viscosity is missing: give one of lbm.tau, lbm.viscosity, "
                                "lbm.reynolds, or units.viscosity");
    return WABE_OK;
}

static wabe_status make_units(const wabe_config *config, const wabe_lbm_options *o,
                              wabe_lbm_case *c) {
    c->dx = c->dt = c->dm = 1.0;
    static const char *const keys[] = {"units.cell", "units.velocity", "units.viscosity"};
    int given = 0;
    for (int i = 0; i < 3; i++)
        given += wabe_config_is_given(config, keys[i]);
    if (given == 0)
        return WABE_OK;
    for (int i = 0; i < 3; i++)
        if (!wabe_config_is_given(config, keys[i]))
            return wabe_config_fail(config, keys[i],
                                    "missing: physical units need units.cell, units.velocity and "
                                    "units.viscosity");
    if (!(c->velocity > 0.0))
        return wabe_config_fail(config, "lbm.velocity",
                                "physical units need the velocity in lattice units too");
    c->physical = true;
    c->dx = o->units.cell;
    c->dt = c->dx * c->velocity / o->units.velocity; /* u_phys = u_lattice dx / dt */
    c->dm = o->units.density * c->dx * c->dx * c->dx;
    return WABE_OK;
}

/* Rejects viscosities that a wall function cannot have. kind: the key that asks for it. */
wabe_status wabe_case_check_turbulence(const wabe_config *config, const wabe_lbm_case *c,
                                       const char *kind) {
    return c->tau < 1.0 ? WABE_OK
                        : wabe_config_fail(config, c->viscosity_key,
                                           "gives the relaxation time %.6g, and %s is "
                                           "\"wall_function\", which needs less than 1: such a "
                                           "flow is not turbulent; take \"no_slip\"",
                                           c->tau, kind);
}

wabe_status wabe_case_viscosity(const wabe_config *config, const wabe_lbm_options *o,
                                wabe_lbm_case *c) {
    const char *key;
    WABE_TRY(viscosity_key(config, &key));
    c->viscosity_key = key;
    WABE_TRY(make_units(config, o, c));
    if (strcmp(key, "lbm.reynolds") == 0 && !(c->velocity > 0.0))
        return wabe_config_fail(config, key, "needs a velocity: give lbm.velocity");
    if (strcmp(key, "lbm.tau") == 0)
        c->viscosity = (o->lbm.tau - 0.5) / 3.0;
    else if (strcmp(key, "lbm.viscosity") == 0)
        c->viscosity = o->lbm.viscosity;
    else if (strcmp(key, "lbm.reynolds") == 0)
        c->viscosity = c->velocity * c->length / o->lbm.reynolds;
    else
        c->viscosity = o->units.viscosity * c->dt / (c->dx * c->dx);
    c->tau = strcmp(key, "lbm.tau") == 0 ? o->lbm.tau : 3.0 * c->viscosity + 0.5;
    if (!(c->tau > 0.5) || !isfinite(c->tau))
        return wabe_config_fail(config, key,
                                "gives the relaxation time %.6g (viscosity %.6g in lattice "
                                "units); it must be above 1/2",
                                c->tau, c->viscosity);
    for (int face = 0; face < WABE_FACES; face++)
        if (c->conditions[face].kind == WABE_BOUNDARY_wall_function)
            WABE_TRY(wabe_case_check_turbulence(config, c, wabe_face_kind_key(face)));
    c->reynolds = c->velocity * c->length / c->viscosity;
    c->mach = c->velocity * sqrt(3.0);
    c->grid_reynolds = c->velocity / c->viscosity;
    return WABE_OK;
}

/* Units of output: SI if the input has units, unless it selects lattice units. */
wabe_status wabe_case_output_units(const wabe_config *config, const wabe_lbm_options *o,
                                   wabe_lbm_case *c) {
    wabe_lbm_units *u = &c->units;
    if (o->output_units == WABE_SI_UNITS && !c->physical)
        return wabe_config_fail(config, "output.units",
                                "\"si\" needs physical units: units.cell, units.velocity and "
                                "units.viscosity");
    u->si = c->physical && o->output_units != WABE_LATTICE_UNITS;
    u->length = u->si ? c->dx : 1.0;
    u->time = u->si ? c->dt : 1.0;
    u->density = u->si ? c->dm / (c->dx * c->dx * c->dx) : 1.0;
    u->velocity = u->length / u->time;
    u->energy = u->velocity * u->velocity;
    u->pressure = u->density * u->velocity * u->velocity;
    return WABE_OK;
}
