/* The lattice Boltzmann kernels for CUDA. Compiled once per lattice and storage type. */
#include "kernels_gpu/cell.h"
#include "kernels_gpu/functions.h"
#include "kernels_gpu/pair.cuh"

#include <cuda_runtime.h>

#define CUDA(name) JOIN(JOIN(wabe_cuda_##name, WABE_LATTICE), WABE_FLAVOUR)

enum {
    THREADS = 128, /* two cells each: a chunk of 16 tiles */
    CHUNK_CELLS = 256,
    TILES_IN_CHUNK = CHUNK_CELLS / WABE_TILE, /* WABE_GPU_GRAIN, the grain of regions */
    LIST_THREADS = 128,                       /* one cell each */
    LIST_PARTS = CHUNK_CELLS / LIST_THREADS,
    PAIRS_IN_TILE = WABE_TILE / 2,
/* Thread blocks that must fit on a multiprocessor, by lattice: with more registers per thread too
 * few loads would be in flight. Flavours that compute more get one block less. */
#if defined(WABE_STORE_F64)
    BLOCKS_d3q19 = 4,
    BLOCKS_d3q27 = 2,
    BLOCKS_d3q19_d3q7 = 2,
    BLOCKS_d3q19_d3q19 = 3,
    LIST_BLOCKS = 4,
    LISTED_CURVED_BLOCKS = 3, /* even, odd AA steps of lists */
    LIST_CURVED_BLOCKS = 4,
    PLAIN_APART = 0, /* registers matter, instructions do not */
#elif defined(WABE_STORE_F32)
    BLOCKS_d3q19 = 6,
    BLOCKS_d3q27 = 4,
    BLOCKS_d3q19_d3q7 = 4,
    BLOCKS_d3q19_d3q19 = 5,
    LIST_BLOCKS = 8,
    LISTED_CURVED_BLOCKS = 4,
    LIST_CURVED_BLOCKS = 7,
    PLAIN_APART = 0,
#else
    BLOCKS_d3q19 = 8,
    BLOCKS_d3q27 = 4,
    BLOCKS_d3q19_d3q7 = 4,
    BLOCKS_d3q19_d3q19 = 5,
    LIST_BLOCKS = 8,
    LISTED_CURVED_BLOCKS = 7,
    LIST_CURVED_BLOCKS = 8,
    PLAIN_APART = 1, /* instructions matter, registers do not */
#endif
    BLOCKS = WABE_OF_LATTICE(BLOCKS_),
    SINGLE_FROM = 32, /* populations: more have kernels for one cell per thread */
    SMALL_BLOCK = 128,
    SUM_THREADS = 256
};

static unsigned blocks_of(int64_t items, int threads) {
    return (unsigned)((items + threads - 1) / threads);
}

/* ---- stream and collide ------------------------------------------------------------- */

typedef struct {
    wabe_sources in;
    wabe_targets out, next;               /* next: where the next step reads */
    wabe_population_bits odd_in, odd_out; /* bit q: the offset of population q is odd */
    const wabe_chunk *chunks;
    const wabe_cell_record *records;
    const uint32_t *classes;
    const wabe_patch *patches;
    unsigned first_tile, end_tile;
    bool contiguous;
    wabe_collision collision;
} step_parameters;

typedef struct {
#define X(name, cx, cy, cz, class) wabe_pair name;
    WABE_POPULATIONS(X)
#undef X
} cell_pairs;

/* Lattices whose kernels have one cell per thread use none of these. */

/* Loads the words with the populations of cells n and n + 1 (n is even), and, for the last thread
 * of a warp, the words after them where needed. */
