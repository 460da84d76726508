/* Kernels of stencil sweeps (sweeps/cell/stencil.h) for CUDA: a warp per row of a tile, which
 * marches through its planes, two cells at once unless these would take too many registers. What
 * rows and planes share is found in the caches. Before, another kernel fills the ghosts that it
 * reads.
 * For files that are compiled once per type. */
#pragma once

#include "kernels_gpu/stencil_cell.h"
#include "kernels_gpu/tiles.cuh"

#include <cuda_runtime.h>

enum {
    WABE_STENCIL_ROWS = 4,
    WABE_STENCIL_PLANES = 8,
    WABE_STENCIL_THREADS = WABE_TILE_LANES * WABE_STENCIL_ROWS
};

/* By the flop of a cell: cells per thread, and blocks per multiprocessor, which limit the registers
 * of a thread. */
static constexpr __host__ __device__ bool wabe_stencil_is_large(int flops) { return flops > 100; }
static constexpr __host__ __device__ int wabe_stencil_at_once(int flops) {
    return wabe_stencil_is_large(flops) ? 1 : 2;
}
static constexpr __host__ __device__ int wabe_stencil_blocks(int flops) {
    const bool wide = sizeof(wabe_real) == sizeof(double);
    return wabe_stencil_is_large(flops) ? (wide ? 4 : 5) : (wide ? 6 : 8);
}

static __device__ inline void wabe_reduce_into(double *place, wabe_reduction operation,
                                               double value) {
    if (operation == WABE_REDUCE_SUM) {
        atomicAdd(place, value);
        return;
    }
    unsigned long long *bits = (unsigned long long *)place, is = *bits, before;
    do {
        before = is;
        const double wanted = wabe_reduce_two(operation, __longlong_as_double((long long)before),
                                              value);
        is = atomicCAS(bits, before, (unsigned long long)__double_as_longlong(wanted));
    } while (is != before);
}

/* Reduces over the thread block into a place that few other blocks share, if any. */
static __device__ inline void wabe_reduced_end(const wabe_grid_args *g, int count,
                                               const wabe_reduced *r) {
    __shared__ double of_warps[WABE_STENCIL_ROWS][WABE_GRID_REDUCED_MAX][WABE_BINS];
    for (int i = 0; i < count; i++)
        for (int bin = 0; bin < WABE_BINS; bin++) {
            double value = r->bins[i][bin];
            for (int step = WABE_TILE_LANES / 2; step > 0; step /= 2)
                value = wabe_reduce_two(g->reductions[i].operation, value,
                                        __shfl_down_sync(WABE_TILE_ALL, value, step));
            if (threadIdx.x == 0)
                of_warps[threadIdx.y][i][bin] = value;
        }
    __syncthreads();
    const int place = (int)(blockIdx.x % WABE_REDUCTION_PLACES);
    if (threadIdx.y == 0 && threadIdx.x < WABE_BINS)
        for (int i = 0; i < count; i++) {
            const wabe_grid_reduction *to = &g->reductions[i];
            double value = of_warps[0][i][threadIdx.x];
            for (int warp = 1; warp < WABE_STENCIL_ROWS; warp++)
                value = wabe_reduce_two(to->operation, value, of_warps[warp][i][threadIdx.x]);
            wabe_reduce_into(&to->slots[g->pass % WABE_REDUCTION_SLOTS][place][threadIdx.x],
                             to->operation, value);
        }
}

static __device__ inline void wabe_reductions_reset(const wabe_grid_args *g, int count) {
    const int thread = (int)(threadIdx.y * WABE_TILE_LANES + threadIdx.x);
    for (int i = 0; i < count && blockIdx.x == 0; i++)
        for (int k = thread; k < WABE_REDUCTION_PLACES * WABE_BINS; k += WABE_STENCIL_THREADS)
            (&g->reductions[i].slots[(g->pass + 1) % WABE_REDUCTION_SLOTS][0][0])[k] =
                wabe_reduction_neutral(g->reductions[i].operation);
}

/* ---- what tiles leave --------------------------------------------------------------- */

