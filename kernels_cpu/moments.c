/* Streaming pattern moments: compiled once per storage type and instruction set, as lbm.c is. A
 * thread marches through the planes of a column. It rebuilds the populations of a plane in its
 * core's cache, from where the cells of this plane and of the two beside it take what arrives. */
#include "kernels_cpu/vector.h"

#include "kernels_cpu/ten.h"

#include "core/device/team.h"
#include "kernels_cpu/functions.h"

#include <stdbool.h>
#include <string.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define KERNEL(name) JOIN(wabe_##name, WABE_FLAVOUR)

enum {
    MARGIN = WABE_MARCHING_MARGIN,
    LEVEL = 5,     /* populations that move up, or down */
    OWN = 9,       /* that stay in their plane */
    UP_PLANES = 3, /* planes that are needed: the one below the cells, theirs, the one above */
    OWN_PLANES = 2,
    LINE = 64 / sizeof(wabe_stored), /* numbers per cache line */
    AHEAD = 3,                       /* groups from a load to what is prefetched with it */
    ALL_LANES = (1 << WABE_LANES) - 1
};

_Static_assert((int)UP_PLANES *LEVEL + (int)OWN_PLANES * OWN + LEVEL == WABE_MARCHING_CACHED,
               "the scratch memory that slabs reserve");

/* Rows of rebuilt populations, [plane][row][population][x], from a row and MARGIN cells before the
 * column on. */
typedef struct {
    const wabe_stream_collide_args *a;
    const wabe_column *column;
    const wabe_stored *source;
    wabe_stored *target;
    int64_t x_first, x_end; /* whole vectors that have the column's cells */
    int64_t length, rows;   /* of a plane in the cache */
    wabe_scalar *up, *own, *down;
} march;

WABE_INLINE wabe_vector real_load(const wabe_scalar *p) {
    wabe_vector v;
    memcpy(&v, p, sizeof v);
    return v;
}
WABE_INLINE void real_store(wabe_scalar *p, wabe_vector v) { memcpy(p, &v, sizeof v); }

/* Names and positions of the populations of a row. */
#define UP(X) X(t, 0) X(te, 1) X(tw, 2) X(tn, 3) X(ts, 4)
#define DOWN(X) X(b, 0) X(be, 1) X(bw, 2) X(bn, 3) X(bs, 4)
#define FLAT(X) X(c, 0) X(e, 1) X(w, 2) X(n, 3) X(s, 4) X(ne, 5) X(sw, 6) X(se, 7) X(nw, 8)

/* Row y of plane z of the slab; its cell x is at [population * length + x]. */
WABE_INLINE wabe_scalar *up_row(const march *m, int64_t y, int64_t z) {
    return m->up +
           ((z + 1) % UP_PLANES * m->rows + (y - m->column->begin[1] + 1)) * LEVEL * m->length +
           MARGIN - m->x_first;
}
WABE_INLINE wabe_scalar *own_row(const march *m, int64_t y, int64_t z) {
    return m->own +
           ((z + 1) % OWN_PLANES * m->rows + (y - m->column->begin[1] + 1)) * OWN * m->length +
           MARGIN - m->x_first;
}
WABE_INLINE wabe_scalar *down_row(const march *m, int64_t y) {
    return m->down + (y - m->column->begin[1] + 1) * LEVEL * m->length + MARGIN - m->x_first;
}

WABE_INLINE wabe_ten ten_keep(wabe_ten s, unsigned bits) {
    const wabe_ten kept = {WABE_KEEP(s.base, bits), WABE_KEEP(s.x, bits),  WABE_KEEP(s.y, bits),
                           WABE_KEEP(s.z, bits),    WABE_KEEP(s.xx, bits), WABE_KEEP(s.yy, bits),
                           WABE_KEEP(s.zz, bits),   WABE_KEEP(s.xy, bits), WABE_KEEP(s.xz, bits),
                           WABE_KEEP(s.yz, bits)};
    return kept;
}

/* ---- a plane into the cache --------------------------------------------------------- */

/* Three rows of the cache, each moved so that cell x of the column is at [x]. */
typedef struct {
    wabe_scalar *up, *own, *down;
} row_of_planes;

