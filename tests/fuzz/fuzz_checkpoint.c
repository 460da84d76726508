/* Any checkpoint that HDF5 finds nothing wrong with must be opened, verified and read, or refused.
 * The bytes are changes to what stands in a good one, three of them or eleven each; it is then
 * written through HDF5, with the head's checksum made to fit, so that what is behind both is
 * reached. */
#include "core/base/hash.h"
#include "core/io/checkpoint.h"
#include "tests/fuzz/target.h"

#include <hdf5.h>

/* ---- what stands in a checkpoint ------------------------------------------------------- */

typedef enum { ATTRIBUTE, DATASET } item_kind;
typedef enum { I64, I8, U64, U16, F64, F32, F16, TEXT, VARIABLE_TEXT, ARRAY, TYPES } item_type;
typedef enum { CONTIGUOUS, CHUNKED, COMPRESSED, COMPACT, EXTERNAL, LAYOUTS } item_layout;
enum { RANK_MAX = 3, BYTES_MAX = 1 << 12 };

typedef struct {
    const char *name;
    item_kind kind;
    item_type type;
    int rank;
    int64_t shape[RANK_MAX];
    int64_t length; /* of a text, or an array */
    union {
        int64_t integers[3];
        double real;
        char text[24];
    } value; /* of the first elements; zeros follow */
    item_layout layout;
    bool missing;
} item;

/* In the order of their places below. */
enum {
    FORMAT,
    STEP,
    CELLS,
    ARRAY_COUNT,
    TYPE,
    NUMBERS,
    CHECKSUM,
    APPLICATION,
    CONFIGURATION,
    NUMBER_NAME,
    NUMBER,
    CHECKSUMS,
    STATE_0,
    STATE_1,
    STATE_2,
    REAL_COUNT,
    ITEMS
};

#define WORD(key, word)                                                                            \
    {                                                                                              \
        .name = key, .kind = DATASET, .type = TEXT, .length = sizeof word, .value = {              \
            .text = word                                                                           \
        }                                                                                          \
    }
#define INTEGER(key, integer)                                                                      \
    {                                                                                              \
        .name = key, .value = {.integers = {integer} }                                             \
    }
#define STATE(key)                                                                                 \
    {                                                                                              \
        .name = key, .kind = DATASET, .type = F64, .rank = 3, .shape = { 2, 2, 3 }                 \
    }

static const item good_items[ITEMS] = {
    INTEGER("/wabe/format", WABE_CHECKPOINT_FORMAT),
    INTEGER("/wabe/step", 7),
    {.name = "/wabe/cells", .rank = 1, .shape = {3}, .value = {.integers = {3, 2, 2}}},
    INTEGER("/wabe/arrays", 2),
    INTEGER("/wabe/type", WABE_TYPE_f64),
    INTEGER("/wabe/numbers", 1),
    INTEGER("/wabe/checksum", 0),
    WORD("/wabe/application", "lbm"),
    WORD("/wabe/configuration", "steps = 9;\n"),
    WORD("/wabe/number_00", "tau"),
    {.name = "/wabe/number_00", .type = F64, .value = {.real = 0.8}},
    {.name = "/wabe/checksums", .kind = DATASET, .type = U64, .rank = 2, .shape = {3, 2}},
    STATE("/state/00"),
    STATE("/state/01"),
    STATE("/state/02"),
    INTEGER("/wabe/reals", 1),
};

/* One change. HDF5 computes sizes as products and looks for no overflow. */
static void change(item items[ITEMS], fuzz_bytes *bytes) {
    item *it = &items[fuzz_byte(bytes) % ITEMS];
    const int what = fuzz_byte(bytes) % 12;
    const int64_t value = fuzz_integer(bytes);
    if (what < RANK_MAX)
        it->shape[what] = value & ((1 << 20) - 1);
    else if (what < 2 * RANK_MAX)
        it->value.integers[what - RANK_MAX] = value;
    else if (what == 6)
        it->type = (item_type)((uint64_t)value % TYPES);
    else if (what == 7)
        it->rank = (int)((uint64_t)value % (RANK_MAX + 1));
    else if (what == 8)
        it->length = value & ((1 << 27) - 1);
    else if (what == 9)
        it->layout = (item_layout)((uint64_t)value % LAYOUTS);
    else if (what == 10)
        it->missing = value & 1;
    else
        it->value.real = (double)value * 0.25;
}

