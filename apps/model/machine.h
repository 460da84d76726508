/* Machine files: what the performance model has to know of a machine, also of one that is
 * elsewhere. Written by hand or by wabe calibrate. */
#pragma once

#include "comm/model.h"
#include "core/config/option.h"
#include "core/registry/kernel.h"
#include "sweeps/cell/lbm_products.h"

enum { WABE_MACHINE_COMPONENTS_MAX = 16 };

/* What wabe run, predict and calibrate take if none is named. */
#define WABE_MACHINE_FILE "machine.cfg"

/* Components of a node that are alike. */
typedef struct {
    char name[WABE_STRING_SIZE];
    wabe_target target;
    int count, threads; /* of a node; of each, that it was measured with */
    double memory;      /* bytes of one */
    wabe_model_processor processor;
    double efficiency; /* share of the lightspeed bound of kernels that were not measured */
    wabe_model_link buffers;
    double across;              /* as in wabe_model_component */
    double exchange[2], staged; /* seconds: see wabe_model_component */
    double contention[3];       /* the same; f64, f32, f16 */
    double launch;              /* GPUs: seconds that a thread takes to give one its step */
    double one_thread;          /* processors: share of the rate that one thread reaches alone */
} wabe_machine_component;

/* Whose kernels are measured: flows', and those of these sweeps, whose samples have a name for
 * machine files. In the registry's order; NULL ends them. Local. */
enum { WABE_MACHINE_NONE = -1, WABE_MACHINE_FLOWS };
const wabe_sweep *const *wabe_machine_sweeps(void);

/* The number of such a sweep, which stands for it in kernels and flavours: from 1 on;
 * WABE_MACHINE_NONE: it is not among them. Local. */
int wabe_machine_application(const wabe_sweep *sweep);

/* Steps of a cube, measured: seconds. */
typedef struct {
    int component; /* in the machine's list */
    wabe_type storage;
    wabe_streaming streaming; /* of flows */
    double fluid;             /* share of the cells */
    double edge;
    double whole, split[3]; /* one region; the layers at both ends of an axis first */
    double spread;          /* of the rounds of whole, slowest over fastest; not in files */
    int application;        /* WABE_MACHINE_FLOWS, or as wabe_machine_application */
    int steps;              /* of time, of grids: whole is of a pass; flows: 0 */
    bool walls;             /* of samples that have a choice */
} wabe_machine_kernel;

typedef struct {
    char name[WABE_STRING_SIZE];
    int component_count;
    wabe_machine_component components[WABE_MACHINE_COMPONENTS_MAX];
    int kernel_count;
    wabe_machine_kernel *kernels;
    wabe_model_link bus;    /* between GPU and host */
    wabe_model_links links; /* of no bandwidth: not known */
    int64_t switched;       /* nodes of a lowest switch of its fat tree; 0: all */
    double taper;           /* of the links above it */
    wabe_model_link crowd;  /* as links.node, while as many processes as cores do so */
} wabe_machine;

/* The keys of a machine file, in Markdown. Local. */
void wabe_machine_print_reference(FILE *file);

/* Reads a machine file. WABE_INPUT: as an input file; GPUs without a bus, kernels of no component.
 * Collective. */
wabe_status wabe_machine_read(MPI_Comm comm, const char *file, wabe_machine *out);
void wabe_machine_free(wabe_machine *machine);

/* The same as a file that reads back. head: a comment's lines. WABE_FILE. Local. */
wabe_status wabe_machine_write(const wabe_machine *machine, const char *file, const char *head);

/* What a flavour of the main kernel costs. */
typedef struct {
    wabe_type storage;
    wabe_streaming streaming;
    double fluid; /* share of the cells */
    wabe_model_work work;
    int application, steps; /* as in wabe_machine_kernel */
    bool walls;
} wabe_machine_flavour;

/* A component for the model, of so many threads while all processes of the node together have busy
 * ones (of GPUs: any numbers). measured: false if nothing of
 * this flavour was, so that the lightspeed bound stands in. Local. */
wabe_model_component wabe_machine_model(const wabe_machine *machine, int component,
                                        const wabe_machine_flavour *flavour, double threads,
                                        double busy, bool *measured);

/* The links while so many processes of a node exchange messages. Local. */
wabe_model_links wabe_machine_links(const wabe_machine *machine, double processes);

/* The first component of this target, or -1. Local. */
int wabe_machine_find(const wabe_machine *machine, wabe_target target);
