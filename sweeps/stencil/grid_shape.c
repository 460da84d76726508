/* How the cells of a slab are divided: regions as boxes of rows, panels and tiles, steps per
 * pass. */
#include "core/device/team.h"
#include "sweeps/cell/stencil_attributes.h"
#include "sweeps/stencil/internal.h"

enum {
    PANEL_BYTES = 256 << 10, /* of a panel's planes that a sweep reads: fits a core's cache */
    PANEL_MIN = 8,           /* rows */
    CHUNK_MIN = 8,           /* planes per step of a pass: fewer would compute too much twice */
    TILES_PER_THREAD = 4,
    LINE = 64, /* bytes of a cache line */
    FACES = 4  /* two faces, each with layers of the slab and ghost layers */
};

#define PANEL_SHARE 0.875 /* share of a core's cache for the time levels of a pass */

/* ---- regions ------------------------------------------------------------------------ */

static void add_box(wabe_grid_args *args, const int64_t origin[3], wabe_box box) {
    if (wabe_box_is_empty(box))
        return;
    wabe_row_box *out = &args->boxes[args->box_count++];
    for (int d = 0; d < 3; d++) {
        out->begin[d] = box.begin[d] - origin[d];
        out->end[d] = box.end[d] - origin[d];
    }
    out->first = args->rows;
    out->first_tile = args->tiles;
    out->first_strip = args->strips;
    args->rows += wabe_box_extent(box, 1) * wabe_box_extent(box, 2);
    args->tiles += wabe_tiles_of(args, out);
    args->strips += wabe_strips_of(out);
}

void wabe_grid_take_planes(wabe_grid_args *args, int64_t begin, int64_t end) {
    args->box_count = 0;
    args->rows = args->tiles = args->strips = 0;
    add_box(args, (const int64_t[3]){0, 0, 0},
            (wabe_box){.begin = {0, 0, begin}, .end = {args->cells[0], args->cells[1], end}});
}

int64_t wabe_grid_items(const wabe_kernel *kernel, const wabe_grid_args *args) {
    const wabe_stencil_attributes *a = wabe_stencil_attributes_of(kernel);
    return a->tiles ? args->tiles : a->marches ? args->strips : args->rows;
}

/* The outer region: the layers at both ends of z, of the rest those of y, then those of x. */
static void add_regions(const int64_t origin[3], wabe_box all, wabe_box inner,
                        wabe_grid_args *args[WABE_REGION_COUNT]) {
    wabe_box rest = all;
    if (wabe_box_is_empty(inner)) {
        add_box(args[WABE_REGION_OUTER], origin, all);
        return;
    }
    for (int d = 2; d >= 0; d--) {
        wabe_box low = rest, high = rest;
        low.end[d] = rest.begin[d] = inner.begin[d];
        high.begin[d] = rest.end[d] = inner.end[d];
        add_box(args[WABE_REGION_OUTER], origin, low);
        add_box(args[WABE_REGION_OUTER], origin, high);
    }
    add_box(args[WABE_REGION_INNER], origin, inner);
}

/* The inner region of a coarse grid: it keeps as many cells away from neighbours as a sweep of its
 * level reads. */
static wabe_box inner_at(const wabe_grid_slab *slab, int level, wabe_box inner) {
    const int halo = wabe_grid_halo_at(&slab->model, level);
    wabe_box own = wabe_grid_at_level(&slab->model, level, slab->block);
    for (int axis = 0; axis < 3; axis++) {
        own.begin[axis] += inner.begin[axis] > slab->block.begin[axis] ? halo : 0;
        own.end[axis] -= inner.end[axis] < slab->block.end[axis] ? halo : 0;
    }
    return own;
}

void wabe_grid_cut(const wabe_grid_slab *slab, int sweep, wabe_box inner) {
    const wabe_grid_model *m = &slab->model;
    const wabe_location at = m->fields[m->sweeps[sweep].writes[0]].at;
    const int level = wabe_grid_level_of(m, sweep);
    const wabe_box block = wabe_grid_at_level(m, level, slab->block);
    wabe_grid_args *args[WABE_REGION_COUNT] = {slab->args[sweep][0], slab->args[sweep][1]};
    if (level > 0) {
        add_regions(block.begin, block,
                    wabe_box_is_empty(inner) ? inner : inner_at(slab, level, inner), args);
        return;
    }
    add_regions(block.begin, wabe_location_box(at, block, m->cells, m->periodic),
                wabe_box_is_empty(inner) ? inner
                                         : wabe_location_box(at, inner, m->cells, m->periodic),
                args);
}

/* ---- panels ------------------------------------------------------------------------- */

