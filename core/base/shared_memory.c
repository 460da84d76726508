#include "core/base/shared_memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Process numbers are not unique where processes are in different containers; files are. */
static bool identify(int file, uint64_t *device, uint64_t *number) {
    struct stat found;
    if (fstat(file, &found) != 0)
        return false;
    *device = (uint64_t)found.st_dev;
    *number = (uint64_t)found.st_ino;
    return true;
}

/* A file in memory; other processes open it by its number in ours. */
wabe_status wabe_shared_allocate(int64_t bytes, void **out, wabe_shared_handle *handle) {
    *out = NULL;
    *handle = (wabe_shared_handle){.bytes = bytes,
                                   .process = (int)getpid(),
                                   .file = memfd_create("wabe", MFD_CLOEXEC)};
    void *memory = MAP_FAILED;
    if (handle->file >= 0 && ftruncate(handle->file, bytes) == 0 &&
        identify(handle->file, &handle->device, &handle->number))
        memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, handle->file, 0);
    if (memory == MAP_FAILED) {
        wabe_shared_close(handle);
        return WABE_FAIL(WABE_MEMORY, "no memory for %.3f GB that processes share",
                         (double)bytes * 1e-9);
    }
    *out = memory;
    return WABE_OK;
}

void wabe_shared_close(wabe_shared_handle *handle) {
    if (handle->file >= 0)
        close(handle->file);
    handle->file = -1;
}

bool wabe_shared_map(const wabe_shared_handle *handle, void **out) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/fd/%d", handle->process, handle->file);
    const int file = open(name, O_RDWR | O_CLOEXEC);
    *out = NULL;
    uint64_t device, number;
    if (file < 0)
        return false;
    void *memory = MAP_FAILED;
    if (identify(file, &device, &number) && device == handle->device && number == handle->number)
        memory = mmap(NULL, (size_t)handle->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    *out = memory == MAP_FAILED ? NULL : memory;
    return *out != NULL;
}

void wabe_shared_unmap(void *memory, int64_t bytes) {
    if (memory)
        munmap(memory, (size_t)bytes);
}
