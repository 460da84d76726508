/* wabe: the command line. Each command is a file in apps/; the exit code is the command's
 * status. */
#include "apps/commands.h"
#include "apps/runtime/input.h"
#include "core/base/log.h"
#include "core/base/version.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name;
    wabe_status (*run)(int argc, char *argv[]);
    const wabe_argument *arguments;
    const char *what, *example;
} command;

static const command commands[] = {
    {"run", wabe_command_run, wabe_input_arguments, "computes a case",
     "mpirun -np 2 wabe run case.cfg --set steps=2000"},
    {"check", wabe_command_check, wabe_input_arguments,
     "checks a case and prints derived values; computes nothing", "wabe check case.cfg"},
    {"geometry", wabe_command_geometry, wabe_input_arguments,
     "writes the solid cells: voxels for ParaView, pictures, porosity", "wabe geometry case.cfg"},
    {"predict", wabe_command_predict, wabe_input_arguments,
     "forecasts steps of a case, on this or a described machine",
     "wabe predict case.cfg --machine cluster.cfg --nodes 1,2,4,8"},
    {"calibrate", wabe_command_calibrate, wabe_calibrate_arguments,
     "measures this machine for the performance model", "wabe calibrate --output machine.cfg"},
    {"bench", wabe_command_bench, wabe_bench_arguments,
     "measures kernels alone, beside the memory limit",
     "wabe bench stream_collide.trt --cells 128"},
    {"kernels", wabe_command_kernels, wabe_kernels_arguments,
     "lists the kernels, or what bounds them", "wabe kernels --bandwidth 95 --peak 520"},
    {"node", wabe_command_node, wabe_node_arguments,
     "prints the compute components found here, for an input file", "wabe node"},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_usage(FILE *file) {
    fprintf(file,
            "Wabe %s: flow by the lattice Boltzmann method, two fluids, weather, solidification, "
            "diffusion\n\n",
            WABE_VERSION);
    for (int i = 0; i < COMMANDS; i++) {
        char head[32];
        snprintf(head, sizeof head, "%s %s", commands[i].name,
                 wabe_arguments_operand(commands[i].arguments, commands[i].name));
        fprintf(file, "  wabe %-16s %s\n", head, commands[i].what);
    }
    fprintf(file, "\nOptions: wabe COMMAND --help; version: wabe --version\n"
                  "Several processes: mpirun -np N wabe run FILE\n"
                  "Exit codes: ");
#define X(name, code, text) fprintf(file, "%s%d %s", (code) ? ", " : "", (code), (text));
    WABE_STATUS_LIST(X)
#undef X
    fprintf(file, "\n");
}

static void print_help(const command *c) {
    const char *operand = wabe_arguments_operand(c->arguments, c->name);
    printf("wabe %s%s%s: %s\n\n", c->name, operand[0] ? " " : "", operand, c->what);
    wabe_arguments_print(stdout, c->arguments, c->name);
    printf("  %-24s %s\n\nExample: %s\n", "--help", "this text", c->example);
}

static wabe_status version(void) {
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(mpi, &length);
    mpi[strcspn(mpi, ",\n")] = '\0';
    printf("wabe %s (%s, %s)\n%s; HDF5 %s; %s\n", WABE_VERSION, WABE_COMMIT, WABE_COMPILERS, mpi,
           WABE_HDF5_VERSION, WABE_CUDA_VERSION);
    return WABE_OK;
}

static bool is_help(const char *argument) {
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

static wabe_status run_command(const command *c, int argc, char *argv[], int rank) {
    for (int i = 1; i < argc; i++)
        if (is_help(argv[i])) {
            if (rank == 0)
                print_help(c);
            return WABE_OK;
        }
    return c->run(argc, argv);
}

static wabe_status fail_unknown(const char *text) {
    wabe_closest closest = {0};
    for (int i = 0; i < COMMANDS; i++) {
        const char *name = commands[i].name;
        const size_t length = strlen(name);
        wabe_closest_offer(&closest, wabe_closest_distance(text, strlen(text), name, length), name,
                           length);
    }
    return wabe_arguments_fail_unknown("command", text, &closest, "");
}

static wabe_status dispatch(int argc, char *argv[], int rank) {
    if (argc < 2) {
        if (rank == 0)
            print_usage(stderr);
        return WABE_FAIL(WABE_INPUT, "a command is missing");
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return run_command(&commands[i], argc - 1, argv + 1, rank);
    if (strcmp(argv[1], "--version") == 0)
        return rank == 0 ? version() : WABE_OK;
    if (!is_help(argv[1]))
        return fail_unknown(argv[1]);
    if (rank == 0)
        print_usage(stdout);
    return WABE_OK;
}

int main(int argc, char *argv[]) {
    int provided, rank;
    wabe_calibrate_launch(argc, argv);
    signal(SIGXFSZ, SIG_IGN); /* file size limits become errors of write calls */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    wabe_log_start(rank == 0, false, false);
    wabe_status status = WABE_OK;
    if (provided < MPI_THREAD_FUNNELED)
        status = WABE_FAIL(WABE_INTERNAL, "this MPI library does not work beside threads");
    if (status == WABE_OK)
        status = dispatch(argc, argv, rank);
    status = wabe_agree(MPI_COMM_WORLD, status);
    if (status != WABE_OK)
        wabe_log_error(wabe_error_message());
    wabe_log_close();
    MPI_Finalize();
    return status;
}
