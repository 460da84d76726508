#include "apps/lbm/case.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* What the initial state is computed from. */
wabe_status wabe_case_start(const wabe_config *config, const wabe_lbm_options *o,
                            wabe_lbm_case *c) {
    const wabe_geometry *g = &c->simulation.geometry;
    double start = wabe_length_of(o->initial.velocity);
    const double *mean = start > 0.0 ? o->initial.velocity : o->lbm.flux.velocity;
    if (o->initial.kind == WABE_INITIAL_TURBULENT_CHANNEL)
        WABE_TRY(wabe_channel_make(config, g, mean, o->lbm.force, c->viscosity, &c->channel));
    if (o->initial.kind == WABE_INITIAL_TURBULENT_CHANNEL) {
        start = wabe_channel_speed(&c->channel, (int64_t)c->channel.height);
        wabe_case_take_velocity(c, start, "initial.kind");
    }
    if (o->initial.perturbation.velocity > 0.0) /* few eddies are twice the root mean square */
        wabe_case_take_velocity(c, start + 2.0 * o->initial.perturbation.velocity,
                                "initial.perturbation.velocity");
    return wabe_perturbation_make(config, &o->initial.perturbation, g, &c->perturbation);
}

/* ---- initial states ----------------------------------------------------------------- */

wabe_lbm_case_initial wabe_lbm_case_initial_of(const wabe_lbm_options *options,
                                               const wabe_lbm_case *lbm_case) {
    wabe_lbm_case_initial initial = {.kind = (wabe_initial_kind)options->initial.kind,
                                     .viscosity = lbm_case->viscosity,
                                     .scalar = lbm_case->scalar.initial};
    memcpy(initial.cells, options->run.domain.cells, sizeof initial.cells);
    memcpy(initial.velocity, options->initial.velocity, sizeof initial.velocity);
    const int face = wabe_inflow_first(lbm_case->inflows);
    initial.inflow = face < 0 ? NULL : &lbm_case->inflows[face];
    initial.conditions = lbm_case->conditions;
    initial.channel = &lbm_case->channel;
    return initial;
}

static double wave_number(const wabe_lbm_case_initial *initial, int axis) {
    return 2.0 * PI / (double)initial->cells[axis];
}

double wabe_lbm_case_vortex(const wabe_lbm_case_initial *i) {
    const double k = wave_number(i, 0), l = wave_number(i, 1);
    return i->kind == WABE_INITIAL_TAYLOR_GREEN
               ? fabs(i->velocity[0]) * exp(-i->viscosity * (k * k + l * l) * i->time)
               : 0.0;
}

/* Taylor and Green 1937: u = u0 sin(kx) cos(ly), v = -u0 (k/l) cos(kx) sin(ly), decaying with
 * exp(-nu (k^2 + l^2) t); the pressure balances the convective term. */
static void taylor_green(const wabe_lbm_case_initial *i, const int64_t cell[3], double moments[4]) {
    const double k = wave_number(i, 0), l = wave_number(i, 1);
    const double x = k * ((double)cell[0] + 0.5), y = l * ((double)cell[1] + 0.5);
    const double u0 = copysign(wabe_lbm_case_vortex(i), i->velocity[0]);
    const double p = 0.25 * u0 * u0 * (cos(2.0 * x) + k * k / (l * l) * cos(2.0 * y));
    moments[0] = 3.0 * p;
    moments[1] = u0 * sin(x) * cos(y);
    moments[2] = -u0 * k / l * cos(x) * sin(y);
    moments[3] = 0.0;
}

/* The same in three dimensions, which becomes turbulent: u = u0 sin(kx)
 * cos(ly) cos(mz), v as above, w = 0 (Brachet et al., J. Fluid Mech. 130 (1983) 411). The pressure
 * is that of a cube. */
static void taylor_green_3d(const wabe_lbm_case_initial *i, const int64_t cell[3],
                            double moments[4]) {
    const double k = wave_number(i, 0), l = wave_number(i, 1), u0 = i->velocity[0];
    const double x = k * ((double)cell[0] + 0.5), y = l * ((double)cell[1] + 0.5);
    const double z = wave_number(i, 2) * ((double)cell[2] + 0.5);
    moments[0] = 3.0 * u0 * u0 / 16.0 * (cos(2.0 * x) + cos(2.0 * y)) * (cos(2.0 * z) + 2.0);
    moments[1] = u0 * sin(x) * cos(y) * cos(z);
    moments[2] = -u0 * k / l * cos(x) * sin(y) * cos(z);
}

static void channel(const wabe_channel *c, const int64_t cell[3], double moments[4]) {
    const double speed = wabe_channel_speed(c, cell[c->axis]);
    for (int d = 0; d < 3; d++)
        moments[1 + d] = speed * c->direction[d];
}

void wabe_lbm_case_moments(const void *context, const int64_t cell[3],
                           double moments[WABE_MOMENTS_GIVEN]) {
    const wabe_lbm_case_initial *initial = context;
    memset(moments, 0, WABE_MOMENTS_GIVEN * sizeof moments[0]);
    moments[4] = initial->scalar;
    if (initial->kind == WABE_INITIAL_UNIFORM)
        memcpy(&moments[1], initial->velocity, sizeof initial->velocity);
    if (initial->kind == WABE_INITIAL_PROFILE)
        for (int d = 0; d < 3; d++)
            moments[1 + d] = wabe_inflow_velocity(initial->inflow, initial->conditions,
                                                  cell[initial->inflow->up], d);
    if (initial->kind == WABE_INITIAL_TURBULENT_CHANNEL)
        channel(initial->channel, cell, moments);
    if (initial->kind == WABE_INITIAL_TAYLOR_GREEN)
        taylor_green(initial, cell, moments);
    if (initial->kind == WABE_INITIAL_TAYLOR_GREEN_3D)
        taylor_green_3d(initial, cell, moments);
}
