/* Column sweeps made from functions of a cell, for CUDA. */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/stencil.cuh"
#include "sweeps/cell/stencils.h"

extern "C" {
WABE_COLUMNS(WABE_GPU_COLUMN_DECLARE)
}

WABE_COLUMNS(WABE_COLUMN_KERNEL)
