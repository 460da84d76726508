/* A lattice Boltzmann simulation on all processes: its slabs on a domain, and their state. */
#pragma once

#include "apps/runtime/forecast.h"
#include "sweeps/lattice/lbm.h"

typedef struct {
    wabe_lbm_model model;
    wabe_geometry geometry;
    int64_t processes[3]; /* 0: chosen */
    const int64_t *cuts;  /* of the decomposition; must outlive the simulation */
    /* For the forecast: fluid cells, and cells that dense kernels update, as fractions of all
     * cells; 0: all cells. */
    double fluid_share, touched_share;
    int sums;             /* for the forecast: rows of sums over time that are kept */
    bool forces;          /* on solids are wanted */
    unsigned force_faces; /* and on the faces whose bits are set: bit 0: x_low */
    bool overlap;
    bool communicate; /* false: no exchange, for measurements; results are wrong */
    bool separate;    /* each phase of a step ends before the next begins, for measurements */
    wabe_transport transport; /* see wabe_exchange_options */
} wabe_simulation_options;

typedef struct {
    wabe_domain domain;
    wabe_simulation_options options;
    wabe_lbm_slab *slabs[WABE_SLABS_MAX]; /* of this process */
} wabe_simulation;

/* Creates a simulation. components: of this process, with their planes of the block along z; a
 * single component gets all planes. Pointers in geometry and model must outlive the simulation.
 * WABE_INPUT, WABE_MEMORY. Collective. */
wabe_status wabe_simulation_create(MPI_Comm comm, const wabe_simulation_options *options,
                                   const wabe_components *components, wabe_simulation **out);
void wabe_simulation_destroy(wabe_simulation **simulation);

/* Returns the steps done, including those of earlier runs. Local. */
int64_t wabe_simulation_steps(const wabe_simulation *simulation);

/* Sets the initial state and exchanges it. Fails as wabe_lbm_initialise. Collective. */
wabe_status wabe_simulation_initialise(wabe_simulation *simulation, wabe_lbm_initial initial,
                                       const void *context);

/* Sets the state after step steps of another run and exchanges it. Fails as wabe_lbm_restore.
 * Collective. */
wabe_status wabe_simulation_restore(wabe_simulation *simulation, int64_t step,
                                    wabe_lbm_stored stored, void *context);
/* Reads one population of a box of this process's block; see wabe_lbm_populations. WABE_MEMORY.
 * Local. */
wabe_status wabe_simulation_populations(const wabe_simulation *simulation, int q, wabe_box box,
                                        void *values);

/* Does one time step; GPUs may still be working on return. Collective. */
void wabe_simulation_step(wabe_simulation *simulation);

/* Are slabs expected to be lists? Each decides for itself, from its own cells. Local. */
bool wabe_simulation_expects_list(const wabe_simulation_options *options);
/* Estimates the bytes of a slab on a component before anything is allocated: its fields, and wall
 * links and buffers from its surface. Local. */
int64_t wabe_simulation_forecast(const wabe_simulation_options *options, const int64_t cells[3],
                                 wabe_target target);
/* Returns the bytes allocated by this rank. Local. */
int64_t wabe_simulation_bytes(const wabe_simulation *simulation);

/* Reduces the monitor's results over all ranks. The cells of broken and fastest values are global
 * numbers x + nx (y + ny z), smallest first; the other members are as in wabe_monitor_result.
 * WABE_MEMORY. Collective. */
wabe_status wabe_simulation_monitor(wabe_simulation *simulation, wabe_monitor_result *out);
/* Computes what the solids of each condition take from the fluid in a step, on all ranks; forces:
 * an element per condition of the geometry. Only if the options want forces. WABE_MEMORY.
 * Collective. */
wabe_status wabe_simulation_forces(const wabe_simulation *simulation, wabe_force forces[]);
/* Computes the sum of hashes of the state; see wabe_lbm_hash. WABE_MEMORY. Collective. */
wabe_status wabe_simulation_hash(const wabe_simulation *simulation, uint64_t *out);

/* Numbers of a cell that cross a face, an edge, a corner: of D3Q19 5, 1 and 0 populations; of
 * pattern moments all ten. Local. */
wabe_scaling_pass wabe_simulation_pass(const wabe_lbm_model *model);
/* The bytes of a cell over those of the kernels that machine files have, which are D3Q19's. Local.
 */
double wabe_simulation_times(wabe_lattice lattice);
/* Passes through a slab of so many planes that is streamed with so many ghost planes, which are
 * computed less by one in each step, exchanged once, and copied both ways. Local. */
wabe_model_passes wabe_simulation_passes(const wabe_lbm_pass_plan *plan, double planes,
                                         double ghosts);
/* Finds the costs of this process's slabs for the performance model. Local. */
void wabe_simulation_costs(const wabe_simulation *simulation, wabe_step_cost out[]);

/* Returns access to moments for wabe_domain_read and wabe_domain_gather. Local. */
wabe_values wabe_simulation_values(const wabe_simulation *simulation);
/* Reads moments of a box of this process's block; see wabe_lbm_moments. WABE_MEMORY. Local. */
wabe_status wabe_simulation_moments(const wabe_simulation *simulation, wabe_box box,
                                    double *moments);

/* Writes a quantity of every step-th cell of a box of this process's block, from its first cell on;
 * see wabe_lbm_quantity. WABE_MEMORY. Local. */
wabe_status wabe_simulation_quantity(const wabe_simulation *simulation,
                                     const wabe_quantity *quantity, wabe_box box, int64_t step,
                                     wabe_type type, void *values);

/* Starts sums over time on all slabs; see wabe_lbm_begin_sums. WABE_MEMORY. Local. */
wabe_status wabe_simulation_begin_sums(wabe_simulation *simulation, int rows, double threshold);
/* Adds the present state to the sums. Local. */
void wabe_simulation_add_to_sums(wabe_simulation *simulation);
/* Reads a row of the sums on a box of this process's block, [z][y][x]. WABE_MEMORY. Local. */
wabe_status wabe_simulation_read_sums(const wabe_simulation *simulation, int row, wabe_box box,
                                      double *out);
/* Writes back a row of the sums on plane z of the block. WABE_MEMORY. Local. */
wabe_status wabe_simulation_write_sums(wabe_simulation *simulation, int row, int64_t z,
                                       const double *plane);
