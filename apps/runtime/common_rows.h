/* Rows of schemas that every application has: for options whose members have these names. */
#ifndef WABE_APPS_RUNTIME_COMMON_ROWS_H
#define WABE_APPS_RUNTIME_COMMON_ROWS_H

#include "core/config/option.h"

#define WABE_NAME_ROW(OPTIONS)                                                                     \
    {.path = "name",                                                                               \
     .type = WABE_OPTION_STRING,                                                                   \
     .offset = offsetof(OPTIONS, name),                                                            \
     .default_value = "\"case\"",                                                                  \
     .unit = "",                                                                                   \
     .help = "Name of the case; results go to out/NAME."},

/* steps, domain.cells */
#define WABE_CASE_ROWS(OPTIONS)                                                                    \
    {.path = "steps",                                                                              \
     .type = WABE_OPTION_INT,                                                                      \
     .offset = offsetof(OPTIONS, steps),                                                           \
     .min = 0,                                                                                     \
     .max = 1e15,                                                                                  \
     .unit = "steps",                                                                              \
     .help = "Time steps to run."},                                                                \
        {.path = "domain.cells",                                                                   \
         .type = WABE_OPTION_INT3,                                                                 \
         .offset = offsetof(OPTIONS, domain.cells),                                                \
         .min = 1,                                                                                 \
         .max = 1e6,                                                                               \
         .unit = "cells",                                                                          \
         .help = "Cells along x, y, z."},

/* output.directory, output.every, output.compress */
#define WABE_OUTPUT_ROWS(OPTIONS)                                                                  \
    {.path = "output.directory",                                                                   \
     .type = WABE_OPTION_STRING,                                                                   \
     .offset = offsetof(OPTIONS, output.directory),                                                \
     .default_value = "unset",                                                                     \
     .unit = "",                                                                                   \
     .help = "Where results go; if not given, out/NAME."},                                         \
        {.path = "output.every",                                                                   \
         .type = WABE_OPTION_INT,                                                                  \
         .offset = offsetof(OPTIONS, output.every),                                                \
         .default_value = "0",                                                                     \
         .min = 0,                                                                                 \
         .max = 1e15,                                                                              \
         .unit = "steps",                                                                          \
         .help = "Steps between outputs of fields and pictures; 0: after the last step alone."},   \
        {.path = "output.compress",                                                                \
         .type = WABE_OPTION_BOOL,                                                                 \
         .offset = offsetof(OPTIONS, output.compress),                                             \
         .default_value = "false",                                                                 \
         .unit = "",                                                                               \
         .help = "Compress them."},

/* checkpoint.every, .minutes, .keep, .compress, .stop_after */
#define WABE_CHECKPOINT_ROWS(OPTIONS)                                                              \
    {.path = "checkpoint.every",                                                                   \
     .type = WABE_OPTION_INT,                                                                      \
     .offset = offsetof(OPTIONS, checkpoint.every),                                                \
     .default_value = "0",                                                                         \
     .min = 0,                                                                                     \
     .max = 1e15,                                                                                  \
     .unit = "steps",                                                                              \
     .help = "Steps between checkpoints; a last one follows the last step. 0: none by steps."},    \
        {.path = "checkpoint.minutes",                                                             \
         .type = WABE_OPTION_REAL,                                                                 \
         .offset = offsetof(OPTIONS, checkpoint.minutes),                                          \
         .default_value = "0",                                                                     \
         .min = 0,                                                                                 \
         .max = 1e6,                                                                               \
         .unit = "min",                                                                            \
         .help = "Minutes between checkpoints, likewise; 0: none by the clock."},                  \
        {.path = "checkpoint.keep",                                                                \
         .type = WABE_OPTION_INT,                                                                  \
         .offset = offsetof(OPTIONS, checkpoint.keep),                                             \
         .default_value = "2",                                                                     \
         .min = 1,                                                                                 \
         .max = 1e6,                                                                               \
         .unit = "",                                                                               \
         .help = "How many of them stay: older ones go when a new one is whole, so there is room " \
                 "needed for one more."},                                                          \
        {.path = "checkpoint.compress",                                                            \
         .type = WABE_OPTION_BOOL,                                                                 \
         .offset = offsetof(OPTIONS, checkpoint.compress),                                         \
         .default_value = "false",                                                                 \
         .unit = "",                                                                               \
         .help = "Compress them: smaller, but the run waits while they are written."},             \
        {.path = "checkpoint.stop_after",                                                          \
         .type = WABE_OPTION_REAL,                                                                 \
         .offset = offsetof(OPTIONS, checkpoint.stop_after),                                       \
         .default_value = "0",                                                                     \
         .min = 0,                                                                                 \
         .max = 1e6,                                                                               \
         .unit = "min",                                                                            \
         .help =                                                                                   \
             "The run writes a checkpoint and ends when it is so old, as it does when it gets "    \
             "SIGTERM, SIGINT or SIGUSR1 (a second one ends it at once); 0: no limit."},

#endif
