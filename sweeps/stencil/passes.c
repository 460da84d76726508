/* Passes through grids that are streamed through a device: which planes are there when. A level of
 * a pass (sweeps/stream/pass.h) is a sweep of a step; if a step has only one, model.depth time
 * steps, or what is left of the pass. With two grids a level writes the one that does not have the
 * field's present values; planes that leave take along the one that has them after the last level,
 * and those that come bring the one that has them before the first. */
#include "sweeps/stencil/internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    BEHIND = 2,         /* slots for pieces that come and go while others are in use */
    LEVELS_CHOSEN = 60, /* while 14 arrays are loaded at 50 GB/s, a kernel that moves them once at
                           0.95 of 3000 GB/s does 57 steps; diffusion needs fewer */
    ROUNDS_OF_WINDOW = 4,
    ADVANCE_OF_REACH = 16, /* planes of a call for each layer that it computes twice at both ends */
    ADVANCE_LEAST = 4,     /* if it computes none twice */
    BESIDE = 1 /* planes beyond those that a level accesses: ghost rows lie between planes */
};

/* ---- the plan ----------------------------------------------------------------------- */

static bool takes_turns(const wabe_grid_field_row *f) { return f->grids == 2 && !f->fixed_layer; }

static int count_arrays(const wabe_grid_model *m) {
    int count = 0;
    for (int f = 0; f < m->field_count; f++)
        count += m->fields[f].grids * m->fields[f].components;
    return count;
}

int wabe_grid_array(const wabe_grid_model *m, int field, int grid) {
    int first = grid * m->fields[field].components;
    for (int f = 0; f < field; f++)
        first += m->fields[f].grids * m->fields[f].components;
    return first;
}

static uint64_t bits(int first, int count) {
    return (~(uint64_t)0 >> (WABE_WINDOW_ARRAYS_MAX - count)) << first;
}

/* The arrays of constants, or those of the state; of fields that take turns, the current ones. */
static uint64_t arrays_of(const wabe_grid_model *m, bool constant, const int current[]) {
    uint64_t arrays = 0;
    for (int f = 0; f < m->field_count; f++) {
        const wabe_grid_field_row *row = &m->fields[f];
        if (row->role != (constant ? WABE_FIELD_CONSTANT : WABE_FIELD_STATE))
            continue;
        for (int grid = 0; grid < row->grids; grid++)
            if (!takes_turns(row) || grid == current[f])
                arrays |= bits(wabe_grid_array(m, f, grid), row->components);
    }
    return arrays;
}

const char *wabe_grid_obstacle(const wabe_grid_model *m) {
    for (int i = 0; i < m->entry_count; i++)
        if (m->entries[i].kind != WABE_STEP_SWEEP ||
            (m->entry_count > 1 && m->sweeps[m->entries[i].number].reduction_count > 0))
            return "a step must have sweeps alone, no loops, and reduce nothing if it has several";
    if (count_arrays(m) > WABE_WINDOW_ARRAYS_MAX)
        return "a cell has too many numbers";
    if (wabe_grid_halo(m) == 0)
        return "a sweep must read neighbours of a cell";
    if (m->periodic[2] && m->cells[2] == 1)
        return "a periodic z axis must have more than one cell";
    if ((m->periodic[0] && !m->wraps[0]) || (m->periodic[1] && !m->wraps[1]))
        return "kernels must be able to go round periodic axes: choose a length along x that they "
               "can";
    for (const wabe_grid_field_row *f = m->fields; f < m->fields + m->field_count; f++)
        if (f->at != WABE_AT_CELLS || f->group > 0 || f->type != m->fields[0].type || f->flat[1] ||
            f->flat[2] || m->look_count > 0)
            return "all numbers must be at cells, of one type, not interleaved, and of the state "
                   "or constants of each cell";
    return NULL;
}

/* The bytes of the rows of a plane's cells. */
static int64_t rows_bytes(const wabe_layout *l) {
    return l->cells[1] * l->pitch * (int64_t)wabe_type_size(l->type);
}

