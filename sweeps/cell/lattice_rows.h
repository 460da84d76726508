/* The velocity sets (lattices): every loop over populations, on CPU and GPU, is generated from
 * these rows.
 *
 * A population's index is its position in the list. Opposite populations are adjacent, so that
 * opposite(q) is q + 1 for odd q and q - 1 for even q > 0. Compass names: e = +x, n = +y, t = +z.
 * A larger set continues a smaller one, so that a flow's population has the same index in all.
 * Weights of D3Q19: Qian, d'Humieres, Lallemand 1992 (Feichtinger et al. 2015, eq. 2); of D3Q27:
 * products of those of D1Q3, 2/3 and 1/6 (Qian et al., as above).
 *
 * D3Q19_D3Q7 and D3Q19_D3Q19 are flows that carry a scalar: the populations of D3Q19, and behind
 * them those of the scalar, seven (ge, ...) or one for each of the flow's (he, ...). They are
 * streamed, exchanged and stored as the others are, and differ in their collision and at walls. */
#pragma once

#include "core/base/host_device.h"

/* X(lattice, populations, ...) */
#define WABE_LATTICE_ROWS(X, ...)                                                                  \
    X(d3q19, 19, __VA_ARGS__)                                                                      \
    X(d3q27, 27, __VA_ARGS__)                                                                      \
    X(d3q19_d3q7, 26, __VA_ARGS__)                                                                 \
    X(d3q19_d3q19, 38, __VA_ARGS__)

/* WABE_COUNT_d3q19, ...: the number of populations. */
#define WABE_LATTICE_COUNT(lattice, count, ...) WABE_COUNT_##lattice = (count),
enum { WABE_LATTICE_ROWS(WABE_LATTICE_COUNT, ) WABE_Q_MAX = 38 };

/* The number of populations of the flow, which come first. */
enum {
    WABE_FLOW_d3q19 = 19,
    WABE_FLOW_d3q27 = 27,
    WABE_FLOW_d3q19_d3q7 = WABE_FLOW_d3q19,
    WABE_FLOW_d3q19_d3q19 = WABE_FLOW_d3q19,
    WABE_SCALAR_MOVING = 18 /* of a scalar's populations, at most */
};

/* Weights by the class of a velocity: of cells along an axis, along the diagonal of a face, and of
 * a corner; of a scalar. */
#define WABE_WEIGHT_rest_d3q19 (1.0 / 3.0)
#define WABE_WEIGHT_axis_d3q19 (1.0 / 18.0)
#define WABE_WEIGHT_diagonal_d3q19 (1.0 / 36.0)
#define WABE_WEIGHT_corner_d3q19 0.0
#define WABE_WEIGHT_rest_d3q27 (8.0 / 27.0)
#define WABE_WEIGHT_axis_d3q27 (2.0 / 27.0)
#define WABE_WEIGHT_diagonal_d3q27 (1.0 / 54.0)
#define WABE_WEIGHT_corner_d3q27 (1.0 / 216.0)
#define WABE_WEIGHT_rest_d3q19_d3q7 WABE_WEIGHT_rest_d3q19
#define WABE_WEIGHT_axis_d3q19_d3q7 WABE_WEIGHT_axis_d3q19
#define WABE_WEIGHT_diagonal_d3q19_d3q7 WABE_WEIGHT_diagonal_d3q19
#define WABE_WEIGHT_corner_d3q19_d3q7 0.0
#define WABE_WEIGHT_rest_d3q19_d3q19 WABE_WEIGHT_rest_d3q19
#define WABE_WEIGHT_axis_d3q19_d3q19 WABE_WEIGHT_axis_d3q19
#define WABE_WEIGHT_diagonal_d3q19_d3q19 WABE_WEIGHT_diagonal_d3q19
#define WABE_WEIGHT_corner_d3q19_d3q19 0.0
#define WABE_WEIGHT_scalar (1.0 / 8.0)
#define WABE_WEIGHT_scalar_rest (1.0 / 4.0)

/* X(class): those of the flow's moving populations. */
#define WABE_CLASSES_d3q19(X) X(axis) X(diagonal)
#define WABE_CLASSES_d3q27(X) WABE_CLASSES_d3q19(X) X(corner)
#define WABE_CLASSES_d3q19_d3q7(X) WABE_CLASSES_d3q19(X)
#define WABE_CLASSES_d3q19_d3q19(X) WABE_CLASSES_d3q19(X)

/* The text, if there are corners. */
#define WABE_IF_CORNERS_d3q19(...)
#define WABE_IF_CORNERS_d3q27(...) __VA_ARGS__
#define WABE_IF_CORNERS_d3q19_d3q7(...)
#define WABE_IF_CORNERS_d3q19_d3q19(...)

