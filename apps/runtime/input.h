/* The command line of run, check, geometry and predict, and the input file behind it. */
#pragma once

#include "apps/runtime/arguments.h"
#include "core/config/option.h"

typedef struct {
    const char *file;
    wabe_argument_texts overrides;
    bool quiet, reference, weak, overwrite, change_physics;
    const char *machine, *nodes, *csv; /* NULL: not given */
    const char *restart;               /* "latest", a file, or NULL */
    int argc;
    char *const *argv; /* from the command on */
    unsigned long crc; /* CRC-32 of the file, as gzip and zlib have it */
} wabe_input;

/* What these commands take. */
extern const wabe_argument wabe_input_arguments[];

/* WABE_INPUT: see wabe_arguments_read; or no file, and no --reference. Local. */
wabe_status wabe_input_read_arguments(int argc, char *argv[], wabe_input *out);

/* Rank 0 reads the file, all ranks parse it; sets its checksum. WABE_INPUT: no such file, or bad
 * syntax. Collective.
 */
wabe_status wabe_input_load(MPI_Comm comm, wabe_input *input, wabe_config **out);
