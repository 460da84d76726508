/* The stencil sweeps whose kernels are generated from a function of a cell
 * (sweeps/cell/stencil.h). */
#pragma once

#include "sweeps/cell/alloy.h"
#include "sweeps/cell/dendrite.h"
#include "sweeps/cell/diffusion.h"
#include "sweeps/cell/multigrid.h"
#include "sweeps/cell/stencil.h"
#include "sweeps/cell/two_fluids.h"
#include "sweeps/cell/two_phase.h"
#include "sweeps/cell/water.h"
#include "sweeps/cell/weather.h"

/* Cell by cell. */
enum {
    WABE_BEGINS_diffuse_varied = 1,
    WABE_BEGINS_solidify = 3,
    WABE_BEGINS_solidify_turned = 3,
    WABE_BEGINS_karma_rappel = 3,
    WABE_BEGINS_karma_rappel_turned = 3,
    WABE_BEGINS_alloy_phase = 1,
    WABE_BEGINS_alloy_solute = 1
};
#define WABE_CELLWISE(X)                                                                           \
    X(diffuse_varied, 1, 0, 0, 0, 2 + WABE_DIFFUSION_WEIGHTS, 0, WABE_FLOPS_DIFFUSION_VARIED)      \
    X(solidify, 2, 0, 0, 0, 4, 0, WABE_FLOPS_SOLIDIFY)                                             \
    X(solidify_turned, 2, 0, 0, 0, 4, 0, WABE_FLOPS_SOLIDIFY_TURNED)                               \
    X(karma_rappel, 2, 0, 0, 0, 4, 0, WABE_FLOPS_KARMA_RAPPEL)                                     \
    X(karma_rappel_turned, 2, 0, 0, 0, 4, 0, WABE_FLOPS_KARMA_RAPPEL_TURNED)                       \
    X(alloy_phase, 1, 0, 0, 0, 3, 0, WABE_FLOPS_ALLOY_PHASE)                                       \
    X(alloy_solute, 1, 0, 0, 0, 4, 0, WABE_FLOPS_ALLOY_SOLUTE)                                     \
    WABE_MULTIGRID_CELLWISE(X)                                                                     \
    WABE_TWO_FLUIDS_CELLWISE(X)                                                                    \
    WABE_TWO_PHASE_CELLWISE(X)

#define WABE_PLANEWISE(X) WABE_TWO_FLUIDS_PLANEWISE(X)

#define WABE_STENCILS(X)                                                                           \
    WABE_CELLWISE(X)                                                                               \
    WABE_PLANEWISE(X)

/* Column sweeps. */
#define WABE_COLUMNS(X)                                                                            \
    WABE_WEATHER_COLUMNS(X)                                                                        \
    WABE_EDDIES_COLUMNS(X)                                                                         \
    WABE_WATER_COLUMNS(X)
