/* Reading checkpoints. */
#include "core/io/checkpoint_internal.h"

#include "core/device/field.h"
#include "core/io/cell_file.h"
#include "core/io/disk.h"
#include "core/io/hdf_error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_MAX = 64 << 20,   /* of a configuration: as for an input file */
    CELLS_MAX = 1000000,   /* along an axis: as in an input file */
    READ_BYTES = 16 << 20, /* per read, or a plane */
    GZIP_MOST = 1032       /* the highest compression ratio of gzip */
};

static wabe_status damaged(const wabe_checkpoint *c, const char *what) {
    char reason[256];
    wabe_hdf_reason(reason);
    return WABE_FAIL(WABE_INPUT, "%s: is damaged, or no checkpoint of Wabe: %s (%s)", c->path, what,
                     reason);
}

static bool get_attribute(hid_t group, const char *name, hid_t type, int count, void *out) {
    const hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    const hid_t space = H5Aget_space(attribute);
    const bool good = space >= 0 && H5Sget_simple_extent_npoints(space) == count &&
                      H5Aread(attribute, type, out) >= 0;
    H5Sclose(space);
    H5Aclose(attribute);
    return good;
}

static bool get_integer(hid_t group, const char *name, int64_t low, int64_t high, int64_t *out) {
    return get_attribute(group, name, H5T_NATIVE_INT64, 1, out) && *out >= low && *out <= high;
}

/* Returns a text, to be freed; NULL: there is none of at most so many bytes. */
static char *get_text(hid_t group, const char *name, size_t most) {
    const hid_t data = H5Dopen2(group, name, H5P_DEFAULT);
    const hid_t type = data >= 0 ? H5Dget_type(data) : -1;
    char *text = NULL;
    const size_t size = type >= 0 && H5Tget_class(type) == H5T_STRING &&
                                H5Tis_variable_str(type) == 0
                            ? H5Tget_size(type)
                            : 0;
    const hid_t space = data >= 0 ? H5Dget_space(data) : -1;
    if (size > 0 && size <= most && H5Sget_simple_extent_npoints(space) == 1)
        text = calloc(1, size + 1);
    if (text && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) {
        free(text);
        text = NULL;
    }
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (data >= 0)
        H5Dclose(data);
    return text;
}

static bool get_numbers(hid_t group, wabe_checkpoint *c) {
    for (int i = 0; i < c->head.number_count; i++) {
        char name[WORD_SIZE];
        snprintf(name, sizeof name, "number_%02d", i);
        char *word = get_text(group, name, WORD_SIZE - 1);
        if (!word)
            return false;
        snprintf(c->words[i], WORD_SIZE, "%s", word);
        free(word);
        c->head.numbers[i].name = c->words[i];
        if (!get_attribute(group, name, H5T_NATIVE_DOUBLE, 1, &c->head.numbers[i].value))
            return false;
    }
    return true;
}

static wabe_status get_head(hid_t group, wabe_checkpoint *c) {
    wabe_checkpoint_head *h = &c->head;
    int64_t format, arrays, type, reals, numbers, hash;
    if (!get_integer(group, "format", 0, INT64_MAX, &format))
        return damaged(c, "it has no format");
    WABE_CHECK(format == WABE_CHECKPOINT_FORMAT, WABE_INPUT,
               "%s: is of format %lld, and this Wabe knows format %d", c->path, (long long)format,
               WABE_CHECKPOINT_FORMAT);
    if (!get_integer(group, "step", 0, INT64_MAX, &h->step) ||
        !get_integer(group, "arrays", 1, WABE_CELL_ARRAYS_MAX, &arrays) ||
        !get_integer(group, "type", 1, WABE_TYPE_end - 1, &type) ||
        !get_integer(group, "reals", 0, WABE_CELL_ARRAYS_MAX - arrays, &reals) ||
        !get_integer(group, "numbers", 0, WABE_CHECKPOINT_NUMBERS_MAX, &numbers) ||
        !get_integer(group, "checksum", INT64_MIN, INT64_MAX, &hash) ||
        !get_attribute(group, "cells", H5T_NATIVE_INT64, 3, h->cells))
        return damaged(c, "what it says of itself is not right");
    for (int d = 0; d < 3; d++)
        if (h->cells[d] < 1 || h->cells[d] > CELLS_MAX)
            return damaged(c, "the number of its cells is not right");
    h->array_count = (int)arrays, h->type = (wabe_type)type, h->number_count = (int)numbers;
    h->real_count = (int)reals;
    h->application = get_text(group, "application", WORD_SIZE);
    h->configuration = get_text(group, "configuration", TEXT_MAX);
    if (!h->application || !h->configuration || !get_numbers(group, c) ||
        wabe_checkpoint_hash_head(h) != (uint64_t)hash)
        return damaged(c, "what it says of its run is not right");
    return WABE_OK;
}