static int64_t plane_bytes(const wabe_grid_model *m, const wabe_layout *layout) {
    int64_t numbers = 0;
    for (int f = 0; f < m->field_count; f++)
        numbers += m->fields[f].role == WABE_FIELD_STATE ? m->fields[f].components : 0;
    return numbers * rows_bytes(layout);
}

/* Levels that so many time steps are, and time steps that whole levels are. */
static int levels_of(const wabe_grid_model *m, int steps) {
    return (steps + m->depth - 1) / m->depth * m->entry_count;
}
static int steps_of(const wabe_grid_model *m, int levels) {
    return levels / m->entry_count * m->depth;
}

/* Planes that are on the device in a round of a pass. */
static int64_t planes_of_round(const wabe_grid_pass_plan *p, int levels) {
    const int64_t exactly = 0; /* levels are whole planes apart: see grain */
    return wabe_pass_span(levels, p->reach, p->advance, exactly) + 2 * (p->reach + BESIDE);
}

/* Levels of a pass whose next round's planes may come while a round runs. */
static int most_levels(const wabe_grid_pass_plan *p, int64_t planes) {
    int levels = 0;
    while (levels < WABE_PASS_LEVELS_MAX && planes_of_round(p, levels + 1) + p->advance <= planes)
        levels++;
    return levels;
}

/* Any so many successive planes fit the window, wherever pieces begin; or if nothing ever goes, all
 * planes for each level of any number. */
static int64_t planes_of_window(const wabe_grid_pass_plan *p, int64_t planes, int64_t plane_bytes) {
    return p->ring.slots == p->ring.pieces
               ? ROUNDS_OF_WINDOW * (planes + WABE_PASS_LEVELS_MAX * p->reach)
               : (p->ring.slots - BEHIND - 1) * p->ring.piece / plane_bytes;
}

/* A ring with pieces so small that there is room for a step; advance: 1. */
static wabe_status plan_ring(int64_t unit, const wabe_layout *layout, const wabe_grid_model *m,
                             wabe_grid_pass_plan *p) {
    const int64_t size = (int64_t)wabe_type_size(layout->type), plane = layout->plane * size;
    const int arrays = p->ring.arrays, levels = levels_of(m, 1);
    const int64_t memory = m->residency.memory;
    int64_t piece = 2 * wabe_window_piece(unit, arrays, memory);
    bool fits = false;
    while (!fits && piece > unit) {
        piece /= 2;
        p->ring = wabe_window_shape(piece, layout->stride * size, arrays, memory);
        fits = most_levels(p, planes_of_window(p, layout->cells[2], plane)) >= levels;
    }
    p->least = ((planes_of_round(p, levels) + p->advance) * plane / piece + 2 + BEHIND) * piece *
               arrays;
    WABE_CHECK(fits, WABE_MEMORY,
               "%.3g GB of a GPU's memory are too little for a streamed slab: its smallest window "
               "needs %.3g GB",
               (double)memory * 1e-9, (double)p->least * 1e-9);
    return WABE_OK;
}

/* Levels are on the device together, and so are the planes of a round and of the next one. A call
 * of several steps on few planes computes too much twice; only if asked for, levels take that room.
 */
static wabe_status choose_levels(const wabe_grid_model *m, int64_t planes, wabe_grid_pass_plan *p) {
    const int given = m->residency.steps_per_pass, least = levels_of(m, 1);
    const int wanted = given > 0 ? levels_of(m, given) : LEVELS_CHOSEN;
    WABE_CHECK(given == 0 || most_levels(p, planes) >= wanted, WABE_INPUT,
               "the window has room for passes of %d steps at most",
               steps_of(m, most_levels(p, planes)));
    const int64_t wide = planes / ROUNDS_OF_WINDOW > 1 ? planes / ROUNDS_OF_WINDOW : 1;
    const int64_t wanted_of_call = m->depth > 1 ? ADVANCE_OF_REACH * p->reach : ADVANCE_LEAST;
    const int64_t enough = wanted_of_call < wide ? wanted_of_call : wide;
    p->advance = wide;
    while (p->advance > (given > 0 ? 1 : enough) && most_levels(p, planes) < wanted)
        p->advance--;
    while (p->advance > 1 && most_levels(p, planes) < least)
        p->advance--;
    const int most = most_levels(p, planes);
    p->steps_per_pass = given > 0 ? given : steps_of(m, most < wanted ? most : wanted);
    return WABE_OK;
}

