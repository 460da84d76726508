/* Solid and fluid from an image: a file of 8-bit labels, one per voxel, such as a segmented
 * tomography. */
#pragma once

#include "core/base/box.h"
#include "core/base/status.h"

#include <stdint.h>

typedef enum { WABE_VOXELS_RAW, WABE_VOXELS_HDF5 } wabe_voxel_format;
/* Which index of a raw file runs fastest. */
typedef enum { WABE_VOXELS_X_FASTEST, WABE_VOXELS_Z_FASTEST } wabe_voxel_order;
typedef enum { WABE_LABEL_UNKNOWN, WABE_LABEL_FLUID, WABE_LABEL_SOLID } wabe_label_meaning;

typedef struct {
    wabe_voxel_format format;
    const char *file;
    const char *dataset;    /* HDF5: of 8-bit integers, or of booleans as numpy writes them */
    int64_t size[3];        /* voxels of the whole image; HDF5: filled in by wabe_voxels_open */
    int64_t header;         /* raw: bytes before the first voxel */
    wabe_voxel_order order; /* raw; an HDF5 dataset has the shape (nz, ny, nx) */
    int64_t begin[3];       /* first voxel that is used */
    int64_t cells[3];       /* voxels that are used; 0: to the end; filled in by wabe_voxels_open */
    bool mirror[3];         /* each voxel of an axis a second time, in reverse order, behind them */
    int64_t at[3];          /* the cell of the domain that the first voxel becomes */
    wabe_label_meaning meaning[256]; /* signed labels count as unsigned bytes: -1 is 255 */
} wabe_voxels;

/* Checks the file against the description and fills in what the description leaves open.
 * WABE_INPUT: the file is shorter or longer than stated, is no HDF5 file, lacks the dataset, has
 * another shape or type, the part that is used reaches out of the image; WABE_FILE: it cannot be
 * read. Messages begin with the file's name. Local. */
wabe_status wabe_voxels_open(wabe_voxels *voxels);

/* The cells of the domain that the image covers, mirrored parts included. Local. */
wabe_box wabe_voxels_box(const wabe_voxels *voxels);

/* For each cell of a box within wabe_voxels_box, x fastest: 1 if it is solid, otherwise 0. Reads no
 * more of the file than it needs; boxes of few planes at a time are slow where z runs fastest, and
 * where a dataset is compressed in chunks. WABE_INPUT: a label without a meaning (the message names
 * that of the first voxel in the file's order, wherever in the part that is used it lies, and its
 * place in the whole image); WABE_FILE; WABE_MEMORY. Local. */
wabe_status wabe_voxels_read(const wabe_voxels *voxels, wabe_box box, uint8_t *solid);