/* The text, if there is a scalar. */
#define WABE_IF_SCALAR_d3q19(...)
#define WABE_IF_SCALAR_d3q27(...)
#define WABE_IF_SCALAR_d3q19_d3q7(...) __VA_ARGS__
#define WABE_IF_SCALAR_d3q19_d3q19(...) __VA_ARGS__

/* The text, if the scalar has seven populations; if it has those of the flow, which carry it. */
#define WABE_IF_SEVEN_d3q19(...)
#define WABE_IF_SEVEN_d3q27(...)
#define WABE_IF_SEVEN_d3q19_d3q7(...) __VA_ARGS__
#define WABE_IF_SEVEN_d3q19_d3q19(...)
#define WABE_IF_CARRIED_d3q19(...)
#define WABE_IF_CARRIED_d3q27(...)
#define WABE_IF_CARRIED_d3q19_d3q7(...)
#define WABE_IF_CARRIED_d3q19_d3q19(...) __VA_ARGS__

/* X(name, cx, cy, cz, class) */
#define WABE_POPULATIONS_d3q19(X)                                                                  \
    X(c, 0, 0, 0, rest)                                                                            \
    X(e, 1, 0, 0, axis)                                                                            \
    X(w, -1, 0, 0, axis)                                                                           \
    X(n, 0, 1, 0, axis)                                                                            \
    X(s, 0, -1, 0, axis)                                                                           \
    X(t, 0, 0, 1, axis)                                                                            \
    X(b, 0, 0, -1, axis)                                                                           \
    X(ne, 1, 1, 0, diagonal)                                                                       \
    X(sw, -1, -1, 0, diagonal)                                                                     \
    X(se, 1, -1, 0, diagonal)                                                                      \
    X(nw, -1, 1, 0, diagonal)                                                                      \
    X(te, 1, 0, 1, diagonal)                                                                       \
    X(bw, -1, 0, -1, diagonal)                                                                     \
    X(be, 1, 0, -1, diagonal)                                                                      \
    X(tw, -1, 0, 1, diagonal)                                                                      \
    X(tn, 0, 1, 1, diagonal)                                                                       \
    X(bs, 0, -1, -1, diagonal)                                                                     \
    X(bn, 0, 1, -1, diagonal)                                                                      \
    X(ts, 0, -1, 1, diagonal)

#define WABE_POPULATIONS_d3q27(X)                                                                  \
    WABE_POPULATIONS_d3q19(X) X(tne, 1, 1, 1, corner) X(bsw, -1, -1, -1, corner)                   \
        X(bne, 1, 1, -1, corner) X(tsw, -1, -1, 1, corner) X(tse, 1, -1, 1, corner)                \
            X(bnw, -1, 1, -1, corner) X(bse, 1, -1, -1, corner) X(tnw, -1, 1, 1, corner)

#define WABE_POPULATIONS_scalar(X)                                                                 \
    X(ge, 1, 0, 0, scalar)                                                                         \
    X(gw, -1, 0, 0, scalar)                                                                        \
    X(gn, 0, 1, 0, scalar)                                                                         \
    X(gs, 0, -1, 0, scalar)                                                                        \
    X(gt, 0, 0, 1, scalar)                                                                         \
    X(gb, 0, 0, -1, scalar)                                                                        \
    X(gc, 0, 0, 0, scalar_rest)
#define WABE_POPULATIONS_d3q19_d3q7(X) WABE_POPULATIONS_d3q19(X) WABE_POPULATIONS_scalar(X)

#define WABE_POPULATIONS_carried(X)                                                                \
    X(he, 1, 0, 0, carried_axis)                                                                   \
    X(hw, -1, 0, 0, carried_axis)                                                                  \
    X(hn, 0, 1, 0, carried_axis)                                                                   \
    X(hs, 0, -1, 0, carried_axis)                                                                  \
    X(ht, 0, 0, 1, carried_axis)                                                                   \
    X(hb, 0, 0, -1, carried_axis)                                                                  \
    X(hne, 1, 1, 0, carried_diagonal)                                                              \
    X(hsw, -1, -1, 0, carried_diagonal)                                                            \
    X(hse, 1, -1, 0, carried_diagonal)                                                             \
    X(hnw, -1, 1, 0, carried_diagonal)                                                             \
    X(hte, 1, 0, 1, carried_diagonal)                                                              \
    X(hbw, -1, 0, -1, carried_diagonal)                                                            \
    X(hbe, 1, 0, -1, carried_diagonal)                                                             \
    X(htw, -1, 0, 1, carried_diagonal)                                                             \
    X(htn, 0, 1, 1, carried_diagonal)                                                              \
    X(hbs, 0, -1, -1, carried_diagonal)                                                            \
    X(hbn, 0, 1, -1, carried_diagonal)                                                             \
    X(hts, 0, -1, 1, carried_diagonal)                                                             \
    X(hc, 0, 0, 0, carried_rest)
