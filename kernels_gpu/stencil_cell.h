/* What a GPU does with one cell of a stencil sweep (sweeps/cell/stencil.h), for CUDA and for
 * emulated devices. */
#ifndef WABE_KERNELS_GPU_STENCIL_CELL_H
#define WABE_KERNELS_GPU_STENCIL_CELL_H

#include "kernels_gpu/scalar.h"
#include "sweeps/cell/stencil.h"

/* May something around a cell be behind a wall, or at the slab's other end? */
typedef enum {
    WABE_INSIDE,
    WABE_AT_EDGE,
    WABE_BEYOND_EDGE /* it is not a cell, but a number on a high face of the domain */
} wabe_edge;

typedef struct {
    const wabe_grid_args *grid;
    wabe_edge edge;
    unsigned wide, narrow; /* accesses of these types, whatever the kernel's is */
    int64_t x, y, z;
} wabe_cell;

WABE_INLINE int wabe_is_wide(const wabe_cell *c, int access) {
    return sizeof(wabe_real) == sizeof(double) ? !(c->narrow >> access & 1)
                                               : (int)(c->wide >> access & 1);
}

WABE_INLINE wabe_real wabe_at_edge(const wabe_cell *c, int access, int q, int dx, int dy, int dz) {
    const wabe_grid_field *f = &c->grid->fields[access];
    int64_t x = c->x + dx, y = c->y + dy, z = c->z + dz;
    double factor = 1.0, offset = 0.0;
    const int all = c->edge == WABE_BEYOND_EDGE;
    if (all || dz != 0)
        z = wabe_grid_mirror(c->grid, f, 2, z, &factor, &offset);
    if (all || dy != 0)
        y = wabe_grid_mirror(c->grid, f, 1, y, &factor, &offset);
    if (all || dx != 0)
        x = wabe_grid_mirror(c->grid, f, 0, x, &factor, &offset);
    const int64_t place = wabe_grid_place(f, q, x, y, z);
    const wabe_real value = WABE_GRID_NUMBER(wabe_real, wabe_is_wide(c, access), f, place);
    const wabe_real behind = WABE_FMA((wabe_real)factor, value, (wabe_real)offset);
    return factor == 1.0 && offset == 0.0 ? value : behind;
}

#define WABE_AT wabe_at
WABE_INLINE wabe_real wabe_at(const wabe_cell *c, int access, int q, int dx, int dy, int dz) {
    const wabe_grid_field *f = &c->grid->fields[access];
    if (c->edge != WABE_INSIDE)
        return wabe_at_edge(c, access, q, dx, dy, dz);
    /* What all accesses to a field have in common comes first, and is computed once. */
    const int64_t place = c->y * f->pitch + c->z * f->plane +
                          (q * f->stride + dy * f->pitch + dz * f->plane) +
                          wabe_grid_place_along(f, c->x + dx);
    return WABE_GRID_NUMBER(wabe_real, wabe_is_wide(c, access), f, place);
}

WABE_INLINE wabe_edge wabe_edge_of(const wabe_grid_args *g, int64_t x, int64_t y, int64_t z) {
    if (!wabe_grid_is_edge(g, 0, x, 1) && !wabe_grid_is_edge(g, 1, y, 1) &&
        !wabe_grid_is_edge(g, 2, z, 1))
        return WABE_INSIDE;
    return wabe_grid_is_beyond(g, x, y, z) ? WABE_BEYOND_EDGE : WABE_AT_EDGE;
}

/* The numbers that a cell gets. */
WABE_INLINE void wabe_put_all(const wabe_cell *c, const wabe_real *out, int count) {
    for (int i = 0, access = 0, q = 0; i < count; i++) {
        const wabe_grid_field *f = &c->grid->fields[access];
        const int64_t place = wabe_grid_place(f, q, c->x, c->y, c->z);
        if (wabe_is_wide(c, access))
            ((double *)f->data)[place] = (double)out[i];
        else
            ((float *)f->data)[place] = (float)out[i];
        if (++q == f->components)
            access++, q = 0;
    }
}

/* Of one thread. */
typedef struct {
    double bins[WABE_GRID_REDUCED_MAX][WABE_BINS];
} wabe_reduced;

WABE_INLINE double wabe_reduce_two(wabe_reduction operation, double a, double b) {
    return operation == WABE_REDUCE_SUM   ? a + b
           : operation == WABE_REDUCE_MIN ? (b < a ? b : a)
                                          : (b > a ? b : a);
}

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

#endif
