/* The test program of many sweeps (tests/application/rk3.h) as tables, and its initial values. */
#pragma once

#include "sweeps/stencil/grid.h"

extern const wabe_sweep wabe_sweep_keep, wabe_sweep_slow, wabe_sweep_fall, wabe_sweep_squeeze,
    wabe_sweep_trace;
extern const wabe_wall rk3_walls[6];

wabe_grid_model rk3_model(const int64_t cells[3], const bool periodic[3]);
wabe_status rk3_fill(void *context, wabe_grid_slab *slab);
/* A field before the first step, as it is stored. Local. */
double rk3_value(int field, const int64_t cell[3]);
