/* Flow of both fluids through a porous medium: phases.csv, steps of pressure, permeabilities. */
#include "apps/two_fluids/two_fluids_case.h"

#include "core/base/log.h"

enum { CHECKS = 2 }; /* consecutive ones for a steady state */

static int axis_of(const wabe_two_fluids_case *t) { return t->options.porous.axis - 1; }

static bool has_levels(const wabe_two_fluids_case *t) {
    return t->options.porous.pressures.count > 0;
}

/* ---- before the run -------------------------------------------------------------------- */

/* Rejects keys that are unused without porous.axis. */
static wabe_status check_unused(const wabe_config *config, const wabe_two_fluids_options *o) {
    const struct {
        const char *key;
        bool is_default;
    } rows[] = {{"porous.tolerance", o->porous.tolerance == 0.0},
                {"porous.permeability", !isfinite(o->porous.permeability)},
                {"porous.pressures.count", o->porous.pressures.count == 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!rows[i].is_default)
            return wabe_config_fail(config, rows[i].key, "needs porous.axis");
    return WABE_OK;
}

static bool is_pressed(const wabe_two_fluids_case *t, int face) {
    return t->place.faces[face] == WABE_TWO_FLUIDS_OPEN && t->step.through[face].has_pressure;
}

wabe_status wabe_two_fluids_check_porous(const wabe_config *config, const wabe_two_fluids_case *t) {
    const wabe_two_fluids_options *o = &t->options;
    const int axis = axis_of(t);
    if (axis < 0)
        return check_unused(config, o);
    if (!has_levels(t) && (o->porous.pressures.first != 0.0 || o->porous.pressures.last != 0.0))
        return wabe_config_fail(config, "porous.pressures.count", "is missing: how many there are");
    if (has_levels(t) && !is_pressed(t, 2 * axis))
        return wabe_config_fail(config, "porous.pressures.count",
                                "needs boundaries.%s.kind = \"pressure\"",
                                wabe_face_name(2 * axis));
    if (has_levels(t) && o->porous.tolerance == 0.0)
        return wabe_config_fail(config, "porous.pressures.count",
                                "needs porous.tolerance, which says when the next one begins");
    return WABE_OK;
}

/* ---- pressures one after the other ----------------------------------------------------- */

double wabe_two_fluids_level(const wabe_two_fluids_case *t, int64_t level) {
    const double first = t->options.porous.pressures.first, last = t->options.porous.pressures.last;
    const int64_t count = t->options.porous.pressures.count;
    return count > 1 ? first + (last - first) * (double)level / (double)(count - 1) : first;
}

/* Takes the pressure of the present level. */
static void take_level(wabe_two_fluids_case *t) {
    t->step.through[2 * axis_of(t)].pressure = wabe_two_fluids_level(t, t->watch.level) /
                                               t->pressure;
    for (int i = 0; i < WABE_SLABS_MAX; i++)
        if (t->stencil.slabs.list[i])
            wabe_two_fluids_set_step(t->stencil.slabs.list[i], &t->step, &t->place);
}

/* ---- checks -------------------------------------------------------------------------------- */

/* How much has changed since the check before: of the saturation, and of fluxes over their sum. */
static double change_of(const wabe_two_fluids_case *t, const double now[3]) {
    const double *last = t->watch.last;
    const double flux = fabs(now[1]) + fabs(now[2]);
    double change = fabs(now[0] - last[0]);
    for (int fluid = 1; fluid <= 2 && !has_levels(t); fluid++)
        change = fmax(change, flux > 0.0 ? fabs(now[fluid] - last[fluid]) / flux : 1.0);
    return isnan(last[0]) ? INFINITY : change;
}

static wabe_status check(wabe_run *run) {
    wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    wabe_two_fluids_watch *w = &t->watch;
    const int axis = axis_of(t);
    const double now[3] = {t->found.saturation, t->found.flux[0][axis], t->found.flux[1][axis]};
    w->change = change_of(t, now);
    w->calm = w->change < t->options.porous.tolerance ? w->calm + 1 : 0;
    for (int i = 0; i < 3; i++)
        w->last[i] = now[i];
    w->row_pressure = t->step.through[2 * axis].pressure * t->pressure;
    w->settled = w->calm >= CHECKS;
    if (!w->settled)
        return WABE_OK;
    if (has_levels(t))
        wabe_log_line("settled    after %lld steps: saturation %.4f at a pressure of %.5g",
                      (long long)run->step, now[0], w->row_pressure);
    else
        wabe_log_line("steady     after %lld steps: saturation and fluxes change by %.2g in %lld",
                      (long long)run->step, w->change, (long long)t->options.porous.interval);
    w->steady = w->level + 1 >= t->options.porous.pressures.count;
    if (w->steady)
        return WABE_OK;
    w->level++;
    w->calm = 0;
    take_level(t);
    return WABE_OK;
}

static bool holds(const wabe_run *run) { return wabe_two_fluids_of(run)->watch.steady; }

static wabe_status unmet(const wabe_run *run) {
    const wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    const long long interval = t->options.porous.interval;
    WABE_CHECK(!has_levels(t), WABE_NOT_CONVERGED,
               "not converged: after %lld steps the pressure is number %lld of %lld, and the "
               "saturation changes by %.2g in %lld steps, porous.tolerance is %.2g; allow more "
               "steps, with --restart latest",
               (long long)run->o->steps, (long long)t->watch.level + 1,
               (long long)t->options.porous.pressures.count, t->watch.change, interval,
               t->options.porous.tolerance);
    return WABE_FAIL(WABE_NOT_CONVERGED,
                     "not converged: after %lld steps saturation or fluxes change by %.2g in %lld "
                     "steps, porous.tolerance is %.2g, twice in succession; allow more steps, with "
                     "--restart latest",
                     (long long)run->o->steps, t->watch.change, interval,
                     t->options.porous.tolerance);
}

/* ---- phases.csv ---------------------------------------------------------------------------- */

static wabe_status open_file(wabe_run *run) {
    return wabe_time_series_open(&run->folder, "phases.csv",
                                 "step,time,pressure,saturation,liquid_flux,gas_flux,"
                                 "liquid_pressure,gas_pressure,settled",
                                 run->goes_on ? run->first_step : 0,
                                 &wabe_two_fluids_of(run)->watch.file);
}

static wabe_status add_line(wabe_run *run) {
    const wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    const wabe_two_fluids_found *f = &t->found;
    const int axis = axis_of(t);
    const double line[] = {(double)run->step * t->time_step,
                           t->watch.row_pressure,
                           f->saturation,
                           f->flux[WABE_TWO_FLUIDS_LIQUID][axis],
                           f->flux[WABE_TWO_FLUIDS_GAS][axis],
                           f->pressure[WABE_TWO_FLUIDS_LIQUID],
                           f->pressure[WABE_TWO_FLUIDS_GAS],
                           t->watch.settled};
    return wabe_agree(run->comm, wabe_time_series_add(&t->watch.file, run->step,
                                                      (int)(sizeof line / sizeof line[0]), line));
}

static void close_file(wabe_run *run) {
    wabe_time_series_close(&wabe_two_fluids_of(run)->watch.file);
}

void wabe_two_fluids_enter_porous(wabe_two_fluids_case *t, wabe_application *app) {
    t->watch.last[0] = NAN;
    if (axis_of(t) < 0)
        return;
    app->plot = "phases";
    app->steady = (wabe_steady_criterion){.every = t->options.porous.interval,
                                          .key = "porous.interval",
                                          .required = t->options.porous.tolerance > 0.0,
                                          .check = check,
                                          .holds = holds,
                                          .unmet = unmet};
    app->records = (wabe_own_records){.every = t->options.porous.interval,
                                      .key = "porous.interval",
                                      .open = open_file,
                                      .add = add_line,
                                      .close = close_file};
}

/* ---- restarts ------------------------------------------------------------------------------ */

int wabe_two_fluids_recall_porous(const wabe_two_fluids_case *t, wabe_checkpoint_number out[]) {
    const wabe_two_fluids_watch *w = &t->watch;
    if (axis_of(t) < 0)
        return 0;
    out[0] = (wabe_checkpoint_number){"porous_level", (double)w->level};
    out[1] = (wabe_checkpoint_number){"porous_calm", w->calm};
    out[2] = (wabe_checkpoint_number){"porous_saturation", w->last[0]};
    out[3] = (wabe_checkpoint_number){"porous_gas_flux", w->last[1]};
    out[4] = (wabe_checkpoint_number){"porous_liquid_flux", w->last[2]};
    return 5;
}

void wabe_two_fluids_resume_porous(wabe_two_fluids_case *t, const wabe_checkpoint *c) {
    wabe_two_fluids_watch *w = &t->watch;
    if (axis_of(t) < 0)
        return;
    const double level = wabe_checkpoint_number_of(c, "porous_level", 0.0);
    const int64_t most = t->options.porous.pressures.count - 1;
    w->level = level < (double)most ? (int64_t)level : most > 0 ? most : 0;
    w->calm = (int)wabe_checkpoint_number_of(c, "porous_calm", 0.0);
    w->last[0] = wabe_checkpoint_number_of(c, "porous_saturation", NAN);
    w->last[1] = wabe_checkpoint_number_of(c, "porous_gas_flux", 0.0);
    w->last[2] = wabe_checkpoint_number_of(c, "porous_liquid_flux", 0.0);
    if (has_levels(t))
        take_level(t);
}

/* ---- results ------------------------------------------------------------------------------- */

/* The force on a volume that drives both fluids along the axis, 0: none is known. */
static double drive_of(const wabe_two_fluids_case *t) {
    const int axis = axis_of(t);
    const double length = (double)t->place.cells[axis];
    double drive = t->step.force[axis];
    if (is_pressed(t, 2 * axis) && is_pressed(t, 2 * axis + 1))
        drive += (t->step.through[2 * axis].pressure - t->step.through[2 * axis + 1].pressure) /
                 length;
    return drive * t->pressure / t->options.spacing;
}

static void put_fluid(const wabe_two_fluids_case *t, int fluid, const char *const names[4],
                      wabe_json *json) {
    const wabe_fluid *of = fluid == WABE_TWO_FLUIDS_LIQUID ? &t->options.two_fluids.liquid
                                                           : &t->options.two_fluids.gas;
    const double flux = t->found.flux[fluid][axis_of(t)], drive = drive_of(t);
    const double permeability = of->viscosity * flux / drive;
    wabe_json_real(json, names[0], flux);
    wabe_json_real(json, names[1], t->found.pressure[fluid]);
    if (drive != 0.0)
        wabe_json_real(json, names[2], permeability);
    if (drive != 0.0 && isfinite(t->options.porous.permeability))
        wabe_json_real(json, names[3], permeability / t->options.porous.permeability);
}

void wabe_two_fluids_put_porous(const wabe_two_fluids_case *t, wabe_json *json) {
    static const char *const liquid[] = {"liquid_flux", "liquid_pressure", "liquid_permeability",
                                         "liquid_relative_permeability"};
    static const char *const gas[] = {"gas_flux", "gas_pressure", "gas_permeability",
                                      "gas_relative_permeability"};
    if (axis_of(t) < 0)
        return;
    wabe_json_open(json, "porous", '{');
    wabe_json_text(json, "axis", (const char *const[]){"x", "y", "z"}[axis_of(t)]);
    wabe_json_real(json, "saturation", t->found.saturation);
    put_fluid(t, WABE_TWO_FLUIDS_LIQUID, liquid, json);
    put_fluid(t, WABE_TWO_FLUIDS_GAS, gas, json);
    wabe_json_close(json, '}');
}
