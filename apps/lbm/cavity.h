/* The cavity that is measured on: walls all round, the upper one moves; spheres in it if part of it
 * is to be solid. */
#pragma once

#include "apps/geometry/particles.h"
#include "core/geometry/geometry.h"
#include "sweeps/lbm.h"

typedef struct {
    wabe_condition conditions[WABE_FACES + 1];
    wabe_particles spheres;
    wabe_geometry geometry; /* points into the rest */
} wabe_cavity;

/* fluid: share of the cells, the rest are spheres. periodic: an axis without walls, or
 * -1. out must stay where it is. WABE_MEMORY. Local. */
wabe_status wabe_cavity_make(const int64_t cells[3], double fluid, int periodic, wabe_cavity *out);
void wabe_cavity_free(wabe_cavity *cavity);

/* A model to measure with: TRT, the registry's choice of kernel. Local. */
wabe_lbm_model wabe_cavity_model(wabe_type storage, wabe_streaming streaming);

/* A slab of all of it, at rest; inner: see wabe_lbm_create. WABE_INPUT, WABE_MEMORY. Local. */
wabe_status wabe_cavity_slab(const wabe_cavity *cavity, const wabe_component *component,
                             const wabe_lbm_model *model, wabe_box inner, wabe_lbm_slab **out);
