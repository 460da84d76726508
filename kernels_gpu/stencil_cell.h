/* What a GPU does with one cell of a stencil sweep (sweeps/cell/stencil.h), for CUDA and emulated
 * devices. */
#pragma once

#include "kernels_gpu/scalar.h"
#include "sweeps/cell/stencil.h"

/* The axes along which a cell may see what is behind a wall, or at the slab's other end.
 * Interleaved components are only read and written as if at all edges: otherwise the position in a
 * row is x, so that neighbours along x are at constant offsets, which are part of a load
 * instruction. */
typedef enum {
    WABE_INSIDE,   /* none */
    WABE_AT_ENDS,  /* x */
    WABE_AT_EDGE,  /* all axes */
    WABE_ANY_EDGE, /* all, in a thin slab, or for a number on a high face beyond the cells */
    WABE_ROUND     /* column sweeps: x and z go round periodic faces, and there are no walls */
} wabe_edge;

/* How far it is from a column to those beside it, up to WABE_STENCIL_LAYERS along x and z. */
typedef struct {
    int along_x[2 * WABE_STENCIL_LAYERS + 1], along_z[2 * WABE_STENCIL_LAYERS + 1];
} wabe_round;

/* Where the cells beside one are along x, of WABE_AT_ENDS, and whether a wall is in between: for
 * numbers at cells, and on faces normal to x. Found once, since functions read many numbers. */
typedef struct {
    int x[2][2 * WABE_STENCIL_LAYERS + 1], wall[2][2 * WABE_STENCIL_LAYERS + 1];
} wabe_ends;

typedef struct {
    const wabe_grid_args *grid;
    wabe_edge edge;
    unsigned wide, narrow; /* accesses of these types, whatever the kernel's type */
    int64_t x, y, z;
    int column;              /* reads along y stop at the column's ends */
    const wabe_round *round; /* of WABE_ROUND */
    const wabe_ends *ends;   /* of WABE_AT_ENDS */
    int ahead;               /* column kernels prefetch from this many cells on; 0: they do not */
} wabe_cell;

/* A copy of a cell to be passed to a function that is called: were the address of a kernel's own
 * cell passed on, or one that it holds, the compiler would keep in memory what is there. */
WABE_INLINE wabe_cell wabe_cell_for_call(const wabe_cell *c) {
    wabe_cell copy = *c;
    copy.edge = c->edge == WABE_ANY_EDGE ? WABE_ANY_EDGE : WABE_AT_EDGE;
    copy.round = NULL;
    copy.ends = NULL;
    return copy;
}

WABE_INLINE int wabe_is_lowest(const wabe_cell *c) { return (int)c->y == 0; }
WABE_INLINE int wabe_is_highest(const wabe_cell *c) {
    return (int)c->y == (int)c->grid->cells[1] - 1;
}

WABE_INLINE int wabe_is_wide(const wabe_cell *c, int access) {
    return sizeof(wabe_real) == sizeof(double) ? !(c->narrow >> access & 1)
                                               : (int)(c->wide >> access & 1);
}

/* Position along an axis of a cell's neighbour. */
WABE_INLINE int64_t wabe_beside(const wabe_cell *c, const wabe_grid_field *f, int axis,
                                int64_t index, int step, wabe_reflection *image) {
    if (c->edge == WABE_ANY_EDGE)
        return wabe_grid_mirror(c->grid, f, axis, index + step, image);
    if (step == 0)
        return index;
    int wall;
    const int64_t place = wabe_grid_step(c->grid, f, axis, index, step, &wall);
    wabe_reflection_behind(image, f, axis, step > 0, wall);
    return place;
}

/* Position of cell x of a row, from the row's cell 0. */
WABE_INLINE int64_t wabe_along(const wabe_cell *c, const wabe_grid_field *f, int64_t x) {
    return c->edge == WABE_AT_EDGE || c->edge == WABE_ANY_EDGE ? wabe_grid_place_along(f, x) : x;
}

