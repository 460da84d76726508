/* What a geometry is like before anything flows: porosity, which pores lead through, wetted area.
 */
#pragma once

#include "comm/decomposition.h"
#include "core/geometry/geometry.h"

enum { WABE_PORES_THROAT = 4 }; /* cells that a way should be wide */

typedef struct {
    int64_t cells, fluid;
    int64_t touched; /* cells of rows' pieces of 16 that have fluid: what dense kernels work on */
    /* Fluid cells that are connected, by faces of cells, to both faces of the domain normal to an
     * axis. Pores are not followed across periodic faces. */
    int64_t connected[3];
    /* Can a cube of 4 cells pass from one face to the other? Otherwise every way has throats that
     * are too narrow for a flow to be resolved. The cube stays in the domain, but for periodic
     * faces, which it may reach through. */
    bool wide[3];
    /* Area between fluid and what is solid inside the domain, cells^2, by counting where lines in
     * 13 directions cross it (the formula of Cauchy and Crofton, with the weights of Ohser and
     * Muecklich, Statistical Analysis of Microstructures in Materials Science, 2000). Faces along
     * an axis come out 7 % too small, spheres within 1 %. */
    double wetted_area;
} wabe_pores;

/* Every process analyses its own block of the geometry, and for throats looks at the cells around
 * it, as far as one is wide. WABE_MEMORY, and what wabe_geometry_flags
 * fails with. Collective. */
wabe_status wabe_pores_analyse(MPI_Comm comm, const wabe_geometry *geometry,
                               const wabe_decomposition *decomposition, wabe_pores *out);
