/* All kernels of this build. */
#pragma once

#include "core/registry/kernel.h"

/* Adds the kernels of a program that uses the library. Call it before kernels are first used, and
 * at most WABE_REGISTRY_TABLES_MAX - 2 times. Local. */
void wabe_kernels_add(const wabe_kernel_table *table);

/* Returns the registry: the tables of kernels_cpu and kernels_gpu, and those added. Local. */
const wabe_registry *wabe_kernels(void);
