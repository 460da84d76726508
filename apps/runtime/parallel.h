/* The keys by which an input file says how a run uses the node: the same for every application. */
#ifndef WABE_APPS_RUNTIME_PARALLEL_H
#define WABE_APPS_RUNTIME_PARALLEL_H

#include "apps/runtime/components.h"

typedef struct {
    int mode;
    int64_t processes[3], threads;
    bool overlap, separate;
    int communication, transport, balance;
} wabe_parallel_options;

typedef struct {
    int64_t emulated_gpus;
    wabe_option_list components; /* wabe_component_options */
} wabe_node_rows;

wabe_node_options wabe_parallel_node(const wabe_parallel_options *parallel,
                                     const wabe_node_rows *node);

/* Rows of a schema whose options have these two as their members parallel and node. */
extern const wabe_option wabe_component_rows[];
#define WABE_PARALLEL_ROWS(OPTIONS)                                                                \
    {.path = "parallel.mode",                                                                      \
     .type = WABE_OPTION_WORD,                                                                     \
     .offset = offsetof(OPTIONS, parallel.mode),                                                   \
     .default_value = "\"pure-mpi\"",                                                              \
     .words = "pure-mpi|hybrid|heterogeneous",                                                     \
     .unit = "",                                                                                   \
     .help =                                                                                       \
         "pure-mpi: each process has one component, and an equal block of the domain. hybrid: "    \
         "a process has all components of one kind of its node, GPUs if there are any; "           \
         "heterogeneous: all of them. They share its block along z."},                             \
        {.path = "parallel.balance",                                                               \
         .type = WABE_OPTION_WORD,                                                                 \
         .offset = offsetof(OPTIONS, parallel.balance),                                            \
         .default_value = "\"measured\"",                                                          \
         .words = "measured|equal|explicit|model",                                                 \
         .unit = "",                                                                               \
         .help = "How a process's components share its block along z: by their measured rates, "   \
                 "equally, by node.components[].planes, or by a machine file (wabe calibrate)."},  \
        {.path = "parallel.transport",                                                             \
         .type = WABE_OPTION_WORD,                                                                 \
         .offset = offsetof(OPTIONS, parallel.transport),                                          \
         .default_value = "\"any\"",                                                               \
         .words = "any|local|peer|cuda_aware|host",                                                \
         .unit = "",                                                                               \
         .help =                                                                                   \
             "How GPUs exchange with each other: the fastest that works, or this one. peer: over " \
             "the link between "                                                                   \
             "them; cuda_aware: by an MPI that takes their memory; host: through host memory."},   \
        {.path = "parallel.processes",                                                             \
         .type = WABE_OPTION_INT3,                                                                 \
         .offset = offsetof(OPTIONS, parallel.processes),                                          \
         .default_value = "[0, 0, 0]",                                                             \
         .min = 0,                                                                                 \
         .max = 1e6,                                                                               \
         .unit = "processes",                                                                      \
         .help = "Processes along x, y, z; 0: chosen, with the least area between them, of "       \
                 "which that normal to x counts eight times."},                                    \
        {.path = "parallel.threads",                                                               \
         .type = WABE_OPTION_INT,                                                                  \
         .offset = offsetof(OPTIONS, parallel.threads),                                            \
         .default_value = "0",                                                                     \
         .min = 0,                                                                                 \
         .max = 1024,                                                                              \
         .unit = "threads",                                                                        \
         .help = "Threads of a process's processors if node.components does not list them; 0: as " \
                 "many "                                                                           \
                 "as OMP_NUM_THREADS or the cores bound to it."},                                  \
        {.path = "parallel.overlap",                                                               \
         .type = WABE_OPTION_BOOL,                                                                 \
         .offset = offsetof(OPTIONS, parallel.overlap),                                            \
         .default_value = "true",                                                                  \
         .unit = "",                                                                               \
         .help = "Exchange while the inner region is computed."},                                  \
        {.path = "parallel.communication",                                                         \
         .type = WABE_OPTION_WORD,                                                                 \
         .offset = offsetof(OPTIONS, parallel.communication),                                      \
         .default_value = "\"exchange\"",                                                          \
         .words = "exchange|none",                                                                 \
         .unit = "",                                                                               \
         .help =                                                                                   \
             "none: leave the exchange out; wrong results on purpose, to measure what it costs."}, \
        {.path = "parallel.separate",                                                              \
         .type = WABE_OPTION_BOOL,                                                                 \
         .offset = offsetof(OPTIONS, parallel.separate),                                           \
         .default_value = "false",                                                                 \
         .unit = "",                                                                               \
         .help = "End each phase of a step, on GPUs too, before the next begins: slower, but the " \
                 "table of phases then says what each of them takes alone."},                      \
        {.path = "node.emulated_gpus",                                                             \
         .type = WABE_OPTION_INT,                                                                  \
         .offset = offsetof(OPTIONS, node.emulated_gpus),                                          \
         .default_value = "0",                                                                     \
         .min = 0,                                                                                 \
         .max = 8,                                                                                 \
         .unit = "GPUs",                                                                           \
         .help = "Emulate so many GPUs instead of using real ones: slow, to try things out."},     \
        {.path = "node.components",                                                                \
         .type = WABE_OPTION_LIST,                                                                 \
         .offset = offsetof(OPTIONS, node.components),                                             \
         .default_value = "()",                                                                    \
         .unit = "",                                                                               \
         .help = "The compute components of a node; if none are listed, what wabe node finds.",    \
         .elements = wabe_component_rows,                                                          \
         .element_size = sizeof(wabe_component_options)},

#endif
