/* Passes of several steps: of slabs that are streamed through a device, which part of them is there
 * when, or in the caches of CPUs. */
#include "sweeps/lattice/internal.h"

#include "core/device/memory.h"

#include <assert.h>
#include <stdlib.h>

/* ---- set-up ------------------------------------------------------------------------- */

wabe_status wabe_lbm_move_list(wabe_lbm_slab *lbm) {
    const wabe_ring_shape *places = &lbm->passes.plan.places;
    if (places->arrays > 0)
        WABE_TRY(wabe_window_create(lbm->component->device, places,
                                    (wabe_window_arrays){.fixed = 1}, &lbm->passes.places));
    return wabe_list_move(lbm->list, lbm->component, stream_of(lbm), lbm->passes.places);
}

wabe_status wabe_lbm_create_window(wabe_lbm_slab *lbm) {
    const wabe_ring_shape *ring = &lbm->passes.plan.ring;
    WABE_TRY(wabe_rounds_create(lbm->component->device, &lbm->driver.rounds));
    return wabe_window_create(lbm->component->device, ring, lbm->passes.plan.moved,
                              &lbm->driver.window);
}

void wabe_lbm_destroy_passes(wabe_lbm_slab *lbm) {
    wabe_pass_destroy(&lbm->driver);
    wabe_window_destroy(&lbm->passes.places);
    for (int look = 0; look < WABE_LOOKS; look++)
        wabe_memory_destroy(lbm->component, &lbm->passes.passing[look].results);
    free(lbm->passes.chunks);
    free(lbm->passes.planes);
    free(lbm->passes.images);
}

/* ---- what is on the device ---------------------------------------------------------- */

/* Of ten moments exact for the first cell of a group alone, as those of planes are. */
int64_t wabe_lbm_byte(const wabe_lbm_slab *lbm, int64_t cell) {
    const wabe_layout *l = &lbm->stored;
    const int64_t all = is_of_moments(l) ? l->elements / l->components : l->stride;
    const int64_t n = lbm->layout.front + cell;
    return (n < 0 ? 0 : n > all ? all : n) * cell_bytes(l);
}

/* The place of a slot's neighbour indices, those of its tile's first slot. */
static int64_t place_byte(const wabe_lbm_slab *lbm, int64_t slot) {
    const int populations = populations_of(lbm);
    const int64_t all = wabe_list_neighbour_bytes(populations, lbm->list->count);
    const int64_t byte = wabe_neighbour_entry(populations, 1, slot / WABE_TILE * WABE_TILE) *
                         (int64_t)sizeof(uint32_t);
    return slot < 0 ? 0 : byte > all ? all : byte;
}

/* Where that begins, and ends, which steps of cells from begin on, or up to end - 1, access, and
 * blocks of threads load. Of moments the outermost planes have images beyond them. */
static int64_t low_of(const wabe_lbm_slab *lbm, int64_t begin) {
    const int64_t low = begin - lbm->passes.plan.reach - PASS_BESIDE, images = lbm->layout.plane;
    return holds_moments(lbm) && low < images ? low - images : low;
}
static int64_t high_of(const wabe_lbm_slab *lbm, int64_t end) {
    const int64_t high = end + lbm->passes.plan.reach + PASS_BESIDE, images = lbm->layout.plane;
    const int64_t last = wabe_lbm_plane_begin(lbm, lbm->layout.cells[2]) - images;
    return holds_moments(lbm) && high > last ? high + images : high;
}

void wabe_lbm_load(const wabe_lbm_slab *lbm, int64_t begin, int64_t end) {
    if (lbm->driver.window)
        wabe_window_load(lbm->driver.window, stream_of(lbm), wabe_lbm_byte(lbm, low_of(lbm, begin)),
                         wabe_lbm_byte(lbm, high_of(lbm, end)));
    if (lbm->passes.places)
        wabe_window_load(lbm->passes.places, stream_of(lbm), place_byte(lbm, begin - PASS_BESIDE),
                         place_byte(lbm, end + PASS_BESIDE + WABE_TILE));
}

