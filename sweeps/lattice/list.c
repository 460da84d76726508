#include "sweeps/lattice/list.h"

#include "core/device/memory.h"
#include "sweeps/cell/lattice.h"
#include "sweeps/lattice/link.h"

#include <stdlib.h>
#include <string.h>

enum { TILES_BEHIND = 128 }; /* tiles of padding, since kernels read ahead */

typedef struct {
    const wabe_flags *flags;
    wabe_box block, inner;
    const wabe_geometry *geometry;
    const wabe_layout *layout;
    wabe_list *list;
} builder;

/* ---- slots -------------------------------------------------------------------------- */

/* The entry of slot_of of a cell of the slab or next to it. Ghosts are wrapped, too: those of a
 * boundary beside a periodic face are the same cells at both ends. */
static uint32_t *slot_at(const wabe_list *list, const int64_t cell[3]) {
    int64_t at[3];
    for (int d = 0; d < 3; d++) {
        const int64_t begin = list->block.begin[d], end = list->block.end[d];
        const int64_t around = !list->wraps[d] ? 0 : cell[d] < begin ? 1 : cell[d] >= end ? -1 : 0;
        at[d] = cell[d] + around * (end - begin);
    }
    return &list->slot_of[wabe_box_place(list->around, at[0], at[1], at[2])];
}

int64_t wabe_list_slot(const wabe_list *list, const int64_t cell[3]) {
    return (int64_t)*slot_at(list, cell) - 1;
}

static bool is_fluid(const builder *b, const int64_t cell[3]) {
    return wabe_flags_at(b->flags, cell[0], cell[1], cell[2]) == 0;
}

static uint32_t dense_cell(const builder *b, const int64_t cell[3]) {
    return (uint32_t)wabe_layout_cell(b->layout, cell[0] - b->block.begin[0],
                                      cell[1] - b->block.begin[1], cell[2] - b->block.begin[2]);
}

/* Runs statement for every fluid cell of the block, in order. */
#define FOR_FLUID(b, cell, statement)                                                              \
    for (int64_t z = (b)->block.begin[2]; z < (b)->block.end[2]; z++)                              \
        for (int64_t y = (b)->block.begin[1]; y < (b)->block.end[1]; y++)                          \
            for (int64_t x = (b)->block.begin[0]; x < (b)->block.end[0]; x++) {                    \
                const int64_t cell[3] = {x, y, z};                                                 \
                if (is_fluid(b, cell)) {                                                           \
                    statement;                                                                     \
                }                                                                                  \
            }

static int64_t whole_tiles(int64_t cells) {
    return (cells + WABE_TILE - 1) / WABE_TILE * WABE_TILE;
}

static bool is_inner(const builder *b, const int64_t cell[3]) {
    return wabe_box_contains(b->inner, cell[0], cell[1], cell[2]);
}

static void give(builder *b, const int64_t cell[3], int64_t *next) {
    *slot_at(b->list, cell) = (uint32_t)++ * next;
}

/* Gives slots to the neighbours that a cell reads from or writes to: cells of other slabs, and
 * boundaries other than resting walls. */
static void give_ghosts(builder *b, const int64_t cell[3]) {
    for (int q = 1; q < b->list->populations; q++) {
        const int *e = wabe_lattice_e(b->list->lattice, q);
        const int64_t other[3] = {cell[0] - e[0], cell[1] - e[1], cell[2] - e[2]};
        if (wabe_list_slot(b->list, other) < 0 && !wabe_link_rests(b->geometry, b->flags, cell, e))
            give(b, other, &b->list->slots);
    }
}

static void give_regions(builder *b, int64_t outer, int64_t inner) {
    wabe_list *list = b->list;
    int64_t next[2] = {0, whole_tiles(outer)};
    list->count = list->slots = whole_tiles(outer) + whole_tiles(inner);
    FOR_FLUID(b, cell, give(b, cell, &next[is_inner(b, cell)]))
    FOR_FLUID(b, cell, give_ghosts(b, cell))
}

