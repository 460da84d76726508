/* Odd AA steps of a list, a vector of cells at a time: loads and stores by neighbour indices. If a
 * group's indices form runs, the cells' own numbers are loaded (the indices of resting walls), and
 * the runs are merged into them one by one. Indices are read one by one if there are too many runs,
 * or if the processor has no instructions that expand numbers over lanes. */
#pragma once

#include "kernels_cpu/vector.h"

#include "sweeps/cell/collision.h"
#include "sweeps/cell/lbm_of_kernel.h"

#include <stdbool.h>
#include <string.h>

enum {
    WABE_GROUPS = (int)WABE_LANES > (int)WABE_GROUP ? WABE_LANES / WABE_GROUP : 1, /* per vector */
    WABE_ALL_GROUP = (1 << WABE_GROUP) - 1
};

typedef struct {
    WABE_RUNS(WABE_Q)
} wabe_runs;

/* The neighbour indices of the vector at cell n. */
typedef struct {
    const uint32_t (*at)[WABE_TILE]; /* at[q - 1][0]: of cell n */
    const wabe_runs *runs[WABE_GROUPS];
    int run_counts[WABE_GROUPS];
    int part;         /* lanes of the group before n, if vectors are narrower than groups */
    bool full, known; /* full: one run of each population, with all lanes; known: runs are known */
} wabe_vector_neighbours;

WABE_INLINE wabe_vector_neighbours wabe_neighbours_of_vector(const wabe_neighbours *neighbours,
                                                             int64_t n) {
    wabe_vector_neighbours out = {.known = true};
    if ((int)WABE_LANES < (int)WABE_GROUP)
        out.part = (int)(n % WABE_GROUP);
    const uint32_t *group = neighbours->groups + n / WABE_GROUP;
    for (int g = 0; g < WABE_GROUPS; g++) {
        const int count = (int)(group[g] & ((1u << WABE_RUNS_BITS) - 1));
        out.runs[g] = (const wabe_runs *)neighbours->runs + (group[g] >> WABE_RUNS_BITS);
        out.run_counts[g] = count > WABE_RUNS_MAX ? 1 : count;
        out.full = count == WABE_RUNS_TILE || (WABE_GROUPS == 1 && count == WABE_RUNS_FULL);
        out.known = out.known && count != WABE_RUNS_UNKNOWN;
    }
    out.at = (const uint32_t(*)[WABE_TILE])(
        neighbours->at + n / WABE_TILE * (WABE_Q - 1) * WABE_TILE + n % WABE_TILE);
    return out;
}

/* Runs statement(name) and statement(opposite) for every pair of populations. */
#define WABE_FOR_BOTH(name, opposite, projection, class) STATEMENT(name) STATEMENT(opposite)
/* Runs statement(q, value) for both populations of every pair. A population is written where its
 * opposite was read. */
