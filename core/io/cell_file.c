/* The steps of writing a file:
 *
 * 1. Rank 0 writes its structure (groups, attributes, empty datasets) under a temporary name and
 *    reserves disk space for the values, so that a full disk is noticed while only one process is
 *    involved: a collective write that fails on one rank can leave the others waiting.
 * 2. All ranks write their parts, a few z-planes at a time. If no space could be reserved, they
 *    then check the contents of the file. (core/io/cell_file_background.c,
 *    core/io/cell_file_collective.c)
 * 3. Rank 0 adds what is known only now, syncs the file, and renames it. */
#include "core/io/cell_file.h"

#include "core/device/field.h"
#include "core/io/cell_file_internal.h"
#include "core/io/disk.h"
#include "core/io/hdf_error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PIECE_BYTES = 4 << 20,      /* per write of a thread, which then finds them still in the
                                   caches */
    COLLECTIVE_BYTES = 8 << 20, /* per collective write, or a single plane */
    AGGREGATE_BYTES = 16 << 20, /* that MPI gathers from all ranks before it writes them, about */
    OWN_ROOM = 64 << 20,        /* of a file's own writer, in bytes */
    ROW_LEAST = 4096,           /* the shortest row, in bytes, for a write of its own */
    CHUNK_EDGE = 256,           /* compressed datasets have chunks of at most 256 x 256 x 1
                                   cells */
    DEFLATE_LEVEL = 4,
    FILE_BYTES = 16384, /* of an empty file, and what HDF5 leaves unused, at most */
    ARRAY_BYTES = 2048, /* of an empty array, at most */
    STEM_MAX = WABE_DISK_PART_MAX -
               WABE_PART_ENDING_SIZE /* of a temporary name, without its ending */
};

wabe_status wabe_cell_failed(const wabe_cell_file *file) {
    char reason[256];
    wabe_hdf_reason(reason);
    return WABE_FAIL(WABE_FILE, "cannot write %s: %s", file->job.path, reason);
}

/* ---- creation ----------------------------------------------------------------------- */

static wabe_status check_shape(const wabe_cell_shape *shape) {
    for (int d = 0; d < 3; d++) {
        WABE_CHECK(shape->cells[d] > 0, WABE_INTERNAL, "output grid with no cells along axis %d",
                   d);
        WABE_CHECK(wabe_box_is_empty(shape->block) ||
                       (shape->block.begin[d] >= 0 && shape->block.end[d] <= shape->cells[d]),
                   WABE_INTERNAL, "output block outside the grid along axis %d", d);
    }
    WABE_CHECK(shape->array_count > 0 && shape->array_count <= WABE_CELL_ARRAYS_MAX, WABE_INTERNAL,
               "%d output arrays, not 1 to %d", shape->array_count, WABE_CELL_ARRAYS_MAX);
    for (int a = 0; a < shape->array_count; a++)
        WABE_CHECK(shape->arrays[a].components > 0 && wabe_type_size(shape->arrays[a].type) > 0,
                   WABE_INTERNAL, "output array %s of %d components, type %d",
                   shape->arrays[a].path, shape->arrays[a].components, (int)shape->arrays[a].type);
    return WABE_OK;
}

static wabe_status copy_request(wabe_cell_file *file, const char *directory, const char *stem,
                                const wabe_cell_shape *shape) {
    WABE_TRY(check_shape(shape));
    file->shape = *shape;
    WABE_CHECK(strlen(stem) <= STEM_MAX, WABE_INTERNAL, "the name %s is longer than %d bytes", stem,
               STEM_MAX);
    file->directory = strdup(directory);
    WABE_CHECK(file->directory, WABE_MEMORY, "no memory for the output's directory name");
    return WABE_OK;
}

/* Makes the temporary name, the same on all ranks. Collective. */
static void name_part(wabe_cell_file *file, const char *stem) {
    char ending[WABE_PART_ENDING_SIZE];
    snprintf(ending, sizeof ending, "%s", wabe_disk_part_ending());
    MPI_Bcast(ending, sizeof ending, MPI_CHAR, 0, file->comm);
    snprintf(file->part, sizeof file->part, "%s/%s%s", file->directory, stem, ending);
}

int64_t wabe_cell_bytes_per_cell(const wabe_cell_array *array) {
    return array->components * (int64_t)wabe_type_size(array->type);
}

int64_t wabe_cell_bytes_per_plane(const wabe_cell_file *file) {
    const wabe_box block = file->shape.block;
    int64_t most = 0;
    for (int a = 0; a < file->shape.array_count; a++) {
        int64_t bytes = wabe_cell_bytes_per_cell(&file->shape.arrays[a]);
        most = bytes > most ? bytes : most;
    }
    return wabe_box_plane_cells(block) * most;
}

