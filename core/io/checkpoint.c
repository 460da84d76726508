/* Writing checkpoints. */
#include "core/io/checkpoint_internal.h"

#include "core/io/cell_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_ROOM = 64 << 10 /* bytes of groups and attributes, at most */ };
#define STEM "checkpoint.h5"

struct wabe_checkpoint_writing {
    MPI_Comm comm;
    int rank;
    wabe_checkpoint_request request; /* directory and configuration are owned */
    char paths[WABE_CELL_ARRAYS_MAX][PATH_SIZE];
    wabe_cell_file *file;
    uint64_t *sums; /* [array][z], owned */
};

typedef wabe_checkpoint_writing writing;

static bool put_head(hid_t group, const wabe_checkpoint_head *h) {
    const int64_t format = WABE_CHECKPOINT_FORMAT, type = h->type, arrays = h->array_count;
    const int64_t numbers = h->number_count, reals = h->real_count;
    const int64_t hash = (int64_t)wabe_checkpoint_hash_head(h);
    bool good = wabe_hdf_put_integers(group, "format", 0, &format) &&
                wabe_hdf_put_integers(group, "step", 0, &h->step) &&
                wabe_hdf_put_integers(group, "cells", 3, h->cells) &&
                wabe_hdf_put_integers(group, "arrays", 0, &arrays) &&
                wabe_hdf_put_integers(group, "type", 0, &type) &&
                wabe_hdf_put_integers(group, "reals", 0, &reals) &&
                wabe_hdf_put_integers(group, "numbers", 0, &numbers) &&
                wabe_hdf_put_integers(group, "checksum", 0, &hash) &&
                wabe_hdf_put_text(group, "application", h->application) &&
                wabe_hdf_put_text(group, "configuration", h->configuration);
    for (int i = 0; i < h->number_count && good; i++) {
        char name[WORD_SIZE];
        snprintf(name, sizeof name, "number_%02d", i);
        good = wabe_hdf_put_text(group, name, h->numbers[i].name) &&
               wabe_hdf_put_reals(group, name, 0, &h->numbers[i].value);
    }
    return good;
}

