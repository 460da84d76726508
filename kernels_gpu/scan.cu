/* Statistics of a field (sweeps/cell/scan.h) for CUDA: a thread block per result, a warp per row.
 */
#include "kernels_gpu/functions.h"
#include "sweeps/cell/scan.h"

#include <cuda_runtime.h>

enum { LANES = 32, ROWS = 8 };

static __global__ void scan_kernel(const wabe_scan_args a, int64_t begin) {
    __shared__ wabe_scan_result of_thread[ROWS * LANES];
    const int64_t item = begin + blockIdx.x;
    const int thread = (int)(threadIdx.y * LANES + threadIdx.x);
    of_thread[thread] = wabe_scan_share(&a, item, threadIdx.y, ROWS, threadIdx.x, LANES);
    for (int half = ROWS * LANES / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half)
            wabe_scan_merge(&of_thread[thread], &of_thread[thread + half]);
    }
    if (thread == 0)
        a.results[item] = of_thread[0];
}

void wabe_cuda_scan(const wabe_scan_args *a, int64_t begin, int64_t end, void *stream) {
    scan_kernel<<<(unsigned)(end - begin), dim3(LANES, ROWS), 0, (cudaStream_t)stream>>>(*a, begin);
}
