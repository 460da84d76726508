/* Sweeps that move data, and their arguments: to and from buffers, and for measuring the limits. */
#pragma once

#include <stdint.h>

extern const struct wabe_sweep wabe_sweep_pack, wabe_sweep_unpack, wabe_sweep_copy,
    wabe_sweep_update;

#define WABE_NO_INDEX UINT32_MAX

/* How far apart the numbers of a field stand: from row to row, from plane to plane, and, of cells
 * whose components are interleaved (wabe_layout.group; 0: they are not), from group to group. */
typedef struct {
    int64_t pitch, plane, width;
    int group;
} wabe_strides;

/* A box of numbers of a field, and where they stand, one after the other, outside it. */
typedef struct {
    int64_t offset;   /* elements from the field's data to the box's first number; of interleaved
                         cells to where lane 0 of its group stands */
    int64_t lane;     /* of the first cell in its group */
    int64_t count[3]; /* numbers in x, y, z; rows and planes as far apart as the field's */
    int64_t first;    /* numbers in the segments before this one */
    void *buffer;     /* of the box's first number */
} wabe_segment;

/* pack: field to buffers; items are the numbers of all segments. */
typedef struct wabe_pack_args {
    const void *field;
    wabe_strides strides;
    int64_t segment_count;
    const wabe_segment *segments;
    const uint32_t *indices; /* of each number in the field, or WABE_NO_INDEX; NULL: boxes tell */
} wabe_pack_args;

/* unpack: buffers to field. mask: bit i % 32 of word i / 32 says whether number i is wanted; NULL:
 * all are (the only thing that CPU kernels know). */
typedef struct wabe_unpack_args {
    void *field;
    wabe_strides strides;
    int64_t segment_count;
    const wabe_segment *segments;
    const uint32_t *mask;
    const uint32_t *indices; /* as above */
} wabe_unpack_args;

/* copy: items are lines of 64 bytes. */
typedef struct wabe_copy_args {
    const void *from;
    void *to;
} wabe_copy_args;

/* update: items are lines of 64 bytes of each of count arrays, stride bytes apart. */
typedef struct wabe_update_args {
    void *data;
    int64_t stride;
    int count;
} wabe_update_args;
