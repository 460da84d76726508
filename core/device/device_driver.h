/* The driver interface: what implements core/device/device.h. Only core/device/device*.c use it. */
#pragma once

#include "core/device/device.h"
#include "core/registry/kernel.h"

/* The most devices that a process uses. */
enum { WABE_DEVICES_MAX = 64 };

/* core/device/device.c ensures that sizes and ranges of items are not empty, that pointers to
 * release are not NULL, and that the index of an opened device is less than WABE_DEVICES_MAX. */
typedef struct {
    int (*count)(const char **why);                      /* sets why only if there are none */
    wabe_status (*open)(int index, wabe_device *device); /* sets info and own */
    int64_t (*available_memory)(const wabe_device *device);
    wabe_status (*allocate)(wabe_device *device, int64_t bytes, void **out);
    void (*release)(wabe_device *device, void *memory);
    int64_t (*ring_unit)(const wabe_device *device);
    wabe_status (*allocate_ring)(wabe_device *device, const wabe_ring_shape *shape, void **out);
    void (*release_ring)(wabe_device *device, const wabe_ring_shape *shape, void *memory);
    wabe_status (*allocate_host)(int64_t bytes, void **out);
    void (*release_host)(void *memory);
    bool (*lock_host)(void *memory, int64_t bytes);
    void (*unlock_host)(void *memory);
    wabe_status (*stream_create)(wabe_device *device, bool urgent, void **own);
    void (*stream_destroy)(wabe_stream *stream);
    void (*copy)(wabe_stream *stream, void *to, const void *from, int64_t bytes);
    void (*fill)(wabe_stream *stream, void *to, int byte, int64_t bytes);
    void (*launch)(wabe_stream *stream, const wabe_kernel *kernel, const void *args, int64_t begin,
                   int64_t end);
    void (*synchronise)(wabe_stream *stream);
    wabe_status (*event_create)(wabe_device *device, bool shared, void **own);
    void (*event_destroy)(wabe_event *event);
    void (*record)(wabe_event *event, wabe_stream *stream);
    void (*wait)(wabe_stream *stream, wabe_event *event);
    bool (*is_done)(wabe_event *event);
    double (*seconds)(wabe_event *from, wabe_event *to);
    void (*event_synchronise)(wabe_event *event);
    bool (*reach)(wabe_device *device, wabe_device *other);
    bool (*export_memory)(wabe_device *device, void *memory, wabe_device_handle *out);
    bool (*import_memory)(wabe_device *device, const wabe_device_handle *handle, void **out);
    void (*release_import)(wabe_device *device, void *imported);
    bool (*export_event)(wabe_event *event, wabe_device_handle *out);
    bool (*import_event)(wabe_device *device, const wabe_device_handle *handle, void **own);
} wabe_device_driver;

/* The table of a driver that defines all of these functions under these names. */
#define WABE_DEVICE_DRIVER                                                                         \
    {                                                                                              \
        .count = count_devices, .open = open_device, .available_memory = available_memory,         \
        .allocate = allocate, .release = release, .ring_unit = ring_unit,                          \
        .allocate_ring = allocate_ring, .release_ring = release_ring,                              \
        .allocate_host = allocate_host, .release_host = release_host, .lock_host = lock_host,      \
        .unlock_host = unlock_host, .stream_create = stream_create,                                \
        .stream_destroy = stream_destroy, .copy = copy, .fill = fill, .launch = launch,            \
        .synchronise = synchronise, .event_create = event_create, .event_destroy = event_destroy,  \
        .record = record, .wait = wait_for, .is_done = is_done, .seconds = seconds,                \
        .event_synchronise = event_synchronise, .reach = reach, .export_memory = export_memory,    \
        .import_memory = import_memory, .release_import = release_import,                          \
        .export_event = export_event, .import_event = import_event,                                \
    }

struct wabe_device {
    int index;
    wabe_device_info info;
    bool emulated;
    void *own; /* the driver's data */
};

struct wabe_stream {
    wabe_device *device;
    void *own;
};

struct wabe_event {
    wabe_device *device;
    void *own;
};

extern const wabe_device_driver wabe_device_driver_cuda, wabe_device_driver_emulated;
/* Number of emulated devices; 0: real devices are used. */
extern int wabe_devices_emulated;

/* Records and returns WABE_MEMORY: the device has no room for bytes. Local. */
wabe_status wabe_device_no_memory(const wabe_device *device, int64_t bytes);

/* Prints what failed and why, and ends the program on all ranks. device: NULL if the failure
 * concerns no device in particular. Never returns. */
_Noreturn void wabe_device_lost(const wabe_device *device, const char *failure, const char *why);
