/* Solid and fluid cells from an image: a file of 8-bit labels, one per voxel, such as a segmented
 * tomogram. */
#pragma once

#include "core/base/box.h"
#include "core/base/status.h"
#include "core/geometry/geometry.h"

#include <stdint.h>

typedef enum { WABE_VOXELS_RAW, WABE_VOXELS_HDF5 } wabe_voxel_format;
/* The fastest index of a raw file. */
typedef enum { WABE_VOXELS_X_FASTEST, WABE_VOXELS_Z_FASTEST } wabe_voxel_order;
typedef enum { WABE_LABEL_UNKNOWN, WABE_LABEL_FLUID, WABE_LABEL_SOLID } wabe_label_meaning;

typedef struct {
    wabe_voxel_format format;
    const char *file;
    const char *dataset;    /* HDF5: of 8-bit integers, or of booleans as numpy writes them */
    int64_t size[3];        /* voxels of the whole image; HDF5: set by wabe_voxels_open */
    int64_t header;         /* raw: bytes before the first voxel */
    wabe_voxel_order order; /* raw; an HDF5 dataset has the shape (nz, ny, nx) */
    int64_t begin[3];       /* first voxel used */
    int64_t cells[3];       /* number of voxels used; 0: to the end; then set by wabe_voxels_open */
    bool mirror[3];         /* append all voxels of an axis once more, in reverse order */
    int64_t at[3];          /* the cell of the domain at which the first voxel is placed */
    wabe_label_meaning meaning[256]; /* signed labels count as unsigned bytes: -1 is 255 */
} wabe_voxels;

/* Checks the file against the description and completes it. WABE_INPUT: the file is shorter or
 * longer than stated, is not HDF5, lacks the dataset, has another shape or type, or the part used
 * extends beyond the image; WABE_FILE: it cannot be read. Messages begin with the file's name.
 * Local. */
wabe_status wabe_voxels_open(wabe_voxels *voxels);

/* Returns the cells of the domain that the image covers, including mirrored parts. Local. */
wabe_box wabe_voxels_box(const wabe_voxels *voxels);

/* Sets solid for each cell of a box within wabe_voxels_box, x fastest: 1 if the cell is solid,
 * otherwise 0. Reads little more of the file than needed; boxes of few planes are slow if z is the
 * fastest index, or if a dataset is compressed in chunks. WABE_INPUT: a label has no meaning (the
 * message names the first such voxel in file order, wherever it lies in the part used, by its
 * position in the whole image); WABE_FILE; WABE_MEMORY. Local. */
wabe_status wabe_voxels_read(const wabe_voxels *voxels, wabe_box box, uint8_t *solid);

/* Returns the cells of an image, which must outlive it, as a part of the geometry. Local. */
wabe_raster wabe_voxels_raster(const wabe_voxels *voxels, int condition);