WABE_INLINE void put_populations(row_of_planes r, int64_t length, int64_t x, wabe_cell f) {
#define X(name, place) real_store(r.up + (place)*length + x, f.name);
    UP(X)
#undef X
#define X(name, place) real_store(r.own + (place)*length + x, f.name);
    FLAT(X)
#undef X
#define X(name, place) real_store(r.down + (place)*length + x, f.name);
    DOWN(X)
#undef X
}

/* Rebuilds the populations of one cell of a row at another place x of it. */
static void copy_cell(const march *m, row_of_planes r, int64_t row, int64_t from, int64_t x,
                      bool third) {
    wabe_scalar values[WABE_Q][WABE_LANES];
    const int64_t first = from / WABE_LANES * WABE_LANES, lane = from - first;
    const wabe_ten s = wabe_ten_load(m->source, row + first);
    const wabe_cell f = third ? wabe_cell_of_ten(s, 1) : wabe_cell_of_ten(s, 0);
#define X(name, place)                                                                             \
    real_store(values[place], f.name);                                                             \
    r.up[(place)*m->length + x] = values[place][lane];
    UP(X)
#undef X
#define X(name, place)                                                                             \
    real_store(values[place], f.name);                                                             \
    r.own[(place)*m->length + x] = values[place][lane];
    FLAT(X)
#undef X
#define X(name, place)                                                                             \
    real_store(values[place], f.name);                                                             \
    r.down[(place)*m->length + x] = values[place][lane];
    DOWN(X)
#undef X
}

/* Prefetches the moments of cells some groups ahead: the processor's own prefetches end with a
 * page, and a group is most of one. */
WABE_INLINE void prefetch(const wabe_stored *field, int64_t n) {
    if (n % LINE == 0)
        for (int i = 0; i < WABE_MOMENTS; i++)
            __builtin_prefetch(field + wabe_moments_place(n + AHEAD * WABE_MOMENTS_GROUP) +
                                   i * WABE_MOMENTS_GROUP,
                               0, 2);
}

/* Rebuilds the populations of row y of plane z, and of the cells beside its ends. */
WABE_INLINE void rebuild_row(const march *m, int64_t y, int64_t z, bool third) {
    const wabe_marching *g = &m->a->marching;
    const int64_t row = wabe_marching_cell(g, 0, y, z), cells = g->cells[0];
    const row_of_planes r = {up_row(m, y, z), own_row(m, y, z), down_row(m, y)};
    const bool before = m->x_first > 0 || g->ghosts[0], behind = m->x_end < cells || g->ghosts[0];
    const int64_t end = m->x_end + (behind ? WABE_LANES : 0);
    for (int64_t x = m->x_first - (before ? WABE_LANES : 0); x < end; x += WABE_LANES) {
        prefetch(m->source, row + x);
        const wabe_ten s = wabe_ten_load(m->source, row + x);
        put_populations(r, m->length, x, wabe_cell_of_ten(s, third));
    }
    if (m->x_first == 0 && g->wraps[0])
        copy_cell(m, r, row, cells - 1, -1, third);
    if (m->x_end >= cells && g->wraps[0])
        copy_cell(m, r, row, 0, cells, third);
}

WABE_INLINE void rebuild_plane(const march *m, int64_t z, bool third) {
    const wabe_marching *g = &m->a->marching;
    if (!wabe_marching_has(g, 2, z))
        return;
    for (int64_t y = m->column->begin[1] - 1; y <= m->column->end[1]; y++)
        if (wabe_marching_has(g, 1, y))
            rebuild_row(m, y, z, third);
}

/* ---- a plane's cells ---------------------------------------------------------------- */

/* The rows of the cache around a row of cells: y - 1, y, y + 1. */
typedef struct {
    const wabe_scalar *up[3], *own[3], *down[3];
    int64_t length;
} rows_around;

WABE_INLINE rows_around rows_of(const march *m, int64_t y, int64_t z) {
    rows_around r = {.length = m->length};
    for (int i = 0; i < 3; i++) {
        r.up[i] = up_row(m, y - 1 + i, z - 1);
        r.own[i] = own_row(m, y - 1 + i, z);
        r.down[i] = down_row(m, y - 1 + i);
    }
    return r;
}

