/* wabe run --restart: finds the checkpoint that a run continues from, and checks that it belongs to
 * the case. */
#pragma once

#include "core/config/option.h"
#include "core/io/checkpoint.h"

/* The run that a checkpoint must belong to. */
typedef struct {
    const char *application;
    int64_t cells[3];
    int array_count, other_array_count; /* see wabe_application */
    const char *(*array_key)(int count, int stored);
    wabe_type type;
    const wabe_config *config; /* for messages */
    int table_count;
    const wabe_option_table *tables; /* all point into options */
    const void *options;
    size_t options_size;
    const char *const *may_differ; /* keys, besides free_keys in restart.c */
    const char *const *fixed_keys; /* on which the state depends: they never may differ */
    bool change;                   /* all others may; differences are logged with both values */
    bool *changed;                 /* set to true on opening a checkpoint if a key differs */
} wabe_restart_request;

/* Opens a checkpoint. name: a file, or "latest" for the latest intact checkpoint in the directory.
 * out: NULL if the directory has none. WABE_INPUT: the checkpoint is damaged, or belongs to another
 * case (the message names the key); WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_restart_open(MPI_Comm comm, const char *name, const char *directory,
                              const wabe_restart_request *request, wabe_checkpoint **out);

/* Returns the resolved configuration as text, to be freed; NULL: out of memory. Local. */
char *wabe_restart_configuration(int table_count, const wabe_option_table tables[]);
