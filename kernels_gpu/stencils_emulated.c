/* Stencil sweeps made from functions of a cell, for emulated devices. */
#include "kernels_gpu/stencil_emulated.h"

#include "kernels_gpu/functions.h"
#include "sweeps/cell/stencils.h"

WABE_STENCILS(WABE_GPU_STENCIL_DECLARE)
WABE_COLUMNS(WABE_GPU_COLUMN_DECLARE)

WABE_STENCILS(WABE_STENCIL_KERNEL)
WABE_COLUMNS(WABE_COLUMN_KERNEL)
