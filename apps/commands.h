/* The commands of wabe, one file each. argv[0] is the command's own name. */
#pragma once

#include "apps/runtime/arguments.h"

/* Run a command, in the file of its name. Collective over MPI_COMM_WORLD. */
wabe_status wabe_command_run(int argc, char *argv[]);
wabe_status wabe_command_check(int argc, char *argv[]);
wabe_status wabe_command_geometry(int argc, char *argv[]);
wabe_status wabe_command_predict(int argc, char *argv[]);
wabe_status wabe_command_calibrate(int argc, char *argv[]);
wabe_status wabe_command_bench(int argc, char *argv[]);
wabe_status wabe_command_kernels(int argc, char *argv[]);
wabe_status wabe_command_node(int argc, char *argv[]);

/* The commands' arguments; run, check, geometry and predict take wabe_input_arguments. */
extern const wabe_argument wabe_calibrate_arguments[], wabe_bench_arguments[],
    wabe_kernels_arguments[], wabe_node_arguments[];

/* Restarts wabe calibrate under mpirun, one process per hardware thread, if it was started without
 * a launcher: it measures messages between processes. Call it before MPI is initialised. Local. */
void wabe_calibrate_launch(int argc, char *argv[]);
