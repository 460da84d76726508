/* Warnings about what drives a flow: boundaries that do not go together, nothing at all, or a force
 * that makes the flow too fast. */
#include "apps/lbm/lbm.h"
#include "sweeps/lattice/wall_law.h"

#include <math.h>

/* ---- boundaries --------------------------------------------------------------------- */

/* Net inflow through velocity faces, in cell volumes per step, the mean of so many steps; all:
 * inflow plus outflow. */
static double net_inflow(const wabe_lbm_case *c, double steps, double *all) {
    const int64_t *n = c->simulation.geometry.cells;
    double net = 0.0;
    *all = 0.0;
    for (int face = 0; face < WABE_FACES; face++) {
        const wabe_condition *condition = &c->conditions[face];
        const wabe_inflow *profile = &c->inflows[face];
        const int d = face / 2;
        const double area = (double)n[(d + 1) % 3] * (double)n[(d + 2) % 3];
        double velocity = condition->velocity[d];
        for (int64_t k = 0; k < profile->level_count; k++)
            velocity +=
                (wabe_inflow_velocity(profile, c->conditions, k, d) - condition->velocity[d]) /
                (double)profile->level_count;
        const double inflow = velocity * wabe_table_mean(condition->in_time, 0.0, steps + 1.0) *
                              area * (face % 2 ? -1.0 : 1.0);
        if (condition->kind != WABE_BOUNDARY_velocity)
            continue;
        net += inflow;
        *all += fabs(inflow);
    }
    return net;
}

/* Counts the boundaries that set a pressure; differ: not all set the same. */
static int count_pressures(const wabe_lbm_case *c, bool *differ) {
    double first = NAN;
    int count = 0;
    *differ = false;
    for (int k = 0; k < c->simulation.geometry.condition_count; k++) {
        if (!wabe_is_pressure(c->conditions[k].kind))
            continue;
        if (count++ == 0)
            first = c->conditions[k].density;
        *differ |= c->conditions[k].density != first || c->conditions[k].in_time;
    }
    return count;
}

static void warn_of_boundaries(const wabe_run *run) {
    const wabe_lbm_case *c = &wabe_flow_of(run)->lbm_case;
    const int64_t *n = c->simulation.geometry.cells;
    double all;
    bool driven;
    const double net = net_inflow(c, (double)wabe_flow_of(run)->options.run.steps, &all);
    const int pressures = count_pressures(c, &driven);
    if (pressures == 0 && fabs(net) > 1e-9 * all)
        wabe_run_warn(run, "boundaries",
                      "boundaries: %.4g cells of fluid more flow %s in a step, and nothing lets "
                      "them %s: the mean density changes by %.2g in 1000 steps; make a face "
                      "\"pressure_normal\" or \"pressure\"",
                      fabs(net), net > 0.0 ? "in" : "out", net > 0.0 ? "out" : "in",
                      1e3 * net / ((double)n[0] * (double)n[1] * (double)n[2]));
    for (int d = 0; d < 3; d++)
        driven |= c->simulation.model.force[d] != 0.0 ||
                  c->simulation.model.scalar.buoyancy[d] != 0.0;
    if (!driven && c->given > 0.0 && c->velocity > 1.001 * fmax(c->given, c->fastest))
        wabe_run_warn(run, "lbm.velocity",
                      "lbm.velocity = %.4g is more than the fastest boundary or initial state, "
                      "%.4g: Re and Ma are based on it, with what drives the flow Re is %.4g",
                      c->velocity, c->given, c->reynolds * c->given / c->velocity);
}

/* ---- nothing ------------------------------------------------------------------------ */

/* Do forces, buoyancy, a pressure or an initial state from a file move the fluid? Velocities are
 * those of wabe_lbm_case.fastest. */
static bool is_pushed(const wabe_flow *flow) {
    const wabe_lbm_case *c = &flow->lbm_case;
    bool pushed = flow->options.initial.kind == WABE_INITIAL_FILE || c->porous.axis >= 0;
    for (int k = 0; k < c->simulation.geometry.condition_count; k++)
        pushed |= wabe_is_pressure(c->conditions[k].kind) && c->conditions[k].density != 0.0;
    for (int d = 0; d < 3; d++)
        pushed |= c->simulation.model.force[d] != 0.0 || c->scalar.buoyancies[d] != 0.0 ||
                  flow->options.lbm.flux.velocity[d] != 0.0;
    return pushed;
}

/* A scalar may diffuse through a fluid at rest. */
static void warn_of_rest(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_case *c = &flow->lbm_case;
    if (c->fastest == 0.0 && !c->scalar.present && !is_pushed(flow))
        wabe_run_warn(run, c->viscosity_key,
                      "nothing drives the flow, which stays at rest: give lbm.force, a "
                      "moving_wall, a velocity or pressure face, or an initial velocity");
}