/* As core/io/checkpoint.c computes it; if it were another one, the good checkpoint would be
 * refused.
 */
static uint64_t add_text(uint64_t hash, const item *it) {
    const char *text = it->value.text;
    for (size_t i = 0; i < sizeof it->value.text && text[i] && (int64_t)i < it->length; i++)
        hash = wabe_hash_mix(hash + (unsigned char)text[i]);
    return wabe_hash_mix(hash + 256);
}

static uint64_t add_integer(uint64_t hash, const item *it) {
    return wabe_hash_mix(hash + (uint64_t)it->value.integers[0]);
}

static int64_t hash_of(const item items[ITEMS]) {
    static const int in_order[] = {STEP, ARRAY_COUNT, TYPE, NUMBERS, REAL_COUNT};
    uint64_t hash = add_text(add_text(1, &items[APPLICATION]), &items[CONFIGURATION]);
    for (int i = 0; i < 5; i++)
        hash = add_integer(hash, &items[in_order[i]]);
    for (int d = 0; d < 3; d++)
        hash = wabe_hash_mix(hash + (uint64_t)items[CELLS].value.integers[d]);
    if (items[NUMBERS].value.integers[0] > 0)
        hash = add_integer(add_text(hash, &items[NUMBER_NAME]), &items[NUMBER]);
    return (int64_t)hash;
}

/* ---- as a file -------------------------------------------------------------------------- */

static hid_t type_of(const item *it) {
    const hid_t types[TYPES] = {
        [I64] = H5T_STD_I64LE,     [I8] = H5T_STD_I8LE,    [U64] = H5T_STD_U64LE,
        [U16] = H5T_STD_U16LE,     [F64] = H5T_IEEE_F64LE, [F32] = H5T_IEEE_F32LE,
        [F16] = H5T_STD_U16BE,     [TEXT] = H5T_C_S1,      [ARRAY] = H5T_STD_I8LE,
        [VARIABLE_TEXT] = H5T_C_S1};
    const hsize_t length = (hsize_t)it->length;
    if (it->type == ARRAY)
        return H5Tarray_create2(H5T_STD_I64LE, 1, &length);
    const hid_t type = H5Tcopy(types[it->type]);
    if (it->type == TEXT)
        H5Tset_size(type, it->length > 0 ? (size_t)it->length : 1);
    else if (it->type == VARIABLE_TEXT)
        H5Tset_size(type, H5T_VARIABLE);
    return type;
}

static hid_t layout_of(const item *it) {
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[RANK_MAX];
    for (int d = 0; d < RANK_MAX; d++)
        chunk[d] = it->shape[d] < 4 ? (hsize_t)it->shape[d] : 4;
    if (it->layout == CHUNKED || it->layout == COMPRESSED)
        H5Pset_chunk(layout, it->rank, chunk);
    if (it->layout == COMPRESSED)
        H5Pset_deflate(layout, 1);
    if (it->layout == COMPACT)
        H5Pset_layout(layout, H5D_COMPACT);
    if (it->layout == EXTERNAL)
        H5Pset_external(layout, "/dev/zero", 0, H5F_UNLIMITED);
    return layout;
}

static bool is_small(hid_t type, hid_t space) {
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const size_t size = H5Tget_size(type);
    return count >= 0 && size <= BYTES_MAX && (size_t)count <= BYTES_MAX / size;
}

