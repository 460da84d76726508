/* An image is read in parts: the file has the cells of a part in the wanted order, or in reverse
 * order along some axes. A box that extends across an axis's mirror plane has a part on each side.
 *
 * Raw files are read in blocks of rows; a row is contiguous along the fastest index. If the gaps
 * between the rows of a part are small, one read takes a block with its gaps: the kernel reads
 * whole pages anyway, and copying the rest of a page costs no more than another call. If they are
 * larger, each row is a read. This also works if z is the fastest index, where the rows of a thin
 * box are short and a read includes whole columns; but few thick boxes are then much faster than
 * single planes, as for the chunks of compressed HDF5 datasets. */
#include "core/geometry/voxels.h"

#include "core/io/dataset.h"
#include "core/io/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BLOCK_BYTES = 64 << 10, /* on the stack, and within the level 2 cache */
    GAP_MAX = 4096,         /* the largest gap between rows, in bytes, that is read rather than
                               skipped */
    SEARCHED = 16 << 20,    /* voxels of an HDF5 dataset per read, or one plane, when searching for
                               a label */
    UNKNOWN = 2             /* besides 0 and 1: a label without a meaning */
};

/* Mirroring along all axes gives eight times as many cells, which must not overflow. */
static const int64_t voxels_max = INT64_MAX / 8;
static const int64_t place_max = INT64_MAX / 2;

/* Axes, the one with the fastest index first. */
static const int x_fastest[3] = {0, 1, 2}, z_fastest[3] = {2, 1, 0};

static wabe_status cannot_read(const wabe_voxels *voxels, const char *reason) {
    return WABE_FAIL(WABE_FILE, "%s: cannot be read: %s", voxels->file, reason);
}

/* ---- HDF5 files --------------------------------------------------------------------- */

static wabe_status open_image(const wabe_voxels *voxels, wabe_dataset **out) {
    return wabe_dataset_open(voxels->file, voxels->dataset ? voxels->dataset : "", out);
}

static wabe_status check_labels(const wabe_voxels *voxels, const wabe_dataset *image) {
    static const char *const words[] = {"integers", "floating-point numbers",
                                        "values of another kind"};
    int bits;
    const wabe_numbers numbers = wabe_dataset_numbers(image, &bits);
    WABE_CHECK(numbers == WABE_NUMBERS_INTEGER && bits == 8, WABE_INPUT,
               "%s: dataset \"%s\" has %d-bit %s; labels have to be 8-bit integers", voxels->file,
               voxels->dataset, bits, words[numbers]);
    return WABE_OK;
}

static wabe_status check_hdf5(wabe_voxels *voxels) {
    wabe_dataset *image = NULL;
    WABE_CHECK(wabe_dataset_is_hdf5(voxels->file), WABE_INPUT,
               "%s is no HDF5 file; if it holds bare labels its format is raw", voxels->file);
    WABE_TRY(open_image(voxels, &image));
    const wabe_status status = check_labels(voxels, image);
    memcpy(voxels->size, wabe_dataset_size(image), sizeof voxels->size);
    wabe_dataset_close(&image);
    return status;
}

/* ---- checks ------------------------------------------------------------------------- */

static wabe_status check_size(const wabe_voxels *voxels) {
    const int64_t *size = voxels->size;
    int64_t count = 1;
    for (int d = 0; d < 3; d++) {
        WABE_CHECK(size[d] > 0, WABE_INPUT,
                   "%s: the image has %lld voxels along %c; it has to have one at least",
                   voxels->file, (long long)size[d], 'x' + d);
        WABE_CHECK(size[d] <= voxels_max / count, WABE_INPUT,
                   "%s: an image of %lld x %lld x %lld voxels is too large", voxels->file,
                   (long long)size[0], (long long)size[1], (long long)size[2]);
        count *= size[d];
    }
    return WABE_OK;
}

static int64_t count_voxels(const wabe_voxels *voxels) {
    return voxels->size[0] * voxels->size[1] * voxels->size[2];
}

enum { HEADER_LIKELY = 4096 }; /* the largest size of a header to suggest, in bytes */

/* Suggests what may be wrong in the description, given the size of the file. */
static void guess_description(const wabe_voxels *voxels, int64_t bytes, char text[], size_t size) {
    const int64_t count = count_voxels(voxels), rest = bytes - voxels->header;
    text[0] = '\0';
    const int64_t each = rest > 0 && rest % count == 0 ? rest / count : 0;
    if (each == 2 || each == 4 || each == 8)
        snprintf(text, size, "; it seems to have %lld bytes per voxel, but labels have to have one",
                 (long long)each);
    else if (strlen(voxels->file) > 4 &&
             strcmp(voxels->file + strlen(voxels->file) - 4, ".png") == 0)
        snprintf(text, size, "; a PNG is no raw file: geometry.heights reads it, for a plane");
    else if (bytes >= count && bytes - count <= HEADER_LIKELY)
        snprintf(text, size, "; voxels of this size would fit with a header of %lld",
                 (long long)(bytes - count));
}

