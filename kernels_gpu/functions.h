/* The kernels of the table in table.c: plain loops, which emulated devices run, and functions that
 * start the CUDA kernels on a stream. */
#pragma once

#include "sweeps/cell/lattice_rows.h"
#include "sweeps/cell/lbm_products.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WABE_GPU_DECLARE(sweep, function)                                                          \
    struct wabe_##sweep##_args;                                                                    \
    void wabe_emulated_##function(const struct wabe_##sweep##_args *args, int64_t begin,           \
                                  int64_t end);                                                    \
    void wabe_cuda_##function(const struct wabe_##sweep##_args *args, int64_t begin, int64_t end,  \
                              void *stream);

/* Declares the kernels of a row of a list of stencil sweeps (sweeps/cell/stencil.h). */
#define WABE_GPU_STENCIL_DECLARE(name, numbers, wide, narrow, reductions, moved, more, flops)      \
    WABE_GPU_DECLARE(name, name##_f64) WABE_GPU_DECLARE(name, name##_f32)

#define WABE_GPU_COLUMN_DECLARE(name, direction, carried, numbers, wide, narrow, reductions,       \
                                moved, more, flops)                                                \
    WABE_GPU_DECLARE(name, name##_f64) WABE_GPU_DECLARE(name, name##_f32)

#define WABE_GPU_DECLARE_PRODUCT(op, flops, pattern, cells, lattice, storage)                      \
    WABE_GPU_DECLARE(stream_collide, stream_collide_##op##_##cells##_##lattice##_##storage)

#define WABE_GPU_DECLARE_LATTICE(lattice, count, storage)                                          \
    WABE_LBM_PRODUCTS(lattice, WABE_GPU_DECLARE_PRODUCT, storage)                                  \
    WABE_LBM_MOMENTS(lattice, WABE_GPU_DECLARE_MOMENTS, storage)                                   \
    WABE_GPU_DECLARE(reflect, reflect_##lattice##_##storage)                                       \
    WABE_GPU_DECLARE(absorb, absorb_##lattice##_##storage)                                         \
    WABE_GPU_DECLARE(boundary, boundary_##lattice##_##storage)                                     \
    WABE_GPU_DECLARE(initialise, initialise_##lattice##_##storage)                                 \
    WABE_GPU_DECLARE(macroscopic, macroscopic_##lattice##_##storage)                               \
    WABE_GPU_DECLARE(monitor, monitor_##lattice##_##storage)                                       \
    WABE_GPU_DECLARE(forces, forces_##lattice##_##storage)                                         \
    WABE_GPU_DECLARE(hash, hash_##lattice##_##storage)

#define WABE_GPU_DECLARE_MOMENTS(op, flops, third, lattice, storage)                               \
    WABE_GPU_DECLARE(stream_collide, stream_collide_##op##_moments_##lattice##_##storage)

#define X(storage) WABE_LATTICE_ROWS(WABE_GPU_DECLARE_LATTICE, storage)
WABE_TYPES(X)
#undef X

WABE_GPU_DECLARE(diffuse, diffuse_f64)
WABE_GPU_DECLARE(diffuse, diffuse_f32)
WABE_GPU_DECLARE(himeno, himeno)
WABE_GPU_DECLARE(scan, scan)
WABE_GPU_DECLARE(pack, pack_2)
WABE_GPU_DECLARE(pack, pack_4)
WABE_GPU_DECLARE(pack, pack_8)
WABE_GPU_DECLARE(unpack, unpack_2)
WABE_GPU_DECLARE(unpack, unpack_4)
WABE_GPU_DECLARE(unpack, unpack_8)
WABE_GPU_DECLARE(copy, copy)
WABE_GPU_DECLARE(update, update)

#ifdef __cplusplus
}
#endif
