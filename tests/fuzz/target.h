/* Shared by fuzz targets, which get bytes from libFuzzer or from tests/fuzz/main.c. */
#pragma once

#include "core/base/status.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The name is libFuzzer's. NOLINTNEXTLINE(readability-identifier-naming) */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The leak checker's functions, if it is linked. NOLINTBEGIN(readability-identifier-naming) */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));
/* NOLINTEND(readability-identifier-naming) */

/* Starts MPI on the first call; its memory does not count as leaked. MPI is never finalised, since
 * that leaks some. */
static inline void fuzz_begin(void) {
    int started;
    MPI_Initialized(&started);
    if (started)
        return;
    if (__lsan_disable)
        __lsan_disable();
    MPI_Init(NULL, NULL);
    if (__lsan_enable)
        __lsan_enable();
}

/* A file in memory; a regular one, since HDF5 resolves links. */
static char fuzz_path[] = "/dev/shm/wabe_fuzz_XXXXXX";

static inline void fuzz_remove_file(void) { unlink(fuzz_path); }

/* Returns the path of a file with these bytes, the same at every call. */
static inline const char *fuzz_file(const uint8_t *data, size_t size) {
    static int file = -1;
    if (file < 0) {
        file = mkstemp(fuzz_path);
        atexit(fuzz_remove_file);
    }
    if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size)
        abort();
    return fuzz_path;
}

/* Clears the last message; call it before each trial. */
static inline void fuzz_forget_message(void) { wabe_error(WABE_OK, "", 0, "%s", ""); }

/* Returns whether the status is WABE_OK; aborts unless a failure has one of these two codes, and a
 * message. */
static inline bool fuzz_good(wabe_status status, wabe_status refused, wabe_status other) {
    if (status == WABE_OK)
        return true;
    if ((status != refused && status != other) || !wabe_error_message()[0]) {
        fprintf(stderr, "status %d: %s\n", (int)status, wabe_error_message());
        abort();
    }
    return false;
}

/* ---- bytes as numbers; after the last one there are zeros ------------------------------------ */

typedef struct {
    const uint8_t *at, *end;
} fuzz_bytes;

static inline int fuzz_byte(fuzz_bytes *bytes) { return bytes->at < bytes->end ? *bytes->at++ : 0; }

/* Numbers below 255 take one byte, others nine. */
static inline int64_t fuzz_integer(fuzz_bytes *bytes) {
    const int first = fuzz_byte(bytes);
    uint64_t value = 0;
    if (first < 255)
        return first;
    for (int i = 0; i < 8; i++)
        value |= (uint64_t)fuzz_byte(bytes) << 8 * i;
    return (int64_t)value;
}
