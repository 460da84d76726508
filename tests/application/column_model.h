/* The test program of column sweeps (tests/application/column.h) as tables, and its values. */
#pragma once

#include "sweeps/stencil/grid.h"

extern const wabe_sweep wabe_sweep_spread, wabe_sweep_climb, wabe_sweep_descend, wabe_sweep_slope;
extern const wabe_wall column_walls[6];

wabe_grid_model column_model(const int64_t cells[3], const bool periodic[3]);
wabe_status column_fill(void *context, wabe_grid_slab *slab);
/* A number of a field before the first step. Local. */
double column_value(int field, int component, const int64_t cell[3]);
