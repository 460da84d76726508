/* The performance model: plain functions on plain numbers, in seconds, bytes and flop.
 * docs/model.md derives each term. Sources: [S] Shimokawabe, Aoki, Onodera, Scalability model for
 * multi-GPU computation of stencil applications; [F] Feichtinger et al., Parallel Computing 46
 * (2015). All Local. */
#pragma once

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
    bool duplex;      /* a message there and one back take as long as one */
    bool at_once;     /* messages of an exchange wait for its latency together */
    double eager;     /* seconds of messages of up to WABE_MODEL_EAGER bytes; 0: as of any */
} wabe_model_link;

/* MPI sends small messages along with their announcement. */
#define WABE_MODEL_EAGER 4096.0

/* The link that takes as long as was measured: of the lines over the sizes (bytes) the one whose
 * largest relative deviations from the seconds are smallest, in the sense of least squares.
 * deviation: the root of their mean square. A bandwidth and a latency that are not negative; count
 * >= 2. */
wabe_model_link wabe_model_link_fit(int count, const double bytes[], const double seconds[],
                                    double *deviation);

/* 0 bytes take the latency. */
double wabe_model_link_seconds(wabe_model_link link, double bytes);
/* A message there and one back, of so many bytes each. */
double wabe_model_link_exchange(wabe_model_link link, double bytes);

/* ---- what was measured --------------------------------------------------------------- */

enum { WABE_MODEL_POINTS_MAX = 32 };

/* Seconds over a size, from points of growing size. Between two points as a power of the size;
 * above the last in proportion to it; below the first the first one's, since starting takes its
 * time. */
typedef struct {
    int count;
    double size[WABE_MODEL_POINTS_MAX], seconds[WABE_MODEL_POINTS_MAX];
} wabe_model_curve;

/* 0 without points. */
double wabe_model_curve_seconds(const wabe_model_curve *curve, double size);
/* false: the size is less than an eighth of the smallest, or more than eight times the largest; one
 * point is no measurement, and tells of all. */
bool wabe_model_curve_is_near(const wabe_model_curve *curve, double size);

/* A kernel on the slabs of a component. */
typedef struct {
    wabe_model_curve whole;    /* of a slab that is one region, over its cells */
    wabe_model_curve split[3]; /* that it takes longer if the outermost layers at both ends of an
                                  axis come first, over the cells of both */
} wabe_model_kernel;

/* One point: in proportion to the cells, and nothing for splitting them. */
wabe_model_kernel wabe_model_kernel_of_rate(double cells_per_second);

/* ---- steps -------------------------------------------------------------------------- */

/* What a process computes on, as a case uses it. */
typedef struct {
    bool device;
    wabe_model_kernel kernel;
    double share;            /* of what the kernel was measured on: 0.5 for half of its threads */
    double threads;          /* processors: of the process */
    wabe_model_link buffers; /* pack, unpack: the bytes of all messages at once */
    double across;           /* bytes per second of those that leave across x; 0: as any */
    wabe_model_link bus;     /* devices: to the host, and from it */
    /* Seconds of an exchange with other processes, beside its messages: waking and waiting. With
     * overlap and without. Less than 0 if parts of it hide each other. staged: devices, through
     * the host. */
    double exchange[2], staged;
    /* Devices: seconds that the kernels of an exchange wait while the inner region's fill it. */
    double contention;
} wabe_model_component;

/* Where the neighbour is. */
typedef enum {
    WABE_MODEL_HERE,    /* in the same memory */
    WABE_MODEL_PEER,    /* a device of this process that this one reaches */
    WABE_MODEL_IPC,     /* one of another process; an empty message tells */
    WABE_MODEL_HOST,    /* this process's, and one of the two is a device: through the host */
    WABE_MODEL_NODE,    /* another process of the node */
    WABE_MODEL_NETWORK, /* another node */
    WABE_MODEL_FAR      /* a node behind another switch */
} wabe_model_path;

/* A message to a neighbour, and one back. */
typedef struct {
    wabe_model_path path;
    double bytes;   /* each way */
    double sharers; /* messages of the node that take the same link at once, this one included */
    double across;  /* of the bytes, those that cross x: no two lie side by side in memory */
} wabe_model_message;

/* How many of them go to other nodes; and to those their share of the node's link, which all of its
 * slabs together send of_node messages over. */
int wabe_model_over_network(int count, const wabe_model_message messages[]);
void wabe_model_share_network(double of_node, int count, wabe_model_message messages[]);

typedef struct {
    wabe_model_link peer, node, network, far;
} wabe_model_links;

/* A link of a fat tree above its lowest switches, where so many of them share one: its bandwidth is
 * less by this factor. */
wabe_model_link wabe_model_link_tapered(wabe_model_link link, double taper);

/* A block or slab of a D3Q19 domain. */
typedef struct {
    double cells[3];
    int neighbours[3];  /* ends along each axis that a neighbour needs, 0 to 2 */
    double fluid_share; /* of the cells, that are worked on and cross */
    double number;      /* bytes of a population */
    wabe_model_work work;
} wabe_model_block;

/* Seconds of a step's parts, [F] section 5.2. */
typedef struct {
    bool device;
    double outer, inner; /* kernels */
    double buffers;      /* pack and unpack */
    double bus;          /* between devices, and between device and host */
    double network;      /* between processes */
    double copied;       /* of network, what the threads that compute do themselves */
    double sync;         /* of the exchange, beside its messages */
} wabe_model_step;

/* A step with these messages, [F] (9), (10). */
wabe_model_step wabe_model_step_with(const wabe_model_component *component,
                                     const wabe_model_links *links, const wabe_model_block *block,
                                     int count, const wabe_model_message messages[], bool overlap);

/* What each of so many time steps has of it, when they are one pass over memory. */
wabe_model_step wabe_model_step_share(wabe_model_step step, int steps);

/* Without overlap the sum of all, [F] (7); with it the inner region hides what comes after the
 * outer one, [F] (8), on devices. Processors pack, unpack and copy with the threads that compute:
 * there it hides waiting alone. */
double wabe_model_step_seconds(wabe_model_step step, bool overlap);
