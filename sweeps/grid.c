#include "sweeps/grid.h"

#include "core/device/memory.h"
#include "core/device/team.h"

#include <stdlib.h>
#include <string.h>

enum {
    PANEL_BYTES = 256 << 10, /* of three planes of a panel: they stay in a core's cache */
    PANEL_MIN = 8,           /* rows */
    CHUNK_MIN = 8, /* planes, for each step of a pass: fewer are computed twice too often */
    TILES_PER_THREAD = 4,
    LINE = 64, /* bytes of a cache line */
    FACES = 4  /* two of them: layers of the slab, and as many of ghosts */
};

#define PANEL_SHARE 0.875 /* of a core's cache, for the time levels of a pass */

/* ---- regions ------------------------------------------------------------------------ */

static void add_box(wabe_grid_slab *slab, wabe_region_name name, wabe_box box) {
    wabe_grid_args *args = slab->args[name];
    if (wabe_box_is_empty(box))
        return;
    wabe_row_box *out = &args->boxes[args->box_count++];
    for (int d = 0; d < 3; d++) {
        out->begin[d] = box.begin[d] - slab->block.begin[d];
        out->end[d] = box.end[d] - slab->block.begin[d];
    }
    out->first = args->rows;
    out->first_tile = args->tiles;
    args->rows += wabe_box_extent(box, 1) * wabe_box_extent(box, 2);
    args->tiles += wabe_tiles_of(args, out);
}

/* Outside: the layers at both ends of z, of what is left those of y, then x. */
static void add_regions(wabe_grid_slab *slab, wabe_box inner) {
    wabe_box rest = slab->block;
    if (wabe_box_is_empty(inner)) {
        add_box(slab, WABE_REGION_OUTER, slab->block);
        return;
    }
    for (int d = 2; d >= 0; d--) {
        wabe_box low = rest, high = rest;
        low.end[d] = rest.begin[d] = inner.begin[d];
        high.begin[d] = rest.end[d] = inner.end[d];
        add_box(slab, WABE_REGION_OUTER, low);
        add_box(slab, WABE_REGION_OUTER, high);
    }
    add_box(slab, WABE_REGION_INNER, inner);
}

/* ---- panels ------------------------------------------------------------------------- */

static int64_t row_bytes(const wabe_grid_model *model, int64_t cells) {
    return cells * (int64_t)wabe_type_size(model->type);
}

/* Rows of a panel that fit: of a pass three planes of each time level stay in the cache. */
static int64_t rows_that_fit(const wabe_kernel *kernel, const wabe_grid_model *model, int64_t nx,
                             int depth) {
    const int64_t row = row_bytes(model, nx);
    if (wabe_stencil_of(kernel)->tiles && depth > 1)
        return (int64_t)(PANEL_SHARE * (double)wabe_component_cache()) / (3 * depth * row) -
               2 * (depth - 1);
    return PANEL_BYTES / (3 * row);
}
static int64_t panel_of(const wabe_kernel *kernel, const wabe_grid_model *model, int64_t nx,
                        int depth) {
    const int64_t rows = rows_that_fit(kernel, model, nx, depth);
    return model->panel > 0 ? model->panel : rows > PANEL_MIN ? rows : PANEL_MIN;
}

static int64_t max_of(int64_t a, int64_t b) { return a > b ? a : b; }

/* Panels, and planes of a tile: some tiles for each thread. Single steps compute nothing twice. */
static void shape_tiles(const wabe_grid_slab *slab, wabe_grid_args *args) {
    const int64_t *n = slab->layout.cells, threads = max_of(slab->component->threads, 1);
    const int depth = slab->model.depth;
    args->panel = panel_of(slab->kernel, &slab->model, n[0], depth);
    args->chunk = slab->model.chunk > 0 ? slab->model.chunk : 1;
    if (!wabe_stencil_of(slab->kernel)->tiles || depth == 1 || slab->model.chunk > 0)
        return;
    const int64_t panels = (n[1] + args->panel - 1) / args->panel;
    const int64_t most = max_of(n[2] / (CHUNK_MIN * depth), 1);
    int64_t chunks = (TILES_PER_THREAD * threads + panels - 1) / panels;
    chunks = chunks < most ? chunks : most;
    args->chunk = (n[2] + chunks - 1) / chunks;
    if (panels * chunks < TILES_PER_THREAD / 2 * threads) {
        const int64_t lower = max_of(n[1] * chunks / (TILES_PER_THREAD / 2 * threads), PANEL_MIN);
        args->panel = lower < args->panel ? lower : args->panel;
    }
}

