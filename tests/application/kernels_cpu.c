/* Compiled once for each flavour. */
#include "kernels_cpu/vector.h"

#include "kernels_cpu/stencil.h"

#include "kernels_cpu/functions.h"
#include "tests/application/stencils.h"

TEST_STENCILS(WABE_CPU_STENCIL_DECLARE)
TEST_COLUMNS(WABE_CPU_COLUMN_DECLARE)

TEST_STENCILS(WABE_STENCIL_KERNEL)
TEST_COLUMNS(WABE_COLUMN_KERNEL)
