/* A run's statistics over time, from sums that its slabs keep, or the host; restarts continue
 * them. */
#include "apps/runtime/run_internal.h"

#include "core/base/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sums on the host --------------------------------------------------------------- */

static wabe_status begin_own(wabe_run *run) {
    const size_t rows = (size_t)run->averages.rows;
    run->averages.own = calloc(rows * (size_t)wabe_box_cells(run->block), sizeof(double));
    WABE_CHECK(run->averages.own, WABE_MEMORY, "no memory for sums over time");
    return WABE_OK;
}

/* Adds a plane of the block: each of the state's numbers, then their squares. */
static void add_plane(const wabe_run *run, int64_t z, const double *numbers) {
    const int rows = run->app->number_count;
    const int64_t all = wabe_box_cells(run->block);
    const int64_t cells = wabe_box_plane_cells(run->block);
    double *sums = run->averages.own + (z - run->block.begin[2]) * cells;
    for (int row = 0; row < rows; row++, sums += all)
        for (int64_t i = 0; i < cells; i++) {
            const double number = numbers[row * cells + i];
            sums[i] += number;
            sums[rows * all + i] += number * number;
        }
}

static wabe_status add_own(wabe_run *run) {
    const wabe_values numbers = run->app->values(run);
    double *room = malloc((size_t)(numbers.rows * wabe_box_plane_cells(run->block)) * sizeof *room);
    WABE_CHECK(room, WABE_MEMORY, "no memory for a plane of sums");
    wabe_status status = WABE_OK;
    for (int64_t z = run->block.begin[2]; z < run->block.end[2] && status == WABE_OK; z++) {
        status = wabe_domain_read(run->domain, &numbers, wabe_box_plane(run->block, z), room);
        if (status == WABE_OK)
            add_plane(run, z, room);
    }
    free(room);
    return status;
}

/* The address of a cell's sum. */
static double *place_of(const wabe_run *run, int row, int64_t x, int64_t y, int64_t z) {
    return run->averages.own + row * wabe_box_cells(run->block) +
           wabe_box_place(run->block, x, y, z);
}

static wabe_status read_own(const wabe_run *run, int row, wabe_box box, double *out) {
    const int64_t nx = wabe_box_extent(box, 0);
    for (int64_t z = box.begin[2]; z < box.end[2]; z++)
        for (int64_t y = box.begin[1]; y < box.end[1]; y++, out += nx)
            memcpy(out, place_of(run, row, box.begin[0], y, z), (size_t)nx * sizeof *out);
    return WABE_OK;
}

static wabe_status write_own(wabe_run *run, int row, int64_t z, const double *plane) {
    const int64_t cells = wabe_box_plane_cells(run->block);
    memcpy(place_of(run, row, run->block.begin[0], run->block.begin[1], z), plane,
           (size_t)cells * sizeof *plane);
    return WABE_OK;
}

/* ---- sums --------------------------------------------------------------------------- */

/* The row of a row's squares. */
static int square_of(const wabe_time_sums *sums, int row) {
    return sums->carried > 0 && row >= sums->carried ? row + 1 : row + sums->squares;
}

/* The rows that a quantity needs: all up to its last one. */
static int rows_of(const wabe_time_sums *sums, const wabe_output_quantity *q) {
    switch (q->over_time) {
    case WABE_NOW:
        return 0;
    case WABE_COVARIANCE_OVER_TIME:
        return sums->products + 3;
    case WABE_FLUX_OVER_TIME:
        return sums->carried + 5;
    case WABE_RMS_OVER_TIME:
        return square_of(sums, q->first + q->count - 1) + 1 > sums->rows
                   ? square_of(sums, q->first + q->count - 1) + 1
                   : sums->rows;
    default:
        return q->first + q->count > sums->rows ? q->first + q->count : sums->rows;
    }
}

int wabe_run_average_rows(const wabe_run *run) {
    const wabe_time_sums *sums = &run->app->sums;
    const wabe_time_sums of_host = {.rows = 2 * run->app->number_count};
    int rows = sums->wanted;
    for (int i = 0; i < run->part_count; i++)
        for (int f = 0; f < run->parts[i].field_count; f++) {
            const int its = rows_of(sums->rows > 0 ? sums : &of_host, run->parts[i].fields[f]);
            rows = its > rows ? its : rows;
        }
    return rows;
}

/* Reads the sums of a checkpoint, plane by plane of the block. */
static wabe_status restore(wabe_run *run, wabe_checkpoint *c, double *plane) {
    const int first = wabe_checkpoint_head_of(c)->array_count;
    for (int row = 0; row < run->averages.rows; row++)
        for (int64_t z = run->block.begin[2]; z < run->block.end[2]; z++) {
            WABE_TRY(wabe_checkpoint_read(c, first + row, wabe_box_plane(run->block, z), plane));
            WABE_TRY(run->averages.of.write(run, row, z, plane));
        }
    const double samples = wabe_checkpoint_number_of(c, "samples", 0.0);
    run->averages.samples = samples >= 0.0 && samples < 1e15 ? (int64_t)samples : 0;
    wabe_log_line("means      over time go on, from %lld states", (long long)run->averages.samples);
    return WABE_OK;
}