/* Numbers on the domain's high faces, beyond the cells, and interleaved ones: a thread each. */
enum { WABE_REST_BOXES_MAX = 3 * WABE_ROW_BOXES_MAX };
typedef struct {
    int64_t begin[3], end[3];
    int lines;      /* warps per row: they begin at whole lines */
    unsigned first; /* warps of the boxes before it */
} wabe_rest_box;
typedef struct {
    int count;
    unsigned warps;
    wabe_rest_box boxes[WABE_REST_BOXES_MAX];
} wabe_rest;

/* Moves cells begin to the end of a box along an axis to the rest. */
static inline void wabe_rest_take(wabe_rest *rest, wabe_row_box *box, int axis, int64_t begin) {
    wabe_rest_box b = {};
    for (int d = 0; d < 3; d++)
        b.begin[d] = d == axis ? max(begin, box->begin[d]) : box->begin[d], b.end[d] = box->end[d];
    if (b.begin[0] >= b.end[0] || b.begin[1] >= b.end[1] || b.begin[2] >= b.end[2])
        return;
    box->end[axis] = b.begin[axis];
    const int64_t rows = (b.end[1] - b.begin[1]) * (b.end[2] - b.begin[2]);
    b.lines = (int)((b.end[0] - 1) / WABE_TILE_LANES + 1 - b.begin[0] / WABE_TILE_LANES);
    b.first = rest->warps;
    rest->warps += (unsigned)(b.lines * rows);
    rest->boxes[rest->count++] = b;
}

/* Cuts boxes into tiles; what these cover replaces the boxes. */
static inline wabe_tiles wabe_stencil_tiles(wabe_grid_args *g, int planes, wabe_rest *rest) {
    const wabe_tile_shape shape = {WABE_TILE_LANES, WABE_TILE_LANES, WABE_STENCIL_ROWS, planes};
    const int count = g->box_count;
    wabe_tiles tiles = {};
    g->box_count = 0;
    for (int i = 0; i < count; i++) {
        wabe_row_box box = g->boxes[i];
        for (int axis = 0; axis < 3; axis++)
            wabe_rest_take(rest, &box, axis, g->grouped ? box.begin[axis] : g->cells[axis]);
        if (box.begin[0] >= box.end[0] || box.begin[1] >= box.end[1] || box.begin[2] >= box.end[2])
            continue;
        g->boxes[g->box_count] = box;
        wabe_tiles_cut(&tiles, g->box_count++, &box, shape);
    }
    return tiles;
}

/* The cell of the thread, if it has one. */
static __device__ inline bool wabe_rest_cell(const wabe_rest *rest, int64_t *x, int64_t *y,
                                             int64_t *z) {
    const unsigned warp = blockIdx.x * WABE_STENCIL_ROWS + threadIdx.y;
    int i = 0;
    if (warp >= rest->warps)
        return false;
    while (i + 1 < rest->count && warp >= rest->boxes[i + 1].first)
        i++;
    const wabe_rest_box *b = &rest->boxes[i];
    const unsigned at = warp - b->first, row = at / b->lines;
    const unsigned rows = (unsigned)(b->end[1] - b->begin[1]);
    *x = (b->begin[0] / WABE_TILE_LANES + at % b->lines) * WABE_TILE_LANES + threadIdx.x;
    *y = b->begin[1] + row % rows;
    *z = b->begin[2] + row / rows;
    return *x >= b->begin[0] && *x < b->end[0];
}

/* ---- ghosts ------------------------------------------------------------------------- */

enum { WABE_SHELL_THREADS = 128 };

/* A thread per cell of the shell; block y: a field. */
static __global__ void __launch_bounds__(WABE_SHELL_THREADS)
    wabe_fill_ghosts(const __grid_constant__ wabe_grid_args g,
                     const __grid_constant__ wabe_shell shell) {
    const wabe_grid_field *f = &g.fields[blockIdx.y];
    const unsigned cell = blockIdx.x * WABE_SHELL_THREADS + threadIdx.x;
    if (cell < shell.cells && f->fills)
        wabe_fill_ghost(&g, &shell, cell, f);
}

