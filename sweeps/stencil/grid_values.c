/* Values of a grid's slabs: setting and reading fields. */
#include "core/device/memory.h"
#include "sweeps/stencil/internal.h"

#include <stdlib.h>

static void put_row(char *to, wabe_type type, const double *values, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (type == WABE_TYPE_f64)
            ((double *)(void *)to)[i] = values[i];
        else
            ((float *)(void *)to)[i] = (float)values[i];
}

static void get_row(const char *from, wabe_type type, double *values, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (type == WABE_TYPE_f64)
            values[i] = ((const double *)(const void *)from)[i];
        else
            values[i] = (double)((const float *)(const void *)from)[i];
}

/* Where a field has numbers, of the cells of a box. */
static wabe_box box_of(const wabe_grid_slab *slab, int field, wabe_box cells) {
    const wabe_grid_model *m = &slab->model;
    return wabe_location_box(m->fields[field].at, cells, m->cells, m->periodic);
}

/* Where a field has values in memory: its cells, and ghosts if they are given. Index 0 stands for
 * all of a flat axis. */
static wabe_box box_with_ghosts(const wabe_grid_slab *slab, int field) {
    const wabe_grid_field_row *f = &slab->model.fields[field];
    const bool given = f->fixed_layer || f->role == WABE_FIELD_CONSTANT;
    const int64_t ghosts = given ? wabe_grid_halo(&slab->model) : 0;
    wabe_box box = box_of(slab, field, slab->held);
    for (int axis = 0; axis < 3; axis++) {
        const bool flat = slab->layouts[field].flat[axis];
        box.begin[axis] = f->flat[axis] ? 0 : box.begin[axis] - (flat ? 0 : ghosts);
        box.end[axis] = f->flat[axis] ? 1 : box.end[axis] + (flat ? 0 : ghosts);
    }
    return box;
}

wabe_box wabe_grid_box(const wabe_grid_slab *slab, int field) {
    return box_of(slab, field, slab->block);
}

/* Copies a row of cells from or to memory that begins at the row's first cell; if components are
 * interleaved, this memory holds all of them. */
static void move_row(const wabe_layout *l, int component, int64_t x, char *row, double *values,
                     int64_t count, bool out) {
    const int64_t size = (int64_t)wabe_type_size(l->type);
    const int64_t run = l->group ? 1 : count;
    const int64_t first = wabe_layout_place(l, 0, x, 0, 0);
    const int64_t name = l->group ? component * l->stride : 0;
    for (int64_t i = 0; i < count; i += run) {
        char *at = row + (wabe_layout_place(l, 0, x + i, 0, 0) - first + name) * size;
        if (out)
            get_row(at, l->type, values + i, run);
        else
            put_row(at, l->type, values + i, run);
    }
}

/* Bytes from the first cell of a row to the end of its last one. */
static int64_t row_bytes(const wabe_layout *l, int64_t x, int64_t count) {
    const int last = l->group ? l->components - 1 : 0;
    return (wabe_layout_place(l, last, x + count - 1, 0, 0) - wabe_layout_place(l, 0, x, 0, 0) +
            1) *
           (int64_t)wabe_type_size(l->type);
}

/* A plane of a box, as it is in memory from its first cell on. */
typedef struct {
    int64_t x; /* in the slab */
    int64_t bytes, row;
    char *memory;
    double *values; /* of a row */
} plane;

static wabe_status make_plane(const wabe_grid_slab *slab, const wabe_layout *l, wabe_box box,
                              plane *out) {
    const int64_t size = (int64_t)wabe_type_size(l->type), nx = wabe_box_extent(box, 0);
    out->x = box.begin[0] - slab->held.begin[0];
    out->row = l->pitch * size;
    out->bytes = (wabe_box_extent(box, 1) - 1) * out->row + row_bytes(l, out->x, nx);
    out->memory = calloc((size_t)out->bytes, 1);
    out->values = calloc((size_t)nx, sizeof *out->values);
    if (out->memory && out->values)
        return WABE_OK;
    free(out->memory);
    free(out->values);
    return WABE_FAIL(WABE_MEMORY, "no memory for a plane of cells");
}

static void free_plane(plane *p) {
    free(p->memory);
    free(p->values);
}

/* Address of the first cell of a box's plane z in a grid. */
static char *place_of(const wabe_grid_slab *slab, const wabe_field *grid, int component,
                      wabe_box box, int64_t z) {
    const wabe_layout *l = &grid->layout;
    const int64_t *begin = slab->held.begin;
    return (char *)grid->data + wabe_layout_place(l, l->group ? 0 : component,
                                                  box.begin[0] - begin[0], box.begin[1] - begin[1],
                                                  z - begin[2]) *
                                    (int64_t)wabe_type_size(l->type);
}

static void bring_plane(const wabe_grid_slab *slab, int64_t z) {
    wabe_grid_load(slab, z - slab->held.begin[2], z - slab->held.begin[2] + 1);
}

/* Of a periodic domain, ghost planes have the values of its cells. */
static int64_t plane_of_domain(const wabe_grid_model *m, int64_t z) {
    const int64_t n = m->cells[2];
    return m->periodic[2] ? (z % n + n) % n : z;
}