/* Position of a cell's component 0. */
WABE_INLINE int64_t wabe_own_place(const wabe_cell *c, const wabe_grid_field *f) {
    return c->y * f->pitch + c->z * f->plane + wabe_along(c, f, c->x);
}

/* Position of a cell near a column's, of any component, of WABE_ROUND. One number of a whole slab
 * has fewer than 2^31 places (wabe_column_is_general): in 64 bits there would be several times as
 * many instructions as for everything else. */
WABE_INLINE int wabe_round_place(const wabe_cell *c, const wabe_grid_field *f, int dx, int dy,
                                 int dz) {
    const int x = dx == 0 || f->ghosts ? dx : c->round->along_x[dx + WABE_STENCIL_LAYERS];
    const int z = dz == 0 || f->ghosts ? dz : c->round->along_z[dz + WABE_STENCIL_LAYERS];
    const int above = (int)c->y + dy, top = (int)c->grid->cells[1] - 1;
    const int y = dy < 0 && above < 0 ? 0 : dy > 0 && above > top ? top : above;
    return (int)c->x + y * (int)f->pitch + (int)c->z * (int)f->plane + (x + z * (int)f->plane);
}

/* Prefetches number q of a field from the cell c->ahead cells further along the column. */
WABE_INLINE void wabe_ask_for(const wabe_cell *c, const wabe_grid_field *f, int q, int is_wide) {
#ifdef __CUDA_ARCH__
    const int64_t place = q * f->stride + wabe_round_place(c, f, 0, c->ahead, 0);
    const char *address = (const char *)f->data +
                          place * (is_wide ? sizeof(double) : sizeof(float));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
#else
    (void)c, (void)f, (void)q, (void)is_wide; /* what is emulated waits for nothing */
#endif
}

WABE_INLINE wabe_real wabe_behind(wabe_reflection image, int q, wabe_real value) {
    const wabe_real turned = wabe_reflection_is_odd(&image, q) ? -value : value;
    const wabe_real behind = WABE_FMA((wabe_real)image.factor, turned, (wabe_real)image.offset);
    return wabe_reflection_is_plain(&image) ? turned : behind;
}

/* a if holds is 1, b if it is 0: without a branch, of which compilers would make one per number. */
WABE_INLINE int wabe_choose(int holds, int a, int b) { return b ^ ((a ^ b) & -holds); }

/* Position of a number near a cell that sees edges along x at most, from that of its plane. Four
 * planes have fewer than 2^31 places (WABE_GRID_PLANE_MAX): in 64 bits, functions that read much
 * would have more instructions for positions than for all else. */
WABE_INLINE int wabe_near_place(const wabe_cell *c, const wabe_grid_field *f, int dx, int dy,
                                int dz, int *wall) {
    const int i = dx + WABE_STENCIL_LAYERS, on_faces = f->faces == 0;
    int x = (int)c->x + dx;
    *wall = 0;
    if (c->edge == WABE_AT_ENDS && dx != 0) {
        const int ghosts = f->ghosts != 0;
        x = wabe_choose(ghosts, x, wabe_choose(on_faces, c->ends->x[1][i], c->ends->x[0][i]));
        *wall = wabe_choose(ghosts, 0,
                            wabe_choose(on_faces, c->ends->wall[1][i], c->ends->wall[0][i]));
    }
    return ((int)c->y + dy) * (int)f->pitch + dz * (int)f->plane + x;
}

/* Position of component q of the plane of a cell, the same for all of a thread block. */
WABE_INLINE int64_t wabe_plane_place(const wabe_cell *c, const wabe_grid_field *f, int q) {
    return q * f->stride + c->z * f->plane;
}

WABE_INLINE int wabe_is_near(const wabe_cell *c) {
    return c->edge == WABE_INSIDE || c->edge == WABE_AT_ENDS;
}

