/* The application dendrite: solidification by a phase field, from an input file to results. */
#pragma once

#include "apps/runtime/run.h"

typedef struct {
    int kind; /* mirror, periodic, fixed */
    double temperature;
} wabe_dendrite_face;

typedef struct {
    double center[3], radius;
} wabe_dendrite_nucleus;

/* As read; the rows are in dendrite_schema.c. */
typedef struct {
    wabe_run_options run;
    double spacing; /* domain.spacing */
    struct {
        int model, storage;
        char kernel[WABE_STRING_SIZE];
        double time_step, interface_width, undercooling, anisotropy, noise, orientation[3];
        int64_t noise_seed;
        double melting_temperature, latent_heat, heat_capacity, surface_energy; /* pure_metal */
        double kinetic_coefficient;
        double diffusivity;           /* of heat, or of an alloy's solute */
        double capillary_length;      /* karma_rappel, alloy */
        double partition_coefficient; /* alloy */
        wabe_option_list nuclei;
        struct {
            int64_t count, seed;
            double radius;
        } random_nuclei;
    } dendrite;
    wabe_dendrite_face faces[WABE_FACES];
} wabe_dendrite_options;

extern const wabe_option wabe_dendrite_option_rows[];

/* Does what an input file asks for. Collective. */
wabe_status wabe_dendrite_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                                  wabe_verb verb);