/* All ranks make the same number of writes, and blocks that are neighbours within a plane write the
 * same planes at once, so that a compressed chunk that they share is written once. */
static wabe_status plan_writes(wabe_cell_file *file) {
    const wabe_box block = file->shape.block;
    int64_t most[2] = {wabe_cell_bytes_per_plane(file), wabe_box_extent(block, 2)};
    int64_t covered = wabe_box_cells(block);
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, file->comm);
    MPI_Allreduce(MPI_IN_PLACE, &covered, 1, MPI_INT64_T, MPI_SUM, file->comm);
    const int64_t *cells = file->shape.cells;
    WABE_CHECK(covered == cells[0] * cells[1] * cells[2], WABE_INTERNAL,
               "the ranks' output blocks do not add up to the whole grid");
    file->planes = (file->background ? PIECE_BYTES : COLLECTIVE_BYTES) / most[0];
    if (file->planes < 1)
        file->planes = 1;
    if (file->planes > most[1])
        file->planes = most[1];
    file->writes = (most[1] + file->planes - 1) / file->planes;
    return WABE_OK;
}

wabe_box wabe_cell_part(const wabe_cell_file *file, int64_t n) {
    wabe_box part = file->shape.block;
    part.begin[2] += n * file->planes;
    if (part.end[2] > part.begin[2] + file->planes)
        part.end[2] = part.begin[2] + file->planes;
    return part;
}

int64_t wabe_cell_bytes_in(const wabe_cell_file *file, int array, wabe_box part) {
    return wabe_box_cells(part) * wabe_cell_bytes_per_cell(&file->shape.arrays[array]);
}

/* Returns whether numbers can be written directly: the file stores them as they are, and few writes
 * suffice. */
static bool goes_direct(const wabe_cell_file *file) {
    const wabe_cell_shape *shape = &file->shape;
    const int64_t row = wabe_box_extent(shape->block, 0);
    bool direct = !shape->compress && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    for (int a = 0; a < shape->array_count; a++)
        direct &= row == 0 || row == shape->cells[0] ||
                  row * wabe_cell_bytes_per_cell(&shape->arrays[a]) >= ROW_LEAST;
    return direct;
}

static void choose_way(wabe_cell_file *file) {
    file->background = goes_direct(file);
    MPI_Allreduce(MPI_IN_PLACE, &file->background, 1, MPI_C_BOOL, MPI_LAND, file->comm);
}

/* ---- memory ------------------------------------------------------------------------- */

/* The pieces of a file, in put_all's order. */
static void add_pieces(const wabe_cell_file *file, wabe_writer_memory *out) {
    for (int a = 0; a < file->shape.array_count; a++)
        for (int64_t n = 0; n < file->writes; n++) {
            const wabe_box part = wabe_cell_part(file, n);
            if (wabe_box_is_empty(part))
                continue;
            const int64_t bytes = wabe_writer_piece(wabe_cell_bytes_in(file, a, part));
            wabe_writer_memory_add(out, &(wabe_writer_memory){.pieces = bytes, .piece = bytes});
        }
}

/* HDF5 has all compressed chunks of a write in memory, and MPI what it gathers. */
wabe_status wabe_cell_file_memory(MPI_Comm comm, const wabe_cell_shape *shape,
                                  wabe_writer_memory *out) {
    wabe_cell_file file = {.comm = comm, .shape = *shape};
    *out = (wabe_writer_memory){0};
    choose_way(&file);
    WABE_TRY(plan_writes(&file));
    if (file.background)
        add_pieces(&file, out);
    else
        out->buffer = file.planes * wabe_cell_bytes_per_plane(&file) +
                      (shape->compress ? file.planes * wabe_cell_bytes_per_plane(&file)
                                       : AGGREGATE_BYTES);
    return WABE_OK;
}

/* ---- creation, by all ranks --------------------------------------------------------- */

/* Uses the caller's writer, or creates one. */
static wabe_status get_writer(wabe_cell_file *file, wabe_writer *writer) {
    file->writer = writer;
    if (writer || !file->background)
        return WABE_OK;
    const wabe_status status = wabe_writer_create(OWN_ROOM, false, &file->own_writer);
    file->writer = file->own_writer;
    return status;
}

