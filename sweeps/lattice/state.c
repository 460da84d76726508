/* The state of a slab: its initial values, and copies of it, population by population, which do not
 * depend on the streaming pattern. */
#include "sweeps/lattice/internal.h"

#include "core/device/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- the initial state -------------------------------------------------------------- */

void wabe_lbm_at_rest(const void *context, const int64_t cell[3],
                      double moments[WABE_MOMENTS_GIVEN]) {
    (void)context;
    (void)cell;
    memset(moments, 0, WABE_MOMENTS_GIVEN * sizeof moments[0]);
}

/* The moments of a cell as its populations have them: after the collision the first moments are
 * half a step of the force above the velocity. */
static void moments_of(wabe_lattice lattice, const wabe_cell_force *force, wabe_lbm_initial initial,
                       const void *context, const int64_t cell[3], double m[WABE_MOMENTS_GIVEN]) {
    memset(m, 0, WABE_MOMENTS_GIVEN * sizeof m[0]);
    initial(context, cell, m);
    const double amount = wabe_lattice_carries(lattice) ? m[4] + m[0] * m[4] : m[4];
    for (int d = 0; d < 3; d++)
        m[1 + d] += 0.5 * (force->constant[d] + force->by_scalar[d] * amount);
}

/* Fills the moments of the cells of a plane. */
static void fill_plane(const wabe_lbm_slab *lbm, int64_t z, wabe_lbm_initial initial,
                       const void *context, double *moments) {
    const wabe_layout *l = &lbm->layout;
    const wabe_cell_force force = wabe_lbm_collision(lbm, -1).force;
    for (int64_t y = 0; y < l->cells[1]; y++)
        for (int64_t x = 0; x < l->cells[0]; x++) {
            const int64_t cell[3] = {lbm->held.begin[0] + x, lbm->held.begin[1] + y,
                                     lbm->held.begin[2] + z};
            double m[WABE_MOMENTS_GIVEN];
            moments_of(lbm->model.lattice, &force, initial, context, cell, m);
            for (int k = 0; k < WABE_MOMENTS_GIVEN; k++)
                moments[k * l->plane + y * l->pitch + x] = m[k];
        }
}

/* Pattern moments stores nothing for walls. */
void wabe_lbm_reflect_at_walls(const wabe_lbm_slab *lbm) {
    if (holds_moments(lbm))
        return;
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        const wabe_region *region = &lbm->tiles->regions[name];
        wabe_reflect_args args = {.field = wabe_lbm_state(lbm)->data,
                                  .out = lbm->offsets.out[last_parity(lbm)],
                                  .next_in = lbm->offsets.in[parity_of(lbm)],
                                  .next_neighbours = places_of(lbm, parity_of(lbm)),
                                  .wall = lbm->wall->data,
                                  .records = region->records,
                                  .cell_records = lbm->tiles->cell_records,
                                  .classes = lbm->tiles->classes,
                                  .patches = patches_of(lbm, 0),
                                  .force = wabe_lbm_collision(lbm, -1).force};
        wabe_walk walk = wabe_walk_through(lbm->driver.window, 0, region->chunk_count);
        while (wabe_lbm_next_chunks(lbm, &walk)) {
            args.chunks = region->chunks + walk.begin;
            run_once(lbm, WABE_LBM_REFLECT, &args, walk.end - walk.begin);
        }
    }
}

/* Initialises this many cells from first on. stride: distance of the moments; there: room for them
 * in the component's memory. */
static wabe_status put_moments(wabe_lbm_slab *lbm, const double *moments, int64_t stride,
                               double *there, int64_t first, int64_t cells) {
    WABE_TRY(wabe_memory_write(lbm->component, stream_of(lbm), there, moments,
                               WABE_MOMENTS_GIVEN * stride * (int64_t)sizeof *moments));
    const wabe_initialise_args args = {.field = wabe_lbm_state(lbm)->data,
                                       .out = lbm->offsets.out[last_parity(lbm)],
                                       .first = first,
                                       .moments = there,
                                       .moment_stride = stride,
                                       .form = lbm->form};
    wabe_lbm_load(lbm, first, first + cells);
    run_once(lbm, WABE_LBM_INITIALISE, &args, cells);
    return WABE_OK;
}

