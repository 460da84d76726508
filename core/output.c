/* How a step's file comes to be:
 *
 * 1. Rank 0 alone writes its structure (groups, attributes, empty datasets) under a temporary name
 *    and reserves the room for the values, so that a full disk is noticed while a single process
 *    is busy: a collective write that fails on one rank can leave the others waiting.
 * 2. All ranks open it through MPI-IO and write their parts, a few z-planes at a time. Where no
 *    room could be reserved, they read them back.
 * 3. Rank 0 syncs it, renames it, and rewrites the texts that list the steps. */
#include "core/output.h"

#include "core/output_index.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 16 << 20, /* per rank, unless a single plane needs more */
    CHUNK_EDGE = 256,        /* of compressed datasets: chunks of at most 256 x 256 x 1 cells */
    DEFLATE_LEVEL = 4,
    /* Open MPI 4.1 copies the path of a file, and up to ".locktest.NNNNNN" behind it, into 256
     * bytes without looking; "/fields.hdf.part" is the longest name that it is given. */
    DIRECTORY_MAX = 255 - 16 - 16
};

struct wabe_output {
    MPI_Comm comm;
    int rank;
    char *directory;
    char part[PATH_MAX]; /* the temporary name */
    wabe_output_grid grid;
    int field_count;
    wabe_output_field fields[WABE_OUTPUT_FIELDS_MAX]; /* names owned */
    bool compress;
    int64_t planes;          /* per collective write, the same on all ranks */
    int64_t writes;          /* collective writes per field, the same on all ranks */
    wabe_output_index index; /* kept on rank 0 */
    int64_t bytes;
    double seconds;
};

/* One step while it is being written. */
typedef struct {
    wabe_output *output;
    char path[PATH_MAX]; /* the final name, for messages as well */
    hid_t file, transfer;
    hid_t data[WABE_OUTPUT_FIELDS_MAX];
    int descriptor; /* this rank's own */
    bool reserved;  /* there is room on the disk for all of it, for sure */
    uint64_t *sums; /* [field][write], of the values written; owned */
} step_file;

/* ---- errors ------------------------------------------------------------------------- */

/* The innermost entry of HDF5's error stack says why; where it quotes the system, that will do. */
static herr_t take_reason(unsigned depth, const H5E_error2_t *error, void *reason) {
    if (depth > 0 || !error->desc)
        return 0;
    const char *quote = strstr(error->desc, "error message = '");
    const char *begin = quote ? quote + strlen("error message = '") : error->desc;
    int length = quote ? (int)strcspn(begin, "'") : (int)strlen(begin);
    snprintf(reason, 256, "%.*s", length, begin);
    return 0;
}

/* To be called right after the failure: the next call of HDF5 empties the stack. */
static wabe_status hdf5_failed(const char *path) {
    char reason[256] = "unknown HDF5 error";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, reason);
    return WABE_FAIL(WABE_FILE, "cannot write %s: %s", path, reason);
}

static void keep_first(wabe_status *first, wabe_status status) {
    if (*first == WABE_OK)
        *first = status;
}

/* ---- creation ----------------------------------------------------------------------- */

static wabe_status check_field(const wabe_output_field *field) {
    WABE_CHECK(field->name && field->name[0], WABE_INTERNAL, "an output field has no name");
    for (const char *c = field->name; *c; c++)
        WABE_CHECK(isalnum((unsigned char)*c) || *c == '_', WABE_INTERNAL,
                   "output field \"%s\": a name has letters, digits and _ only", field->name);
    WABE_CHECK(field->components == 1 || field->components == 3, WABE_INTERNAL,
               "output field \"%s\" has %d components, not 1 or 3", field->name, field->components);
    return WABE_OK;
}

static wabe_status check_grid(const wabe_output_grid *grid) {
    WABE_CHECK(grid->spacing > 0, WABE_INTERNAL, "output grid of spacing %g", grid->spacing);
    for (int d = 0; d < 3; d++) {
        WABE_CHECK(grid->cells[d] > 0, WABE_INTERNAL, "output grid with no cells along axis %d", d);
        WABE_CHECK(wabe_box_is_empty(grid->block) ||
                       (grid->block.begin[d] >= 0 && grid->block.end[d] <= grid->cells[d]),
                   WABE_INTERNAL, "output block outside the grid along axis %d", d);
    }
    return WABE_OK;
}

