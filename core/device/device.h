/* Accelerators: their memory, streams and events. The same calls serve CUDA devices and emulated
 * ones (core/device/device_cuda.c, core/device/device_emulated.c), chosen at run time.
 *
 * Streams execute the operations queued in them in order, asynchronously to the caller. Calls that
 * can only fail if the device is lost return no status: on failure they print a message and end the
 * program on all ranks (MPI_Abort). */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct wabe_device wabe_device;
typedef struct wabe_stream wabe_stream;
typedef struct wabe_event wabe_event;

struct wabe_kernel;

/* ---- devices ------------------------------------------------------------------------ */

/* Replaces real devices by count emulated ones from now on: host memory that only streams may
 * access, initially NAN, and streams that execute as late as possible. For tests on machines
 * without a GPU. Local. */
void wabe_devices_emulate(int count);
bool wabe_devices_are_emulated(void);

/* Returns the number of devices. why: the reason if there are none (built without CUDA, no driver),
 * or NULL. Local. */
int wabe_devices_count(const char **why);

typedef struct {
    char name[64];
    char id[32]; /* of the hardware; components with the same id share it */
    int64_t memory;
    int64_t block_memory; /* bytes of shared memory that a thread block may have */
    int multiprocessors;
} wabe_device_info;

/* Opens a device, which stays open; later calls return the same one. WABE_INPUT: there is no such
 * device, or it cannot be used. Local. */
wabe_status wabe_device_open(int index, wabe_device **out);
const wabe_device_info *wabe_device_describe(const wabe_device *device);
bool wabe_device_is_emulated(const wabe_device *device);

/* ---- memory ------------------------------------------------------------------------- */

/* Returns the bytes that can be allocated now. Local. */
int64_t wabe_device_available_memory(const wabe_device *device);
/* Allocates uninitialised memory, aligned to 256 bytes. WABE_MEMORY: the message says how much was
 * requested and is available. Local. */
wabe_status wabe_device_allocate(wabe_device *device, int64_t bytes, void **out);
void wabe_device_free(wabe_device *device, void *memory);
/* Allocates pinned host memory, which streams of all devices can copy to and from, and their
 * kernels can access. WABE_MEMORY; WABE_INPUT: built without CUDA. Local. */
wabe_status wabe_device_allocate_host(int64_t bytes, void **out);
void wabe_device_free_host(void *memory);
/* Pins host memory that the caller has allocated in whole pages. false: it cannot be. Local. */
bool wabe_device_lock_host(void *memory, int64_t bytes);
/* Before the memory is freed. Local. */
void wabe_device_unlock_host(void *memory);

/* Memory that has fewer bytes than addresses: arrays of pieces, one array behind the other. Pieces
 * of an array whose numbers differ by a multiple of slots are at the same place in memory, so an
 * array may have slots successive pieces at a time; which ones, the caller keeps track of. */
typedef struct {
    int64_t piece; /* bytes, a multiple of wabe_device_ring_unit */
    int64_t pieces, slots;
    int arrays;
} wabe_ring_shape;

/* Bytes of a ring's addresses, and of its memory. Local. */
static inline int64_t wabe_ring_addresses(const wabe_ring_shape *s) {
    return s->piece * s->pieces * s->arrays;
}
static inline int64_t wabe_ring_bytes(const wabe_ring_shape *s) {
    return s->piece * s->slots * s->arrays;
}

/* Returns the bytes of which pieces are multiples; 0: the device has no such memory. Local. */
int64_t wabe_device_ring_unit(const wabe_device *device);
/* Allocates it, uninitialised. All work that accesses one place by different addresses must be
 * ordered by streams or events. WABE_MEMORY. Local. */
wabe_status wabe_device_allocate_ring(wabe_device *device, const wabe_ring_shape *shape,
                                      void **out);
void wabe_device_free_ring(wabe_device *device, const wabe_ring_shape *shape, void *memory);

/* ---- streams and events ------------------------------------------------------------- */

/* Creates a stream. urgent: it takes precedence over other streams of the device. WABE_MEMORY.
 * Local. */
wabe_status wabe_stream_create(wabe_device *device, bool urgent, wabe_stream **out);
void wabe_stream_destroy(wabe_stream **stream);

/* Queues a copy between device memory and pinned host memory. Local. */
void wabe_stream_copy(wabe_stream *stream, void *to, const void *from, int64_t bytes);
/* Queues setting all bytes of memory to byte. Local. */
void wabe_stream_fill(wabe_stream *stream, void *to, int byte, int64_t bytes);
/* Queues giving up the contents of device memory: emulated devices set it to NAN. Local. */
void wabe_stream_discard(wabe_stream *stream, void *memory, int64_t bytes);
/* Queues a kernel of the registry for items begin to end - 1; args are copied. Local. */
void wabe_stream_launch(wabe_stream *stream, const struct wabe_kernel *kernel, const void *args,
                        int64_t begin, int64_t end);
/* Waits until all queued operations are done. Local. */
void wabe_stream_synchronise(wabe_stream *stream);

wabe_status wabe_event_create(wabe_device *device, wabe_event **out);
/* One that has no time, and that other processes may wait for where the hardware can. WABE_MEMORY.
 * Local. */
wabe_status wabe_event_create_shared(wabe_device *device, wabe_event **out);
void wabe_event_destroy(wabe_event **event);
/* Sets the event to the end of the operations queued in the stream so far. Local. */
void wabe_event_record(wabe_event *event, wabe_stream *stream);
/* Makes operations queued in the stream from now on wait for the point last recorded in the event;
 * an event that was never recorded counts as done. Local. */
void wabe_stream_wait(wabe_stream *stream, wabe_event *event);
bool wabe_event_is_done(wabe_event *event);
/* Returns the seconds between two events, both done; 0 on emulated devices. Local. */
double wabe_event_seconds(wabe_event *from, wabe_event *to);
void wabe_event_synchronise(wabe_event *event);

/* ---- from device to device ---------------------------------------------------------- */

/* Lets kernels and copies on device access memory of other. Returns false if the hardware cannot.
 * Local. */
bool wabe_device_reach(wabe_device *device, wabe_device *other);

/* Identifies device memory to other processes of the node. */
typedef struct {
    unsigned char bytes[64];
} wabe_device_handle;

/* Makes a handle for memory, which must come from wabe_device_allocate; wabe_device_import maps it
 * in another process. Both return false where this is not possible. Local. */
bool wabe_device_export(wabe_device *device, void *memory, wabe_device_handle *out);
bool wabe_device_import(wabe_device *device, const wabe_device_handle *handle, void **out);
void wabe_device_release(wabe_device *device, void *imported);
/* The same for an event of wabe_event_create_shared. The importer's streams may wait for it, no
 * more, for what the exporter had recorded when it said so. To be destroyed before the exporter's.
 * Both return false where this is not possible. Local. */
bool wabe_event_export(wabe_event *event, wabe_device_handle *out);
bool wabe_event_import(wabe_device *device, const wabe_device_handle *handle, wabe_event **out);
