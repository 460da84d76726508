/* The performance model: functions of plain numbers, in seconds, bytes and flop. docs/model.md
 * derives each term. Sources: [S] Shimokawabe, Aoki, Onodera, Scalability model for multi-GPU
 * computation of stencil applications; [F] Feichtinger et al., Parallel Computing 46 (2015). All
 * Local. */
#pragma once

#include <stdbool.h>

/* ---- kernels ------------------------------------------------------------------------ */

/* Per update of a cell. */
typedef struct {
    double bytes, flops;
} wabe_model_work;

/* The resources of a kernel. */
typedef struct {
    double bandwidth; /* bytes per second */
    double peak;      /* flop per second */
    double overhead;  /* seconds per update in which neither is used ([S], alpha); usually 0 */
} wabe_model_processor;

/* The bounds of a kernel: [F] (3) to (6). */
typedef struct {
    double machine_balance; /* bytes that memory delivers per flop at peak */
    double code_balance;    /* bytes that the kernel moves per flop */
    double lightspeed;      /* share of the peak that memory allows, at most 1 */
    double updates;         /* cells per second */
} wabe_model_bound;

/* What bounds a kernel with this work on this processor. */
wabe_model_bound wabe_model_lightspeed(wabe_model_processor processor, wabe_model_work work);

/* The improved roofline, [S] (1): memory and arithmetic do not overlap. Flop per second. */
double wabe_model_roofline(wabe_model_processor processor, wabe_model_work work);

/* ---- messages ----------------------------------------------------------------------- */

/* Bandwidth as a function of message size s: B(s) = s / (s / bandwidth + latency), [S] (5). */
typedef struct {
    double bandwidth; /* for infinite messages, bytes per second */
    double latency;   /* seconds */
    bool duplex;      /* a message in each direction takes as long as one */
    bool at_once;     /* messages of an exchange share one latency */
    double eager; /* seconds of messages of up to WABE_MODEL_EAGER bytes; 0: as other messages */
} wabe_model_link;

/* Below this size MPI sends a message with its header (eager protocol). */
#define WABE_MODEL_EAGER 4096.0

/* Fits a link to measured seconds over sizes (bytes) by least squares of the relative deviations.
 * deviation: their root mean square. Bandwidth and latency are not negative; requires count >=
 * 2. */
wabe_model_link wabe_model_link_fit(int count, const double bytes[], const double seconds[],
                                    double *deviation);

/* Seconds of a message; 0 bytes take the latency. */
double wabe_model_link_seconds(wabe_model_link link, double bytes);

/* ---- what was measured --------------------------------------------------------------- */

enum { WABE_MODEL_POINTS_MAX = 32 };

/* Seconds as a function of size, from points of increasing size. Between two points it is a power
 * law; above the last it is proportional to the size; below the first it is constant, since
 * starting takes time. */
typedef struct {
    int count;
    double size[WABE_MODEL_POINTS_MAX], seconds[WABE_MODEL_POINTS_MAX];
} wabe_model_curve;

/* 0 if the curve has no points. */
double wabe_model_curve_seconds(const wabe_model_curve *curve, double size);
/* false: the size is less than an eighth of the smallest, or more than eight times the largest. A
 * curve of one point is not a measurement and holds for all sizes. */
bool wabe_model_curve_is_near(const wabe_model_curve *curve, double size);

/* A kernel on the slabs of a component. */
typedef struct {
    wabe_model_curve whole;    /* a slab that is one region, over its cells */
    wabe_model_curve split[3]; /* extra time if the outermost layers at both ends of an axis run
                                  first, over the cells of both */
} wabe_model_kernel;

/* A curve of one point: proportional to the cells, and splitting them is free. */
wabe_model_kernel wabe_model_kernel_of_rate(double cells_per_second);

/* ---- steps -------------------------------------------------------------------------- */

/* A compute component as a case uses it. */
typedef struct {
    bool device;
    wabe_model_kernel kernel;
    double share;            /* of what the kernel was measured on: 0.5 for half of its threads */
    double threads;          /* CPUs: threads of the process */
    wabe_model_link buffers; /* pack or unpack, over the bytes of all messages */
    double across;           /* bytes per second of numbers that cross x; 0: as others */
    wabe_model_link bus;     /* devices: to and from the host */
    /* Seconds that an exchange with other processes takes besides its messages, waking and waiting:
     * with overlap, and without. Less than 0 if parts of it overlap. staged: devices, through the
     * host. */
    double exchange[2], staged;
    /* Devices: seconds that kernels of the exchange wait while the inner region's occupy the
     * device. */
    double contention;
} wabe_model_component;

