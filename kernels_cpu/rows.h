/* Stores of a row's cells: past the caches, but for lines of which the row has a part only. Whoever
 * stores to a line in both ways waits for it twice. Include kernels_cpu/vector.h first. */
#pragma once

#include "sweeps/cell/grid.h"

enum { WABE_LINE = 64 / sizeof(wabe_scalar) };

/* The cells of whole lines. */
WABE_INLINE int64_t wabe_lines_begin(wabe_row row) {
    return (row.begin + WABE_LINE - 1) / WABE_LINE * WABE_LINE;
}
WABE_INLINE int64_t wabe_lines_end(wabe_row row) { return row.end / WABE_LINE * WABE_LINE; }

/* Those of the lanes from cell x on that are the row's. */
WABE_INLINE unsigned wabe_lanes_of_row(wabe_row row, int64_t x) {
    const unsigned all = (1u << WABE_LANES) - 1u;
    const unsigned low = x < row.begin ? all << (row.begin - x) : all;
    const unsigned high = x + WABE_LANES > row.end ? (1u << (row.end - x)) - 1u : all;
    return low & high & all;
}

/* A vector that need not be the row's altogether. */
WABE_INLINE void wabe_store_of_row(wabe_scalar *to, int64_t x, wabe_vector v, wabe_row row) {
    const unsigned lanes = wabe_lanes_of_row(row, x);
    if (x >= wabe_lines_begin(row) && x < wabe_lines_end(row))
        WABE_STREAM(to + x, v);
    else if (lanes == (1u << WABE_LANES) - 1u)
        WABE_STORE(to + x, v);
    else
        wabe_store_masked(to + x, v, lanes);
}
