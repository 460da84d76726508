/* Warnings about a flow before it runs, and the diagnosis when it has diverged. */
#include "apps/lbm/lbm.h"
#include "sweeps/lattice/wall_law.h"

#include <math.h>
#include <string.h>

enum { MASS_SHARE = 20 }; /* a mass change above 1/20 is neither rounding nor a pressure wave */

#define SPONGE_MAX_FROM_REST 12.0
#define VISCOSITY_AT_OUTLET 5e-3 /* below it waves of two cells grow there */
#define GRID_REYNOLDS_MAX 20.0   /* of TRT and SRT */
#define PECLET_MAX 20.0          /* a scalar oscillates */

/* ---- before the run ----------------------------------------------------------------- */

/* key: that chooses the quantity. */
static wabe_status check_viscous(const wabe_run *run, const char *key,
                                 const wabe_output_quantity *q) {
    const wabe_lbm_case *c = &wabe_flow_of(run)->lbm_case;
    const wabe_lbm_model *model = &c->simulation.model;
    const double least = model->type == WABE_TYPE_f64 ? 1e-6 : 1e-3; /* above it digits are left */
    if (q->first == WABE_OUTPUT_eddy_viscosity && model->smagorinsky == 0.0)
        return wabe_config_fail(run->config, key,
                                "has \"eddy_viscosity\": there is none without lbm.les");
    const bool varies = wabe_lbm_has_rheology(c);
    if (q->first == WABE_GRADIENT_viscosity && !varies)
        return wabe_config_fail(run->config, key,
                                "has \"viscosity\": it is the same everywhere without "
                                "lbm.rheology.model");
    if (q->first >= WABE_OUTPUT_stress_xx && q->first <= WABE_OUTPUT_stress_xz && varies)
        return wabe_config_fail(run->config, key,
                                "has \"%s\", which is told by what a collision leaves, but not "
                                "where the viscosity varies (lbm.rheology.model): take "
                                "\"wall_stress\" or \"viscosity\"",
                                q->name);
    if (q->first >= WABE_OUTPUT_stress_xx && q->first <= WABE_OUTPUT_eddy_viscosity &&
        fabs(model->tau - 1.0) < least)
        return wabe_config_fail(run->config, key,
                                "has \"%s\", which is not to be had from collisions with "
                                "the relaxation time %.9g: with lbm.storage = \"%s\" it "
                                "must differ from 1 by %g; change %s",
                                q->name, model->tau, wabe_type_word(model->type), least,
                                c->viscosity_key);
    return WABE_OK;
}

static wabe_status check_speed(const wabe_run *run, const char *key,
                               const wabe_output_quantity *q) {
    const wabe_flow *flow = wabe_flow_of(run);
    if (q->first == WABE_SUM_EXCEEDANCE && isnan(flow->options.average_threshold))
        return wabe_config_fail(run->config, key,
                                "has \"exceedance\", which needs output.average.threshold");
    if (strcmp(q->name, "speed_ratio") == 0 && !wabe_config_is_given(run->config, "lbm.velocity"))
        return wabe_config_fail(run->config, key,
                                "has \"speed_ratio\", to a reference velocity that is not given: "
                                "lbm.velocity");
    return WABE_OK;
}

static wabe_status check_scalar(const wabe_run *run, const char *key,
                                const wabe_output_quantity *q) {
    const bool now = q->over_time == WABE_NOW;
    const bool of_scalar = now ? q->first >= WABE_OUTPUT_scalar &&
                                     q->first <= WABE_OUTPUT_scalar_flux_z
                               : q->first == WABE_SUM_SCALAR;
    if (of_scalar && !wabe_flow_of(run)->lbm_case.scalar.present)
        return wabe_config_fail(run->config, key,
                                "has \"%s\": there is none without scalar.diffusivity", q->name);
    return WABE_OK;
}

wabe_status wabe_flow_check_quantities(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    bool exceeds = false;
    for (int i = 0; i < run->part_count; i++)
        for (int f = 0; f < run->parts[i].field_count; f++) {
            const wabe_output_quantity *q = run->parts[i].fields[f];
            char key[64] = "output.quantities";
            if (run->parts[i].number >= 0)
                snprintf(key, sizeof key, "output.parts[%d].quantities", run->parts[i].number);
            WABE_TRY(check_scalar(run, key, q));
            if (q->over_time == WABE_NOW)
                WABE_TRY(check_viscous(run, key, q));
            if (q->over_time == WABE_MEAN_OVER_TIME)
                WABE_TRY(check_speed(run, key, q));
            exceeds |= q->over_time == WABE_MEAN_OVER_TIME && q->first == WABE_SUM_EXCEEDANCE;
        }
    return exceeds || isnan(flow->options.average_threshold)
               ? WABE_OK
               : wabe_config_fail(run->config, "output.average.threshold",
                                  "is not used: no part writes the quantity \"exceedance\"");
}

