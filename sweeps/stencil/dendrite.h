/* Solidification by a phase field on slabs of a grid: see sweeps/cell/dendrite.h. */
#pragma once

#include "sweeps/cell/alloy.h"
#include "sweeps/cell/dendrite.h"
#include "sweeps/stencil/grid.h"

/* Field numbers. Alloys have the concentration in place of u. */
enum { WABE_DENDRITE_PHI, WABE_DENDRITE_U };

/* The coefficients of the formulas in sweeps/cell/dendrite.h and alloy.h for one time step and a
 * spacing of 1. anisotropy: g. partition: k of an alloy, which has the phase of karma_rappel; 0: no
 * alloy. crystal: rows are the crystal's axes, orthonormal. seed: of the noise. */
typedef struct {
    bool karma_rappel; /* otherwise the model of a pure metal */
    double gradient, reaction, driving, noise, diffusion, anisotropy;
    double partition, trapping;
    double crystal[3][3];
    uint64_t seed;
} wabe_dendrite_step;

/* Makes the model of a domain of this many cells. Axes are periodic, or phi has mirrors at their
 * ends and u the walls. kernel: a part of its name, or "". Local. */
wabe_grid_model wabe_dendrite_model(wabe_type type, const int64_t cells[3], const bool periodic[3],
                                    const wabe_wall walls[6], const wabe_dendrite_step *step,
                                    const char *kernel);

/* Sets the arguments of the sweep of a slab of this model. Local. */
void wabe_dendrite_set(wabe_grid_slab *slab, const wabe_dendrite_step *step);
