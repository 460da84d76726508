/* The sweeps of lattice Boltzmann slabs. */
#include "sweeps/cell/lbm.h"
#include "sweeps/cell/lbm_attributes.h"

WABE_SWEEP(initialise, "density and velocity to equilibrium populations", "moments", "populations",
           .exchanged = true, .phase = WABE_PHASE_inner, .family = &wabe_lbm_family);

WABE_SWEEP(stream_collide, "streaming, collision, and walls, one pass", "populations, walls",
           "populations, walls", .halo = 1, .exchanged = true, .phase = WABE_PHASE_inner,
           .family = &wabe_lbm_family);

WABE_SWEEP(reflect, "initial values of the wall buffer", "populations", "walls",
           .phase = WABE_PHASE_inner, .family = &wabe_lbm_family);

WABE_SWEEP(absorb, "sponges, turbulence, wall functions, sources of a scalar", "populations",
           "populations, walls", .exchanged = true, .phase = WABE_PHASE_inner,
           .family = &wabe_lbm_family);

WABE_SWEEP(boundary, "boundaries that need a neighbour's populations, such as free slip",
           "populations", "populations", .halo = 1, .phase = WABE_PHASE_boundary,
           .family = &wabe_lbm_family);

WABE_SWEEP(macroscopic, "populations to density and velocity", "populations", "moments",
           .phase = WABE_PHASE_output, .family = &wabe_lbm_family);

WABE_SWEEP(monitor, "mass, kinetic energy, largest velocity, broken values", "populations", "sums",
           .phase = WABE_PHASE_monitor, .family = &wabe_lbm_family);

WABE_SWEEP(forces, "forces and torques on bodies, by momentum exchange", "populations", "sums",
           .phase = WABE_PHASE_monitor, .family = &wabe_lbm_family);

WABE_SWEEP(hash, "a hash of the state, to compare runs by their bits", "populations", "a hash",
           .phase = WABE_PHASE_output, .family = &wabe_lbm_family);
