/* The command line of run, check, geometry and predict, and the input file behind it. */
#pragma once

#include "apps/runtime/arguments.h"
#include "core/config/option.h"

typedef struct {
    const char *file;
    wabe_argument_texts overrides;
    bool quiet, reference, weak;
    const char *machine, *nodes, *csv; /* NULL: not given */
    const char *restart;               /* "latest", a file, or NULL */
} wabe_input;

/* What these commands take. */
extern const wabe_argument wabe_input_arguments[];

/* WABE_INPUT: see wabe_arguments_read; or no file, and no --reference. Local. */
wabe_status wabe_input_read_arguments(int argc, char *argv[], wabe_input *out);

/* Rank 0 reads the file, all ranks parse it. WABE_INPUT: no such file, or bad syntax. Collective.
 */
wabe_status wabe_input_load(MPI_Comm comm, const wabe_input *input, wabe_config **out);
