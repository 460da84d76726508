/* The application diffusion: solves df/dt = kappa laplace(f). */
#pragma once

#include "apps/runtime/run.h"

typedef struct {
    int kind; /* in this order: periodic, dirichlet, neumann */
    double value, gradient;
} wabe_diffusion_face;

/* As read; the rows are in diffusion_schema.c. */
typedef struct {
    wabe_run_options run;
    double spacing; /* domain.spacing */
    struct {
        double diffusivity, time_step;
        int storage;
        int64_t steps_per_pass;
        char kernel[WABE_STRING_SIZE];
        struct {
            char file[WABE_STRING_SIZE], dataset[WABE_STRING_SIZE];
        } map;
    } diffusion;
    wabe_diffusion_face faces[WABE_FACES];
    struct {
        int kind; /* in this order: constant, mode, gaussian, file */
        char file[WABE_STRING_SIZE], dataset[WABE_STRING_SIZE];
        double value, amplitude, center[3], width;
        int64_t waves[3];
    } initial;
} wabe_diffusion_options;

extern const wabe_option wabe_diffusion_option_rows[];

/* Executes an input file. Collective. */
wabe_status wabe_diffusion_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                                   wabe_verb verb);
