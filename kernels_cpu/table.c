/* The rows of the CPU kernels. A new kernel is a function in functions.h and a row here. */
#include "core/registry/movement.h"
#include "kernels_cpu/functions.h"
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
    ARITHMETIC_f64 = WABE_TYPE_f64,
    ARITHMETIC_f32 = WABE_TYPE_f32,
    ARITHMETIC_f16 = WABE_TYPE_f32,
};

static bool has_instructions(const wabe_component *component, wabe_instruction_set set,
                             const char **why) {
    if (component->instruction_set >= set)
        return true;
    *why = "the processor lacks the instructions";
    return false;
}

static bool has_x86_64(const wabe_component *component, const char **why) {
    return has_instructions(component, WABE_INSTRUCTION_SET_x86_64, why);
}
static bool has_avx2(const wabe_component *component, const char **why) {
    return has_instructions(component, WABE_INSTRUCTION_SET_avx2, why);
}
static bool has_avx512(const wabe_component *component, const char **why) {
    return has_instructions(component, WABE_INSTRUCTION_SET_avx512, why);
}

#define COMMON(step, type, set)                                                                    \
    .sweep = &wabe_sweep_##step, .target = WABE_TARGET_cpu,                                        \
    .instruction_set = WABE_INSTRUCTION_SET_##set, .storage = WABE_TYPE_##type,                    \
    .arithmetic = (wabe_type)ARITHMETIC_##type, .available = has_##set

#define STREAM_COLLIDE(op, operations, pattern, cells, places, type, set)                          \
    {.name = "stream_collide." #op "." WABE_LATTICE "." #pattern "." #type "." #set,               \
     COMMON(stream_collide, type, set),                                                            \
     .attributes = &(const wabe_lbm_attributes){.lattice = WABE_LATTICE,                           \
                                                .collision = WABE_COLLISION_##op,                  \
                                                .streaming = WABE_STREAMING_##pattern,             \
                                                .treats = WABE_TREATED_BY_STREAM_COLLIDE,          \
                                                .wall_buffer = true},                              \
     .bytes = 2 * WABE_Q * SIZE_##type + (places),                                                 \
     .flops = operations,                                                                          \
     .run = WABE_RUN(stream_collide, wabe_stream_collide_##op##_##pattern##_##type##_##set)},

#define SIMPLE(step, type, set, values)                                                            \
    {                                                                                              \
        .name = #step ".d3q19." #type "." #set, COMMON(step, type, set),                           \
        .bytes = (values)*SIZE_##type, .run = WABE_RUN(step, wabe_##step##_##type##_##set)         \
    }

#define FLAVOUR(type, set)                                                                         \
    WABE_LBM_PRODUCTS(STREAM_COLLIDE, type, set)                                                   \
    SIMPLE(initialise, type, set, WABE_Q), SIMPLE(reflect, type, set, WABE_Q),                     \
        {.name = "boundary.free_slip.d3q19." #type "." #set,                                       \
         COMMON(boundary, type, set),                                                              \
         .attributes = &(const wabe_lbm_attributes){.lattice = WABE_LATTICE,                       \
                                                    .treats = 1u << WABE_BOUNDARY_free_slip},      \
         .bytes = 2 * SIZE_##type,                                                                 \
         .run = WABE_RUN(boundary, wabe_boundary_##type##_##set)},                                 \
        SIMPLE(macroscopic, type, set, WABE_Q), SIMPLE(monitor, type, set, WABE_Q),                \
        SIMPLE(hash, type, set, WABE_Q),                                                           \
        {.name = "copy." #type "." #set,                                                           \
         COMMON(copy, type, set),                                                                  \
         .bytes = 2 * SIZE_##type,                                                                 \
         .run = WABE_RUN(copy, wabe_copy_##type##_##set)},                                         \
        {.name = "update." #type "." #set,                                                         \
         COMMON(update, type, set),                                                                \
         .bytes = 2 * SIZE_##type,                                                                 \
         .run = WABE_RUN(update, wabe_update_##type##_##set)},

#define MOVE(step, type, size)                                                                     \
    {.name = #step "." #type,                                                                      \
     COMMON(step, type, x86_64),                                                                   \
     .bytes = 2 * SIZE_##type,                                                                     \
     .run = WABE_RUN(step, wabe_##step##_##size)},

#define DIFFUSE(type, set)                                                                         \
    {.name = "diffuse." #type "." #set,                                                            \
     COMMON(diffuse, type, set),                                                                   \
     .bytes = 2 * SIZE_##type,                                                                     \
     .flops = WABE_FLOPS_DIFFUSION,                                                                \
     .attributes = &(const wabe_stencil_attributes){.depth = WABE_DIFFUSION_DEPTH,                 \
                                                    .work = 0.5,                                   \
                                                    .tiles = true},                                \
     .run = WABE_RUN(diffuse, wabe_diffuse_##type##_##set)},                                       \
        {.name = "diffuse_varied." #type "." #set,                                                 \
         COMMON(diffuse_varied, type, set),                                                        \
         .bytes = (2 + WABE_DIFFUSION_WEIGHTS) * SIZE_##type,                                      \
         .flops = WABE_FLOPS_DIFFUSION_VARIED,                                                     \
         .run = WABE_RUN(diffuse_varied, wabe_diffuse_varied_##type##_##set)},

#define HIMENO(type, set)                                                                          \
    {.name = "himeno." #type "." #set,                                                             \
     COMMON(himeno, type, set),                                                                    \
     .bytes = (2 + WABE_HIMENO_CONSTANTS) * SIZE_##type,                                           \
     .flops = WABE_FLOPS_HIMENO,                                                                   \
     .run = WABE_RUN(himeno, wabe_himeno_##type##_##set)},

static const wabe_kernel rows[] = {
#define X(type, set) FLAVOUR(type, set)
    WABE_CPU_FLAVOURS(X)
#undef X
        WABE_CPU_GRID_FLAVOURS(DIFFUSE) WABE_CPU_F32_FLAVOURS(HIMENO) MOVE(pack, f64, 8)
            MOVE(pack, f32, 4) MOVE(pack, f16, 2) MOVE(unpack, f64, 8) MOVE(unpack, f32, 4)
                MOVE(unpack, f16, 2)};

const wabe_kernel_table wabe_kernels_cpu = {.count = sizeof rows / sizeof rows[0], .rows = rows};
