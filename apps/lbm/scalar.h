/* A scalar that the flow carries, such as a temperature or a concentration: its keys, what
 * boundaries do with it, and what is reported. Kernels know it as (value - reference) /
 * difference. */
#pragma once

#include "core/config/option.h"
#include "core/geometry/geometry.h"
#include "sweeps/cell/lattice.h"

/* As read, one member per key; the rows are in schema.c. NAN: not given. */
typedef struct {
    double diffusivity, prandtl;
    int lattice; /* the key's word: auto, d3q7, d3q19 */
    double magic, turbulent_schmidt, reference, difference, initial, buoyancy[3];
    wabe_option_list sources; /* wabe_source_options */
} wabe_scalar_options;

typedef struct {
    double value, flux; /* NAN: not given */
} wabe_scalar_surface;

/* What follows from them. */
typedef struct {
    bool present;
    wabe_lattice lattice; /* of the flow and the scalar */
    double diffusivity, magic, turbulent_schmidt;
    const char *diffusivity_key;           /* the key that gives it */
    double reference, difference, initial; /* initial: as kernels know it */
    double buoyancies[3];                  /* force per cell and unit, as kernels know it */
    double buoyancy;  /* the same over the values' range, or without one over the difference */
    double range;     /* of the values given for boundaries; 0: there is none */
    double length[3]; /* along each axis: lbm.length, or the domain's */
} wabe_scalar_case;

/* The schema's defaults; others require that there is a scalar. */
#define WABE_SCALAR_MAGIC 0.25
#define WABE_SCALAR_SCHMIDT 0.7

/* Is one of the keys given that say that there is a scalar? Local. */
bool wabe_scalar_is_wanted(const wabe_scalar_options *options);

/* Sets what the condition of a face or solid (group: "boundaries.x_low") does with the scalar.
 * WABE_INPUT: what is given contradicts itself or the boundary's kind, with the key's line.
 * Local. */
wabe_status wabe_scalar_condition(const wabe_config *config, const char *group,
                                  const wabe_scalar_options *options,
                                  const wabe_scalar_surface *surface, wabe_condition *condition);

/* Does any cell have this condition, of solids that share one? Local. */
bool wabe_scalar_is_at(const wabe_geometry *geometry, int condition);

/* Checks the keys and derives out, but for the lattice. viscosity: of the flow; length: lbm.length,
 * 0 if it is not given. WABE_INPUT. Local. */
wabe_status wabe_scalar_make(const wabe_config *config, const wabe_scalar_options *options,
                             double viscosity, double length, const wabe_geometry *geometry,
                             wabe_scalar_case *out);

/* Rejects relaxation times too near to 1. WABE_INPUT. Local. */
wabe_status wabe_scalar_check_tau(const wabe_config *config, const wabe_scalar_case *scalar);

/* The velocity of free fall through the length. Local. */
double wabe_scalar_free_fall(const wabe_scalar_case *scalar);
/* The grid Peclet number, of the larger of this velocity and that of free fall. Local. */
double wabe_scalar_peclet(const wabe_scalar_case *scalar, double velocity);
/* Prints what is derived. collision: the word; eddies: there is a subgrid model; velocity: the
 * flow's reference. Local. */
void wabe_scalar_print(const wabe_scalar_case *scalar, const char *collision, bool eddies,
                       double viscosity, double velocity);

/* The flux along an axis over that of conduction through the length there by the values' range;
 * NAN: there is no range. flux: mean of the domain. Local. */
double wabe_scalar_nusselt(const wabe_scalar_case *scalar, int axis, double flux);
