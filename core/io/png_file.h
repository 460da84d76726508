/* PNG files: pictures whose pixels are entries of a palette are written, grey ones are read. */
#pragma once

#include "core/base/status.h"

#include <stdint.h>

typedef struct {
    const char *key, *text; /* Latin-1 */
} wabe_png_text;

typedef struct {
    int64_t width, height;
    const uint8_t *pixels; /* [height][width], the upper row first: entries of the palette */
    int colour_count;      /* 1 to 256 */
    const uint8_t (*palette)[3];
    int text_count;
    const wabe_png_text *texts; /* chunks tEXt */
} wabe_png;

/* Writes a file; an earlier one is replaced as a whole. WABE_FILE: the message has file and reason;
 * WABE_MEMORY. Local. */
wabe_status wabe_png_write(const char *file, const wabe_png *png);

/* Reads a grey PNG of 8 or 16 bits: values [height][width] from 0 to 255 or 65535, the upper row
 * first. WABE_INPUT: no such PNG, another size, or damaged; WABE_FILE; WABE_MEMORY. Messages begin
 * with the file's name. Local. */
wabe_status wabe_png_read_grey(const char *file, int64_t width, int64_t height, float *values);
