/* Flow of both fluids through a porous medium: phases.csv, steps of pressure, permeabilities. */
#include "apps/two_fluids/two_fluids_case.h"

#include "core/base/log.h"

#include <stdio.h>

enum { CHECKS = 2 }; /* consecutive ones for a steady state */

static int axis_of(const wabe_two_fluids_case *t) { return t->options.porous.axis - 1; }

/* ---- before the run -------------------------------------------------------------------- */

/* Rejects keys that are unused without porous.axis. */
static wabe_status check_unused(const wabe_config *config, const wabe_two_fluids_options *o) {
    const struct {
        const char *key;
        bool is_default;
    } rows[] = {{"porous.interval", o->porous.interval == WABE_TWO_FLUIDS_INTERVAL},
                {"porous.tolerance", o->porous.tolerance == 0.0},
                {"porous.permeability", !isfinite(o->porous.permeability)},
                {"porous.begin", o->porous.begin == 0},
                {"porous.end", o->porous.end == 0},
                {"porous.pressures.first", !isfinite(o->porous.pressures.first)},
                {"porous.pressures.last", !isfinite(o->porous.pressures.last)},
                {"porous.pressures.count", o->porous.pressures.count == 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!rows[i].is_default)
            return wabe_config_fail(config, rows[i].key, "needs porous.axis");
    return WABE_OK;
}

static bool has_pressure(const wabe_two_fluids_case *t, int face) {
    return t->place.faces[face] == WABE_TWO_FLUIDS_OPEN && t->step.through[face].has_pressure;
}

static wabe_status check_levels(const wabe_config *config, const wabe_two_fluids_case *t) {
    const wabe_two_fluids_options *o = &t->options;
    const int64_t count = o->porous.pressures.count;
    const double ends[2] = {o->porous.pressures.first, o->porous.pressures.last};
    static const char *const keys[] = {"porous.pressures.first", "porous.pressures.last"};
    if (count == 1)
        return wabe_config_fail(config, "porous.pressures.count",
                                "must be 2 or more: a single pressure is that of boundaries");
    for (int i = 0; i < 2; i++)
        if (isfinite(ends[i]) != (count > 0))
            return count > 0 ? wabe_config_fail(config, keys[i], "is missing")
                             : wabe_config_fail(config, "porous.pressures.count",
                                                "is missing: how many there are");
    for (int side = 0; side < 2 && count > 0; side++)
        if (!has_pressure(t, 2 * axis_of(t) + side))
            return wabe_config_fail(config, "porous.pressures.count",
                                    "needs boundaries.%s.kind = \"pressure\"",
                                    wabe_face_name(2 * axis_of(t) + side));
    if (count > 0 && o->porous.tolerance == 0.0)
        return wabe_config_fail(config, "porous.pressures.count",
                                "needs porous.tolerance, which says when the next one begins");
    return WABE_OK;
}

/* Do pressures at both faces drive both fluids? Between reservoirs of different fluids the
 * interface takes a part of their difference. */
static bool drops(const wabe_two_fluids_case *t) {
    const int low = 2 * axis_of(t);
    return !wabe_two_fluids_has_levels(t) && has_pressure(t, low) && has_pressure(t, low + 1) &&
           t->options.faces[low].fluid == t->options.faces[low + 1].fluid;
}

static bool is_driven(const wabe_two_fluids_case *t) {
    return t->step.force[axis_of(t)] != 0.0 || drops(t);
}

wabe_status wabe_two_fluids_check_porous(const wabe_config *config, const wabe_two_fluids_case *t) {
    const wabe_two_fluids_options *o = &t->options;
    const int axis = axis_of(t);
    if (axis < 0)
        return check_unused(config, o);
    for (int face = 2 * axis; face <= 2 * axis + 1; face++)
        if (t->place.faces[face] == WABE_TWO_FLUIDS_NO_SLIP ||
            t->place.faces[face] == WABE_TWO_FLUIDS_FREE_SLIP)
            return wabe_config_fail(config, "porous.axis",
                                    "nothing flows through %s: boundaries.%s.kind must be "
                                    "periodic, velocity or pressure",
                                    wabe_face_name(face), wabe_face_name(face));
    if (o->porous.end == 0
            ? o->porous.begin > 0
            : o->porous.end <= o->porous.begin || o->porous.end > t->place.cells[axis])
        return wabe_config_fail(config, o->porous.end == 0 ? "porous.begin" : "porous.end",
                                "porous.begin is %lld, porous.end %lld: the end must be from %lld "
                                "to %lld, the slices along %c",
                                (long long)o->porous.begin, (long long)o->porous.end,
                                (long long)o->porous.begin + 1, (long long)t->place.cells[axis],
                                'x' + axis);
    if (o->porous.tolerance > 0.0 && o->run.monitor.steady > 0.0)
        return wabe_config_fail(config, "monitor.steady",
                                "contradicts porous.tolerance, which says when the run ends");
    WABE_TRY(check_levels(config, t));
    if (isfinite(o->porous.permeability) && !is_driven(t))
        return wabe_config_fail(config, "porous.permeability",
                                "needs what drives both fluids along the axis: a force, or "
                                "pressures at both faces, with the same fluid or none given");
    return WABE_OK;
}

void wabe_two_fluids_print_porous(const wabe_two_fluids_case *t) {
    const double tolerance = t->options.porous.tolerance;
    if (axis_of(t) < 0)
        return;
    wabe_log_line("porous     along %c, checked every %lld steps%s", 'x' + axis_of(t),
                  (long long)t->options.porous.interval,
                  tolerance > 0.0 && !wabe_two_fluids_has_levels(t)
                      ? ", until both fluxes are steady"
                      : "");
    if (wabe_two_fluids_has_levels(t))
        wabe_log_line("           %lld pressures from %.5g to %.5g, each until the saturation is "
                      "steady",
                      (long long)t->options.porous.pressures.count, wabe_two_fluids_level(t, 0),
                      t->options.porous.pressures.last);
}

void wabe_two_fluids_warn_of_porous(const wabe_run *run) {
    const wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    const int64_t levels = wabe_two_fluids_has_levels(t) ? t->options.porous.pressures.count : 1;
    const int64_t needed = levels * (CHECKS + 1) * t->options.porous.interval;
    if (axis_of(t) >= 0 && t->options.porous.tolerance > 0.0 && run->o->steps < needed)
        wabe_run_warn(run, "steps",
                      "steps = %lld is too few for porous.tolerance: %d checks%s take %lld",
                      (long long)run->o->steps, CHECKS + 1, levels > 1 ? " for each pressure" : "",
                      (long long)needed);
    if (wabe_two_fluids_has_levels(t) && t->options.two_fluids.tension == 0.0)
        wabe_run_warn(run, "porous.pressures.count",
                      "porous.pressures: without two_fluids.tension no interface holds a pressure");
}

/* ---- steps of pressure ----------------------------------------------------------------- */

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
    for (int fluid = 1; fluid <= 2 && !wabe_two_fluids_has_levels(t); fluid++)
        change = fmax(change, flux > 0.0 ? fabs(now[fluid] - last[fluid]) / flux : 1.0);
    return isnan(last[0]) ? INFINITY : change;
}

