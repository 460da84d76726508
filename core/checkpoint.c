#include "core/checkpoint.h"

#include "core/cell_file.h"
#include "core/dataset.h"
#include "core/field.h"
#include "core/hash.h"
#include "core/hdf_error.h"
#include "core/log.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WORD_SIZE = 64,        /* of names in a head */
    TEXT_MAX = 64 << 20,   /* of a configuration: as of an input file */
    CELLS_MAX = 1000000,   /* along an axis: as in an input file */
    READ_BYTES = 16 << 20, /* at once, or a plane */
    GZIP_MOST = 1032,      /* bytes that gzip makes one of, at most */
    HEAD_ROOM = 64 << 10   /* bytes of groups and attributes */
};
enum { NAME_SIZE = 64 };
#define PART "checkpoint.h5.part"

static void name_array(int array, char name[32]) { snprintf(name, 32, "/state/%02d", array); }

/* ---- checksums ---------------------------------------------------------------------- */

static uint64_t bits_of(const char *value, size_t size) {
    uint64_t bits = 0;
    memcpy(&bits, value, size); /* the first bytes are the low ones */
    return bits;
}

#define GOLDEN 0x9e3779b97f4a7c15u /* 2^64 over the golden ratio: spreads the places */

/* The sum of the hashes of a row of numbers of so many bytes, a constant at every call, from a
 * place on. */
static inline uint64_t sum_of_row(const char *values, int64_t count, uint64_t place, size_t size) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += wabe_hash_mix(bits_of(values + (size_t)i * size, size) +
                             (place + (uint64_t)i + 1) * GOLDEN);
    return sum;
}

/* Adds the hashes of a part of an array to the sums of its planes, sums[z]. */
static void add_to_sums(const int64_t cells[3], wabe_box part, wabe_type type, const char *values,
                        uint64_t *sums) {
    const size_t size = wabe_type_size(type);
    const int64_t count = wabe_box_extent(part, 0);
    for (int64_t z = part.begin[2]; z < part.end[2]; z++)
        for (int64_t y = part.begin[1]; y < part.end[1]; y++) {
            const uint64_t place = (uint64_t)(part.begin[0] + cells[0] * (y + cells[1] * z));
            sums[z] += size == 8   ? sum_of_row(values, count, place, 8)
                       : size == 4 ? sum_of_row(values, count, place, 4)
                                   : sum_of_row(values, count, place, 2);
            values += (size_t)count * size;
        }
}

static int arrays_of(const wabe_checkpoint_head *h) { return h->array_count + h->real_count; }

static wabe_type type_of(const wabe_checkpoint_head *h, int array) {
    return array < h->array_count ? h->type : WABE_TYPE_f64;
}

static uint64_t add_text(uint64_t hash, const char *text) {
    for (; *text; text++)
        hash = wabe_hash_mix(hash + (unsigned char)*text);
    return wabe_hash_mix(hash + 256);
}

static uint64_t add_integer(uint64_t hash, int64_t value) {
    return wabe_hash_mix(hash + (uint64_t)value);
}

/* Of all that a head says, so that a changed bit there shows. */
static uint64_t hash_of_head(const wabe_checkpoint_head *h) {
    uint64_t hash = add_text(add_text(1, h->application), h->configuration);
    hash = add_integer(add_integer(hash, h->step), h->array_count);
    hash = add_integer(add_integer(hash, h->type), h->number_count);
    hash = add_integer(hash, h->real_count);
    for (int d = 0; d < 3; d++)
        hash = add_integer(hash, h->cells[d]);
    for (int i = 0; i < h->number_count; i++)
        hash = add_integer(add_text(hash, h->numbers[i].name),
                           (int64_t)bits_of((const char *)&h->numbers[i].value, sizeof(double)));
    return hash;
}

