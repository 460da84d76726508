/* The colours of pictures, as entries of a palette: one or two colour maps, the grey of what has no
 * value, and greys for text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int count; /* entries in all, at most 256 */
    uint8_t entries[256][3];
    int map_colours;   /* of each map */
    int map_begin[2];  /* entry of the first colour: of viridis, and of the map that diverges */
    uint8_t no_value;  /* entry */
    uint8_t ink_begin; /* entry of white, followed by greys to black */
    int ink_count;
} wabe_palette;

/* Makes a palette: viridis (perceptually uniform), a map that diverges from a light middle to blue
 * and red, or both, which then have half of the colours each; and ink_count greys from white to
 * black. Local. */
void wabe_palette_make(bool viridis, bool diverging, int ink_count, wabe_palette *out);

/* Returns the entry of a map's colour at a fraction of it; fractions beyond 0 and 1 get the colours
 * at the ends, NAN that of no value. Local. */
static inline uint8_t wabe_palette_entry(const wabe_palette *palette, bool diverging,
                                         float fraction) {
    if (fraction != fraction)
        return palette->no_value;
    const float inside = fraction < 0.0f ? 0.0f : fraction > 1.0f ? 1.0f : fraction;
    return (uint8_t)(palette->map_begin[diverging] +
                     (int)(inside * (float)(palette->map_colours - 1) + 0.5f));
}