/* Texts of any length are elsewhere in a file, and what is outside of it is not ours to write. */
static void put_dataset(hid_t file, const item *it, hid_t type, hid_t space, hid_t layout) {
    const hid_t data = H5Dcreate2(file, it->name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    uint8_t values[BYTES_MAX] = {0};
    memcpy(values, &it->value, sizeof it->value);
    if (data < 0)
        return;
    if (it->type != VARIABLE_TEXT && it->layout != EXTERNAL && is_small(type, space))
        H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(data);
}

static void put_attribute(hid_t file, const item *it, hid_t type, hid_t space) {
    if (!is_small(type, space))
        return;
    const hid_t attribute = H5Acreate_by_name(file, "/wabe", strrchr(it->name, '/') + 1, type,
                                              space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    uint8_t values[BYTES_MAX] = {0};
    memcpy(values, &it->value, sizeof it->value);
    if (attribute < 0)
        return;
    if (it->type != VARIABLE_TEXT)
        H5Awrite(attribute, type, values);
    H5Aclose(attribute);
}

static void put_item(hid_t file, const item *it) {
    hsize_t shape[RANK_MAX];
    for (int d = 0; d < RANK_MAX; d++)
        shape[d] = (hsize_t)it->shape[d];
    const hid_t type = type_of(it), layout = layout_of(it);
    const hid_t space = H5Screate_simple(it->rank, shape, NULL);
    const bool there = type >= 0 && space >= 0 && !it->missing;
    if (there && it->kind == DATASET)
        put_dataset(file, it, type, space, layout);
    else if (there)
        put_attribute(file, it, type, space);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    H5Pclose(layout);
}

static void build(const char *path, fuzz_bytes bytes) {
    item items[ITEMS];
    memcpy(items, good_items, sizeof items);
    while (bytes.at < bytes.end)
        change(items, &bytes);
    if (items[CHECKSUM].value.integers[0] == 0)
        items[CHECKSUM].value.integers[0] = hash_of(items);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "wabe", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(file, "state", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    for (int i = 0; i < ITEMS; i++)
        put_item(file, &items[i]);
    H5Fclose(file);
}

/* ---- what is tried -------------------------------------------------------------------------- */

static bool open_file(const char *path, wabe_checkpoint **out) {
    fuzz_forget_message();
    return fuzz_good(wabe_checkpoint_open(MPI_COMM_SELF, path, out), WABE_INPUT, WABE_FILE);
}

/* As restarts do: boxes of arrays that the head tells of, of a domain of its size. */
static void read_all(wabe_checkpoint *checkpoint) {
    static double values[8 * 8 * 8];
    const wabe_checkpoint_head *head = wabe_checkpoint_head_of(checkpoint);
    wabe_box box;
    for (int d = 0; d < 3; d++) {
        box.end[d] = head->cells[d];
        box.begin[d] = head->cells[d] > 8 ? head->cells[d] - 8 : 0;
    }
    fuzz_forget_message();
    fuzz_good(wabe_checkpoint_verify(MPI_COMM_SELF, checkpoint), WABE_INPUT, WABE_FILE);
    for (int array = head->array_count + head->real_count - 1; array >= 0; array--) {
        fuzz_forget_message();
        fuzz_good(wabe_checkpoint_read(checkpoint, array, box, values), WABE_INPUT, WABE_FILE);
    }
    wabe_checkpoint_number_of(checkpoint, "tau", 1.0);
}

/* NOLINTNEXTLINE(readability-identifier-naming) */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wabe_checkpoint *checkpoint;
    fuzz_begin();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const char *path = fuzz_file(NULL, 0);
    build(path, (fuzz_bytes){data, data + size});
    if (open_file(path, &checkpoint)) {
        read_all(checkpoint);
    } else if (size == 0) { /* nothing has been changed */
        fprintf(stderr, "%s\n", wabe_error_message());
        abort();
    }
    wabe_checkpoint_close(&checkpoint);
    if (H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) != 0)
        abort();
    return 0;
}
