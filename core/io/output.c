#include "core/io/output.h"

#include "core/device/field.h"
#include "core/io/cell_file.h"
#include "core/io/output_index.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a file's structure, without the configuration. */
enum { STRUCTURE_BYTES = 16384 };

#define POINT_DATA "/VTKHDF/PointData/"

typedef struct step_content step_content;

struct wabe_output {
    MPI_Comm comm;
    int rank;
    wabe_output_request request;         /* directory and name are owned; names of fields point into
                                            paths */
    char *paths[WABE_OUTPUT_FIELDS_MAX]; /* of the datasets */
    wabe_cell_file *file;
    wabe_output_index index;     /* kept on rank 0 */
    const step_content *content; /* only while a file is begun */
    int64_t step;                /* last begun */
    double time;
};

/* The source of a step's file. */
struct step_content {
    int64_t number;
    double time;
    const char *configuration;
    wabe_output_fill fill;
    void *context;
};

/* ---- creation ----------------------------------------------------------------------- */

bool wabe_output_is_name(const char *name) {
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return name[0] && strlen(name) <= WABE_OUTPUT_NAME_MAX;
}

static wabe_status check_name(const char *name, const char *what) {
    WABE_CHECK(wabe_output_is_name(name), WABE_INTERNAL,
               "%s \"%s\": a name has letters, digits and _, 1 to %d", what, name,
               WABE_OUTPUT_NAME_MAX);
    return WABE_OK;
}

static wabe_status add_field(wabe_output *output, const wabe_output_field *field) {
    wabe_output_request *r = &output->request;
    WABE_TRY(check_name(field->name, "an output field"));
    const int count = field->components;
    WABE_CHECK(count == 1 || count == 3 || count == 6, WABE_INTERNAL,
               "output field \"%s\" has %d components, not 1, 3 or 6", field->name, count);
    for (int f = 0; f < r->field_count; f++)
        WABE_CHECK(strcmp(field->name, r->fields[f].name) != 0, WABE_INTERNAL,
                   "output field \"%s\" is given twice", field->name);
    char *path = NULL;
    WABE_CHECK(asprintf(&path, POINT_DATA "%s", field->name) >= 0, WABE_MEMORY,
               "no memory for the output's field names");
    output->paths[r->field_count] = path;
    r->fields[r->field_count++] = (wabe_output_field){path + strlen(POINT_DATA), field->components,
                                                      field->unit};
    return WABE_OK;
}

static wabe_status copy_request(wabe_output *output, const wabe_output_request *request) {
    for (int d = 0; d < 3; d++)
        WABE_CHECK(request->grid.spacing[d] > 0, WABE_INTERNAL, "output grid of spacing %g",
                   request->grid.spacing[d]);
    WABE_TRY(check_name(request->name, "an output"));
    WABE_CHECK(request->type == WABE_TYPE_f32 || request->type == WABE_TYPE_f64, WABE_INTERNAL,
               "output as %s", wabe_type_word(request->type));
    WABE_CHECK(request->field_count > 0 && request->field_count <= WABE_OUTPUT_FIELDS_MAX,
               WABE_INTERNAL, "%d output fields, not 1 to %d", request->field_count,
               WABE_OUTPUT_FIELDS_MAX);
    output->request = *request;
    output->request.field_count = 0;
    output->request.directory = strdup(request->directory);
    output->request.name = strdup(request->name);
    WABE_CHECK(output->request.directory && output->request.name, WABE_MEMORY,
               "no memory for the output's names");
    for (int f = 0; f < request->field_count; f++)
        WABE_TRY(add_field(output, &request->fields[f]));
    return WABE_OK;
}

static wabe_cell_shape shape_of(const wabe_output *output) {
    const wabe_output_request *r = &output->request;
    wabe_cell_shape shape = {.block = r->grid.block,
                             .compress = r->compress,
                             .array_count = r->field_count};
    const bool empty = wabe_box_is_empty(r->grid.block);
    for (int d = 0; d < 3; d++) {
        shape.cells[d] = wabe_output_layers(r->grid.cells[d]);
        if (!empty && r->grid.cells[d] == 1)
            shape.block.end[d] = shape.cells[d];
    }
    for (int f = 0; f < r->field_count; f++)
        shape.arrays[f] = (wabe_cell_array){output->paths[f], r->fields[f].components, r->type,
                                            r->fields[f].unit};
    return shape;
}

