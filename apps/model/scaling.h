/* A case on the nodes of a machine: the possible grids of slabs, and the performance model's time
 * per step of each. All Local. */
#pragma once

#include "apps/model/machine.h"
#include "apps/runtime/components.h"
#include "comm/exchange.h"

/* Indexed by the number of axes that are cut: 0 to 3. */
enum { WABE_CUTS = 4 };

/* A pass over a slab. */
typedef struct {
    int steps;          /* time steps per pass; also the number of ghost layers */
    double cost;        /* relative to a pass of one step */
    double crossing[3]; /* numbers exchanged per pass, for each cell of a face, an edge, a corner */
} wabe_scaling_pass;

/* A case as the model sees it. */
typedef struct {
    const char *name;
    int64_t cells[3], steps;
    bool periodic[3];
    bool uncut[3]; /* axes that no grid of slabs cuts */
    bool wraps;    /* slabs that are their own neighbours need no outer region */
    bool overlap;
    bool flows;         /* rates count fluid cells */
    double fluid_share; /* fraction of the cells */
    wabe_type type;
    wabe_transport transport;
    wabe_node_options node;
    wabe_machine_flavour flavour; /* of the main kernel */
    const void *context;
    wabe_scaling_pass (*pass)(const void *context, const int64_t cells[3], wabe_target target);
    int64_t (*memory)(const void *context, const int64_t cells[3], wabe_target target); /* bytes */
    double device_memory; /* bytes that it may take of a GPU; NAN: all */
    /* See wabe_application.stream; or NULL. */
    wabe_status (*stream)(const void *context, const int64_t cells[3], int neighbours, int per_node,
                          double room, wabe_model_passes *out, double *host);
} wabe_scaling_case;

/* The placement of a case on nodes. */
typedef struct {
    const wabe_machine *machine;
    wabe_model_component component; /* for each slab */
    wabe_model_links links;
    int index;            /* of the component in the machine's list */
    double threads, busy; /* per slab; of all slabs of a node */
    int per_node;         /* slabs per node */
    bool reaches;  /* GPUs of a node can access each other's memory, and the transport allows it */
    bool together; /* the slabs of a node are cut along z from one block, of one process */
    bool measured; /* the machine file has the kernel's flavour */
    bool weak;     /* weak scaling: the case is per node; otherwise it is the whole domain */
    double kept;   /* if CPUs help GPUs: the GPUs' share of each block's planes */
} wabe_placement;

/* The forecast for a grid of slabs. */
typedef struct {
    bool possible, fits; /* possible: there is such a grid; fits: into memory, or can be streamed */
    wabe_model_passes passes; /* of slabs that are streamed; otherwise steps is 0 */
    double host;              /* bytes of the host's memory for each of them */
    char not_streamed[192];   /* why such slabs are not; or "" */
    int64_t slabs[3];         /* along x, y, z */
    int64_t domain[3];        /* in cells */
    double memory, room;      /* bytes per slab: needed, available */
    int64_t slowest;          /* a slab's number */
    wabe_model_step step;
    double seconds;
    bool inside; /* close to the measured sizes */
} wabe_grid_forecast;

/* Places a case on GPUs if the machine has any, otherwise on CPUs. pure-mpi: a process per
 * GPU or core; hybrid: a process per node; heterogeneous: CPUs help the node's GPUs, and
 * finish at the same time. */
wabe_placement wabe_placement_of(const wabe_scaling_case *scaling, const wabe_machine *machine,
                                 wabe_mode mode, bool weak);

/* Finds the fastest grid for each number of cut axes. Weak scaling: the domain consists of copies
 * of the case, one per node, in a row, a plane or a block as even as their number allows; the
 * axes along which the domain grows count as cut. Slabs keep their single-node size. */
void wabe_forecast_grids(const wabe_scaling_case *scaling, const wabe_placement *placement,
                         int64_t nodes, wabe_grid_forecast best[WABE_CUTS]);

/* Returns the number of cut axes of the fastest grid that fits, or -1. */
int wabe_fastest_cut(const wabe_grid_forecast forecasts[WABE_CUTS]);
