/* The lattice Boltzmann kernels for emulated devices, cell by cell. Compiled once per lattice
 * and storage type. */
#include "kernels_gpu/cell.h"
#include "kernels_gpu/functions.h"

#define EMULATED(name) JOIN(JOIN(wabe_emulated_##name, WABE_LATTICE), WABE_FLAVOUR)

_Static_assert(sizeof(wabe_cell_word) == ((int)WABE_Q > (int)WABE_NARROW_WORDS ? 8 : 4),
               "as wabe_cell_record_bytes says");

/* Runs statement for each cell of a chunk, with its tile's record and its lane. */
#define FOR_CELLS(list, chunk_index, n, record, lane, statement)                                   \
    {                                                                                              \
        const wabe_chunk *chunk = (list)->chunks + (chunk_index);                                  \
        for (uint32_t tile = chunk->first_tile; tile < chunk->first_tile + chunk->tile_count;      \
             tile++) {                                                                             \
            const wabe_cell_record *record = wabe_record_of((list)->cell_records, (list)->classes, \
                                                            tile);                                 \
            for (int lane = 0; lane < WABE_TILE; lane++) {                                         \
                const int64_t n = (int64_t)tile * WABE_TILE + lane;                                \
                statement;                                                                         \
            }                                                                                      \
        }                                                                                          \
    }

/* Where a step reads and writes. */
typedef struct {
    wabe_sources in;
    wabe_targets out, next;
    wabe_collision collision;
} step_places;

/* Where nobody else writes, CUDA kernels write arbitrary numbers: here it is NAN. */
static void poison(const wabe_targets *out, int64_t n, wabe_cell_word cell) {
    for (int q = 0; q < WABE_Q; q++)
        if (wabe_written_bits(cell) >> q & 1)
            out->q[q][n] = wabe_to_stored((wabe_real)NAN);
}

static void step_cell(const wabe_stream_collide_args *a, const step_places *p, int64_t n,
                      const wabe_cell_record *record, int lane, wabe_collision_operator collision) {
    if (!wabe_is_fluid(record, lane)) {
        poison(&p->out, n, record->cells[lane]);
        return;
    }
    wabe_cell f = wabe_cell_load(&p->in, n);
    const wabe_cell_record *curved = NULL;
    if (record && wabe_has_curved_walls(a->kinds))
        curved = wabe_curved_record(record, lane, a->patches);
    wabe_curved_sums gain = wabe_curved_sums_of(0);
    if (curved)
        f = wabe_curved_take(f, curved, lane, a->patches, &gain);
    f = wabe_cell_update(collision, wabe_terms_of(&a->collision), f, &p->collision);
    if (wabe_is_regularized(collision) && p->collision.damps_walls)
        f = wabe_cell_damp(f, &p->collision, record, lane, a->patches, &p->in, n, curved != NULL);
    if (curved)
        f = wabe_curved_keep_mass(f, curved, lane, a->patches, gain);
    if (record)
        wabe_walls_serve(f, &p->collision, record, lane, a->patches, &p->next, n,
                         wabe_has_special_walls(a->kinds), curved != NULL, 1);
    wabe_cell_store(&p->out, n, f);
}

static void step(const wabe_stream_collide_args *a, int64_t begin, int64_t end,
                 wabe_collision_operator collision) {
    const step_places p = {.in = wabe_sources_of(a->source, a->in, a->neighbours),
                           .out = wabe_targets_of(a->target, a->out, a->neighbours),
                           .next = wabe_targets_of(a->target, a->next_in, a->next_neighbours),
                           .collision = wabe_collision_of(&a->collision)};
    for (int64_t c = begin; c < end; c++)
        FOR_CELLS(a, c, n, record, lane, step_cell(a, &p, n, record, lane, collision))
}

