/* The kernels of stream_collide: every collision operator with every streaming pattern, for each
 * storage type. These lists generate their words, declarations, instances and rows, on CPUs, GPUs
 * and emulated devices. Further arguments of a list's macro are passed on to each of its rows. */
#pragma once

#include "core/base/enums.h"
#include "core/base/host_device.h"

/* X(operator, flops, ...), by lattice: flops per cell, from the expressions in
 * sweeps/cell/collision.h (a fused multiply-add counts two, and what is equal once); wabe_collide
 * has a case for each operator. */
#define WABE_LBM_OPERATORS_d3q19(X, ...)                                                           \
    X(srt, 147, __VA_ARGS__)                                                                       \
    X(trt, 183, __VA_ARGS__)                                                                       \
    X(regularized, 207, __VA_ARGS__)                                                               \
    X(recursive_regularized, 255, __VA_ARGS__)                                                     \
    X(srt_smagorinsky, 215, __VA_ARGS__)
#define WABE_LBM_OPERATORS_d3q27(X, ...)                                                           \
    X(srt, 214, __VA_ARGS__)                                                                       \
    X(trt, 266, __VA_ARGS__)
/* With the force that the scalar exerts. */
#define WABE_LBM_OPERATORS_d3q19_d3q7(X, ...) X(trt, 358, __VA_ARGS__)
#define WABE_LBM_OPERATORS_d3q19_d3q19(X, ...)                                                     \
    X(trt, 500, __VA_ARGS__)                                                                       \
    X(recursive_regularized, 540, __VA_ARGS__)

/* X(pattern, cells, ...), by lattice: GPUs have one function for all patterns with the same word
 * for cells. */
#define WABE_LBM_PATTERNS_d3q19(X, ...)                                                            \
    X(pull, dense, __VA_ARGS__)                                                                    \
    X(in_place, dense, __VA_ARGS__)                                                                \
    X(list, listed, __VA_ARGS__)
#define WABE_LBM_PATTERNS_d3q27(X, ...)                                                            \
    X(pull, dense, __VA_ARGS__)                                                                    \
    X(in_place, dense, __VA_ARGS__)
#define WABE_LBM_PATTERNS_d3q19_d3q7(X, ...) WABE_LBM_PATTERNS_d3q27(X, __VA_ARGS__)
#define WABE_LBM_PATTERNS_d3q19_d3q19(X, ...) WABE_LBM_PATTERNS_d3q27(X, __VA_ARGS__)

/* The text, if a lattice has pattern list. */
#define WABE_IF_LISTED_d3q19(...) __VA_ARGS__
#define WABE_IF_LISTED_d3q27(...)
#define WABE_IF_LISTED_d3q19_d3q7(...)
#define WABE_IF_LISTED_d3q19_d3q19(...)

/* Bytes of neighbour indices that a cell reads per step, on average: an index for each moving
 * population in every other step. */
#define WABE_NEIGHBOURS_BYTES(populations) (((populations)-1) * 2)
#define WABE_BESIDE_dense(populations) 0
#define WABE_BESIDE_listed(populations) WABE_NEIGHBOURS_BYTES(populations)

/* X(operator, flops, third, lattice, ...): the operators of pattern moments; third:
 * WABE_STATE_THIRD? flops: as above, and of rebuilding populations. */
#define WABE_LBM_MOMENTS(lattice, X, ...) WABE_LBM_MOMENTS_##lattice(X, lattice, __VA_ARGS__)
#define WABE_LBM_MOMENTS_d3q19(X, ...)                                                             \
    X(regularized, 220, 0, __VA_ARGS__)                                                            \
    X(recursive_regularized, 277, 1, __VA_ARGS__)
#define WABE_LBM_MOMENTS_d3q27(X, ...) X(cumulant, 380, 1, __VA_ARGS__)
#define WABE_LBM_MOMENTS_d3q19_d3q7(X, ...)
#define WABE_LBM_MOMENTS_d3q19_d3q19(X, ...)

/* X(operator, flops, pattern, cells, lattice, ...) for each combination, of a lattice. */
#define WABE_LBM_PRODUCTS(lattice, X, ...)                                                         \
    WABE_LBM_PATTERNS_##lattice(WABE_LBM_OF_PATTERN, WABE_LBM_OPERATORS_##lattice, X, lattice,     \
                                __VA_ARGS__)
#define WABE_LBM_OF_PATTERN(pattern, cells, OPERATORS, X, ...)                                     \
    OPERATORS(X, pattern, cells, __VA_ARGS__)

/* The words: WABE_COLLISION_srt, WABE_STREAMING_pull, ... */
#define WABE_LBM_OPERATOR_WORD(op, flops, X) X(op)
#define WABE_COLLISIONS(X) WABE_LBM_OPERATORS_d3q19(WABE_LBM_OPERATOR_WORD, X) X(cumulant)
#define WABE_ENUM_DECLARE_collision_operator(word) WABE_COLLISION_##word,
WABE_ENUM_DECLARE(collision_operator, WABE_COLLISION_, WABE_COLLISIONS)

/* Is what it leaves no more than density, momentum and second moments? The macro is for C++'s
 * constant expressions. Local. */
#define WABE_IS_REGULARIZED(collision)                                                             \
    ((collision) == WABE_COLLISION_regularized ||                                                  \
     (collision) == WABE_COLLISION_recursive_regularized ||                                        \
     (collision) == WABE_COLLISION_cumulant)
WABE_HOST_DEVICE int wabe_is_regularized(wabe_collision_operator collision) {
    return WABE_IS_REGULARIZED(collision);
}
/* Is there a subgrid model for it? Local. */
static inline int wabe_has_subgrid(wabe_collision_operator collision) {
    return wabe_is_regularized(collision) || collision == WABE_COLLISION_srt_smagorinsky;
}

#define WABE_LBM_PATTERN_WORD(pattern, cells, X) X(pattern)
#define WABE_STREAMINGS(X) WABE_LBM_PATTERNS_d3q19(WABE_LBM_PATTERN_WORD, X) X(moments)
#define WABE_ENUM_DECLARE_streaming(word) WABE_STREAMING_##word,
WABE_ENUM_DECLARE(streaming, WABE_STREAMING_, WABE_STREAMINGS)
