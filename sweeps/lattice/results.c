/* Results of a slab: moments, sums, hashes. */
#include "sweeps/lattice/internal.h"

#include "core/device/memory.h"
#include "core/device/team.h"

#include <stdlib.h>
#include <string.h>

/* ---- cells -------------------------------------------------------------------------- */

void wabe_lbm_cell(const wabe_lbm_slab *lbm, int64_t n, int64_t cell[3]) {
    const wabe_layout *l = &lbm->layout;
    cell[0] = lbm->held.begin[0] + n % l->pitch;
    cell[1] = lbm->held.begin[1] + n % l->plane / l->pitch;
    cell[2] = lbm->held.begin[2] + n / l->plane;
}

/* The first slot in a region's sorted range whose cell is not before this one. */
static int64_t first_slot(const wabe_lbm_slab *lbm, int64_t begin, int64_t end, int64_t cell) {
    while (begin < end) {
        const int64_t middle = (begin + end) / 2;
        if (lbm->list->cells[middle] < cell) /* padding slots come after all cells */
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

slot_ranges wabe_lbm_slots(const wabe_lbm_slab *lbm, int64_t z_begin, int64_t z_end) {
    const wabe_region *inner = &lbm->tiles->regions[WABE_REGION_INNER];
    const int64_t first = lbm->held.begin[2];
    if (lbm->list->planes)
        return (slot_ranges){.end = {0, wabe_lbm_plane_begin(lbm, z_end - first)},
                             .begin = {0, wabe_lbm_plane_begin(lbm, z_begin - first)}};
    const int64_t low = (z_begin - first) * lbm->layout.plane;
    const int64_t high = (z_end - first) * lbm->layout.plane;
    const int64_t ends[3] = {0,
                             inner->cells ? (int64_t)inner->first_tile * WABE_TILE
                                          : lbm->list->count,
                             lbm->list->count};
    slot_ranges slots;
    for (int region = 0; region < 2; region++) {
        slots.begin[region] = first_slot(lbm, ends[region], ends[region + 1], low);
        slots.end[region] = first_slot(lbm, slots.begin[region], ends[region + 1], high);
    }
    return slots;
}

int64_t wabe_lbm_slot_in_box(const wabe_lbm_slab *lbm, int64_t slot, wabe_box box) {
    int64_t cell[3];
    if (lbm->list->cells[slot] == WABE_NO_CELL)
        return -1;
    wabe_lbm_cell(lbm, lbm->list->cells[slot], cell);
    if (!wabe_box_contains(box, cell[0], cell[1], cell[2]))
        return -1;
    return wabe_box_place(box, cell[0], cell[1], cell[2]);
}

/* ---- moments ------------------------------------------------------------------------ */

/* ahead: steps after the present state. */
static wabe_macroscopic_args args_of(const wabe_lbm_slab *lbm, wabe_box box, int64_t step,
                                     int ahead, const wabe_moment_values *values) {
    wabe_macroscopic_args args = {.field = numbers_after(lbm, ahead),
                                  .out = lbm->offsets.out[(last_parity(lbm) + ahead) & 1],
                                  .collision = wabe_lbm_collision(lbm, ahead - 1),
                                  .pitch = lbm->layout.pitch,
                                  .plane = lbm->layout.plane,
                                  .step = step,
                                  .values = *values,
                                  .form = lbm->form};
    for (int d = 0; d < 3; d++) {
        args.begin[d] = box.begin[d] - lbm->held.begin[d];
        args.cells[d] = wabe_samples(wabe_box_extent(box, d), step);
    }
    return args;
}

/* Planes begin to end - 1 of the box, counted from the layout's first. */
static void put_range(const wabe_lbm_slab *lbm, wabe_box box, int64_t begin, int64_t end,
                      int64_t step, int ahead, const wabe_moment_values *values) {
    const int64_t z = lbm->held.begin[2], first = box.begin[2] - z;
    const int64_t size = values->sums > 0 ? (int64_t)sizeof(double)
                                          : (int64_t)wabe_type_size(values->type);
    const int64_t row = values->sums > 0 ? 1 : values->cell_stride;
    box.begin[2] = z + begin;
    box.end[2] = z + end;
    wabe_macroscopic_args args = args_of(lbm, box, step, ahead, values);
    const int64_t before = (begin - first) / step * args.cells[0] * args.cells[1];
    args.fluid = lbm->tiles->fluid_there;
    args.values.values = (char *)values->values + before * row * size;
    run_once(lbm, WABE_LBM_MACROSCOPIC, &args, args.cells[1] * args.cells[2]);
}

/* The slots of a list in planes begin to end - 1 of the box, likewise. */
static void put_slots(const wabe_lbm_slab *lbm, wabe_box box, int64_t begin, int64_t end,
                      int64_t step, int ahead, const wabe_moment_values *values) {
    const int64_t z = lbm->held.begin[2];
    const slot_ranges slots = wabe_lbm_slots(lbm, z + begin, z + end);
    wabe_macroscopic_args args = args_of(lbm, box, step, ahead, values);
    args.neighbours = places_of(lbm, (last_parity(lbm) + ahead) & 1);
    args.numbers = lbm->list->cells_there;
    for (int range = 0; range < 2; range++) {
        args.first = slots.begin[range];
        args.end = slots.end[range];
        run_once(lbm, WABE_LBM_MACROSCOPIC, &args,
                 (args.end - args.first + WABE_SLOTS_OF_ITEM - 1) / WABE_SLOTS_OF_ITEM);
    }
}

/* The planes of the box that are on the device together, one range after the other. A list has no
 * solid cells: all cells of the box are first written as solid. */
static void put_moments(const wabe_lbm_slab *lbm, wabe_box box, int64_t step,
                        const wabe_moment_values *values) {
    const int64_t z = lbm->held.begin[2];
    const wabe_macroscopic_args all = args_of(lbm, box, step, 0, values);
    wabe_walk walk = wabe_walk_through(lbm->driver.window, box.begin[2] - z, box.end[2] - z);
    if (lbm->list && values->sums == 0)
        run_once(lbm, WABE_LBM_MACROSCOPIC, &all, all.cells[1] * all.cells[2]);
    while (wabe_lbm_next_planes(lbm, step, &walk))
        (lbm->list ? put_slots : put_range)(lbm, box, walk.begin, walk.end, step, 0, values);
}

/* out: bytes of the host's memory. */
static wabe_status read_moments(const wabe_lbm_slab *lbm, wabe_box box, int64_t step,
                                wabe_moment_values values, int64_t bytes, void *out) {
    values.values = out;
    wabe_lbm_synchronise(lbm);
    if (lbm->component->device)
        WABE_TRY(wabe_scratch_get(lbm->scratch, bytes, &values.values));
    put_moments(lbm, box, step, &values);
    return lbm->component->device
               ? wabe_memory_read(lbm->component, stream_of(lbm), out, values.values, bytes)
               : WABE_OK;
}

wabe_status wabe_lbm_moments(const wabe_lbm_slab *lbm, wabe_box box, int count, double *moments) {
    const int64_t cells = wabe_box_cells(box);
    const wabe_moment_values values = {.type = WABE_TYPE_f64,
                                       .count = count,
                                       .factor = 1.0,
                                       .cell_stride = 1,
                                       .moment_stride = cells};
    return read_moments(lbm, box, 1, values, count * cells * (int64_t)sizeof *moments, moments);
}

wabe_status wabe_lbm_quantity(const wabe_lbm_slab *lbm, const wabe_quantity *quantity, wabe_box box,
                              int64_t step, wabe_type type, void *out) {
    const wabe_moment_values values = {.type = type,
                                       .first = quantity->first,
                                       .count = quantity->count,
                                       .offset = quantity->offset,
                                       .factor = quantity->factor,
                                       .cell_stride = quantity->count,
                                       .moment_stride = 1};
    int64_t bytes = quantity->count * (int64_t)wabe_type_size(type);
    for (int d = 0; d < 3; d++)
        bytes *= wabe_samples(wabe_box_extent(box, d), step);
    return read_moments(lbm, box, step, values, bytes, out);
}

/* ---- sums over time ----------------------------------------------------------------- */

static int64_t sums_bytes(const wabe_lbm_slab *lbm) {
    return lbm->sum_rows * wabe_box_cells(lbm->block) * (int64_t)sizeof(double);
}

/* Run by the threads that will add to the sums, so that each zeroes, and neighbours, its own pages.
 */
static void clear_sums(void *context, int64_t begin, int64_t end) {
    const wabe_lbm_slab *lbm = context;
    for (int row = 0; row < lbm->sum_rows; row++)
        memset((double *)lbm->sums + row * wabe_box_cells(lbm->block) + begin, 0,
               (size_t)(end - begin) * sizeof(double));
}

static bool sums_are_near(const wabe_lbm_slab *lbm) { return lbm->driver.window != NULL; }

static wabe_status create_sums(wabe_lbm_slab *lbm) {
    return sums_are_near(lbm) ? wabe_memory_create_near(true, sums_bytes(lbm), &lbm->sums)
                              : wabe_memory_create(lbm->component, sums_bytes(lbm), &lbm->sums);
}

void wabe_lbm_destroy_sums(wabe_lbm_slab *lbm) {
    if (sums_are_near(lbm))
        wabe_memory_destroy_near(&lbm->sums);
    else
        wabe_memory_destroy(lbm->component, &lbm->sums);
}

wabe_status wabe_lbm_begin_sums(wabe_lbm_slab *lbm, int rows, double threshold) {
    lbm->sum_rows = rows;
    lbm->sum_threshold = threshold;
    lbm->passes.summed = -1;
    if (!lbm->sums)
        WABE_TRY(create_sums(lbm));
    if (sums_are_near(lbm))
        memset(lbm->sums, 0, (size_t)sums_bytes(lbm));
    else if (lbm->component->device)
        wabe_stream_fill(stream_of(lbm), lbm->sums, 0, sums_bytes(lbm));
    else
        wabe_team_run_own(&(wabe_job){.component = lbm->component,
                                      .count = wabe_box_cells(lbm->block),
                                      .work = clear_sums,
                                      .context = lbm});
    return WABE_OK;
}

static wabe_moment_values values_of_sums(const wabe_lbm_slab *lbm) {
    return (wabe_moment_values){.values = lbm->sums,
                                .sums = lbm->sum_rows,
                                .threshold = lbm->sum_threshold,
                                .moment_stride = wabe_box_cells(lbm->block)};
}

void wabe_lbm_add_to_sums(wabe_lbm_slab *lbm) {
    const wabe_moment_values values = values_of_sums(lbm);
    wabe_lbm_synchronise(lbm);
    if (sums_are_near(lbm) && lbm->passes.summed == lbm->timeline.step)
        return;
    put_moments(lbm, lbm->block, 1, &values);
    wabe_lbm_synchronise(lbm);
}

/* The sums from plane z on, in the component's memory; *plane: cells per plane. */
static char *sums_at(const wabe_lbm_slab *lbm, int row, int64_t z, int64_t *plane) {
    *plane = wabe_box_plane_cells(lbm->block);
    return (char *)((double *)lbm->sums + row * wabe_box_cells(lbm->block) +
                    (z - lbm->block.begin[2]) * *plane);
}

wabe_status wabe_lbm_read_sums(const wabe_lbm_slab *lbm, int row, int64_t z, int64_t planes,
                               double *out) {
    int64_t plane;
    const char *from = sums_at(lbm, row, z, &plane);
    const int64_t bytes = planes * plane * (int64_t)sizeof *out;
    if (!sums_are_near(lbm))
        return wabe_memory_read(lbm->component, stream_of(lbm), out, from, bytes);
    wabe_lbm_synchronise(lbm);
    memcpy(out, from, (size_t)bytes);
    return WABE_OK;
}

wabe_status wabe_lbm_write_sums(wabe_lbm_slab *lbm, int row, int64_t z, int64_t planes,
                                const double *values) {
    int64_t plane;
    char *to = sums_at(lbm, row, z, &plane);
    const int64_t bytes = planes * plane * (int64_t)sizeof *values;
    if (!sums_are_near(lbm))
        return wabe_memory_write(lbm->component, stream_of(lbm), to, values, bytes);
    wabe_lbm_synchronise(lbm);
    memcpy(to, values, (size_t)bytes);
    return WABE_OK;
}

/* ---- sums --------------------------------------------------------------------------- */

static wabe_parts parts_of(const wabe_lbm_slab *lbm, int name, int64_t begin, int64_t end,
                           int most) {
    const wabe_region *region = &lbm->tiles->regions[name];
    const bool all = lbm->list && !lbm->list->planes;
    return (wabe_parts){.chunks = region->chunks + begin,
                        .records = region->records,
                        .cell_records = lbm->tiles->cell_records,
                        .classes = lbm->tiles->classes,
                        .first_cell = all ? 0 : wabe_lbm_first_cell(lbm),
                        .end_cell = all ? INT64_MAX : wabe_lbm_end_cell(lbm),
                        .chunk_count = end - begin,
                        .part_count = end - begin < most ? (int)(end - begin) : most};
}

static const struct {
    wabe_lbm_sweep sweep;
    size_t size; /* of a part's result */
} looks[WABE_LOOKS] = {[WABE_LOOK_MONITOR] = {WABE_LBM_MONITOR, sizeof(wabe_monitor_result)},
                       [WABE_LOOK_HASH] = {WABE_LBM_HASH, sizeof(uint64_t)}};

static wabe_monitor_args monitor_args(const wabe_lbm_slab *lbm, int ahead, wabe_parts parts,
                                      void *results) {
    const int parity = (last_parity(lbm) + ahead) & 1;
    wabe_monitor_args args = {.field = numbers_after(lbm, ahead),
                              .out = lbm->offsets.out[parity],
                              .parts = parts,
                              .patches = patches_of(lbm, ahead),
                              .neighbours = places_of(lbm, parity),
                              .cells = lbm->list ? lbm->list->cells_there : NULL,
                              .collision = wabe_lbm_collision(lbm, ahead - 1),
                              .results = results,
                              .form = lbm->form,
                              .arrivals = arrivals_of(lbm, ahead)};
    return args;
}

static wabe_hash_args hash_args(const wabe_lbm_slab *lbm, int ahead, wabe_parts parts,
                                void *results) {
    const int parity = (last_parity(lbm) + ahead) & 1;
    wabe_hash_args args = {.field = numbers_after(lbm, ahead),
                           .out = lbm->offsets.out[parity],
                           .parts = parts,
                           .neighbours = places_of(lbm, parity),
                           .cells = lbm->list ? lbm->list->cells_there : NULL,
                           .pitch = lbm->layout.pitch,
                           .plane = lbm->layout.plane,
                           .results = results,
                           .form = lbm->form};
    memcpy(args.begin, lbm->held.begin, sizeof args.begin);
    memcpy(args.domain, lbm->domain, sizeof args.domain);
    return args;
}

/* What cells of these chunks receive by images in the step that follows the state to be looked at;
 * slabs without passes have few images, and make all. */
static void make_images_of(const wabe_lbm_slab *lbm, int ahead, int64_t begin, int64_t end) {
    const wabe_chunk *chunks = lbm->passes.chunks;
    if (looks_at_arrivals(lbm) && begin < end)
        wabe_lbm_make_images(lbm, ahead, chunks ? wabe_chunk_begin(&chunks[begin]) : 0,
                             chunks ? wabe_chunk_end(&chunks[end - 1]) : INT64_MAX);
}

/* Queues a look at chunks of a region after so many more steps; returns the number of results. */
static int look_at(const wabe_lbm_slab *lbm, wabe_lbm_look look, int ahead, int name, int64_t begin,
                   int64_t end, int most, void *results) {
    const wabe_parts parts = parts_of(lbm, name, begin, end, most);
    const wabe_monitor_args monitor = monitor_args(lbm, ahead, parts, results);
    const wabe_hash_args hash = hash_args(lbm, ahead, parts, results);
    if (look == WABE_LOOK_MONITOR)
        make_images_of(lbm, ahead, begin, end);
    run_once(lbm, looks[look].sweep, look == WABE_LOOK_HASH ? (const void *)&hash : &monitor,
             parts.part_count);
    return parts.part_count;
}

/* Adds count results of a look to those so far. */
static wabe_status read_results(const wabe_lbm_slab *lbm, wabe_lbm_look look, int64_t count,
                                const void *from, void *out) {
    const int64_t bytes = count * (int64_t)looks[look].size;
    char *results = malloc((size_t)bytes + 1);
    WABE_CHECK(results, WABE_MEMORY, "no memory for the sums of a slab's cells");
    const wabe_status status = wabe_memory_read(lbm->component, stream_of(lbm), results, from,
                                                bytes);
    for (int64_t i = 0; i < count && status == WABE_OK; i++)
        if (look == WABE_LOOK_HASH)
            *(uint64_t *)out += ((const uint64_t *)(const void *)results)[i];
        else
            wabe_monitor_merge(out, &((const wabe_monitor_result *)(const void *)results)[i]);
    free(results);
    return status;
}

/* Of a slab with ghost planes the chunks that have cells of the block. */
static wabe_walk walk_region(const wabe_lbm_slab *lbm, int name) {
    int64_t begin = 0, end = lbm->tiles->regions[name].chunk_count;
    if (lbm->driver.window && name == WABE_REGION_INNER)
        wabe_items_of(lbm->passes.chunks, lbm->passes.chunk_count, wabe_lbm_first_cell(lbm),
                      wabe_lbm_end_cell(lbm), &begin, &end);
    return wabe_walk_through(lbm->driver.window, begin, end);
}

void wabe_lbm_begin_look(wabe_lbm_slab *lbm, wabe_lbm_look look) {
    if (lbm->driver.window || !lbm->component->device)
        return;
    wabe_lbm_synchronise(lbm);
    int64_t count = 0;
    for (int name = 0; name < WABE_REGION_COUNT; name++)
        count += look_at(lbm, look, 0, name, 0, lbm->tiles->regions[name].chunk_count, PARTS_MAX,
                         (char *)lbm->results + count * (int64_t)looks[look].size);
    lbm->begun = (wabe_lbm_begun){.look = look, .step = lbm->timeline.step, .count = count};
}

/* Takes what the last pass has found or what has begun, or looks at all cells. */
static wabe_status look_at_all(wabe_lbm_slab *lbm, wabe_lbm_look look, void *out) {
    const wabe_lbm_passing *p = &lbm->passes.passing[look];
    const wabe_lbm_begun begun = lbm->begun;
    lbm->begun.count = 0;
    if (begun.count > 0 && begun.look == look && begun.step == lbm->timeline.step)
        return read_results(lbm, look, begun.count, lbm->results, out);
    wabe_lbm_synchronise(lbm);
    if (lbm->driver.window && p->step == lbm->timeline.step)
        return read_results(lbm, look, p->count, p->results, out);
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        wabe_walk walk = walk_region(lbm, name);
        while (wabe_lbm_next_chunks(lbm, &walk)) {
            const int count = look_at(lbm, look, 0, name, walk.begin, walk.end, PARTS_MAX,
                                      lbm->results);
            WABE_TRY(read_results(lbm, look, count, lbm->results, out));
        }
    }
    return WABE_OK;
}

wabe_status wabe_lbm_hash(wabe_lbm_slab *lbm, uint64_t *out) {
    *out = 0;
    return look_at_all(lbm, WABE_LOOK_HASH, out);
}

wabe_status wabe_lbm_monitor(wabe_lbm_slab *lbm, wabe_monitor_result *out) {
    *out = (wabe_monitor_result){0};
    return look_at_all(lbm, WABE_LOOK_MONITOR, out);
}

/* ---- looks in passing --------------------------------------------------------------- */

enum { PARTS_OF_ROUND = 512 };

wabe_status wabe_lbm_prepare_looks(wabe_lbm_slab *lbm) {
    const wabe_lbm_pass_plan *plan = &lbm->passes.plan; /* rounds: that have looked at anything */
    const int64_t cells = wabe_lbm_end_cell(lbm) - wabe_lbm_first_cell(lbm) +
                          2 * plan->steps_per_pass * plan->reach;
    const int64_t rounds = cells / plan->advance + plan->ring.pieces + 2;
    for (int look = 0; look < WABE_LOOKS; look++) {
        wabe_lbm_passing *p = &lbm->passes.passing[look];
        p->step = -1;
        p->room = rounds * PARTS_OF_ROUND;
        WABE_TRY(
            wabe_memory_create(lbm->component, p->room * (int64_t)looks[look].size, &p->results));
    }
    return WABE_OK;
}

void wabe_lbm_begin_looks(wabe_lbm_slab *lbm) {
    const wabe_walk all = walk_region(lbm, WABE_REGION_INNER);
    const int64_t first = lbm->block.begin[2] - lbm->held.begin[2];
    lbm->passes.not_seen = (wabe_lbm_range){all.low, all.high};
    lbm->passes.not_summed = (wabe_lbm_range){first, first + wabe_box_extent(lbm->block, 2)};
    for (int look = 0; look < WABE_LOOKS; look++)
        lbm->passes.passing[look].count = 0;
}

void wabe_lbm_look_in_passing(wabe_lbm_slab *lbm, int64_t begin, int64_t end) {
    wabe_lbm_passes *s = &lbm->passes;
    for (int look = 0; look < WABE_LOOKS && begin < end; look++) {
        wabe_lbm_passing *p = &s->passing[look];
        if (!p->wanted || p->count + PARTS_OF_ROUND > p->room)
            continue;
        char *results = (char *)p->results + p->count * (int64_t)looks[look].size;
        p->count += look_at(lbm, (wabe_lbm_look)look, s->steps, WABE_REGION_INNER, begin, end,
                            PARTS_OF_ROUND, results);
        p->seen += end - begin;
    }
}

void wabe_lbm_sum_in_passing(const wabe_lbm_slab *lbm, int64_t begin, int64_t end) {
    const wabe_moment_values values = values_of_sums(lbm);
    (lbm->list ? put_slots : put_range)(lbm, lbm->block, begin, end, 1, lbm->passes.steps, &values);
}

void wabe_lbm_end_looks(wabe_lbm_slab *lbm) {
    if (lbm->passes.summing) /* without a round, all cells are solid */
        lbm->passes.summed = lbm->timeline.step;
    const wabe_walk all = walk_region(lbm, WABE_REGION_INNER);
    for (int look = 0; look < WABE_LOOKS; look++) {
        wabe_lbm_passing *p = &lbm->passes.passing[look];
        p->step = p->wanted && p->seen == all.high - all.low ? lbm->timeline.step : -1;
        p->seen = 0;
    }
}