/* A stream that starts from rest sends a wave through the domain whose pressure a strong sponge
 * lets out slowly, as it sends back nothing that would even it out. */
static void warn_of_sponges(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const bool starts = flow->options.initial.kind == WABE_INITIAL_REST &&
                        flow->lbm_case.given > 0.0;
    for (int face = 0; face < WABE_FACES && starts; face++) {
        const wabe_condition *c = &flow->lbm_case.conditions[face];
        const double whole = (double)c->sponge_width * c->sponge_strength;
        char key[64];
        snprintf(key, sizeof key, "boundaries.%s.sponge.width", wabe_face_name(face));
        if (whole > SPONGE_MAX_FROM_REST)
            wabe_run_warn(run, key,
                          "a stream that starts from rest leaves its pressure in the domain, which "
                          "the sponge at %s evens out slowly: width times strength is %.3g, from "
                          "rest %g at most; make it weaker, with lbm.ramp, or begin with "
                          "initial.kind = \"profile\" or \"uniform\"",
                          wabe_face_name(face), whole, SPONGE_MAX_FROM_REST);
    }
}

/* What a face of given pressure amplifies is damped by more viscosity alone, as sponges have. */
static void warn_of_bare_outlets(const wabe_run *run) {
    const wabe_lbm_case *c = &wabe_flow_of(run)->lbm_case;
    for (int face = 0; face < WABE_FACES; face++) {
        const wabe_condition *condition = &c->conditions[face];
        char key[64];
        snprintf(key, sizeof key, "boundaries.%s.kind", wabe_face_name(face));
        if (wabe_is_pressure(condition->kind) && condition->sponge_width == 0 &&
            wabe_is_regularized(c->simulation.model.collision) && !wabe_lbm_has_rheology(c) &&
            c->viscosity < VISCOSITY_AT_OUTLET)
            wabe_run_warn(run, key,
                          "%s is \"%s\" without a sponge: with the viscosity %.3g waves of two "
                          "cells grow there; take %ssponge = { width = 24; strength = 0.3; }",
                          key, wabe_boundary_word(condition->kind), c->viscosity,
                          condition->kind == WABE_BOUNDARY_pressure_normal ? "\"pressure\" with "
                                                                           : "");
    }
}

/* The law of a rough wall is reached as long as the cell at it is much higher than its roughness.
 */
static void warn_of_roughness(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_case *c = &flow->lbm_case;
    for (int k = 0; k < c->simulation.geometry.condition_count; k++) {
        char key[80], solid[64];
        if (k < WABE_FACES)
            snprintf(key, sizeof key, "boundaries.%s.roughness", wabe_face_name(k));
        else if (wabe_lbm_solid_of(&flow->options, c, k, solid))
            snprintf(key, sizeof key, "%s.roughness", solid);
        else
            continue;
        if (c->conditions[k].roughness > WABE_ROUGHNESS_FINE)
            wabe_run_warn(run, key,
                          "a roughness length of %.3g cells makes the friction too small: by about "
                          "8 %% up to %g, 14 %% with 0.1, 36 %% with 0.3; take larger cells",
                          c->conditions[k].roughness, WABE_ROUGHNESS_FINE);
    }
}

static void warn_of_forces(const wabe_run *run) {
    const wabe_lbm_options *o = &wabe_flow_of(run)->options;
    const int64_t every = o->forces.every;
    const int64_t last = every > 0 ? o->run.steps / every * every : 0;
    if (every > 0 && o->forces.begin > last)
        wabe_run_warn(run, "forces.begin",
                      "forces.begin is %lld, and the last line of forces.csv is that of step %lld: "
                      "there will be no mean forces",
                      (long long)o->forces.begin, (long long)last);
}

/* Has a moving wall edges, where the velocity jumps? Obstacles have; a face with walls beside it.
 */
