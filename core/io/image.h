/* Pictures of slices: PNG in a perceptually uniform colour map, viridis. */
#pragma once

#include "core/base/status.h"

#include <stdint.h>

typedef struct wabe_image {
    int64_t width, height;
    const float *values;      /* [height][width], row 0 at the bottom of the picture; NAN: grey */
    double low, high;         /* values beyond them get the colours of the ends */
    const char *title, *unit; /* at most 63 characters */
    struct wabe_image *beside; /* another one as large, to the right in the same file; or NULL */
} wabe_image;

/* Writes a PNG, each value magnified to whole pixels so that the longer side has at least 480. What
 * the colours mean stands in its text chunks Title, Minimum, Maximum and Unit. low == high: they
 * become the range of the values, for each image. An earlier file is replaced as a whole. WABE_FILE: the file and
 * the reason. Local. */
wabe_status wabe_image_write(const char *file, wabe_image *image);
