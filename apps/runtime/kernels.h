/* Every kernel of this build. */
#ifndef WABE_APPS_RUNTIME_KERNELS_H
#define WABE_APPS_RUNTIME_KERNELS_H

#include "core/registry/kernel.h"

/* The tables of kernels_cpu and kernels_gpu. Local. */
const wabe_registry *wabe_kernels(void);

#endif
