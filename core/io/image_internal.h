/* Shared by core/io/image.c and figure.c. */
#pragma once

#include "core/io/image.h"
#include "core/io/palette.h"

/* The pixels of a picture: entries of a palette. */
typedef struct {
    int64_t width, height;
    uint8_t *pixels; /* [height][width], the upper row first; owned */
} wabe_canvas;

/* A rectangle of it. */
typedef struct {
    int64_t x, y, width, height;
} wabe_canvas_part;

/* Draws an image in a part of a canvas; smooth: interpolates values linearly, except beside cells
 * without one. WABE_MEMORY. Local. */
wabe_status wabe_image_fill(const wabe_image *image, const wabe_palette *palette, bool smooth,
                            wabe_canvas_part part, wabe_canvas *canvas);

/* Draws images with their legend on a new canvas. Returns WABE_OK without pixels if the picture is
 * too large for cairo. WABE_MEMORY. Local. */
wabe_status wabe_figure_draw(const wabe_image *image, const wabe_image_legend *legend,
                             const wabe_palette *palette, wabe_canvas *out);
