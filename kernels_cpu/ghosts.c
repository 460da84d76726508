/* Fills the ghosts that a stencil sweep reads behind walls and at the slab's other end, if its
 * region is one box, so that all of its cells see plain memory. */
#include "kernels_cpu/vector.h"

#ifndef WABE_VECTOR_F16 /* grids are not stored in f16 */

#include "kernels_cpu/functions.h"
#include "kernels_cpu/stencil.h"

/* What walls make of a number, rounded as the sweep would. */
static void fill_number(const wabe_grid_field *f, int q, const wabe_reflection *image, int64_t from,
                        int64_t to) {
    const wabe_scalar value = WABE_GRID_NUMBER(wabe_scalar, f->is_f64, f, from);
    const wabe_scalar seen = wabe_behind_wall(image, q, WABE_SET1(value))[0];
    if (f->is_f64)
        ((double *)f->data)[to] = (double)seen;
    else
        ((float *)f->data)[to] = (float)seen;
}

/* Cells begin to end - 1 of a row from a row elsewhere. */
static void fill_along(const wabe_grid_field *f, int q, const wabe_reflection *image, int64_t from,
                       int64_t to, int64_t begin, int64_t end) {
    int64_t x = begin;
    if ((f->is_f64 != 0) == (sizeof(wabe_scalar) == sizeof(double)))
        for (wabe_scalar *data = f->data; x + WABE_LANES <= end; x += WABE_LANES)
            WABE_STORE(data + to + x, wabe_behind_wall(image, q, WABE_LOAD(data + from + x)));
    for (; x < end; x++)
        fill_number(f, q, image, from + x, to + x);
}

/* Cell x beyond a row's ends. */
static void fill_end(const wabe_grid_args *g, const wabe_grid_field *f, int q,
                     wabe_reflection image, int64_t from, int64_t to, int64_t x, bool is_ghost) {
    const int64_t from_x = wabe_grid_mirror(g, f, 0, x, &image);
    if (is_ghost || from_x != x)
        fill_number(f, q, &image, from + from_x, to + x);
}

/* The ghosts among cells x begin to end - 1 of a row. */
static void fill_row(const wabe_grid_args *g, const wabe_grid_field *f, int64_t begin, int64_t end,
                     int64_t y, int64_t z) {
    wabe_reflection beside = wabe_reflection_of_nothing();
    const int64_t from_z = wabe_grid_mirror(g, f, 2, z, &beside);
    const int64_t from_y = wabe_grid_mirror(g, f, 1, y, &beside);
    const bool is_ghost = from_y != y || from_z != z;
    const int64_t low = wabe_max(begin, 0), high = wabe_min(end, g->cells[0]);
    for (int q = 0; q < f->components; q++) {
        const int64_t from = wabe_grid_place(f, q, 0, from_y, from_z);
        const int64_t to = wabe_grid_place(f, q, 0, y, z);
        if (is_ghost)
            fill_along(f, q, &beside, from, to, low, high);
        for (int64_t x = begin; x < low; x++)
            fill_end(g, f, q, beside, from, to, x, is_ghost);
        for (int64_t x = high; x < end; x++)
            fill_end(g, f, q, beside, from, to, x, is_ghost);
    }
}

/* Items: the rows of the box and around it, of each field that is filled. */
void WABE_STENCIL_JOIN(wabe_fill, WABE_FLAVOUR)(const wabe_fill_args *a, int64_t begin,
                                                int64_t end) {
    const wabe_grid_args *g = &a->grid;
    const wabe_row_box *box = &g->boxes[0];
    const int64_t around = 2 * g->layers, height = box->end[1] - box->begin[1] + around;
    const int64_t rows = height * (box->end[2] - box->begin[2] + around);
    for (int64_t item = begin; item < end; item++) {
        const wabe_grid_field *f = &g->fields[0];
        for (int64_t left = item / rows; left > 0 || !f->fills; f++)
            left -= f->fills != 0;
        const int64_t row = item % rows;
        const int64_t y = box->begin[1] - g->layers + row % height;
        const int64_t z = box->begin[2] - g->layers + row / height;
        if ((f->pitch != 0 || (y >= 0 && y < g->cells[1])) &&
            (f->plane != 0 || (z >= 0 && z < g->cells[2])))
            fill_row(g, f, box->begin[0] - g->layers, box->end[0] + g->layers, y, z);
    }
}

#endif