/* Where the neighbour is. */
typedef enum {
    WABE_MODEL_HERE,    /* in the same memory */
    WABE_MODEL_PEER,    /* a device of this process with peer access */
    WABE_MODEL_IPC,     /* a device of another process; an empty message notifies */
    WABE_MODEL_HOST,    /* in this process, and one of the two is a device: through the host */
    WABE_MODEL_NODE,    /* another process of the node */
    WABE_MODEL_NETWORK, /* another node */
    WABE_MODEL_FAR      /* another node, behind another switch */
} wabe_model_path;

/* A message to a neighbour, and one back. */
typedef struct {
    wabe_model_path path;
    double bytes;   /* in each direction */
    double sharers; /* seconds of the link to other nodes for all messages of the node, over those
                       for this slab's */
    double across;  /* the part of bytes that crosses x, not adjacent in memory */
    bool unpacked;  /* moves from grid to grid, without buffers */
    double times;   /* how often in a step; 0: once */
} wabe_model_message;

typedef struct {
    wabe_model_link peer, node, network, far;
} wabe_model_links;

/* wabe_model_network_seconds: how long the node's link takes for the messages of a slab to other
 * nodes, and for those that come back. wabe_model_share_network: sets their sharers, so that they
 * take as long as those of all slabs of the node together, of_node ([S] (3), where all are
 * alike). */
double wabe_model_network_seconds(const wabe_model_links *links, int count,
                                  const wabe_model_message messages[]);
void wabe_model_share_network(double of_node, const wabe_model_links *links, int count,
                              wabe_model_message messages[]);

/* A link above the lowest switches of a fat tree, where this many links share one: its bandwidth is
 * divided by taper. */
wabe_model_link wabe_model_link_tapered(wabe_model_link link, double taper);

/* A block or slab of a D3Q19 domain. */
typedef struct {
    double cells[3];
    int neighbours[3];  /* ends along each axis that have a neighbour, 0 to 2 */
    double exchanges;   /* in a step, each with its own waiting; 0: one */
    double fluid_share; /* of the cells; only these are updated and exchanged */
    double number;      /* bytes per population */
    wabe_model_work work;
} wabe_model_block;

/* Seconds of the parts of a step, [F] section 5.2. */
typedef struct {
    bool device;
    double outer, inner; /* kernels */
    double buffers;      /* pack and unpack */
    double bus;          /* between devices, and between device and host */
    double network;      /* between processes */
    double copied;       /* part of network that compute threads spend copying */
    double sync;         /* the exchange besides its messages */
} wabe_model_step;

/* The parts of a step with these messages, [F] (9), (10). */
wabe_model_step wabe_model_step_with(const wabe_model_component *component,
                                     const wabe_model_links *links, const wabe_model_block *block,
                                     int count, const wabe_model_message messages[], bool overlap);

/* The share of one time step in a pass of several. */
wabe_model_step wabe_model_step_share(wabe_model_step step, int steps);

/* Passes of several steps through a device that has memory for a part of a slab. */
typedef struct {
    double steps;    /* of a pass; 0: the slab is resident */
    double computed; /* cells that a pass computes, over its steps times the slab's cells: ghost
                        planes are computed, too */
    double bytes;    /* copied in a pass, as many each way */
} wabe_model_passes;

/* Seconds of a step of such a pass: of the kernels, whose memory the copies use, too, or of the
 * copies, if they take longer. kernel: of a step of a resident slab; memory, both_ways: bytes per
 * second of the device, and of copies each way at the same time. */
double wabe_model_pass_seconds(wabe_model_passes passes, double kernel, double memory,
                               double both_ways);

/* Seconds of a step. Without overlap: the sum of all parts, [F] (7). With overlap, on devices: the
 * inner region hides everything after the outer one, [F] (8). CPUs pack, unpack and copy with
 * the threads that compute, so there the inner region hides only waiting. */
double wabe_model_step_seconds(wabe_model_step step, bool overlap);
