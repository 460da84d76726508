/* Two incompressible fluids as a grid model (sweeps/cell/two_phase.h). */
#pragma once

#include "sweeps/cell/two_phase.h"
#include "sweeps/stencil/fluid.h"
#include "sweeps/stencil/multigrid.h"

/* Fields: the state, what is constant, and what a step computes. */
enum {
    WABE_TWO_PHASE_FRACTION,
    WABE_TWO_PHASE_VELOCITY, /* three fields, on low faces */
    WABE_TWO_PHASE_ADVECTION = WABE_TWO_PHASE_VELOCITY + 3,
    WABE_TWO_PHASE_PRESSURE,
    WABE_TWO_PHASE_FLUID, /* 1; 0 in walls */
    WABE_TWO_PHASE_WALL,  /* see sweeps/cell/two_phase.h */
    WABE_TWO_PHASE_HALF,
    WABE_TWO_PHASE_FLUX, /* of liquid through low faces */
    WABE_TWO_PHASE_DISTANCE,
    WABE_TWO_PHASE_FIRST_DISTANCE,
    WABE_TWO_PHASE_CURVATURE, /* between steps the divergence */
    WABE_TWO_PHASE_SOURCE,    /* between steps the surface over the volume */
    WABE_TWO_PHASE_WEIGHT,    /* between steps the velocities at the middle of cells */
    WABE_TWO_PHASE_FIELDS,
    /* After the advection the first of these holds the curvature that velocities take, and until
     * the source is known the other one says where it is that of columns. */
    WABE_TWO_PHASE_SPREAD_CURVATURE = WABE_TWO_PHASE_HALF,
    WABE_TWO_PHASE_REACH = WABE_TWO_PHASE_SOURCE
};

/* Numbers of the state and, from SHOWN on, beside it: the fraction, velocities on faces, advection,
 * pressure; velocities, surface, divergence. */
enum {
    WABE_TWO_PHASE_NUMBER_OF_VELOCITY = 1,
    WABE_TWO_PHASE_NUMBER_OF_ADVECTION = 4,
    WABE_TWO_PHASE_NUMBER_OF_PRESSURE = 7,
    WABE_TWO_PHASE_STATE,
    WABE_TWO_PHASE_SHOWN = WABE_TWO_PHASE_STATE,
    WABE_TWO_PHASE_NUMBER_OF_SURFACE = WABE_TWO_PHASE_SHOWN + 3,
    WABE_TWO_PHASE_NUMBER_OF_DIVERGENCE,
    WABE_TWO_PHASE_NUMBERS
};

typedef enum {
    WABE_TWO_PHASE_PERIODIC,
    WABE_TWO_PHASE_NO_SLIP,
    WABE_TWO_PHASE_FREE_SLIP,
    WABE_TWO_PHASE_INFLOW,
    WABE_TWO_PHASE_OUTFLOW
} wabe_two_phase_face;

/* What flows in through a face: its velocity; its fraction of liquid, or, of what comes back
 * through a face of outflow, NAN: as the cells before it have. */
typedef struct {
    double velocity[3], fraction;
} wabe_two_phase_inflow;

/* A case, in units that belong together. */
typedef struct {
    int64_t cells[3];
    wabe_two_phase_face faces[6];
    wabe_two_phase_inflow inflows[6]; /* and outflows */
    double angles[6];                 /* of contact at walls, in the liquid, in radians */
    double angle;                     /* the same in solids */
    double spacing, time_step;
    double last_time_step; /* of the step before */
    bool steps_differ;     /* the host knows the largest velocity after each one */
    wabe_fluid liquid, gas;
    double tension, gravity[3];
    double sharpness; /* beta */
    int64_t cycles;   /* of the pressure's equation in a step; 0: as many as the tolerance needs */
    double tolerance; /* the share of a cell's volume that may be gained or lost in a step */
    bool has_solids;
    /* Is a cell solid; and the contact angle of such a cell, if it has one of its own, otherwise
     * NAN. Asked for while slabs are set, of cells of the domain and those behind periodic faces,
     * with this context. */
    bool (*is_solid)(const void *solids, const int64_t cell[3]);
    double (*angle_of_solid)(const void *solids, const int64_t cell[3]);
    const void *solids;
} wabe_two_phase_case;

enum { WABE_TWO_PHASE_CYCLES_MAX = 60 };

typedef struct {
    wabe_grid_model model;
    wabe_multigrid multigrid;
    int fastest; /* the reduction that finds the largest velocity on a face */
} wabe_two_phase_tables;

/* Makes the model of a case. kernel: see wabe_grid_sweep_row; goal: of the pressure's cycles, which
 * the model points to if their number is 0. Local. */
wabe_two_phase_tables wabe_two_phase_model(wabe_type type, const wabe_two_phase_case *c,
                                           const char *kernel, wabe_multigrid_goal *goal);
/* Changes the time steps of a slab's sweeps to those of the case. Local. */
void wabe_two_phase_set_time_step(wabe_grid_slab *slab, const wabe_two_phase_case *c);
/* Returns the residual that the pressure's equation may keep. Local. */
double wabe_two_phase_limit(const wabe_two_phase_case *c);
/* Sets the arguments of a slab's sweeps, and which cells are fluid. WABE_MEMORY. Local. */
wabe_status wabe_two_phase_set(wabe_grid_slab *slab, const wabe_two_phase_case *c,
                               const wabe_multigrid *multigrid);