static wabe_status create_file(wabe_output *output) {
    const wabe_output_request *r = &output->request;
    const wabe_cell_shape shape = shape_of(output);
    char stem[WABE_OUTPUT_NAME_MAX + 16];
    snprintf(stem, sizeof stem, "%s.hdf", r->name);
    return wabe_cell_file_create(output->comm, r->directory, stem, &shape, r->writer,
                                 &output->file);
}

/* Makes an output without a file. Collective. */
static wabe_status prepare(MPI_Comm comm, const wabe_output_request *request, wabe_output **out) {
    wabe_status status = WABE_OK;
    wabe_output *output = *out = calloc(1, sizeof *output);
    if (output) {
        output->comm = MPI_COMM_NULL;
        status = copy_request(output, request);
    } else {
        status = WABE_FAIL(WABE_MEMORY, "no memory for the field output");
    }
    return wabe_agree(comm, status);
}

wabe_status wabe_output_memory(MPI_Comm comm, const wabe_output_request *request,
                               wabe_writer_memory *out) {
    wabe_output *output;
    wabe_status status = prepare(comm, request, &output);
    if (status == WABE_OK) {
        const wabe_cell_shape shape = shape_of(output);
        status = wabe_cell_file_memory(comm, &shape, out);
    }
    wabe_output_destroy(&output);
    return status;
}

wabe_status wabe_output_create(MPI_Comm comm, const wabe_output_request *request,
                               wabe_output **out) {
    wabe_output *output;
    wabe_status status = prepare(comm, request, &output);
    if (status == WABE_OK) {
        MPI_Comm_dup(comm, &output->comm);
        MPI_Comm_rank(comm, &output->rank);
        status = create_file(output);
    }
    if (status != WABE_OK)
        wabe_output_destroy(&output);
    *out = output;
    return status;
}

void wabe_output_destroy(wabe_output **output) {
    if (!*output)
        return;
    wabe_cell_file_destroy(&(*output)->file);
    if ((*output)->comm != MPI_COMM_NULL)
        MPI_Comm_free(&(*output)->comm);
    for (int f = 0; f < WABE_OUTPUT_FIELDS_MAX; f++)
        free((*output)->paths[f]);
    wabe_output_index_clear(&(*output)->index);
    free((char *)(*output)->request.directory);
    free((char *)(*output)->request.name);
    free(*output);
    *output = NULL;
}

/* ---- what stands in a file ---------------------------------------------------------- */

/* ParaView requires a string of exactly the length of the word, without a final NUL. */
static bool put_type(hid_t group) {
    hid_t type = H5Tcopy(H5T_C_S1);
    bool good = H5Tset_size(type, strlen("ImageData")) >= 0 &&
                H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
                wabe_hdf_put_attribute(group, "Type", type, type, 0, "ImageData");
    H5Tclose(type);
    return good;
}

static bool put_vtk_attributes(hid_t group, const wabe_output_grid *grid) {
    const int64_t version[2] = {1, 0};
    double origin[3], direction[9] = {0};
    int64_t extent[6];
    for (int d = 0; d < 3; d++) {
        origin[d] = grid->origin[d] + (grid->cells[d] == 1 ? 0.0 : 0.5 * grid->spacing[d]);
        extent[2 * d] = 0;
        extent[2 * d + 1] = wabe_output_layers(grid->cells[d]) - 1;
        direction[4 * d] = 1;
    }
    return wabe_hdf_put_integers(group, "Version", 2, version) && put_type(group) &&
           wabe_hdf_put_integers(group, "WholeExtent", 6, extent) &&
           wabe_hdf_put_reals(group, "Origin", 3, origin) &&
           wabe_hdf_put_reals(group, "Spacing", 3, grid->spacing) &&
           wabe_hdf_put_reals(group, "Direction", 9, direction);
}

static bool put_vtk_group(hid_t file, const wabe_output_grid *grid) {
    hid_t group = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0)
        return false;
    bool good = put_vtk_attributes(group, grid);
    hid_t points = H5Gcreate2(group, "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    good = points >= 0 && H5Gclose(points) >= 0 && good;
    return H5Gclose(group) >= 0 && good;
}

