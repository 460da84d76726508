#include "core/base/words.h"

#define WORD(word) #word,
#define DEFINE(name, LIST)                                                                         \
    const char *wabe_##name##_word(wabe_##name value) {                                            \
        static const char *const words[] = {"any", LIST(WORD)};                                    \
        const unsigned count = sizeof words / sizeof words[0];                                     \
        return (unsigned)value < count ? words[value] : "?";                                       \
    }

DEFINE(target, WABE_TARGETS)
DEFINE(instruction_set, WABE_INSTRUCTION_SETS)
DEFINE(type, WABE_TYPES)
DEFINE(collision_operator, WABE_COLLISIONS)
DEFINE(streaming, WABE_STREAMINGS)
DEFINE(transport, WABE_TRANSPORTS)
DEFINE(boundary, WABE_BOUNDARIES)