/* ---- set-up ------------------------------------------------------------------------- */

int wabe_grid_halo(const wabe_grid_model *model) { return model->sweep->halo * model->depth; }

static bool wraps(const wabe_grid_model *model, const int64_t cells[3], int axis) {
    return model->wraps[axis] && model->periodic[axis] && cells[axis] == model->cells[axis];
}

bool wabe_grid_needs_edges(const wabe_grid_model *model) {
    return model->diagonals || model->depth > 1;
}

bool wabe_grid_fits(const wabe_grid_model *model, const int64_t cells[3], int depth) {
    for (int axis = 0; axis < 3; axis++)
        if ((model->periodic[axis] || cells[axis] < model->cells[axis]) && cells[axis] < depth)
            return false;
    return true;
}

/* Of a step: a pass over memory takes 1, and its steps their work. */
static double cost_of(const wabe_kernel *kernel, const wabe_grid_model *model,
                      const int64_t cells[3], int depth) {
    double twice = 0.0; /* share of the cells that both sides of a face compute, or read again */
    for (int axis = 0; axis < 3; axis++)
        if (!wraps(model, cells, axis) &&
            (model->periodic[axis] || cells[axis] < model->cells[axis]))
            twice += FACES * depth / (double)cells[axis];
    if (wabe_stencil_of(kernel)->tiles) /* between panels, too */
        twice += (depth - 1) / (double)panel_of(kernel, model, cells[0], depth);
    return (1.0 + wabe_stencil_of(kernel)->work * depth) / depth * (1.0 + twice);
}

int wabe_grid_depth(const wabe_kernel *kernel, const wabe_grid_model *model,
                    const int64_t cells[3]) {
    int best = 1;
    for (int depth = 2; depth <= wabe_stencil_of(kernel)->depth; depth++)
        if (wabe_grid_fits(model, cells, depth) &&
            (!wabe_stencil_of(kernel)->tiles ||
             rows_that_fit(kernel, model, cells[0], depth) >= PANEL_MIN) &&
            cost_of(kernel, model, cells, depth) < cost_of(kernel, model, cells, best))
            best = depth;
    return best;
}

static wabe_layout layout_of(const wabe_grid_model *model, const int64_t cells[3],
                             wabe_target target, int components) {
    return wabe_layout_grid(cells, wabe_grid_halo(model), components, model->type, target);
}

static wabe_status pick(const wabe_registry *registry, const wabe_grid_slab *slab,
                        const wabe_sweep *sweep, const char *part, const wabe_kernel **out) {
    const wabe_kernel_request request = {.sweep = sweep,
                                         .storage = slab->model.type,
                                         .name_part = part};
    return wabe_registry_select(registry, slab->component, &request, out);
}

static wabe_status make_args(wabe_grid_slab *slab, wabe_box inner) {
    for (int axis = 0; axis < 3; axis++)
        slab->wraps[axis] = wraps(&slab->model, slab->layout.cells, axis);
    slab->steps = slab->model.depth;
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        wabe_grid_args *args = slab->args[name] = calloc(1, slab->model.args_size);
        WABE_CHECK(args, WABE_MEMORY, "no memory for a slab");
        args->pitch = slab->layout.pitch;
        args->plane = slab->layout.plane;
        memcpy(args->cells, slab->layout.cells, sizeof args->cells);
        shape_tiles(slab, args);
    }
    add_regions(slab, inner);
    return wabe_team_reserve(slab->component,
                             wabe_grid_scratch(slab->kernel, &slab->model, slab->layout.cells));
}

