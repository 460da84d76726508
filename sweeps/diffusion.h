/* Diffusion on slabs of a grid: df/dt = kappa laplace(f), forward Euler, seven points; walls stand
 * half a cell behind the last one. */
#pragma once

#include "sweeps/cell/diffusion.h"
#include "sweeps/grid.h"

/* Of a domain of so many cells, some axes of which are periodic, others between walls (those of
 * periodic ones do not matter). It wraps round all axes, if its kernels can, and does a step a
 * pass, if its depth is not set. varied: each cell has a diffusivity of its own. Local. */
wabe_grid_model wabe_diffusion_model(wabe_type type, const int64_t cells[3], const bool periodic[3],
                                     const wabe_wall walls[6], bool varied, const char *kernel);

/* Their numbers. */
enum { WABE_DIFFUSION_VALUE, WABE_DIFFUSION_WEIGHT };

/* rate: kappa dt / dx^2, 1/6 at most. Local. */
void wabe_diffusion_set(wabe_grid_slab *slab, double rate);

/* Those of varied ones. diffusivities: of each cell, in any units, also of those up to
 * two behind the domain's faces (the other end's, or the cell's beside it); rate: what one of 1
 * gives. Between cells there is the harmonic mean. WABE_MEMORY. Local. */
wabe_status wabe_diffusion_vary(wabe_grid_slab *slab, double rate, wabe_grid_values diffusivities,
                                const void *context);