static bool has_moving_edges(const wabe_lbm_case *c) {
    bool jumps = false;
    for (int i = 0; i < c->simulation.geometry.condition_count; i++) {
        bool beside = i >= WABE_FACES;
        for (int face = 0; face < WABE_FACES; face++)
            beside |= face / 2 != i / 2 && c->conditions[face].kind != WABE_BOUNDARY_periodic &&
                      !wabe_is_mirror(c->conditions[face].kind);
        jumps |= beside && c->conditions[i].kind == WABE_BOUNDARY_moving_wall;
    }
    return jumps;
}

/* Regularized collisions oscillate there, at grid Reynolds numbers that they stand elsewhere
 * (docs/validation.md, cubic cavity). */
static bool jumps_at_edges(const wabe_lbm_case *c) {
    return wabe_is_regularized(c->simulation.model.collision) && has_moving_edges(c);
}

bool wabe_flow_has_body_in_stream(const wabe_lbm_case *c) {
    const wabe_geometry *g = &c->simulation.geometry;
    bool inlet = false;
    int bodies = g->object_count + g->raster_count;
    for (int face = 0; face < WABE_FACES; face++)
        inlet |= c->conditions[face].kind == WABE_BOUNDARY_velocity;
    for (int k = 0; k < c->solids.mesh_count; k++)
        bodies -= c->solids.meshes[k].around;
    return inlet && bodies > 0;
}

static double grid_reynolds_max(const wabe_lbm_case *c) {
    if (jumps_at_edges(c))
        return 5.0;
    if (!wabe_is_regularized(c->simulation.model.collision) && wabe_flow_has_body_in_stream(c))
        return 8.0;
    return c->simulation.model.smagorinsky > 0.0                ? INFINITY
           : wabe_is_regularized(c->simulation.model.collision) ? 500.0
                                                                : GRID_REYNOLDS_MAX;
}

/* What helps against a relaxation time that is too close to 1/2, at the edges of moving walls: TRT
 * up to its own limit, and beyond it Smagorinsky's model with one relaxation time
 * (docs/validation.md, cubic cavity). */
static const char *stabler_at_edges(const wabe_lbm_case *c) {
    const wabe_lbm_model *m = &c->simulation.model;
    if (m->smagorinsky > 0.0 && !wabe_is_regularized(m->collision))
        return "use more cells, or raise the viscosity";
    return m->smagorinsky == 0.0 && wabe_is_regularized(m->collision) &&
                   c->grid_reynolds <= GRID_REYNOLDS_MAX
               ? "take lbm.collision = \"trt\", more cells or a larger viscosity"
               : "take lbm.les.model = \"smagorinsky\" with lbm.collision = \"srt\", more cells or "
                 "a larger viscosity";
}

/* The same anywhere. Nothing that is advised leads to a warning with other advice. */
static const char *stabler(const wabe_lbm_case *c) {
    const wabe_lbm_model *m = &c->simulation.model;
    if (wabe_lbm_has_rheology(c))
        return "raise lbm.rheology.lowest_tau, or use more cells or a larger viscosity";
    if (c->scalar.present)
        return m->smagorinsky > 0.0 || wabe_scalar_has_flux(c) || has_moving_edges(c)
                   ? "more cells or a larger viscosity"
                   : "take lbm.les.model = \"smagorinsky\", more cells or a larger viscosity";
    if (m->lattice != WABE_LATTICE_d3q19 && m->collision != WABE_COLLISION_cumulant)
        return "take lbm.collision = \"cumulant\" with lbm.streaming = \"moments\", more cells or "
               "a "
               "larger viscosity";
    if (m->collision == WABE_COLLISION_cumulant)
        return m->smagorinsky > 0.0
                   ? "raise the viscosity, or use more cells"
                   : "take lbm.les.model = \"smagorinsky\", more cells or a larger "
                     "viscosity";
    if (has_moving_edges(c))
        return stabler_at_edges(c);
    if (m->smagorinsky > 0.0)
        return wabe_is_regularized(m->collision)
                   ? "raise the viscosity, or use more cells"
                   : "take lbm.collision = \"recursive_regularized\", more cells or a larger "
                     "viscosity";
    if (WABE_HAS_ALL_TERMS(m->collision) && !m->bulk_is_one)
        return "take lbm.les.model = \"smagorinsky\" or lbm.bulk = \"one\", more cells or a larger "
               "viscosity";
    return wabe_is_regularized(m->collision)
               ? "take lbm.les.model = \"smagorinsky\", more cells or a larger viscosity"
               : "take lbm.les.model = \"smagorinsky\", or lbm.collision = "
                 "\"recursive_regularized\", more cells or a larger viscosity";
}

