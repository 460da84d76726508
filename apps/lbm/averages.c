/* Means over time of a run, from sums that its slabs keep: with a checkpoint they go on. */
#include "apps/lbm/lbm.h"

#include "core/base/log.h"

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
    const double samples = wabe_checkpoint_number_of(c, "samples", 0.0);
    run->samples = samples >= 0.0 && samples < 1e15 ? (int64_t)samples : 0;
    wabe_log_line("means      over time go on, from %lld states", (long long)run->samples);
    return WABE_OK;
}

/* Has the checkpoint sums over the steps that are asked for? */
static bool are_of_the_same(const wabe_lbm_run_state *run, const wabe_checkpoint *c) {
    return wabe_checkpoint_head_of(c)->real_count == WABE_SUM_ROWS &&
           wabe_checkpoint_number_of(c, "average_begin", NAN) ==
               (double)run->options.output.average.begin &&
           wabe_checkpoint_number_of(c, "average_every", NAN) ==
               (double)run->options.output.average.every;
}

wabe_status wabe_lbm_begin_averages(wabe_lbm_run_state *run, wabe_checkpoint *c) {
    run->samples = 0;
    if (!wabe_lbm_has_averages(run))
        return WABE_OK;
    WABE_TRY(wabe_simulation_begin_sums(run->simulation));
    if (!c)
        return WABE_OK;
    if (!are_of_the_same(run, c)) {
        wabe_log_line("means      over time begin anew: %s has none, or of other steps",
                      wabe_checkpoint_path(c));
        return WABE_OK;
    }
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

/* Component k of every stride-th cell of a plane, nx by ny, goes to values from place k on. */
static void put_component(const wabe_lbm_run_state *run, const wabe_lbm_field *field, int k,
                          wabe_box plane, int64_t stride, wabe_type type, const double *sums,
                          const double *squares, void *values) {
    const wabe_quantity *q = &field->quantity;
    const int64_t nx = wabe_box_extent(plane, 0), ny = wabe_box_extent(plane, 1);
    int64_t i = k;
    for (int64_t y = 0; y < ny; y += stride)
        for (int64_t x = 0; x < nx; x += stride, i += q->count) {
            const double mean = mean_of(run, sums[x + nx * y]);
            double value = q->factor * (q->offset + mean);
            if (field->over_time == WABE_LBM_RMS)
                value = q->factor *
                        sqrt(fmax(0.0, mean_of(run, squares[x + nx * y]) - mean * mean));
            value = run->samples ? value : NAN;
            if (type == WABE_TYPE_f64)
                ((double *)values)[i] = value;
            else
                ((float *)values)[i] = (float)value;
        }
}

/* room: for two planes of the box. */
static wabe_status fill_plane(const wabe_lbm_run_state *run, const wabe_lbm_field *field,
                              wabe_box plane, int64_t stride, wabe_type type, double *room,
                              void *values) {
    double *squares = room + wabe_box_cells(plane);
    for (int k = 0; k < field->quantity.count; k++) {
        const int row = field->quantity.first + k;
        WABE_TRY(wabe_simulation_read_sums(run->simulation, row, plane, room));
        if (field->over_time == WABE_LBM_RMS)
            WABE_TRY(wabe_simulation_read_sums(run->simulation, 3 + row, plane, squares));
        put_component(run, field, k, plane, stride, type, room, squares, values);
    }
    return WABE_OK;
}

wabe_status wabe_lbm_fill_average(const wabe_lbm_run_state *run, const wabe_lbm_field *field,
                                  wabe_box box, int64_t stride, wabe_type type, void *values) {
    const int64_t nx = wabe_box_extent(box, 0), ny = wabe_box_extent(box, 1);
    const int64_t bytes = wabe_samples(nx, stride) * wabe_samples(ny, stride) *
                          field->quantity.count * (int64_t)wabe_type_size(type);
    double *room = malloc((size_t)(2 * nx * ny) * sizeof *room);
    WABE_CHECK(room, WABE_MEMORY, "no memory for two planes of sums");
    wabe_status status = WABE_OK;
    char *at = values;
    for (int64_t z = box.begin[2]; z < box.end[2] && status == WABE_OK; z += stride, at += bytes) {
        wabe_box plane = box;
        plane.begin[2] = z;
        plane.end[2] = z + 1;
        status = fill_plane(run, field, plane, stride, type, room, at);
    }
    free(room);
    return status;
}