#define STREAM_COLLIDE(op, ...)                                                                    \
    void EMULATED(stream_collide_##op##_dense)(const wabe_stream_collide_args *a, int64_t begin,   \
                                               int64_t end) {                                      \
        step(a, begin, end, WABE_COLLISION_##op);                                                  \
    }                                                                                              \
    WABE_OF_LATTICE(WABE_IF_LISTED_)                                                               \
    (void EMULATED(stream_collide_##op##_listed)(const wabe_stream_collide_args *a, int64_t begin, \
                                                 int64_t end) {                                    \
        step(a, begin, end, WABE_COLLISION_##op);                                                  \
    })
#define OPERATORS WABE_OF_LATTICE(WABE_LBM_OPERATORS_)
OPERATORS(STREAM_COLLIDE, )

static void reflect_cell(const wabe_reflect_args *a, const wabe_sources *out,
                         const wabe_targets *next, const wabe_collision *k, int64_t n,
                         const wabe_cell_record *record, int lane) {
    const wabe_cell f = wabe_cell_left(out, n);
    wabe_walls_serve(f, k, record, lane, a->patches, next, n, 1, 1, 1);
}

void EMULATED(reflect)(const wabe_reflect_args *a, int64_t begin, int64_t end) {
    const wabe_collision k = wabe_collision_of_force(&a->force);
    const wabe_sources out = wabe_sources_of(a->field, a->out, (wabe_neighbours){0});
    const wabe_targets next = wabe_targets_of(a->field, a->next_in, a->next_neighbours);
    for (int64_t c = begin; c < end; c++)
        FOR_CELLS(a, c, n, record, lane,
                  if (record) reflect_cell(a, &out, &next, &k, n, record, lane))
}

void EMULATED(absorb)(const wabe_absorb_args *a, int64_t begin, int64_t end) {
    const wabe_collision k = wabe_collision_of(&a->collision);
    const wabe_sources out = wabe_state_of(a->field, a->out, a->neighbours, a->form);
    const wabe_targets to = wabe_targets_of(a->field, a->out, a->neighbours);
    const wabe_targets next = wabe_targets_of(a->field, a->next_in, a->next_neighbours);
    for (int64_t item = begin; item < end; item++)
        for (int lane = 0; lane < WABE_TILE; lane++)
            wabe_absorb_lane(&out, &to, &next, &k, a, item, lane);
}

void EMULATED(boundary)(const wabe_boundary_args *a, int64_t begin, int64_t end) {
    const wabe_collision k = wabe_collision_of_force(&a->force);
    const wabe_sources out = wabe_state_of(a->field, a->out, (wabe_neighbours){0}, a->form);
    for (const wabe_image_link *link = a->links + begin; link < a->links + end; link++) {
        const int carrier = wabe_carrier_of(link->population);
        wabe_image_serve((wabe_stored *)a->field, &out, &k, link, a->patches,
                         a->in[link->population],
                         a->from[link->mirrored][link->population] +
                             a->around[link->wrapped][link->population],
                         a->from[link->mirrored][carrier] + a->around[link->wrapped][carrier]);
    }
}

void EMULATED(initialise)(const wabe_initialise_args *a, int64_t begin, int64_t end) {
    const wabe_targets out = wabe_targets_of(a->field, a->out, (wabe_neighbours){0});
    for (int64_t i = begin; i < end; i++)
        wabe_initialise_cell(&out, a, i);
}

void EMULATED(macroscopic)(const wabe_macroscopic_args *a, int64_t begin, int64_t end) {
    const wabe_collision k = wabe_collision_of(&a->collision);
    const wabe_sources out = wabe_state_of(a->field, a->out, a->neighbours, a->form);
    for (int64_t item = begin; item < end; item++)
        for (int64_t x = 0; x < wabe_macroscopic_length(a); x++)
            wabe_macroscopic_cell(&out, a, &k, item, x);
}

static bool counts(const wabe_parts *parts, const wabe_cell_record *record, int lane, int64_t n) {
    return wabe_is_fluid(record, lane) && n >= parts->first_cell && n < parts->end_cell;
}

void EMULATED(monitor)(const wabe_monitor_args *a, int64_t begin, int64_t end) {
    const wabe_collision k = wabe_collision_of(&a->collision);
    const wabe_sources out = wabe_state_of(a->field, a->out, a->neighbours, a->form);
    const wabe_sources arrivals = wabe_arrivals_of(a->field, &a->arrivals, a->form);
    for (int64_t part = begin; part < end; part++) {
        wabe_monitor_result result = {0};
        for (int64_t c = wabe_part_begin(&a->parts, part); c < wabe_part_begin(&a->parts, part + 1);
             c++)
            FOR_CELLS(&a->parts, c, n, record, lane,
                      if (counts(&a->parts, record, lane, n))
                          wabe_monitor_cell(&out, &arrivals, &k, a, record, lane, n, &result))
        a->results[part] = result;
    }
}

void EMULATED(forces)(const wabe_forces_args *a, int64_t begin, int64_t end) {
    const wabe_sources out = wabe_state_of(a->field, a->out, a->neighbours, a->form);
    const wabe_sources arrivals = wabe_arrivals_of(a->field, &a->arrivals, a->form);
    for (int64_t block = begin; block < end; block++) {
        const wabe_force_link *first = &a->links[a->blocks[block].first];
        wabe_force force = {0};
        for (int i = 0; i < a->blocks[block].count; i++)
            wabe_force_link_add(&out, &arrivals, a, first + i, &force);
        a->results[block] = force;
    }
}

void EMULATED(hash)(const wabe_hash_args *a, int64_t begin, int64_t end) {
    const wabe_sources out = wabe_state_of(a->field, a->out, a->neighbours, a->form);
    for (int64_t part = begin; part < end; part++) {
        uint64_t sum = 0;
        for (int64_t c = wabe_part_begin(&a->parts, part); c < wabe_part_begin(&a->parts, part + 1);
             c++)
            FOR_CELLS(&a->parts, c, n, record, lane,
                      if (counts(&a->parts, record, lane, n)) sum += wabe_hash_cell(&out, a, n))
        a->results[part] = sum;
    }
}
