/* Pictures of a run: rank 0 collects the values of a plane, and a thread of its writer draws them.
 */
#include "apps/runtime/run_internal.h"

#include "core/base/log.h"
#include "core/io/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One picture. The thread that draws it owns all of this until it is done. */
struct wabe_run_drawing {
    wabe_writer_job *job;
    const wabe_run_part *part;
    int normal;
    wabe_image_view view;
    int64_t cells[3]; /* that are drawn */
    float *values[WABE_PANELS_MAX];
    uint8_t *mask; /* of the part's box; NULL: none */
    char file[WABE_STRING_SIZE + 64], headline[WABE_STRING_SIZE + 128], titles[WABE_PANELS_MAX][48];
    wabe_image images[WABE_PANELS_MAX];
    wabe_image_legend legend;
    bool bare;
};

static void free_drawing(struct wabe_run_drawing *d) {
    for (int i = 0; i < WABE_PANELS_MAX; i++)
        free(d->values[i]);
    free(d->mask);
    free(d);
}

/* ---- on the writer's thread --------------------------------------------------------- */

/* Of vectors the magnitude, or for colours that diverge the component normal to the plane, in
 * place; NAN where the mask is set. Returns whether it is anywhere. */
static bool make_pixels(const struct wabe_run_drawing *d, const wabe_output_quantity *q,
                        float *values) {
    const wabe_run_part *part = d->part;
    const int64_t *begin = part->box.begin, s = part->stride;
    bool any = false;
    int64_t i = 0;
    for (int64_t z = 0; z < d->cells[2]; z++)
        for (int64_t y = 0; y < d->cells[1]; y++)
            for (int64_t x = 0; x < d->cells[0]; x++, i++) {
                const float *v = values + i * q->count;
                const bool hidden = d->mask &&
                                    d->mask[wabe_box_place(part->box, begin[0] + s * x,
                                                           begin[1] + s * y, begin[2] + s * z)];
                any |= hidden;
                values[i] = hidden          ? NAN
                            : q->count == 1 ? v[0]
                            : q->has_sign   ? v[d->normal]
                                          : (float)sqrt((double)v[0] * v[0] + (double)v[1] * v[1] +
                                                        (double)v[2] * v[2]);
            }
    return any;
}

static wabe_status draw(void *context) {
    struct wabe_run_drawing *d = context;
    const wabe_run_part *part = d->part;
    bool hidden = false;
    for (int i = 0; i < part->field_count; i++)
        hidden |= make_pixels(d, part->fields[i], d->values[i]);
    if (hidden)
        strncat(d->headline, "; grey: solid", sizeof d->headline - strlen(d->headline) - 1);
    return wabe_image_write(d->file, &d->images[0], d->bare ? NULL : &d->legend);
}

/* ---- what a picture says ------------------------------------------------------------ */

static void describe_axis(const wabe_run *run, const wabe_output_grid *grid, int axis,
                          bool downwards, wabe_image_axis *out) {
    static const char *const names[] = {"x", "y", "z"};
    const bool counted = run->app->uneven == 1 + axis;
    const char *unit = counted ? "cells" : run->app->length_unit;
    const double edge = counted ? run->app->spacing[axis] : 1.0, low = grid->origin[axis] / edge;
    const double high = low + grid->spacing[axis] * (double)grid->cells[axis] / edge;
    *out = (wabe_image_axis){.name = names[axis],
                             .unit = unit ? unit : "",
                             .begin = downwards ? high : low,
                             .end = downwards ? low : high};
}

static bool shows_means(const wabe_run_part *part) {
    bool means = false;
    for (int i = 0; i < part->field_count; i++)
        means |= part->fields[i]->over_time != WABE_NOW;
    return means;
}

/* "cavity: y = 0.32 m, 12.5 s, step 3000, means over the last 1000 steps" */
static void write_headline(const wabe_run *run, const wabe_output_grid *grid, int normal,
                           const wabe_run_part *part, char *text, size_t size) {
    const wabe_application *app = run->app;
    const char *length = app->length_unit ? app->length_unit : "";
    char plane[64] = "", time[64] = "", means[64] = "";
    if (app->uneven == 1 + normal)
        snprintf(plane, sizeof plane, "%c = cell %.0f, ", 'x' + normal,
                 floor(grid->origin[normal] / app->spacing[normal] + 0.5));
    else if (run->o->domain.cells[normal] > 1)
        snprintf(plane, sizeof plane, "%c = %.6g%s%s, ", 'x' + normal,
                 grid->origin[normal] + 0.5 * grid->spacing[normal], length[0] ? " " : "", length);
    if (!app->time_unit)
        snprintf(time, sizeof time, "time %.6g, ", wabe_run_time(run));
    else if (strcmp(app->time_unit, "steps") != 0)
        snprintf(time, sizeof time, "%.6g %s, ", wabe_run_time(run), app->time_unit);
    if (shows_means(part))
        snprintf(means, sizeof means, ", means over the last %lld steps",
                 (long long)run->averages.samples * run->o->output.average.every);
    const bool own = part->number >= 0;
    snprintf(text, size, "%s%s%s: %s%sstep %lld%s", run->o->name, own ? ", " : "",
             own ? part->name : "", plane, time, (long long)run->step, means);
}

