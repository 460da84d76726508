/* Streaming pattern moments: compiled once per storage type and instruction set, as lbm.c is. A
 * thread marches through the rows of a column, plane by plane. It rebuilds the populations of row
 * y + 1 of plane z in its core's cache; then all that arrive at row y from plane z are there. They
 * complete the cells of plane z - 1, which are updated. Of the cells of planes z and z + 1 it adds
 * up what has arrived so far; these sums wait in the cache, too. */
#include "kernels_cpu/vector.h"

#include "kernels_cpu/ten.h"

#include "core/device/team.h"
#include "kernels_cpu/functions.h"
#include "sweeps/cell/lattice.h"
#include "sweeps/cell/lbm_of_kernel.h"

#include <stdbool.h>
#include <string.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define KERNEL(name) JOIN(JOIN(wabe_##name, WABE_LATTICE), WABE_FLAVOUR)

enum {
    ASIDE = WABE_Q == (int)WABE_COUNT_d3q27 ? 9 : 5, /* populations that move north, or south */
    ALONG = 9,      /* that move along their row, or up or down, or stay */
    NORTH_ROWS = 3, /* rows that are needed: the one south of the cells, theirs, the one north */
    ALONG_ROWS = 2,
    LINE = 64,                           /* bytes */
    MARGIN = LINE / sizeof(wabe_scalar), /* before and behind a column, at least a vector */
    WIDTH = WABE_MARCHING_WIDEST + 2 * MARGIN,
    ROWS_AHEAD = 3, /* from a row that is updated to the one that is prefetched */
    ALL_LANES = (1 << WABE_LANES) - 1
};

/* Populations that have left rows of a plane, [row][population][x]. */
typedef struct {
    _Alignas(LINE) wabe_scalar north[NORTH_ROWS][ASIDE][WIDTH];
    wabe_scalar along[ALONG_ROWS][ALONG][WIDTH];
    wabe_scalar south[ASIDE][WIDTH];
} populations;

/* What has arrived so far: at a cell, sums over its plane and the one below; at the cell above it,
 * populations from its plane, of which walls may still replace some. */
typedef struct {
    wabe_layer own;
    wabe_vector below_all, below_x, below_y;
    wabe_vector t, te, tw, tn, ts;
    WABE_IF_CORNERS(wabe_vector tne, tse, tsw, tnw;)
} pending;

_Static_assert(sizeof(pending) == WABE_MARCHING_PENDING(WABE_Q) * sizeof(wabe_vector),
               "the scratch memory that slabs reserve");

typedef struct {
    const wabe_stream_collide_args *a;
    const wabe_column *column;
    const wabe_stored *source;
    wabe_stored *target;
    int64_t x_first, x_end; /* whole vectors that have the column's cells */
    populations *left;
    pending *arrived; /* [y][x / WABE_LANES] */
} march;

WABE_INLINE wabe_vector real_load(const wabe_scalar *p) {
    wabe_vector v;
    memcpy(&v, p, sizeof v);
    return v;
}
WABE_INLINE void real_store(wabe_scalar *p, wabe_vector v) { memcpy(p, &v, sizeof v); }

/* X(population, place, cx): those that move north, along their row, and south. */
#define NORTH(X)                                                                                   \
    X(n, 0, 0)                                                                                     \
    X(ne, 1, 1)                                                                                    \
    X(nw, 2, -1)                                                                                   \
    X(tn, 3, 0) X(bn, 4, 0) WABE_IF_CORNERS(X(tne, 5, 1) X(tnw, 6, -1) X(bne, 7, 1) X(bnw, 8, -1))
#define SOUTH(X)                                                                                   \
    X(s, 0, 0)                                                                                     \
    X(se, 1, 1)                                                                                    \
    X(sw, 2, -1)                                                                                   \
    X(ts, 3, 0) X(bs, 4, 0) WABE_IF_CORNERS(X(tse, 5, 1) X(tsw, 6, -1) X(bse, 7, 1) X(bsw, 8, -1))
#define ALONG(X)                                                                                   \
    X(c, 0, 0)                                                                                     \
    X(e, 1, 1) X(w, 2, -1) X(t, 3, 0) X(te, 4, 1) X(tw, 5, -1) X(b, 6, 0) X(be, 7, 1) X(bw, 8, -1)