static wabe_status get_sums(hid_t group, wabe_checkpoint *c) {
    const int64_t count = wabe_checkpoint_arrays(&c->head) * c->head.cells[2];
    c->sums = malloc((size_t)count * sizeof *c->sums);
    WABE_CHECK(c->sums, WABE_MEMORY, "no memory for a checkpoint's checksums");
    const hid_t data = H5Dopen2(group, "checksums", H5P_DEFAULT);
    const hid_t space = data >= 0 ? H5Dget_space(data) : -1;
    const bool good = space >= 0 && H5Sget_simple_extent_npoints(space) == count &&
                      H5Dread(data, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, c->sums) >= 0;
    const wabe_status status = good ? WABE_OK : damaged(c, "its checksums cannot be read");
    if (space >= 0)
        H5Sclose(space);
    if (data >= 0)
        H5Dclose(data);
    return status;
}

/* Checks that the file is large enough for the arrays that it claims to have, before memory is
 * allocated for them: values are stored raw, or by gzip, whose compression ratio is limited. */
static wabe_status check_size(hid_t file, const wabe_checkpoint *c) {
    const wabe_checkpoint_head *h = &c->head;
    hsize_t bytes;
    double held = (double)h->array_count * (double)wabe_type_size(h->type) +
                  (double)h->real_count * (double)sizeof(double);
    for (int d = 0; d < 3; d++)
        held *= (double)h->cells[d];
    return H5Fget_filesize(file, &bytes) >= 0 && GZIP_MOST * (double)bytes >= held
               ? WABE_OK
               : damaged(c, "it is shorter than what it says it holds");
}

static wabe_status open_local(wabe_checkpoint *c) {
    int64_t bytes;
    WABE_TRY(wabe_disk_check(c->path, &bytes));
    const hid_t file = wabe_hdf_open(c->path);
    if (file < 0)
        return damaged(c, "HDF5 cannot open it");
    const hid_t group = H5Gopen2(file, "/wabe", H5P_DEFAULT);
    wabe_status status = group < 0 ? damaged(c, "it has no group /wabe") : get_head(group, c);
    if (status == WABE_OK)
        status = check_size(file, c);
    if (status == WABE_OK)
        status = get_sums(group, c);
    if (group >= 0)
        H5Gclose(group);
    H5Fclose(file);
    return status;
}

wabe_status wabe_checkpoint_open(MPI_Comm comm, const char *path, wabe_checkpoint **out) {
    wabe_checkpoint *c = *out = calloc(1, sizeof *c);
    wabe_status status = c ? WABE_OK : WABE_FAIL(WABE_MEMORY, "no memory for a checkpoint");
    if (c) {
        snprintf(c->path, sizeof c->path, "%s", path);
        status = open_local(c);
    }
    status = wabe_agree(comm, status);
    if (status != WABE_OK)
        wabe_checkpoint_close(out);
    return status;
}

void wabe_checkpoint_close(wabe_checkpoint **checkpoint) {
    if (!*checkpoint)
        return;
    free((char *)(*checkpoint)->head.application);
    free((char *)(*checkpoint)->head.configuration);
    free((*checkpoint)->sums);
    wabe_dataset_close(&(*checkpoint)->data);
    free(*checkpoint);
    *checkpoint = NULL;
}

const char *wabe_checkpoint_path(const wabe_checkpoint *c) { return c->path; }

const wabe_checkpoint_head *wabe_checkpoint_head_of(const wabe_checkpoint *c) { return &c->head; }

