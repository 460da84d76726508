/* Field output: writes a known function on any number of ranks, reads it back on rank 0 alone, and
 * holds against what ParaView is known to open. Failures have to reach all ranks, without a hang.
 *
 *   test_output [--keep DIRECTORY] [--full DIRECTORY]
 *
 * --keep leaves a sample for scripts/check_paraview.py; --full names a directory on a file system
 * of a few MB, to be filled up. */
#include "core/io/disk.h"
#include "core/io/output.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <hdf5.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank, size, failures;

#define EXPECT(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            fprintf(stderr, "rank %d, line %d: %s: ", rank, __LINE__, #condition);                 \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

static const wabe_output_field fields[] = {{"density", 1, "kg/m^3"}, {"velocity", 3, NULL}};
enum { FIELDS = 2 };

/* ---- the known function: affine, and exact in float32 ------------------------------- */

static float expected(int64_t step, int field, int64_t x, int64_t y, int64_t z, int component) {
    return (float)(1000 * field + 0.25 * component - 3.0 * (double)x + 0.5 * (double)y +
                   16.0 * (double)z + 0.125 * (double)step);
}

typedef struct {
    int64_t step;
    int64_t cells_filled;
    int failing_rank; /* -1: none */
} source;

static wabe_status fill(void *context, int field, wabe_box part, void *values) {
    source *from = context;
    float *buffer = values;
    if (from->failing_rank == rank)
        return WABE_FAIL(WABE_DIVERGED, "no values on rank %d", rank);
    for (int64_t z = part.begin[2]; z < part.end[2]; z++)
        for (int64_t y = part.begin[1]; y < part.end[1]; y++)
            for (int64_t x = part.begin[0]; x < part.end[0]; x++)
                for (int c = 0; c < fields[field].components; c++)
                    *buffer++ = expected(from->step, field, x, y, z, c);
    from->cells_filled += wabe_box_cells(part);
    return WABE_OK;
}

/* ---- ways to cut the grid ----------------------------------------------------------- */

typedef enum { SLABS, BRICKS, LAST_EMPTY, FIRST_HAS_ALL, CUTS } cut;

static wabe_box slab(const int64_t cells[3], int part, int parts) {
    return (wabe_box){{0, 0, cells[2] * part / parts},
                      {cells[0], cells[1], cells[2] * (part + 1) / parts}};
}

static wabe_box brick(const int64_t cells[3]) {
    int counts[3] = {0, 0, 0};
    MPI_Dims_create(size, 3, counts);
    int at[3] = {rank % counts[0], rank / counts[0] % counts[1], rank / counts[0] / counts[1]};
    wabe_box box;
    for (int d = 0; d < 3; d++) {
        box.begin[d] = cells[d] * at[d] / counts[d];
        box.end[d] = cells[d] * (at[d] + 1) / counts[d];
    }
    return box;
}

static wabe_box block_of(cut how, const int64_t cells[3]) {
    const wabe_box nothing = {{0}, {0}};
    switch (how) {
    case BRICKS:
        return brick(cells);
    case LAST_EMPTY:
        if (size > 1)
            return rank == size - 1 ? nothing : slab(cells, rank, size - 1);
        return slab(cells, rank, size);
    case FIRST_HAS_ALL:
        return rank == 0 ? slab(cells, 0, 1) : nothing;
    default:
        return slab(cells, rank, size);
    }
}

static wabe_output_grid grid_of(cut how, int64_t nx, int64_t ny, int64_t nz) {
    wabe_output_grid grid = {{nx, ny, nz}, {{0}, {0}}, {-1, 2, 0.5}, {0.25, 0.5, 0.125}};
    grid.block = block_of(how, grid.cells);
    return grid;
}

