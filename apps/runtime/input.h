/* The command line of run, check, geometry and predict, and the input file that it names. */
#pragma once

#include "apps/runtime/arguments.h"
#include "core/config/option.h"

typedef struct {
    const char *file;
    wabe_argument_texts overrides;
    bool quiet, verbose, reference, weak, overwrite, change_physics;
    const char *machine, *nodes, *csv; /* NULL: not given */
    const char *restart;               /* "latest", a file, or NULL */
    int argc;
    char *const *argv; /* starting at the command */
    unsigned long crc; /* CRC-32 of the file, as in gzip and zlib */
} wabe_input;

/* The arguments of these commands. */
extern const wabe_argument wabe_input_arguments[];

/* Parses the command line. WABE_INPUT: see wabe_arguments_read; neither file nor --reference; or
 * --overwrite with --restart latest. Local. */
wabe_status wabe_input_read_arguments(int argc, char *argv[], wabe_input *out);

/* Reads the file on rank 0 and parses it on all; sets input->crc. WABE_INPUT: no such file, or a
 * syntax error. Collective. */
wabe_status wabe_input_load(MPI_Comm comm, wabe_input *input, wabe_config **out);
