#include "core/device/memory.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64, BOUNCE_LEAST = 1 << 20, BOUNCE_MOST = 1 << 26 };

wabe_status wabe_memory_create(const wabe_component *component, int64_t bytes, void **out) {
    if (component->device)
        return wabe_device_allocate(component->device, bytes > 0 ? bytes : LINE, out);
    *out = aligned_alloc(LINE, ((size_t)bytes + LINE) / LINE * LINE);
    WABE_CHECK(*out, WABE_MEMORY, "no memory for %.3f MB", (double)bytes * 1e-6);
    return WABE_OK;
}

void wabe_memory_destroy(const wabe_component *component, void **memory) {
    if (*memory && component->device)
        wabe_device_free(component->device, *memory);
    else
        free(*memory);
    *memory = NULL;
}

/* The bounce buffer of the process, which grows as needed: streams can only copy from and to pinned
 * host memory. */
static struct {
    void *memory;
    int64_t size;
} bounce;

static wabe_status make_bounce(int64_t bytes) {
    int64_t size = BOUNCE_LEAST;
    while (size < bytes && size < BOUNCE_MOST)
        size *= 2;
    if (size <= bounce.size)
        return WABE_OK;
    if (bounce.memory)
        wabe_device_free_host(bounce.memory);
    bounce.memory = NULL;
    bounce.size = 0;
    WABE_TRY(wabe_device_allocate_host(size, &bounce.memory));
    bounce.size = size;
    return WABE_OK;
}

/* Copies piece by piece to a device, or from it. */
static wabe_status copy_through(wabe_stream *stream, char *to, const char *from, int64_t bytes,
                                bool to_device) {
    WABE_TRY(make_bounce(bytes));
    for (int64_t at = 0; at < bytes; at += bounce.size) {
        const int64_t part = bytes - at < bounce.size ? bytes - at : bounce.size;
        if (to_device)
            memcpy(bounce.memory, from + at, (size_t)part);
        wabe_stream_copy(stream, to_device ? to + at : bounce.memory,
                         to_device ? bounce.memory : from + at, part);
        wabe_stream_synchronise(stream);
        if (!to_device)
            memcpy(to + at, bounce.memory, (size_t)part);
    }
    return WABE_OK;
}

/* ---- near memory -------------------------------------------------------------------- */

/* Memory that streams can copy to. */
typedef struct near_block {
    char *begin, *end;
    struct near_block *next;
} near_block;

static near_block *near_blocks;

static wabe_status create_near_devices(int64_t bytes, void **out) {
    near_block *block = malloc(sizeof *block);
    WABE_CHECK(block, WABE_MEMORY, "no memory for %.3f MB", (double)bytes * 1e-6);
    const wabe_status status = wabe_device_allocate_host(bytes, out);
    if (status != WABE_OK) {
        free(block);
        return status;
    }
    *block = (near_block){*out, (char *)*out + bytes, near_blocks};
    near_blocks = block;
    return WABE_OK;
}

wabe_status wabe_memory_create_near(bool devices, int64_t bytes, void **out) {
    if (devices)
        return create_near_devices(bytes, out);
    *out = malloc((size_t)bytes);
    WABE_CHECK(*out, WABE_MEMORY, "no memory for %.3f MB", (double)bytes * 1e-6);
    return WABE_OK;
}

void wabe_memory_destroy_near(void **memory) {
    for (near_block **at = &near_blocks; *at; at = &(*at)->next)
        if ((*at)->begin == *memory) {
            near_block *gone = *at;
            *at = gone->next;
            free(gone);
            wabe_device_free_host(*memory);
            *memory = NULL;
            return;
        }
    free(*memory);
    *memory = NULL;
}

static bool is_near(const char *memory, int64_t bytes) {
    for (const near_block *b = near_blocks; b; b = b->next)
        if (memory >= b->begin && memory + bytes <= b->end)
            return true;
    return false;
}

/* ---- copies ------------------------------------------------------------------------- */

wabe_status wabe_memory_write(const wabe_component *component, wabe_stream *stream, void *to,
                              const void *from, int64_t bytes) {
    if (component->device)
        return copy_through(stream, to, from, bytes, true);
    memcpy(to, from, (size_t)bytes);
    return WABE_OK;
}

wabe_status wabe_memory_read(const wabe_component *component, wabe_stream *stream, void *to,
                             const void *from, int64_t bytes) {
    if (component->device && is_near(to, bytes)) {
        wabe_stream_copy(stream, to, from, bytes);
        wabe_stream_synchronise(stream);
        return WABE_OK;
    }
    if (component->device)
        return copy_through(stream, to, from, bytes, false);
    memcpy(to, from, (size_t)bytes);
    return WABE_OK;
}

wabe_status wabe_memory_copy_of(const wabe_component *component, wabe_stream *stream,
                                const void *from, int64_t bytes, void **out) {
    WABE_TRY(wabe_memory_create(component, bytes, out));
    const wabe_status status = bytes > 0 ? wabe_memory_write(component, stream, *out, from, bytes)
                                         : WABE_OK;
    if (status != WABE_OK)
        wabe_memory_destroy(component, out);
    return status;
}

/* ---- scratch ------------------------------------------------------------------------ */

struct wabe_scratch {
    const wabe_component *component;
    void *memory;
    int64_t bytes;
};

wabe_status wabe_scratch_create(const wabe_component *component, wabe_scratch **out) {
    *out = calloc(1, sizeof **out);
    WABE_CHECK(*out, WABE_MEMORY, "no memory for a buffer's description");
    (*out)->component = component;
    return WABE_OK;
}

void wabe_scratch_destroy(wabe_scratch **scratch) {
    if (!*scratch)
        return;
    wabe_memory_destroy((*scratch)->component, &(*scratch)->memory);
    free(*scratch);
    *scratch = NULL;
}

wabe_status wabe_scratch_get(wabe_scratch *s, int64_t bytes, void **out) {
    if (bytes > s->bytes) {
        wabe_memory_destroy(s->component, &s->memory);
        s->bytes = 0;
        WABE_TRY(wabe_memory_create(s->component, bytes, &s->memory));
        s->bytes = bytes;
    }
    *out = s->memory;
    return WABE_OK;
}
