/* Pictures of slices: PNG in a perceptually uniform colour map with a colour bar. */
#pragma once

#include "core/base/status.h"

#include <stdint.h>

/* Writes width x height values (row 0 at the bottom of the picture, NAN drawn grey) as a PNG, each
 * value magnified to whole pixels so that the longer side has at least 480, with a colour bar whose
 * ends are labelled with low and high and titled with label. low == high: the range of the values.
 * Values beyond low and high get the colours of the ends. An earlier file is replaced as a whole.
 * WABE_FILE: the file and the reason. Local. */
wabe_status wabe_image_write(const char *file, int64_t width, int64_t height, const float *values,
                             double low, double high, const char *label);
