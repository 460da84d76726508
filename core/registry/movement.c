#include "core/registry/movement.h"

#include "core/registry/kernel.h"

const wabe_sweep wabe_sweep_pack = {
    "pack",
    "what crosses to a neighbour into its buffer",
    "a field",
    "a buffer",
    .phase = WABE_PHASE_pack,
    .args_size = sizeof(wabe_pack_args),
};

const wabe_sweep wabe_sweep_unpack = {
    "unpack",
    "what came from a neighbour out of its buffer",
    "a buffer",
    "a field",
    .phase = WABE_PHASE_unpack,
    .args_size = sizeof(wabe_unpack_args),
};

const wabe_sweep wabe_sweep_copy = {
    "copy",
    "limit: array copied to another, stores past the caches",
    "an array",
    "an array",
    .phase = WABE_PHASE_inner,
    .args_size = sizeof(wabe_copy_args),
};

const wabe_sweep wabe_sweep_update = {
    "update", "limit: array updated in place", "arrays",
    "arrays", .phase = WABE_PHASE_inner,       .args_size = sizeof(wabe_update_args),
};

const wabe_sweep wabe_sweep_throttle = {
    "throttle",
    "a wait, so that a component keeps to a rate: for experiments",
    "a clock",
    "nothing",
    .phase = WABE_PHASE_inner,
    .args_size = sizeof(wabe_throttle_args),
};
