/* The kernels of stream_collide: every collision operator with every streaming pattern, for each
 * storage type. From these lists come their words, declarations, instances and rows, on CPUs, GPUs
 * and emulated devices. What else a list's macro is given is passed on to each of its rows. */
#pragma once

#include "core/base/enums.h"

/* X(operator, flops, ...): flops of a cell, from the expressions in sweeps/cell/d3q19.h (a fused
 * multiply-add counts two), where the operator has its case in wabe_collide. */
#define WABE_LBM_OPERATORS(X, ...)                                                                 \
    X(srt, 147, __VA_ARGS__)                                                                       \
    X(trt, 183, __VA_ARGS__)

/* Bytes of a list's neighbours that a cell reads in a step, on average: every other step reads 18.
 */
enum { WABE_NEIGHBOURS_BYTES = 18 * 4 / 2 };

/* X(pattern, cells, neighbours, ...): GPUs have one function for all patterns with the same word
 * for cells; neighbours: bytes that a cell reads to know where its populations are. */
#define WABE_LBM_PATTERNS(X, ...)                                                                  \
    X(pull, dense, 0, __VA_ARGS__)                                                                 \
    X(in_place, dense, 0, __VA_ARGS__)                                                             \
    X(list, listed, WABE_NEIGHBOURS_BYTES, __VA_ARGS__)

/* X(operator, flops, pattern, cells, neighbours, ...) for each of one with each of the other. */
#define WABE_LBM_PRODUCTS(X, ...) WABE_LBM_PATTERNS(WABE_LBM_OF_PATTERN, X, __VA_ARGS__)
#define WABE_LBM_OF_PATTERN(pattern, cells, neighbours, X, ...)                                    \
    WABE_LBM_OPERATORS(X, pattern, cells, neighbours, __VA_ARGS__)

/* The words: WABE_COLLISION_srt, WABE_STREAMING_pull, ... */
#define WABE_LBM_OPERATOR_WORD(op, flops, X) X(op)
#define WABE_COLLISIONS(X) WABE_LBM_OPERATORS(WABE_LBM_OPERATOR_WORD, X)
#define WABE_ENUM_DECLARE_collision_operator(word) WABE_COLLISION_##word,
WABE_ENUM_DECLARE(collision_operator, WABE_COLLISION_, WABE_COLLISIONS)

#define WABE_LBM_PATTERN_WORD(pattern, cells, neighbours, X) X(pattern)
#define WABE_STREAMINGS(X) WABE_LBM_PATTERNS(WABE_LBM_PATTERN_WORD, X)
#define WABE_ENUM_DECLARE_streaming(word) WABE_STREAMING_##word,
WABE_ENUM_DECLARE(streaming, WABE_STREAMING_, WABE_STREAMINGS)
