/* The velocity sets for set-up code; kernels are compiled for one of them (lattice_of_kernel.h). */
#pragma once

#include "core/base/enums.h"
#include "sweeps/cell/lattice_rows.h"

/* WABE_LATTICE_d3q19, ... */
#define WABE_LATTICE_WORD(lattice, count, X) X(lattice)
#define WABE_LATTICES(X) WABE_LATTICE_ROWS(WABE_LATTICE_WORD, X)
#define WABE_ENUM_DECLARE_lattice(word) WABE_LATTICE_##word,
WABE_ENUM_DECLARE(lattice, WABE_LATTICE_, WABE_LATTICES)

extern const int wabe_lattice_e[WABE_Q_MAX][3]; /* discrete velocities: the same in all lattices */

/* The number of populations. Local. */
int wabe_lattice_count(wabe_lattice lattice);
/* The weight of population q. Local. */
double wabe_lattice_weight(wabe_lattice lattice, int q);
/* The number of populations that cross a face, an edge or a corner of a cell: 1, 2 or 3 axes.
 * Local. */
int wabe_lattice_crossing(wabe_lattice lattice, int axes);
/* The population whose velocity is q's with the components along axes (bit d: axis d) negated.
 * Local. */
int wabe_lattice_mirror(int q, unsigned axes);
