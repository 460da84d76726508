/* The test program of two lattices and a field (tests/application/colour.h) as tables, and its
 * initial values. */
#pragma once

#include "sweeps/stencil/grid.h"

extern const wabe_sweep wabe_sweep_measure, wabe_sweep_collide;

wabe_grid_model colour_model(const int64_t cells[3], const bool periodic[3]);
wabe_status colour_fill(void *context, wabe_grid_slab *slab);
/* Component q of a field before the first step, as it is stored: a red drop in blue, at rest but
 * for noise. cell: of the domain. Local. */
double colour_value(int field, int q, const int64_t cell[3]);