/* One that is there. */
struct wabe_checkpoint {
    char path[PATH_MAX];
    wabe_checkpoint_head head; /* its texts are owned */
    char words[WABE_CHECKPOINT_NUMBERS_MAX][WORD_SIZE];
    uint64_t *sums; /* [array][z] */
    /* The array that was read last; NULL: none. */
    wabe_dataset *data;
    int array;
    char name[32];
};

/* ---- writing ------------------------------------------------------------------------ */

struct wabe_checkpoint_writing {
    MPI_Comm comm;
    int rank;
    wabe_checkpoint_request request; /* directory and configuration are owned */
    char paths[WABE_CELL_ARRAYS_MAX][32];
    wabe_cell_file *file;
    uint64_t *sums; /* [array][z], owned */
};

typedef wabe_checkpoint_writing writing;

static bool put_head(hid_t group, const wabe_checkpoint_head *h) {
    const int64_t format = WABE_CHECKPOINT_FORMAT, type = h->type, arrays = h->array_count;
    const int64_t numbers = h->number_count, reals = h->real_count;
    const int64_t hash = (int64_t)hash_of_head(h);
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
    add_to_sums(h->cells, part, type_of(h, array), values, w->sums + array * h->cells[2]);
}

static wabe_status gather_sums(void *context) {
    const writing *w = context;
    const int64_t nz = w->request.head.cells[2];
    for (int array = 0; array < arrays_of(&w->request.head); array++)
        MPI_Allreduce(MPI_IN_PLACE, w->sums + array * nz, (int)nz, MPI_UINT64_T, MPI_SUM, w->comm);
    return WABE_OK;
}