static wabe_status check_raw(const wabe_voxels *voxels, int64_t bytes) {
    WABE_CHECK(voxels->header >= 0, WABE_INPUT, "%s: a header of %lld bytes; it cannot be negative",
               voxels->file, (long long)voxels->header);
    const int64_t count = count_voxels(voxels);
    WABE_CHECK(voxels->header <= INT64_MAX - count, WABE_INPUT,
               "%s: a header of %lld bytes is too large", voxels->file, (long long)voxels->header);
    const int64_t expected = voxels->header + count;
    char guess[128];
    guess_description(voxels, bytes, guess, sizeof guess);
    WABE_CHECK(
        bytes == expected, WABE_INPUT,
        "%s has %lld bytes, %s than the %lld that are expected (a header of %lld and %lld x %lld x "
        "%lld voxels of one byte)%s",
        voxels->file, (long long)bytes, bytes < expected ? "fewer" : "more", (long long)expected,
        (long long)voxels->header, (long long)voxels->size[0], (long long)voxels->size[1],
        (long long)voxels->size[2], guess);
    return WABE_OK;
}

static wabe_status check_part(wabe_voxels *voxels, int d) {
    const int64_t size = voxels->size[d], begin = voxels->begin[d], cells = voxels->cells[d];
    WABE_CHECK(begin >= 0 && begin < size, WABE_INPUT,
               "%s: the part that is used begins at voxel %lld along %c; the image has the voxels "
               "0 to %lld",
               voxels->file, (long long)begin, 'x' + d, (long long)(size - 1));
    WABE_CHECK(cells >= 0 && cells <= size - begin, WABE_INPUT,
               "%s: %lld voxels are to be used along %c, from voxel %lld on; there are 1 to %lld",
               voxels->file, (long long)cells, 'x' + d, (long long)begin,
               (long long)(size - begin));
    WABE_CHECK(voxels->at[d] >= -place_max && voxels->at[d] <= place_max, WABE_INPUT,
               "%s: the place of the image along %c, %lld, is too far away", voxels->file, 'x' + d,
               (long long)voxels->at[d]);
    if (cells == 0)
        voxels->cells[d] = size - begin;
    return WABE_OK;
}

wabe_status wabe_voxels_open(wabe_voxels *voxels) {
    int64_t bytes = 0;
    WABE_TRY(wabe_disk_check(voxels->file, &bytes));
    WABE_CHECK(bytes > 0, WABE_INPUT, "%s is empty", voxels->file);
    if (voxels->format == WABE_VOXELS_HDF5)
        WABE_TRY(check_hdf5(voxels));
    WABE_TRY(check_size(voxels));
    if (voxels->format == WABE_VOXELS_RAW)
        WABE_TRY(check_raw(voxels, bytes));
    for (int d = 0; d < 3; d++)
        WABE_TRY(check_part(voxels, d));
    return WABE_OK;
}

wabe_box wabe_voxels_box(const wabe_voxels *voxels) {
    wabe_box box;
    for (int d = 0; d < 3; d++) {
        box.begin[d] = voxels->at[d];
        box.end[d] = voxels->at[d] + (voxels->mirror[d] ? 2 : 1) * voxels->cells[d];
    }
    return box;
}

/* ---- parts -------------------------------------------------------------------------- */

/* Voxels and the cells that they become, along each axis in the same or in reverse order. */
typedef struct {
    const wabe_voxels *voxels;
    const uint8_t *table; /* of each label: 0, 1, UNKNOWN */
    wabe_box box;         /* voxels of the image */
    uint8_t *cells;       /* of the requested box */
    int64_t first;        /* index of the first voxel's cell */
    int64_t step[3];      /* of the cell index from one voxel to the next */
} part;

/* Finds the part of a box on one side of the image's mirror planes; bit d of sides: the mirrored
 * half along axis d. Returns false if it is empty. */