/* Fills the ghosts that cells of the boxes read. */
static inline void wabe_fill_all_ghosts(const wabe_grid_args *g, cudaStream_t stream) {
    const wabe_shell shell = wabe_shell_of(g);
    int fills = 0;
    for (int i = 0; i < g->accesses; i++)
        fills += g->fields[i].fills;
    const dim3 blocks((shell.cells + WABE_SHELL_THREADS - 1) / WABE_SHELL_THREADS,
                      (unsigned)g->accesses);
    if (shell.cells > 0 && fills > 0)
        wabe_fill_ghosts<<<blocks, WABE_SHELL_THREADS, 0, stream>>>(*g, shell);
}

/* ---- kernels ------------------------------------------------------------------------ */

/* The thread's row of a tile; false: it has none. */
static __device__ inline bool wabe_tile_row(const wabe_row_box *box, const wabe_tile *tile,
                                            int planes, wabe_cell *c, int64_t *end) {
    c->x = tile->x + threadIdx.x, c->y = tile->y + threadIdx.y, c->z = tile->z;
    *end = min(tile->z + planes, box->end[2]);
    wabe_point(c);
    return c->x >= box->begin[0] && c->x < box->end[0] && c->y < box->end[1];
}

#define WABE_STENCIL_KERNEL(name, numbers, wide_, narrow_, reductions, moved, more, flops)         \
    /* count cells, one above the other: their loads are issued together, and numbers that they    \
     * share are loaded once. */                                                                   \
    template <int count>                                                                           \
    static __device__ __forceinline__ void name##_cells_of(const wabe_##name##_args *a,            \
                                                           wabe_cell c, wabe_reduced *reduced) {   \
        wabe_real out[count][numbers], left[count][(reductions) + 1];                              \
        _Pragma("unroll") for (int i = 0; i < count; i++) {                                        \
            wabe_cell above = c;                                                                   \
            wabe_go_up(&above, i);                                                                 \
            wabe_##name##_cell(a, &above, out[i], left[i]);                                        \
        }                                                                                          \
        _Pragma("unroll") for (int i = 0; i < count; i++, wabe_go_up(&c, 1)) {                     \
            wabe_put_all(&c, out[i], numbers, WABE_BEGINS_##name);                               \
            wabe_reduce(c.grid, reductions, left[i], reduced);                                     \
        }                                                                                          \
    }                                                                                              \
    static __device__ __forceinline__ void name##_tile(const wabe_##name##_args *a,                \
                                                       const wabe_tile *tile, int planes,          \
                                                       wabe_reduced *reduced) {                    \
        const wabe_grid_args *g = (const wabe_grid_args *)a;                                       \
        constexpr int count = wabe_stencil_at_once(flops);                                         \
        wabe_cell c = {g, WABE_INSIDE, wide_, narrow_};                                            \
        int64_t end;                                                                               \
        if (!wabe_tile_row(&g->boxes[tile->box], tile, planes, &c, &end))                          \
            return;                                                                                \
        _Pragma("unroll 4") for (; c.z + count <= end; wabe_go_up(&c, count))                      \
            name##_cells_of<count>(a, c, reduced);                                                 \
        for (; count > 1 && c.z < end; wabe_go_up(&c, 1))                                          \
            name##_cells_of<1>(a, c, reduced);                                                     \
    }                                                                                              \
    WABE_TILES_KERNEL(name, wide_, narrow_, reductions, wabe_stencil_blocks(flops))                \
    static __global__ void __launch_bounds__(WABE_STENCIL_THREADS)                                 \
        name##_rest(const __grid_constant__ wabe_##name##_args a,                                  \
                    const __grid_constant__ wabe_rest rest) {                                      \
        const wabe_grid_args *g = (const wabe_grid_args *)&a;                                      \
        wabe_cell c = {g, WABE_ANY_EDGE, wide_, narrow_};                                          \
        wabe_reduced reduced;                                                                      \
        wabe_reduced_begin(g, reductions, &reduced);                                               \
        wabe_reductions_reset(g, reductions);                                                      \
        if (wabe_rest_cell(&rest, &c.x, &c.y, &c.z))                                               \
            name##_cells_of<1>(&a, c, &reduced);                                                   \
        if ((reductions) > 0)                                                                      \
            wabe_reduced_end(g, reductions, &reduced);                                             \
    }                                                                                              \
    void WABE_STENCIL_JOIN(wabe_cuda_##name, WABE_FLAVOUR)(const wabe_##name##_args *a,            \
                                                           int64_t begin, int64_t end,             \
                                                           void *stream) {                         \
        const dim3 threads(WABE_TILE_LANES, WABE_STENCIL_ROWS);                                    \
        const cudaStream_t on = (cudaStream_t)stream;                                              \
        wabe_##name##_args inside = *a;                                                            \
        wabe_rest rest = {};                                                                       \
        const wabe_tiles tiles = wabe_stencil_tiles((wabe_grid_args *)&inside,                     \
                                                    WABE_STENCIL_PLANES, &rest);                   \
        const int tile_count = tiles.first[((wabe_grid_args *)&inside)->box_count];                \
        const unsigned blocks = (rest.warps + WABE_STENCIL_ROWS - 1) / WABE_STENCIL_ROWS;          \
        (void)begin, (void)end; /* all rows of the boxes */                                        \
        wabe_fill_all_ghosts((const wabe_grid_args *)a, on);                                       \
        if (blocks > 0)                                                                            \
            name##_rest<<<blocks, threads, 0, on>>>(*a, rest);                                     \
        if (tile_count > 0)                                                                        \
            name##_tiles<<<tile_count, threads, 0, on>>>(inside, tiles);                           \
    }

