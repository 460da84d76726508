/* The commands of wabe: one file each. argv[0] is the command's own name. */
#pragma once

#include "apps/runtime/arguments.h"

/* All collective over MPI_COMM_WORLD. */
wabe_status wabe_command_run(int argc, char *argv[]);
wabe_status wabe_command_check(int argc, char *argv[]);
wabe_status wabe_command_geometry(int argc, char *argv[]);
wabe_status wabe_command_predict(int argc, char *argv[]);
wabe_status wabe_command_calibrate(int argc, char *argv[]);
wabe_status wabe_command_bench(int argc, char *argv[]);
wabe_status wabe_command_kernels(int argc, char *argv[]);
wabe_status wabe_command_node(int argc, char *argv[]);

/* What they take; run, check, geometry and predict: wabe_input_arguments. */
extern const wabe_argument wabe_calibrate_arguments[], wabe_bench_arguments[],
    wabe_kernels_arguments[], wabe_node_arguments[];

/* wabe calibrate measures messages between processes: started without a launcher it starts itself
 * again by mpirun, a process for each hardware thread. To be called before MPI is. */
void wabe_calibrate_launch(int argc, char *argv[]);
