/* The test application as a program: like wabe run and wabe check, with an input file.
 *
 *   application run|check FILE [arguments of wabe run] */
#include "apps/runtime/kernels.h"
#include "apps/runtime/stencil.h"
#include "core/base/log.h"
#include "tests/application/kernels.h"
#include "tests/application/model.h"

#include <stdio.h>
#include <string.h>

static const wabe_option no_rows[] = {{.path = NULL}};
static const char *const may_differ[] = {NULL};

static wabe_status initial(const void *context, int number, const int64_t cell[3], int64_t count,
                           double *row) {
    static const int which[3][2] = {{U, 0}, {W, 0}, {W, 1}};
    (void)context;
    return application_values(which[number], cell, count, row);
}

static void put(const wabe_run *run, wabe_json *json) {
    wabe_json_real(json, "largest", wabe_stencil_case_of(run)->slabs.values[LARGEST]);
}

static wabe_status conclude(wabe_run *run) {
    wabe_grid_slabs_reduce(&wabe_stencil_case_of(run)->slabs, LARGEST);
    return WABE_OK;
}

static wabe_status execute(const wabe_input *input, wabe_config *config, wabe_verb verb) {
    static const bool periodic[3] = {false, false, true};
    wabe_run_options o = {0};
    wabe_option_table tables[3];
    wabe_application app = wabe_run_application("test", no_rows, &o, sizeof o, tables);
    bool stopped;
    WABE_TRY(wabe_agree(MPI_COMM_WORLD, wabe_config_read(config, 3, tables)));
    wabe_stencil_case s = {.slabs = {.model = application_model(o.domain.cells, periodic),
                                     .fill = application_fill},
                           .initial = initial,
                           .conclude = conclude,
                           .put = put};
    app.may_differ = may_differ;
    wabe_run_cubes(&app, 1.0);
    app.time_step = 1.0;
    wabe_stencil_enter(&s, &app);
    return wabe_run_case(MPI_COMM_WORLD, input, config, &app, verb, &stopped);
}

int main(int argc, char *argv[]) {
    int provided, rank;
    wabe_input input;
    wabe_config *config = NULL;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    wabe_log_start(rank == 0, false, false);
    wabe_kernels_add(&application_kernels);
    const bool runs = argc > 1 && strcmp(argv[1], "run") == 0;
    wabe_status status = wabe_input_read_arguments(argc - 1, argv + 1, &input);
    if (status == WABE_OK) {
        wabe_log_start(rank == 0, input.quiet, input.verbose);
        status = wabe_input_load(MPI_COMM_WORLD, &input, &config);
    }
    if (status == WABE_OK)
        status = execute(&input, config, runs ? WABE_VERB_RUN : WABE_VERB_CHECK);
    wabe_config_destroy(&config);
    if (status != WABE_OK)
        wabe_log_error(wabe_error_message());
    wabe_log_close();
    MPI_Finalize();
    return status;
}