/* Does a fluid cell, as far as flags are known, have a link to this one that needs memory? */
static bool is_linked(const builder *b, const int64_t cell[3]) {
    for (int q = 1; q < b->list->populations; q++) {
        const int *e = wabe_lattice_e(b->list->lattice, q);
        const int64_t from[3] = {cell[0] + e[0], cell[1] + e[1], cell[2] + e[2]};
        if (wabe_box_contains(b->flags->box, from[0], from[1], from[2]) && is_fluid(b, from) &&
            !wabe_link_rests(b->geometry, b->flags, from, e))
            return true;
    }
    return false;
}

/* A cell that needs a slot, but is not updated. That does not depend on where the slab ends. */
static bool is_ghost(const builder *b, const int64_t cell[3]) {
    return wabe_list_slot(b->list, cell) < 0 && is_linked(b, cell);
}

/* The i-th row of a box in the order of slots. Along a periodic axis rows from both ends alternate,
 * so that neighbours across the ends are near, as all others are. */
static int64_t row_at(const wabe_list *list, const wabe_box *box, int64_t i) {
    const int64_t low = box->begin[1], high = box->end[1] - 1;
    return !list->wraps[1] ? low + i : i % 2 == 0 ? low + i / 2 : high - i / 2;
}

/* Gives slots to the cells of a plane that are in the slab, then to ghosts. */
static void give_plane(builder *b, int64_t z) {
    wabe_list *list = b->list;
    const wabe_box *block = &list->block, *around = &list->around;
    const bool own = z >= block->begin[2] && z < block->end[2];
    for (int64_t i = 0; i < wabe_box_extent(*block, 1) && own; i++)
        for (int64_t x = block->begin[0]; x < block->end[0]; x++) {
            const int64_t cell[3] = {x, row_at(list, block, i), z};
            if (is_fluid(b, cell))
                give(b, cell, &list->slots);
        }
    list->slots = whole_tiles(list->slots);
    for (int64_t i = 0; i < wabe_box_extent(*around, 1); i++)
        for (int64_t x = around->begin[0]; x < around->end[0]; x++) {
            const int64_t cell[3] = {x, row_at(list, around, i), z};
            if (is_ghost(b, cell))
                give(b, cell, &list->slots);
        }
    list->slots = whole_tiles(list->slots);
}

static wabe_status give_planes(builder *b) {
    wabe_list *list = b->list;
    const int64_t low = list->around.begin[2], count = wabe_box_extent(list->around, 2);
    list->planes = malloc((size_t)(count + 1) * sizeof *list->planes);
    WABE_CHECK(list->planes, WABE_MEMORY, "no memory for a list of cells");
    for (int64_t i = 0; i < count; i++) {
        const int64_t first = list->planes[i] = list->slots;
        if (!list->wraps[2] || (i > 0 && i + 1 < count)) /* its own neighbour */
            give_plane(b, low + i);
        if (list->slots - first > list->extent.plane)
            list->extent.plane = list->slots - first;
    }
    list->planes[count] = list->count = list->extent.slots = list->slots;
    return WABE_OK;
}

static wabe_status give_slots(builder *b, bool by_planes) {
    wabe_list *list = b->list;
    int64_t outer = 0, inner = 0;
    list->slot_of = calloc((size_t)wabe_box_cells(list->around), sizeof *list->slot_of);
    WABE_CHECK(list->slot_of, WABE_MEMORY, "no memory for a list of cells");
    FOR_FLUID(b, cell, is_inner(b, cell) ? inner++ : outer++)
    WABE_CHECK(outer + inner < wabe_list_cells_max(list->populations), WABE_INPUT,
               "%lld fluid cells in one slab are too many for a list; use more processes",
               (long long)(outer + inner));
    if (by_planes)
        return give_planes(b);
    give_regions(b, outer, inner);
    return WABE_OK;
}

/* ---- neighbour indices -------------------------------------------------------------- */

/* The slot from which population q comes, or -1: from a resting wall. */
static int64_t slot_behind(const builder *b, const int64_t cell[3], int64_t slot, int q) {
    const int *e = wabe_lattice_e(b->list->lattice, q);
    const int64_t from[3] = {cell[0] - e[0], cell[1] - e[1], cell[2] - e[2]};
    const int64_t there = wabe_list_slot(b->list, from);
    const int64_t distance = there < 0 ? 0 : llabs(there - slot);
    if (distance > b->list->extent.reach)
        b->list->extent.reach = distance;
    return there;
}

