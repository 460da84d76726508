/* The kernels of stream_collide: every collision operator with every streaming pattern, for each
 * storage type. These lists generate their words, declarations, instances and rows, on CPUs, GPUs
 * and emulated devices. Further arguments of a list's macro are passed on to each of its rows. */
#pragma once

#include "core/base/enums.h"

/* X(operator, flops, ...): flops per cell, from the expressions in sweeps/cell/d3q19.h (a fused
 * multiply-add counts two); wabe_collide has a case for each operator. */
#define WABE_LBM_OPERATORS(X, ...)                                                                 \
    X(srt, 147, __VA_ARGS__)                                                                       \
    X(trt, 183, __VA_ARGS__)                                                                       \
    X(regularized, 207, __VA_ARGS__)                                                               \
    X(recursive_regularized, 255, __VA_ARGS__)                                                     \
    X(srt_smagorinsky, 215, __VA_ARGS__)

/* Bytes of neighbour indices that a cell reads per step, on average: 18 indices in every other
 * step. */
enum { WABE_NEIGHBOURS_BYTES = 18 * 4 / 2 };

/* X(pattern, cells, neighbours, ...): GPUs have one function for all patterns with the same word
 * for cells; neighbours: bytes of neighbour indices that a cell reads. */
#define WABE_LBM_PATTERNS(X, ...)                                                                  \
    X(pull, dense, 0, __VA_ARGS__)                                                                 \
    X(in_place, dense, 0, __VA_ARGS__)                                                             \
    X(list, listed, WABE_NEIGHBOURS_BYTES, __VA_ARGS__)

/* X(operator, flops, third, ...): the operators of pattern moments; third: WABE_STATE_THIRD? flops:
 * as above, and of rebuilding populations. */
#define WABE_LBM_MOMENTS(X, ...)                                                                   \
    X(regularized, 220, 0, __VA_ARGS__)                                                            \
    X(recursive_regularized, 277, 1, __VA_ARGS__)

/* X(operator, flops, pattern, cells, neighbours, ...) for each combination. */
#define WABE_LBM_PRODUCTS(X, ...) WABE_LBM_PATTERNS(WABE_LBM_OF_PATTERN, X, __VA_ARGS__)
#define WABE_LBM_OF_PATTERN(pattern, cells, neighbours, X, ...)                                    \
    WABE_LBM_OPERATORS(X, pattern, cells, neighbours, __VA_ARGS__)

/* The words: WABE_COLLISION_srt, WABE_STREAMING_pull, ... */
#define WABE_LBM_OPERATOR_WORD(op, flops, X) X(op)
#define WABE_COLLISIONS(X) WABE_LBM_OPERATORS(WABE_LBM_OPERATOR_WORD, X)
#define WABE_ENUM_DECLARE_collision_operator(word) WABE_COLLISION_##word,
WABE_ENUM_DECLARE(collision_operator, WABE_COLLISION_, WABE_COLLISIONS)

/* Is what it leaves no more than density, momentum and second moments? Local. */
static inline int wabe_is_regularized(wabe_collision_operator collision) {
    return collision == WABE_COLLISION_regularized ||
           collision == WABE_COLLISION_recursive_regularized;
}
/* Is there a subgrid model for it? Local. */
static inline int wabe_has_subgrid(wabe_collision_operator collision) {
    return wabe_is_regularized(collision) || collision == WABE_COLLISION_srt_smagorinsky;
}

#define WABE_LBM_PATTERN_WORD(pattern, cells, neighbours, X) X(pattern)
#define WABE_STREAMINGS(X) WABE_LBM_PATTERNS(WABE_LBM_PATTERN_WORD, X) X(moments)
#define WABE_ENUM_DECLARE_streaming(word) WABE_STREAMING_##word,
WABE_ENUM_DECLARE(streaming, WABE_STREAMING_, WABE_STREAMINGS)
