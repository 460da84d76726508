#include "core/io/image.h"

#include "core/io/disk.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SIDE_MIN = 480, /* of the longer side of the field, in pixels */
    TICKS_MAX = 5,  /* of the colour bar, its ends included */
    TICKS_MIN = 3,
    GLYPH_WIDTH = 5,
    GLYPH_HEIGHT = 7,
    GLYPH_STEP = 6
};

typedef struct {
    uint8_t r, g, b;
} colour;

static const colour WHITE = {255, 255, 255}, INK = {40, 40, 40}, NO_VALUE = {160, 160, 160};

/* An image in memory; row 0 is the top one, as in a PNG. */
typedef struct {
    int64_t width, height;
    colour *pixels; /* [height][width], owned */
} canvas;

/* Where things go, in pixels. The bar lies along the longer side of the field, which leaves room
 * for the labels of its ticks whatever the shape of the field. */
typedef struct {
    int64_t zoom;          /* pixels per value and side */
    int64_t letter;        /* pixels per dot of a letter */
    bool upright;          /* the bar stands to the right of the field; else it lies below it */
    int64_t left, top;     /* of the field */
    int64_t width, height; /* of the field */
    int64_t bar_left, bar_top, bar_width, bar_height;
    int64_t page_width, page_height;
} layout;

/* What is drawn. */
typedef struct {
    int64_t width, height;
    const float *values;
    double low, high;
    const char *label;
    int tick_count;
    char ticks[TICKS_MAX][24];
} picture;

/* ---- colours ------------------------------------------------------------------------ */

/* Viridis (S. van der Walt and N. Smith, public domain), every 15th of its 256 colours. A cubic
 * through these stays within 4/255 of the full table. */
enum { ANCHORS = 18, ANCHOR_STEP = 15, COLOURS = 256 };

static const uint8_t anchors[ANCHORS][3] = {
    {68, 1, 84},    {72, 23, 105},  {71, 42, 122},  {67, 61, 132},  {61, 78, 138},  {53, 94, 141},
    {46, 109, 142}, {41, 123, 142}, {35, 137, 142}, {31, 151, 139}, {33, 165, 133}, {46, 179, 124},
    {70, 192, 111}, {101, 203, 94}, {137, 213, 72}, {176, 221, 47}, {216, 226, 25}, {253, 231, 37},
};

/* Catmull-Rom's cubic; beyond the ends the anchors go on in a straight line. */
static uint8_t interpolate(int channel, int entry) {
    int k = entry / ANCHOR_STEP < ANCHORS - 2 ? entry / ANCHOR_STEP : ANCHORS - 2;
    double t = (double)(entry - k * ANCHOR_STEP) / ANCHOR_STEP;
    double b = anchors[k][channel], c = anchors[k + 1][channel];
    double a = k > 0 ? anchors[k - 1][channel] : 2 * b - c;
    double d = k + 2 < ANCHORS ? anchors[k + 2][channel] : 2 * c - b;
    double value = b +
                   0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
    return (uint8_t)(fmin(fmax(value, 0), 255) + 0.5);
}

static void make_colours(colour table[COLOURS]) {
    for (int i = 0; i < COLOURS; i++)
        table[i] = (colour){interpolate(0, i), interpolate(1, i), interpolate(2, i)};
}

static colour colour_of(const colour table[COLOURS], double fraction) {
    if (isnan(fraction))
        return NO_VALUE;
    return table[(int)(fmin(fmax(fraction, 0), 1) * (COLOURS - 1) + 0.5)];
}

/* ---- letters ------------------------------------------------------------------------ */

