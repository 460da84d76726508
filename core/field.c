#include "core/field.h"

#include <stdlib.h>
#include <sys/mman.h>

enum {
    LINE = 64,          /* bytes of a cache line */
    PAGE = 4096,        /* addresses this far apart share a set of the first cache */
    SPREAD = 3 * LINE,  /* from component to component, modulo PAGE: 19 of them never collide */
    TILE = 16,          /* kernels read and write whole tiles of this many cells */
    HUGE_PAGE = 2 << 20 /* bytes */
};

size_t wabe_type_size(wabe_type type) {
    switch (type) {
    case WABE_TYPE_f64:
        return 8;
    case WABE_TYPE_f32:
        return 4;
    default:
        return 0;
    }
}

static int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

wabe_layout wabe_layout_make(const int64_t cells[3], int components, wabe_type type) {
    wabe_layout layout = {.cells = {cells[0], cells[1], cells[2]},
                          .components = components,
                          .type = type};
    const int64_t size = (int64_t)wabe_type_size(type);
    layout.pitch = cells[0] + 1;
    layout.plane = layout.pitch * (cells[1] + 1);
    const int64_t margin = round_up(layout.plane + layout.pitch + 1 + TILE, TILE);
    layout.front = margin;
    int64_t bytes = round_up((margin + cells[2] * layout.plane + margin) * size, LINE);
    if (components > 1)
        bytes += (SPREAD - bytes % PAGE + PAGE) % PAGE;
    layout.stride = bytes / size;
    return layout;
}

wabe_layout wabe_layout_line(int64_t count, wabe_type type) {
    return (wabe_layout){.cells = {count, 1, 1},
                         .pitch = count,
                         .plane = count,
                         .stride = count,
                         .components = 1,
                         .type = type};
}

int64_t wabe_layout_bytes(const wabe_layout *layout) {
    return layout->stride * layout->components * (int64_t)wabe_type_size(layout->type);
}

wabe_status wabe_field_create(const wabe_layout *layout, wabe_field **out) {
    const size_t size = (size_t)wabe_layout_bytes(layout);
    wabe_field *field = calloc(1, sizeof *field);
    WABE_CHECK(field, WABE_MEMORY, "no memory for a field's description");
    field->layout = *layout;
    field->memory_size = size + HUGE_PAGE;
    field->memory = mmap(NULL, field->memory_size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (field->memory == MAP_FAILED) {
        free(field);
        return WABE_FAIL(WABE_MEMORY, "no memory for a field of %.3f GB", (double)size * 1e-9);
    }
    uintptr_t start = ((uintptr_t)field->memory + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
    madvise((void *)start, size, MADV_HUGEPAGE);
    field->data = (char *)start + layout->front * (int64_t)wabe_type_size(layout->type);
    *out = field;
    return WABE_OK;
}

void wabe_field_destroy(wabe_field **field) {
    if (!*field)
        return;
    munmap((*field)->memory, (*field)->memory_size);
    free(*field);
    *field = NULL;
}
