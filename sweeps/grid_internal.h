/* What the files of a grid's slabs share: grid.c, grid_shape.c. */
#pragma once

#include "sweeps/grid.h"

/* Is a slab of so many cells its own neighbour along an axis, and do kernels know? Local. */
bool wabe_grid_wraps(const wabe_grid_model *model, const int64_t cells[3], int axis);
/* Panels and tiles of a sweep, whose cells are set. Local. */
void wabe_grid_shape(const wabe_grid_slab *slab, int sweep, wabe_grid_args *args);
/* The boxes of a sweep's two regions; inner: cells that need nothing of neighbours. Local. */
void wabe_grid_cut(const wabe_grid_slab *slab, int sweep, wabe_box inner);
