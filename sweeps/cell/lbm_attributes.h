/* What lattice Boltzmann kernels have beside the registry's columns, and what a slab wants of them.
 */
#pragma once

#include "core/registry/kernel.h"
#include "sweeps/cell/lbm_products.h"

/* any: the kernel, or the slab, does not care. */
typedef struct {
    const char *lattice; /* "d3q19"; NULL: any */
    wabe_collision_operator collision;
    wabe_streaming streaming;
    unsigned treats;  /* bit b: treats boundaries of wabe_boundary b; a slab: has such boundaries */
    bool wall_buffer; /* what walls return goes through a buffer, not through the field */
} wabe_lbm_attributes;

extern const wabe_kernel_family wabe_lbm_family;

/* Of a kernel of stream_collide. Local. */
static inline const wabe_lbm_attributes *wabe_lbm_attributes_of(const wabe_kernel *kernel) {
    return kernel->attributes;
}
