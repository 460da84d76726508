/* Pictures with a legend, by cairo: it draws text and lines as shades of grey around the images. */
#include "core/io/image_internal.h"

#ifdef WABE_CAIRO

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE_MIN = 640,  /* of the images' longer side, in pixels */
    SIDE_MAX = 32767 /* of cairo's surfaces */
};

/* Lengths in units of the font's size. */
static const double EM_MIN = 12.0, SIDE_PER_EM = 70.0; /* pixels; images' longer side */
static const double MARGIN = 0.8, LINE = 1.6, TICK = 0.35, LABELS = 4.2, BAR = 1.1, BAR_MIN = 6.0;

typedef struct {
    cairo_t *cairo;
    const wabe_image_legend *legend;
    const wabe_palette *palette;
    wabe_canvas *canvas;
    double em;
    int64_t width, height; /* of each image, in pixels */
    double block;          /* of each image with what belongs to it */
    double top;            /* of images */
} figure;

/* Of the first image. */
static double left_of(const figure *f) { return round((MARGIN + LINE + LABELS) * f->em); }

/* ---- ticks -------------------------------------------------------------------------- */

typedef struct {
    double first, step;
    int count, digits; /* behind the point */
} ticks;

/* At most so many multiples of 1, 2 or 5 times a power of ten between low and high. */
static ticks choose_ticks(double low, double high, int most) {
    const double rough = (high - low) / (most > 1 ? most : 1);
    if (!(rough > 0.0) || !isfinite(rough))
        return (ticks){.first = low, .step = 1.0, .count = 1, .digits = 3};
    const double power = pow(10.0, floor(log10(rough)));
    const double step = rough <= power       ? power
                        : rough <= 2 * power ? 2 * power
                        : rough <= 5 * power ? 5 * power
                                             : 10 * power;
    const double first = ceil(low / step - 1e-9);
    const int count = (int)(floor(high / step + 1e-9) - first) + 1;
    const double digits = ceil(-log10(step) - 1e-9);
    return (ticks){first * step, step, count, digits > 0.0 ? (int)digits : 0};
}

/* The power of ten that numbers of this size are better given in; 0: none is. */
static int power_of(double low, double high) {
    const double largest = fmax(fabs(low), fabs(high));
    const int power = largest > 0.0 ? (int)floor(log10(largest)) : 0;
    return power < -2 || power > 4 ? power : 0;
}

/* "velocity, m/s", "velocity, 1e-3 m/s" or "velocity". */
static void label_of(const char *name, const char *unit, int power, char text[160]) {
    char factor[16] = "";
    const bool has_unit = unit && unit[0] && strcmp(unit, "1") != 0;
    if (power != 0)
        snprintf(factor, sizeof factor, "1e%d", power);
    snprintf(text, 160, "%s%s%s%s%s", name, power != 0 || has_unit ? ", " : "", factor,
             power != 0 && has_unit ? " " : "", has_unit ? unit : "");
}

static void title_of(const wabe_image *image, char text[160]) {
    label_of(image->title, image->unit, power_of(image->low, image->high), text);
    if (image->low == image->high)
        strncat(text, ": constant", 160 - strlen(text) - 1);
}

/* ---- text and lines ----------------------------------------------------------------- */

static double width_of(const figure *f, const char *text) {
    cairo_text_extents_t about;
    cairo_text_extents(f->cairo, text, &about);
    return about.x_advance;
}

/* across: 0: x is the text's left end, 0.5: its middle, 1: its right end. y: of its middle. */
static void put_text(const figure *f, double x, double y, double across, const char *text) {
    cairo_move_to(f->cairo, round(x - across * width_of(f, text)), round(y + 0.35 * f->em));
    cairo_show_text(f->cairo, text);
}

static void put_line(const figure *f, double x, double y, double dx, double dy) {
    cairo_move_to(f->cairo, floor(x) + 0.5, floor(y) + 0.5);
    cairo_rel_line_to(f->cairo, dx, dy);
    cairo_stroke(f->cairo);
}

/* Around a part, outside of its pixels. */
static void put_frame(const figure *f, wabe_canvas_part part) {
    cairo_rectangle(f->cairo, (double)part.x - 0.5, (double)part.y - 0.5, (double)part.width + 1.0,
                    (double)part.height + 1.0);
    cairo_stroke(f->cairo);
}

static ticks ticks_along(const figure *f, double length, int side, double low, double high,
                         int power) {
    const double unit = pow(10.0, power);
    const int most = (int)(length / (side == 0 ? 5.0 : 2.5) / f->em);
    return choose_ticks(fmin(low, high) / unit, fmax(low, high) / unit, most < 8 ? most : 8);
}