/* Bytes of a row of cells in all the planes that a sweep reads. */
static int64_t row_bytes(const wabe_grid_model *m, int sweep, int64_t cells) {
    const wabe_grid_sweep_row *s = &m->sweeps[sweep];
    int64_t bytes = 0;
    for (int i = 0; i < s->read_count; i++) {
        const wabe_grid_field_row *f = &m->fields[s->reads[i].field];
        if (s->reads[i].layers > 0 && f->role != WABE_FIELD_CONSTANT)
            bytes += (2 * s->reads[i].layers + 1) * cells * f->components *
                     (int64_t)wabe_type_size(f->type);
    }
    return bytes > 0 ? bytes : cells * (int64_t)wabe_type_size(s->type);
}

/* Rows of a panel that fit into the cache; a pass of several steps keeps three planes per time
 * level. */
static int64_t rows_that_fit(const wabe_kernel *kernel, const wabe_grid_model *m, int sweep,
                             int64_t nx, int depth) {
    const int64_t row = row_bytes(m, sweep, nx);
    if (wabe_stencil_attributes_of(kernel)->tiles && depth > 1)
        return (int64_t)(PANEL_SHARE * (double)wabe_component_cache()) / (depth * row) -
               2 * (depth - 1);
    return PANEL_BYTES / row;
}
static int64_t panel_of(const wabe_kernel *kernel, const wabe_grid_model *m, int sweep, int64_t nx,
                        int depth) {
    const int64_t rows = rows_that_fit(kernel, m, sweep, nx, depth);
    return m->panel > 0 ? m->panel : rows > PANEL_MIN ? rows : PANEL_MIN;
}

static int64_t max_of(int64_t a, int64_t b) { return a > b ? a : b; }

/* Several tiles per thread. A pass of one step computes nothing twice, so its tiles may be
 * small. */
void wabe_grid_shape(const wabe_grid_slab *slab, int sweep, wabe_grid_args *args) {
    const wabe_grid_model *m = &slab->model;
    const wabe_kernel *kernel = slab->kernels[sweep];
    const int64_t *n = args->cells, threads = max_of(slab->component->threads, 1);
    const int depth = m->depth;
    args->panel = panel_of(kernel, m, sweep, n[0], depth);
    args->chunk = m->chunk > 0 ? m->chunk : 1;
    if (!wabe_stencil_attributes_of(kernel)->tiles || depth == 1 || m->chunk > 0)
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

int64_t wabe_grid_scratch(const wabe_kernel *kernel, const wabe_grid_model *m,
                          const int64_t cells[3]) {
    const int64_t size = (int64_t)wabe_type_size(m->sweeps[0].type);
    const wabe_grid_args args = {.cells = {cells[0], cells[1], cells[2]},
                                 .panel = panel_of(kernel, m, 0, cells[0], m->depth)};
    return wabe_stencil_attributes_of(kernel)->tiles && m->depth > 1
               ? size * wabe_windows(&args, m->depth, LINE / size)
               : 0;
}

/* ---- steps of a pass ---------------------------------------------------------------- */

bool wabe_grid_wraps(const wabe_grid_model *m, const int64_t cells[3], int axis) {
    return m->wraps[axis] && m->periodic[axis] && cells[axis] == m->cells[axis];
}

/* Cost per step: 1 for a pass over memory, and the work of each of its steps. */
static double cost_of(const wabe_kernel *kernel, const wabe_grid_model *m, const int64_t cells[3],
                      int depth) {
    double twice = 0.0; /* share of the cells that both sides of a face compute or read */
    for (int axis = 0; axis < 3; axis++)
        if (!wabe_grid_wraps(m, cells, axis) && (m->periodic[axis] || cells[axis] < m->cells[axis]))
            twice += FACES * depth / (double)cells[axis];
    if (wabe_stencil_attributes_of(kernel)->tiles) /* between panels, too */
        twice += (depth - 1) / (double)panel_of(kernel, m, 0, cells[0], depth);
    return (1.0 + wabe_stencil_attributes_of(kernel)->work * depth) / depth * (1.0 + twice);
}

int wabe_grid_depth(const wabe_kernel *kernel, const wabe_grid_model *m, const int64_t cells[3]) {
    int best = 1;
    for (int depth = 2; depth <= wabe_stencil_attributes_of(kernel)->depth; depth++)
        if (m->entry_count == 1 && wabe_grid_fits(m, cells, depth) == WABE_OK &&
            (!wabe_stencil_attributes_of(kernel)->tiles ||
             rows_that_fit(kernel, m, 0, cells[0], depth) >= PANEL_MIN) &&
            cost_of(kernel, m, cells, depth) < cost_of(kernel, m, cells, best))
            best = depth;
    return best;
}
