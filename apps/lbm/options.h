/* The options of a lattice Boltzmann run: the values of the input file, and the case derived from
 * them. */
#pragma once

#include "apps/lbm/channel.h"
#include "apps/lbm/in_time.h"
#include "apps/lbm/inflow.h"
#include "apps/lbm/perturbation.h"
#include "apps/lbm/porous.h"
#include "apps/lbm/simulation.h"
#include "apps/lbm/solids.h"
#include "apps/lbm/sources.h"
#include "apps/lbm/turbulence.h"
#include "apps/lbm/turning.h"
#include "apps/runtime/run_options.h"

typedef enum {
    WABE_INITIAL_REST,
    WABE_INITIAL_UNIFORM,
    WABE_INITIAL_TAYLOR_GREEN,
    WABE_INITIAL_TAYLOR_GREEN_3D,
    WABE_INITIAL_FILE,
    WABE_INITIAL_PROFILE,
    WABE_INITIAL_TURBULENT_CHANNEL
} wabe_initial_kind;

typedef enum { WABE_LATTICE_UNITS, WABE_SI_UNITS } wabe_output_units;

enum { WABE_POROUS_ALL = 4 }; /* position of the word */

/* The schema's defaults, with which values are compared: others require lbm.collision = "trt",
 * lbm.les.model, a lbm.rheology.model that takes them, a sponge's width or porous.axis. */
#define WABE_LBM_MAGIC 0.1875
#define WABE_LBM_LES_CONSTANT 0.1
#define WABE_LBM_SPONGE_STRENGTH 0.3
#define WABE_RHEOLOGY_RATE 1
#define WABE_RHEOLOGY_EXPONENT 2
#define WABE_RHEOLOGY_LIMIT 0
#define WABE_RHEOLOGY_GROWTH 1000
#define WABE_RHEOLOGY_LOWEST_TAU 0.501
#define WABE_RHEOLOGY_HIGHEST_TAU 50
#define WABE_POROUS_GRADIENT 1e-6
#define WABE_POROUS_TOLERANCE 1e-6
#define WABE_POROUS_INTERVAL 500

typedef struct {
    int kind; /* from 0, periodic */
    double velocity[3];
    double density;
    double roughness; /* NAN: none is given */
    wabe_profile_options profile;
    struct {
        int64_t width;
        double strength;
    } sponge;
    wabe_turbulence_options turbulence;
    wabe_scalar_surface scalar;
    wabe_in_time_options in_time;
} wabe_condition_options;

typedef struct {
    char name[WABE_STRING_SIZE], of[WABE_STRING_SIZE];
    double about[3], velocity, area, stream[3], lift[3];
} wabe_body_options;

#define WABE_FLUX_EVERY 100 /* the schema's default */

/* As read, one member per key; the rows are in schema.c. */
typedef struct {
    wabe_run_options run;
    struct {
        int lattice, collision, streaming, storage;
        double tau, viscosity, reynolds, velocity, length, magic;
        double force[3];
        wabe_in_time_options force_in_time;
        struct {
            double velocity[3];
            int64_t every;
        } flux;
        int64_t ramp;
        char kernel[WABE_STRING_SIZE];
        struct {
            int model;
            double constant;
        } les;
        int bulk;
        bool correction;
        struct {
            int model;
            double rate, index, exponent, limit, yield, growth, lowest_tau, highest_tau;
        } rheology;
    } lbm;
    struct {
        double cell, velocity, viscosity, density;
    } units;
    wabe_condition_options faces[WABE_FACES];
    wabe_scalar_options scalar;
    wabe_geometry_options geometry;
    struct {
        int axis; /* 0: none, x, y, z, all */
        int drive;
        double gradient, tolerance, cell;
        int64_t interval, begin, end, tracers;
    } porous;
    struct {
        int kind;
        double velocity[3];
        char file[WABE_STRING_SIZE];
        wabe_perturbation_options perturbation;
    } initial;
    struct {
        int64_t every, begin;
        wabe_option_list bodies;
    } forces;
    double average_threshold; /* NAN: none */
    int mean_profiles;        /* 0: none; 1 + an axis */
    int output_units;         /* -1: unset, otherwise as wabe_output_units */
} wabe_lbm_options;

/* Output values are in lattice units times these; all 1: in lattice units. */
typedef struct {
    bool si;
    double length, time, density;
    double velocity, energy, pressure; /* derived from these; energy: per mass */
} wabe_lbm_units;

/* Returns the unit of an output value; si: its SI unit. Local. */
static inline const char *wabe_lbm_unit(const wabe_lbm_units *units, const char *si) {
    return units->si ? si : "lattice units";
}

enum { WABE_BODIES_MAX = 32, WABE_BODY_NAME_MAX = 31 };

/* A solid on which the force is recorded. */
typedef struct {
    char name[WABE_BODY_NAME_MAX + 1];
    int condition;   /* its boundary condition */
    double about[3]; /* the point that torques are about, in cells */
    double pressure; /* velocity^2 / 2 of the reference velocity, times the reference area; NAN:
                        without coefficients */
    bool has_stream;
    double drag[3], lift[3]; /* directions, if there is a stream */
} wabe_force_body;

