/* A test program of two lattices and a field that both read: two fluids in a box with solids, by
 * colours (A. K. Gunstensen, D. H. Rothman, S. Zaleski, G. Zanetti, Phys. Rev. A 43 (1991) 4320;
 * recolouring of M. Latva-Kokko, D. H. Rothman, Phys. Rev. E 71 (2005) 056702).
 *
 * A lattice is a field with a number for each population, which a sweep reads where it comes from.
 * measure computes the phase, (red - blue) / (red + blue), of each cell; collide streams and
 * collides both lattices with the phase's gradient, from the 26 cells around. Solids, and all that
 * is behind faces which are not periodic, return what reaches them. */
#pragma once

#include "sweeps/cell/stencil.h"

enum { COLOUR_Q = 19 };
enum { COLOUR_RED, COLOUR_BLUE, COLOUR_PHASE, COLOUR_SOLID, COLOUR_FIELDS };

/* X(q, x, y, z, opposite, weight): the populations. */
#define COLOUR_POPULATIONS(X)                                                                      \
    X(0, 0, 0, 0, 0, 3)                                                                            \
    X(1, 1, 0, 0, 2, 18)                                                                           \
    X(2, -1, 0, 0, 1, 18)                                                                          \
    X(3, 0, 1, 0, 4, 18)                                                                           \
    X(4, 0, -1, 0, 3, 18)                                                                          \
    X(5, 0, 0, 1, 6, 18)                                                                           \
    X(6, 0, 0, -1, 5, 18)                                                                          \
    X(7, 1, 1, 0, 8, 36)                                                                           \
    X(8, -1, -1, 0, 7, 36)                                                                         \
    X(9, 1, -1, 0, 10, 36)                                                                         \
    X(10, -1, 1, 0, 9, 36)                                                                         \
    X(11, 1, 0, 1, 12, 36)                                                                         \
    X(12, -1, 0, -1, 11, 36)                                                                       \
    X(13, 1, 0, -1, 14, 36)                                                                        \
    X(14, -1, 0, 1, 13, 36)                                                                        \
    X(15, 0, 1, 1, 16, 36)                                                                         \
    X(16, 0, -1, -1, 15, 36)                                                                       \
    X(17, 0, 1, -1, 18, 36)                                                                        \
    X(18, 0, -1, 1, 17, 36)

#define COLOUR_RATE 1.25 /* 1 / tau */
#define COLOUR_TENSION 0.0078125
#define COLOUR_RECOLOURING 0.75

typedef struct wabe_measure_args {
    wabe_grid_args grid;
} wabe_measure_args;
typedef struct wabe_collide_args {
    wabe_grid_args grid;
} wabe_collide_args;

/* The sweeps' accesses. */
enum { MEASURE_PHASE, MEASURE_RED, MEASURE_BLUE };
enum { COLLIDE_RED_TO, COLLIDE_BLUE_TO, COLLIDE_RED, COLLIDE_BLUE, COLLIDE_PHASE, COLLIDE_SOLID };

/* See sweeps/cell/stencil.h: the phase is in f32, as are the solids. */
enum { WABE_BEGINS_measure = 1, WABE_BEGINS_collide = 1 | 1 << COLOUR_Q };
#define COLOUR_STENCILS(X)                                                                         \
    X(measure, 1, 0, 0x1, 0, 2 * COLOUR_Q, 4, 40)                                                  \
    X(collide, 2 * COLOUR_Q, 0, 0x30, 0, 4 * COLOUR_Q, 8, 700)

#ifdef WABE_REAL

WABE_INLINE WABE_REAL wabe_colour_amount(const wabe_cell *c, int access) {
    WABE_REAL sum = WABE_AT(c, access, 0, 0, 0, 0);
    for (int q = 1; q < COLOUR_Q; q++)
        sum = sum + WABE_AT(c, access, q, 0, 0, 0);
    return sum;
}

WABE_INLINE void wabe_measure_cell(const wabe_measure_args *a, const wabe_cell *c, WABE_REAL out[],
                                   WABE_REAL reduced[]) {
    const WABE_REAL red = wabe_colour_amount(c, MEASURE_RED);
    const WABE_REAL blue = wabe_colour_amount(c, MEASURE_BLUE);
    (void)a, (void)reduced;
    out[0] = (red - blue) / (red + blue);
}

