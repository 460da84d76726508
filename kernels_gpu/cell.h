/* What a GPU does with one cell: the threads of CUDA kernels and the loops of emulated devices call
 * the same functions. */
#pragma once

#include "kernels_gpu/scalar.h"

#include "sweeps/cell/collision.h"
#include "sweeps/cell/lbm_of_kernel.h"
#include "sweeps/cell/moments.h"
#include "sweeps/cell/wall_function.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

/* Locations of populations: of cell n at q[...] + n, or in field at a list's neighbour indices. */
typedef struct {
    const wabe_stored *q[WABE_Q];
    const wabe_stored *field;
    wabe_neighbours neighbours;
    wabe_state_form form;
} wabe_sources;

typedef struct {
    wabe_stored *q[WABE_Q];
    wabe_stored *field;
    wabe_neighbours neighbours;
} wabe_targets;

static inline wabe_sources wabe_sources_of(const void *field, const ptrdiff_t *offsets,
                                           wabe_neighbours neighbours) {
    wabe_sources p;
    p.field = (const wabe_stored *)field;
    p.neighbours = neighbours;
    p.form = WABE_STATE_POPULATIONS;
    for (int q = 0; q < WABE_Q; q++)
        p.q[q] = p.field + offsets[q];
    return p;
}

/* A state of either form, with the offsets of populations that have left, or will arrive. */
static inline wabe_sources wabe_state_of(const void *field, const ptrdiff_t *offsets,
                                         wabe_neighbours neighbours, wabe_state_form form) {
    wabe_sources p = wabe_sources_of(field, offsets, neighbours);
    p.form = form;
    return p;
}

static inline wabe_sources wabe_arrivals_of(const void *field, const wabe_arrivals *a,
                                            wabe_state_form form) {
    return wabe_state_of(field, a->in, a->neighbours, form);
}

static inline wabe_targets wabe_targets_of(void *field, const ptrdiff_t *offsets,
                                           wabe_neighbours neighbours) {
    wabe_targets p;
    p.field = (wabe_stored *)field;
    p.neighbours = neighbours;
    for (int q = 0; q < WABE_Q; q++)
        p.q[q] = p.field + offsets[q];
    return p;
}

/* Population q of cell n: place is q if it arrives, and q's opposite if it is a post-collision
 * population. */
WABE_INLINE wabe_stored wabe_source_at(const wabe_sources *p, int q, int place, int64_t n) {
    return p->neighbours.moved && q > 0 ? p->field[wabe_neighbour_index(&p->neighbours, place, n)]
                                        : p->q[q][n];
}

WABE_INLINE wabe_stored *wabe_target_at(const wabe_targets *p, int q, int place, int64_t n) {
    return p->neighbours.moved && q > 0 ? p->field + wabe_neighbour_index(&p->neighbours, place, n)
                                        : p->q[q] + n;
}