static wabe_status make(const wabe_registry *registry, wabe_grid_slab *slab, wabe_box inner) {
    const wabe_layout constants = layout_of(&slab->model, slab->layout.cells,
                                            slab->component->target, slab->model.components);
    WABE_TRY(pick(registry, slab, slab->model.sweep, slab->model.kernel, &slab->kernel));
    WABE_TRY(make_args(slab, inner));
    WABE_TRY(pick(registry, slab, &wabe_sweep_pack, "", &slab->pack));
    WABE_TRY(pick(registry, slab, &wabe_sweep_unpack, "", &slab->unpack));
    WABE_TRY(wabe_timeline_create(registry, slab->component, &slab->timeline));
    for (int grid = 0; grid < 2; grid++)
        WABE_TRY(wabe_field_create(slab->component, &slab->layout, &slab->fields[grid]));
    if (slab->model.components == 0)
        return WABE_OK;
    WABE_TRY(wabe_field_create(slab->component, &constants, &slab->constants));
    wabe_field_zero(slab->constants, slab->timeline.streams[WABE_REGION_OUTER]);
    return WABE_OK;
}

wabe_status wabe_grid_create(const wabe_registry *registry, const wabe_component *component,
                             const wabe_grid_model *model, wabe_box block, wabe_box inner,
                             wabe_grid_slab **out) {
    wabe_grid_slab *slab = calloc(1, sizeof *slab);
    WABE_CHECK(slab, WABE_MEMORY, "no memory for a slab");
    slab->component = component;
    slab->model = *model;
    slab->block = block;
    const int64_t cells[3] = {wabe_box_extent(block, 0), wabe_box_extent(block, 1),
                              wabe_box_extent(block, 2)};
    slab->layout = layout_of(model, cells, component->target, 1);
    const wabe_status status = make(registry, slab, inner);
    if (status != WABE_OK)
        wabe_grid_destroy(&slab);
    *out = slab;
    return status;
}

void wabe_grid_destroy(wabe_grid_slab **slab) {
    if (!*slab)
        return;
    wabe_timeline_synchronise(&(*slab)->timeline);
    wabe_field_destroy(&(*slab)->fields[0]);
    wabe_field_destroy(&(*slab)->fields[1]);
    wabe_field_destroy(&(*slab)->constants);
    wabe_timeline_destroy(&(*slab)->timeline);
    for (int name = 0; name < WABE_REGION_COUNT; name++)
        free((*slab)->args[name]);
    free(*slab);
    *slab = NULL;
}

int64_t wabe_grid_scratch(const wabe_kernel *kernel, const wabe_grid_model *model,
                          const int64_t cells[3]) {
    const int64_t size = (int64_t)wabe_type_size(model->type);
    const wabe_grid_args args = {.cells = {cells[0], cells[1], cells[2]},
                                 .panel = panel_of(kernel, model, cells[0], model->depth)};
    return wabe_stencil_of(kernel)->tiles && model->depth > 1
               ? size * wabe_windows(&args, model->depth, LINE / size)
               : 0;
}

int64_t wabe_grid_bytes(const wabe_grid_model *model, const int64_t cells[3], wabe_target target) {
    const wabe_layout value = layout_of(model, cells, target, 1);
    const wabe_layout constants = layout_of(model, cells, target, model->components);
    return 2 * wabe_layout_bytes(&value) + wabe_layout_bytes(&constants);
}

/* ---- the step ----------------------------------------------------------------------- */

static bool prepare(void *context, int number, wabe_region_name name, wabe_call *out) {
    wabe_grid_slab *slab = context;
    (void)number;
    const int parity = wabe_timeline_parity(&slab->timeline);
    slab->args[name]->source = slab->fields[parity]->data;
    slab->args[name]->target = slab->crossing = slab->fields[1 - parity]->data;
    slab->args[name]->step = slab->timeline.step;
    slab->args[name]->steps = slab->steps;
    *out = wabe_timeline_call(&slab->timeline, name, slab->kernel, slab->args[name],
                              wabe_stencil_of(slab->kernel)->tiles ? slab->args[name]->tiles
                                                                   : slab->args[name]->rows);
    return true;
}

static void advance(void *slab, int number) {
    (void)number;
    ((wabe_grid_slab *)slab)->timeline.step++;
}

void wabe_grid_schedule(int slab_count, wabe_grid_slab *const *slabs, wabe_schedule *schedule) {
    schedule->slab_count = slab_count;
    for (int i = 0; i < slab_count; i++) {
        schedule->slabs[i] = slabs[i];
        schedule->components[i] = slabs[i]->component;
    }
    wabe_schedule_add(schedule, &(wabe_schedule_entry){.exchange = 0,
                                                       .phase = WABE_PHASE_inner,
                                                       .prepare = prepare,
                                                       .post = advance});
}

