/* Images of slices: PNG with viridis, a perceptually uniform colour map. */
#pragma once

#include "core/base/status.h"

#include <stdint.h>

typedef struct wabe_image {
    int64_t width, height;
    const float *values;       /* [height][width], row 0 at the bottom; NAN: grey */
    double low, high;          /* values beyond get the colours at the ends */
    const char *title, *unit;  /* at most 63 characters */
    struct wabe_image *beside; /* another image of this size, to its right; or NULL */
} wabe_image;

/* Writes a PNG, in which each value is a square of pixels so that the longer side has at least 480.
 * The text chunks Title, Minimum, Maximum and Unit give the meaning of the colours. low == high:
 * both are set to the range of the values, for each image beside another. An earlier file is
 * replaced as a whole. WABE_FILE: the message has file and reason; WABE_MEMORY; WABE_INTERNAL.
 * Local. */
wabe_status wabe_image_write(const char *file, wabe_image *image);
