/* Shared by the files of a grid's slabs: grid.c, grid_shape.c. */
#pragma once

#include "sweeps/grid.h"

/* Is a slab of this size its own neighbour along an axis, and do its kernels wrap round there?
 * Local. */
bool wabe_grid_wraps(const wabe_grid_model *model, const int64_t cells[3], int axis);
/* Sets the panel and chunk of a sweep's arguments; their cells must be set. Local. */
void wabe_grid_shape(const wabe_grid_slab *slab, int sweep, wabe_grid_args *args);
/* Sets the boxes of a sweep's two regions. inner: the cells that need no data from neighbours.
 * Local. */
void wabe_grid_cut(const wabe_grid_slab *slab, int sweep, wabe_box inner);
