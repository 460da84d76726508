/* The papers' machines, of a few numbers each, and their domains on them, by the terms of
 * comm/model.h. [S], [F]: as there. */
#pragma once

#include "comm/model.h"

/* A message between GPUs of different nodes, [S] (3): down to the host and up again, and over the
 * node's network link, which sharers GPUs use at once in both directions. */
double paper_host_seconds(wabe_model_link network, wabe_model_link bus, int sharers, double bytes);

/* Bytes that cross a face normal to an axis, five populations from each cell, and an edge along it,
 * one from each. */
double paper_face_bytes(const wabe_model_block *block, int axis);
double paper_edge_bytes(const wabe_model_block *block, int axis);

/* A machine: nodes that are alike, with a process for each of their components. */
typedef struct {
    wabe_model_processor processor; /* a component's */
    double efficiency;              /* share of the lightspeed bound that kernels reach */
    int per_node;                   /* components */
    bool has_bus;                   /* between component and host: GPUs */
    wabe_model_link bus, network;   /* of a component; of a node */
} paper_machine;

/* A step of the largest block of a domain. Each neighbour is a message each way, and none is on the
 * same node: [S] (3); apart: false if all are. */
wabe_model_step paper_step_of(const paper_machine *machine, const wabe_model_block *block,
                              bool apart);

/* ---- a domain over many GPUs ---------------------------------------------------------- */

/* A domain that is cut into equal blocks, one for each GPU, along its last axes: [S] section 6. */
typedef struct {
    double cells[3];
    int cut_axes;     /* 1: z, 2: y and z, 3: all; each into as many parts as the others */
    double crossing;  /* bytes that cross a cell of a cut face in a transfer */
    double transfers; /* of a block in a step: how many j the sums in [S] (2) and (4) have */
    wabe_model_work work;
} paper_domain;

/* Bytes of a transfer, s_j in [S]: of a block's largest cut face. The number of blocks is real, so
 * that curves can be drawn. For a cube of N^3 cells N^2 / blocks^(1 - 1 / cut_axes) cells cross. */
double paper_domain_transfer(const paper_domain *domain, double blocks);

/* A step of each block: V / P, all of it inner, with P from the roofline, [S] (1), times the
 * machine's efficiency; transfers by [S] (3). A single block sends nothing. */
wabe_model_step paper_domain_step(const paper_machine *machine, const paper_domain *domain,
                                  double blocks);

/* Flop per second of all blocks, P_m: without overlap [S] (2), with it [S] (4). */
double paper_domain_rate(const paper_machine *machine, const paper_domain *domain, double blocks,
                         bool overlap);
