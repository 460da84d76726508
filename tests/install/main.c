/* A lid-driven cavity by the installed library: a hundred steps on all processes. */
#include "apps/lbm/cavity.h"
#include "apps/lbm/simulation.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static wabe_status run(int rank) {
    const int64_t cells[3] = {32, 32, 32};
    wabe_cavity cavity;
    wabe_components components; /* the GPUs and CPUs of this machine */
    wabe_simulation *simulation = NULL;
    wabe_monitor_result result;
    uint64_t hash;
    WABE_TRY(wabe_cavity_make(cells, 1.0, -1, &cavity));
    WABE_TRY(wabe_components_detect(&components));
    components.count = 1; /* the first of them */
    const wabe_simulation_options options = {.model = wabe_cavity_model(WABE_TYPE_f64,
                                                                        WABE_STREAMING_in_place),
                                             .geometry = cavity.geometry,
                                             .overlap = true,
                                             .communicate = true};
    WABE_TRY(wabe_simulation_create(MPI_COMM_WORLD, &options, &components, &simulation));
    WABE_TRY(wabe_simulation_initialise(simulation, wabe_lbm_at_rest, NULL));
    for (int step = 0; step < 100; step++)
        wabe_simulation_step(simulation);
    WABE_TRY(wabe_simulation_monitor(simulation, &result));
    WABE_TRY(wabe_simulation_hash(simulation, &hash));
    if (rank == 0) /* the density at rest is 1; the sum of what it is more has no rounding */
        printf("mass %.12f largest_velocity %.12f state %016" PRIx64 "\n",
               (double)result.cells + wabe_sum_value(result.mass), sqrt(result.speed_squared),
               hash);
    wabe_simulation_destroy(&simulation);
    wabe_cavity_free(&cavity);
    return WABE_OK;
}

int main(int argc, char *argv[]) {
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const wabe_status status = wabe_agree(MPI_COMM_WORLD, run(rank));
    if (status != WABE_OK && rank == 0)
        fprintf(stderr, "cavity: %s\n", wabe_error_message());
    MPI_Finalize();
    return status;
}