/* A number near a cell that sees edges along x at most. */
WABE_INLINE wabe_real wabe_at_near(const wabe_cell *c, int access, int q, int dx, int dy, int dz) {
    const wabe_grid_field *f = &c->grid->fields[access];
    int wall;
    const int64_t plane = wabe_plane_place(c, f, q);
    const int place = wabe_near_place(c, f, dx, dy, dz, &wall);
    const wabe_real value = wabe_is_wide(c, access)
                                ? (wabe_real)((const double *)f->data + plane)[place]
                                : (wabe_real)((const float *)f->data + plane)[place];
    if (c->edge == WABE_INSIDE || dx == 0)
        return value;
    const wabe_wall *law = &f->walls[dx > 0];
    const wabe_real sign = (wabe_real)(1 - 2 * (int)(f->odd.across[0] >> q & 1));
    const wabe_real turned = sign * value;
    const wabe_real behind = WABE_FMA((wabe_real)law->factor, turned, (wabe_real)law->offset);
    const int plain = (law->factor == 1.0) & (law->offset == 0.0);
    return wabe_select(wall & !plain, behind, wabe_select(wall, turned, value));
}

/* A number anywhere, also behind walls or at the slab's other end. */
WABE_INLINE wabe_real wabe_at_edge(const wabe_cell *c, int access, int q, int dx, int dy, int dz) {
    dy = c->column ? wabe_grid_stop(c->grid, c->y, dy) : dy;
    if (wabe_is_near(c))
        return wabe_at_near(c, access, q, dx, dy, dz);
    const wabe_grid_field *f = &c->grid->fields[access];
    wabe_reflection image = wabe_reflection_of_nothing();
    const int64_t z = wabe_beside(c, f, 2, c->z, dz, &image);
    const int64_t y = wabe_beside(c, f, 1, c->y, dy, &image);
    const int64_t x = wabe_beside(c, f, 0, c->x, dx, &image);
    /* The parts that accesses share come first, so that they are computed once. */
    const int64_t place = wabe_own_place(c, f) +
                          (q * f->stride + (y - c->y) * f->pitch + (z - c->z) * f->plane) +
                          (wabe_along(c, f, x) - wabe_along(c, f, c->x));
    return wabe_behind(image, q, WABE_GRID_NUMBER(wabe_real, wabe_is_wide(c, access), f, place));
}

/* The same of column sweeps, which seldom need it. It takes a copy of the cell: were the address of
 * a kernel's own cell passed on, the compiler would keep that cell in memory. */
WABE_NOINLINE wabe_real wabe_column_at_edge(wabe_cell c, int access, int q, int dx, int dy,
                                            int dz) {
    return wabe_at_edge(&c, access, q, dx, dy, dz);
}

#define WABE_AT wabe_at
WABE_INLINE wabe_real wabe_at(const wabe_cell *c, int access, int q, int dx, int dy, int dz) {
    if (c->edge != WABE_ROUND && c->column) {
        wabe_cell there = *c;
        there.round = NULL;
        return wabe_column_at_edge(there, access, q, dx, dy, dz);
    }
    if (c->edge != WABE_ROUND)
        return wabe_at_edge(c, access, q, dx, dy, dz);
    const wabe_grid_field *f = &c->grid->fields[access];
    const int place = wabe_round_place(c, f, dx, dy, dz);
    if (c->ahead != 0 && dx == 0 && dy == 0 && dz == 0)
        wabe_ask_for(c, f, q, wabe_is_wide(c, access));
    return wabe_is_wide(c, access) ? (wabe_real)((const double *)f->data + q * f->stride)[place]
                                   : (wabe_real)((const float *)f->data + q * f->stride)[place];
}

/* Is the slab thinner than the stencil reaches? */
WABE_HOST_DEVICE int wabe_is_thin(const wabe_grid_args *g) {
    return g->cells[0] < g->layers || g->cells[1] < g->layers || g->cells[2] < g->layers;
}

WABE_INLINE wabe_edge wabe_edge_of(const wabe_grid_args *g, int64_t x, int64_t y, int64_t z) {
    if (!g->grouped && !wabe_grid_is_edge(g, 0, x, 1) && !wabe_grid_is_edge(g, 1, y, 1) &&
        !wabe_grid_is_edge(g, 2, z, 1))
        return WABE_INSIDE;
    return wabe_is_thin(g) || wabe_grid_is_beyond(g, x, y, z) ? WABE_ANY_EDGE : WABE_AT_EDGE;
}

