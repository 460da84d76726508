/* Diffusion for CUDA: a thread has a vector of cells of a row, and marches through the planes.
 * Tiles at walls along y and z go cell by cell. */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/scalar.h"
#include "kernels_gpu/tiles.cuh"

#include "kernels_gpu/diffusion.h"

#include <cuda_runtime.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

enum {
    WIDTH = 16 / sizeof(wabe_real),
    PLANES = 16,
    BLOCKS = 6, /* on a multiprocessor: what keeps enough loads under way */
    ALL = 0xffffffffu
};

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

/* The rows and planes of a tile. */
typedef struct {
    int64_t y, z, end;
} rows;

static __device__ __noinline__ void cell_by_cell(const wabe_diffuse_args *a, const wabe_tile *tile,
                                                 rows r) {
    const wabe_row_box *box = &a->grid.boxes[tile->box];
    const int64_t x = tile->x + threadIdx.x * WIDTH;
    for (int64_t z = r.z; z < r.end; z++)
        for (int64_t i = max(x, box->begin[0]); i < min(x + WIDTH, box->end[0]); i++)
            wabe_diffuse_cell(a, i, r.y, z);
}

/* Are there walls along y or z? And the last vector of a row must be whole if what is behind it is
 * not in memory. */
WABE_INLINE bool is_plain(const wabe_diffuse_args *a, const wabe_tile *tile, rows r) {
    const int64_t *n = a->grid.cells;
    const wabe_side *s = a->sides;
    return !(tile->y == 0 && s[2].kind == WABE_SIDE_WALL) &&
           !(tile->y + WABE_TILE_ROWS >= n[1] && s[3].kind == WABE_SIDE_WALL) &&
           !(r.z == 0 && s[4].kind == WABE_SIDE_WALL) &&
           !(r.end == n[2] && s[5].kind == WABE_SIDE_WALL) &&
           (n[0] % WIDTH == 0 || s[1].kind == WABE_SIDE_NEIGHBOUR ||
            tile->x + WABE_TILE_LANES * WIDTH < n[0]);
}

/* Beside the tile's first or last cell in a row: at that offset, unless it is a wall. */
WABE_INLINE wabe_real at_end(const wabe_side *wall, wabe_real own, const wabe_real *there) {
    return wall ? WABE_FMA((wabe_real)wall->factor, own, (wabe_real)wall->offset) : *there;
}

/* Threads behind the last vector do as it does, but store nothing. */
WABE_INLINE void march(const wabe_diffuse_args *a, const wabe_tile *tile, rows r) {
    const wabe_row_box *box = &a->grid.boxes[tile->box];
    const int64_t n = a->grid.cells[0], pitch = a->grid.pitch, plane = a->grid.plane;
    const int lane = threadIdx.x, last = (int)((box->end[0] - 1 - tile->x) / WIDTH);
    const bool is_first = lane == 0, is_last = lane == min(last, WABE_TILE_LANES - 1);
    const int64_t x = tile->x + min(lane, last) * WIDTH;
    const bool low = x == 0, high = x + WIDTH == n;
    const wabe_side *west_wall = low && a->sides[0].kind == WABE_SIDE_WALL ? &a->sides[0] : NULL;
    const wabe_side *east_wall = high && a->sides[1].kind == WABE_SIDE_WALL ? &a->sides[1] : NULL;
    const int64_t to_west = low && a->sides[0].kind == WABE_SIDE_ITSELF ? n - 1 : -1;
    const int64_t to_east = high && a->sides[1].kind == WABE_SIDE_ITSELF ? WIDTH - n : WIDTH;
    const bool whole = x >= box->begin[0] && x + WIDTH <= box->end[0];
    const int64_t at = x + r.y * pitch + r.z * plane;
    const wabe_real *from = (const wabe_real *)a->grid.source + at;
    wabe_real *to = (wabe_real *)a->grid.target + at;
    const wabe_diffusion k = wabe_diffusion_of((wabe_real)a->rate);
    cells below = load(from - plane), own = load(from);
    for (int64_t z = r.z; z < r.end; z++, from += plane, to += plane) {
        const cells above = load(from + plane), south = load(from - pitch),
                    north = load(from + pitch);
        wabe_real wide[WIDTH + 2];
        wide[0] = __shfl_up_sync(ALL, own.at[WIDTH - 1], 1);
        wide[WIDTH + 1] = __shfl_down_sync(ALL, own.at[0], 1);
        for (int i = 0; i < WIDTH; i++)
            wide[i + 1] = own.at[i];
        if (is_first)
            wide[0] = at_end(west_wall, own.at[0], from + to_west);
        if (is_last)
            wide[WIDTH + 1] = at_end(east_wall, own.at[WIDTH - 1], from + to_east);
        cells f;
        for (int i = 0; i < WIDTH; i++)
            f.at[i] = wabe_diffuse(k, own.at[i], wide[i], wide[i + 2], south.at[i], north.at[i],
                                   below.at[i], above.at[i]);
        if (whole && lane <= last)
            *(loaded *)to = f.all;
        else if (lane <= last)
            for (int i = 0; i < WIDTH; i++)
                if (x + i >= box->begin[0] && x + i < box->end[0])
                    to[i] = f.at[i];
        below = own;
        own = above;
    }
}

static __global__ void __launch_bounds__(WABE_TILE_THREADS, BLOCKS)
    diffuse_kernel(const __grid_constant__ wabe_diffuse_args a,
                   const __grid_constant__ wabe_tiles tiles) {
    const wabe_tile tile = wabe_tile_of(&a.grid, &tiles, WIDTH, PLANES, (int)blockIdx.x);
    const wabe_row_box *box = &a.grid.boxes[tile.box];
    const rows r = {tile.y + threadIdx.y, tile.z, min(tile.z + PLANES, box->end[2])};
    if (r.y >= box->end[1])
        return;
    if (is_plain(&a, &tile, r))
        march(&a, &tile, r);
    else
        cell_by_cell(&a, &tile, r);
}

void JOIN(wabe_cuda_diffuse, WABE_FLAVOUR)(const wabe_diffuse_args *a, int64_t begin, int64_t end,
                                           void *stream) {
    const wabe_tiles tiles = wabe_tiles_make(&a->grid, WIDTH, PLANES);
    const dim3 threads(WABE_TILE_LANES, WABE_TILE_ROWS);
    (void)begin, (void)end; /* all rows of the boxes */
    diffuse_kernel<<<tiles.first[a->grid.box_count], threads, 0, (cudaStream_t)stream>>>(*a, tiles);
}
