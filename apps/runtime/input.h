/* The command line of run, check, geometry and predict, and the input file behind it. */
#pragma once

#include "core/config/option.h"

enum { WABE_OVERRIDES_MAX = 256 };

typedef struct {
    const char *file;
    int override_count;
    const char *overrides[WABE_OVERRIDES_MAX];
    bool quiet, reference, weak;
    bool change_physics;               /* goes on although keys of the physics differ */
    const char *machine, *nodes, *csv; /* NULL: not given */
    const char *restart;               /* "latest", a file, or NULL */
} wabe_input;

/* FILE [--set path=value]... [--quiet] [--reference], of run and predict --machine FILE, of run
 * --restart latest|FILE and --change-physics, of predict --nodes LIST, --weak and --csv FILE.
 * WABE_INPUT: usage. Local.
 */
wabe_status wabe_input_arguments(int argc, char *argv[], wabe_input *out);

/* Rank 0 reads the file, all ranks parse it. WABE_INPUT: no such file, or bad syntax. Collective.
 */
wabe_status wabe_input_load(MPI_Comm comm, const wabe_input *input, wabe_config **out);