/* Do kernels of columns see walls, interleaved numbers, or places beyond 32 bits? */
WABE_HOST_DEVICE int wabe_column_is_general(const wabe_grid_args *g) {
    int general = g->grouped;
    for (int face = 0; face < 6; face++)
        general |= g->sides[face] == WABE_SIDE_WALL;
    for (int i = 0; i < g->accesses; i++)
        general |= (g->cells[2] + 2 * WABE_STENCIL_LAYERS) * g->fields[i].plane > INT32_MAX;
    return general;
}

WABE_INLINE void wabe_find_ends(const wabe_grid_args *g, int64_t x, wabe_ends *out) {
    WABE_UNROLL
    for (int i = 0; i < 2 * (2 * WABE_STENCIL_LAYERS + 1); i++) {
        const int at = i / 2, on_faces = i % 2;
        const wabe_grid_field field = {.faces = on_faces ? 0 : -1};
        out->x[on_faces][at] = (int)wabe_grid_step(g, &field, 0, x, at - WABE_STENCIL_LAYERS,
                                                   &out->wall[on_faces][at]);
    }
}

/* How far it is from index to the one that many steps on, around an axis of n cells. */
WABE_INLINE int wabe_round_step(int index, int step, int n) {
    while (index + step < 0)
        step += n;
    while (index + step >= n)
        step -= n;
    return step;
}

/* Finds the way to cells beside a column, which is the same for all of its cells. */
WABE_INLINE void wabe_column_look_round(const wabe_grid_args *g, const wabe_cell *c,
                                        wabe_round *out) {
    const int nx = (int)g->cells[0], nz = (int)g->cells[2], x = (int)c->x, z = (int)c->z;
    WABE_UNROLL
    for (int i = 0; i <= 2 * WABE_STENCIL_LAYERS; i++) {
        const int step = i - WABE_STENCIL_LAYERS;
        out->along_x[i] = g->sides[0] == WABE_SIDE_ITSELF ? wabe_round_step(x, step, nx) : step;
        out->along_z[i] = g->sides[4] == WABE_SIDE_ITSELF ? wabe_round_step(z, step, nz) : step;
    }
}

/* Stores the numbers that the function of a cell sets. */
WABE_INLINE void wabe_put_all(const wabe_cell *c, const wabe_real *out, int count) {
    WABE_UNROLL
    for (int i = 0, access = 0, q = 0; i < count; i++) {
        const wabe_grid_field *f = &c->grid->fields[access];
        int wall;
        const int64_t place =
            c->edge == WABE_ROUND ? wabe_round_place(c, f, 0, 0, 0) + q * f->stride
            : wabe_is_near(c) ? wabe_plane_place(c, f, q) + wabe_near_place(c, f, 0, 0, 0, &wall)
                              : wabe_own_place(c, f) + q * f->stride;
        if (wabe_is_wide(c, access))
            ((double *)f->data)[place] = (double)out[i];
        else
            ((float *)f->data)[place] = (float)out[i];
        if (++q == f->components)
            access++, q = 0;
    }
}

/* Partial results of the reductions of a thread. */
typedef struct {
    double bins[WABE_GRID_REDUCED_MAX][WABE_BINS];
} wabe_reduced;

WABE_INLINE void wabe_reduced_begin(const wabe_grid_args *g, int count, wabe_reduced *r) {
    for (int i = 0; i < count; i++)
        for (int bin = 0; bin < WABE_BINS; bin++)
            r->bins[i][bin] = wabe_reduction_neutral(g->reductions[i].operation);
}

WABE_INLINE void wabe_reduce(const wabe_grid_args *g, int count, const wabe_real *values,
                             wabe_reduced *r) {
    for (int i = 0; i < count; i++) {
        double value = (double)values[i];
        if (g->reductions[i].operation == WABE_REDUCE_SUM)
            WABE_BINS_ADD(r->bins[i], value);
        else
            r->bins[i][0] = wabe_reduce_two(g->reductions[i].operation, r->bins[i][0], value);
    }
}
