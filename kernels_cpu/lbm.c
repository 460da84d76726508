/* The lattice Boltzmann kernels of one flavour: compiled once per lattice, storage type and
 * instruction set, with WABE_LATTICE naming the first (d3q19), WABE_FLAVOUR the others
 * (f64_avx512), and WABE_VECTOR_F64, _F32 or _F16 defined. */
#include "kernels_cpu/neighbours.h"
#include "kernels_cpu/vector.h"
#include "sweeps/cell/lattice.h"

#include "kernels_cpu/ten.h"
#include "sweeps/cell/wall_function.h"

#include "kernels_cpu/functions.h"
#include "sweeps/cell/lbm_of_kernel.h"

#include <stdbool.h>
#include <string.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define KERNEL(name) JOIN(JOIN(wabe_##name, WABE_LATTICE), WABE_FLAVOUR)
#define LATTICE WABE_OF_LATTICE(WABE_LATTICE_)

enum {
    LINE = 64 / sizeof(wabe_stored),            /* numbers per cache line */
    SPAN = LINE > WABE_TILE ? LINE : WABE_TILE, /* cells: whole tiles in whole cache lines */
    AHEAD = 24 * LINE, /* numbers from a load to the line prefetched with it */
    LONG_CHUNK = 6,    /* tiles */
    CHUNKS_AHEAD = 4,  /* chunks from a short chunk to the one prefetched with it */
    ALL_LANES = (1 << WABE_LANES) - 1
};

typedef struct {
    _Alignas(64) WABE_TILE_RECORD(WABE_Q)
} tile_record;
_Static_assert(sizeof(tile_record) ==
                   64 * ((sizeof(wabe_tile_record) - 2 * (WABE_Q_MAX - WABE_Q) + 63) / 64),
               "as wabe_record_bytes says");

/* ---- a tile: loads, walls, stores --------------------------------------------------- */

WABE_INLINE wabe_cell cell_load(const wabe_stored *const p[WABE_Q], int64_t n) {
    wabe_cell f;
#define X(name, cx, cy, cz, class) f.name = WABE_LOAD(p[WABE_Q_##name] + n);
    WABE_POPULATIONS(X)
#undef X
    return f;
}

/* Prefetches into the second-level cache: the misses of so many streams are too many for the
 * processor's own window. */
WABE_INLINE void cell_prefetch(const wabe_stored *const p[WABE_Q], int64_t n, int64_t ahead) {
    if ((size_t)n % LINE == 0) {
#define X(name, cx, cy, cz, class) __builtin_prefetch(p[WABE_Q_##name] + n + ahead, 0, 2);
        WABE_POPULATIONS(X)
#undef X
    }
}

WABE_INLINE void cell_store(wabe_stored *const p[WABE_Q], int64_t n, wabe_cell f) {
#define X(name, cx, cy, cz, class) WABE_STORE(p[WABE_Q_##name] + n, f.name);
    WABE_POPULATIONS(X)
#undef X
}

WABE_INLINE void cell_store_masked(wabe_stored *const p[WABE_Q], int64_t n, wabe_cell f,
                                   unsigned bits) {
#define X(name, cx, cy, cz, class) wabe_store_masked(p[WABE_Q_##name] + n, f.name, bits);
    WABE_POPULATIONS(X)
#undef X
}

/* Non-temporal stores, for targets that are not read. */
WABE_INLINE void cell_stream(wabe_stored *const p[WABE_Q], int64_t n, wabe_cell f) {
#define X(name, cx, cy, cz, class) WABE_STREAM(p[WABE_Q_##name] + n, f.name);
    WABE_POPULATIONS(X)
#undef X
}

/* Non-temporal stores must write whole cache lines: narrower vectors are collected here. */
typedef struct {
    _Alignas(64) wabe_stored values[WABE_Q][SPAN];
} stage;

WABE_INLINE void stage_put(stage *s, int v, wabe_cell f) {
#define X(name, cx, cy, cz, class) WABE_STORE(&s->values[WABE_Q_##name][v], f.name);
    WABE_POPULATIONS(X)
#undef X
}

WABE_INLINE void stage_stream(const stage *s, wabe_stored *const p[WABE_Q], int64_t n) {
    for (int q = 0; q < WABE_Q; q++)
        for (int v = 0; v < SPAN; v += WABE_COPIED)
            WABE_STREAM_COPY(p[q] + n + v, &s->values[q][v]);
}

WABE_INLINE wabe_cell cell_keep(wabe_cell f, unsigned bits) {
#define X(name, cx, cy, cz, class) f.name = WABE_KEEP(f.name, bits);
    WABE_POPULATIONS(X)
#undef X
    return f;
}

/* In place a population is written where its opposite was read: other lanes than these leave what
 * is there, such as what has left cells behind a face. */
WABE_INLINE wabe_cell cell_leave(wabe_cell f, wabe_cell read, unsigned bits) {
#define X(name) f.name = wabe_replace(read.name, bits, f.name);
    WABE_RESTS(X)
#undef X
#define X(name, opposite, projection, class)                                                       \
    f.name = wabe_replace(read.opposite, bits, f.name);                                            \
    f.opposite = wabe_replace(read.name, bits, f.opposite);
    WABE_PAIRS(X)
#undef X
    return f;
}

/* Links of lanes v to v + WABE_LANES - 1 of population q, and number of links in lanes before v. */
#define LINKS_OF(record, q) ((unsigned)(record)->links[(q)-1])
#define LANES_OF(record, q, v) (LINKS_OF(record, q) >> (v)&ALL_LANES)
#define BEFORE(record, q, v) __builtin_popcount(LINKS_OF(record, q) & ((1u << (v)) - 1u))

/* Runs statement for each group of the record that has links in this vector, with place at the
 * group's first link. Most records have links in only one group and one vector. */
#define FOR_LINKS(record, v, wall, X)                                                              \
    if ((record)->lanes[WABE_LINKS_EAST] >> (v)&ALL_LANES) {                                       \
        __typeof__(wall) place = (wall) + (record)->first_link +                                   \
                                 (record)->group_offset[WABE_LINKS_EAST];                          \
        WABE_EAST(X)                                                                               \
    }                                                                                              \
    if ((record)->lanes[WABE_LINKS_WEST] >> (v)&ALL_LANES) {                                       \
        __typeof__(wall) place = (wall) + (record)->first_link +                                   \
                                 (record)->group_offset[WABE_LINKS_WEST];                          \
        WABE_WEST(X)                                                                               \
    }                                                                                              \
    if ((record)->lanes[WABE_LINKS_MIDDLE] >> (v)&ALL_LANES) {                                     \
        __typeof__(wall) place = (wall) + (record)->first_link +                                   \
                                 (record)->group_offset[WABE_LINKS_MIDDLE];                        \
        WABE_MIDDLE(X)                                                                             \
    }

/* Does X, which masks lanes itself, for the groups that have links in this vector. */
#define FOR_GROUPS(record, v, X)                                                                   \
    if ((record)->lanes[WABE_LINKS_EAST] >> (v)&ALL_LANES) {                                       \
        WABE_EAST(X)                                                                               \
    }                                                                                              \
    if ((record)->lanes[WABE_LINKS_WEST] >> (v)&ALL_LANES) {                                       \
        WABE_WEST(X)                                                                               \
    }                                                                                              \
    if ((record)->lanes[WABE_LINKS_MIDDLE] >> (v)&ALL_LANES) {                                     \
        WABE_MIDDLE(X)                                                                             \
    }

