/* Single kernel calls on the hardware under test, with memory that its kernels can access. Every
 * failure fails the test. */
#pragma once

#include "core/device/memory.h"
#include "core/registry/kernel.h"
#include "tests/conformance/hardware.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct {
    wabe_component component;
    wabe_stream *stream; /* GPUs only */
} bench;

static inline bench bench_open(void) {
    bench b = {.component = wabe_component_detect(1)};
    if (hardware_gpus > 0) {
        assert_int_equal(hardware_gpu(0, &b.component), WABE_OK);
        assert_int_equal(wabe_stream_create(b.component.device, false, &b.stream), WABE_OK);
    }
    return b;
}

static inline void bench_close(bench *b) { wabe_stream_destroy(&b->stream); }

static inline void bench_write(const bench *b, void *to, const void *from, size_t bytes) {
    assert_int_equal(wabe_memory_write(&b->component, b->stream, to, from, (int64_t)bytes),
                     WABE_OK);
}

static inline void bench_read(const bench *b, void *to, const void *from, size_t bytes) {
    assert_int_equal(wabe_memory_read(&b->component, b->stream, to, from, (int64_t)bytes), WABE_OK);
}

/* Returns memory of the component with a copy of these bytes. */
static inline void *bench_put(const bench *b, const void *from, size_t bytes) {
    void *memory = NULL;
    assert_int_equal(wabe_memory_create(&b->component, (int64_t)bytes, &memory), WABE_OK);
    bench_write(b, memory, from, bytes);
    return memory;
}

static inline void bench_free(const bench *b, void *memory) {
    wabe_memory_destroy(&b->component, &memory);
}

/* Runs a kernel and waits for it. */
static inline void bench_run(const bench *b, const wabe_kernel *row, const void *args,
                             int64_t begin, int64_t end) {
    if (!b->stream) {
        row->run(args, begin, end);
        return;
    }
    wabe_stream_launch(b->stream, row, args, begin, end);
    wabe_stream_synchronise(b->stream);
}