/* What arrives at the cells from x on. */
WABE_INLINE wabe_cell arrived(const rows_around *r, int64_t x) {
    wabe_cell f;
#define TAKE(name, row, place, cx) f.name = real_load(r->row + (place)*r->length + x - (cx));
    TAKE(t, up[1], 0, 0)
    TAKE(te, up[1], 1, 1)
    TAKE(tw, up[1], 2, -1)
    TAKE(tn, up[0], 3, 0)
    TAKE(ts, up[2], 4, 0)
    TAKE(c, own[1], 0, 0)
    TAKE(e, own[1], 1, 1)
    TAKE(w, own[1], 2, -1)
    TAKE(n, own[0], 3, 0)
    TAKE(s, own[2], 4, 0)
    TAKE(ne, own[0], 5, 1)
    TAKE(sw, own[2], 6, -1)
    TAKE(se, own[2], 7, 1)
    TAKE(nw, own[0], 8, -1)
    TAKE(b, down[1], 0, 0)
    TAKE(be, down[1], 1, 1)
    TAKE(bw, down[1], 2, -1)
    TAKE(bn, down[0], 3, 0)
    TAKE(bs, down[2], 4, 0)
#undef TAKE
    return f;
}

WABE_INLINE unsigned lanes_with(const uint32_t *words, int bit) {
    unsigned lanes = 0;
    for (int i = 0; i < (int)WABE_LANES; i++)
        lanes |= (words[i] >> bit & 1) << i;
    return lanes;
}

WABE_INLINE wabe_vector replace(wabe_vector old, unsigned lanes, wabe_vector by) {
    return (wabe_vector)((wabe_bits)WABE_KEEP(by, lanes) |
                         (wabe_bits)WABE_KEEP(old, ~lanes & ALL_LANES));
}

#define WEIGHT_axis WABE_WEIGHT_AXIS
#define WEIGHT_diagonal WABE_WEIGHT_DIAGONAL

/* Replaces what walls return to the cells from n on. record: the first one of their tile. Returns
 * the lanes that are fluid. */
