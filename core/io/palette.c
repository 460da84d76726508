#include "core/io/palette.h"

#include <math.h>

enum { NO_VALUE_GREY = 160 };

typedef struct {
    int count;
    double step; /* between two anchors: a map has entries 0 to 255 */
    const uint8_t (*anchors)[3];
} colour_map;

/* Viridis (S. van der Walt and N. Smith, public domain), every 15th of its 256 colours. A cubic
 * through these stays within 4/255 of the full table. */
static const uint8_t viridis_anchors[18][3] = {
    {68, 1, 84},    {72, 23, 105},  {71, 42, 122},  {67, 61, 132},  {61, 78, 138},  {53, 94, 141},
    {46, 109, 142}, {41, 123, 142}, {35, 137, 142}, {31, 151, 139}, {33, 165, 133}, {46, 179, 124},
    {70, 192, 111}, {101, 203, 94}, {137, 213, 72}, {176, 221, 47}, {216, 226, 25}, {253, 231, 37},
};

/* Blue over light grey to red: K. Moreland, Diverging color maps for scientific visualization, ISVC
 * 2009, table of 9 colours. */
static const uint8_t diverging_anchors[9][3] = {
    {59, 76, 192},   {98, 130, 234},  {141, 176, 254}, {184, 208, 249}, {221, 221, 221},
    {245, 196, 173}, {244, 154, 123}, {222, 96, 77},   {180, 4, 38},
};

static const colour_map maps[2] = {{18, 15.0, viridis_anchors}, {9, 255.0 / 8, diverging_anchors}};

/* Catmull-Rom interpolation; beyond the ends the anchors are extrapolated linearly. */
static uint8_t interpolate(const colour_map *map, int channel, double entry) {
    const int last = map->count - 2;
    const int k = entry / map->step < last ? (int)(entry / map->step) : last;
    const double t = (entry - k * map->step) / map->step;
    const double b = map->anchors[k][channel], c = map->anchors[k + 1][channel];
    const double a = k > 0 ? map->anchors[k - 1][channel] : 2 * b - c;
    const double d = k < last ? map->anchors[k + 2][channel] : 2 * c - b;
    const double value =
        b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
    return (uint8_t)(fmin(fmax(value, 0), 255) + 0.5);
}

static void add_map(wabe_palette *p, bool diverging) {
    p->map_begin[diverging] = p->count;
    for (int i = 0; i < p->map_colours; i++, p->count++)
        for (int channel = 0; channel < 3; channel++)
            p->entries[p->count][channel] = interpolate(&maps[diverging], channel,
                                                        255.0 * i / (p->map_colours - 1));
}

static uint8_t add_grey(wabe_palette *p, int grey) {
    for (int channel = 0; channel < 3; channel++)
        p->entries[p->count][channel] = (uint8_t)grey;
    return (uint8_t)p->count++;
}

void wabe_palette_make(bool viridis, bool diverging, int ink_count, wabe_palette *out) {
    *out = (wabe_palette){.map_colours = (255 - ink_count) / (viridis && diverging ? 2 : 1),
                          .ink_count = ink_count};
    if (viridis)
        add_map(out, false);
    if (diverging)
        add_map(out, true);
    out->no_value = add_grey(out, NO_VALUE_GREY);
    out->ink_begin = (uint8_t)out->count;
    for (int i = 0; i < ink_count; i++)
        add_grey(out, 255 - 255 * i / (ink_count - 1));
}