wabe_status wabe_grid_plan_passes(int64_t unit, const wabe_grid_model *m, const int64_t cells[3],
                                  wabe_grid_pass_plan *p) {
    static const int first[WABE_GRID_FIELDS_MAX] = {0};
    const wabe_layout layout = wabe_grid_layout(m, 0, cells, WABE_TARGET_gpu);
    *p = (wabe_grid_pass_plan){.reach = wabe_grid_halo(m), .advance = 1};
    p->arrays = (wabe_window_arrays){arrays_of(m, false, first), arrays_of(m, true, first)};
    p->ring.arrays = count_arrays(m);
    WABE_CHECK(unit > 0, WABE_INPUT,
               "the GPU's driver cannot map memory more than once, as streamed slabs need");
    WABE_TRY(plan_ring(unit, &layout, m, p));
    const int64_t planes = planes_of_window(p, cells[2],
                                            layout.plane * (int64_t)wabe_type_size(layout.type));
    p->at_once = planes - 2 * BESIDE;
    p->plane_bytes = plane_bytes(m, &layout);
    return choose_levels(m, planes, p);
}

/* ---- what is on the device ---------------------------------------------------------- */

static wabe_stream *stream_of(const wabe_grid_slab *slab) {
    return slab->timeline.streams[WABE_REGION_OUTER];
}

/* The place of a plane in an array, in bytes, or the array's end next to it. */
static int64_t byte_of(const wabe_grid_slab *slab, int64_t plane) {
    const wabe_layout *l = &slab->layouts[0];
    const int64_t far = l->cells[2] + slab->streamed.plan.reach + BESIDE; /* beyond both ends */
    const int64_t z = plane < -far ? -far : plane > far ? far : plane;
    const int64_t n = l->front + z * l->plane, all = l->stride;
    return (n < 0 ? 0 : n > all ? all : n) * (int64_t)wabe_type_size(l->type);
}

void wabe_grid_load(const wabe_grid_slab *slab, int64_t begin, int64_t end) {
    if (slab->driver.window)
        wabe_window_load(slab->driver.window, stream_of(slab), byte_of(slab, begin - BESIDE),
                         byte_of(slab, end + BESIDE));
}

wabe_walk wabe_grid_walk_through(const wabe_grid_slab *slab) {
    const int64_t first = slab->block.begin[2] - slab->held.begin[2];
    return wabe_walk_through(slab->driver.window, first, first + wabe_box_extent(slab->block, 2));
}

bool wabe_grid_next_planes(const wabe_grid_slab *slab, wabe_walk *w) {
    if (!wabe_walk_take(w, slab->driver.window ? slab->streamed.plan.at_once : w->high - w->low))
        return false;
    wabe_grid_load(slab, w->begin, w->end);
    return true;
}

/* The number of a level's sweep. */
static int sweep_of(const wabe_grid_model *m, int level) {
    return m->entries[level % m->entry_count].number;
}

/* The current grids after so many levels more. */
static void grids_after(const wabe_grid_slab *slab, int levels, int out[WABE_GRID_FIELDS_MAX]) {
    const wabe_grid_model *m = &slab->model;
    memcpy(out, slab->current, sizeof slab->current);
    for (int level = 0; level < levels; level++) {
        const wabe_grid_sweep_row *s = &m->sweeps[sweep_of(m, level)];
        for (int i = 0; i < s->write_count; i++)
            out[s->writes[i]] ^= m->fields[s->writes[i]].grids == 2;
    }
}

/* ---- ghost planes ------------------------------------------------------------------- */

int wabe_grid_ghost_planes(const wabe_grid_model *m, int steps) {
    return levels_of(m, steps) * wabe_grid_halo(m);
}

wabe_box wabe_grid_held(const wabe_grid_model *m, wabe_box block) {
    return m->residency.memory == 0
               ? block
               : wabe_ghosts_around(block, m->cells, m->periodic,
                                    wabe_grid_ghost_planes(m, m->residency.steps_per_pass));
}

