#include "core/io/image.h"

#include "core/io/disk.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MIN = 480 }; /* of the longer side, in pixels */
enum { GAP = 8 };        /* pixels between images beside each other */
enum { LEVEL = 3 };      /* of compression: films have many pictures */

/* ---- colours ------------------------------------------------------------------------ */

/* Viridis (S. van der Walt and N. Smith, public domain), every 15th of its 256 colours. A cubic
 * through these stays within 4/255 of the full table. */
enum { ANCHORS = 18, ANCHOR_STEP = 15 };

/* Entries of the palette: a value's colours, and the grey of what has no value. */
enum { COLOURS = 255, NO_VALUE = COLOURS, NO_VALUE_GREY = 160 };

static const uint8_t anchors[ANCHORS][3] = {
    {68, 1, 84},    {72, 23, 105},  {71, 42, 122},  {67, 61, 132},  {61, 78, 138},  {53, 94, 141},
    {46, 109, 142}, {41, 123, 142}, {35, 137, 142}, {31, 151, 139}, {33, 165, 133}, {46, 179, 124},
    {70, 192, 111}, {101, 203, 94}, {137, 213, 72}, {176, 221, 47}, {216, 226, 25}, {253, 231, 37},
};

/* Catmull-Rom interpolation; beyond the ends the anchors are extrapolated linearly. */
static uint8_t interpolate(int channel, double entry) {
    int k = entry / ANCHOR_STEP < ANCHORS - 2 ? (int)(entry / ANCHOR_STEP) : ANCHORS - 2;
    double t = (entry - k * ANCHOR_STEP) / ANCHOR_STEP;
    double b = anchors[k][channel], c = anchors[k + 1][channel];
    double a = k > 0 ? anchors[k - 1][channel] : 2 * b - c;
    double d = k + 2 < ANCHORS ? anchors[k + 2][channel] : 2 * c - b;
    double value = b +
                   0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
    return (uint8_t)(fmin(fmax(value, 0), 255) + 0.5);
}

static void make_palette(png_color palette[COLOURS + 1]) {
    for (int i = 0; i < COLOURS; i++) {
        const double entry = 255.0 * i / (COLOURS - 1);
        palette[i] = (png_color){interpolate(0, entry), interpolate(1, entry),
                                 interpolate(2, entry)};
    }
    palette[NO_VALUE] = (png_color){NO_VALUE_GREY, NO_VALUE_GREY, NO_VALUE_GREY};
}

static uint8_t colour_of(double fraction) {
    if (isnan(fraction))
        return NO_VALUE;
    return (uint8_t)(fmin(fmax(fraction, 0), 1) * (COLOURS - 1) + 0.5);
}

/* ---- range -------------------------------------------------------------------------- */

static void find_range(wabe_image *image) {
    image->low = INFINITY;
    image->high = -INFINITY;
    for (int64_t i = 0; i < image->width * image->height; i++) {
        const double value = image->values[i];
        if (isfinite(value)) {
            image->low = fmin(image->low, value);
            image->high = fmax(image->high, value);
        }
    }
    if (image->low > image->high)
        image->low = image->high = 0;
}

/* A uniform field gets the middle colour. */
static double fraction_of(const wabe_image *image, double value) {
    if (image->low == image->high)
        return isnan(value) ? NAN : 0.5;
    return (value - image->low) / (image->high - image->low);
}

/* ---- the file ----------------------------------------------------------------------- */

static void stop_on_error(png_structp png, png_const_charp text) {
    snprintf(png_get_error_ptr(png), 128, "%s", text);
    longjmp(png_jmpbuf(png), 1);
}

static void ignore_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

/* Fills one row of pixels with a row of values, each zoom pixels wide. */
static void fill_row(const wabe_image *image, int64_t y, int64_t zoom, uint8_t *row) {
    for (int64_t x = 0; x < image->width; x++) {
        const double value = image->values[y * image->width + x];
        const uint8_t c = colour_of(fraction_of(image, value));
        for (int64_t i = 0; i < zoom; i++)
            *row++ = c;
    }
    for (int i = 0; i < GAP && image->beside; i++)
        *row++ = NO_VALUE;
    if (image->beside)
        fill_row(image->beside, y, zoom, row);
}

static int64_t zoom_of(const wabe_image *image) {
    const int64_t side = image->width > image->height ? image->width : image->height;
    return (SIDE_MIN + side - 1) / side;
}

/* Of a row, in pixels. */
static int64_t length_of(const wabe_image *image) {
    return image->width * zoom_of(image) + (image->beside ? GAP + length_of(image->beside) : 0);
}

/* What the colours of an image mean. */
static void put_texts(png_structp png, png_infop info, const wabe_image *image) {
    char title[64], unit[64], low[32], high[32];
    const png_text texts[] = {
        {.compression = PNG_TEXT_COMPRESSION_NONE, .key = "Title", .text = title},
        {.compression = PNG_TEXT_COMPRESSION_NONE, .key = "Minimum", .text = low},
        {.compression = PNG_TEXT_COMPRESSION_NONE, .key = "Maximum", .text = high},
        {.compression = PNG_TEXT_COMPRESSION_NONE, .key = "Unit", .text = unit}};
    snprintf(title, sizeof title, "%s", image->title);
    snprintf(unit, sizeof unit, "%s", image->unit);
    snprintf(low, sizeof low, "%.9g", image->low);
    snprintf(high, sizeof high, "%.9g", image->high);
    png_set_text(png, info, texts, sizeof texts / sizeof texts[0]);
    if (image->beside)
        put_texts(png, info, image->beside);
}

