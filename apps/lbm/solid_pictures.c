/* Draws the solids. */
#include "apps/lbm/solid_pictures.h"

#include "apps/lbm/solid_plane.h"
#include "apps/runtime/restart.h"
#include "core/base/log.h"
#include "core/io/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 1 where a cell is solid. */
static wabe_status fill(void *context, int field, wabe_box part, void *buffer) {
    const wabe_geometry *geometry = context;
    float *values = buffer;
    wabe_flags flags;
    (void)field;
    WABE_TRY(wabe_geometry_flags(geometry, part, &flags));
    for (int64_t i = 0; i < wabe_box_cells(part); i++)
        values[i] = flags.ids[i] == 0 ? 0.0f : 1.0f;
    wabe_flags_free(&flags);
    return WABE_OK;
}

static wabe_status write_voxels(wabe_run *run, const wabe_geometry *geometry,
                                const char *directory) {
    wabe_geometry copy = *geometry; /* what is passed to fill is not constant */
    wabe_output_request request = {.directory = directory,
                                   .name = "fields",
                                   .grid = {.block = run->block},
                                   .field_count = 1,
                                   .fields = {{"solid", 1, "1"}},
                                   .type = WABE_TYPE_f32,
                                   .compress = true,
                                   .length_unit = run->app->length_unit,
                                   .time_unit = run->app->time_unit};
    wabe_output *output = NULL;
    memcpy(request.grid.cells, run->o->domain.cells, sizeof request.grid.cells);
    memcpy(request.grid.spacing, run->app->spacing, sizeof request.grid.spacing);
    WABE_TRY(wabe_output_create(run->comm, &request, &output));
    char *text = wabe_restart_configuration(run->app->table_count, run->app->tables);
    wabe_status status = wabe_agree_memory(run->comm, text != NULL, "the resolved input");
    if (status == WABE_OK)
        status = wabe_output_write(output, 0, 0.0, fill, &copy, text);
    free(text);
    wabe_output_destroy(&output);
    return status;
}

/* ---- pictures ----------------------------------------------------------------------- */

static const char *unit_of(const wabe_run *run) {
    return run->app->length_unit ? run->app->length_unit : "";
}

static wabe_image_axis axis_of(const wabe_run *run, int axis, bool downwards) {
    static const char *const names[] = {"x", "y", "z"};
    const double end = run->app->spacing[axis] * (double)run->o->domain.cells[axis];
    return (wabe_image_axis){.name = names[axis],
                             .unit = unit_of(run),
                             .begin = downwards ? end : 0.0,
                             .end = downwards ? 0.0 : end};
}

/* Process 0 only. */
static wabe_status write_image(const wabe_run *run, const char *path, wabe_image_view view,
                               const char *headline, bool without_bar, wabe_image *image) {
    const wabe_image_legend legend = {.headline = headline,
                                      .right = axis_of(run, view.right, false),
                                      .up = axis_of(run, view.up, view.downwards),
                                      .without_bar = without_bar,
                                      .squares = true};
    return wabe_image_write(path, image, run->o->output.legend ? &legend : NULL);
}

/* Process 0 only. */
static wabe_status draw_plane(const wabe_run *run, const char *path, wabe_box plane, int axis,
                              const uint8_t *solid) {
    const wabe_image_view view = wabe_image_view_of(axis, wabe_run_up(run));
    const int64_t count = wabe_box_cells(plane);
    int64_t cells[3];
    wabe_box_extents(plane, cells);
    char headline[WABE_STRING_SIZE + 64];
    float *values = malloc((size_t)count * sizeof *values);
    WABE_CHECK(values, WABE_MEMORY, "no memory for a picture");
    for (int64_t i = 0; i < count; i++)
        values[i] = solid[i] ? NAN : 1.0f;
    wabe_image image = {.low = 0.0, .high = 1.0, .title = "yellow: fluid, grey: solid", .unit = ""};
    wabe_image_look(&image, view, cells, values);
    snprintf(headline, sizeof headline, "%s: %c = %.6g %s", run->o->name, 'x' + axis,
             run->app->spacing[axis] * ((double)plane.begin[axis] + 0.5), unit_of(run));
    const wabe_status status = write_image(run, path, view, headline, true, &image);
    free(values);
    return status;
}

