/* A lattice Boltzmann simulation on all processes: one slab each, the exchange between them, and
 * the schedule that runs a step. */
#ifndef WABE_APPS_SIMULATION_H
#define WABE_APPS_SIMULATION_H

#include "comm/decomposition.h"
#include "comm/exchange.h"
#include "sweeps/lbm.h"

typedef struct {
    wabe_lbm_model model;
    wabe_geometry geometry;
    int64_t processes[3]; /* 0: chosen */
    int threads;          /* of each process; 0: as OpenMP would start */
    bool overlap;
    bool communicate; /* false: nothing is exchanged, results are wrong, for measurements */
} wabe_simulation_options;

typedef struct {
    MPI_Comm comm;
    wabe_simulation_options options;
    wabe_component component;
    wabe_decomposition decomposition;
    wabe_lbm *lbm;
    wabe_exchange *exchange;
    wabe_schedule schedule;
    wabe_profile profile;
} wabe_simulation;

/* Threads for each process of comm if the input leaves it open: as many as OpenMP would start, but
 * all processes of a node together no more than its cores, unless OMP_NUM_THREADS says so. asked >
 * 0 is taken as it is; too many are warned of. Collective. */
int wabe_simulation_threads(MPI_Comm comm, int asked);

/* options must outlive the simulation. WABE_INPUT, WABE_MEMORY. Collective. */
wabe_status wabe_simulation_create(MPI_Comm comm, const wabe_simulation_options *options,
                                   wabe_simulation **out);
void wabe_simulation_destroy(wabe_simulation **simulation);

/* The initial state, known to all neighbours. Collective. */
wabe_status wabe_simulation_initialise(wabe_simulation *simulation, wabe_lbm_initial initial,
                                       const void *context);

/* One time step. Collective. */
void wabe_simulation_step(wabe_simulation *simulation);

/* Bytes that this rank's block will take, before anything is allocated: fields, and estimates of
 * wall links and buffers from its surface. Local. */
int64_t wabe_simulation_forecast(const wabe_simulation_options *options,
                                 const wabe_decomposition *decomposition, int rank);
/* Bytes that this rank has taken. Local. */
int64_t wabe_simulation_bytes(const wabe_simulation *simulation);

/* Sums over all ranks; cells of broken and fastest are global numbers x + nx (y + ny z), those of
 * other fields as in wabe_monitor_result. WABE_MEMORY. Collective. */
wabe_status wabe_simulation_monitor(wabe_simulation *simulation, wabe_monitor_result *out);
/* A sum of hashes of the state: see wabe_lbm_hash. WABE_MEMORY. Collective. */
wabe_status wabe_simulation_hash(const wabe_simulation *simulation, uint64_t *out);

/* Moments of a box of the domain on rank 0: 4 rows of values in the order [z][y][x]. For planes and
 * lines: rank 0 holds it all. moments is not used on other ranks. WABE_MEMORY. Collective. */
wabe_status wabe_simulation_gather(const wabe_simulation *simulation, wabe_box box,
                                   double *moments);

#endif
