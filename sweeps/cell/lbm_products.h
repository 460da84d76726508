/* What the kernels of stream_collide differ in. */
#ifndef WABE_SWEEPS_CELL_LBM_PRODUCTS_H
#define WABE_SWEEPS_CELL_LBM_PRODUCTS_H

#include "core/base/words.h"

#define WABE_COLLISIONS(X) X(srt) X(trt)
#define WABE_WORDS_ENUM_collision_operator(word) WABE_COLLISION_##word,
WABE_WORDS_ENUM(collision_operator, WABE_COLLISION_, WABE_COLLISIONS)

#define WABE_STREAMINGS(X) X(pull) X(in_place) X(list)
#define WABE_WORDS_ENUM_streaming(word) WABE_STREAMING_##word,
WABE_WORDS_ENUM(streaming, WABE_STREAMING_, WABE_STREAMINGS)

#endif
