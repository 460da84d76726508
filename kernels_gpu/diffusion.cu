/* Diffusion for CUDA: a thread has a vector of cells of a row, and marches through the planes. */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/scalar.h"
#include "kernels_gpu/tiles.cuh"
#include "sweeps/cell/diffusion.h"

#include <cuda_runtime.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

enum { WIDTH = 16 / sizeof(wabe_real), PLANES = 8 };

#ifdef WABE_STORE_F64
typedef double2 loaded;
#else
typedef float4 loaded;
#endif
typedef union {
    loaded all;
    wabe_real at[WIDTH];
} cells;

WABE_INLINE cells load(const wabe_real *from) {
    cells c;
    c.all = *(const loaded *)from;
    return c;
}

/* What lies beside cells along y or z. */
WABE_INLINE cells beside(const wabe_side *side, bool at_face, cells own, const wabe_real *from) {
    if (!at_face || side->kind != WABE_SIDE_WALL)
        return load(from);
    for (int i = 0; i < WIDTH; i++)
        own.at[i] = WABE_FMA((wabe_real)side->factor, own.at[i], (wabe_real)side->offset);
    return own;
}

/* Before the first cell of a row, or behind its last one. */
WABE_INLINE wabe_real at_end(const wabe_side *side, const wabe_real *row, int64_t own, int64_t next,
                             int64_t across) {
    if (side->kind == WABE_SIDE_WALL)
        return WABE_FMA((wabe_real)side->factor, row[own], (wabe_real)side->offset);
    return row[side->kind == WABE_SIDE_ITSELF ? across : next];
}

/* The vector's cells with one more at each end; the whole warp takes part. */
WABE_INLINE void widen(const wabe_diffuse_args *a, const wabe_real *row, int64_t x, bool there,
                       cells own, wabe_real wide[WIDTH + 2]) {
    const int64_t last = a->grid.cells[0] - 1;
    const int lane = threadIdx.x;
    wide[0] = __shfl_up_sync(0xffffffffu, own.at[WIDTH - 1], 1);
    wide[WIDTH + 1] = __shfl_down_sync(0xffffffffu, own.at[0], 1);
    for (int i = 0; i < WIDTH; i++)
        wide[i + 1] = own.at[i];
    if (!there)
        return;
    if (x == 0)
        wide[0] = at_end(&a->sides[0], row, 0, -1, last);
    else if (lane == 0)
        wide[0] = row[x - 1];
    if (lane == WABE_TILE_LANES - 1 && x + WIDTH <= last)
        wide[WIDTH + 1] = row[x + WIDTH];
    if (x + WIDTH > last) {
        const wabe_real east = at_end(&a->sides[1], row, last, last + 1, 0);
        for (int i = 0; i < WIDTH; i++)
            if (x + i == last)
                wide[i + 2] = east;
    }
}

WABE_INLINE void store(wabe_real *to, cells values, int64_t x, int64_t begin, int64_t end) {
    if (x >= begin && x + WIDTH <= end) {
        *(loaded *)to = values.all;
        return;
    }
    for (int i = 0; i < WIDTH; i++)
        if (x + i >= begin && x + i < end)
            to[i] = values.at[i];
}

static __global__ void __launch_bounds__(WABE_TILE_THREADS)
    diffuse_kernel(const wabe_diffuse_args a, const wabe_tiles tiles) {
    const wabe_tile tile = wabe_tile_of(&a.grid, &tiles, WIDTH, PLANES, (int)blockIdx.x);
    const wabe_row_box *box = &a.grid.boxes[tile.box];
    const int64_t x = tile.x + threadIdx.x * WIDTH, y = tile.y + threadIdx.y, *n = a.grid.cells;
    const int64_t pitch = a.grid.pitch, plane = a.grid.plane;
    if (y >= box->end[1])
        return;
    const bool there = x < box->end[0];
    const int64_t end = min(tile.z + PLANES, box->end[2]);
    const wabe_real *row = (const wabe_real *)a.grid.source + y * pitch + tile.z * plane;
    wabe_real *to = (wabe_real *)a.grid.target + y * pitch + tile.z * plane;
    const wabe_diffusion k = wabe_diffusion_of((wabe_real)a.rate);
    cells below, own, above;
    own.all = below.all = above.all = loaded{};
    if (there) {
        own = load(row + x);
        below = beside(&a.sides[4], tile.z == 0, own, row + x - plane);
    }
    for (int64_t z = tile.z; z < end; z++, row += plane, to += plane) {
        wabe_real wide[WIDTH + 2];
        if (there)
            above = beside(&a.sides[5], z == n[2] - 1, own, row + x + plane);
        widen(&a, row, x, there, own, wide);
        if (there) {
            const cells south = beside(&a.sides[2], y == 0, own, row + x - pitch);
            const cells north = beside(&a.sides[3], y == n[1] - 1, own, row + x + pitch);
            cells f;
            for (int i = 0; i < WIDTH; i++)
                f.at[i] = wabe_diffuse(k, own.at[i], wide[i], wide[i + 2], south.at[i], north.at[i],
                                       below.at[i], above.at[i]);
            store(to + x, f, x, box->begin[0], box->end[0]);
        }
        below = own;
        own = above;
    }
}

void JOIN(wabe_cuda_diffuse, WABE_FLAVOUR)(const wabe_diffuse_args *a, int64_t begin, int64_t end,
                                           void *stream) {
    const wabe_tiles tiles = wabe_tiles_make(&a->grid, WIDTH, PLANES);
    const dim3 threads(WABE_TILE_LANES, WABE_TILE_ROWS);
    (void)begin, (void)end; /* all rows of the boxes */
    diffuse_kernel<<<tiles.first[a->grid.box_count], threads, 0, (cudaStream_t)stream>>>(*a, tiles);
}
