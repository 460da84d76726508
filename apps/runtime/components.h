/* The compute components of a node, and their assignment to processes. */
#pragma once

#include "core/config/option.h"
#include "core/device/component.h"
#include "sweeps/slab/schedule.h"

typedef enum { WABE_MODE_PURE_MPI, WABE_MODE_HYBRID, WABE_MODE_HETEROGENEOUS } wabe_mode;

/* Returns the word of a mode in input files. Local. */
const char *wabe_mode_word(wabe_mode mode);

/* A component as the input describes it. */
typedef struct {
    int kind; /* 0: gpu, 1: cpu */
    int64_t device, threads, planes;
    char cores[WABE_STRING_SIZE]; /* "0-7,16", or "" */
} wabe_component_options;

typedef struct {
    int64_t emulated_gpus;
    wabe_option_list components; /* of the node; none: those detected */
    wabe_mode mode;
    int64_t threads; /* per CPU component not described in the input; 0: chosen */
} wabe_node_options;

/* The components of a process. */
typedef struct {
    int count;
    wabe_component list[WABE_SLABS_MAX];
    int64_t planes[WABE_SLABS_MAX]; /* along z, as the input sets them; 0: not set */
} wabe_components;

/* Detects this node's components: its GPUs, if any, and its CPUs as one component.
 * Local. */
wabe_status wabe_components_detect(wabe_components *out);

/* Finds this process's components. pure-mpi: local rank i takes component i of those described; of
 * those detected, GPU i modulo their number, or the CPUs. hybrid: the processes of a node
 * share its components of one kind, GPUs if there are any; heterogeneous: they share all.
 * WABE_INPUT: a missing GPU, cores assigned twice, more processes than components (the message
 * names the key). Collective. */
wabe_status wabe_components_choose(MPI_Comm comm, const wabe_config *config,
                                   const wabe_node_options *options, wabe_components *out);

/* Returns the threads of this process that compute on the host: those of its first CPU component,
 * or, beside GPUs, its share of the node's cores. Collective. */
wabe_component wabe_components_host(MPI_Comm comm, const wabe_components *components);

/* Returns the bytes available to a component: of its GPU, of which its processes have equal parts,
 * or of the node. Local. */
int64_t wabe_component_memory(const wabe_component *component);
