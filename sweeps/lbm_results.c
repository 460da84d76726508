/* Results of a slab: moments, sums, hashes. */
#include "sweeps/lbm_internal.h"

#include "core/device/memory.h"
#include "core/device/team.h"

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
    const int64_t low = (z_begin - lbm->held.begin[2]) * lbm->layout.plane;
    const int64_t high = (z_end - lbm->held.begin[2]) * lbm->layout.plane;
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

static wabe_macroscopic_args args_of(const wabe_lbm_slab *lbm, wabe_box box, int64_t step,
                                     const wabe_moment_values *values) {
    wabe_macroscopic_args args = {.field = wabe_lbm_state(lbm)->data,
                                  .out = lbm->offsets.out[last_parity(lbm)],
                                  .collision = lbm->collision,
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

/* The planes of the box that are on the device together, one range after the other. */
static void put_planes(const wabe_lbm_slab *lbm, wabe_box box, int64_t step,
                       const wabe_moment_values *values) {
    const int64_t z = lbm->held.begin[2], first = box.begin[2] - z;
    const int64_t size = values->sums > 0 ? (int64_t)sizeof(double)
                                          : (int64_t)wabe_type_size(values->type);
    const int64_t row = values->sums > 0 ? 1 : values->cell_stride;
    wabe_lbm_walk walk = wabe_lbm_walk_through(lbm, first, box.end[2] - z);
    while (wabe_lbm_next_planes(lbm, step, &walk)) {
        box.begin[2] = z + walk.begin;
        box.end[2] = z + walk.end;
        wabe_macroscopic_args args = args_of(lbm, box, step, values);
        const int64_t before = (walk.begin - first) / step * args.cells[0] * args.cells[1];
        args.fluid = lbm->tiles->fluid_there;
        args.values.values = (char *)values->values + before * row * size;
        run_once(lbm, WABE_LBM_MACROSCOPIC, &args, args.cells[1] * args.cells[2]);
    }
}

/* A list has no solid cells: all cells of the box are first written as solid, then the slots. */
static void put_moments(const wabe_lbm_slab *lbm, wabe_box box, int64_t step,
                        const wabe_moment_values *values) {
    wabe_macroscopic_args args = args_of(lbm, box, step, values);
    if (!lbm->list) {
        put_planes(lbm, box, step, values);
        return;
    }
    if (values->sums == 0)
        run_once(lbm, WABE_LBM_MACROSCOPIC, &args, args.cells[1] * args.cells[2]);
    const slot_ranges slots = wabe_lbm_slots(lbm, box.begin[2], box.end[2]);
    args.neighbours = places_of(lbm, last_parity(lbm));
    args.numbers = lbm->list->cells_there;
    for (int range = 0; range < 2; range++) {
        args.first = slots.begin[range];
        args.end = slots.end[range];
        run_once(lbm, WABE_LBM_MACROSCOPIC, &args,
                 (args.end - args.first + WABE_SLOTS_OF_ITEM - 1) / WABE_SLOTS_OF_ITEM);
    }
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

wabe_status wabe_lbm_moments(const wabe_lbm_slab *lbm, wabe_box box, double *moments) {
    const int64_t cells = wabe_box_cells(box);
    const wabe_moment_values values = {
        .type = WABE_TYPE_f64, .count = 4, .factor = 1.0, .cell_stride = 1, .moment_stride = cells};
    return read_moments(lbm, box, 1, values, 4 * cells * (int64_t)sizeof *moments, moments);
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

wabe_status wabe_lbm_begin_sums(wabe_lbm_slab *lbm, int rows, double threshold) {
    lbm->sum_rows = rows;
    lbm->sum_threshold = threshold;
    if (!lbm->sums)
        WABE_TRY(wabe_memory_create(lbm->component, sums_bytes(lbm), &lbm->sums));
    if (lbm->component->device)
        wabe_stream_fill(stream_of(lbm), lbm->sums, 0, sums_bytes(lbm));
    else
        wabe_team_run_own(&(wabe_job){.component = lbm->component,
                                      .count = wabe_box_cells(lbm->block),
                                      .work = clear_sums,
                                      .context = lbm});
    return WABE_OK;
}

void wabe_lbm_add_to_sums(wabe_lbm_slab *lbm) {
    const wabe_moment_values values = {.values = lbm->sums,
                                       .sums = lbm->sum_rows,
                                       .threshold = lbm->sum_threshold,
                                       .moment_stride = wabe_box_cells(lbm->block)};
    wabe_lbm_synchronise(lbm);
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
    return wabe_memory_read(lbm->component, stream_of(lbm), out, from,
                            planes * plane * (int64_t)sizeof *out);
}

wabe_status wabe_lbm_write_sums(wabe_lbm_slab *lbm, int row, int64_t z, int64_t planes,
                                const double *values) {
    int64_t plane;
    char *to = sums_at(lbm, row, z, &plane);
    return wabe_memory_write(lbm->component, stream_of(lbm), to, values,
                             planes * plane * (int64_t)sizeof *values);
}

/* ---- sums --------------------------------------------------------------------------- */

static wabe_parts parts_of(const wabe_lbm_slab *lbm, int name, const wabe_lbm_walk *walk) {
    const wabe_region *region = &lbm->tiles->regions[name];
    const int64_t count = walk->end - walk->begin;
    return (wabe_parts){.chunks = region->chunks + walk->begin,
                        .records = region->records,
                        .cell_records = lbm->tiles->cell_records,
                        .classes = lbm->tiles->classes,
                        .first_cell = lbm->list ? 0 : wabe_lbm_first_cell(lbm),
                        .end_cell = lbm->list ? INT64_MAX : wabe_lbm_end_cell(lbm),
                        .chunk_count = count,
                        .part_count = count < PARTS_MAX ? (int)count : PARTS_MAX};
}

/* Of a slab with ghost planes the chunks that have cells of the block. */
static wabe_lbm_walk walk_region(const wabe_lbm_slab *lbm, int name) {
    int64_t begin = 0, end = lbm->tiles->regions[name].chunk_count;
    if (lbm->passes.ghosts.count > 0 && name == WABE_REGION_INNER)
        wabe_lbm_chunks_of(lbm, wabe_lbm_first_cell(lbm), wabe_lbm_end_cell(lbm), &begin, &end);
    return wabe_lbm_walk_through(lbm, begin, end);
}

/* Fetches count results of size bytes each. */
static wabe_status read_results(const wabe_lbm_slab *lbm, int count, size_t size, void *results) {
    return wabe_memory_read(lbm->component, lbm->timeline.streams[WABE_REGION_OUTER], results,
                            lbm->results, count * (int64_t)size);
}

wabe_status wabe_lbm_hash(const wabe_lbm_slab *lbm, const int64_t domain[3], uint64_t *out) {
    *out = 0;
    wabe_lbm_synchronise(lbm);
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        wabe_hash_args args = {.field = wabe_lbm_state(lbm)->data,
                               .out = lbm->offsets.out[last_parity(lbm)],
                               .neighbours = places_of(lbm, last_parity(lbm)),
                               .cells = lbm->list ? lbm->list->cells_there : NULL,
                               .pitch = lbm->layout.pitch,
                               .plane = lbm->layout.plane,
                               .results = lbm->results,
                               .form = lbm->form};
        memcpy(args.begin, lbm->held.begin, sizeof args.begin);
        memcpy(args.domain, domain, sizeof args.domain);
        wabe_lbm_walk walk = walk_region(lbm, name);
        while (wabe_lbm_next_chunks(lbm, &walk)) {
            uint64_t results[PARTS_MAX];
            args.parts = parts_of(lbm, name, &walk);
            run_once(lbm, WABE_LBM_HASH, &args, args.parts.part_count);
            WABE_TRY(read_results(lbm, args.parts.part_count, sizeof results[0], results));
            for (int part = 0; part < args.parts.part_count; part++)
                *out += results[part];
        }
    }
    return WABE_OK;
}

wabe_status wabe_lbm_monitor(const wabe_lbm_slab *lbm, wabe_monitor_result *out) {
    *out = (wabe_monitor_result){0};
    wabe_lbm_synchronise(lbm);
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        wabe_monitor_args args = {.field = wabe_lbm_state(lbm)->data,
                                  .out = lbm->offsets.out[last_parity(lbm)],
                                  .patches = patches_of(lbm, 0),
                                  .neighbours = places_of(lbm, last_parity(lbm)),
                                  .cells = lbm->list ? lbm->list->cells_there : NULL,
                                  .results = lbm->results,
                                  .form = lbm->form,
                                  .arrivals = arrivals_of(lbm)};
        memcpy(args.force, lbm->model.force, sizeof args.force);
        wabe_lbm_walk walk = walk_region(lbm, name);
        while (wabe_lbm_next_chunks(lbm, &walk)) {
            wabe_monitor_result results[PARTS_MAX];
            args.parts = parts_of(lbm, name, &walk);
            run_once(lbm, WABE_LBM_MONITOR, &args, args.parts.part_count);
            WABE_TRY(read_results(lbm, args.parts.part_count, sizeof results[0], results));
            for (int part = 0; part < args.parts.part_count; part++)
                wabe_monitor_merge(out, &results[part]);
        }
    }
    return WABE_OK;
}