/* The phase's gradient over what lies around, along axis 0, 1 or 2. */
WABE_INLINE WABE_REAL wabe_colour_gradient(const wabe_cell *c, int axis) {
    WABE_REAL sum = WABE_REAL_OF(0.0);
    for (int i = -1; i <= 1; i++)
        for (int k = -1; k <= 1; k++) {
            const WABE_REAL weight = WABE_REAL_OF((i ? 1.0 : 4.0) * (k ? 1.0 : 4.0) / 72.0);
            const WABE_REAL high = axis == 0   ? WABE_AT(c, COLLIDE_PHASE, 0, 1, i, k)
                                   : axis == 1 ? WABE_AT(c, COLLIDE_PHASE, 0, i, 1, k)
                                               : WABE_AT(c, COLLIDE_PHASE, 0, i, k, 1);
            const WABE_REAL low = axis == 0   ? WABE_AT(c, COLLIDE_PHASE, 0, -1, i, k)
                                  : axis == 1 ? WABE_AT(c, COLLIDE_PHASE, 0, i, -1, k)
                                              : WABE_AT(c, COLLIDE_PHASE, 0, i, k, -1);
            sum = sum + weight * (high - low);
        }
    return sum;
}

/* What arrives: s (1 in solids, otherwise 0) chooses what the cell itself has sent there. */
#define COLOUR_ARRIVES(c, access, q, x, y, z, opposite, s)                                         \
    ((s)*WABE_AT(c, access, opposite, 0, 0, 0) +                                                   \
     (WABE_REAL_OF(1.0) - (s)) * WABE_AT(c, access, q, -(x), -(y), -(z)))

WABE_INLINE void wabe_collide_cell(const wabe_collide_args *a, const wabe_cell *c, WABE_REAL out[],
                                   WABE_REAL reduced[]) {
    const WABE_REAL one = WABE_REAL_OF(1.0), none = WABE_REAL_OF(0.0);
    const WABE_REAL solid = WABE_AT(c, COLLIDE_SOLID, 0, 0, 0, 0), fluid = one - solid;
    WABE_REAL all[COLOUR_Q], red = none, rho = none, ux = none, uy = none, uz = none;
    (void)a, (void)reduced;
#define X(q, x, y, z, opposite, weight)                                                            \
    const WABE_REAL s##q = WABE_AT(c, COLLIDE_SOLID, 0, -(x), -(y), -(z));                         \
    const WABE_REAL red##q = COLOUR_ARRIVES(c, COLLIDE_RED, q, x, y, z, opposite, s##q);           \
    all[q] = red##q + COLOUR_ARRIVES(c, COLLIDE_BLUE, q, x, y, z, opposite, s##q);                 \
    red = red + red##q;                                                                            \
    rho = rho + all[q];                                                                            \
    ux = ux + WABE_REAL_OF(x) * all[q], uy = uy + WABE_REAL_OF(y) * all[q];                        \
    uz = uz + WABE_REAL_OF(z) * all[q];
    COLOUR_POPULATIONS(X)
#undef X
    ux = ux / rho, uy = uy / rho, uz = uz / rho;
    const WABE_REAL gx = wabe_colour_gradient(c, 0), gy = wabe_colour_gradient(c, 1);
    const WABE_REAL gz = wabe_colour_gradient(c, 2);
    const WABE_REAL size = WABE_SQRT(gx * gx + (gy * gy + gz * gz));
    const WABE_REAL unit = one / (size + WABE_REAL_OF(1e-12));
    const WABE_REAL nx = gx * unit, ny = gy * unit, nz = gz * unit;
    const WABE_REAL square = WABE_REAL_OF(1.5) * (ux * ux + (uy * uy + uz * uz));
    const WABE_REAL tension = WABE_REAL_OF(COLOUR_TENSION) * size;
    const WABE_REAL share = red / rho,
                    mixed = WABE_REAL_OF(COLOUR_RECOLOURING) * share * (rho - red);
#define X(q, x, y, z, opposite, weight)                                                            \
    {                                                                                              \
        const WABE_REAL w = WABE_REAL_OF(1.0 / (weight));                                          \
        const WABE_REAL along = WABE_REAL_OF(x) * ux +                                             \
                                (WABE_REAL_OF(y) * uy + WABE_REAL_OF(z) * uz);                     \
        const WABE_REAL across = WABE_REAL_OF(x) * nx +                                            \
                                 (WABE_REAL_OF(y) * ny + WABE_REAL_OF(z) * nz);                    \
        const WABE_REAL even = one - square +                                                      \
                               along * (WABE_REAL_OF(3.0) + WABE_REAL_OF(4.5) * along);            \
        const WABE_REAL left = all[q] + WABE_REAL_OF(COLOUR_RATE) * (w * rho * even - all[q]);     \
        const WABE_REAL pulled = across * across -                                                 \
                                 WABE_REAL_OF(((x) * (x) + (y) * (y) + (z) * (z)) / 3.0);          \
        const WABE_REAL total = left + tension * w * pulled;                                       \
        const WABE_REAL coloured = share * total + mixed * w * across;                             \
        out[q] = solid * WABE_AT(c, COLLIDE_RED, q, 0, 0, 0) + fluid * coloured;                   \
        out[COLOUR_Q + (q)] = solid * WABE_AT(c, COLLIDE_BLUE, q, 0, 0, 0) +                       \
                              fluid * (total - coloured);                                          \
    }
    COLOUR_POPULATIONS(X)
#undef X
}

#endif