/* moments: room for a plane of cells; there: the same in the component's memory. */
static wabe_status initialise_planes(wabe_lbm_slab *lbm, wabe_lbm_initial initial,
                                     const void *context, double *moments, double *there) {
    const wabe_layout *l = &lbm->layout;
    const int64_t first = lbm->block.begin[2] - lbm->held.begin[2];
    for (int64_t z = first; z < first + wabe_box_extent(lbm->block, 2); z++) {
        fill_plane(lbm, z, initial, context, moments);
        WABE_TRY(put_moments(lbm, moments, l->plane, there, z * l->plane,
                             (l->cells[1] - 1) * l->pitch + l->cells[0]));
    }
    return WABE_OK;
}

/* The same for a list, as many slots at a time as a plane has cells. */
static wabe_status initialise_list(wabe_lbm_slab *lbm, wabe_lbm_initial initial,
                                   const void *context, double *moments, double *there) {
    const int64_t room = lbm->layout.plane, count = lbm->list->count;
    const wabe_cell_force force = wabe_lbm_collision(lbm, -1).force;
    const int64_t most = wabe_lbm_at_once(lbm, room);
    for (int64_t first = 0; first < count; first += most) {
        const int64_t items = count - first < most ? count - first : most;
        for (int64_t i = 0; i < items; i++) {
            int64_t cell[3];
            double m[WABE_MOMENTS_GIVEN] = {0};
            if (wabe_lbm_slot_in_box(lbm, first + i, lbm->block) >= 0) {
                wabe_lbm_cell(lbm, lbm->list->cells[first + i], cell);
                moments_of(lbm->model.lattice, &force, initial, context, cell, m);
            }
            for (int k = 0; k < WABE_MOMENTS_GIVEN; k++)
                moments[k * room + i] = m[k];
        }
        WABE_TRY(put_moments(lbm, moments, room, there, first, items));
    }
    return WABE_OK;
}

/* Zeroes all fields; the next step is the timeline's step 0, after step steps of earlier runs. */
static void begin_anew(wabe_lbm_slab *lbm, int64_t step) {
    wabe_timeline_restart(&lbm->timeline);
    lbm->first_step = step;
    if (lbm->driver.window) {
        wabe_lbm_synchronise(lbm);
        wabe_window_clear(lbm->driver.window);
        wabe_lbm_settle_grids(lbm);
        wabe_rounds_clear(&lbm->driver.rounds);
        for (int look = 0; look < WABE_LOOKS; look++)
            lbm->passes.passing[look].step = -1;
    }
    for (int grid = 0; grid < lbm->offsets.grids && !lbm->driver.window; grid++)
        wabe_field_zero(lbm->fields[grid], stream_of(lbm));
    lbm->exchanged = lbm->fields[0]->data;
}

wabe_status wabe_lbm_initialise(wabe_lbm_slab *lbm, wabe_lbm_initial initial, const void *context) {
    const int64_t values = WABE_MOMENTS_GIVEN * lbm->layout.plane;
    double *moments = calloc((size_t)values, sizeof *moments);
    WABE_CHECK(moments, WABE_MEMORY, "no memory for the moments of a plane of cells");
    void *there = NULL;
    wabe_status status = wabe_memory_create(lbm->component, values * (int64_t)sizeof *moments,
                                            &there);
    begin_anew(lbm, 0);
    if (status == WABE_OK)
        status = (lbm->list ? initialise_list : initialise_planes)(lbm, initial, context, moments,
                                                                   there);
    if (status == WABE_OK)
        wabe_lbm_reflect_at_walls(lbm);
    wabe_lbm_synchronise(lbm);
    wabe_memory_destroy(lbm->component, &there);
    free(moments);
    return status;
}

/* ---- numbers of the field ----------------------------------------------------------- */

/* A box of numbers in the field, or numbers at given indices. */
typedef struct {
    int64_t offset, lane, count[3]; /* lane: as in wabe_segment */
    const uint32_t *neighbours;     /* or NULL */
} numbers;

static int64_t size_of(const wabe_lbm_slab *lbm) {
    return (int64_t)wabe_type_size(lbm->model.type);
}

