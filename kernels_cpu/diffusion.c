/* Diffusion: rows of cells, compiled once for each flavour. */
#include "kernels_cpu/vector.h"

#include "kernels_cpu/functions.h"
#include "sweeps/cell/diffusion.h"

#ifndef WABE_VECTOR_F16 /* there is no such flavour */

#include "kernels_cpu/rows.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define KERNEL(name) JOIN(wabe_##name, WABE_FLAVOUR)

/* The row beside the one that is worked on, the domain's last one across periodic faces, or what a
 * wall makes of it. */
typedef struct {
    const wabe_scalar *row;
    wabe_vector factor, offset;
    bool wall;
} beside;

WABE_INLINE beside beside_of(const wabe_scalar *own, ptrdiff_t step, ptrdiff_t across, bool at_face,
                             const wabe_side *side) {
    return (beside){.row = own + (at_face && side->kind == WABE_SIDE_ITSELF ? across : step),
                    .factor = WABE_REAL_OF(side->factor),
                    .offset = WABE_REAL_OF(side->offset),
                    .wall = at_face && side->kind == WABE_SIDE_WALL};
}

WABE_INLINE wabe_vector value_beside(const beside *b, int64_t x, wabe_vector own) {
    if (b->wall)
        return WABE_FMA(b->factor, own, b->offset);
    return WABE_LOAD(b->row + x);
}

/* What stands before the first cell of a row, or behind its last one. */
WABE_INLINE wabe_scalar value_at_end(const wabe_scalar *row, int64_t nx, bool high,
                                     const wabe_side *side) {
    const wabe_scalar own = row[high ? nx - 1 : 0];
    const wabe_vector wall = WABE_FMA(WABE_REAL_OF(side->factor), WABE_SET1(own),
                                      WABE_REAL_OF(side->offset));
    if (side->kind == WABE_SIDE_WALL)
        return wall[0];
    return side->kind == WABE_SIDE_ITSELF ? row[high ? 0 : nx - 1] : row[high ? nx : -1];
}

/* The values of a vector's western neighbours, the first of which is known; of its eastern ones,
 * that of lane last is. */
WABE_INLINE wabe_vector from_west(wabe_vector own, wabe_scalar first) {
    wabe_scalar row[WABE_LANES + 1];
    row[0] = first;
    WABE_STORE(row + 1, own);
    return WABE_LOAD(row);
}
WABE_INLINE wabe_vector from_east(wabe_vector own, wabe_scalar value, int64_t last) {
    wabe_scalar row[WABE_LANES + 1];
    WABE_STORE(row, own);
    row[last + 1] = value;
    return WABE_LOAD(row + 1);
}

/* A row and those beside it. */
typedef struct {
    const wabe_scalar *own;
    wabe_scalar *to;
    beside south, north, below, above;
} rows;

/* Of a row's faces. Kernels without hand down NULL, and the compiler forgets about them. */
typedef struct {
    const wabe_scalar *of[6];
} weights;

WABE_INLINE wabe_vector update(const rows *r, const weights *w, wabe_diffusion k, int64_t x,
                               wabe_vector own, wabe_vector west, wabe_vector east) {
    if (w) {
        wabe_vector weight[6];
        const wabe_vector around[6] = {west,
                                       east,
                                       value_beside(&r->south, x, own),
                                       value_beside(&r->north, x, own),
                                       value_beside(&r->below, x, own),
                                       value_beside(&r->above, x, own)};
        for (int face = 0; face < 6; face++)
            weight[face] = WABE_LOAD(w->of[face] + x);
        return wabe_diffuse_varied(own, around, weight);
    }
    return wabe_diffuse(k, own, west, east, value_beside(&r->south, x, own),
                        value_beside(&r->north, x, own), value_beside(&r->below, x, own),
                        value_beside(&r->above, x, own));
}

/* A vector at an end of the row, or of the cells that are wanted of it. Rows begin on a line, and
 * what a vector reads behind their ends is theirs; but lines there are not touched for what is
 * known otherwise. */
