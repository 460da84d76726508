#include "core/io/output_index.h"

#include "core/base/log.h"
#include "core/device/field.h"
#include "core/io/disk.h"
#include "core/io/hdf_error.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The contents of both files. */
typedef struct {
    const wabe_output_index *index;
    const wabe_output_request *output;
} contents;

void wabe_output_file_name(const char *output, int64_t step, char name[WABE_OUTPUT_NAME_SIZE]) {
    snprintf(name, WABE_OUTPUT_NAME_SIZE, "%.*s_%08" PRId64 ".hdf", WABE_OUTPUT_NAME_MAX, output,
             step);
}

int64_t wabe_output_layers(int64_t cells) { return cells == 1 ? 2 : cells; }

static wabe_status grow(wabe_output_index *index) {
    size_t capacity = index->capacity ? 2 * index->capacity : 64;
    wabe_output_step *steps = realloc(index->steps, capacity * sizeof *steps);
    WABE_CHECK(steps, WABE_MEMORY, "no memory for the list of %zu output steps", capacity);
    index->steps = steps;
    index->capacity = capacity;
    return WABE_OK;
}

wabe_status wabe_output_index_add(wabe_output_index *index, int64_t step, double time) {
    size_t at = index->count;
    while (at > 0 && index->steps[at - 1].step >= step)
        at--;
    if (at < index->count && index->steps[at].step == step) {
        index->steps[at].time = time;
        return WABE_OK;
    }
    if (index->count == index->capacity)
        WABE_TRY(grow(index));
    memmove(index->steps + at + 1, index->steps + at, (index->count - at) * sizeof *index->steps);
    index->steps[at] = (wabe_output_step){step, time};
    index->count++;
    return WABE_OK;
}

/* Returns the step in the name of a step's file, or -1. */
static int64_t step_of_name(const char *output, const char *name) {
    char again[WABE_OUTPUT_NAME_SIZE];
    const size_t length = strlen(output);
    int64_t step;
    if (strncmp(name, output, length) != 0 ||
        sscanf(name + length, "_%" SCNd64 ".hdf", &step) != 1 || step < 0)
        return -1;
    wabe_output_file_name(output, step, again);
    return strcmp(name, again) == 0 ? step : -1;
}

/* Reads the time of a file; false: it has none. */
static bool read_time(const char *path, double *time) {
    const hid_t file = wabe_hdf_open(path);
    if (file < 0)
        return false;
    const hid_t attribute = H5Aopen_by_name(file, "wabe", "time", H5P_DEFAULT, H5P_DEFAULT);
    const bool is_read = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_DOUBLE, time) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Fclose(file);
    return is_read;
}

static wabe_status add_file(wabe_output_index *index, const char *directory, const char *name,
                            int64_t step) {
    char path[PATH_MAX];
    double time;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (read_time(path, &time))
        return wabe_output_index_add(index, step, time);
    wabe_log_warning("%s: cannot be read, and is no longer in the series of files", path);
    return WABE_OK;
}

wabe_status wabe_output_index_find(wabe_output_index *index, const wabe_output_request *output,
                                   int64_t last) {
    DIR *folder = opendir(output->directory);
    wabe_status status = WABE_OK;
    WABE_CHECK(folder, WABE_FILE, "%s: cannot be read: %s", output->directory, strerror(errno));
    struct dirent *entry;
    for (errno = 0; status == WABE_OK && (entry = readdir(folder)); errno = 0) {
        const int64_t step = step_of_name(output->name, entry->d_name);
        if (step >= 0 && step <= last)
            status = add_file(index, output->directory, entry->d_name, step);
    }
    if (errno != 0 && status == WABE_OK)
        status = WABE_FAIL(WABE_FILE, "%s: cannot be read: %s", output->directory, strerror(errno));
    closedir(folder);
    return status;
}

void wabe_output_index_clear(wabe_output_index *index) {
    free(index->steps);
    *index = (wabe_output_index){0};
}