static unsigned take_returned(const march *m, const wabe_collision *k, int64_t n, bool third,
                              const wabe_cell_record *record, wabe_cell *f) {
    const wabe_ten s = wabe_ten_load(m->source, n);
    const wabe_cell left = third ? wabe_cell_of_ten(s, 1) : wabe_cell_of_ten(s, 0);
    const wabe_moments moments = wabe_ten_moments_after(s, k);
    const wabe_vector ux = moments.ux, uy = moments.uy, uz = moments.uz;
    const wabe_vector base = wabe_wall_base(moments);
    for (;; record++) {
        const uint32_t *words = record->cells + n % WABE_TILE;
        const wabe_patch *patch = &m->a->patches[words[0] >> WABE_CELL_PATCH & 0xff];
        const unsigned fluid = lanes_with(words, 0);
        uint32_t any = 0;
        for (int i = 0; i < (int)WABE_LANES; i++)
            any |= fluid >> i & 1 ? words[i] : 0;
#define TAKE(name, opposite, projection, weight)                                                   \
    if (any >> WABE_Q_##name & 1) {                                                                \
        wabe_vector back =                                                                         \
            wabe_wall_return(left.opposite, WABE_REAL_OF(patch->sign),                             \
                             WABE_REAL_OF(patch->term[WABE_Q_##name] * WABE_SCALE));               \
        if (patch->quadratic != 0.0)                                                               \
            back = wabe_wall_add_quadratic(back, WABE_REAL_OF(patch->quadratic * WEIGHT_##weight), \
                                           projection, base);                                      \
        f->name = replace(f->name, lanes_with(words, WABE_Q_##name) & fluid, back);                \
    }
        WABE_D3Q19_EAST(TAKE)
        WABE_D3Q19_WEST(TAKE)
        WABE_D3Q19_MIDDLE(TAKE)
#undef TAKE
        if (words[0] >> WABE_CELL_LAST & 1)
            return fluid;
    }
}

/* Updates the cells from x on; n: their number. */
WABE_INLINE wabe_ten update(const march *m, const rows_around *rows, const wabe_collision *k,
                            int64_t x, int64_t n, bool third, bool forced) {
    wabe_cell f = arrived(rows, x);
    const uint32_t class = m->a->classes[n / WABE_TILE];
    if (class == 0)
        return wabe_ten_of_arrived(f, k, forced);
    const unsigned fluid = take_returned(m, k, n, third, &m->a->cell_records[class - 1], &f);
    return ten_keep(wabe_ten_of_arrived(f, k, forced), fluid);
}

/* A group of cells as it is stored; whole groups leave the caches. */
typedef struct {
    _Alignas(64) wabe_stored values[WABE_MOMENTS * WABE_MOMENTS_GROUP];
} group;

static void group_stream(const group *g, wabe_stored *to) {
    for (int i = 0; i < WABE_MOMENTS * WABE_MOMENTS_GROUP; i += WABE_COPIED)
        WABE_STREAM_COPY(to + i, g->values + i);
}

/* Lanes of the vector from x on that are cells of the column. */
WABE_INLINE unsigned lanes_of(const wabe_column *c, int64_t x) {
    unsigned lanes = ALL_LANES;
    if (x < c->begin[0])
        lanes &= ~0u << (c->begin[0] - x);
    if (x + WABE_LANES > c->end[0])
        lanes &= (1u << (c->end[0] - x)) - 1u;
    return lanes;
}

WABE_INLINE void update_row(const march *m, const wabe_collision *k, int64_t y, int64_t z,
                            bool third, bool forced) {
    const wabe_column *c = m->column;
    const int64_t row = wabe_marching_cell(&m->a->marching, 0, y, z);
    const rows_around rows = rows_of(m, y, z);
    group whole;
    for (int64_t x = m->x_first; x < m->x_end;) {
        const int64_t next = x / WABE_MOMENTS_GROUP * WABE_MOMENTS_GROUP + WABE_MOMENTS_GROUP;
        const bool is_whole = x % WABE_MOMENTS_GROUP == 0 && c->begin[0] <= x && next <= c->end[0];
        for (; x < next && x < m->x_end; x += WABE_LANES) {
            const wabe_ten s = update(m, &rows, k, x, row + x, third, forced);
            if (is_whole)
                wabe_ten_store(whole.values + x % WABE_MOMENTS_GROUP, s, ALL_LANES);
            else
                wabe_ten_store(m->target + wabe_moments_place(row + x), s, lanes_of(c, x));
        }
        if (is_whole)
            group_stream(&whole, m->target + wabe_moments_place(row + next - WABE_MOMENTS_GROUP));
    }
}

WABE_INLINE void update_column(const wabe_stream_collide_args *a, const wabe_column *c,
                               const wabe_collision *k, bool third, bool forced) {
    march m = {.a = a,
               .column = c,
               .source = a->source,
               .target = a->target,
               .x_first = c->begin[0] / WABE_LANES * WABE_LANES,
               .x_end = (c->end[0] + WABE_LANES - 1) / WABE_LANES * WABE_LANES,
               .rows = c->end[1] - c->begin[1] + 2};
    m.length = m.x_end - m.x_first + 2 * MARGIN;
    m.up = wabe_team_scratch();
    m.own = m.up + UP_PLANES * m.rows * LEVEL * m.length;
    m.down = m.own + OWN_PLANES * m.rows * OWN * m.length;
    rebuild_plane(&m, c->begin[2] - 1, third);
    rebuild_plane(&m, c->begin[2], third);
    for (int64_t z = c->begin[2]; z < c->end[2]; z++) {
        rebuild_plane(&m, z + 1, third);
        for (int64_t y = c->begin[1]; y < c->end[1]; y++)
            update_row(&m, k, y, z, third, forced);
    }
}

static bool has_force(const wabe_stream_collide_args *a) {
    const double *f = a->collision.force;
    return f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0;
}

#define COLUMN(name, third, forced)                                                                \
    static void name(const wabe_stream_collide_args *a, const wabe_column *c,                      \
                     const wabe_collision *k) {                                                    \
        update_column(a, c, k, third, forced);                                                     \
    }
#define STREAM_COLLIDE(op, flops, third, ...)                                                      \
    COLUMN(op##_column, third, false)                                                              \
    COLUMN(op##_column_forced, third, true)                                                        \
    void KERNEL(stream_collide_##op##_moments)(const wabe_stream_collide_args *a, int64_t begin,   \
                                               int64_t end) {                                      \
        const wabe_collision k = wabe_collision_of(&a->collision);                                 \
        for (const wabe_column *c = a->marching.columns + begin; c < a->marching.columns + end;    \
             c++)                                                                                  \
            (has_force(a) ? op##_column_forced : op##_column)(a, c, &k);                           \
        _mm_sfence();                                                                              \
    }
WABE_LBM_MOMENTS(STREAM_COLLIDE, )
