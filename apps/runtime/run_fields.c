/* Fields of the whole domain or of parts of it, written for ParaView. */
#include "apps/runtime/report.h"
#include "apps/runtime/restart.h"
#include "apps/runtime/run_internal.h"

#include "core/base/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN ", "
enum { PIXELS_MAX = 1 << 26 }; /* cells of a plane that is drawn */

/* ---- selection ---------------------------------------------------------------------- */

/* The names of all fields: "density, velocity". */
static const char *names_of(const wabe_application *app, char text[], size_t size) {
    size_t used = 0;
    for (int i = 0; i < app->quantity_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? BETWEEN : "",
                                 app->quantities[i].name);
    return text;
}

/* false: no such field, or already in the list. */
static bool add_field(const wabe_application *app, const char *name, wabe_run_part *part) {
    for (int i = 0; i < part->field_count; i++)
        if (strcmp(part->fields[i]->name, name) == 0)
            return false;
    for (int i = 0; i < app->quantity_count; i++)
        if (strcmp(app->quantities[i].name, name) == 0 &&
            part->field_count < WABE_PART_FIELDS_MAX) {
            part->fields[part->field_count++] = &app->quantities[i];
            return true;
        }
    return false;
}

static wabe_status read_quantities(const wabe_run *run, const char *path, const char *text,
                                   wabe_run_part *part) {
    char words[WABE_STRING_SIZE], names[4 * WABE_STRING_SIZE], *rest = words;
    const bool given = text[0] || wabe_config_is_given(run->config, path);
    snprintf(words, sizeof words, "%s", given ? text : run->app->default_quantities);
    names_of(run->app, names, sizeof names);
    for (char *word; (word = strtok_r(rest, BETWEEN, &rest));)
        if (!add_field(run->app, word, part))
            return wabe_config_fail(run->config, path,
                                    "has \"%s\": it must be some of %s, each once, such as \"%s\"",
                                    word, names, run->app->default_quantities);
    return part->field_count > 0
               ? WABE_OK
               : wabe_config_fail(run->config, path, "is empty: it must be some of %s", names);
}

wabe_status wabe_run_check_name(const wabe_run *run, const char *path, const char *name) {
    return wabe_output_is_name(name)
               ? WABE_OK
               : wabe_config_fail(run->config, path, "must be of letters, digits and _, at most %d",
                                  WABE_OUTPUT_NAME_MAX);
}

static wabe_status choose_box(const wabe_run *run, int number, const wabe_part_options *o,
                              wabe_box *out) {
    char group[64];
    snprintf(group, sizeof group, "output.parts[%d]", number);
    for (int d = 0; d < 3; d++) {
        out->begin[d] = o->begin[d];
        out->end[d] = o->end[d] > 0 ? o->end[d] : run->o->domain.cells[d];
    }
    return wabe_run_check_box(run->config, group, *out, run->o->domain.cells);
}

/* path: of low and high, up to the last point. */
static wabe_status check_range(const wabe_run *run, const char *path, double low, double high) {
    char key[96];
    snprintf(key, sizeof key, "%s%s", path, isnan(low) ? "high" : "low");
    return isnan(low) == isnan(high) && !(low >= high)
               ? WABE_OK
               : wabe_config_fail(run->config, key,
                                  "low and high are the ends of the colours: give both, low below "
                                  "high, or neither");
}

/* Rejects what cannot be drawn. */
static wabe_status check_drawn(const wabe_run *run, const wabe_run_part *part) {
    char path[64];
    bool plane = false;
    for (int d = 0; d < 3; d++)
        plane |= wabe_box_extent(part->box, d) == 1;
    snprintf(path, sizeof path, "output.parts[%d].precision", part->number);
    if (part->type != WABE_TYPE_f32)
        return wabe_config_fail(run->config, path, "is not used: format is \"png\"");
    snprintf(path, sizeof path, "output.parts[%d].format", part->number);
    if (!plane)
        return wabe_config_fail(run->config, path,
                                "\"png\" is for planes: begin and end must be one cell apart along "
                                "an axis");
    if (wabe_box_cells(part->box) > PIXELS_MAX)
        return wabe_config_fail(run->config, path, "the plane has %lld cells, \"png\" takes %d",
                                (long long)wabe_box_cells(part->box), PIXELS_MAX);
    snprintf(path, sizeof path, "output.parts[%d].quantities", part->number);
    if (part->field_count != 1 || part->fields[0]->count > 3)
        return wabe_config_fail(run->config, path,
                                "must be one number or vector, such as \"%s\", to be drawn",
                                run->app->picture);
    snprintf(path, sizeof path, "output.parts[%d].", part->number);
    return check_range(run, path, part->low[0], part->high[0]);
}

