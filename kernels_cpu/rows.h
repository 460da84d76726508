/* Stores to a row's cells: non-temporal, except to cache lines that the row covers only in part,
 * since a line that is stored to in both ways is waited for twice. Include kernels_cpu/vector.h
 * first. */
#pragma once

#include "sweeps/cell/grid.h"

enum { WABE_LINE = 64 / sizeof(wabe_scalar) };

/* The range of cells in whole cache lines. */
WABE_INLINE int64_t wabe_lines_begin(wabe_row row) {
    return (row.begin + WABE_LINE - 1) / WABE_LINE * WABE_LINE;
}
WABE_INLINE int64_t wabe_lines_end(wabe_row row) { return row.end / WABE_LINE * WABE_LINE; }

/* Mask of the lanes from cell x on that belong to the row. */
WABE_INLINE unsigned wabe_lanes_of_row(wabe_row row, int64_t x) {
    const unsigned all = (1u << WABE_LANES) - 1u;
    const unsigned low = x < row.begin ? all << (row.begin - x) : all;
    const unsigned high = x + WABE_LANES > row.end ? (1u << (row.end - x)) - 1u : all;
    return low & high & all;
}

/* Stores a vector, of which the row may have only some lanes. */
WABE_INLINE void wabe_store_of_row(wabe_scalar *to, int64_t x, wabe_vector v, wabe_row row) {
    const unsigned lanes = wabe_lanes_of_row(row, x);
    if (x >= wabe_lines_begin(row) && x < wabe_lines_end(row))
        WABE_STREAM(to + x, v);
    else if (lanes == (1u << WABE_LANES) - 1u)
        WABE_STORE(to + x, v);
    else
        wabe_store_masked(to + x, v, lanes);
}
