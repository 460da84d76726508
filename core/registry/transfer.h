/* Sweeps that move data, and their arguments: to and from buffers, and for measuring memory
 * limits. */
#pragma once

#include <stdint.h>

extern const struct wabe_sweep wabe_sweep_pack, wabe_sweep_unpack, wabe_sweep_copy,
    wabe_sweep_update;

#define WABE_NO_INDEX UINT32_MAX

/* Elements between the numbers of a field: from row to row, from plane to plane, and, if components
 * are interleaved (wabe_layout.group; 0: they are not), from group to group. */
typedef struct {
    int64_t pitch, plane, width;
    int group;
} wabe_strides;

/* A box of numbers of a field, and its contiguous copy in a buffer. */
typedef struct {
    int64_t offset;   /* elements from the field's data to the box's first number; interleaved: to
                         lane 0 of its group */
    int64_t lane;     /* interleaved: of the first cell in its group */
    int64_t count[3]; /* numbers along x, y, z; rows and planes have the field's strides */
    int64_t first;    /* numbers in the segments before this one */
    void *buffer;     /* for the box's first number */
} wabe_segment;

/* pack: copies from a field to buffers; items are the numbers of all segments. */
typedef struct wabe_pack_args {
    const void *field;
    wabe_strides strides;
    int64_t segment_count;
    const wabe_segment *segments;
    const uint32_t *indices; /* of each number in the field, or WABE_NO_INDEX; NULL: the boxes
                                define them */
} wabe_pack_args;

/* unpack: copies from buffers to a field. mask: bit i % 32 of word i / 32 is set if number i is
 * wanted; NULL: all are (CPU kernels support only this). */
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
