/* Kernels of stencil sweeps (sweeps/cell/stencil.h) for CUDA: a warp for each row of a tile, which
 * marches through its planes; what rows and planes have in common is found again in the caches. For
 * files that are compiled once for each type. */
#ifndef WABE_KERNELS_GPU_STENCIL_CUH
#define WABE_KERNELS_GPU_STENCIL_CUH

#include "kernels_gpu/stencil_cell.h"
#include "kernels_gpu/tiles.cuh"

#include <cuda_runtime.h>

#define WABE_STENCIL_JOIN_(a, b) a##_##b
#define WABE_STENCIL_JOIN(a, b) WABE_STENCIL_JOIN_(a, b)

enum {
    WABE_STENCIL_ROWS = 8,
    WABE_STENCIL_PLANES = 8,
    WABE_STENCIL_THREADS = WABE_TILE_LANES * WABE_STENCIL_ROWS
};

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

/* What the threads of the block have goes to a place of their own, or shared with few others. */
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
    for (int i = 0; i < count && blockIdx.x == 0 && thread < WABE_REDUCTION_PLACES * WABE_BINS; i++)
        (&g->reductions[i].slots[(g->pass + 1) % WABE_REDUCTION_SLOTS][0][0])[thread] =
            wabe_reduction_neutral(g->reductions[i].operation);
}

static inline wabe_tiles wabe_stencil_tiles(const wabe_grid_args *g) {
    const wabe_tile_shape shape = {1, WABE_TILE_LANES, WABE_STENCIL_ROWS, WABE_STENCIL_PLANES};
    wabe_tiles tiles = {};
    for (int i = 0; i < g->box_count; i++)
        wabe_tiles_cut(&tiles, i, &g->boxes[i], shape);
    return tiles;
}

/* The kind of edge is a constant in each of the calls: away from walls nothing asks for them. All
 * cells of a warp are of the same kind. */
#define WABE_STENCIL_KERNEL(name, numbers, wide_, narrow_, reductions, moved, more, flops)         \
    static __device__ __forceinline__ void name##_cell_of(const wabe_##name##_args *a,             \
                                                          wabe_cell c, wabe_reduced *reduced) {    \
        wabe_real out[numbers], left[(reductions) + 1];                                            \
        wabe_##name##_cell(a, &c, out, left);                                                      \
        wabe_put_all(&c, out, numbers);                                                            \
        wabe_reduce(c.grid, reductions, left, reduced);                                            \
    }                                                                                              \
    static __global__ void __launch_bounds__(WABE_STENCIL_THREADS)                                 \
        name##_kernel(const __grid_constant__ wabe_##name##_args a,                                \
                      const __grid_constant__ wabe_tiles tiles) {                                  \
        const wabe_grid_args *g = (const wabe_grid_args *)&a;                                      \
        const wabe_tile tile = wabe_tile_of(g, &tiles, (int)blockIdx.x);                           \
        const wabe_row_box *box = &g->boxes[tile.box];                                             \
        const int64_t x = tile.x + threadIdx.x, y = tile.y + threadIdx.y;                          \
        const int64_t end = min(tile.z + WABE_STENCIL_PLANES, box->end[2]);                        \
        const bool there = x < box->end[0] && y < box->end[1];                                     \
        const bool edge = __any_sync(WABE_TILE_ALL, wabe_grid_is_edge(g, 0, x, 1)) ||              \
                          wabe_grid_is_edge(g, 1, y, 1);                                           \
        wabe_reduced reduced;                                                                      \
        wabe_reduced_begin(g, reductions, &reduced);                                               \
        wabe_reductions_reset(g, reductions);                                                      \
        for (int64_t z = tile.z; z < end && there; z++)                                            \
            if (!edge && !wabe_grid_is_edge(g, 2, z, 1))                                           \
                name##_cell_of(&a, (wabe_cell){g, WABE_INSIDE, wide_, narrow_, x, y, z},           \
                               &reduced);                                                          \
            else if (!wabe_grid_is_beyond(g, x, y, z))                                             \
                name##_cell_of(&a, (wabe_cell){g, WABE_AT_EDGE, wide_, narrow_, x, y, z},          \
                               &reduced);                                                          \
            else                                                                                   \
                name##_cell_of(&a, (wabe_cell){g, WABE_BEYOND_EDGE, wide_, narrow_, x, y, z},      \
                               &reduced);                                                          \
        if ((reductions) > 0)                                                                      \
            wabe_reduced_end(g, reductions, &reduced);                                             \
    }                                                                                              \
    void WABE_STENCIL_JOIN(wabe_cuda_##name, WABE_FLAVOUR)(const wabe_##name##_args *a,            \
                                                           int64_t begin, int64_t end,             \
                                                           void *stream) {                         \
        const wabe_grid_args *g = (const wabe_grid_args *)a;                                       \
        const wabe_tiles tiles = wabe_stencil_tiles(g);                                            \
        (void)begin, (void)end; /* all rows of the boxes */                                        \
        name##_kernel<<<tiles.first[g->box_count], dim3(WABE_TILE_LANES, WABE_STENCIL_ROWS), 0,    \
                        (cudaStream_t)stream>>>(*a, tiles);                                        \
    }

#endif