static bool has_walls(const wabe_lbm_case *c) {
    bool walls = wabe_geometry_has_solids(&c->simulation.geometry);
    for (int face = 0; face < WABE_FACES; face++)
        walls |= c->conditions[face].kind == WABE_BOUNDARY_no_slip ||
                 c->conditions[face].kind == WABE_BOUNDARY_moving_wall;
    return walls;
}

static void warn_of_collision(const wabe_run *run) {
    const wabe_lbm_case *c = &wabe_flow_of(run)->lbm_case;
    if (wabe_lbm_has_rheology(c) && c->simulation.model.type == WABE_TYPE_f16)
        wabe_run_warn(run, "lbm.storage",
                      "lbm.storage = \"f16\" rounds away the stress of slow flows, and with "
                      "lbm.rheology.model then their viscosity, too; take \"f32\"");
    const double grid_reynolds = c->grid_reynolds * wabe_in_time_most(c->conditions);
    if (grid_reynolds > grid_reynolds_max(c))
        wabe_run_warn(run, c->viscosity_key,
                      "grid Reynolds number %.1f: above about %g the run may become unstable%s; %s",
                      grid_reynolds, grid_reynolds_max(c),
                      jumps_at_edges(c) ? " at the edges of moving walls" : "", stabler(c));
    if (c->tau > 1.0 && wabe_is_regularized(c->simulation.model.collision) && c->porous.axis < 0 &&
        !wabe_lbm_has_rheology(c) && has_walls(c))
        wabe_run_warn(run, c->viscosity_key,
                      "%s gives the relaxation time %.4g: above 1, walls of regularized collisions "
                      "do not lie half-way between cells; take lbm.collision = \"trt\"",
                      c->viscosity_key, c->tau);
}

/* Past solids a scalar takes values beyond those that come in. A body that warms a stream of the
 * reference does not do so itself; another one in its wake does. */
static void warn_of_edges(const wabe_run *run, double peclet) {
    const wabe_lbm_case *c = &wabe_flow_of(run)->lbm_case;
    bool reference;
    const double uneven = wabe_scalar_unevenness(c, &reference);
    if (uneven == 0.0 || wabe_lattice_carries(c->scalar.lattice))
        return;
    wabe_run_warn(run, c->scalar.diffusivity_key,
                  "grid Peclet number %.3g, velocity over diffusivity: at the edges of solids in "
                  "the stream the scalar becomes too large and too small by about %.2g times %s "
                  "difference from scalar.reference; %suse more cells, or a larger diffusivity%s",
                  peclet, uneven, reference ? "the arriving fluid's" : "its",
                  reference ? "" : "set the reference to the value that comes in, ",
                  wabe_scalar_has_flux(c) ? "" : ", or scalar.lattice = \"d3q19\"");
}

/* A scalar that the stream carries further than it diffuses oscillates from cell to cell. */
static void warn_of_scalar(const wabe_run *run) {
    const wabe_lbm_case *c = &wabe_flow_of(run)->lbm_case;
    const wabe_scalar_case *s = &c->scalar;
    const double fall = wabe_scalar_free_fall(s);
    const double peclet = wabe_scalar_peclet(s, c->velocity * wabe_in_time_most(c->conditions));
    if (s->present && peclet > PECLET_MAX && !wabe_is_regularized(c->simulation.model.collision))
        wabe_run_warn(run, s->diffusivity_key,
                      "grid Peclet number %.3g, velocity over diffusivity: above about %g the "
                      "scalar oscillates between cells where it changes; use more cells, a "
                      "larger diffusivity, or lbm.collision = \"recursive_regularized\", with "
                      "which it is stable",
                      peclet, PECLET_MAX);
    else if (s->present)
        warn_of_edges(run, peclet);
    if (c->sources.count > 0 && c->simulation.model.type == WABE_TYPE_f16)
        wabe_run_warn(run, "lbm.storage",
                      "is \"f16\": of what scalar.sources give off in a step, less than about "
                      "0.0001 times scalar.difference a cell is lost by rounding; take \"f32\"");
    if (s->present && wabe_flow_mach(fall) > WABE_MACH_MAX)
        wabe_run_warn(
            run, "scalar.buoyancy",
            "the velocity of free fall is %.3g cells a step, Mach %.2f: above Mach %.1f the "
            "flow is compressible; lower scalar.buoyancy and the viscosity",
            fall, wabe_flow_mach(fall), WABE_MACH_MAX);
}