static wabe_status copy_fields(wabe_output *output, int count, const wabe_output_field fields[]) {
    WABE_CHECK(count > 0 && count <= WABE_OUTPUT_FIELDS_MAX, WABE_INTERNAL,
               "%d output fields, not 1 to %d", count, WABE_OUTPUT_FIELDS_MAX);
    for (int f = 0; f < count; f++) {
        WABE_TRY(check_field(&fields[f]));
        for (int g = 0; g < f; g++)
            WABE_CHECK(strcmp(fields[f].name, fields[g].name) != 0, WABE_INTERNAL,
                       "output field \"%s\" is given twice", fields[f].name);
        output->fields[f] = (wabe_output_field){strdup(fields[f].name), fields[f].components};
        WABE_CHECK(output->fields[f].name, WABE_MEMORY, "no memory for the output's field names");
        output->field_count++;
    }
    return WABE_OK;
}

static wabe_status copy_request(wabe_output *output, const char *directory,
                                const wabe_output_grid *grid, int field_count,
                                const wabe_output_field fields[]) {
    WABE_TRY(check_grid(grid));
    output->grid = *grid;
    WABE_CHECK(directory[0], WABE_FILE, "the output directory has an empty name");
    WABE_CHECK(strlen(directory) <= DIRECTORY_MAX, WABE_FILE,
               "the path of the output directory is too long (%zu bytes, at most %d): %s",
               strlen(directory), DIRECTORY_MAX, directory);
    output->directory = strdup(directory);
    WABE_CHECK(output->directory, WABE_MEMORY, "no memory for the output's directory name");
    snprintf(output->part, sizeof output->part, "%s/fields.hdf.part", directory);
    return copy_fields(output, field_count, fields);
}

static int most_components(const wabe_output *output) {
    int most = 1;
    for (int f = 0; f < output->field_count; f++)
        most = output->fields[f].components > most ? output->fields[f].components : most;
    return most;
}

static int64_t bytes_per_plane(const wabe_output *output) {
    const wabe_box block = output->grid.block;
    return wabe_box_extent(block, 0) * wabe_box_extent(block, 1) * most_components(output) *
           (int64_t)sizeof(float);
}

/* Every rank takes part in the same number of writes, and blocks that are neighbours within a plane
 * write the same planes at once, so that a compressed chunk that they share is written once. */
static wabe_status plan_writes(wabe_output *output) {
    const wabe_box block = output->grid.block;
    int64_t most[2] = {bytes_per_plane(output), wabe_box_extent(block, 2)};
    int64_t covered = wabe_box_cells(block);
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, output->comm);
    MPI_Allreduce(MPI_IN_PLACE, &covered, 1, MPI_INT64_T, MPI_SUM, output->comm);
    const int64_t *cells = output->grid.cells;
    WABE_CHECK(covered == cells[0] * cells[1] * cells[2], WABE_INTERNAL,
               "the ranks' output blocks do not add up to the whole grid");
    output->planes = BUFFER_BYTES / most[0] > 1 ? BUFFER_BYTES / most[0] : 1;
    if (output->planes > most[1])
        output->planes = most[1];
    output->writes = (most[1] + output->planes - 1) / output->planes;
    return WABE_OK;
}

static wabe_status make_one_directory(const char *path) {
    if (mkdir(path, 0777) == 0)
        return WABE_OK;
    int error = errno;
    struct stat about;
    if (stat(path, &about) == 0) {
        if (S_ISDIR(about.st_mode))
            return WABE_OK;
        error = ENOTDIR;
    }
    return WABE_FAIL(WABE_FILE, "cannot make the output directory %s: %s", path, strerror(error));
}

static wabe_status make_directory(const char *directory) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", directory);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        WABE_TRY(make_one_directory(path));
        *slash = '/';
    }
    return make_one_directory(path);
}

