/* wabe kernels: lists the registry. */
#include "apps/runtime/kernels.h"
#include "apps/commands.h"
#include "apps/runtime/components.h"
#include "comm/model.h"

#define GIGA 1e9

/* Prints the upper bound of each kernel that computes. */
static void print_bounds(wabe_model_processor processor) {
    const wabe_registry *registry = wabe_kernels();
    printf("%-44s %6s %5s %9s %10s %8s %8s\n", "kernel", "B", "flop", "B / flop", "lightspeed",
           "MLUPS", "roofline");
    for (int t = 0; t < registry->table_count; t++)
        for (int i = 0; i < registry->tables[t].count; i++) {
            const wabe_kernel *kernel = &registry->tables[t].rows[i];
            const wabe_model_work work = {.bytes = kernel->bytes, .flops = kernel->flops};
            if (kernel->flops == 0)
                continue;
            const wabe_model_bound bound = wabe_model_lightspeed(processor, work);
            printf("%-44s %6d %5d %9.3f %10.4f %8.1f %8.1f\n", kernel->name, kernel->bytes,
                   kernel->flops, bound.code_balance, bound.lightspeed, 1e-6 * bound.updates,
                   1e-6 * wabe_model_roofline(processor, work) / work.flops);
        }
    printf(
        "\nlightspeed: share of the peak that memory allows, and the cells per second that follow; "
        "roofline:\nif memory and arithmetic do not overlap. Machine balance %.4f B / flop.\n",
        processor.bandwidth / processor.peak);
}

typedef struct {
    bool json;
    double bandwidth, peak; /* in 10^9 per second; 0: not given */
} kernels_options;

#define ROW(kind, member) WABE_ARGUMENT(kind, kernels_options, member)

const wabe_argument wabe_kernels_arguments[] = {
    {"--json", NULL, "print JSON", ROW(SWITCH, json)},
    {"--bandwidth", "GB/S", "with --peak: what bounds each kernel on such a processor",
     ROW(REAL, bandwidth)},
    {"--peak", "GFLOP/S", "with --bandwidth: its peak", ROW(REAL, peak)},
    {0},
};

wabe_status wabe_command_kernels(int argc, char *argv[]) {
    kernels_options o = {0};
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    WABE_TRY(wabe_arguments_read(wabe_kernels_arguments, argc, argv, &o));
    const bool bounds = o.bandwidth > 0.0 || o.peak > 0.0;
    WABE_CHECK(!bounds || (o.bandwidth > 0.0 && o.peak > 0.0 && !o.json), WABE_INPUT,
               "--bandwidth and --peak are needed both, and --json does not go with them");
    if (bounds) {
        if (rank == 0)
            print_bounds(
                (wabe_model_processor){.bandwidth = GIGA * o.bandwidth, .peak = GIGA * o.peak});
        return WABE_OK;
    }
    wabe_components found;
    WABE_TRY(wabe_components_detect(&found));
    if (rank == 0)
        wabe_registry_print(wabe_kernels(), found.count, found.list, o.json, stdout);
    return WABE_OK;
}
