/* A set of cells of a box, one bit per cell. */
#pragma once

#include "core/base/box.h"
#include "core/base/status.h"

#include <stdint.h>

typedef struct {
    wabe_box box; /* global indices */
    uint8_t *bits;
} wabe_mask;

/* Creates an empty set. WABE_MEMORY. Local. */
wabe_status wabe_mask_make(wabe_box box, wabe_mask *out);
void wabe_mask_free(wabe_mask *mask);

/* Returns the index of a cell's bit; the bits of a row are contiguous. Local. */
static inline int64_t wabe_mask_place(const wabe_mask *m, int64_t x, int64_t y, int64_t z) {
    return wabe_box_place(m->box, x, y, z);
}

static inline bool wabe_bits_has(const uint8_t *bits, int64_t place) {
    return bits[place >> 3] >> (place & 7) & 1;
}

static inline void wabe_bits_add(uint8_t *bits, int64_t place) {
    bits[place >> 3] |= (uint8_t)(1 << (place & 7));
}
