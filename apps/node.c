/* wabe node: the compute components found here. */
#include "apps/commands.h"

#include <stdio.h>

wabe_status wabe_command_node(int argc, char *argv[]) {
    (void)argv;
    WABE_CHECK(argc == 1, WABE_INPUT, "usage: wabe node");
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0)
        return WABE_OK;
    char processor[128];
    wabe_component_processor_name(processor, sizeof processor);
    const wabe_component component = wabe_component_detect(0);
    printf("# %s, %.1f GB of memory available\n", processor,
           1e-9 * (double)wabe_component_available_memory());
    printf("# %s: %s with %s, %d threads\n", component.name, wabe_target_word(component.target),
           wabe_instruction_set_word(component.instruction_set), component.threads);
    printf("parallel = { mode = \"pure-mpi\"; threads = %d; };\n", component.threads);
    return WABE_OK;
}
