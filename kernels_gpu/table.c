/* The rows of the GPU kernels. To add a kernel, declare its functions in functions.h (a plain loop,
 * and one that starts the CUDA kernel) and add a row here. */
#include "core/registry/transfer.h"
#include "kernels_gpu/moments_column.h"
#include "kernels_gpu/registry_row.h"
#include "sweeps/cell/diffusion.h"
#include "sweeps/cell/himeno.h"
#include "sweeps/cell/lattice.h"
#include "sweeps/cell/lbm.h"
#include "sweeps/cell/lbm_attributes.h"
#include "sweeps/cell/scan.h"
#include "sweeps/cell/stencil_attributes.h"
#include "sweeps/cell/stencils.h"

#define STREAM_COLLIDE(op, operations, pattern, cells, lattice_, type)                             \
    {.name = "stream_collide." #op "." #lattice_ "." #pattern "." #type ".cuda",                   \
     WABE_GPU_COMMON(stream_collide, stream_collide_##op##_##cells##_##lattice_##_##type),         \
     WABE_GPU_TYPES(type),                                                                         \
     .attributes = &(const wabe_lbm_attributes){.lattice = WABE_LATTICE_##lattice_,                \
                                                .collision = WABE_COLLISION_##op,                  \
                                                .streaming = WABE_STREAMING_##pattern,             \
                                                .treats = WABE_TREATED_BY_STREAM_COLLIDE},         \
     .bytes = 2 * WABE_COUNT_##lattice_ * WABE_SIZE_##type +                                       \
              WABE_BESIDE_##cells(WABE_COUNT_##lattice_),                                          \
     .flops = operations},

static bool has_shared(const wabe_component *component, const char **why, int64_t bytes) {
    if (!wabe_is_gpu(component, why))
        return false;
    *why = "the GPU has too little shared memory for a thread block";
    return wabe_device_describe(component->device)->block_memory >= bytes;
}
#define SHARED_NUMBERS(...) WABE_MOMENTS_SHARED(__VA_ARGS__)
#define HAS_SHARED(lattice, type, arithmetic)                                                      \
    static bool has_shared_##lattice##_##type(const wabe_component *component, const char **why) { \
        return has_shared(component, why,                                                          \
                          WABE_MOMENTS_PLACES_##lattice *                                          \
                              SHARED_NUMBERS(WABE_MOMENTS_COLUMN_##lattice##_##type) *             \
                              (int64_t)sizeof(arithmetic));                                        \
    }
HAS_SHARED(d3q19, f64, double)
HAS_SHARED(d3q19, f32, float)
HAS_SHARED(d3q19, f16, float)
HAS_SHARED(d3q27, f64, double)
HAS_SHARED(d3q27, f32, float)
HAS_SHARED(d3q27, f16, float)

#define MOMENTS(op, operations, third, lattice_, type)                                             \
    {.name = "stream_collide." #op "." #lattice_ ".moments." #type ".cuda",                        \
     WABE_GPU_COMMON_IF(has_shared_##lattice_##_##type, stream_collide,                            \
                        stream_collide_##op##_moments_##lattice_##_##type),                        \
     WABE_GPU_TYPES(type),                                                                         \
     .attributes =                                                                                 \
         &(const wabe_lbm_attributes){.lattice = WABE_LATTICE_##lattice_,                          \
                                      .collision = WABE_COLLISION_##op,                            \
                                      .streaming = WABE_STREAMING_moments,                         \
                                      .treats = WABE_TREATED_BY_STREAM_COLLIDE,                    \
                                      .column = {WABE_MOMENTS_COLUMN_##lattice_##_##type},         \
                                      .at_once = WABE_MOMENTS_BLOCKS_##lattice_##_##type},         \
     .bytes = 2 * WABE_MOMENTS * WABE_SIZE_##type,                                                 \
     .flops = operations},

/* passes: how often it reads or writes all populations. */
#define SIMPLE(step, passes, lattice_, type)                                                       \
    {.name = #step "." #lattice_ "." #type ".cuda",                                                \
     WABE_GPU_COMMON(step, step##_##lattice_##_##type),                                            \
     WABE_GPU_TYPES(type),                                                                         \
     .attributes = &(const wabe_lbm_attributes){.lattice = WABE_LATTICE_##lattice_},               \
     .bytes = (passes)*WABE_COUNT_##lattice_ * WABE_SIZE_##type},

#define MIRROR(lattice_, type)                                                                     \
    {.name = "boundary.mirror." #lattice_ "." #type ".cuda",                                       \
     WABE_GPU_COMMON(boundary, boundary_##lattice_##_##type),                                      \
     WABE_GPU_TYPES(type),                                                                         \
     .attributes = &(const wabe_lbm_attributes){.lattice = WABE_LATTICE_##lattice_,                \
                                                .treats = WABE_MIRRORS},                           \
     .bytes = 2 * WABE_SIZE_##type},

#define LATTICE(lattice_, count, type)                                                             \
    WABE_LBM_PRODUCTS(lattice_, STREAM_COLLIDE, type)                                              \
    WABE_LBM_MOMENTS(lattice_, MOMENTS, type)                                                      \
    MIRROR(lattice_, type)                                                                         \
    SIMPLE(initialise, 1, lattice_, type)                                                          \
    SIMPLE(reflect, 1, lattice_, type)                                                             \
    SIMPLE(absorb, 2, lattice_, type)                                                              \
    SIMPLE(macroscopic, 1, lattice_, type)                                                         \
    SIMPLE(monitor, 1, lattice_, type)                                                             \
    SIMPLE(forces, 1, lattice_, type)                                                              \
    SIMPLE(hash, 1, lattice_, type)

#define MOVE(step, type, size)                                                                     \
    {                                                                                              \
        .name = #step "." #type ".cuda", WABE_GPU_COMMON(step, step##_##size),                     \
        WABE_GPU_TYPES(type), .bytes = 2 * (size)                                                  \
    }

#define LIMIT(step, type)                                                                          \
    {                                                                                              \
        .name = #step "." #type ".cuda", WABE_GPU_COMMON(step, step), WABE_GPU_TYPES(type),        \
        .bytes = 2 * WABE_SIZE_##type                                                              \
    }

#define STORAGE(type, size, ...)                                                                   \
    WABE_LATTICE_ROWS(LATTICE, type)                                                               \
    MOVE(pack, type, size), MOVE(unpack, type, size), LIMIT(copy, type), LIMIT(update, type),

#define DIFFUSE(type)                                                                              \
    {                                                                                              \
        .name = "diffuse." #type ".cuda", WABE_GPU_COMMON(diffuse, diffuse_##type),                \
        WABE_GPU_TYPES(type), .bytes = 2 * WABE_SIZE_##type, .flops = WABE_FLOPS_DIFFUSION,        \
        .attributes = &(const wabe_stencil_attributes) {                                           \
            .depth = WABE_DIFFUSION_DEPTH, .work = 0.2, .wraps_by = WABE_DIFFUSION_VECTOR          \
        }                                                                                          \
    }

#define SCAN(type)                                                                                 \
    {                                                                                              \
        .name = "scan." #type ".cuda", WABE_GPU_COMMON(scan, scan), WABE_GPU_TYPES(type),          \
        .bytes = WABE_SIZE_##type                                                                  \
    }

WABE_STENCILS(WABE_GPU_STENCIL_DECLARE)
WABE_COLUMNS(WABE_GPU_COLUMN_DECLARE)

static const wabe_kernel rows[] = {WABE_STENCILS(WABE_GPU_STENCIL_ROWS)
                                       WABE_COLUMNS(WABE_GPU_COLUMN_ROWS) DIFFUSE(f64),
                                   DIFFUSE(f32),
                                   SCAN(f64),
                                   SCAN(f32),
                                   {.name = "himeno.f32.cuda",
                                    WABE_GPU_COMMON(himeno, himeno),
                                    WABE_GPU_TYPES(f32),
                                    .bytes = (2 + WABE_HIMENO_CONSTANTS) * WABE_SIZE_f32,
                                    .flops = WABE_FLOPS_HIMENO},
                                   WABE_STORAGES(STORAGE, )};

const wabe_kernel_table wabe_kernels_gpu = {.count = sizeof rows / sizeof rows[0], .rows = rows};
