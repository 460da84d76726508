/* Kernels that move data, the same for every storage type but for its size. */
#include "kernels_cpu/functions.h"

#include "core/movement.h"

#include <stdbool.h>
#include <string.h>

/* Walks over rows begin to end - 1 of the segments: calls copy with the row's place in the field
 * and in the buffer. */
#define FOR_ROWS(a, begin, end, statement)                                                         \
    int64_t s = 0;                                                                                 \
    for (int64_t row = (begin); row < (end); row++) {                                              \
        while (s + 1 < (a)->segment_count && (a)->segments[s + 1].first_row <= row)                \
            s++;                                                                                   \
        const wabe_segment *segment = &(a)->segments[s];                                           \
        const int64_t local = row - segment->first_row;                                            \
        const int64_t y = local % segment->count[1], z = local / segment->count[1];                \
        const int64_t at = segment->offset + y * (a)->pitch + z * (a)->plane;                      \
        const int64_t place = segment->place + local * segment->count[0];                          \
        const size_t bytes = (size_t)segment->count[0] * size;                                     \
        statement;                                                                                 \
    }

static inline __attribute__((always_inline)) void pack(const wabe_pack_args *a, int64_t begin,
                                                       int64_t end, const size_t size) {
    const char *field = a->field;
    char *buffer = a->buffer;
    FOR_ROWS(a, begin, end,
             memcpy(buffer + place * (int64_t)size, field + at * (int64_t)size, bytes))
}

static inline __attribute__((always_inline)) void unpack(const wabe_unpack_args *a, int64_t begin,
                                                         int64_t end, const size_t size) {
    char *field = a->field;
    const char *buffer = a->buffer;
    FOR_ROWS(a, begin, end,
             memcpy(field + at * (int64_t)size, buffer + place * (int64_t)size, bytes))
}

void wabe_pack_8(const wabe_pack_args *a, int64_t begin, int64_t end) { pack(a, begin, end, 8); }
void wabe_pack_4(const wabe_pack_args *a, int64_t begin, int64_t end) { pack(a, begin, end, 4); }
void wabe_unpack_8(const wabe_unpack_args *a, int64_t begin, int64_t end) {
    unpack(a, begin, end, 8);
}
void wabe_unpack_4(const wabe_unpack_args *a, int64_t begin, int64_t end) {
    unpack(a, begin, end, 4);
}