#define WABE_POPULATIONS_d3q19_d3q19(X) WABE_POPULATIONS_d3q19(X) WABE_POPULATIONS_carried(X)

/* The population of the flow that has the velocity of one of a scalar. */
#define WABE_CARRIER_he e
#define WABE_CARRIER_hw w
#define WABE_CARRIER_hn n
#define WABE_CARRIER_hs s
#define WABE_CARRIER_ht t
#define WABE_CARRIER_hb b
#define WABE_CARRIER_hne ne
#define WABE_CARRIER_hsw sw
#define WABE_CARRIER_hse se
#define WABE_CARRIER_hnw nw
#define WABE_CARRIER_hte te
#define WABE_CARRIER_hbw bw
#define WABE_CARRIER_hbe be
#define WABE_CARRIER_htw tw
#define WABE_CARRIER_htn tn
#define WABE_CARRIER_hbs bs
#define WABE_CARRIER_hbn bn
#define WABE_CARRIER_hts ts
#define WABE_CARRIER_hc c

/* Index of each population: WABE_Q_c, WABE_Q_e, ... */
enum {
#define X(name, cx, cy, cz, class) WABE_Q_##name,
    WABE_POPULATIONS_d3q27(X)
#undef X
};
enum {
    WABE_Q_before_scalar = WABE_FLOW_d3q19_d3q7 - 1,
#define X(name, cx, cy, cz, class) WABE_Q_##name,
    WABE_POPULATIONS_scalar(X)
#undef X
};
enum {
    WABE_Q_before_carried = WABE_FLOW_d3q19_d3q19 - 1,
#define X(name, cx, cy, cz, class) WABE_Q_##name,
    WABE_POPULATIONS_carried(X)
#undef X
};

/* In a set of so many populations. One without a partner rests. */
WABE_HOST_DEVICE int wabe_lattice_opposite(int populations, int q) {
    const int partner = ((q - 1) ^ 1) + 1;
    return q == 0 || partner >= populations ? q : partner;
}

/* X(name): the populations at rest. */
#define WABE_RESTS_d3q19(X) X(c)
#define WABE_RESTS_d3q27(X) X(c)
#define WABE_RESTS_d3q19_d3q7(X) X(c) X(gc)
#define WABE_RESTS_d3q19_d3q19(X) X(c) X(hc)

/* The pairs of opposite populations: X(name, opposite, e_dot_u, class), where e_dot_u is the
 * projection of u = (ux, uy, uz) on the first of the pair. */
#define WABE_PAIRS_d3q19(X)                                                                        \
    X(e, w, ux, axis)                                                                              \
    X(n, s, uy, axis)                                                                              \
    X(t, b, uz, axis)                                                                              \
    X(ne, sw, ux + uy, diagonal)                                                                   \
    X(se, nw, ux - uy, diagonal)                                                                   \
    X(te, bw, ux + uz, diagonal)                                                                   \
    X(be, tw, ux - uz, diagonal)                                                                   \
    X(tn, bs, uy + uz, diagonal)                                                                   \
    X(bn, ts, uy - uz, diagonal)

#define WABE_CORNER_PAIRS(X)                                                                       \
    X(tne, bsw, (ux + uy) + uz, corner)                                                            \
    X(bne, tsw, (ux + uy) - uz, corner)                                                            \
    X(tse, bnw, (ux - uy) + uz, corner)                                                            \
    X(bse, tnw, (ux - uy) - uz, corner)
#define WABE_PAIRS_d3q27(X) WABE_PAIRS_d3q19(X) WABE_CORNER_PAIRS(X)

#define WABE_SCALAR_PAIRS(X) X(ge, gw, ux, scalar) X(gn, gs, uy, scalar) X(gt, gb, uz, scalar)
#define WABE_PAIRS_d3q19_d3q7(X) WABE_PAIRS_d3q19(X) WABE_SCALAR_PAIRS(X)

#define WABE_CARRIED_PAIRS(X)                                                                      \
    X(he, hw, ux, carried_axis)                                                                    \
    X(hn, hs, uy, carried_axis)                                                                    \
    X(ht, hb, uz, carried_axis)                                                                    \
    X(hne, hsw, ux + uy, carried_diagonal)                                                         \
    X(hse, hnw, ux - uy, carried_diagonal)                                                         \
    X(hte, hbw, ux + uz, carried_diagonal)                                                         \
    X(hbe, htw, ux - uz, carried_diagonal)                                                         \
    X(htn, hbs, uy + uz, carried_diagonal)                                                         \
    X(hbn, hts, uy - uz, carried_diagonal)
