/* Images of voxels: small files of all kinds are read and held against a plain loop over their
 * labels; descriptions that do not fit the file, and files that cannot be read, are refused. */
#include "core/geometry/voxels.h"

#include <fcntl.h>
#include <hdf5.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef enum { RAW_X, RAW_Z, HDF5, KINDS } image_kind;

static char directory[] = "/tmp/wabe_voxels_XXXXXX";
static char file[64];

/* The lowest number that a file would be given: higher afterwards if one was left open. */
static int free_number(void) {
    const int number = open("/dev/null", O_RDONLY);
    close(number);
    return number;
}

static int first_free_number;

static int make_directory(void **state) {
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(file, sizeof file, "%s/image", directory);
    first_free_number = free_number();
    return 0;
}

static int remove_directory(void **state) {
    (void)state;
    return rmdir(directory); /* fails if a file was left */
}

static int clean_up(void **state) {
    (void)state;
    unlink(file);
    return free_number() != first_free_number || H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) != 0;
}

/* ---- images ------------------------------------------------------------------------- */

/* Labels without any symmetry. 0 and 7 are fluid, 1 and 255 solid. */
static uint8_t label_at(const int64_t at[3]) {
    static const uint8_t labels[4] = {0, 1, 7, 255};
    uint64_t mixed = (uint64_t)(at[0] + 1) * 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 29 ^ (uint64_t)(at[1] + 1)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 32 ^ (uint64_t)(at[2] + 1)) * 0x94D049BB133111EBu;
    return labels[mixed >> 62];
}

static bool is_solid(uint8_t label) { return label == 1 || label == 255; }

static wabe_voxels describe(image_kind kind, int64_t nx, int64_t ny, int64_t nz) {
    wabe_voxels v = {.format = kind == HDF5 ? WABE_VOXELS_HDF5 : WABE_VOXELS_RAW,
                     .order = kind == RAW_Z ? WABE_VOXELS_Z_FASTEST : WABE_VOXELS_X_FASTEST,
                     .file = file,
                     .dataset = "labels",
                     .size = {nx, ny, nz}};
    v.meaning[0] = v.meaning[7] = WABE_LABEL_FLUID;
    v.meaning[1] = v.meaning[255] = WABE_LABEL_SOLID;
    return v;
}

static int64_t count_of(const int64_t size[3]) { return size[0] * size[1] * size[2]; }

/* The labels in the order of a file; to be freed. */
static uint8_t *labels_of(const int64_t size[3], bool z_fastest) {
    uint8_t *labels = malloc((size_t)count_of(size)), *next = labels;
    const int fast = z_fastest ? 2 : 0, slow = 2 - fast;
    int64_t at[3];
    for (at[slow] = 0; at[slow] < size[slow]; at[slow]++)
        for (at[1] = 0; at[1] < size[1]; at[1]++)
            for (at[fast] = 0; at[fast] < size[fast]; at[fast]++)
                *next++ = label_at(at);
    return labels;
}

static void write_bytes(const void *bytes, int64_t count) {
    FILE *out = fopen(file, "ab");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, (size_t)count, out), count);
    assert_int_equal(fclose(out), 0);
}

static void write_raw(const wabe_voxels *v) {
    uint8_t *labels = labels_of(v->size, v->order == WABE_VOXELS_Z_FASTEST);
    unlink(file);
    for (int64_t k = 0; k < v->header; k++)
        write_bytes("\x1b", 1);
    write_bytes(labels, count_of(v->size));
    free(labels);
}

