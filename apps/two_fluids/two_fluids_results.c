/* What is found out of a state: sums over both fluids, and where they are. */
#include "apps/two_fluids/two_fluids_case.h"

#include "apps/lbm/solid_plane.h"
#include "core/base/sum_over_ranks.h"

#include <stdlib.h>

/* Sums over the cells of fluid, of C and of what C and 1 - C carry, in a sense that keeps terms
 * below 8: places count from the domain's corner in its edges, velocities are those of the lattice.
 */
enum { SURFACE, OF_FLUIDS, PLACE = 1, SPEED = 4, PRESSED = 7, PURE, SUMS_EACH };
enum { SUMS = 1 + 2 * SUMS_EACH };
enum { PARTS = 5, KIND = PARTS }; /* C, velocity and pressure; what a cell is */
#define LEAST 1e-6                /* of a cell, which may be rounding */
#define NOTHING 1e-9              /* share of a fluid that there is none of */
/* The share from which a cell's pressure is a fluid's: in an interface the tension has a part. */
#define PUREST 0.95

/* Of the cells of a block: the sums, and the first cell along each axis that has more of a fluid
 * than of the other one, and that behind the last, as its negative. */
typedef struct {
    wabe_sum sums[SUMS];
    wabe_sum part[SUMS]; /* of the slices from porous.begin to porous.end, if these are given */
    double extents[2][6];
} survey;

static bool has_part(const wabe_two_fluids_case *t) { return t->options.porous.end > 0; }

static bool is_in_part(const wabe_two_fluids_case *t, const int64_t cell[3]) {
    const int axis = t->options.porous.axis - 1;
    return has_part(t) && cell[axis] >= t->options.porous.begin &&
           cell[axis] < t->options.porous.end;
}

/* extents: NULL: they are not looked for. */
static void survey_cell(const wabe_two_fluids_case *t, const int64_t cell[3], const double *values,
                        int64_t stride, wabe_sum sums[SUMS], double extents[2][6]) {
    const double c = fmin(fmax(values[0], -1.0), 2.0), shares[2] = {1.0 - c, c};
    const double pressure = fmin(fmax(values[4 * stride], -2.0), 2.0);
    wabe_sum_add(&sums[SURFACE], 4.0 * c * (1.0 - c) / t->step.width);
    for (int fluid = 0; fluid < 2; fluid++) {
        wabe_sum *own = sums + OF_FLUIDS + fluid * SUMS_EACH;
        wabe_sum_add(&own[0], shares[fluid]);
        wabe_sum_add(&own[PRESSED], shares[fluid] > PUREST ? pressure : 0.0);
        wabe_sum_add(&own[PURE], shares[fluid] > PUREST ? 1.0 : 0.0);
        for (int axis = 0; axis < 3; axis++) {
            const double at = ((double)cell[axis] + 0.5) / (double)t->place.cells[axis];
            const double u = fmin(fmax(values[(1 + axis) * stride], -1.0), 1.0);
            wabe_sum_add(&own[PLACE + axis], shares[fluid] * at);
            wabe_sum_add(&own[SPEED + axis], shares[fluid] * u);
            if (extents && shares[fluid] > 0.5) {
                double *own_extents = extents[fluid];
                own_extents[axis] = fmin(own_extents[axis], (double)cell[axis]);
                own_extents[3 + axis] = fmin(own_extents[3 + axis], -(double)cell[axis] - 1.0);
            }
        }
    }
}

static wabe_status survey_plane(const wabe_run *run, wabe_box plane, double *values, survey *out) {
    static const int parts[PARTS] = {WABE_TWO_FLUIDS_PHASE, WABE_TWO_FLUIDS_NUMBERS,
                                     WABE_TWO_FLUIDS_NUMBERS + 1, WABE_TWO_FLUIDS_NUMBERS + 2,
                                     WABE_TWO_FLUIDS_PRESSURE};
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    const wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    const int64_t nx = wabe_box_extent(plane, 0), cells = wabe_box_cells(plane);
    const wabe_grid_slabs_number kind = {&s->slabs, {.field = WABE_TWO_FLUIDS_KIND}};
    for (int part = 0; part < PARTS; part++)
        WABE_TRY(wabe_grid_slabs_read(&s->numbers[parts[part]].of, run->domain, plane,
                                      WABE_TYPE_f64, values + part * cells));
    if (wabe_two_fluids_has_solids(t))
        WABE_TRY(
            wabe_grid_slabs_read(&kind, run->domain, plane, WABE_TYPE_f64, values + KIND * cells));
    for (int64_t i = 0; i < cells; i++) {
        const int64_t cell[3] = {plane.begin[0] + i % nx, plane.begin[1] + i / nx, plane.begin[2]};
        if (wabe_two_fluids_has_solids(t) && values[KIND * cells + i] >= WABE_TWO_FLUIDS_SOLID)
            continue;
        survey_cell(t, cell, values + i, cells, out->sums, out->extents);
        if (is_in_part(t, cell))
            survey_cell(t, cell, values + i, cells, out->part, NULL);
    }
    for (int sum = 0; sum < SUMS; sum++) {
        wabe_sum_carry(&out->sums[sum]);
        wabe_sum_carry(&out->part[sum]);
    }
    return WABE_OK;
}

