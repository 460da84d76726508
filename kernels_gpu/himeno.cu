/* The Himeno benchmark for CUDA: a thread has four cells of a row and marches through the planes.
 * What planes and rows share is found in the first-level cache; the constants bypass it. */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/scalar.h"
#include "kernels_gpu/tiles.cuh"
#include "sweeps/cell/himeno.h"

#include <cuda_runtime.h>

enum {
    WIDTH = WABE_TILE_VECTOR,
    ROWS = 8, /* per tile */
    PLANES = 8,
    THREADS = WABE_TILE_LANES * ROWS
};

/* The rows at the edges of the 3 x 3 x 3 neighbourhood have no ends. */
typedef struct {
    float at[WIDTH + 2];
} wide_cells;

/* Loads four cells of a row and one more at each end; the whole warp must call this. */
WABE_INLINE wide_cells load_wide(const float *row, int64_t x, bool there) {
    wide_cells wide;
    wabe_cells own;
    own.all = there ? *(const float4 *)(row + x) : make_float4(0, 0, 0, 0);
    wide.at[0] = __shfl_up_sync(WABE_TILE_ALL, own.at[WIDTH - 1], 1);
    wide.at[WIDTH + 1] = __shfl_down_sync(WABE_TILE_ALL, own.at[0], 1);
    for (int i = 0; i < WIDTH; i++)
        wide.at[i + 1] = own.at[i];
    if (there && threadIdx.x == 0)
        wide.at[0] = row[x - 1];
    if (there && threadIdx.x == WABE_TILE_LANES - 1) /* within the pitch */
        wide.at[WIDTH + 1] = row[x + WIDTH];
    return wide;
}

typedef struct {
    double at[WABE_BINS];
} sums;

/* Updates four cells of a row of the box in one plane. */
WABE_INLINE void do_cells(const wabe_himeno_args *a, int64_t at, int64_t x, const wabe_row_box *box,
                          sums *s) {
    const bool there = x < box->end[0], beside = x <= box->end[0];
    const wabe_grid_field *from = &a->grid.fields[WABE_HIMENO_FROM];
    const wabe_grid_field *by = &a->grid.fields[WABE_HIMENO_BY];
    const float *row = (const float *)from->data + at;
    const int64_t pitch = from->pitch, plane = from->plane;
    wide_cells p[3][3];
    wabe_cells k[WABE_HIMENO_CONSTANTS];
    if (there)
        for (int i = 0; i < WABE_HIMENO_CONSTANTS; i++)
            k[i].all = __ldcs((const float4 *)((const float *)by->data + i * by->stride + at + x));
    for (int dz = 0; dz < 3; dz++)
        for (int dy = 0; dy < 3; dy++)
            p[dz][dy] = load_wide(row + (dz - 1) * plane + (dy - 1) * pitch, x, beside);
    if (!there)
        return;
    wabe_cells result;
    for (int i = 0; i < WIDTH; i++) {
        float constants[WABE_HIMENO_CONSTANTS], around[3][3][3];
        for (int c = 0; c < WABE_HIMENO_CONSTANTS; c++)
            constants[c] = k[c].at[i];
        for (int dz = 0; dz < 3; dz++)
            for (int dy = 0; dy < 3; dy++)
                for (int dx = 0; dx < 3; dx++)
                    around[dz][dy][dx] = p[dz][dy].at[i + dx];
        const float change = wabe_himeno_change(constants, around);
        result.at[i] = wabe_himeno_relax(around[1][1][1], change);
        double square = x + i >= box->begin[0] && x + i < box->end[0] ? (double)(change * change)
                                                                      : 0.0;
        WABE_BINS_ADD(s->at, square);
    }
    float *to = (float *)a->grid.fields[WABE_HIMENO_TO].data + at + x;
    if (x >= box->begin[0] && x + WIDTH <= box->end[0])
        *(float4 *)to = result.all;
    else
        for (int i = 0; i < WIDTH; i++)
            if (x + i >= box->begin[0] && x + i < box->end[0])
                to[i] = result.at[i];
}

/* Adds the sums of the thread block to a place. */
WABE_INLINE void add_block(const sums *s, double *place) {
    __shared__ double of_warps[ROWS][WABE_BINS];
    for (int i = 0; i < WABE_BINS; i++) {
        double sum = s->at[i];
        for (int step = WABE_TILE_LANES / 2; step > 0; step /= 2)
            sum += __shfl_down_sync(WABE_TILE_ALL, sum, step);
        if (threadIdx.x == 0)
            of_warps[threadIdx.y][i] = sum;
    }
    __syncthreads();
    if (threadIdx.y == 0 && threadIdx.x < WABE_BINS) {
        double sum = 0.0;
        for (int warp = 0; warp < ROWS; warp++)
            sum += of_warps[warp][threadIdx.x];
        atomicAdd(place + threadIdx.x, sum);
    }
}

static __global__ void __launch_bounds__(THREADS)
    himeno_kernel(const __grid_constant__ wabe_himeno_args a,
                  const __grid_constant__ wabe_tiles tiles) {
    const wabe_tile tile = wabe_tile_of(&a.grid, &tiles, (int)blockIdx.x);
    const wabe_row_box *box = &a.grid.boxes[tile.box];
    const int64_t y = tile.y + threadIdx.y, end = min(tile.z + PLANES, box->end[2]);
    const int thread = threadIdx.y * WABE_TILE_LANES + threadIdx.x;
    const wabe_grid_field *from = &a.grid.fields[WABE_HIMENO_FROM];
    wabe_reduction_slot *slots = a.grid.reductions[0].slots;
    sums s = {{0.0, 0.0, 0.0}};
    if (blockIdx.x == 0 && thread < WABE_REDUCTION_PLACES * WABE_BINS)
        slots[(a.grid.pass + 1) % WABE_REDUCTION_SLOTS][thread / WABE_BINS][thread % WABE_BINS] =
            0.0;
    for (int64_t z = tile.z; z < end && y < box->end[1]; z++)
        do_cells(&a, y * from->pitch + z * from->plane, tile.x + threadIdx.x * WIDTH, box, &s);
    add_block(&s, slots[a.grid.pass % WABE_REDUCTION_SLOTS][blockIdx.x % WABE_REDUCTION_PLACES]);
}

void wabe_cuda_himeno(const wabe_himeno_args *a, int64_t begin, int64_t end, void *stream) {
    const wabe_tile_shape shape = {WIDTH, WABE_TILE_LINE, ROWS, PLANES};
    wabe_tiles tiles;
    tiles.first[0] = 0;
    for (int i = 0; i < a->grid.box_count; i++)
        wabe_tiles_cut(&tiles, i, &a->grid.boxes[i], shape);
    const dim3 threads(WABE_TILE_LANES, ROWS);
    (void)begin, (void)end; /* all rows of the boxes */
    himeno_kernel<<<tiles.first[a->grid.box_count], threads, 0, (cudaStream_t)stream>>>(*a, tiles);
}