/* Permission bits do not tell the whole truth (read-only mounts, quotas): only writing does. */
static wabe_status try_writing(const wabe_output *output) {
    int file = open(output->part, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int error = file < 0 ? errno : 0;
    if (file >= 0) {
        if (write(file, "wabe\n", 5) != 5)
            error = errno ? errno : ENOSPC;
        if (close(file) != 0 && !error)
            error = errno;
        unlink(output->part);
    }
    WABE_CHECK(!error, WABE_FILE, "cannot write into the output directory %s: %s",
               output->directory, strerror(error));
    return WABE_OK;
}

static wabe_status prepare_directory(const wabe_output *output) {
    WABE_TRY(make_directory(output->directory));
    return try_writing(output);
}

wabe_status wabe_output_create(MPI_Comm comm, const char *directory, const wabe_output_grid *grid,
                               int field_count, const wabe_output_field fields[], bool compress,
                               wabe_output **out) {
    *out = NULL;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    wabe_status status = WABE_OK;
    wabe_output *output = calloc(1, sizeof *output);
    if (output) {
        output->comm = MPI_COMM_NULL;
        output->compress = compress;
        status = copy_request(output, directory, grid, field_count, fields);
    } else {
        status = WABE_FAIL(WABE_MEMORY, "no memory for the field output");
    }
    status = wabe_agree(comm, status);
    if (status == WABE_OK) {
        MPI_Comm_dup(comm, &output->comm);
        MPI_Comm_rank(comm, &output->rank);
        status = plan_writes(output);
        if (status == WABE_OK && output->rank == 0)
            status = prepare_directory(output);
        status = wabe_agree(comm, status);
    }
    if (status != WABE_OK)
        wabe_output_destroy(&output);
    *out = output;
    return status;
}

void wabe_output_destroy(wabe_output **output) {
    if (!*output)
        return;
    if ((*output)->comm != MPI_COMM_NULL)
        MPI_Comm_free(&(*output)->comm);
    for (int f = 0; f < (*output)->field_count; f++)
        free((char *)(*output)->fields[f].name);
    wabe_output_index_clear(&(*output)->index);
    free((*output)->directory);
    free(*output);
    *output = NULL;
}

/* ---- 1. the structure, by rank 0 ---------------------------------------------------- */

static int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Pieces of equal length rather than a last one of a few cells: chunks are stored whole. */
static int64_t chunk_edge(int64_t cells) { return divide_up(cells, divide_up(cells, CHUNK_EDGE)); }

/* What the file needs at most, for what cannot be compressed as well; in the index of the chunks
 * HDF5 spends about 110 bytes on each, in a half-full tree. */
static int64_t bytes_at_most(const wabe_output *output, const char *configuration) {
    const int64_t *cells = output->grid.cells;
    int64_t bytes = 32768 + (int64_t)strlen(configuration);
    for (int f = 0; f < output->field_count; f++) {
        int64_t cell_bytes = output->fields[f].components * (int64_t)sizeof(float);
        bytes += 2048;
        if (output->compress) {
            int64_t ex = chunk_edge(cells[0]), ey = chunk_edge(cells[1]);
            int64_t chunks = divide_up(cells[0], ex) * divide_up(cells[1], ey) * cells[2];
            bytes += chunks * (ex * ey * cell_bytes + 256);
        } else {
            bytes += cells[0] * cells[1] * cells[2] * cell_bytes;
        }
    }
    return bytes;
}

static int reserve_room(int file, int mode, int64_t bytes, bool *reserved) {
    int result;
    do {
        result = fallocate(file, mode, 0, bytes);
    } while (result != 0 && errno == EINTR);
    *reserved = result == 0;
    if (*reserved)
        return 0;
    if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
        return errno;
    /* Some file systems cannot reserve; then at least ask how much is free. */
    struct statvfs about;
    if (fstatvfs(file, &about) != 0)
        return 0;
    return (double)about.f_bavail * (double)about.f_frsize < (double)bytes ? ENOSPC : 0;
}

static wabe_status reserve(step_file *step, int flags, int mode, int64_t bytes) {
    int file = open(step->output->part, O_RDWR | flags, 0666);
    WABE_CHECK(file >= 0, WABE_FILE, "cannot write %s: %s", step->path, strerror(errno));
    int error = reserve_room(file, mode, bytes, &step->reserved);
    if (!error && (flags & O_TRUNC) && ftruncate(file, bytes) != 0)
        error = errno; /* a limit on the size of files */
    close(file);
    WABE_CHECK(!error, WABE_FILE, "cannot write %s (%.3g MB): %s", step->path, (double)bytes * 1e-6,
               strerror(error));
    return WABE_OK;
}

/* count == 0: a scalar. */
static bool put_attribute(hid_t group, const char *name, hid_t file_type, hid_t memory_type,
                          hsize_t count, const void *values) {
    hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(group, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, memory_type, values) >= 0;
    if (attribute >= 0)
        good = H5Aclose(attribute) >= 0 && good;
    H5Sclose(space);
    return good;
}

static bool put_integers(hid_t group, const char *name, hsize_t count, const int64_t *values) {
    return put_attribute(group, name, H5T_STD_I64LE, H5T_NATIVE_INT64, count, values);
}

static bool put_reals(hid_t group, const char *name, hsize_t count, const double *values) {
    return put_attribute(group, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, values);
}

/* ParaView takes a fixed string of exactly the length of the word; with a final NUL it does not. */
static bool put_type(hid_t group) {
    hid_t type = H5Tcopy(H5T_C_S1);
    bool good = H5Tset_size(type, strlen("ImageData")) >= 0 &&
                H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
                put_attribute(group, "Type", type, type, 0, "ImageData");
    H5Tclose(type);
    return good;
}

static bool put_vtk_attributes(hid_t group, const wabe_output_grid *grid) {
    const int64_t version[2] = {1, 0};
    const double edge = grid->spacing, half = 0.5 * edge;
    const double spacing[3] = {edge, edge, edge};
    const int *axes = wabe_output_axes(grid);
    double origin[3], direction[9] = {0};
    int64_t extent[6];
    for (int d = 0; d < 3; d++) {
        origin[d] = grid->origin[d] + half;
        extent[2 * d] = 0;
        extent[2 * d + 1] = grid->cells[axes[d]] - 1;
        direction[3 * axes[d] + d] = 1;
    }
    return put_integers(group, "Version", 2, version) && put_type(group) &&
           put_integers(group, "WholeExtent", 6, extent) && put_reals(group, "Origin", 3, origin) &&
           put_reals(group, "Spacing", 3, spacing) && put_reals(group, "Direction", 9, direction);
}

/* Shuffled, the bytes of equal weight lie together, which is what makes floats compressible. */
static hid_t dataset_layout(const wabe_output *output, int components) {
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    if (!output->compress) {
        H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);
        H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
        return list;
    }
    const int64_t *cells = output->grid.cells;
    const int64_t edges[3] = {chunk_edge(cells[0]), chunk_edge(cells[1]), 1};
    const int *axes = wabe_output_axes(&output->grid);
    const hsize_t chunk[4] = {(hsize_t)edges[axes[2]], (hsize_t)edges[axes[1]],
                              (hsize_t)edges[axes[0]], (hsize_t)components};
    H5Pset_chunk(list, components > 1 ? 4 : 3, chunk);
    H5Pset_shuffle(list);
    H5Pset_deflate(list, DEFLATE_LEVEL);
    return list;
}

