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

/* Makes the turbulence of the face that has some, with its waves; out->face is -1 if none has.
 * WABE_INPUT: keys that contradict each other. Local. */
wabe_status wabe_turbulence_make(const wabe_config *config,
                                 const wabe_turbulence_options *const options[WABE_FACES],
                                 const wabe_geometry *geometry, wabe_turbulence *out);
/* Makes the waves of an inflow with this velocity (cells per step), which repeat after a period
 * (cells) along each axis. Their energy follows von Karman's spectrum (Proc. Natl. Acad. Sci. 34
 * (1948) 530); their directions are isotropic, and their velocities free of divergence (Kraichnan,
 * Phys. Fluids 13 (1970) 22, equation 9). The mean square of all three components together, and the
 * integral length, are those of the options. The shortest wave is eight cells long. Local. */
void wabe_turbulence_fill(const wabe_turbulence_options *o, int face, const double velocity[3],
                          const double period[3], wabe_turbulence *out);

/* Prints a line. Local. */
void wabe_turbulence_print(const wabe_turbulence *turbulence, const wabe_turbulence_options *o);
