/* Memory of a component: host memory for CPUs, device memory for GPUs. */
#pragma once

#include "core/device/component.h"

/* Allocates uninitialised memory, aligned to 64 bytes. WABE_MEMORY. Local. */
wabe_status wabe_memory_create(const wabe_component *component, int64_t bytes, void **out);
void wabe_memory_destroy(const wabe_component *component, void **memory);

/* Copy from ordinary host memory to the component's memory, and back. On GPUs the copy follows the
 * operations queued in stream (unused on CPUs), and is done on return. WABE_MEMORY: no memory for
 * the bounce buffer. Local. */
wabe_status wabe_memory_write(const wabe_component *component, wabe_stream *stream, void *to,
                              const void *from, int64_t bytes);
wabe_status wabe_memory_read(const wabe_component *component, wabe_stream *stream, void *to,
                             const void *from, int64_t bytes);

/* Allocates memory and copies ordinary host memory to it. WABE_MEMORY. Local. */
wabe_status wabe_memory_copy_of(const wabe_component *component, wabe_stream *stream,
                                const void *from, int64_t bytes, void **out);

/* A buffer in a component's memory that is reused, and grows as needed. WABE_MEMORY. Local. */
typedef struct wabe_scratch wabe_scratch;
wabe_status wabe_scratch_create(const wabe_component *component, wabe_scratch **out);
void wabe_scratch_destroy(wabe_scratch **scratch);
/* Gets bytes of uninitialised memory, valid until the next call. WABE_MEMORY. Local. */
wabe_status wabe_scratch_get(wabe_scratch *scratch, int64_t bytes, void **out);

/* Allocates host memory. devices: pinned, so that wabe_memory_read copies to it without a bounce
 * buffer, and kernels of devices reach it, but the allocation takes long. WABE_MEMORY. Local, not
 * thread-safe. */
wabe_status wabe_memory_create_near(bool devices, int64_t bytes, void **out);
void wabe_memory_destroy_near(void **memory);