static bool put_dataset(hid_t group, const wabe_output *output, const wabe_output_field *field) {
    const int64_t *cells = output->grid.cells;
    const int *axes = wabe_output_axes(&output->grid);
    const hsize_t shape[4] = {(hsize_t)cells[axes[2]], (hsize_t)cells[axes[1]],
                              (hsize_t)cells[axes[0]], (hsize_t)field->components};
    hid_t space = H5Screate_simple(field->components > 1 ? 4 : 3, shape, NULL);
    hid_t layout = dataset_layout(output, field->components);
    hid_t data = H5Dcreate2(group, field->name, H5T_IEEE_F32LE, space, H5P_DEFAULT, layout,
                            H5P_DEFAULT);
    bool good = data >= 0 && H5Dclose(data) >= 0;
    H5Pclose(layout);
    H5Sclose(space);
    return good;
}

static bool put_vtk_group(hid_t file, const wabe_output *output) {
    hid_t group = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0)
        return false;
    bool good = put_vtk_attributes(group, &output->grid);
    hid_t points = H5Gcreate2(group, "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    good = good && points >= 0;
    for (int f = 0; good && f < output->field_count; f++)
        good = put_dataset(points, output, &output->fields[f]);
    if (points >= 0)
        good = H5Gclose(points) >= 0 && good;
    return H5Gclose(group) >= 0 && good;
}

