/* Step 2 of core/cell_file.c: the values, by all ranks. */
#include "core/cell_file_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ranks on nodes that do not share the file system would hang the others in the collective open, so
 * each opens the file by itself first. */
static wabe_status prepare_rank(wabe_cell_job *job, void **buffer) {
    const wabe_cell_file *file = job->owner;
    size_t bytes = (size_t)(file->planes * wabe_cell_bytes_per_plane(file));
    *buffer = malloc(bytes ? bytes : 1);
    job->sums = calloc((size_t)(file->shape.array_count * file->writes), sizeof *job->sums);
    WABE_CHECK(*buffer && job->sums, WABE_MEMORY, "no memory for an output buffer of %zu bytes",
               bytes);
    job->descriptor = open(file->part, O_RDWR);
    WABE_CHECK(job->descriptor >= 0, WABE_FILE, "cannot write %s from rank %d: %s", job->path,
               file->rank, strerror(errno));
    return WABE_OK;
}

static wabe_status open_arrays(wabe_cell_job *job) {
    const wabe_cell_shape *shape = &job->owner->shape;
    wabe_status status = WABE_OK;
    for (int a = 0; a < shape->array_count; a++) {
        job->data[a] = H5Dopen2(job->file, shape->arrays[a].path, H5P_DEFAULT);
        if (job->data[a] < 0)
            wabe_cell_keep_first(&status, wabe_cell_failed(job));
    }
    job->transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(job->transfer, H5FD_MPIO_COLLECTIVE);
    return wabe_agree(job->owner->comm, status);
}

static wabe_status open_shared(wabe_cell_job *job) {
    const wabe_cell_file *file = job->owner;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, file->comm, MPI_INFO_NULL);
    H5Pset_all_coll_metadata_ops(access, true);
    job->file = H5Fopen(file->part, H5F_ACC_RDWR, access);
    wabe_status status = job->file < 0 ? wabe_cell_failed(job) : WABE_OK;
    H5Pclose(access);
    status = wabe_agree(file->comm, status);
    if (status == WABE_OK)
        return open_arrays(job);
    /* Where it did open: closing is collective, and not all ranks could join. */
    job->file = -1;
    return status;
}

/* Values may have waited in caches until now: here it shows whether the disk took them. The system
 * tells each descriptor once, and not every MPI library passes it on: so we ask ours as well. */
static wabe_status sync_shared(const wabe_cell_job *job) {
    wabe_status status = WABE_OK;
    if (H5Fflush(job->file, H5F_SCOPE_GLOBAL) < 0)
        status = wabe_cell_failed(job);
    if (fsync(job->descriptor) != 0)
        wabe_cell_keep_first(&status, WABE_FAIL(WABE_FILE, "cannot write %s: %s", job->path,
                                                strerror(errno)));
    return status;
}

static wabe_status close_shared(wabe_cell_job *job) {
    wabe_status status = WABE_OK;
    for (int a = 0; a < job->owner->shape.array_count; a++)
        if (job->data[a] >= 0 && H5Dclose(job->data[a]) < 0)
            wabe_cell_keep_first(&status, wabe_cell_failed(job));
    if (job->transfer >= 0)
        H5Pclose(job->transfer);
    if (job->file >= 0 && H5Fclose(job->file) < 0)
        wabe_cell_keep_first(&status, wabe_cell_failed(job));
    return status;
}

/* The planes of the block that go into the given collective write; empty when none are left. */
static wabe_box part_of_write(const wabe_cell_file *file, int64_t write) {
    wabe_box part = file->shape.block;
    part.begin[2] += write * file->planes;
    if (part.end[2] > part.begin[2] + file->planes)
        part.end[2] = part.begin[2] + file->planes;
    return part;
}

static hid_t type_in_memory(wabe_type type) {
    return type == WABE_TYPE_f64   ? H5T_NATIVE_DOUBLE
           : type == WABE_TYPE_f32 ? H5T_NATIVE_FLOAT
                                   : H5T_NATIVE_UINT16;
}

typedef enum { WRITE, READ } direction;

