/* wabe node: prints the compute components of this node as text for an input file. */
#include "apps/commands.h"
#include "apps/runtime/components.h"

#include <stdio.h>
#include <unistd.h>

/* The socket of a core; -1 beyond the last core. */
static int socket_of(int core) {
    char path[96];
    int socket = -1;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", core);
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    if (fscanf(file, "%d", &socket) != 1)
        socket = 0;
    fclose(file);
    return socket < 0 ? 0 : socket;
}

static void print_gpu(const wabe_component *c, int index) {
    const wabe_device_info *info = wabe_device_describe(c->device);
    printf("        { kind = \"gpu\"; device = %d; }, # %s, %.1f GB\n", index, info->name,
           1e-9 * (double)info->memory);
}

/* Prints one component for each range of cores of a socket. */
static void print_cpus(const wabe_component *c) {
    const int cores = (int)sysconf(_SC_NPROCESSORS_CONF);
    for (int first = 0; first < cores;) {
        int last = first;
        while (last + 1 < cores && socket_of(last + 1) == socket_of(first))
            last++;
        printf("        { kind = \"cpu\"; cores = \"%d-%d\"; }%s # socket %d, %s\n", first, last,
               last + 1 < cores ? "," : "", socket_of(first),
               wabe_instruction_set_word(c->instruction_set));
        first = last + 1;
    }
}

const wabe_argument wabe_node_arguments[] = {{0}};

wabe_status wabe_command_node(int argc, char *argv[]) {
    WABE_TRY(wabe_arguments_read(wabe_node_arguments, argc, argv, NULL));
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0)
        return WABE_OK;
    char processor[128];
    const char *why = "";
    wabe_components found;
    wabe_component_processor_name(processor, sizeof processor);
    WABE_TRY(wabe_components_detect(&found));
    const int gpus = wabe_devices_count(&why);
    printf("# %s, %.1f GB of memory available\n", processor,
           1e-9 * (double)wabe_component_available_memory());
    if (gpus == 0)
        printf("# no GPU: %s\n", why);
    printf("# pure-mpi: as many processes as components; hybrid, heterogeneous: one process\n");
    printf("node = {\n    components = (\n");
    for (int i = 0; i < found.count; i++)
        if (found.list[i].device)
            print_gpu(&found.list[i], i);
        else
            print_cpus(&found.list[i]);
    printf("    );\n};\nparallel = { mode = \"%s\"; };\n", gpus > 0 ? "heterogeneous" : "pure-mpi");
    return WABE_OK;
}