/* A dataset, since an attribute may not exceed 64 KiB. */
static bool put_text(hid_t group, const char *name, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t data = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = data >= 0 && H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (data >= 0)
        good = H5Dclose(data) >= 0 && good;
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

static bool put_run_group(hid_t file, int64_t step, double time, const char *configuration) {
    hid_t group = H5Gcreate2(file, "wabe", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0)
        return false;
    bool good = put_integers(group, "step", 0, &step) && put_reals(group, "time", 0, &time) &&
                put_text(group, "configuration", configuration);
    return H5Gclose(group) >= 0 && good;
}

/* No locks: nobody else knows the temporary name, and some cluster file systems refuse them. */
static wabe_status create_structure(const step_file *step, int64_t number, double time,
                                    const char *configuration) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_locking(access, false, true);
    hid_t file = H5Fcreate(step->output->part, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    wabe_status status = WABE_OK;
    if (file < 0 || !put_vtk_group(file, step->output) ||
        !put_run_group(file, number, time, configuration))
        status = hdf5_failed(step->path);
    if (file >= 0 && H5Fclose(file) < 0)
        keep_first(&status, hdf5_failed(step->path));
    H5Pclose(access);
    return status;
}

/* The room is asked for twice. HDF5 1.10 crashes at the end of the program when it could not close
 * a file, so it shall not meet a full disk, nor a limit on the size of files; but creating its file
 * gives the first reservation back. The second one leaves the size of the file to HDF5. */
static wabe_status create_file(step_file *step, int64_t number, double time,
                               const char *configuration) {
    int64_t bytes = bytes_at_most(step->output, configuration);
    WABE_TRY(reserve(step, O_CREAT | O_TRUNC, 0, bytes));
    WABE_TRY(create_structure(step, number, time, configuration));
    return reserve(step, 0, FALLOC_FL_KEEP_SIZE, bytes);
}

/* ---- 2. the values, by all ranks ---------------------------------------------------- */

/* Ranks on nodes that do not share the file system would hang the others in the collective open, so
 * each opens the file by itself first. */
static wabe_status prepare_rank(step_file *step, float **buffer) {
    wabe_output *output = step->output;
    size_t bytes = (size_t)(output->planes * bytes_per_plane(output));
    *buffer = malloc(bytes ? bytes : 1);
    step->sums = calloc((size_t)(output->field_count * output->writes), sizeof *step->sums);
    WABE_CHECK(*buffer && step->sums, WABE_MEMORY, "no memory for an output buffer of %zu bytes",
               bytes);
    step->descriptor = open(output->part, O_RDWR);
    WABE_CHECK(step->descriptor >= 0, WABE_FILE, "cannot write %s from rank %d: %s", step->path,
               output->rank, strerror(errno));
    return WABE_OK;
}

static wabe_status open_shared(step_file *step) {
    wabe_output *output = step->output;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, output->comm, MPI_INFO_NULL);
    H5Pset_all_coll_metadata_ops(access, true);
    step->file = H5Fopen(output->part, H5F_ACC_RDWR, access);
    wabe_status status = step->file < 0 ? hdf5_failed(step->path) : WABE_OK;
    H5Pclose(access);
    status = wabe_agree(output->comm, status);
    if (status != WABE_OK) {
        step->file =
            -1; /* where it did open: closing is collective, and not all ranks could join */
        return status;
    }
    for (int f = 0; f < output->field_count; f++) {
        char name[PATH_MAX];
        snprintf(name, sizeof name, "/VTKHDF/PointData/%s", output->fields[f].name);
        step->data[f] = H5Dopen2(step->file, name, H5P_DEFAULT);
        if (step->data[f] < 0)
            keep_first(&status, hdf5_failed(step->path));
    }
    step->transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(step->transfer, H5FD_MPIO_COLLECTIVE);
    return wabe_agree(output->comm, status);
}