static void describe_image(struct wabe_run_drawing *d, int i) {
    const wabe_run_part *part = d->part;
    const wabe_output_quantity *q = part->fields[i];
    const bool component = q->count > 1 && q->has_sign;
    const bool automatic = isnan(part->low[i]);
    snprintf(d->titles[i], sizeof d->titles[i], "%s%s%s%.*s",
             q->count > 1 && !component ? "magnitude of " : "", q->name, component ? "_" : "",
             component ? 1 : 0, &"xyz"[d->normal]);
    d->images[i] = (wabe_image){.low = automatic ? 0.0 : part->low[i],
                                .high = automatic ? 0.0 : part->high[i],
                                .has_sign = q->has_sign,
                                .title = d->titles[i],
                                .unit = q->unit ? q->unit : "",
                                .beside = i + 1 < part->field_count ? &d->images[i + 1] : NULL};
    wabe_image_look(&d->images[i], d->view, d->cells, d->values[i]);
}

static void describe(const wabe_run *run, const wabe_run_part *part, struct wabe_run_drawing *d) {
    const wabe_output_grid grid = wabe_run_part_grid(run, part, run->block);
    d->part = part;
    d->bare = !run->o->output.legend;
    d->normal = wabe_box_extent(part->box, 0) == 1 ? 0 : wabe_box_extent(part->box, 2) == 1 ? 2 : 1;
    d->view = wabe_image_view_of(d->normal, wabe_run_up(run));
    memcpy(d->cells, grid.cells, sizeof d->cells);
    snprintf(d->file, sizeof d->file, "%s/%s_%08lld.png", run->directory, part->name,
             (long long)run->step);
    write_headline(run, &grid, d->normal, part, d->headline, sizeof d->headline);
    d->legend.headline = d->headline;
    describe_axis(run, &grid, d->view.right, false, &d->legend.right);
    describe_axis(run, &grid, d->view.up, d->view.downwards, &d->legend.up);
    for (int i = 0; i < part->field_count; i++)
        describe_image(d, i);
}

/* ---- values ------------------------------------------------------------------------- */

/* Places what a process computed, [z][y][x][component], in the whole part. */
static void place_values(wabe_box block, const int64_t cells[3], int count, const float *values,
                         float *all) {
    const int64_t row = wabe_box_extent(block, 0) * count;
    for (int64_t z = block.begin[2]; z < block.end[2]; z++)
        for (int64_t y = block.begin[1]; y < block.end[1]; y++, values += row)
            memcpy(all + (block.begin[0] + cells[0] * (y + cells[1] * z)) * count, values,
                   (size_t)row * sizeof *values);
}

/* Rank 0 receives the values of one process after the other, and collects them in all. */
static void gather(const wabe_run *run, const wabe_run_part *part, int field, float *values,
                   float *all) {
    const int count = part->fields[field]->count;
    for (int rank = 0; rank < run->size; rank++) {
        const wabe_output_grid grid =
            wabe_run_part_grid(run, part, wabe_decomposition_block(&run->decomposition, rank));
        const int numbers = (int)(wabe_box_cells(grid.block) * count);
        if (numbers == 0)
            continue;
        if (rank > 0 && rank == run->rank)
            MPI_Send(values, numbers, MPI_FLOAT, 0, 1, run->comm);
        if (rank > 0 && run->rank == 0)
            MPI_Recv(values, numbers, MPI_FLOAT, rank, 1, run->comm, MPI_STATUS_IGNORE);
        if (run->rank == 0)
            place_values(grid.block, grid.cells, count, values, all);
    }
}

