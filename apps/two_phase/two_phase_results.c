/* What is found out of a state, for monitor.csv, checkpoints and results. */
#include "apps/two_phase/two_phase_run.h"

#include <math.h>

enum { OF_ALL = 6 };
_Static_assert((int)WABE_TWO_PHASE_COLUMNS == OF_ALL + 2 * WABE_FLUID_COLUMN_COUNT,
               "all columns are counted");
#define COLUMNS "liquid_volume,surface_area,pressure_cycles,volume_change,courant,largest_speed,"
const char wabe_two_phase_columns[] =
    COLUMNS WABE_FLUID_COLUMNS("liquid") "," WABE_FLUID_COLUMNS("gas");

/* The largest size of a number of the state, which its statistics have found. */
static double largest_of(const wabe_stencil_case *s, int number) {
    return fmax(s->numbers[number].last.high, -s->numbers[number].last.low);
}

double wabe_two_phase_fastest(const wabe_two_phase *t) {
    const wabe_stencil_case *s = &t->stencil;
    const int u = WABE_TWO_PHASE_NUMBER_OF_VELOCITY;
    return fmax(fmax(largest_of(s, u), largest_of(s, u + 1)), largest_of(s, u + 2));
}

static double or_one(double value) { return value > 0.0 ? value : 1.0; }

static bool is_solid(double fluid) { return fluid == 0.0; }

static wabe_fluid_look look_of(const wabe_two_phase *t) {
    const int64_t *n = t->step.cells;
    return (wabe_fluid_look){.share = 0,
                             .velocity = WABE_TWO_PHASE_SHOWN,
                             .pressure = WABE_TWO_PHASE_NUMBER_OF_PRESSURE,
                             .surface = WABE_TWO_PHASE_NUMBER_OF_SURFACE,
                             .spacing = t->step.spacing,
                             .fastest = or_one(wabe_two_phase_fastest(t)),
                             .highest =
                                 or_one(largest_of(&t->stencil, WABE_TWO_PHASE_NUMBER_OF_PRESSURE)),
                             .velocity_unit = 1.0,
                             .pressure_unit = 1.0,
                             .kind_field = t->step.has_solids ? WABE_TWO_PHASE_FLUID : -1,
                             .is_solid = is_solid,
                             .box = {{0, 0, 0}, {n[0], n[1], n[2]}}};
}

/* Once. */
static void warn_of_speed(wabe_run *run, double courant) {
    wabe_two_phase *t = wabe_two_phase_of(run);
    if (!t->told && !t->step.steps_differ && courant > WABE_TWO_PHASE_FASTEST)
        wabe_run_warn(run, "two_phase.time_step",
                      "two_phase.time_step is long: at step %lld something goes %.3g cells in it, "
                      "more than %g; take %.3g",
                      (long long)run->step, courant, WABE_TWO_PHASE_FASTEST,
                      0.5 * WABE_TWO_PHASE_FASTEST / courant * t->step.time_step);
    t->told |= courant > WABE_TWO_PHASE_FASTEST;
}

/* What cycles have left of the divergence changes volumes: a little of it is told once, much ends
 * the run. */
static wabe_status check_pressure(wabe_run *run) {
    wabe_two_phase *t = wabe_two_phase_of(run);
    const double left = t->pressure.left * t->step.tolerance; /* over the limit of its step */
    WABE_CHECK(
        left < fmax(WABE_TWO_PHASE_LEFT_MAX, 10.0 * t->step.tolerance), WABE_DIVERGED,
        "before step %lld %d cycles did not find the pressure to "
        "two_phase.pressure_tolerance, but left %.3g of a cell's volume: take a shorter time "
        "step, or cells that can be halved more often",
        (long long)run->step, WABE_TWO_PHASE_CYCLES_MAX, left);
    if (left > 0.0 && !t->told_left)
        wabe_run_warn(
            run, "two_phase.pressure_tolerance",
            "two_phase.pressure_tolerance is not reached: before step %lld %d cycles left "
            "%.3g of a cell's volume; take a larger one, or cells that can be halved more "
            "often",
            (long long)run->step, WABE_TWO_PHASE_CYCLES_MAX, left);
    t->told_left |= left > 0.0;
    t->pressure.left = 0.0;
    return WABE_OK;
}

wabe_status wabe_two_phase_monitor(wabe_run *run, double columns[]) {
    wabe_two_phase *t = wabe_two_phase_of(run);
    const wabe_fluid_look look = look_of(t);
    const double dx = t->step.spacing, fastest = wabe_two_phase_fastest(t);
    wabe_fluid_survey survey;
    WABE_TRY(wabe_fluid_survey_make(run, &look, &survey));
    columns[0] = survey.sums[WABE_LIQUID][WABE_FLUID_AMOUNT] * pow(dx, wabe_two_phase_axes(t));
    columns[1] = survey.surface * pow(dx, wabe_two_phase_axes(t) - 1);
    columns[2] = (double)(t->step.cycles == 0 ? t->pressure.cycles : t->step.cycles);
    columns[3] = t->step.time_step * largest_of(&t->stencil, WABE_TWO_PHASE_NUMBER_OF_DIVERGENCE);
    columns[4] = fastest * t->step.time_step / dx;
    columns[5] = fastest;
    wabe_fluid_survey_put(run, &look, &survey, WABE_LIQUID, columns + OF_ALL);
    wabe_fluid_survey_put(run, &look, &survey, WABE_GAS,
                          columns + OF_ALL + WABE_FLUID_COLUMN_COUNT);
    warn_of_speed(run, columns[4]);
    if (isnan(t->volume)) /* the run begins: what trials of the balance did does not count */
        t->pressure.left = 0.0;
    WABE_TRY(check_pressure(run));
    t->volume = isnan(t->volume) ? columns[0] : t->volume;
    t->lost = t->volume > 0.0 ? (t->volume - columns[0]) / t->volume : 0.0;
    return WABE_OK;
}

int wabe_two_phase_recall(const wabe_run *run, wabe_checkpoint_number out[]) {
    out[0] = (wabe_checkpoint_number){"liquid_volume", wabe_two_phase_of(run)->volume};
    return 1;
}

wabe_status wabe_two_phase_resume(wabe_run *run, const wabe_checkpoint *checkpoint) {
    wabe_two_phase *t = wabe_two_phase_of(run);
    t->volume = wabe_checkpoint_number_of(checkpoint, "liquid_volume", NAN);
    t->pressure.left = 0.0; /* of trials of the balance */
    if (t->step.steps_differ)
        t->step.time_step = run->clock.time_step;
    return WABE_OK;
}

void wabe_two_phase_put(const wabe_run *run, wabe_json *json) {
    const wabe_two_phase *t = wabe_two_phase_of(run);
    wabe_json_real(json, "time_step", t->step.time_step);
    wabe_json_real(json, "liquid_volume_at_start", t->volume);
    if (!wabe_two_phase_is_through(t))
        wabe_json_real(json, "liquid_lost", t->lost);
}