/* The pressure at the face of the gas less that at the face of the liquid; NAN: there are none. */
static double reservoir_difference(const wabe_two_fluids_case *t) {
    const int low = 2 * axis_of(t), fluid = t->options.faces[low].fluid;
    const double pressures[2] = {t->step.through[low].pressure, t->step.through[low + 1].pressure};
    const double fall = (pressures[0] - pressures[1]) * t->pressure;
    if (!has_pressure(t, low) || !has_pressure(t, low + 1) || fluid < 0 ||
        t->options.faces[low + 1].fluid != 1 - fluid)
        return NAN;
    return fluid == WABE_GAS ? fall : -fall;
}

static wabe_status check(wabe_run *run) {
    wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    wabe_two_fluids_watch *w = &t->watch;
    const int axis = axis_of(t);
    const double now[3] = {t->found.saturation, t->found.flux[0][axis], t->found.flux[1][axis]};
    w->change = change_of(t, now);
    w->steady_checks = w->change < t->options.porous.tolerance ? w->steady_checks + 1 : 0;
    for (int i = 0; i < 3; i++)
        w->last[i] = now[i];
    w->difference = reservoir_difference(t);
    w->settled = w->steady_checks >= CHECKS;
    if (!w->settled)
        return WABE_OK;
    if (wabe_two_fluids_has_levels(t))
        wabe_log_line("settled    after %lld steps: saturation %.4f at a pressure of %.5g",
                      (long long)run->step, now[0], wabe_two_fluids_level(t, w->level));
    else
        wabe_log_line("steady     after %lld steps: saturation and fluxes change by %.2g in %lld",
                      (long long)run->step, w->change, (long long)t->options.porous.interval);
    w->steady = w->level + 1 >= t->options.porous.pressures.count;
    if (w->steady)
        return WABE_OK;
    w->level++;
    w->steady_checks = 0;
    w->last[0] = NAN; /* the new pressure must have had time to act */
    take_level(t);
    return WABE_OK;
}