/* X(population): those that move up, and down. */
#define RISING(X) X(t) X(te) X(tw) X(tn) X(ts) WABE_IF_CORNERS(X(tne) X(tse) X(tsw) X(tnw))
#define FALLING(X) X(b) X(be) X(bw) X(bn) X(bs) WABE_IF_CORNERS(X(bne) X(bse) X(bsw) X(bnw))

WABE_INLINE wabe_ten ten_keep(wabe_ten s, unsigned bits) {
    const wabe_ten kept = {WABE_KEEP(s.base, bits), WABE_KEEP(s.x, bits),  WABE_KEEP(s.y, bits),
                           WABE_KEEP(s.z, bits),    WABE_KEEP(s.xx, bits), WABE_KEEP(s.yy, bits),
                           WABE_KEEP(s.zz, bits),   WABE_KEEP(s.xy, bits), WABE_KEEP(s.xz, bits),
                           WABE_KEEP(s.yz, bits)};
    return kept;
}

/* ---- a row into the cache ----------------------------------------------------------- */

/* Rows of populations, [population][x]. */
typedef struct {
    wabe_scalar (*north)[WIDTH], (*along)[WIDTH], (*south)[WIDTH];
} rows;

/* Where populations that leave row y are put. */
WABE_INLINE rows rows_from(const march *m, int64_t y) {
    const rows r = {m->left->north[(y + 1) % NORTH_ROWS], m->left->along[(y + 1) % ALONG_ROWS],
                    m->left->south};
    return r;
}

/* Where those that arrive at row y come from. */
WABE_INLINE rows rows_to(const march *m, int64_t y) {
    const rows r = {m->left->north[y % NORTH_ROWS], m->left->along[(y + 1) % ALONG_ROWS],
                    m->left->south};
    return r;
}

/* The place of what has left cell x. */
WABE_INLINE int64_t place_of(const march *m, int64_t x) { return x - m->x_first + MARGIN; }

/* Rebuilds the populations of cell x of a row at another place of it. */
static void copy_cell(const march *m, rows r, int64_t row, int64_t x, int64_t place, bool third) {
    const int64_t lane = x % WABE_LANES;
    const wabe_ten s = wabe_ten_load(m->source, row + x - lane);
    const wabe_cell f = third ? wabe_cell_of_ten(s, 1) : wabe_cell_of_ten(s, 0);
#define X(name, i, cx) r.north[i][place] = f.name[lane];
    NORTH(X)
#undef X
#define X(name, i, cx) r.along[i][place] = f.name[lane];
    ALONG(X)
#undef X
#define X(name, i, cx) r.south[i][place] = f.name[lane];
    SOUTH(X)
#undef X
}

/* Rebuilds the populations of row y of plane z, and of the cells beside its ends. */
WABE_INLINE void rebuild_row(const march *m, int64_t y, int64_t z, bool third) {
    const wabe_marching *g = &m->a->marching;
    const int64_t row = wabe_marching_cell(g, 0, y, z), cells = g->cells[0];
    const rows r = rows_from(m, y);
    const bool before = m->x_first > 0 || g->ghosts[0], behind = m->x_end < cells || g->ghosts[0];
    const int64_t end = m->x_end + (behind ? WABE_LANES : 0);
    for (int64_t x = m->x_first - (before ? WABE_LANES : 0); x < end; x += WABE_LANES) {
        const wabe_cell f = wabe_cell_of_ten(wabe_ten_load(m->source, row + x), third);
        const int64_t place = place_of(m, x);
#define X(name, i, cx) real_store(&r.north[i][place], f.name);
        NORTH(X)
#undef X
#define X(name, i, cx) real_store(&r.along[i][place], f.name);
        ALONG(X)
#undef X
#define X(name, i, cx) real_store(&r.south[i][place], f.name);
        SOUTH(X)
#undef X
    }
    if (m->x_first == 0 && g->wraps[0])
        copy_cell(m, r, row, cells - 1, place_of(m, -1), third);
    if (m->x_end >= cells && g->wraps[0])
        copy_cell(m, r, row, 0, place_of(m, cells), third);
}

/* ---- a row's cells ------------------------------------------------------------------ */

/* What arrives at the cells from a place on. */
WABE_INLINE wabe_cell populations_at(rows r, int64_t place) {
    wabe_cell f;
#define X(name, i, cx) f.name = real_load(&r.north[i][place - (cx)]);
    NORTH(X)
#undef X
#define X(name, i, cx) f.name = real_load(&r.along[i][place - (cx)]);
    ALONG(X)
#undef X
#define X(name, i, cx) f.name = real_load(&r.south[i][place - (cx)]);
    SOUTH(X)
#undef X
    return f;
}

