/* Attributes of lattice Boltzmann kernels, beside the registry's columns, and what a slab
 * requires. */
#pragma once

#include "core/registry/kernel.h"
#include "sweeps/cell/lattice.h"
#include "sweeps/cell/lbm_products.h"

/* any: the kernel has no such attribute, or the slab accepts all. */
typedef struct {
    wabe_lattice lattice;
    wabe_collision_operator collision;
    wabe_streaming streaming;
    unsigned treats;  /* bit b: the kernel treats (the slab has) boundaries of wabe_boundary b */
    bool wall_buffer; /* wall links go through a buffer, not through the field */
    int column[3];    /* pattern moments: cells of a column at most; 0: as the cache allows */
    int at_once;      /* columns on a multiprocessor */
} wabe_lbm_attributes;

extern const wabe_kernel_family wabe_lbm_family;

/* Returns the operators that have kernels of a lattice for pattern moments, bit by bit. Local. */
unsigned wabe_lbm_moments_of(wabe_lattice lattice);
/* The collision operators, and the streaming patterns, that have kernels for a lattice: bit b for
 * word b. Local. */
unsigned wabe_lbm_operators_of(wabe_lattice lattice);
unsigned wabe_lbm_patterns_of(wabe_lattice lattice);

/* Returns the attributes of a kernel of stream_collide. Local. */
static inline const wabe_lbm_attributes *wabe_lbm_attributes_of(const wabe_kernel *kernel) {
    return kernel->attributes;
}
