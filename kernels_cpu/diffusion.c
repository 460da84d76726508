/* Diffusion: rows of cells, compiled once per flavour. */
#include "kernels_cpu/vector.h"

#include "core/device/team.h"
#include "kernels_cpu/functions.h"
#include "sweeps/cell/diffusion.h"

#ifndef WABE_VECTOR_F16 /* there is no such flavour */

#include "kernels_cpu/rows.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define KERNEL(name) JOIN(wabe_##name, WABE_FLAVOUR)

/* The value behind a wall is factor times that of the cell in front of it, plus offset. */
typedef struct {
    wabe_vector factor, offset;
} wall;

/* A pass through a tile along z: a window of three planes per time level moves from the source,
 * level 0, to the target. */
typedef struct {
    const wabe_diffuse_args *a;
    wabe_diffusion k;
    wall walls[6];
    wabe_row_box tile;
    wabe_scalar *windows; /* of levels 1 to steps - 1; NULL if there are none */
    int64_t pitch, plane; /* of a window */
} pass;

static pass pass_of(const wabe_diffuse_args *a) {
    const wabe_grid_field *from = &a->grid.fields[WABE_DIFFUSE_FROM];
    pass p = {.a = a, .k = wabe_diffusion_of(WABE_REAL_OF(a->rate))};
    for (int face = 0; face < 6; face++)
        p.walls[face] = (wall){WABE_REAL_OF(from->walls[face].factor),
                               WABE_REAL_OF(from->walls[face].offset)};
    return p;
}

/* A row beside the present one, or the wall there. */
typedef struct {
    const wabe_scalar *row;
    const wall *wall;
} beside;

WABE_INLINE beside beside_of(const pass *p, int face, const wabe_scalar *row, bool at_face) {
    const bool there = at_face && p->a->grid.sides[face] == WABE_SIDE_WALL;
    return (beside){row, there ? &p->walls[face] : NULL};
}

WABE_INLINE wabe_vector value_beside(const beside *b, int64_t x, wabe_vector own) {
    if (b->wall)
        return WABE_FMA(b->wall->factor, own, b->wall->offset);
    return WABE_LOAD(b->row + x);
}

/* The value before the first cell of a row, or after its last one, unless a neighbour has it. */
WABE_INLINE wabe_scalar value_at_end(const pass *p, const wabe_scalar *row, bool high) {
    const int64_t last = p->a->grid.cells[0] - 1;
    if (p->a->grid.sides[high] == WABE_SIDE_ITSELF)
        return row[high ? 0 : last];
    return WABE_FMA(p->walls[high].factor, WABE_SET1(row[high ? last : 0]),
                    p->walls[high].offset)[0];
}

/* Returns v with a lane replaced; constant lanes are cheap, hence the first and the last one. */
WABE_INLINE wabe_vector with_lane(wabe_vector v, int64_t lane, wabe_scalar value) {
    if (lane == 0)
        v[0] = value;
    else if (lane == WABE_LANES - 1)
        v[WABE_LANES - 1] = value;
    else
        v[lane & (WABE_LANES - 1)] = value;
    return v;
}

/* A row and the rows beside it. */
typedef struct {
    const wabe_scalar *own;
    wabe_scalar *to;
    beside south, north, below, above;
} rows;

WABE_INLINE wabe_vector update(const rows *r, wabe_diffusion k, int64_t x, wabe_vector own,
                               wabe_vector west, wabe_vector east) {
    return wabe_diffuse(k, own, west, east, value_beside(&r->south, x, own),
                        value_beside(&r->north, x, own), value_beside(&r->below, x, own),
                        value_beside(&r->above, x, own));
}

/* Does a vector need the value beyond an end of its row, which is not a neighbour's? */
WABE_INLINE bool ends(wabe_side_kind side, int64_t x, int64_t cell) {
    return side != WABE_SIDE_NEIGHBOUR && x <= cell && cell < x + WABE_LANES;
}

/* A vector at an end of the row, or of its wanted cells. Rows begin on a cache line; lanes outside
 * the wanted cells may hold anything. */
WABE_INLINE wabe_vector update_end(const pass *p, const rows *r, int64_t x) {
    const wabe_side_kind *sides = p->a->grid.sides;
    const int64_t last = p->a->grid.cells[0] - 1;
    wabe_vector west = WABE_LOAD(r->own + x - 1), east = WABE_LOAD(r->own + x + 1);
    if (ends(sides[0], x, 0))
        west = with_lane(west, 0, value_at_end(p, r->own, false));
    if (ends(sides[1], x, last))
        east = with_lane(east, last - x, value_at_end(p, r->own, true));
    return update(r, p->k, x, WABE_LOAD(r->own + x), west, east);
}

