/* A lattice Boltzmann simulation on all processes: its slabs on a domain, and what they hold. */
#pragma once

#include "apps/runtime/forecast.h"
#include "sweeps/lbm.h"

typedef struct {
    wabe_lbm_model model;
    wabe_geometry geometry;
    int64_t processes[3]; /* 0: chosen */
    const int64_t *cuts;  /* of the decomposition; must outlive the simulation */
    /* For the forecast: fluid cells, and those that dense kernels work on, of all; 0: all are. */
    double fluid_share, touched_share;
    bool sums; /* for the forecast: are sums over time kept? */
    bool overlap;
    bool communicate;         /* false: nothing is exchanged, results are wrong, for measurements */
    bool separate;            /* a phase of a step ends before the next begins, for measurements */
    wabe_transport transport; /* see wabe_exchange_options */
} wabe_simulation_options;

typedef struct {
    wabe_domain domain;
    wabe_simulation_options options;
    int64_t first_step;                   /* that it has begun at: the domain counts from there */
    wabe_lbm_slab *slabs[WABE_SLABS_MAX]; /* of this process */
} wabe_simulation;

/* components: of this process, with their planes of the block along z; one alone has them all.
 * Geometry's and model's pointers must outlive the simulation. WABE_INPUT, WABE_MEMORY. Collective.
 */
wabe_status wabe_simulation_create(MPI_Comm comm, const wabe_simulation_options *options,
                                   const wabe_components *components, wabe_simulation **out);
void wabe_simulation_destroy(wabe_simulation **simulation);

/* Steps done, by runs before this one, too. Local. */
int64_t wabe_simulation_steps(const wabe_simulation *simulation);

/* The initial state, known to all neighbours. Collective. */
wabe_status wabe_simulation_initialise(wabe_simulation *simulation, wabe_lbm_initial initial,
                                       const void *context);

/* The state after some step of another run, known to all neighbours: see wabe_lbm_restore.
 * Collective. */
wabe_status wabe_simulation_restore(wabe_simulation *simulation, int64_t step,
                                    wabe_lbm_stored stored, void *context);
/* One population of a box of this process's block: see wabe_lbm_populations. WABE_MEMORY. Local. */
wabe_status wabe_simulation_populations(const wabe_simulation *simulation, int q, wabe_box box,
                                        void *values);

/* One time step; on GPUs it may not be done on return. Collective. */
void wabe_simulation_step(wabe_simulation *simulation);

/* Will slabs be lists? Each decides for itself in the end, from its own cells. Local. */
bool wabe_simulation_expects_list(const wabe_simulation_options *options);
/* Bytes that a slab will take on a component, before anything is allocated: fields, and estimates
 * of wall links and buffers from its surface. Local. */
int64_t wabe_simulation_forecast(const wabe_simulation_options *options, const int64_t cells[3],
                                 wabe_target target);
/* Bytes that this rank has taken. Local. */
int64_t wabe_simulation_bytes(const wabe_simulation *simulation);

/* Sums over all ranks; cells of broken and fastest are global numbers x + nx (y + ny z), those of
 * other fields as in wabe_monitor_result. WABE_MEMORY. Collective. */
wabe_status wabe_simulation_monitor(wabe_simulation *simulation, wabe_monitor_result *out);
/* A sum of hashes of the state: see wabe_lbm_hash. WABE_MEMORY. Collective. */
wabe_status wabe_simulation_hash(const wabe_simulation *simulation, uint64_t *out);

/* Five populations cross each cell of a face, one each of an edge. */
#define WABE_LBM_PASS ((wabe_scaling_pass){.steps = 1, .cost = 1.0, .crossing = {5.0, 1.0, 0.0}})
/* Of this process's slabs, for the performance model. Local. */
void wabe_simulation_costs(const wabe_simulation *simulation, wabe_step_cost out[]);

/* Moments, for wabe_domain_read and wabe_domain_gather. Local. */
wabe_values wabe_simulation_values(const wabe_simulation *simulation);
/* Moments of a box of this process's block: see wabe_lbm_moments. WABE_MEMORY. Local. */
wabe_status wabe_simulation_moments(const wabe_simulation *simulation, wabe_box box,
                                    double *moments);

/* A quantity of every step-th cell of a box of this process's block, from its first one on: see
 * wabe_lbm_quantity. WABE_MEMORY. Local. */
wabe_status wabe_simulation_quantity(const wabe_simulation *simulation,
                                     const wabe_quantity *quantity, wabe_box box, int64_t step,
                                     wabe_type type, void *values);

/* Sums over time of all slabs: see wabe_lbm_begin_sums. WABE_MEMORY. Local. */
wabe_status wabe_simulation_begin_sums(wabe_simulation *simulation);
void wabe_simulation_add_to_sums(wabe_simulation *simulation);
/* A row of a box of this process's block, [z][y][x]; or of whole planes of it, put back.
 * WABE_MEMORY. Local. */
wabe_status wabe_simulation_read_sums(const wabe_simulation *simulation, int row, wabe_box box,
                                      double *out);
wabe_status wabe_simulation_write_sums(wabe_simulation *simulation, int row, int64_t z,
                                       const double *plane);