WABE_INLINE unsigned lanes_with(const wabe_cell_word *words, int bit) {
    unsigned lanes = 0;
    for (int i = 0; i < (int)WABE_LANES; i++)
        lanes |= (unsigned)(words[i] >> bit & 1) << i;
    return lanes;
}

/* What has arrived at the cells of row y. */
WABE_INLINE pending *pending_row(const march *m, int64_t y) {
    return m->arrived + (y - m->column->begin[1]) * (m->x_end - m->x_first) / WABE_LANES;
}

/* A vector of a row of cells, to which walls return populations. */
typedef struct {
    int64_t n;      /* its first cell */
    int64_t place;  /* see place_of */
    rows r;         /* from where flat and falling populations arrive */
    pending *below; /* and rising ones */
} target;

/* The population that arrives at lanes in this step, from its own cells in the source. */
static wabe_vector arriving_at(const march *m, int64_t n, int q, unsigned lanes, bool third) {
    const int *e = wabe_lattice_e(WABE_OF_LATTICE(WABE_LATTICE_), q);
    wabe_vector arriving = WABE_REAL_OF(0.0);
    for (int i = 0; i < (int)WABE_LANES; i++) {
        if (!(lanes >> i & 1))
            continue;
        const int64_t from = wabe_marching_beside(&m->a->marching, n + i,
                                                  (int[3]){-e[0], -e[1], -e[2]});
        const int64_t lane = from & (WABE_LANES - 1);
        const wabe_ten s = wabe_ten_load(m->source, from - lane);
        const wabe_cell left = third ? wabe_cell_of_ten(s, 1) : wabe_cell_of_ten(s, 0);
#define X(name, cx, cy, cz, class)                                                                 \
    if (q == WABE_Q_##name)                                                                        \
        arriving[i] = left.name[lane];
        WABE_POPULATIONS(X)
#undef X
    }
    return arriving;
}

/* The interpolations of the lanes' links of population q. words: of a record of curved walls. */
static wabe_vector interpolations(const wabe_patch *patch, const wabe_cell_word *words, int q,
                                  unsigned lanes) {
    const int in_word = WABE_PLACES_IN_WORD(WABE_Q);
    const wabe_cell_word *places = words + (1 + (q - 1) / in_word) * WABE_TILE;
    wabe_vector k = WABE_REAL_OF(0.0);
    for (int i = 0; i < (int)WABE_LANES; i++)
        if (lanes >> i & 1)
            k[i] = (wabe_scalar)
                       patch->interpolations[places[i] >> WABE_PLACE_BITS * ((q - 1) % in_word) &
                                             ((1 << WABE_PLACE_BITS) - 1)];
    return k;
}

/* Puts what a wall returns to the fluid lanes, of the populations in any (bit q), to where they
 * arrive from: to places of cells behind the wall, which nobody else reads. words: of the cells'
 * record. *gain: the mass that curved walls give with them (wabe_patch). */
static void put_returned(const march *m, const wabe_collision *k, const target *at, bool third,
                         const wabe_cell_word *words, unsigned fluid, wabe_cell_word any,
                         wabe_vector *gain) {
    const wabe_patch *patch = &m->a->patches[wabe_cell_patch(words[0])];
    const wabe_ten s = wabe_ten_load(m->source, at->n);
    const wabe_cell left = third ? wabe_cell_of_ten(s, 1) : wabe_cell_of_ten(s, 0);
    const wabe_moments moments = wabe_ten_moments_after(s, k);
    const wabe_vector ux = moments.ux, uy = moments.uy, uz = moments.uz;
    const wabe_vector base = wabe_wall_base(moments);
    wabe_scalar *to[WABE_Q];
#define X(name, i, cx) to[WABE_Q_##name] = &at->r.north[i][at->place - (cx)];
    NORTH(X)
#undef X
#define X(name, i, cx) to[WABE_Q_##name] = &at->r.along[i][at->place - (cx)];
    ALONG(X)
#undef X
#define X(name, i, cx) to[WABE_Q_##name] = &at->r.south[i][at->place - (cx)];
    SOUTH(X)
#undef X
#define X(name) to[WABE_Q_##name] = (wabe_scalar *)&at->below->name;
    RISING(X)
#undef X
#define PUT(name, opposite, projection, class)                                                     \
    if (any >> WABE_Q_##name & 1) {                                                                \
        const unsigned lanes = lanes_with(words, WABE_Q_##name) & fluid;                           \
        wabe_vector back =                                                                         \
            wabe_wall_return(left.opposite, WABE_REAL_OF(patch->sign),                             \
                             WABE_REAL_OF(patch->term[WABE_Q_##name] * WABE_SCALE));               \
        if (patch->quadratic != 0.0)                                                               \
            back = wabe_wall_add_quadratic(back,                                                   \
                                           WABE_REAL_OF(patch->quadratic * WABE_WEIGHT(class)),    \
                                           projection, base);                                      \
        if (patch->by_place) {                                                                     \
            const wabe_vector part = interpolations(patch, words, WABE_Q_##name, lanes);           \
            const wabe_vector arriving = arriving_at(m, at->n, WABE_Q_##opposite, lanes, third);   \
            back = wabe_curved_add(wabe_curved_return(left.opposite, left.name, part), part,       \
                                   arriving);                                                      \
            *gain = wabe_curved_gain(wabe_curved_gain(*gain, part, arriving), -part,               \
                                     WABE_KEEP(left.name, lanes));                                 \
        }                                                                                          \
        wabe_scalar *p = to[WABE_Q_##name];                                                        \
        real_store(p, wabe_replace(real_load(p), lanes, back));                                    \
    }
    WABE_BY_LAYERS(PUT)
#undef PUT
}

/* The same for all records of the cells; of populations in some (bit q). record: the first one of
 * their tile. Takes what curved walls give from the rest populations, or, if those have arrived
 * already, from their sums. Returns the lanes that are not fluid. */
static unsigned put_all_returned(const march *m, const wabe_collision *k, const target *at,
                                 bool third, const wabe_cell_record *record, wabe_cell_word some) {
    wabe_vector gain = WABE_REAL_OF(0.0);
    wabe_scalar *rest = &at->r.along[0][at->place];
    for (;; record++) {
        const wabe_cell_word *words = record->cells + at->n % WABE_TILE;
        wabe_cell_word any = 0, all = ~(wabe_cell_word)0;
        for (int i = 0; i < (int)WABE_LANES; i++)
            any |= words[i], all &= words[i];
        const unsigned fluid = all & WABE_CELL_FLUID ? ALL_LANES : lanes_with(words, 0);
        if (any & some)
            put_returned(m, k, at, third, words, fluid, any & some, &gain);
        if (!(words[0] >> WABE_CELL_LAST & 1))
            continue;
        if (some >> WABE_Q_b & 1)
            at->below->own.all = at->below->own.all - gain;
        else
            real_store(rest, real_load(rest) - gain);
        return ~fluid & ALL_LANES;
    }
}

/* Lanes of a row's vectors that are not fluid. */
typedef struct {
    uint16_t lanes[WABE_MARCHING_WIDEST / WABE_LANES];
} solids;

/* The same for row y of plane z. r: where populations that arrive there come from. */
static solids return_to_row(const march *m, const wabe_collision *k, rows r, int64_t y, int64_t z,
                            bool third, wabe_cell_word some) {
    const int64_t row = wabe_marching_cell(&m->a->marching, 0, y, z);
    solids solid = {{0}};
    for (int64_t x = m->x_first; x < m->x_end;) {
        const int64_t next = x / WABE_TILE * WABE_TILE + WABE_TILE;
        const uint32_t class = m->a->classes[(row + x) / WABE_TILE];
        for (; class != 0 && x < next && x < m->x_end; x += WABE_LANES) {
            const int64_t i = (x - m->x_first) / WABE_LANES;
            const target at = {row + x, place_of(m, x), r, pending_row(m, y) + i};
            solid.lanes[i] = (uint16_t)put_all_returned(
                m, k, &at, third, (const wabe_cell_record *)m->a->cell_records + class - 1, some);
        }
        x = next;
    }
    return solid;
}

/* Damps the wave along walls (wabe_damp_at_walls) in a vector of cells from n on, whose new moments
 * are s. class: of their tile. */
static wabe_ten damp_at_walls(const march *m, const wabe_collision *k, int64_t n, uint32_t class,
                              wabe_ten s, bool third) {
    const wabe_ten old = wabe_ten_load(m->source, n);
    const wabe_cell f = third ? wabe_cell_of_ten(s, 1) : wabe_cell_of_ten(s, 0);
    const wabe_cell g = third ? wabe_cell_of_ten(old, 1) : wabe_cell_of_ten(old, 0);
    wabe_cell change = wabe_cell_of_zeros();
    const wabe_cell_record *record = (const wabe_cell_record *)m->a->cell_records + class - 1;
    for (;; record++) {
        const wabe_cell_word *words = record->cells + n % WABE_TILE;
        const unsigned fluid = lanes_with(words, 0);
#define LEAVING(name, opposite, projection, class)                                                 \
    {                                                                                              \
        const unsigned lanes = lanes_with(words, WABE_Q_##name) & fluid;                           \
        change.opposite = wabe_replace(change.opposite, lanes, f.opposite - g.opposite);           \
    }
        if (wabe_patch_is_damped(&m->a->patches[wabe_cell_patch(words[0])])) {
            WABE_BY_LAYERS(LEAVING)
        }
#undef LEAVING
        if (words[0] >> WABE_CELL_LAST & 1)
            return wabe_ten_damp_at_walls(s, change, k);
    }
}

/* A group of cells as it is stored; whole groups leave the caches. */
typedef struct {
    _Alignas(LINE) wabe_stored values[WABE_MOMENTS * WABE_MOMENTS_GROUP];
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

/* The first moment of the row of cells that is rebuilt some rows after row y of plane z. */
static const wabe_stored *row_ahead(const march *m, int64_t y, int64_t z) {
    const wabe_marching *g = &m->a->marching;
    const wabe_column *c = m->column;
    y += ROWS_AHEAD;
    if (y > c->end[1]) {
        y -= c->end[1] - c->begin[1] + 2;
        z++;
    }
    const bool there = z <= c->end[2] && wabe_marching_has(g, 1, y) && wabe_marching_has(g, 2, z);
    const int64_t row = there ? wabe_marching_cell(g, 0, y, z) : 0;
    return m->source +
           wabe_moments_place(row + m->x_first / WABE_MOMENTS_GROUP * WABE_MOMENTS_GROUP);
}

/* Prefetches as much of a row as a vector of cells has. In order of addresses and evenly in time,
 * it is faster than the moments of each vector, which are in ten cache lines. */
WABE_INLINE void prefetch(const wabe_stored *part) {
    enum { BYTES = WABE_LANES * WABE_MOMENTS * sizeof(wabe_stored) };
    WABE_UNROLL
    for (int i = 0; i < BYTES; i += LINE)
        __builtin_prefetch((const char *)part + i, 0, 2);
}

/* Adds up populations that arrive from a plane, f, and updates the cells of the plane below. */
WABE_INLINE wabe_ten add_up(pending *arrived, wabe_cell f, const wabe_collision *k, int terms) {
    const pending old = *arrived;
    wabe_cell risen = f;
#define X(name) risen.name = old.name;
    RISING(X)
#undef X
    const wabe_layer below = wabe_layer_of_rising(risen), above = wabe_layer_of_falling(f);
    pending now = {.own = wabe_layer_add(wabe_layer_of_nine(f), below),
                   .below_all = below.all,
                   .below_x = below.x,
                   .below_y = below.y};
#define X(name) now.name = f.name;
    RISING(X)
#undef X
    *arrived = now;
    return wabe_ten_update(old.own, old.below_all, old.below_x, old.below_y, above, k, terms);
}

/* Adds up what arrives at row y from plane z, and updates that row of plane z - 1. solid: lanes of
 * these cells. */
WABE_INLINE void update_row(const march *m, const wabe_collision *k, int64_t y, int64_t z,
                            const solids *solid, bool third, int terms) {
    const wabe_column *c = m->column;
    const rows r = rows_to(m, y);
    const bool complete = z > c->begin[2];
    const wabe_stored *ahead = row_ahead(m, y, z);
    const int64_t row = complete ? wabe_marching_cell(&m->a->marching, 0, y, z - 1) : 0;
    wabe_stored *to = m->target + wabe_moments_place(row);
    pending *arrived = pending_row(m, y);
    group whole;
    for (int64_t x = m->x_first; x < m->x_end;) {
        const int64_t next = x / WABE_MOMENTS_GROUP * WABE_MOMENTS_GROUP + WABE_MOMENTS_GROUP;
        const bool is_whole = x % WABE_MOMENTS_GROUP == 0 && c->begin[0] <= x && next <= c->end[0];
        for (; x < next && x < m->x_end; x += WABE_LANES) {
            const unsigned lanes = solid->lanes[(x - m->x_first) / WABE_LANES];
            prefetch(ahead + (x - m->x_first) * WABE_MOMENTS);
            wabe_ten s = add_up(arrived++, populations_at(r, place_of(m, x)), k, terms);
            const uint32_t class = k->damps_walls && complete ? m->a->classes[(row + x) / WABE_TILE]
                                                              : 0;
            if (class)
                s = damp_at_walls(m, k, row + x, class, s, third);
            if (lanes)
                s = ten_keep(s, ~lanes);
            if (is_whole)
                wabe_ten_store(whole.values + x % WABE_MOMENTS_GROUP, s, ALL_LANES);
            else if (complete)
                wabe_ten_store(to + wabe_moments_place(x), s, lanes_of(c, x));
        }
        if (is_whole && complete)
            group_stream(&whole, to + wabe_moments_place(next - WABE_MOMENTS_GROUP));
    }
}

/* Lets the populations of plane z arrive at row y. */
WABE_INLINE void arrive(const march *m, const wabe_collision *k, int64_t y, int64_t z, bool third,
                        int terms) {
#define X(name) | (wabe_cell_word)1 << WABE_Q_##name
    const wabe_cell_word falling = 0 FALLING(X);
    const wabe_cell_word others = (((wabe_cell_word)1 << WABE_Q) - 2) & ~falling;
#undef X
    const int32_t begin = m->column->begin[2], end = m->column->end[2];
    const rows r = rows_to(m, y);
    solids solid = {{0}};
    if (z >= begin && z < end)
        return_to_row(m, k, r, y, z, third, others);
    if (z > begin)
        solid = return_to_row(m, k, r, y, z - 1, third, falling);
    update_row(m, k, y, z, &solid, third, terms);
}

WABE_INLINE void update_column(const wabe_stream_collide_args *a, const wabe_column *c,
                               const wabe_collision *k, bool third, int terms) {
    const wabe_marching *g = &a->marching;
    populations left;
    const march m = {.a = a,
                     .column = c,
                     .source = a->source,
                     .target = a->target,
                     .x_first = c->begin[0] / WABE_LANES * WABE_LANES,
                     .x_end = (c->end[0] + WABE_LANES - 1) / WABE_LANES * WABE_LANES,
                     .left = &left,
                     .arrived = wabe_team_scratch()};
    for (int64_t z = c->begin[2] - 1; z <= c->end[2]; z++)
        for (int64_t y = c->begin[1] - 1; y <= c->end[1]; y++) {
            if (wabe_marching_has(g, 1, y) && wabe_marching_has(g, 2, z))
                rebuild_row(&m, y, z, third);
            if (y > c->begin[1])
                arrive(&m, k, y - 1, z, third, terms);
        }
}

#define COLUMN(name, third, terms)                                                                 \
    static void name(const wabe_stream_collide_args *a, const wabe_column *c,                      \
                     const wabe_collision *k) {                                                    \
        update_column(a, c, k, third, terms);                                                      \
    }
#define STREAM_COLLIDE(op, flops, third, ...)                                                      \
    COLUMN(op##_column, third, WABE_TERMS_NONE)                                                    \
    COLUMN(op##_column_forced, third, WABE_TERMS_FORCE)                                            \
    COLUMN(op##_column_all, third, WABE_TERMS_ALL)                                                 \
    void KERNEL(stream_collide_##op##_moments)(const wabe_stream_collide_args *a, int64_t begin,   \
                                               int64_t end) {                                      \
        const wabe_collision k = wabe_collision_of(&a->collision);                                 \
        const int terms = wabe_terms_of(&a->collision);                                            \
        for (int64_t number = begin; number < end; number++) {                                     \
            const wabe_column c = wabe_marching_column(&a->marching, number);                      \
            if (c.begin[2] < c.end[2])                                                             \
                (terms == WABE_TERMS_ALL && third ? op##_column_all                                \
                 : terms == WABE_TERMS_FORCE      ? op##_column_forced                             \
                                                  : op##_column)(a, &c, &k);                            \
        }                                                                                          \
        WABE_FENCE();                                                                              \
    }
WABE_OF_LATTICE(WABE_LBM_MOMENTS_)(STREAM_COLLIDE, )
