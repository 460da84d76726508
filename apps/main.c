/* wabe: the command line. Every command is one file in apps/; the exit code is its status. */
#include "apps/commands.h"
#include "core/base/log.h"
#include "core/base/version.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name;
    wabe_status (*run)(int argc, char *argv[]);
    const char *usage;
} command;

static const command commands[] = {
    {"run", wabe_command_run,
     "FILE [--set path=value]... [--restart latest|FILE] [--change-physics] [--machine FILE] "
     "[--quiet]   run a case"},
    {"check", wabe_command_check,
     "FILE [--set path=value]... [--machine FILE]   check a case, print what follows from it; "
     "--reference: all keys"},
    {"geometry", wabe_command_geometry,
     "FILE [--set path=value]...   what is solid: voxels for ParaView, pictures, porosity"},
    {"predict", wabe_command_predict,
     "FILE [--machine FILE] [--nodes 1,2,4,...] [--weak] [--csv FILE] [--set path=value]...   "
     "steps on this or a described machine"},
    {"calibrate", wabe_command_calibrate,
     "[--output FILE] [--only gpu|cpu] [--quick]   measure this machine for the performance model"},
    {"bench", wabe_command_bench,
     "[PATTERN] [--json] [--cells N] [--threads N] [--repetitions N] [--fluid PERCENT]   kernels "
     "alone, beside the memory limit"},
    {"kernels", wabe_command_kernels,
     "[--json] [--bandwidth GB/S --peak GFLOP/S]   the registry of kernels, or what bounds them"},
    {"node", wabe_command_node, "the compute components found here"},
};

static void print_usage(FILE *file) {
    fprintf(file, "Wabe %s: lattice Boltzmann flow simulation\n\n", WABE_VERSION);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        fprintf(file, "  wabe %-9s %s\n", commands[i].name, commands[i].usage);
    fprintf(file, "\nwabe COMMAND --help, wabe --version\n"
                  "Several processes: mpirun -np N wabe run FILE\n"
                  "Exit codes: ");
#define X(name, code, text) fprintf(file, "%s%d %s", (code) ? ", " : "", (code), (text));
    WABE_STATUS_LIST(X)
#undef X
    fprintf(file, "\n");
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
                printf("wabe %s %s\n", c->name, c->usage);
            return WABE_OK;
        }
    return c->run(argc, argv);
}

static wabe_status dispatch(int argc, char *argv[], int rank) {
    if (argc >= 2)
        for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
            if (strcmp(argv[1], commands[i].name) == 0)
                return run_command(&commands[i], argc - 1, argv + 1, rank);
    if (argc >= 2 && strcmp(argv[1], "--version") == 0)
        return rank == 0 ? version() : WABE_OK;
    const bool asked = argc >= 2 && is_help(argv[1]);
    if (rank == 0)
        print_usage(asked ? stdout : stderr);
    WABE_CHECK(asked, WABE_INPUT, argc < 2 ? "a command is missing" : "unknown command '%s'",
               argc < 2 ? "" : argv[1]);
    return WABE_OK;
}

int main(int argc, char *argv[]) {
    int provided, rank;
    wabe_calibrate_launch(argc, argv);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of who writes it */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    wabe_log_start(rank == 0, false);
    wabe_status status = WABE_OK;
    if (provided < MPI_THREAD_FUNNELED)
        status = WABE_FAIL(WABE_INTERNAL, "this MPI library does not work beside threads");
    if (status == WABE_OK)
        status = dispatch(argc, argv, rank);
    status = wabe_agree(MPI_COMM_WORLD, status);
    wabe_log_close();
    if (status != WABE_OK && rank == 0)
        fprintf(stderr, "wabe: %s\n", wabe_error_message());
    MPI_Finalize();
    return status;
}