/* Packs or unpacks numbers; segment, its buffer and neighbours are in the component's memory. */
static void move_numbers(const wabe_lbm_slab *lbm, bool out, const wabe_segment *segment,
                         const uint32_t *neighbours, int64_t count) {
    const wabe_layout *l = &lbm->stored;
    const wabe_strides strides = {l->pitch, l->plane, l->stride * l->components, l->group};
    const wabe_pack_args pack = {.field = wabe_lbm_state(lbm)->data,
                                 .strides = strides,
                                 .segment_count = 1,
                                 .segments = segment,
                                 .indices = neighbours};
    const wabe_unpack_args unpack = {.field = wabe_lbm_state(lbm)->data,
                                     .strides = strides,
                                     .segment_count = 1,
                                     .segments = segment,
                                     .indices = neighbours};
    if (out)
        run_once(lbm, WABE_LBM_PACK, &pack, count);
    else
        run_once(lbm, WABE_LBM_UNPACK, &unpack, count);
}

/* Scratch memory on a GPU: the segment, values, indices. */
typedef struct {
    char *memory;
    int64_t values, neighbours; /* offsets in bytes */
} room;

static wabe_status make_room(const wabe_lbm_slab *lbm, int64_t count, bool neighbours, room *out) {
    void *memory = NULL;
    out->values = 64;
    out->neighbours = out->values + (count * size_of(lbm) + 63) / 64 * 64;
    const wabe_status status =
        wabe_scratch_get(lbm->scratch,
                         out->neighbours + (neighbours ? count * (int64_t)sizeof(uint32_t) : 0),
                         &memory);
    out->memory = memory;
    return status;
}

static wabe_status move_on_device(const wabe_lbm_slab *lbm, bool out, const numbers *n,
                                  int64_t count, room r, void *values) {
    const wabe_segment segment = {.offset = n->offset,
                                  .lane = n->lane,
                                  .count = {n->count[0], n->count[1], n->count[2]},
                                  .buffer = r.memory + r.values};
    const int64_t bytes = count * size_of(lbm);
    WABE_TRY(wabe_memory_write(lbm->component, stream_of(lbm), r.memory, &segment, sizeof segment));
    if (n->neighbours)
        WABE_TRY(wabe_memory_write(lbm->component, stream_of(lbm), r.memory + r.neighbours,
                                   n->neighbours, count * (int64_t)sizeof *n->neighbours));
    if (!out)
        WABE_TRY(
            wabe_memory_write(lbm->component, stream_of(lbm), r.memory + r.values, values, bytes));
    move_numbers(lbm, out, (const wabe_segment *)r.memory,
                 n->neighbours ? (const uint32_t *)(r.memory + r.neighbours) : NULL, count);
    return out ? wabe_memory_read(lbm->component, stream_of(lbm), values, r.memory + r.values,
                                  bytes)
               : WABE_OK;
}

/* Copies numbers out of the field to the host's memory, or back. */
static wabe_status move(const wabe_lbm_slab *lbm, bool out, const numbers *n, void *values) {
    const int64_t count = n->count[0] * n->count[1] * n->count[2];
    if (count == 0)
        return WABE_OK;
    if (!lbm->component->device) {
        const wabe_segment segment = {.offset = n->offset,
                                      .lane = n->lane,
                                      .count = {n->count[0], n->count[1], n->count[2]},
                                      .buffer = values};
        move_numbers(lbm, out, &segment, n->neighbours, count);
        return WABE_OK;
    }
    room r;
    WABE_TRY(make_room(lbm, count, n->neighbours != NULL, &r));
    const wabe_status status = move_on_device(lbm, out, n, count, r, values);
    wabe_lbm_synchronise(lbm);
    return status;
}

/* ---- populations of cells ----------------------------------------------------------- */

int wabe_lbm_state_numbers(const wabe_lbm_model *model) {
    return model->streaming == WABE_STREAMING_moments ? WABE_MOMENTS
                                                      : wabe_lattice_count(model->lattice);
}

