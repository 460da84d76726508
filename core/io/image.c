#include "core/io/image_internal.h"

#include "core/io/png_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MIN = 480 }; /* of the longer side without a legend, in pixels */
enum { GAP = 8 };        /* pixels between images beside each other */
enum { IMAGES_MAX = 3 }; /* beside each other */
enum { INK_COUNT = 32 }; /* greys of text */
enum { TEXTS = 4 };      /* per image */

/* ---- views ---------------------------------------------------------------------------- */

wabe_image_view wabe_image_view_of(int normal, int upward) {
    const int first = normal == 0 ? 1 : 0, second = normal == 2 ? 1 : 2;
    if (upward == normal) /* y: x and z, in this order, are a left-handed system */
        return (wabe_image_view){first, second, normal == 1};
    return upward == first ? (wabe_image_view){second, first, false}
                           : (wabe_image_view){first, second, false};
}

void wabe_image_look(wabe_image *image, wabe_image_view view, const int64_t cells[3],
                     const float *values) {
    const int64_t steps[3] = {1, cells[0], cells[0] * cells[1]};
    image->width = cells[view.right];
    image->height = cells[view.up];
    image->right = steps[view.right];
    image->up = view.downwards ? -steps[view.up] : steps[view.up];
    image->values = values + (view.downwards ? (image->height - 1) * steps[view.up] : 0);
}

static float value_of(const wabe_image *image, int64_t x, int64_t y) {
    const bool dense = image->right == 0 && image->up == 0;
    return image->values[x * (dense ? 1 : image->right) + y * (dense ? image->width : image->up)];
}

/* ---- range -------------------------------------------------------------------------- */

/* Differences of a few digits are no picture: a range within rounding is that of a constant. */
#define ROUNDING 1e-6 /* of the largest value: eight steps of a float */

static void find_range(wabe_image *image) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < image->width * image->height; i++) {
        const double value = value_of(image, i % image->width, i / image->width);
        if (isfinite(value)) {
            low = fmin(low, value);
            high = fmax(high, value);
        }
    }
    if (low > high)
        low = high = 0;
    const double largest = fmax(fabs(low), fabs(high));
    if (high - low <= ROUNDING * largest)
        low = high = 0.5 * (low + high);
    else if (image->has_sign) {
        high = fmax(fabs(low), fabs(high));
        low = -high;
    }
    image->low = low;
    image->high = high;
}

/* A value's place in the colour map, from 0 to 1, is scale * (value - zero) + place. */
typedef struct {
    float zero, scale, place;
} colour_scale;

/* A uniform field gets the middle colour. */
static colour_scale scale_of(const wabe_image *image) {
    if (image->low == image->high)
        return (colour_scale){0.0f, 0.0f, 0.5f};
    if (image->has_sign)
        return (colour_scale){0.0f, (float)(0.5 / fmax(fabs(image->low), fabs(image->high))), 0.5f};
    return (colour_scale){(float)image->low, (float)(1.0 / (image->high - image->low)), 0.0f};
}

/* ---- pixels ------------------------------------------------------------------------- */

/* Where a pixel lies between two cells along an axis. */
typedef struct {
    int64_t first, second;
    float share; /* of the second */
} position;

static position position_of(int64_t pixel, int64_t pixels, int64_t cells) {
    const double at = ((double)pixel + 0.5) * (double)cells / (double)pixels - 0.5;
    const int64_t first = (int64_t)floor(at);
    return (position){.first = first < 0 ? 0 : first,
                      .second = first + 1 < cells ? first + 1 : cells - 1,
                      .share = (float)(at - (double)first)};
}

/* The value of the nearest cell; smooth: cells without a value count as if they had that one. */
static float value_at(const wabe_image *image, bool smooth, position x, position y) {
    float v[4] = {value_of(image, x.first, y.first), value_of(image, x.second, y.first),
                  value_of(image, x.first, y.second), value_of(image, x.second, y.second)};
    const float nearest = v[(y.share < 0.5f ? 0 : 2) + (x.share < 0.5f ? 0 : 1)];
    if (!smooth || isnan(nearest))
        return nearest;
    for (int i = 0; i < 4; i++)
        v[i] = isfinite(v[i]) ? v[i] : nearest;
    const float below = v[0] + x.share * (v[1] - v[0]), above = v[2] + x.share * (v[3] - v[2]);
    return below + y.share * (above - below);
}

