/* Compiled once for each type. */
#include "kernels_gpu/stencil_emulated.h"

#include "kernels_gpu/functions.h"
#include "tests/application/cell.h"

APPLICATION_STENCILS(WABE_GPU_STENCIL_DECLARE)

APPLICATION_STENCILS(WABE_STENCIL_KERNEL)
