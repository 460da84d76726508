#include "sweeps/diffusion.h"

#include "core/memory.h"
#include "sweeps/rows.h"

#include <stdlib.h>
#include <string.h>

enum {
    PANEL_BYTES = 256 << 10, /* of three planes of a panel: they stay in a core's cache */
    PANEL_MIN = 8            /* rows */
};

/* ---- set-up ------------------------------------------------------------------------- */

static wabe_status pick(const wabe_registry *registry, const wabe_diffusion_slab *slab,
                        wabe_sweep sweep, const char *part, const wabe_kernel **out) {
    const wabe_kernel_request request = {.sweep = sweep,
                                         .storage = slab->model.type,
                                         .name_part = part};
    return wabe_registry_select(registry, slab->component, &request, out);
}

static wabe_side side_of(const wabe_diffusion_slab *slab, int face) {
    const wabe_diffusion_model *m = &slab->model;
    const int axis = face / 2;
    const bool low = slab->block.begin[axis] == 0, high = slab->block.end[axis] == m->cells[axis];
    if (m->periodic[axis] && axis == 0 && low && high)
        return (wabe_side){.kind = WABE_SIDE_ITSELF};
    if (m->periodic[axis] || !(face % 2 ? high : low))
        return (wabe_side){.kind = WABE_SIDE_NEIGHBOUR};
    return m->sides[face];
}

/* Rows of a panel. */
static int64_t panel_of(const wabe_layout *layout) {
    const int64_t row = layout->pitch * (int64_t)wabe_type_size(layout->type);
    return 3 * PANEL_MIN * row > PANEL_BYTES ? PANEL_MIN : PANEL_BYTES / (3 * row);
}

/* Along x a slab that is its own neighbour needs no exchange. */
static void make_args(wabe_diffusion_slab *slab, wabe_box inner) {
    wabe_diffuse_args args = {.rate = slab->model.rate,
                              .pitch = slab->layout.pitch,
                              .plane = slab->layout.plane,
                              .panel = panel_of(&slab->layout)};
    memcpy(args.cells, slab->layout.cells, sizeof args.cells);
    for (int face = 0; face < 6; face++)
        args.sides[face] = side_of(slab, face);
    slab->wraps_x = args.sides[0].kind == WABE_SIDE_ITSELF;
    if (slab->wraps_x && !wabe_box_is_empty(inner))
        inner.begin[0] = slab->block.begin[0], inner.end[0] = slab->block.end[0];
    slab->args[WABE_REGION_OUTER] = slab->args[WABE_REGION_INNER] = args;
    wabe_diffuse_args *outer_args = &slab->args[WABE_REGION_OUTER];
    wabe_diffuse_args *inner_args = &slab->args[WABE_REGION_INNER];
    outer_args->box_count = wabe_rows_outer(slab->block, inner, outer_args->boxes,
                                            &slab->rows[WABE_REGION_OUTER]);
    inner_args->box_count = wabe_rows_inner(slab->block, inner, inner_args->boxes,
                                            &slab->rows[WABE_REGION_INNER]);
}

static wabe_status make(const wabe_registry *registry, wabe_diffusion_slab *slab) {
    WABE_TRY(pick(registry, slab, WABE_SWEEP_diffuse, slab->model.kernel, &slab->diffuse));
    WABE_TRY(pick(registry, slab, WABE_SWEEP_pack, "", &slab->pack));
    WABE_TRY(pick(registry, slab, WABE_SWEEP_unpack, "", &slab->unpack));
    WABE_TRY(wabe_timeline_create(registry, slab->component, &slab->timeline));
    for (int grid = 0; grid < 2; grid++)
        WABE_TRY(wabe_field_create(slab->component, &slab->layout, &slab->fields[grid]));
    return WABE_OK;
}

wabe_status wabe_diffusion_create(const wabe_registry *registry, const wabe_component *component,
                                  const wabe_diffusion_model *model, wabe_box block, wabe_box inner,
                                  wabe_diffusion_slab **out) {
    wabe_diffusion_slab *slab = calloc(1, sizeof *slab);
    WABE_CHECK(slab, WABE_MEMORY, "no memory for a slab");
    slab->component = component;
    slab->model = *model;
    slab->block = block;
    const int64_t cells[3] = {wabe_box_extent(block, 0), wabe_box_extent(block, 1),
                              wabe_box_extent(block, 2)};
    slab->layout = wabe_layout_grid(cells, WABE_DIFFUSION_HALO, model->type, component->target);
    const wabe_status status = make(registry, slab);
    make_args(slab, inner);
    if (status != WABE_OK)
        wabe_diffusion_destroy(&slab);
    *out = slab;
    return status;
}

void wabe_diffusion_destroy(wabe_diffusion_slab **slab) {
    if (!*slab)
        return;
    wabe_timeline_synchronise(&(*slab)->timeline);
    wabe_field_destroy(&(*slab)->fields[0]);
    wabe_field_destroy(&(*slab)->fields[1]);
    wabe_timeline_destroy(&(*slab)->timeline);
    free(*slab);
    *slab = NULL;
}