static bool holds(const wabe_run *run) { return wabe_two_fluids_of(run)->watch.steady; }

static wabe_status unmet(const wabe_run *run) {
    const wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    const long long interval = t->options.porous.interval;
    WABE_CHECK(isfinite(t->watch.change), WABE_NOT_CONVERGED,
               "not converged: %lld steps are too few for checks every %lld that can be compared; "
               "allow more steps, with --restart latest",
               (long long)run->o->steps, interval);
    WABE_CHECK(!wabe_two_fluids_has_levels(t), WABE_NOT_CONVERGED,
               "not converged: after %lld steps the pressure is number %lld of %lld, and the "
               "saturation changes by %.2g in %lld steps, porous.tolerance is %.2g (at %d checks "
               "in succession); allow more steps, with --restart latest",
               (long long)run->o->steps, (long long)t->watch.level + 1,
               (long long)t->options.porous.pressures.count, t->watch.change, interval,
               t->options.porous.tolerance, CHECKS);
    return WABE_FAIL(WABE_NOT_CONVERGED,
                     "not converged: after %lld steps saturation or fluxes change by %.2g in %lld "
                     "steps, porous.tolerance is %.2g (at %d checks in succession); allow more "
                     "steps, with --restart latest",
                     (long long)run->o->steps, t->watch.change, interval,
                     t->options.porous.tolerance, CHECKS);
}

/* ---- phases.csv ---------------------------------------------------------------------------- */

static wabe_status open_file(wabe_run *run) {
    return wabe_time_series_open(&run->folder, "phases.csv",
                                 "step,time,saturation,liquid_flux,gas_flux,liquid_pressure,"
                                 "gas_pressure,reservoir_difference,settled",
                                 run->goes_on ? run->first_step : 0,
                                 &wabe_two_fluids_of(run)->watch.file);
}

static wabe_status add_line(wabe_run *run) {
    const wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    const wabe_two_fluids_found *f = &t->found;
    const int axis = axis_of(t);
    const double line[] = {wabe_run_time(run),         f->saturation,
                           f->flux[WABE_LIQUID][axis], f->flux[WABE_GAS][axis],
                           f->pressure[WABE_LIQUID],   f->pressure[WABE_GAS],
                           t->watch.difference,        t->watch.settled};
    return wabe_agree(run->comm, wabe_time_series_add(&t->watch.file, run->step,
                                                      (int)(sizeof line / sizeof line[0]), line));
}

static void close_file(wabe_run *run) {
    wabe_time_series_close(&wabe_two_fluids_of(run)->watch.file);
}

void wabe_two_fluids_enter_porous(wabe_two_fluids_case *t, wabe_application *app) {
    t->watch.last[0] = NAN;
    t->watch.change = INFINITY;
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
    out[1] = (wabe_checkpoint_number){"porous_steady_checks", w->steady_checks};
    out[2] = (wabe_checkpoint_number){"porous_saturation", w->last[0]};
    out[3] = (wabe_checkpoint_number){"porous_gas_flux", w->last[1]};
    out[4] = (wabe_checkpoint_number){"porous_liquid_flux", w->last[2]};
    out[5] = (wabe_checkpoint_number){"porous_change", w->change};
    out[6] = (wabe_checkpoint_number){"porous_steady", w->steady};
    return 7;
}

/* A whole number up to most that a checkpoint has. */
static int64_t count_of(const wabe_checkpoint *c, const char *name, int64_t most) {
    const double value = wabe_checkpoint_number_of(c, name, 0.0);
    return value >= 0.0 && value <= (double)most ? (int64_t)value : 0;
}

/* Other physics begin anew: with the first of their pressures. */
void wabe_two_fluids_resume_porous(const wabe_run *run, const wabe_checkpoint *c) {
    wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    wabe_two_fluids_watch *w = &t->watch;
    if (axis_of(t) < 0 || run->changed)
        return;
    w->level = count_of(c, "porous_level", t->options.porous.pressures.count - 1);
    w->steady_checks = (int)count_of(c, "porous_steady_checks", CHECKS);
    w->change = wabe_checkpoint_number_of(c, "porous_change", INFINITY);
    w->steady = count_of(c, "porous_steady", 1) > 0;
    w->last[0] = wabe_checkpoint_number_of(c, "porous_saturation", NAN);
    w->last[1] = wabe_checkpoint_number_of(c, "porous_gas_flux", 0.0);
    w->last[2] = wabe_checkpoint_number_of(c, "porous_liquid_flux", 0.0);
    if (wabe_two_fluids_has_levels(t))
        take_level(t);
}