/* From the space to the tilde: 7 rows of 5 dots, top row first, the leftmost dot is bit 4. */
static const uint8_t glyphs[][GLYPH_HEIGHT] = {
    {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}, /*   */
    {0x04, 0x04, 0x04, 0x04, 0x04, 0x00, 0x04}, /* ! */
    {0x0a, 0x0a, 0x0a, 0x00, 0x00, 0x00, 0x00}, /* " */
    {0x0a, 0x0a, 0x1f, 0x0a, 0x1f, 0x0a, 0x0a}, /* # */
    {0x04, 0x0f, 0x14, 0x0e, 0x05, 0x1e, 0x04}, /* $ */
    {0x18, 0x19, 0x02, 0x04, 0x08, 0x13, 0x03}, /* % */
    {0x0c, 0x12, 0x14, 0x08, 0x15, 0x12, 0x0d}, /* & */
    {0x04, 0x04, 0x08, 0x00, 0x00, 0x00, 0x00}, /* ' */
    {0x02, 0x04, 0x08, 0x08, 0x08, 0x04, 0x02}, /* ( */
    {0x08, 0x04, 0x02, 0x02, 0x02, 0x04, 0x08}, /* ) */
    {0x00, 0x04, 0x15, 0x0e, 0x15, 0x04, 0x00}, /* * */
    {0x00, 0x04, 0x04, 0x1f, 0x04, 0x04, 0x00}, /* + */
    {0x00, 0x00, 0x00, 0x0c, 0x0c, 0x04, 0x08}, /* , */
    {0x00, 0x00, 0x00, 0x1f, 0x00, 0x00, 0x00}, /* - */
    {0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x0c}, /* . */
    {0x00, 0x01, 0x02, 0x04, 0x08, 0x10, 0x00}, /* / */
    {0x0e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e}, /* 0 */
    {0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e}, /* 1 */
    {0x0e, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1f}, /* 2 */
    {0x0e, 0x11, 0x01, 0x06, 0x01, 0x11, 0x0e}, /* 3 */
    {0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02}, /* 4 */
    {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e}, /* 5 */
    {0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e}, /* 6 */
    {0x1f, 0x01, 0x02, 0x04, 0x04, 0x08, 0x08}, /* 7 */
    {0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e}, /* 8 */
    {0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c}, /* 9 */
    {0x00, 0x0c, 0x0c, 0x00, 0x0c, 0x0c, 0x00}, /* : */
    {0x0c, 0x0c, 0x00, 0x0c, 0x0c, 0x04, 0x08}, /* ; */
    {0x02, 0x04, 0x08, 0x10, 0x08, 0x04, 0x02}, /* < */
    {0x00, 0x00, 0x1f, 0x00, 0x1f, 0x00, 0x00}, /* = */
    {0x08, 0x04, 0x02, 0x01, 0x02, 0x04, 0x08}, /* > */
    {0x0e, 0x11, 0x01, 0x02, 0x04, 0x00, 0x04}, /* ? */
    {0x0e, 0x11, 0x17, 0x15, 0x17, 0x10, 0x0e}, /* @ */
    {0x04, 0x0a, 0x11, 0x11, 0x1f, 0x11, 0x11}, /* A */
    {0x1e, 0x11, 0x11, 0x1e, 0x11, 0x11, 0x1e}, /* B */
    {0x0e, 0x11, 0x10, 0x10, 0x10, 0x11, 0x0e}, /* C */
    {0x1c, 0x12, 0x11, 0x11, 0x11, 0x12, 0x1c}, /* D */
    {0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x1f}, /* E */
    {0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x10}, /* F */
    {0x0e, 0x11, 0x10, 0x13, 0x11, 0x11, 0x0f}, /* G */
    {0x11, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11}, /* H */
    {0x0e, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e}, /* I */
    {0x07, 0x02, 0x02, 0x02, 0x02, 0x12, 0x0c}, /* J */
    {0x11, 0x12, 0x14, 0x18, 0x14, 0x12, 0x11}, /* K */
    {0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x1f}, /* L */
    {0x11, 0x1b, 0x15, 0x15, 0x11, 0x11, 0x11}, /* M */
    {0x11, 0x19, 0x19, 0x15, 0x13, 0x13, 0x11}, /* N */
    {0x0e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e}, /* O */
    {0x1e, 0x11, 0x11, 0x1e, 0x10, 0x10, 0x10}, /* P */
    {0x0e, 0x11, 0x11, 0x11, 0x15, 0x12, 0x0d}, /* Q */
    {0x1e, 0x11, 0x11, 0x1e, 0x14, 0x12, 0x11}, /* R */
    {0x0f, 0x10, 0x10, 0x0e, 0x01, 0x01, 0x1e}, /* S */
    {0x1f, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04}, /* T */
    {0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e}, /* U */
    {0x11, 0x11, 0x11, 0x11, 0x0a, 0x0a, 0x04}, /* V */
    {0x11, 0x11, 0x11, 0x15, 0x15, 0x1b, 0x11}, /* W */
    {0x11, 0x11, 0x0a, 0x04, 0x0a, 0x11, 0x11}, /* X */
    {0x11, 0x11, 0x0a, 0x04, 0x04, 0x04, 0x04}, /* Y */
    {0x1f, 0x01, 0x02, 0x04, 0x08, 0x10, 0x1f}, /* Z */
    {0x0e, 0x08, 0x08, 0x08, 0x08, 0x08, 0x0e}, /* [ */
    {0x00, 0x10, 0x08, 0x04, 0x02, 0x01, 0x00}, /* \ */
    {0x0e, 0x02, 0x02, 0x02, 0x02, 0x02, 0x0e}, /* ] */
    {0x04, 0x0a, 0x11, 0x00, 0x00, 0x00, 0x00}, /* ^ */
    {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x1f}, /* _ */
    {0x08, 0x04, 0x02, 0x00, 0x00, 0x00, 0x00}, /* ` */
    {0x00, 0x00, 0x0e, 0x01, 0x0f, 0x11, 0x0f}, /* a */
    {0x10, 0x10, 0x1e, 0x11, 0x11, 0x11, 0x1e}, /* b */
    {0x00, 0x00, 0x0e, 0x11, 0x10, 0x11, 0x0e}, /* c */
    {0x01, 0x01, 0x0f, 0x11, 0x11, 0x11, 0x0f}, /* d */
    {0x00, 0x00, 0x0e, 0x11, 0x1f, 0x10, 0x0e}, /* e */
    {0x06, 0x09, 0x08, 0x1c, 0x08, 0x08, 0x08}, /* f */
    {0x0f, 0x11, 0x11, 0x11, 0x0f, 0x01, 0x0e}, /* g */
    {0x10, 0x10, 0x16, 0x19, 0x11, 0x11, 0x11}, /* h */
    {0x04, 0x00, 0x0c, 0x04, 0x04, 0x04, 0x0e}, /* i */
    {0x02, 0x00, 0x06, 0x02, 0x02, 0x12, 0x0c}, /* j */
    {0x10, 0x10, 0x12, 0x14, 0x18, 0x14, 0x12}, /* k */
    {0x0c, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e}, /* l */
    {0x00, 0x00, 0x1a, 0x15, 0x15, 0x15, 0x15}, /* m */
    {0x00, 0x00, 0x16, 0x19, 0x11, 0x11, 0x11}, /* n */
    {0x00, 0x00, 0x0e, 0x11, 0x11, 0x11, 0x0e}, /* o */
    {0x1e, 0x11, 0x11, 0x11, 0x1e, 0x10, 0x10}, /* p */
    {0x0f, 0x11, 0x11, 0x11, 0x0f, 0x01, 0x01}, /* q */
    {0x00, 0x00, 0x16, 0x19, 0x10, 0x10, 0x10}, /* r */
    {0x00, 0x00, 0x0f, 0x10, 0x0e, 0x01, 0x1e}, /* s */
    {0x08, 0x08, 0x1c, 0x08, 0x08, 0x09, 0x06}, /* t */
    {0x00, 0x00, 0x11, 0x11, 0x11, 0x13, 0x0d}, /* u */
    {0x00, 0x00, 0x11, 0x11, 0x11, 0x0a, 0x04}, /* v */
    {0x00, 0x00, 0x11, 0x11, 0x15, 0x15, 0x0a}, /* w */
    {0x00, 0x00, 0x11, 0x0a, 0x04, 0x0a, 0x11}, /* x */
    {0x11, 0x11, 0x11, 0x11, 0x0f, 0x01, 0x0e}, /* y */
    {0x00, 0x00, 0x1f, 0x02, 0x04, 0x08, 0x1f}, /* z */
    {0x02, 0x04, 0x04, 0x08, 0x04, 0x04, 0x02}, /* { */
    {0x04, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04}, /* | */
    {0x08, 0x04, 0x04, 0x02, 0x04, 0x04, 0x08}, /* } */
    {0x00, 0x00, 0x08, 0x15, 0x02, 0x00, 0x00}, /* ~ */
};

