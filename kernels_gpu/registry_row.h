/* Common parts of the registry's rows for GPUs, and the row of a stencil sweep
 * (sweeps/cell/stencil.h). */
#pragma once

#include "core/registry/kernel.h"
#include "kernels_gpu/functions.h"

#ifdef WABE_CUDA
enum { WABE_HAVE_CUDA = 1 };
#define WABE_GPU_LAUNCH(step, function) WABE_LAUNCH(step, wabe_cuda_##function)
#else
enum { WABE_HAVE_CUDA = 0 };
#define WABE_GPU_LAUNCH(step, function) NULL
#endif

static inline bool wabe_is_gpu(const wabe_component *component, const char **why) {
    const bool emulated = component->device && wabe_device_is_emulated(component->device);
    *why = WABE_HAVE_CUDA ? "needs a GPU" : "built without CUDA";
    return emulated || (WABE_HAVE_CUDA && component->device);
}

#define WABE_GPU_COMMON(step, function) WABE_GPU_COMMON_IF(wabe_is_gpu, step, function)
#define WABE_GPU_COMMON_IF(available_, step, function)                                             \
    .sweep = &wabe_sweep_##step, .target = WABE_TARGET_gpu,                                        \
    .instruction_set = WABE_INSTRUCTION_SET_cuda, .available = available_,                         \
    .run = WABE_RUN(step, wabe_emulated_##function), .launch = WABE_GPU_LAUNCH(step, function)

#define WABE_GPU_TYPES(type)                                                                       \
    .storage = WABE_TYPE_##type, .arithmetic = (wabe_type)WABE_ARITHMETIC_##type

#define WABE_GPU_STENCIL_ROW(sweep_, attributes_, moved, more, operations, type)                   \
    {.name = #sweep_ "." #type ".cuda",                                                            \
     WABE_GPU_COMMON(sweep_, sweep_##_##type),                                                     \
     WABE_GPU_TYPES(type),                                                                         \
     .attributes = attributes_,                                                                    \
     .bytes = (moved)*WABE_SIZE_##type + (more),                                                   \
     .flops = operations},

/* The rows of both types of a row of a list of stencil sweeps. */
#define WABE_GPU_STENCIL_ROWS(name, numbers, wide, narrow, reductions, moved, more, flops)         \
    WABE_GPU_STENCIL_TYPES(name,                                                                   \
                           WABE_STENCIL_ATTRIBUTES(WABE_BEGINS_##name, numbers, wide, narrow,      \
                                                   reductions),                                    \
                           moved, more, flops)
#define WABE_GPU_COLUMN_ROWS(name, direction, carried, numbers, wide, narrow, reductions, moved,   \
                             more, flops)                                                          \
    WABE_GPU_STENCIL_TYPES(name,                                                                   \
                           WABE_COLUMN_ATTRIBUTES(direction, numbers, wide, narrow, reductions),   \
                           moved, more, flops)
#define WABE_GPU_STENCIL_TYPES(name, attributes, moved, more, flops)                               \
    WABE_GPU_STENCIL_ROW(name, attributes, moved, more, flops, f64)                                \
    WABE_GPU_STENCIL_ROW(name, attributes, moved, more, flops, f32)
