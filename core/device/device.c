#include "core/device/device.h"

#include "core/device/device_driver.h"

#include <stdio.h>
#include <stdlib.h>

int wabe_devices_emulated;

/* Open devices: real ones in the first row, emulated ones in the second. */
static struct {
    bool is_open;
    wabe_device device;
} table[2][WABE_DEVICES_MAX];

static const wabe_device_driver *driver_for(bool emulated) {
    return emulated ? &wabe_device_driver_emulated : &wabe_device_driver_cuda;
}

static const wabe_device_driver *driver_of(const wabe_device *device) {
    return driver_for(device->emulated);
}

/* ---- failures ----------------------------------------------------------------------- */

wabe_status wabe_device_no_memory(const wabe_device *device, int64_t bytes) {
    return WABE_FAIL(WABE_MEMORY, "no memory for %.3g GB on GPU %s: %.3g GB are available",
                     (double)bytes * 1e-9, device->info.id,
                     (double)wabe_device_available_memory(device) * 1e-9);
}

_Noreturn void wabe_device_lost(const wabe_device *device, const char *failure, const char *why) {
    if (device)
        fprintf(stderr, "wabe: GPU %s (%s) failed in %s: %s\n", device->info.name, device->info.id,
                failure, why);
    else
        fprintf(stderr, "wabe: a GPU failed in %s: %s\n", failure, why);
    int initialised = 0, finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    if (initialised && !finalised)
        MPI_Abort(MPI_COMM_WORLD, WABE_INTERNAL);
    exit(WABE_INTERNAL);
}

/* ---- devices ------------------------------------------------------------------------ */

void wabe_devices_emulate(int count) { wabe_devices_emulated = count; }

bool wabe_devices_are_emulated(void) { return wabe_devices_emulated > 0; }

int wabe_devices_count(const char **why) {
    const char *reason = "";
    const int count = driver_for(wabe_devices_are_emulated())->count(&reason);
    if (why)
        *why = reason;
    return count < WABE_DEVICES_MAX ? count : WABE_DEVICES_MAX;
}

wabe_status wabe_device_open(int index, wabe_device **out) {
    const bool emulated = wabe_devices_are_emulated();
    const char *why;
    const int count = wabe_devices_count(&why);
    WABE_CHECK(count > 0, WABE_INPUT, "there is no GPU: %s", why);
    WABE_CHECK(index >= 0 && index < count, WABE_INPUT,
               "there is no GPU %d: there are %d, counted from 0", index, count);
    wabe_device *device = &table[emulated][index].device;
    if (!table[emulated][index].is_open) {
        *device = (wabe_device){.index = index, .emulated = emulated};
        WABE_TRY(driver_for(emulated)->open(index, device));
        table[emulated][index].is_open = true;
    }
    *out = device;
    return WABE_OK;
}

const wabe_device_info *wabe_device_describe(const wabe_device *device) { return &device->info; }

bool wabe_device_is_emulated(const wabe_device *device) { return device->emulated; }

/* ---- memory ------------------------------------------------------------------------- */

int64_t wabe_device_available_memory(const wabe_device *device) {
    return driver_of(device)->available_memory(device);
}

wabe_status wabe_device_allocate(wabe_device *device, int64_t bytes, void **out) {
    *out = NULL;
    return bytes > 0 ? driver_of(device)->allocate(device, bytes, out) : WABE_OK;
}

void wabe_device_free(wabe_device *device, void *memory) {
    if (memory)
        driver_of(device)->release(device, memory);
}

int64_t wabe_device_ring_unit(const wabe_device *device) {
    return driver_of(device)->ring_unit(device);
}

wabe_status wabe_device_allocate_ring(wabe_device *device, const wabe_ring_shape *shape,
                                      void **out) {
    *out = NULL;
    return driver_of(device)->allocate_ring(device, shape, out);
}

void wabe_device_free_ring(wabe_device *device, const wabe_ring_shape *shape, void *memory) {
    if (memory)
        driver_of(device)->release_ring(device, shape, memory);
}

wabe_status wabe_device_allocate_host(int64_t bytes, void **out) {
    *out = NULL;
    return bytes > 0 ? driver_for(wabe_devices_are_emulated())->allocate_host(bytes, out) : WABE_OK;
}

void wabe_device_free_host(void *memory) {
    if (memory)
        driver_for(wabe_devices_are_emulated())->release_host(memory);
}

bool wabe_device_lock_host(void *memory, int64_t bytes) {
    return driver_for(wabe_devices_are_emulated())->lock_host(memory, bytes);
}

