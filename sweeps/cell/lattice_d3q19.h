/* The D3Q19 velocity set: every loop over populations, on CPU and GPU, is generated from these
 * rows.
 *
 * A population's index is its position in the list. Opposite populations are adjacent, so that
 * opposite(q) is q + 1 for odd q and q - 1 for even q > 0. Compass names: e = +x, n = +y, t = +z.
 * Weights: 1/3, 1/18, 1/36 (Qian, d'Humieres, Lallemand 1992; Feichtinger et al. 2015, eq. 2). */
#pragma once

#include "core/base/host_device.h"

#define WABE_LATTICE "d3q19"
#define WABE_Q 19
#define WABE_WEIGHT_REST (1.0 / 3.0)
#define WABE_WEIGHT_AXIS (1.0 / 18.0)
#define WABE_WEIGHT_DIAGONAL (1.0 / 36.0)

/* X(name, cx, cy, cz, weight) */
#define WABE_D3Q19(X)                                                                              \
    X(c, 0, 0, 0, WABE_WEIGHT_REST)                                                                \
    X(e, 1, 0, 0, WABE_WEIGHT_AXIS)                                                                \
    X(w, -1, 0, 0, WABE_WEIGHT_AXIS)                                                               \
    X(n, 0, 1, 0, WABE_WEIGHT_AXIS)                                                                \
    X(s, 0, -1, 0, WABE_WEIGHT_AXIS)                                                               \
    X(t, 0, 0, 1, WABE_WEIGHT_AXIS)                                                                \
    X(b, 0, 0, -1, WABE_WEIGHT_AXIS)                                                               \
    X(ne, 1, 1, 0, WABE_WEIGHT_DIAGONAL)                                                           \
    X(sw, -1, -1, 0, WABE_WEIGHT_DIAGONAL)                                                         \
    X(se, 1, -1, 0, WABE_WEIGHT_DIAGONAL)                                                          \
    X(nw, -1, 1, 0, WABE_WEIGHT_DIAGONAL)                                                          \
    X(te, 1, 0, 1, WABE_WEIGHT_DIAGONAL)                                                           \
    X(bw, -1, 0, -1, WABE_WEIGHT_DIAGONAL)                                                         \
    X(be, 1, 0, -1, WABE_WEIGHT_DIAGONAL)                                                          \
    X(tw, -1, 0, 1, WABE_WEIGHT_DIAGONAL)                                                          \
    X(tn, 0, 1, 1, WABE_WEIGHT_DIAGONAL)                                                           \
    X(bs, 0, -1, -1, WABE_WEIGHT_DIAGONAL)                                                         \
    X(bn, 0, 1, -1, WABE_WEIGHT_DIAGONAL)                                                          \
    X(ts, 0, -1, 1, WABE_WEIGHT_DIAGONAL)

/* Index of each population: WABE_Q_c, WABE_Q_e, ... */
enum {
#define X(name, cx, cy, cz, weight) WABE_Q_##name,
    WABE_D3Q19(X)
#undef X
};

/* The weight of population q. */
WABE_HOST_DEVICE double wabe_lattice_weight(int q) {
    return q == 0 ? WABE_WEIGHT_REST : q <= 6 ? WABE_WEIGHT_AXIS : WABE_WEIGHT_DIAGONAL;
}

WABE_HOST_DEVICE int wabe_lattice_opposite(int q) { return q == 0 ? 0 : ((q - 1) ^ 1) + 1; }

/* The nine pairs of opposite populations: X(name, opposite, e_dot_u, weight), where e_dot_u is the
 * projection of u = (ux, uy, uz) on the first of the pair. */
#define WABE_D3Q19_PAIRS(X)                                                                        \
    X(e, w, ux, axis)                                                                              \
    X(n, s, uy, axis)                                                                              \
    X(t, b, uz, axis)                                                                              \
    X(ne, sw, ux + uy, diagonal)                                                                   \
    X(se, nw, ux - uy, diagonal)                                                                   \
    X(te, bw, ux + uz, diagonal)                                                                   \
    X(be, tw, ux - uz, diagonal)                                                                   \
    X(tn, bs, uy + uz, diagonal)                                                                   \
    X(bn, ts, uy - uz, diagonal)

/* The moving populations by their direction along x, each with its opposite, e.u and weight: those
 * that a row of cells exchanges with walls at its ends, and with walls beside it. */
#define WABE_D3Q19_EAST(X)                                                                         \
    X(e, w, ux, axis)                                                                              \
    X(ne, sw, ux + uy, diagonal)                                                                   \
    X(se, nw, ux - uy, diagonal)                                                                   \
    X(te, bw, ux + uz, diagonal)                                                                   \
    X(be, tw, ux - uz, diagonal)

#define WABE_D3Q19_WEST(X)                                                                         \
    X(w, e, -ux, axis)                                                                             \
    X(sw, ne, -(ux + uy), diagonal)                                                                \
    X(nw, se, -(ux - uy), diagonal)                                                                \
    X(bw, te, -(ux + uz), diagonal)                                                                \
    X(tw, be, -(ux - uz), diagonal)

#define WABE_D3Q19_MIDDLE(X)                                                                       \
    X(n, s, uy, axis)                                                                              \
    X(s, n, -uy, axis)                                                                             \
    X(t, b, uz, axis)                                                                              \
    X(b, t, -uz, axis)                                                                             \
    X(tn, bs, uy + uz, diagonal)                                                                   \
    X(bs, tn, -(uy + uz), diagonal)                                                                \
    X(bn, ts, uy - uz, diagonal)                                                                   \
    X(ts, bn, -(uy - uz), diagonal)
