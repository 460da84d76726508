/* Statistics of a field (sweeps/cell/scan.h) for CUDA: a thread block per result, a warp per row.
 */
#include "kernels_gpu/functions.h"
#include "sweeps/cell/scan.h"

#include <cuda_runtime.h>

enum { LANES = 32, ROWS = 8 };

static __global__ void scan_kernel(const wabe_scan_args a, int64_t begin) {
    __shared__ wabe_scan_result of_thread[ROWS * LANES];
    const int64_t item = begin + blockIdx.x, end = wabe_scan_row(&a, item + 1);
    const int thread = (int)(threadIdx.y * LANES + threadIdx.x);
    wabe_scan_result mine = wabe_scan_of_none();
    for (int64_t row = wabe_scan_row(&a, item) + threadIdx.y; row < end; row += ROWS)
        wabe_scan_cells(&a, row, threadIdx.x, LANES, &mine);
    of_thread[thread] = mine;
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
