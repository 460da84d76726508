/* What is found out of a state: sums over both fluids, and how fast anything goes. */
#include "apps/two_phase/two_phase_run.h"

#include "core/base/log.h"
#include "core/base/sum_over_ranks.h"

#include <math.h>
#include <stdlib.h>

/* Sums over cells: of a fluid's share, and of that times the place and the velocity, in units that
 * keep them below 2: of the domain's edges, and of the fastest velocity; of the surface, in faces
 * of a cell. */
enum { AMOUNT, PLACE, SPEED = 4, OF_FLUID = 7, SURFACE = 2 * OF_FLUID, SUMS };
/* Values of a cell. */
enum { FRACTION, VELOCITY, OF_SURFACE = VELOCITY + 3, VALUES };
#define LEAST 1e-9 /* share of the cells that is none */

/* Of a fluid: the centre of its volume, its mean velocity, the box around the cells that it fills
 * by more than half. */
#define COLUMNS_OF(fluid)                                                                          \
    fluid "_x," fluid "_y," fluid "_z," fluid "_velocity_x," fluid "_velocity_y," fluid            \
          "_velocity_z," fluid "_low_x," fluid "_low_y," fluid "_low_z," fluid "_high_x," fluid    \
          "_high_y," fluid "_high_z"
enum { OF_ALL = 6, EACH = 12 };
_Static_assert((int)WABE_TWO_PHASE_COLUMNS == OF_ALL + 2 * EACH, "all columns are counted");
const char wabe_two_phase_columns[] =
    "liquid_volume,surface_area,pressure_cycles,volume_change,courant,largest_speed," COLUMNS_OF(
        "liquid") "," COLUMNS_OF("gas");

/* Sums, and of each fluid the first cell along each axis, and the one behind the last, as its
 * negative. */
typedef struct {
    wabe_sum sums[SUMS];
    double extents[2][6];
} survey;

static void add_cell(const wabe_two_phase *t, const int64_t cell[3], const double *values,
                     int64_t stride, double fastest, survey *out) {
    const double psi = fmin(fmax(values[FRACTION], -1.0), 2.0), shares[2] = {1.0 - psi, psi};
    wabe_sum_add(&out->sums[SURFACE], fmin(values[OF_SURFACE * stride] * t->step.spacing, 1.0));
    for (int fluid = 0; fluid < 2; fluid++) {
        wabe_sum *own = out->sums + fluid * OF_FLUID;
        double *box = out->extents[fluid];
        wabe_sum_add(&own[AMOUNT], shares[fluid]);
        for (int axis = 0; axis < 3; axis++) {
            const double at = ((double)cell[axis] + 0.5) / (double)t->step.cells[axis];
            const double u = values[(VELOCITY + axis) * stride] / fastest;
            wabe_sum_add(&own[PLACE + axis], shares[fluid] * at);
            wabe_sum_add(&own[SPEED + axis], shares[fluid] * fmin(fmax(u, -1.0), 1.0));
            if (shares[fluid] > 0.5) {
                box[axis] = fmin(box[axis], (double)cell[axis]);
                box[3 + axis] = fmin(box[3 + axis], -(double)cell[axis] - 1.0);
            }
        }
    }
}

static wabe_status add_plane(const wabe_run *run, wabe_box plane, double fastest, double *values,
                             survey *out) {
    static const int parts[VALUES] = {0, WABE_TWO_PHASE_SHOWN, WABE_TWO_PHASE_SHOWN + 1,
                                      WABE_TWO_PHASE_SHOWN + 2, WABE_TWO_PHASE_NUMBER_OF_SURFACE};
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    const int64_t nx = wabe_box_extent(plane, 0), cells = wabe_box_cells(plane);
    for (int part = 0; part < VALUES; part++)
        WABE_TRY(wabe_grid_slabs_read(&s->numbers[parts[part]].of, run->domain, plane,
                                      WABE_TYPE_f64, values + part * cells));
    for (int64_t i = 0; i < cells; i++)
        add_cell(wabe_two_phase_of(run),
                 (const int64_t[3]){plane.begin[0] + i % nx, plane.begin[1] + i / nx,
                                    plane.begin[2]},
                 values + i, cells, fastest, out);
    for (int i = 0; i < SUMS; i++)
        wabe_sum_carry(&out->sums[i]);
    return WABE_OK;
}

static wabe_status add_block(const wabe_run *run, double fastest, survey *out) {
    wabe_box plane = run->block;
    plane.end[2] = plane.begin[2] + 1;
    double *values = malloc((size_t)(VALUES * wabe_box_cells(plane)) * sizeof *values);
    WABE_CHECK(values, WABE_MEMORY, "no memory for a plane of cells");
    wabe_status status = WABE_OK;
    for (; plane.begin[2] < run->block.end[2] && status == WABE_OK; plane.begin[2]++) {
        plane.end[2] = plane.begin[2] + 1;
        status = add_plane(run, plane, fastest, values, out);
    }
    free(values);
    return status;
}