/* Returns a tick's value. */
static double tick_label(const ticks *t, int i, char text[32]) {
    const double value = t->first + i * t->step;
    snprintf(text, 32, "%.*f", t->digits, fabs(value) < 1e-9 * t->step ? 0.0 : value);
    return value;
}

/* Of the labels of a bar of colours. */
static double labels_width(const figure *f, const wabe_image *image, double length) {
    const ticks t = ticks_along(f, length, 1, image->low, image->high,
                                power_of(image->low, image->high));
    double widest = 0.0;
    char text[32];
    for (int i = 0; i < t.count; i++) {
        tick_label(&t, i, text);
        widest = fmax(widest, width_of(f, text));
    }
    return widest;
}

/* Draws ticks along a side of a frame: upward from (x, y) with labels on the left (side -1) or on
 * the right (side 1), or to the right with labels below (side 0). */
static void put_ticks(const figure *f, double x, double y, double length, int side, double low,
                      double high, int power) {
    const double em = f->em, unit = pow(10.0, power);
    const ticks t = ticks_along(f, length, side, low, high, power);
    char text[32];
    for (int i = 0; i < t.count; i++) {
        const double value = tick_label(&t, i, text);
        const double at = high != low ? (value * unit - low) / (high - low) * length : 0.5 * length;
        if (side == 0) {
            put_line(f, x + at, y, 0.0, TICK * em);
            put_text(f, x + at, y + (TICK + 0.7) * em, 0.5, text);
        } else {
            put_line(f, x, y - at, side * TICK * em, 0.0);
            put_text(f, x + side * (TICK + 0.3) * em, y - at, side < 0 ? 1.0 : 0.0, text);
        }
    }
}

/* ---- the parts of a figure ---------------------------------------------------------- */

/* Its colours from low to high; the ends of a map that diverges may be those of one side alone. */
static wabe_status put_bar(const figure *f, const wabe_image *image, wabe_canvas_part part) {
    float *values = malloc((size_t)part.height * sizeof *values);
    WABE_CHECK(values, WABE_MEMORY, "no memory for a picture");
    for (int64_t i = 0; i < part.height; i++)
        values[i] = (float)(image->low +
                            (image->high - image->low) * ((double)i + 0.5) / (double)part.height);
    wabe_image bar = *image;
    bar.width = 1;
    bar.height = part.height;
    bar.values = values;
    bar.right = bar.up = 0;
    const wabe_status status = wabe_image_fill(&bar, f->palette, false, part, f->canvas);
    free(values);
    put_frame(f, part);
    put_ticks(f, (double)(part.x + part.width), (double)(part.y + part.height) - 0.5,
              (double)part.height, 1, image->low, image->high, power_of(image->low, image->high));
    return status;
}

static void put_axes(const figure *f, wabe_canvas_part part) {
    const wabe_image_axis *right = &f->legend->right, *up = &f->legend->up;
    const double left = (double)part.x, bottom = (double)(part.y + part.height), em = f->em;
    const int across = power_of(right->begin, right->end), along = power_of(up->begin, up->end);
    char text[160];
    put_ticks(f, left - 0.5, bottom, (double)part.width, 0, right->begin, right->end, across);
    label_of(right->name, right->unit, across, text);
    put_text(f, left + 0.5 * (double)part.width, bottom + (TICK + 2.1) * em, 0.5, text);
    put_ticks(f, left - 1.0, bottom - 0.5, (double)part.height, -1, up->begin, up->end, along);
    label_of(up->name, up->unit, along, text);
    cairo_save(f->cairo);
    cairo_translate(f->cairo, left - (LINE + LABELS - 0.5) * em,
                    (double)part.y + 0.5 * (double)part.height);
    cairo_rotate(f->cairo, -acos(0.0));
    put_text(f, 0.0, 0.0, 0.5, text);
    cairo_restore(f->cairo);
}

static wabe_status put_image(const figure *f, const wabe_image *image, int number) {
    const double em = f->em, left = left_of(f) + number * f->block;
    const double tall = fmax((double)f->height, BAR_MIN * em);
    wabe_canvas_part part = {(int64_t)left, (int64_t)(f->top + 0.5 * (tall - (double)f->height)),
                             f->width, f->height};
    char text[160];
    WABE_TRY(wabe_image_fill(image, f->palette, !f->legend->squares, part, f->canvas));
    put_frame(f, part);
    put_axes(f, part);
    title_of(image, text);
    put_text(f, left, f->top - 0.9 * em, 0.0, text);
    const wabe_canvas_part bar = {part.x + part.width + (int64_t)em, (int64_t)f->top,
                                  (int64_t)(BAR * em), (int64_t)tall};
    return f->legend->without_bar ? WABE_OK : put_bar(f, image, bar);
}

/* ---- the whole ---------------------------------------------------------------------- */