static const uint8_t *glyph_of(char letter) {
    bool known = letter >= ' ' && letter <= '~';
    return glyphs[(known ? letter : '?') - ' '];
}

/* How far a letter reaches below the line. */
static int descent_of(char letter) {
    if (letter && strchr("gpqy", letter))
        return 2;
    return letter == ',' || letter == ';' ? 1 : 0;
}

static int64_t text_width(const char *text, int64_t letter) {
    return ((int64_t)strlen(text) * GLYPH_STEP - 1) * letter;
}

/* ---- drawing ------------------------------------------------------------------------ */

/* What lies outside the canvas is left out. */
static void fill_rectangle(canvas *page, int64_t left, int64_t top, int64_t width, int64_t height,
                           colour with) {
    int64_t right = left + width < page->width ? left + width : page->width;
    int64_t bottom = top + height < page->height ? top + height : page->height;
    for (int64_t y = top > 0 ? top : 0; y < bottom; y++)
        for (int64_t x = left > 0 ? left : 0; x < right; x++)
            page->pixels[y * page->width + x] = with;
}

static void draw_text(canvas *page, int64_t left, int64_t top, int64_t letter, const char *text) {
    for (; *text; text++, left += GLYPH_STEP * letter) {
        const uint8_t *rows = glyph_of(*text);
        int64_t down = top + descent_of(*text) * letter;
        for (int y = 0; y < GLYPH_HEIGHT; y++)
            for (int x = 0; x < GLYPH_WIDTH; x++)
                if (rows[y] >> (GLYPH_WIDTH - 1 - x) & 1)
                    fill_rectangle(page, left + x * letter, down + y * letter, letter, letter, INK);
    }
}

