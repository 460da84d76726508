/* The velocity sets for set-up code; kernels are compiled for one of them (lattice_of_kernel.h). */
#pragma once

#include "core/base/enums.h"
#include "sweeps/cell/lattice_rows.h"

#include <stdbool.h>

/* WABE_LATTICE_d3q19, ... */
#define WABE_LATTICE_WORD(lattice, count, X) X(lattice)
#define WABE_LATTICES(X) WABE_LATTICE_ROWS(WABE_LATTICE_WORD, X)
#define WABE_ENUM_DECLARE_lattice(word) WABE_LATTICE_##word,
WABE_ENUM_DECLARE(lattice, WABE_LATTICE_, WABE_LATTICES)

/* The number of populations; of those of the flow; of those that move, which are 1 to as many.
 * Local. */
int wabe_lattice_count(wabe_lattice lattice);
int wabe_lattice_flow(wabe_lattice lattice);
int wabe_lattice_moving(wabe_lattice lattice);
/* The velocity of population q. Local. */
const int *wabe_lattice_e(wabe_lattice lattice, int q);
/* Does it have populations of a scalar? Local. */
static inline int wabe_lattice_has_scalar(wabe_lattice lattice) {
    return wabe_lattice_flow(lattice) < wabe_lattice_count(lattice);
}
/* Does the scalar have a population for each of the flow, which carries it? Local. */
bool wabe_lattice_carries(wabe_lattice lattice);
/* The diffusivity of a scalar over its relaxation time less 1/2; 1: there is no scalar. Local. */
double wabe_lattice_diffusion(wabe_lattice lattice);
/* The weight of population q. Local. */
double wabe_lattice_weight(wabe_lattice lattice, int q);
/* The number of populations that cross a face, an edge or a corner of a cell: 1, 2 or 3 axes.
 * Local. */
int wabe_lattice_crossing(wabe_lattice lattice, int axes);
/* The population, of the flow or of the scalar as q is, whose velocity is q's with the components
 * along axes (bit d: axis d) negated. Local. */
int wabe_lattice_mirror(wabe_lattice lattice, int q, unsigned axes);
