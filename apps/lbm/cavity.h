/* The cavity used in measurements: no-slip walls, the upper one moving, with solid spheres inside
 * if only a part of the cells is to be fluid. */
#pragma once

#include "apps/geometry/particles.h"
#include "core/geometry/geometry.h"
#include "sweeps/lattice/lbm.h"

typedef struct {
    wabe_condition conditions[WABE_FACES + 1];
    wabe_particles spheres;
    wabe_geometry geometry; /* points into the other members */
} wabe_cavity;

/* Makes a cavity. fluid: fraction of the cells, the others being spheres; periodic: an axis without
 * walls, or -1. out must not be moved. WABE_MEMORY. Local. */
wabe_status wabe_cavity_make(const int64_t cells[3], double fluid, int periodic, wabe_cavity *out);
void wabe_cavity_free(wabe_cavity *cavity);

/* Returns a model for measurements: TRT, or regularized with ten moments, with the registry's
 * choice of kernel. Local. */
wabe_lbm_model wabe_cavity_model(wabe_type storage, wabe_streaming streaming);

/* Creates a slab of the whole cavity, with fluid at rest; inner: see wabe_lbm_create. WABE_INPUT,
 * WABE_MEMORY. Local. */
wabe_status wabe_cavity_slab(const wabe_cavity *cavity, const wabe_component *component,
                             const wabe_lbm_model *model, wabe_box inner, wabe_lbm_slab **out);