#define WABE_PAIRS_d3q19_d3q19(X) WABE_PAIRS_d3q19(X) WABE_CARRIED_PAIRS(X)

/* Those of the flow. */
#define WABE_FLOW_PAIRS_d3q19(X) WABE_PAIRS_d3q19(X)
#define WABE_FLOW_PAIRS_d3q27(X) WABE_PAIRS_d3q27(X)
#define WABE_FLOW_PAIRS_d3q19_d3q7(X) WABE_PAIRS_d3q19(X)
#define WABE_FLOW_PAIRS_d3q19_d3q19(X) WABE_PAIRS_d3q19(X)

/* The moving populations by their direction along x, each with its opposite, e.u and class: those
 * that a row of cells exchanges with walls at its ends, and with walls beside it. */
#define WABE_EAST_d3q19(X)                                                                         \
    X(e, w, ux, axis)                                                                              \
    X(ne, sw, ux + uy, diagonal)                                                                   \
    X(se, nw, ux - uy, diagonal)                                                                   \
    X(te, bw, ux + uz, diagonal)                                                                   \
    X(be, tw, ux - uz, diagonal)
#define WABE_EAST_d3q27(X) WABE_EAST_d3q19(X) WABE_CORNER_PAIRS(X)
#define WABE_EAST_d3q19_d3q7(X) WABE_EAST_d3q19(X) X(ge, gw, ux, scalar)
#define WABE_EAST_d3q19_d3q19(X)                                                                   \
    WABE_EAST_d3q19(X) X(he, hw, ux, carried_axis) X(hne, hsw, ux + uy, carried_diagonal)          \
        X(hse, hnw, ux - uy, carried_diagonal) X(hte, hbw, ux + uz, carried_diagonal)              \
            X(hbe, htw, ux - uz, carried_diagonal)

#define WABE_WEST_d3q19(X)                                                                         \
    X(w, e, -ux, axis)                                                                             \
    X(sw, ne, -(ux + uy), diagonal)                                                                \
    X(nw, se, -(ux - uy), diagonal)                                                                \
    X(bw, te, -(ux + uz), diagonal)                                                                \
    X(tw, be, -(ux - uz), diagonal)
#define WABE_WEST_d3q27(X)                                                                         \
    WABE_WEST_d3q19(X) X(bsw, tne, -((ux + uy) + uz), corner)                                      \
        X(tsw, bne, -((ux + uy) - uz), corner) X(bnw, tse, -((ux - uy) + uz), corner)              \
            X(tnw, bse, -((ux - uy) - uz), corner)
#define WABE_WEST_d3q19_d3q7(X) WABE_WEST_d3q19(X) X(gw, ge, -ux, scalar)
#define WABE_WEST_d3q19_d3q19(X)                                                                   \
    WABE_WEST_d3q19(X) X(hw, he, -ux, carried_axis) X(hsw, hne, -(ux + uy), carried_diagonal)      \
        X(hnw, hse, -(ux - uy), carried_diagonal) X(hbw, hte, -(ux + uz), carried_diagonal)        \
            X(htw, hbe, -(ux - uz), carried_diagonal)

#define WABE_MIDDLE_d3q19(X)                                                                       \
    X(n, s, uy, axis)                                                                              \
    X(s, n, -uy, axis)                                                                             \
    X(t, b, uz, axis)                                                                              \
    X(b, t, -uz, axis)                                                                             \
    X(tn, bs, uy + uz, diagonal)                                                                   \
    X(bs, tn, -(uy + uz), diagonal)                                                                \
    X(bn, ts, uy - uz, diagonal)                                                                   \
    X(ts, bn, -(uy - uz), diagonal)
#define WABE_MIDDLE_d3q27(X) WABE_MIDDLE_d3q19(X)
#define WABE_MIDDLE_d3q19_d3q7(X)                                                                  \
    WABE_MIDDLE_d3q19(X) X(gn, gs, uy, scalar) X(gs, gn, -uy, scalar) X(gt, gb, uz, scalar)        \
        X(gb, gt, -uz, scalar)
#define WABE_MIDDLE_d3q19_d3q19(X)                                                                 \
    WABE_MIDDLE_d3q19(X) X(hn, hs, uy, carried_axis) X(hs, hn, -uy, carried_axis)                  \
        X(ht, hb, uz, carried_axis) X(hb, ht, -uz, carried_axis)                                   \
            X(htn, hbs, uy + uz, carried_diagonal) X(hbs, htn, -(uy + uz), carried_diagonal)       \
                X(hbn, hts, uy - uz, carried_diagonal) X(hts, hbn, -(uy - uz), carried_diagonal)