static bool put_structure(void *context, hid_t file) {
    const writing *w = context;
    const hid_t state = H5Gcreate2(file, "state", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "wabe", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = state >= 0 && group >= 0 && put_head(group, &w->request.head);
    if (state >= 0)
        good = H5Gclose(state) >= 0 && good;
    if (group >= 0)
        good = H5Gclose(group) >= 0 && good;
    return good;
}

static wabe_status fill_part(void *context, int array, wabe_box part, void *values) {
    const writing *w = context;
    return w->request.fill(w->request.context, array, part, values);
}

static void sum_up(void *context, int array, wabe_box part, const void *values) {
    const writing *w = context;
    const wabe_checkpoint_head *h = &w->request.head;
    wabe_checkpoint_add_to_sums(h->cells, part, wabe_checkpoint_type(h, array), values,
                                w->sums + array * h->cells[2]);
}

static wabe_status gather_sums(void *context) {
    const writing *w = context;
    const int64_t nz = w->request.head.cells[2];
    for (int array = 0; array < wabe_checkpoint_arrays(&w->request.head); array++)
        MPI_Allreduce(MPI_IN_PLACE, w->sums + array * nz, (int)nz, MPI_UINT64_T, MPI_SUM, w->comm);
    return WABE_OK;
}

static bool put_sums(void *context, hid_t file) {
    const writing *w = context;
    const hsize_t shape[2] = {(hsize_t)wabe_checkpoint_arrays(&w->request.head),
                              (hsize_t)w->request.head.cells[2]};
    const hid_t space = H5Screate_simple(2, shape, NULL);
    const hid_t data = H5Dcreate2(file, "/wabe/checksums", H5T_STD_U64LE, space, H5P_DEFAULT,
                                  H5P_DEFAULT, H5P_DEFAULT);
    bool good = data >= 0 &&
                H5Dwrite(data, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, w->sums) >= 0;
    if (data >= 0)
        good = H5Dclose(data) >= 0 && good;
    H5Sclose(space);
    return good;
}

/* Checks everything but the values, which each rank has read back. */
static wabe_status check_file(void *context, const char *path) {
    const writing *w = context;
    const wabe_checkpoint_head *h = &w->request.head;
    wabe_checkpoint *written = NULL;
    wabe_status status = wabe_checkpoint_open(w->comm, path, &written);
    if (status == WABE_OK &&
        memcmp(written->sums, w->sums,
               (size_t)(wabe_checkpoint_arrays(h) * h->cells[2]) * sizeof *w->sums) != 0)
        status = WABE_FAIL(WABE_INPUT, "%s: its checksums", path);
    wabe_checkpoint_close(&written);
    return status == WABE_INPUT ? WABE_FAIL(WABE_FILE, "what was written is not what is read: %s",
                                            wabe_error_message())
                                : status;
}

/* The arrays have their names in w. */
static wabe_status make_shape(writing *w, wabe_cell_shape *out) {
    const wabe_checkpoint_head *h = &w->request.head;
    wabe_cell_shape shape = {.block = w->request.block,
                             .compress = w->request.compress,
                             .array_count = wabe_checkpoint_arrays(h)};
    WABE_CHECK(shape.array_count <= WABE_CELL_ARRAYS_MAX, WABE_INTERNAL,
               "%d arrays in a checkpoint, at most %d", shape.array_count, WABE_CELL_ARRAYS_MAX);
    memcpy(shape.cells, h->cells, sizeof shape.cells);
    for (int i = 0; i < wabe_checkpoint_arrays(h); i++) {
        wabe_checkpoint_name_array(i, w->paths[i]);
        shape.arrays[i] = (wabe_cell_array){w->paths[i], 1, wabe_checkpoint_type(h, i), NULL};
    }
    *out = shape;
    return WABE_OK;
}

wabe_status wabe_checkpoint_memory(MPI_Comm comm, const wabe_checkpoint_request *request,
                                   wabe_writer_memory *out) {
    writing w = {.request = *request};
    wabe_cell_shape shape;
    WABE_TRY(make_shape(&w, &shape));
    return wabe_cell_file_memory(comm, &shape, out);
}

static wabe_status create_file(writing *w) {
    wabe_cell_shape shape;
    WABE_TRY(make_shape(w, &shape));
    return wabe_cell_file_create(w->comm, w->request.directory, STEM, &shape, w->request.writer,
                                 &w->file);
}

static wabe_status begin_file(writing *w) {
    const wabe_checkpoint_head *h = &w->request.head;
    const wabe_cell_content content = {.context = w,
                                       .room = HEAD_ROOM + (int64_t)strlen(h->configuration) +
                                               8 * wabe_checkpoint_arrays(h) * h->cells[2],
                                       .structure = put_structure,
                                       .fill = fill_part,
                                       .look = sum_up,
                                       .verify = true,
                                       .gather = gather_sums,
                                       .finish = put_sums,
                                       .check = check_file};
    char name[NAME_SIZE];
    wabe_checkpoint_name(h->step, name);
    return wabe_cell_file_begin(w->file, name, &content);
}

static wabe_status copy_request(MPI_Comm comm, const wabe_checkpoint_request *request,
                                writing **out) {
    const wabe_checkpoint_head *h = &request->head;
    writing *w = *out = calloc(1, sizeof *w);
    WABE_CHECK(w, WABE_MEMORY, "no memory for the description of a checkpoint");
    w->comm = comm;
    MPI_Comm_rank(comm, &w->rank);
    w->request = *request;
    w->request.directory = strdup(request->directory);
    w->request.head.configuration = strdup(h->configuration);
    w->sums = calloc((size_t)(wabe_checkpoint_arrays(h) * h->cells[2]), sizeof *w->sums);
    WABE_CHECK(w->sums && w->request.directory && w->request.head.configuration, WABE_MEMORY,
               "no memory for a checkpoint's checksums");
    return WABE_OK;
}

static void destroy_writing(writing **w) {
    if (!*w)
        return;
    wabe_cell_file_destroy(&(*w)->file);
    free((*w)->sums);
    free((char *)(*w)->request.directory);
    free((char *)(*w)->request.head.configuration);
    free(*w);
    *w = NULL;
}

wabe_status wabe_checkpoint_begin(MPI_Comm comm, const wabe_checkpoint_request *request,
                                  writing **out) {
    wabe_status status = wabe_agree(comm, copy_request(comm, request, out));
    if (status == WABE_OK)
        status = create_file(*out);
    if (status == WABE_OK)
        status = begin_file(*out);
    if (status != WABE_OK)
        destroy_writing(out);
    return status;
}

bool wabe_checkpoint_is_done(const writing *w) { return wabe_cell_file_is_done(w->file); }

wabe_status wabe_checkpoint_proceed(writing **w) {
    const wabe_checkpoint_request *r = &(*w)->request;
    const wabe_status status = wabe_cell_file_proceed((*w)->file);
    if (!wabe_cell_file_is_idle((*w)->file))
        return status;
    if (status == WABE_OK && (*w)->rank == 0)
        wabe_checkpoint_tidy(r->directory, r->head.step, r->mine, r->keep);
    destroy_writing(w);
    return status;
}

wabe_status wabe_checkpoint_end(writing **w) {
    wabe_status status = WABE_OK;
    while (*w && status == WABE_OK)
        status = wabe_checkpoint_proceed(w);
    return status;
}