wabe_status wabe_image_fill(const wabe_image *image, const wabe_palette *palette, bool smooth,
                            wabe_canvas_part part, wabe_canvas *canvas) {
    const colour_scale scale = scale_of(image);
    const bool between = smooth && (part.width > image->width || part.height > image->height);
    position *columns = malloc((size_t)part.width * sizeof *columns);
    WABE_CHECK(columns, WABE_MEMORY, "no memory for a picture");
    for (int64_t i = 0; i < part.width; i++)
        columns[i] = position_of(i, part.width, image->width);
    for (int64_t j = 0; j < part.height; j++) {
        const position row = position_of(part.height - 1 - j, part.height, image->height);
        uint8_t *pixels = canvas->pixels + (part.y + j) * canvas->width + part.x;
        for (int64_t i = 0; i < part.width; i++) {
            const float value = value_at(image, between, columns[i], row);
            pixels[i] = wabe_palette_entry(palette, image->has_sign,
                                           scale.scale * (value - scale.zero) + scale.place);
        }
    }
    free(columns);
    return WABE_OK;
}

static int count_of(const wabe_image *image) { return image ? 1 + count_of(image->beside) : 0; }

/* Each value is a square. */
static wabe_status draw_bare(const wabe_image *image, const wabe_palette *palette,
                             wabe_canvas *out) {
    const int64_t side = image->width > image->height ? image->width : image->height;
    const int64_t zoom = (SIDE_MIN + side - 1) / side;
    wabe_canvas_part part = {0, 0, image->width * zoom, image->height * zoom};
    out->width = count_of(image) * (part.width + GAP) - GAP;
    out->height = part.height;
    out->pixels = malloc((size_t)(out->width * out->height));
    WABE_CHECK(out->pixels, WABE_MEMORY, "no memory for a picture");
    memset(out->pixels, palette->no_value, (size_t)(out->width * out->height));
    for (; image; image = image->beside, part.x += part.width + GAP)
        WABE_TRY(wabe_image_fill(image, palette, false, part, out));
    return WABE_OK;
}

/* ---- the file ----------------------------------------------------------------------- */

static void name_colours(const wabe_image *image, char low[32], char high[32],
                         wabe_png_text texts[TEXTS]) {
    snprintf(low, 32, "%.9g", image->low);
    snprintf(high, 32, "%.9g", image->high);
    texts[0] = (wabe_png_text){"Title", image->title};
    texts[1] = (wabe_png_text){"Minimum", low};
    texts[2] = (wabe_png_text){"Maximum", high};
    texts[3] = (wabe_png_text){"Unit", image->unit};
}

static wabe_status write_canvas(const char *file, const wabe_image *image,
                                const wabe_palette *palette, const wabe_canvas *canvas) {
    char low[IMAGES_MAX][32], high[IMAGES_MAX][32];
    wabe_png_text texts[TEXTS * IMAGES_MAX];
    int count = 0;
    for (; image; image = image->beside, count++)
        name_colours(image, low[count], high[count], texts + (size_t)TEXTS * (size_t)count);
    return wabe_png_write(file, &(wabe_png){.width = canvas->width,
                                            .height = canvas->height,
                                            .pixels = canvas->pixels,
                                            .colour_count = palette->count,
                                            .palette = palette->entries,
                                            .text_count = TEXTS * count,
                                            .texts = texts});
}

static wabe_status check(const wabe_image *image, int64_t width, int64_t height) {
    WABE_CHECK(image->width > 0 && image->width == width && image->height > 0 &&
                   image->height == height && isfinite(image->low) && isfinite(image->high),
               WABE_INTERNAL, "picture of %lld x %lld values from %g to %g",
               (long long)image->width, (long long)image->height, image->low, image->high);
    return WABE_OK;
}

wabe_status wabe_image_write(const char *file, wabe_image *image, const wabe_image_legend *legend) {
    bool used[2] = {false, false};
    WABE_CHECK(count_of(image) <= IMAGES_MAX, WABE_INTERNAL, "more than %d images", IMAGES_MAX);
    for (wabe_image *i = image; i; i = i->beside) {
        WABE_TRY(check(i, image->width, image->height));
        if (i->low == i->high)
            find_range(i);
        used[i->has_sign] = true;
    }
    wabe_palette palette;
    wabe_canvas canvas = {0};
    const bool explained = legend && wabe_image_has_legends();
    wabe_palette_make(used[0], used[1], explained ? INK_COUNT : 0, &palette);
    wabe_status status = WABE_OK;
    if (explained)
        status = wabe_figure_draw(image, legend, &palette, &canvas);
    if (status == WABE_OK && !canvas.pixels)
        status = draw_bare(image, &palette, &canvas);
    if (status == WABE_OK)
        status = write_canvas(file, image, &palette, &canvas);
    free(canvas.pixels);
    return status;
}
