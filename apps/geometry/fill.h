/* Fills pores without flow, on request: as solid cells they take neither memory nor time. Each
 * process knows the filled cells of its own block and its surroundings. */
#pragma once

#include "comm/decomposition.h"
#include "core/geometry/geometry.h"

typedef struct {
    wabe_mask mask;
    int64_t cells; /* filled, of all processes */
    int64_t left;  /* fluid cells not filled */
} wabe_fill;

/* Finds the fluid cells of this process's block that are not connected, by cell faces, to both
 * faces of the domain normal to any of these axes (bit d for axis d). Connections may lead across
 * periodic faces normal to the other axes. Fails as wabe_geometry_flags. Collective. */
wabe_status wabe_fill_find(MPI_Comm comm, const wabe_geometry *geometry,
                           const wabe_decomposition *decomposition, unsigned axes, wabe_fill *out);
void wabe_fill_free(wabe_fill *fill);

/* Redistributes filled cells found with one decomposition to the processes of another one of the
 * same domain: to each those of its own block and of all cells around it that are ever accessed.
 * WABE_MEMORY. Collective. */
wabe_status wabe_fill_spread(MPI_Comm comm, const wabe_decomposition *from,
                             const wabe_decomposition *to, wabe_fill *fill);
