/* The application himeno: Himeno's benchmark. */
#pragma once

#include "apps/runtime/run.h"

/* As read. */
typedef struct {
    wabe_run_options run;
    int size; /* in the order of the words */
    double seconds;
    char kernel[WABE_STRING_SIZE];
} wabe_himeno_options;

extern const wabe_option wabe_himeno_option_rows[];

/* Executes an input file. Collective. */
wabe_status wabe_himeno_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                                wabe_verb verb);