WABE_INLINE void update_end(const wabe_diffuse_args *a, const rows *r, const weights *w,
                            wabe_diffusion k, int64_t x, wabe_row row) {
    const int64_t nx = a->grid.cells[0];
    const wabe_vector own = WABE_LOAD(r->own + x);
    wabe_vector west, east;
    if (x > 0)
        west = WABE_LOAD(r->own + x - 1);
    else
        west = from_west(own, value_at_end(r->own, nx, false, &a->sides[0]));
    if (x + WABE_LANES < nx)
        east = WABE_LOAD(r->own + x + 1);
    else
        east = from_east(own, value_at_end(r->own, nx, true, &a->sides[1]), nx - 1 - x);
    wabe_store_of_row(r->to, x, update(r, w, k, x, own, west, east), row);
}

/* Whole vectors with cells of the row on both sides. ahead: where the next row is, of which what
 * comes from memory is asked for already. */
WABE_INLINE void update_middle(const rows *r, const weights *w, wabe_diffusion k, int64_t begin,
                               int64_t end, int64_t ahead) {
    for (int64_t x = begin; x < end; x += WABE_LANES) {
        _mm_prefetch((const char *)(r->above.row + x + ahead), _MM_HINT_T0);
        WABE_STREAM(r->to + x, update(r, w, k, x, WABE_LOAD(r->own + x), WABE_LOAD(r->own + x - 1),
                                      WABE_LOAD(r->own + x + 1)));
    }
}

WABE_INLINE void diffuse_row(const wabe_diffuse_args *a, const weights *w, wabe_row row) {
    const int64_t at = row.y * a->grid.pitch + row.z * a->grid.plane;
    const wabe_scalar *own = (const wabe_scalar *)a->grid.source + at;
    const int64_t pitch = a->grid.pitch, plane = a->grid.plane;
    const int64_t last_y = a->grid.cells[1] - 1, last_z = a->grid.cells[2] - 1;
    const rows r = {
        .own = own,
        .to = (wabe_scalar *)a->grid.target + at,
        .south = beside_of(own, -pitch, last_y * pitch, row.y == 0, &a->sides[2]),
        .north = beside_of(own, pitch, -last_y * pitch, row.y == last_y, &a->sides[3]),
        .below = beside_of(own, -plane, last_z * plane, row.z == 0, &a->sides[4]),
        .above = beside_of(own, plane, -last_z * plane, row.z == last_z, &a->sides[5]),
    };
    const wabe_diffusion k = wabe_diffusion_of(WABE_REAL_OF(a->rate));
    const int64_t first = row.begin / WABE_LANES * WABE_LANES, lines = wabe_lines_begin(row);
    const int64_t last = (a->grid.cells[0] - 1) / WABE_LANES * WABE_LANES;
    const int64_t begin = lines > WABE_LANES ? lines : WABE_LANES;
    int64_t end = wabe_lines_end(row) < last ? wabe_lines_end(row) : last;
    end = end < begin ? begin : end;
    for (int64_t x = first; x < begin && x < row.end; x += WABE_LANES)
        update_end(a, &r, w, k, x, row);
    if (w || r.south.wall || r.north.wall || r.below.wall || r.above.wall)
        update_middle(&r, w, k, begin, end, pitch);
    else
        update_middle(&(rows){.own = own,
                              .to = r.to,
                              .south.row = r.south.row,
                              .north.row = r.north.row,
                              .below.row = r.below.row,
                              .above.row = r.above.row},
                      NULL, k, begin, end, pitch);
    for (int64_t x = end; x < row.end; x += WABE_LANES)
        update_end(a, &r, w, k, x, row);
}

void KERNEL(diffuse)(const wabe_diffuse_args *a, int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; item++)
        diffuse_row(a, NULL, wabe_row_of(&a->grid, item));
    _mm_sfence();
}

void KERNEL(diffuse_varied)(const wabe_diffuse_varied_args *a, int64_t begin, int64_t end) {
    const wabe_grid_args *g = &a->plain.grid;
    const int64_t steps[3] = {1, g->pitch, g->plane};
    for (int64_t item = begin; item < end; item++) {
        const wabe_row row = wabe_row_of(g, item);
        const wabe_scalar *first = (const wabe_scalar *)a->weights + row.y * g->pitch +
                                   row.z * g->plane;
        weights w;
        for (int face = 0; face < 6; face++)
            w.of[face] = first + face / 2 * a->stride + face % 2 * steps[face / 2];
        diffuse_row(&a->plain, &w, row);
    }
    _mm_sfence();
}

#endif
