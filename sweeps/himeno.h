/* Himeno's benchmark on slabs of a grid: the pressure is the grid's value, the coefficients are its
 * constants. */
#ifndef WABE_SWEEPS_HIMENO_H
#define WABE_SWEEPS_HIMENO_H

#include "sweeps/cell/himeno.h"
#include "sweeps/grid.h"

/* cells: interior points, those that are computed, along k, j, i of the benchmark. Local. */
wabe_grid_model wabe_himeno_model(const int64_t cells[3], const char *kernel);

/* The benchmark's first pressure, on a domain of so many cells (const int64_t[3]). Local. */
wabe_status wabe_himeno_initial(const void *cells, const int64_t cell[3], int64_t count,
                                double *row);

/* The constants, as the benchmark has them, the arguments of the kernels, and room for their sums,
 * which the caller gives back with wabe_himeno_release; for the iterations after one
 * wabe_grid_initialise. WABE_MEMORY. Local. */
wabe_status wabe_himeno_furnish(wabe_grid_slab *slab);
void wabe_himeno_release(wabe_grid_slab *slab);

/* Adds the slab's part of the last iteration's gosa, the sum of the squares of all changes, to bins
 * (core/base/bins.h). WABE_MEMORY. Local. */
wabe_status wabe_himeno_add_gosa(const wabe_grid_slab *slab, double bins[WABE_BINS]);

#endif