/* The case: everything in lattice units, with the conversion to physical units. */
typedef struct {
    double tau, viscosity;
    const char *viscosity_key; /* the key that gives it */
    double velocity, length;   /* reference */
    double given;              /* largest velocity given for boundaries and initial state */
    double fastest;            /* the same, with profiles and turning walls at their fastest */
    char fastest_key[80];      /* the key that gives it */
    double reynolds, mach, grid_reynolds;
    wabe_rheology rheology;
    wabe_scalar_case scalar;
    wabe_scalar_sources sources;
    const char *vortex_disturbed_by; /* the key with which a Taylor-Green vortex is no solution */
    bool physical;                   /* units are given; otherwise dx, dt, dm are 1 */
    double dx, dt, dm;               /* m, s, kg per lattice unit of length, time, mass */
    wabe_lbm_units units;
    wabe_condition conditions[WABE_CONDITIONS_MAX];
    int object_count;
    wabe_object *objects;
    wabe_inflow inflows[WABE_FACES];
    wabe_turbulence turbulence;
    wabe_channel channel;                                /* kind turbulent_channel */
    wabe_perturbation *perturbation;                     /* of the initial state; NULL: none */
    wabe_table faces_in_time[WABE_FACES], force_in_time; /* count 0: constant */
    wabe_lbm_solids solids;
    int turning_count;
    wabe_turning turnings[WABE_TURNING_MAX];
    wabe_motion motions[WABE_TURNING_MAX];
    wabe_porous porous;
    int body_count;
    wabe_force_body bodies[WABE_BODIES_MAX];
    wabe_simulation_options simulation;
} wabe_lbm_case;

extern const wabe_option wabe_lbm_option_rows[];

/* Checks that faces and force leave driving the flow along porous.axis to porous.drive, and that no
 * other key of porous is given without an axis. WABE_INPUT, with the key's line. Local. */
wabe_status wabe_lbm_check_drive(const wabe_config *config, const wabe_lbm_options *options);
/* Checks the options for contradictions and derives the case; reads or generates the solids. The
 * options must outlive the case. WABE_INPUT: contradictions, with the key's line;
 * WABE_NOT_CONVERGED: as wabe_lbm_solids_make; WABE_FILE; WABE_MEMORY. Local. */
wabe_status wabe_lbm_case_make(const wabe_config *config, const wabe_lbm_options *options,
                               wabe_lbm_case *out);
void wabe_lbm_case_free(wabe_lbm_case *lbm_case);

/* Does the viscosity depend on the rate of strain? Local. */
static inline bool wabe_lbm_has_rheology(const wabe_lbm_case *lbm_case) {
    return lbm_case->rheology.model != WABE_RHEOLOGY_NONE;
}

/* Returns the key of a solid with this boundary condition ("geometry.objects[0]"; NULL: there is
 * none), in text. Local. */
const char *wabe_lbm_solid_of(const wabe_lbm_options *options, const wabe_lbm_case *lbm_case,
                              int condition, char text[64]);

/* By how much of what the fluid brings along, over its difference from the scalar's reference,
 * seven populations of a scalar make it uneven at the edges of solids; 0: so little that it does
 * not matter. *reference: all that comes in has the reference. Local. */
double wabe_scalar_unevenness(const wabe_lbm_case *lbm_case, bool *reference);
/* Is there a wall that gives off a flux of the scalar? Local. */
bool wabe_scalar_has_flux(const wabe_lbm_case *lbm_case);
/* How the trace of the second moments relaxes. */
typedef enum { WABE_BULK_AUTO, WABE_BULK_SHEAR, WABE_BULK_ONE } wabe_bulk;
/* Returns the collision that options name, or the default. Local. */
wabe_collision_operator wabe_lbm_collision_of(const wabe_lbm_options *options);
/* Returns how the trace of its second moments relaxes; not auto. Local. */
wabe_bulk wabe_lbm_bulk_of(const wabe_lbm_options *options);
/* Returns the velocity set that scalar.lattice names; any for auto. Local. */
wabe_lattice wabe_scalar_lattice_of_word(int word);
/* Sets the case's scalar.lattice: what options name, or nineteen populations where the collision
 * needs them or seven would make it uneven. WABE_INPUT: they have no walls of given flux, and there
 * is one. Local. */
wabe_status wabe_scalar_choose_lattice(const wabe_config *config, const wabe_lbm_options *options,
                                       wabe_lbm_case *lbm_case);

/* The initial state, unless it is read from a file, without its perturbation. */
typedef struct {
    wabe_initial_kind kind;
    int64_t cells[3];
    double velocity[3], viscosity;
    double time;               /* in steps, for the exact solution of the Taylor-Green vortex */
    const wabe_inflow *inflow; /* kind profile */
    const wabe_channel *channel;
    const wabe_condition *conditions;
    double scalar;
} wabe_lbm_case_initial;

/* Returns the initial state of a case, which must outlive it. Local. */
wabe_lbm_case_initial wabe_lbm_case_initial_of(const wabe_lbm_options *options,
                                               const wabe_lbm_case *lbm_case);
/* Returns the amplitude of the Taylor-Green vortex at initial->time, 0 for other states. Local. */
double wabe_lbm_case_vortex(const wabe_lbm_case_initial *initial);
/* Sets moments of the initial state; context: a const wabe_lbm_case_initial *. Local. */
void wabe_lbm_case_moments(const void *context, const int64_t cell[3],
                           double moments[WABE_MOMENTS_GIVEN]);