static void join(char path[PATH_MAX], const char *directory, const char *name) {
    if (snprintf(path, PATH_MAX, "%s/%s", directory, name) >= PATH_MAX)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- reading back, on rank 0 -------------------------------------------------------- */

static void check_numbers(hid_t group, const char *name, H5T_class_t class, int count,
                          const double *values) {
    hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
    EXPECT(attribute >= 0, "no attribute %s", name);
    if (attribute < 0)
        return;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    EXPECT(H5Tget_class(type) == class && H5Tget_size(type) == 8, "type of %s", name);
    EXPECT(H5Sget_simple_extent_ndims(space) == (count > 1 ? 1 : 0), "shape of %s", name);
    EXPECT(H5Sget_simple_extent_npoints(space) == count, "length of %s", name);
    double found[16] = {0};
    H5Aread(attribute, H5T_NATIVE_DOUBLE, found);
    for (int i = 0; i < count; i++)
        EXPECT(found[i] == values[i], "%s[%d] is %g, not %g", name, i, found[i], values[i]);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
}

static void check_type(hid_t group) {
    hid_t attribute = H5Aopen(group, "Type", H5P_DEFAULT);
    EXPECT(attribute >= 0, "no attribute Type");
    if (attribute < 0)
        return;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    EXPECT(H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type), "a fixed string");
    EXPECT(H5Tget_size(type) == 9, "%zu bytes", H5Tget_size(type));
    EXPECT(H5Tget_strpad(type) == H5T_STR_NULLPAD, "padding");
    EXPECT(H5Tget_cset(type) == H5T_CSET_ASCII, "character set");
    EXPECT(H5Sget_simple_extent_type(space) == H5S_SCALAR, "a scalar");
    char text[10] = "xxxxxxxxx";
    H5Aread(attribute, type, text);
    EXPECT(memcmp(text, "ImageData", 9) == 0, "%s", text);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
}

/* As the file has it: two layers along axes of one cell. */
static wabe_output_grid in_file(const wabe_output_grid *grid) {
    wabe_output_grid there = *grid;
    for (int d = 0; d < 3; d++)
        if (grid->cells[d] == 1)
            there.cells[d] = 2;
    return there;
}

