/* Stencil sweeps made from functions of a cell: compiled once per flavour. */
#include "kernels_cpu/vector.h"

#ifndef WABE_VECTOR_F16 /* grids are not stored in f16 */

#include "kernels_cpu/stencil.h"

#include "kernels_cpu/functions.h"
#include "sweeps/cell/stencils.h"

WABE_STENCILS(WABE_CPU_STENCIL_DECLARE)
WABE_COLUMNS(WABE_CPU_COLUMN_DECLARE)

WABE_STENCILS(WABE_STENCIL_KERNEL)
WABE_COLUMNS(WABE_COLUMN_KERNEL)

#endif
