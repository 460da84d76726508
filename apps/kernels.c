/* wabe kernels: the registry. */
#include "apps/commands.h"

#include <string.h>

extern const wabe_kernel_table wabe_kernels_cpu;

const wabe_registry *wabe_kernels(void) {
    static wabe_registry registry;
    registry = (wabe_registry){.table_count = 1, .tables = {wabe_kernels_cpu}};
    return &registry;
}

wabe_status wabe_command_kernels(int argc, char *argv[]) {
    const bool json = argc == 2 && strcmp(argv[1], "--json") == 0;
    WABE_CHECK(argc == 1 || json, WABE_INPUT, "usage: wabe kernels [--json]");
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const wabe_component component = wabe_component_detect(0);
    if (rank == 0)
        wabe_registry_print(wabe_kernels(), &component, json, stdout);
    return WABE_OK;
}
