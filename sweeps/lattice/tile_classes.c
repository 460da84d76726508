/* Tiles in the form that GPUs read. Many irregular tiles are alike: one sequence of records is kept
 * per kind, its class, and each tile has the number of its class. So what threads look up stays in
 * the caches. */
#include "core/device/memory.h"
#include "sweeps/cell/lattice.h"
#include "sweeps/lattice/tiles.h"

#include <stdlib.h>
#include <string.h>

enum {
    CLASSES_BEHIND = 16, /* the threads of a short last chunk may read these */
    GAPS = 32            /* a run may contain one tile without fluid per this many others */
};

/* ---- records ------------------------------------------------------------------------ */

static int populations_of(const wabe_tiles *t) { return wabe_lattice_count(t->lattice); }

/* The words of a tile, of 32 or 64 bits: see wabe_cell_record_bytes. */
static void *words_of(const wabe_tiles *t, int64_t record) {
    return (char *)t->cell_records + record * wabe_cell_record_bytes(populations_of(t));
}

static uint64_t word_at(const wabe_tiles *t, const void *words, int lane) {
    return populations_of(t) > WABE_NARROW_WORDS ? ((const uint64_t *)words)[lane]
                                                 : ((const uint32_t *)words)[lane];
}

static void put_word(const wabe_tiles *t, void *words, int lane, uint64_t word) {
    if (populations_of(t) > WABE_NARROW_WORDS)
        ((uint64_t *)words)[lane] = word;
    else
        ((uint32_t *)words)[lane] = (uint32_t)word;
}

/* Bits of all moving populations. */
static uint64_t moving_bits(const wabe_tiles *t) {
    return ((uint64_t)2 << wabe_lattice_moving(t->lattice)) - 2;
}

static bool is_fluid(const wabe_tiles *t, int64_t n) {
    return n >= 0 && n < t->tile_count * WABE_TILE &&
           (t->fluid[n / WABE_TILE] >> n % WABE_TILE & 1);
}

static bool is_ghost(const wabe_layout *l, int64_t n) {
    return n % l->pitch >= l->cells[0] || n % l->plane / l->pitch >= l->cells[1] ||
           n / l->plane >= l->cells[2];
}

static bool has_images(const wabe_tiles *t) {
    for (int k = 0; k < t->patches.count; k++)
        if (WABE_MIRRORS >> t->patches.rows[k].kind & 1)
            return true;
    return t->wraps;
}

/* Bits of the populations that a non-fluid cell would write where a fluid cell reads. Images lie in
 * ghost cells, too, or in solids, so if there are any, these must not write anything. */
static uint64_t awaited_bits(const wabe_tiles *t, const wabe_layout *l, int64_t n) {
    uint64_t bits = 0;
    if ((is_ghost(l, n) && has_images(t)) || t->has_mirror_solids)
        return moving_bits(t);
    for (int q = 1; q <= wabe_lattice_moving(t->lattice); q++) {
        const int *e = wabe_lattice_e(t->lattice, q);
        bits |= (uint64_t)is_fluid(t, n + wabe_layout_cell(l, e[0], e[1], e[2])) << q;
    }
    return bits;
}

static bool is_resting(const wabe_patch *patch) {
    bool rests = patch->sign == 1.0 && patch->scalar_sign == 1.0 && !patch->by_cell &&
                 patch->interpolation == 0.0 && !patch->by_place;
    for (int q = 0; q < WABE_Q_MAX; q++)
        rests &= patch->term[q] == 0.0;
    return rests;
}

static void put_words(const wabe_tiles *t, const wabe_list *list, const wabe_layout *l,
                      const wabe_tile_record *record, bool is_last, void *words) {
    const int populations = populations_of(t), last = populations + WABE_CELL_PATCH_BITS;
    const uint64_t whole = (uint64_t)record->patch << populations | (uint64_t)is_last << last |
                           (uint64_t)is_resting(&t->patches.rows[record->patch]) << (last + 1);
    for (int lane = 0; lane < WABE_TILE; lane++) {
        uint64_t cell = whole;
        if (record->fluid >> lane & 1)
            cell |= WABE_CELL_FLUID;
        else if (list) /* a padding slot, no cell */
            cell |= moving_bits(t);
        else
            cell |= awaited_bits(t, l, (int64_t)record->tile * WABE_TILE + lane);
        for (int q = 1; q < populations; q++)
            cell |= (uint64_t)(record->links[q - 1] >> lane & 1) << q;
        put_word(t, words, lane, cell);
    }
}

