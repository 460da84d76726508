/* Statistics of a number of a field over all cells of a slab, bitwise the same in any order. */
#pragma once

#include "core/base/hash.h"
#include "core/base/sum.h"
#include "sweeps/cell/stencil.h"

#include <math.h>
#include <stdint.h>

extern const struct wabe_sweep wabe_sweep_scan;

typedef struct {
    double low, high;      /* INFINITY, -INFINITY: no value is finite */
    wabe_sum sum, squares; /* of the scaled finite values */
    int64_t broken;        /* number of values that are NaN or infinite */
    int64_t first_broken;  /* index of the first such cell in the domain, x fastest; INT64_MAX */
    uint64_t hash;         /* of all bits */
} wabe_scan_result;

/* scan: items are results; each of them takes an equal share of the slab's rows. */
typedef struct wabe_scan_args {
    wabe_grid_field field;
    int component;
    int64_t cells[3], first[3]; /* of the slab; global index of its first cell */
    int64_t domain[3];          /* cells */
    double scale; /* a power of two that makes all values at most 1; 0: sums are left out */
    int64_t count;
    wabe_scan_result *results;
} wabe_scan_args;

WABE_HOST_DEVICE wabe_scan_result wabe_scan_of_none(void) {
    wabe_scan_result r;
    memset(&r, 0, sizeof r);
    r.low = (double)INFINITY;
    r.high = -(double)INFINITY;
    r.first_broken = INT64_MAX;
    return r;
}

WABE_HOST_DEVICE void wabe_scan_merge(wabe_scan_result *s, const wabe_scan_result *part) {
    s->low = fmin(s->low, part->low);
    s->high = fmax(s->high, part->high);
    s->broken += part->broken;
    s->first_broken = part->first_broken < s->first_broken ? part->first_broken : s->first_broken;
    s->hash += part->hash;
    wabe_sum_merge(&s->sum, &part->sum);
    wabe_sum_merge(&s->squares, &part->squares);
}

/* Adds the value of the cell with this index in the domain. */
WABE_HOST_DEVICE void wabe_scan_add(wabe_scan_result *s, double value, int64_t index,
                                    double scale) {
    const double scaled = value * scale, plain = value + 0.0; /* -0 becomes 0 */
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    s->hash += wabe_hash_mix(bits + wabe_hash_mix((uint64_t)index + 1));
    if (!isfinite(value)) {
        s->broken++;
        s->first_broken = index < s->first_broken ? index : s->first_broken;
        return;
    }
    s->low = plain < s->low ? plain : s->low;
    s->high = plain > s->high ? plain : s->high;
    if (scale > 0.0) {
        wabe_sum_add(&s->sum, scaled);
        wabe_sum_add(&s->squares, scaled * scaled);
    }
}

/* A thread's part of an item: every rows-th of the item's rows, from row on, and in each of them
 * every lanes-th cell, from cell lane on; fewer than 2^31 cells. */
WABE_HOST_DEVICE wabe_scan_result wabe_scan_share(const wabe_scan_args *a, int64_t item,
                                                  int64_t row, int64_t rows, int64_t lane,
                                                  int64_t lanes) {
    const int64_t all = a->cells[1] * a->cells[2], end = all * (item + 1) / a->count;
    wabe_scan_result result = wabe_scan_of_none();
    for (row += all * item / a->count; row < end; row += rows) {
        const int64_t y = row % a->cells[1], z = row / a->cells[1];
        const int64_t index = a->first[0] +
                              a->domain[0] * (a->first[1] + y + a->domain[1] * (a->first[2] + z));
        for (int64_t x = lane; x < a->cells[0]; x += lanes) {
            const int64_t place = wabe_grid_place(&a->field, a->component, x, y, z);
            wabe_scan_add(&result, WABE_GRID_NUMBER(double, a->field.is_f64, &a->field, place),
                          index + x, a->scale);
        }
        wabe_sum_carry(&result.sum);
        wabe_sum_carry(&result.squares);
    }
    return result;
}