/* The neighbour index of population q in an odd AA step: as its opposite in the cell that it comes
 * from, or, from a resting wall, in the cell itself. */
static uint32_t place_of(const builder *b, const int64_t cell[3], int64_t slot, int q) {
    const int64_t stride = b->layout->stride, there = slot_behind(b, cell, slot, q);
    return (uint32_t)(there < 0 ? q * stride + slot
                                : wabe_lattice_opposite(b->list->populations, q) * stride + there);
}

static void place_cell(builder *b, const int64_t cell[3]) {
    wabe_list *list = b->list;
    const int64_t slot = wabe_list_slot(list, cell);
    list->cells[slot] = dense_cell(b, cell);
    for (int q = 1; q < b->list->populations; q++)
        list->neighbours[wabe_neighbour_entry(list->populations, q, slot)] = place_of(b, cell, slot,
                                                                                      q);
}

/* A padding slot reads and writes its own memory. */
static void place_nothing(builder *b, int64_t slot) {
    b->list->cells[slot] = WABE_NO_CELL;
    for (int q = 1; q < b->list->populations; q++)
        b->list->neighbours[wabe_neighbour_entry(b->list->populations, q, slot)] =
            (uint32_t)(q * b->layout->stride + slot);
}

int64_t wabe_list_neighbour_bytes(int populations, int64_t slots) {
    return (populations - 1) * (slots + TILES_BEHIND * WABE_TILE) * (int64_t)sizeof(uint32_t);
}

static int64_t place_bytes(const wabe_list *list) {
    return wabe_list_neighbour_bytes(list->populations, list->count);
}

static wabe_status give_places(builder *b) {
    wabe_list *list = b->list;
    list->cells = malloc((size_t)(list->count + 1) * sizeof *list->cells);
    list->neighbours = calloc(1, (size_t)place_bytes(list));
    WABE_CHECK(list->cells && list->neighbours, WABE_MEMORY, "no memory for a list of %lld cells",
               (long long)list->count);
    for (int64_t slot = 0; slot < list->count; slot++)
        place_nothing(b, slot);
    list->cells[list->count] = WABE_NO_CELL;
    FOR_FLUID(b, cell, place_cell(b, cell))
    list->cells_there = list->cells;
    list->bytes = list->count * (int64_t)sizeof *list->cells + place_bytes(list);
    return WABE_OK;
}

/* ---- runs of neighbour indices ------------------------------------------------------ */

/* Kernels have lists of D3Q19 alone. */
typedef struct {
    WABE_RUNS(WABE_COUNT_d3q19)
} runs_of_group;

/* Splits a group's neighbour indices of population q into runs. Returns their number, at most
 * WABE_RUNS_MAX + 1, and writes at most WABE_RUNS_MAX. */
static int split(const builder *b, int64_t group, int q, runs_of_group out[WABE_RUNS_MAX]) {
    const int64_t slot = group * WABE_GROUP;
    const uint32_t *at = b->list->neighbours + wabe_neighbour_entry(b->list->populations, q, slot);
    const uint32_t own = (uint32_t)(q * b->layout->stride + slot);
    uint32_t next = 0;
    int count = 0;
    for (int r = 0; r < WABE_RUNS_MAX; r++)
        out[r].first[q - 1] = own;
    for (int lane = 0; lane < WABE_GROUP; lane++) {
        if (at[lane] == own + (uint32_t)lane)
            continue;
        if (count == 0 || at[lane] != next) {
            if (++count > WABE_RUNS_MAX)
                return count;
            out[count - 1].first[q - 1] = at[lane];
        }
        out[count - 1].lanes[q - 1] |= (uint8_t)(1u << lane);
        next = at[lane] + 1;
    }
    return count;
}

