/* The state along the domain's centre lines. */
#include "apps/runtime/run_internal.h"

#include "core/io/disk.h"

#include <stdlib.h>

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
    WABE_TRY(wabe_agree_memory(run->comm, run->rank > 0 || *out, "a profile"));
    return wabe_domain_gather(run->domain, &values, box, *out);
}

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
                ((double)at + 0.5) * app->spacing[axis]);
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
