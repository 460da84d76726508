/* Accelerators: their memory, streams and events. The same calls serve CUDA devices and emulated
 * ones (core/device/device_cuda.c, core/device/device_emulated.c); which of them is chosen at run
 * time.
 *
 * Streams run what they are given in its order, and later than the calls that give it. Calls that
 * can only fail when the device is lost return nothing: they end the program on all ranks
 * (MPI_Abort) with a message. */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct wabe_device wabe_device;
typedef struct wabe_stream wabe_stream;
typedef struct wabe_event wabe_event;

struct wabe_kernel;

/* ---- devices ------------------------------------------------------------------------ */

/* From now on count emulated devices take the place of real ones: host memory that only streams may
 * touch, filled with NAN, streams that run as late as they may. For tests on machines without a
 * GPU. Local. */
void wabe_devices_emulate(int count);
bool wabe_devices_are_emulated(void);

/* How many devices there are. None: why says the reason (built without CUDA, no driver). Local. */
int wabe_devices_count(const char **why);

typedef struct {
    char name[64];
    char id[32]; /* of the hardware: two components with the same id share it */
    int64_t memory;
} wabe_device_info;

/* Devices are opened once and stay open. WABE_INPUT: there is no such device. Local. */
wabe_status wabe_device_open(int index, wabe_device **out);
const wabe_device_info *wabe_device_describe(const wabe_device *device);
bool wabe_device_is_emulated(const wabe_device *device);

/* ---- memory ------------------------------------------------------------------------- */

/* Bytes that could be allocated now. Local. */
int64_t wabe_device_available_memory(const wabe_device *device);
/* Aligned to 256 bytes, of any content. WABE_MEMORY: how much was asked for and is available.
 * Local. */
wabe_status wabe_device_allocate(wabe_device *device, int64_t bytes, void **out);
void wabe_device_free(wabe_device *device, void *memory);
/* Host memory that streams of every device may copy to and from. WABE_MEMORY. Local. */
wabe_status wabe_device_allocate_host(int64_t bytes, void **out);
void wabe_device_free_host(void *memory);

/* ---- streams and events ------------------------------------------------------------- */

/* urgent: its work goes before that of other streams of the device. WABE_MEMORY. Local. */
wabe_status wabe_stream_create(wabe_device *device, bool urgent, wabe_stream **out);
void wabe_stream_destroy(wabe_stream **stream);

/* Between memory of devices and host memory from wabe_device_allocate_host. */
void wabe_stream_copy(wabe_stream *stream, void *to, const void *from, int64_t bytes);
void wabe_stream_fill(wabe_stream *stream, void *to, int byte, int64_t bytes);
/* A kernel of the registry on items begin to end - 1; args are copied. */
void wabe_stream_launch(wabe_stream *stream, const struct wabe_kernel *kernel, const void *args,
                        int64_t begin, int64_t end);
/* Returns when all that the stream was given is done. */
void wabe_stream_synchronise(wabe_stream *stream);

wabe_status wabe_event_create(wabe_device *device, wabe_event **out);
void wabe_event_destroy(wabe_event **event);
/* The event is the point that the stream has been given work to. */
void wabe_event_record(wabe_event *event, wabe_stream *stream);
/* What the stream is given from now on waits for the event's last recorded point; an event never
 * recorded is done. */
void wabe_stream_wait(wabe_stream *stream, wabe_event *event);
bool wabe_event_is_done(wabe_event *event);
/* From one event to another, both done; 0 on emulated devices. */
double wabe_event_seconds(wabe_event *from, wabe_event *to);
void wabe_event_synchronise(wabe_event *event);

/* ---- from device to device ---------------------------------------------------------- */

/* Lets kernels and copies on device touch memory of other; false: the hardware cannot. Local. */
bool wabe_device_reach(wabe_device *device, wabe_device *other);

/* Memory of a device, named so that another process of the node can reach it. */
typedef struct {
    unsigned char bytes[64];
} wabe_device_handle;

/* memory must be what wabe_device_allocate returned. false: not possible here. Local. */
bool wabe_device_export(wabe_device *device, void *memory, wabe_device_handle *out);
bool wabe_device_import(wabe_device *device, const wabe_device_handle *handle, void **out);
void wabe_device_release(wabe_device *device, void *imported);