/* HDF5 prints no errors from here on: messages take their reason from its error stack. */
wabe_status wabe_cell_file_create(MPI_Comm comm, const char *directory, const char *stem,
                                  const wabe_cell_shape *shape, wabe_writer *writer,
                                  wabe_cell_file **out) {
    *out = NULL;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    wabe_status status = WABE_OK;
    wabe_cell_file *file = calloc(1, sizeof *file);
    if (file) {
        file->comm = MPI_COMM_NULL;
        status = copy_request(file, directory, stem, shape);
    } else {
        status = WABE_FAIL(WABE_MEMORY, "no memory for the description of a file");
    }
    status = wabe_agree(comm, status);
    if (status == WABE_OK) {
        MPI_Comm_dup(comm, &file->comm);
        MPI_Comm_rank(comm, &file->rank);
        name_part(file, stem);
        choose_way(file);
        status = plan_writes(file);
        if (status == WABE_OK)
            status = get_writer(file, writer);
        if (status == WABE_OK && file->rank == 0)
            status = wabe_disk_prepare(file->directory, file->part);
        status = wabe_agree(comm, status);
    }
    if (status != WABE_OK)
        wabe_cell_file_destroy(&file);
    *out = file;
    return status;
}

void wabe_cell_file_destroy(wabe_cell_file **file) {
    if (!*file)
        return;
    wabe_cell_file_end(*file);
    wabe_writer_destroy(&(*file)->own_writer);
    if ((*file)->comm != MPI_COMM_NULL)
        MPI_Comm_free(&(*file)->comm);
    free((*file)->directory);
    free(*file);
    *file = NULL;
}

/* ---- attributes and texts ----------------------------------------------------------- */

bool wabe_hdf_put_attribute(hid_t group, const char *name, hid_t file_type, hid_t memory_type,
                            hsize_t count, const void *values) {
    hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(group, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, memory_type, values) >= 0;
    if (attribute >= 0)
        good = H5Aclose(attribute) >= 0 && good;
    H5Sclose(space);
    return good;
}

bool wabe_hdf_put_integers(hid_t group, const char *name, hsize_t count, const int64_t *values) {
    return wabe_hdf_put_attribute(group, name, H5T_STD_I64LE, H5T_NATIVE_INT64, count, values);
}

bool wabe_hdf_put_reals(hid_t group, const char *name, hsize_t count, const double *values) {
    return wabe_hdf_put_attribute(group, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, values);
}

bool wabe_hdf_put_unit(hid_t object, const char *name, const char *unit) {
    if (!unit)
        return true;
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(unit) + 1);
    const bool good = wabe_hdf_put_attribute(object, name, type, type, 0, unit);
    H5Tclose(type);
    return good;
}

bool wabe_hdf_put_text(hid_t group, const char *name, const char *text) {
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

/* ---- 1. the structure, by rank 0 ---------------------------------------------------- */

static int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Chunks of equal length rather than a last one of a few cells, since chunks are stored whole. */
static int64_t chunk_edge(int64_t cells) { return divide_up(cells, divide_up(cells, CHUNK_EDGE)); }

/* Returns the bytes that the file needs at most, even if nothing can be compressed. HDF5's index of
 * chunks takes about 110 bytes per chunk, in a half-full tree. */
static int64_t bytes_at_most(const wabe_cell_file *file) {
    const wabe_cell_shape *shape = &file->shape;
    const int64_t *cells = shape->cells;
    int64_t bytes = FILE_BYTES + file->job.content.room;
    for (int a = 0; a < shape->array_count; a++) {
        int64_t cell_bytes = wabe_cell_bytes_per_cell(&shape->arrays[a]);
        bytes += ARRAY_BYTES;
        if (shape->compress) {
            int64_t ex = chunk_edge(cells[0]), ey = chunk_edge(cells[1]);
            int64_t chunks = divide_up(cells[0], ex) * divide_up(cells[1], ey) * cells[2];
            bytes += chunks * (ex * ey * cell_bytes + 256);
        } else {
            bytes += cells[0] * cells[1] * cells[2] * cell_bytes;
        }
    }
    return bytes;
}

static wabe_status reserve(wabe_cell_file *file, bool create, int mode, int64_t bytes) {
    wabe_cell_job *job = &file->job;
    const int part = create ? wabe_disk_create(file->part) : wabe_disk_reopen(file->part);
    WABE_CHECK(part >= 0, WABE_FILE, "cannot write %s: %s", job->path, strerror(errno));
    int error = wabe_disk_reserve(part, mode, bytes, &job->reserved);
    if (!error && create && ftruncate(part, bytes) != 0)
        error = errno; /* the size of files may be limited */
    close(part);
    WABE_CHECK(!error, WABE_FILE, "cannot write %s (%.3g MB): %s", job->path, (double)bytes * 1e-6,
               strerror(error));
    return WABE_OK;
}

/* Shuffling places bytes of equal significance next to each other, which makes floats
 * compressible. */
static hid_t dataset_layout(const wabe_cell_shape *shape, int components) {
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    if (!shape->compress) {
        H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);
        H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
        return list;
    }
    const hsize_t chunk[4] = {1, (hsize_t)chunk_edge(shape->cells[1]),
                              (hsize_t)chunk_edge(shape->cells[0]), (hsize_t)components};
    H5Pset_chunk(list, components > 1 ? 4 : 3, chunk);
    H5Pset_shuffle(list);
    H5Pset_deflate(list, DEFLATE_LEVEL);
    return list;
}