/* Words with the places of a record's links on a curved wall. */
static void put_places(const wabe_tiles *t, const wabe_tile_record *record, int64_t first) {
    const int in_word = WABE_PLACES_IN_WORD(populations_of(t));
    const int place = record->patch - wabe_patches_places(t->patches.condition_count) - 1;
    for (int q = 1; q < populations_of(t); q++) {
        void *words = words_of(t, first + (q - 1) / in_word);
        for (int lane = 0; lane < WABE_TILE; lane++)
            if (record->links[q - 1] >> lane & 1)
                put_word(t, words, lane,
                         word_at(t, words, lane) | (uint64_t)place
                                                       << WABE_PLACE_BITS * ((q - 1) % in_word));
    }
}

/* Is this one of the records of a tile that become one? */
static bool is_merged(const wabe_tiles *t, const wabe_tile_record *record) {
    return t->patches.rows[record->patch].interpolation != 0.0;
}

/* The words of a tile with count records from first on. Returns the number of records of words. */
static int put_sequence(wabe_tiles *t, const wabe_list *list, const wabe_layout *l,
                        const wabe_region *r, int64_t first, int count) {
    const int64_t to = t->cell_record_count;
    wabe_tile_record curved = *wabe_tiles_record(t, r, first);
    memset(curved.links, 0, sizeof curved.links);
    int others = 0, put = 0;
    for (int i = 0; i < count; i++)
        others += !is_merged(t, wabe_tiles_record(t, r, first + i));
    for (int i = 0; i < count; i++) {
        const wabe_tile_record *record = wabe_tiles_record(t, r, first + i);
        if (!is_merged(t, record)) {
            put_words(t, list, l, record, put + 1 == count, words_of(t, to + put));
            put++;
        }
    }
    if (others == count)
        return count;
    const int places = WABE_PLACE_RECORDS(populations_of(t));
    memset(words_of(t, to + put + 1), 0,
           (size_t)(places * wabe_cell_record_bytes(populations_of(t))));
    for (int i = 0; i < count; i++) {
        const wabe_tile_record *record = wabe_tiles_record(t, r, first + i);
        if (!is_merged(t, record))
            continue;
        for (int q = 1; q < populations_of(t); q++)
            curved.links[q - 1] |= record->links[q - 1];
        put_places(t, record, to + put + 1);
    }
    curved.patch = (uint16_t)wabe_patches_places(t->patches.condition_count);
    put_words(t, list, l, &curved, true, words_of(t, to + put));
    return put + 1 + places;
}

/* ---- classes ------------------------------------------------------------------------ */

/* The classes found so far: a hash table of the numbers of their first records, from 1; 0: free. */
typedef struct {
    uint32_t *slots;
    int64_t slot_count, used;
    int64_t record_room;
    wabe_tiles *tiles;
} catalogue;

/* words: of count successive records. */
static uint64_t hash_of(const wabe_tiles *t, const void *words, int count) {
    uint64_t hash = (uint64_t)count;
    for (int lane = 0; lane < count * WABE_TILE; lane++)
        hash = wabe_hash_mix(hash + word_at(t, words, lane));
    return hash;
}

/* Finds the slot that has the class of these records, or a free slot. Sequences of one class have
 * the same length, since their last record is marked, and says whether places follow. */
static uint32_t *find_slot(const catalogue *c, const void *words, int count) {
    const wabe_tiles *t = c->tiles;
    const size_t bytes = (size_t)(count * wabe_cell_record_bytes(populations_of(t)));
    int64_t at = (int64_t)(hash_of(t, words, count) % (uint64_t)c->slot_count);
    while (c->slots[at] && memcmp(words_of(t, c->slots[at] - 1), words, bytes) != 0)
        at = (at + 1) % c->slot_count;
    return &c->slots[at];
}

static int sequence_length(const wabe_tiles *t, int64_t first) {
    const int populations = populations_of(t), last = populations + WABE_CELL_PATCH_BITS;
    int count = 1;
    while (!(word_at(t, words_of(t, first + count - 1), 0) >> last & 1))
        count++;
    const uint64_t patch = word_at(t, words_of(t, first + count - 1), 0) >> populations;
    const bool places = t->patches.rows[patch & (WABE_PATCHES_MAX - 1)].by_place;
    return count + (places ? WABE_PLACE_RECORDS(populations) : 0);
}

static wabe_status widen(catalogue *c) {
    catalogue wider = *c;
    wider.slot_count = c->slot_count ? 2 * c->slot_count : 1024;
    wider.slots = calloc((size_t)wider.slot_count, sizeof *wider.slots);
    WABE_CHECK(wider.slots, WABE_MEMORY, "no memory for classes of tiles");
    for (int64_t i = 0; i < c->slot_count; i++)
        if (c->slots[i]) {
            const int64_t first = c->slots[i] - 1;
            *find_slot(&wider, words_of(c->tiles, first),
                       sequence_length(c->tiles, first)) = c->slots[i];
        }
    free(c->slots);
    *c = wider;
    return WABE_OK;
}

