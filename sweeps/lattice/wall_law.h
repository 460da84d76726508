/* Laws of the wall for wall functions. */
#pragma once

#include "core/geometry/geometry.h"
#include "sweeps/cell/lbm.h"

/* Of smooth walls: u+ = ln(y+) / kappa + B far from them; M. Lee, R. D. Moser, J. Fluid Mech. 774
 * (2015) 395. Of rough ones: u+ = ln(z / z0) / kappa. */
#define WABE_KAPPA 0.384
#define WABE_LOG_LAW_B 4.27
#define WABE_KAPPA_ROUGH 0.4

/* Beyond, in cells, layers over rough walls are faster than their law (docs/validation.md). */
#define WABE_ROUGHNESS_FINE 0.06

/* The layers of cells at a wall function in which the subgrid model has a mixing length of its own.
 */
enum { WABE_MIXED_LAYERS = 3 };

/* Returns u+ of a smooth wall by y+, from a linear profile at the wall to the logarithmic one: H.
 * Reichardt, Z. angew. Math. Mech. 31 (1951) 208, with these constants. Local. */
double wabe_law_of_the_wall(double y);

/* Returns the law for a cell at a wall with roughness length z0, in cells (0: a smooth wall).
 * Local. */
wabe_wall_law wabe_wall_law_of(double viscosity, double roughness);

/* Makes the laws of a geometry's wall functions: of its faces, then the one that solids share;
 * others are 0. Local. */
void wabe_wall_laws_make(double viscosity, const wabe_geometry *geometry,
                         wabe_wall_law out[WABE_FACES + 1]);

/* Returns the stress on the wall, over the density, of the cell at it: by the velocity along the
 * wall, in cells per step, that friction has left in a step; a force on the cell is neglected.
 * Local. */
double wabe_wall_stress(const wabe_wall_law *law, double speed);

/* Returns the mixing length of the subgrid model, in cells, in a layer at a wall function of this
 * roughness; 0 is the layer at the wall. Local. */
double wabe_mixing_length(int layer, double roughness);