static numbers numbers_of_box(const wabe_lbm_slab *lbm, int q, wabe_box box) {
    const int64_t *begin = lbm->held.begin;
    const int64_t x = box.begin[0] - begin[0], y = box.begin[1] - begin[1];
    const int64_t z = box.begin[2] - begin[2];
    const int64_t lane = holds_moments(lbm) ? x % WABE_MOMENTS_GROUP : 0;
    return (numbers){.offset = holds_moments(lbm)
                                   ? wabe_layout_place(&lbm->stored, q, x - lane, y, z)
                                   : lbm->offsets.out[last_parity(lbm)][q] +
                                         wabe_layout_cell(&lbm->layout, x, y, z),
                     .lane = lane,
                     .count = {wabe_box_extent(box, 0), wabe_box_extent(box, 1),
                               wabe_box_extent(box, 2)}};
}

/* Zeroes solid cells among length cells from number n on; most tiles are all fluid. */
static void clear_row(const wabe_lbm_slab *lbm, int64_t n, int64_t length, char *values) {
    const int64_t size = size_of(lbm);
    for (int64_t i = 0, next; i < length; i = next) {
        const uint16_t fluid = lbm->tiles->fluid[(n + i) / WABE_TILE];
        next = (n + i) / WABE_TILE * WABE_TILE + WABE_TILE - n;
        for (int64_t k = i; fluid != 0xffff && k < next && k < length; k++)
            if (!(fluid >> (n + k) % WABE_TILE & 1))
                memset(values + k * size, 0, (size_t)size);
    }
}

/* Numbers of solid cells are not part of the state. */
static void clear_walls(const wabe_lbm_slab *lbm, wabe_box box, char *values) {
    const int64_t *begin = lbm->held.begin, length = wabe_box_extent(box, 0);
    for (int64_t z = box.begin[2]; z < box.end[2]; z++)
        for (int64_t y = box.begin[1]; y < box.end[1]; y++, values += length * size_of(lbm))
            clear_row(lbm,
                      wabe_layout_cell(&lbm->layout, box.begin[0] - begin[0], y - begin[1],
                                       z - begin[2]),
                      length, values);
}

enum { SLOTS = 1 << 16 }; /* moved at once */

/* The elements of the field where count slots from first on, at most SLOTS, have left population
 * q. */
static wabe_status find_places(const wabe_lbm_slab *lbm, int q, int64_t first, int64_t count,
                               uint32_t *out) {
    const int populations = populations_of(lbm);
    const int64_t tile = first / WABE_TILE, per_tile = (populations - 1) * WABE_TILE;
    const int64_t tiles = (first + count - 1) / WABE_TILE - tile + 1;
    const wabe_neighbours there = places_of(lbm, last_parity(lbm));
    uint32_t *all = malloc((size_t)(tiles * per_tile) * sizeof *all);
    WABE_CHECK(all, WABE_MEMORY, "no memory for the neighbours of %lld cells", (long long)count);
    const wabe_status status = wabe_memory_read(lbm->component, stream_of(lbm), all,
                                                there.at + tile * per_tile,
                                                tiles * per_tile * (int64_t)sizeof *all);
    for (int64_t i = 0; i < count; i++)
        out[i] = all[wabe_neighbour_entry(populations, wabe_lattice_opposite(populations, q),
                                          first - tile * WABE_TILE + i)];
    free(all);
    return status;
}

static wabe_status move_slots(const wabe_lbm_slab *lbm, bool out, int q, int64_t first,
                              int64_t count, uint32_t *neighbours, void *values) {
    numbers n = {.offset = lbm->offsets.out[last_parity(lbm)][q] + first, .count = {count, 1, 1}};
    if (q > 0 && moves(lbm, last_parity(lbm))) {
        WABE_TRY(find_places(lbm, q, first, count, neighbours));
        n.neighbours = neighbours;
    }
    return move(lbm, out, &n, values);
}

/* Slots begin to end - 1; line is the buffer from which the box is filled or written. */
static wabe_status move_range(const wabe_lbm_slab *lbm, bool out, int q, wabe_box box,
                              int64_t begin, int64_t end, uint32_t *neighbours, char *line,
                              char *values) {
    const int64_t size = size_of(lbm);
    const int64_t most = wabe_lbm_at_once(lbm, SLOTS);
    for (int64_t first = begin; first < end; first += most) {
        const int64_t count = end - first < most ? end - first : most;
        wabe_lbm_load(lbm, first, first + count);
        if (out)
            WABE_TRY(move_slots(lbm, true, q, first, count, neighbours, line));
        else /* padding slots and cells outside the box */
            memset(line, 0, (size_t)(count * size));
        for (int64_t i = 0; i < count; i++) {
            const int64_t at = wabe_lbm_slot_in_box(lbm, first + i, box);
            if (at >= 0)
                memcpy(out ? values + at * size : line + i * size,
                       out ? line + i * size : values + at * size, (size_t)size);
        }
        if (!out)
            WABE_TRY(move_slots(lbm, false, q, first, count, neighbours, line));
    }
    return WABE_OK;
}