void wabe_flow_warn(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_case *c = &flow->lbm_case;
    warn_of_scalar(run);
    if (c->given > 1.001 * c->velocity)
        wabe_run_warn(run, "lbm.velocity",
                      "the fastest boundary or initial state has %.4g, more than lbm.velocity = "
                      "%.4g, on which Re and Ma are based",
                      c->given, c->velocity);
    if (wabe_flow_mach(c->fastest) > WABE_MACH_MAX)
        wabe_run_warn(run, c->fastest_key,
                      "%s is %.4g cells a step, Mach %.2f: above Mach %.1f, %.2g cells a step, the "
                      "flow is compressible; lower it",
                      c->fastest_key, c->fastest, wabe_flow_mach(c->fastest), WABE_MACH_MAX,
                      WABE_MACH_MAX / wabe_flow_mach(1.0));
    else if (c->mach > WABE_MACH_MAX)
        wabe_run_warn(run, "lbm.velocity",
                      "Mach number %.2f: above 0.3 the flow is compressible; lower the velocity",
                      c->mach);
    warn_of_sponges(run);
    warn_of_bare_outlets(run);
    warn_of_roughness(run);
    warn_of_forces(run);
    warn_of_collision(run);
    if (c->porous.axis >= 0 && c->simulation.model.collision != WABE_COLLISION_trt)
        wabe_run_warn(run, "lbm.collision",
                      "lbm.collision = \"%s\" makes the permeability depend on lbm.tau; take "
                      "\"trt\"",
                      wabe_collision_operator_word(c->simulation.model.collision));
    if (c->vortex_disturbed_by)
        wabe_run_warn(run, c->vortex_disturbed_by,
                      "%s: the Taylor-Green vortex is no solution here; it needs %s, one "
                      "viscosity, no solids and forces, and periodic or free_slip at all faces",
                      c->vortex_disturbed_by,
                      flow->options.initial.kind == WABE_INITIAL_TAYLOR_GREEN_3D
                          ? "as many cells along x, y and z"
                          : "more than a cell along x and y");
    wabe_flow_warn_of_drive(run);
    wabe_flow_warn_of_bodies(run);
    for (int d = 0; d < 3; d++)
        if (flow->plugged[d])
            wabe_run_warn(run, "geometry",
                          "geometry: no fluid leads from face %s to face %s, which are both "
                          "open: nothing can flow through",
                          wabe_face_name(2 * d), wabe_face_name(2 * d + 1));
}

bool wabe_flow_has_way(const wabe_flow *flow, int axis) {
    const wabe_condition *faces = flow->lbm_case.conditions;
    return wabe_is_open(faces[2 * axis].kind) && wabe_is_open(faces[2 * axis + 1].kind);
}

/* ---- divergence --------------------------------------------------------------------- */

/* The face of given pressure beside which a cell lies; -1: there is none. */
static int outlet_at(const wabe_lbm_case *c, int64_t cell) {
    enum { BESIDE = 8 }; /* cells */
    const int64_t *n = c->simulation.geometry.cells;
    const int64_t at[3] = {cell % n[0], cell / n[0] % n[1], cell / n[0] / n[1]};
    for (int face = 0; face < WABE_FACES; face++) {
        const int axis = face / 2;
        const int64_t distance = face % 2 ? n[axis] - 1 - at[axis] : at[axis];
        if (wabe_is_pressure(c->conditions[face].kind) && distance < BESIDE)
            return face;
    }
    return -1;
}

/* What suits what leaves there better. */
static const char *better_outlet(const wabe_lbm_case *c, int face) {
    const wabe_condition *condition = &c->conditions[face];
    const bool rises = c->scalar.present && c->scalar.buoyancy > 0.0;
    if (rises && c->conditions[face ^ 1].kind != WABE_BOUNDARY_velocity)
        return "for a plume let a slow stream in at the opposite face (\"velocity\") and out at "
               "\"pressure\"";
    if (condition->kind == WABE_BOUNDARY_pressure_normal)
        return "vortices upset \"pressure_normal\": take \"pressure\" with a sponge of width 24 "
               "and strength 0.3";
    if (condition->sponge_width == 0)
        return "give it a sponge of width 24 and strength 0.3";
    return condition->sponge_strength > 0.3 ? "take sponge.strength = 0.3"
                                            : "move it away from what moves the fluid";
}

/* Is a cell, by its number in the domain, in a source, or beside one? */
static bool is_at_source(const wabe_lbm_case *c, int64_t number) {
    const int64_t *n = c->simulation.geometry.cells;
    const int64_t cell[3] = {number % n[0], number / n[0] % n[1], number / n[0] / n[1]};
    bool found = false;
    for (int i = 0; i < c->sources.count; i++)
        found |= wabe_box_contains(wabe_box_grow(c->sources.list[i].box, 1), cell[0], cell[1],
                                   cell[2]);
    return found;
}