/* Rejects what only pictures have. */
static wabe_status check_written(const wabe_run *run, const wabe_run_part *part) {
    char path[64];
    snprintf(path, sizeof path, "output.parts[%d].%s", part->number,
             isnan(part->low[0]) ? "high" : "low");
    return isnan(part->low[0]) && isnan(part->high[0])
               ? WABE_OK
               : wabe_config_fail(run->config, path, "is not used: format is \"hdf5\"");
}

static wabe_status choose_part(wabe_run *run, int number, const wabe_part_options *o) {
    const bool own = o->every != INT64_MIN;
    wabe_run_part part = {.number = number,
                          .stride = o->stride,
                          .every = own ? o->every : run->o->output.every,
                          .interval = own ? 0.0 : run->o->output.interval,
                          .type = o->precision ? WABE_TYPE_f64 : WABE_TYPE_f32,
                          .drawn = o->format == 1,
                          .low = {o->low},
                          .high = {o->high}};
    char path[64];
    snprintf(path, sizeof path, "output.parts[%d].name", number);
    WABE_TRY(wabe_run_check_name(run, path, o->name));
    if (strcmp(o->name, "fields") == 0)
        return wabe_config_fail(run->config, path, "is the name of the whole domain's files");
    for (int i = 0; i < run->part_count; i++)
        if (strcmp(run->parts[i].name, o->name) == 0)
            return wabe_config_fail(run->config, path, "is the name of another one, too");
    snprintf(part.name, sizeof part.name, "%.*s", WABE_OUTPUT_NAME_MAX, o->name);
    WABE_TRY(choose_box(run, number, o, &part.box));
    snprintf(path, sizeof path, "output.parts[%d].quantities", number);
    WABE_TRY(read_quantities(run, path, o->quantities, &part));
    WABE_TRY(part.drawn ? check_drawn(run, &part) : check_written(run, &part));
    run->parts[run->part_count++] = part;
    return WABE_OK;
}

/* Those that are drawn, or the others. */
static wabe_status choose_parts(wabe_run *run, bool drawn) {
    const wabe_option_list *list = &run->o->output.parts;
    const wabe_part_options *items = list->items;
    for (int i = 0; i < (int)list->count; i++)
        if ((items[i].format == 1) == drawn)
            WABE_TRY(choose_part(run, i, &items[i]));
    return WABE_OK;
}

/* The whole domain is the first part. */
static wabe_status choose_domain(wabe_run *run) {
    const wabe_run_options *o = run->o;
    wabe_run_part part = {.number = -1,
                          .name = "fields",
                          .stride = o->output.stride,
                          .every = o->output.every,
                          .interval = o->output.interval,
                          .type = o->output.precision ? WABE_TYPE_f64 : WABE_TYPE_f32};
    memcpy(part.box.end, o->domain.cells, sizeof part.box.end);
    WABE_TRY(read_quantities(run, "output.quantities", o->output.quantities, &part));
    if (o->output.fields)
        run->parts[run->part_count++] = part;
    return WABE_OK;
}

static wabe_status check_picture_ranges(const wabe_run *run, const wabe_run_part *picture) {
    static const char *const groups[] = {"output.picture_range.", "output.picture_range_beside."};
    for (int i = 0; i < WABE_PANELS_MAX; i++) {
        char key[96];
        snprintf(key, sizeof key, "%s%s", groups[i], isnan(picture->low[i]) ? "high" : "low");
        WABE_TRY(check_range(run, groups[i], picture->low[i], picture->high[i]));
        if (i >= picture->field_count && !isnan(picture->low[i]))
            return wabe_config_fail(run->config, key, "is not used: there %s",
                                    i == 0 ? "is no output.picture" : "is no panel beside it");
    }
    return WABE_OK;
}