static bool put_run_group(hid_t file, const wabe_output *output) {
    const step_content *step = output->content;
    const wabe_output_request *r = &output->request;
    const int64_t *samples = r->samples;
    hid_t group = H5Gcreate2(file, "wabe", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0)
        return false;
    bool good = wabe_hdf_put_integers(group, "step", 0, &step->number) &&
                wabe_hdf_put_integers(group, "cells", 3, r->grid.cells) &&
                wabe_hdf_put_reals(group, "time", 0, &step->time) &&
                wabe_hdf_put_unit(group, "length_unit", r->length_unit) &&
                wabe_hdf_put_unit(group, "time_unit", r->time_unit) &&
                (!samples || wabe_hdf_put_integers(group, "samples", 0, samples)) &&
                wabe_hdf_put_text(group, "configuration", step->configuration);
    return H5Gclose(group) >= 0 && good;
}

static bool put_structure(void *context, hid_t file) {
    const wabe_output *output = context;
    return put_vtk_group(file, &output->request.grid) && put_run_group(file, output);
}

/* Copies the values of a box to one with the second layers. In place: from the end, so that
 * no value is overwritten before it is read. */
static void spread(wabe_box from, wabe_box to, size_t size, char *values) {
    int64_t i = wabe_box_cells(to);
    for (int64_t z = to.end[2] - 1; z >= to.begin[2]; z--)
        for (int64_t y = to.end[1] - 1; y >= to.begin[1]; y--)
            for (int64_t x = to.end[0] - 1; x >= to.begin[0]; x--)
                memmove(values + (size_t)--i * size,
                        values + (size_t)wabe_box_place(from, x < from.end[0] ? x : 0,
                                                        y < from.end[1] ? y : 0,
                                                        z < from.end[2] ? z : 0) *
                                     size,
                        size);
}

static wabe_status fill_field(void *context, int field, wabe_box part, void *buffer) {
    const wabe_output *output = context;
    const step_content *step = output->content;
    wabe_box real = part;
    for (int d = 0; d < 3; d++)
        if (output->request.grid.cells[d] == 1)
            real.begin[d] = 0, real.end[d] = 1;
    WABE_TRY(step->fill(step->context, field, real, buffer));
    if (wabe_box_cells(real) < wabe_box_cells(part))
        spread(real, part,
               (size_t)output->request.fields[field].components *
                   wabe_type_size(output->request.type),
               buffer);
    return WABE_OK;
}

/* ---- writing ------------------------------------------------------------------------ */

/* Lists the step, once its file is renamed. */
static wabe_status list_step(void *context) {
    wabe_output *output = context;
    WABE_TRY(wabe_output_index_add(&output->index, output->step, output->time));
    return wabe_output_index_write(&output->index, &output->request);
}

/* Rank 0 only. */
static wabe_status resume(wabe_output *output, int64_t step) {
    WABE_TRY(wabe_output_index_find(&output->index, &output->request, step));
    return wabe_output_index_write(&output->index, &output->request);
}

wabe_status wabe_output_resume(wabe_output *output, int64_t step) {
    return wabe_agree(output->comm, output->rank == 0 ? resume(output, step) : WABE_OK);
}

wabe_status wabe_output_begin(wabe_output *output, int64_t step, double time, wabe_output_fill fill,
                              void *context, const char *configuration) {
    WABE_CHECK(step >= 0 && isfinite(time), WABE_INTERNAL, "output of step %lld at time %g",
               (long long)step, time);
    const step_content at = {step, time, configuration ? configuration : "", fill, context};
    const wabe_cell_content content = {.context = output,
                                       .room = STRUCTURE_BYTES + (int64_t)strlen(at.configuration),
                                       .structure = put_structure,
                                       .fill = fill_field,
                                       .named = list_step};
    char name[WABE_OUTPUT_NAME_SIZE];
    wabe_output_file_name(output->request.name, step, name);
    output->content = &at;
    output->step = step;
    output->time = time;
    const wabe_status status = wabe_cell_file_begin(output->file, name, &content);
    output->content = NULL;
    return status;
}

bool wabe_output_is_done(const wabe_output *output) { return wabe_cell_file_is_done(output->file); }

wabe_status wabe_output_proceed(wabe_output *output) {
    return wabe_cell_file_proceed(output->file);
}

wabe_status wabe_output_end(wabe_output *output) { return wabe_cell_file_end(output->file); }

wabe_status wabe_output_write(wabe_output *output, int64_t step, double time, wabe_output_fill fill,
                              void *context, const char *configuration) {
    WABE_TRY(wabe_output_begin(output, step, time, fill, context, configuration));
    return wabe_output_end(output);
}
