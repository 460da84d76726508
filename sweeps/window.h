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

/* Allocates the window's memory and the homes. WABE_MEMORY. Local. */
wabe_status wabe_window_create(wabe_device *device, const wabe_ring_shape *shape,
                               wabe_window **out);
void wabe_window_destroy(wabe_window **window);
/* Returns the first array's address. Local. */
void *wabe_window_memory(const wabe_window *window);
/* Returns the bytes of homes of such a window. Local. */
int64_t wabe_window_home_bytes(const wabe_ring_shape *shape);

/* Makes all arrays zero; waits for all copies. Work that uses them must be done. Local. */
void wabe_window_clear(wabe_window *window);

/* Makes bytes begin to end - 1 of each array present for what is queued in the stream from now on;
 * they must fit the window. All work on the arrays must be queued in one stream. Local. */
void wabe_window_bring(wabe_window *window, wabe_stream *stream, int64_t begin, int64_t end);
/* Says that what will be queued next needs no byte before this one (up: the window goes on upwards;
 * otherwise no byte from it on): moves on as far as there is something to come. Local. */
void wabe_window_leave(wabe_window *window, wabe_stream *stream, int64_t at, bool up);
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
 * done; what is queued next finds them after wabe_window_bring. Then sets the event. Local. */
void wabe_window_put(wabe_window *window, wabe_stream *stream, int count,
                     const wabe_window_part *parts, const void *from, wabe_event *done);
/* Waits until all copies queued so far are done. Local. */
void wabe_window_synchronise(const wabe_window *window);

/* Is the window nearer to the arrays' beginning? Then what needs all of them goes up, otherwise
 * down. Local. */
bool wabe_window_is_low(const wabe_window *window);

/* Waits for all copies. Local. */
wabe_window_traffic wabe_window_moved(const wabe_window *window);
