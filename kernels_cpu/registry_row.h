/* Common parts of the registry's rows for CPUs, and the row of a stencil sweep
 * (sweeps/cell/stencil.h). */
#pragma once

#include "core/registry/kernel.h"
#include "kernels_cpu/functions.h"

static inline bool wabe_has_instructions(const wabe_component *component, wabe_instruction_set set,
                                         const char **why) {
    if (component->instruction_set >= set)
        return true;
    *why = "the processor lacks the instructions";
    return false;
}

static inline bool wabe_has_x86_64(const wabe_component *component, const char **why) {
    return wabe_has_instructions(component, WABE_INSTRUCTION_SET_x86_64, why);
}
static inline bool wabe_has_portable(const wabe_component *component, const char **why) {
    return wabe_has_instructions(component, WABE_INSTRUCTION_SET_portable, why);
}
static inline bool wabe_has_avx2(const wabe_component *component, const char **why) {
    return wabe_has_instructions(component, WABE_INSTRUCTION_SET_avx2, why);
}
static inline bool wabe_has_avx512(const wabe_component *component, const char **why) {
    return wabe_has_instructions(component, WABE_INSTRUCTION_SET_avx512, why);
}

#define WABE_CPU_COMMON(step, type, set)                                                           \
    .sweep = &wabe_sweep_##step, .target = WABE_TARGET_cpu,                                        \
    .instruction_set = WABE_INSTRUCTION_SET_##set, .storage = WABE_TYPE_##type,                    \
    .arithmetic = (wabe_type)WABE_ARITHMETIC_##type, .available = wabe_has_##set

/* Of kernels that are compiled once, for any processor. */
#ifdef __x86_64__
#define WABE_CPU_COMMON_OF_ALL(step, type) WABE_CPU_COMMON(step, type, x86_64)
#else
#define WABE_CPU_COMMON_OF_ALL(step, type) WABE_CPU_COMMON(step, type, portable)
#endif

#define WABE_CPU_STENCIL_ROW(sweep_, attributes_, moved, more, operations, type, set)              \
    {.name = #sweep_ "." #type "." #set,                                                           \
     WABE_CPU_COMMON(sweep_, type, set),                                                           \
     .attributes = attributes_,                                                                    \
     .bytes = (moved)*WABE_SIZE_##type + (more),                                                   \
     .flops = operations,                                                                          \
     .run = WABE_RUN(sweep_, wabe_##sweep_##_##type##_##set)},

/* The rows of all flavours of a row of a list of stencil sweeps. */
#define WABE_CPU_STENCIL_ROWS(name, numbers, wide, narrow, reductions, moved, more, flops)         \
    WABE_CPU_STENCIL_FLAVOURS(name,                                                                \
                              WABE_STENCIL_ATTRIBUTES(WABE_BEGINS_##name, numbers, wide, narrow,   \
                                                      reductions),                                 \
                              moved, more, flops)
#define WABE_CPU_COLUMN_ROWS(name, direction, carried, numbers, wide, narrow, reductions, moved,   \
                             more, flops)                                                          \
    WABE_CPU_STENCIL_FLAVOURS(name,                                                                \
                              WABE_COLUMN_ATTRIBUTES(direction, numbers, wide, narrow,             \
                                                     reductions),                                  \
                              moved, more, flops)
#define WABE_CPU_STENCIL_FLAVOURS(name, attributes, moved, more, flops)                            \
    WABE_IF_x86_64(WABE_CPU_STENCIL_SET(name, attributes, moved, more, flops, x86_64))             \
        WABE_IF_portable(WABE_CPU_STENCIL_SET(name, attributes, moved, more, flops, portable))     \
            WABE_IF_avx2(WABE_CPU_STENCIL_SET(name, attributes, moved, more, flops, avx2))         \
                WABE_IF_avx512(WABE_CPU_STENCIL_SET(name, attributes, moved, more, flops, avx512))
#define WABE_CPU_STENCIL_SET(name, attributes, moved, more, flops, set)                            \
    WABE_CPU_STENCIL_ROW(name, attributes, moved, more, flops, f64, set)                           \
    WABE_CPU_STENCIL_ROW(name, attributes, moved, more, flops, f32, set)
