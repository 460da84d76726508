/* What is found out of a state: sums over both fluids, and how fast anything goes. */
#include "apps/two_phase/two_phase_run.h"

#include "core/base/log.h"
#include "core/base/sum_over_ranks.h"

#include <math.h>
#include <stdlib.h>

/* Sums over cells: of a fluid's share, and of that times the place and the velocity, in units that
 * keep them below 2: of the domain's edges, and of the fastest velocity. */
enum { AMOUNT, PLACE, SPEED = 4, OF_FLUID = 7, SUMS = 2 * OF_FLUID };
#define LEAST 1e-9 /* share of the cells that is none */

const char wabe_two_phase_columns[] =
    "liquid_volume,courant,largest_speed,liquid_x,liquid_y,liquid_z,liquid_velocity_x,"
    "liquid_velocity_y,liquid_velocity_z,gas_x,gas_y,gas_z,gas_velocity_x,gas_velocity_y,"
    "gas_velocity_z";

static void add_cell(const wabe_two_phase *t, const int64_t cell[3], const double *values,
                     int64_t stride, double fastest, wabe_sum sums[SUMS]) {
    const double psi = fmin(fmax(values[0], -1.0), 2.0), shares[2] = {1.0 - psi, psi};
    for (int fluid = 0; fluid < 2; fluid++) {
        wabe_sum *own = sums + fluid * OF_FLUID;
        wabe_sum_add(&own[AMOUNT], shares[fluid]);
        for (int axis = 0; axis < 3; axis++) {
            const double at = ((double)cell[axis] + 0.5) / (double)t->step.cells[axis];
            const double u = values[(1 + axis) * stride] / fastest;
            wabe_sum_add(&own[PLACE + axis], shares[fluid] * at);
            wabe_sum_add(&own[SPEED + axis], shares[fluid] * fmin(fmax(u, -1.0), 1.0));
        }
    }
}

static wabe_status add_plane(const wabe_run *run, wabe_box plane, double fastest, double *values,
                             wabe_sum sums[SUMS]) {
    static const int parts[4] = {0, WABE_TWO_PHASE_SHOWN, WABE_TWO_PHASE_SHOWN + 1,
                                 WABE_TWO_PHASE_SHOWN + 2};
    const wabe_stencil_case *s = wabe_stencil_case_of(run);
    const int64_t nx = wabe_box_extent(plane, 0), cells = wabe_box_cells(plane);
    for (int part = 0; part < 4; part++)
        WABE_TRY(wabe_grid_slabs_read(&s->numbers[parts[part]].of, run->domain, plane,
                                      WABE_TYPE_f64, values + part * cells));
    for (int64_t i = 0; i < cells; i++)
        add_cell(wabe_two_phase_of(run),
                 (const int64_t[3]){plane.begin[0] + i % nx, plane.begin[1] + i / nx,
                                    plane.begin[2]},
                 values + i, cells, fastest, sums);
    for (int i = 0; i < SUMS; i++)
        wabe_sum_carry(&sums[i]);
    return WABE_OK;
}

static wabe_status add_block(const wabe_run *run, double fastest, wabe_sum sums[SUMS]) {
    wabe_box plane = run->block;
    plane.end[2] = plane.begin[2] + 1;
    double *values = malloc((size_t)(4 * wabe_box_cells(plane)) * sizeof *values);
    WABE_CHECK(values, WABE_MEMORY, "no memory for a plane of cells");
    wabe_status status = WABE_OK;
    for (; plane.begin[2] < run->block.end[2] && status == WABE_OK; plane.begin[2]++) {
        plane.end[2] = plane.begin[2] + 1;
        status = add_plane(run, plane, fastest, values, sums);
    }
    free(values);
    return status;
}

/* The largest velocity on a face, which the statistics of the state have found. */
static double fastest_of(const wabe_stencil_case *s) {
    double fastest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const wabe_field_state *is = &s->numbers[WABE_TWO_PHASE_N_VELOCITY + axis].last;
        fastest = fmax(fastest, fmax(is->high, -is->low));
    }
    return fastest;
}

wabe_status wabe_two_phase_monitor(wabe_run *run, double columns[]) {
    wabe_two_phase *t = wabe_two_phase_of(run);
    const double dx = t->step.spacing, fastest = fastest_of(&t->stencil);
    wabe_sum sums[SUMS] = {{0}};
    double value[SUMS];
    WABE_TRY(wabe_agree(run->comm, add_block(run, fastest > 0.0 ? fastest : 1.0, sums)));
    for (int i = 0; i < SUMS; i++) {
        wabe_sum_over_ranks(run->comm, &sums[i]);
        value[i] = wabe_sum_value(sums[i]);
    }
    columns[0] = value[OF_FLUID] * pow(dx, wabe_two_phase_axes(t));
    columns[1] = fastest * t->step.time_step / dx;
    columns[2] = fastest;
    for (int i = 0; i < 2; i++) { /* the liquid first */
        const double *own = value + (1 - i) * OF_FLUID;
        const double amount = own[AMOUNT] > LEAST * wabe_run_cells(run) ? own[AMOUNT] : NAN;
        for (int axis = 0; axis < 3; axis++) {
            columns[3 + 6 * i + axis] = own[PLACE + axis] / amount * dx *
                                        (double)t->step.cells[axis];
            columns[6 + 6 * i + axis] = own[SPEED + axis] / amount * fastest;
        }
    }
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
