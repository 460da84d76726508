/* Synthetic turbulence of an inflow: the waves of a given intensity and length. */
#pragma once

#include "core/config/option.h"
#include "core/geometry/geometry.h"

/* The group turbulence of a face, as read. */
typedef struct {
    double intensity; /* root mean square of each component, relative to the face's velocity; 0:
                         none */
    double length;    /* integral length scale, in cells; NAN: not given */
    int64_t width, seed;
} wabe_turbulence_options;

/* The schema's defaults. */
#define WABE_TURBULENCE_WIDTH 8
#define WABE_TURBULENCE_SEED 1

/* Makes the turbulence of the face that has some, *there = false: none. The waves' energy follows
 * von Karman's spectrum (Proc. Natl. Acad. Sci. 34 (1948) 530); they are of isotropic directions,
 * free of divergence, and those of a seed (Kraichnan, Phys. Fluids 13 (1970) 22, equation 9). The
 * shortest is eight cells long. WABE_INPUT: keys that contradict each other. Local. */
wabe_status wabe_turbulence_make(const wabe_config *config,
                                 const wabe_turbulence_options *const options[WABE_FACES],
                                 const wabe_geometry *geometry, wabe_turbulence *out, bool *there);

/* Prints a line. Local. */
void wabe_turbulence_print(const wabe_turbulence *turbulence, const wabe_turbulence_options *o);
