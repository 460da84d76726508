/* A case over the nodes of a machine: which grids of slabs there are, and what a step of each takes
 * by the performance model. All Local. */
#pragma once

#include "apps/model/machine.h"
#include "apps/runtime/components.h"
#include "comm/exchange.h"

/* By the count of axes that are cut: none, 1-D, 2-D, 3-D. */
enum { WABE_CUTS = 4 };

/* What a pass over a slab does. */
typedef struct {
    int steps;          /* of time; ghosts are as many layers deep */
    double cost;        /* in passes of one step */
    double crossing[3]; /* numbers that cross in it: for each cell of a face, an edge, a corner */
} wabe_scaling_pass;

/* What the model has to know of a case. */
typedef struct {
    const char *name;
    int64_t cells[3], steps;
    bool periodic[3];
    bool wraps; /* slabs that are their own neighbours have no outer region for it */
    bool overlap;
    bool flows;         /* rates are those of fluid cells */
    double fluid_share; /* of the cells */
    wabe_type type;
    wabe_transport transport;
    wabe_node_options node;
    wabe_machine_flavour flavour; /* of the main kernel */
    const void *context;
    wabe_scaling_pass (*pass)(const void *context, const int64_t cells[3], wabe_target target);
    int64_t (*memory)(const void *context, const int64_t cells[3], wabe_target target); /* bytes */
} wabe_scaling_case;

/* How a case is put onto nodes. */
typedef struct {
    const wabe_machine *machine;
    wabe_model_component component; /* of each slab */
    wabe_model_links links;
    int index;            /* of the component in the machine's list */
    double threads, busy; /* of a slab; of all of a node */
    int per_node;         /* slabs of a node */
    bool reaches;         /* GPUs of a node reach each other's memory, and may */
    bool together;        /* they are cut along z from one block, of one process */
    bool measured;        /* the kernel's flavour is in the machine file */
    bool weak;            /* the case is what each node has; otherwise what all have together */
    double kept;          /* of each block's planes, where processors help: the share of the GPUs */
} wabe_placement;

/* Of a grid of slabs. */
typedef struct {
    bool possible, fits; /* otherwise there is no such grid; it takes too much memory */
    int64_t slabs[3];    /* along x, y, z */
    int64_t domain[3];   /* cells */
    double memory, room; /* bytes of a slab; that there are for it */
    int64_t slowest;     /* a slab */
    wabe_model_step step;
    double seconds;
    bool inside; /* near to the sizes that were measured */
} wabe_grid_forecast;

/* GPUs if the machine has any. pure-mpi: a process for each, or for each core; hybrid: one for a
 * node; heterogeneous: processors help its GPUs, and are done when these are. */
wabe_placement wabe_placement_of(const wabe_scaling_case *scaling, const wabe_machine *machine,
                                 wabe_mode mode, bool weak);

/* The fastest grid for each count of axes that are cut. Weak scaling: the domain is the case side
 * by side, once for each node, in a row, a plane or a block, as even as their number allows; the
 * axes along which it grows are those that count. Slabs keep the size that they have on one node.
 */
void wabe_forecast_grids(const wabe_scaling_case *scaling, const wabe_placement *placement,
                         int64_t nodes, wabe_grid_forecast best[WABE_CUTS]);

/* The fastest cut that fits, or -1. */
int wabe_fastest_cut(const wabe_grid_forecast forecasts[WABE_CUTS]);