static wabe_status survey_block(const wabe_run *run, survey *out) {
    wabe_box plane = run->block;
    plane.end[2] = plane.begin[2] + 1;
    double *values = malloc((size_t)((PARTS + 1) * wabe_box_cells(plane)) * sizeof *values);
    WABE_CHECK(values, WABE_MEMORY, "no memory for a plane of cells");
    wabe_status status = WABE_OK;
    for (; plane.begin[2] < run->block.end[2] && status == WABE_OK; plane.begin[2]++) {
        plane.end[2] = plane.begin[2] + 1;
        status = survey_plane(run, plane, values, out);
    }
    free(values);
    return status;
}

#define COLUMNS_OF(fluid)                                                                          \
    fluid "_x," fluid "_y," fluid "_z," fluid "_velocity_x," fluid "_velocity_y," fluid            \
          "_velocity_z," fluid "_low_x," fluid "_low_y," fluid "_low_z," fluid "_high_x," fluid    \
          "_high_y," fluid "_high_z," fluid "_pressure"
const char wabe_two_fluids_columns[] =
    "liquid_volume,surface_area,liquid_share," COLUMNS_OF("liquid") "," COLUMNS_OF("gas");

/* Of a fluid: the centre of its volume, its mean velocity, the box that it fills; last comes its
 * mean pressure. */
static void put_fluid(const wabe_two_fluids_case *t, const double own[SUMS_EACH],
                      const double extents[6], double out[WABE_TWO_FLUIDS_EACH]) {
    const double dx = t->options.spacing;
    const double amount = fabs(own[0]) > LEAST ? own[0] : NAN; /* cells: there is some */
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = own[PLACE + axis] / amount * dx * (double)t->place.cells[axis];
        out[3 + axis] = own[SPEED + axis] / amount * t->velocity;
        out[6 + axis] = isfinite(extents[axis]) ? dx * extents[axis] : NAN;
        out[9 + axis] = isfinite(extents[3 + axis]) ? -dx * extents[3 + axis] : NAN;
    }
}

/* Mean pressure of a fluid; NAN: there is no cell of it alone. */
static double pressure_of(const wabe_two_fluids_case *t, const double own[SUMS_EACH]) {
    return own[PURE] > 0.0 ? own[PRESSED] / own[PURE] * t->pressure : NAN;
}

/* measured: the sums of the part, or of all. */
static void find(const wabe_two_fluids_case *t, const double measured[SUMS],
                 wabe_two_fluids_found *out) {
    const int64_t *n = t->place.cells;
    const int axis = t->options.porous.axis - 1;
    const double all = (double)n[0] * (double)n[1] * (double)n[2];
    const double slices = (double)(t->options.porous.end - t->options.porous.begin);
    const double cells = has_part(t) ? all / (double)n[axis] * slices : all;
    const double *liquid = measured + OF_FLUIDS + WABE_LIQUID * SUMS_EACH;
    const double *gas = measured + OF_FLUIDS + WABE_GAS * SUMS_EACH;
    out->saturation = liquid[0] / (liquid[0] + gas[0]);
    for (int fluid = 0; fluid < 2; fluid++) {
        const double *own = measured + OF_FLUIDS + fluid * SUMS_EACH;
        for (int d = 0; d < 3; d++)
            out->flux[fluid][d] = own[SPEED + d] / cells * t->velocity;
        out->pressure[fluid] = pressure_of(t, own);
    }
}

wabe_status wabe_two_fluids_monitor(wabe_run *run, double columns[]) {
    wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    const double dx = t->options.spacing;
    survey s = {.extents = {{INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY},
                            {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY}}};
    double value[SUMS], part[SUMS];
    const int axes = wabe_two_fluids_axes(t);
    WABE_TRY(wabe_agree(run->comm, survey_block(run, &s)));
    for (int i = 0; i < SUMS; i++) {
        wabe_sum_over_ranks(run->comm, &s.sums[i]);
        wabe_sum_over_ranks(run->comm, &s.part[i]);
        value[i] = wabe_sum_value(s.sums[i]);
        part[i] = wabe_sum_value(s.part[i]);
    }
    MPI_Allreduce(MPI_IN_PLACE, s.extents, 2 * 6, MPI_DOUBLE, MPI_MIN, run->comm);
    const double *of[2] = {value + OF_FLUIDS, value + OF_FLUIDS + SUMS_EACH};
    find(t, has_part(t) ? part : value, &t->found);
    for (int i = 0; i < 2; i++) { /* the liquid first */
        const int fluid = i == 0 ? WABE_LIQUID : WABE_GAS;
        double *to = columns + WABE_TWO_FLUIDS_OF_ALL + i * WABE_TWO_FLUIDS_EACH;
        put_fluid(t, of[fluid], s.extents[fluid], to);
        to[WABE_TWO_FLUIDS_EACH - 1] = pressure_of(t, of[fluid]);
    }
    columns[0] = of[WABE_LIQUID][0] * pow(dx, axes);
    columns[1] = value[SURFACE] * pow(dx, axes > 0 ? axes - 1 : 0);
    columns[2] = of[WABE_LIQUID][0] / (of[WABE_LIQUID][0] + of[WABE_GAS][0]);
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
