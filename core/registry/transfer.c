#include "core/registry/transfer.h"

#include "core/registry/kernel.h"

WABE_SWEEP(pack, "what crosses to a neighbour into its buffer", "a field", "a buffer",
           .phase = WABE_PHASE_pack);

WABE_SWEEP(unpack, "what came from a neighbour out of its buffer", "a buffer", "a field",
           .phase = WABE_PHASE_unpack);

WABE_SWEEP(copy, "limit: array copied to another, stores past the caches", "an array", "an array",
           .phase = WABE_PHASE_inner);

WABE_SWEEP(update, "limit: array updated in place", "arrays", "arrays", .phase = WABE_PHASE_inner);