static bool put_sums(void *context, hid_t file) {
    const writing *w = context;
    const hsize_t shape[2] = {(hsize_t)arrays_of(&w->request.head),
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

/* Of the values every rank has read its own: this is for what stands beside them. */
static wabe_status check_file(void *context, const char *path) {
    const writing *w = context;
    const wabe_checkpoint_head *h = &w->request.head;
    wabe_checkpoint *written = NULL;
    wabe_status status = wabe_checkpoint_open(w->comm, path, &written);
    if (status == WABE_OK &&
        memcmp(written->sums, w->sums, (size_t)(arrays_of(h) * h->cells[2]) * sizeof *w->sums) != 0)
        status = WABE_FAIL(WABE_INPUT, "%s: its checksums", path);
    wabe_checkpoint_close(&written);
    return status == WABE_INPUT ? WABE_FAIL(WABE_FILE, "what was written is not what is read: %s",
                                            wabe_error_message())
                                : status;
}

static void name_file(int64_t step, char name[NAME_SIZE]) {
    snprintf(name, NAME_SIZE, "checkpoint_%08" PRId64 ".h5", step);
}

/* The step of a checkpoint's name, or -1. */
static int64_t step_of_name(const char *name) {
    char again[NAME_SIZE];
    int64_t step;
    if (strlen(name) >= NAME_SIZE || sscanf(name, "checkpoint_%" SCNd64 ".h5", &step) != 1 ||
        step < 0)
        return -1;
    name_file(step, again);
    return strcmp(name, again) == 0 ? step : -1;
}

/* The steps that a directory has checkpoints of, the latest first; to be freed. */
typedef struct {
    int64_t *steps;
    int count;
} step_list;

static int compare_steps(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

static wabe_status list_steps(const char *directory, step_list *out) {
    struct dirent *entry;
    DIR *folder = opendir(directory);
    int room = 0;
    WABE_CHECK(folder, WABE_FILE, "%s: cannot be read: %s", directory, strerror(errno));
    for (errno = 0; (entry = readdir(folder)); errno = 0) {
        const int64_t step = step_of_name(entry->d_name);
        if (step < 0)
            continue;
        if (out->count == room) {
            room = 2 * room + 16;
            int64_t *grown = realloc(out->steps, (size_t)room * sizeof *grown);
            if (!grown) {
                errno = ENOMEM;
                break;
            }
            out->steps = grown;
        }
        out->steps[out->count++] = step;
    }
    const int error = errno;
    closedir(folder);
    WABE_CHECK(error == 0, WABE_FILE, "%s: cannot be read: %s", directory, strerror(error));
    if (out->count > 0)
        qsort(out->steps, (size_t)out->count, sizeof *out->steps, compare_steps);
    return WABE_OK;
}

/* Older ones go. Those of another run step aside, so as not to be taken for the latest of this one.
 * What cannot be done now the next checkpoint tries again. */
static void tidy(const char *directory, int64_t step, int64_t mine, int64_t keep) {
    step_list list = {0};
    if (list_steps(directory, &list) != WABE_OK)
        list.count = 0;
    for (int i = 0, older = 0; i < list.count; i++) {
        char name[NAME_SIZE], path[PATH_MAX], aside[PATH_MAX + 8];
        name_file(list.steps[i], name);
        snprintf(path, sizeof path, "%s/%s", directory, name);
        snprintf(aside, sizeof aside, "%s.old", path);
        const bool foreign = list.steps[i] > mine && list.steps[i] != step;
        if (foreign && rename(path, aside) == 0)
            wabe_log_line("checkpoint %s is of an earlier run: now %s.old", path, name);
        else if (!foreign && list.steps[i] < step && ++older >= keep)
            unlink(path);
    }
    free(list.steps);
}

static wabe_status create_file(writing *w) {
    const wabe_checkpoint_head *h = &w->request.head;
    wabe_cell_shape shape = {.block = w->request.block,
                             .axes = {0, 1, 2},
                             .compress = w->request.compress,
                             .array_count = arrays_of(h)};
    memcpy(shape.cells, h->cells, sizeof shape.cells);
    for (int i = 0; i < arrays_of(h); i++) {
        name_array(i, w->paths[i]);
        shape.arrays[i] = (wabe_cell_array){w->paths[i], 1, type_of(h, i)};
    }
    return wabe_cell_file_create(w->comm, w->request.directory, PART, &shape, w->request.writer,
                                 &w->file);
}

static wabe_status begin_file(writing *w) {
    const wabe_checkpoint_head *h = &w->request.head;
    const wabe_cell_content content = {.context = w,
                                       .room = HEAD_ROOM + (int64_t)strlen(h->configuration) +
                                               8 * arrays_of(h) * h->cells[2],
                                       .structure = put_structure,
                                       .fill = fill_part,
                                       .look = sum_up,
                                       .verify = true,
                                       .gather = gather_sums,
                                       .finish = put_sums,
                                       .check = check_file};
    char name[NAME_SIZE];
    name_file(h->step, name);
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
    w->sums = calloc((size_t)(arrays_of(h) * h->cells[2]), sizeof *w->sums);
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
        tidy(r->directory, r->head.step, r->mine, r->keep);
    destroy_writing(w);
    return status;
}

wabe_status wabe_checkpoint_end(writing **w) {
    wabe_status status = WABE_OK;
    while (*w && status == WABE_OK)
        status = wabe_checkpoint_proceed(w);
    return status;
}

/* ---- reading ------------------------------------------------------------------------ */

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

/* A text, to be freed; NULL: there is none of at most so many bytes. */
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
        hash_of_head(h) != (uint64_t)hash)
        return damaged(c, "what it says of its run is not right");
    return WABE_OK;
}

static wabe_status get_sums(hid_t group, wabe_checkpoint *c) {
    const int64_t count = arrays_of(&c->head) * c->head.cells[2];
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

/* Values are stored as they are, or by gzip, which leaves a byte of so many at least: a file that
 * says it holds more does not, and no memory is asked for. */
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
    WABE_CHECK(access(c->path, R_OK) == 0, WABE_FILE, "%s: cannot be read: %s", c->path,
               strerror(errno));
    const hid_t file = wabe_hdf_open(c->path);
    if (file < 0) {
        char reason[256];
        wabe_hdf_reason(reason);
        return damaged(c, reason);
    }
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

/* Until another one is asked for. */
static wabe_status open_array(wabe_checkpoint *c, int array) {
    const wabe_checkpoint_head *h = &c->head;
    int bits;
    if (c->data && c->array == array)
        return WABE_OK;
    wabe_dataset_close(&c->data);
    name_array(array, c->name);
    WABE_TRY(wabe_dataset_open(c->path, c->name, &c->data));
    const wabe_numbers numbers = wabe_dataset_numbers(c->data, &bits);
    const wabe_type type = type_of(h, array);
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

/* Whole planes of an array, as many at a time as there is room for in values. */
static wabe_status verify_array(wabe_checkpoint *c, int array, wabe_box share, int64_t planes,
                                void *values, uint64_t *sums) {
    memset(sums, 0, (size_t)c->head.cells[2] * sizeof *sums);
    for (wabe_box part = share; part.begin[2] < share.end[2]; part.begin[2] += planes) {
        part.end[2] = part.begin[2] + planes < share.end[2] ? part.begin[2] + planes : share.end[2];
        WABE_TRY(wabe_checkpoint_read(c, array, part, values));
        add_to_sums(c->head.cells, part, type_of(&c->head, array), values, sums);
    }
    return compare_sums(c, array, share, sums);
}

/* Ranks share the planes. */
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
    for (int array = 0; array < arrays_of(&c->head) && status == WABE_OK; array++)
        status = verify_array(c, array, share, planes, values, sums);
    free(sums);
    free(values);
    return wabe_agree(comm, status);
}

/* ---- the latest --------------------------------------------------------------------- */

bool wabe_checkpoint_exists(const char *directory) {
    step_list list = {0};
    const bool found = list_steps(directory, &list) == WABE_OK && list.count > 0;
    free(list.steps);
    return found;
}

/* The steps that rank 0 finds, on all ranks. Collective. */
static wabe_status share_steps(MPI_Comm comm, const char *directory, step_list *out) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    WABE_TRY(wabe_agree(comm, rank == 0 ? list_steps(directory, out) : WABE_OK));
    MPI_Bcast(&out->count, 1, MPI_INT, 0, comm);
    if (rank != 0)
        out->steps = malloc((size_t)(out->count + 1) * sizeof *out->steps);
    WABE_TRY(wabe_agree(comm, out->steps || out->count == 0
                                  ? WABE_OK
                                  : WABE_FAIL(WABE_MEMORY, "no memory for a list of checkpoints")));
    MPI_Bcast(out->steps, out->count, MPI_INT64_T, 0, comm);
    return WABE_OK;
}

static wabe_status open_first(MPI_Comm comm, const char *directory, const step_list *list,
                              wabe_checkpoint **out) {
    for (int i = 0; i < list->count; i++) {
        char name[NAME_SIZE], path[PATH_MAX];
        name_file(list->steps[i], name);
        snprintf(path, sizeof path, "%s/%s", directory, name);
        wabe_status status = wabe_checkpoint_open(comm, path, out);
        if (status == WABE_OK)
            status = wabe_checkpoint_verify(comm, *out);
        if (status == WABE_OK)
            return WABE_OK;
        wabe_checkpoint_close(out);
        if (status == WABE_MEMORY)
            return status;
        wabe_log_warning("skipped: %s", wabe_error_message());
    }
    WABE_CHECK(list->count == 0, WABE_INPUT, "%s: none of its %d checkpoints is whole", directory,
               list->count);
    return WABE_OK;
}

wabe_status wabe_checkpoint_open_latest(MPI_Comm comm, const char *directory,
                                        wabe_checkpoint **out) {
    step_list list = {0};
    *out = NULL;
    wabe_status status = share_steps(comm, directory, &list);
    if (status == WABE_OK)
        status = open_first(comm, directory, &list, out);
    free(list.steps);
    return status;
}