WABE_INLINE void update_ends(const pass *p, const rows *r, int64_t begin, int64_t end, wabe_row row,
                             bool last) {
    for (int64_t x = begin; x < end && x < row.end; x += WABE_LANES) {
        const wabe_vector v = update_end(p, r, x);
        if (last)
            wabe_store_of_row(r->to, x, v, row);
        else
            WABE_STORE(r->to + x, v);
    }
}

/* Whole vectors with cells of the row on both sides. first, last: the pass's first level reads
 * memory, its last one writes it. Prefetches what the row after the next reads from memory. */
WABE_INLINE void update_middle(const rows *r, wabe_diffusion k, int64_t begin, int64_t end,
                               int64_t pitch, bool first, bool last) {
    for (int64_t x = begin; x < end; x += WABE_LANES) {
        if (first)
            WABE_PREFETCH(r->above.row + x + 2 * pitch);
        const wabe_vector v = update(r, k, x, WABE_LOAD(r->own + x), WABE_LOAD(r->own + x - 1),
                                     WABE_LOAD(r->own + x + 1));
        if (last)
            WABE_STREAM(r->to + x, v);
        else
            WABE_STORE(r->to + x, v);
    }
}

/* Compiles rows with and without walls beside them separately. */
WABE_INLINE void update_plain(const rows *r, wabe_diffusion k, int64_t begin, int64_t end,
                              int64_t pitch, bool first, bool last) {
    if (r->south.wall || r->north.wall || r->below.wall || r->above.wall)
        update_middle(r, k, begin, end, pitch, first, last);
    else
        update_middle(&(rows){.own = r->own,
                              .to = r->to,
                              .south.row = r->south.row,
                              .north.row = r->north.row,
                              .below.row = r->below.row,
                              .above.row = r->above.row},
                      k, begin, end, pitch, first, last);
}

/* ---- rows of a time level ------------------------------------------------------------------ */

/* i is rarely outside 0 to n - 1, and then by little. */
WABE_INLINE int64_t modulo(int64_t i, int64_t n) {
    while (i < 0)
        i += n;
    while (i >= n)
        i -= n;
    return i;
}

/* Address of row 0 of a plane. */
WABE_INLINE wabe_scalar *window_plane(const pass *p, int level, int64_t z) {
    const int64_t at = z - p->tile.begin[2] + p->a->grid.steps;
    return p->windows + ((level - 1) * WABE_WINDOW + at % WABE_WINDOW) * p->plane +
           (p->a->grid.steps - p->tile.begin[1]) * p->pitch;
}
WABE_INLINE const wabe_scalar *read_plane(const pass *p, int level, int64_t z) {
    const wabe_grid_args *g = &p->a->grid;
    if (level > 0)
        return window_plane(p, level, z);
    if (p->a->grid.sides[4] == WABE_SIDE_ITSELF)
        z = modulo(z, g->cells[2]);
    return (const wabe_scalar *)g->fields[WABE_DIFFUSE_FROM].data +
           z * g->fields[WABE_DIFFUSE_FROM].plane;
}

/* The planes that a level reads, and the one that it writes, at the same z. */
typedef struct {
    const wabe_scalar *below, *own, *above;
    wabe_scalar *to;
    int64_t pitch, to_pitch;
    int level;
} planes;

WABE_INLINE planes planes_of(const pass *p, int level, int64_t z) {
    const wabe_grid_args *g = &p->a->grid;
    const bool last = level == g->steps;
    return (planes){.below = read_plane(p, level - 1, z - 1),
                    .own = read_plane(p, level - 1, z),
                    .above = read_plane(p, level - 1, z + 1),
                    .to = last ? (wabe_scalar *)g->fields[WABE_DIFFUSE_TO].data +
                                     z * g->fields[WABE_DIFFUSE_TO].plane
                               : window_plane(p, level, z),
                    .pitch = level == 1 ? g->fields[WABE_DIFFUSE_FROM].pitch : p->pitch,
                    .to_pitch = last ? g->fields[WABE_DIFFUSE_TO].pitch : p->pitch,
                    .level = level};
}

