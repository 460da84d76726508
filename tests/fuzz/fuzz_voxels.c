/* Any description of an image, with any file, must be refused or read, and of raw files every cell
 * must be what its byte means. The bytes: the description, and the file: raw labels, or what is
 * written through HDF5 here, of the shape and type that they ask for. */
#include "core/geometry/voxels.h"
#include "tests/fuzz/target.h"

#include <hdf5.h>

enum { EDGE = 12, CHUNK = 8 };

static wabe_voxels describe(fuzz_bytes *bytes) {
    wabe_voxels v = {.dataset = "labels"};
    const int flags = fuzz_byte(bytes), fluid = fuzz_byte(bytes), known = fuzz_byte(bytes);
    v.order = flags & 1 ? WABE_VOXELS_Z_FASTEST : WABE_VOXELS_X_FASTEST;
    v.format = flags & 16 ? WABE_VOXELS_HDF5 : WABE_VOXELS_RAW;
    for (int d = 0; d < 3; d++) {
        v.mirror[d] = flags >> (1 + d) & 1;
        v.size[d] = fuzz_integer(bytes);
        v.begin[d] = fuzz_integer(bytes);
        v.cells[d] = fuzz_integer(bytes);
        v.at[d] = fuzz_integer(bytes);
    }
    v.header = fuzz_integer(bytes);
    for (int label = 0; label < 256; label++)
        v.meaning[label] = label > known   ? WABE_LABEL_UNKNOWN
                           : label < fluid ? WABE_LABEL_FLUID
                                           : WABE_LABEL_SOLID;
    return v;
}

/* ---- a file that HDF5 writes --------------------------------------------------------- */

static hid_t type_of(int byte) {
    const hid_t types[] = {H5T_STD_U8LE,   H5T_STD_I8BE,  H5T_STD_U16LE,
                           H5T_IEEE_F32LE, H5T_STD_I64LE, H5T_STD_REF_OBJ};
    const size_t count = sizeof types / sizeof types[0];
    return (size_t)byte % (count + 1) < count ? H5Tcopy(types[(size_t)byte % (count + 1)])
                                              : H5Tenum_create(H5T_STD_I8LE);
}

static void write_labels(hid_t data, hid_t type, const fuzz_bytes *bytes) {
    static uint8_t labels[1 << 16];
    const hid_t space = H5Dget_space(data);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const size_t given = (size_t)(bytes->end - bytes->at);
    H5Sclose(space);
    if (count <= 0 || (size_t)count > sizeof labels / H5Tget_size(type))
        return; /* nothing is written: all zero */
    memset(labels, 0, sizeof labels);
    memcpy(labels, bytes->at, given < sizeof labels ? given : sizeof labels);
    H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, labels);
}

/* flags: 1: in chunks, 2: compressed */
static void build(const char *path, fuzz_bytes *bytes) {
    hsize_t shape[4], chunk[4];
    const hid_t type = type_of(fuzz_byte(bytes)), layout = H5Pcreate(H5P_DATASET_CREATE);
    const int rank = fuzz_byte(bytes) % 5, flags = fuzz_byte(bytes);
    for (int d = 0; d < rank; d++) {
        shape[d] = (hsize_t)fuzz_integer(bytes);
        chunk[d] = shape[d] < CHUNK ? shape[d] : CHUNK;
    }
    if (flags & 1)
        H5Pset_chunk(layout, rank, chunk);
    if (flags & 2)
        H5Pset_deflate(layout, 1);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(rank, shape, NULL);
    const hid_t data = H5Dcreate2(file, "labels", type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    if (data >= 0) {
        write_labels(data, type, bytes);
        H5Dclose(data);
    }
    if (space >= 0)
        H5Sclose(space);
    H5Fclose(file);
    H5Pclose(layout);
    H5Tclose(type);
}

/* ---- what is read ----------------------------------------------------------------------- */

/* The label that a cell should come from. */
static uint8_t label_at(const wabe_voxels *v, const int64_t cell[3], const uint8_t *file) {
    int64_t voxel[3];
    for (int d = 0; d < 3; d++) {
        const int64_t i = cell[d] - v->at[d];
        voxel[d] = v->begin[d] + (i < v->cells[d] ? i : 2 * v->cells[d] - 1 - i);
    }
    return file[v->header + (v->order == WABE_VOXELS_X_FASTEST
                                 ? voxel[0] + v->size[0] * (voxel[1] + v->size[1] * voxel[2])
                                 : voxel[2] + v->size[2] * (voxel[1] + v->size[1] * voxel[0]))];
}

static void check_cells(const wabe_voxels *v, wabe_box box, const uint8_t *solid,
                        const uint8_t *file) {
    int64_t at[3];
    for (at[2] = box.begin[2]; at[2] < box.end[2]; at[2]++)
        for (at[1] = box.begin[1]; at[1] < box.end[1]; at[1]++)
            for (at[0] = box.begin[0]; at[0] < box.end[0]; at[0]++, solid++)
                if (*solid > 1 || (v->format == WABE_VOXELS_RAW &&
                                   v->meaning[label_at(v, at, file)] !=
                                       (*solid ? WABE_LABEL_SOLID : WABE_LABEL_FLUID)))
                    abort();
}

/* Some box of the image's cells: from so far behind the first of them on. */
static wabe_box box_of(const wabe_voxels *v, const int from[3]) {
    const wabe_box all = wabe_voxels_box(v);
    wabe_box box;
    for (int d = 0; d < 3; d++) {
        box.begin[d] = all.begin[d] + from[d];
        box.end[d] = box.begin[d] + EDGE - d;
    }
    return wabe_box_intersect(box, all);
}

/* NOLINTNEXTLINE(readability-identifier-naming) */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static uint8_t solid[EDGE * EDGE * EDGE];
    fuzz_bytes bytes = {data, data + size};
    fuzz_begin();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const int from[3] = {fuzz_byte(&bytes), fuzz_byte(&bytes), fuzz_byte(&bytes)};
    wabe_voxels voxels = describe(&bytes);
    voxels.file = fuzz_file(bytes.at, (size_t)(bytes.end - bytes.at));
    if (voxels.format == WABE_VOXELS_HDF5)
        build(voxels.file, &bytes);
    fuzz_forget_message();
    if (fuzz_good(wabe_voxels_open(&voxels), WABE_INPUT, WABE_FILE)) {
        const wabe_box box = box_of(&voxels, from);
        fuzz_forget_message();
        if (fuzz_good(wabe_voxels_read(&voxels, box, solid), WABE_INPUT, WABE_FILE))
            check_cells(&voxels, box, solid, bytes.at);
    }
    if (H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) != 0)
        abort();
    return 0;
}
