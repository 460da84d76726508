/* Diffusion for CUDA: a block of threads for each row of cells. */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/scalar.h"

#include "kernels_gpu/diffusion.h"

#include <cuda_runtime.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

enum { THREADS = 128 };

static __global__ void diffuse_kernel(const wabe_diffuse_args a, int64_t begin) {
    const wabe_row r = wabe_row_of(&a.grid, begin + blockIdx.x);
    for (int64_t x = r.begin + threadIdx.x; x < r.end; x += THREADS)
        wabe_diffuse_cell(&a, x, r.y, r.z);
}

void JOIN(wabe_cuda_diffuse, WABE_FLAVOUR)(const wabe_diffuse_args *a, int64_t begin, int64_t end,
                                           void *stream) {
    diffuse_kernel<<<(unsigned)(end - begin), THREADS, 0, (cudaStream_t)stream>>>(*a, begin);
}