/* Diagnoses by the last state before values broke. */
static void name_cause(const wabe_flow *flow, double drift, char text[], size_t size) {
    const wabe_lbm_case *c = &flow->lbm_case;
    const int outlet = outlet_at(c, flow->good.fastest);
    const double mach = wabe_flow_mach(sqrt(flow->good.speed_squared));
    const double square = wabe_sum_value(flow->good.scalar_square) / (double)flow->good.cells;
    if (flow->last.broken > 0 && is_at_source(c, flow->last.first_broken))
        snprintf(
            text, size,
            "that cell is in one of scalar.sources, or beside it: a scalar further than 4 times "
            "scalar.difference = %g from scalar.reference counts as broken; raise that, or "
            "lower the rate",
            c->scalar.difference);
    else if (c->scalar.present && square > 0.25) /* of its half */
        snprintf(
            text, size,
            "the scalar had gone away from scalar.reference by %.3g; further than 4 times "
            "scalar.difference = %g counts as broken: raise that, or lower what heats or cools",
            2.0 * c->scalar.difference * sqrt(square), c->scalar.difference);
    else if (fabs(drift) > 1.0 / MASS_SHARE)
        snprintf(text, size,
                 "its mass had changed by %.0f %% until then: more flows in than out, or the "
                 "reverse; look at inlets and outlets",
                 100.0 * drift);
    else if (wabe_flow_mach(c->fastest) > WABE_MACH_MAX)
        snprintf(text, size, "%s is Mach %.2f; lower it below Mach %.1f, %.2g cells a step",
                 c->fastest_key, wabe_flow_mach(c->fastest), WABE_MACH_MAX,
                 WABE_MACH_MAX / wabe_flow_mach(1.0));
    else if (c->mach > WABE_MACH_MAX)
        snprintf(text, size, "lbm.velocity is Mach %.2f; lower it below %.1f", c->mach,
                 WABE_MACH_MAX);
    else if (outlet >= 0 && sqrt(flow->good.speed_squared) > 1.5 * c->fastest)
        snprintf(text, size, "it was fastest beside boundaries.%s: %s, or raise the viscosity",
                 wabe_face_name(outlet), better_outlet(c, outlet));
    else if (mach > 0.5 && c->mach < 0.5 * mach)
        snprintf(text, size,
                 "the flow had become much faster than lbm.velocity, Mach %.2f; lower what drives "
                 "it, or raise the viscosity",
                 mach);
    else if (c->tau < 0.52 || c->grid_reynolds > 20.0 || wabe_lbm_has_rheology(c))
        snprintf(text, size,
                 "the relaxation time %.5g is close to 1/2 (grid Reynolds number %.3g); %s", c->tau,
                 c->grid_reynolds, stabler(c));
    else
        snprintf(text, size, "lower %s, raise the viscosity%s, or use more cells",
                 c->fastest > 0.0 ? c->fastest_key : "what drives the flow",
                 c->scalar.present
                     ? " and the diffusivity (and scalar.difference, if values can lie "
                       "further than 4 times as much from the reference)"
                     : "");
}

wabe_status wabe_flow_diverged(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_monitor_result *now = &flow->last, *before = &flow->good;
    char cell[96], fastest[96], cause[512];
    const double mass = wabe_sum_value(before->mass);
    const double drift = (mass - flow->mass_at_start) /
                         ((double)run->updates + flow->mass_at_start);
    wabe_run_name_cell(run, now->broken ? now->first_broken : now->fastest, cell, sizeof cell);
    wabe_run_name_cell(run, before->fastest, fastest, sizeof fastest);
    name_cause(flow, drift, cause, sizeof cause);
    if (now->broken == 0)
        return WABE_FAIL(WABE_DIVERGED,
                         "the simulation diverged: at step %lld the speed of sound is exceeded in "
                         "cell %s; %s",
                         (long long)run->step, cell, cause);
    return WABE_FAIL(WABE_DIVERGED,
                     "the simulation diverged: at step %lld the values of %lld cells are broken, "
                     "such as %s; at step %lld the fastest cell was %s, with %.3g cells a step; %s",
                     (long long)run->step, (long long)now->broken, cell, (long long)flow->good_step,
                     fastest, sqrt(before->speed_squared), cause);
}
