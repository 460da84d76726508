/* Solids below a height: terrain, buildings as seen from above. */
#pragma once

#include "core/geometry/geometry.h"

#include <stdint.h>

/* A height for each column of cells along the axis up, counted from the domain's lower face. To be
 * freed with wabe_heights_free. */
typedef struct {
    int up;
    int64_t cells[3]; /* of the domain */
    float *heights;   /* [second][first of the other two axes], in cells */
    double low, high; /* the least and the largest */
} wabe_heights;

/* A file's value becomes the height offset + scale * value, in cells. */
typedef struct {
    const char *file, *dataset; /* a grey PNG, or a dataset (rows, columns) of an HDF5 file */
    double scale, offset;
} wabe_heights_source;

/* Reads heights of all columns: columns of the file lie along the first of the axes beside up, rows
 * along the second, the first row at the domain's lower face. out: up and cells are set.
 * WABE_INPUT: the file is damaged, neither PNG nor HDF5, or of another shape, kind or type; a
 * height is not finite; WABE_FILE; WABE_MEMORY. Messages begin with the file's name. Local. */
wabe_status wabe_heights_read(const wabe_heights_source *source, wabe_heights *out);
void wabe_heights_free(wabe_heights *heights);

/* Returns the cells whose centres lie below the heights, which must outlive it, as a part of the
 * geometry. Local. */
wabe_raster wabe_heights_raster(const wabe_heights *heights, int condition);
