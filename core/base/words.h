/* The words that configuration, metadata, log and messages share: one list each, from which enum,
 * text and parser come. */
#ifndef WABE_CORE_BASE_WORDS_H
#define WABE_CORE_BASE_WORDS_H

#define WABE_TARGETS(X) X(cpu) X(gpu)
/* From narrow to wide: among kernels of equal cost the later one wins. */
#define WABE_INSTRUCTION_SETS(X) X(x86_64) X(avx2) X(avx512) X(cuda)
#define WABE_TYPES(X) X(f64) X(f32) X(f16)
#define WABE_COLLISIONS(X) X(srt) X(trt)
#define WABE_STREAMINGS(X) X(pull) X(in_place) X(list)
/* From fast to slow: among those that work the first is taken. */
#define WABE_TRANSPORTS(X) X(local) X(peer) X(cuda_aware) X(host)
#define WABE_BOUNDARIES(X)                                                                         \
    X(periodic) X(no_slip) X(moving_wall) X(velocity) X(pressure) X(free_slip)

/* enum { WABE_TARGET_any = 0, WABE_TARGET_cpu, ... }; any means: the kernel, or the request, does
 * not care. */
#define WABE_WORDS_ENUM(name, PREFIX, LIST)                                                        \
    typedef enum { PREFIX##any = 0, LIST(WABE_WORDS_ENUM_##name) PREFIX##end } wabe_##name;        \
    const char *wabe_##name##_word(wabe_##name value);

#define WABE_WORDS_ENUM_target(word) WABE_TARGET_##word,
#define WABE_WORDS_ENUM_instruction_set(word) WABE_INSTRUCTION_SET_##word,
#define WABE_WORDS_ENUM_type(word) WABE_TYPE_##word,
#define WABE_WORDS_ENUM_collision_operator(word) WABE_COLLISION_##word,
#define WABE_WORDS_ENUM_streaming(word) WABE_STREAMING_##word,
#define WABE_WORDS_ENUM_transport(word) WABE_TRANSPORT_##word,
#define WABE_WORDS_ENUM_boundary(word) WABE_BOUNDARY_##word,

WABE_WORDS_ENUM(target, WABE_TARGET_, WABE_TARGETS)
WABE_WORDS_ENUM(instruction_set, WABE_INSTRUCTION_SET_, WABE_INSTRUCTION_SETS)
WABE_WORDS_ENUM(type, WABE_TYPE_, WABE_TYPES)
WABE_WORDS_ENUM(collision_operator, WABE_COLLISION_, WABE_COLLISIONS)
WABE_WORDS_ENUM(streaming, WABE_STREAMING_, WABE_STREAMINGS)
WABE_WORDS_ENUM(transport, WABE_TRANSPORT_, WABE_TRANSPORTS)
WABE_WORDS_ENUM(boundary, WABE_BOUNDARY_, WABE_BOUNDARIES)

#endif
