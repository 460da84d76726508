/* Laws of the wall for faces of kind wall_function. */
#pragma once

#include "sweeps/cell/lbm.h"

/* Of smooth walls (u+ = ln(y+) / kappa + B); M. Lee, R. D. Moser, J. Fluid Mech.
 * 774 (2015) 395. Of rough ones, kappa alone. */
#define WABE_KAPPA 0.384
#define WABE_LOG_LAW_B 4.27
#define WABE_KAPPA_ROUGH 0.4

/* The layers of cells at a wall function in which the subgrid model has a mixing length of its own.
 */
enum { WABE_MIXED_LAYERS = 3 };

/* Returns u+ of a smooth wall by Re = u z / nu = u+ y+, to 1e-12: D. B. Spalding, J. Appl. Mech. 28
 * (1961) 455. Local. */
double wabe_spalding(double reynolds);

/* Returns the law for a cell at a wall with roughness length z0, in cells (0: a smooth wall).
 * Local. */
wabe_wall_law wabe_wall_law_of(double viscosity, double roughness);

/* Returns the mixing length of the subgrid model, in cells, in a layer at a wall function of this
 * roughness; 0 is the layer at the wall. Local. */
double wabe_mixing_length(int layer, double roughness);
