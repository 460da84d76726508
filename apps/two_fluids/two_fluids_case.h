/* A case of two fluids: what the options say, in units of the lattice, and what a run of it needs.
 */
#pragma once

#include "apps/geometry/pores.h"
#include "apps/lbm/grid_solids.h"
#include "apps/runtime/fluid_survey.h"
#include "apps/two_fluids/two_fluids.h"
#include "sweeps/stencil/two_fluids.h"

#include <math.h>

/* Columns of monitor.csv: of all, and of each fluid. */
enum {
    WABE_TWO_FLUIDS_OF_ALL = 3,
    WABE_TWO_FLUIDS_COLUMNS = WABE_TWO_FLUIDS_OF_ALL + 2 * WABE_FLUID_COLUMN_COUNT
};

/* What was found at the last check in the part that is measured, of gas and liquid. */
typedef struct {
    double saturation;  /* share of the liquid in the volume of both */
    double flux[2][3];  /* volume per area and time: velocity times share, over all cells */
    double pressure[2]; /* mean over cells of the fluid alone; NAN: there are none */
} wabe_two_fluids_found;

/* Flow of both fluids through a porous medium. */
typedef struct {
    int64_t level;     /* step of pressure */
    int steady_checks; /* in succession */
    bool steady;       /* in the last step of pressure */
    double change;     /* at the last check; INFINITY: there was nothing to compare with */
    double last[3];    /* saturation and both fluxes at that check; NAN: there was none */
    bool settled;      /* it has ended a step of pressure */
    double
        difference; /* pressure of the gas's reservoir less that of the liquid's, at that check */
    wabe_time_series file;
} wabe_two_fluids_watch;

typedef struct {
    wabe_two_fluids_options options;
    wabe_stencil_case stencil;
    wabe_two_fluids_step step;
    wabe_two_fluids_place place;
    wabe_grid_solids solids;
    double time_step, velocity, density, pressure; /* what units of the lattice stand for */
    const char *limited_by;                        /* of a time step that is chosen */
    double volume;                                 /* of the liquid at the start */
    wabe_two_fluids_found found;
    wabe_two_fluids_watch watch;
    wabe_state_number units[WABE_TWO_FLUIDS_SHOWN];
    /* While the initial state is set: the block, flags of it and of a cell around, and the phase of
     * its cells (NULL: shapes say it). */
    wabe_box block;
    wabe_flags flags;
    double *blobs;
    wabe_pores pores;                         /* cells 0: not analysed */
    wabe_status (*initialise)(wabe_run *run); /* of all stencil applications, and the next */
    wabe_status (*survey)(wabe_run *run);
} wabe_two_fluids_case;

static inline wabe_two_fluids_case *wabe_two_fluids_of(const wabe_run *run) {
    return wabe_stencil_case_of(run)->slabs.context;
}

static inline const wabe_fluid_shape *wabe_two_fluids_shape_of(const wabe_two_fluids_case *t,
                                                               int64_t number) {
    return (const wabe_fluid_shape *)t->options.two_fluids.shapes.items + number;
}

/* Returns the domain that shapes are in. Local. */
static inline wabe_fluid_shape_space wabe_two_fluids_space(const wabe_two_fluids_case *t) {
    wabe_fluid_shape_space space = {.spacing = t->options.spacing};
    for (int axis = 0; axis < 3; axis++) {
        space.cells[axis] = t->place.cells[axis];
        space.periodic[axis] = t->place.faces[2 * axis] == WABE_TWO_FLUIDS_PERIODIC;
    }
    return space;
}

/* Returns the number of axes that are more than a cell long. */
static inline int wabe_two_fluids_axes(const wabe_two_fluids_case *t) {
    return (t->place.cells[0] > 1) + (t->place.cells[1] > 1) + (t->place.cells[2] > 1);
}

/* Are there pressures one after the other? */
static inline bool wabe_two_fluids_has_levels(const wabe_two_fluids_case *t) {
    return t->options.porous.pressures.count > 0;
}

