/* The application lbm: flow by the lattice Boltzmann method. */
#pragma once

#include "apps/geometry/fill.h"
#include "apps/lbm/options.h"
#include "apps/lbm/start.h"
#include "apps/runtime/run.h"

enum { WABE_LBM_NUMBERS = 4, WABE_LBM_QUANTITIES = 7 };

/* A case, and what becomes of it. */
typedef struct {
    wabe_lbm_options options;
    wabe_lbm_case lbm_case;
    bool tensor;       /* one of three runs, along each axis of a porous medium */
    int64_t *cuts;     /* along z, where processes get equal shares of the fluid */
    wabe_fill fill;    /* what geometry.fill asks for */
    wabe_pores pores;  /* of a porous medium */
    wabe_start *start; /* the file that it begins with; NULL: none */
    wabe_state_number numbers[WABE_LBM_NUMBERS];
    wabe_output_quantity quantities[WABE_LBM_QUANTITIES];
    wabe_simulation *simulation;
    bool plugged[3]; /* along such an axis both faces are open, and no fluid connects them */
    wabe_monitor_result first, last;
    wabe_monitor_result good; /* the last one before the flow diverged */
    int64_t good_step;
    double mass_at_start; /* at step 0, whoever has computed it */
    wabe_porous_watch watch;
    wabe_porous_results porous;
    bool porous_measured;
    double error;  /* of the velocity, where a solution is known; otherwise NAN */
    uint64_t hash; /* of the state at the end */
} wabe_flow;

static inline wabe_flow *wabe_flow_of(const wabe_run *run) { return run->app->context; }
static inline bool wabe_flow_is_porous(const wabe_flow *flow) {
    return flow->lbm_case.porous.axis >= 0;
}

/* Does what an input file asks for; and wabe geometry. Collective. */
wabe_status wabe_lbm_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                             wabe_verb verb);
wabe_status wabe_lbm_geometry(MPI_Comm comm, const wabe_input *input, wabe_config *config);

/* lbm.c. Reads the options, and makes the case of them; axis: of a porous medium that all axes are
 * asked of. app: as the run time wants it; tables has room for 3. To be freed in any case.
 * WABE_NOT_CONVERGED: a signal has come before all was made; WABE_INPUT, WABE_FILE, WABE_MEMORY.
 * Local. */
wabe_status wabe_flow_read(wabe_config *config, int axis, wabe_flow *flow,
                           wabe_option_table tables[3], wabe_application *app);
void wabe_flow_free(wabe_flow *flow);
/* Finds out how much is solid, and which pores lead through. WABE_INPUT, WABE_FILE: the voxels
 * cannot be read; WABE_MEMORY. Collective. */
wabe_status wabe_flow_analyse_pores(wabe_run *run);
/* WABE_INPUT: no pore leads through along the axis of a porous medium; none would be left by
 * geometry.fill, which has filled nothing then. Local. */
wabe_status wabe_flow_check_pores(const wabe_run *run);

/* What the run time asks of a flow: see wabe_application. state.c, cost.c, report.c. */
void wabe_flow_enter_state(const wabe_flow *flow, wabe_application *app);
void wabe_flow_enter_costs(wabe_application *app);
void wabe_flow_enter_report(wabe_application *app);
void wabe_flow_print_solids(const wabe_run *run);

/* checks.c. Logs what looks wrong with a case. May fluid flow in and out at both faces normal to an
 * axis? WABE_DIVERGED: where, and what is likely to be the cause. Local. */
void wabe_flow_warn(const wabe_run *run);
bool wabe_flow_has_way(const wabe_flow *flow, int axis);
wabe_status wabe_flow_diverged(const wabe_run *run);

/* solid_plane.c. Where a plane of the domain is not fluid, 1 for each cell on rank 0, which gets an
 * array to be freed; NULL on other ranks. Fails as wabe_geometry_flags. Collective. */
wabe_status wabe_flow_gather_solid(const wabe_run *run, wabe_box plane, uint8_t **out);
