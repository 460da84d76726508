/* wabe kernels: the registry. */
#include "apps/commands.h"
#include "apps/components.h"
#include "sweeps/schedule.h"

#include <string.h>

extern const wabe_kernel_table wabe_kernels_cpu, wabe_kernels_gpu;

const wabe_registry *wabe_kernels(void) {
    static wabe_registry registry;
    registry = (wabe_registry){.table_count = 2, .tables = {wabe_kernels_cpu, wabe_kernels_gpu}};
    return &registry;
}

static void print_sweeps(void) {
    printf("\n%-15s %-20s %-20s %4s %-9s\n", "sweep", "reads", "writes", "halo", "exchanged");
    for (int sweep = 0; sweep < WABE_SWEEP_end; sweep++) {
        const wabe_sweep_descriptor d = wabe_sweep_describe((wabe_sweep)sweep);
        printf("%-15s %-20s %-20s %4d %-9s\n", wabe_sweep_word((wabe_sweep)sweep), d.reads,
               d.writes, d.halo, d.exchanged ? "yes" : "no");
    }
}

wabe_status wabe_command_kernels(int argc, char *argv[]) {
    const bool json = argc == 2 && strcmp(argv[1], "--json") == 0;
    WABE_CHECK(argc == 1 || json, WABE_INPUT, "usage: wabe kernels [--json]");
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    wabe_components found;
    WABE_TRY(wabe_components_detect(&found));
    if (rank == 0)
        wabe_registry_print(wabe_kernels(), found.count, found.list, json, stdout);
    if (rank == 0 && !json)
        print_sweeps();
    return WABE_OK;
}