/* The populations that arrive at a cell. */
WABE_INLINE wabe_cell wabe_cell_load(const wabe_sources *p, int64_t n) {
    wabe_cell f;
#define X(name, cx, cy, cz, class)                                                                 \
    f.name = wabe_from_stored(wabe_source_at(p, WABE_Q_##name, WABE_Q_##name, n));
    WABE_POPULATIONS(X)
#undef X
    return f;
}

WABE_INLINE wabe_ten wabe_ten_load(const wabe_stored *field, int64_t n) {
    const wabe_stored *p = field + wabe_moments_place(n);
    wabe_ten s;
    s.base = wabe_from_stored(p[0]);
    s.x = wabe_from_stored(p[WABE_MOMENTS_GROUP]);
    s.y = wabe_from_stored(p[2 * WABE_MOMENTS_GROUP]);
    s.z = wabe_from_stored(p[3 * WABE_MOMENTS_GROUP]);
    s.xx = wabe_from_stored(p[4 * WABE_MOMENTS_GROUP]);
    s.yy = wabe_from_stored(p[5 * WABE_MOMENTS_GROUP]);
    s.zz = wabe_from_stored(p[6 * WABE_MOMENTS_GROUP]);
    s.xy = wabe_from_stored(p[7 * WABE_MOMENTS_GROUP]);
    s.xz = wabe_from_stored(p[8 * WABE_MOMENTS_GROUP]);
    s.yz = wabe_from_stored(p[9 * WABE_MOMENTS_GROUP]);
    return s;
}

WABE_INLINE void wabe_ten_store(wabe_stored *field, int64_t n, wabe_ten s) {
    wabe_stored *p = field + wabe_moments_place(n);
    p[0] = wabe_to_stored(s.base);
    p[WABE_MOMENTS_GROUP] = wabe_to_stored(s.x);
    p[2 * WABE_MOMENTS_GROUP] = wabe_to_stored(s.y);
    p[3 * WABE_MOMENTS_GROUP] = wabe_to_stored(s.z);
    p[4 * WABE_MOMENTS_GROUP] = wabe_to_stored(s.xx);
    p[5 * WABE_MOMENTS_GROUP] = wabe_to_stored(s.yy);
    p[6 * WABE_MOMENTS_GROUP] = wabe_to_stored(s.zz);
    p[7 * WABE_MOMENTS_GROUP] = wabe_to_stored(s.xy);
    p[8 * WABE_MOMENTS_GROUP] = wabe_to_stored(s.xz);
    p[9 * WABE_MOMENTS_GROUP] = wabe_to_stored(s.yz);
}

/* The post-collision populations of a cell. */
WABE_INLINE wabe_cell wabe_cell_left(const wabe_sources *p, int64_t n) {
    wabe_cell f;
    if (p->form != WABE_STATE_POPULATIONS) {
        const wabe_ten s = wabe_ten_load(p->field, n);
        return p->form == WABE_STATE_THIRD ? wabe_cell_of_ten(s, 1) : wabe_cell_of_ten(s, 0);
    }
#define X(name, cx, cy, cz, class)                                                                 \
    f.name = wabe_from_stored(                                                                     \
        wabe_source_at(p, WABE_Q_##name, wabe_lattice_opposite(WABE_Q, WABE_Q_##name), n));
    WABE_POPULATIONS(X)
#undef X
    return f;
}

WABE_INLINE wabe_real wabe_cell_population(wabe_cell f, int q) {
#define X(name, cx, cy, cz, class)                                                                 \
    if (q == WABE_Q_##name)                                                                        \
        return f.name;
    WABE_POPULATIONS(X)
#undef X
    return 0;
}

WABE_INLINE void wabe_cell_store(const wabe_targets *p, int64_t n, wabe_cell f) {
#define X(name, cx, cy, cz, class)                                                                 \
    *wabe_target_at(p, WABE_Q_##name, wabe_lattice_opposite(WABE_Q, WABE_Q_##name),                \
                    n) = wabe_to_stored(f.name);
    WABE_POPULATIONS(X)
#undef X
}

/* The neighbour indices of a list's cell in an odd AA step. They are read at once, since otherwise
 * reads would have to wait for the writes in between. */
typedef struct {
    uint32_t q[WABE_Q];
} wabe_cell_neighbours;

WABE_INLINE wabe_cell_neighbours wabe_cell_neighbours_of(const wabe_neighbours *neighbours,
                                                         int64_t n) {
    wabe_cell_neighbours at;
    at.q[0] = (uint32_t)n;
    for (int q = 1; q < WABE_Q; q++)
        at.q[q] = wabe_neighbour_index(neighbours, q, n);
    return at;
}

WABE_INLINE wabe_cell wabe_cell_gather(const wabe_stored *field, wabe_cell_neighbours neighbours) {
    wabe_cell f;
#define X(name, cx, cy, cz, class) f.name = wabe_from_stored(field[neighbours.q[WABE_Q_##name]]);
    WABE_POPULATIONS(X)
#undef X
    return f;
}

WABE_INLINE void wabe_cell_scatter(wabe_stored *field, wabe_cell_neighbours neighbours,
                                   wabe_cell f) {
#define X(name, cx, cy, cz, class)                                                                 \
    field[neighbours.q[wabe_lattice_opposite(WABE_Q, WABE_Q_##name)]] = wabe_to_stored(f.name);
    WABE_POPULATIONS(X)
#undef X
}

/* ---- walls -------------------------------------------------------------------------- */

/* The first record of a tile, or NULL if it is plain. */
WABE_INLINE const wabe_cell_record *wabe_record_of(const void *records, const uint32_t *classes,
                                                   uint32_t tile) {
    const uint32_t first = classes[tile];
    return first ? (const wabe_cell_record *)records + first - 1 : NULL;
}

WABE_INLINE int wabe_is_fluid(const wabe_cell_record *record, int lane) {
    return record == NULL || (record->cells[lane] & WABE_CELL_FLUID);
}

/* The populations of a cell that are written: if it is not fluid, only those that nobody else
 * writes. */
WABE_INLINE wabe_population_bits wabe_written_bits(wabe_cell_word cell) {
    const wabe_population_bits bits = (wabe_population_bits)cell;
    return bits & WABE_CELL_FLUID ? ~(wabe_population_bits)0 : ~bits;
}

/* Masks of the populations by their direction along x. */
#define BIT(name, opposite, projection, class) | (wabe_population_bits)1 << WABE_Q_##name
#define WABE_EAST_BITS ((wabe_population_bits)0 WABE_EAST(BIT))
#define WABE_WEST_BITS ((wabe_population_bits)0 WABE_WEST(BIT))
#define WABE_MIDDLE_BITS ((wabe_population_bits)0 WABE_MIDDLE(BIT))

/* Does X for all populations, of which a cell's word has few: most groups are passed over. */
#define WABE_FOR_LINKS(cell, X)                                                                    \
    if ((cell) & (WABE_EAST_BITS)) {                                                               \
        WABE_EAST(X)                                                                               \
    }                                                                                              \
    if ((cell) & (WABE_WEST_BITS)) {                                                               \
        WABE_WEST(X)                                                                               \
    }                                                                                              \
    if ((cell) & (WABE_MIDDLE_BITS)) {                                                             \
        WABE_MIDDLE(X)                                                                             \
    }

#define WABE_NO_MOMENTS                                                                            \
    { 0, 0, 0, 0, WABE_IF_SCALAR(0) }

/* Where the next step reads what a wall returns; see wabe_wall_serve. */
WABE_INLINE wabe_stored *wabe_return_at(const wabe_targets *next, int q, int64_t n, int listed) {
    return listed ? wabe_target_at(next, q, q, n) : next->q[q] + n;
}

/* Writes what one wall returns for the post-collision populations f of cell n to where the next
 * step reads it (next). cell: the cell's word in a record. special (a constant at every call):
 * there may be walls with a quadratic term. listed (likewise): next may use a list's neighbour
 * indices. */
WABE_INLINE void wabe_wall_serve(wabe_cell f, const wabe_collision *k, wabe_cell_word cell,
                                 const wabe_patch *patches, const wabe_targets *next, int64_t n,
                                 int special, int listed) {
    const wabe_patch *patch = &patches[wabe_cell_patch(cell)];
    wabe_moments m = WABE_NO_MOMENTS;
    if (special)
        m = wabe_cell_moments_after(f, k);
    const wabe_real ux = m.ux, uy = m.uy, uz = m.uz, base = special ? wabe_wall_base(m) : 0;
    const wabe_real sign = WABE_REAL_OF(WABE_READ_ONLY(&patch->sign));
    const wabe_real scalar_sign = WABE_REAL_OF(WABE_READ_ONLY(&patch->scalar_sign));
    const wabe_real own = special ? WABE_REAL_OF(WABE_READ_ONLY(&patch->scalar_own)) : 0;
    const double factor = special ? WABE_READ_ONLY(&patch->quadratic) : 0.0;
#define ADD_FLOW(name, opposite, projection, class)                                                \
    if (factor != 0.0)                                                                             \
        back = wabe_wall_add_quadratic(back, WABE_REAL_OF(factor * WABE_WEIGHT(class)),            \
                                       projection, base);
#define SCALAR_BY_CELL(name)                                                                       \
    WABE_REAL_OF(WABE_READ_ONLY(&patch->scalar_by_cell[(int)WABE_Q_##name - (int)WABE_FLOW_Q]))
#define ADD_SEVEN(name, opposite, u)                                                               \
    if (special)                                                                                   \
        back = wabe_scalar_add(back, SCALAR_BY_CELL(name), own, u, m);
#define TERM(name) WABE_REAL_OF(WABE_READ_ONLY(&patch->term[WABE_Q_##name]) * WABE_SCALE)
#define ADD_SCALAR(name, opposite, projection)                                                     \
    WABE_IF_SEVEN(ADD_SEVEN(name, opposite, projection)) WABE_IF_CARRIED(back = carried.name;)
#define RETURN(name, opposite, projection, class)                                                  \
    if (cell >> WABE_Q_##name & 1) {                                                               \
        wabe_real back = wabe_wall_return(f.opposite, WABE_BY_CLASS(class, sign, scalar_sign),     \
                                          TERM(name));                                             \
        WABE_BY_CLASS(class, ADD_FLOW(name, opposite, projection, class),                          \
                      ADD_SCALAR(name, opposite, projection))                                      \
        *wabe_return_at(next, WABE_Q_##name, n, listed) = wabe_to_stored(back);                    \
    }
    (void)ux, (void)uy, (void)uz, (void)scalar_sign, (void)own;
    WABE_IF_CARRIED(const wabe_cell carried = wabe_carried_returns(f, m, patch);)
    WABE_FOR_LINKS(cell, RETURN)
#undef RETURN
#undef ADD_SCALAR
#undef TERM
#undef ADD_SEVEN
#undef SCALAR_BY_CELL
#undef ADD_FLOW
}

/* Where the surface is on a cell's links to curved walls. */
typedef struct {
    wabe_cell_word words[WABE_PLACE_RECORDS(WABE_Q)];
    const wabe_patch *all; /* has by_place */
} wabe_cell_places;

/* record: whose patch has by_place. */
WABE_INLINE wabe_cell_places wabe_places_of(const wabe_cell_record *record, int lane,
                                            const wabe_patch *patches) {
    wabe_cell_places p;
    p.all = &patches[wabe_cell_patch(record->cells[lane])];
    WABE_UNROLL
    for (int i = 0; i < WABE_PLACE_RECORDS(WABE_Q); i++)
        p.words[i] = record[1 + i].cells[lane];
    return p;
}

/* The place of population q's link; without one, some place. */
WABE_INLINE int wabe_place_of(const wabe_cell_places *p, int q) {
    const int in_word = (q - 1) % WABE_PLACES_IN_WORD(WABE_Q);
    const wabe_cell_word places = p->words[(q - 1) / WABE_PLACES_IN_WORD(WABE_Q)];
    return (int)(places >> WABE_PLACE_BITS * in_word) & ((1 << WABE_PLACE_BITS) - 1);
}

WABE_INLINE const wabe_patch *wabe_patch_of_place(const wabe_cell_places *p, int q) {
    return p->all + 1 + wabe_place_of(p, q);
}

WABE_INLINE wabe_real wabe_interpolation_of(const wabe_cell_places *p, int q) {
    return WABE_REAL_OF(WABE_READ_ONLY(&p->all->interpolations[wabe_place_of(p, q)]));
}

WABE_INLINE int wabe_is_by_place(wabe_cell_word cell, const wabe_patch *patches) {
    return WABE_READ_ONLY(&patches[wabe_cell_patch(cell)].by_place);
}

/* The record of a tile's curved walls, or NULL. record: the tile's first one. */
WABE_INLINE const wabe_cell_record *wabe_curved_record(const wabe_cell_record *record, int lane,
                                                       const wabe_patch *patches) {
    while (!(record->cells[lane] >> WABE_CELL_LAST & 1))
        record++;
    return wabe_is_by_place(record->cells[lane], patches) ? record : NULL;
}

/* The bits of a cell's links in a record. */
WABE_INLINE wabe_population_bits wabe_link_bits(wabe_cell_word cell) {
    const wabe_population_bits bits = WABE_EAST_BITS | WABE_WEST_BITS | WABE_MIDDLE_BITS;
    return cell & WABE_CELL_FLUID ? (wabe_population_bits)cell & bits : 0;
}

/* Completes what curved walls have returned to a cell, and adds the mass that they give it: see
 * wabe_patch. record: that of the tile's curved walls. Interpolations of populations without a link
 * are loaded, too, since loads that wait for no branch are on their way together. */
WABE_INLINE wabe_cell wabe_curved_take(wabe_cell f, const wabe_cell_record *record, int lane,
                                       const wabe_patch *patches, wabe_curved_sums *gain) {
    const wabe_population_bits links = wabe_link_bits(record->cells[lane]);
    if (links == 0)
        return f;
    const wabe_cell_places places = wabe_places_of(record, lane, patches);
#define TAKE(name, opposite, projection, class)                                                    \
    {                                                                                              \
        const bool there = links >> WABE_Q_##name & 1;                                             \
        const wabe_real k = wabe_interpolation_of(&places, WABE_Q_##name);                         \
        wabe_real *sum = WABE_BY_CLASS(class, &gain->flow, &gain->scalar);                         \
        f.name = there ? wabe_curved_add(f.name, k, f.opposite) : f.name;                          \
        *sum = there ? wabe_curved_gain(*sum, k, f.opposite) : *sum;                               \
    }
    WABE_FOR_LINKS(links, TAKE)
#undef TAKE
    return f;
}

/* After the collision: takes from the cell what curved walls have given it, less what they take of
 * that with what leaves now. */
WABE_INLINE wabe_cell wabe_curved_keep_mass(wabe_cell f, const wabe_cell_record *record, int lane,
                                            const wabe_patch *patches, wabe_curved_sums gain) {
    const wabe_population_bits links = wabe_link_bits(record->cells[lane]);
    if (links == 0)
        return f;
    const wabe_cell_places places = wabe_places_of(record, lane, patches);
    wabe_curved_sums share = wabe_curved_sums_of(1);
#define GIVE(name, opposite, projection, class)                                                    \
    {                                                                                              \
        const bool there = links >> WABE_Q_##name & 1;                                             \
        const wabe_real k = wabe_interpolation_of(&places, WABE_Q_##name);                         \
        wabe_real *sum = WABE_BY_CLASS(class, &gain.flow, &gain.scalar);                           \
        wabe_real *part = WABE_BY_CLASS(class, &share.flow, &share.scalar);                        \
        *sum = there ? wabe_curved_gain(*sum, -k, f.name) : *sum;                                  \
        *part = there ? wabe_curved_share(*part, k, WABE_Q_##name) : *part;                        \
    }
    WABE_FOR_LINKS(links, GIVE)
#undef GIVE
    return wabe_curved_settle(f, gain, share);
}

/* Writes what curved walls return: see wabe_wall_serve. */
WABE_INLINE void wabe_curved_serve(wabe_cell f, const wabe_cell_record *record, int lane,
                                   const wabe_patch *patches, const wabe_targets *next, int64_t n,
                                   int listed) {
    const wabe_population_bits links = wabe_link_bits(record->cells[lane]);
    if (links == 0)
        return;
    const wabe_cell_places places = wabe_places_of(record, lane, patches);
#define RETURN(name, opposite, projection, class)                                                  \
    if (links >> WABE_Q_##name & 1)                                                                \
        *wabe_return_at(next, WABE_Q_##name, n, listed) =                                          \
            wabe_to_stored(wabe_curved_return(f.opposite, f.name,                                  \
                                              wabe_interpolation_of(&places, WABE_Q_##name)));
    WABE_FOR_LINKS(links, RETURN)
#undef RETURN
}

/* Bits of the populations that a list's resting walls return to a cell. */
WABE_INLINE uint32_t wabe_resting_bits(const wabe_neighbours *neighbours, int64_t n) {
    uint32_t bits = 0;
    for (int q = 1; q < WABE_Q && neighbours->at; q++)
        bits |= (uint32_t)(wabe_neighbour_index(neighbours, q, n) == q * neighbours->stride + n)
                << q;
    return bits;
}

/* Adds to change, for wabe_damp_at_walls, what one wall returns for the post-collision populations
 * f of cell n less what has arrived from it, of the links in bits. patch: NULL of resting walls;
 * places: NULL, or of curved walls. */
WABE_INLINE wabe_cell wabe_change_at_wall(wabe_cell change, wabe_cell f, wabe_population_bits bits,
                                          const wabe_patch *patch, const wabe_cell_places *places,
                                          const wabe_sources *in, int64_t n) {
#define CHANGE(name, opposite, projection, class)                                                  \
    if (bits >> WABE_Q_##name & 1) {                                                               \
        const double term = patch ? WABE_READ_ONLY(&patch->term[WABE_Q_##name]) : 0.0;             \
        const wabe_real back =                                                                     \
            places ? wabe_curved_return(f.opposite, f.name,                                        \
                                        wabe_interpolation_of(places, WABE_Q_##name))              \
                   : wabe_wall_return(f.opposite, WABE_REAL_OF(1.0),                               \
                                      WABE_REAL_OF(term * WABE_SCALE));                            \
        change.opposite = back -                                                                   \
                          wabe_from_stored(wabe_source_at(in, WABE_Q_##name, WABE_Q_##name, n));   \
    }
    WABE_FOR_LINKS(bits, CHANGE)
#undef CHANGE
    return change;
}

/* The same of all walls of a cell. curved: as below. */
WABE_INLINE wabe_cell wabe_change_at_walls(wabe_cell change, wabe_cell f,
                                           const wabe_cell_record *record, int lane,
                                           const wabe_patch *patches, const wabe_sources *in,
                                           int64_t n, int curved) {
    for (;; record++) {
        const wabe_cell_word cell = record->cells[lane];
        const wabe_patch *patch = &patches[wabe_cell_patch(cell)];
        const wabe_population_bits bits = wabe_link_bits(cell);
        if (curved && wabe_is_by_place(cell, patches)) {
            const wabe_cell_places places = wabe_places_of(record, lane, patches);
            return wabe_change_at_wall(change, f, bits, patch, &places, in, n);
        }
        if (bits && wabe_patch_is_damped(patch))
            change = wabe_change_at_wall(change, f, bits, patch, NULL, in, n);
        if (cell >> WABE_CELL_LAST & 1)
            return change;
    }
}

/* Damps the wave along the walls of a cell (wabe_damp_at_walls), of which record may be NULL. in:
 * where populations have arrived, those from walls unchanged; a list's resting walls have indices
 * of the cell's own there. */
WABE_INLINE wabe_cell wabe_cell_damp(wabe_cell f, const wabe_collision *k,
                                     const wabe_cell_record *record, int lane,
                                     const wabe_patch *patches, const wabe_sources *in, int64_t n,
                                     int curved) {
    const uint32_t resting = in->neighbours.at ? wabe_resting_bits(&in->neighbours, n) : 0;
    wabe_cell change = wabe_cell_of_zeros();
    if (!record && !resting)
        return f;
    if (resting)
        change = wabe_change_at_wall(change, f, resting, NULL, NULL, in, n);
    if (record)
        change = wabe_change_at_walls(change, f, record, lane, patches, in, n, curved);
    return wabe_damp_at_walls(f, change, k);
}

/* Writes what all walls of a cell return. curved (in CUDA a constant at every call): some may be
 * curved. */
WABE_INLINE void wabe_walls_serve(wabe_cell f, const wabe_collision *k,
                                  const wabe_cell_record *record, int lane,
                                  const wabe_patch *patches, const wabe_targets *next, int64_t n,
                                  int special, int curved, int listed) {
    for (;; record++) {
        const wabe_cell_word cell = record->cells[lane];
        if (curved && wabe_is_by_place(cell, patches))
            wabe_curved_serve(f, record, lane, patches, next, n, listed);
        else if (cell & WABE_CELL_FLUID)
            wabe_wall_serve(f, k, cell, patches, next, n, special, listed);
        if (cell >> WABE_CELL_LAST & 1)
            return;
    }
}

/* Writes an image, or what a mirror makes of it, to where the cell of a link reads it. from: offset
 * of the image; carrier: offset of the image of the flow's population with the same velocity; out:
 * post-collision populations. */
WABE_INLINE void wabe_image_serve(wabe_stored *f, const wabe_sources *out, const wabe_collision *k,
                                  const wabe_image_link *link, const wabe_patch *patches,
                                  ptrdiff_t in, ptrdiff_t from, ptrdiff_t carrier) {
    if (out->form != WABE_STATE_POPULATIONS) {
        const wabe_ten image = wabe_ten_load(f, link->cell);
        wabe_ten_store(f, link->cell + from, wabe_ten_mirrored(image, link->mirrored));
        return;
    }
    const wabe_patch *patch = &patches[link->patch];
    const wabe_stored image = f[link->cell + from];
    wabe_stored *to = f + link->cell + in;
    if (patch->quadratic == 0.0) {
        *to = image;
        return;
    }
    *to = wabe_to_stored(
        wabe_mirror_return(wabe_from_stored(image), wabe_from_stored(f[link->cell + carrier]),
                           patch, link->population,
                           wabe_cell_moments_after(wabe_cell_left(out, link->cell), k)));
}

/* A cell's layer of a sponge, or of turbulence. */
WABE_INLINE wabe_layer_here wabe_layer_of(const wabe_absorb_args *a, const wabe_face_layer *level,
                                          int64_t n) {
    wabe_layer_here sponge;
    sponge.rate = (wabe_real)level->rate;
    sponge.density = (wabe_real)(level->density * WABE_SCALE);
    sponge.x = (wabe_real)level->outward[0];
    sponge.y = (wabe_real)level->outward[1];
    sponge.z = (wabe_real)level->outward[2];
    sponge.gust.x = sponge.gust.y = sponge.gust.z = 0;
    if (level->stir != 0.0) {
        double at[3];
        wabe_absorb_place(a, n, at);
        const wabe_vector3 place = {(wabe_real)at[0], (wabe_real)at[1], (wabe_real)at[2]};
        sponge.gust = wabe_gust_at(a->waves, place, (wabe_real)level->stir, (wabe_real)level->bend);
    }
    return sponge;
}

/* Another viscosity, and what wall functions do to a cell of such a layer. */
WABE_INLINE wabe_ten_moments wabe_wall_function(wabe_ten_moments s, const wabe_absorb_args *a,
                                                const wabe_face_layer *level,
                                                const wabe_collision *k) {
    const wabe_real unit = (wabe_real)(1.0 / WABE_SCALE);
    s.a = wabe_second_mixed(s, unit * WABE_COEFFICIENT(level->subgrid),
                            WABE_COEFFICIENT(level->tau_added), k);
    for (int side = 0; side < WABE_WALL_SIDES; side++)
        if (level->friction >> side & 1)
            s = wabe_wall_drag(s, wabe_wall_law_at(a->laws, side), side % WABE_FACES, 1);
    return s;
}

/* Updates a lane of a tile with layers or sources. out and to are where post-collision populations
 * are read and written, next where the next step reads. */
WABE_INLINE void wabe_absorb_lane(const wabe_sources *out, const wabe_targets *to,
                                  const wabe_targets *next, const wabe_collision *k,
                                  const wabe_absorb_args *a, int64_t item, int lane) {
    const wabe_face_layer_tile *tile = &a->tiles[item];
    const wabe_face_layer *level = &a->levels[tile->level[lane]];
    const int64_t n = (int64_t)tile->tile * WABE_TILE + lane;
    const double release = WABE_HAS_SCALAR ? wabe_absorb_release(a, level) : 0.0;
    if (!level->absorbs && !level->mixes && release == 0.0)
        return;
    if (a->form != WABE_STATE_POPULATIONS) {
        wabe_ten s = wabe_ten_load(out->field, n);
        if (level->absorbs)
            s = wabe_ten_absorb(s, wabe_layer_of(a, level, n));
        if (level->mixes)
            s = wabe_ten_of_moments(wabe_wall_function(wabe_moments_of_ten(s), a, level, k));
        wabe_ten_store(to->field, n, s);
        return;
    }
    wabe_cell f = wabe_cell_left(out, n);
    if (level->absorbs)
        f = wabe_cell_absorb(f, wabe_layer_of(a, level, n));
    if (level->mixes) {
        const wabe_ten_moments from = wabe_ten_moments_of_cell(f);
        f = wabe_cell_moved(f, from, wabe_wall_function(from, a, level, k), a->third);
    }
    if (release != 0.0)
        f = wabe_cell_release(f, WABE_REAL_OF(release * WABE_SCALE));
    wabe_cell_store(to, n, f);
    const wabe_cell_record *record = wabe_record_of(a->cell_records, a->classes, tile->tile);
    if (record)
        wabe_walls_serve(f, k, record, lane, a->patches, next, n, 1, 1, 1);
}

static inline int wabe_has_curved_walls(unsigned kinds) {
    return kinds >> WABE_BOUNDARY_curved_wall & 1;
}

/* Of walls that move and of velocity boundaries, those of a scalar look at the cell. */
static inline int wabe_has_special_walls(unsigned kinds) {
    const unsigned of_scalar = 1u << WABE_BOUNDARY_moving_wall | 1u << WABE_BOUNDARY_velocity;
    const int looks = WABE_HAS_SCALAR && (kinds & of_scalar) != 0;
    return looks || (kinds >> WABE_BOUNDARY_pressure & 1) || wabe_has_curved_walls(kinds);
}

/* ---- the other sweeps --------------------------------------------------------------- */

WABE_INLINE void wabe_initialise_cell(const wabe_targets *out, const wabe_initialise_args *a,
                                      int64_t i) {
    const double *m = a->moments + i;
    wabe_moments moments;
    moments.rho = (wabe_real)(m[0] * WABE_SCALE);
    moments.ux = (wabe_real)(m[a->moment_stride] * WABE_SCALE);
    moments.uy = (wabe_real)(m[2 * a->moment_stride] * WABE_SCALE);
    moments.uz = (wabe_real)(m[3 * a->moment_stride] * WABE_SCALE);
    WABE_IF_SCALAR(moments.scalar = (wabe_real)(m[4 * a->moment_stride] * WABE_SCALE);)
    if (a->form != WABE_STATE_POPULATIONS)
        wabe_ten_store(out->field, a->first + i, wabe_ten_of_equilibrium(moments));
    else
        wabe_cell_store(out, a->first + i, wabe_equilibrium(moments));
}

WABE_INLINE void wabe_put_cell(const wabe_sources *out, const wabe_macroscopic_args *a,
                               const wabe_collision *k, int fluid, int64_t n, int64_t place) {
    double values[WABE_OUTPUT_COUNT] = {0};
    if (fluid) {
        const wabe_outputs m = wabe_cell_outputs(wabe_cell_left(out, n), k,
                                                 wabe_wants_viscous(&a->values));
        for (int i = 0; i < WABE_OUTPUT_COUNT; i++)
            values[i] = (double)m.value[i] / WABE_SCALE;
    }
    wabe_put_moments(&a->values, place, 1, values, 1);
}

/* wabe_macroscopic_length: number of cells of an item; wabe_macroscopic_cell: cell x of an item. */
WABE_INLINE int64_t wabe_macroscopic_length(const wabe_macroscopic_args *a) {
    return a->numbers ? WABE_SLOTS_OF_ITEM : a->cells[0];
}
WABE_INLINE void wabe_macroscopic_cell(const wabe_sources *out, const wabe_macroscopic_args *a,
                                       const wabe_collision *k, int64_t item, int64_t x) {
    if (!a->numbers) {
        const int64_t n = wabe_macroscopic_row(a, item) + x * a->step;
        wabe_put_cell(out, a, k, wabe_macroscopic_is_fluid(a, n), n, item * a->cells[0] + x);
        return;
    }
    const int64_t slot = a->first + item * WABE_SLOTS_OF_ITEM + x;
    const int64_t place = slot < a->end ? wabe_macroscopic_place(a, a->numbers[slot]) : -1;
    if (place >= 0)
        wabe_put_cell(out, a, k, 1, slot, place);
}

/* Population p of the present state that arrives at cell n against the velocity e. */
WABE_INLINE wabe_real wabe_arriving_at(const wabe_sources *arrivals, const wabe_marching *marching,
                                       int64_t n, int p, const int e[3]) {
    if (arrivals->form == WABE_STATE_POPULATIONS)
        return wabe_from_stored(wabe_source_at(arrivals, p, p, n));
    return wabe_cell_population(wabe_cell_left(arrivals, wabe_marching_beside(marching, n, e)), p);
}

/* The populations of the link over which q, with velocity e, arrives at cell n from a wall (patch
 * NULL: at rest). leaving: those that have left the cell. */
WABE_INLINE wabe_link_populations wabe_link_of(const wabe_sources *arrivals,
                                               const wabe_marching *marching,
                                               const wabe_real leaving[WABE_Q], int64_t n,
                                               const wabe_patch *patch, int q, const int e[3]) {
    const int p = wabe_lattice_opposite(WABE_Q, q);
    wabe_link_populations f = {(double)leaving[p] / WABE_SCALE, 0.0, 0.0};
    if (patch && patch->interpolation != 0.0) {
        f.opposite = (double)leaving[q] / WABE_SCALE;
        f.arriving = (double)wabe_arriving_at(arrivals, marching, n, p, e) / WABE_SCALE;
    }
    return f;
}

/* Adds the links of one record to the monitor (patch NULL: the resting walls that a list has
 * resolved). f: the populations that have left cell n; cell: the links' bits; places: NULL, or
 * where the surface is on each. */
WABE_INLINE void wabe_monitor_links(wabe_cell f, const wabe_sources *arrivals,
                                    const wabe_marching *marching, int64_t n, wabe_cell_word cell,
                                    const wabe_patch *patch, const wabe_cell_places *places,
                                    wabe_monitor_result *result) {
#define X(name, cx, cy, cz, class) f.name,
    const wabe_real left[WABE_Q] = {WABE_POPULATIONS(X)};
#undef X
#define X(name, cx, cy, cz, class)                                                                 \
    if (WABE_Q_##name > 0 && (int)WABE_Q_##name < (int)WABE_FLOW_Q && cell >> WABE_Q_##name & 1) { \
        const int e[3] = {cx, cy, cz};                                                             \
        const wabe_patch *its = places ? wabe_patch_of_place(places, WABE_Q_##name) : patch;       \
        const wabe_link_populations link = wabe_link_of(arrivals, marching, left, n, its,          \
                                                        WABE_Q_##name, e);                         \
        wabe_monitor_add_link(result, its, WABE_Q_##name, e, &link, arrivals->form);               \
    }
    WABE_POPULATIONS(X)
#undef X
}

/* record: that of the cell's tile, or NULL if the tile is plain. */
WABE_INLINE void wabe_monitor_cell(const wabe_sources *out, const wabe_sources *arrivals,
                                   const wabe_collision *k, const wabe_monitor_args *a,
                                   const wabe_cell_record *record, int lane, int64_t n,
                                   wabe_monitor_result *result) {
    const wabe_cell f = wabe_cell_left(out, n);
    const wabe_moments m = wabe_cell_moments_after(f, k);
    const wabe_scalar_moments s = wabe_scalar_of(f, m, k);
    const wabe_cell_scalar scalar = {(double)s.value / WABE_SCALE,
                                     (double)s.amount / WABE_SCALE,
                                     {(double)s.flux.x / WABE_SCALE, (double)s.flux.y / WABE_SCALE,
                                      (double)s.flux.z / WABE_SCALE}};
    wabe_monitor_add_cell(result, a->cells ? a->cells[n] : n, (double)m.rho / WABE_SCALE,
                          (double)m.ux / WABE_SCALE, (double)m.uy / WABE_SCALE,
                          (double)m.uz / WABE_SCALE, WABE_HAS_SCALAR ? &scalar : NULL);
    const wabe_marching *marching = &a->arrivals.marching;
    wabe_monitor_links(f, arrivals, marching, n, wabe_resting_bits(&out->neighbours, n), NULL, NULL,
                       result);
    for (; record; record++) {
        const wabe_cell_word cell = record->cells[lane];
        const int by_place = wabe_is_by_place(cell, a->patches);
        wabe_cell_places places;
        if (by_place)
            places = wabe_places_of(record, lane, a->patches);
        wabe_monitor_links(f, arrivals, marching, n, cell, &a->patches[wabe_cell_patch(cell)],
                           by_place ? &places : NULL, result);
        if (cell >> WABE_CELL_LAST & 1)
            return;
    }
}

/* The force of a link. */
WABE_INLINE void wabe_force_link_add(const wabe_sources *out, const wabe_sources *arrivals,
                                     const wabe_forces_args *a, const wabe_force_link *link,
                                     wabe_force *force) {
    const wabe_cell f = wabe_cell_left(out, link->cell);
#define X(name, cx, cy, cz, class) f.name,
    const wabe_real left[WABE_Q] = {WABE_POPULATIONS(X)};
#undef X
#define X(name, cx, cy, cz, class)                                                                 \
    if (link->q == WABE_Q_##name) {                                                                \
        const int e[3] = {cx, cy, cz};                                                             \
        const wabe_link_populations populations =                                                  \
            wabe_link_of(arrivals, &a->arrivals.marching, left, link->cell,                        \
                         &a->patches[link->patch], WABE_Q_##name, e);                              \
        wabe_force_add(force, a, link, e, &populations);                                           \
    }
    WABE_POPULATIONS(X)
#undef X
}

WABE_INLINE uint64_t wabe_hash_cell(const wabe_sources *out, const wabe_hash_args *a, int64_t n) {
    const uint64_t id = wabe_hash_id(a, n);
    const wabe_cell f = wabe_cell_left(out, n);
    uint64_t sum = 0;
#define X(name, cx, cy, cz, class)                                                                 \
    sum += wabe_hash_value(id + WABE_Q_##name, (double)f.name / WABE_SCALE);
    WABE_POPULATIONS(X)
#undef X
    return sum;
}
