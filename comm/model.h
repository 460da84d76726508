/* The performance model: plain functions on plain numbers, in seconds, bytes and flop.
 * docs/model.md derives each term. Sources: [S] Shimokawabe, Aoki, Onodera, Scalability model for
 * multi-GPU computation of stencil applications; [F] Feichtinger et al., Parallel Computing 46
 * (2015). All Local. */
#ifndef WABE_COMM_MODEL_H
#define WABE_COMM_MODEL_H

#include <stdbool.h>

/* ---- kernels ------------------------------------------------------------------------ */

/* Of one update of a cell. */
typedef struct {
    double bytes, flops;
} wabe_model_work;

/* What a kernel can draw on. */
typedef struct {
    double bandwidth; /* bytes per second */
    double peak;      /* flop per second */
    double overhead;  /* seconds of an update in which neither is used ([S], alpha); mostly 0 */
} wabe_model_processor;

/* What bounds a kernel: [F] (3) to (6). */
typedef struct {
    double machine_balance; /* bytes that memory delivers while one flop is done */
    double code_balance;    /* bytes that the kernel moves for one flop */
    double lightspeed;      /* share of the peak that memory allows, 1 at most */
    double updates;         /* cells per second */
} wabe_model_bound;

wabe_model_bound wabe_model_lightspeed(wabe_model_processor processor, wabe_model_work work);

/* The improved roofline, [S] (1): memory and arithmetic take turns, they do not hide each other.
 * Flop per second. */
double wabe_model_roofline(wabe_model_processor processor, wabe_model_work work);

/* ---- messages ----------------------------------------------------------------------- */

/* Bandwidth over the size of a message s: B(s) = s / (s / bandwidth + latency), [S] (5). */
typedef struct {
    double bandwidth; /* of endless messages, bytes per second */
    double latency;   /* seconds */
} wabe_model_link;

/* 0 bytes take the latency, and have no bandwidth. */
double wabe_model_link_seconds(wabe_model_link link, double bytes);
double wabe_model_link_bandwidth(wabe_model_link link, double bytes);

/* A message between GPUs of different nodes, [S] (3): down to the host and up again, and over the
 * node's network link, which sharers GPUs use at once in both directions. */
double wabe_model_host_seconds(wabe_model_link network, wabe_model_link bus, int sharers,
                               double bytes);

/* ---- steps -------------------------------------------------------------------------- */

/* Seconds of a step's parts, [F] section 5.2. */
typedef struct {
    double outer, inner; /* kernels */
    double buffers;      /* pack and unpack */
    double bus;          /* between GPU and host */
    double network;
} wabe_model_step;

/* A machine: nodes that are alike, with a process for each of their components. */
typedef struct {
    wabe_model_processor processor; /* a component's */
    double efficiency;              /* share of the lightspeed bound that kernels reach */
    int per_node;                   /* components */
    bool has_bus;                   /* between component and host: GPUs */
    wabe_model_link bus, network;   /* of a component; of a node */
} wabe_model_machine;

/* The largest block that a process has of a D3Q19 domain. */
typedef struct {
    double cells[3];
    int neighbours[3];  /* along each axis, 0 to 2 */
    double fluid_share; /* of the cells, that are worked on and cross */
    double number;      /* bytes of a population */
    wabe_model_work work;
} wabe_model_block;

/* A step of a block. Five populations cross each cell of a face, one each of an edge; each
 * neighbour is a message each way. apart: neighbours are on other nodes. [F] (9), (10) with [S]
 * (3).
 */
wabe_model_step wabe_model_step_of(const wabe_model_machine *machine, const wabe_model_block *block,
                                   bool apart);

/* Without overlap the sum of all, [F] (7); with it the inner region hides what comes after the
 * outer one, [F] (8). */
double wabe_model_step_seconds(wabe_model_step step, bool overlap);

/* ---- a domain over many GPUs ---------------------------------------------------------- */

/* A domain that is cut into equal blocks, one for each GPU, along its last axes: [S] section 6. */
typedef struct {
    double cells[3];
    int cut_axes;     /* 1: z, 2: y and z, 3: all; each into as many parts as the others */
    double crossing;  /* bytes that cross a cell of a cut face in a transfer */
    double transfers; /* of a block in a step: how many j the sums in [S] (2) and (4) have */
    wabe_model_work work;
} wabe_model_domain;

/* Bytes of a transfer, s_j in [S]: of a block's largest cut face. The number of blocks is real, so
 * that curves can be drawn. For a cube of N^3 cells N^2 / blocks^(1 - 1 / cut_axes) cells cross. */
double wabe_model_domain_transfer(const wabe_model_domain *domain, double blocks);

/* A step of each block: V / P, all of it inner, with P from the roofline, [S] (1), times the
 * machine's efficiency; transfers by [S] (3). A single block sends nothing. */
wabe_model_step wabe_model_domain_step(const wabe_model_machine *machine,
                                       const wabe_model_domain *domain, double blocks);

/* Flop per second of all blocks, P_m: without overlap [S] (2), with it [S] (4). */
double wabe_model_domain_rate(const wabe_model_machine *machine, const wabe_model_domain *domain,
                              double blocks, bool overlap);

#endif
