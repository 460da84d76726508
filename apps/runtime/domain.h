/* A domain on all processes, whatever is computed on it: slabs for the components of each process,
 * the exchange between them, and the schedule that runs a step. Applications bring the slabs. */
#pragma once

#include "apps/runtime/components.h"
#include "comm/exchange.h"
#include "sweeps/schedule.h"

/* What of the domain a slab is. */
typedef struct {
    wabe_box box;
    wabe_box inner; /* needs nothing of neighbours */
    bool wraps[3];  /* it, as all other slabs, is its own neighbour along this axis, and nothing is
                       exchanged there */
} wabe_domain_place;

/* What the domain keeps of a slab. */
typedef struct {
    const wabe_kernel *kernel; /* of its main sweep */
    wabe_timeline *timeline;
} wabe_domain_slab;

/* What an application does with its slabs, by their numbers on this process. All Local. */
typedef struct {
    void *context;
    int exchanges; /* of a step */
    /* Makes one. WABE_INPUT, WABE_MEMORY. */
    wabe_status (*create)(void *context, int slab, const wabe_component *component,
                          const wabe_domain_place *place, wabe_domain_slab *out);
    /* What crosses from it in an exchange. */
    void (*describe)(void *context, int slab, int exchange, wabe_exchange_data *out);
    /* Appends the sweeps of all of them. */
    void (*schedule)(void *context, int slab_count, wabe_schedule *schedule);
} wabe_domain_slabs;

typedef struct {
    int64_t cells[3];
    bool periodic[3];
    int64_t processes[3]; /* 0: chosen */
    const int64_t *cuts;  /* of the decomposition; must outlive the domain */
    int halo;             /* layers of cells that neighbours need */
    bool wraps[3];        /* slabs that are their own neighbours find their other end themselves */
    bool overlap;
    bool communicate; /* false: nothing is exchanged, results are wrong, for measurements */
    bool separate;    /* a phase of a step ends before the next begins, for measurements */
    wabe_exchange_options exchange;
} wabe_domain_options;

typedef struct {
    wabe_exchange *exchange;
    int64_t count; /* done since the domain was initialised, and once then */
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
    int64_t step;       /* done; steps of applications that do several in a pass are passes here */
    int exchange_count; /* 0: nothing is exchanged */
    wabe_domain_exchange exchanges[WABE_EXCHANGES_MAX];
    wabe_schedule schedule;
    wabe_profile profile;
} wabe_domain;

/* components: of this process, with their planes of the block along z; one alone has them all. out
 * must stay where it is. WABE_INPUT, WABE_MEMORY. Collective. */
wabe_status wabe_domain_create(MPI_Comm comm, const wabe_domain_options *options,
                               const wabe_components *components, const wabe_domain_slabs *slabs,
                               wabe_domain *out);
/* The slabs are the application's. */
void wabe_domain_destroy(wabe_domain *domain);

/* Makes the initial state known to all neighbours; step 0 comes next, no time has been spent.
 * Collective. */
void wabe_domain_initialise(wabe_domain *domain);
/* No time has been spent. Local. */
void wabe_domain_restart_clocks(wabe_domain *domain);
/* Exchanges all that neighbours need, outside of steps. Collective. */
void wabe_domain_exchange_all(wabe_domain *domain);
/* One time step, or a pass of several; on GPUs it may not be done on return. Collective. */
void wabe_domain_step(wabe_domain *domain);
/* Waits for all that this process's slabs were given. Local. */
void wabe_domain_synchronise(const wabe_domain *domain);

/* Numbers of cells, as an application's slabs know them. */
typedef struct {
    const void *context;
    int rows; /* numbers of a cell */
    /* Of a box of a slab: rows one after the other, each [z][y][x]. WABE_MEMORY. Local. */
    wabe_status (*read)(const void *context, int slab, wabe_box box, double *values);
} wabe_values;

/* Of a box of this process's block. WABE_MEMORY. Local. */
wabe_status wabe_domain_read(const wabe_domain *domain, const wabe_values *values, wabe_box box,
                             double *out);
/* Of a box of the domain, on rank 0, which holds it all: for planes and lines. out is not used on
 * other ranks. WABE_MEMORY. Collective. */
wabe_status wabe_domain_gather(const wabe_domain *domain, const wabe_values *values, wabe_box box,
                               double *out);
