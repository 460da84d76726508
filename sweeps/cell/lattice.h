/* The velocity set as arrays, for set-up code; kernels generate theirs from lattice_d3q19.h. */
#pragma once

#include "sweeps/cell/lattice_d3q19.h"

extern const int wabe_lattice_e[WABE_Q][3]; /* discrete velocities */
extern const double wabe_lattice_w[WABE_Q]; /* weights */

/* The population whose velocity is q's with the components along axes (bit d: axis d) negated. */
int wabe_lattice_mirror(int q, unsigned axes);