/* ---- values ------------------------------------------------------------------------- */

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

static wabe_box with_ghosts(const wabe_grid_slab *slab) {
    wabe_box box = slab->block;
    const int halo = wabe_grid_halo(&slab->model);
    for (int d = 0; d < 3; d++) {
        box.begin[d] -= halo;
        box.end[d] += halo;
    }
    return box;
}

/* A plane of a box, as it lies in memory from its first cell on; gaps between rows are zero. */
typedef struct {
    int64_t bytes, row;
    char *memory;
    double *values; /* of a row */
} plane;

static wabe_status make_plane(const wabe_layout *l, wabe_box box, plane *out) {
    const int64_t size = (int64_t)wabe_type_size(l->type), nx = wabe_box_extent(box, 0);
    out->row = l->pitch * size;
    out->bytes = (wabe_box_extent(box, 1) - 1) * out->row + nx * size;
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

/* Where the first cell of a box's plane z stands in a component of a field. */
static char *place_of(const wabe_grid_slab *slab, const wabe_field *field, int component,
                      wabe_box box, int64_t z) {
    const wabe_layout *l = &field->layout;
    const int64_t *begin = slab->block.begin;
    const int64_t cell = wabe_layout_cell(l, box.begin[0] - begin[0], box.begin[1] - begin[1],
                                          z - begin[2]);
    return (char *)field->data + (cell + component * l->stride) * (int64_t)wabe_type_size(l->type);
}

static wabe_status write_values(const wabe_grid_slab *slab, wabe_field *field, int component,
                                wabe_box box, wabe_grid_values values, const void *context) {
    const int64_t nx = wabe_box_extent(box, 0);
    plane p;
    WABE_TRY(make_plane(&field->layout, box, &p));
    wabe_status status = WABE_OK;
    for (int64_t z = box.begin[2]; z < box.end[2] && status == WABE_OK; z++) {
        for (int64_t y = box.begin[1]; y < box.end[1] && status == WABE_OK; y++) {
            status = values(context, (const int64_t[3]){box.begin[0], y, z}, nx, p.values);
            put_row(p.memory + (y - box.begin[1]) * p.row, field->layout.type, p.values, nx);
        }
        if (status == WABE_OK)
            status = wabe_memory_write(slab->component, slab->timeline.streams[WABE_REGION_OUTER],
                                       place_of(slab, field, component, box, z), p.memory, p.bytes);
    }
    free_plane(&p);
    return status;
}

wabe_status wabe_grid_initialise(wabe_grid_slab *slab, wabe_grid_values values,
                                 const void *context) {
    wabe_timeline_restart(&slab->timeline);
    slab->crossing = slab->fields[0]->data;
    for (int grid = 0; grid < 2; grid++)
        wabe_field_zero(slab->fields[grid], slab->timeline.streams[WABE_REGION_OUTER]);
    /* What of a rim neighbours have, they will send. */
    const bool rim = slab->model.rim;
    for (int grid = 0; grid < (rim ? 2 : 1); grid++)
        WABE_TRY(write_values(slab, slab->fields[grid], 0, rim ? with_ghosts(slab) : slab->block,
                              values, context));
    return WABE_OK;
}

wabe_status wabe_grid_set(wabe_grid_slab *slab, int component, wabe_grid_values values,
                          const void *context) {
    return write_values(slab, slab->constants, component, with_ghosts(slab), values, context);
}

wabe_status wabe_grid_read(const wabe_grid_slab *slab, wabe_box box, double *values) {
    const wabe_field *field = slab->fields[wabe_timeline_parity(&slab->timeline)];
    const int64_t nx = wabe_box_extent(box, 0);
    plane p;
    WABE_TRY(make_plane(&field->layout, box, &p));
    wabe_timeline_synchronise(&slab->timeline);
    wabe_status status = WABE_OK;
    for (int64_t z = box.begin[2]; z < box.end[2] && status == WABE_OK; z++) {
        status = wabe_memory_read(slab->component, slab->timeline.streams[WABE_REGION_OUTER],
                                  p.memory, place_of(slab, field, 0, box, z), p.bytes);
        for (int64_t y = 0; y < wabe_box_extent(box, 1) && status == WABE_OK; y++, values += nx)
            get_row(p.memory + y * p.row, field->layout.type, values, nx);
    }
    free_plane(&p);
    return status;
}
