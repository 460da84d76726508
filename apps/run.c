/* wabe run and wabe check: the input file says which application. */
#include "apps/commands.h"
#include "apps/input.h"
#include "apps/lbm.h"
#include "core/log.h"

#include <string.h>

typedef struct {
    const char *name;
    const wabe_option *options;
    wabe_status (*run)(MPI_Comm comm, wabe_config *config);
    wabe_status (*check)(MPI_Comm comm, wabe_config *config);
} application;

static const application applications[] = {
    {"lbm", wabe_lbm_option_rows, wabe_lbm_run, wabe_lbm_check},
};

static wabe_status find_application(wabe_config *config, const application **out) {
    static const wabe_option row = {.path = "application",
                                    .type = WABE_OPTION_STRING,
                                    .default_value = "\"lbm\"",
                                    .unit = "",
                                    .help = ""};
    char name[WABE_STRING_SIZE];
    WABE_TRY(wabe_config_read_one(config, &row, name));
    for (size_t i = 0; i < sizeof applications / sizeof applications[0]; i++)
        if (strcmp(name, applications[i].name) == 0) {
            *out = &applications[i];
            return WABE_OK;
        }
    return wabe_config_fail(config, "application", "'%s' is not an application; there is \"lbm\"",
                            name);
}

static void print_reference(void) {
    for (size_t i = 0; i < sizeof applications / sizeof applications[0]; i++) {
        static wabe_lbm_options none;
        const wabe_option_table table = {applications[i].options, &none};
        wabe_config_print_reference(stdout, 1, &table);
    }
}

/* Reads the input and hands over to the application. */
static wabe_status hand_over(int argc, char *argv[], bool run) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    wabe_input input;
    WABE_TRY(wabe_input_arguments(argc, argv, &input));
    if (input.reference) {
        if (rank == 0)
            print_reference();
        return WABE_OK;
    }
    wabe_log_start(rank == 0, input.quiet);
    wabe_config *config = NULL;
    WABE_TRY(wabe_input_load(MPI_COMM_WORLD, &input, &config));
    const application *app = NULL;
    wabe_status status = wabe_agree(MPI_COMM_WORLD, find_application(config, &app));
    if (status == WABE_OK)
        status = run ? app->run(MPI_COMM_WORLD, config) : app->check(MPI_COMM_WORLD, config);
    wabe_config_destroy(&config);
    return status;
}

wabe_status wabe_command_run(int argc, char *argv[]) { return hand_over(argc, argv, true); }

wabe_status wabe_command_check(int argc, char *argv[]) { return hand_over(argc, argv, false); }