static void draw_frame(canvas *page, int64_t left, int64_t top, int64_t width, int64_t height) {
    fill_rectangle(page, left - 1, top - 1, width + 2, 1, INK);
    fill_rectangle(page, left - 1, top + height, width + 2, 1, INK);
    fill_rectangle(page, left - 1, top, 1, height, INK);
    fill_rectangle(page, left + width, top, 1, height, INK);
}

static void draw_field(canvas *page, const layout *at, const picture *what,
                       const colour table[COLOURS]) {
    draw_frame(page, at->left, at->top, at->width, at->height);
    for (int64_t y = 0; y < what->height; y++) {
        int64_t top = at->top + (what->height - 1 - y) * at->zoom;
        for (int64_t x = 0; x < what->width; x++) {
            double value = what->values[y * what->width + x];
            colour c = colour_of(table, (value - what->low) / (what->high - what->low));
            fill_rectangle(page, at->left + x * at->zoom, top, at->zoom, at->zoom, c);
        }
    }
}

static void draw_bar(canvas *page, const layout *at, const colour table[COLOURS]) {
    draw_frame(page, at->bar_left, at->bar_top, at->bar_width, at->bar_height);
    int64_t length = at->upright ? at->bar_height : at->bar_width;
    for (int64_t i = 0; i < length; i++) {
        colour c = colour_of(table, (double)i / (double)(length - 1));
        if (at->upright)
            fill_rectangle(page, at->bar_left, at->bar_top + length - 1 - i, at->bar_width, 1, c);
        else
            fill_rectangle(page, at->bar_left + i, at->bar_top, 1, at->bar_height, c);
    }
}

