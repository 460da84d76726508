/* Pictures and profiles of a run. */
#include "apps/runtime/run_internal.h"

#include "core/io/disk.h"
#include "core/io/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- files -------------------------------------------------------------------------- */

/* Opens DIRECTORY/NAME on rank 0; NULL on other ranks. WABE_FILE. Collective. */
static wabe_status open_file(const wabe_run *run, const char *name, FILE **file) {
    *file = NULL;
    return wabe_agree(run->comm,
                      run->rank == 0 ? wabe_disk_open_text(run->directory, name, file) : WABE_OK);
}

static wabe_status close_file(const wabe_run *run, const char *name, FILE *file) {
    return wabe_agree(run->comm,
                      run->rank == 0 ? wabe_disk_close_text(run->directory, name, file) : WABE_OK);
}

/* Gathers a box of the domain on rank 0, to be freed; NULL on other ranks. Collective. */
static wabe_status gather(const wabe_run *run, wabe_box box, double **out) {
    const wabe_values values = run->app->values(run);
    *out = run->rank == 0 ? malloc((size_t)(values.rows * wabe_box_cells(box)) * sizeof(double))
                          : NULL;
    WABE_TRY(wabe_agree_memory(run->comm, run->rank > 0 || *out, "a picture or a profile"));
    return wabe_domain_gather(run->domain, &values, box, *out);
}

/* ---- pictures ----------------------------------------------------------------------- */

static const wabe_output_quantity *quantity_of(const wabe_application *app, const char *name) {
    int i = 0;
    while (strcmp(app->quantities[i].name, name) != 0)
        i++;
    return &app->quantities[i];
}

/* The number, or the magnitude of a vector. */
static double pixel_of(const wabe_output_quantity *q, const double *numbers, int64_t cells) {
    const double *u = numbers + q->first * cells;
    if (q->count == 1)
        return wabe_state_number_of(&(wabe_state_number){"", q->offset, q->factor}, u[0]);
    return q->factor * sqrt(u[0] * u[0] + u[cells] * u[cells] + u[2 * cells] * u[2 * cells]);
}

/* Draws a quantity of a plane. Masked cells become NAN, which is drawn grey. */
static void draw(const wabe_output_quantity *q, const uint8_t *mask, const double *numbers,
                 float *values, wabe_image *image) {
    const int64_t cells = image->width * image->height;
    for (int64_t i = 0; i < cells; i++)
        values[i] = mask && mask[i] ? NAN : (float)pixel_of(q, numbers + i, cells);
    image->values = values;
    image->title = q->name;
}

/* The application's one or two quantities, beside each other. */
static wabe_status draw_all(wabe_run *run, const uint8_t *mask, const double *numbers,
                            int64_t width, int64_t height) {
    const wabe_application *app = run->app;
    float *values = malloc((size_t)(2 * width * height) * sizeof *values);
    WABE_CHECK(values, WABE_MEMORY, "no memory for a picture");
    wabe_image beside = {.width = width, .height = height, .unit = ""};
    wabe_image image = {.width = width, .height = height, .unit = app->picture_unit};
    draw(quantity_of(app, app->picture), mask, numbers, values, &image);
    if (app->picture_beside) {
        const wabe_output_quantity *q = quantity_of(app, app->picture_beside);
        beside.unit = q->unit ? q->unit : "";
        draw(q, mask, numbers, values + width * height, &beside);
        image.beside = &beside;
    }
    char file[sizeof run->directory + 64];
    snprintf(file, sizeof file, "%s/%s_%08lld.png", run->directory, app->picture,
             (long long)run->step);
    const wabe_status status = wabe_image_write(file, &image);
    run->picture_low = image.low;
    run->picture_high = image.high;
    free(values);
    return status;
}

/* Draws the middle plane normal to an axis; the first of the other two axes points right. */
static wabe_status write_picture(wabe_run *run, int axis) {
    const int64_t *n = run->o->domain.cells;
    wabe_box plane = {.end = {n[0], n[1], n[2]}};
    plane.begin[axis] = n[axis] / 2;
    plane.end[axis] = n[axis] / 2 + 1;
    double *numbers = NULL;
    uint8_t *mask = NULL;
    if (run->app->mask)
        WABE_TRY(run->app->mask(run, plane, &mask));
    wabe_status status = gather(run, plane, &numbers);
    if (status == WABE_OK && run->rank == 0)
        status = draw_all(run, mask, numbers, n[axis == 0 ? 1 : 0], n[axis == 2 ? 1 : 2]);
    free(mask);
    free(numbers);
    return wabe_agree(run->comm, status);
}

