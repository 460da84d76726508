/* What a run on a grid looks at, and writes on its way. */
#include "apps/grid/grid_internal.h"

#include "apps/runtime/restart.h"
#include "core/base/log.h"
#include "core/io/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- looks at all values ------------------------------------------------------------ */

void wabe_grid_name_cell(const grid_run *run, wabe_grid_state state, char text[], size_t size) {
    const int64_t n = state.first_broken, *cells = run->o->domain.cells;
    snprintf(text, size, "(%lld, %lld, %lld)", (long long)(n % cells[0]),
             (long long)(n / cells[0] % cells[1]), (long long)(n / cells[0] / cells[1]));
}

/* What GPUs have yet to do is the steps' time, not the monitor's. */
wabe_status wabe_grid_check_state(grid_run *run) {
    const wabe_values values = wabe_grid_slabs_values(&run->slabs);
    wabe_domain_synchronise(&run->domain);
    MPI_Barrier(run->comm); /* nor is waiting for others */
    wabe_profile_start(&run->domain.profile);
    WABE_TRY(wabe_grid_look(&run->domain, &values, &run->host, &run->last));
    wabe_profile_stop(&run->domain.profile, WABE_PHASE_monitor);
    char cell[96];
    wabe_grid_name_cell(run, run->last, cell, sizeof cell);
    WABE_CHECK(run->last.broken == 0, WABE_DIVERGED, "at step %lld a value is broken in cell %s",
               (long long)run->step, cell);
    return WABE_OK;
}

wabe_status wabe_grid_note_state(grid_run *run) {
    const double values[] = {(double)run->step * run->app->time_step, run->last.low, run->last.high,
                             run->last.mean};
    return wabe_agree(run->comm, wabe_time_series_add(&run->monitor, run->step, 4, values));
}

/* ---- output ------------------------------------------------------------------------- */

static wabe_status fill(void *context, int field, wabe_box part, void *buffer) {
    const grid_run *run = context;
    (void)field;
    return wabe_grid_slabs_read(&run->slabs, &run->domain, part, WABE_TYPE_f32, buffer);
}

static wabe_status draw(const grid_run *run, const double *values, int64_t width, int64_t height) {
    float *pixels = malloc((size_t)(width * height) * sizeof *pixels);
    char file[sizeof run->directory + WABE_STRING_SIZE];
    WABE_CHECK(pixels, WABE_MEMORY, "no memory for a picture");
    for (int64_t i = 0; i < width * height; i++)
        pixels[i] = (float)values[i];
    snprintf(file, sizeof file, "%s/%s_%08lld.png", run->directory, run->app->field,
             (long long)run->step);
    const wabe_status status = wabe_image_write(file, width, height, pixels, 0.0, 0.0,
                                                run->app->field);
    free(pixels);
    return status;
}

/* The middle plane normal to an axis; the first of the other two axes to the right. */
static wabe_status write_picture(const grid_run *run, int axis) {
    const int64_t *n = run->o->domain.cells;
    const wabe_values v = wabe_grid_slabs_values(&run->slabs);
    wabe_box plane = {.end = {n[0], n[1], n[2]}};
    plane.begin[axis] = n[axis] / 2;
    plane.end[axis] = n[axis] / 2 + 1;
    double *values = run->rank == 0 ? malloc((size_t)wabe_box_cells(plane) * sizeof *values) : NULL;
    wabe_status status = run->rank == 0 && !values
                             ? WABE_FAIL(WABE_MEMORY, "no memory for a picture")
                             : WABE_OK;
    status = wabe_agree(run->comm, status);
    if (status == WABE_OK)
        status = wabe_domain_gather(&run->domain, &v, plane, values);
    if (status == WABE_OK && run->rank == 0)
        status = draw(run, values, n[axis == 0 ? 1 : 0], n[axis == 2 ? 1 : 2]);
    free(values);
    return wabe_agree(run->comm, status);
}

wabe_status wabe_grid_write_state(grid_run *run) {
    wabe_profile_start(&run->domain.profile);
    wabe_output *output = run->async.outputs[0];
    wabe_status status = WABE_OK;
    if (run->o->output.fields) {
        char *text = wabe_restart_configuration(run->table_count, run->tables);
        status = wabe_agree(run->comm,
                            text ? WABE_OK
                                 : WABE_FAIL(WABE_MEMORY, "no memory for the resolved input"));
        if (status == WABE_OK)
            status = wabe_output_end(output); /* of an earlier step */
        if (status == WABE_OK)
            status = wabe_output_begin(output, run->step, (double)run->step * run->app->time_step,
                                       fill, run, text);
        free(text);
    }
    if (status == WABE_OK && run->o->output.picture > 0)
        status = write_picture(run, run->o->output.picture - 1);
    wabe_profile_stop(&run->domain.profile, WABE_PHASE_output);
    return status;
}

wabe_status wabe_grid_open_output(grid_run *run) {
    wabe_output_request request = {.directory = run->directory,
                                   .name = "fields",
                                   .grid = {.block = run->domain.block,
                                            .spacing = run->o->domain.spacing},
                                   .field_count = 1,
                                   .fields = {{run->app->field, 1}},
                                   .type = WABE_TYPE_f32,
                                   .compress = run->o->output.compress};
    char path[sizeof run->directory + 32];
    memcpy(request.grid.cells, run->o->domain.cells, sizeof request.grid.cells);
    WABE_TRY(wabe_async_open(run->comm, &run->components, &run->async));
    wabe_async_widen(run->comm, &run->components, &run->async);
    WABE_TRY(wabe_async_add(run->comm, &run->async, &request));
    snprintf(path, sizeof path, "%s/run.log", run->directory);
    wabe_log_open(path, run->restart != NULL);
    return WABE_OK;
}

wabe_status wabe_grid_write_configuration(const grid_run *run) {
    char path[sizeof run->directory + 32];
    snprintf(path, sizeof path, "%s/config.resolved.cfg", run->directory);
    FILE *file = fopen(path, "w");
    WABE_CHECK(file, WABE_FILE, "%s: cannot be written: %s", path, strerror(errno));
    wabe_config_print_resolved(file, run->table_count, run->tables);
    const bool failed = ferror(file) != 0;
    WABE_CHECK(fclose(file) == 0 && !failed, WABE_FILE, "%s: cannot be written: %s", path,
               strerror(errno));
    return WABE_OK;
}
