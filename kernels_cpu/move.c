/* Kernels that move data; they depend on the size of the storage type alone. */
#include "kernels_cpu/functions.h"

#include "core/registry/transfer.h"

#include <stddef.h>
#include <string.h>

/* Distance from the segment's offset to cell x of its row. */
static int64_t place_in_row(const wabe_strides *strides, const wabe_segment *s, int64_t x) {
    x += s->lane;
    return strides->group ? x / strides->group * strides->width + x % strides->group : x;
}

/* Number of cells that are adjacent in memory from x on. */
static int64_t cells_in_a_row(const wabe_strides *strides, const wabe_segment *s, int64_t x) {
    const int64_t left = s->count[0] - x;
    const int64_t of_group = strides->group ? strides->group - (x + s->lane) % strides->group
                                            : left;
    return of_group < left ? of_group : left;
}

/* Runs statement for numbers begin to end - 1 of the segments, row by row: at is the position in
 * the field, buffer the address in the segment's buffer, bytes the size. Rows of one cell, as of
 * faces normal to x, go without divisions. */
#define FOR_ROWS(a, begin, end, size, statement)                                                   \
    int64_t s = 0, next;                                                                           \
    for (int64_t i = (begin); i < (end); i = next) {                                               \
        while (s + 1 < (a)->segment_count && (a)->segments[s + 1].first <= i)                      \
            s++;                                                                                   \
        const wabe_segment *segment = &(a)->segments[s];                                           \
        const int64_t local = i - segment->first, row = local / segment->count[0];                 \
        const int64_t x = local % segment->count[0];                                               \
        int64_t y = row % segment->count[1];                                                       \
        int64_t at = segment->offset + place_in_row(&(a)->strides, segment, x) +                   \
                     y * (a)->strides.pitch + row / segment->count[1] * (a)->strides.plane;        \
        char *buffer = (char *)segment->buffer + local * (size);                                   \
        if (segment->count[0] == 1) {                                                              \
            const int64_t left = segment->count[1] * segment->count[2] - local;                    \
            const int64_t back = (a)->strides.plane - segment->count[1] * (a)->strides.pitch;      \
            enum { bytes = (size) };                                                               \
            for (next = i; next < (end) && next < i + left; next++, buffer += (size)) {            \
                statement;                                                                         \
                at += (a)->strides.pitch;                                                          \
                if (++y == segment->count[1])                                                      \
                    y = 0, at += back;                                                             \
            }                                                                                      \
            continue;                                                                              \
        }                                                                                          \
        const int64_t left = cells_in_a_row(&(a)->strides, segment, x);                            \
        next = i + left < (end) ? i + left : (end);                                                \
        const size_t bytes = (size_t)((next - i) * (size));                                        \
        statement;                                                                                 \
    }

/* The same number by number, with indices from indices. */
#define FOR_PLACES(a, begin, end, size, statement)                                                 \
    int64_t s = 0;                                                                                 \
    for (int64_t i = (begin); i < (end); i++) {                                                    \
        while (s + 1 < (a)->segment_count && (a)->segments[s + 1].first <= i)                      \
            s++;                                                                                   \
        char *buffer = (char *)(a)->segments[s].buffer + (i - (a)->segments[s].first) * (size);    \
        const int64_t at = (a)->indices[i];                                                        \
        statement;                                                                                 \
    }

#define SIZE(size)                                                                                 \
    static void pack_places_##size(const wabe_pack_args *a, int64_t begin, int64_t end) {          \
        FOR_PLACES(a, begin, end, size, {                                                          \
            if (at == WABE_NO_INDEX)                                                               \
                memset(buffer, 0, size);                                                           \
            else                                                                                   \
                memcpy(buffer, (const char *)a->field + at * (size), size);                        \
        })                                                                                         \
    }                                                                                              \
    static void unpack_places_##size(const wabe_unpack_args *a, int64_t begin, int64_t end) {      \
        FOR_PLACES(a, begin, end, size, {                                                          \
            if (at != WABE_NO_INDEX)                                                               \
                memcpy((char *)a->field + at * (size), buffer, size);                              \
        })                                                                                         \
    }                                                                                              \
    static void pack_rows_##size(const wabe_pack_args *a, int64_t begin, int64_t end) {            \
        FOR_ROWS(a, begin, end, size, memcpy(buffer, (const char *)a->field + at * (size), bytes)) \
    }                                                                                              \
    static void unpack_rows_##size(const wabe_unpack_args *a, int64_t begin, int64_t end) {        \
        FOR_ROWS(a, begin, end, size, memcpy((char *)a->field + at * (size), buffer, bytes))       \
    }                                                                                              \
    void wabe_pack_##size(const wabe_pack_args *a, int64_t begin, int64_t end) {                   \
        (a->indices ? pack_places_##size : pack_rows_##size)(a, begin, end);                       \
    }                                                                                              \
    void wabe_unpack_##size(const wabe_unpack_args *a, int64_t begin, int64_t end) {               \
        (a->indices ? unpack_places_##size : unpack_rows_##size)(a, begin, end);                   \
    }

SIZE(2)
SIZE(4)
SIZE(8)
