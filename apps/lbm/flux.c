#include "apps/lbm/flux.h"

#include "apps/lbm/lbm.h"

#include <math.h>
#include <string.h>

/* A change of the force brings the mean velocity half of the way to the wanted one until the next.
 */
#define SHARE 0.5

static const char *const names[WABE_FLUX_NUMBERS] = {"flux_step",    "flux_force_x", "flux_force_y",
                                                     "flux_force_z", "flux_mean_x",  "flux_mean_y",
                                                     "flux_mean_z"};

static bool is_kept(const wabe_flow *flow) {
    const double *u = flow->options.lbm.flux.velocity;
    return u[0] != 0.0 || u[1] != 0.0 || u[2] != 0.0;
}

wabe_status wabe_flux_check(const wabe_config *config, const wabe_lbm_options *o) {
    const double *wanted = o->lbm.flux.velocity;
    for (int d = 0; d < 3; d++)
        if (wanted[d] != 0.0 && (o->faces[2 * d].kind != 0 || o->faces[2 * d + 1].kind != 0))
            return wabe_config_fail(config, "lbm.flux.velocity",
                                    "is kept by a force, and along %c the domain must be periodic "
                                    "for that: make both faces periodic, or give a velocity face",
                                    'x' + d);
    if (wanted[0] == 0.0 && wanted[1] == 0.0 && wanted[2] == 0.0)
        return o->lbm.flux.every != WABE_FLUX_EVERY
                   ? wabe_config_fail(config, "lbm.flux.every",
                                      "is not used: there is no lbm.flux.velocity")
                   : WABE_OK;
    if (o->porous.axis != 0)
        return wabe_config_fail(config, "lbm.flux.velocity",
                                "contradicts porous.axis, whose gradient drives the flow");
    if (o->lbm.force_in_time.file[0])
        return wabe_config_fail(config, "lbm.flux.velocity",
                                "contradicts lbm.force_in_time: either gives the force");
    return WABE_OK;
}

void wabe_flux_enter(const wabe_flow *flow, wabe_application *app) {
    app->check_every = is_kept(flow) ? flow->options.lbm.flux.every : 0;
    app->check_key = "lbm.flux.every";
}

static void find_mean(const wabe_flow *flow, double mean[3]) {
    for (int d = 0; d < 3; d++)
        mean[d] = wabe_sum_value(flow->last.momentum[d]) / (double)flow->last.cells;
}

static void set_force(wabe_flow *flow, const double present[3], const double next[3]) {
    wabe_simulation *s = flow->simulation;
    for (int i = 0; i < s->domain.slab_count; i++)
        wabe_lbm_set_force(s->slabs[i], present, next);
}

void wabe_flux_begin(wabe_run *run, bool restored) {
    wabe_flow *flow = wabe_flow_of(run);
    if (!is_kept(flow) || restored)
        return;
    flow->flux.step = run->step;
    memcpy(flow->flux.force, flow->lbm_case.simulation.model.force, sizeof flow->flux.force);
    find_mean(flow, flow->flux.mean);
}

/* Since the last change, the velocity grew by what the force gave and walls did not take. If they
 * go on like that, this force leads to the wanted velocity. */
void wabe_flux_steer(wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    wabe_flux *flux = &flow->flux;
    const double *wanted = flow->options.lbm.flux.velocity;
    const double steps = (double)(run->step - flux->step);
    double mean[3], next[3];
    if (!is_kept(flow) || steps <= 0.0 || run->step % flow->options.lbm.flux.every != 0)
        return;
    find_mean(flow, mean);
    for (int d = 0; d < 3; d++) {
        const double taken = flux->force[d] - (mean[d] - flux->mean[d]) / steps;
        const double lacking = (wanted[d] - mean[d]) / (double)flow->options.lbm.flux.every;
        next[d] = wanted[d] == 0.0 ? flux->force[d] : taken + SHARE * lacking;
    }
    set_force(flow, flux->force, next);
    flux->step = run->step;
    memcpy(flux->force, next, sizeof flux->force);
    memcpy(flux->mean, mean, sizeof flux->mean);
}

int wabe_flux_store(const wabe_flow *flow, wabe_checkpoint_number out[]) {
    const wabe_flux *f = &flow->flux;
    const double values[WABE_FLUX_NUMBERS] = {(double)f->step, f->force[0], f->force[1],
                                              f->force[2],     f->mean[0],  f->mean[1],
                                              f->mean[2]};
    for (int i = 0; i < WABE_FLUX_NUMBERS; i++)
        out[i] = (wabe_checkpoint_number){names[i], values[i]};
    return is_kept(flow) ? WABE_FLUX_NUMBERS : 0;
}

bool wabe_flux_restore(wabe_run *run, const wabe_checkpoint *checkpoint) {
    wabe_flow *flow = wabe_flow_of(run);
    wabe_flux *f = &flow->flux;
    const double step = wabe_checkpoint_number_of(checkpoint, names[0], NAN);
    if (!is_kept(flow) || isnan(step))
        return false;
    f->step = (int64_t)step;
    memcpy(f->force, flow->lbm_case.simulation.model.force, sizeof f->force);
    for (int d = 0; d < 3; d++) {
        f->mean[d] = wabe_checkpoint_number_of(checkpoint, names[4 + d], 0.0);
        if (flow->options.lbm.flux.velocity[d] != 0.0)
            f->force[d] = wabe_checkpoint_number_of(checkpoint, names[1 + d], 0.0);
    }
    set_force(flow, f->force, f->force);
    return true;
}
