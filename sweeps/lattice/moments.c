#include "sweeps/lattice/moments.h"

#include "core/device/memory.h"
#include "core/device/team.h"

#include <stdlib.h>
#include <string.h>

static int64_t groups_of(int64_t cells) {
    return (cells + WABE_MOMENTS_GROUP - 1) / WABE_MOMENTS_GROUP;
}

/* A row's ghosts are in its padding: the cell before a row is the last one of the row before. */
static wabe_layout layout_of(const int64_t cells[3], const int ghosts[3], int components,
                             wabe_type type) {
    const int64_t group = WABE_MOMENTS_GROUP;
    wabe_layout l = {.cells = {cells[0], cells[1], cells[2]},
                     .group = components > 1 ? (int)group : 0,
                     .stride = group,
                     .components = components,
                     .type = type};
    l.pitch = groups_of(cells[0] + 2 * ghosts[0]) * group * components;
    l.plane = l.pitch * (cells[1] + 2 * ghosts[1]);
    l.front = ghosts[2] * l.plane + ghosts[1] * l.pitch + group * components;
    l.elements = l.front + (cells[2] + ghosts[2]) * l.plane + group * components;
    return l;
}

wabe_layout wabe_moments_cells(const int64_t cells[3], const int ghosts[3]) {
    return layout_of(cells, ghosts, 1, WABE_TYPE_f64);
}

wabe_layout wabe_moments_layout(const int64_t cells[3], const int ghosts[3], wabe_type type) {
    return layout_of(cells, ghosts, WABE_MOMENTS, type);
}

/* ---- fluid cells -------------------------------------------------------------------- */

/* Is there fluid in a cell, or in the one whose mirror image it is? */
static bool has_fluid(const wabe_geometry *geometry, const wabe_flags *flags, int64_t x, int64_t y,
                      int64_t z) {
    int64_t cell[3] = {x, y, z};
    const int id = wabe_flags_at(flags, x, y, z);
    if (id == 0 || !(WABE_MIRRORS >> geometry->conditions[id - 1].kind & 1))
        return id == 0;
    const unsigned outside = wabe_geometry_outside(geometry, cell);
    for (int d = 0; d < 3; d++)
        if (outside >> d & 1)
            cell[d] += cell[d] < 0 ? 1 : -1;
    return wabe_flags_at(flags, cell[0], cell[1], cell[2]) == 0;
}

static void mark_row(const wabe_layout *l, const wabe_geometry *geometry, const wabe_flags *flags,
                     wabe_box block, const int ghosts[3], int64_t y, int64_t z, uint32_t *masks) {
    for (int64_t x = -ghosts[0]; x < l->cells[0] + ghosts[0]; x++) {
        const int64_t n = wabe_layout_cell(l, x, y, z) + l->front;
        if (has_fluid(geometry, flags, block.begin[0] + x, block.begin[1] + y, block.begin[2] + z))
            masks[n / WABE_MOMENTS_GROUP] |= 1u << n % WABE_MOMENTS_GROUP;
    }
}

/* Marks the fluid cells of a slab and its ghosts, a bit each; the layout's front is a multiple of
 * groups. The caller frees. */
static wabe_status mark_fluid(const wabe_layout *l, const wabe_geometry *geometry,
                              const wabe_flags *flags, wabe_box block, const int ghosts[3],
                              uint32_t **out) {
    *out = calloc((size_t)(l->elements / WABE_MOMENTS_GROUP), sizeof **out);
    WABE_CHECK(*out, WABE_MEMORY, "no memory for the marks of fluid cells");
    for (int64_t z = -ghosts[2]; z < l->cells[2] + ghosts[2]; z++)
        for (int64_t y = -ghosts[1]; y < l->cells[1] + ghosts[1]; y++)
            mark_row(l, geometry, flags, block, ghosts, y, z, *out);
    return WABE_OK;
}

/* ---- columns ------------------------------------------------------------------------ */

typedef struct {
    wabe_column *columns;
    int64_t count, room;
    const wabe_layout *cells;
    const uint32_t *fluid; /* see mark_fluid */
} column_list;