static void add_dataset(hid_t to, const char *name, hid_t type, int rank, const hsize_t *shape,
                        const void *values, bool compress) {
    const hid_t space = H5Screate_simple(rank, shape, NULL);
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    if (compress) {
        hsize_t chunk[3];
        for (int d = 0; d < 3; d++)
            chunk[d] = shape[d] < 3 ? 1 : 3;
        H5Pset_chunk(layout, rank, chunk);
        H5Pset_deflate(layout, 6);
    }
    const hid_t data = H5Dcreate2(to, name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    assert_true(data >= 0);
    if (values)
        assert_true(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(data);
    H5Pclose(layout);
    H5Sclose(space);
}

static hid_t create_hdf5(void) {
    const hid_t out = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(out >= 0);
    return out;
}

static void write_hdf5(const wabe_voxels *v, hid_t type, bool compress) {
    const hsize_t shape[3] = {(hsize_t)v->size[2], (hsize_t)v->size[1], (hsize_t)v->size[0]};
    uint8_t *labels = labels_of(v->size, false);
    const hid_t out = create_hdf5();
    const hid_t group = H5Gcreate2(out, "scans", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    add_dataset(out, "labels", type, 3, shape, labels, compress);
    add_dataset(group, "second", type, 3, shape, labels, compress);
    H5Gclose(group);
    H5Fclose(out);
    free(labels);
}

static wabe_voxels make(image_kind kind, int64_t nx, int64_t ny, int64_t nz) {
    const wabe_voxels v = describe(kind, nx, ny, nz);
    if (kind == HDF5)
        write_hdf5(&v, H5T_NATIVE_UINT8, true);
    else
        write_raw(&v);
    return v;
}

/* ---- reading, and what is to come of it --------------------------------------------- */

static void assert_good(wabe_status status) {
    if (status != WABE_OK)
        fail_msg("%s", wabe_error_message());
}

static bool solid_at(const wabe_voxels *v, const int64_t cell[3]) {
    int64_t at[3];
    for (int d = 0; d < 3; d++) {
        at[d] = cell[d] - v->at[d];
        if (at[d] >= v->cells[d])
            at[d] = 2 * v->cells[d] - 1 - at[d];
        at[d] += v->begin[d];
    }
    return is_solid(label_at(at));
}

/* A byte before the result and one behind it have to stay as they are. */
static void check_box(const wabe_voxels *v, wabe_box box) {
    const int64_t count = wabe_box_cells(box);
    uint8_t *solid = malloc((size_t)count + 2);
    memset(solid, 99, (size_t)count + 2);
    assert_good(wabe_voxels_read(v, box, solid + 1));
    const uint8_t *next = solid + 1;
    int64_t cell[3];
    for (cell[2] = box.begin[2]; cell[2] < box.end[2]; cell[2]++)
        for (cell[1] = box.begin[1]; cell[1] < box.end[1]; cell[1]++)
            for (cell[0] = box.begin[0]; cell[0] < box.end[0]; cell[0]++, next++)
                if (*next != solid_at(v, cell))
                    fail_msg("cell (%d, %d, %d) is %d", (int)cell[0], (int)cell[1], (int)cell[2],
                             *next);
    assert_int_equal(solid[0], 99);
    assert_int_equal(solid[count + 1], 99);
    free(solid);
}

static void check_all(wabe_voxels *v) {
    assert_good(wabe_voxels_open(v));
    check_box(v, wabe_voxels_box(v));
}

static void whole_images_are_read(void **state) {
    (void)state;
    for (image_kind k = 0; k < KINDS; k++) {
        wabe_voxels v = make(k, 7, 5, 4);
        if (k == HDF5)
            memset(v.size, 0, sizeof v.size);
        check_all(&v);
        const int64_t size[3] = {7, 5, 4};
        for (int d = 0; d < 3; d++) {
            assert_int_equal(v.size[d], size[d]);
            assert_int_equal(v.cells[d], size[d]);
        }
    }
}

static void headers_are_passed_over(void **state) {
    (void)state;
    for (image_kind k = 0; k < HDF5; k++) {
        wabe_voxels v = describe(k, 6, 4, 5);
        v.header = 13;
        write_raw(&v);
        check_all(&v);
    }
}

static void parts_are_put_where_they_belong(void **state) {
    (void)state;
    for (image_kind k = 0; k < KINDS; k++) {
        wabe_voxels v = make(k, 9, 8, 7);
        v.begin[0] = 2, v.begin[2] = 3;
        v.cells[0] = 5, v.cells[1] = 6;
        v.at[0] = -4, v.at[1] = 11;
        check_all(&v);
        const wabe_box box = wabe_voxels_box(&v);
        const wabe_box wanted = {{-4, 11, 0}, {1, 17, 4}};
        assert_memory_equal(&box, &wanted, sizeof box);
    }
}

static void axes_are_mirrored(void **state) {
    (void)state;
    for (image_kind k = 0; k < KINDS; k++)
        for (int axes = 0; axes < 8; axes++) {
            wabe_voxels v = make(k, 5, 4, 6);
            v.begin[1] = v.begin[2] = 1;
            v.at[0] = 3;
            int64_t cells = 5 * 3 * 5;
            for (int d = 0; d < 3; d++) {
                v.mirror[d] = axes >> d & 1;
                cells *= v.mirror[d] ? 2 : 1;
            }
            check_all(&v);
            assert_int_equal(wabe_box_cells(wabe_voxels_box(&v)), cells);
        }
}

/* Every box, or every so many, gives what the whole gives there. */
static void check_pieces(const wabe_voxels *v, int every) {
    const wabe_box all = wabe_voxels_box(v);
    int64_t ends[3];
    int number = 0;
    for (int d = 0; d < 3; d++)
        ends[d] = (wabe_box_extent(all, d) + 1) * (wabe_box_extent(all, d) + 1);
    for (int64_t i = 0; i < count_of(ends); i++) {
        const int64_t codes[3] = {i % ends[0], i / ends[0] % ends[1], i / ends[0] / ends[1]};
        wabe_box box;
        for (int d = 0; d < 3; d++) {
            const int64_t places = wabe_box_extent(all, d) + 1;
            box.begin[d] = all.begin[d] + codes[d] % places;
            box.end[d] = all.begin[d] + codes[d] / places;
        }
        if (!wabe_box_is_empty(box) && number++ % every == 0)
            check_box(v, box);
    }
    assert_true(number > 500);
}

static void pieces_give_the_whole(void **state) {
    (void)state;
    for (image_kind k = 0; k < KINDS; k++) {
        wabe_voxels v = make(k, 4, 5, 3);
        v.at[0] = 2, v.at[2] = -1;
        v.begin[1] = 1;
        v.mirror[0] = true, v.mirror[2] = true;
        check_all(&v);
        check_pieces(&v, k == HDF5 ? 5 : 1);
    }
}

/* Rows longer than what is read at a time; rows far from each other; many rows at a time, and more
 * than one such block. */
static void rows_of_all_lengths_are_read(void **state) {
    (void)state;
    static const int64_t sizes[][3] = {{150001, 3, 2}, {9000, 12, 3}, {300, 700, 2}, {1, 70000, 2}};
    for (int s = 0; s < 4; s++)
        for (image_kind k = 0; k < HDF5; k++) {
            const int64_t *n = sizes[s];
            wabe_voxels v = k == RAW_X ? make(k, n[0], n[1], n[2]) : make(k, n[2], n[1], n[0]);
            check_all(&v);
            wabe_box box = wabe_voxels_box(&v);
            const int fast = k == RAW_X ? 0 : 2;
            box.begin[fast] = n[0] / 3;
            box.end[fast] = n[0] / 2 + 1;
            check_box(&v, box);
            box.begin[1] = 1;
            box.begin[fast] = n[0] - 1, box.end[fast] = n[0];
            check_box(&v, box);
        }
}

static hid_t boolean_of_numpy(void) {
    const hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
    const int8_t values[2] = {0, 1};
    H5Tenum_insert(type, "FALSE", &values[0]);
    H5Tenum_insert(type, "TRUE", &values[1]);
    return type;
}

static void bytes_of_all_types_are_labels(void **state) {
    (void)state;
    const hid_t boolean = boolean_of_numpy();
    const hid_t types[] = {H5T_NATIVE_UINT8, H5T_NATIVE_INT8, H5T_STD_I8BE, boolean};
    for (int k = 0; k < 8; k++) {
        wabe_voxels v = describe(HDF5, 6, 5, 7);
        write_hdf5(&v, types[k / 2], k % 2);
        if (k % 3 == 0)
            v.dataset = "/scans/second";
        check_all(&v);
    }
    H5Tclose(boolean);
}

/* ---- refusals ----------------------------------------------------------------------- */

/* Messages begin with the name of the file. */
static void assert_refused(wabe_status status, wabe_status wanted, const char *text) {
    const char *message = wabe_error_message();
    if (status != wanted)
        fail_msg("status %d, not %d; wanted: %s", status, wanted, text);
    if (strncmp(message, file, strlen(file)) != 0 || !strstr(message, text))
        fail_msg("\"%s\" does not say \"%s\"", message, text);
}

static void missing_files_are_refused(void **state) {
    (void)state;
    uint8_t solid;
    for (image_kind k = 0; k < KINDS; k++) {
        wabe_voxels v = describe(k, 1, 1, 1);
        assert_refused(wabe_voxels_open(&v), WABE_FILE, "No such file");
        write_bytes("", 0);
        assert_refused(wabe_voxels_open(&v), WABE_INPUT, "is empty");
        unlink(file);
        mkdir(file, 0700);
        assert_refused(wabe_voxels_open(&v), WABE_FILE, "Is a directory");
        rmdir(file);
        mkfifo(file, 0600); /* opening it would wait for somebody who writes */
        assert_refused(wabe_voxels_open(&v), WABE_FILE, "no regular file");
        unlink(file);
        v = make(k, 1, 1, 1);
        assert_good(wabe_voxels_open(&v));
        unlink(file);
        assert_refused(wabe_voxels_read(&v, wabe_voxels_box(&v), &solid), WABE_FILE,
                       "No such file");
    }
}

static void raw_files_of_another_size_are_refused(void **state) {
    (void)state;
    static const struct {
        int64_t size[3], header;
        const char *text;
    } cases[] = {
        {{4, 5, 6},
         3,
         "has 120 bytes, fewer than the 123 that are expected (a header of 3 and 4 x "
         "5 x 6 voxels of one byte); voxels of this size would fit with a header of 0"},
        {{4, 5, 5}, 0, "more than the 100 that are expected"},
        {{4, 5, 5}, 0, "would fit with a header of 20"},
        {{4, 5, 3}, 0, "it seems to have 2 bytes per voxel"},
        {{4, 1, 5}, 40, "it seems to have 4 bytes per voxel"},
        {{4, 5, 7},
         0,
         "fewer than the 140 that are expected (a header of 0 and 4 x 5 x 7 voxels "
         "of one byte)"},
        {{4, 5, 6}, -1, "cannot be negative"},
        {{4, 5, 6}, INT64_MAX, "too large"},
        {{0, 5, 6}, 0, "0 voxels along x"},
        {{4, -1, 6}, 0, "-1 voxels along y"},
        {{4, 5, INT64_MIN}, 0, "along z"},
        {{1LL << 62, 1, 1}, 0, "too large"},
        {{1LL << 62, 1LL << 62, 1LL << 62}, 0, "too large"},
        {{1, 1LL << 40, 1LL << 40}, 0, "too large"},
        {{INT64_MAX, INT64_MAX, INT64_MAX}, INT64_MAX, "too large"},
        {{1LL << 30, 1LL << 29, 1}, INT64_MAX - 7, "too large"},
        {{1LL << 30, 1LL << 29, 1}, 0, "fewer than the 576460752303423488 that"},
    };
    const wabe_voxels good = make(RAW_X, 4, 5, 6);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        wabe_voxels v = good;
        memcpy(v.size, cases[k].size, sizeof v.size);
        v.header = cases[k].header;
        assert_refused(wabe_voxels_open(&v), WABE_INPUT, cases[k].text);
    }
}

static void parts_outside_the_image_are_refused(void **state) {
    (void)state;
    static const struct {
        int64_t begin, cells, at;
        const char *text; /* NULL: nothing is wrong */
    } cases[] = {
        {0, 0, 0, NULL},
        {4, 1, 0, NULL},
        {0, 5, (1LL << 62) - 1, NULL},
        {-1, 0, 0, "begins at voxel -1 along"},
        {5, 0, 0, "has the voxels 0 to 4"},
        {INT64_MAX, 1, 0, "begins at voxel"},
        {0, 6, 0, "6 voxels are to be used along"},
        {3, 3, 0, "from voxel 3 on; there are 1 to 2"},
        {3, -1, 0, "-1 voxels are to be used"},
        {1, INT64_MAX, 0, "voxels are to be used"},
        {0, 0, 1LL << 62, "too far away"},
        {0, 0, INT64_MAX, "too far away"},
        {0, 0, INT64_MIN, "too far away"},
    };
    for (image_kind k = 0; k < KINDS; k++) {
        const wabe_voxels good = make(k, 5, 5, 5);
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
            for (int d = 0; d < 3; d++) {
                wabe_voxels v = good;
                v.begin[d] = cases[c].begin, v.cells[d] = cases[c].cells, v.at[d] = cases[c].at;
                v.mirror[d] = true;
                if (cases[c].text)
                    assert_refused(wabe_voxels_open(&v), WABE_INPUT, cases[c].text);
                else
                    check_all(&v);
            }
    }
}

/* A file with one dataset that is right and some that are not. */
static void write_strange_hdf5(void) {
    const hsize_t shape[4] = {2, 3, 4, 1}, huge[3] = {1ULL << 62, 1, 1}, chunk[3] = {1 << 20, 1, 1};
    const hid_t out = create_hdf5(), scalar = H5Screate(H5S_SCALAR);
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE), string = H5Tcopy(H5T_C_S1);
    add_dataset(out, "good", H5T_NATIVE_UINT8, 3, shape, NULL, false);
    add_dataset(out, "flat", H5T_NATIVE_UINT8, 2, shape, NULL, false);
    add_dataset(out, "vectors", H5T_NATIVE_UINT8, 4, shape, NULL, false);
    add_dataset(out, "words", H5T_STD_U16LE, 3, shape, NULL, false);
    add_dataset(out, "floats", H5T_IEEE_F32LE, 3, shape, NULL, false);
    add_dataset(out, "characters", string, 3, shape, NULL, false);
    H5Dclose(
        H5Dcreate2(out, "scalar", H5T_NATIVE_UINT8, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(out, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Pset_chunk(layout, 3, chunk);
    const hid_t space = H5Screate_simple(3, huge, NULL);
    H5Dclose(H5Dcreate2(out, "huge", H5T_NATIVE_UINT8, space, H5P_DEFAULT, layout, H5P_DEFAULT));
    H5Sclose(space);
    H5Tclose(string);
    H5Pclose(layout);
    H5Sclose(scalar);
    H5Fclose(out);
}

static void strange_datasets_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *dataset, *text;
    } cases[] = {
        {"labels", "has no dataset \"labels\"; at its top level there is: characters, flat, "
                   "floats, good, group/, huge, scalar, vectors, ..."},
        {"group/labels", "has no dataset \"group/labels\""},
        {"no/labels", "has no dataset \"no/labels\""},
        {"group", "has no dataset \"group\""},
        {"", "has no dataset \"\""},
        {NULL, "has no dataset \"\""},
        {"flat", "\"flat\" has 2 dimensions; it has to have three, (nz, ny, nx)"},
        {"vectors", "has 4 dimensions"},
        {"scalar", "has 0 dimensions"},
        {"words", "16-bit integers; labels have to be 8-bit integers"},
        {"floats", "32-bit floating-point numbers"},
        {"characters", "another kind"},
        {"huge", "too large"},
    };
    write_strange_hdf5();
    wabe_voxels v = describe(HDF5, 0, 0, 0);
    v.dataset = "good";
    assert_good(wabe_voxels_open(&v));
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        v.dataset = cases[k].dataset;
        assert_refused(wabe_voxels_open(&v), WABE_INPUT, cases[k].text);
    }
    H5Fclose(create_hdf5());
    assert_refused(wabe_voxels_open(&v), WABE_INPUT, "there is: nothing");
}

static void damaged_files_are_refused(void **state) {
    (void)state;
    wabe_voxels v = make(RAW_X, 4, 4, 4);
    v.format = WABE_VOXELS_HDF5;
    assert_refused(wabe_voxels_open(&v), WABE_INPUT, "is no HDF5 file");
    v = make(HDF5, 9, 9, 9);
    assert_int_equal(truncate(file, 2000), 0);
    assert_refused(wabe_voxels_open(&v), WABE_FILE, "cannot be read: truncated file");
}

/* The library would print its errors; what comes to stderr meanwhile goes to the file. */
static void hdf5_is_silent(void **state) {
    (void)state;
    H5Eset_auto2(H5E_DEFAULT, (H5E_auto2_t)H5Eprint2, stderr);
    write_strange_hdf5();
    char noise[80];
    snprintf(noise, sizeof noise, "%s.noise", file);
    const int kept = dup(STDERR_FILENO);
    const int caught = open(noise, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(caught, STDERR_FILENO);
    wabe_voxels v = describe(HDF5, 0, 0, 0);
    const wabe_status status = wabe_voxels_open(&v);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    struct stat about;
    fstat(caught, &about);
    close(caught);
    unlink(noise);
    assert_int_equal(status, WABE_INPUT);
    assert_int_equal(about.st_size, 0);
}

static void labels_without_a_meaning_are_named(void **state) {
    (void)state;
    uint8_t solid[2 * 5 * 4 * 3];
    for (image_kind k = 0; k < KINDS; k++) {
        wabe_voxels v = make(k, 5, 4, 3);
        v.begin[1] = 1, v.at[2] = 10;
        v.mirror[0] = true;
        assert_good(wabe_voxels_open(&v));
        /* The last voxel of the image is made the only one of its label. */
        const uint8_t other = 42;
        if (k == HDF5) {
            uint8_t *labels = labels_of(v.size, false);
            const hid_t out = create_hdf5();
            labels[5 * 4 * 3 - 1] = other;
            add_dataset(out, "labels", H5T_NATIVE_UINT8, 3, (const hsize_t[3]){3, 4, 5}, labels,
                        false);
            H5Fclose(out);
            free(labels);
        } else {
            assert_int_equal(truncate(file, 5 * 4 * 3 - 1), 0);
            write_bytes(&other, 1);
        }
        const char *text = "label 42 of voxel (4, 3, 2) has no meaning; all labels have to be "
                           "listed as solid or as fluid";
        wabe_box box = wabe_voxels_box(&v);
        assert_refused(wabe_voxels_read(&v, box, solid), WABE_INPUT, text);
        box.begin[0] = 5, box.end[0] = 6; /* its mirror image alone */
        assert_refused(wabe_voxels_read(&v, box, solid), WABE_INPUT, text);
        box.end[2]--; /* without it */
        check_box(&v, box);
        v.meaning[other] = WABE_LABEL_FLUID;
        assert_good(wabe_voxels_read(&v, wabe_voxels_box(&v), solid));
        assert_int_equal(solid[10 * 3 * 3 - 5 - 1], 0);
    }
}

/* Whatever part is read, and however it is cut and mirrored. */
static void the_first_in_the_file_is_named(void **state) {
    (void)state;
    uint8_t solid[2 * 5 * 4 * 6];
    for (image_kind k = 0; k < KINDS; k++) {
        wabe_voxels v = make(k, 5, 4, 3);
        v.begin[0] = 1, v.at[1] = -2;
        v.mirror[2] = true;
        v.meaning[7] = v.meaning[255] = WABE_LABEL_UNKNOWN;
        assert_good(wabe_voxels_open(&v));
        const int slow = k == RAW_Z ? 0 : 2, fast = 2 - slow;
        int64_t at[3];
        char text[100] = "";
        for (at[slow] = v.begin[slow]; at[slow] < v.size[slow] && !*text; at[slow]++)
            for (at[1] = 0; at[1] < v.size[1] && !*text; at[1]++)
                for (at[fast] = v.begin[fast]; at[fast] < v.size[fast] && !*text; at[fast]++)
                    if (label_at(at) == 7 || label_at(at) == 255)
                        snprintf(text, sizeof text, "label %d of voxel (%d, %d, %d)", label_at(at),
                                 (int)at[0], (int)at[1], (int)at[2]);
        const wabe_box all = wabe_voxels_box(&v);
        int refused = 0;
        for (int d = 0; d < 3; d++)
            for (int64_t i = all.begin[d]; i < all.end[d]; i++) {
                wabe_box box = all;
                box.begin[d] = i, box.end[d] = i + 1;
                const wabe_status status = wabe_voxels_read(&v, box, solid);
                if (status != WABE_OK)
                    assert_refused(status, WABE_INPUT, text);
                refused += status != WABE_OK;
            }
        assert_true(refused > 5);
        assert_refused(wabe_voxels_read(&v, all, solid), WABE_INPUT, text);
    }
}

static void errors_while_reading_are_told(void **state) {
    (void)state;
    uint8_t solid[4 * 4 * 4];
    wabe_voxels v = make(RAW_X, 4, 4, 4);
    assert_good(wabe_voxels_open(&v));
    const wabe_box all = wabe_voxels_box(&v);
    assert_int_equal(truncate(file, 63), 0);
    assert_refused(wabe_voxels_read(&v, all, solid), WABE_FILE, "it has become shorter");
    v.file = "/proc/self/mem"; /* nothing lies at address 0 */
    assert_int_equal(wabe_voxels_read(&v, all, solid), WABE_FILE);
    assert_string_equal(wabe_error_message(), "/proc/self/mem: cannot be read: Input/output error");
    v.file = file;
    for (int d = 0; d < 3; d++) {
        wabe_box low = all, high = all, none = all;
        low.begin[d] = -1;
        high.end[d] = 5;
        none.end[d] = 0;
        assert_refused(wabe_voxels_read(&v, low, solid), WABE_INTERNAL, "are not of the image");
        assert_refused(wabe_voxels_read(&v, high, solid), WABE_INTERNAL, "are not of the image");
        assert_good(wabe_voxels_read(&v, none, NULL));
    }
}

/* A chunk of the image's upper end cannot be unpacked: its first bytes are overwritten. */
static void damaged_chunks_are_told(void **state) {
    (void)state;
    wabe_voxels v = make(HDF5, 9, 8, 9);
    assert_good(wabe_voxels_open(&v));
    const hid_t in = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t data = H5Dopen2(in, "labels", H5P_DEFAULT);
    haddr_t address = 0;
    hsize_t bytes = 0;
    assert_true(
        H5Dget_chunk_info_by_coord(data, (const hsize_t[3]){6, 3, 3}, NULL, &address, &bytes) >= 0);
    H5Dclose(data);
    H5Fclose(in);
    const int out = open(file, O_WRONLY);
    assert_int_equal(pwrite(out, "\0\0\0\0", 4, (off_t)address), 4);
    close(out);
    uint8_t solid[9 * 8 * 9];
    wabe_box box = wabe_voxels_box(&v);
    assert_refused(wabe_voxels_read(&v, box, solid), WABE_FILE, "cannot be read: inflate");
    box.end[2] = 6;
    check_box(&v, box);
}

int main(void) {
#define TEST(name) cmocka_unit_test_teardown(name, clean_up)
    const struct CMUnitTest tests[] = {
        TEST(whole_images_are_read),
        TEST(headers_are_passed_over),
        TEST(parts_are_put_where_they_belong),
        TEST(axes_are_mirrored),
        TEST(pieces_give_the_whole),
        TEST(rows_of_all_lengths_are_read),
        TEST(bytes_of_all_types_are_labels),
        TEST(missing_files_are_refused),
        TEST(raw_files_of_another_size_are_refused),
        TEST(parts_outside_the_image_are_refused),
        TEST(strange_datasets_are_refused),
        TEST(damaged_files_are_refused),
        TEST(hdf5_is_silent),
        TEST(labels_without_a_meaning_are_named),
        TEST(the_first_in_the_file_is_named),
        TEST(errors_while_reading_are_told),
        TEST(damaged_chunks_are_told),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
