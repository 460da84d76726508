/* Any machine file must be read or refused. What was read must survive being written and read
 * again, and every number that the performance model makes of it is one. */
#include "apps/model/scaling.h"
#include "tests/fuzz/target.h"

#include <math.h>

enum { SLABS_MAX = 256 }; /* more take longer, and are no other code */

static bool read_machine(const char *path, wabe_machine *out) {
    fuzz_forget_message();
    return fuzz_good(wabe_machine_read(MPI_COMM_SELF, path, out), WABE_INPUT, WABE_INPUT);
}

/* Names lose quotes and backslashes when they are written; what is compared is what counts. */
static void check_round_trip(const wabe_machine *first) {
    wabe_machine second;
    const char *path = fuzz_file(NULL, 0);
    if (wabe_machine_write(first, path, "# head\n") != WABE_OK)
        abort();
    if (!read_machine(path, &second)) {
        fprintf(stderr, "%s\n", wabe_error_message());
        abort();
    }
    if (first->component_count != second.component_count ||
        first->kernel_count != second.kernel_count)
        abort();
    wabe_machine_free(&second);
}

static wabe_scaling_pass pass_of(const void *context, const int64_t cells[3], wabe_target target) {
    (void)context, (void)cells, (void)target;
    return (wabe_scaling_pass){.steps = 1, .cost = 1.0, .crossing = {5.0, 1.0, 0.0}};
}

static int64_t memory_of(const void *context, const int64_t cells[3], wabe_target target) {
    (void)context, (void)target;
    return 304 * cells[0] * cells[1] * cells[2];
}

static void check_forecast(const wabe_scaling_case *k, const wabe_machine *machine, wabe_mode mode,
                           bool weak) {
    static const int64_t nodes[] = {1, 2, 12};
    const wabe_placement p = wabe_placement_of(k, machine, mode, weak);
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        wabe_grid_forecast f[WABE_CUTS];
        if (nodes[i] > 1 && !(machine->links.network.bandwidth > 0.0))
            continue; /* as in wabe predict */
        if (nodes[i] * p.per_node > SLABS_MAX)
            continue;
        wabe_forecast_grids(k, &p, nodes[i], f);
        for (int cut = 0; cut < WABE_CUTS; cut++)
            if (f[cut].possible && !(f[cut].seconds >= 0.0 && isfinite(f[cut].seconds))) {
                fprintf(stderr, "%lld nodes, cut %d: %g s\n", (long long)nodes[i], cut,
                        f[cut].seconds);
                abort();
            }
        if (wabe_fastest_cut(f) >= WABE_CUTS)
            abort();
    }
}

static void check_flavour(const wabe_machine *machine, wabe_machine_flavour flavour) {
    for (int n = 0; n < 4; n++) {
        const wabe_scaling_case k = {.name = "fuzz",
                                     .cells = {96, n & 1 ? 1 : 64, 48},
                                     .periodic = {true, false, n & 1},
                                     .overlap = n & 1,
                                     .fluid_share = flavour.fluid,
                                     .flows = true,
                                     .type = flavour.storage,
                                     .transport = WABE_TRANSPORT_any,
                                     .flavour = flavour,
                                     .pass = pass_of,
                                     .memory = memory_of,
                                     .device_memory = NAN};
        for (int mode = WABE_MODE_PURE_MPI; mode <= WABE_MODE_HETEROGENEOUS; mode++)
            check_forecast(&k, machine, (wabe_mode)mode, n >> 1);
    }
}

/* A flavour that the file may have, and those of its first kernels. */
static void check_model(const wabe_machine *m) {
    const wabe_model_work work = {.bytes = 304.0, .flops = 200.0};
    check_flavour(m, (wabe_machine_flavour){.storage = WABE_TYPE_f64,
                                            .streaming = WABE_STREAMING_in_place,
                                            .fluid = 0.5,
                                            .work = work});
    for (int i = 0; i < m->kernel_count && i < 2; i++)
        check_flavour(m, (wabe_machine_flavour){.storage = m->kernels[i].storage,
                                                .streaming = m->kernels[i].streaming,
                                                .application = m->kernels[i].application,
                                                .steps = m->kernels[i].steps,
                                                .walls = m->kernels[i].walls,
                                                .fluid = m->kernels[i].fluid,
                                                .work = work});
}

/* NOLINTNEXTLINE(readability-identifier-naming) */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wabe_machine machine;
    fuzz_begin();
    if (read_machine(fuzz_file(data, size), &machine)) {
        check_round_trip(&machine);
        check_model(&machine);
    }
    wabe_machine_free(&machine);
    return 0;
}
