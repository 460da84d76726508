#include "core/device/field.h"

#include "core/device/memory.h"
#include "core/device/team.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    LINE = 64,             /* bytes of a cache line */
    PAGE = 4096,           /* addresses this far apart share a set of the level 1 cache */
    SPREAD = 3 * LINE,     /* from component to component, modulo PAGE: 19 of them never share a
                              set */
    GPU_BLOCK = 258,       /* cells from the start of a tile that a GPU's thread block may read */
    TILE = 16,             /* kernels read and write whole tiles of this many cells */
    SECTOR = 256,          /* strides of a GPU's populations, in bytes */
    HUGE_PAGE = 2 << 20,   /* bytes */
    TOUCHED_AT_ONCE = 4096 /* elements */
};

size_t wabe_type_size(wabe_type type) {
    switch (type) {
#define X(word, bytes, ...)                                                                        \
    case WABE_TYPE_##word:                                                                         \
        return bytes;
        WABE_STORAGES(X, )
#undef X
    default:
        return 0;
    }
}

static int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

/* Returns the stride between components of so many elements each. */
static int64_t stride_of(int64_t elements, int components, int64_t size, bool gpu) {
    int64_t bytes = round_up(elements * size, gpu ? SECTOR : LINE);
    if (components > 1 && !gpu)
        bytes += (SPREAD - bytes % PAGE + PAGE) % PAGE;
    return bytes / size;
}

wabe_layout wabe_layout_make(const int64_t cells[3], const bool flat[3], int components,
                             wabe_type type, wabe_target target) {
    wabe_layout layout = {.cells = {cells[0], cells[1], cells[2]},
                          .components = components,
                          .type = type};
    const int64_t size = (int64_t)wabe_type_size(type);
    for (int axis = 0; axis < 3; axis++)
        layout.flat[axis] = flat && flat[axis];
    layout.pitch = cells[0] + !layout.flat[0];
    layout.plane = layout.pitch * (cells[1] + !layout.flat[1]);
    const bool gpu = target == WABE_TARGET_gpu;
    const int64_t margin = round_up(wabe_layout_cell(&layout, 1, 1, 1) + (gpu ? GPU_BLOCK : TILE),
                                    SECTOR / 2);
    layout.front = margin;
    layout.stride = stride_of(margin + cells[2] * layout.plane + margin, components, size, gpu);
    layout.elements = layout.stride * components;
    return layout;
}

wabe_layout wabe_layout_grid(const int64_t cells[3], const bool flat[3], int ghosts, int components,
                             wabe_type type, wabe_target target) {
    const int64_t size = (int64_t)wabe_type_size(type);
    const bool gpu = target == WABE_TARGET_gpu;
    const int64_t line = (gpu ? 2 : 1) * LINE / size;
    wabe_layout layout = {.cells = {cells[0], cells[1], cells[2]},
                          .flat = {flat[0], flat[1], flat[2]},
                          .components = components,
                          .type = type};
    const int64_t rows = flat[1] ? 0 : ghosts, planes = flat[2] ? 0 : ghosts;
    layout.pitch = round_up(cells[0] + 2 * ghosts, line);
    layout.plane = layout.pitch * (cells[1] + 2 * rows);
    layout.front = round_up(planes * layout.plane + rows * layout.pitch + ghosts, SECTOR / size);
    layout.stride = stride_of(layout.front + (cells[2] + planes) * layout.plane, components, size,
                              gpu);
    layout.elements = layout.stride * components;
    return layout;
}

wabe_layout wabe_layout_grouped(const int64_t cells[3], int ghosts, int components, int group,
                                wabe_type type, wabe_target target) {
    const int64_t size = (int64_t)wabe_type_size(type);
    const int64_t before = round_up(ghosts, group), behind = round_up(cells[0] + ghosts, group);
    wabe_layout layout = {.cells = {cells[0], cells[1], cells[2]},
                          .group = group,
                          .stride = group,
                          .components = components,
                          .type = type};
    layout.pitch = (before + behind) * components;
    layout.plane = layout.pitch * (cells[1] + 2 * ghosts);
    layout.front = round_up(ghosts * (layout.plane + layout.pitch) + before * components,
                            SECTOR / size);
    layout.elements = stride_of(layout.front + (cells[2] + ghosts) * layout.plane, 1, size,
                                target == WABE_TARGET_gpu);
    return layout;
}