static inline bool wabe_two_fluids_has_solids(const wabe_two_fluids_case *t) {
    return wabe_geometry_has_solids(&t->solids.geometry);
}

/* two_fluids_case.c: takes what the options say. Call wabe_grid_solids_free even if it fails.
 * WABE_INPUT, and as wabe_grid_solids_make. Local. */
wabe_status wabe_two_fluids_take(const wabe_config *config, wabe_two_fluids_case *t);
/* See wabe_application; the second one warns of likely mistakes in the input, too. Local. */
void wabe_two_fluids_print_model(const wabe_run *run);
void wabe_two_fluids_print_more(const wabe_run *run);

/* two_fluids_start.c: see wabe_stencil_case.initial, and wabe_application.initialise and beside. */
wabe_status wabe_two_fluids_initial_row(const void *context, int number, const int64_t cell[3],
                                        int64_t count, double *row);
wabe_status wabe_two_fluids_initialise(wabe_run *run);
int64_t wabe_two_fluids_beside(const wabe_run *run);

/* two_fluids_blobs.c: checks the keys of random blobs. Local. */
wabe_status wabe_two_fluids_check_blobs(const wabe_config *config, const wabe_two_fluids_case *t);
/* Are there any? Local. */
bool wabe_two_fluids_has_blobs(const wabe_two_fluids_case *t);
/* Finds the phase of the block's cells, of which t->flags has the solids: t->blobs, to be freed.
 * WABE_MEMORY. Collective. */
wabe_status wabe_two_fluids_make_blobs(wabe_run *run);

/* two_fluids_geometry.c: analyses the pores between solids of a flow through them; see
 * wabe_application.survey. */
wabe_status wabe_two_fluids_survey(wabe_run *run);
/* two_fluids.c: takes what an input file says, and makes the application's table of it. Call
 * wabe_grid_solids_free even if it fails. Collective. */
wabe_status wabe_two_fluids_read(MPI_Comm comm, wabe_config *config, wabe_two_fluids_case *t,
                                 wabe_option_table tables[3], wabe_application *app);

/* two_fluids_porous.c: checks the keys of porous. Local. */
wabe_status wabe_two_fluids_check_porous(const wabe_config *config, const wabe_two_fluids_case *t);
/* Enters what a flow through a porous medium needs into the application's table. Local. */
void wabe_two_fluids_enter_porous(wabe_two_fluids_case *t, wabe_application *app);
/* See wabe_stencil_case. Local. */
int wabe_two_fluids_recall_porous(const wabe_two_fluids_case *t, wabe_checkpoint_number out[]);
void wabe_two_fluids_resume_porous(const wabe_run *run, const wabe_checkpoint *checkpoint);
void wabe_two_fluids_put_porous(const wabe_run *run, wabe_json *json);
void wabe_two_fluids_print_found(const wabe_run *run);
/* Prints what is measured; warns of likely mistakes. Local. */
void wabe_two_fluids_print_porous(const wabe_two_fluids_case *t);
void wabe_two_fluids_warn_of_porous(const wabe_run *run);
/* Returns the pressure at the lower face in a step of pressure, in units of the run. Local. */
double wabe_two_fluids_level(const wabe_two_fluids_case *t, int64_t level);

/* two_fluids_results.c: see wabe_stencil_case and wabe_application. */
wabe_status wabe_two_fluids_monitor(wabe_run *run, double columns[]);
extern const char wabe_two_fluids_columns[];
wabe_status wabe_two_fluids_mask(const wabe_run *run, wabe_box plane, uint8_t **out);
int wabe_two_fluids_recall(const wabe_run *run, wabe_checkpoint_number out[]);
wabe_status wabe_two_fluids_resume(wabe_run *run, const wabe_checkpoint *checkpoint);
void wabe_two_fluids_put(const wabe_run *run, wabe_json *json);