/* The largest velocity on a face, which the statistics of the state have found. */
static double fastest_of(const wabe_stencil_case *s) {
    double fastest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const wabe_field_state *is = &s->numbers[WABE_TWO_PHASE_NUMBER_OF_VELOCITY + axis].last;
        fastest = fmax(fastest, fmax(is->high, -is->low));
    }
    return fastest;
}

static void put_fluid(const wabe_two_phase *t, const double own[OF_FLUID], const double box[6],
                      double cells, double fastest, double out[EACH]) {
    const double dx = t->step.spacing, amount = own[AMOUNT] > LEAST * cells ? own[AMOUNT] : NAN;
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = own[PLACE + axis] / amount * dx * (double)t->step.cells[axis];
        out[3 + axis] = own[SPEED + axis] / amount * fastest;
        out[6 + axis] = isfinite(box[axis]) ? dx * box[axis] : NAN;
        out[9 + axis] = isfinite(box[3 + axis]) ? -dx * box[3 + axis] : NAN;
    }
}

/* Once. */
static void warn_of_speed(wabe_run *run, double courant) {
    wabe_two_phase *t = wabe_two_phase_of(run);
    if (!t->told && courant > WABE_TWO_PHASE_FASTEST)
        wabe_run_warn(run, "two_phase.time_step",
                      "two_phase.time_step is long: at step %lld something goes %.3g cells in it, "
                      "more than %g; take %.3g",
                      (long long)run->step, courant, WABE_TWO_PHASE_FASTEST,
                      0.5 * WABE_TWO_PHASE_FASTEST / courant * t->step.time_step);
    t->told |= courant > WABE_TWO_PHASE_FASTEST;
}

wabe_status wabe_two_phase_monitor(wabe_run *run, double columns[]) {
    wabe_two_phase *t = wabe_two_phase_of(run);
    const wabe_field_state *divergence =
        &t->stencil.numbers[WABE_TWO_PHASE_NUMBER_OF_DIVERGENCE].last;
    const double dx = t->step.spacing, fastest = fastest_of(&t->stencil);
    survey s = {.extents = {{INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY},
                            {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY}}};
    double value[SUMS];
    WABE_TRY(wabe_agree(run->comm, add_block(run, fastest > 0.0 ? fastest : 1.0, &s)));
    for (int i = 0; i < SUMS; i++) {
        wabe_sum_over_ranks(run->comm, &s.sums[i]);
        value[i] = wabe_sum_value(s.sums[i]);
    }
    MPI_Allreduce(MPI_IN_PLACE, s.extents, 2 * 6, MPI_DOUBLE, MPI_MIN, run->comm);
    columns[0] = value[OF_FLUID] * pow(dx, wabe_two_phase_axes(t));
    columns[1] = value[SURFACE] * pow(dx, wabe_two_phase_axes(t) - 1);
    columns[2] = (double)(t->step.cycles == 0 ? t->pressure.cycles : t->step.cycles);
    columns[3] = t->step.time_step * fmax(divergence->high, -divergence->low);
    columns[4] = fastest * t->step.time_step / dx;
    columns[5] = fastest;
    for (int i = 0; i < 2; i++) /* the liquid first */
        put_fluid(t, value + (1 - i) * OF_FLUID, s.extents[1 - i], wabe_run_cells(run), fastest,
                  columns + OF_ALL + i * EACH);
    warn_of_speed(run, columns[4]);
    if (isnan(t->volume)) /* the run begins: what trials of the balance did does not count */
        t->pressure.left = 0.0;
    WABE_CHECK(t->pressure.left == 0.0, WABE_DIVERGED,
               "before step %lld %d cycles did not find the pressure to "
               "two_phase.pressure_tolerance, but to %.3g: take a larger one, or cells that can be "
               "halved more often",
               (long long)run->step, WABE_TWO_PHASE_CYCLES_MAX,
               t->pressure.left / t->pressure.limit * t->step.tolerance);
    t->volume = isnan(t->volume) ? columns[0] : t->volume;
    t->lost = t->volume > 0.0 ? (t->volume - columns[0]) / t->volume : 0.0;
    return WABE_OK;
}

int wabe_two_phase_recall(const wabe_run *run, wabe_checkpoint_number out[]) {
    out[0] = (wabe_checkpoint_number){"liquid_volume", wabe_two_phase_of(run)->volume};
    return 1;
}

wabe_status wabe_two_phase_resume(wabe_run *run, const wabe_checkpoint *checkpoint) {
    wabe_two_phase_of(run)->volume = wabe_checkpoint_number_of(checkpoint, "liquid_volume", NAN);
    return WABE_OK;
}

void wabe_two_phase_put(const wabe_run *run, wabe_json *json) {
    const wabe_two_phase *t = wabe_two_phase_of(run);
    wabe_json_real(json, "time_step", t->step.time_step);
    wabe_json_real(json, "liquid_volume_at_start", t->volume);
    wabe_json_real(json, "liquid_lost", t->lost);
}
