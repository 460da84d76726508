/* Compiled once for each type. */
#include "kernels_gpu/stencil_emulated.h"

#include "kernels_gpu/functions.h"
#include "tests/application/stencils.h"

TEST_STENCILS(WABE_GPU_STENCIL_DECLARE)
TEST_COLUMNS(WABE_GPU_COLUMN_DECLARE)

TEST_STENCILS(WABE_STENCIL_KERNEL)
TEST_COLUMNS(WABE_COLUMN_KERNEL)