wabe_status wabe_run_write_picture(wabe_run *run) {
    return run->o->output.picture > 0 ? write_picture(run, run->o->output.picture - 1) : WABE_OK;
}

/* Rank 0 gathers a picture's numbers twice before it draws their values. */
static int64_t picture_memory(const wabe_run *run) {
    const int axis = run->o->output.picture - 1, rows = run->app->number_count;
    if (axis < 0)
        return 0;
    wabe_box plane = {
        .end = {run->o->domain.cells[0], run->o->domain.cells[1], run->o->domain.cells[2]}};
    plane.begin[axis] = plane.end[axis] / 2;
    plane.end[axis] = plane.begin[axis] + 1;
    const int64_t mine = wabe_box_cells(wabe_box_intersect(plane, run->block));
    const int64_t all = run->rank == 0 ? wabe_box_cells(plane) : 0;
    return rows * (mine + all) * (int64_t)sizeof(double) + (run->app->mask ? all : 0);
}

static int64_t part_memory(const wabe_run *run, const wabe_run_part *part) {
    const wabe_output_grid grid = wabe_run_part_grid(run, part, run->block);
    const int64_t all = grid.cells[0] * grid.cells[1] * grid.cells[2];
    const int64_t numbers = run->rank == 0 ? 2 * all : wabe_box_cells(grid.block);
    return numbers * part->fields[0]->count * (int64_t)sizeof(float) +
           (run->app->mask && run->rank == 0 ? wabe_box_cells(part->box) : 0);
}