/* Chooses the size of everything; f->cairo only measures text. */
static void arrange(figure *f, const wabe_image *image) {
    const double side = (double)(image->width > image->height ? image->width : image->height);
    const double zoom = fmax(SIDE_MIN / side, 1.0);
    f->width = (int64_t)fmax(round(zoom * (double)image->width), 1.0);
    f->height = (int64_t)fmax(round(zoom * (double)image->height), 1.0);
    f->em = fmax(EM_MIN, zoom * side / SIDE_PER_EM);
    cairo_set_font_size(f->cairo, f->em);
    const double bar = (double)f->width +
                       (f->legend->without_bar ? 0.0 : (1.0 + BAR + 2 * TICK) * f->em);
    double wide = bar + (LABELS - TICK) * f->em;
    int count = 0;
    for (const wabe_image *i = image; i; i = i->beside, count++) {
        char text[160];
        wide = fmax(wide,
                    bar + labels_width(f, i, fmax((double)f->height, BAR_MIN * f->em)) + f->em);
        title_of(i, text);
        wide = fmax(wide, width_of(f, text) + f->em);
    }
    f->block = round(wide + (count > 1 ? (LINE + LABELS) * f->em : 0.0));
    f->top = round((MARGIN + 2 * LINE + 0.4) * f->em);
    const double all = left_of(f) + (count - 1) * f->block + wide;
    f->canvas->width =
        (int64_t)ceil(fmax(all, left_of(f) + width_of(f, f->legend->headline) + f->em));
    f->canvas->height = (int64_t)ceil(f->top + fmax((double)f->height, BAR_MIN * f->em) +
                                      (TICK + 2 * LINE + MARGIN) * f->em);
}

/* The shades of grey of text and lines: of white where there is nothing. */
static void put_ink(const figure *f, cairo_surface_t *surface) {
    const int64_t width = f->canvas->width, stride = cairo_image_surface_get_stride(surface);
    const uint8_t *ink = cairo_image_surface_get_data(surface);
    const int last = f->palette->ink_count - 1;
    for (int64_t y = 0; y < f->canvas->height; y++)
        for (int64_t x = 0; x < width; x++) {
            const uint8_t alpha = ink[y * stride + x];
            if (alpha)
                f->canvas->pixels[y * width + x] =
                    (uint8_t)(f->palette->ink_begin + (alpha * last + 127) / 255);
        }
}

static void choose_font(cairo_t *cairo, double em) {
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, em);
}

static wabe_status draw_all(figure *f, const wabe_image *image, cairo_surface_t *surface) {
    const size_t bytes = (size_t)(f->canvas->width * f->canvas->height);
    f->canvas->pixels = malloc(bytes);
    WABE_CHECK(f->canvas->pixels && cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS,
               WABE_MEMORY, "no memory for a picture");
    memset(f->canvas->pixels, f->palette->ink_begin, bytes);
    choose_font(f->cairo, f->em);
    cairo_set_line_width(f->cairo, 1.0);
    put_text(f, left_of(f), (MARGIN + 0.5) * f->em, 0.0, f->legend->headline);
    int number = 0;
    for (; image; image = image->beside)
        WABE_TRY(put_image(f, image, number++));
    cairo_surface_flush(surface);
    put_ink(f, surface);
    return WABE_OK;
}

wabe_status wabe_figure_draw(const wabe_image *image, const wabe_image_legend *legend,
                             const wabe_palette *palette, wabe_canvas *out) {
    figure f = {.legend = legend, .palette = palette, .canvas = out};
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    f.cairo = cairo_create(surface);
    choose_font(f.cairo, EM_MIN);
    arrange(&f, image);
    cairo_destroy(f.cairo);
    cairo_surface_destroy(surface);
    if (out->width > SIDE_MAX || out->height > SIDE_MAX)
        return WABE_OK;
    surface = cairo_image_surface_create(CAIRO_FORMAT_A8, (int)out->width, (int)out->height);
    f.cairo = cairo_create(surface);
    wabe_status status = draw_all(&f, image, surface);
    if (status == WABE_OK && cairo_status(f.cairo) != CAIRO_STATUS_SUCCESS)
        status = WABE_FAIL(WABE_MEMORY, "a picture cannot be drawn: %s",
                           cairo_status_to_string(cairo_status(f.cairo)));
    cairo_destroy(f.cairo);
    cairo_surface_destroy(surface);
    return status;
}

bool wabe_image_has_legends(void) { return true; }

#else

wabe_status wabe_figure_draw(const wabe_image *image, const wabe_image_legend *legend,
                             const wabe_palette *palette, wabe_canvas *out) {
    (void)image, (void)legend, (void)palette, (void)out;
    return WABE_OK;
}

bool wabe_image_has_legends(void) { return false; }

#endif
