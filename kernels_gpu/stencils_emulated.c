/* Stencil sweeps made from their functions of a cell, as emulated devices run them. */
#include "kernels_gpu/stencil_emulated.h"

#include "kernels_gpu/functions.h"
#include "sweeps/cell/stencils.h"

WABE_STENCILS(WABE_GPU_STENCIL_DECLARE)

WABE_STENCILS(WABE_STENCIL_KERNEL)