/* Returns false when libpng jumped back with an error; nothing local is changed after setjmp. */
static bool encode(png_structp png, png_infop info, FILE *file, const wabe_image *image,
                   uint8_t *row) {
    const int64_t zoom = zoom_of(image);
    png_color palette[COLOURS + 1];
    make_palette(palette);
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)length_of(image), (png_uint_32)(image->height * zoom), 8,
                 PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, LEVEL);
    png_set_PLTE(png, info, palette, COLOURS + 1);
    put_texts(png, info, image);
    png_write_info(png, info);
    for (int64_t y = image->height - 1; y >= 0; y--) {
        fill_row(image, y, zoom, row);
        for (int64_t i = 0; i < zoom; i++)
            png_write_row(png, row);
    }
    png_write_end(png, NULL);
    return true;
}

static bool write_png(FILE *file, const wabe_image *image, uint8_t *row, char reason[128]) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, reason, stop_on_error,
                                              ignore_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool good = false;
    if (info)
        good = encode(png, info, file, image, row);
    else
        snprintf(reason, 128, "libpng could not start");
    png_destroy_write_struct(&png, &info);
    return good;
}

/* Writes under a temporary name first, so that a viewer never reads an incomplete image, and an
 * earlier one stays complete. */
static wabe_status save(const char *path, const wabe_image *image, uint8_t *row) {
    char reason[128] = "";
    FILE *file;
    WABE_TRY(wabe_disk_open_new(path, &file));
    errno = 0;
    if (write_png(file, image, row, reason))
        return wabe_disk_close_new(path, file);
    const int error = errno;
    wabe_disk_drop_new(path, file);
    return WABE_FAIL(WABE_FILE, "%s: cannot be written: %s", path,
                     error ? strerror(error) : reason);
}

wabe_status wabe_image_write(const char *file, wabe_image *image) {
    for (wabe_image *i = image; i; i = i->beside) {
        WABE_CHECK(i->width > 0 && i->width == image->width && i->height > 0 &&
                       i->height == image->height && isfinite(i->low) && isfinite(i->high),
                   WABE_INTERNAL, "picture of %lld x %lld values from %g to %g",
                   (long long)i->width, (long long)i->height, i->low, i->high);
        if (i->low == i->high)
            find_range(i);
    }
    uint8_t *row = malloc((size_t)length_of(image) * sizeof *row);
    WABE_CHECK(row, WABE_MEMORY, "no memory for the picture %s", file);
    const wabe_status status = save(file, image, row);
    free(row);
    return status;
}

/* ---- grey images -------------------------------------------------------------------- */

/* Begins to read; false: libpng jumped back with an error. */
static bool decode_header(png_structp png, png_infop info, FILE *file) {
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_init_io(png, file);
    png_read_info(png, info);
    if (png_get_bit_depth(png, info) == 16)
        png_set_swap(png); /* numbers are big-endian */
    return true;
}

static bool decode_rows(png_structp png, png_infop info, uint8_t *row, float *values) {
    const png_uint_32 width = png_get_image_width(png, info);
    const png_uint_32 height = png_get_image_height(png, info);
    const bool wide = png_get_bit_depth(png, info) == 16;
    if (setjmp(png_jmpbuf(png)))
        return false;
    for (png_uint_32 y = 0; y < height; y++) {
        png_read_row(png, row, NULL);
        for (png_uint_32 x = 0; x < width; x++)
            values[(size_t)y * width + x] = wide ? (float)((const uint16_t *)(const void *)row)[x]
                                                 : (float)row[x];
    }
    png_read_end(png, NULL);
    return true;
}

static wabe_status check_grey(const char *file, png_structp png, png_infop info, int64_t width,
                              int64_t height) {
    const int64_t has_width = png_get_image_width(png, info);
    const int64_t has_height = png_get_image_height(png, info);
    WABE_CHECK(png_get_color_type(png, info) == PNG_COLOR_TYPE_GRAY &&
                   png_get_bit_depth(png, info) >= 8 &&
                   png_get_interlace_type(png, info) == PNG_INTERLACE_NONE,
               WABE_INPUT,
               "%s: only grey images of 8 or 16 bits are read, without transparency and not "
               "interlaced",
               file);
    WABE_CHECK(has_width == width && has_height == height, WABE_INPUT,
               "%s has %lld x %lld pixels; it has to have %lld x %lld", file, (long long)has_width,
               (long long)has_height, (long long)width, (long long)height);
    return WABE_OK;
}

static wabe_status read_grey(const char *file, FILE *in, int64_t width, int64_t height,
                             float *values) {
    char reason[128] = "libpng could not start";
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reason, stop_on_error,
                                             ignore_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    uint8_t *row = malloc(2 * (size_t)width);
    bool good = info && row && decode_header(png, info, in);
    wabe_status status = good ? check_grey(file, png, info, width, height) : WABE_INPUT;
    if (status == WABE_OK)
        good = decode_rows(png, info, row, values);
    free(row);
    png_destroy_read_struct(&png, &info, NULL);
    WABE_CHECK(row, WABE_MEMORY, "%s: no memory for a row", file);
    WABE_CHECK(good, WABE_INPUT, "%s: cannot be read as PNG: %s", file, reason);
    return status;
}

wabe_status wabe_image_read_grey(const char *file, int64_t width, int64_t height, float *values) {
    FILE *in = fopen(file, "rb");
    WABE_CHECK(in, WABE_FILE, "%s: cannot be opened: %s", file, strerror(errno));
    const wabe_status status = read_grey(file, in, width, height, values);
    fclose(in);
    return status;
}