/* The number of runs of a group, as wabe_neighbours has it. */
static uint32_t split_all(const builder *b, int64_t group, runs_of_group out[WABE_RUNS_MAX]) {
    int most = 1;
    bool full = true;
    memset(out, 0, WABE_RUNS_MAX * sizeof *out);
    for (int q = 1; q < b->list->populations; q++) {
        const int count = split(b, group, q, out);
        most = count > most ? count : most;
        full = full && out->lanes[q - 1] == (1 << WABE_GROUP) - 1;
    }
    return full ? WABE_RUNS_FULL : most > WABE_RUNS_MAX ? WABE_RUNS_UNKNOWN : (uint32_t)most;
}

static int runs_of(uint32_t count) { return count > WABE_RUNS_MAX ? 1 : (int)count; }

static bool follows(const builder *b, const runs_of_group *first, const runs_of_group *second) {
    for (int q = 1; q < b->list->populations; q++)
        if (second->first[q - 1] != first->first[q - 1] + WABE_GROUP)
            return false;
    return true;
}

/* Counts the runs of all groups and, if list->runs is allocated, writes them. */
static int64_t find_runs(builder *b) {
    const int groups_in_tile = WABE_TILE / WABE_GROUP;
    wabe_list *list = b->list;
    runs_of_group own[WABE_TILE / WABE_GROUP][WABE_RUNS_MAX];
    int64_t found = 0;
    for (int64_t group = 0; group < list->count / WABE_GROUP; group += groups_in_tile) {
        bool whole = true;
        for (int g = 0; g < groups_in_tile; g++) {
            const uint32_t count = split_all(b, group + g, own[g]);
            whole = whole && count == WABE_RUNS_FULL && (g == 0 || follows(b, own[g - 1], own[g]));
            list->groups[group + g] = (uint32_t)found << WABE_RUNS_BITS | count;
            if (list->runs)
                memcpy((runs_of_group *)list->runs + found, own[g],
                       (size_t)runs_of(count) * sizeof own[g][0]);
            found += runs_of(count);
        }
        for (int g = 0; g < groups_in_tile && whole; g++)
            list->groups[group + g] ^= WABE_RUNS_FULL ^ WABE_RUNS_TILE;
    }
    return found;
}

static wabe_status give_runs(builder *b) {
    wabe_list *list = b->list;
    const int64_t groups = list->count / WABE_GROUP,
                  behind = TILES_BEHIND * (WABE_TILE / WABE_GROUP);
    list->groups = calloc((size_t)(groups + behind), sizeof *list->groups);
    WABE_CHECK(list->groups, WABE_MEMORY, "no memory for a list of %lld cells",
               (long long)list->count);
    const int64_t count = find_runs(b) + 1; /* kernels read one more */
    const int64_t bytes = count * (int64_t)sizeof(runs_of_group);
    list->runs = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64);
    WABE_CHECK(list->runs, WABE_MEMORY, "no memory for %lld runs of cells", (long long)count);
    memset(list->runs, 0, (size_t)bytes);
    find_runs(b);
    list->bytes += (groups + behind) * (int64_t)sizeof *list->groups + bytes;
    return WABE_OK;
}

/* ---- all of it ---------------------------------------------------------------------- */

static void find_reach(const builder *b, const int64_t cell[3]) {
    for (int q = 1; q < b->list->populations; q++)
        slot_behind(b, cell, wabe_list_slot(b->list, cell), q);
}

wabe_status wabe_list_measure(wabe_lattice lattice, const wabe_geometry *geometry,
                              const wabe_flags *flags, wabe_box block, const bool wraps[3],
                              int64_t planes, wabe_list_extent *out) {
    wabe_list list = {.lattice = lattice,
                      .populations = wabe_lattice_count(lattice),
                      .block = block,
                      .around = flags->box};
    memcpy(list.wraps, wraps, sizeof list.wraps);
    builder b = {
        .flags = flags, .block = block, .inner = block, .geometry = geometry, .list = &list};
    const wabe_status status = give_slots(&b, true);
    if (status == WABE_OK)
        FOR_FLUID(&b, cell, find_reach(&b, cell))
    if (status == WABE_OK)
        list.extent.slots = list.planes[planes + 1] - list.planes[1];
    *out = list.extent;
    free(list.planes);
    free(list.slot_of);
    return status;
}