/* The curved walls of a vector's cells, by the population that they return. */
typedef struct {
    wabe_cell part;         /* wabe_patch.interpolation */
    unsigned lanes[WABE_Q]; /* that have such a wall; no others count */
    bool any;
} curved_links;

/* Adds the links of a record, of this interpolation. */
WABE_INLINE void curved_find(const tile_record *r, int v, double k, curved_links *found) {
    found->any = true;
#define FIND(name, other, projection, class)                                                       \
    {                                                                                              \
        const unsigned lanes = LANES_OF(r, WABE_Q_##name, v);                                      \
        found->part.name = wabe_replace(found->part.name, lanes, WABE_REAL_OF(k));                 \
        found->lanes[WABE_Q_##name] |= lanes;                                                      \
    }
    FOR_GROUPS(r, v, FIND)
#undef FIND
}

/* X for each population, in the order in which masses are summed. */
#define FOR_POPULATIONS(X) WABE_EAST(X) WABE_WEST(X) WABE_MIDDLE(X)

/* Adds k times the populations that arrive to the opposite ones, which a curved wall has returned,
 * and to *gain. */
WABE_INLINE wabe_cell curved_take(wabe_cell f, const curved_links *found, wabe_curved_sums *gain) {
#define TAKE(name, other, projection, class)                                                       \
    if (found->lanes[WABE_Q_##name]) {                                                             \
        const unsigned lanes = found->lanes[WABE_Q_##name];                                        \
        const wabe_vector arriving = WABE_KEEP(f.other, lanes);                                    \
        f.name = wabe_replace(f.name, lanes, wabe_curved_add(f.name, found->part.name, arriving)); \
        wabe_vector *sum = WABE_BY_CLASS(class, &gain->flow, &gain->scalar);                       \
        *sum = wabe_curved_gain(*sum, found->part.name, arriving);                                 \
    }
    FOR_POPULATIONS(TAKE)
#undef TAKE
    return f;
}

/* Replaces the populations that arrive from walls. *found, *gain: the curved ones, and the mass
 * that they give cells with them. */
WABE_INLINE wabe_cell wall_take(wabe_cell f, const tile_record *record, const wabe_patch *patches,
                                int v, const wabe_stored *wall, curved_links *found,
                                wabe_curved_sums *gain) {
#define TAKE(name, opposite, projection, class)                                                    \
    f.name = wabe_expand(f.name, LANES_OF(r, WABE_Q_##name, v),                                    \
                         place + BEFORE(r, WABE_Q_##name, v));                                     \
    place += __builtin_popcount(LINKS_OF(r, WABE_Q_##name));
    for (const tile_record *r = record;; r++) {
        FOR_LINKS(r, v, wall, TAKE)
        if (patches[r->patch].interpolation != 0.0)
            curved_find(r, v, patches[r->patch].interpolation, found);
        if (r->last)
            break;
    }
#undef TAKE
    return found->any ? curved_take(f, found, gain) : f;
}

/* Takes from cells, after the collision, the mass that curved walls give them: see wabe_patch.
 * gain: what they have given with what has arrived. */
WABE_INLINE wabe_cell curved_keep_mass(wabe_cell f, const curved_links *found,
                                       wabe_curved_sums gain) {
    wabe_curved_sums share = wabe_curved_sums_of(WABE_REAL_OF(1.0));
#define GIVE(name, other, projection, class)                                                       \
    if (found->lanes[WABE_Q_##name]) {                                                             \
        const wabe_vector k = WABE_KEEP(found->part.name, found->lanes[WABE_Q_##name]);            \
        wabe_vector *sum = WABE_BY_CLASS(class, &gain.flow, &gain.scalar);                         \
        wabe_vector *part = WABE_BY_CLASS(class, &share.flow, &share.scalar);                      \
        *sum = wabe_curved_gain(*sum, WABE_REAL_OF(-1.0) * k, f.name);                             \
        *part = wabe_curved_share(*part, k, WABE_Q_##name);                                        \
    }
    if (!found->any)
        return f;
    FOR_POPULATIONS(GIVE)
#undef GIVE
    return wabe_curved_settle(f, gain, share);
}

/* Writes what comes back by a vector's links of one population to their consecutive places, but
 * only for lanes in wanted. */
WABE_INLINE void links_put(wabe_stored *place, unsigned links, unsigned wanted, wabe_vector back) {
    if (wanted == ALL_LANES) {
        wabe_compress(place, links, back);
        return;
    }
    for (int lane = 0; lane < (int)WABE_LANES; lane++)
        if (links & wanted & 1u << lane)
            wabe_compress(place + __builtin_popcount(links & ((1u << lane) - 1u)), 1u << lane,
                          back);
}

/* Writes what a wall returns to the lanes in wanted, its linear part: see wabe_patch. */
WABE_INLINE void wall_put_linear(wabe_cell f, const tile_record *r, const wabe_patch *patch, int v,
                                 unsigned wanted, wabe_stored *wall) {
#define PUT(name, opposite, projection, class)                                                     \
    links_put(place + BEFORE(r, WABE_Q_##name, v), LANES_OF(r, WABE_Q_##name, v), wanted,          \
              wabe_wall_return(                                                                    \
                  f.opposite, WABE_REAL_OF(WABE_BY_CLASS(class, patch->sign, patch->scalar_sign)), \
                  WABE_REAL_OF(patch->term[WABE_Q_##name] * WABE_SCALE)));                         \
    place += __builtin_popcount(LINKS_OF(r, WABE_Q_##name));
    FOR_LINKS(r, v, wall, PUT)
#undef PUT
}

/* The same with what depends on the cell's velocity and scalar. */
WABE_INLINE void wall_put_by_cell(wabe_cell f, const wabe_collision *k, const tile_record *r,
                                  const wabe_patch *patch, int v, unsigned wanted,
                                  wabe_stored *wall) {
    const wabe_moments m = wabe_cell_moments_after(f, k);
    const wabe_vector ux = m.ux, uy = m.uy, uz = m.uz, base = wabe_wall_base(m);
    WABE_IF_CARRIED(const wabe_cell carried = wabe_carried_returns(f, m, patch);)
#define FLOW(name, opposite, projection, class)                                                    \
    patch->quadratic == 0.0                                                                        \
        ? wabe_wall_return(f.opposite, WABE_REAL_OF(patch->sign), TERM(name))                      \
        : wabe_wall_add_quadratic(wabe_wall_return(f.opposite, WABE_REAL_OF(patch->sign),          \
                                                   TERM(name)),                                    \
                                  WABE_REAL_OF(patch->quadratic *WABE_WEIGHT(class)), projection,  \
                                  base)
#define SEVEN(name, opposite, projection)                                                          \
    wabe_scalar_add(wabe_wall_return(f.opposite, WABE_REAL_OF(patch->scalar_sign), TERM(name)),    \
                    WABE_REAL_OF(patch->scalar_by_cell[(int)WABE_Q_##name - (int)WABE_FLOW_Q]),    \
                    WABE_REAL_OF(patch->scalar_own), projection, m)
#define SCALAR(name, opposite, projection)                                                         \
    WABE_IF_SEVEN(SEVEN(name, opposite, projection)) WABE_IF_CARRIED(carried.name)
#define TERM(name) WABE_REAL_OF(patch->term[WABE_Q_##name] * WABE_SCALE)
#define PUT(name, opposite, projection, class)                                                     \
    {                                                                                              \
        const wabe_vector back = WABE_BY_CLASS(class, FLOW(name, opposite, projection, class),     \
                                               SCALAR(name, opposite, projection));                \
        links_put(place + BEFORE(r, WABE_Q_##name, v), LANES_OF(r, WABE_Q_##name, v), wanted,      \
                  back);                                                                           \
        place += __builtin_popcount(LINKS_OF(r, WABE_Q_##name));                                   \
    }
    FOR_LINKS(r, v, wall, PUT)
#undef PUT
#undef TERM
#undef SCALAR
#undef SEVEN
#undef FLOW
}

/* The same of a curved wall. */
WABE_INLINE void wall_put_curved(wabe_cell f, const tile_record *r, const wabe_patch *patch, int v,
                                 unsigned wanted, wabe_stored *wall) {
    const wabe_vector k = WABE_REAL_OF(patch->interpolation);
#define PUT(name, opposite, projection, class)                                                     \
    links_put(place + BEFORE(r, WABE_Q_##name, v), LANES_OF(r, WABE_Q_##name, v), wanted,          \
              wabe_curved_return(f.opposite, f.name, k));                                          \
    place += __builtin_popcount(LINKS_OF(r, WABE_Q_##name));
    FOR_LINKS(r, v, wall, PUT)
#undef PUT
}

/* Writes what walls return for the post-collision populations f of the lanes in wanted. */
WABE_INLINE void wall_put(wabe_cell f, const wabe_collision *k, const tile_record *record,
                          const wabe_patch *patches, int v, unsigned wanted, wabe_stored *wall) {
    for (const tile_record *r = record;; r++) {
        const wabe_patch *patch = &patches[r->patch];
        if (patch->interpolation != 0.0)
            wall_put_curved(f, r, patch, v, wanted, wall);
        else if (!patch->by_cell)
            wall_put_linear(f, r, patch, v, wanted, wall);
        else
            wall_put_by_cell(f, k, r, patch, v, wanted, wall);
        if (r->last)
            return;
    }
}

/* Damps the wave along walls (wabe_damp_at_walls). change: that of walls without a record. What has
 * arrived from others is still where wall_put puts what they return. */
WABE_INLINE wabe_cell walls_damp(wabe_cell f, wabe_cell change, const wabe_collision *k,
                                 const tile_record *record, const wabe_patch *patches, int v,
                                 const wabe_stored *wall) {
#define CHANGE(name, opposite, projection, class)                                                  \
    {                                                                                              \
        const unsigned lanes = LANES_OF(r, WABE_Q_##name, v);                                      \
        const wabe_vector back =                                                                   \
            patch->interpolation != 0.0                                                            \
                ? wabe_curved_return(f.opposite, f.name, WABE_REAL_OF(patch->interpolation))       \
                : wabe_wall_return(f.opposite, WABE_REAL_OF(1.0),                                  \
                                   WABE_REAL_OF(patch->term[WABE_Q_##name] * WABE_SCALE));         \
        const wabe_vector arrived = wabe_expand(back, lanes, place + BEFORE(r, WABE_Q_##name, v)); \
        change.opposite = wabe_replace(change.opposite, lanes, back - arrived);                    \
        place += __builtin_popcount(LINKS_OF(r, WABE_Q_##name));                                   \
    }
    for (const tile_record *r = record; r; r = r->last ? NULL : r + 1) {
        const wabe_patch *patch = &patches[r->patch];
        if (wabe_patch_is_damped(patch)) {
            FOR_LINKS(r, v, wall, CHANGE)
        }
    }
#undef CHANGE
    return wabe_damp_at_walls(f, change, k);
}

/* The first record of the next irregular tile. */
WABE_INLINE const tile_record *record_next(const tile_record *record) {
    while (!record->last)
        record++;
    __builtin_prefetch(record + 4);
    return record + 1;
}

/* Prefetches what the next records' walls will return: consecutive links are too few for the
 * processor to detect a stream. */
WABE_INLINE void wall_prefetch(const tile_record *record, const wabe_stored *wall) {
    __builtin_prefetch(wall + record[1].first_link, 1);
    __builtin_prefetch(wall + record[1].first_link + LINE, 1);
}

/* ---- stream and collide ------------------------------------------------------------- */

/* What the loops over tiles need; constant during a call. */
typedef struct {
    const wabe_stored *in[WABE_Q];
    wabe_stored *out[WABE_Q];
    wabe_stored *field; /* list */
    wabe_neighbours neighbours;
    wabe_stored *wall;
    const wabe_patch *patches;
    int64_t ahead; /* numbers from a load to its prefetch */
} streams;

/* What leaves into walls without a record less what has arrived from there: see wabe_damp_at_walls.
 * read: before the collision; listed: the slab is a list, whose indices have its resting walls. */
WABE_INLINE wabe_cell change_at_resting(const streams *s, int64_t n, wabe_cell f, wabe_cell read,
                                        bool listed) {
    if (!listed)
        return wabe_cell_of_zeros();
    const wabe_vector_neighbours p = wabe_neighbours_of_vector(&s->neighbours, n);
    return wabe_neighbours_change(&p, s->neighbours.stride, n, f, read);
}

/* Updates one tile, or a span of plain tiles. cells, collision, terms, two_grids and listed (an
 * even AA step of a list that damps walls) are constants at every call, and so is record if NULL.
 */
WABE_INLINE void tile_update(const streams *s, const wabe_collision *k, int64_t n, int cells,
                             const tile_record *record, wabe_collision_operator collision,
                             int terms, bool two_grids, bool listed) {
    const bool streamed = two_grids && cells == SPAN;
    const bool staged = streamed && (int)WABE_LANES < (int)LINE;
    stage st;
    for (int v = 0; v < cells; v += WABE_LANES) {
        cell_prefetch(s->in, n + v, s->ahead);
        const wabe_cell read = cell_load(s->in, n + v);
        wabe_cell f = read;
        curved_links curved = {.any = false};
        wabe_curved_sums gain = wabe_curved_sums_of(WABE_REAL_OF(0.0));
        if (record)
            f = wall_take(f, record, s->patches, v, s->wall, &curved, &gain);
        f = wabe_cell_update(collision, terms, f, k);
        if (wabe_is_regularized(collision) && (record || listed) && k->damps_walls)
            f = walls_damp(f, change_at_resting(s, n + v, f, read, listed), k, record, s->patches,
                           v, s->wall);
        if (record) {
            const unsigned fluid = (unsigned)record->fluid >> v & ALL_LANES;
            f = curved_keep_mass(f, &curved, gain);
            wall_put(f, k, record, s->patches, v, ALL_LANES, s->wall);
            f = two_grids ? cell_keep(f, fluid) : cell_leave(f, read, fluid);
        }
        if (staged)
            stage_put(&st, v, f);
        else if (streamed)
            cell_stream(s->out, n + v, f);
        else
            cell_store(s->out, n + v, f);
    }
    if (staged)
        stage_stream(&st, s->out, n);
}

/* Updates the plain tiles from n to end, or one irregular tile. They are separate functions so that
 * the compiler has all registers for each. */
typedef void plain_tiles(const streams *s, const wabe_collision *k, int64_t n, int64_t end);
typedef void irregular_tile(const streams *s, const wabe_collision *k, int64_t n,
                            const tile_record *record);

/* Long chunks are streams; after short ones, at the faces of a block, the next chunks are far
 * away. */
static int64_t ahead_of(const wabe_chunk *chunk, const wabe_chunk *end) {
    if (chunk->tile_count >= LONG_CHUNK || chunk + CHUNKS_AHEAD >= end)
        return AHEAD;
    return ((int64_t)chunk[CHUNKS_AHEAD].first_tile - chunk->first_tile) * WABE_TILE;
}

static void chunk_update(const wabe_stream_collide_args *a, const wabe_chunk *chunk,
                         const streams *s, const wabe_collision *k, plain_tiles *plain,
                         irregular_tile *irregular) {
    const tile_record *records = a->records, *record = records + chunk->first_record;
    const tile_record *records_end = records + chunk[1].first_record;
    int64_t tile = chunk->first_tile;
    const int64_t tiles_end = tile + chunk->tile_count;
    while (tile < tiles_end) {
        const int64_t plain_end = record < records_end ? record->tile : tiles_end;
        plain(s, k, tile * WABE_TILE, plain_end * WABE_TILE);
        tile = plain_end;
        if (tile < tiles_end) {
            irregular(s, k, tile * WABE_TILE, record);
            record = record_next(record);
            wall_prefetch(record, s->wall);
            tile++;
        }
    }
}

static void chunks_update(const wabe_stream_collide_args *a, int64_t begin, int64_t end,
                          plain_tiles *plain, irregular_tile *irregular) {
    const wabe_collision k = wabe_collision_of(&a->collision);
    streams s = {.field = a->target,
                 .neighbours = a->neighbours,
                 .wall = a->wall,
                 .patches = a->patches};
    for (int q = 0; q < WABE_Q; q++) {
        s.in[q] = (const wabe_stored *)a->source + a->in[q];
        s.out[q] = (wabe_stored *)a->target + a->out[q];
    }
    for (const wabe_chunk *chunk = a->chunks + begin; chunk < a->chunks + end; chunk++) {
        s.ahead = ahead_of(chunk, a->chunks + end);
        chunk_update(a, chunk, &s, &k, plain, irregular);
    }
    WABE_FENCE();
}

/* Do the plain tiles from n to end begin with a span? */
WABE_INLINE bool is_span(int64_t n, int64_t end) {
    return (int)SPAN == (int)WABE_TILE || (n % SPAN == 0 && end - n >= SPAN);
}

/* The functions of one operator, with some terms (WABE_TERMS_*), for one or two grids. */
#define TILES(name, op, terms, two_grids, listed)                                                  \
    static void name##_plain(const streams *s, const wabe_collision *k, int64_t n, int64_t end) {  \
        while (n < end)                                                                            \
            if (two_grids && is_span(n, end)) {                                                    \
                tile_update(s, k, n, SPAN, NULL, WABE_COLLISION_##op, terms, two_grids, listed);   \
                n += SPAN;                                                                         \
            } else {                                                                               \
                tile_update(s, k, n, WABE_TILE, NULL, WABE_COLLISION_##op, terms, two_grids,       \
                            listed);                                                               \
                n += WABE_TILE;                                                                    \
            }                                                                                      \
    }                                                                                              \
    static void name##_irregular(const streams *s, const wabe_collision *k, int64_t n,             \
                                 const tile_record *record) {                                      \
        tile_update(s, k, n, WABE_TILE, record, WABE_COLLISION_##op, terms, two_grids, listed);    \
    }

/* Updates chunks by the functions of op and pattern that compute the terms of the collision. */
#define UPDATE_CHUNKS(op, pattern)                                                                 \
    const int terms = wabe_terms_of(&a->collision);                                                \
    if (terms == WABE_TERMS_ALL && WABE_HAS_ALL_TERMS(WABE_COLLISION_##op))                        \
        chunks_update(a, begin, end, op##_##pattern##_all_plain, op##_##pattern##_all_irregular);  \
    else if (terms == WABE_TERMS_FORCE)                                                            \
        chunks_update(a, begin, end, op##_##pattern##_forced_plain,                                \
                      op##_##pattern##_forced_irregular);                                          \
    else                                                                                           \
        chunks_update(a, begin, end, op##_##pattern##_plain, op##_##pattern##_irregular);

#define STREAM_COLLIDE_DENSE(op, pattern, two_grids)                                               \
    TILES(op##_##pattern, op, WABE_TERMS_NONE, two_grids, false)                                   \
    TILES(op##_##pattern##_forced, op, WABE_TERMS_FORCE, two_grids, false)                         \
    TILES(op##_##pattern##_all, op, WABE_TERMS_ALL, two_grids, false)                              \
    void KERNEL(stream_collide_##op##_##pattern)(const wabe_stream_collide_args *a, int64_t begin, \
                                                 int64_t end) {                                    \
        UPDATE_CHUNKS(op, pattern)                                                                 \
    }

#define STREAM_COLLIDE_pull(op) STREAM_COLLIDE_DENSE(op, pull, true)
#define STREAM_COLLIDE_in_place(op) STREAM_COLLIDE_DENSE(op, in_place, false)

/* ---- by a list ---------------------------------------------------------------------- */

/* Updates a tile in an odd AA step. unused: by lattices without lists. */
__attribute__((unused)) WABE_INLINE void tile_update_list(const streams *s, const wabe_collision *k,
                                                          int64_t n, const tile_record *record,
                                                          wabe_collision_operator collision,
                                                          int terms) {
    const int64_t stride = s->neighbours.stride;
    for (int v = 0; v < WABE_TILE; v += WABE_LANES) {
        const wabe_vector_neighbours p = wabe_neighbours_of_vector(&s->neighbours, n + v);
        if (v % (int)LINE == 0)
            wabe_neighbours_prefetch(s->field, &s->neighbours,
                                     n + v + AHEAD / WABE_TILE * WABE_TILE);
        const wabe_cell read = wabe_neighbours_load(s->field, &p, stride, n + v);
        wabe_cell f = read;
        curved_links curved = {.any = false};
        wabe_curved_sums gain = wabe_curved_sums_of(WABE_REAL_OF(0.0));
        if (record)
            f = wall_take(f, record, s->patches, v, s->wall, &curved, &gain);
        f = wabe_cell_update(collision, terms, f, k);
        if (wabe_is_regularized(collision) && k->damps_walls)
            f = walls_damp(f, wabe_neighbours_change(&p, stride, n + v, f, read), k, record,
                           s->patches, v, s->wall);
        if (record) {
            f = curved_keep_mass(f, &curved, gain);
            wall_put(f, k, record, s->patches, v, ALL_LANES, s->wall);
            f = cell_keep(f, (unsigned)record->fluid >> v & ALL_LANES);
        }
        wabe_neighbours_store(s->field, &p, stride, n + v, f);
    }
}

#define LISTED_TILES(name, op, terms)                                                              \
    static void name##_plain(const streams *s, const wabe_collision *k, int64_t n, int64_t end) {  \
        for (; n < end; n += WABE_TILE)                                                            \
            tile_update_list(s, k, n, NULL, WABE_COLLISION_##op, terms);                           \
    }                                                                                              \
    static void name##_irregular(const streams *s, const wabe_collision *k, int64_t n,             \
                                 const tile_record *record) {                                      \
        tile_update_list(s, k, n, record, WABE_COLLISION_##op, terms);                             \
    }

/* Even AA steps are those of in_place, but for walls that they damp. */
#define STREAM_COLLIDE_list(op)                                                                    \
    LISTED_TILES(op##_list, op, WABE_TERMS_NONE)                                                   \
    LISTED_TILES(op##_list_forced, op, WABE_TERMS_FORCE)                                           \
    LISTED_TILES(op##_list_all, op, WABE_TERMS_ALL)                                                \
    TILES(op##_damped, op, WABE_TERMS_NONE, false, true)                                           \
    TILES(op##_damped_forced, op, WABE_TERMS_FORCE, false, true)                                   \
    TILES(op##_damped_all, op, WABE_TERMS_ALL, false, true)                                        \
    void KERNEL(stream_collide_##op##_list)(const wabe_stream_collide_args *a, int64_t begin,      \
                                            int64_t end) {                                         \
        const bool damps = wabe_is_regularized(WABE_COLLISION_##op) &&                             \
                           a->collision.wall_damping > 0.0;                                        \
        if (a->neighbours.moved) {                                                                 \
            UPDATE_CHUNKS(op, list)                                                                \
        } else if (damps) {                                                                        \
            UPDATE_CHUNKS(op, damped)                                                              \
        } else {                                                                                   \
            KERNEL(stream_collide_##op##_in_place)(a, begin, end);                                 \
        }                                                                                          \
    }

#define STREAM_COLLIDE(op, flops, pattern, ...) STREAM_COLLIDE_##pattern(op)
#define PRODUCTS(lattice) WABE_LBM_PRODUCTS(lattice, STREAM_COLLIDE, )
PRODUCTS(WABE_LATTICE)

/* ---- the state, walls at the start -------------------------------------------------- */

static void pointers(const wabe_stored *field, const ptrdiff_t *offsets,
                     const wabe_stored *p[WABE_Q]) {
    for (int q = 0; q < WABE_Q; q++)
        p[q] = field + offsets[q];
}

/* Post-collision populations: at offsets, or at a list's neighbour indices. */
typedef struct {
    const wabe_stored *out[WABE_Q];
    const wabe_stored *field;
    wabe_neighbours neighbours;
    wabe_state_form form;
} state;

static state state_of(const void *field, const ptrdiff_t *out, wabe_neighbours neighbours,
                      wabe_state_form form) {
    state s = {.field = field, .neighbours = neighbours, .form = form};
    pointers(field, out, s.out);
    return s;
}

WABE_INLINE wabe_cell state_load(const state *s, int64_t n) {
    if (s->form != WABE_STATE_POPULATIONS) {
        const wabe_ten ten = wabe_ten_load(s->field, n);
        return s->form == WABE_STATE_THIRD ? wabe_cell_of_ten(ten, 1) : wabe_cell_of_ten(ten, 0);
    }
    if (!s->neighbours.moved)
        return cell_load(s->out, n);
    wabe_cell f;
    uint32_t at[WABE_LANES];
#define X(name) f.name = WABE_LOAD(s->out[WABE_Q_##name] + n);
    WABE_RESTS(X)
#undef X
#define X(name, opposite, projection, class)                                                       \
    for (int lane = 0; lane < (int)WABE_LANES; lane++)                                             \
        at[lane] = wabe_neighbour_index(&s->neighbours, WABE_Q_##opposite, n + lane);              \
    f.name = wabe_gather(s->field, at);                                                            \
    for (int lane = 0; lane < (int)WABE_LANES; lane++)                                             \
        at[lane] = wabe_neighbour_index(&s->neighbours, WABE_Q_##name, n + lane);                  \
    f.opposite = wabe_gather(s->field, at);
    WABE_PAIRS(X)
#undef X
    return f;
}

/* The populations of the cells of a vector, lane by lane. */
typedef struct {
    wabe_scalar q[WABE_Q][WABE_LANES];
} cell_values;

WABE_INLINE cell_values values_of(wabe_cell f) {
    cell_values v;
#define X(name, cx, cy, cz, class) memcpy(v.q[WABE_Q_##name], &f.name, sizeof f.name);
    WABE_POPULATIONS(X)
#undef X
    return v;
}

void KERNEL(reflect)(const wabe_reflect_args *a, int64_t begin, int64_t end) {
    const wabe_collision k = wabe_collision_of_force(&a->force);
    const wabe_stored *out[WABE_Q];
    pointers(a->field, a->out, out);
    const tile_record *records = a->records, *record = records + a->chunks[begin].first_record;
    const tile_record *records_end = records + a->chunks[end].first_record;
    for (; record < records_end; record = record_next(record))
        for (int v = 0; v < WABE_TILE; v += WABE_LANES) {
            wabe_cell f = cell_load(out, (int64_t)record->tile * WABE_TILE + v);
            wall_put(f, &k, record, a->patches, v, ALL_LANES, a->wall);
        }
}

/* ---- sponges ------------------------------------------------------------------------ */

/* Stores the lanes whose bit is set where state_load reads them. */
WABE_INLINE void state_store(const state *s, wabe_stored *field, int64_t n, wabe_cell f,
                             unsigned bits) {
    wabe_stored *out[WABE_Q];
    for (int q = 0; q < WABE_Q; q++)
        out[q] = field + (s->out[q] - s->field);
    if (!s->neighbours.moved) {
        cell_store_masked(out, n, f, bits);
        return;
    }
#define X(name) wabe_store_masked(out[WABE_Q_##name] + n, f.name, bits);
    WABE_RESTS(X)
#undef X
    for (int lane = 0; lane < (int)WABE_LANES; lane++) {
        if (!(bits >> lane & 1))
            continue;
#define X(name, opposite, projection, class)                                                       \
    wabe_compress(field + wabe_neighbour_index(&s->neighbours, WABE_Q_##opposite, n + lane),       \
                  1u << lane, f.name);                                                             \
    wabe_compress(field + wabe_neighbour_index(&s->neighbours, WABE_Q_##name, n + lane),           \
                  1u << lane, f.opposite);
        WABE_PAIRS(X)
#undef X
    }
}

/* What turbulence gains at the lanes of a vector, whose first cell is n. */
static wabe_vector3 gust_at(const wabe_absorb_args *a, const uint16_t *level, int64_t n) {
    wabe_scalar places[3][WABE_LANES], growth[2][WABE_LANES];
    wabe_vector3 place;
    WABE_REAL stir, bend;
    for (int lane = 0; lane < (int)WABE_LANES; lane++) {
        double at[3];
        wabe_absorb_place(a, n + lane, at);
        for (int d = 0; d < 3; d++)
            places[d][lane] = (wabe_scalar)at[d];
        growth[0][lane] = (wabe_scalar)a->levels[level[lane]].stir;
        growth[1][lane] = (wabe_scalar)a->levels[level[lane]].bend;
    }
    memcpy(&place, places, sizeof place);
    memcpy(&stir, growth[0], sizeof stir);
    memcpy(&bend, growth[1], sizeof bend);
    return wabe_gust_at(a->waves, place, stir, bend);
}

/* The layer at the lanes of a vector, whose first cell is n; returns the lanes that are in one. */
WABE_INLINE unsigned sponge_at(const wabe_absorb_args *a, const uint16_t *level, int64_t n,
                               wabe_layer_here *out) {
    enum { NUMBERS = sizeof *out / sizeof out->rate };
    wabe_scalar here[NUMBERS][WABE_LANES] = {{0}};
    unsigned bits = 0;
    bool stirs = false;
    for (int lane = 0; lane < (int)WABE_LANES; lane++) {
        const wabe_face_layer *at = &a->levels[level[lane]];
        bits |= (unsigned)at->absorbs << lane;
        here[0][lane] = (wabe_scalar)at->rate;
        here[1][lane] = (wabe_scalar)(at->density * WABE_SCALE);
        for (int d = 0; d < 3; d++)
            here[2 + d][lane] = (wabe_scalar)at->outward[d];
        stirs |= at->stir != 0.0;
    }
    memcpy(out, here, sizeof *out);
    if (stirs)
        out->gust = gust_at(a, level, n);
    return bits;
}

/* Another viscosity, and what wall functions do, at the lanes of a vector. */
typedef struct {
    unsigned lanes, friction[WABE_WALL_SIDES]; /* with another viscosity; at a wall */
    wabe_vector subgrid, tau_added;
} wall_function;

WABE_INLINE wall_function wall_function_at(const wabe_absorb_args *a, const uint16_t *level) {
    wall_function w = {0};
    wabe_scalar subgrid[WABE_LANES], tau_added[WABE_LANES];
    for (int lane = 0; lane < (int)WABE_LANES; lane++) {
        const wabe_face_layer *at = &a->levels[level[lane]];
        w.lanes |= (unsigned)at->mixes << lane;
        subgrid[lane] = (wabe_scalar)(at->subgrid.f64 / WABE_SCALE);
        tau_added[lane] = (wabe_scalar)at->tau_added.f64;
        for (int side = 0; side < WABE_WALL_SIDES; side++)
            w.friction[side] |= (at->friction >> side & 1) << lane;
    }
    memcpy(&w.subgrid, subgrid, sizeof subgrid);
    memcpy(&w.tau_added, tau_added, sizeof tau_added);
    return w;
}

static wabe_ten_moments wall_function_act(wabe_ten_moments s, const wabe_absorb_args *a,
                                          const wabe_collision *k, const wall_function *w) {
    s.a = wabe_second_mixed(s, w->subgrid, w->tau_added, k);
    for (int side = 0; side < WABE_WALL_SIDES; side++)
        if (w->friction[side])
            s = wabe_wall_drag(s, wabe_wall_law_at(a->laws, side), side % WABE_FACES,
                               WABE_KEEP(WABE_REAL_OF(1.0), w->friction[side]));
    return s;
}

/* What sources of a scalar give off at the lanes of a vector; returns the lanes that are in one. */
WABE_INLINE unsigned release_at(const wabe_absorb_args *a, const uint16_t *level,
                                wabe_vector *out) {
    wabe_scalar amounts[WABE_LANES];
    unsigned lanes = 0;
    for (int lane = 0; lane < (int)WABE_LANES; lane++) {
        const double release = wabe_absorb_release(a, &a->levels[level[lane]]);
        amounts[lane] = (wabe_scalar)(release * WABE_SCALE);
        lanes |= (unsigned)(WABE_HAS_SCALAR && release != 0.0) << lane;
    }
    memcpy(out, amounts, sizeof amounts);
    return lanes;
}

/* b in these lanes, a in the others. */
WABE_INLINE wabe_cell cell_choose(wabe_cell a, unsigned lanes, wabe_cell b) {
#define X(name, cx, cy, cz, class) a.name = wabe_replace(a.name, lanes, b.name);
    WABE_POPULATIONS(X)
#undef X
    return a;
}

WABE_INLINE wabe_ten ten_choose(wabe_ten a, unsigned lanes, wabe_ten b) {
#define X(name) a.name = wabe_replace(a.name, lanes, b.name);
    WABE_TEN(X)
#undef X
    return a;
}

static void absorb_ten(const wabe_absorb_args *a, const wabe_collision *k, int64_t n,
                       unsigned sponges, wabe_layer_here sponge, const wall_function *walls) {
    wabe_ten s = wabe_ten_load(a->field, n);
    if (sponges)
        s = ten_choose(s, sponges, wabe_ten_absorb(s, sponge));
    if (walls->lanes)
        s = ten_choose(s, walls->lanes,
                       wabe_ten_of_moments(wall_function_act(wabe_moments_of_ten(s), a, k, walls)));
    wabe_ten_store((wabe_stored *)a->field + wabe_moments_place(n), s, sponges | walls->lanes);
}

static void absorb_vector(const wabe_absorb_args *a, const state *s, const wabe_collision *k,
                          const wabe_face_layer_tile *tile, int v) {
    const int64_t n = (int64_t)tile->tile * WABE_TILE + v;
    wabe_layer_here sponge;
    const unsigned sponges = sponge_at(a, tile->level + v, n, &sponge);
    const wall_function walls = wall_function_at(a, tile->level + v);
    wabe_vector release;
    const unsigned sources = release_at(a, tile->level + v, &release);
    const unsigned bits = sponges | walls.lanes | sources;
    if (!bits)
        return;
    if (a->form != WABE_STATE_POPULATIONS) {
        absorb_ten(a, k, n, sponges, sponge, &walls);
        return;
    }
    wabe_cell f = state_load(s, n);
    if (sponges)
        f = cell_choose(f, sponges, wabe_cell_absorb(f, sponge));
    if (walls.lanes) {
        const wabe_ten_moments from = wabe_ten_moments_of_cell(f);
        f = cell_choose(f, walls.lanes,
                        wabe_cell_moved(f, from, wall_function_act(from, a, k, &walls), a->third));
    }
    if (sources)
        f = cell_choose(f, sources, wabe_cell_release(f, release));
    state_store(s, a->field, n, f, bits);
    if (tile->record)
        wall_put(f, k, (const tile_record *)a->records + tile->record - 1, a->patches, v, bits,
                 a->wall);
}

void KERNEL(absorb)(const wabe_absorb_args *a, int64_t begin, int64_t end) {
    const wabe_collision k = wabe_collision_of(&a->collision);
    const state s = state_of(a->field, a->out, a->neighbours, a->form);
    for (const wabe_face_layer_tile *tile = a->tiles + begin; tile < a->tiles + end; tile++)
        for (int v = 0; v < WABE_TILE; v += WABE_LANES)
            absorb_vector(a, &s, &k, tile, v);
}

/* ---- mirrors ------------------------------------------------------------------------ */

/* Stores the first count lanes; they may be in two groups. */
static void ten_put(wabe_stored *field, int64_t n, wabe_ten s, int count) {
    wabe_stored values[WABE_MOMENTS][WABE_MOMENTS_GROUP];
    wabe_ten_store(values[0], s, ALL_LANES);
    for (int i = 0; i < WABE_MOMENTS; i++)
        for (int lane = 0; lane < count; lane++)
            field[wabe_moments_place(n + lane) + i * WABE_MOMENTS_GROUP] = values[i][lane];
}

static void mirror_cells(const wabe_boundary_args *a, int64_t begin, int64_t end) {
    wabe_stored *f = a->field;
    for (const wabe_image_link *link = a->links + begin; link < a->links + end; link++)
        ten_put(f, link->cell + a->from[link->mirrored][link->population],
                wabe_ten_mirrored(wabe_ten_load(f, link->cell), link->mirrored), 1);
}

/* There are few links, so only the first lane of vectors is used. */
void KERNEL(boundary)(const wabe_boundary_args *a, int64_t begin, int64_t end) {
    if (a->form != WABE_STATE_POPULATIONS) {
        mirror_cells(a, begin, end);
        return;
    }
    const wabe_collision k = wabe_collision_of_force(&a->force);
    const wabe_stored *out[WABE_Q];
    wabe_stored *f = a->field;
    const WABE_REAL zero = WABE_REAL_OF(0.0);
    /* Of cell known: its links follow each other. */
    wabe_moments m = {zero, zero, zero, zero, WABE_IF_SCALAR(zero)};
    int64_t known = -1;
    pointers(a->field, a->out, out);
    for (const wabe_image_link *link = a->links + begin; link < a->links + end; link++) {
        const int q = link->population;
        const wabe_patch *patch = &a->patches[link->patch];
        const int carrier = wabe_carrier_of(q); /* q itself, but of a scalar that is carried */
        const wabe_stored *image = f + link->cell + a->from[link->mirrored][q] +
                                   a->around[link->wrapped][q];
        const wabe_stored *flow = f + link->cell + a->from[link->mirrored][carrier] +
                                  a->around[link->wrapped][carrier];
        wabe_stored *to = f + link->cell + a->in[q];
        if (patch->quadratic == 0.0) {
            *to = *image;
            continue;
        }
        if (link->cell != known)
            m = wabe_cell_moments_after(cell_load(out, link->cell), &k);
        known = link->cell;
        wabe_compress(to, 1, wabe_mirror_return(WABE_LOAD(image), WABE_LOAD(flow), patch, q, m));
    }
}

/* ---- populations and moments -------------------------------------------------------- */

void KERNEL(initialise)(const wabe_initialise_args *a, int64_t begin, int64_t end) {
    wabe_stored *out[WABE_Q];
    for (int q = 0; q < WABE_Q; q++)
        out[q] = (wabe_stored *)a->field + a->out[q];
    for (int64_t i = begin; i < end; i += WABE_LANES) {
        const int count = end - i < WABE_LANES ? (int)(end - i) : WABE_LANES;
        wabe_vector m[WABE_MOMENTS_GIVEN] = {{0}};
        const int given = WABE_HAS_SCALAR ? WABE_MOMENTS_GIVEN : 4;
        for (int k = 0; k < given; k++)
            for (int lane = 0; lane < count; lane++)
                m[k][lane] =
                    (wabe_scalar)(a->moments[k * a->moment_stride + i + lane] * WABE_SCALE);
        const wabe_moments moments = {m[0], m[1], m[2], m[3], WABE_IF_SCALAR(m[4])};
        if (a->form != WABE_STATE_POPULATIONS)
            ten_put(a->field, a->first + i, wabe_ten_of_equilibrium(moments), count);
        else
            cell_store_masked(out, a->first + i, wabe_equilibrium(moments), (1u << count) - 1u);
    }
}

/* Outputs of cells that are adjacent in the destination are collected before they are written. */
enum { COLLECTED = 128 };

static void collect(const wabe_outputs *m, int lane, bool fluid, double out[], int stride) {
    for (int i = 0; i < WABE_OUTPUT_COUNT; i++)
        out[i * stride] = fluid ? (double)m->value[i][lane] / WABE_SCALE : 0.0;
}

/* The first cell of the vector with cell n: unaligned vectors would leave their tiles, and the
 * field. */
static int64_t vector_of(int64_t n) { return n / WABE_LANES * WABE_LANES; }

static void macroscopic_row(const wabe_macroscopic_args *a, const state *s, const wabe_collision *k,
                            int64_t row) {
    const int64_t n = wabe_macroscopic_row(a, row), length = (a->cells[0] - 1) * a->step + 1;
    const int viscous = wabe_wants_viscous(&a->values);
    int64_t place = row * a->cells[0];
    int count = 0;
    double moments[WABE_OUTPUT_COUNT * COLLECTED];
    for (int64_t i = 0; i < length;) { /* from one wanted cell to the next */
        const int64_t first = vector_of(n + i);
        if (count + (int)WABE_LANES > COLLECTED) {
            wabe_put_moments(&a->values, place, count, moments, COLLECTED);
            place += count;
            count = 0;
        }
        wabe_outputs m = {{{0}}};
        if (a->fluid) /* otherwise the field may not have these cells */
            m = wabe_cell_outputs(state_load(s, first), k, viscous);
        for (; i < length && n + i < first + WABE_LANES; i += a->step)
            collect(&m, (int)(n + i - first), wabe_macroscopic_is_fluid(a, n + i),
                    moments + count++, COLLECTED);
    }
    wabe_put_moments(&a->values, place, count, moments, COLLECTED);
}

static void macroscopic_slots(const wabe_macroscopic_args *a, const state *s,
                              const wabe_collision *k, int64_t begin, int64_t end) {
    const int viscous = wabe_wants_viscous(&a->values);
    for (int64_t slot = vector_of(begin); slot < end; slot += WABE_LANES) {
        const wabe_outputs m = wabe_cell_outputs(state_load(s, slot), k, viscous);
        for (int64_t i = slot > begin ? slot : begin; i < end && i < slot + WABE_LANES; i++) {
            const int64_t place = wabe_macroscopic_place(a, a->numbers[i]);
            if (place < 0)
                continue;
            double moments[WABE_OUTPUT_COUNT];
            collect(&m, (int)(i - slot), true, moments, 1);
            wabe_put_moments(&a->values, place, 1, moments, 1);
        }
    }
}

void KERNEL(macroscopic)(const wabe_macroscopic_args *a, int64_t begin, int64_t end) {
    const wabe_collision k = wabe_collision_of(&a->collision);
    const state s = state_of(a->field, a->out, a->neighbours, a->form);
    for (int64_t item = begin; item < end && !a->numbers; item++)
        macroscopic_row(a, &s, &k, item);
    for (int64_t item = begin; item < end && a->numbers; item++) {
        const int64_t first = a->first + item * WABE_SLOTS_OF_ITEM,
                      last = first + WABE_SLOTS_OF_ITEM;
        macroscopic_slots(a, &s, &k, first, last < a->end ? last : a->end);
    }
}

/* ---- sums over the fluid cells ------------------------------------------------------ */

/* Runs statement for every tile of a part, with its first cell, its mask of fluid lanes, and its
 * first record (NULL: none). */
#define FOR_TILES(parts, part, first_cell, lanes, own, statement)                                  \
    for (const wabe_chunk *chunk = (parts)->chunks + wabe_part_begin(parts, part),                 \
                          *last = (parts)->chunks + wabe_part_begin(parts, (part) + 1);            \
         chunk < last; chunk++) {                                                                  \
        const tile_record *records = (parts)->records;                                             \
        const tile_record *record = records + chunk->first_record;                                 \
        const tile_record *records_end = records + chunk[1].first_record;                          \
        for (uint32_t i = 0; i < chunk->tile_count; i++) {                                         \
            const int64_t tile = (int64_t)chunk->first_tile + i, first_cell = tile * WABE_TILE;    \
            unsigned lanes = 0xffff;                                                               \
            const tile_record *own = NULL;                                                         \
            if (record < records_end && record->tile == tile) {                                    \
                own = record;                                                                      \
                lanes = record->fluid;                                                             \
                record = record_next(record);                                                      \
            }                                                                                      \
            (void)own;                                                                             \
            statement;                                                                             \
        }                                                                                          \
    }

static void monitor_cells(const wabe_monitor_args *a, wabe_moments m, wabe_scalar_moments s,
                          int64_t n, unsigned lanes, wabe_monitor_result *result) {
    for (int lane = 0; lane < WABE_LANES; lane++) {
        const wabe_cell_scalar scalar = {(double)s.value[lane] / WABE_SCALE,
                                         (double)s.amount[lane] / WABE_SCALE,
                                         {(double)s.flux.x[lane] / WABE_SCALE,
                                          (double)s.flux.y[lane] / WABE_SCALE,
                                          (double)s.flux.z[lane] / WABE_SCALE}};
        if (lanes >> lane & 1)
            wabe_monitor_add_cell(result, a->cells ? a->cells[n + lane] : n + lane,
                                  (double)m.rho[lane] / WABE_SCALE, (double)m.ux[lane] / WABE_SCALE,
                                  (double)m.uy[lane] / WABE_SCALE, (double)m.uz[lane] / WABE_SCALE,
                                  WABE_HAS_SCALAR ? &scalar : NULL);
    }
}

/* A population that arrives at cell n in the next step. */
static double arriving_at(const state *s, const wabe_arrivals *a, int64_t n, int q) {
    if (s->form != WABE_STATE_POPULATIONS) {
        const int *e = wabe_lattice_e(LATTICE, q);
        const int64_t from = wabe_marching_beside(&a->marching, n, (int[3]){-e[0], -e[1], -e[2]});
        const int64_t lane = from & (WABE_LANES - 1);
        return (double)values_of(state_load(s, from - lane)).q[q][lane];
    }
    const wabe_stored *place = s->field + a->in[q] + n;
    if (a->neighbours.moved)
        place = s->field + wabe_neighbour_index(&a->neighbours, q, n);
    return (double)wabe_expand(WABE_REAL_OF(0.0), 1, place)[0];
}

/* left: of the cells of a vector. patch: NULL, or that of the link's wall. */
static wabe_link_populations link_of(const state *s, const wabe_arrivals *a,
                                     const cell_values *left, int64_t n, int lane,
                                     const wabe_patch *patch, int q) {
    const int p = wabe_lattice_opposite(WABE_Q, q);
    wabe_link_populations f = {.left = (double)left->q[p][lane] / WABE_SCALE};
    if (patch && patch->interpolation != 0.0) {
        f.opposite = (double)left->q[q][lane] / WABE_SCALE;
        f.arriving = arriving_at(s, a, n + lane, p) / WABE_SCALE;
    }
    return f;
}

/* Adds the resting walls that a list has resolved to the monitor. */
static void monitor_places(const state *s, const cell_values *left, int64_t n, unsigned lanes,
                           wabe_monitor_result *result) {
    for (int q = 1; q < WABE_FLOW_Q && s->neighbours.at; q++)
        for (int lane = 0; lane < WABE_LANES; lane++)
            if (lanes >> lane & 1 && wabe_neighbour_index(&s->neighbours, q, n + lane) ==
                                         q * s->neighbours.stride + n + lane) {
                const wabe_link_populations f = link_of(s, NULL, left, n, lane, NULL, q);
                wabe_monitor_add_link(result, NULL, q, wabe_lattice_e(LATTICE, q), &f, s->form);
            }
}

/* Adds the links of lanes v and after of a tile, whose first cell is n, to the monitor. */
static void monitor_links(const wabe_monitor_args *a, const state *s, const cell_values *left,
                          int64_t n, int v, const tile_record *record,
                          wabe_monitor_result *result) {
    for (;; record++) {
        const wabe_patch *patch = &a->patches[record->patch];
        for (int q = 1; q < WABE_FLOW_Q; q++)
            for (int lane = 0; lane < WABE_LANES && LANES_OF(record, q, v); lane++)
                if (LANES_OF(record, q, v) >> lane & 1) {
                    const wabe_link_populations f = link_of(s, &a->arrivals, left, n + v, lane,
                                                            patch, q);
                    wabe_monitor_add_link(result, patch, q, wabe_lattice_e(LATTICE, q), &f,
                                          s->form);
                }
        if (record->last)
            return;
    }
}

static void monitor_tile(const wabe_monitor_args *a, const state *s, const wabe_collision *k,
                         int64_t n, unsigned lanes, const tile_record *record,
                         wabe_monitor_result *result) {
    for (int v = 0; v < WABE_TILE; v += WABE_LANES) {
        const wabe_cell f = state_load(s, n + v);
        const unsigned fluid = lanes >> v & ALL_LANES;
        const wabe_moments m = wabe_cell_moments_after(f, k);
        monitor_cells(a, m, wabe_scalar_of(f, m, k), n + v, fluid, result);
        if (!record && !s->neighbours.at)
            continue;
        const cell_values left = values_of(f);
        monitor_places(s, &left, n + v, fluid, result);
        if (record)
            monitor_links(a, s, &left, n, v, record, result);
    }
}

void KERNEL(monitor)(const wabe_monitor_args *a, int64_t begin, int64_t end) {
    const wabe_collision k = wabe_collision_of(&a->collision);
    const state s = state_of(a->field, a->out, a->neighbours, a->form);
    for (int64_t part = begin; part < end; part++) {
        wabe_monitor_result result = {0};
        FOR_TILES(&a->parts, part, n, lanes, record_of,
                  monitor_tile(a, &s, &k, n, lanes, record_of, &result))
        a->results[part] = result;
    }
}

/* Links are in the order of cells, so that many share a vector. */
static wabe_force force_of(const wabe_forces_args *a, const state *s,
                           const wabe_force_block *block) {
    wabe_force force = {0};
    cell_values left;
    int64_t loaded = -1;
    for (int i = 0; i < block->count; i++) {
        const wabe_force_link *link = &a->links[block->first + i];
        const int64_t first = vector_of(link->cell);
        if (first != loaded)
            left = values_of(state_load(s, first));
        loaded = first;
        const wabe_link_populations f = link_of(s, &a->arrivals, &left, first,
                                                (int)(link->cell - first), &a->patches[link->patch],
                                                link->q);
        wabe_force_add(&force, a, link, wabe_lattice_e(LATTICE, link->q), &f);
    }
    return force;
}

void KERNEL(forces)(const wabe_forces_args *a, int64_t begin, int64_t end) {
    const state s = state_of(a->field, a->out, a->neighbours, a->form);
    for (int64_t block = begin; block < end; block++)
        a->results[block] = force_of(a, &s, &a->blocks[block]);
}

static uint64_t hash_tile(const wabe_hash_args *a, const state *s, int64_t n, unsigned lanes) {
    uint64_t sum = 0;
    for (int v = 0; v < WABE_TILE; v += WABE_LANES) {
        const cell_values left = values_of(state_load(s, n + v));
        for (int lane = 0; lane < WABE_LANES; lane++) {
            if (!(lanes >> (v + lane) & 1))
                continue;
            const uint64_t id = wabe_hash_id(a, n + v + lane);
            for (int q = 0; q < WABE_Q; q++)
                sum += wabe_hash_value(id + (uint64_t)q, (double)left.q[q][lane] / WABE_SCALE);
        }
    }
    return sum;
}

void KERNEL(hash)(const wabe_hash_args *a, int64_t begin, int64_t end) {
    const state s = state_of(a->field, a->out, a->neighbours, a->form);
    for (int64_t part = begin; part < end; part++) {
        uint64_t sum = 0;
        FOR_TILES(&a->parts, part, n, lanes, record_of, sum += hash_tile(a, &s, n, lanes))
        a->results[part] = sum;
    }
}
