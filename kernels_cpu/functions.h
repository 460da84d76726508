/* The kernels of the table in table.c. */
#pragma once

#include "sweeps/cell/lattice_rows.h"
#include "sweeps/cell/lbm_products.h"

#include <stdint.h>

/* WABE_IF_avx2(text): text, if kernels are compiled for AVX2 (WABE_INSTRUCTION_SETS of CMake). */
#ifdef WABE_HAS_portable
#define WABE_IF_portable(...) __VA_ARGS__
#else
#define WABE_IF_portable(...)
#endif
#if defined(WABE_HAS_portable) && defined(__aarch64__)
#define WABE_IF_portable_f16(...) __VA_ARGS__
#else
#define WABE_IF_portable_f16(...)
#endif
#ifdef WABE_HAS_x86_64
#define WABE_IF_x86_64(...) __VA_ARGS__
#else
#define WABE_IF_x86_64(...)
#endif
#ifdef WABE_HAS_avx2
#define WABE_IF_avx2(...) __VA_ARGS__
#else
#define WABE_IF_avx2(...)
#endif
#ifdef WABE_HAS_avx512
#define WABE_IF_avx512(...) __VA_ARGS__
#else
#define WABE_IF_avx512(...)
#endif

/* X(storage, instruction set). The baseline of x86-64 has no instructions that convert half
 * precision. */
#define WABE_CPU_OF_SETS(X, storage)                                                               \
    WABE_IF_x86_64(X(storage, x86_64)) WABE_IF_portable(X(storage, portable))                      \
        WABE_IF_avx2(X(storage, avx2)) WABE_IF_avx512(X(storage, avx512))
#define WABE_CPU_F32_FLAVOURS(X) WABE_CPU_OF_SETS(X, f32)
#define WABE_CPU_GRID_FLAVOURS(X) WABE_CPU_OF_SETS(X, f64) WABE_CPU_OF_SETS(X, f32)
#define WABE_CPU_FLAVOURS(X)                                                                       \
    WABE_CPU_GRID_FLAVOURS(X)                                                                      \
    WABE_IF_portable_f16(X(f16, portable)) WABE_IF_avx2(X(f16, avx2)) WABE_IF_avx512(X(f16, avx512))

#define WABE_CPU_DECLARE(sweep, function)                                                          \
    struct wabe_##sweep##_args;                                                                    \
    void function(const struct wabe_##sweep##_args *args, int64_t begin, int64_t end);

/* Declares the kernels of a row of a list of stencil sweeps (sweeps/cell/stencil.h). */
#define WABE_CPU_STENCIL_DECLARE(name, numbers, wide, narrow, reductions, moved, more, flops)      \
    WABE_IF_x86_64(WABE_CPU_STENCIL_DECLARE_SET(name, x86_64))                                     \
        WABE_IF_portable(WABE_CPU_STENCIL_DECLARE_SET(name, portable))                             \
            WABE_IF_avx2(WABE_CPU_STENCIL_DECLARE_SET(name, avx2))                                 \
                WABE_IF_avx512(WABE_CPU_STENCIL_DECLARE_SET(name, avx512))
#define WABE_CPU_COLUMN_DECLARE(name, direction, carried, ...)                                     \
    WABE_CPU_STENCIL_DECLARE(name, __VA_ARGS__)
#define WABE_CPU_STENCIL_DECLARE_SET(name, set)                                                    \
    WABE_CPU_DECLARE(name, wabe_##name##_f64_##set)                                                \
    WABE_CPU_DECLARE(name, wabe_##name##_f32_##set)

#define WABE_CPU_DECLARE_PRODUCT(op, flops, pattern, cells, lattice, storage, set)                 \
    WABE_CPU_DECLARE(stream_collide,                                                               \
                     wabe_stream_collide_##op##_##pattern##_##lattice##_##storage##_##set)

#define WABE_CPU_DECLARE_LATTICE(lattice, count, storage, set)                                     \
    WABE_LBM_PRODUCTS(lattice, WABE_CPU_DECLARE_PRODUCT, storage, set)                             \
    WABE_LBM_MOMENTS(lattice, WABE_CPU_DECLARE_MOMENTS, storage, set)                              \
    WABE_CPU_DECLARE(reflect, wabe_reflect_##lattice##_##storage##_##set)                          \
    WABE_CPU_DECLARE(absorb, wabe_absorb_##lattice##_##storage##_##set)                            \
    WABE_CPU_DECLARE(boundary, wabe_boundary_##lattice##_##storage##_##set)                        \
    WABE_CPU_DECLARE(initialise, wabe_initialise_##lattice##_##storage##_##set)                    \
    WABE_CPU_DECLARE(macroscopic, wabe_macroscopic_##lattice##_##storage##_##set)                  \
    WABE_CPU_DECLARE(monitor, wabe_monitor_##lattice##_##storage##_##set)                          \
    WABE_CPU_DECLARE(forces, wabe_forces_##lattice##_##storage##_##set)                            \
    WABE_CPU_DECLARE(hash, wabe_hash_##lattice##_##storage##_##set)

#define WABE_CPU_DECLARE_MOMENTS(op, flops, third, lattice, storage, set)                          \
    WABE_CPU_DECLARE(stream_collide,                                                               \
                     wabe_stream_collide_##op##_moments_##lattice##_##storage##_##set)

#define X(storage, set)                                                                            \
    WABE_LATTICE_ROWS(WABE_CPU_DECLARE_LATTICE, storage, set)                                      \
    WABE_CPU_DECLARE(copy, wabe_copy_##storage##_##set)                                            \
    WABE_CPU_DECLARE(update, wabe_update_##storage##_##set)
WABE_CPU_FLAVOURS(X)
#undef X

#define X(storage, set)                                                                            \
    WABE_CPU_DECLARE(diffuse, wabe_diffuse_##storage##_##set)                                      \
    WABE_CPU_DECLARE(fill, wabe_fill_##storage##_##set)
WABE_CPU_GRID_FLAVOURS(X)
#undef X

#define X(storage, set) WABE_CPU_DECLARE(himeno, wabe_himeno_##storage##_##set)
WABE_CPU_F32_FLAVOURS(X)
#undef X

WABE_CPU_DECLARE(scan, wabe_scan)
WABE_CPU_DECLARE(pack, wabe_pack_2)
WABE_CPU_DECLARE(pack, wabe_pack_4)
WABE_CPU_DECLARE(pack, wabe_pack_8)
WABE_CPU_DECLARE(unpack, wabe_unpack_2)
WABE_CPU_DECLARE(unpack, wabe_unpack_4)
WABE_CPU_DECLARE(unpack, wabe_unpack_8)