/* Whether the middle plane normal to an axis is drawn: of a thin domain the thin sides are not. */
static bool is_drawn(const wabe_run *run, int axis) {
    const int64_t *n = run->o->domain.cells;
    return n[axis] == 1 || (n[(axis + 1) % 3] > 1 && n[(axis + 2) % 3] > 1);
}

/* Draws the middle plane normal to an axis. */
static wabe_status draw(wabe_run *run, const wabe_geometry *geometry, const char *directory,
                        int axis) {
    wabe_box plane = {
        .end = {run->o->domain.cells[0], run->o->domain.cells[1], run->o->domain.cells[2]}};
    plane.begin[axis] = plane.end[axis] / 2;
    plane.end[axis] = plane.begin[axis] + 1;
    uint8_t *solid;
    WABE_TRY(wabe_lbm_gather_solid(run, geometry, plane, &solid));
    wabe_status status = WABE_OK;
    char path[WABE_STRING_SIZE + 64];
    snprintf(path, sizeof path, "%s/middle_%c.png", directory, 'x' + axis);
    if (run->rank == 0)
        status = draw_plane(run, path, plane, axis, solid);
    free(solid);
    return wabe_agree(run->comm, status);
}

/* Draws the terrain and the city from above. Process 0 only. */
static wabe_status draw_heights(const wabe_run *run, const char *path, const wabe_heights *ground,
                                const wabe_heights *city) {
    const int axis = ground->heights ? ground->up : city->up;
    const wabe_image_view view = wabe_image_view_of(axis, axis);
    const int64_t *n = run->o->domain.cells;
    const int64_t cells[3] = {axis == 0 ? 1 : n[0], axis == 1 ? 1 : n[1], axis == 2 ? 1 : n[2]};
    const int64_t count = cells[0] * cells[1] * cells[2];
    char headline[WABE_STRING_SIZE + 64];
    wabe_image image = {.title = "height", .unit = unit_of(run)};
    float *values = malloc((size_t)count * sizeof *values);
    WABE_CHECK(values, WABE_MEMORY, "no memory for a picture");
    for (int64_t i = 0; i < count; i++)
        values[i] = (float)run->app->spacing[axis] *
                    fmaxf(ground->heights ? ground->heights[i] : 0.0f,
                          city->heights ? city->heights[i] : 0.0f);
    wabe_image_look(&image, view, cells, values);
    snprintf(headline, sizeof headline, "%s: from above, along %c", run->o->name, 'x' + axis);
    const wabe_status status = write_image(run, path, view, headline, false, &image);
    free(values);
    return status;
}

/* ---- all ---------------------------------------------------------------------------- */

wabe_status wabe_lbm_show_solids(wabe_run *run, const wabe_geometry *geometry,
                                 const wabe_lbm_solids *s) {
    char parent[sizeof run->directory], directory[sizeof run->directory + 16];
    wabe_run_directory(run->o, parent, sizeof parent);
    snprintf(directory, sizeof directory, "%s/geometry", parent);
    WABE_TRY(write_voxels(run, geometry, directory));
    char names[64] = "";
    for (int axis = 0; axis < 3; axis++)
        if (is_drawn(run, axis)) {
            WABE_TRY(draw(run, geometry, directory, axis));
            const size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%smiddle_%c.png", used ? ", " : "",
                     'x' + axis);
        }
    const bool above = s->heights.heights || s->city.heights;
    char path[sizeof directory + 16];
    snprintf(path, sizeof path, "%s/heights.png", directory);
    if (above)
        WABE_TRY(wabe_agree(run->comm, run->rank == 0
                                           ? draw_heights(run, path, &s->heights, &s->city)
                                           : WABE_OK));
    wabe_log_line("ParaView   open %s/fields.hdf.series (or fields.xdmf)", directory);
    wabe_log_line("pictures   %s/%s%s", directory, names, above ? ", heights.png" : "");
    return WABE_OK;
}