/* A rank with an empty part takes part with an empty selection. */
static wabe_status transfer(const wabe_cell_job *job, direction way, int array, wabe_box part,
                            void *buffer) {
    const wabe_cell_shape *shape = &job->owner->shape;
    const int *axes = shape->axes;
    int components = shape->arrays[array].components;
    hsize_t begin[4] = {0}, count[4] = {1, 1, 1, (hsize_t)components};
    bool empty = wabe_box_is_empty(part);
    for (int d = 0; d < 3 && !empty; d++) {
        begin[d] = (hsize_t)part.begin[axes[2 - d]];
        count[d] = (hsize_t)wabe_box_extent(part, axes[2 - d]);
    }
    hid_t memory = H5Screate_simple(components > 1 ? 4 : 3, count, NULL);
    hid_t data = job->data[array], space = H5Dget_space(data);
    if (empty) {
        H5Sselect_none(memory);
        H5Sselect_none(space);
    } else {
        H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, NULL, count, NULL);
    }
    hid_t type = type_in_memory(shape->arrays[array].type);
    herr_t result = way == WRITE ? H5Dwrite(data, type, memory, space, job->transfer, buffer)
                                 : H5Dread(data, type, memory, space, job->transfer, buffer);
    wabe_status status = result < 0 ? wabe_cell_failed(job) : WABE_OK;
    H5Sclose(space);
    H5Sclose(memory);
    return status;
}

static int64_t bytes_in(const wabe_cell_file *file, int array, wabe_box part) {
    return wabe_box_cells(part) * wabe_cell_bytes_per_cell(&file->shape.arrays[array]);
}

static uint64_t add_word(uint64_t sum, const void *bytes, size_t count) {
    uint64_t word = 0;
    memcpy(&word, bytes, count);
    return (sum ^ word) * 1099511628211u;
}

/* FNV-1a, word by word. */
static uint64_t checksum(const void *values, int64_t bytes) {
    const char *at = values, *end = at + bytes;
    uint64_t sum = 14695981039346656037u;
    for (; end - at >= 8; at += 8)
        sum = add_word(sum, at, 8);
    return add_word(sum, at, (size_t)(end - at));
}

/* After a failure the rank keeps taking part, with nothing to write: the others count on it. */
static wabe_status write_arrays(const wabe_cell_job *job, void *buffer) {
    wabe_cell_file *file = job->owner;
    const wabe_cell_content *content = job->content;
    wabe_status status = WABE_OK;
    for (int a = 0; a < file->shape.array_count; a++) {
        for (int64_t write = 0; write < file->writes; write++) {
            wabe_box part = part_of_write(file, write);
            if (status == WABE_OK && !wabe_box_is_empty(part))
                status = content->fill(content->context, a, part, buffer);
            if (status != WABE_OK)
                part = (wabe_box){0};
            int64_t bytes = bytes_in(file, a, part);
            if (!job->reserved)
                job->sums[a * file->writes + write] = checksum(buffer, bytes);
            wabe_cell_keep_first(&status, transfer(job, WRITE, a, part, buffer));
            file->bytes += bytes;
        }
    }
    return status;
}

/* Open MPI 4.1 was seen to report success for collective writes that found the disk full. Where no
 * room could be reserved, success therefore means that every rank reads what it wrote. */
static wabe_status verify_arrays(const wabe_cell_job *job, void *buffer) {
    const wabe_cell_file *file = job->owner;
    wabe_status status = WABE_OK;
    for (int a = 0; a < file->shape.array_count; a++) {
        for (int64_t write = 0; write < file->writes; write++) {
            wabe_box part = part_of_write(file, write);
            wabe_cell_keep_first(&status, transfer(job, READ, a, part, buffer));
            if (status == WABE_OK &&
                checksum(buffer, bytes_in(file, a, part)) != job->sums[a * file->writes + write])
                status = WABE_FAIL(WABE_FILE,
                                   "cannot write %s: values got lost (is the disk full, or a quota "
                                   "used up?)",
                                   job->path);
        }
    }
    return status;
}

static wabe_status write_and_sync(wabe_cell_job *job, void *buffer) {
    MPI_Comm comm = job->owner->comm;
    WABE_TRY(open_shared(job));
    WABE_TRY(wabe_agree(comm, write_arrays(job, buffer)));
    WABE_TRY(wabe_agree(comm, sync_shared(job)));
    return job->reserved ? WABE_OK : wabe_agree(comm, verify_arrays(job, buffer));
}

wabe_status wabe_cell_write_values(wabe_cell_job *job) {
    MPI_Comm comm = job->owner->comm;
    void *buffer = NULL;
    wabe_status status = wabe_agree(comm, prepare_rank(job, &buffer));
    if (status == WABE_OK) {
        status = write_and_sync(job, buffer);
        wabe_cell_keep_first(&status, close_shared(job));
        status = wabe_agree(comm, status);
    }
    if (job->descriptor >= 0)
        close(job->descriptor);
    free(job->sums);
    free(buffer);
    return status;
}