void wabe_layout_shorten(wabe_layout *layout, int64_t elements, wabe_target target) {
    const bool gpu = target == WABE_TARGET_gpu;
    layout->front = 0;
    layout->stride = stride_of(elements + (gpu ? GPU_BLOCK : TILE), layout->components,
                               (int64_t)wabe_type_size(layout->type), gpu);
    layout->elements = layout->stride * layout->components;
}

void wabe_layout_widen(wabe_layout *layout, int64_t multiple) {
    layout->stride = round_up(layout->stride, multiple);
    layout->elements = layout->stride * layout->components;
}

wabe_layout wabe_layout_line(int64_t count, wabe_type type) {
    return (wabe_layout){.cells = {count, 1, 1},
                         .pitch = count,
                         .plane = count,
                         .stride = count,
                         .elements = count,
                         .components = 1,
                         .type = type};
}

int64_t wabe_layout_bytes(const wabe_layout *layout) {
    return layout->elements * (int64_t)wabe_type_size(layout->type);
}

/* Maps address space on huge pages, which takes memory only when touched. A little more than
 * requested, since kernels may read a vector that ends beyond a field. */
static wabe_status map_pages(wabe_field *field, size_t size, void **start) {
    field->memory_size = size + HUGE_PAGE;
    field->memory = mmap(NULL, field->memory_size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    WABE_CHECK(field->memory != MAP_FAILED, WABE_MEMORY, "no memory for a field of %.3f GB",
               (double)size * 1e-9);
    *start = (void *)(((uintptr_t)field->memory + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
    madvise(*start, size, MADV_HUGEPAGE);
    return WABE_OK;
}

wabe_status wabe_field_create(const wabe_component *component, const wabe_layout *layout,
                              wabe_field **out) {
    const int64_t size = wabe_layout_bytes(layout);
    wabe_field *field = calloc(1, sizeof *field);
    WABE_CHECK(field, WABE_MEMORY, "no memory for a field's description");
    field->layout = *layout;
    field->component = component;
    void *start = NULL;
    wabe_status status = component->device
                             ? wabe_device_allocate(component->device, size, &field->memory)
                             : map_pages(field, (size_t)size + PAGE, &start);
    if (status != WABE_OK) {
        free(field);
        return status;
    }
    start = component->device ? field->memory : start;
    field->data = (char *)start + layout->front * (int64_t)wabe_type_size(layout->type);
    *out = field;
    return WABE_OK;
}

wabe_status wabe_field_over(const wabe_component *component, const wabe_layout *layout,
                            void *memory, wabe_field **out) {
    wabe_field *field = calloc(1, sizeof *field);
    WABE_CHECK(field, WABE_MEMORY, "no memory for a field's description");
    *field = (wabe_field){.layout = *layout,
                          .component = component,
                          .data = (char *)memory +
                                  layout->front * (int64_t)wabe_type_size(layout->type)};
    *out = field;
    return WABE_OK;
}

void wabe_field_destroy(wabe_field **field) {
    if (!*field)
        return;
    if ((*field)->component->device)
        wabe_device_free((*field)->component->device, (*field)->memory);
    else
        munmap((*field)->memory, (*field)->memory_size);
    free(*field);
    *field = NULL;
}

/* Returns the elements of an array: one component, or, if they are interleaved, all. */
static int64_t elements_of_array(const wabe_layout *l) {
    return l->group ? l->elements : l->stride;
}

static void zero_piece(void *context, int64_t begin, int64_t end) {
    const wabe_field *field = context;
    const wabe_layout *l = &field->layout;
    const int64_t size = (int64_t)wabe_type_size(l->type), all = elements_of_array(l);
    const int64_t first = begin * TOUCHED_AT_ONCE;
    const int64_t last = end * TOUCHED_AT_ONCE < all ? end * TOUCHED_AT_ONCE : all;
    for (int q = 0; q < (l->group ? 1 : l->components); q++)
        memset((char *)field->data + (q * l->stride - l->front + first) * size, 0,
               (size_t)((last - first) * size));
}

void wabe_field_zero(wabe_field *field, wabe_stream *stream) {
    const wabe_layout *l = &field->layout;
    if (field->component->device) {
        wabe_stream_fill(stream, field->memory, 0, wabe_layout_bytes(l));
        return;
    }
    wabe_team_run_own(
        &(wabe_job){.component = field->component,
                    .count = (elements_of_array(l) + TOUCHED_AT_ONCE - 1) / TOUCHED_AT_ONCE,
                    .work = zero_piece,
                    .context = field});
}
