/* Diffusion where each cell has a diffusivity of its own, for CUDA: a warp for each row of a tile,
 * which marches through its planes. */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/scalar.h"
#include "kernels_gpu/tiles.cuh"

#include "kernels_gpu/diffusion_varied.h"

#include <cuda_runtime.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

enum { ROWS = 8, PLANES = 8, THREADS = WABE_TILE_LANES * ROWS };

static __global__ void __launch_bounds__(THREADS)
    diffuse_varied_kernel(const __grid_constant__ wabe_diffuse_varied_args a,
                          const __grid_constant__ wabe_tiles tiles) {
    const wabe_tile tile = wabe_tile_of(&a.plain.grid, &tiles, (int)blockIdx.x);
    const wabe_row_box *box = &a.plain.grid.boxes[tile.box];
    const int64_t x = tile.x + threadIdx.x, y = tile.y + threadIdx.y;
    if (x >= box->end[0] || y >= box->end[1])
        return;
    for (int64_t z = tile.z; z < min(tile.z + PLANES, box->end[2]); z++)
        wabe_diffuse_varied_cell(&a, x, y, z);
}

void JOIN(wabe_cuda_diffuse_varied, WABE_FLAVOUR)(const wabe_diffuse_varied_args *a, int64_t begin,
                                                  int64_t end, void *stream) {
    const wabe_tile_shape shape = {1, WABE_TILE_LANES, ROWS, PLANES};
    wabe_tiles tiles = {};
    (void)begin, (void)end; /* all rows of the boxes */
    for (int i = 0; i < a->plain.grid.box_count; i++)
        wabe_tiles_cut(&tiles, i, &a->plain.grid.boxes[i], shape);
    diffuse_varied_kernel<<<tiles.first[a->plain.grid.box_count], dim3(WABE_TILE_LANES, ROWS), 0,
                            (cudaStream_t)stream>>>(*a, tiles);
}
