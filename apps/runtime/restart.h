/* wabe run --restart: which checkpoint a run goes on from, and whether it is this run's. */
#pragma once

#include "core/config/option.h"
#include "core/io/checkpoint.h"

/* What a checkpoint has to be of. */
typedef struct {
    const char *application;
    int64_t cells[3];
    int array_count;
    wabe_type type;
    const wabe_config *config; /* for messages */
    int table_count;
    const wabe_option_table *tables; /* all of them point into options */
    const void *options;
    size_t options_size;
    const char *const *may_differ; /* keys beside those of where and how long a run computes */
    bool change;   /* others may differ, too: each that does is logged, with both values */
    bool *changed; /* does any? Set when a checkpoint is opened */
} wabe_restart_request;

/* which: "latest" of the directory, or a file. out: NULL if there is none to be the latest: the run
 * begins at its beginning. WABE_INPUT: it is damaged, or of another case: names the key.
 * Collective.
 */
wabe_status wabe_restart_open(MPI_Comm comm, const char *which, const char *directory,
                              const wabe_restart_request *request, wabe_checkpoint **out);

/* The values in force as a text, to be freed; NULL without memory for it. Local. */
char *wabe_restart_configuration(int table_count, const wabe_option_table tables[]);
