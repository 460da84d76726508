/* The rows of the GPU kernels. A new kernel is a function in functions.h (a plain loop, and one
 * that starts the CUDA kernel) and a row here. */
#include "core/registry/movement.h"
#include "kernels_gpu/functions.h"
#include "sweeps/cell/diffusion.h"
#include "sweeps/cell/himeno.h"
#include "sweeps/cell/lattice_d3q19.h"
#include "sweeps/cell/lbm.h"
#include "sweeps/cell/lbm_attributes.h"
#include "sweeps/cell/stencil_attributes.h"

enum {
    SIZE_f64 = 8,
    SIZE_f32 = 4,
    SIZE_f16 = 2,
};

#define ARITHMETIC_f64 WABE_TYPE_f64
#define ARITHMETIC_f32 WABE_TYPE_f32
#define ARITHMETIC_f16 WABE_TYPE_f32

#ifdef WABE_CUDA
enum { HAVE_CUDA = 1 };
#define LAUNCH(step, function) WABE_LAUNCH(step, wabe_cuda_##function)
#else
enum { HAVE_CUDA = 0 };
#define LAUNCH(step, function) NULL
#endif

static bool is_gpu(const wabe_component *component, const char **why) {
    const bool emulated = component->device && wabe_device_is_emulated(component->device);
    *why = HAVE_CUDA ? "needs a GPU" : "built without CUDA";
    return emulated || (HAVE_CUDA && component->device);
}

#define COMMON(step, function)                                                                     \
    .sweep = &wabe_sweep_##step, .target = WABE_TARGET_gpu,                                        \
    .instruction_set = WABE_INSTRUCTION_SET_cuda, .available = is_gpu,                             \
    .run = WABE_RUN(step, wabe_emulated_##function), .launch = LAUNCH(step, function)

#define TYPES(type) .storage = WABE_TYPE_##type, .arithmetic = ARITHMETIC_##type

#define STREAM_COLLIDE(op, operations, pattern, cells, places, type)                               \
    {.name = "stream_collide." #op "." WABE_LATTICE "." #pattern "." #type ".cuda",                \
     COMMON(stream_collide, stream_collide_##op##_##cells##_##type),                               \
     TYPES(type),                                                                                  \
     .attributes = &(const wabe_lbm_attributes){.lattice = WABE_LATTICE,                           \
                                                .collision = WABE_COLLISION_##op,                  \
                                                .streaming = WABE_STREAMING_##pattern,             \
                                                .treats = WABE_TREATED_BY_STREAM_COLLIDE},         \
     .bytes = 2 * WABE_Q * SIZE_##type + (places),                                                 \
     .flops = operations},

#define SIMPLE(step, type)                                                                         \
    {                                                                                              \
        .name = #step ".d3q19." #type ".cuda", COMMON(step, step##_##type), TYPES(type),           \
        .bytes = WABE_Q * SIZE_##type                                                              \
    }

#define MOVE(step, type, size)                                                                     \
    {                                                                                              \
        .name = #step "." #type ".cuda", COMMON(step, step##_##size), TYPES(type),                 \
        .bytes = 2 * (size)                                                                        \
    }

#define LIMIT(step, type)                                                                          \
    { .name = #step "." #type ".cuda", COMMON(step, step), TYPES(type), .bytes = 2 * SIZE_##type }

#define STORAGE(type, size)                                                                        \
    WABE_LBM_PRODUCTS(STREAM_COLLIDE, type)                                                        \
    SIMPLE(initialise, type), SIMPLE(reflect, type),                                               \
        {.name = "boundary.free_slip.d3q19." #type ".cuda",                                        \
         COMMON(boundary, boundary_##type),                                                        \
         TYPES(type),                                                                              \
         .attributes = &(const wabe_lbm_attributes){.lattice = WABE_LATTICE,                       \
                                                    .treats = 1u << WABE_BOUNDARY_free_slip},      \
         .bytes = 2 * SIZE_##type},                                                                \
        SIMPLE(macroscopic, type), SIMPLE(monitor, type), SIMPLE(hash, type),                      \
        MOVE(pack, type, size), MOVE(unpack, type, size), LIMIT(copy, type), LIMIT(update, type)

#define DIFFUSE(type)                                                                              \
    {.name = "diffuse." #type ".cuda",                                                             \
     COMMON(diffuse, diffuse_##type),                                                              \
     TYPES(type),                                                                                  \
     .bytes = 2 * SIZE_##type,                                                                     \
     .flops = WABE_FLOPS_DIFFUSION,                                                                \
     .attributes = &(const wabe_stencil_attributes){.depth = WABE_DIFFUSION_DEPTH,                 \
                                                    .work = 0.2,                                   \
                                                    .wraps_by = WABE_DIFFUSION_VECTOR}},           \
    {                                                                                              \
        .name = "diffuse_varied." #type ".cuda", COMMON(diffuse_varied, diffuse_varied_##type),    \
        TYPES(type), .bytes = (2 + WABE_DIFFUSION_WEIGHTS) * SIZE_##type,                          \
        .flops = WABE_FLOPS_DIFFUSION_VARIED                                                       \
    }

static const wabe_kernel rows[] = {DIFFUSE(f64),
                                   DIFFUSE(f32),
                                   {.name = "himeno.f32.cuda",
                                    COMMON(himeno, himeno),
                                    TYPES(f32),
                                    .bytes = (2 + WABE_HIMENO_CONSTANTS) * SIZE_f32,
                                    .flops = WABE_FLOPS_HIMENO},
                                   STORAGE(f64, 8),
                                   STORAGE(f32, 4),
                                   STORAGE(f16, 2),
                                   {.name = "throttle.cuda", COMMON(throttle, throttle)}};

const wabe_kernel_table wabe_kernels_gpu = {.count = sizeof rows / sizeof rows[0], .rows = rows};