/* Returns the shortest decimal that reads back to the same double. */
static const char *real_text(double value, char text[32]) {
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

static void print_series(FILE *file, const contents *all) {
    char name[WABE_OUTPUT_NAME_SIZE], time[32];
    fputs("{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n", file);
    for (size_t i = 0; i < all->index->count; i++) {
        const wabe_output_step *at = &all->index->steps[i];
        wabe_output_file_name(all->output->name, at->step, name);
        fprintf(file, "    {\"name\": \"%s\", \"time\": %s}%s\n", name, real_text(at->time, time),
                i + 1 < all->index->count ? "," : "");
    }
    fputs("  ]\n}\n", file);
}

/* XDMF lists the slowest axis first, so z, and a mesh of n cells has n + 1 nodes. The two layers of
 * an axis of one cell are its halves. */
static void print_mesh(FILE *file, const wabe_output_grid *grid) {
    char text[3][32];
    int64_t nodes[3];
    double corner_and_edge[2][3];
    for (int d = 0; d < 3; d++) {
        nodes[2 - d] = wabe_output_layers(grid->cells[d]) + 1;
        corner_and_edge[0][2 - d] = grid->origin[d];
        corner_and_edge[1][2 - d] = grid->spacing[d] * (grid->cells[d] == 1 ? 0.5 : 1.0);
    }
    fprintf(file,
            "        <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"%" PRId64 " %" PRId64
            " %" PRId64 "\"/>\n",
            nodes[0], nodes[1], nodes[2]);
    fputs("        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n", file);
    for (int i = 0; i < 2; i++) {
        fprintf(file,
                "          <DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" "
                "Format=\"XML\">%s %s %s</DataItem>\n",
                real_text(corner_and_edge[i][0], text[0]),
                real_text(corner_and_edge[i][1], text[1]),
                real_text(corner_and_edge[i][2], text[2]));
    }
    fputs("        </Geometry>\n", file);
}

/* "7 4 5": the layers along z, y, x. */
static const char *dimensions_of(const wabe_output_grid *grid, char text[64]) {
    snprintf(text, 64, "%" PRId64 " %" PRId64 " %" PRId64, wabe_output_layers(grid->cells[2]),
             wabe_output_layers(grid->cells[1]), wabe_output_layers(grid->cells[0]));
    return text;
}

static void print_dataset(FILE *file, const wabe_output_request *output,
                          const wabe_output_field *field, const char *hdf) {
    char dimensions[64], components[16] = "";
    if (field->components > 1)
        snprintf(components, sizeof components, " %d", field->components);
    fprintf(file,
            "          <DataItem Dimensions=\"%s%s\" NumberType=\"Float\" Precision=\"%d\" "
            "Format=\"HDF\">%s:/VTKHDF/PointData/%s</DataItem>\n",
            dimensions_of(&output->grid, dimensions), components, (int)wabe_type_size(output->type),
            hdf, field->name);
}

/* Six scalars: VTK's readers before 9.6 want six components as a matrix, those from 9.6 on as a
 * vector, and Tensor6 has its components in another order. */
static void print_tensor(FILE *file, const wabe_output_request *output,
                         const wabe_output_field *field, const char *hdf) {
    static const char *const names[] = {"xx", "yy", "zz", "xy", "yz", "xz"};
    char dimensions[64];
    dimensions_of(&output->grid, dimensions);
    for (int k = 0; k < 6; k++) {
        fprintf(file,
                "        <Attribute Name=\"%s_%s\" AttributeType=\"Scalar\" Center=\"Cell\">\n"
                "          <DataItem ItemType=\"HyperSlab\" Dimensions=\"%s 1\">\n"
                "          <DataItem Dimensions=\"3 4\" Format=\"XML\">"
                "0 0 0 %d 1 1 1 1 %s 1</DataItem>\n",
                field->name, names[k], dimensions, k, dimensions);
        print_dataset(file, output, field, hdf);
        fputs("          </DataItem>\n        </Attribute>\n", file);
    }
}

static void print_field(FILE *file, const wabe_output_request *output,
                        const wabe_output_field *field, const char *hdf) {
    if (field->components == 6) {
        print_tensor(file, output, field, hdf);
        return;
    }
    fprintf(file, "        <Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"Cell\">\n",
            field->name, field->components == 1 ? "Scalar" : "Vector");
    print_dataset(file, output, field, hdf);
    fputs("        </Attribute>\n", file);
}

static void print_xdmf(FILE *file, const contents *all) {
    char name[WABE_OUTPUT_NAME_SIZE], time[32];
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n"
          "<Xdmf Version=\"2.0\">\n"
          "  <Domain>\n"
          "    <Grid Name=\"",
          file);
    fprintf(file, "%s\" GridType=\"Collection\" CollectionType=\"Temporal\">\n", all->output->name);
    for (size_t i = 0; i < all->index->count; i++) {
        const wabe_output_step *at = &all->index->steps[i];
        wabe_output_file_name(all->output->name, at->step, name);
        fprintf(file,
                "      <Grid Name=\"%s_%08" PRId64 "\" GridType=\"Uniform\">\n"
                "        <Time Value=\"%s\"/>\n",
                all->output->name, at->step, real_text(at->time, time));
        print_mesh(file, &all->output->grid);
        for (int f = 0; f < all->output->field_count; f++)
            print_field(file, all->output, &all->output->fields[f], name);
        fputs("      </Grid>\n", file);
    }
    fputs("    </Grid>\n  </Domain>\n</Xdmf>\n", file);
}

static wabe_status replace_text(const char *ending, void (*print)(FILE *, const contents *),
                                const contents *all) {
    char path[PATH_MAX];
    FILE *file;
    snprintf(path, sizeof path, "%s/%s%s", all->output->directory, all->output->name, ending);
    WABE_TRY(wabe_disk_open_new(path, &file));
    print(file, all);
    return wabe_disk_publish_new(path, file);
}

wabe_status wabe_output_index_write(const wabe_output_index *index,
                                    const wabe_output_request *output) {
    const contents all = {index, output};
    WABE_TRY(replace_text(".hdf.series", print_series, &all));
    return replace_text(".xdmf", print_xdmf, &all);
}