/* The kernel of a row's function name_tile, which does the thread's part of a tile. */
#define WABE_TILES_KERNEL(name, wide_, narrow_, reductions, blocks)                                \
    static __global__ void __launch_bounds__(WABE_STENCIL_THREADS, blocks)                         \
        name##_tiles(const __grid_constant__ wabe_##name##_args a,                                 \
                     const __grid_constant__ wabe_tiles tiles) {                                   \
        const wabe_grid_args *g = (const wabe_grid_args *)&a;                                      \
        const wabe_tile tile = wabe_tile_of(g, &tiles, (int)blockIdx.x);                           \
        wabe_reduced reduced;                                                                      \
        wabe_reduced_begin(g, reductions, &reduced);                                               \
        wabe_reductions_reset(g, reductions);                                                      \
        name##_tile(&a, &tile, tiles.shape[tile.box].planes, &reduced);                            \
        if ((reductions) > 0)                                                                      \
            wabe_reduced_end(g, reductions, &reduced);                                             \
    }

/* Tiles of plane-wise sweeps. Their threads read a plane once, and the one below the tile in
 * addition: so tiles are high if there are enough for all multiprocessors. */
enum {
    WABE_PLANEWISE_PLANES_MIN = 4,
    WABE_PLANEWISE_PLANES_MAX = 32,
    WABE_PLANEWISE_TILES = 1024
};
static inline int wabe_planewise_planes(const wabe_grid_args *g) {
    int64_t cells = 0;
    for (int i = 0; i < g->box_count; i++) {
        const wabe_row_box *b = &g->boxes[i];
        cells += (b->end[0] - b->begin[0]) * (b->end[1] - b->begin[1]) * (b->end[2] - b->begin[2]);
    }
    const int64_t planes = cells / (WABE_PLANEWISE_TILES * WABE_STENCIL_THREADS);
    return (int)max((int64_t)WABE_PLANEWISE_PLANES_MIN,
                    min((int64_t)WABE_PLANEWISE_PLANES_MAX, planes));
}

/* Blocks per multiprocessor: more would have registers spilled, or take loads from each other. */
static constexpr int wabe_planewise_blocks(int flops) {
    const bool wide = sizeof(wabe_real) == sizeof(double);
    return flops > 300 ? (wide ? 2 : 3) : (wide ? 4 : 6);
}