bool wabe_lbm_next_chunks(const wabe_lbm_slab *lbm, wabe_walk *w) {
    const wabe_chunk *chunks = lbm->passes.chunks;
    int64_t count = w->high - w->low;
    if (!lbm->driver.window || count == 0)
        return wabe_walk_take(w, count);
    for (count = 1; count < w->high - w->low; count++) {
        const wabe_chunk *low = &chunks[w->up ? w->low : w->high - 1 - count];
        const wabe_chunk *high = &chunks[w->up ? w->low + count : w->high - 1];
        if (wabe_chunk_end(high) - wabe_chunk_begin(low) > lbm->passes.plan.at_once)
            break;
    }
    wabe_walk_take(w, count);
    wabe_lbm_load(lbm, wabe_chunk_begin(&chunks[w->begin]), wabe_chunk_end(&chunks[w->end - 1]));
    return true;
}

static int64_t cells_of_planes(const wabe_lbm_slab *lbm, int64_t begin, int64_t end) {
    return wabe_lbm_plane_begin(lbm, end) - wabe_lbm_plane_begin(lbm, begin);
}

/* Do the next count planes fit the window? */
static bool fits(const wabe_lbm_slab *lbm, const wabe_walk *w, int64_t count) {
    if (count > w->high - w->low)
        count = w->high - w->low;
    const int64_t begin = w->up ? w->low : w->high - count;
    return cells_of_planes(lbm, begin, begin + count) <= lbm->passes.plan.at_once;
}

bool wabe_lbm_next_planes(const wabe_lbm_slab *lbm, int64_t stride, wabe_walk *w) {
    const int64_t left = w->high - w->low;
    if (!lbm->driver.window || left == 0)
        return wabe_walk_take(w, left);
    int64_t count = stride;
    if (!w->up && left % stride > 0)
        count = left % stride; /* the last range is short */
    while (count < left && fits(lbm, w, count + stride))
        count += stride;
    wabe_walk_take(w, count);
    /* Of a stride that is longer than the window the first plane alone is looked at. */
    const bool all = cells_of_planes(lbm, w->begin, w->end) <= lbm->passes.plan.at_once;
    wabe_lbm_load(lbm, wabe_lbm_plane_begin(lbm, w->begin),
                  wabe_lbm_plane_begin(lbm, all ? w->end : w->begin + 1));
    return true;
}

/* ---- a pass ------------------------------------------------------------------------- */

