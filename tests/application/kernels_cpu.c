/* Compiled once for each flavour. */
#include "kernels_cpu/vector.h"

#include "kernels_cpu/stencil.h"

#include "kernels_cpu/functions.h"
#include "tests/application/cell.h"

APPLICATION_STENCILS(WABE_CPU_STENCIL_DECLARE)

APPLICATION_STENCILS(WABE_STENCIL_KERNEL)
