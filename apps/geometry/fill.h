/* Pores through which nothing can flow, made solid on request: they then take no memory and no
 * time. Each process knows of its own block and its surroundings what is filled. */
#pragma once

#include "comm/decomposition.h"
#include "core/geometry/geometry.h"

typedef struct {
    wabe_mask mask;
    int64_t cells; /* of all processes */
    int64_t left;  /* fluid cells that are not filled */
} wabe_fill;

/* Finds the fluid cells of this process's block that have no way, by faces of cells, to both faces
 * of the domain normal to any of these axes (bit d for axis d). Ways may lead across periodic faces
 * beside the axis. Fails as wabe_geometry_flags. Collective. */
wabe_status wabe_fill_find(MPI_Comm comm, const wabe_geometry *geometry,
                           const wabe_decomposition *decomposition, unsigned axes, wabe_fill *out);
void wabe_fill_free(wabe_fill *fill);

/* What was found with one decomposition becomes known to the processes of another one, which has
 * the same domain: each of its own block and all around it that is ever looked at. WABE_MEMORY.
 * Collective. */
wabe_status wabe_fill_spread(MPI_Comm comm, const wabe_decomposition *from,
                             const wabe_decomposition *to, wabe_fill *fill);
