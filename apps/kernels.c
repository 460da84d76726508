/* wabe kernels: the registry. */
#include "apps/runtime/kernels.h"
#include "apps/commands.h"
#include "apps/runtime/components.h"
#include "comm/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What each kernel that computes could reach at most. */
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

/* A number above 0, in billions. */
static bool read_giga(const char *text, double *out) {
    char *end;
    *out = 1e9 * strtod(text, &end);
    return *text && !*end && isfinite(*out) && *out > 0.0;
}

static wabe_status print_bounds_of(char *argv[], int rank) {
    wabe_model_processor processor = {0};
    for (int i = 1; i < 5; i += 2) {
        const bool bandwidth = strcmp(argv[i], "--bandwidth") == 0;
        WABE_CHECK(bandwidth || strcmp(argv[i], "--peak") == 0, WABE_INPUT,
                   "unknown option '%s'; known: --json, --bandwidth GB/S --peak GFLOP/S", argv[i]);
        WABE_CHECK(read_giga(argv[i + 1], bandwidth ? &processor.bandwidth : &processor.peak),
                   WABE_INPUT, "%s needs a number above 0, not '%s'", argv[i], argv[i + 1]);
    }
    WABE_CHECK(processor.bandwidth > 0.0 && processor.peak > 0.0, WABE_INPUT,
               "--bandwidth and --peak are needed both, each once");
    if (rank == 0)
        print_bounds(processor);
    return WABE_OK;
}

wabe_status wabe_command_kernels(int argc, char *argv[]) {
    const bool json = argc == 2 && strcmp(argv[1], "--json") == 0;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc == 5)
        return print_bounds_of(argv, rank);
    WABE_CHECK(argc == 1 || json, WABE_INPUT,
               "usage: wabe kernels [--json] [--bandwidth GB/S --peak GFLOP/S]");
    wabe_components found;
    WABE_TRY(wabe_components_detect(&found));
    if (rank == 0)
        wabe_registry_print(wabe_kernels(), found.count, found.list, json, stdout);
    return WABE_OK;
}
