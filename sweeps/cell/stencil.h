/* Stencil sweeps that are a function of one cell. The loops over cells, walls, periodic faces,
 * vectors and GPUs exist once (kernels_cpu/stencil.h, kernels_gpu/stencil.cuh, stencil_emulated.h);
 * a row of a list such as sweeps/cell/stencils.h makes kernels of them.
 *
 * A sweep NAME has a struct wabe_NAME_args, which begins with wabe_grid_args, and the function
 *
 *   WABE_INLINE void wabe_NAME_cell(const wabe_NAME_args *args, const wabe_cell *cell,
 *                                   WABE_REAL out[], WABE_REAL reduced[])
 *
 * WABE_REAL is a number or a vector of them. The function reads WABE_AT(cell, access, component,
 * dx, dy, dz), where accesses count first what the sweep writes, then what it reads, as in
 * wabe_grid_args.fields. It sets out to the cell's new numbers, those of the first field written,
 * then of the next (bit i of the constant WABE_BEGINS_NAME: out[i] is the first one of a field),
 * and reduced to the cell's contribution to each reduction (-2 to 2 for sums, see
 * core/base/bins.h). */
#pragma once

#include "sweeps/cell/grid.h"

/* The name of a kernel joined with its flavour. */
#define WABE_STENCIL_JOIN_(a, b) a##_##b
#define WABE_STENCIL_JOIN(a, b) WABE_STENCIL_JOIN_(a, b)

/* A sweep that reads all around a cell can be plane-wise, so that a GPU's thread that goes upwards
 * reads a plane once for three cells, the one above, in and below it. Its numbers are at cells, and
 * not interleaved. It has the structs wabe_NAME_below and wabe_NAME_begun, and the functions
 *
 *   wabe_NAME_below wabe_NAME_rise(args, cell, dz)
 *   wabe_NAME_begun wabe_NAME_begin(args, cell, dz, below)
 *   void wabe_NAME_end(args, cell, begun, out, reduced)
 *
 * of what the plane dz above the cell's gives to the cell above that plane; of all that is known of
 * the cell in it once that plane is read, too; and of the cell's new numbers, which reads the plane
 * above the cell. Other kernels call all three for each cell: wabe_NAME_cell, of
 * WABE_PLANEWISE_CELL. is_idle(c): all numbers are 0, which saves the rest; wabe_NAME_end must find
 * the same. Such sweeps have no reductions. */
#define WABE_PLANEWISE_CELL(name, numbers, is_idle)                                                \
    WABE_INLINE void wabe_##name##_cell(const wabe_##name##_args *a, const wabe_cell *c,           \
                                        WABE_REAL out[], WABE_REAL reduced[]) {                    \
        if (is_idle(c)) {                                                                          \
            for (int i = 0; i < (numbers); i++)                                                    \
                out[i] = WABE_REAL_OF(0.0);                                                        \
            return;                                                                                \
        }                                                                                          \
        const wabe_##name##_below below = wabe_##name##_rise(a, c, -1);                            \
        const wabe_##name##_begun begun = wabe_##name##_begin(a, c, 0, &below);                    \
        wabe_##name##_end(a, c, &begun, out, reduced);                                             \
    }

/* Column sweeps see the domain's columns along y as a whole: what they read along y stops at the
 * columns' ends, where the last cell stands for all beyond it. They are rows of a list such as
 * WABE_COLUMNS, X(name, direction, numbers that are carried, and then as above); their function is
 *
 *   WABE_INLINE void wabe_NAME_cell(const wabe_NAME_args *args, const wabe_cell *cell,
 *                                   WABE_REAL carry[], WABE_REAL out[], WABE_REAL reduced[])
 *
 * and knows where it is in the column from wabe_is_lowest(cell) and wabe_is_highest(cell).
 * direction: 1 for sweeps that march upwards, -1 downwards: carry has what the function left in it
 * in the cell before, or zeros in the column's first cell. 0: cells in any order; nothing is
 * carried. */

/* A row of a list of cell sweeps is X(name, numbers that the function sets, accesses that are f64
 * whatever the kernel's type (bit i: access i), accesses that are f32, reductions, numbers of the
 * kernel's type that a cell moves, bytes that it moves besides, flop). */

/* A sweep on one grid may read its own cell's numbers on the next finer or coarser one
 * (wabe_grid_field_row.level): WABE_AT_CHILD(cell, access, component, i, j, k) is that of one of
 * the cells of the finer grid that make up the cell, i, j, k 0 or 1 along x, y, z, and along an
 * axis that is not halved that of the same cell for both; WABE_AT_PARENT(cell, access, component)
 * that of the coarser grid's cell in which the cell lies. */
WABE_HOST_DEVICE int64_t wabe_grid_child(const wabe_grid_field *f, int axis, int64_t index,
                                         int child) {
    return f->finer[axis] > 0 ? 2 * index + child : index;
}
WABE_HOST_DEVICE int64_t wabe_grid_parent(const wabe_grid_field *f, int axis, int64_t index) {
    return f->finer[axis] < 0 ? index / 2 : index;
}

/* Does a cell, or one of count cells along x from it on, see along axis what is behind a wall, or
 * across a periodic face where the slab is its own neighbour? */
WABE_HOST_DEVICE int wabe_grid_is_edge(const wabe_grid_args *g, int axis, int64_t index,
                                       int64_t count) {
    return (g->sides[2 * axis] != WABE_SIDE_NEIGHBOUR && index < g->layers) ||
           (g->sides[2 * axis + 1] != WABE_SIDE_NEIGHBOUR &&
            index + count - 1 >= g->cells[axis] - g->layers);
}

/* How far to go along y from a cell of a column sweep, so as to stay in the column. */
WABE_HOST_DEVICE int wabe_grid_stop(const wabe_grid_args *g, int64_t y, int dy) {
    const int64_t low = -y, high = g->cells[1] - 1 - y;
    return dy < low ? (int)low : dy > high ? (int)high : dy;
}

/* Position of cell x of a row, from the row's cell 0. Groups are powers of two; without them (0)
 * all of x is the lane. Branch-free, so that a GPU can issue several loads at once. */
WABE_HOST_DEVICE int64_t wabe_grid_place_along(const wabe_grid_field *f, int64_t x) {
    const int lane = (int)x & (f->group - 1);
    return (int64_t)((int)x - lane) * f->components + lane;
}

/* Position of component q of a cell, from the field's data. */
WABE_HOST_DEVICE int64_t wabe_grid_place(const wabe_grid_field *f, int q, int64_t x, int64_t y,
                                         int64_t z) {
    return q * f->stride + y * f->pitch + z * f->plane + wabe_grid_place_along(f, x);
}

/* A number of a field of either type. */
#define WABE_GRID_NUMBER(number, wide, f, place)                                                   \
    ((wide) ? (number)((const double *)(f)->data)[place]                                           \
            : (number)((const float *)(f)->data)[place])
