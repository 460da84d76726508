/* The application weather: compressible air, from an input file to results. */
#pragma once

#include "apps/runtime/run.h"

/* An element of weather.bubbles. */
typedef struct {
    double center[3], radius[3], amplitude;
    int of, shape;
} wabe_weather_bubble;

/* A row of sounding.table. */
typedef struct {
    double height, theta, vapour, wind[3];
} wabe_sounding_level;

typedef struct {
    int kind;
    double height, half_width, wave_length, center[3], scale, offset;
    char file[WABE_STRING_SIZE], dataset[WABE_STRING_SIZE];
} wabe_weather_terrain;

/* As read; the rows are in weather_schema.c. */
typedef struct {
    wabe_run_options run;
    double spacing; /* domain.spacing */
    struct {
        int storage, microphysics, turbulence;
        char kernel[WABE_STRING_SIZE];
        double time_step, off_centring, damping, diffusivity, prandtl_number, smagorinsky_constant,
            coriolis, wind[3];
        int64_t substeps;
        wabe_option_list bubbles;
    } weather;
    struct {
        int kind;
        double theta, pressure, frequency, vapour, warmer, shear, shear_depth;
        wabe_option_list table;
    } sounding;
    struct {
        double thickness, growth;
    } levels;
    wabe_weather_terrain terrain;
    struct {
        double drag, heat_flux, moisture_flux;
    } surface;
    struct {
        double width[3], rate[3];
    } relaxation;
} wabe_weather_options;

extern const wabe_option wabe_weather_option_rows[];

/* Does what an input file asks for. Collective. */
wabe_status wabe_weather_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                                 wabe_verb verb);
