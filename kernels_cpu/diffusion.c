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

/* A row and those beside it; its faces' weights, NULL: they are all alike. */
typedef struct {
    const wabe_scalar *own;
    wabe_scalar *to;
    beside south, north, below, above;
    const wabe_scalar *weights[6];
} rows;

WABE_INLINE wabe_vector update(const rows *r, wabe_diffusion k, int64_t x, wabe_vector own,
                               wabe_vector west, wabe_vector east) {
    if (r->weights[0]) {
        wabe_vector weights[6];
        const wabe_vector around[6] = {west,
                                       east,
                                       value_beside(&r->south, x, own),
                                       value_beside(&r->north, x, own),
                                       value_beside(&r->below, x, own),
                                       value_beside(&r->above, x, own)};
        for (int face = 0; face < 6; face++)
            weights[face] = WABE_LOAD(r->weights[face] + x);
        return wabe_diffuse_varied(own, around, weights);
    }
    return wabe_diffuse(k, own, west, east, value_beside(&r->south, x, own),
                        value_beside(&r->north, x, own), value_beside(&r->below, x, own),
                        value_beside(&r->above, x, own));
}

/* A vector at an end of the row, or of the cells that are wanted of it. Rows begin on a line, and
 * what a vector reads behind their ends is theirs; but lines there are not touched for what is
 * known otherwise. */
static void update_end(const wabe_diffuse_args *a, const rows *r, wabe_diffusion k, int64_t x,
                       wabe_row row) {
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
    wabe_store_of_row(r->to, x, update(r, k, x, own, west, east), row);
}

/* Whole vectors with cells of the row on both sides. ahead: where the next row is, of which what
 * comes from memory is asked for already. */
WABE_INLINE void update_middle(const rows *r, wabe_diffusion k, int64_t begin, int64_t end,
                               int64_t ahead) {
    for (int64_t x = begin; x < end; x += WABE_LANES) {
        _mm_prefetch((const char *)(r->above.row + x + ahead), _MM_HINT_T0);
        WABE_STREAM(r->to + x, update(r, k, x, WABE_LOAD(r->own + x), WABE_LOAD(r->own + x - 1),
                                      WABE_LOAD(r->own + x + 1)));
    }
}

/* weights: of cell (0, 0, 0), or NULL. */
WABE_INLINE void diffuse_row(const wabe_diffuse_args *a, const wabe_scalar *weights, int64_t stride,
                             wabe_row row) {
    const int64_t at = row.y * a->grid.pitch + row.z * a->grid.plane;
    const wabe_scalar *own = (const wabe_scalar *)a->grid.source + at;
    const int64_t pitch = a->grid.pitch, plane = a->grid.plane;
    const int64_t last_y = a->grid.cells[1] - 1, last_z = a->grid.cells[2] - 1;
    rows r = {
        .own = own,
        .to = (wabe_scalar *)a->grid.target + at,
        .south = beside_of(own, -pitch, last_y * pitch, row.y == 0, &a->sides[2]),
        .north = beside_of(own, pitch, -last_y * pitch, row.y == last_y, &a->sides[3]),
        .below = beside_of(own, -plane, last_z * plane, row.z == 0, &a->sides[4]),
        .above = beside_of(own, plane, -last_z * plane, row.z == last_z, &a->sides[5]),
    };
    if (weights) {
        const int64_t steps[3] = {1, pitch, plane};
        for (int face = 0; face < 6; face++)
            r.weights[face] = weights + at + face / 2 * stride + face % 2 * steps[face / 2];
    }
    const wabe_diffusion k = wabe_diffusion_of(WABE_REAL_OF(a->rate));
    const int64_t first = row.begin / WABE_LANES * WABE_LANES, lines = wabe_lines_begin(row);
    const int64_t last = (a->grid.cells[0] - 1) / WABE_LANES * WABE_LANES;
    const int64_t begin = lines > WABE_LANES ? lines : WABE_LANES;
    int64_t end = wabe_lines_end(row) < last ? wabe_lines_end(row) : last;
    end = end < begin ? begin : end;
    for (int64_t x = first; x < begin && x < row.end; x += WABE_LANES)
        update_end(a, &r, k, x, row);
    if (weights || r.south.wall || r.north.wall || r.below.wall || r.above.wall)
        update_middle(&r, k, begin, end, pitch);
    else
        update_middle(&(rows){.own = own,
                              .to = r.to,
                              .south.row = r.south.row,
                              .north.row = r.north.row,
                              .below.row = r.below.row,
                              .above.row = r.above.row},
                      k, begin, end, pitch);
    for (int64_t x = end; x < row.end; x += WABE_LANES)
        update_end(a, &r, k, x, row);
}

void KERNEL(diffuse)(const wabe_diffuse_args *a, int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; item++)
        diffuse_row(a, NULL, 0, wabe_row_of(&a->grid, item));
    _mm_sfence();
}

void KERNEL(diffuse_varied)(const wabe_diffuse_varied_args *a, int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; item++)
        diffuse_row(&a->plain, a->weights, a->stride, wabe_row_of(&a->plain.grid, item));
    _mm_sfence();
}

#endif