/* NAN differs from itself. */
static bool is_same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Are the checkpoint's sums over the steps of the input, and of the same physics? */
static bool are_of_the_same(const wabe_run *run, const wabe_checkpoint *c) {
    return !run->changed && wabe_checkpoint_head_of(c)->real_count == run->averages.rows &&
           is_same(wabe_checkpoint_number_of(c, "average_threshold", NAN),
                   run->app->sums.threshold) &&
           wabe_checkpoint_number_of(c, "average_begin", NAN) ==
               (double)run->o->output.average.begin &&
           wabe_checkpoint_number_of(c, "average_every", NAN) ==
               (double)run->o->output.average.every;
}

wabe_status wabe_run_begin_averages(wabe_run *run, wabe_checkpoint *c) {
    wabe_run_averages *a = &run->averages;
    if (!a->kept)
        return WABE_OK;
    a->of = run->app->sums;
    if (a->of.rows == 0)
        a->of = (wabe_time_sums){.squares = run->app->number_count,
                                 .begin = begin_own,
                                 .add = add_own,
                                 .read = read_own,
                                 .write = write_own};
    WABE_TRY(a->of.begin(run));
    if (!c)
        return WABE_OK;
    if (!are_of_the_same(run, c)) {
        wabe_log_line("means      over time begin anew: %s has none, or of other steps, "
                      "quantities, threshold or physics",
                      wabe_checkpoint_path(c));
        return WABE_OK;
    }
    double *plane = malloc((size_t)wabe_box_plane_cells(run->block) * sizeof *plane);
    WABE_CHECK(plane, WABE_MEMORY, "no memory for a plane of sums");
    const wabe_status status = restore(run, c, plane);
    free(plane);
    return status;
}

void wabe_run_end_averages(wabe_run *run) {
    free(run->averages.own);
    run->averages.own = NULL;
}

bool wabe_run_average_is_due(const wabe_run *run, int64_t timed) {
    const int64_t after = timed - run->o->output.average.begin;
    return run->averages.kept && after > 0 && after % run->o->output.average.every == 0;
}

wabe_status wabe_run_average(wabe_run *run, int64_t timed) {
    if (!wabe_run_average_is_due(run, timed))
        return WABE_OK;
    wabe_profile_start(&run->domain->profile);
    wabe_status status = run->averages.of.add(run);
    if (run->averages.own) /* slabs' own sums cannot fail */
        status = wabe_agree(run->comm, status);
    run->averages.samples++;
    wabe_profile_stop(&run->domain->profile, WABE_PHASE_monitor);
    return status;
}

/* ---- means -------------------------------------------------------------------------- */

/* out: of xx, yy, zz, xy, yz, xz, then the means of x, y, z. */
static wabe_status read_covariance(const wabe_run *run, const wabe_output_quantity *q,
                                   wabe_box plane, double *out) {
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
    const wabe_time_sums *of = &run->averages.of;
    const double samples = (double)run->averages.samples;
    const int64_t cells = wabe_box_cells(plane);
    for (int d = 0; d < 3; d++)
        WABE_TRY(of->read(run, q->first + d, plane, out + (6 + d) * cells));
    for (int k = 0; k < 6; k++) {
        const double *a = out + (6 + pairs[k][0]) * cells, *b = out + (6 + pairs[k][1]) * cells;
        double *product = out + k * cells;
        WABE_TRY(of->read(run, k < 3 ? q->first + of->squares + k : of->products + k - 3, plane,
                          product));
        for (int64_t i = 0; i < cells; i++)
            product[i] = product[i] / samples - a[i] / samples * (b[i] / samples);
    }
    return WABE_OK;
}

/* out: along x, y, z, then the means of the vector and of the number. */
static wabe_status read_flux(const wabe_run *run, wabe_box plane, double *out) {
    const wabe_time_sums *of = &run->averages.of;
    const double samples = (double)run->averages.samples;
    const int64_t cells = wabe_box_cells(plane);
    double *number = out + 6 * cells;
    WABE_TRY(of->read(run, of->carried, plane, number));
    for (int d = 0; d < 3; d++) {
        double *product = out + d * cells, *component = out + (3 + d) * cells;
        WABE_TRY(of->read(run, of->vector + d, plane, component));
        WABE_TRY(of->read(run, of->carried + 2 + d, plane, product));
        for (int64_t i = 0; i < cells; i++)
            product[i] = product[i] / samples - component[i] / samples * (number[i] / samples);
    }
    return WABE_OK;
}

wabe_status wabe_run_read_average(const wabe_run *run, const wabe_output_quantity *q,
                                  wabe_box plane, double *out) {
    if (q->over_time == WABE_COVARIANCE_OVER_TIME)
        return read_covariance(run, q, plane, out);
    if (q->over_time == WABE_FLUX_OVER_TIME)
        return read_flux(run, plane, out);
    const wabe_time_sums *of = &run->averages.of;
    const double samples = (double)run->averages.samples;
    const int64_t cells = wabe_box_cells(plane);
    const bool rms = q->over_time == WABE_RMS_OVER_TIME;
    double *squares = out + q->count * cells;
    for (int row = q->first; row < q->first + q->count; row++, out += cells) {
        WABE_TRY(of->read(run, row, plane, out));
        if (rms)
            WABE_TRY(of->read(run, square_of(of, row), plane, squares));
        for (int64_t i = 0; i < cells; i++) {
            const double mean = out[i] / samples;
            out[i] = rms ? sqrt(fmax(0.0, squares[i] / samples - mean * mean)) : mean;
        }
    }
    return WABE_OK;
}