/* Labels beside an upright bar are centred on their ticks. Those below a lying one are too, but for
 * the two at the ends, which stay within the bar. */
static void draw_ticks(canvas *page, const layout *at, const picture *what) {
    int64_t length = at->upright ? at->bar_height : at->bar_width;
    int64_t mark = 3 * at->letter;
    for (int i = 0; i < what->tick_count; i++) {
        int64_t along = (length - 1) * i / (what->tick_count - 1);
        const char *text = what->ticks[i];
        if (at->upright) {
            int64_t y = at->bar_top + length - 1 - along, x = at->bar_left + at->bar_width;
            fill_rectangle(page, x, y, mark, 1, INK);
            draw_text(page, x + mark + 2 * at->letter, y - GLYPH_HEIGHT * at->letter / 2,
                      at->letter, text);
        } else {
            int64_t x = at->bar_left + along, y = at->bar_top + at->bar_height;
            int64_t shift = text_width(text, at->letter) * i / (what->tick_count - 1);
            fill_rectangle(page, x, y, 1, mark, INK);
            if (i > 0 && i < what->tick_count - 1)
                shift = text_width(text, at->letter) / 2;
            draw_text(page, x - shift, y + mark + 2 * at->letter, at->letter, text);
        }
    }
}

/* ---- layout ------------------------------------------------------------------------- */

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t widest_tick(const picture *what, int64_t letter) {
    int64_t widest = 0;
    for (int i = 0; i < what->tick_count; i++)
        widest = larger(widest, text_width(what->ticks[i], letter));
    return widest;
}

/* Letters grow with the picture, and so does what is measured in them. */
static layout plan(const picture *what) {
    int64_t side = larger(what->width, what->height);
    layout at = {.zoom = (SIDE_MIN + side - 1) / side, .upright = what->height > what->width};
    at.width = what->width * at.zoom;
    at.height = what->height * at.zoom;
    at.letter = larger(2, 2 * larger(at.width, at.height) / (SIDE_MIN + 320));
    int64_t margin = 8 * at.letter, line = GLYPH_HEIGHT * at.letter, thick = 10 * at.letter;
    int64_t tick = 5 * at.letter, title = text_width(what->label, at.letter);
    at.left = margin;
    at.top = what->label[0] ? 2 * margin + line - 2 * at.letter : margin;
    if (at.upright) {
        at.bar_left = at.left + at.width + margin;
        at.bar_top = at.top;
        at.bar_width = thick;
        at.bar_height = at.height;
        at.page_width = at.bar_left + thick + tick + widest_tick(what, at.letter) + margin;
        at.page_height = at.top + at.height + margin;
    } else {
        at.bar_left = at.left;
        at.bar_top = at.top + at.height + margin;
        at.bar_width = at.width;
        at.bar_height = thick;
        at.page_width = at.left + at.width + margin;
        at.page_height = at.bar_top + thick + tick + line + margin;
    }
    at.page_width = larger(at.page_width, title + 2 * margin);
    return at;
}

/* ---- range and labels --------------------------------------------------------------- */

static void find_range(picture *what) {
    what->low = INFINITY;
    what->high = -INFINITY;
    for (int64_t i = 0; i < what->width * what->height; i++) {
        double value = what->values[i];
        if (isfinite(value)) {
            what->low = fmin(what->low, value);
            what->high = fmax(what->high, value);
        }
    }
    if (what->low > what->high)
        what->low = what->high = 0;
}

/* A uniform field gets the colour of the middle, with some room on either side. */
static void choose_range(picture *what) {
    if (what->low == what->high)
        find_range(what);
    if (what->low == what->high) {
        double room = what->low != 0 ? 0.1 * fabs(what->low) : 1;
        what->low -= room;
        what->high += room;
    }
}