/* Gets a quantity of a whole part on rank 0. Collective. */
static wabe_status collect(const wabe_run *run, const wabe_run_part *part, int field, float **out) {
    const wabe_output_grid grid = wabe_run_part_grid(run, part, run->block);
    const int64_t count = part->fields[field]->count;
    const int64_t numbers = grid.cells[0] * grid.cells[1] * grid.cells[2] * count;
    const int64_t mine = run->rank == 0 ? numbers : wabe_box_cells(grid.block) * count;
    float *values = malloc((size_t)(mine + 1) * sizeof *values);
    *out = run->rank == 0 ? malloc((size_t)numbers * sizeof **out) : NULL;
    wabe_status status = wabe_agree_memory(run->comm, values && (run->rank > 0 || *out),
                                           "a picture");
    if (status == WABE_OK)
        status = wabe_agree(run->comm, wabe_box_is_empty(grid.block)
                                           ? WABE_OK
                                           : wabe_run_fill(run, part, field, grid.block, values));
    if (status == WABE_OK)
        gather(run, part, field, values, *out);
    free(values);
    return status;
}

static wabe_status collect_all(const wabe_run *run, const wabe_run_part *part,
                               struct wabe_run_drawing *d) {
    if (run->app->mask)
        WABE_TRY(run->app->mask(run, part->box, &d->mask));
    for (int i = 0; i < part->field_count; i++)
        WABE_TRY(collect(run, part, i, &d->values[i]));
    return WABE_OK;
}

/* ---- drawing ------------------------------------------------------------------------ */

/* Waits until a part's picture is drawn. Local. */
static wabe_status end_drawing(wabe_run_part *part) {
    struct wabe_run_drawing *d = part->drawing;
    if (!d)
        return WABE_OK;
    const wabe_status status = wabe_writer_end(&d->job);
    for (int i = 0; i < part->field_count; i++) {
        part->drawn_low[i] = d->images[i].low;
        part->drawn_high[i] = d->images[i].high;
    }
    free_drawing(d);
    part->drawing = NULL;
    return status;
}

static wabe_status begin_drawing(wabe_run *run, wabe_run_part *part, struct wabe_run_drawing *d) {
    describe(run, part, d);
    WABE_TRY(wabe_writer_call(run->async.writer, draw, d, &d->job));
    part->drawing = d;
    return WABE_OK;
}

wabe_status wabe_run_draw_part(wabe_run *run, wabe_run_part *part) {
    WABE_TRY(wabe_agree(run->comm, end_drawing(part)));
    struct wabe_run_drawing *d = calloc(1, sizeof *d);
    WABE_TRY(wabe_agree_memory(run->comm, d, "a picture"));
    wabe_status status = collect_all(run, part, d);
    if (status == WABE_OK)
        status = wabe_agree(run->comm, run->rank == 0 ? begin_drawing(run, part, d) : WABE_OK);
    if (part->drawing != d)
        free_drawing(d);
    return status;
}

static wabe_status end_all(wabe_run *run) {
    wabe_status status = WABE_OK;
    for (int i = run->written_count; i < run->part_count; i++) {
        const wabe_status its = end_drawing(&run->parts[i]);
        status = status == WABE_OK ? its : status;
    }
    return status;
}

wabe_status wabe_run_end_pictures(wabe_run *run) { return wabe_agree(run->comm, end_all(run)); }

/* Keeps the error message of what has ended the run. */
void wabe_run_close_pictures(wabe_run *run) {
    char why[WABE_MESSAGE_SIZE];
    snprintf(why, sizeof why, "%s", wabe_error_message());
    if (end_all(run) != WABE_OK)
        wabe_log_warning("%s", wabe_error_message());
    (void)WABE_FAIL(WABE_INPUT, "%s", why);
}

/* Rank 0 has the values of its own block, and those that it collects, which stay until the picture
 * is drawn. Pixels: a byte and cairo's shade of grey, with margins. */
static int64_t part_memory(const wabe_run *run, const wabe_run_part *part) {
    const wabe_output_grid grid = wabe_run_part_grid(run, part, run->block);
    const int64_t all = grid.cells[0] * grid.cells[1] * grid.cells[2];
    int64_t numbers = 0;
    for (int i = 0; i < part->field_count; i++)
        numbers += part->fields[i]->count;
    if (run->rank > 0)
        return numbers * wabe_box_cells(grid.block) * (int64_t)sizeof(float);
    return 2 * numbers * all * (int64_t)sizeof(float) + 3 * part->field_count * all +
           (run->app->mask ? 2 * wabe_box_cells(part->box) : 0);
}

int64_t wabe_run_pictures_memory(const wabe_run *run) {
    int64_t bytes = 0;
    for (int i = run->written_count; i < run->part_count; i++)
        bytes += part_memory(run, &run->parts[i]);
    return bytes;
}
