#include "core/io/png_file.h"

#include "core/io/disk.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVEL = 3 };      /* of compression: films have many pictures */
enum { TEXTS_MAX = 16 }; /* chunks */

static void stop_on_error(png_structp png, png_const_charp text) {
    snprintf(png_get_error_ptr(png), 128, "%s", text);
    longjmp(png_jmpbuf(png), 1);
}

static void ignore_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

/* ---- writing ------------------------------------------------------------------------ */

static void put_texts(png_structp png, png_infop info, const wabe_png *p) {
    png_text texts[TEXTS_MAX] = {0};
    const int count = p->text_count < TEXTS_MAX ? p->text_count : TEXTS_MAX;
    for (int i = 0; i < count; i++) {
        texts[i].compression = PNG_TEXT_COMPRESSION_NONE;
        texts[i].key = (char *)p->texts[i].key;
        texts[i].text = (char *)p->texts[i].text;
    }
    png_set_text(png, info, texts, count);
}

/* Returns false when libpng jumped back with an error; nothing local is changed after setjmp. */
static bool encode(png_structp png, png_infop info, FILE *file, const wabe_png *p) {
    png_color palette[256];
    for (int i = 0; i < p->colour_count; i++)
        palette[i] = (png_color){p->palette[i][0], p->palette[i][1], p->palette[i][2]};
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)p->width, (png_uint_32)p->height, 8,
                 PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, LEVEL);
    png_set_PLTE(png, info, palette, p->colour_count);
    put_texts(png, info, p);
    png_write_info(png, info);
    for (int64_t y = 0; y < p->height; y++)
        png_write_row(png, p->pixels + y * p->width);
    png_write_end(png, NULL);
    return true;
}

static bool write_png(FILE *file, const wabe_png *p, char reason[128]) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, reason, stop_on_error,
                                              ignore_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool good = false;
    if (info)
        good = encode(png, info, file, p);
    else
        snprintf(reason, 128, "libpng could not start");
    png_destroy_write_struct(&png, &info);
    return good;
}

/* Writes under a temporary name first, so that a viewer never reads an incomplete image, and an
 * earlier one stays complete. */
wabe_status wabe_png_write(const char *path, const wabe_png *png) {
    char reason[128] = "";
    FILE *file;
    WABE_TRY(wabe_disk_open_new(path, &file));
    errno = 0;
    if (write_png(file, png, reason))
        return wabe_disk_close_new(path, file);
    const int error = errno;
    wabe_disk_drop_new(path, file);
    return WABE_FAIL(WABE_FILE, "%s: cannot be written: %s", path,
                     error ? strerror(error) : reason);
}

/* ---- reading ------------------------------------------------------------------------ */

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

static const char *colours_of(png_structp png, png_infop info) {
    switch (png_get_color_type(png, info)) {
    case PNG_COLOR_TYPE_GRAY:
        return "grey";
    case PNG_COLOR_TYPE_GRAY_ALPHA:
        return "grey with transparency";
    case PNG_COLOR_TYPE_PALETTE:
        return "a palette of colours";
    case PNG_COLOR_TYPE_RGB:
        return "colours";
    default:
        return "colours with transparency";
    }
}

static wabe_status check_grey(const char *file, png_structp png, png_infop info, int64_t width,
                              int64_t height) {
    const int64_t has_width = png_get_image_width(png, info);
    const int64_t has_height = png_get_image_height(png, info);
    WABE_CHECK(png_get_color_type(png, info) == PNG_COLOR_TYPE_GRAY &&
                   png_get_bit_depth(png, info) >= 8 &&
                   png_get_interlace_type(png, info) == PNG_INTERLACE_NONE,
               WABE_INPUT,
               "%s has %s, %d bits a pixel and colour%s: only grey images of 8 or 16 bits are "
               "read, without "
               "transparency and not interlaced",
               file, colours_of(png, info), (int)png_get_bit_depth(png, info),
               png_get_interlace_type(png, info) == PNG_INTERLACE_NONE ? "" : ", interlaced");
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

wabe_status wabe_png_read_grey(const char *file, int64_t width, int64_t height, float *values) {
    FILE *in = fopen(file, "rb");
    WABE_CHECK(in, WABE_FILE, "%s: cannot be opened: %s", file, strerror(errno));
    const wabe_status status = read_grey(file, in, width, height, values);
    fclose(in);
    return status;
}