/* Sets the layer of cells that output.picture shows. axis: its normal; -1: there is no picture. */
static wabe_status choose_layer(const wabe_run *run, int axis, wabe_box *box) {
    const int64_t at = run->o->output.picture_at, cells = axis < 0 ? 0 : box->end[axis];
    const bool given = at != INT64_MIN;
    if (given && axis < 0)
        return wabe_config_fail(run->config, "output.picture_at",
                                "is not used: there is no output.picture");
    if (given && at >= cells)
        return wabe_config_fail(run->config, "output.picture_at",
                                "must be in the domain: along %c it is %lld, domain.cells has %lld",
                                'x' + axis, (long long)at, (long long)cells);
    if (axis >= 0) {
        box->begin[axis] = given ? at : cells / 2;
        box->end[axis] = box->begin[axis] + 1;
    }
    return WABE_OK;
}

/* The plane of output.picture. */
static wabe_status choose_picture(wabe_run *run) {
    const wabe_run_options *o = run->o;
    const wabe_application *app = run->app;
    const int axis = o->output.picture - 1;
    wabe_run_part part = {.number = -1,
                          .stride = 1,
                          .every = o->output.every,
                          .interval = o->output.interval,
                          .type = WABE_TYPE_f32,
                          .drawn = true,
                          .low = {o->output.picture_range.low, o->output.picture_range_beside.low},
                          .high = {o->output.picture_range.high,
                                   o->output.picture_range_beside.high}};
    memcpy(part.box.end, o->domain.cells, sizeof part.box.end);
    WABE_TRY(choose_layer(run, axis, &part.box));
    if (axis >= 0) {
        snprintf(part.name, sizeof part.name, "%.*s", WABE_OUTPUT_NAME_MAX, app->picture);
        if (wabe_box_cells(part.box) > PIXELS_MAX)
            return wabe_config_fail(run->config, "output.picture",
                                    "the plane has %lld cells, a picture takes %d",
                                    (long long)wabe_box_cells(part.box), PIXELS_MAX);
        add_field(app, app->picture, &part);
        if (app->picture_beside)
            add_field(app, app->picture_beside, &part);
        run->parts[run->part_count++] = part;
    }
    return check_picture_ranges(run, &part);
}

static bool has_averages(const wabe_run_part *part) {
    bool found = false;
    for (int f = 0; f < part->field_count; f++)
        found |= part->fields[f]->over_time != WABE_NOW;
    return found;
}

wabe_status wabe_run_choose_fields(wabe_run *run) {
    const wabe_option_list *list = &run->o->output.parts;
    run->part_count = 0;
    WABE_TRY(choose_domain(run));
    if (list->count > WABE_PARTS_MAX - 2)
        return wabe_config_fail(run->config, "output.parts", "has %lld parts, at most %d",
                                (long long)list->count, WABE_PARTS_MAX - 2);
    WABE_TRY(choose_parts(run, false));
    run->written_count = run->part_count;
    WABE_TRY(choose_picture(run));
    WABE_TRY(choose_parts(run, true));
    run->averages.rows = wabe_run_average_rows(run);
    run->averages.kept = run->averages.rows > 0;
    return WABE_OK;
}

/* ---- files -------------------------------------------------------------------------- */

wabe_output_grid wabe_run_part_grid(const wabe_run *run, const wabe_run_part *part,
                                    wabe_box block) {
    const wabe_box mine = wabe_box_intersect(block, part->box);
    wabe_output_grid grid;
    for (int d = 0; d < 3; d++) {
        const int64_t begin = part->box.begin[d];
        grid.cells[d] = wabe_samples(wabe_box_extent(part->box, d), part->stride);
        grid.block.begin[d] = wabe_samples(mine.begin[d] - begin, part->stride);
        grid.block.end[d] = wabe_samples(mine.end[d] - begin, part->stride);
        const double edge = run->app->spacing[d];
        grid.spacing[d] = edge * (double)part->stride;
        grid.origin[d] = edge * ((double)begin + 0.5 - 0.5 * (double)part->stride);
    }
    if (wabe_box_is_empty(mine) || wabe_box_is_empty(grid.block))
        grid.block = (wabe_box){0};
    return grid;
}

