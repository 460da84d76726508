/* Kernels that move data, for emulated devices. */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/move.h"

#include <string.h>

enum { LINE = 64 }; /* bytes */

static void pack(const wabe_pack_args *a, int64_t begin, int64_t end, size_t size) {
    for (int64_t i = begin; i < end; i++) {
        const wabe_segment *s = wabe_segment_of(a->segments, a->segment_count, i);
        const int64_t place = wabe_segment_place(s, &a->strides, a->indices, i);
        char *to = (char *)s->buffer + (size_t)(i - s->first) * size;
        if (place == WABE_NOWHERE)
            memset(to, 0, size);
        else
            memcpy(to, (const char *)a->field + place * (int64_t)size, size);
    }
}

static void unpack(const wabe_unpack_args *a, int64_t begin, int64_t end, size_t size) {
    for (int64_t i = begin; i < end; i++) {
        if (!wabe_is_wanted(a->mask, i))
            continue;
        const wabe_segment *s = wabe_segment_of(a->segments, a->segment_count, i);
        const int64_t place = wabe_segment_place(s, &a->strides, a->indices, i);
        if (place == WABE_NOWHERE)
            continue;
        memcpy((char *)a->field + place * (int64_t)size,
               (const char *)s->buffer + (size_t)(i - s->first) * size, size);
    }
}

#define SIZE(size)                                                                                 \
    void wabe_emulated_pack_##size(const wabe_pack_args *a, int64_t begin, int64_t end) {          \
        pack(a, begin, end, size);                                                                 \
    }                                                                                              \
    void wabe_emulated_unpack_##size(const wabe_unpack_args *a, int64_t begin, int64_t end) {      \
        unpack(a, begin, end, size);                                                               \
    }
SIZE(2)
SIZE(4)
SIZE(8)

void wabe_emulated_copy(const wabe_copy_args *a, int64_t begin, int64_t end) {
    memcpy((char *)a->to + begin * LINE, (const char *)a->from + begin * LINE,
           (size_t)(end - begin) * LINE);
}

/* Values do not change: nothing is measured on emulated devices. */
void wabe_emulated_update(const wabe_update_args *a, int64_t begin, int64_t end) {
    for (int k = 0; k < a->count; k++)
        memmove((char *)a->data + k * a->stride + begin * LINE,
                (char *)a->data + k * a->stride + begin * LINE, (size_t)(end - begin) * LINE);
}
