#include "apps/runtime/kernels.h"

extern const wabe_kernel_table wabe_kernels_cpu, wabe_kernels_gpu;

const wabe_registry *wabe_kernels(void) {
    static wabe_registry registry;
    registry = (wabe_registry){.table_count = 2, .tables = {wabe_kernels_cpu, wabe_kernels_gpu}};
    return &registry;
}
