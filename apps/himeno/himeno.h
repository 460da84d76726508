/* The application himeno: Himeno's benchmark, from an input file to its figures. */
#ifndef WABE_APPS_HIMENO_HIMENO_H
#define WABE_APPS_HIMENO_HIMENO_H

#include "apps/grid/grid.h"

/* As read. */
typedef struct {
    int64_t steps, monitor_every;
    int size; /* in the order of the words */
    double seconds;
    char kernel[WABE_STRING_SIZE];
} wabe_himeno_options;

extern const wabe_option wabe_himeno_option_rows[];

/* The commands. Collective. */
wabe_status wabe_himeno_run(MPI_Comm comm, const wabe_input *input, wabe_config *config);
wabe_status wabe_himeno_check(MPI_Comm comm, const wabe_input *input, wabe_config *config);
wabe_status wabe_himeno_predict(MPI_Comm comm, const wabe_input *input, wabe_config *config);

#endif