static wabe_output_request request_of(const wabe_run *run, const wabe_run_part *part) {
    wabe_output_request request = {.directory = run->directory,
                                   .name = part->name,
                                   .grid = wabe_run_part_grid(run, part, run->block),
                                   .field_count = part->field_count,
                                   .type = part->type,
                                   .compress = run->o->output.compress,
                                   .length_unit = run->app->length_unit,
                                   .time_unit = run->app->time_unit,
                                   .samples = has_averages(part) ? &run->averages.samples : NULL};
    for (int f = 0; f < part->field_count; f++)
        request.fields[f] = (wabe_output_field){part->fields[f]->name, part->fields[f]->count,
                                                part->fields[f]->unit};
    return request;
}

wabe_status wabe_run_open_fields(wabe_run *run) {
    for (int i = 0; i < run->written_count; i++) {
        const wabe_output_request request = request_of(run, &run->parts[i]);
        WABE_TRY(wabe_async_add(run->comm, &run->async, &request));
    }
    return WABE_OK;
}

wabe_status wabe_run_fields_memory(const wabe_run *run, wabe_writer_memory *all) {
    for (int i = 0; i < run->written_count; i++) {
        const wabe_output_request request = request_of(run, &run->parts[i]);
        wabe_writer_memory one;
        WABE_TRY(wabe_output_memory(run->comm, &request, &one));
        wabe_writer_memory_add(all, &one);
    }
    return WABE_OK;
}

wabe_status wabe_run_resume_fields(wabe_run *run) {
    int64_t later = 0;
    for (int i = 0; i < run->part_count && run->rank == 0; i++)
        later += wabe_run_set_aside(run, run->parts[i].name);
    if (later > 0)
        wabe_log_line("           fields and pictures of the earlier run after step %lld (%lld "
                      "files) are now *.old",
                      (long long)run->first_step, (long long)later);
    for (int i = 0; i < run->written_count; i++)
        WABE_TRY(wabe_output_resume(run->async.outputs[i], run->first_step));
    return WABE_OK;
}

/* ---- writing ------------------------------------------------------------------------ */

static bool is_due(const wabe_run *run, const wabe_run_part *part, int64_t timed) {
    return wabe_report_is_due(timed, part->every) ||
           wabe_run_time_is_due(run, part->interval, timed);
}

bool wabe_run_fields_are_due(const wabe_run *run, int64_t timed) {
    bool due = wabe_report_is_due(timed, run->o->output.every) ||
               wabe_run_time_is_due(run, run->o->output.interval, timed);
    for (int i = 0; i < run->part_count; i++)
        due |= is_due(run, &run->parts[i], timed);
    return due;
}

/* The context of fill. */
typedef struct {
    const wabe_run *run;
    const wabe_run_part *part;
} source;

/* Writes every stride-th cell of a plane; numbers: rows of the plane. */
static char *put_plane(const wabe_output_quantity *q, wabe_box plane, int64_t stride,
                       wabe_type type, const double *numbers, char *out) {
    const int64_t nx = wabe_box_extent(plane, 0), ny = wabe_box_extent(plane, 1);
    const wabe_state_number unit = {q->name,
                                    q->over_time == WABE_MEAN_OVER_TIME || q->over_time == WABE_NOW
                                        ? q->offset
                                        : 0.0,
                                    q->factor};
    for (int64_t y = 0; y < ny; y += stride)
        for (int64_t x = 0; x < nx; x += stride)
            for (int k = 0; k < q->count; k++, out += wabe_type_size(type)) {
                const double value = wabe_state_number_of(&unit, numbers[(k * ny + y) * nx + x]);
                if (type == WABE_TYPE_f64)
                    *(double *)(void *)out = value;
                else
                    *(float *)(void *)out = (float)value;
            }
    return out;
}