static hid_t type_in_file(wabe_type type) {
    return type == WABE_TYPE_f64   ? H5T_IEEE_F64LE
           : type == WABE_TYPE_f32 ? H5T_IEEE_F32LE
                                   : H5T_STD_U16LE;
}

/* offset: of the array's values in the file, if not compressed. */
static bool put_array(hid_t file, const wabe_cell_shape *shape, const wabe_cell_array *array,
                      int64_t *offset) {
    const int64_t *cells = shape->cells;
    const hsize_t extent[4] = {(hsize_t)cells[2], (hsize_t)cells[1], (hsize_t)cells[0],
                               (hsize_t)array->components};
    hid_t space = H5Screate_simple(array->components > 1 ? 4 : 3, extent, NULL);
    hid_t layout = dataset_layout(shape, array->components);
    hid_t data = H5Dcreate2(file, array->path, type_in_file(array->type), space, H5P_DEFAULT,
                            layout, H5P_DEFAULT);
    const haddr_t address = data >= 0 && !shape->compress ? H5Dget_offset(data) : 0;
    *offset = (int64_t)address;
    bool good = data >= 0 && address != HADDR_UNDEF && wabe_hdf_put_unit(data, "unit", array->unit);
    if (data >= 0)
        good = H5Dclose(data) >= 0 && good;
    H5Pclose(layout);
    H5Sclose(space);
    return good;
}

static bool put_structure(wabe_cell_file *file, hid_t there) {
    const wabe_cell_content *content = &file->job.content;
    bool good = content->structure(content->context, there);
    for (int a = 0; good && a < file->shape.array_count; a++)
        good = put_array(there, &file->shape, &file->shape.arrays[a], &file->job.offsets[a]);
    return good;
}

static bool put_rest(wabe_cell_file *file, hid_t there) {
    return file->job.content.finish(file->job.content.context, there);
}

/* No file locks: nobody else knows the temporary name, and some cluster file systems refuse
 * them. */
static wabe_status edit_alone(wabe_cell_file *file, bool create,
                              bool (*put)(wabe_cell_file *file, hid_t there)) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_locking(access, false, true);
    hid_t there = create ? H5Fcreate(file->part, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                         : H5Fopen(file->part, H5F_ACC_RDWR, access);
    wabe_status status = WABE_OK;
    if (there < 0 || !put(file, there))
        status = wabe_cell_failed(file);
    if (there >= 0 && H5Fclose(there) < 0)
        wabe_cell_keep_first(&status, wabe_cell_failed(file));
    H5Pclose(access);
    return status;
}

/* Reserves space twice. HDF5 1.10 crashes at the end of the program if it could not close a file,
 * so it must not encounter a full disk or a limit on file sizes; but when it creates its file, the
 * first reservation is lost. The second one leaves the file's size to HDF5. */
static wabe_status create_part(wabe_cell_file *file) {
    int64_t bytes = bytes_at_most(file);
    WABE_TRY(reserve(file, true, 0, bytes));
    WABE_TRY(edit_alone(file, true, put_structure));
    return reserve(file, false, FALLOC_FL_KEEP_SIZE, bytes);
}

/* ---- 2. the values, by all ranks ---------------------------------------------------- */

wabe_status wabe_cell_open_own(wabe_cell_file *file) {
    file->job.descriptor = wabe_disk_reopen(file->part);
    WABE_CHECK(file->job.descriptor >= 0, WABE_FILE, "cannot write %s from rank %d: %s",
               file->job.path, file->rank, strerror(errno));
    return WABE_OK;
}