static wabe_status move_list(const wabe_lbm_slab *lbm, bool out, int q, wabe_box box,
                             void *values) {
    const slot_ranges slots = wabe_lbm_slots(lbm, box.begin[2], box.end[2]);
    uint32_t *neighbours = malloc(SLOTS * sizeof *neighbours);
    char *line = malloc((size_t)(SLOTS * size_of(lbm)));
    wabe_status status = neighbours && line
                             ? WABE_OK
                             : WABE_FAIL(WABE_MEMORY, "no memory for %d slots", SLOTS);
    if (out)
        memset(values, 0, (size_t)(wabe_box_cells(box) * size_of(lbm)));
    for (int range = 0; range < 2 && status == WABE_OK; range++)
        status = move_range(lbm, out, q, box, slots.begin[range], slots.end[range], neighbours,
                            line, values);
    free(line);
    free(neighbours);
    return status;
}

/* Moves the planes of a box that are on the device together, one range after the other. */
static wabe_status move_box(const wabe_lbm_slab *lbm, bool out, int q, wabe_box box, void *values) {
    const int64_t z = lbm->held.begin[2], plane = wabe_box_plane_cells(box) * size_of(lbm);
    wabe_walk walk = wabe_walk_through(lbm->driver.window, box.begin[2] - z, box.end[2] - z);
    while (wabe_lbm_next_planes(lbm, 1, &walk)) {
        wabe_box part = box;
        part.begin[2] = z + walk.begin;
        part.end[2] = z + walk.end;
        const numbers n = numbers_of_box(lbm, q, part);
        WABE_TRY(move(lbm, out, &n, (char *)values + (part.begin[2] - box.begin[2]) * plane));
    }
    return WABE_OK;
}

wabe_status wabe_lbm_populations(const wabe_lbm_slab *lbm, int q, wabe_box box, void *values) {
    wabe_lbm_synchronise(lbm);
    if (lbm->list)
        return move_list(lbm, true, q, box, values);
    WABE_TRY(move_box(lbm, true, q, box, values));
    clear_walls(lbm, box, values);
    return WABE_OK;
}

static wabe_status put_populations(const wabe_lbm_slab *lbm, int q, wabe_box box, void *values) {
    return lbm->list ? move_list(lbm, false, q, box, values) : move_box(lbm, false, q, box, values);
}

enum { RESTORED_BYTES = 4 << 20 }; /* of a population at once, but at least one plane */

static wabe_status restore_planes(const wabe_lbm_slab *lbm, wabe_lbm_stored stored, void *context,
                                  int64_t planes, void *values) {
    for (int64_t z = lbm->block.begin[2]; z < lbm->block.end[2]; z += planes) {
        wabe_box box = lbm->block;
        box.begin[2] = z;
        box.end[2] = z + planes < box.end[2] ? z + planes : box.end[2];
        for (int q = 0; q < wabe_lbm_state_numbers(&lbm->model); q++) {
            WABE_TRY(stored(context, q, box, values));
            WABE_TRY(put_populations(lbm, q, box, values));
        }
    }
    return WABE_OK;
}

wabe_status wabe_lbm_restore(wabe_lbm_slab *lbm, int64_t step, wabe_lbm_stored stored,
                             void *context) {
    const int64_t plane = wabe_box_plane_cells(lbm->block) * size_of(lbm);
    const int64_t planes = RESTORED_BYTES > plane ? RESTORED_BYTES / plane : 1;
    void *values = malloc((size_t)(planes * plane));
    WABE_CHECK(values, WABE_MEMORY, "no memory for planes of populations");
    begin_anew(lbm, step);
    const wabe_status status = restore_planes(lbm, stored, context, planes, values);
    if (status == WABE_OK)
        wabe_lbm_reflect_at_walls(lbm);
    wabe_lbm_synchronise(lbm);
    free(values);
    return status;
}