/* ---- forces ------------------------------------------------------------------------- */

/* Walls that hold back a flow along an axis. */
typedef struct {
    double
        rate; /* viscosity times the sum of 8 / H^2 over pairs of walls H apart, or 2 / H^2 for a
                 wall and a plane of symmetry: force over rate is about the speed in the middle */
    double reach;     /* least distance from a wall to the middle; INFINITY: there are no walls */
    double roughness; /* z0 of the roughest wall function; 0: walls are smooth */
} holding;

static bool is_flat_wall(wabe_boundary kind) {
    return kind == WABE_BOUNDARY_no_slip || kind == WABE_BOUNDARY_moving_wall ||
           kind == WABE_BOUNDARY_wall_function;
}

/* false: the flow along this axis is blocked, goes past solids, or out through other faces, or has
 * no one viscosity. */
static bool find_walls(const wabe_lbm_case *c, int axis, holding *out) {
    const wabe_geometry *g = &c->simulation.geometry;
    *out = (holding){.reach = INFINITY};
    for (int d = 0; d < 3; d++) {
        const wabe_boundary low = c->conditions[2 * d].kind, high = c->conditions[2 * d + 1].kind;
        const int walls = is_flat_wall(low) + is_flat_wall(high);
        const double height = (double)g->cells[d], reach = walls == 2 ? 0.5 * height : height;
        if (d == axis && low != WABE_BOUNDARY_periodic &&
            !(wabe_is_pressure(low) && wabe_is_pressure(high)))
            return false;
        if (d == axis)
            continue;
        if (wabe_is_pressure(low) || wabe_is_pressure(high) || low == WABE_BOUNDARY_velocity ||
            high == WABE_BOUNDARY_velocity)
            return false;
        if (walls > 0) {
            out->rate += 2.0 * c->viscosity / (reach * reach);
            out->reach = fmin(out->reach, reach);
            out->roughness = fmax(out->roughness, fmax(c->conditions[2 * d].roughness,
                                                       c->conditions[2 * d + 1].roughness));
        }
    }
    return !wabe_geometry_has_solids(g) && !wabe_lbm_has_rheology(c);
}

/* The speed to which walls limit what a force drives: laminar, or turbulent by the logarithmic law
 * at the middle. */
static double limit_of(const wabe_lbm_case *c, double force, const holding *walls) {
    const double laminar = force / walls->rate;
    const double friction = sqrt(force * walls->reach);
    const double reynolds = friction * walls->reach / c->viscosity;
    const double smooth = friction * (2.5 * log(reynolds) + 5.5);
    const double rough = friction * log(walls->reach / walls->roughness) / WABE_KAPPA_ROUGH;
    const double turbulent = walls->roughness > 0.0 ? rough : smooth;
    return isfinite(walls->reach) && reynolds > 31.0 ? fmin(laminar, turbulent) : laminar;
}

/* The speed along an axis that a force reaches in the run, starting from rest, rather too small;
 * 0: not known. Between faces of given pressure the fluid falls through the domain once. */
static double speed_by(const wabe_lbm_case *c, int axis, double force, double steps) {
    holding walls;
    if (!find_walls(c, axis, &walls))
        return 0.0;
    double limit = limit_of(c, force, &walls);
    if (c->conditions[2 * axis].kind != WABE_BOUNDARY_periodic)
        limit = fmin(limit, sqrt(2.0 * force * (double)c->simulation.geometry.cells[axis]));
    return isfinite(limit) ? limit * -expm1(-force * steps / limit) : force * steps;
}

static void warn_of_speed(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_case *c = &flow->lbm_case;
    const double steps = (double)flow->options.run.steps;
    const double mean = wabe_table_mean(c->simulation.model.force_in_time, 0.0, steps + 1.0);
    for (int d = 0; d < 3; d++) {
        const double force = fabs(mean * c->simulation.model.force[d]);
        const double speed = force > 0.0 ? speed_by(c, d, force, steps) : 0.0;
        if (wabe_flow_mach(speed) > WABE_MACH_MAX)
            wabe_run_warn(run, c->porous.axis >= 0 ? "porous.gradient" : "lbm.force",
                          "the force along %c, %.3g, makes the fluid about %.2g cells a step fast "
                          "in %.0f steps, Mach %.2g: above Mach %.1f, %.2g cells a step, the flow "
                          "is compressible, and soon unstable; lower the force, or raise the "
                          "viscosity between walls",
                          'x' + d, force, speed, steps, wabe_flow_mach(speed), WABE_MACH_MAX,
                          WABE_MACH_MAX / wabe_flow_mach(1.0));
    }
}

void wabe_flow_warn_of_drive(const wabe_run *run) {
    warn_of_rest(run);
    warn_of_speed(run);
    warn_of_boundaries(run);
}
