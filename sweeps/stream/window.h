/* A window on arrays that do not fit a device's memory: successive pieces of each array are on the
 * device, at the addresses that they have in the whole arrays, and the other pieces are in their
 * homes, in page-locked memory of the host. The window moves up and down; a piece that comes frees
 * a home for one that goes, so memory of the host and of the device add up. Copies run beside the
 * kernels, in a stream for each direction. */
#pragma once

#include "core/device/device.h"

typedef struct wabe_window wabe_window;

/* What a window has moved since it was cleared, in bytes, and how long the copies took. */
typedef struct {
    int64_t loaded, stored;
    double load_seconds, store_seconds;
} wabe_window_traffic;

/* What becomes of arrays, bit i for array i. moved: pieces take their numbers to homes and back.
 * fixed: homes have their numbers for good, so they are only loaded. The numbers of others are lost
 * when their piece goes. */
typedef struct {
    uint64_t moved, fixed;
} wabe_window_arrays;

enum {
    WABE_WINDOW_ARRAYS_MAX = 64,
    WABE_WINDOW_PIECE_MOST = 32 << 20 /* bytes; smaller ones are copied at less than the bus'
                                         bandwidth */
};
static inline wabe_window_arrays wabe_window_all_moved(int arrays) {
    return (wabe_window_arrays){.moved = ~(uint64_t)0 >> (WABE_WINDOW_ARRAYS_MAX - arrays)};
}

/* Returns the bytes of the largest pieces of which enough fit into memory of so many bytes. unit:
 * see wabe_device_ring_unit. Local. */
int64_t wabe_window_piece(int64_t unit, int arrays, int64_t memory);
/* Returns a ring of such pieces for arrays of so many bytes. Local. */
wabe_ring_shape wabe_window_shape(int64_t piece, int64_t bytes, int arrays, int64_t memory);

/* Allocates the window's memory and the homes. WABE_MEMORY. Local. */
wabe_status wabe_window_create(wabe_device *device, const wabe_ring_shape *shape,
                               wabe_window_arrays arrays, wabe_window **out);
void wabe_window_destroy(wabe_window **window);
/* Returns an array's address. Local. */
void *wabe_window_array(const wabe_window *window, int array);
/* Returns the bytes of a piece. Local. */
int64_t wabe_window_piece_size(const wabe_window *window);
/* Returns the bytes of homes of such a window; those that a pass through all pieces copies to the
 * device, and back. Local. */
int64_t wabe_window_host_bytes(const wabe_ring_shape *shape, wabe_window_arrays arrays);
wabe_window_traffic wabe_window_traffic_of(const wabe_ring_shape *shape, wabe_window_arrays arrays);

/* Makes all arrays but the fixed ones zero; waits for all copies. Work that uses them must be done.
 * Local. */
void wabe_window_clear(wabe_window *window);

/* Chooses which arrays pieces that come from now on bring, and which those that go take along, for
 * numbers that are in one of two arrays in turn; at first both are arrays.moved, and they must stay
 * as many, without fixed ones: what was the n-th array stored comes into the n-th one loaded.
 * Local. */
void wabe_window_swap(wabe_window *window, uint64_t loaded, uint64_t stored);
/* Says that fixed arrays are written from now on: pieces that go store them. It must be closed
 * before the window is cleared; pieces that are not brought meanwhile keep what they had, zero at
 * first. Local. */
void wabe_window_open_fixed(wabe_window *window);
/* And no longer; stores those of the pieces on the device once the work queued in the stream so far
 * is done. Local. */
void wabe_window_close_fixed(wabe_window *window, wabe_stream *stream);

/* Makes bytes begin to end - 1 of each array present for what is queued in the stream from now on;
 * they must fit the window. All work on the arrays must be queued in one stream. Local. */
void wabe_window_load(wabe_window *window, wabe_stream *stream, int64_t begin, int64_t end);
/* Releases all bytes before this one (up: the window goes on upwards; otherwise all from it on),
 * which what is queued next does not need: the window moves on as far as there is something to
 * load. Local. */
void wabe_window_release(wabe_window *window, wabe_stream *stream, int64_t byte, bool up);
/* A part of an array, in bytes. */
typedef struct {
    int array;
    int64_t begin, bytes;
} wabe_window_part;

/* Are bytes begin to end - 1 of each array on the device, or on their way? Local. */
bool wabe_window_has(const wabe_window *window, int64_t begin, int64_t end);
/* Copies parts, which must be present, to page-locked memory of the host, one behind the other,
 * once the work queued in the stream so far is done, and then sets the event. Local. */
void wabe_window_get(wabe_window *window, wabe_stream *stream, int count,
                     const wabe_window_part *parts, void *to, wabe_event *done);
/* Copies parts, which must be present, from there, once the work queued in the stream so far is
 * done; what is queued next finds them after wabe_window_load. Then sets the event. Local. */
void wabe_window_put(wabe_window *window, wabe_stream *stream, int count,
                     const wabe_window_part *parts, const void *from, wabe_event *done);
/* Waits until all copies queued so far are done. Local. */
void wabe_window_synchronise(const wabe_window *window);

/* Is the window nearer to the arrays' beginning? Then what needs all of them goes up, otherwise
 * down. Local. */
bool wabe_window_is_low(const wabe_window *window);

/* Waits for all copies. Local. */
wabe_window_traffic wabe_window_moved(const wabe_window *window);
