/* Eddies at the start: a velocity without divergence that is added to an initial state. */
#pragma once

#include "core/config/option.h"
#include "core/geometry/geometry.h"

/* The group initial.perturbation, as read. */
typedef struct {
    double velocity; /* root mean square of each component; 0: no perturbation */
    double length;   /* integral length scale, in cells; NAN: not given */
    int64_t seed;
} wabe_perturbation_options;

#define WABE_PERTURBATION_SEED 1 /* the schema's default */

typedef struct wabe_perturbation wabe_perturbation;

/* Makes the perturbation of a domain; out: NULL if there is none. It is the curl of a potential of
 * waves (see wabe_turbulence_fill), taken by central differences: so its divergence by central
 * differences is 0 but for rounding. It repeats along periodic axes. The potential falls to 0
 * towards all other faces, within a length or half the way to the other face, and has no slope
 * there. WABE_INPUT: contradictions, with the key's line; WABE_MEMORY. Local. */
wabe_status wabe_perturbation_make(const wabe_config *config,
                                   const wabe_perturbation_options *options,
                                   const wabe_geometry *geometry, wabe_perturbation **out);
void wabe_perturbation_free(wabe_perturbation **perturbation);

/* Adds the velocity in a cell, which may lie outside the domain across periodic faces: the same
 * bits whatever has been asked before. Local. */
void wabe_perturbation_add(const wabe_perturbation *perturbation, const int64_t cell[3],
                           double velocity[3]);

/* Prints a line. Local. */
void wabe_perturbation_print(const wabe_perturbation *perturbation);
