/* Memory of a component: the host's for CPUs, the device's for GPUs. */
#pragma once

#include "core/device/component.h"

/* Aligned to 64 bytes, of any content. WABE_MEMORY. Local. */
wabe_status wabe_memory_create(const wabe_component *component, int64_t bytes, void **out);
void wabe_memory_destroy(const wabe_component *component, void **memory);

/* Copies to it from ordinary memory of the host, and back, when the stream has done what it was
 * given before (stream: of GPUs, otherwise not used). Done on return. WABE_MEMORY: no room to copy
 * through. Local. */
wabe_status wabe_memory_write(const wabe_component *component, wabe_stream *stream, void *to,
                              const void *from, int64_t bytes);
wabe_status wabe_memory_read(const wabe_component *component, wabe_stream *stream, void *to,
                             const void *from, int64_t bytes);

/* New memory with a copy of what is in ordinary memory of the host. WABE_MEMORY. Local. */
wabe_status wabe_memory_copy_of(const wabe_component *component, wabe_stream *stream,
                                const void *from, int64_t bytes, void **out);

/* Memory of a component that is used again and again, grown as needed. Local. */
typedef struct wabe_scratch wabe_scratch;
wabe_status wabe_scratch_create(const wabe_component *component, wabe_scratch **out);
void wabe_scratch_destroy(wabe_scratch **scratch);
/* So many bytes of any content, until the next call. WABE_MEMORY. */
wabe_status wabe_scratch_get(wabe_scratch *scratch, int64_t bytes, void **out);

/* Memory of the host, for wabe_memory_read to copy to. devices: it does so without a detour, but
 * the allocation takes long. WABE_MEMORY. Local, not thread-safe. */
wabe_status wabe_memory_create_near(bool devices, int64_t bytes, void **out);
void wabe_memory_destroy_near(void **memory);
