/* Images of slices: PNG with viridis, a perceptually uniform colour map. Grey images as numbers. */
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

/* Reads a grey PNG of 8 or 16 bits: values [height][width] from 0 to 255 or 65535, the upper row
 * first. WABE_INPUT: no such PNG, another size, or damaged; WABE_FILE; WABE_MEMORY. Messages begin
 * with the file's name. Local. */
wabe_status wabe_image_read_grey(const char *file, int64_t width, int64_t height, float *values);