static bool take_side(const wabe_voxels *voxels, wabe_box box, unsigned sides, part *p) {
    int64_t stride = 1;
    p->first = 0;
    for (int d = 0; d < 3; d++) {
        const bool mirrored = sides >> d & 1;
        const int64_t cells = voxels->cells[d], offset = voxels->at[d] - box.begin[d];
        int64_t begin = box.begin[d] - voxels->at[d], end = box.end[d] - voxels->at[d];
        begin = mirrored && begin < cells ? cells : begin;
        end = !mirrored && end > cells ? cells : end;
        if (begin >= end)
            return false;
        /* Cell i of the mirrored half is voxel 2 * cells - 1 - i, so the last cell comes first. */
        const int64_t low = mirrored ? 2 * cells - end : begin;
        p->box.begin[d] = voxels->begin[d] + low;
        p->box.end[d] = p->box.begin[d] + end - begin;
        p->first += stride * (offset + (mirrored ? end - 1 : begin));
        p->step[d] = mirrored ? -stride : stride;
        stride *= wabe_box_extent(box, d);
    }
    return true;
}

static wabe_status unknown_label(const part *p, const int64_t voxel[3], int axis,
                                 const uint8_t *labels) {
    int64_t i = 0;
    while (p->table[labels[i]] != UNKNOWN)
        i++;
    int64_t at[3] = {voxel[0], voxel[1], voxel[2]};
    at[axis] += i;
    return WABE_FAIL(WABE_INPUT,
                     "%s: label %d of voxel (%lld, %lld, %lld) has no meaning; all labels have to "
                     "be listed as solid or as fluid",
                     p->voxels->file, labels[i], (long long)at[0], (long long)at[1],
                     (long long)at[2]);
}

/* Translates the labels of successive voxels along an axis. Labels without a meaning are only
 * detected at the end of the loop, to keep it fast. WABE_INPUT: there is one. */
static wabe_status put_row(const part *p, const int64_t voxel[3], int axis, int64_t count,
                           const uint8_t *labels) {
    const uint8_t *restrict table = p->table;
    const int64_t step = p->step[axis];
    int64_t place = p->first;
    uint8_t seen = 0;
    for (int d = 0; d < 3; d++)
        place += p->step[d] * (voxel[d] - p->box.begin[d]);
    uint8_t *restrict cells = p->cells + place;
    for (int64_t i = 0; i < count; i++)
        seen |= cells[i * step] = table[labels[i]];
    return seen & UNKNOWN ? unknown_label(p, voxel, axis, labels) : WABE_OK;
}

static wabe_status put_rows(const part *p, const int64_t voxel[3], const int axes[3],
                            const int64_t count[2], const uint8_t *labels, int64_t pitch) {
    int64_t at[3] = {voxel[0], voxel[1], voxel[2]};
    for (int64_t row = 0; row < count[1]; row++, at[axes[1]]++)
        WABE_TRY(put_row(p, at, axes[0], count[0], labels + row * pitch));
    return WABE_OK;
}

/* ---- reading ------------------------------------------------------------------------ */