static wabe_status add_column(column_list *list, const wabe_column *column) {
    if (list->count == list->room) {
        const int64_t room = list->room ? 2 * list->room : 256;
        void *grown = realloc(list->columns, (size_t)room * sizeof *list->columns);
        WABE_CHECK(grown, WABE_MEMORY, "no memory for %lld columns of cells", (long long)room);
        list->columns = grown;
        list->room = room;
    }
    list->columns[list->count++] = *column;
    return WABE_OK;
}

static bool plane_has_fluid(const column_list *list, const wabe_column *c, int64_t z) {
    for (int64_t y = c->begin[1]; y < c->end[1]; y++) {
        const int64_t row = list->cells->front + wabe_layout_cell(list->cells, 0, y, z);
        const int64_t begin = (row + c->begin[0]) / WABE_MOMENTS_GROUP;
        const int64_t last = (row + c->end[0] - 1) / WABE_MOMENTS_GROUP;
        for (int64_t group = begin; group <= last; group++)
            if (list->fluid[group])
                return true;
    }
    return false;
}

/* Adds the planes of a column from the first to the last one with fluid. */
static wabe_status add_fluid_planes(column_list *list, wabe_column c) {
    while (c.begin[2] < c.end[2] && !plane_has_fluid(list, &c, c.begin[2]))
        c.begin[2]++;
    while (c.begin[2] < c.end[2] && !plane_has_fluid(list, &c, c.end[2] - 1))
        c.end[2]--;
    return c.begin[2] < c.end[2] ? add_column(list, &c) : WABE_OK;
}

static int32_t smaller(int64_t a, int64_t b) { return (int32_t)(a < b ? a : b); }

/* Divides a box of the slab (its own indices); columns begin at groups. */
static wabe_status divide(column_list *list, wabe_box box, const int column[3]) {
    const int64_t first = box.begin[0] / WABE_MOMENTS_GROUP * WABE_MOMENTS_GROUP;
    for (int64_t z = box.begin[2]; z < box.end[2]; z += column[2])
        for (int64_t y = box.begin[1]; y < box.end[1]; y += column[1])
            for (int64_t x = first; x < box.end[0]; x += column[0]) {
                const int64_t begin = x < box.begin[0] ? box.begin[0] : x;
                const wabe_column c = {.x_origin = (int32_t)x,
                                       .begin = {(int32_t)begin, (int32_t)y, (int32_t)z},
                                       .end = {smaller(x + column[0], box.end[0]),
                                               smaller(y + column[1], box.end[1]),
                                               smaller(z + column[2], box.end[2])}};
                WABE_TRY(add_fluid_planes(list, c));
            }
    return WABE_OK;
}

/* Divides what is between a box and a smaller one inside it. */
static wabe_status divide_shell(column_list *list, wabe_box box, wabe_box inside,
                                const int column[3]) {
    if (wabe_box_is_empty(inside))
        return divide(list, box, column);
    for (int axis = 2; axis >= 0; axis--) {
        wabe_box low = box, high = box;
        low.end[axis] = inside.begin[axis];
        high.begin[axis] = inside.end[axis];
        if (!wabe_box_is_empty(low))
            WABE_TRY(divide(list, low, column));
        if (!wabe_box_is_empty(high))
            WABE_TRY(divide(list, high, column));
        box.begin[axis] = inside.begin[axis];
        box.end[axis] = inside.end[axis];
    }
    return WABE_OK;
}

static int64_t scratch_of(const int column[3], const wabe_kernel *kernel) {
    const int populations = wabe_lattice_count(wabe_lbm_attributes_of(kernel)->lattice);
    return WABE_MARCHING_PENDING(populations) * column[0] * column[1] *
           (int64_t)wabe_type_size(kernel->arithmetic);
}

/* The largest of as few equal shares of count as have at most so many each. */
static int even_share(int64_t count, int64_t most) {
    const int64_t shares = (count + most - 1) / most;
    return (int)((count + shares - 1) / shares);
}

