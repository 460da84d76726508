/* What a GPU does with one cell of a stencil sweep (sweeps/cell/stencil.h), for CUDA and emulated
 * devices. */
#pragma once

#include "kernels_gpu/scalar.h"
#include "sweeps/cell/stencil.h"

/* What the cells around one may be. Kernels fill ghosts first (wabe_fill_ghost), so that most cells
 * see memory alone, at offsets of which those along x are constants of a load instruction. */
typedef enum {
    WABE_INSIDE,   /* memory */
    WABE_ANY_EDGE, /* memory, behind a wall, or at the slab's other end: interleaved components, and
                      numbers on a high face beyond the cells */
    WABE_ROUND     /* column sweeps: x and z go round periodic faces, and there are no walls */
} wabe_edge;

/* How far it is from a column to those beside it, up to WABE_STENCIL_LAYERS along x and z. */
typedef struct {
    int along_x[2 * WABE_STENCIL_LAYERS + 1], along_z[2 * WABE_STENCIL_LAYERS + 1];
} wabe_round;

typedef struct {
    const wabe_grid_args *grid;
    wabe_edge edge;
    unsigned wide, narrow; /* accesses of these types, whatever the kernel's type */
    int64_t x, y, z;
    int column;              /* reads along y stop at the column's ends */
    const wabe_round *round; /* of WABE_ROUND */
    int ahead;               /* column kernels prefetch from this many cells on; 0: they do not */
    char *at[WABE_GRID_ACCESSES_MAX]; /* component 0 of the cell, of WABE_INSIDE */
} wabe_cell;

WABE_INLINE int wabe_is_lowest(const wabe_cell *c) { return (int)c->y == 0; }
WABE_INLINE int wabe_is_highest(const wabe_cell *c) {
    return (int)c->y == (int)c->grid->cells[1] - 1;
}

