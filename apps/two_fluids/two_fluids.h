/* The application two_fluids: a liquid and a gas, from an input file to results. */
#pragma once

#include "apps/geometry/fluid_shapes.h"
#include "apps/lbm/grid_solids.h"
#include "apps/runtime/run.h"
#include "sweeps/stencil/fluid.h"

#define WABE_TWO_FLUIDS_INTERVAL 1000 /* default of porous.interval */

/* As read; the rows are in two_fluids_schema.c. */
typedef struct {
    wabe_run_options run;
    double spacing; /* domain.spacing */
    struct {
        int storage, fluid;
        char kernel[WABE_STRING_SIZE];
        wabe_fluid liquid, gas;
        double tension, contact_angle, gravity[3], force[3], velocity[3];
        double time_step, interface_width, mobility, smagorinsky_constant;
        wabe_option_list shapes;
        struct {
            double saturation, length;
            int64_t seed;
        } random_blobs;
    } two_fluids;
    struct {
        int kind, fluid; /* -1: not given */
        double velocity[3], pressure, contact_angle;
    } faces[WABE_FACES];
    wabe_geometry_options geometry;
    struct {
        int axis; /* 1 + its number; 0: no porous medium */
        double tolerance, permeability;
        int64_t interval, begin, end; /* end 0: of the whole domain */
        struct {
            double first, last;
            int64_t count;
        } pressures;
    } porous;
} wabe_two_fluids_options;

extern const wabe_option wabe_two_fluids_option_rows[];

/* Does what an input file asks for. Collective. */
wabe_status wabe_two_fluids_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                                    wabe_verb verb);

/* two_fluids_geometry.c: analyses and draws its solids. Collective. */
wabe_status wabe_two_fluids_geometry(MPI_Comm comm, const wabe_input *input, wabe_config *config);