/* The kernel of a plane-wise row (sweeps/cell/stencil.h). */
#define WABE_PLANEWISE_KERNEL(name, numbers, wide_, narrow_, reductions, moved, more, flops)       \
    static __device__ __forceinline__ void name##_tile(const wabe_##name##_args *a,                \
                                                       const wabe_tile *tile, int planes,          \
                                                       wabe_reduced *reduced) {                    \
        const wabe_grid_args *g = (const wabe_grid_args *)a;                                       \
        wabe_cell c = {g, WABE_INSIDE, wide_, narrow_};                                            \
        int64_t end;                                                                               \
        if (!wabe_tile_row(&g->boxes[tile->box], tile, planes, &c, &end))                          \
            return;                                                                                \
        wabe_##name##_below below = wabe_##name##_rise(a, &c, -1);                                 \
        wabe_##name##_begun begun = wabe_##name##_begin(a, &c, 0, &below);                         \
        below = wabe_##name##_rise(a, &c, 0);                                                      \
        for (; c.z < end; wabe_go_up(&c, 1)) {                                                     \
            wabe_real out[numbers], left[(reductions) + 1];                                        \
            const wabe_##name##_begun next = wabe_##name##_begin(a, &c, 1, &below);                \
            below = wabe_##name##_rise(a, &c, 1);                                                  \
            wabe_##name##_end(a, &c, &begun, out, left);                                           \
            wabe_put_all(&c, out, numbers, WABE_BEGINS_##name);                                  \
            wabe_reduce(g, reductions, left, reduced);                                             \
            begun = next;                                                                          \
        }                                                                                          \
    }                                                                                              \
    WABE_TILES_KERNEL(name, wide_, narrow_, reductions, wabe_planewise_blocks(flops))              \
    void WABE_STENCIL_JOIN(wabe_cuda_##name, WABE_FLAVOUR)(const wabe_##name##_args *a,            \
                                                           int64_t begin, int64_t end,             \
                                                           void *stream) {                         \
        const dim3 threads(WABE_TILE_LANES, WABE_STENCIL_ROWS);                                    \
        wabe_##name##_args inside = *a;                                                            \
        wabe_rest rest = {}; /* none: plane-wise numbers are at cells, and not interleaved */      \
        const wabe_tiles tiles =                                                                   \
            wabe_stencil_tiles((wabe_grid_args *)&inside,                                          \
                               wabe_planewise_planes((const wabe_grid_args *)a), &rest);           \
        const int tile_count = tiles.first[((wabe_grid_args *)&inside)->box_count];                \
        (void)begin, (void)end; /* all rows of the boxes */                                        \
        wabe_fill_all_ghosts((const wabe_grid_args *)a, (cudaStream_t)stream);                     \
        if (tile_count > 0)                                                                        \
            name##_tiles<<<tile_count, threads, 0, (cudaStream_t)stream>>>(inside, tiles);         \
    }

/* ---- columns ------------------------------------------------------------------------ */

/* A thread per column of a march; otherwise per WABE_COLUMN_CELLS cells of one. Rows of a thread
 * block lie in planes above each other. */
enum { WABE_COLUMN_CELLS = 8 };

/* Blocks per multiprocessor, which limit the registers of a thread. Marches have few threads: all of
 * a slab of 320 x 256 columns find room at once, by measurement better than more registers. Cells in
 * any order have many: small functions do with few registers, large ones would spill. */
static constexpr int wabe_column_blocks_of(int direction, int flops) {
    const bool wide = sizeof(wabe_real) == sizeof(double), large = flops > 80;
    return direction ? (wide ? 4 : 5) : large ? (wide ? 3 : 4) : (wide ? 4 : 8);
}

/* How many cells ahead a thread prefetches what it reads of its own column; 0: it does not. Marches
 * with little to compute wait for memory, and so do large functions of cells, of which few threads
 * find room; the others lost more by the instructions than they gained, measured on an H200. */
static constexpr int wabe_column_ahead_of(int direction, int flops) {
    const bool large = flops > 80;
    return direction ? (large ? 0 : 2 * direction) : large ? 2 : 0;
}

static inline dim3 wabe_column_blocks(const wabe_row_box *b, int direction) {
    const int64_t lines = (b->end[0] - 1) / WABE_TILE_LANES - b->begin[0] / WABE_TILE_LANES + 1;
    const int64_t planes = (b->end[2] - b->begin[2] + WABE_STENCIL_ROWS - 1) / WABE_STENCIL_ROWS;
    const int64_t parts = direction
                              ? 1
                              : (b->end[1] - b->begin[1] + WABE_COLUMN_CELLS - 1) /
                                    WABE_COLUMN_CELLS;
    return dim3((unsigned)(lines * planes), (unsigned)parts, 1);
}

/* The first cell of the thread's column, and its part of the column; false: it has none. */
static __device__ inline bool wabe_column_of(const wabe_row_box *b, int direction, wabe_cell *c,
                                             int64_t *begin, int64_t *end) {
    const int64_t first = b->begin[0] / WABE_TILE_LANES;
    const int64_t lines = (b->end[0] - 1) / WABE_TILE_LANES - first + 1;
    c->x = (first + blockIdx.x % lines) * WABE_TILE_LANES + threadIdx.x;
    c->z = b->begin[2] + blockIdx.x / lines * WABE_STENCIL_ROWS + threadIdx.y;
    *begin = direction ? b->begin[1] : b->begin[1] + blockIdx.y * WABE_COLUMN_CELLS;
    *end = direction ? b->end[1] : min(*begin + WABE_COLUMN_CELLS, b->end[1]);
    return c->x >= b->begin[0] && c->x < b->end[0] && c->z < b->end[2];
}

#define WABE_COLUMN_KERNEL(name, direction, carried, numbers, wide_, narrow_, reductions, moved,   \
                           more, flops)                                                            \
    static __device__ __forceinline__ void name##_march(const wabe_##name##_args *a, wabe_cell c,  \
                                                        int64_t begin, int64_t end,                \
                                                        wabe_reduced *reduced) {                   \
        wabe_real carry[(carried) + 1] = {};                                                       \
        for (int64_t i = begin; i < end; i++) {                                                    \
            wabe_real out[numbers], left[(reductions) + 1];                                        \
            c.y = (direction) < 0 ? begin + end - 1 - i : i;                                       \
            wabe_##name##_cell(a, &c, carry, out, left);                                           \
            wabe_put_column(&c, out, numbers);                                                     \
            wabe_reduce(c.grid, reductions, left, reduced);                                        \
        }                                                                                          \
    }                                                                                              \
    enum { name##_ahead = wabe_column_ahead_of(direction, flops) };                                \
    template <bool general>                                                                        \
    static __global__ void __launch_bounds__(WABE_STENCIL_THREADS,                                 \
                                             wabe_column_blocks_of(direction, flops))              \
        name##_columns(const __grid_constant__ wabe_##name##_args a, int box) {                    \
        const wabe_grid_args *g = (const wabe_grid_args *)&a;                                      \
        wabe_round round;                                                                          \
        wabe_cell c = {g, general ? WABE_ANY_EDGE : WABE_ROUND, wide_, narrow_, 0, 0, 0, 1,        \
                       &round, general ? 0 : name##_ahead};                                        \
        int64_t begin, end;                                                                        \
        wabe_reduced reduced;                                                                      \
        wabe_reduced_begin(g, reductions, &reduced);                                               \
        if (blockIdx.y == 0)                                                                       \
            wabe_reductions_reset(g, reductions);                                                  \
        if (wabe_column_of(&g->boxes[box], direction, &c, &begin, &end)) {                         \
            if (!general)                                                                          \
                wabe_column_look_round(g, &c, &round);                                             \
            name##_march(&a, c, begin, end, &reduced);                                             \
        }                                                                                          \
        if ((reductions) > 0)                                                                      \
            wabe_reduced_end(g, reductions, &reduced);                                             \
    }                                                                                              \
    void WABE_STENCIL_JOIN(wabe_cuda_##name, WABE_FLAVOUR)(const wabe_##name##_args *a,            \
                                                           int64_t begin, int64_t end,             \
                                                           void *stream) {                         \
        const wabe_grid_args *g = (const wabe_grid_args *)a;                                       \
        const dim3 threads(WABE_TILE_LANES, WABE_STENCIL_ROWS);                                    \
        const cudaStream_t on = (cudaStream_t)stream;                                              \
        (void)begin, (void)end; /* all columns of the boxes */                                     \
        for (int box = 0; box < g->box_count; box++) {                                             \
            const dim3 blocks = wabe_column_blocks(&g->boxes[box], direction);                     \
            if (wabe_column_is_general(g))                                                         \
                name##_columns<true><<<blocks, threads, 0, on>>>(*a, box);                         \
            else                                                                                   \
                name##_columns<false><<<blocks, threads, 0, on>>>(*a, box);                        \
        }                                                                                          \
    }
