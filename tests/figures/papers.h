/* The papers' machines, described by a few numbers each, and domains on them, in terms of
 * comm/model.h. [S], [F]: see tests/figures/curves.h. */
#pragma once

#include "comm/model.h"

/* Returns the seconds of a message between GPUs of different nodes, [S] (3): to the host and back
 * over the bus, and over the node's network link, which sharers GPUs use at the same time in both
 * directions. */
double paper_host_seconds(wabe_model_link network, wabe_model_link bus, int sharers, double bytes);

/* Return the bytes that cross a face normal to an axis (five populations per cell), or an edge
 * along it (one per cell). */
double paper_face_bytes(const wabe_model_block *block, int axis);
double paper_edge_bytes(const wabe_model_block *block, int axis);

/* A machine of identical nodes, with one process per component. */
typedef struct {
    wabe_model_processor processor; /* of a component */
    double efficiency;              /* fraction of the lightspeed bound that kernels reach */
    int per_node;                   /* components */
    bool has_bus;                   /* between component and host: for GPUs */
    wabe_model_link bus, network;   /* per component; per node */
} paper_machine;

/* Returns a step of the largest block of a domain. Each neighbour exchanges a message in each
 * direction, [S] (3). apart: no neighbour is on the same node; otherwise all are. */
wabe_model_step paper_step_of(const paper_machine *machine, const wabe_model_block *block,
                              bool apart);

/* ---- a domain over many GPUs ---------------------------------------------------------- */

/* A domain cut into equal blocks, one per GPU, along its last axes: [S] section 6. */
typedef struct {
    double cells[3];
    int cut_axes;     /* 1: z, 2: y and z, 3: all; each into the same number of parts */
    double crossing;  /* bytes per cell of a cut face and transfer */
    double transfers; /* per block and step: the number of terms j in the sums of [S] (2) and (4) */
    wabe_model_work work;
} paper_domain;

/* Returns the bytes of a transfer, s_j in [S], for a block's largest cut face. blocks is real, so
 * that curves can be drawn. For a cube of N^3 cells, N^2 / blocks^(1 - 1 / cut_axes) cells
 * cross. */
double paper_domain_transfer(const paper_domain *domain, double blocks);

/* Returns a step of each block: V / P, all of it inner, with P from the roofline, [S] (1), times
 * the machine's efficiency; transfers by [S] (3). A single block sends nothing. */
wabe_model_step paper_domain_step(const paper_machine *machine, const paper_domain *domain,
                                  double blocks);

/* Returns the flop per second of all blocks, P_m: without overlap [S] (2), with overlap [S] (4). */
double paper_domain_rate(const paper_machine *machine, const paper_domain *domain, double blocks,
                         bool overlap);
