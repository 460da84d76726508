/* Output quantities made of differences of the velocity: vorticity, Q-criterion, wall stress,
 * viscosity. */
#pragma once

#include "apps/lbm/simulation.h"
#include "sweeps/lattice/wall_law.h"

/* The quantities, numbered after the outputs of a cell. */
enum {
    WABE_GRADIENT_vorticity = WABE_OUTPUT_COUNT,
    WABE_GRADIENT_q_criterion,
    WABE_GRADIENT_wall_stress,
    WABE_GRADIENT_viscosity
};

/* The velocity in the layers of cells around a process's block, and its values on the walls. */
typedef struct {
    const wabe_simulation *simulation;
    double *faces[WABE_FACES];          /* density and velocity [4][z][y][x] behind a face */
    wabe_flags flags;                   /* of the block and one cell around it */
    wabe_wall_law laws[WABE_FACES + 1]; /* of wall functions: of faces, then of solids */
} wabe_gradients;

/* Returns the bytes that this and wabe_gradients_quantity take at most, on a block. Local. */
int64_t wabe_gradients_memory(wabe_box block);
/* Fetches the layers from the processes around. Call wabe_gradients_end even if it fails.
 * WABE_MEMORY; or as wabe_geometry_flags. Collective. */
wabe_status wabe_gradients_begin(const wabe_simulation *simulation, wabe_gradients *out);
void wabe_gradients_end(wabe_gradients *gradients);

/* Writes a quantity as wabe_simulation_quantity does, in place of which it stands for those above:
 * vorticity, curl u; or Q = (W:W - S:S) / 2 of the rate of rotation W and strain S. Derivatives are
 * central differences, across free_slip faces and wall functions with the mirror image; next to
 * walls whose velocity is known, half a cell away, those of the parabola through it; next to other
 * faces one-sided. wall stress: in cells beside walls the force of the fluid along the wall, per
 * area, of its viscosity alone; where a cell has walls at several sides, the wall's normal is the
 * mean of theirs. To it comes the friction of wall functions (wabe_wall_stress). viscosity: of
 * wabe_rheology, at the rate of strain sqrt(2 S:S). 0 in solid cells.
 * WABE_MEMORY. Local. */
wabe_status wabe_gradients_quantity(const wabe_gradients *gradients, const wabe_quantity *quantity,
                                    wabe_box box, int64_t step, wabe_type type, void *values);