WABE_INLINE rows rows_of(const pass *p, const planes *l, int64_t y, int64_t z) {
    const int64_t *n = p->a->grid.cells;
    const bool wraps = l->level == 1 && p->a->grid.sides[2] == WABE_SIDE_ITSELF;
    const int64_t own = (wraps ? modulo(y, n[1]) : y) * l->pitch;
    const int64_t south = (wraps ? modulo(y - 1, n[1]) : y - 1) * l->pitch;
    const int64_t north = (wraps ? modulo(y + 1, n[1]) : y + 1) * l->pitch;
    return (rows){.own = l->own + own,
                  .to = l->to + y * l->to_pitch,
                  .south = beside_of(p, 2, l->own + south, y == 0),
                  .north = beside_of(p, 3, l->own + north, y == n[1] - 1),
                  .below = beside_of(p, 4, l->below + own, z == 0),
                  .above = beside_of(p, 5, l->above + own, z == n[2] - 1)};
}

/* Only the row's cells are stored to the target, with non-temporal stores. */
WABE_INLINE void diffuse_row(const pass *p, const planes *l, wabe_row row) {
    const rows r = rows_of(p, l, row.y, row.z);
    const bool last = l->level == p->a->grid.steps;
    const int64_t lowest = row.begin & -(int64_t)WABE_LANES; /* rounded down */
    const int64_t highest = (p->a->grid.cells[0] - 1) / WABE_LANES * WABE_LANES;
    int64_t begin = last ? wabe_lines_begin(row) : lowest;
    int64_t end = last ? wabe_lines_end(row) : row.end / WABE_LANES * WABE_LANES;
    begin = begin > WABE_LANES ? begin : WABE_LANES;
    end = end < highest ? end : highest;
    end = end < begin ? begin : end;
    update_ends(p, &r, lowest, begin, row, last);
    if (l->level == 1 && last)
        update_plain(&r, p->k, begin, end, l->pitch, true, true);
    else if (l->level == 1)
        update_plain(&r, p->k, begin, end, l->pitch, true, false);
    else if (last)
        update_plain(&r, p->k, begin, end, l->pitch, false, true);
    else
        update_plain(&r, p->k, begin, end, l->pitch, false, false);
    update_ends(p, &r, end, row.end, row, last);
}

/* ---- tiles --------------------------------------------------------------------------------- */

typedef struct {
    int64_t begin, end;
} range;

/* The range along an axis that a level computes: the tile's cells, and those around it that later
 * levels need. It ends at walls; a row that wraps round is computed completely. */
static range reach(const pass *p, int level, int axis) {
    const wabe_grid_args *g = &p->a->grid;
    const int64_t more = g->steps - level, n = g->cells[axis];
    const wabe_side_kind low = p->a->grid.sides[2 * axis], high = p->a->grid.sides[2 * axis + 1];
    range r = {p->tile.begin[axis] - more, p->tile.end[axis] + more};
    if (axis == 0 && low == WABE_SIDE_ITSELF && (r.begin < 0 || r.end > n))
        return (range){0, n};
    if (low == WABE_SIDE_WALL && r.begin < 0)
        r.begin = 0;
    if (high == WABE_SIDE_WALL && r.end > n)
        r.end = n;
    return r;
}

static void do_plane(const pass *p, int level, int64_t z) {
    const range x = reach(p, level, 0), y = reach(p, level, 1), all = reach(p, level, 2);
    if (z < all.begin || z >= all.end)
        return;
    const planes l = planes_of(p, level, z);
    for (int64_t at = y.begin; at < y.end; at++)
        diffuse_row(p, &l, (wabe_row){x.begin, x.end, at, z});
}

/* Each level is one plane behind the level before it. */
static void march(const pass *p) {
    const int steps = p->a->grid.steps;
    for (int64_t z = p->tile.begin[2] - steps + 1; z < p->tile.end[2] + steps - 1; z++)
        for (int level = 1; level <= steps; level++)
            do_plane(p, level, z - (level - 1));
}

void KERNEL(diffuse)(const wabe_diffuse_args *a, int64_t begin, int64_t end) {
    const wabe_grid_args *g = &a->grid;
    pass p = pass_of(a);
    if (g->steps > 1) { /* a margin, since the first row is read beyond its ends */
        p.windows = (wabe_scalar *)wabe_team_scratch() + WABE_WINDOW_MARGIN * WABE_LINE;
        p.pitch = wabe_window_pitch(g, WABE_LINE);
        p.plane = wabe_window_plane(g, g->steps, WABE_LINE);
    }
    for (int64_t item = begin; item < end; item++) {
        p.tile = wabe_tile_of(g, item);
        march(&p);
    }
    WABE_FENCE();
}

#endif
