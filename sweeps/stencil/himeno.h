/* The Himeno benchmark on slabs of a grid: the pressure is the grid's state, the coefficients are
 * its constants. */
#pragma once

#include "sweeps/cell/himeno.h"
#include "sweeps/stencil/grid.h"

/* The fields, and the reduction: the sum of the squares of all changes of the pressure. */
enum { WABE_HIMENO_PRESSURE, WABE_HIMENO_COEFFICIENTS };
enum { WABE_HIMENO_GOSA };

/* cells: the interior points, which are computed, along k, j, i of the benchmark. Local. */
wabe_grid_model wabe_himeno_model(const int64_t cells[3], const char *kernel);

/* The benchmark's initial pressure, on a domain of cells[3] cells (const int64_t[3]). Local. */
wabe_status wabe_himeno_initial(const void *cells, const int64_t cell[3], int64_t count,
                                double *row);

/* Sets the benchmark's coefficients. WABE_MEMORY. Local. */
wabe_status wabe_himeno_fill(wabe_grid_slab *slab);