static wabe_status write_plane(const wabe_grid_slab *slab, wabe_field *grid, int component,
                               wabe_box box, int64_t z, plane *p, wabe_grid_values values,
                               const void *context) {
    wabe_stream *stream = slab->timeline.streams[WABE_REGION_OUTER];
    char *place = place_of(slab, grid, component, box, z);
    const int64_t nx = wabe_box_extent(box, 0);
    bring_plane(slab, z);
    if (grid->layout.group) /* keep the other components */
        WABE_TRY(wabe_memory_read(slab->component, stream, p->memory, place, p->bytes));
    for (int64_t y = box.begin[1]; y < box.end[1]; y++) {
        WABE_TRY(values(context,
                        (const int64_t[3]){box.begin[0], y, plane_of_domain(&slab->model, z)}, nx,
                        p->values));
        move_row(&grid->layout, component, p->x, p->memory + (y - box.begin[1]) * p->row, p->values,
                 nx, false);
    }
    return wabe_memory_write(slab->component, stream, place, p->memory, p->bytes);
}

static wabe_status write_values(const wabe_grid_slab *slab, wabe_field *grid, int component,
                                wabe_box box, wabe_grid_values values, const void *context) {
    plane p;
    WABE_TRY(make_plane(slab, &grid->layout, box, &p));
    wabe_status status = WABE_OK;
    for (int64_t z = box.begin[2]; z < box.end[2] && status == WABE_OK; z++)
        status = write_plane(slab, grid, component, box, z, &p, values, context);
    free_plane(&p);
    return status;
}

/* Sets the slots of reductions to the neutral element. */
static wabe_status reset_reductions(const wabe_grid_slab *slab) {
    for (int i = 0; i < slab->model.reduction_count; i++) {
        wabe_reduction_slot slots[WABE_REDUCTION_SLOTS];
        const double neutral = wabe_reduction_neutral(slab->model.reductions[i].operation);
        for (int64_t k = 0; k < (int64_t)(sizeof slots / sizeof(double)); k++)
            (&slots[0][0][0])[k] = neutral;
        WABE_TRY(wabe_memory_write(slab->component, slab->timeline.streams[WABE_REGION_OUTER],
                                   slab->slots[i], slots, sizeof slots));
    }
    return WABE_OK;
}

wabe_status wabe_grid_reset(wabe_grid_slab *slab) {
    wabe_timeline_restart(&slab->timeline);
    slab->has_looked = false;
    wabe_grid_forget_fills(slab);
    for (int f = 0; f < slab->model.field_count; f++) {
        slab->current[f] = 0;
        slab->exchanged[f] = slab->grids[f][0]->data;
        for (int grid = 0; grid < slab->model.fields[f].grids; grid++)
            if (slab->model.fields[f].role != WABE_FIELD_CONSTANT && !slab->driver.window)
                wabe_field_zero(slab->grids[f][grid], slab->timeline.streams[WABE_REGION_OUTER]);
    }
    for (int i = 0; i < slab->model.sweep_count; i++)
        slab->passes[i] = 0;
    if (slab->driver.window)
        wabe_grid_clear_window(slab);
    return reset_reductions(slab);
}

wabe_status wabe_grid_set(wabe_grid_slab *slab, int field, int component, wabe_grid_values values,
                          const void *context) {
    const wabe_grid_field_row *f = &slab->model.fields[field];
    const wabe_box box = box_with_ghosts(slab, field);
    const int current = slab->current[field];
    slab->has_looked = false;
    wabe_grid_forget_fills(slab);
    wabe_timeline_synchronise(&slab->timeline);
    if (slab->driver.window && f->role == WABE_FIELD_CONSTANT)
        wabe_window_open_fixed(slab->driver.window);
    wabe_status status = write_values(slab, slab->grids[field][current], component, box, values,
                                      context);
    /* Fixed boundary layers are set in both grids. Where a neighbour owns these cells, it sends
     * them. */
    if (status == WABE_OK && f->fixed_layer && f->grids == 2)
        status = write_values(slab, slab->grids[field][1 - current], component, box, values,
                              context);
    if (slab->driver.window && f->role == WABE_FIELD_CONSTANT)
        wabe_window_close_fixed(slab->driver.window, slab->timeline.streams[WABE_REGION_OUTER]);
    return status;
}

wabe_status wabe_grid_read_field(wabe_grid_slab *slab, int field, int component, wabe_box box,
                                 double *values) {
    wabe_grid_look(slab, field);
    const wabe_field *grid = slab->grids[field][slab->current[field]];
    const int64_t nx = wabe_box_extent(box, 0);
    plane p;
    WABE_TRY(make_plane(slab, &grid->layout, box, &p));
    wabe_timeline_synchronise(&slab->timeline);
    wabe_status status = WABE_OK;
    for (int64_t z = box.begin[2]; z < box.end[2] && status == WABE_OK; z++) {
        bring_plane(slab, z);
        status = wabe_memory_read(slab->component, slab->timeline.streams[WABE_REGION_OUTER],
                                  p.memory, place_of(slab, grid, component, box, z), p.bytes);
        for (int64_t y = 0; y < wabe_box_extent(box, 1) && status == WABE_OK; y++, values += nx)
            move_row(&grid->layout, component, p.x, p.memory + y * p.row, values, nx, true);
    }
    free_plane(&p);
    return status;
}