static int64_t columns_in(const int64_t cells[3], const int column[3]) {
    int64_t columns = 1;
    for (int d = 0; d < 3; d++)
        columns *= (cells[d] + column[d] - 1) / column[d];
    return columns;
}

/* The columns of a CPU, of so many planes at most: what a thread keeps fits into three quarters of
 * its cache. They are smaller if some threads had nothing to do otherwise. */
static void fit_column(const int64_t cells[3], const wabe_kernel *kernel, int threads, int planes,
                       int column[3]) {
    enum { FEWEST = 8, PER_THREAD = 4 };
    column[0] = WABE_MOMENTS_GROUP *
                even_share(groups_of(cells[0]), WABE_MARCHING_WIDEST / WABE_MOMENTS_GROUP);
    column[1] = 1;
    const int64_t rows = wabe_component_cache() * 3 / 4 / scratch_of(column, kernel);
    column[1] = even_share(cells[1], rows > FEWEST ? rows : FEWEST);
    column[2] = even_share(cells[2], planes);
    for (int axis = 1; axis < 3; axis++)
        while (column[axis] > FEWEST && columns_in(cells, column) < PER_THREAD * threads)
            column[axis]--;
}

/* The planes of a GPU's columns, of which so many are computed at once: column[2], or
 * fewer if all of its multiprocessors are then busy for a shorter time. Each column also reads the
 * planes below and above it, and fills its shared memory. */
static int planes_for(const int64_t cells[3], const int column[3], int at_once) {
    enum { FEWEST = 2, BESIDE = 3 };
    const int64_t across = (cells[0] + column[0] - 1) / column[0] *
                           ((cells[1] + column[1] - 1) / column[1]);
    int best = column[2];
    int64_t least = INT64_MAX;
    for (int planes = column[2]; planes >= FEWEST; planes--) {
        const int64_t columns = across * ((cells[2] + planes - 1) / planes);
        const int64_t rounds = (columns + at_once - 1) / at_once;
        if (rounds * (planes + BESIDE) < least) {
            best = planes;
            least = rounds * (planes + BESIDE);
        }
    }
    return best;
}

/* The cells of a slab's columns along each axis. ends: how many of its ends along z are outer; then
 * columns are so short that one fits between those ends. */
static void shape_columns(const wabe_component *component, const wabe_kernel *kernel,
                          const int64_t cells[3], int ends, int column[3]) {
    enum { PLANES_OF_CPU = 32 };
    const wabe_lbm_attributes *attributes = wabe_lbm_attributes_of(kernel);
    const int64_t share = cells[2] / (ends + 1);
    memcpy(column, attributes->column, 3 * sizeof *column);
    column[2] = component->device ? column[2] : PLANES_OF_CPU;
    column[2] = share > 1 ? smaller(share, column[2]) : column[2];
    if (component->device)
        column[2] = planes_for(cells, column,
                               wabe_device_describe(component->device)->multiprocessors *
                                   attributes->at_once);
    else
        fit_column(cells, kernel, component->threads, column[2], column);
}

/* Leaves to the outer region whole columns of the block, of one axis after the other, as long as a
 * quarter of the block remains to hide an exchange (chosen, not measured): layers of one cell would
 * cost as much, since each column also computes cells beside it. */
static wabe_box whole_columns(wabe_box block, wabe_box inner, const int column[3]) {
    enum { ENOUGH = 4 };
    for (int d = 2; d >= 0; d--) {
        const int64_t cells = wabe_box_extent(block, d);
        wabe_box fewer = inner;
        if (inner.begin[d] > block.begin[d])
            fewer.begin[d] = block.begin[d] + column[d];
        if (inner.end[d] < block.end[d])
            fewer.end[d] = block.begin[d] + (cells - 1) / column[d] * column[d];
        if (!wabe_box_is_empty(fewer) && ENOUGH * wabe_box_cells(fewer) >= wabe_box_cells(block))
            inner = fewer;
    }
    return inner;
}

