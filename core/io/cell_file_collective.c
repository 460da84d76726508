/* Step 2 of core/io/cell_file.c: the values are written by parallel HDF5. */
#include "core/io/cell_file_internal.h"

#include "core/base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The state of a collective write. */
typedef struct {
    wabe_cell_file *owner;
    hid_t file, transfer;
    hid_t data[WABE_CELL_ARRAYS_MAX];
    void *buffer;   /* for planes of the block, owned */
    uint64_t *sums; /* [array][write], hashes of the values written, owned */
} collective;

static bool is_verified(const collective *c) {
    return c->owner->job.content.verify || !c->owner->job.reserved;
}

/* Ranks on nodes that do not share the file system would block the others in the collective open,
 * so each rank opens the file by itself first. */
static wabe_status prepare_rank(collective *c) {
    wabe_cell_file *file = c->owner;
    const size_t bytes = (size_t)(file->planes * wabe_cell_bytes_per_plane(file));
    c->buffer = malloc(bytes ? bytes : 1);
    c->sums = calloc((size_t)(file->shape.array_count * file->writes), sizeof *c->sums);
    WABE_CHECK(c->buffer && c->sums, WABE_MEMORY, "no memory for an output buffer of %zu bytes",
               bytes);
    return wabe_cell_open_own(file);
}

static wabe_status open_arrays(collective *c) {
    const wabe_cell_shape *shape = &c->owner->shape;
    wabe_status status = WABE_OK;
    for (int a = 0; a < shape->array_count; a++) {
        c->data[a] = H5Dopen2(c->file, shape->arrays[a].path, H5P_DEFAULT);
        if (c->data[a] < 0)
            wabe_cell_keep_first(&status, wabe_cell_failed(c->owner));
    }
    c->transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(c->transfer, H5FD_MPIO_COLLECTIVE);
    return wabe_agree(c->owner->comm, status);
}

static wabe_status open_shared(collective *c) {
    const wabe_cell_file *file = c->owner;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, file->comm, MPI_INFO_NULL);
    H5Pset_all_coll_metadata_ops(access, true);
    c->file = H5Fopen(file->part, H5F_ACC_RDWR, access);
    wabe_status status = c->file < 0 ? wabe_cell_failed(c->owner) : WABE_OK;
    H5Pclose(access);
    status = wabe_agree(file->comm, status);
    if (status == WABE_OK)
        return open_arrays(c);
    /* Ranks that did open it cannot close it: closing is collective, and not all could take
     * part. */
    c->file = -1;
    return status;
}

/* Values may still be in caches: only a sync shows whether the disk took them. The system reports a
 * failure once per descriptor, and not all MPI libraries pass it on, so this rank's descriptor is
 * synced as well. */
static wabe_status sync_shared(const collective *c) {
    wabe_status status = WABE_OK;
    if (H5Fflush(c->file, H5F_SCOPE_GLOBAL) < 0)
        status = wabe_cell_failed(c->owner);
    if (fsync(c->owner->job.descriptor) != 0)
        wabe_cell_keep_first(&status, WABE_FAIL(WABE_FILE, "cannot write %s: %s",
                                                c->owner->job.path, strerror(errno)));
    return status;
}

static wabe_status close_shared(collective *c) {
    wabe_status status = WABE_OK;
    for (int a = 0; a < c->owner->shape.array_count; a++)
        if (c->data[a] >= 0 && H5Dclose(c->data[a]) < 0)
            wabe_cell_keep_first(&status, wabe_cell_failed(c->owner));
    if (c->transfer >= 0)
        H5Pclose(c->transfer);
    if (c->file >= 0 && H5Fclose(c->file) < 0)
        wabe_cell_keep_first(&status, wabe_cell_failed(c->owner));
    return status;
}

static hid_t type_in_memory(wabe_type type) {
    return type == WABE_TYPE_f64   ? H5T_NATIVE_DOUBLE
           : type == WABE_TYPE_f32 ? H5T_NATIVE_FLOAT
                                   : H5T_NATIVE_UINT16;
}

typedef enum { WRITE, READ } direction;