/* The rows of a plane in the current grids of the state. */
static int parts_of(const void *context, int64_t plane, wabe_ghost_state state,
                    wabe_window_part out[WABE_WINDOW_ARRAYS_MAX]) {
    const wabe_grid_slab *slab = context;
    const wabe_grid_model *m = &slab->model;
    int count = 0, current[WABE_GRID_FIELDS_MAX];
    grids_after(slab, state.after, current);
    for (int f = 0; f < m->field_count; f++)
        for (int i = 0; m->fields[f].role == WABE_FIELD_STATE && i < m->fields[f].components; i++)
            out[count++] = (wabe_window_part){.array = wabe_grid_array(m, f, current[f]) + i,
                                              .begin = byte_of(slab, plane),
                                              .bytes = rows_bytes(&slab->layouts[f])};
    return count;
}

static void bytes_of(const void *slab, int64_t plane, int64_t *begin, int64_t *end) {
    *begin = byte_of(slab, plane - BESIDE);
    *end = byte_of(slab, plane + 1 + BESIDE);
}

static int64_t cell_of(const void *slab, int64_t plane) {
    (void)slab;
    return plane * WABE_TILE; /* a plane is an item of one tile: wabe_grid_create_window */
}

wabe_status wabe_grid_meet_neighbours(wabe_grid_slab *slab, MPI_Comm comm,
                                      const int ranks[WABE_SIDES], bool share) {
    const wabe_grid_pass_plan *plan = &slab->streamed.plan;
    const wabe_ghost_slab planes = {.device = slab->component->device,
                                    .begin = slab->block.begin[2] - slab->held.begin[2],
                                    .end = slab->block.end[2] - slab->held.begin[2],
                                    .plane_bytes = plan->plane_bytes,
                                    .cell = cell_of,
                                    .bytes = bytes_of,
                                    .parts = parts_of};
    return wabe_pass_meet_neighbours(&slab->driver, comm, planes,
                                     wabe_grid_ghost_planes(&slab->model, plan->steps_per_pass),
                                     ranks, share);
}

/* ---- a pass ------------------------------------------------------------------------- */

/* Reductions are of the pass's last time step: levels before the last one leave theirs aside. */
static void run_part(void *own, const wabe_pass *pass, const wabe_pass_part *part) {
    wabe_grid_slab *slab = own;
    const wabe_grid_model *m = &slab->model;
    const int sweep = sweep_of(m, part->level), step = steps_of(m, part->level);
    const wabe_kernel *kernel = slab->kernels[sweep];
    const bool last = part->level >= pass->levels - m->entry_count;
    wabe_grid_args *args = slab->streamed.args;
    int current[WABE_GRID_FIELDS_MAX];
    grids_after(slab, part->level, current);
    memcpy(args, slab->args[sweep][WABE_REGION_INNER], kernel->sweep->args_size);
    wabe_grid_take_planes(args, part->begin, part->end);
    wabe_grid_point_fields(slab, sweep, current, args);
    args->step = slab->step + step;
    args->steps = last ? slab->steps - step : m->depth;
    args->pass = slab->passes[sweep];
    wabe_grid_set_values(&m->entries[part->level % m->entry_count], args);
    for (int i = 0; i < m->sweeps[sweep].reduction_count && !last; i++)
        args->reductions[i].slots = slab->streamed.aside;
    wabe_timeline_run(&slab->timeline, kernel, args, wabe_grid_items(kernel, args));
}

static void load(const void *own, int64_t begin, int64_t end) {
    const wabe_grid_slab *slab = own;
    const int64_t reach = slab->streamed.plan.reach;
    wabe_grid_load(slab, begin / WABE_TILE - reach, end / WABE_TILE + reach);
}

static int64_t edge_of(const void *own, int64_t cell, bool up) {
    const int64_t beside = ((const wabe_grid_slab *)own)->streamed.plan.reach + BESIDE;
    return cell + (up ? -beside : beside) * WABE_TILE;
}

static void release(const void *own, int64_t cell, bool up) {
    const wabe_grid_slab *slab = own;
    wabe_window_release(slab->driver.window, stream_of(slab), byte_of(slab, cell / WABE_TILE), up);
}