wabe_status wabe_list_create(wabe_lattice lattice, wabe_layout *layout, wabe_target target,
                             const wabe_geometry *geometry, const wabe_flags *flags, wabe_box block,
                             wabe_box inner, const bool wraps[3], wabe_list_order order,
                             wabe_list **out) {
    wabe_list *list = calloc(1, sizeof *list);
    WABE_CHECK(list, WABE_MEMORY, "no memory for a list of cells");
    list->lattice = lattice;
    list->populations = layout->components;
    list->block = block;
    list->around = flags->box;
    memcpy(list->wraps, wraps, sizeof list->wraps);
    builder b = {.flags = flags,
                 .block = block,
                 .inner = inner,
                 .geometry = geometry,
                 .layout = layout,
                 .list = list};
    wabe_status status = give_slots(&b, order.by_planes);
    if (status == WABE_OK) {
        wabe_layout_shorten(layout, list->slots, target);
        if (order.multiple > 0)
            wabe_layout_widen(layout, order.multiple);
        if (layout->stride > wabe_list_cells_max(list->populations))
            status = WABE_FAIL(WABE_INPUT,
                               "%lld cells in one slab are too many for a list; use more processes",
                               (long long)list->slots);
    }
    if (status == WABE_OK)
        status = give_places(&b);
    if (status == WABE_OK && target == WABE_TARGET_cpu)
        status = give_runs(&b);
    if (status != WABE_OK)
        wabe_list_destroy(&list);
    *out = list;
    return status;
}

/* ---- to the component --------------------------------------------------------------- */

/* Fills a window piece by piece. */
static wabe_status fill(const wabe_list *list, const wabe_component *component, wabe_stream *stream,
                        wabe_window *window) {
    char *there = wabe_window_array(window, 0);
    const int64_t all = place_bytes(list), most = wabe_window_piece_size(window);
    wabe_window_open_fixed(window);
    for (int64_t at = 0; at < all; at += most) {
        const int64_t bytes = all - at < most ? all - at : most;
        wabe_window_load(window, stream, at, at + bytes);
        WABE_TRY(wabe_memory_write(component, stream, there + at,
                                   (const char *)list->neighbours + at, bytes));
    }
    wabe_window_close_fixed(window, stream);
    return WABE_OK;
}

wabe_status wabe_list_move(wabe_list *list, const wabe_component *component, wabe_stream *stream,
                           wabe_window *window) {
    void *neighbours = window ? wabe_window_array(window, 0) : NULL, *cells;
    if (!component->device)
        return WABE_OK;
    WABE_TRY(window ? fill(list, component, stream, window)
                    : wabe_memory_copy_of(component, stream, list->neighbours, place_bytes(list),
                                          &neighbours));
    const wabe_status status = wabe_memory_copy_of(component, stream, list->cells,
                                                   (list->count + 1) * (int64_t)sizeof *list->cells,
                                                   &cells);
    free(list->neighbours);
    list->neighbours = neighbours;
    list->cells_there = cells;
    list->component = component;
    list->windowed = window != NULL;
    return status;
}

wabe_neighbours wabe_list_neighbours(const wabe_list *list, const wabe_layout *layout, bool moved) {
    if (!list)
        return (wabe_neighbours){0};
    return (wabe_neighbours){.at = list->neighbours,
                             .groups = list->groups,
                             .runs = list->runs,
                             .stride = layout->stride,
                             .moved = moved};
}

void wabe_list_destroy(wabe_list **list) {
    wabe_list *l = *list;
    if (!l)
        return;
    void *neighbours = l->neighbours, *cells = l->cells_there;
    if (l->component) {
        if (!l->windowed)
            wabe_memory_destroy(l->component, &neighbours);
        wabe_memory_destroy(l->component, &cells);
    } else {
        free(neighbours);
    }
    free(l->planes);
    free(l->groups);
    free(l->runs);
    free(l->cells);
    free(l->slot_of);
    free(l);
    *list = NULL;
}
