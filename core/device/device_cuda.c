/* CUDA devices: thin wrappers of the CUDA runtime. Builds without CUDA have a driver that finds no
 * device. */
#include "core/device/device_driver.h"

#ifdef WABE_CUDA

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CAPABILITY_MAJOR = 7, CAPABILITY_MINOR = 5, HUGE_PAGE = 2 << 20 };

/* The current device of this thread; the CUDA runtime keeps it per thread, too. */
static _Thread_local int current = -1;

static void check(const wabe_device *device, const char *call, cudaError_t error) {
    if (error != cudaSuccess)
        wabe_device_lost(device, call, cudaGetErrorString(error));
}

/* For calls that must not fail. */
#define CALL(device, function, ...) check(device, #function, function(__VA_ARGS__))

/* For failures that are expected. Clears the error, which the runtime would report again at the
 * next launch. */
static bool succeeded(cudaError_t error) {
    if (error != cudaSuccess)
        cudaGetLastError();
    return error == cudaSuccess;
}

static bool lacks_memory(cudaError_t error) {
    return error == cudaErrorMemoryAllocation && !succeeded(error);
}

static void use(const wabe_device *device) {
    if (current == device->index)
        return;
    CALL(device, cudaSetDevice, device->index);
    current = device->index;
}

/* ---- devices ------------------------------------------------------------------------ */

static int count_devices(const char **why) {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (!succeeded(error)) {
        *why = cudaGetErrorString(error);
        return 0;
    }
    if (count == 0)
        *why = "the driver knows of none";
    return count;
}

static wabe_status open_device(int index, wabe_device *device) {
    struct cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceProperties(&properties, index);
    WABE_CHECK(succeeded(error), WABE_INPUT, "GPU %d cannot be used: %s", index,
               cudaGetErrorString(error));
    WABE_CHECK(properties.major > CAPABILITY_MAJOR ||
                   (properties.major == CAPABILITY_MAJOR && properties.minor >= CAPABILITY_MINOR),
               WABE_INPUT, "GPU %d (%s) has compute capability %d.%d, needed is %d.%d or more",
               index, properties.name, properties.major, properties.minor, CAPABILITY_MAJOR,
               CAPABILITY_MINOR);
    wabe_device_info *info = &device->info;
    snprintf(info->name, sizeof info->name, "%.63s", properties.name);
    info->memory = (int64_t)properties.totalGlobalMem;
    info->block_memory = (int64_t)properties.sharedMemPerBlockOptin;
    info->multiprocessors = properties.multiProcessorCount;
    /* No cudaSetDevice before the device is used, since it takes memory on the device for each
     * process. */
    error = cudaDeviceGetPCIBusId(info->id, sizeof info->id, index);
    WABE_CHECK(succeeded(error), WABE_INPUT, "GPU %d (%s) cannot be used: %s", index, info->name,
               cudaGetErrorString(error));
    return WABE_OK;
}

/* ---- memory ------------------------------------------------------------------------- */

static int64_t available_memory(const wabe_device *device) {
    size_t available = 0, total = 0;
    use(device);
    CALL(device, cudaMemGetInfo, &available, &total);
    return (int64_t)available;
}

static wabe_status allocate(wabe_device *device, int64_t bytes, void **out) {
    use(device);
    const cudaError_t error = cudaMalloc(out, (size_t)bytes);
    if (lacks_memory(error)) {
        *out = NULL;
        return wabe_device_no_memory(device, bytes);
    }
    check(device, "cudaMalloc", error);
    return WABE_OK;
}

static void release(wabe_device *device, void *memory) {
    use(device);
    CALL(device, cudaFree, memory);
}

/* ---- rings -------------------------------------------------------------------------- */

/* Functions of the driver, which is looked up when the program runs: it also starts without one. */
static struct {
    bool found;
    CUresult (*unit)(size_t *, const CUmemAllocationProp *, CUmemAllocationGranularity_flags);
    CUresult (*reserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
    CUresult (*unreserve)(CUdeviceptr, size_t);
    CUresult (*create)(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *,
                       unsigned long long);
    CUresult (*release)(CUmemGenericAllocationHandle);
    CUresult (*map)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long);
    CUresult (*unmap)(CUdeviceptr, size_t);
    CUresult (*open)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
} driver;

