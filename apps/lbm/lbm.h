/* The application lbm: flow simulated with the lattice Boltzmann method. */
#pragma once

#include "apps/geometry/fill.h"
#include "apps/lbm/bodies.h"
#include "apps/lbm/flux.h"
#include "apps/lbm/forces.h"
#include "apps/lbm/gradients.h"
#include "apps/lbm/options.h"
#include "apps/lbm/start.h"
#include "apps/runtime/run.h"

#include <math.h>

enum { WABE_LBM_NUMBERS = 5, WABE_LBM_QUANTITIES = 22 };

/* A case and its results. */
typedef struct {
    wabe_lbm_options options;
    wabe_lbm_case lbm_case;
    bool tensor;       /* one of three runs, one along each axis of a porous medium */
    int64_t *cuts;     /* along z, if processes get equal shares of fluid, else NULL */
    wabe_fill fill;    /* the cells filled by geometry.fill */
    wabe_pores pores;  /* of a porous medium */
    wabe_start *start; /* the file with the initial state; NULL: none */
    wabe_state_number numbers[WABE_LBM_NUMBERS];
    wabe_output_quantity quantities[WABE_LBM_QUANTITIES];
    wabe_lbm_pass_plan pass_plan; /* if it is */
    wabe_list_extent list; /* of the block, if a list is streamed; reach and plane: of any block */
    wabe_simulation *simulation;
    wabe_gradients gradients; /* while fields are written */
    wabe_body_faults faults;
    bool plugged[3]; /* both faces normal to this axis are open, but no fluid connects them */
    wabe_monitor_result first, last;
    wabe_monitor_result good; /* the last result before the flow diverged */
    int64_t good_step;
    double mass_at_start; /* at step 0, possibly of an earlier run */
    wabe_forces forces;
    wabe_flux flux;
    bool flux_restored; /* from a checkpoint */
    wabe_porous_watch watch;
    wabe_porous_results porous;
    bool porous_measured;
    double error;  /* of the velocity, if there is an exact solution; otherwise NAN */
    uint64_t hash; /* of the final state */
    double scalar_low, scalar_high; /* its least and largest scalar */
} wabe_flow;

static inline wabe_flow *wabe_flow_of(const wabe_run *run) { return run->app->context; }
static inline bool wabe_flow_is_porous(const wabe_flow *flow) {
    return flow->lbm_case.porous.axis >= 0;
}

/* residency.c. Is the flow streamed through a GPU? The bytes that it then takes there; a line that
 * says so. Local. */
bool wabe_flow_is_streamed(const wabe_flow *flow);
double wabe_flow_streamed_memory(const wabe_run *run);
void wabe_flow_print_residency(const wabe_run *run);
/* Prints what the first process has copied, and how fast, after the run. Local. */
void wabe_flow_print_copies(const wabe_run *run);
void wabe_flow_put_residency(const wabe_run *run, wabe_json *json);
void wabe_flow_enter_residency(wabe_application *app);

#define WABE_MACH_MAX 0.3 /* above it the flow is compressible */
/* Returns the Mach number of a speed in cells per step. Local. */
static inline double wabe_flow_mach(double speed) { return sqrt(3.0) * speed; }

/* Executes an input file. Collective. */
wabe_status wabe_lbm_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                             wabe_verb verb);
/* Runs wabe geometry. Collective. */
wabe_status wabe_lbm_geometry(MPI_Comm comm, const wabe_input *input, wabe_config *config);

/* lbm.c: reads the options and derives the case and the runtime's table app. axis: the axis of this
 * run if the input of a porous medium asks for all. tables: room for 3. Call wabe_flow_free even if
 * it fails. WABE_NOT_CONVERGED: interrupted by a signal; WABE_INPUT, WABE_FILE, WABE_MEMORY.
 * Local. */
wabe_status wabe_flow_read(wabe_config *config, int axis, wabe_flow *flow,
                           wabe_option_table tables[3], wabe_application *app);
void wabe_flow_free(wabe_flow *flow);
/* Does the survey find the solid fraction, so that lists can be expected? Otherwise all cells are
 * taken for fluid. Local. */
bool wabe_flow_needs_analysis(const wabe_flow *flow);
/* Finds the solid fraction and the pores that percolate. WABE_INPUT; WABE_FILE: the voxels cannot
 * be read; WABE_MEMORY. Collective. */
wabe_status wabe_flow_analyse_pores(wabe_run *run);
/* Checks that pores percolate. WABE_INPUT: none percolate along the axis of a porous medium, or
 * geometry.fill would fill them all (it has then filled none). Local. */
wabe_status wabe_flow_check_pores(const wabe_run *run);

/* flux.c: sets what a kept mean velocity needs in the runtime's table. Local. */
void wabe_flux_enter(const wabe_flow *flow, wabe_application *app);
/* Gets the numbers that a checkpoint keeps of it, at most WABE_FLUX_NUMBERS; returns their count.
 * Local. */
int wabe_flux_store(const wabe_flow *flow, wabe_checkpoint_number out[]);

/* state.c: means over the fluid cells, in the run's units: the scalar, its deviation from the
 * reference (root of the mean square), its flux. Local. */
void wabe_flow_scalar_means(const wabe_flow *flow, double cells, double out[5]);

/* state.c, cost.c, report.c: set a flow's functions in the runtime's table; see wabe_application.
 * Local. */
void wabe_flow_enter_state(const wabe_flow *flow, wabe_application *app);
void wabe_flow_enter_costs(wabe_application *app);
void wabe_flow_enter_report(wabe_application *app);
/* report.c: prints the packed bed, the filled cells and the pores. Local. */
void wabe_flow_print_solids(const wabe_run *run);

/* body_checks.c: warns of meshes and objects that are cut off, lie outside, or are thin. Local. */
void wabe_flow_warn_of_extents(const wabe_run *run);

/* checks.c: warns of likely mistakes in a case; those about what drives the flow are in drive.c,
 * those about solids in bodies.c. Local. */
void wabe_flow_warn(const wabe_run *run);
void wabe_flow_warn_of_drive(const wabe_run *run);
void wabe_flow_warn_of_bodies(const wabe_run *run);
/* Is there a solid in the stream of an inlet? It stagnates at the solid's front. Local. */
bool wabe_flow_has_body_in_stream(const wabe_lbm_case *lbm_case);
/* Checks that the quantities to be written exist in this case. WABE_INPUT. Local. */
wabe_status wabe_flow_check_quantities(const wabe_run *run);
/* Returns whether fluid can flow in and out through both faces normal to an axis. Local. */
bool wabe_flow_has_way(const wabe_flow *flow, int axis);
/* Fails with WABE_DIVERGED; the message names the place and the likely cause. Local. */
wabe_status wabe_flow_diverged(const wabe_run *run);

/* wabe_lbm_gather_solid of the run's geometry. Collective. */
wabe_status wabe_flow_gather_solid(const wabe_run *run, wabe_box plane, uint8_t **out);