#define WABE_FOR_TURNED(name, opposite, projection, class)                                         \
    STATEMENT(WABE_Q_##opposite, f.name) STATEMENT(WABE_Q_##name, f.opposite)

/* ---- all lanes in one run ----------------------------------------------------------- */

WABE_INLINE wabe_cell wabe_full_load(wabe_cell f, const wabe_stored *field,
                                     const wabe_vector_neighbours *p) {
#define STATEMENT(name) f.name = WABE_LOAD(field + p->runs[0]->first[WABE_Q_##name - 1] + p->part);
    WABE_PAIRS(WABE_FOR_BOTH)
#undef STATEMENT
    return f;
}

WABE_INLINE void wabe_full_store(wabe_stored *field, const wabe_vector_neighbours *p, wabe_cell f) {
#define STATEMENT(q, value) WABE_STORE(field + p->runs[0]->first[(q)-1] + p->part, value);
    WABE_PAIRS(WABE_FOR_TURNED)
#undef STATEMENT
}

/* ---- runs --------------------------------------------------------------------------- */

#ifdef WABE_EXPAND
#define WABE_FOR_RUNS(p, g, run)                                                                   \
    for (int g = 0; g < WABE_GROUPS; g++)                                                          \
        for (const wabe_runs *run = (p)->runs[g]; run < (p)->runs[g] + (p)->run_counts[g]; run++)

/* The lanes of the vector that are in a run of its group g. */
WABE_INLINE unsigned wabe_run_lanes(const wabe_runs *run, int q, int g) {
    return (unsigned)run->lanes[q - 1] << g * WABE_GROUP;
}

WABE_INLINE wabe_cell wabe_runs_load(wabe_cell f, const wabe_stored *field,
                                     const wabe_vector_neighbours *p) {
#define STATEMENT(name)                                                                            \
    f.name = wabe_expand(f.name, wabe_run_lanes(run, WABE_Q_##name, g),                            \
                         field + run->first[WABE_Q_##name - 1]);
    WABE_FOR_RUNS(p, g, run) { WABE_PAIRS(WABE_FOR_BOTH) }
#undef STATEMENT
    return f;
}

/* The lanes of a population that are in no run: these stay in the cell. */
typedef struct {
    uint8_t lanes[WABE_GROUPS][sizeof((wabe_runs){0}.lanes)];
} wabe_rest;

WABE_INLINE wabe_rest wabe_rest_of(const wabe_vector_neighbours *p) {
    enum { WORDS = sizeof((wabe_runs){0}.lanes) / sizeof(uint64_t) };
    uint64_t rest[WABE_GROUPS][WORDS], lanes_of_run[WORDS];
    memset(rest, 0xff, sizeof rest);
    WABE_FOR_RUNS(p, g, run) {
        memcpy(lanes_of_run, run->lanes, sizeof lanes_of_run);
        for (int word = 0; word < WORDS; word++)
            rest[g][word] &= ~lanes_of_run[word];
    }
    wabe_rest out;
    memcpy(&out, rest, sizeof out);
    return out;
}

WABE_INLINE unsigned wabe_rest_lanes(const wabe_rest *rest, int q) {
    unsigned lanes = 0;
    for (int g = 0; g < WABE_GROUPS; g++)
        lanes |= (unsigned)rest->lanes[g][q - 1] << g * WABE_GROUP;
    return lanes;
}

WABE_INLINE void wabe_runs_store(wabe_stored *field, const wabe_vector_neighbours *p,
                                 int64_t stride, int64_t n, wabe_cell f) {
#define STATEMENT(q, value)                                                                        \
    wabe_compress(field + run->first[(q)-1], wabe_run_lanes(run, q, g), value);
    WABE_FOR_RUNS(p, g, run) { WABE_PAIRS(WABE_FOR_TURNED) }
#undef STATEMENT
    const wabe_rest rest = wabe_rest_of(p);
#define STATEMENT(q, value)                                                                        \
    wabe_store_masked(field + (q)*stride + n, value, wabe_rest_lanes(&rest, q));
    WABE_PAIRS(WABE_FOR_TURNED)
#undef STATEMENT
}
#endif

/* ---- index by index ----------------------------------------------------------------- */

/* Lane by lane: gather and scatter instructions were not faster. */
WABE_INLINE wabe_vector wabe_gather(const wabe_stored *field, const uint32_t *indices) {
    _Alignas(64) wabe_stored values[WABE_LANES];
    WABE_UNROLL
    for (int lane = 0; lane < (int)WABE_LANES; lane++)
        values[lane] = field[indices[lane]];
    return WABE_LOAD(values);
}

WABE_INLINE void wabe_scatter(wabe_stored *field, const uint32_t *indices, wabe_vector f) {
    _Alignas(64) wabe_stored values[WABE_LANES];
    WABE_STORE(values, f);
    WABE_UNROLL
    for (int lane = 0; lane < (int)WABE_LANES; lane++)
        field[indices[lane]] = values[lane];
}

/* Are the vector's indices of one population all in one run? */
WABE_INLINE bool wabe_is_one_run(const wabe_vector_neighbours *p, int q) {
    return WABE_GROUPS == 1 && p->known && p->runs[0]->lanes[q - 1] == WABE_ALL_GROUP;
}

WABE_INLINE wabe_cell wabe_single_load(wabe_cell f, const wabe_stored *field,
                                       const wabe_vector_neighbours *p) {
#define STATEMENT(name)                                                                            \
    f.name = wabe_is_one_run(p, WABE_Q_##name)                                                     \
                 ? WABE_LOAD(field + p->runs[0]->first[WABE_Q_##name - 1] + p->part)               \
                 : wabe_gather(field, p->at[WABE_Q_##name - 1]);
    WABE_PAIRS(WABE_FOR_BOTH)
#undef STATEMENT
    return f;
}

WABE_INLINE void wabe_single_store(wabe_stored *field, const wabe_vector_neighbours *p,
                                   wabe_cell f) {
#define STATEMENT(q, value)                                                                        \
    if (wabe_is_one_run(p, q))                                                                     \
        WABE_STORE(field + p->runs[0]->first[(q)-1] + p->part, value);                             \
    else                                                                                           \
        wabe_scatter(field, p->at[(q)-1], value);
    WABE_PAIRS(WABE_FOR_TURNED)
#undef STATEMENT
}

/* ---- what kernels call -------------------------------------------------------------- */

/* Loads the populations that arrive at the cells from n on. */
WABE_INLINE wabe_cell wabe_neighbours_load(const wabe_stored *field,
                                           const wabe_vector_neighbours *p, int64_t stride,
                                           int64_t n) {
    wabe_cell f;
#define STATEMENT(name) f.name = WABE_LOAD(field + WABE_Q_##name * stride + n);
    WABE_RESTS(STATEMENT)
#undef STATEMENT
    if (p->full)
        return wabe_full_load(f, field, p);
#ifdef WABE_EXPAND
    if (p->known) {
#define STATEMENT(name) f.name = WABE_LOAD(field + WABE_Q_##name * stride + n);
        WABE_PAIRS(WABE_FOR_BOTH)
#undef STATEMENT
        return wabe_runs_load(f, field, p);
    }
#endif
    (void)stride;
    return wabe_single_load(f, field, p);
}

/* Stores their post-collision populations. */
WABE_INLINE void wabe_neighbours_store(wabe_stored *field, const wabe_vector_neighbours *p,
                                       int64_t stride, int64_t n, wabe_cell f) {
#define STATEMENT(name) WABE_STORE(field + WABE_Q_##name * stride + n, f.name);
    WABE_RESTS(STATEMENT)
#undef STATEMENT
    if (p->full) {
        wabe_full_store(field, p, f);
        return;
    }
#ifdef WABE_EXPAND
    if (p->known) {
        wabe_runs_store(field, p, stride, n, f);
        return;
    }
#endif
    (void)stride;
    wabe_single_store(field, p, f);
}

/* The lanes whose index is the cell's own. */
WABE_INLINE unsigned wabe_own_lanes(const wabe_vector_neighbours *p, int q, int64_t stride,
                                    int64_t n) {
    unsigned lanes = 0;
    for (int lane = 0; lane < (int)WABE_LANES; lane++)
        lanes |= (unsigned)(p->at[q - 1][lane] == (uint32_t)(q * stride + n + lane)) << lane;
    return lanes;
}

/* What leaves into a list's resting walls less what has arrived from there, for wabe_damp_at_walls;
 * 0 for other populations. f: post-collision populations; arrived: before the collision. */
WABE_INLINE wabe_cell wabe_neighbours_change(const wabe_vector_neighbours *p, int64_t stride,
                                             int64_t n, wabe_cell f, wabe_cell arrived) {
    wabe_cell change = wabe_cell_of_zeros();
    if (p->full)
        return change;
#ifdef WABE_EXPAND
    if (p->known) {
        const wabe_rest rest = wabe_rest_of(p);
#define X(name, opposite, projection, class)                                                       \
    change.name = WABE_KEEP(f.name - arrived.opposite, wabe_rest_lanes(&rest, WABE_Q_##opposite)); \
    change.opposite = WABE_KEEP(f.opposite - arrived.name, wabe_rest_lanes(&rest, WABE_Q_##name));
        WABE_PAIRS(X)
#undef X
        return change;
    }
#endif
#define X(name, opposite, projection, class)                                                       \
    change.name = WABE_KEEP(f.name - arrived.opposite,                                             \
                            wabe_own_lanes(p, WABE_Q_##opposite, stride, n));                      \
    change.opposite = WABE_KEEP(f.opposite - arrived.name,                                         \
                                wabe_own_lanes(p, WABE_Q_##name, stride, n));
    WABE_PAIRS(X)
#undef X
    return change;
}

/* Prefetches what the vector at n will load; where runs are not known, its indices. */
WABE_INLINE void wabe_neighbours_prefetch(const wabe_stored *field,
                                          const wabe_neighbours *neighbours, int64_t n) {
    const wabe_vector_neighbours p = wabe_neighbours_of_vector(neighbours, n);
    __builtin_prefetch(field + n, 0, 2);
    if (p.known)
        for (int q = 1; q < WABE_Q; q++)
            __builtin_prefetch(field + p.runs[0]->first[q - 1], 0, 2);
    else
        for (int q = 1; q < WABE_Q; q++)
            __builtin_prefetch(p.at[q - 1], 0, 2);
}
