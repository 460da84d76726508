/* The enums that configuration, metadata, log and messages share. Each has one list, which
 * generates the enum, its names, and a text of all names. */
#pragma once

#define WABE_TARGETS(X) X(cpu) X(gpu)
/* From narrow to wide: the later one wins between kernels of equal cost. portable: vectors of 16
 * bytes and fused multiply-adds, for processors other than x86-64. */
#define WABE_INSTRUCTION_SETS(X) X(x86_64) X(portable) X(avx2) X(avx512) X(cuda)
/* X(type, bytes, arithmetic, ...): storage types, and the type that kernels compute with. */
#define WABE_STORAGES(X, ...)                                                                      \
    X(f64, 8, f64, __VA_ARGS__)                                                                    \
    X(f32, 4, f32, __VA_ARGS__)                                                                    \
    X(f16, 2, f32, __VA_ARGS__)
#define WABE_STORAGE_WORD(type, bytes, arithmetic, X) X(type)
#define WABE_TYPES(X) WABE_STORAGES(WABE_STORAGE_WORD, X)
/* From fast to slow: the first one that works is used. */
#define WABE_TRANSPORTS(X) X(local) X(peer) X(cuda_aware) X(host)

/* enum { WABE_TARGET_any = 0, WABE_TARGET_cpu, ... }; any: the kernel, or the request, does not
 * depend on it. */
#define WABE_ENUM_DECLARE(name, PREFIX, LIST)                                                      \
    typedef enum { PREFIX##any = 0, LIST(WABE_ENUM_DECLARE_##name) PREFIX##end } wabe_##name;      \
    const char *wabe_##name##_word(wabe_##name value);

/* Defines the function that WABE_ENUM_DECLARE declares. */
#define WABE_ENUM_DEFINE(name, LIST)                                                               \
    const char *wabe_##name##_word(wabe_##name value) {                                            \
        static const char *const words[] = {"any", LIST(WABE_ENUM_TEXT)};                          \
        const unsigned count = sizeof words / sizeof words[0];                                     \
        return (unsigned)value < count ? words[value] : "?";                                       \
    }
#define WABE_ENUM_TEXT(word) #word,

/* All names in a list as one text: "cpu|gpu". */
#define WABE_ENUM_WORDS(LIST) (&("" LIST(WABE_ENUM_BAR))[1])
#define WABE_ENUM_BAR(word) "|" #word

#define WABE_ENUM_DECLARE_target(word) WABE_TARGET_##word,
#define WABE_ENUM_DECLARE_instruction_set(word) WABE_INSTRUCTION_SET_##word,
#define WABE_ENUM_DECLARE_type(word) WABE_TYPE_##word,
#define WABE_ENUM_DECLARE_transport(word) WABE_TRANSPORT_##word,

WABE_ENUM_DECLARE(target, WABE_TARGET_, WABE_TARGETS)
WABE_ENUM_DECLARE(instruction_set, WABE_INSTRUCTION_SET_, WABE_INSTRUCTION_SETS)
WABE_ENUM_DECLARE(type, WABE_TYPE_, WABE_TYPES)
WABE_ENUM_DECLARE(transport, WABE_TRANSPORT_, WABE_TRANSPORTS)

/* WABE_SIZE_f16, WABE_ARITHMETIC_f16, ... */
#define WABE_STORAGE_SIZE(type, bytes, arithmetic, ...) WABE_SIZE_##type = (bytes),
#define WABE_STORAGE_ARITHMETIC(type, bytes, arithmetic, ...)                                      \
    WABE_ARITHMETIC_##type = WABE_TYPE_##arithmetic,
enum { WABE_STORAGES(WABE_STORAGE_SIZE, ) WABE_STORAGES(WABE_STORAGE_ARITHMETIC, ) };