/* Makes room for count more records, and for as many after them, which find_slot may read. */
static wabe_status make_room(catalogue *c, int count) {
    wabe_tiles *t = c->tiles;
    if (t->cell_record_count + 2 * count <= c->record_room)
        return WABE_OK;
    const int64_t record = wabe_cell_record_bytes(populations_of(t));
    c->record_room = 2 * (c->record_room + 2 * count) + 256;
    void *grown = realloc(t->cell_records, (size_t)(c->record_room * record));
    WABE_CHECK(grown, WABE_MEMORY, "no memory for classes of tiles");
    t->cell_records = grown;
    memset(words_of(t, t->cell_record_count), 0,
           (size_t)((c->record_room - t->cell_record_count) * record));
    return WABE_OK;
}

/* Assigns a class to the tile of these count records; adds the class if it is new. */
static wabe_status classify(catalogue *c, const wabe_list *list, const wabe_layout *layout,
                            const wabe_region *r, int64_t first, int count) {
    wabe_tiles *t = c->tiles;
    if (2 * (c->used + 1) > c->slot_count)
        WABE_TRY(widen(c));
    WABE_TRY(make_room(c, count + 1 + WABE_PLACE_RECORDS(populations_of(t))));
    const uint32_t tile = wabe_tiles_record(t, r, first)->tile;
    count = put_sequence(t, list, layout, r, first, count);
    uint32_t *slot = find_slot(c, words_of(t, t->cell_record_count), count);
    if (!*slot) {
        *slot = (uint32_t)(t->cell_record_count + 1);
        t->cell_record_count += count;
        c->used++;
    }
    t->classes[tile] = *slot;
    return WABE_OK;
}

/* The same for a tile without fluid. */
static wabe_status classify_solid(catalogue *c, const wabe_list *list, const wabe_layout *layout,
                                  uint32_t tile) {
    wabe_tile_record record = {.tile = tile, .last = 1};
    return classify(c, list, layout, &(wabe_region){.records = &record}, 0, 1);
}

static wabe_status classify_region(catalogue *c, const wabe_list *list, const wabe_layout *layout,
                                   wabe_region *r) {
    int count;
    for (int64_t i = 0; i < r->record_count; i += count) {
        count = 1;
        while (!wabe_tiles_record(c->tiles, r, i + count - 1)->last)
            count++;
        WABE_TRY(classify(c, list, layout, r, i, count));
    }
    return WABE_OK;
}

/* Gives tiles without fluid a class, too. */
static wabe_status classify_empty(catalogue *c, const wabe_layout *layout) {
    for (int64_t tile = 0; tile < c->tiles->tile_count; tile++)
        if (c->tiles->fluid[tile] == 0)
            WABE_TRY(classify_solid(c, NULL, layout, (uint32_t)tile));
    return WABE_OK;
}

/* ---- runs --------------------------------------------------------------------------- */

/* Is the region one run of tiles, except for a few without fluid such as those of ghost rows? */
static bool is_run(const wabe_tiles *t, const wabe_region *r) {
    int64_t tiles = 0, with_fluid = 0;
    for (int64_t i = 0; i < r->chunk_count; i++)
        tiles += r->chunks[i].tile_count;
    for (uint32_t tile = r->first_tile; tile < r->end_tile; tile++)
        with_fluid += t->fluid[tile] != 0;
    return with_fluid == tiles && r->end_tile - r->first_tile <= tiles + tiles / GAPS;
}

/* Makes such a region contiguous, so that threads compute their tile instead of reading it: all
 * other reads would wait for that one. */
static wabe_status straighten(catalogue *c, const wabe_list *list, const wabe_layout *layout,
                              int grain, wabe_region *r) {
    const wabe_tiles *t = c->tiles;
    const int64_t count = (r->end_tile - r->first_tile + grain - 1) / grain;
    if (!is_run(t, r))
        return WABE_OK;
    for (uint32_t tile = r->first_tile; tile < r->end_tile; tile++)
        if (t->fluid[tile] == 0)
            WABE_TRY(classify_solid(c, list, layout, tile));
    wabe_chunk *chunks = calloc((size_t)count + 1, sizeof *chunks);
    WABE_CHECK(chunks, WABE_MEMORY, "no memory for a region of %lld tiles of cells",
               (long long)(count * grain));
    for (int64_t i = 0; i < count; i++) {
        const int64_t first = r->first_tile + i * grain, left = r->end_tile - first;
        chunks[i] = (wabe_chunk){.first_tile = (uint32_t)first,
                                 .tile_count = (uint32_t)(left < grain ? left : grain)};
    }
    free(r->chunks);
    r->chunks = chunks;
    r->chunk_count = count;
    r->contiguous = true;
    return WABE_OK;
}