static wabe_status make_columns(wabe_moments_plan *plan, wabe_stream *stream,
                                const wabe_layout *cells, const uint32_t *fluid, wabe_box block,
                                const int column[3]) {
    column_list lists[WABE_REGION_COUNT] = {{.cells = cells, .fluid = fluid},
                                            {.cells = cells, .fluid = fluid}};
    const int64_t back[3] = {-block.begin[0], -block.begin[1], -block.begin[2]};
    const wabe_box inner = wabe_box_shift(plan->inner, back);
    block = wabe_box_shift(block, back);
    wabe_status status = divide_shell(&lists[WABE_REGION_OUTER], block, inner, column);
    if (status == WABE_OK && !wabe_box_is_empty(inner))
        status = divide(&lists[WABE_REGION_INNER], inner, column);
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        const int64_t bytes = lists[name].count * (int64_t)sizeof *lists[name].columns;
        void *there = NULL;
        if (status == WABE_OK && bytes > 0)
            status = wabe_memory_copy_of(plan->component, stream, lists[name].columns, bytes,
                                         &there);
        plan->columns[name] = there;
        plan->column_count[name] = lists[name].count;
        plan->bytes += bytes;
        free(lists[name].columns);
    }
    return status;
}

static wabe_status copy_marks(wabe_moments_plan *plan, wabe_stream *stream,
                              const wabe_layout *cells, const uint32_t *fluid) {
    const int64_t bytes = cells->elements / WABE_MOMENTS_GROUP * (int64_t)sizeof *fluid;
    WABE_TRY(wabe_memory_copy_of(plan->component, stream, fluid, bytes, &plan->fluid));
    plan->marching.fluid = (uint32_t *)plan->fluid + cells->front / WABE_MOMENTS_GROUP;
    plan->bytes += bytes;
    return WABE_OK;
}

wabe_status wabe_moments_plan_create(const wabe_component *component, wabe_stream *stream,
                                     const wabe_layout *cells, const wabe_geometry *geometry,
                                     const wabe_flags *flags, wabe_box block, wabe_box inner,
                                     const bool wraps[3], const int ghosts[3], bool whole,
                                     const wabe_kernel *kernel, wabe_moments_plan *out) {
    int column[3];
    WABE_CHECK(
        cells->plane < INT32_MAX / WABE_MOMENTS, WABE_INPUT,
        "%lld cells in a plane of a slab are too many for lbm.streaming = \"moments\": at most "
        "%d; use more processes along x or y",
        (long long)cells->plane, INT32_MAX / WABE_MOMENTS);
    *out = (wabe_moments_plan){.component = component};
    wabe_marching *m = &out->marching;
    m->pitch = (int32_t)cells->pitch;
    m->plane = (int32_t)cells->plane;
    for (int d = 0; d < 3; d++) {
        m->cells[d] = (int32_t)cells->cells[d];
        m->wraps[d] = wraps[d];
        m->ghosts[d] = ghosts[d];
    }
    m->planes[1] = m->cells[2];
    inner = wabe_box_intersect(inner, block);
    const int ends = wabe_box_is_empty(inner)
                         ? 0
                         : (inner.begin[2] > block.begin[2]) + (inner.end[2] < block.end[2]);
    shape_columns(component, kernel, cells->cells, ends, column);
    column[2] = whole ? m->cells[2] : column[2];
    out->inner = wabe_box_is_empty(inner) ? inner : whole_columns(block, inner, column);
    if (!component->device)
        WABE_TRY(wabe_team_reserve(component, scratch_of(column, kernel)));
    uint32_t *fluid;
    WABE_TRY(mark_fluid(cells, geometry, flags, block, ghosts, &fluid));
    wabe_status status = make_columns(out, stream, cells, fluid, block, column);
    if (status == WABE_OK)
        status = copy_marks(out, stream, cells, fluid);
    free(fluid);
    return status;
}

void wabe_moments_plan_destroy(wabe_moments_plan *plan) {
    if (!plan->component)
        return;
    void *columns[WABE_REGION_COUNT] = {plan->columns[0], plan->columns[1]};
    for (int name = 0; name < WABE_REGION_COUNT; name++)
        wabe_memory_destroy(plan->component, &columns[name]);
    wabe_memory_destroy(plan->component, &plan->fluid);
    *plan = (wabe_moments_plan){0};
}
