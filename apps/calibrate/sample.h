/* Slabs of grids to measure kernels on. */
#ifndef WABE_APPS_CALIBRATE_SAMPLE_H
#define WABE_APPS_CALIBRATE_SAMPLE_H

#include "sweeps/grid.h"

/* Between walls of the value zero, or periodic, with one diffusivity or one for each cell, as the
 * kernel is. depth: time steps of a pass; 0: those that make a step cheapest. WABE_MEMORY. Local.
 */
wabe_status wabe_sample_diffusion(const wabe_component *component, const wabe_kernel *kernel,
                                  const int64_t cells[3], bool walls, int depth,
                                  wabe_grid_slab **out);
/* With the benchmark's coefficients. WABE_MEMORY. Local. */
wabe_status wabe_sample_himeno(const wabe_component *component, const wabe_kernel *kernel,
                               const int64_t cells[3], wabe_grid_slab **out);

#endif
