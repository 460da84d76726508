/* Compiled once for each type. */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/stencil.cuh"
#include "tests/application/cell.h"

extern "C" {
APPLICATION_STENCILS(WABE_GPU_STENCIL_DECLARE)
}

APPLICATION_STENCILS(WABE_STENCIL_KERNEL)