static wabe_status read_bytes(const wabe_voxels *voxels, int file, int64_t offset, int64_t count,
                              uint8_t *bytes) {
    while (count > 0) {
        const ssize_t got = pread(file, bytes, (size_t)count, offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return cannot_read(voxels, got < 0 ? strerror(errno) : "it has become shorter");
        bytes += got, offset += got, count -= got;
    }
    return WABE_OK;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Reads a block of rows at a time, or a piece of a long row. */
static wabe_status read_raw(const part *p, int file) {
    const wabe_voxels *voxels = p->voxels;
    const int *axes = voxels->order == WABE_VOXELS_Z_FASTEST ? z_fastest : x_fastest;
    const int a = axes[0], b = axes[1], c = axes[2];
    const int64_t pitch = voxels->size[a], length = least(wabe_box_extent(p->box, a), BLOCK_BYTES);
    const int64_t rows = pitch - length > GAP_MAX ? 1 : 1 + (BLOCK_BYTES - length) / pitch;
    const int64_t *begin = p->box.begin, *end = p->box.end;
    uint8_t labels[BLOCK_BYTES];
    int64_t at[3];
    for (at[c] = begin[c]; at[c] < end[c]; at[c]++)
        for (at[b] = begin[b]; at[b] < end[b]; at[b] += rows)
            for (at[a] = begin[a]; at[a] < end[a]; at[a] += length) {
                const int64_t count[2] = {least(length, end[a] - at[a]),
                                          least(rows, end[b] - at[b])};
                const int64_t voxel = at[a] + pitch * (at[b] + voxels->size[b] * at[c]);
                WABE_TRY(read_bytes(voxels, file, voxels->header + voxel,
                                    count[0] + (count[1] - 1) * pitch, labels));
                WABE_TRY(put_rows(p, at, axes, count, labels, pitch));
            }
    return WABE_OK;
}

/* Reads a part in one go, since a compressed chunk is decompressed for every read that touches it.
 * Raw, since a conversion would truncate negative labels. */
static wabe_status read_hdf5(const part *p, const wabe_dataset *image) {
    const int64_t nx = wabe_box_extent(p->box, 0), ny = wabe_box_extent(p->box, 1);
    const int64_t rows[2] = {nx, ny};
    uint8_t *labels = malloc((size_t)wabe_box_cells(p->box));
    WABE_CHECK(labels, WABE_MEMORY, "%s: no memory for %lld voxels", p->voxels->file,
               (long long)wabe_box_cells(p->box));
    wabe_status status = wabe_dataset_read_raw(image, p->box, labels);
    int64_t at[3] = {p->box.begin[0], p->box.begin[1], p->box.begin[2]};
    for (int64_t z = 0; at[2] < p->box.end[2] && status == WABE_OK; at[2]++, z++)
        status = put_rows(p, at, x_fastest, rows, labels + z * nx * ny, nx);
    free(labels);
    return status;
}

/* Records the first voxel in file order, of all that are used, whose label has no meaning
 * (WABE_INPUT). Searching for it makes the message the same for any part read and any number of
 * processes. */
static wabe_status find_unknown(const wabe_voxels *voxels, const uint8_t *table, int file,
                                const wabe_dataset *image) {
    uint8_t nothing;
    part p = {.voxels = voxels, .table = table, .cells = &nothing}; /* all steps are 0: every cell
                                                                       is written there */
    wabe_box used;
    for (int d = 0; d < 3; d++) {
        used.begin[d] = voxels->begin[d];
        used.end[d] = voxels->begin[d] + voxels->cells[d];
    }
    p.box = used;
    if (!image)
        return read_raw(&p, file);
    const int64_t plane = wabe_box_plane_cells(used),
                  planes = plane < SEARCHED ? SEARCHED / plane : 1;
    for (; p.box.begin[2] < used.end[2]; p.box.begin[2] = p.box.end[2]) {
        p.box.end[2] = least(p.box.begin[2] + planes, used.end[2]);
        WABE_TRY(read_hdf5(&p, image));
    }
    return WABE_OK;
}

static wabe_status read_sides(const wabe_voxels *voxels, wabe_box box, const uint8_t *table,
                              int file, const wabe_dataset *image, uint8_t *solid) {
    part p = {.voxels = voxels, .table = table, .cells = solid};
    for (unsigned sides = 0; sides < 8; sides++)
        if (take_side(voxels, box, sides, &p))
            WABE_TRY(image ? read_hdf5(&p, image) : read_raw(&p, file));
    return WABE_OK;
}

static wabe_status read_parts(const wabe_voxels *voxels, wabe_box box, int file,
                              const wabe_dataset *image, uint8_t *solid) {
    uint8_t table[256];
    for (int label = 0; label < 256; label++)
        table[label] = voxels->meaning[label] == WABE_LABEL_SOLID   ? 1
                       : voxels->meaning[label] == WABE_LABEL_FLUID ? 0
                                                                    : UNKNOWN;
    const wabe_status status = read_sides(voxels, box, table, file, image, solid);
    const wabe_status found = status == WABE_INPUT ? find_unknown(voxels, table, file, image)
                                                   : WABE_OK;
    return found != WABE_OK ? found : status;
}

wabe_status wabe_voxels_read(const wabe_voxels *voxels, wabe_box box, uint8_t *solid) {
    if (wabe_box_is_empty(box))
        return WABE_OK;
    const wabe_box all = wabe_voxels_box(voxels);
    for (int d = 0; d < 3; d++)
        WABE_CHECK(box.begin[d] >= all.begin[d] && box.end[d] <= all.end[d], WABE_INTERNAL,
                   "%s: cells %lld to %lld along %c are not of the image", voxels->file,
                   (long long)box.begin[d], (long long)box.end[d] - 1, 'x' + d);
    if (voxels->format == WABE_VOXELS_HDF5) {
        wabe_dataset *image = NULL;
        WABE_TRY(open_image(voxels, &image));
        const wabe_status status = read_parts(voxels, box, -1, image, solid);
        wabe_dataset_close(&image);
        return status;
    }
    const int file = open(voxels->file, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return cannot_read(voxels, strerror(errno));
    const wabe_status status = read_parts(voxels, box, file, NULL, solid);
    close(file);
    return status;
}

static wabe_status read_raster(const void *source, wabe_box box, uint8_t *solid) {
    return wabe_voxels_read(source, box, solid);
}

wabe_raster wabe_voxels_raster(const wabe_voxels *voxels, int condition) {
    return (wabe_raster){.box = wabe_voxels_box(voxels),
                         .read = read_raster,
                         .source = voxels,
                         .condition = condition};
}
