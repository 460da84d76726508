/* Machine files: the performance model's description of a machine, which may be a remote one.
 * Written by hand or by wabe calibrate. */
#pragma once

#include "comm/model.h"
#include "core/config/option.h"
#include "core/registry/kernel.h"
#include "sweeps/cell/lbm_products.h"

enum { WABE_MACHINE_COMPONENTS_MAX = 16 };

/* The file used by wabe run, predict and calibrate if none is named. */
#define WABE_MACHINE_FILE "machine.cfg"

/* Identical components of a node. */
typedef struct {
    char name[WABE_STRING_SIZE];
    wabe_target target;
    int count, threads; /* count: per node; threads: of each component when it was measured */
    double memory;      /* bytes of one component */
    wabe_model_processor processor;
    double efficiency; /* fraction of the lightspeed bound, for kernels that were not measured */
    wabe_model_link buffers;
    double across;              /* see wabe_model_component */
    double exchange[2], staged; /* seconds: see wabe_model_component */
    double contention[3];       /* likewise, for f64, f32, f16 */
    double launch;              /* GPUs: seconds that a host thread needs to launch a step */
    double one_thread;          /* CPUs: fraction of the full rate that a single thread reaches */
} wabe_machine_component;

enum { WABE_MACHINE_NONE = -1, WABE_MACHINE_FLOWS };

/* Returns the sweeps that have measured kernels beside flows: those with samples that have a name
 * for machine files, in the registry's order, ended by NULL. Local. */
const wabe_sweep *const *wabe_machine_sweeps(void);

/* Returns the number of such a sweep, by which kernels and flavours refer to it: from 1;
 * WABE_MACHINE_NONE: not among them. Local. */
int wabe_machine_application(const wabe_sweep *sweep);

/* Measured seconds of a step on a cube. */
typedef struct {
    int component; /* index in the machine's list */
    wabe_type storage;
    wabe_streaming streaming; /* flows only */
    double fluid;             /* fraction of the cells */
    double edge;
    double whole, split[3]; /* whole: as one region; split: the extra time if the layers at both
                               ends of an axis come first */
    double spread;          /* slowest over fastest round of whole; not in files */
    int application;        /* WABE_MACHINE_FLOWS, or see wabe_machine_application */
    int steps;              /* grids: time steps per pass (whole is per pass); flows: 0 */
    bool walls;             /* of samples with this choice */
} wabe_machine_kernel;

typedef struct {
    char name[WABE_STRING_SIZE];
    int component_count;
    wabe_machine_component components[WABE_MACHINE_COMPONENTS_MAX];
    int kernel_count;
    wabe_machine_kernel *kernels;
    wabe_model_link bus;    /* between GPU and host */
    double both_ways;       /* bytes per second each way while long copies go both ways */
    double both_ways_all;   /* the same for each GPU, while all GPUs of a node copy; 0: unknown */
    wabe_model_links links; /* bandwidth 0: unknown */
    int64_t switched;       /* nodes per leaf switch of a fat tree; 0: all */
    double taper;           /* factor by which links above the leaf switches are slower */
    wabe_model_link crowd;  /* as links.node, with as many communicating processes as cores */
} wabe_machine;

/* Prints the keys of a machine file as Markdown. Local. */
void wabe_machine_print_reference(FILE *file);

/* Reads a machine file. WABE_INPUT: an error as in any input file, GPUs without a bus, kernels of
 * no component. Collective. */
wabe_status wabe_machine_read(MPI_Comm comm, const char *file, wabe_machine *out);
void wabe_machine_free(wabe_machine *machine);

/* Writes a machine file that can be read back. head: comment lines. WABE_FILE. Local. */
wabe_status wabe_machine_write(const wabe_machine *machine, const char *file, const char *head);

/* The cost of a flavour of the main kernel. */
typedef struct {
    wabe_type storage;
    wabe_streaming streaming;
    double fluid; /* fraction of the cells */
    wabe_model_work work;
    double times;           /* a cell is as many bytes as so many of the kernels measured; 0: 1 */
    int application, steps; /* as in wabe_machine_kernel */
    bool walls;
} wabe_machine_flavour;

/* Returns a component for the model: threads of one process, while busy threads are active on the
 * node (GPUs: both ignored). measured: false if this flavour was not measured, in which case the
 * rate follows from the lightspeed bound. Local. */
wabe_model_component wabe_machine_model(const wabe_machine *machine, int component,
                                        const wabe_machine_flavour *flavour, double threads,
                                        double busy, bool *measured);

/* Returns the links' parameters while this many processes of a node communicate. Local. */
wabe_model_links wabe_machine_links(const wabe_machine *machine, double processes);

/* Returns bytes per second each way while so many processes of a node copy, each to and from a GPU
 * of its own. Local. */
double wabe_machine_both_ways(const wabe_machine *machine, double processes);

/* Returns the first component of this target, or -1. Local. */
int wabe_machine_find(const wabe_machine *machine, wabe_target target);