void wabe_device_unlock_host(void *memory) {
    driver_for(wabe_devices_are_emulated())->unlock_host(memory);
}

/* ---- streams ------------------------------------------------------------------------ */

wabe_status wabe_stream_create(wabe_device *device, bool urgent, wabe_stream **out) {
    wabe_stream *stream = calloc(1, sizeof *stream);
    WABE_CHECK(stream, WABE_MEMORY, "no memory for a stream's description");
    stream->device = device;
    const wabe_status status = driver_of(device)->stream_create(device, urgent, &stream->own);
    if (status != WABE_OK) {
        free(stream);
        return status;
    }
    *out = stream;
    return WABE_OK;
}

void wabe_stream_destroy(wabe_stream **stream) {
    if (!*stream)
        return;
    driver_of((*stream)->device)->stream_destroy(*stream);
    free(*stream);
    *stream = NULL;
}

void wabe_stream_copy(wabe_stream *stream, void *to, const void *from, int64_t bytes) {
    if (bytes > 0)
        driver_of(stream->device)->copy(stream, to, from, bytes);
}

void wabe_stream_fill(wabe_stream *stream, void *to, int byte, int64_t bytes) {
    if (bytes > 0)
        driver_of(stream->device)->fill(stream, to, byte, bytes);
}

void wabe_stream_discard(wabe_stream *stream, void *memory, int64_t bytes) {
    if (stream->device->emulated)
        wabe_stream_fill(stream, memory, 0xff, bytes);
}

void wabe_stream_launch(wabe_stream *stream, const wabe_kernel *kernel, const void *args,
                        int64_t begin, int64_t end) {
    if (begin < end)
        driver_of(stream->device)->launch(stream, kernel, args, begin, end);
}

void wabe_stream_synchronise(wabe_stream *stream) {
    driver_of(stream->device)->synchronise(stream);
}

/* ---- events ------------------------------------------------------------------------- */

static wabe_status create_event(wabe_device *device, bool shared, wabe_event **out) {
    wabe_event *event = calloc(1, sizeof *event);
    WABE_CHECK(event, WABE_MEMORY, "no memory for an event's description");
    event->device = device;
    const wabe_status status = driver_of(device)->event_create(device, shared, &event->own);
    if (status != WABE_OK) {
        free(event);
        return status;
    }
    *out = event;
    return WABE_OK;
}

wabe_status wabe_event_create(wabe_device *device, wabe_event **out) {
    return create_event(device, false, out);
}

wabe_status wabe_event_create_shared(wabe_device *device, wabe_event **out) {
    return create_event(device, true, out);
}

void wabe_event_destroy(wabe_event **event) {
    if (!*event)
        return;
    driver_of((*event)->device)->event_destroy(*event);
    free(*event);
    *event = NULL;
}

void wabe_event_record(wabe_event *event, wabe_stream *stream) {
    driver_of(stream->device)->record(event, stream);
}

void wabe_stream_wait(wabe_stream *stream, wabe_event *event) {
    driver_of(stream->device)->wait(stream, event);
}

double wabe_event_seconds(wabe_event *from, wabe_event *to) {
    return driver_of(from->device)->seconds(from, to);
}

bool wabe_event_is_done(wabe_event *event) { return driver_of(event->device)->is_done(event); }

void wabe_event_synchronise(wabe_event *event) {
    driver_of(event->device)->event_synchronise(event);
}

/* ---- from device to device ---------------------------------------------------------- */

bool wabe_device_reach(wabe_device *device, wabe_device *other) {
    return device->emulated == other->emulated && driver_of(device)->reach(device, other);
}

bool wabe_device_export(wabe_device *device, void *memory, wabe_device_handle *out) {
    return memory && driver_of(device)->export_memory(device, memory, out);
}

bool wabe_device_import(wabe_device *device, const wabe_device_handle *handle, void **out) {
    return driver_of(device)->import_memory(device, handle, out);
}

void wabe_device_release(wabe_device *device, void *imported) {
    if (imported)
        driver_of(device)->release_import(device, imported);
}

bool wabe_event_export(wabe_event *event, wabe_device_handle *out) {
    return driver_of(event->device)->export_event(event, out);
}

bool wabe_event_import(wabe_device *device, const wabe_device_handle *handle, wabe_event **out) {
    wabe_event *event = calloc(1, sizeof *event);
    if (!event)
        return false;
    event->device = device;
    if (!driver_of(device)->import_event(device, handle, &event->own)) {
        free(event);
        return false;
    }
    *out = event;
    return true;
}
