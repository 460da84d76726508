#include "apps/runtime/kernels.h"

#include <assert.h>
#include <string.h>

extern const wabe_kernel_table wabe_kernels_cpu, wabe_kernels_gpu;

static wabe_kernel_table added[WABE_REGISTRY_TABLES_MAX - 2];
static int added_count;

void wabe_kernels_add(const wabe_kernel_table *table) {
    assert(added_count < WABE_REGISTRY_TABLES_MAX - 2);
    added[added_count++] = *table;
}

const wabe_registry *wabe_kernels(void) {
    static wabe_registry registry;
    registry = (wabe_registry){.table_count = 2 + added_count,
                               .tables = {wabe_kernels_cpu, wabe_kernels_gpu}};
    memcpy(&registry.tables[2], added, sizeof added);
    return &registry;
}