static void check_values(hid_t points, const wabe_output_grid *of, int64_t step, int field,
                         bool compressed) {
    const wabe_output_grid there = in_file(of), *grid = &there;
    const int64_t *n = of->cells;
    hid_t data = H5Dopen2(points, fields[field].name, H5P_DEFAULT);
    EXPECT(data >= 0, "no dataset %s", fields[field].name);
    if (data < 0)
        return;
    int components = fields[field].components;
    hid_t space = H5Dget_space(data), type = H5Dget_type(data), list = H5Dget_create_plist(data);
    hsize_t shape[4] = {1, 1, 1, 1};
    int dimensions = H5Sget_simple_extent_ndims(space);
    EXPECT(dimensions == (components > 1 ? 4 : 3), "%d dimensions", dimensions);
    EXPECT(H5Tequal(type, H5T_IEEE_F32LE) > 0, "type of %s", fields[field].name);
    EXPECT((H5Pget_layout(list) == H5D_CHUNKED) == compressed, "layout of %s", fields[field].name);
    H5Sget_simple_extent_dims(space, shape, NULL);
    for (int d = 0; d < 3; d++)
        EXPECT((int64_t)shape[d] == grid->cells[2 - d], "axis %d has %d", d, (int)shape[d]);
    EXPECT((int)shape[3] == components, "%d components", (int)shape[3]);
    float *values = calloc((size_t)H5Sget_simple_extent_npoints(space), sizeof *values);
    EXPECT(H5Dread(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, "reading");
    int64_t wrong = 0, at = 0;
    for (int64_t z = 0; z < grid->cells[2]; z++)
        for (int64_t y = 0; y < grid->cells[1]; y++)
            for (int64_t x = 0; x < grid->cells[0]; x++)
                for (int c = 0; c < components; c++)
                    wrong += values[at++] != expected(step, field, x % n[0], y % n[1], z % n[2], c);
    EXPECT(wrong == 0, "%lld wrong values of %s", (long long)wrong, fields[field].name);
    free(values);
    H5Pclose(list);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(data);
}

static void check_run_group(hid_t file, int64_t step, double time, const char *configuration) {
    hid_t group = H5Gopen2(file, "/wabe", H5P_DEFAULT);
    EXPECT(group >= 0, "no group wabe");
    check_numbers(group, "step", H5T_INTEGER, 1, &(double){(double)step});
    check_numbers(group, "time", H5T_FLOAT, 1, &time);
    hid_t data = H5Dopen2(group, "configuration", H5P_DEFAULT), type = H5Dget_type(data);
    size_t bytes = H5Tget_size(type);
    EXPECT(bytes == strlen(configuration) + 1, "%zu bytes of configuration", bytes);
    char *text = calloc(bytes + 1, 1);
    H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
    EXPECT(strcmp(text, configuration) == 0, "%s", text);
    free(text);
    H5Tclose(type);
    H5Dclose(data);
    H5Gclose(group);
}

static void check_file(const char *directory, const wabe_output_grid *of, int64_t step, double time,
                       const char *configuration, bool compressed) {
    const wabe_output_grid there = in_file(of), *grid = &there;
    if (rank != 0)
        return;
    char path[PATH_MAX];
    char name[48];
    snprintf(name, sizeof name, "fields_%08lld.hdf", (long long)step);
    join(path, directory, name);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    EXPECT(file >= 0, "cannot open %s", path);
    if (file < 0)
        return;
    hid_t group = H5Gopen2(file, "/VTKHDF", H5P_DEFAULT);
    const int64_t *n = grid->cells;
    const double *h = grid->spacing;
    double first[3]; /* an axis of one cell has values at the cell's two faces */
    for (int d = 0; d < 3; d++)
        first[d] = grid->origin[d] + (of->cells[d] == 1 ? 0.0 : h[d] / 2);
    check_type(group);
    check_numbers(group, "Version", H5T_INTEGER, 2, (double[]){1, 0});
    check_numbers(group, "WholeExtent", H5T_INTEGER, 6,
                  (double[]){0, (double)n[0] - 1, 0, (double)n[1] - 1, 0, (double)n[2] - 1});
    check_numbers(group, "Origin", H5T_FLOAT, 3, first);
    check_numbers(group, "Spacing", H5T_FLOAT, 3, h);
    check_numbers(group, "Direction", H5T_FLOAT, 9, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    hid_t points = H5Gopen2(group, "PointData", H5P_DEFAULT);
    for (int f = 0; f < FIELDS; f++)
        check_values(points, of, step, f, compressed);
    H5Gclose(points);
    H5Gclose(group);
    check_run_group(file, step, time, configuration);
    H5Fclose(file);
}

static char *read_text(const char *directory, const char *name) {
    char path[PATH_MAX];
    join(path, directory, name);
    char *text = calloc(1, 1 << 16);
    FILE *file = fopen(path, "r");
    if (!file)
        return text;
    size_t bytes = fread(text, 1, (1 << 16) - 1, file);
    text[bytes] = '\0';
    fclose(file);
    return text;
}

static void check_text(const char *directory, const char *name, const char *right) {
    if (rank != 0)
        return;
    char *text = read_text(directory, name);
    EXPECT(strcmp(text, right) == 0, "%s is\n%s\nand not\n%s", name, text, right);
    free(text);
}

static bool exists(const char *directory, const char *name) {
    char path[PATH_MAX];
    join(path, directory, name);
    return access(path, F_OK) == 0;
}

/* Files that were begun and not finished. */
static bool has_parts(const char *directory) {
    DIR *folder = opendir(directory);
    bool found = false;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        found |= wabe_disk_is_part(entry->d_name);
    if (folder)
        closedir(folder);
    return found;
}

/* ---- the tests; all are collective -------------------------------------------------- */

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static wabe_status create(const char *directory, const wabe_output_grid *grid, bool compress,
                          wabe_output **output) {
    const wabe_output_request request = {.directory = directory,
                                         .name = "fields",
                                         .grid = *grid,
                                         .field_count = FIELDS,
                                         .fields = {fields[0], fields[1]},
                                         .type = WABE_TYPE_f32,
                                         .compress = compress};
    return wabe_output_create(MPI_COMM_WORLD, &request, output);
}

static wabe_status write_at(wabe_output *output, int64_t step, double time,
                            const char *configuration) {
    source from = {step, 0, -1};
    return wabe_output_write(output, step, time, fill, &from, configuration);
}

static void test_values(const char *directory, cut how, bool compress) {
    wabe_output_grid grid = grid_of(how, 13, 10, 17);
    wabe_output *output;
    wabe_status status = create(directory, &grid, compress, &output);
    EXPECT(status == WABE_OK, "%s", wabe_error_message());
    if (status != WABE_OK)
        return;
    source from = {7, 0, -1};
    status = wabe_output_write(output, 7, 0.7, fill, &from, "a = 1;\n");
    EXPECT(status == WABE_OK, "cut %d: %s", how, wabe_error_message());
    EXPECT(from.cells_filled == FIELDS * wabe_box_cells(grid.block), "cells asked for");
    wabe_output_destroy(&output);
    EXPECT(!output, "destroy sets NULL");
    wabe_output_destroy(&output);
    check_file(directory, &grid, 7, 0.7, "a = 1;\n", compress);
}

/* Planes, lines and points lie in the file so that ParaView can read them. */
static void test_flat(const char *directory, int64_t nx, int64_t ny, int64_t nz, bool compress) {
    wabe_output_grid grid = grid_of(BRICKS, nx, ny, nz);
    wabe_output *output;
    wabe_status status = create(directory, &grid, compress, &output);
    if (status == WABE_OK)
        status = write_at(output, 5, 1, NULL);
    EXPECT(status == WABE_OK, "%s", wabe_error_message());
    check_file(directory, &grid, 5, 1, "", compress);
    wabe_output_destroy(&output);
}

/* Rank 0 has so much that it takes several collective writes, the others have nothing. */
static void test_many_writes(const char *directory, bool compress) {
    wabe_output_grid grid = grid_of(FIRST_HAS_ALL, 300, 260, 38);
    wabe_output *output;
    wabe_status status = create(directory, &grid, compress, &output);
    if (status == WABE_OK)
        status = write_at(output, 8, 1, NULL);
    EXPECT(status == WABE_OK, "%s", wabe_error_message());
    check_file(directory, &grid, 8, 1, "", compress);
    wabe_output_destroy(&output);
}

static void test_long_configuration(const char *directory) {
    enum { BYTES = 200000 };
    char *text = malloc(BYTES + 1);
    memset(text, 'c', BYTES);
    text[BYTES] = '\0';
    wabe_output_grid grid = grid_of(SLABS, 4, 3, 5);
    wabe_output *output;
    wabe_status status = create(directory, &grid, false, &output);
    if (status == WABE_OK)
        status = write_at(output, 9, 1e-30, text);
    EXPECT(status == WABE_OK, "%s", wabe_error_message());
    check_file(directory, &grid, 9, 1e-30, text, false);
    wabe_output_destroy(&output);
    free(text);
}

static const char series_text[] = "{\n"
                                  "  \"file-series-version\": \"1.0\",\n"
                                  "  \"files\": [\n"
                                  "    {\"name\": \"fields_00000000.hdf\", \"time\": 0},\n"
                                  "    {\"name\": \"fields_00000250.hdf\", \"time\": 0.1}\n"
                                  "  ]\n"
                                  "}\n";

#define XDMF_STEP(NUMBER, TIME)                                                                    \
    "      <Grid Name=\"fields_" NUMBER "\" GridType=\"Uniform\">\n"                               \
    "        <Time Value=\"" TIME "\"/>\n"                                                         \
    "        <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"8 5 6\"/>\n"                     \
    "        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"                                          \
    "          <DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">"    \
    "0.5 2 -1</DataItem>\n"                                                                        \
    "          <DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">"    \
    "0.125 0.5 0.25</DataItem>\n"                                                                  \
    "        </Geometry>\n"                                                                        \
    "        <Attribute Name=\"density\" AttributeType=\"Scalar\" Center=\"Cell\">\n"              \
    "          <DataItem Dimensions=\"7 4 5\" NumberType=\"Float\" Precision=\"4\" "               \
    "Format=\"HDF\">fields_" NUMBER ".hdf:/VTKHDF/PointData/density</DataItem>\n"                  \
    "        </Attribute>\n"                                                                       \
    "        <Attribute Name=\"velocity\" AttributeType=\"Vector\" Center=\"Cell\">\n"             \
    "          <DataItem Dimensions=\"7 4 5 3\" NumberType=\"Float\" Precision=\"4\" "             \
    "Format=\"HDF\">fields_" NUMBER ".hdf:/VTKHDF/PointData/velocity</DataItem>\n"                 \
    "        </Attribute>\n"                                                                       \
    "      </Grid>\n"

static const char xdmf_text[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n"
    "<Xdmf Version=\"2.0\">\n"
    "  <Domain>\n"
    "    <Grid Name=\"fields\" GridType=\"Collection\" CollectionType=\"Temporal\">\n" XDMF_STEP(
        "00000000", "0") XDMF_STEP("00000250", "0.1") "    </Grid>\n"
                                                      "  </Domain>\n"
                                                      "</Xdmf>\n";

/* Steps out of order and twice are listed in order and once; an earlier run's list does not stay.
 */
static void test_texts(const char *directory) {
    wabe_output_grid grid = grid_of(SLABS, 5, 4, 7);
    wabe_output *output;
    wabe_status status = create(directory, &grid, false, &output);
    if (status == WABE_OK)
        status = write_at(output, 250, 99, "");
    if (status == WABE_OK)
        status = write_at(output, 0, 0, "");
    if (status == WABE_OK)
        status = write_at(output, 250, 0.1, "");
    EXPECT(status == WABE_OK, "%s", wabe_error_message());
    check_text(directory, "fields.hdf.series", series_text);
    check_text(directory, "fields.xdmf", xdmf_text);
    EXPECT(!has_parts(directory), "a temporary file is left");
    wabe_output_destroy(&output);
}

/* To be read by scripts/check_paraview.py: three steps, and the coefficients of the function. */
static void write_sample(const char *directory, bool compress) {
    wabe_output_grid grid = grid_of(BRICKS, 14, 9, 11);
    wabe_output *output;
    wabe_status status = create(directory, &grid, compress, &output);
    for (int64_t step = 0; step <= 200 && status == WABE_OK; step += 100)
        status = write_at(output, step, 0.1 * (double)step, "application = \"test\";\n");
    EXPECT(status == WABE_OK, "%s", wabe_error_message());
    wabe_output_destroy(&output);
    if (rank != 0 || status != WABE_OK)
        return;
    char path[PATH_MAX];
    join(path, directory, "expected.txt");
    FILE *file = fopen(path, "w");
    EXPECT(file, "cannot write %s", path);
    if (!file)
        return;
    fprintf(file, "# field component: value = constant + x i + y j + z k + s step\n");
    for (int f = 0; f < FIELDS; f++)
        for (int c = 0; c < fields[f].components; c++) {
            double base = expected(0, f, 0, 0, 0, c);
            fprintf(file, "%s %d %g %g %g %g %g\n", fields[f].name, c, base,
                    expected(0, f, 1, 0, 0, c) - base, expected(0, f, 0, 1, 0, c) - base,
                    expected(0, f, 0, 0, 1, c) - base, expected(1, f, 0, 0, 0, c) - base);
        }
    fclose(file);
}

/* ---- failures ----------------------------------------------------------------------- */

static void expect_file_error(wabe_status status, const char *word) {
    EXPECT(status == WABE_FILE, "status %d", status);
    EXPECT(strstr(wabe_error_message(), word), "\"%s\" is not in \"%s\"", word,
           wabe_error_message());
}

/* Before any rank goes on: the next write makes such files again. */
static void expect_nothing_left(const char *directory, const char *name) {
    EXPECT(!name || !exists(directory, name), "%s is left", name);
    EXPECT(!has_parts(directory), "the temporary file is left");
    MPI_Barrier(MPI_COMM_WORLD);
}

static void make_file(const char *path) {
    int file = open(path, O_WRONLY | O_CREAT, 0666);
    EXPECT(file >= 0, "cannot make %s", path);
    close(file);
}

static void test_directory_below_file(const char *directory) {
    char path[PATH_MAX];
    join(path, directory, "plain");
    if (rank == 0)
        make_file(path);
    join(path, directory, "plain/a/b");
    wabe_output_grid grid = grid_of(SLABS, 4, 4, 8);
    wabe_output *output = (wabe_output *)&grid;
    expect_file_error(create(path, &grid, false, &output), "plain");
    EXPECT(!output, "no output after a failure");
}

/* Root may write anywhere, but not even root makes directories in /proc. */
static void test_unwritable_directory(const char *directory) {
    wabe_output_grid grid = grid_of(SLABS, 4, 4, 8);
    wabe_output *output;
    expect_file_error(create("/proc/wabe/out", &grid, false, &output), "/proc/wabe");
    if (geteuid() == 0)
        return;
    char path[PATH_MAX];
    join(path, directory, "closed");
    if (rank == 0)
        EXPECT(mkdir(path, 0555) == 0, "mkdir");
    MPI_Barrier(MPI_COMM_WORLD);
    expect_file_error(create(path, &grid, false, &output), "closed");
}

static void test_directory_replaced(const char *directory) {
    char path[PATH_MAX], aside[PATH_MAX];
    join(path, directory, "replaced");
    join(aside, directory, "aside");
    wabe_output_grid grid = grid_of(SLABS, 4, 4, 8);
    wabe_output *output;
    wabe_status status = create(path, &grid, false, &output);
    EXPECT(status == WABE_OK, "%s", wabe_error_message());
    if (rank == 0) {
        EXPECT(rename(path, aside) == 0, "rename");
        make_file(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    expect_file_error(write_at(output, 1, 1, ""), "fields_00000001.hdf: Not a directory");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        EXPECT(unlink(path) == 0 && rename(aside, path) == 0, "restoring");
    MPI_Barrier(MPI_COMM_WORLD);
    status = write_at(output, 1, 1, "");
    EXPECT(status == WABE_OK, "after it is back: %s", wabe_error_message());
    check_file(path, &grid, 1, 1, "", false);
    wabe_output_destroy(&output);
}

static void test_failing_fill(const char *directory) {
    wabe_output_grid grid = grid_of(SLABS, 4, 4, 8);
    wabe_output *output;
    wabe_status status = create(directory, &grid, false, &output);
    if (status == WABE_OK)
        status = write_at(output, 40, 4, "");
    EXPECT(status == WABE_OK, "%s", wabe_error_message());
    source from = {50, 0, size - 1};
    status = wabe_output_write(output, 50, 5, fill, &from, "");
    EXPECT(status == WABE_DIVERGED, "status %d", status);
    EXPECT(strstr(wabe_error_message(), "no values"), "%s", wabe_error_message());
    expect_nothing_left(directory, "fields_00000050.hdf");
    check_file(directory, &grid, 40, 4, "", false);
    wabe_output_destroy(&output);
}

/* A step's name that is taken by a directory shows in the rename, after all values are written. */
static void test_name_taken(const char *directory) {
    char path[PATH_MAX];
    join(path, directory, "fields_00000060.hdf");
    if (rank == 0)
        EXPECT(mkdir(path, 0777) == 0, "mkdir");
    wabe_output_grid grid = grid_of(SLABS, 4, 4, 8);
    wabe_output *output;
    wabe_status status = create(directory, &grid, false, &output);
    EXPECT(status == WABE_OK, "%s", wabe_error_message());
    expect_file_error(write_at(output, 60, 6, ""), "fields_00000060.hdf");
    expect_nothing_left(directory, NULL);
    wabe_output_destroy(&output);
}

/* A limit on the size of files stands in for a full disk. */
static void test_limited_size(const char *directory, bool compress) {
    wabe_output_grid grid = grid_of(SLABS, 40, 40, 40);
    wabe_output *output;
    wabe_status status = create(directory, &grid, compress, &output);
    EXPECT(status == WABE_OK, "%s", wabe_error_message());
    struct rlimit old, low;
    getrlimit(RLIMIT_FSIZE, &old);
    low = old;
    low.rlim_cur = 200000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &low);
    expect_file_error(write_at(output, 70, 7, ""), "fields_00000070.hdf");
    setrlimit(RLIMIT_FSIZE, &old);
    expect_nothing_left(directory, "fields_00000070.hdf");
    status = write_at(output, 71, 7.1, "");
    EXPECT(status == WABE_OK, "with room again: %s", wabe_error_message());
    check_file(directory, &grid, 71, 7.1, "", compress);
    wabe_output_destroy(&output);
}

/* Writes until it is full; all that was reported as written has to be readable. */
static void test_full_disk(const char *directory, bool compress) {
    wabe_output_grid grid = grid_of(BRICKS, 32, 32, 20);
    wabe_output *output;
    wabe_status status = create(directory, &grid, compress, &output);
    EXPECT(status == WABE_OK, "%s", wabe_error_message());
    int64_t step = 0;
    while (status == WABE_OK && step < 1000) {
        status = write_at(output, step, (double)step, "");
        step++;
    }
    expect_file_error(status, "No space left on device");
    if (rank == 0)
        printf("full disk, at step %d: %s\n", (int)step - 1, wabe_error_message());
    expect_nothing_left(directory, NULL);
    for (int64_t s = 0; s < step - 1; s++)
        check_file(directory, &grid, s, (double)s, "", compress);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    MPI_Barrier(MPI_COMM_WORLD);
    wabe_output_destroy(&output);
}

/* ---- all of it ---------------------------------------------------------------------- */

static void make_scratch(char path[PATH_MAX]) {
    if (rank == 0) {
        const char *parent = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
        snprintf(path, PATH_MAX, "%s/wabe_output_XXXXXX", parent);
        if (!mkdtemp(path)) {
            perror(path);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    MPI_Bcast(path, PATH_MAX, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void test_all(const char *scratch) {
    char directory[PATH_MAX];
    for (int how = 0; how < CUTS; how++)
        for (int compress = 0; compress < 2; compress++) {
            join(directory, scratch, compress ? "gzip/a/b" : "plain_values");
            test_values(directory, (cut)how, compress);
        }
    for (int compress = 0; compress < 2; compress++) {
        test_flat(scratch, 21, 15, 1, compress);
        test_flat(scratch, 21, 1, 15, compress);
        test_flat(scratch, 21, 1, 1, compress);
        test_flat(scratch, 1, 21, 1, compress);
        test_flat(scratch, 1, 1, 21, compress);
        test_flat(scratch, 1, 1, 1, compress);
    }
    test_many_writes(scratch, false);
    test_many_writes(scratch, true);
    test_long_configuration(scratch);
    join(directory, scratch, "texts/");
    test_texts(directory);
    test_texts(directory);
    test_directory_below_file(scratch);
    test_unwritable_directory(scratch);
    test_directory_replaced(scratch);
    test_failing_fill(scratch);
    test_name_taken(scratch);
    test_limited_size(scratch, false);
    test_limited_size(scratch, true);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char scratch[PATH_MAX];
    make_scratch(scratch);
    test_all(scratch);
    for (int i = 1; i + 1 < argc; i += 2) {
        char directory[PATH_MAX];
        for (int compress = 0; compress < 2; compress++) {
            join(directory, argv[i + 1], compress ? "gzip" : "plain");
            if (strcmp(argv[i], "--keep") == 0)
                write_sample(directory, compress);
            if (strcmp(argv[i], "--full") == 0)
                test_full_disk(directory, compress);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %d failures on %d ranks\n", failures ? "FAILED" : "passed", failures, size);
    MPI_Finalize();
    return failures ? 1 : 0;
}
