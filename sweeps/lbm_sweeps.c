/* The sweeps of lattice Boltzmann slabs. */
#include "sweeps/cell/lbm.h"
#include "sweeps/cell/lbm_attributes.h"

const wabe_sweep wabe_sweep_initialise = {
    "initialise",
    "density and velocity to equilibrium populations",
    "moments",
    "populations",
    .exchanged = true,
    .phase = WABE_PHASE_inner,
    .args_size = sizeof(wabe_initialise_args),
    .family = &wabe_lbm_family,
};

const wabe_sweep wabe_sweep_stream_collide = {
    "stream_collide",
    "streaming, collision, and walls, one pass",
    "populations, walls",
    "populations, walls",
    .halo = 1,
    .exchanged = true,
    .phase = WABE_PHASE_inner,
    .args_size = sizeof(wabe_stream_collide_args),
    .family = &wabe_lbm_family,
};

const wabe_sweep wabe_sweep_reflect = {
    "reflect",
    "what entered the walls at the start, turned round",
    "populations",
    "walls",
    .phase = WABE_PHASE_inner,
    .args_size = sizeof(wabe_reflect_args),
    .family = &wabe_lbm_family,
};

const wabe_sweep wabe_sweep_boundary = {
    "boundary",
    "boundaries that stream_collide leaves to a pass of its own",
    "populations",
    "populations",
    .halo = 1,
    .phase = WABE_PHASE_boundary,
    .args_size = sizeof(wabe_boundary_args),
    .family = &wabe_lbm_family,
};

const wabe_sweep wabe_sweep_macroscopic = {
    "macroscopic",
    "populations to density and velocity",
    "populations",
    "moments",
    .phase = WABE_PHASE_output,
    .args_size = sizeof(wabe_macroscopic_args),
    .family = &wabe_lbm_family,
};

const wabe_sweep wabe_sweep_monitor = {
    "monitor",
    "mass, kinetic energy, largest velocity, broken values",
    "populations",
    "sums",
    .phase = WABE_PHASE_monitor,
    .args_size = sizeof(wabe_monitor_args),
    .family = &wabe_lbm_family,
};

const wabe_sweep wabe_sweep_hash = {
    "hash",
    "a hash of the state, to compare runs by their bits",
    "populations",
    "a hash",
    .phase = WABE_PHASE_output,
    .args_size = sizeof(wabe_hash_args),
    .family = &wabe_lbm_family,
};
