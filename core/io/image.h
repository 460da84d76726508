/* Pictures of slices as PNG: colours for values, with a legend or without. */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct wabe_image {
    int64_t width, height;
    const float *values;       /* the lower left one first; NAN: grey */
    double low, high;          /* values beyond get the colours at the ends */
    bool has_sign;             /* colours diverge from 0, instead of viridis */
    const char *title, *unit;  /* at most 63 characters; unit: "1" or "": none */
    struct wabe_image *beside; /* another image of this size, to its right; or NULL */
    int64_t right, up; /* from a value to the next one to the right, and to the one above it;
                          both 0: 1 and width */
} wabe_image;

/* How a plane of cells is looked at. */
typedef struct {
    int right, up;  /* the axes across and along the picture */
    bool downwards; /* along the picture the coordinate grows downwards */
} wabe_image_view;

/* Returns the view of a plane normal to an axis where upward, an axis, points up: the plane normal
 * to it is seen from above, others have it along the picture. Local. */
wabe_image_view wabe_image_view_of(int normal, int upward);

/* Sets the size of an image and its values: those of a plane of cells, [z][y][x], of which there
 * are cells along each axis. Local. */
void wabe_image_look(wabe_image *image, wabe_image_view view, const int64_t cells[3],
                     const float *values);

/* An axis of the plane: the coordinates of the images' two edges, left and right or lower and
 * upper.
 */
typedef struct {
    const char *name, *unit;
    double begin, end;
} wabe_image_axis;

typedef struct {
    const char *headline; /* one line above all images */
    wabe_image_axis right, up;
    bool without_bar; /* the titles say what the colours mean */
    bool squares;     /* values have steps, such as roofs: each is a square, none is interpolated */
} wabe_image_legend;

/* Returns whether legends can be drawn: whether this was built with cairo. Local. */
bool wabe_image_has_legends(void);

/* Writes a PNG. legend: a headline, and for each image its title, axes with ticks and a colour bar;
 * values are interpolated (unless squares), and the longer side has at least 640 pixels.
 * NULL, or no cairo, or more pixels than cairo draws (32767 along a side): each value is a square
 * of pixels so that the longer side has at least 480, and nothing else. Text chunks Title, Minimum,
 * Maximum and Unit give the meaning of the colours. low == high: both are set to the range of the
 * values (has_sign: 0 in the middle; a range within rounding: to the value in its middle, and the
 * title says that it is constant), for each image beside another. An earlier file is replaced as a
 * whole. WABE_FILE: the message has file and reason; WABE_MEMORY; WABE_INTERNAL. Local. */
wabe_status wabe_image_write(const char *file, wabe_image *image, const wabe_image_legend *legend);
