/* What is found out of a state, for monitor.csv, checkpoints and results. */
#include "apps/two_fluids/two_fluids_case.h"

#include "apps/lbm/solid_plane.h"

#define NOTHING 1e-9 /* share of a fluid that there is none of */

static bool is_solid(double kind) { return kind >= WABE_TWO_FLUIDS_SOLID; }

/* Of all cells; velocities and pressures of the lattice are small. */
static wabe_fluid_look look_of(const wabe_two_fluids_case *t) {
    const int64_t *n = t->place.cells;
    return (wabe_fluid_look){.share = WABE_TWO_FLUIDS_PHASE,
                             .velocity = WABE_TWO_FLUIDS_NUMBERS,
                             .pressure = WABE_TWO_FLUIDS_PRESSURE,
                             .surface = -1,
                             .per_width = 1.0 / t->step.width,
                             .spacing = t->options.spacing,
                             .fastest = 1.0,
                             .highest = 1.0,
                             .velocity_unit = t->velocity,
                             .pressure_unit = t->pressure,
                             .kind_field = wabe_two_fluids_has_solids(t) ? WABE_TWO_FLUIDS_KIND
                                                                         : -1,
                             .is_solid = is_solid,
                             .box = {{0, 0, 0}, {n[0], n[1], n[2]}}};
}

#define COLUMNS "liquid_volume,surface_area,liquid_share,"
const char wabe_two_fluids_columns[] =
    COLUMNS WABE_FLUID_COLUMNS("liquid") "," WABE_FLUID_COLUMNS("gas");

/* What is measured in the slices from porous.begin to porous.end, or, unless these are given, in
 * all cells, which survey has looked at. */
static wabe_status find(wabe_run *run, wabe_fluid_look look, const wabe_fluid_survey *survey) {
    wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    const int axis = t->options.porous.axis - 1;
    wabe_fluid_survey part = *survey;
    if (t->options.porous.end > 0) {
        look.box.begin[axis] = t->options.porous.begin;
        look.box.end[axis] = t->options.porous.end;
        WABE_TRY(wabe_fluid_survey_make(run, &look, &part));
    }
    const double liquid = part.sums[WABE_LIQUID][WABE_FLUID_AMOUNT];
    const double cells = (double)wabe_box_cells(look.box);
    t->found.saturation = liquid / (liquid + part.sums[WABE_GAS][WABE_FLUID_AMOUNT]);
    for (int fluid = 0; fluid < 2; fluid++) {
        for (int d = 0; d < 3; d++)
            t->found.flux[fluid][d] = part.sums[fluid][WABE_FLUID_SPEED + d] / cells * t->velocity;
        t->found.pressure[fluid] = wabe_fluid_survey_pressure(&look, &part, fluid);
    }
    return WABE_OK;
}

wabe_status wabe_two_fluids_monitor(wabe_run *run, double columns[]) {
    wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    const wabe_fluid_look look = look_of(t);
    const double dx = t->options.spacing;
    const int axes = wabe_two_fluids_axes(t);
    wabe_fluid_survey survey;
    WABE_TRY(wabe_fluid_survey_make(run, &look, &survey));
    WABE_TRY(find(run, look, &survey));
    const double liquid = survey.sums[WABE_LIQUID][WABE_FLUID_AMOUNT];
    columns[0] = liquid * pow(dx, axes);
    columns[1] = survey.surface * pow(dx, axes > 0 ? axes - 1 : 0);
    columns[2] = liquid / (liquid + survey.sums[WABE_GAS][WABE_FLUID_AMOUNT]);
    wabe_fluid_survey_put(run, &look, &survey, WABE_LIQUID, columns + WABE_TWO_FLUIDS_OF_ALL);
    wabe_fluid_survey_put(run, &look, &survey, WABE_GAS,
                          columns + WABE_TWO_FLUIDS_OF_ALL + WABE_FLUID_COLUMN_COUNT);
    if (isnan(t->volume) && (columns[2] < NOTHING || columns[2] > 1.0 - NOTHING))
        wabe_run_warn(run, "two_fluids.shapes", "there is no %s at the start",
                      columns[2] < NOTHING ? "liquid" : "gas");
    t->volume = isnan(t->volume) ? columns[0] : t->volume;
    return WABE_OK;
}

wabe_status wabe_two_fluids_mask(const wabe_run *run, wabe_box plane, uint8_t **out) {
    return wabe_lbm_gather_solid(run, &wabe_two_fluids_of(run)->solids.geometry, plane, out);
}

int wabe_two_fluids_recall(const wabe_run *run, wabe_checkpoint_number out[]) {
    out[0] = (wabe_checkpoint_number){"liquid_volume", wabe_two_fluids_of(run)->volume};
    out[1] = (wabe_checkpoint_number){"unit_of_time", wabe_two_fluids_of(run)->time_step};
    return 2 + wabe_two_fluids_recall_porous(wabe_two_fluids_of(run), out + 2);
}

wabe_status wabe_two_fluids_resume(wabe_run *run, const wabe_checkpoint *checkpoint) {
    wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    const double before = wabe_checkpoint_number_of(checkpoint, "unit_of_time", t->time_step);
    t->volume = wabe_checkpoint_number_of(checkpoint, "liquid_volume", NAN);
    if (before != t->time_step)
        return wabe_config_fail(run->config, "two_fluids.time_step",
                                "was %.17g when the checkpoint was written, and is the unit of its "
                                "velocities: it would be %.17g now; give that of before",
                                before, t->time_step);
    wabe_two_fluids_resume_porous(run, checkpoint);
    return WABE_OK;
}

void wabe_two_fluids_put(const wabe_run *run, wabe_json *json) {
    const wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    wabe_json_real(json, "time_step", t->time_step);
    wabe_json_real(json, "liquid_volume_at_start", t->volume);
    wabe_two_fluids_put_porous(run, json);
}
