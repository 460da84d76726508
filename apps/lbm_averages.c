/* Means over time of a run, from sums that its slabs keep: with a checkpoint they go on. */
#include "apps/lbm.h"

#include <math.h>
#include <stdlib.h>

bool wabe_lbm_has_averages(const wabe_lbm_run_state *run) {
    bool found = false;
    for (int i = 0; i < run->part_count; i++)
        for (int f = 0; f < run->parts[i].field_count; f++)
            found |= run->parts[i].fields[f].over_time != WABE_LBM_NOW;
    return found;
}

/* Those of a checkpoint, a plane of the block at a time. */
static wabe_status restore(wabe_lbm_run_state *run, wabe_checkpoint *c, double *plane) {
    const int first = wabe_checkpoint_head_of(c)->array_count;
    for (int row = 0; row < WABE_SUM_ROWS; row++)
        for (int64_t z = run->block.begin[2]; z < run->block.end[2]; z++) {
            wabe_box box = run->block;
            box.begin[2] = z;
            box.end[2] = z + 1;
            WABE_TRY(wabe_checkpoint_read(c, first + row, box, plane));
            WABE_TRY(wabe_simulation_write_sums(run->simulation, row, z, plane));
        }
    run->samples = (int64_t)wabe_checkpoint_number_of(c, "samples", 0.0);
    return WABE_OK;
}

wabe_status wabe_lbm_begin_averages(wabe_lbm_run_state *run, wabe_checkpoint *c) {
    run->samples = 0;
    if (!wabe_lbm_has_averages(run))
        return WABE_OK;
    WABE_TRY(wabe_simulation_begin_sums(run->simulation));
    if (!c || wabe_checkpoint_head_of(c)->real_count != WABE_SUM_ROWS)
        return WABE_OK;
    double *plane = malloc(
        (size_t)(wabe_box_extent(run->block, 0) * wabe_box_extent(run->block, 1)) * sizeof *plane);
    WABE_CHECK(plane, WABE_MEMORY, "no memory for a plane of sums");
    const wabe_status status = restore(run, c, plane);
    free(plane);
    return status;
}

void wabe_lbm_average(wabe_lbm_run_state *run, int64_t step) {
    const int64_t after = step - run->options.output.average.begin;
    if (after <= 0 || after % run->options.output.average.every != 0 || !wabe_lbm_has_averages(run))
        return;
    wabe_profile_start(&run->simulation->domain.profile);
    wabe_simulation_add_to_sums(run->simulation);
    run->samples++;
    wabe_profile_stop(&run->simulation->domain.profile, WABE_PHASE_monitor);
}

/* ---- fields ------------------------------------------------------------------------- */

static double mean_of(const wabe_lbm_run_state *run, double sum) {
    return sum / (double)run->samples; /* NAN without samples */
}

/* Puts component k of every stride-th cell of the box where it belongs. */
static void put_component(const wabe_lbm_run_state *run, const wabe_lbm_field *field, int k,
                          wabe_box box, int64_t stride, wabe_type type, const double *sums,
                          const double *squares, void *values) {
    const wabe_quantity *q = &field->quantity;
    const int64_t nx = wabe_box_extent(box, 0), ny = wabe_box_extent(box, 1);
    int64_t i = k;
    for (int64_t z = 0; z < wabe_box_extent(box, 2); z += stride)
        for (int64_t y = 0; y < ny; y += stride)
            for (int64_t x = 0; x < nx; x += stride, i += q->count) {
                const int64_t n = x + nx * (y + ny * z);
                const double mean = mean_of(run, sums[n]);
                const double value =
                    field->over_time == WABE_LBM_MEAN
                        ? q->factor * (q->offset + mean)
                        : q->factor * sqrt(fmax(0.0, mean_of(run, squares[n]) - mean * mean));
                if (type == WABE_TYPE_f64)
                    ((double *)values)[i] = run->samples ? value : NAN;
                else
                    ((float *)values)[i] = run->samples ? (float)value : NAN;
            }
}

static wabe_status fill(const wabe_lbm_run_state *run, const wabe_lbm_field *field, wabe_box box,
                        int64_t stride, wabe_type type, double *room, void *values) {
    double *squares = room + wabe_box_cells(box);
    for (int k = 0; k < field->quantity.count; k++) {
        const int row = field->quantity.first + k;
        WABE_TRY(wabe_simulation_read_sums(run->simulation, row, box, room));
        if (field->over_time == WABE_LBM_RMS)
            WABE_TRY(wabe_simulation_read_sums(run->simulation, 3 + row, box, squares));
        put_component(run, field, k, box, stride, type, room, squares, values);
    }
    return WABE_OK;
}

wabe_status wabe_lbm_fill_average(const wabe_lbm_run_state *run, const wabe_lbm_field *field,
                                  wabe_box box, int64_t stride, wabe_type type, void *values) {
    double *room = malloc((size_t)(2 * wabe_box_cells(box)) * sizeof *room);
    WABE_CHECK(room, WABE_MEMORY, "no memory for the averages of %lld cells",
               (long long)wabe_box_cells(box));
    const wabe_status status = fill(run, field, box, stride, type, room, values);
    free(room);
    return status;
}