int64_t wabe_run_pictures_memory(const wabe_run *run) {
    int64_t most = picture_memory(run);
    for (int i = run->written_count; i < run->part_count; i++) {
        const int64_t bytes = part_memory(run, &run->parts[i]);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* ---- parts -------------------------------------------------------------------------- */

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
static void gather_part(const wabe_run *run, const wabe_run_part *part, float *values, float *all) {
    const int count = part->fields[0]->count;
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

/* The magnitudes of vectors, in place; NAN where the mask is set. mask: of all cells of the part's
 * box, or NULL. */
static void make_pixels(const wabe_run_part *part, const int64_t cells[3], const uint8_t *mask,
                        float *values) {
    const int64_t *begin = part->box.begin;
    const int count = part->fields[0]->count;
    int64_t i = 0;
    for (int64_t z = 0; z < cells[2]; z++)
        for (int64_t y = 0; y < cells[1]; y++)
            for (int64_t x = 0; x < cells[0]; x++, i++) {
                const float *v = values + i * count;
                const int64_t s = part->stride;
                const bool hidden = mask &&
                                    mask[wabe_box_place(part->box, begin[0] + s * x,
                                                        begin[1] + s * y, begin[2] + s * z)];
                values[i] = hidden       ? NAN
                            : count == 1 ? v[0]
                                         : (float)sqrt((double)v[0] * v[0] + (double)v[1] * v[1] +
                                                       (double)v[2] * v[2]);
            }
}

/* The first axis that is more than a cell wide points right. */
static wabe_status draw_part(const wabe_run *run, const wabe_run_part *part, const int64_t cells[3],
                             const float *values) {
    const wabe_output_quantity *q = part->fields[0];
    const int right = wabe_box_extent(part->box, 0) == 1 ? 1 : 0;
    const int up = wabe_box_extent(part->box, 2) == 1 ? 1 : 2;
    wabe_image image = {.width = cells[right],
                        .height = right == up ? 1 : cells[up],
                        .values = values,
                        .low = isnan(part->low) ? 0.0 : part->low,
                        .high = isnan(part->high) ? 0.0 : part->high,
                        .title = q->name,
                        .unit = q->unit ? q->unit : ""};
    char file[sizeof run->directory + 64];
    snprintf(file, sizeof file, "%s/%s_%08lld.png", run->directory, part->name,
             (long long)run->step);
    return wabe_image_write(file, &image);
}

wabe_status wabe_run_draw_part(wabe_run *run, const wabe_run_part *part) {
    wabe_run_part plane = *part;
    plane.type = WABE_TYPE_f32;
    const wabe_output_grid grid = wabe_run_part_grid(run, part, run->block);
    const int64_t numbers = grid.cells[0] * grid.cells[1] * grid.cells[2] * part->fields[0]->count;
    const int64_t mine = run->rank == 0 ? numbers
                                        : wabe_box_cells(grid.block) * part->fields[0]->count;
    float *values = malloc((size_t)(mine + 1) * sizeof *values);
    float *all = run->rank == 0 ? malloc((size_t)numbers * sizeof *all) : NULL;
    uint8_t *mask = NULL;
    wabe_status status = wabe_agree_memory(run->comm, values && (run->rank > 0 || all),
                                           "a picture");
    if (status == WABE_OK && run->app->mask)
        status = run->app->mask(run, part->box, &mask);
    if (status == WABE_OK)
        status = wabe_agree(run->comm, wabe_box_is_empty(grid.block)
                                           ? WABE_OK
                                           : wabe_run_fill(run, &plane, 0, grid.block, values));
    if (status == WABE_OK) {
        gather_part(run, part, values, all);
        if (run->rank == 0) {
            make_pixels(part, grid.cells, mask, all);
            status = draw_part(run, part, grid.cells, all);
        }
        status = wabe_agree(run->comm, status);
    }
    free(mask);
    free(all);
    free(values);
    return status;
}

/* ---- profiles ----------------------------------------------------------------------- */

/* The cells adjacent to the axis-parallel line through the domain's centre: one, two or four
 * abreast. */
static wabe_box around_line(const int64_t cells[3], int axis) {
    wabe_box box;
    for (int d = 0; d < 3; d++) {
        box.begin[d] = d == axis ? 0 : (cells[d] - 1) / 2;
        box.end[d] = d == axis ? cells[d] : cells[d] / 2 + 1;
    }
    return box;
}

static double mean_abreast(const double *row, wabe_box box, int axis, int64_t at) {
    double sum = 0.0;
    int64_t count = 0, i = 0;
    for (int64_t z = box.begin[2]; z < box.end[2]; z++)
        for (int64_t y = box.begin[1]; y < box.end[1]; y++)
            for (int64_t x = box.begin[0]; x < box.end[0]; x++, i++)
                if ((const int64_t[3]){x, y, z}[axis] == at) {
                    sum += row[i];
                    count++;
                }
    return sum / (double)count;
}

static void print_line(FILE *file, const wabe_run *run, int axis, wabe_box box,
                       const double *numbers) {
    const wabe_application *app = run->app;
    const int64_t cells = wabe_box_cells(box), n = run->o->domain.cells[axis];
    for (int64_t at = 0; at < n; at++) {
        fprintf(file, "%c,%.17g,%.17g", 'x' + axis, ((double)at + 0.5) / (double)n,
                ((double)at + 0.5) * app->spacing);
        for (int k = 0; k < app->number_count; k++)
            fprintf(file, ",%.17g",
                    wabe_state_number_of(&app->numbers[k],
                                         mean_abreast(numbers + k * cells, box, axis, at)));
        fputc('\n', file);
    }
}

static wabe_status write_line(const wabe_run *run, int axis, FILE *file) {
    const wabe_box box = around_line(run->o->domain.cells, axis);
    double *numbers = NULL;
    const wabe_status status = gather(run, box, &numbers);
    if (status == WABE_OK && run->rank == 0)
        print_line(file, run, axis, box, numbers);
    free(numbers);
    return status;
}

wabe_status wabe_run_write_profiles(wabe_run *run) {
    FILE *file;
    WABE_TRY(wabe_run_check_folder(run));
    WABE_TRY(open_file(run, "profiles.csv", &file));
    if (run->rank == 0) {
        fputs("line,relative,position", file);
        for (int k = 0; k < run->app->number_count; k++)
            fprintf(file, ",%s", run->app->numbers[k].name);
        fputc('\n', file);
    }
    wabe_status status = WABE_OK;
    for (int axis = 0; axis < 3 && status == WABE_OK; axis++)
        status = write_line(run, axis, file);
    const wabe_status closed = close_file(run, "profiles.csv", file);
    return status != WABE_OK ? status : closed;
}
