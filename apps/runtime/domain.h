/* A domain on all processes, independent of the application: slabs for the components of each
 * process, the exchange between them, and the schedule of a step. Applications provide the
 * slabs. */
#pragma once

#include "apps/runtime/components.h"
#include "comm/exchange.h"
#include "comm/planes.h"
#include "sweeps/slab/schedule.h"

/* The position of a slab in the domain. */
typedef struct {
    wabe_box box;
    wabe_box inner; /* cells that need nothing from neighbours */
    bool spans[3];  /* every slab spans the domain along this axis */
    bool wraps[3];  /* so that it is its own neighbour, and there is no exchange */
} wabe_domain_place;

/* The domain's data of a slab. */
typedef struct {
    const wabe_kernel *kernel; /* of its main sweep */
    wabe_timeline *timeline;
} wabe_domain_slab;

/* An application's functions for its slabs, numbered on this process. All Local. */
typedef struct {
    void *context;
    int exchanges; /* number of exchanges per step */
    /* Creates a slab. WABE_INPUT, WABE_MEMORY. */
    wabe_status (*create)(void *context, int slab, const wabe_component *component,
                          const wabe_domain_place *place, wabe_domain_slab *out);
    /* Describes the data that the slab sends and receives in an exchange. */
    void (*describe)(void *context, int slab, int exchange, wabe_exchange_data *out);
    /* Finds how often each axis of the domain is halved in the grid of an exchange's fields; NULL:
     * it is the domain's. */
    void (*halvings)(const void *context, int exchange, int out[3]);
    /* Appends the sweeps of all slabs to the schedule. */
    void (*schedule)(void *context, int slab_count, wabe_schedule *schedule);
} wabe_domain_slabs;

typedef struct {
    int64_t cells[3];
    bool periodic[3];
    int64_t grain[3];     /* slabs are multiples of so many cells; 0: of one */
    int64_t processes[3]; /* 0: chosen */
    const int64_t *cuts;  /* of the decomposition; must outlive the domain */
    int halo;             /* layers of cells needed from neighbours */
    bool wraps[3];        /* slabs that are their own neighbours wrap round without an exchange */
    bool overlap;
    bool communicate; /* false: no exchange, for measurements; results are wrong */
    bool separate;    /* each phase of a step ends before the next begins, for measurements */
    wabe_exchange_options exchange;
} wabe_domain_options;

typedef struct {
    wabe_exchange *exchange;
    wabe_partition coarse; /* the partition in a coarser grid, if the fields have one */
    int64_t count;         /* exchanges done since initialisation, including the initial one */
    struct wabe_domain *domain;
} wabe_domain_exchange;

typedef struct wabe_domain {
    MPI_Comm comm;
    wabe_domain_options options;
    wabe_components components; /* of this process */
    wabe_decomposition decomposition;
    wabe_partition partition;
    wabe_box block; /* of this process */
    int slab_count;
    wabe_domain_slab slabs[WABE_SLABS_MAX];
    int64_t step;       /* steps done, or passes, for applications with several steps per pass */
    int exchange_count; /* 0: nothing is exchanged */
    wabe_domain_exchange exchanges[WABE_EXCHANGES_MAX];
    wabe_schedule schedule;
    wabe_profile profile;
} wabe_domain;

/* Creates the domain. components: of this process, with their planes of the block along z; a single
 * component gets all planes. out must not be moved. WABE_INPUT, WABE_MEMORY. Collective. */
wabe_status wabe_domain_create(MPI_Comm comm, const wabe_domain_options *options,
                               const wabe_components *components, const wabe_domain_slabs *slabs,
                               wabe_domain *out);
/* Frees the domain, but not the slabs, which the application owns. */
void wabe_domain_destroy(wabe_domain *domain);

/* Finds the ranks of the slabs below and above this process's first one; -1: there is none. The
 * domain must be cut along z alone. Local. */
void wabe_domain_ranks_beside(const wabe_domain *domain, int ranks[WABE_SIDES]);

/* Exchanges the initial state once all processes have set theirs; step 0 comes next, and clocks
 * start at zero. Collective. */
void wabe_domain_initialise(wabe_domain *domain);
/* Resets the clocks to zero. Local. */
void wabe_domain_restart_clocks(wabe_domain *domain);
/* Exchanges all halos outside of steps. Collective. */
void wabe_domain_exchange_all(wabe_domain *domain);
/* Does one time step, or a pass of several; GPUs may still be working on return. Collective. */
void wabe_domain_step(wabe_domain *domain);
/* Waits for all queued work of this process's slabs. Local. */
void wabe_domain_synchronise(const wabe_domain *domain);

/* Access to numbers of an application's cells. */
typedef struct {
    const void *context;
    int rows; /* numbers per cell */
    /* Reads a box of a slab: row after row, each [z][y][x]. WABE_MEMORY. Local. */
    wabe_status (*read)(const void *context, int slab, wabe_box box, double *values);
} wabe_values;

/* Reads a box of this process's block. WABE_MEMORY. Local. */
wabe_status wabe_domain_read(const wabe_domain *domain, const wabe_values *values, wabe_box box,
                             double *out);
/* Gathers a box of the domain on rank 0, which stores all of it: meant for planes and lines. out is
 * unused on other ranks. WABE_INPUT: more than 2^31 numbers; WABE_MEMORY. Collective. */
wabe_status wabe_domain_gather(const wabe_domain *domain, const wabe_values *values, wabe_box box,
                               double *out);