/* Plane by plane; room: for the state's numbers, and for WABE_AVERAGE_ROOM. */
static wabe_status fill_planes(const wabe_run *run, const wabe_output_quantity *q, wabe_box box,
                               int64_t stride, wabe_type type, double *room, char *out) {
    const wabe_values numbers = run->app->values(run);
    const bool now = q->over_time == WABE_NOW;
    wabe_box plane = box;
    for (int64_t z = box.begin[2]; z < box.end[2]; z += stride) {
        plane.begin[2] = z, plane.end[2] = z + 1;
        WABE_TRY(now ? wabe_domain_read(run->domain, &numbers, plane, room)
                     : wabe_run_read_average(run, q, plane, room));
        out = put_plane(q, plane, stride, type, room + (now ? q->first * wabe_box_cells(plane) : 0),
                        out);
    }
    return WABE_OK;
}

/* Bytes of fill_planes's room for planes of a box. */
static int64_t room_of(const wabe_run *run, wabe_box box) {
    const int rows = run->app->number_count;
    return (rows > WABE_AVERAGE_ROOM ? rows : WABE_AVERAGE_ROOM) * wabe_box_plane_cells(box) *
           (int64_t)sizeof(double);
}

int64_t wabe_run_fill_memory(const wabe_run *run) {
    int64_t most = 0;
    for (int i = 0; i < run->part_count; i++)
        for (int f = 0; f < run->parts[i].field_count; f++) {
            const wabe_run_part *part = &run->parts[i];
            const int64_t bytes = run->app->fill && part->fields[f]->over_time == WABE_NOW
                                      ? 0
                                      : room_of(run, wabe_box_intersect(part->box, run->block));
            most = bytes > most ? bytes : most;
        }
    return most;
}

wabe_status wabe_run_fill(const wabe_run *run, const wabe_run_part *part, int field, wabe_box cells,
                          void *values) {
    const wabe_application *app = run->app;
    const wabe_output_quantity *q = part->fields[field];
    wabe_box box;
    for (int d = 0; d < 3; d++) {
        box.begin[d] = part->box.begin[d] + part->stride * cells.begin[d];
        box.end[d] = part->box.begin[d] + part->stride * (cells.end[d] - 1) + 1;
    }
    if (app->fill && q->over_time == WABE_NOW)
        return app->fill(run, q, box, part->stride, part->type, values);
    if (q->over_time != WABE_NOW && run->averages.samples == 0) {
        memset(values, 0, (size_t)(wabe_box_cells(cells) * q->count) * wabe_type_size(part->type));
        return WABE_OK;
    }
    double *room = malloc((size_t)room_of(run, box));
    WABE_CHECK(room, WABE_MEMORY, "no memory for a plane of numbers");
    const wabe_status status = fill_planes(run, q, box, part->stride, part->type, room, values);
    free(room);
    return status;
}

static wabe_status fill(void *context, int field, wabe_box cells, void *values) {
    const source *s = context;
    return wabe_run_fill(s->run, s->part, field, cells, values);
}

static wabe_status write_part(wabe_run *run, int number, const char *configuration) {
    wabe_output *output = run->async.outputs[number];
    source from = {run, &run->parts[number]};
    WABE_TRY(wabe_output_end(output)); /* the one of an earlier step */
    return wabe_output_begin(output, run->step, wabe_run_time(run), fill, &from, configuration);
}

wabe_status wabe_run_write_fields(wabe_run *run, int64_t timed, bool last) {
    wabe_status status = WABE_OK;
    char *text = wabe_restart_configuration(run->app->table_count, run->app->tables);
    WABE_TRY(wabe_agree_memory(run->comm, text != NULL, "the resolved input"));
    bool due[WABE_PARTS_MAX];
    for (int i = 0; i < run->part_count; i++)
        due[i] = last || is_due(run, &run->parts[i], timed);
    if (run->app->before_fields)
        status = run->app->before_fields(run, due);
    for (int i = 0; i < run->part_count && status == WABE_OK; i++)
        if (due[i])
            status = i < run->written_count ? write_part(run, i, text)
                                            : wabe_run_draw_part(run, &run->parts[i]);
    if (run->app->after_fields)
        run->app->after_fields(run);
    free(text);
    return status;
}