/* Values may have waited in caches until now: here it shows whether the disk took them. The system
 * tells each descriptor once, and not every MPI library passes it on: so we ask ours as well. */
static wabe_status sync_shared(const step_file *step) {
    wabe_status status = WABE_OK;
    if (H5Fflush(step->file, H5F_SCOPE_GLOBAL) < 0)
        status = hdf5_failed(step->path);
    if (fsync(step->descriptor) != 0)
        keep_first(&status,
                   WABE_FAIL(WABE_FILE, "cannot write %s: %s", step->path, strerror(errno)));
    return status;
}

static wabe_status close_shared(step_file *step) {
    wabe_status status = WABE_OK;
    for (int f = 0; f < step->output->field_count; f++)
        if (step->data[f] >= 0 && H5Dclose(step->data[f]) < 0)
            keep_first(&status, hdf5_failed(step->path));
    if (step->transfer >= 0)
        H5Pclose(step->transfer);
    if (step->file >= 0 && H5Fclose(step->file) < 0)
        keep_first(&status, hdf5_failed(step->path));
    return status;
}

/* The planes of the block that go into the given collective write; empty when none are left. */
static wabe_box part_of_write(const wabe_output *output, int64_t write) {
    wabe_box part = output->grid.block;
    part.begin[2] += write * output->planes;
    if (part.end[2] > part.begin[2] + output->planes)
        part.end[2] = part.begin[2] + output->planes;
    return part;
}

typedef enum { WRITE, READ } direction;

/* A rank with an empty part takes part with an empty selection. */
static wabe_status transfer(const step_file *step, direction way, int field, wabe_box part,
                            float *buffer) {
    const int *axes = wabe_output_axes(&step->output->grid);
    int components = step->output->fields[field].components;
    hsize_t begin[4] = {0}, count[4] = {1, 1, 1, (hsize_t)components};
    bool empty = wabe_box_is_empty(part);
    for (int d = 0; d < 3 && !empty; d++) {
        begin[d] = (hsize_t)part.begin[axes[2 - d]];
        count[d] = (hsize_t)wabe_box_extent(part, axes[2 - d]);
    }
    hid_t memory = H5Screate_simple(components > 1 ? 4 : 3, count, NULL);
    hid_t data = step->data[field], space = H5Dget_space(data);
    if (empty) {
        H5Sselect_none(memory);
        H5Sselect_none(space);
    } else {
        H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, NULL, count, NULL);
    }
    herr_t result = way == WRITE
                        ? H5Dwrite(data, H5T_NATIVE_FLOAT, memory, space, step->transfer, buffer)
                        : H5Dread(data, H5T_NATIVE_FLOAT, memory, space, step->transfer, buffer);
    wabe_status status = result < 0 ? hdf5_failed(step->path) : WABE_OK;
    H5Sclose(space);
    H5Sclose(memory);
    return status;
}

static int64_t values_in(const wabe_output *output, int field, wabe_box part) {
    return wabe_box_cells(part) * output->fields[field].components;
}

/* FNV-1a, word by word. */
static uint64_t checksum(const float *values, int64_t count) {
    uint64_t sum = 14695981039346656037u;
    for (int64_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, &values[i], sizeof word);
        sum = (sum ^ word) * 1099511628211u;
    }
    return sum;
}

/* After a failure the rank keeps taking part, with nothing to write: the others count on it. */
static wabe_status write_fields(const step_file *step, wabe_output_fill fill, void *context,
                                float *buffer) {
    wabe_output *output = step->output;
    wabe_status status = WABE_OK;
    for (int f = 0; f < output->field_count; f++) {
        for (int64_t write = 0; write < output->writes; write++) {
            wabe_box part = part_of_write(output, write);
            if (status == WABE_OK && !wabe_box_is_empty(part))
                status = fill(context, f, part, buffer);
            if (status != WABE_OK)
                part = (wabe_box){0};
            int64_t values = values_in(output, f, part);
            if (!step->reserved)
                step->sums[f * output->writes + write] = checksum(buffer, values);
            keep_first(&status, transfer(step, WRITE, f, part, buffer));
            output->bytes += values * (int64_t)sizeof(float);
        }
    }
    return status;
}