static void swap_grids(const void *own, int levels) {
    const wabe_grid_slab *slab = own;
    int after[WABE_GRID_FIELDS_MAX];
    grids_after(slab, levels, after);
    wabe_window_swap(slab->driver.window, arrays_of(&slab->model, false, slab->current),
                     arrays_of(&slab->model, false, after));
}

void wabe_grid_pass(wabe_grid_slab *slab) {
    const int levels = levels_of(&slab->model, slab->steps);
    int after[WABE_GRID_FIELDS_MAX];
    assert(slab->steps <= slab->streamed.plan.steps_per_pass);
    wabe_pass_run(&slab->driver, &slab->timeline, levels, slab->steps);
    grids_after(slab, levels, after);
    memcpy(slab->current, after, sizeof after);
    swap_grids(slab, 0);
    for (int i = 0; i < slab->model.sweep_count; i++)
        slab->passes[i]++;
}

double wabe_grid_kernel_seconds(const wabe_grid_slab *slab) {
    wabe_timeline_synchronise(&slab->timeline);
    return wabe_rounds_seconds(&slab->driver.rounds);
}

/* ---- set-up ------------------------------------------------------------------------- */

static size_t largest_args(const wabe_grid_model *m) {
    size_t size = 0;
    for (int i = 0; i < m->sweep_count; i++)
        size = m->sweeps[i].sweep->args_size > size ? m->sweeps[i].sweep->args_size : size;
    return size;
}

/* The last level covers the slab, so that its reductions have all of it, and nothing else. */
static void prepare_driver(wabe_grid_slab *slab) {
    const wabe_grid_pass_plan *plan = &slab->streamed.plan;
    wabe_pass_driver *d = &slab->driver;
    d->own = slab;
    d->stream = stream_of(slab);
    d->items = slab->streamed.planes;
    d->item_count = d->planes = wabe_box_extent(slab->held, 2);
    d->reach = plan->reach * WABE_TILE;
    d->advance = plan->advance * WABE_TILE;
    d->shrink = (int)plan->reach;
    d->run = run_part;
    d->load = load;
    d->edge = edge_of;
    d->release = release;
    d->swap = swap_grids;
}

wabe_status wabe_grid_create_window(wabe_grid_slab *slab) {
    const int64_t planes = wabe_box_extent(slab->held, 2);
    wabe_grid_streamed *s = &slab->streamed;
    void *aside = NULL;
    s->planes = malloc((size_t)planes * sizeof *s->planes);
    s->args = malloc(largest_args(&slab->model));
    WABE_CHECK(s->planes && s->args, WABE_MEMORY, "no memory for the planes of a streamed slab");
    for (int64_t z = 0; z < planes; z++)
        s->planes[z] = (wabe_chunk){.first_tile = (uint32_t)z, .tile_count = 1};
    WABE_TRY(wabe_memory_create(slab->component,
                                WABE_REDUCTION_SLOTS * (int64_t)sizeof(wabe_reduction_slot),
                                &aside));
    s->aside = aside;
    prepare_driver(slab);
    WABE_TRY(wabe_rounds_create(slab->component->device, &slab->driver.rounds));
    return wabe_window_create(slab->component->device, &s->plan.ring, s->plan.arrays,
                              &slab->driver.window);
}

void wabe_grid_destroy_passes(wabe_grid_slab *slab) {
    void *aside = slab->streamed.aside;
    wabe_ghosts_drain(&slab->driver.ghosts);
    wabe_pass_destroy(&slab->driver);
    wabe_memory_destroy(slab->component, &aside);
    free(slab->streamed.planes);
    free(slab->streamed.args);
}

void wabe_grid_clear_window(wabe_grid_slab *slab) {
    wabe_timeline_synchronise(&slab->timeline);
    wabe_ghosts_drain(&slab->driver.ghosts);
    wabe_ghosts_restart(&slab->driver.ghosts);
    wabe_window_clear(slab->driver.window);
    wabe_rounds_clear(&slab->driver.rounds);
    swap_grids(slab, 0); /* the present state is in the current grids */
}