WABE_INLINE int wabe_is_wide(const wabe_cell *c, int access) {
    return sizeof(wabe_real) == sizeof(double) ? !(c->narrow >> access & 1)
                                               : (int)(c->wide >> access & 1);
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

WABE_INLINE int wabe_size(const wabe_cell *c, int access) {
    return (int)(wabe_is_wide(c, access) ? sizeof(double) : sizeof(float));
}

/* Points a cell that sees memory alone to its numbers. From there on addresses are the sum of what
 * differs between threads and what does not, and change by the same amount from plane to plane:
 * were they found from positions, functions that read much would have more instructions for
 * addresses than for all else. */
WABE_INLINE void wabe_point(wabe_cell *c) {
    WABE_UNROLL
    for (int i = 0; i < WABE_GRID_ACCESSES_MAX; i++) {
        const wabe_grid_field *f = &c->grid->fields[i];
        c->at[i] = (char *)f->data + (c->z * f->plane + c->y * f->pitch + c->x) * wabe_size(c, i);
    }
}

/* Goes so many planes up. */
WABE_INLINE void wabe_go_up(wabe_cell *c, int planes) {
    c->z += planes;
    WABE_UNROLL
    for (int i = 0; i < WABE_GRID_ACCESSES_MAX; i++)
        c->at[i] += planes * c->grid->fields[i].plane * wabe_size(c, i);
}

/* What a function that is called gets of such a cell: were the address of a kernel's own cell
 * passed on, the compiler would keep that cell in memory. */
typedef struct {
    const wabe_grid_args *grid;
    unsigned wide, narrow;
    int x, y, z;
} wabe_cell_copy;
WABE_INLINE wabe_cell_copy wabe_copy_cell(const wabe_cell *c) {
    const wabe_cell_copy copy = {c->grid, c->wide, c->narrow, (int)c->x, (int)c->y, (int)c->z};
    return copy;
}
WABE_INLINE wabe_cell wabe_copied_cell(wabe_cell_copy copy) {
    wabe_cell c;
    c.grid = copy.grid, c.edge = WABE_INSIDE, c.wide = copy.wide, c.narrow = copy.narrow;
    c.x = copy.x, c.y = copy.y, c.z = copy.z;
    c.column = 0, c.round = NULL, c.ahead = 0;
    wabe_point(&c);
    return c;
}

/* A number near a cell that sees memory alone. */
WABE_INLINE wabe_real wabe_at_near(const wabe_cell *c, int access, int q, int dx, int dy, int dz) {
    const wabe_grid_field *f = &c->grid->fields[access];
    const int size = wabe_size(c, access);
    const char *from = c->at[access] + (dy * f->pitch + dz * f->plane) * size +
                       q * f->stride * size + dx * size;
    return wabe_is_wide(c, access) ? (wabe_real) * (const double *)from
                                   : (wabe_real) * (const float *)from;
}

/* A number anywhere, also behind walls or at the slab's other end. Few need it, so it is called; it
 * takes a copy of the cell for the reason of wabe_cell_copy. */
WABE_NOINLINE wabe_real wabe_at_edge(wabe_cell c, int access, int q, int dx, int dy, int dz) {
    const wabe_grid_field *f = &c.grid->fields[access];
    wabe_reflection image = wabe_reflection_of_nothing();
    dy = c.column ? wabe_grid_stop(c.grid, c.y, dy) : dy;
    const int64_t z = wabe_grid_mirror(c.grid, f, 2, c.z + dz, &image);
    const int64_t y = wabe_grid_mirror(c.grid, f, 1, c.y + dy, &image);
    const int64_t x = wabe_grid_mirror(c.grid, f, 0, c.x + dx, &image);
    return wabe_behind(image, q,
                       WABE_GRID_NUMBER(wabe_real, wabe_is_wide(&c, access), f,
                                        wabe_grid_place(f, q, x, y, z)));
}

#define WABE_AT wabe_at
WABE_INLINE wabe_real wabe_at(const wabe_cell *c, int access, int q, int dx, int dy, int dz) {
    if (c->edge == WABE_INSIDE)
        return wabe_at_near(c, access, q, dx, dy, dz);
    if (c->edge == WABE_ANY_EDGE) {
        wabe_cell there = *c;
        there.round = NULL;
        return wabe_at_edge(there, access, q, dx, dy, dz);
    }
    const wabe_grid_field *f = &c->grid->fields[access];
    const int place = wabe_round_place(c, f, dx, dy, dz);
    if (c->ahead != 0 && dx == 0 && dy == 0 && dz == 0)
        wabe_ask_for(c, f, q, wabe_is_wide(c, access));
    return wabe_is_wide(c, access) ? (wabe_real)((const double *)f->data + q * f->stride)[place]
                                   : (wabe_real)((const float *)f->data + q * f->stride)[place];
}

#define WABE_AT_CHILD wabe_at_child
WABE_INLINE wabe_real wabe_at_child(const wabe_cell *c, int access, int q, int i, int j, int k) {
    const wabe_grid_field *f = &c->grid->fields[access];
    return WABE_GRID_NUMBER(wabe_real, wabe_is_wide(c, access), f,
                            wabe_grid_place(f, q, wabe_grid_child(f, 0, c->x, i),
                                            wabe_grid_child(f, 1, c->y, j),
                                            wabe_grid_child(f, 2, c->z, k)));
}

#define WABE_AT_PARENT wabe_at_parent
WABE_INLINE wabe_real wabe_at_parent(const wabe_cell *c, int access, int q) {
    const wabe_grid_field *f = &c->grid->fields[access];
    return WABE_GRID_NUMBER(wabe_real, wabe_is_wide(c, access), f,
                            wabe_grid_place(f, q, wabe_grid_parent(f, 0, c->x),
                                            wabe_grid_parent(f, 1, c->y),
                                            wabe_grid_parent(f, 2, c->z)));
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

/* Stores the numbers that the function of a cell sets. begins: bit i: out[i] is the first of a
 * field. */
WABE_INLINE void wabe_put_all(const wabe_cell *c, const wabe_real *out, int count,
                              uint64_t begins) {
    WABE_UNROLL
    for (int i = 0, access = 0, q = 0; i < count; i++) {
        const wabe_grid_field *f = &c->grid->fields[access];
        const int wide = wabe_is_wide(c, access);
        const int size = (int)(wide ? sizeof(double) : sizeof(float));
        char *to = c->edge == WABE_INSIDE
                       ? c->at[access] + q * f->stride * size
                       : (char *)f->data + wabe_grid_place(f, q, c->x, c->y, c->z) * size;
        if (wide)
            *(double *)to = (double)out[i];
        else
            *(float *)to = (float)out[i];
        q++;
        if (begins >> (i + 1) & 1u)
            access++, q = 0;
    }
}

/* The same of columns: the fields' components say which number is of which field. */
WABE_INLINE void wabe_put_column(const wabe_cell *c, const wabe_real *out, int count) {
    WABE_UNROLL
    for (int i = 0, access = 0, q = 0; i < count; i++) {
        const wabe_grid_field *f = &c->grid->fields[access];
        const int64_t place = c->edge == WABE_ROUND
                                  ? wabe_round_place(c, f, 0, 0, 0) + q * f->stride
                                  : wabe_grid_place(f, q, c->x, c->y, c->z);
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

/* ---- ghosts ------------------------------------------------------------------------- */

/* Boxes of cells beside those of a kernel, which it reads: behind walls, and at the slab's other
 * end. They may overlap. */
enum { WABE_SHELL_BOXES_MAX = 6 * WABE_ROW_BOXES_MAX };
typedef struct {
    int64_t begin[3], end[3];
    unsigned first; /* cells of the boxes before it */
} wabe_shell_box;
typedef struct {
    int count;
    unsigned cells; /* of all boxes */
    wabe_shell_box boxes[WABE_SHELL_BOXES_MAX];
} wabe_shell;

/* Adds the cells begin to end along an axis that a box's cells read. */
static inline void wabe_shell_add(wabe_shell *shell, const wabe_row_box *box, int layers, int axis,
                                  int64_t begin, int64_t end) {
    wabe_shell_box *to = &shell->boxes[shell->count];
    int64_t cells = 1;
    for (int d = 0; d < 3; d++) {
        to->begin[d] = d == axis ? begin : box->begin[d] - layers;
        to->end[d] = d == axis ? end : box->end[d] + layers;
        cells *= to->end[d] > to->begin[d] ? to->end[d] - to->begin[d] : 0;
    }
    to->first = shell->cells;
    shell->cells += (unsigned)cells;
    shell->count += cells > 0;
}

/* Of the cells of a kernel's boxes that are no numbers on high faces beyond the others. */
static inline wabe_shell wabe_shell_of(const wabe_grid_args *g) {
    wabe_shell shell;
    shell.count = 0, shell.cells = 0;
    for (int i = 0; i < g->box_count && !g->grouped; i++) {
        wabe_row_box box = g->boxes[i];
        for (int d = 0; d < 3; d++)
            box.end[d] = box.end[d] < g->cells[d] ? box.end[d] : g->cells[d];
        for (int axis = 0; axis < 3; axis++) {
            if (g->sides[2 * axis] != WABE_SIDE_NEIGHBOUR)
                wabe_shell_add(&shell, &box, g->layers, axis, box.begin[axis] - g->layers, 0);
            if (g->sides[2 * axis + 1] != WABE_SIDE_NEIGHBOUR)
                wabe_shell_add(&shell, &box, g->layers, axis, g->cells[axis],
                               box.end[axis] + g->layers);
        }
    }
    return shell;
}

/* Numbers that are loaded together. */
enum { WABE_FILL_AT_ONCE = 8 };

/* Sets a field in a cell of the shell to what is seen there, if it is a ghost. */
WABE_INLINE void wabe_fill_ghost(const wabe_grid_args *g, const wabe_shell *shell, unsigned cell,
                                 const wabe_grid_field *f) {
    int i = 0;
    while (i + 1 < shell->count && cell >= shell->boxes[i + 1].first)
        i++;
    const wabe_shell_box *b = &shell->boxes[i];
    const unsigned at = cell - b->first, row = at / (unsigned)(b->end[0] - b->begin[0]);
    const unsigned rows = (unsigned)(b->end[1] - b->begin[1]);
    const int64_t x = b->begin[0] + at % (unsigned)(b->end[0] - b->begin[0]);
    const int64_t y = b->begin[1] + row % rows, z = b->begin[2] + row / rows;
    wabe_reflection image = wabe_reflection_of_nothing();
    const int64_t from_z = wabe_grid_mirror(g, f, 2, z, &image);
    const int64_t from_y = wabe_grid_mirror(g, f, 1, y, &image);
    const int64_t from_x = wabe_grid_mirror(g, f, 0, x, &image);
    if (from_x == x && from_y == y && from_z == z)
        return;
    const int64_t from = wabe_grid_place(f, 0, from_x, from_y, from_z);
    const int64_t to = wabe_grid_place(f, 0, x, y, z);
    for (int first = 0; first < f->components; first += WABE_FILL_AT_ONCE) {
        const int end = f->components - first;
        wabe_real values[WABE_FILL_AT_ONCE];
        WABE_UNROLL
        for (int q = 0; q < WABE_FILL_AT_ONCE; q++)
            if (q < end)
                values[q] = WABE_GRID_NUMBER(wabe_real, f->is_f64, f,
                                             from + (first + q) * f->stride);
        WABE_UNROLL
        for (int q = 0; q < WABE_FILL_AT_ONCE; q++) {
            if (q >= end)
                continue;
            const wabe_real value = wabe_behind(image, first + q, values[q]);
            if (f->is_f64)
                ((double *)f->data)[to + (first + q) * f->stride] = (double)value;
            else
                ((float *)f->data)[to + (first + q) * f->stride] = (float)value;
        }
    }
}

/* How a cell sees others once ghosts are filled. */
WABE_INLINE wabe_edge wabe_edge_of(const wabe_grid_args *g, int64_t x, int64_t y, int64_t z) {
    return g->grouped || wabe_grid_is_beyond(g, x, y, z) ? WABE_ANY_EDGE : WABE_INSIDE;
}
