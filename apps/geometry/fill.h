/* Fills unconnected pores on request, that is, makes their cells solid, so that they take neither
 * memory nor time. Each process knows the filled cells of its own block and the cells around it. */
#pragma once

#include "comm/decomposition.h"
#include "core/geometry/geometry.h"

typedef struct {
    wabe_mask mask;
    int64_t cells; /* cells filled, of all processes */
    int64_t left;  /* fluid cells not filled, of all processes */
} wabe_fill;

/* Finds the fluid cells of this process's block that percolate along none of these axes (bit d for
 * axis d): no path through cell faces connects them to both of the domain's faces normal to the
 * axis. Paths may cross periodic faces normal to other axes. Fails as wabe_geometry_flags.
 * Collective. */
wabe_status wabe_fill_find(MPI_Comm comm, const wabe_geometry *geometry,
                           const wabe_decomposition *decomposition, unsigned axes, wabe_fill *out);
void wabe_fill_free(wabe_fill *fill);

/* Redistributes filled cells from one decomposition to another one of the same domain. Each process
 * gets those of its block and of its surroundings; planes: see wabe_pores_surroundings.
 * WABE_MEMORY. Collective. */
wabe_status wabe_fill_spread(MPI_Comm comm, const wabe_decomposition *from,
                             const wabe_decomposition *to, int planes, wabe_fill *fill);