[[maybe_unused]] WABE_INLINE void load_words(const step_parameters &p, int64_t n, bool last,
                                             cell_pairs *words, cell_pairs *next) {
#define X(name, cx, cy, cz, class)                                                                 \
    {                                                                                              \
        const bool odd = p.odd_in >> WABE_Q_##name & 1;                                            \
        const wabe_stored *from = p.in.q[WABE_Q_##name] + n - odd;                                 \
        words->name = *(const wabe_pair *)from;                                                    \
        if (odd && last)                                                                           \
            next->name = *(const wabe_pair *)(from + 2);                                           \
    }
    WABE_POPULATIONS(X)
#undef X
}

/* Takes the populations out of the words; populations at odd offsets are shifted. All threads of a
 * warp must call this together. */
[[maybe_unused]] WABE_INLINE void take_pair(const step_parameters &p, bool last,
                                            const cell_pairs &words, const cell_pairs &next,
                                            wabe_cell *f, wabe_cell *g) {
#define X(name, cx, cy, cz, class)                                                                 \
    {                                                                                              \
        wabe_pair word = words.name;                                                               \
        if (p.odd_in >> WABE_Q_##name & 1) {                                                       \
            wabe_pair second = wabe_pair_from_next(word);                                          \
            if (last)                                                                              \
                second = next.name;                                                                \
            word = wabe_pair_between(word, second);                                                \
        }                                                                                          \
        f->name = wabe_from_stored(wabe_pair_low(word));                                           \
        g->name = wabe_from_stored(wabe_pair_high(word));                                          \
    }
    WABE_POPULATIONS(X)
#undef X
}

/* How a thread writes its two cells, by bit q: both numbers of a word (at an odd offset: the second
 * number of the previous thread and its own first), only the first number, only the second. */
typedef struct {
    wabe_population_bits words, firsts, seconds;
} store_masks;

/* low and high: the populations of the first and the second cell that are written. */
[[maybe_unused]] WABE_INLINE store_masks masks_of(wabe_population_bits odd,
                                                  wabe_population_bits low,
                                                  wabe_population_bits high, int thread) {
    wabe_population_bits before = __shfl_up_sync(0xffffffffu, high, 1);
    wabe_population_bits behind = __shfl_down_sync(0xffffffffu, low, 1);
    before = thread == 0 ? 0 : before;
    behind = thread == WABE_WARP - 1 ? 0 : behind;
    store_masks m;
    m.words = (odd & low & before) | (~odd & low & high);
    m.firsts = low & ~m.words;
    m.seconds = high & ~((odd & behind) | (~odd & low));
    return m;
}

/* The same if all populations are written. */
[[maybe_unused]] WABE_INLINE store_masks masks_of_plain(wabe_population_bits odd, int thread) {
    store_masks m;
    m.words = thread == 0 ? ~odd : ~(wabe_population_bits)0;
    m.firsts = ~m.words;
    m.seconds = thread == WABE_WARP - 1 ? odd : 0;
    return m;
}

[[maybe_unused]] WABE_INLINE void store_pair(const step_parameters &p, int64_t n, store_masks masks,
                                             const wabe_cell &f, const wabe_cell &g) {
#define X(name, cx, cy, cz, class)                                                                 \
    {                                                                                              \
        const bool odd = p.odd_out >> WABE_Q_##name & 1;                                           \
        wabe_stored *to = p.out.q[WABE_Q_##name] + n;                                              \
        const wabe_pair own = wabe_pair_store(f.name, g.name);                                     \
        wabe_pair word = own;                                                                      \
        if (odd)                                                                                   \
            word = wabe_pair_between(wabe_pair_from_previous(own), own);                           \
        if (masks.words >> WABE_Q_##name & 1)                                                      \
            *(wabe_pair *)(to - odd) = word;                                                       \
        if (masks.firsts >> WABE_Q_##name & 1)                                                     \
            to[0] = wabe_pair_low(own);                                                            \
        if (masks.seconds >> WABE_Q_##name & 1)                                                    \
            to[1] = wabe_pair_high(own);                                                           \
    }
    WABE_POPULATIONS(X)
#undef X
}

/* For warps that write all of their cells: only their ends write single numbers. */
[[maybe_unused]] WABE_INLINE void store_plain_pair(const step_parameters &p, int64_t n, int thread,
                                                   const wabe_cell &f, const wabe_cell &g) {
    const bool first = thread == 0, end = first || thread == WABE_WARP - 1;
#define X(name, cx, cy, cz, class)                                                                 \
    {                                                                                              \
        wabe_stored *to = p.out.q[WABE_Q_##name] + n;                                              \
        const wabe_pair own = wabe_pair_store(f.name, g.name);                                     \
        if (p.odd_out >> WABE_Q_##name & 1) {                                                      \
            const wabe_pair word = wabe_pair_between(wabe_pair_from_previous(own), own);           \
            if (!first)                                                                            \
                *(wabe_pair *)(to - 1) = word;                                                     \
            if (end)                                                                               \
                *(first ? to : to + 1) = first ? wabe_pair_low(own) : wabe_pair_high(own);         \
        } else {                                                                                   \
            *(wabe_pair *)to = own;                                                                \
        }                                                                                          \
    }
    WABE_POPULATIONS(X)
#undef X
}

/* The words of two cells, which are read together. */
struct __align__(2 * sizeof(wabe_cell_word)) cell_words {
    wabe_cell_word x, y;
};

/* What a kernel has code for: walls whose return does not depend on the cell's moments, others, and
 * also curved ones. */
enum walls { SIMPLE, SPECIAL, CURVED };

/* The irregularities of a thread's two cells: their words in their tile's record. */
typedef struct {
    cell_words cells;
    const wabe_cell_record *record; /* NULL: the tile is plain */
} irregularity;

WABE_INLINE cell_words cells_of(const wabe_cell_record *record, int lane) {
    return *(const cell_words *)&record->cells[lane];
}

/* The record of the curved walls of a tile with this first record (NULL: it is plain), or NULL. To
 * find it again after the collision takes less time than to have registers for it meanwhile. */
template <walls there>
WABE_INLINE const wabe_cell_record *curved_record(const step_parameters &p,
                                                  const wabe_cell_record *record, int lane) {
    return there == CURVED && record ? wabe_curved_record(record, lane, p.patches) : NULL;
}

/* Writes what the walls of a thread's cells return. */
[[maybe_unused]] WABE_INLINE void serve_walls(const step_parameters &p, int64_t n, int lane,
                                              irregularity found, const wabe_cell &f,
                                              const wabe_cell &g, walls there, bool listed) {
    const bool special = there != SIMPLE;
    while (found.record) {
        if (there == CURVED && wabe_is_by_place(found.cells.x, p.patches)) {
            wabe_curved_serve(f, found.record, lane, p.patches, &p.next, n, listed);
            wabe_curved_serve(g, found.record, lane + 1, p.patches, &p.next, n + 1, listed);
            return;
        }
        if (found.cells.x & WABE_CELL_FLUID)
            wabe_wall_serve(f, &p.collision, found.cells.x, p.patches, &p.next, n, special, listed);
        if (found.cells.y & WABE_CELL_FLUID)
            wabe_wall_serve(g, &p.collision, found.cells.y, p.patches, &p.next, n + 1, special,
                            listed);
        if (found.cells.x >> WABE_CELL_LAST & 1)
            return;
        found.cells = cells_of(++found.record, lane);
    }
}

/* Reads before this call are issued before reads after it. */
[[maybe_unused]] WABE_INLINE void keep_order() { asm volatile("" ::: "memory"); }

/* The tiles of a thread block: first to end - 1. */
typedef struct {
    unsigned first, end;
} tile_range;

WABE_INLINE tile_range tiles_of(const step_parameters &p, int64_t chunk) {
    if (p.contiguous)
        return {p.first_tile + (unsigned)chunk * TILES_IN_CHUNK, p.end_tile};
    const wabe_chunk read = p.chunks[chunk];
    return {read.first_tile, read.first_tile + read.tile_count};
}

/* damped: see wabe_damp_at_walls; such steps are few, and a kernel for them takes its time. */
template <wabe_collision_operator collision, int terms, walls there, bool listed, bool damped>
static __global__ void __launch_bounds__(THREADS, listed &&there == CURVED ? LISTED_CURVED_BLOCKS
                                                  : terms || there != SIMPLE || listed ? BLOCKS - 1
                                                                                       : BLOCKS)
    step_kernel(const __grid_constant__ step_parameters p, int64_t first_chunk) {
    const tile_range tiles = tiles_of(p, first_chunk + blockIdx.x);
    const unsigned tile = tiles.first + threadIdx.x / PAIRS_IN_TILE;
    const uint32_t tile_class = p.classes[tile];
    const int64_t n = (int64_t)tiles.first * WABE_TILE + 2 * threadIdx.x;
    const int thread = threadIdx.x % WABE_WARP;
    const bool last = thread == WABE_WARP - 1;
    cell_pairs words, next;
    load_words(p, n, last, &words, &next);

    /* While the loads are in flight: is anything irregular? */
    const int lane = 2 * (int)(threadIdx.x % PAIRS_IN_TILE);
    const bool active = tile < tiles.end;
    irregularity found = {{WABE_CELL_FLUID, WABE_CELL_FLUID}, NULL};
    if (tile_class && active) {
        found.record = &p.records[tile_class - 1];
        found.cells = cells_of(found.record, lane);
    }
    const bool irregular = __any_sync(0xffffffffu, found.record || !active);

    wabe_cell f, g;
    take_pair(p, last, words, next, &f, &g);
    wabe_curved_sums gain_f = wabe_curved_sums_of(0), gain_g = wabe_curved_sums_of(0);
    if (const wabe_cell_record *curved = curved_record<there>(p, found.record, lane)) {
        f = wabe_curved_take(f, curved, lane, p.patches, &gain_f);
        g = wabe_curved_take(g, curved, lane + 1, p.patches, &gain_g);
    }
    f = wabe_cell_update(collision, terms, f, &p.collision);
    g = wabe_cell_update(collision, terms, g, &p.collision);
    if (damped && (listed || found.record)) {
        const int curved = there == CURVED;
        f = wabe_cell_damp(f, &p.collision, found.record, lane, p.patches, &p.in, n, curved);
        g = wabe_cell_damp(g, &p.collision, found.record, lane + 1, p.patches, &p.in, n + 1,
                           curved);
    }
    if (const wabe_cell_record *curved = curved_record<there>(p, found.record, lane)) {
        f = wabe_curved_keep_mass(f, curved, lane, p.patches, gain_f);
        g = wabe_curved_keep_mass(g, curved, lane + 1, p.patches, gain_g);
    }
    if (PLAIN_APART && !irregular) {
        store_plain_pair(p, n, thread, f, g);
        return;
    }
    store_masks masks = masks_of_plain(p.odd_out, thread);
    if (irregular)
        masks = masks_of(p.odd_out, active ? wabe_written_bits(found.cells.x) : 0,
                         active ? wabe_written_bits(found.cells.y) : 0, thread);
    store_pair(p, n, masks, f, g);
    if (irregular)
        serve_walls(p, n, lane, found, f, g, there, listed);
}

static wabe_population_bits odd_bits(const ptrdiff_t *offsets) {
    wabe_population_bits bits = 0;
    for (int q = 0; q < WABE_Q; q++)
        bits |= (wabe_population_bits)(offsets[q] & 1) << q;
    return bits;
}

/* One cell per thread: of odd AA steps of a list (indexed), since no two numbers form a pair, and
 * of lattices with so many populations that two cells take too many instructions. Loads of
 * populations do not wait for records: padding slots read their own memory, and the neighbour
 * indices are padded after the last chunk. */
template <wabe_collision_operator collision, int terms, walls there, bool damped, bool indexed>
static __global__ void __launch_bounds__(LIST_THREADS, !indexed          ? BLOCKS
                                                       : there == CURVED ? LIST_CURVED_BLOCKS
                                                                         : LIST_BLOCKS)
    list_kernel(const __grid_constant__ step_parameters p, int64_t first_chunk) {
    const tile_range tiles = tiles_of(p, first_chunk + blockIdx.x / LIST_PARTS);
    const unsigned in_chunk = blockIdx.x % LIST_PARTS * LIST_THREADS + threadIdx.x;
    const unsigned tile = tiles.first + in_chunk / WABE_TILE;
    const int64_t n = (int64_t)tiles.first * WABE_TILE + in_chunk;
    wabe_cell_neighbours at;
    wabe_cell f;
    if constexpr (indexed) {
        at = wabe_cell_neighbours_of(&p.in.neighbours, n);
        f = wabe_cell_gather(p.in.field, at);
    } else if (tile < tiles.end) {
        f = wabe_cell_load(&p.in, n);
    }
    keep_order();

    const int lane = (int)(threadIdx.x % WABE_TILE);
    const wabe_cell_record *record = wabe_record_of(p.records, p.classes, tile);
    if (tile >= tiles.end || !wabe_is_fluid(record, lane))
        return;
    wabe_curved_sums gain = wabe_curved_sums_of(0);
    if (const wabe_cell_record *curved = curved_record<there>(p, record, lane))
        f = wabe_curved_take(f, curved, lane, p.patches, &gain);
    f = wabe_cell_update(collision, terms, f, &p.collision);
    if (damped)
        f = wabe_cell_damp(f, &p.collision, record, lane, p.patches, &p.in, n, there == CURVED);
    if (const wabe_cell_record *curved = curved_record<there>(p, record, lane))
        f = wabe_curved_keep_mass(f, curved, lane, p.patches, gain);
    if constexpr (indexed)
        wabe_cell_scatter(p.out.field, at, f);
    else
        wabe_cell_store(&p.out, n, f);
    if (record)
        wabe_walls_serve(f, &p.collision, record, lane, p.patches, &p.next, n, there != SIMPLE,
                         there == CURVED, indexed);
}

static step_parameters parameters_of(const wabe_stream_collide_args *a) {
    step_parameters p;
    p.in = wabe_sources_of(a->source, a->in, a->neighbours);
    p.out = wabe_targets_of(a->target, a->out, a->neighbours);
    p.next = wabe_targets_of(a->target, a->next_in, a->next_neighbours);
    p.odd_in = odd_bits(a->in);
    p.odd_out = odd_bits(a->out);
    p.chunks = a->chunks;
    p.records = (const wabe_cell_record *)a->cell_records;
    p.classes = a->classes;
    p.patches = a->patches;
    p.first_tile = a->first_tile;
    p.end_tile = a->end_tile;
    p.contiguous = a->contiguous;
    p.collision = wabe_collision_of(&a->collision);
    return p;
}

/* Starts kernel<collision, terms, walls, more...> with parts thread blocks per chunk and threads
 * in each. choose: for which walls: BY_WALLS or ANY_WALLS. */
#define START(choose, kernel, parts, threads, ...)                                                 \
    do {                                                                                           \
        const step_parameters p = parameters_of(a);                                                \
        const unsigned blocks = (unsigned)(end - begin) * (parts);                                 \
        cudaStream_t on = (cudaStream_t)stream;                                                    \
        const int terms = wabe_terms_of(&a->collision);                                            \
        if (terms == WABE_TERMS_FORCE) {                                                           \
            choose(kernel, WABE_TERMS_FORCE, threads, __VA_ARGS__);                                \
        } else if (terms == WABE_TERMS_ALL) {                                                      \
            if constexpr (WABE_HAS_ALL_TERMS(collision)) {                                         \
                choose(kernel, WABE_TERMS_ALL, threads, __VA_ARGS__);                              \
            }                                                                                      \
        } else if constexpr (!WABE_HAS_SCALAR) { /* with a scalar there is always a force */       \
            choose(kernel, WABE_TERMS_NONE, threads, __VA_ARGS__);                                 \
        }                                                                                          \
    } while (0)
#define BY_WALLS(kernel, terms, threads, ...)                                                      \
    if (wabe_has_curved_walls(a->kinds))                                                           \
        kernel<collision, terms, CURVED, __VA_ARGS__><<<blocks, threads, 0, on>>>(p, begin);       \
    else if (wabe_has_special_walls(a->kinds))                                                     \
        kernel<collision, terms, SPECIAL, __VA_ARGS__><<<blocks, threads, 0, on>>>(p, begin);      \
    else                                                                                           \
        kernel<collision, terms, SIMPLE, __VA_ARGS__><<<blocks, threads, 0, on>>>(p, begin)
#define ANY_WALLS(kernel, terms, threads, ...)                                                     \
    kernel<collision, terms, CURVED, __VA_ARGS__><<<blocks, threads, 0, on>>>(p, begin)

template <wabe_collision_operator collision>
static void step(const wabe_stream_collide_args *a, int64_t begin, int64_t end, void *stream) {
    if constexpr (WABE_IS_REGULARIZED(collision)) {
        if (a->collision.wall_damping > 0.0) {
            START(ANY_WALLS, step_kernel, 1, THREADS, false, true);
            return;
        }
    }
    if constexpr ((int)WABE_Q > SINGLE_FROM)
        START(BY_WALLS, list_kernel, LIST_PARTS, LIST_THREADS, false, false);
    else
        START(BY_WALLS, step_kernel, 1, THREADS, false, false);
}

template <wabe_collision_operator collision>
static void step_list(const wabe_stream_collide_args *a, int64_t begin, int64_t end, void *stream) {
    if constexpr (WABE_IS_REGULARIZED(collision)) {
        if (a->collision.wall_damping > 0.0) {
            if (a->neighbours.moved)
                START(ANY_WALLS, list_kernel, LIST_PARTS, LIST_THREADS, true, true);
            else
                START(ANY_WALLS, step_kernel, 1, THREADS, true, true);
            return;
        }
    }
    if (a->neighbours.moved)
        START(BY_WALLS, list_kernel, LIST_PARTS, LIST_THREADS, false, true);
    else
        START(BY_WALLS, step_kernel, 1, THREADS, true, false);
}

#define STREAM_COLLIDE(op, ...)                                                                    \
    void CUDA(stream_collide_##op##_dense)(const wabe_stream_collide_args *a, int64_t begin,       \
                                           int64_t end, void *stream) {                            \
        step<WABE_COLLISION_##op>(a, begin, end, stream);                                          \
    }                                                                                              \
    WABE_OF_LATTICE(WABE_IF_LISTED_)                                                               \
    (void CUDA(stream_collide_##op##_listed)(const wabe_stream_collide_args *a, int64_t begin,     \
                                             int64_t end, void *stream) {                          \
        step_list<WABE_COLLISION_##op>(a, begin, end, stream);                                     \
    })
#define OPERATORS WABE_OF_LATTICE(WABE_LBM_OPERATORS_)
OPERATORS(STREAM_COLLIDE, )

/* ---- walls at the start, sponges, mirrors ------------------------------------------- */

static __global__ void reflect_kernel(const wabe_sources out, const wabe_targets next,
                                      const wabe_collision k, const wabe_reflect_args a,
                                      int64_t begin) {
    const wabe_chunk chunk = a.chunks[begin + blockIdx.x];
    const unsigned tile_in_chunk = threadIdx.x / WABE_TILE;
    if (tile_in_chunk >= chunk.tile_count)
        return;
    const unsigned tile = chunk.first_tile + tile_in_chunk;
    const wabe_cell_record *record = wabe_record_of(a.cell_records, a.classes, tile);
    if (!record)
        return;
    const int lane = (int)(threadIdx.x % WABE_TILE);
    const int64_t n = (int64_t)tile * WABE_TILE + lane;
    const wabe_cell f = wabe_cell_left(&out, n);
    wabe_walls_serve(f, &k, record, lane, a.patches, &next, n, true, true, true);
}

void CUDA(reflect)(const wabe_reflect_args *a, int64_t begin, int64_t end, void *stream) {
    reflect_kernel<<<(unsigned)(end - begin), CHUNK_CELLS, 0, (cudaStream_t)stream>>>(
        wabe_sources_of(a->field, a->out, {}),
        wabe_targets_of(a->field, a->next_in, a->next_neighbours),
        wabe_collision_of_force(&a->force), *a, begin);
}

static __global__ void absorb_kernel(const wabe_sources out, const wabe_targets to,
                                     const wabe_targets next, const wabe_collision k,
                                     const wabe_absorb_args a, int64_t begin, int64_t end) {
    const int64_t item = begin + blockIdx.x * (SMALL_BLOCK / WABE_TILE) + threadIdx.x / WABE_TILE;
    if (item < end)
        wabe_absorb_lane(&out, &to, &next, &k, &a, item, (int)(threadIdx.x % WABE_TILE));
}

void CUDA(absorb)(const wabe_absorb_args *a, int64_t begin, int64_t end, void *stream) {
    absorb_kernel<<<blocks_of(end - begin, SMALL_BLOCK / WABE_TILE), SMALL_BLOCK, 0,
                    (cudaStream_t)stream>>>(wabe_state_of(a->field, a->out, a->neighbours, a->form),
                                            wabe_targets_of(a->field, a->out, a->neighbours),
                                            wabe_targets_of(a->field, a->next_in,
                                                            a->next_neighbours),
                                            wabe_collision_of(&a->collision), *a, begin, end);
}

typedef struct {
    ptrdiff_t in[WABE_Q], from[8][WABE_Q], around[8][WABE_Q];
} image_offsets;

static __global__ void boundary_kernel(wabe_stored *f, const wabe_sources out,
                                       const wabe_collision k,
                                       const __grid_constant__ image_offsets offsets,
                                       const wabe_image_link *links, const wabe_patch *patches,
                                       int64_t count) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const wabe_image_link link = links[i];
    const int carrier = wabe_carrier_of(link.population);
    wabe_image_serve(f, &out, &k, &link, patches, offsets.in[link.population],
                     offsets.from[link.mirrored][link.population] +
                         offsets.around[link.wrapped][link.population],
                     offsets.from[link.mirrored][carrier] + offsets.around[link.wrapped][carrier]);
}

void CUDA(boundary)(const wabe_boundary_args *a, int64_t begin, int64_t end, void *stream) {
    image_offsets offsets;
    for (int q = 0; q < WABE_Q; q++) {
        offsets.in[q] = a->in[q];
        for (int axes = 0; axes < 8; axes++) {
            offsets.from[axes][q] = a->from[axes][q];
            offsets.around[axes][q] = a->around[axes][q];
        }
    }
    boundary_kernel<<<blocks_of(end - begin, SMALL_BLOCK), SMALL_BLOCK, 0, (cudaStream_t)stream>>>(
        (wabe_stored *)a->field, wabe_state_of(a->field, a->out, {}, a->form),
        wabe_collision_of_force(&a->force), offsets, a->links + begin, a->patches, end - begin);
}

/* ---- populations and moments -------------------------------------------------------- */

static __global__ void initialise_kernel(const wabe_targets out, const wabe_initialise_args a,
                                         int64_t begin, int64_t end) {
    const int64_t i = begin + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < end)
        wabe_initialise_cell(&out, &a, i);
}

void CUDA(initialise)(const wabe_initialise_args *a, int64_t begin, int64_t end, void *stream) {
    initialise_kernel<<<blocks_of(end - begin, SMALL_BLOCK), SMALL_BLOCK, 0,
                        (cudaStream_t)stream>>>(wabe_targets_of(a->field, a->out, {}), *a, begin,
                                                end);
}

static __global__ void macroscopic_kernel(const wabe_sources out, const wabe_macroscopic_args a,
                                          const wabe_collision k, int64_t begin) {
    for (int64_t x = threadIdx.x; x < wabe_macroscopic_length(&a); x += blockDim.x)
        wabe_macroscopic_cell(&out, &a, &k, begin + blockIdx.x, x);
}

void CUDA(macroscopic)(const wabe_macroscopic_args *a, int64_t begin, int64_t end, void *stream) {
    macroscopic_kernel<<<(unsigned)(end - begin), SMALL_BLOCK, 0, (cudaStream_t)stream>>>(
        wabe_state_of(a->field, a->out, a->neighbours, a->form), *a,
        wabe_collision_of(&a->collision), begin);
}

/* ---- sums over the fluid cells ------------------------------------------------------ */

/* Calls visit(n, record, lane) for the thread's share of the fluid cells of a part; record: that of
 * the cell's tile, or NULL if the tile is plain. */
template <typename visitor>
WABE_INLINE void for_cells(const wabe_parts &parts, int64_t part, visitor visit) {
    const int64_t end = wabe_part_begin(&parts, part + 1);
    for (int64_t c = wabe_part_begin(&parts, part); c < end; c++) {
        const wabe_chunk chunk = parts.chunks[c];
        const unsigned tile_in_chunk = threadIdx.x / WABE_TILE;
        if (tile_in_chunk >= chunk.tile_count)
            continue;
        const unsigned tile = chunk.first_tile + tile_in_chunk;
        const int lane = (int)(threadIdx.x % WABE_TILE);
        const wabe_cell_record *record = wabe_record_of(parts.cell_records, parts.classes, tile);
        const int64_t n = (int64_t)tile * WABE_TILE + lane;
        if (wabe_is_fluid(record, lane) && n >= parts.first_cell && n < parts.end_cell)
            visit(n, record, lane);
    }
}

static __global__ void __launch_bounds__(SUM_THREADS)
    monitor_kernel(const wabe_sources out, const wabe_sources arrivals, const wabe_collision k,
                   const wabe_monitor_args a, int64_t begin) {
    __shared__ wabe_monitor_result upper[SUM_THREADS / 2];
    wabe_monitor_result mine = {};
    for_cells(a.parts, begin + blockIdx.x,
              [&](int64_t n, const wabe_cell_record *record, int lane) {
                  wabe_monitor_cell(&out, &arrivals, &k, &a, record, lane, n, &mine);
              });
    const int thread = (int)threadIdx.x;
    for (int half = SUM_THREADS / 2; half > 0; half /= 2) {
        if (thread >= half && thread < 2 * half)
            upper[thread - half] = mine;
        __syncthreads();
        if (thread < half)
            wabe_monitor_merge(&mine, &upper[thread]);
        __syncthreads();
    }
    if (thread == 0)
        a.results[begin + blockIdx.x] = mine;
}

void CUDA(monitor)(const wabe_monitor_args *a, int64_t begin, int64_t end, void *stream) {
    monitor_kernel<<<(unsigned)(end - begin), SUM_THREADS, 0, (cudaStream_t)stream>>>(
        wabe_state_of(a->field, a->out, a->neighbours, a->form),
        wabe_arrivals_of(a->field, &a->arrivals, a->form), wabe_collision_of(&a->collision), *a,
        begin);
}

static __global__ void __launch_bounds__(WABE_FORCE_LINKS)
    forces_kernel(const wabe_sources out, const wabe_sources arrivals, const wabe_forces_args a,
                  int64_t begin) {
    __shared__ wabe_force of_thread[WABE_FORCE_LINKS];
    const wabe_force_block block = a.blocks[begin + blockIdx.x];
    wabe_force mine = {};
    if ((int)threadIdx.x < block.count)
        wabe_force_link_add(&out, &arrivals, &a, &a.links[block.first + threadIdx.x], &mine);
    of_thread[threadIdx.x] = mine;
    for (int half = WABE_FORCE_LINKS / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half)
            wabe_force_merge(&of_thread[threadIdx.x], &of_thread[threadIdx.x + half]);
    }
    if (threadIdx.x == 0)
        a.results[begin + blockIdx.x] = of_thread[0];
}

void CUDA(forces)(const wabe_forces_args *a, int64_t begin, int64_t end, void *stream) {
    forces_kernel<<<(unsigned)(end - begin), WABE_FORCE_LINKS, 0, (cudaStream_t)stream>>>(
        wabe_state_of(a->field, a->out, a->neighbours, a->form),
        wabe_arrivals_of(a->field, &a->arrivals, a->form), *a, begin);
}

static __global__ void __launch_bounds__(SUM_THREADS)
    hash_kernel(const wabe_sources out, const wabe_hash_args a, int64_t begin) {
    __shared__ uint64_t of_thread[SUM_THREADS];
    uint64_t mine = 0;
    for_cells(a.parts, begin + blockIdx.x, [&](int64_t n, const wabe_cell_record *, int) {
        mine += wabe_hash_cell(&out, &a, n);
    });
    of_thread[threadIdx.x] = mine;
    for (int half = SUM_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half)
            of_thread[threadIdx.x] += of_thread[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        a.results[begin + blockIdx.x] = of_thread[0];
}

void CUDA(hash)(const wabe_hash_args *a, int64_t begin, int64_t end, void *stream) {
    hash_kernel<<<(unsigned)(end - begin), SUM_THREADS, 0, (cudaStream_t)stream>>>(
        wabe_state_of(a->field, a->out, a->neighbours, a->form), *a, begin);
}