static wabe_status begin_classes(wabe_tiles *t, catalogue *c) {
    const int64_t count = t->tile_count + CLASSES_BEHIND;
    *c = (catalogue){.tiles = t};
    t->classes = calloc((size_t)count, sizeof *t->classes);
    WABE_CHECK(t->classes, WABE_MEMORY, "no memory for the classes of %lld tiles of cells",
               (long long)t->tile_count);
    return make_room(c, 1);
}

static void end_classes(wabe_tiles *t, catalogue *c) {
    t->bytes += (t->tile_count + CLASSES_BEHIND) * (int64_t)sizeof *t->classes +
                t->cell_record_count * wabe_cell_record_bytes(populations_of(t));
    free(c->slots);
}

wabe_status wabe_tiles_classify(wabe_tiles *t, const wabe_layout *layout) {
    catalogue c;
    wabe_status status = begin_classes(t, &c);
    for (int name = 0; name < WABE_REGION_COUNT && status == WABE_OK; name++)
        status = classify_region(&c, NULL, layout, &t->regions[name]);
    if (status == WABE_OK)
        status = classify_empty(&c, layout);
    end_classes(t, &c);
    return status;
}

static wabe_status classify_all(wabe_tiles *t, const wabe_list *list, const wabe_layout *layout,
                                int grain) {
    catalogue c;
    wabe_status status = begin_classes(t, &c);
    for (int name = 0; name < WABE_REGION_COUNT && status == WABE_OK; name++) {
        wabe_region *r = &t->regions[name];
        t->bytes -= r->record_count * wabe_record_bytes(populations_of(t)) +
                    r->chunk_count * (int64_t)sizeof *r->chunks;
        status = classify_region(&c, list, layout, r);
        if (status == WABE_OK)
            status = straighten(&c, list, layout, grain, r);
        free(r->records);
        r->records = NULL;
        t->bytes += r->chunk_count * (int64_t)sizeof *r->chunks;
    }
    end_classes(t, &c);
    return status;
}

/* ---- to the component --------------------------------------------------------------- */

/* An array to be moved to the component's memory. */
typedef struct {
    void **place;
    int64_t bytes;
    void *moved;
} move;

enum { MOVES = 5 };

static wabe_status move_arrays(move moves[MOVES], const wabe_component *component,
                               wabe_stream *stream) {
    wabe_status status = WABE_OK;
    for (int i = 0; i < MOVES && status == WABE_OK; i++)
        status = wabe_memory_copy_of(component, stream, *moves[i].place, moves[i].bytes,
                                     &moves[i].moved);
    for (int i = 0; i < MOVES; i++) {
        if (status != WABE_OK) {
            wabe_memory_destroy(component, &moves[i].moved);
            continue;
        }
        free(*moves[i].place);
        *moves[i].place = moves[i].moved;
    }
    return status;
}

/* Copies the masks of fluid lanes; the host keeps its own. */
static wabe_status move_fluid(wabe_tiles *t, const wabe_component *component, wabe_stream *stream,
                              void **out) {
    const int64_t bytes = t->tile_count * (int64_t)sizeof *t->fluid;
    if (!t->fluid_there)
        return WABE_OK;
    t->bytes += bytes;
    return wabe_memory_copy_of(component, stream, t->fluid, bytes, out);
}

wabe_status wabe_tiles_move(wabe_tiles *t, const wabe_list *list, const wabe_layout *layout,
                            const wabe_component *component, wabe_stream *stream) {
    if (!component->device)
        return WABE_OK;
    if (!t->classes)
        WABE_TRY(classify_all(t, list, layout, component->grain));
    wabe_region *r = t->regions;
    const int64_t chunk = sizeof *r->chunks;
    move moves[MOVES] = {
        {(void **)&t->images, t->image_count * (int64_t)sizeof *t->images, NULL},
        {(void **)&t->classes, (t->tile_count + CLASSES_BEHIND) * (int64_t)sizeof *t->classes,
         NULL},
        {&t->cell_records, t->cell_record_count * wabe_cell_record_bytes(populations_of(t)), NULL},
        {(void **)&r[0].chunks, (r[0].chunk_count + 1) * chunk, NULL},
        {(void **)&r[1].chunks, (r[1].chunk_count + 1) * chunk, NULL},
    };
    void *fluid = NULL;
    WABE_TRY(wabe_patches_move(&t->patches, component, stream));
    wabe_status status = move_fluid(t, component, stream, &fluid);
    if (status == WABE_OK)
        status = move_arrays(moves, component, stream);
    if (status == WABE_OK) {
        t->component = component;
        t->fluid_there = fluid;
    } else {
        wabe_memory_destroy(component, &fluid);
    }
    return status;
}
