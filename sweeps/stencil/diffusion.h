/* Diffusion on slabs of a grid: df/dt = kappa laplace(f), forward Euler, seven-point stencil; walls
 * lie half a cell behind the last cell. */
#pragma once

#include "sweeps/cell/diffusion.h"
#include "sweeps/stencil/grid.h"

/* Makes the model of a domain of this many cells. Axes are periodic or between walls (walls of
 * periodic axes are ignored). The model wraps round all axes where its kernels can, and does one
 * step per pass unless its depth is changed. varied: each cell has its own diffusivity. Local. */
wabe_grid_model wabe_diffusion_model(wabe_type type, const int64_t cells[3], const bool periodic[3],
                                     const wabe_wall walls[6], bool varied, const char *kernel);

/* Field numbers. */
enum { WABE_DIFFUSION_VALUE, WABE_DIFFUSION_WEIGHT };

/* Sets the rate, kappa dt / dx^2, at most 1/6. Local. */
void wabe_diffusion_set(wabe_grid_slab *slab, double rate);

/* Sets the face weights of a varied model. diffusivities: of each cell, in any unit, and of up to
 * two cells behind the domain's faces (from the other end if periodic, otherwise from the cell next
 * to the face). rate: the rate for a diffusivity of 1. A face uses the harmonic mean of its two
 * cells. WABE_MEMORY. Local. */
wabe_status wabe_diffusion_vary(wabe_grid_slab *slab, double rate, wabe_grid_values diffusivities,
                                const void *context);