int64_t wabe_diffusion_bytes(wabe_type type, const int64_t cells[3], wabe_target target) {
    const wabe_layout layout = wabe_layout_grid(cells, WABE_DIFFUSION_HALO, type, target);
    return 2 * wabe_layout_bytes(&layout);
}

/* ---- the step ----------------------------------------------------------------------- */

static bool prepare(void *context, wabe_region_name name, wabe_call *out) {
    wabe_diffusion_slab *slab = context;
    const int parity = wabe_timeline_parity(&slab->timeline);
    slab->args[name].source = slab->fields[parity]->data;
    slab->args[name].target = slab->fields[1 - parity]->data;
    *out = wabe_timeline_call(&slab->timeline, name, slab->diffuse, &slab->args[name],
                              slab->rows[name]);
    return true;
}

static void advance(void *slab) { ((wabe_diffusion_slab *)slab)->timeline.step++; }

void wabe_diffusion_schedule(int slab_count, wabe_diffusion_slab *const *slabs,
                             wabe_schedule *schedule) {
    schedule->slab_count = slab_count;
    for (int i = 0; i < slab_count; i++) {
        schedule->slabs[i] = slabs[i];
        schedule->components[i] = slabs[i]->component;
    }
    schedule->entries[schedule->entry_count++] =
        (wabe_schedule_entry){.sweep = WABE_SWEEP_diffuse, .prepare = prepare, .post = advance};
}

/* ---- values ------------------------------------------------------------------------- */

static double get(const void *row, wabe_type type, int64_t x) {
    return type == WABE_TYPE_f64 ? ((const double *)row)[x] : (double)((const float *)row)[x];
}

static void put(void *row, wabe_type type, int64_t x, double value) {
    if (type == WABE_TYPE_f64)
        ((double *)row)[x] = value;
    else
        ((float *)row)[x] = (float)value;
}

/* From the first cell of a plane to its last one. */
static int64_t plane_bytes(const wabe_layout *l) {
    return ((l->cells[1] - 1) * l->pitch + l->cells[0]) * (int64_t)wabe_type_size(l->type);
}

static char *plane_of(const wabe_diffusion_slab *slab, int grid, int64_t z) {
    return (char *)slab->fields[grid]->data +
           z * slab->layout.plane * (int64_t)wabe_type_size(slab->layout.type);
}

wabe_status wabe_diffusion_initialise(wabe_diffusion_slab *slab, wabe_diffusion_initial initial,
                                      const void *context) {
    const wabe_layout *l = &slab->layout;
    const int64_t size = (int64_t)wabe_type_size(l->type);
    wabe_stream *stream = slab->timeline.streams[WABE_REGION_OUTER];
    char *plane = calloc((size_t)plane_bytes(l), 1);
    WABE_CHECK(plane, WABE_MEMORY, "no memory for a plane of cells");
    wabe_timeline_restart(&slab->timeline);
    for (int grid = 0; grid < 2; grid++)
        wabe_field_zero(slab->fields[grid], stream);
    wabe_status status = WABE_OK;
    for (int64_t z = 0; z < l->cells[2] && status == WABE_OK; z++) {
        for (int64_t y = 0; y < l->cells[1]; y++)
            for (int64_t x = 0; x < l->cells[0]; x++) {
                const int64_t cell[3] = {slab->block.begin[0] + x, slab->block.begin[1] + y,
                                         slab->block.begin[2] + z};
                put(plane + y * l->pitch * size, l->type, x, initial(context, cell));
            }
        status = wabe_memory_write(slab->component, stream, plane_of(slab, 0, z), plane,
                                   plane_bytes(l));
    }
    free(plane);
    return status;
}

wabe_status wabe_diffusion_read(const wabe_diffusion_slab *slab, wabe_box box, double *values) {
    const wabe_layout *l = &slab->layout;
    const int64_t size = (int64_t)wabe_type_size(l->type), *begin = slab->block.begin;
    const int grid = wabe_timeline_parity(&slab->timeline);
    char *plane = malloc((size_t)plane_bytes(l));
    WABE_CHECK(plane, WABE_MEMORY, "no memory for a plane of cells");
    wabe_timeline_synchronise(&slab->timeline);
    wabe_status status = WABE_OK;
    for (int64_t z = box.begin[2]; z < box.end[2] && status == WABE_OK; z++) {
        status = wabe_memory_read(slab->component, slab->timeline.streams[WABE_REGION_OUTER], plane,
                                  plane_of(slab, grid, z - begin[2]), plane_bytes(l));
        for (int64_t y = box.begin[1]; y < box.end[1] && status == WABE_OK; y++)
            for (int64_t x = box.begin[0]; x < box.end[0]; x++)
                *values++ = get(plane + (y - begin[1]) * l->pitch * size, l->type, x - begin[0]);
    }
    free(plane);
    return status;
}