double wabe_checkpoint_number_of(const wabe_checkpoint *c, const char *name, double otherwise) {
    for (int i = 0; i < c->head.number_count; i++)
        if (strcmp(c->head.numbers[i].name, name) == 0)
            return c->head.numbers[i].value;
    return otherwise;
}

/* Opens an array, which stays open until another one is requested. */
static wabe_status open_array(wabe_checkpoint *c, int array) {
    const wabe_checkpoint_head *h = &c->head;
    int bits;
    if (c->data && c->array == array)
        return WABE_OK;
    wabe_dataset_close(&c->data);
    wabe_checkpoint_name_array(array, c->name);
    WABE_TRY(wabe_dataset_open(c->path, c->name, &c->data));
    const wabe_numbers numbers = wabe_dataset_numbers(c->data, &bits);
    const wabe_type type = wabe_checkpoint_type(h, array);
    const wabe_numbers expected = type == WABE_TYPE_f16 ? WABE_NUMBERS_INTEGER : WABE_NUMBERS_REAL;
    c->array = array;
    if (numbers == expected && bits == 8 * (int)wabe_type_size(type) &&
        memcmp(wabe_dataset_size(c->data), h->cells, sizeof h->cells) == 0)
        return WABE_OK;
    wabe_dataset_close(&c->data);
    return WABE_FAIL(WABE_INPUT, "%s: is damaged: array %d is not what it should be", c->path,
                     array);
}

wabe_status wabe_checkpoint_read(wabe_checkpoint *c, int array, wabe_box box, void *values) {
    WABE_TRY(open_array(c, array));
    return wabe_dataset_read_raw(c->data, box, values);
}

static wabe_status compare_sums(const wabe_checkpoint *c, int array, wabe_box part,
                                const uint64_t *sums) {
    for (int64_t z = part.begin[2]; z < part.end[2]; z++)
        WABE_CHECK(
            sums[z] == c->sums[array * c->head.cells[2] + z], WABE_INPUT,
            "%s: is damaged: the values of array %d in plane %lld do not have their checksum",
            c->path, array, (long long)z);
    return WABE_OK;
}

/* Verifies whole planes of an array, as many at a time as fit into values. */
static wabe_status verify_array(wabe_checkpoint *c, int array, wabe_box share, int64_t planes,
                                void *values, uint64_t *sums) {
    memset(sums, 0, (size_t)c->head.cells[2] * sizeof *sums);
    for (wabe_box part = share; part.begin[2] < share.end[2]; part.begin[2] += planes) {
        part.end[2] = part.begin[2] + planes < share.end[2] ? part.begin[2] + planes : share.end[2];
        WABE_TRY(wabe_checkpoint_read(c, array, part, values));
        wabe_checkpoint_add_to_sums(c->head.cells, part, wabe_checkpoint_type(&c->head, array),
                                    values, sums);
    }
    return compare_sums(c, array, share, sums);
}

/* Each rank verifies a share of the planes. */
wabe_status wabe_checkpoint_verify(MPI_Comm comm, wabe_checkpoint *c) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const int64_t *n = c->head.cells;
    const wabe_type widest = c->head.real_count > 0 ? WABE_TYPE_f64 : c->head.type;
    const int64_t plane = n[0] * n[1] * (int64_t)wabe_type_size(widest);
    const int64_t planes = READ_BYTES > plane ? READ_BYTES / plane : 1;
    const wabe_box share = {{0, 0, n[2] * rank / size}, {n[0], n[1], n[2] * (rank + 1) / size}};
    void *values = malloc((size_t)((planes < n[2] ? planes : n[2]) * plane));
    uint64_t *sums = malloc((size_t)n[2] * sizeof *sums);
    wabe_status status = values && sums
                             ? WABE_OK
                             : WABE_FAIL(WABE_MEMORY, "no memory to read planes of %s", c->path);
    for (int array = 0; array < wabe_checkpoint_arrays(&c->head) && status == WABE_OK; array++)
        status = verify_array(c, array, share, planes, values, sums);
    free(sums);
    free(values);
    return wabe_agree(comm, status);
}