/* A rank with an empty part takes part with an empty selection. */
static wabe_status transfer(const collective *c, direction way, int array, wabe_box part,
                            void *buffer) {
    const wabe_cell_shape *shape = &c->owner->shape;
    int components = shape->arrays[array].components;
    hsize_t begin[4] = {0}, count[4] = {1, 1, 1, (hsize_t)components};
    bool empty = wabe_box_is_empty(part);
    for (int d = 0; d < 3 && !empty; d++) {
        begin[d] = (hsize_t)part.begin[2 - d];
        count[d] = (hsize_t)wabe_box_extent(part, 2 - d);
    }
    hid_t memory = H5Screate_simple(components > 1 ? 4 : 3, count, NULL);
    hid_t data = c->data[array], space = H5Dget_space(data);
    if (empty) {
        H5Sselect_none(memory);
        H5Sselect_none(space);
    } else {
        H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, NULL, count, NULL);
    }
    hid_t type = type_in_memory(shape->arrays[array].type);
    herr_t result = way == WRITE ? H5Dwrite(data, type, memory, space, c->transfer, buffer)
                                 : H5Dread(data, type, memory, space, c->transfer, buffer);
    wabe_status status = result < 0 ? wabe_cell_failed(c->owner) : WABE_OK;
    H5Sclose(space);
    H5Sclose(memory);
    return status;
}

/* Fills a part, and keeps its hash if it is to be verified. */
static wabe_status fill_part(const collective *c, int array, int64_t write, wabe_box part) {
    const wabe_cell_content *content = &c->owner->job.content;
    WABE_TRY(content->fill(content->context, array, part, c->buffer));
    if (content->look)
        content->look(content->context, array, part, c->buffer);
    if (is_verified(c))
        c->sums[array * c->owner->writes + write] =
            wabe_hash_bytes(c->buffer, wabe_cell_bytes_in(c->owner, array, part));
    return WABE_OK;
}

/* After a failure a rank still takes part, without data: the others wait for it. */
static wabe_status write_arrays(const collective *c) {
    wabe_cell_file *file = c->owner;
    wabe_status status = WABE_OK;
    for (int a = 0; a < file->shape.array_count; a++)
        for (int64_t write = 0; write < file->writes; write++) {
            wabe_box part = wabe_cell_part(file, write);
            if (status == WABE_OK && !wabe_box_is_empty(part))
                status = fill_part(c, a, write, part);
            if (status != WABE_OK)
                part = (wabe_box){0};
            wabe_cell_keep_first(&status, transfer(c, WRITE, a, part, c->buffer));
        }
    return status;
}

/* Open MPI 4.1 has reported success for collective writes although the disk was full. If no space
 * could be reserved, every rank therefore reads back what it wrote. */
static wabe_status verify_arrays(const collective *c) {
    const wabe_cell_file *file = c->owner;
    wabe_status status = WABE_OK;
    for (int a = 0; a < file->shape.array_count; a++)
        for (int64_t write = 0; write < file->writes; write++) {
            const wabe_box part = wabe_cell_part(file, write);
            wabe_cell_keep_first(&status, transfer(c, READ, a, part, c->buffer));
            if (status == WABE_OK && !wabe_box_is_empty(part) &&
                wabe_hash_bytes(c->buffer, wabe_cell_bytes_in(file, a, part)) !=
                    c->sums[a * file->writes + write])
                status = WABE_FAIL(WABE_FILE,
                                   "cannot write %s: values got lost (is the disk full, or a quota "
                                   "used up?)",
                                   file->job.path);
        }
    return status;
}

static wabe_status write_and_sync(collective *c) {
    MPI_Comm comm = c->owner->comm;
    WABE_TRY(open_shared(c));
    WABE_TRY(wabe_agree(comm, write_arrays(c)));
    WABE_TRY(wabe_agree(comm, sync_shared(c)));
    return is_verified(c) ? wabe_agree(comm, verify_arrays(c)) : WABE_OK;
}

wabe_status wabe_cell_write_collectively(wabe_cell_file *file) {
    collective c = {.owner = file, .file = -1, .transfer = -1};
    for (int a = 0; a < WABE_CELL_ARRAYS_MAX; a++)
        c.data[a] = -1;
    wabe_status status = wabe_agree(file->comm, prepare_rank(&c));
    if (status == WABE_OK) {
        status = write_and_sync(&c);
        wabe_cell_keep_first(&status, close_shared(&c));
        status = wabe_agree(file->comm, status);
    }
    free(c.sums);
    free(c.buffer);
    return status;
}