static bool find(const char *name, void *function) {
    enum cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion(name, function, 11000,
                                                               cudaEnableDefault, &result);
#else
    const cudaError_t error = cudaGetDriverEntryPoint(name, function, cudaEnableDefault, &result);
#endif
    return succeeded(error) && result == cudaDriverEntryPointSuccess;
}

static bool find_driver(void) {
    if (!driver.found)
        driver.found = find("cuMemGetAllocationGranularity", &driver.unit) &&
                       find("cuMemAddressReserve", &driver.reserve) &&
                       find("cuMemAddressFree", &driver.unreserve) &&
                       find("cuMemCreate", &driver.create) &&
                       find("cuMemRelease", &driver.release) && find("cuMemMap", &driver.map) &&
                       find("cuMemUnmap", &driver.unmap) && find("cuMemSetAccess", &driver.open);
    return driver.found;
}

static CUmemAllocationProp properties_of(const wabe_device *device) {
    return (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, device->index}};
}

static int64_t ring_unit(const wabe_device *device) {
    const CUmemAllocationProp properties = properties_of(device);
    size_t unit = 0;
    use(device);
    if (!find_driver() || driver.unit(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
        return 0;
    return (int64_t)unit;
}

/* Maps new memory to all pieces of an array that are in this slot. */
static bool map_slot(const wabe_device *device, const wabe_ring_shape *s, CUdeviceptr array,
                     int64_t slot) {
    const CUmemAllocationProp properties = properties_of(device);
    const size_t size = (size_t)s->piece;
    CUmemGenericAllocationHandle memory;
    if (driver.create(&memory, size, &properties, 0) != CUDA_SUCCESS)
        return false;
    bool mapped = true;
    for (int64_t p = slot; p < s->pieces && mapped; p += s->slots)
        mapped = driver.map(array + (CUdeviceptr)p * size, size, 0, memory, 0) == CUDA_SUCCESS;
    driver.release(memory); /* it stays as long as it is mapped */
    return mapped;
}

/* Unmaps what is mapped, piece by piece, since some may not be. */
static void release_ring(wabe_device *device, const wabe_ring_shape *s, void *memory) {
    const CUdeviceptr start = (CUdeviceptr)memory;
    use(device);
    CALL(device, cudaDeviceSynchronize);
    for (int64_t i = 0; i < s->pieces * s->arrays; i++)
        driver.unmap(start + (CUdeviceptr)(i * s->piece), (size_t)s->piece);
    driver.unreserve(start, (size_t)wabe_ring_addresses(s));
}

static wabe_status allocate_ring(wabe_device *device, const wabe_ring_shape *s, void **out) {
    const size_t addresses = (size_t)wabe_ring_addresses(s);
    const CUmemAccessDesc access = {.location = {CU_MEM_LOCATION_TYPE_DEVICE, device->index},
                                    .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr start = 0;
    use(device);
    CALL(device, cudaFree, NULL); /* makes the device's context */
    if (!find_driver() || driver.reserve(&start, addresses, 0, 0, 0) != CUDA_SUCCESS)
        return WABE_FAIL(WABE_MEMORY, "GPU %s has no addresses for %.3f GB", device->info.id,
                         (double)addresses * 1e-9);
    bool mapped = true;
    for (int64_t i = 0; i < s->slots * s->arrays && mapped; i++)
        mapped = map_slot(device, s, start + (CUdeviceptr)(i / s->slots * s->pieces * s->piece),
                          i % s->slots);
    mapped = mapped && driver.open(start, addresses, &access, 1) == CUDA_SUCCESS;
    *out = (void *)start;
    if (mapped)
        return WABE_OK;
    release_ring(device, s, *out);
    *out = NULL;
    return wabe_device_no_memory(device, wabe_ring_bytes(s));
}

/* ---- memory of the host ------------------------------------------------------------- */

/* Large memory is placed on huge pages, so that there are fewer pages to touch and to lock: the
 * caller waits for each new piece of a file's values. */
static cudaError_t lock_pages(int64_t bytes, void **out) {
    const size_t page = bytes < HUGE_PAGE ? (size_t)sysconf(_SC_PAGESIZE) : HUGE_PAGE;
    const size_t size = ((size_t)bytes + page - 1) / page * page;
    if (posix_memalign(out, page, size) != 0)
        return cudaErrorMemoryAllocation;
    if (page == HUGE_PAGE)
        madvise(*out, size, MADV_HUGEPAGE);
    const cudaError_t error = cudaHostRegister(*out, size, cudaHostRegisterPortable);
    if (error != cudaSuccess)
        free(*out);
    return error;
}

/* Not every system can lock memory that it has not allocated itself. */
static bool can_lock_pages(void) {
    int can = 0;
    CALL(NULL, cudaDeviceGetAttribute, &can, cudaDevAttrHostRegisterSupported, 0);
    return can;
}

static wabe_status allocate_host(int64_t bytes, void **out) {
    /* Any device will do, since the memory is for all of them. */
    if (current < 0) {
        CALL(NULL, cudaSetDevice, 0);
        current = 0;
    }
    const cudaError_t error = can_lock_pages()
                                  ? lock_pages(bytes, out)
                                  : cudaHostAlloc(out, (size_t)bytes, cudaHostAllocPortable);
    if (lacks_memory(error)) {
        *out = NULL;
        return WABE_FAIL(WABE_MEMORY, "no memory for %.3f GB on the host that GPUs can reach",
                         (double)bytes * 1e-9);
    }
    check(NULL, "page-locked memory", error);
    return WABE_OK;
}

static void release_host(void *memory) {
    if (can_lock_pages()) {
        CALL(NULL, cudaHostUnregister, memory);
        free(memory);
    } else {
        CALL(NULL, cudaFreeHost, memory);
    }
}

static bool lock_host(void *memory, int64_t bytes) {
    const cudaError_t error = can_lock_pages() ? cudaHostRegister(memory, (size_t)bytes,
                                                                  cudaHostRegisterPortable)
                                               : cudaErrorNotSupported;
    if (error != cudaSuccess)
        (void)cudaGetLastError(); /* the caller does without */
    return error == cudaSuccess;
}

static void unlock_host(void *memory) { CALL(NULL, cudaHostUnregister, memory); }

/* ---- streams ------------------------------------------------------------------------ */

static wabe_status stream_create(wabe_device *device, bool urgent, void **own) {
    int least = 0, greatest = 0;
    use(device);
    CALL(device, cudaDeviceGetStreamPriorityRange, &least, &greatest);
    cudaStream_t stream = NULL;
    const cudaError_t error = cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                                           urgent ? greatest : least);
    if (lacks_memory(error))
        return WABE_FAIL(WABE_MEMORY, "no memory for a stream on GPU %s", device->info.id);
    check(device, "cudaStreamCreateWithPriority", error);
    *own = stream;
    return WABE_OK;
}

static void stream_destroy(wabe_stream *stream) {
    CALL(stream->device, cudaStreamDestroy, stream->own);
}

static void copy(wabe_stream *stream, void *to, const void *from, int64_t bytes) {
    use(stream->device);
    CALL(stream->device, cudaMemcpyAsync, to, from, (size_t)bytes, cudaMemcpyDefault, stream->own);
}

static void fill(wabe_stream *stream, void *to, int byte, int64_t bytes) {
    use(stream->device);
    CALL(stream->device, cudaMemsetAsync, to, byte, (size_t)bytes, stream->own);
}

static void launch(wabe_stream *stream, const wabe_kernel *kernel, const void *args, int64_t begin,
                   int64_t end) {
    use(stream->device);
    kernel->launch(args, begin, end, stream->own);
    check(stream->device, kernel->name, cudaGetLastError());
}

static void synchronise(wabe_stream *stream) {
    CALL(stream->device, cudaStreamSynchronize, stream->own);
}

/* ---- events ------------------------------------------------------------------------- */

/* Not all systems have events for several processes: an event of one process is good for the
 * rest. */
static wabe_status event_create(wabe_device *device, bool shared, void **own) {
    use(device);
    cudaEvent_t event = NULL;
    cudaError_t error = cudaErrorNotSupported;
    if (shared)
        error = cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming);
    if (!shared || (!succeeded(error) && !lacks_memory(error)))
        error = cudaEventCreate(&event);
    if (lacks_memory(error))
        return WABE_FAIL(WABE_MEMORY, "no memory for an event on GPU %s", device->info.id);
    check(device, "cudaEventCreate", error);
    *own = event;
    return WABE_OK;
}

static void event_destroy(wabe_event *event) { CALL(event->device, cudaEventDestroy, event->own); }

static void record(wabe_event *event, wabe_stream *stream) {
    use(stream->device);
    CALL(stream->device, cudaEventRecord, event->own, stream->own);
}

static void wait_for(wabe_stream *stream, wabe_event *event) {
    use(stream->device);
    CALL(stream->device, cudaStreamWaitEvent, stream->own, event->own, 0);
}

static double seconds(wabe_event *from, wabe_event *to) {
    float milliseconds = 0.0f;
    use(from->device);
    CALL(from->device, cudaEventElapsedTime, &milliseconds, from->own, to->own);
    return 1e-3 * (double)milliseconds;
}

static bool is_done(wabe_event *event) {
    const cudaError_t error = cudaEventQuery(event->own);
    if (error == cudaErrorNotReady) {
        cudaGetLastError();
        return false;
    }
    check(event->device, "cudaEventQuery", error);
    return true;
}

static void event_synchronise(wabe_event *event) {
    CALL(event->device, cudaEventSynchronize, event->own);
}

/* ---- from device to device ---------------------------------------------------------- */

static bool reach(wabe_device *device, wabe_device *other) {
    if (device == other)
        return true;
    int can = 0;
    if (!succeeded(cudaDeviceCanAccessPeer(&can, device->index, other->index)) || !can)
        return false;
    use(device);
    const cudaError_t error = cudaDeviceEnablePeerAccess(other->index, 0);
    return succeeded(error) || error == cudaErrorPeerAccessAlreadyEnabled;
}

_Static_assert(sizeof(cudaIpcMemHandle_t) <= sizeof(wabe_device_handle), "handles hold CUDA's");

static bool export_memory(wabe_device *device, void *memory, wabe_device_handle *out) {
    cudaIpcMemHandle_t handle;
    use(device);
    if (!succeeded(cudaIpcGetMemHandle(&handle, memory)))
        return false;
    memset(out, 0, sizeof *out);
    memcpy(out->bytes, &handle, sizeof handle);
    return true;
}

static bool import_memory(wabe_device *device, const wabe_device_handle *handle, void **out) {
    cudaIpcMemHandle_t theirs;
    memcpy(&theirs, handle->bytes, sizeof theirs);
    use(device);
    return succeeded(cudaIpcOpenMemHandle(out, theirs, cudaIpcMemLazyEnablePeerAccess));
}

static void release_import(wabe_device *device, void *imported) {
    use(device);
    CALL(device, cudaIpcCloseMemHandle, imported);
}

_Static_assert(sizeof(cudaIpcEventHandle_t) <= sizeof(wabe_device_handle), "handles hold CUDA's");

static bool export_event(wabe_event *event, wabe_device_handle *out) {
    cudaIpcEventHandle_t handle;
    use(event->device);
    if (!succeeded(cudaIpcGetEventHandle(&handle, event->own)))
        return false;
    memset(out, 0, sizeof *out);
    memcpy(out->bytes, &handle, sizeof handle);
    return true;
}

static bool import_event(wabe_device *device, const wabe_device_handle *handle, void **own) {
    cudaIpcEventHandle_t theirs;
    cudaEvent_t event = NULL;
    memcpy(&theirs, handle->bytes, sizeof theirs);
    use(device);
    if (!succeeded(cudaIpcOpenEventHandle(&event, theirs)))
        return false;
    *own = event;
    return true;
}

const wabe_device_driver wabe_device_driver_cuda = WABE_DEVICE_DRIVER;

#else

static const char without_cuda[] = "built without CUDA";

static int count_devices(const char **why) {
    *why = without_cuda;
    return 0;
}

static wabe_status open_device(int index, wabe_device *device) {
    (void)device;
    return WABE_FAIL(WABE_INPUT, "GPU %d cannot be used: %s", index, without_cuda);
}

/* The only other function that is called without a device. */
static wabe_status allocate_host(int64_t bytes, void **out) {
    (void)bytes, (void)out;
    return WABE_FAIL(WABE_INPUT, "there is no memory that GPUs can reach: %s", without_cuda);
}

const wabe_device_driver wabe_device_driver_cuda = {
    .count = count_devices,
    .open = open_device,
    .allocate_host = allocate_host,
};

#endif