static wabe_status begin_in_steps(wabe_cell_file *file) {
    wabe_cell_job *job = &file->job;
    wabe_status status = wabe_agree(file->comm, file->rank == 0 ? create_part(file) : WABE_OK);
    MPI_Bcast(&job->reserved, 1, MPI_C_BOOL, 0, file->comm);
    MPI_Bcast(job->offsets, WABE_CELL_ARRAYS_MAX, MPI_INT64_T, 0, file->comm);
    WABE_TRY(status);
    return file->background ? wabe_cell_begin_background(file) : wabe_cell_write_collectively(file);
}

/* ---- 3. the rest and the name, by rank 0 -------------------------------------------- */

/* Closing or syncing the file may have released the space reserved beyond its end. */
static wabe_status finish_part(wabe_cell_file *file) {
    const wabe_cell_job *job = &file->job;
    if (!job->content.finish)
        return WABE_OK;
    int64_t bytes = job->reserved ? bytes_at_most(file) : job->content.room;
    WABE_TRY(reserve(file, false, FALLOC_FL_KEEP_SIZE, bytes));
    return edit_alone(file, false, put_rest);
}

/* Renames the complete file, usually on a writing thread. */
static wabe_status give_name(void *context) {
    const wabe_cell_file *file = context;
    const wabe_cell_content *content = &file->job.content;
    WABE_TRY(wabe_disk_publish(file->part, file->job.path));
    return content->named ? content->named(content->context) : WABE_OK;
}

static wabe_status begin_name(wabe_cell_file *file) {
    if (file->rank != 0)
        return WABE_OK;
    return file->writer ? wabe_writer_call(file->writer, give_name, file, &file->job.written)
                        : give_name(file);
}

static wabe_status end_values(wabe_cell_file *file) {
    const wabe_cell_content *content = &file->job.content;
    WABE_TRY(wabe_agree(file->comm, wabe_cell_end_background(file)));
    if (content->gather)
        WABE_TRY(wabe_agree(file->comm, content->gather(content->context)));
    WABE_TRY(wabe_agree(file->comm, file->rank == 0 ? finish_part(file) : WABE_OK));
    if (content->check)
        WABE_TRY(wabe_agree(file->comm, content->check(content->context, file->part)));
    return wabe_agree(file->comm, begin_name(file));
}

/* Ends a file; after a failure removes what there is of it. */
static void clean_up(wabe_cell_file *file, wabe_status status) {
    if (file->job.descriptor >= 0)
        close(file->job.descriptor);
    file->stage = WABE_CELL_IDLE;
    if (status == WABE_OK)
        return;
    if (file->rank == 0)
        unlink(file->part);
    MPI_Barrier(file->comm); /* no rank returns while the temporary file still exists */
}

/* Keeps the message that all ranks have agreed on. */
static void give_up(wabe_cell_file *file, wabe_status status) {
    char why[WABE_MESSAGE_SIZE];
    snprintf(why, sizeof why, "%s", wabe_error_message());
    wabe_cell_end_background(file);
    clean_up(file, status);
    (void)WABE_FAIL(status, "%s", why);
}

wabe_status wabe_cell_file_begin(wabe_cell_file *file, const char *name,
                                 const wabe_cell_content *content) {
    WABE_CHECK(file->stage == WABE_CELL_IDLE, WABE_INTERNAL, "%s is begun before %s has ended",
               name, file->job.path);
    file->job = (wabe_cell_job){.content = *content, .descriptor = -1};
    file->stage = WABE_CELL_VALUES;
    snprintf(file->job.path, sizeof file->job.path, "%s/%s", file->directory, name);
    const wabe_status status = begin_in_steps(file);
    if (status != WABE_OK)
        give_up(file, status);
    return status;
}

bool wabe_cell_file_is_done(const wabe_cell_file *file) {
    return file->stage == WABE_CELL_IDLE || !file->job.written ||
           wabe_writer_is_done(file->job.written);
}

wabe_status wabe_cell_file_proceed(wabe_cell_file *file) {
    wabe_status status = WABE_OK;
    if (file->stage == WABE_CELL_VALUES) {
        status = end_values(file);
        file->stage = WABE_CELL_NAME;
        if (status != WABE_OK)
            clean_up(file, status);
    } else if (file->stage == WABE_CELL_NAME) {
        status = wabe_agree(file->comm, wabe_cell_end_background(file));
        clean_up(file, status);
    }
    return status;
}

bool wabe_cell_file_is_idle(const wabe_cell_file *file) { return file->stage == WABE_CELL_IDLE; }

wabe_status wabe_cell_file_end(wabe_cell_file *file) {
    while (file->stage != WABE_CELL_IDLE)
        WABE_TRY(wabe_cell_file_proceed(file));
    return WABE_OK;
}