/* The first of count sorted numbers that is not below this one. */
static int64_t find(const uint32_t *numbers, int64_t count, int64_t number) {
    int64_t begin = 0, end = count;
    while (begin < end) {
        const int64_t middle = (begin + end) / 2;
        if (numbers[middle] < number)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static void launch(const wabe_lbm_slab *lbm, wabe_lbm_sweep sweep, const void *args, int64_t begin,
                   int64_t end) {
    const wabe_call call = {.component = lbm->component,
                            .kernel = lbm->kernels[sweep],
                            .args = args,
                            .first = begin,
                            .count = end - begin,
                            .stream = stream_of(lbm)};
    if (begin < end)
        wabe_calls_run(1, &call, NULL);
}

/* The number of images before the chunk, and those of cells up to ahead further; items are counted
 * up to item, which may be the end. up: bounds are those of cells that are done: behind them there
 * may be a gap. */
static int64_t images_before(const wabe_lbm_slab *lbm, const wabe_pass *pass, int64_t item,
                             int64_t ahead) {
    const wabe_lbm_passes *s = &lbm->passes;
    const int64_t count = lbm->tiles->image_count;
    if (item == 0 || item == pass->count)
        return item == 0 ? 0 : count;
    return find(s->images, count,
                pass->up ? wabe_chunk_end(&pass->chunks[item - 1]) + ahead
                         : wabe_chunk_begin(&pass->chunks[item]) - ahead);
}

/* The images that a part needs, beside those of parts before it: of its cells and of those up to
 * plan.ahead beyond, as far as the level goes, or, of moments, a plane farther at both ends. */
static void run_images(const wabe_lbm_slab *lbm, const wabe_pass *pass,
                       const wabe_pass_part *part) {
    const int64_t ahead = lbm->passes.plan.ahead, count = pass->count, l = part->level;
    const int64_t farther = !holds_moments(lbm) ? 0 : pass->up ? ahead : -ahead;
    const wabe_boundary_args args = wabe_lbm_boundary_args(lbm, part->level);
    const int64_t low = pass->up ? pass->first[l] : count - pass->stop[l];
    const int64_t high = pass->up ? pass->stop[l] : count - pass->first[l];
    const int64_t first = images_before(lbm, pass, low, -farther);
    const int64_t end = images_before(lbm, pass, high, farther);
    const int64_t from = part->begin == low ? first : images_before(lbm, pass, part->begin, ahead);
    const int64_t to = part->end == high ? end : images_before(lbm, pass, part->end, ahead);
    launch(lbm, WABE_LBM_BOUNDARY, &args, from > first ? from : first, to < end ? to : end);
}

void wabe_lbm_make_images(const wabe_lbm_slab *lbm, int steps, int64_t begin, int64_t end) {
    const wabe_lbm_passes *s = &lbm->passes;
    const int64_t farther = holds_moments(lbm) ? s->plan.ahead : 0;
    const int64_t count = lbm->tiles->image_count;
    const wabe_boundary_args args = wabe_lbm_boundary_args(lbm, steps);
    launch(lbm, WABE_LBM_BOUNDARY, &args, s->images ? find(s->images, count, begin - farther) : 0,
           s->images ? find(s->images, count, end + farther) : count);
}

/* Columns of moments march through the part's planes. */
static void run_step(const wabe_lbm_slab *lbm, wabe_stream_collide_args *step,
                     const wabe_pass_part *part) {
    if (!holds_moments(lbm)) {
        launch(lbm, WABE_LBM_STREAM_COLLIDE, step, part->begin, part->end);
        return;
    }
    step->marching.planes[0] = (int32_t)part->begin;
    step->marching.planes[1] = (int32_t)part->end;
    launch(lbm, WABE_LBM_STREAM_COLLIDE, step, 0, lbm->moments.column_count[WABE_REGION_INNER]);
}

/* A part of a step: first what mirrors return, and after it layers at faces. */
static void run_part(void *slab, const wabe_pass *pass, const wabe_pass_part *part) {
    const wabe_lbm_slab *lbm = slab;
    const uint32_t *tiles = lbm->face_layers.numbers[WABE_REGION_INNER];
    const int64_t count = lbm->face_layers.tile_count[WABE_REGION_INNER];
    const wabe_chunk *items = lbm->driver.items;
    const int64_t begin = wabe_chunk_begin(&items[part->begin]);
    const int64_t end = wabe_chunk_end(&items[part->end - 1]);
    wabe_stream_collide_args step = wabe_lbm_step_args(lbm, WABE_REGION_INNER, part->level);
    const wabe_absorb_args absorb = wabe_lbm_absorb_args(lbm, WABE_REGION_INNER, &step,
                                                         part->level);
    if (pass)
        run_images(lbm, pass, part);
    run_step(lbm, &step, part);
    launch(lbm, WABE_LBM_ABSORB, &absorb, find(tiles, count, begin / WABE_TILE),
           find(tiles, count, end / WABE_TILE));
}

double wabe_lbm_kernel_seconds(const wabe_lbm_slab *lbm) {
    wabe_lbm_synchronise(lbm);
    return wabe_rounds_seconds(&lbm->driver.rounds);
}

static bool looks_are_wanted(const wabe_lbm_passes *s) {
    return s->passing[WABE_LOOK_MONITOR].wanted || s->passing[WABE_LOOK_HASH].wanted;
}

/* Takes from a range what lies below an item (up), or from it on. */
static wabe_lbm_range take_known(wabe_lbm_range *left, int64_t item, bool up) {
    wabe_lbm_range now = *left;
    const int64_t inside = item < now.begin ? now.begin : item > now.end ? now.end : item;
    if (up)
        now.end = left->begin = inside;
    else
        now.begin = left->end = inside;
    return now;
}

static void look_at_chunks(wabe_lbm_slab *lbm, int64_t known, bool up) {
    wabe_lbm_passes *s = &lbm->passes;
    const int64_t chunk = (up ? wabe_items_behind : wabe_items_from)(s->chunks, s->chunk_count,
                                                                     known);
    const wabe_lbm_range now = take_known(&s->not_seen, chunk, up);
    if (now.begin == now.end)
        return;
    wabe_lbm_load(lbm, wabe_chunk_begin(&s->chunks[now.begin]),
                  wabe_chunk_end(&s->chunks[now.end - 1]));
    wabe_lbm_look_in_passing(lbm, now.begin, now.end);
}

/* The planes before it lie before a cell (up), or those from it on do not. */
static int64_t plane_at(const wabe_lbm_slab *lbm, int64_t cell, bool up) {
    const wabe_lbm_range *left = &lbm->passes.not_summed;
    int64_t z = up ? left->begin : left->end;
    while (up && z < left->end && wabe_lbm_plane_begin(lbm, z + 1) <= cell)
        z++;
    while (!up && z > left->begin && wabe_lbm_plane_begin(lbm, z - 1) >= cell)
        z--;
    return z;
}

/* Planes without fluid are known all at once, and may be more than the window has room for. */
static void sum_planes(wabe_lbm_slab *lbm, int64_t known, bool up) {
    const wabe_lbm_range now = take_known(&lbm->passes.not_summed, plane_at(lbm, known, up), up);
    wabe_walk walk = {.low = now.begin, .high = now.end, .up = up};
    while (wabe_lbm_next_planes(lbm, 1, &walk))
        wabe_lbm_sum_in_passing(lbm, walk.begin, walk.end);
}

/* Looks at the cells that are known, together with what they receive. */
static void look(void *slab, int64_t cell, bool up) {
    wabe_lbm_slab *lbm = slab;
    const int64_t reach = lbm->passes.plan.reach, known = cell + (up ? -reach : reach);
    if (looks_are_wanted(&lbm->passes))
        look_at_chunks(lbm, known, up);
    if (lbm->passes.summing)
        sum_planes(lbm, known, up);
}

/* Returns the one of two cells that a pass comes to first. */
static int64_t first_of(int64_t a, int64_t b, bool up) { return (up ? a < b : a > b) ? a : b; }

/* The first cell that steps from a cell on, looks and sums still need. */
static int64_t edge_of(const void *slab, int64_t cell, bool up) {
    const wabe_lbm_slab *lbm = slab;
    const wabe_lbm_passes *s = &lbm->passes;
    const wabe_lbm_range *chunks = &s->not_seen, *planes = &s->not_summed;
    int64_t edge = up ? low_of(lbm, cell) : high_of(lbm, cell);
    if (looks_are_wanted(s) && chunks->begin < chunks->end)
        edge = first_of(edge,
                        up ? low_of(lbm, wabe_chunk_begin(&s->chunks[chunks->begin]))
                           : high_of(lbm, wabe_chunk_end(&s->chunks[chunks->end - 1])),
                        up);
    if (s->summing && planes->begin < planes->end)
        edge = first_of(edge,
                        up ? low_of(lbm, wabe_lbm_plane_begin(lbm, planes->begin))
                           : high_of(lbm, wabe_lbm_plane_begin(lbm, planes->end)),
                        up);
    return edge;
}

static void release(const void *slab, int64_t cell, bool up) {
    const wabe_lbm_slab *lbm = slab;
    wabe_window_release(lbm->driver.window, stream_of(lbm), wabe_lbm_byte(lbm, cell), up);
    if (lbm->passes.places)
        wabe_window_release(lbm->passes.places, stream_of(lbm), place_byte(lbm, cell), up);
}

static void load(const void *lbm, int64_t begin, int64_t end) { wabe_lbm_load(lbm, begin, end); }

/* Of moments, which have two grids. */
static void swap_grids(const void *slab, int steps) {
    const wabe_lbm_slab *lbm = slab;
    wabe_window_swap(lbm->driver.window, (uint64_t)1 << grid_after(lbm, 0),
                     (uint64_t)1 << grid_after(lbm, steps));
}

void wabe_lbm_settle_grids(const wabe_lbm_slab *lbm) {
    if (lbm->driver.swap)
        lbm->driver.swap(lbm, 0);
}

void wabe_lbm_pass(wabe_lbm_slab *lbm) {
    const wabe_lbm_passes *s = &lbm->passes;
    assert(s->steps <= (lbm->driver.window ? s->plan.steps_per_pass : WABE_PASS_LEVELS_MAX));
    if (lbm->driver.window)
        wabe_lbm_begin_looks(lbm);
    wabe_pass_run(&lbm->driver, &lbm->timeline, s->steps, s->steps);
    wabe_lbm_settle_grids(lbm);
    if (lbm->driver.window)
        wabe_lbm_end_looks(lbm);
}

/* ---- preparation -------------------------------------------------------------------- */

static wabe_status fetch_images(wabe_lbm_slab *lbm) {
    const int64_t count = lbm->tiles->image_count;
    wabe_image_link *links = malloc((size_t)count * sizeof *links);
    lbm->passes.images = malloc((size_t)count * sizeof *lbm->passes.images);
    wabe_status status = links && lbm->passes.images
                             ? wabe_memory_read(lbm->component, stream_of(lbm), links,
                                                lbm->tiles->images, count * (int64_t)sizeof *links)
                             : WABE_FAIL(WABE_MEMORY, "no memory for %lld mirrored populations",
                                         (long long)count);
    for (int64_t i = 0; i < count && status == WABE_OK; i++)
        lbm->passes.images[i] = (uint32_t)links[i].cell;
    free(links);
    return status;
}

/* Images have to be made before each level comes, in the order of cells. */
static bool can_have_panels(const wabe_lbm_slab *lbm) {
    return lbm->model.residency.rows > 0 && !lbm->driver.window && !lbm->list &&
           lbm->tiles->image_count == 0 && !lbm->layout.flat[1] &&
           lbm->layout.pitch >= WABE_PANELS_PITCH_LEAST;
}

static wabe_status make_planes(wabe_lbm_slab *lbm) {
    const int64_t count = lbm->layout.cells[2], tiles = lbm->layout.plane / WABE_TILE;
    wabe_chunk *planes = malloc((size_t)count * sizeof *planes);
    WABE_CHECK(planes, WABE_MEMORY, "no memory for the planes of a streamed slab");
    for (int64_t z = 0; z < count; z++)
        planes[z] = (wabe_chunk){.first_tile = (uint32_t)(z * tiles),
                                 .tile_count = (uint32_t)tiles};
    lbm->passes.planes = planes;
    return WABE_OK;
}

/* Why a slab can have no passes; NULL: it can. */
static const char *obstacle(const wabe_lbm_slab *lbm) {
    const bool streamed = lbm->driver.window;
    if (lbm->offsets.grids == 2 && !(holds_moments(lbm) && streamed))
        return "passes of several steps need lbm.streaming = \"in_place\" or \"list\", or a "
               "streamed slab of \"moments\"";
    if (lbm->wraps[2] && lbm->domain[2] > 1)
        return "passes of several steps know no periodic z axis of more than a cell";
    if (!lbm->spans[0] || !lbm->spans[1])
        return "slabs cut along x or y have no passes of several steps";
    if (!streamed && !lbm->spans[2])
        return "slabs with neighbours have passes of several steps if they are streamed alone";
    return NULL;
}

static void prepare_driver(wabe_lbm_slab *lbm) {
    wabe_lbm_passes *s = &lbm->passes;
    wabe_pass_driver *d = &lbm->driver;
    d->own = lbm;
    d->stream = stream_of(lbm);
    d->items = s->planes ? s->planes : s->chunks;
    d->item_count = s->planes ? lbm->layout.cells[2] : s->chunk_count;
    d->planes = lbm->layout.cells[2];
    d->reach = s->plan.reach;
    d->advance = s->plan.advance;
    d->shrink = d->beyond = 1;
    d->run = run_part;
    d->load = load;
    d->edge = edge_of;
    d->release = release;
    d->swap = holds_moments(lbm) && d->window ? swap_grids : NULL;
    d->finished = look;
}

wabe_status wabe_lbm_prepare_passes(wabe_lbm_slab *lbm) {
    const wabe_region *inner = &lbm->tiles->regions[WABE_REGION_INNER];
    wabe_lbm_passes *s = &lbm->passes;
    const char *why = obstacle(lbm);
    WABE_CHECK(!why, WABE_INPUT, "%s", why);
    s->steps = 1;
    s->chunk_count = inner->chunk_count;
    s->chunks = malloc((size_t)(s->chunk_count + 1) * sizeof *s->chunks);
    WABE_CHECK(s->chunks, WABE_MEMORY, "no memory for %lld chunks of cells",
               (long long)s->chunk_count);
    s->in_use = true;
    WABE_TRY(wabe_memory_read(lbm->component, stream_of(lbm), s->chunks, inner->chunks,
                              s->chunk_count * (int64_t)sizeof *s->chunks));
    if (can_have_panels(lbm))
        WABE_TRY(
            wabe_panels_create(s->chunks, s->chunk_count, lbm->layout.plane, lbm->layout.cells[2],
                               lbm->model.residency.rows * lbm->layout.pitch, lbm->layout.pitch + 1,
                               lbm->model.residency.steps_per_pass, &lbm->driver.panels));
    if (holds_moments(lbm))
        WABE_TRY(make_planes(lbm));
    prepare_driver(lbm);
    if (lbm->driver.window)
        WABE_TRY(wabe_lbm_prepare_looks(lbm));
    return lbm->tiles->image_count > 0 ? fetch_images(lbm) : WABE_OK;
}
