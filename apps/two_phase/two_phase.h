/* The application two_phase: a liquid and a gas with a sharp interface, from an input file to
 * results. */
#pragma once

#include "apps/geometry/fluid_shapes.h"
#include "apps/lbm/grid_solids.h"
#include "apps/runtime/run.h"
#include "sweeps/stencil/two_phase.h"

/* As read; the rows are in two_phase_schema.c. */
typedef struct {
    wabe_run_options run;
    double spacing; /* domain.spacing */
    struct {
        int storage, fluid;
        char kernel[WABE_STRING_SIZE];
        wabe_fluid liquid, gas;
        double tension, contact_angle, gravity[3], velocity[3], time_step, courant, sharpness;
        int64_t pressure_cycles;
        double pressure_tolerance;
        wabe_option_list shapes;
    } two_phase;
    struct {
        int kind; /* -1: not given */
        double contact_angle, velocity[3];
        int fluid; /* WABE_GAS, WABE_LIQUID; -1: not given */
    } faces[WABE_FACES];
    wabe_geometry_options geometry;
} wabe_two_phase_options;

extern const wabe_option wabe_two_phase_option_rows[];

/* Does what an input file asks for. Collective. */
wabe_status wabe_two_phase_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                                   wabe_verb verb);

/* Draws its solids. Collective. */
wabe_status wabe_two_phase_geometry(MPI_Comm comm, const wabe_input *input, wabe_config *config);
