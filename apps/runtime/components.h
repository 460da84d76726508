/* The compute components of a node, and which of them a process takes. */
#pragma once

#include "core/config/option.h"
#include "core/device/component.h"
#include "sweeps/schedule.h"

typedef enum { WABE_MODE_PURE_MPI, WABE_MODE_HYBRID, WABE_MODE_HETEROGENEOUS } wabe_mode;

const char *wabe_mode_word(wabe_mode mode);

/* A component as the input describes it. */
typedef struct {
    int kind; /* 0: gpu, 1: cpu */
    int64_t device, threads, planes;
    char cores[WABE_STRING_SIZE]; /* "0-7,16", or "" */
} wabe_component_options;

typedef struct {
    int64_t emulated_gpus;
    wabe_option_list components; /* of the node; none: what is found */
    wabe_mode mode;
    int64_t threads; /* of CPU components that are not described; 0: chosen */
} wabe_node_options;

/* A process's components. */
typedef struct {
    int count;
    wabe_component list[WABE_SLABS_MAX];
    int64_t planes[WABE_SLABS_MAX]; /* along z that the input gives each; 0: none are given */
} wabe_components;

/* What is found on this node: GPUs if there are any, and its processors as one component. Local. */
wabe_status wabe_components_detect(wabe_components *out);

/* This process's components. pure-mpi: local rank i takes component i. hybrid: components of one
 * kind, GPUs if there are any, which the processes of a node share; heterogeneous: all of them,
 * likewise. WABE_INPUT: a GPU that is not there, cores given out twice, more processes than
 * components (the message names the key). Collective. */
wabe_status wabe_components_choose(MPI_Comm comm, const wabe_config *config,
                                   const wabe_node_options *options, wabe_components *out);

/* Bytes that are available to a component: of its GPU, or of the node. Local. */
int64_t wabe_component_memory(const wabe_component *component);