/* Open MPI 4.1 was seen to report success for collective writes that found the disk full. Where no
 * room could be reserved, success therefore means that every rank reads what it wrote. */
static wabe_status verify_fields(const step_file *step, float *buffer) {
    const wabe_output *output = step->output;
    wabe_status status = WABE_OK;
    for (int f = 0; f < output->field_count; f++) {
        for (int64_t write = 0; write < output->writes; write++) {
            wabe_box part = part_of_write(output, write);
            keep_first(&status, transfer(step, READ, f, part, buffer));
            if (status == WABE_OK && checksum(buffer, values_in(output, f, part)) !=
                                         step->sums[f * output->writes + write])
                status = WABE_FAIL(WABE_FILE,
                                   "cannot write %s: values got lost (is the disk full, or a quota "
                                   "used up?)",
                                   step->path);
        }
    }
    return status;
}

static wabe_status write_and_sync(step_file *step, wabe_output_fill fill, void *context,
                                  float *buffer) {
    MPI_Comm comm = step->output->comm;
    WABE_TRY(open_shared(step));
    WABE_TRY(wabe_agree(comm, write_fields(step, fill, context, buffer)));
    WABE_TRY(wabe_agree(comm, sync_shared(step)));
    return step->reserved ? WABE_OK : wabe_agree(comm, verify_fields(step, buffer));
}

static wabe_status write_values(step_file *step, wabe_output_fill fill, void *context) {
    MPI_Comm comm = step->output->comm;
    float *buffer = NULL;
    wabe_status status = wabe_agree(comm, prepare_rank(step, &buffer));
    if (status == WABE_OK) {
        status = write_and_sync(step, fill, context, buffer);
        keep_first(&status, close_shared(step));
        status = wabe_agree(comm, status);
    }
    if (step->descriptor >= 0)
        close(step->descriptor);
    free(step->sums);
    free(buffer);
    return status;
}

/* ---- 3. names and texts, by rank 0 -------------------------------------------------- */

static wabe_status publish(const step_file *step, int64_t number, double time) {
    wabe_output *output = step->output;
    WABE_TRY(wabe_output_publish(output->part, step->path));
    WABE_TRY(wabe_output_index_add(&output->index, number, time));
    return wabe_output_index_write(&output->index, output->directory, &output->grid,
                                   output->field_count, output->fields);
}

static wabe_status write_step(step_file *step, int64_t number, double time, wabe_output_fill fill,
                              void *context, const char *configuration) {
    wabe_output *output = step->output;
    const bool first = output->rank == 0;
    wabe_status status = first ? create_file(step, number, time, configuration) : WABE_OK;
    status = wabe_agree(output->comm, status);
    MPI_Bcast(&step->reserved, 1, MPI_C_BOOL, 0, output->comm);
    if (status == WABE_OK)
        status = write_values(step, fill, context);
    if (status == WABE_OK)
        status = wabe_agree(output->comm, first ? publish(step, number, time) : WABE_OK);
    if (status == WABE_OK)
        return WABE_OK;
    if (first)
        unlink(output->part);
    MPI_Barrier(output->comm); /* no rank returns while the temporary file is still there */
    return status;
}

wabe_status wabe_output_write(wabe_output *output, int64_t step, double time, wabe_output_fill fill,
                              void *context, const char *configuration) {
    double start = MPI_Wtime();
    WABE_CHECK(step >= 0 && isfinite(time), WABE_INTERNAL, "output of step %lld at time %g",
               (long long)step, time);
    step_file at = {.output = output, .file = -1, .transfer = -1, .descriptor = -1};
    for (int f = 0; f < WABE_OUTPUT_FIELDS_MAX; f++)
        at.data[f] = -1;
    char name[WABE_OUTPUT_NAME_SIZE];
    wabe_output_file_name(step, name);
    snprintf(at.path, sizeof at.path, "%s/%s", output->directory, name);
    wabe_status status = write_step(&at, step, time, fill, context,
                                    configuration ? configuration : "");
    output->seconds += MPI_Wtime() - start;
    return status;
}

void wabe_output_totals(const wabe_output *output, int64_t *bytes, double *seconds) {
    *bytes = output->bytes;
    *seconds = output->seconds;
}