/* ---- results ------------------------------------------------------------------------------- */

/* The force on a volume of a fluid that drives it along the axis, with its weight. */
static double drive_of(const wabe_two_fluids_case *t, const wabe_fluid *fluid) {
    const int axis = axis_of(t);
    const double length = (double)t->place.cells[axis] * t->options.spacing;
    const double lighter = fmin(t->options.two_fluids.liquid.density,
                                t->options.two_fluids.gas.density);
    double drive = t->options.two_fluids.force[axis] +
                   (fluid->density - lighter) * t->options.two_fluids.gravity[axis];
    if (drops(t))
        drive += (t->options.faces[2 * axis].pressure - t->options.faces[2 * axis + 1].pressure) /
                 length;
    return drive;
}

/* The permeability for a fluid; NAN: it is not known what drives it, or nothing has flowed yet. */
static double permeability_of(const wabe_run *run, int fluid) {
    const wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    const wabe_fluid *of = fluid == WABE_LIQUID ? &t->options.two_fluids.liquid
                                                : &t->options.two_fluids.gas;
    const double drive = drive_of(t, of);
    return run->step > 0 && is_driven(t) && drive != 0.0
               ? of->viscosity * t->found.flux[fluid][axis_of(t)] / drive
               : NAN;
}

void wabe_two_fluids_print_found(const wabe_run *run) {
    const wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    static const char *const names[] = {"gas", "liquid"};
    if (axis_of(t) < 0)
        return;
    wabe_log_line("saturation %.6g", t->found.saturation);
    for (int fluid = 0; fluid < 2; fluid++) {
        const double permeability = permeability_of(run, fluid);
        const double relative = permeability / t->options.porous.permeability;
        char text[128] = "", part[64] = "";
        if (isfinite(relative))
            snprintf(part, sizeof part, ", relative %.6g", relative);
        if (isfinite(permeability))
            snprintf(text, sizeof text, ", permeability for it %.6g%s", permeability, part);
        wabe_log_line("%-10s flux %.6g%s", names[fluid], t->found.flux[fluid][axis_of(t)], text);
    }
}

/* Nothing has flowed before the first step. */
static void put_fluid(const wabe_two_fluids_case *t, bool flows, int fluid,
                      const char *const names[6], wabe_json *json) {
    const wabe_fluid *of = fluid == WABE_LIQUID ? &t->options.two_fluids.liquid
                                                : &t->options.two_fluids.gas;
    const double flux = flows ? t->found.flux[fluid][axis_of(t)] : NAN, drive = drive_of(t, of);
    const double permeability = of->viscosity * flux / drive;
    const double tension = t->options.two_fluids.tension;
    const bool known = is_driven(t) && drive != 0.0;
    wabe_json_real(json, names[0], flux);
    wabe_json_real(json, names[1], t->found.pressure[fluid]);
    if (tension > 0.0)
        wabe_json_real(json, names[2], of->viscosity * fabs(flux) / tension);
    if (!known)
        return;
    wabe_json_real(json, names[3], drive);
    wabe_json_real(json, names[4], permeability);
    if (isfinite(t->options.porous.permeability))
        wabe_json_real(json, names[5], permeability / t->options.porous.permeability);
}

void wabe_two_fluids_put_porous(const wabe_run *run, wabe_json *json) {
    const wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    static const char *const liquid[] = {
        "liquid_flux",     "liquid_pressure",     "liquid_capillary_number",
        "liquid_gradient", "liquid_permeability", "liquid_relative_permeability"};
    static const char *const gas[] = {
        "gas_flux",     "gas_pressure",     "gas_capillary_number",
        "gas_gradient", "gas_permeability", "gas_relative_permeability"};
    if (axis_of(t) < 0)
        return;
    wabe_json_open(json, "porous", '{');
    wabe_json_text(json, "axis", (const char *const[]){"x", "y", "z"}[axis_of(t)]);
    if (t->options.porous.tolerance > 0.0)
        wabe_json_boolean(json, "steady", t->watch.steady);
    if (t->pores.cells > 0)
        wabe_json_real(json, "porosity", (double)t->pores.fluid / (double)t->pores.cells);
    wabe_json_real(json, "saturation", t->found.saturation);
    put_fluid(t, run->step > 0, WABE_LIQUID, liquid, json);
    put_fluid(t, run->step > 0, WABE_GAS, gas, json);
    wabe_json_close(json, '}');
}