/* As few digits as tell neighbouring ticks apart, at least 3. */
static void make_ticks(picture *what, int count) {
    what->tick_count = count;
    double largest = fmax(fabs(what->low), fabs(what->high)), range = what->high - what->low;
    int digits = (int)fmin(fmax(2 + ceil(log10(largest / fabs(range) * (what->tick_count - 1))), 3),
                           9);
    for (int i = 0; i < what->tick_count; i++) {
        double value = what->low + range * i / (what->tick_count - 1);
        if (fabs(value) < 1e-9 * largest)
            value = 0;
        snprintf(what->ticks[i], sizeof what->ticks[i], "%.*g", digits, value);
    }
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

/* Returns false when libpng jumped back with an error; nothing local is changed after setjmp. */
static bool encode(png_structp png, png_infop info, FILE *file, const canvas *page) {
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)page->width, (png_uint_32)page->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int64_t y = 0; y < page->height; y++)
        png_write_row(png, (png_const_bytep)(page->pixels + y * page->width));
    png_write_end(png, NULL);
    return true;
}

static bool write_png(FILE *file, const canvas *page, char reason[128]) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, reason, stop_on_error,
                                              ignore_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool good = false;
    if (info)
        good = encode(png, info, file, page);
    else
        snprintf(reason, 128, "libpng could not start");
    png_destroy_write_struct(&png, &info);
    return good;
}

/* Under a temporary name first: a viewer never meets half a picture, and an earlier one stays
 * whole. */
static wabe_status save(const char *path, const canvas *page) {
    char part[PATH_MAX], reason[128] = "";
    WABE_CHECK(snprintf(part, sizeof part, "%s%s", path, wabe_disk_part_ending()) < PATH_MAX,
               WABE_FILE, "the path of the picture is too long: %s", path);
    FILE *file = fopen(part, "wb");
    WABE_CHECK(file, WABE_FILE, "cannot write %s: %s", path, strerror(errno));
    errno = 0;
    bool good = write_png(file, page, reason) && fflush(file) == 0;
    int error = errno;
    if (fclose(file) != 0 && good) {
        error = errno;
        good = false;
    }
    if (good && rename(part, path) != 0) {
        error = errno;
        good = false;
    }
    if (good)
        return WABE_OK;
    unlink(part);
    return WABE_FAIL(WABE_FILE, "cannot write %s: %s", path, error ? strerror(error) : reason);
}

wabe_status wabe_image_write(const char *file, int64_t width, int64_t height, const float *values,
                             double low, double high, const char *label) {
    WABE_CHECK(width > 0 && height > 0 && isfinite(low) && isfinite(high), WABE_INTERNAL,
               "picture of %lld x %lld values from %g to %g", (long long)width, (long long)height,
               low, high);
    picture what = {width, height, values, low, high, label ? label : "", 0, {{0}}};
    choose_range(&what);
    make_ticks(&what, TICKS_MAX);
    layout at = plan(&what);
    if (!at.upright && widest_tick(&what, at.letter) * (TICKS_MAX + 1) > at.width)
        make_ticks(&what, TICKS_MIN);
    canvas page = {at.page_width, at.page_height, NULL};
    page.pixels = malloc((size_t)(page.width * page.height) * sizeof *page.pixels);
    WABE_CHECK(page.pixels, WABE_MEMORY, "no memory for the picture %s", file);
    colour table[COLOURS];
    make_colours(table);
    fill_rectangle(&page, 0, 0, page.width, page.height, WHITE);
    int64_t title_top = 8 * at.letter - at.letter;
    draw_text(&page, at.left, title_top, at.letter, what.label);
    draw_field(&page, &at, &what, table);
    draw_bar(&page, &at, table);
    draw_ticks(&page, &at, &what);
    wabe_status status = save(file, &page);
    free(page.pixels);
    return status;
}
