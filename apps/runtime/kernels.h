/* Every kernel of this build. */
#pragma once

#include "core/registry/kernel.h"

/* A program that uses the library has kernels of its own: to be called before anything asks for
 * kernels, for WABE_REGISTRY_TABLES_MAX - 2 tables at most. Local. */
void wabe_kernels_add(const wabe_kernel_table *table);

/* The tables of kernels_cpu and kernels_gpu, and those added. Local. */
const wabe_registry *wabe_kernels(void);
