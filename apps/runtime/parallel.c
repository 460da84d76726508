#include "apps/runtime/parallel.h"

#define COMPONENT_AT(member) offsetof(wabe_component_options, member)

const wabe_option wabe_component_rows[] = {
    {.path = "kind",
     .type = WABE_OPTION_WORD,
     .offset = COMPONENT_AT(kind),
     .words = "gpu|cpu",
     .unit = "",
     .help = "A GPU, or processors: all, a socket, a set of cores."},
    {.path = "device",
     .type = WABE_OPTION_INT,
     .offset = COMPONENT_AT(device),
     .default_value = "0",
     .min = 0,
     .max = 255,
     .unit = "",
     .help = "GPU: its number, from 0."},
    {.path = "threads",
     .type = WABE_OPTION_INT,
     .offset = COMPONENT_AT(threads),
     .default_value = "0",
     .min = 0,
     .max = 1024,
     .unit = "threads",
     .help = "Processors: threads; 0: one for each of cores, or as OpenMP would start."},
    {.path = "cores",
     .type = WABE_OPTION_STRING,
     .offset = COMPONENT_AT(cores),
     .default_value = "\"\"",
     .unit = "",
     .help = "Processors: the cores that threads are bound to, such as \"0-7,16\"; \"\": they are "
             "not bound."},
    {.path = "planes",
     .type = WABE_OPTION_INT,
     .offset = COMPONENT_AT(planes),
     .default_value = "0",
     .min = 0,
     .max = 1e6,
     .unit = "cells",
     .help = "Thickness of its slab along z, with parallel.balance = \"explicit\"."},
    {.path = "rate_limit",
     .type = WABE_OPTION_REAL,
     .offset = COMPONENT_AT(rate_limit),
     .default_value = "0",
     .min = 0,
     .max = 1e9,
     .unit = "MLUPS",
     .help = "GPU: slow it down to this rate, to try out what help it needs; 0: do not. "
             "Emulated GPUs take no notice."},
    {.path = NULL},
};

wabe_node_options wabe_parallel_node(const wabe_parallel_options *parallel,
                                     const wabe_node_rows *node) {
    return (wabe_node_options){.emulated_gpus = node->emulated_gpus,
                               .components = node->components,
                               .mode = (wabe_mode)parallel->mode,
                               .threads = parallel->threads};
}
