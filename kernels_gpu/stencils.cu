/* Stencil sweeps made from functions of a cell, for CUDA. */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/stencil.cuh"
#include "sweeps/cell/stencils.h"

extern "C" {
WABE_STENCILS(WABE_GPU_STENCIL_DECLARE)
}

WABE_CELLWISE(WABE_STENCIL_KERNEL)
WABE_PLANEWISE(WABE_PLANEWISE_KERNEL)
