#include "sweeps/lattice/face_layers.h"

#include "core/device/memory.h"
#include "sweeps/lattice/wall_law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A level with wall functions or a source. */
typedef struct {
    int64_t
        key; /* of a sponge's or turbulence's level, the place (place_at), the source; 0: free */
    uint16_t level;
} layer_key;

/* What is known while the tiles are found. */
typedef struct {
    const wabe_geometry *geometry;
    const wabe_layout *layout;
    const wabe_list *list;
    const wabe_tiles *tiles;
    wabe_box block;
    const wabe_box *inner;
    const wabe_face_layers_flow *flow;
    int first_level[WABE_FACES]; /* of the face's layers, from the face on */
    wabe_face_layer *levels;
    int64_t level_count;
    bool walls;                  /* there are wall functions */
    const wabe_condition *solid; /* a solid with such walls; NULL: there is none */
    wabe_flags around;           /* then: of the block and as many layers around it */
    /* Of their faces: the flags of the layers before them, whatever slab these are in. */
    wabe_flags covers[WABE_FACES];
    int64_t level_room;
    layer_key *keys; /* KEYS of them: levels with wall functions or sources, by what they are */
    wabe_face_layer_tile *found[WABE_REGION_COUNT];
    int64_t count[WABE_REGION_COUNT], room[WABE_REGION_COUNT];
} builder;

static bool is_turbulent(const builder *b, int face) {
    return b->geometry->turbulence && b->geometry->turbulence->face == face;
}

static int64_t width_of(const builder *b, int face) {
    return is_turbulent(b, face) ? b->geometry->turbulence->width
                                 : b->geometry->conditions[face].sponge_width;
}

/* The share of turbulence that has arisen at a part s of the way through its layers, and the
 * share's derivative. Means over a layer add up to the whole share, however few layers there are.
 */
static double share(double s) { return s * s * (3.0 - 2.0 * s); }
static double share_slope(double s) { return 6.0 * s * (1.0 - s); }

static wabe_coefficient subgrid_of(double length) {
    return wabe_coefficient_of(18.0 * sqrt(2.0) * length * length);
}

/* Regularized collisions near tau = 1/2 hardly damp waves of two cells along a face of given
 * pressure, which grow there to a tenth of the stream's velocity and more. Half of this viscosity
 * keeps them away from streams of 0.08 cells a step. */
#define VISCOSITY_AT_FACE 0.02

/* Raises a layer's viscosity to at least this part of VISCOSITY_AT_FACE. */
static void add_viscosity(const builder *b, double part, wabe_face_layer *level) {
    const double more = part * VISCOSITY_AT_FACE - b->flow->viscosity;
    if (!b->flow->regularized || more <= 0.0)
        return;
    level->mixes = 1;
    level->subgrid = subgrid_of(b->flow->smagorinsky);
    level->tau_added = wabe_coefficient_of(3.0 * more);
}

/* A sponge's rate, and its viscosity, rise with the square of the distance from its beginning. */
static wabe_face_layer level_of(const builder *b, int face, int64_t layer) {
    const wabe_condition *condition = &b->geometry->conditions[face];
    const double width = (double)width_of(b, face), s = ((double)layer + 0.5) / width;
    const double begin = (double)layer / width, end = (double)(layer + 1) / width;
    wabe_face_layer level = {.absorbs = 1, .density = condition->density};
    level.outward[face / 2] = face % 2 ? 1.0 : -1.0;
    if (is_turbulent(b, face)) {
        level.stir = share(end) - share(begin);
        level.bend = (share_slope(end) - share_slope(begin)) / width;
    } else {
        level.rate = condition->sponge_strength * (1.0 - s) * (1.0 - s);
        add_viscosity(b, (1.0 - s) * (1.0 - s), &level);
    }
    return level;
}

static bool is_wall_function(const builder *b, int face) {
    return b->geometry->conditions[face].kind == WABE_BOUNDARY_wall_function;
}

/* What wall functions do to a cell depends on what comes first on its six sides: a face or a solid,
 * in how many cells. */
enum { SIDE_STATES = 1 + 2 * WABE_MIXED_LAYERS, KEYS = 1 << 16 /* places of a hash table */ };
#define PLACES                                                                                     \
    ((int64_t)SIDE_STATES * SIDE_STATES * SIDE_STATES * SIDE_STATES * SIDE_STATES * SIDE_STATES)

/* Are there levels beside those of sponges and turbulence? */
static bool has_keys(const builder *b) { return b->walls || b->geometry->source_count > 0; }

/* Row 0 belongs to cells outside. */
static wabe_status make_levels(builder *b) {
    b->level_count = 1;
    b->solid = wabe_geometry_law(b->geometry);
    b->walls = b->solid != NULL;
    for (int face = 0; face < WABE_FACES; face++) {
        b->first_level[face] = (int)b->level_count;
        b->level_count += width_of(b, face);
        b->walls |= is_wall_function(b, face);
    }
    WABE_CHECK(b->level_count <= UINT16_MAX, WABE_INPUT,
               "sponges and turbulence can have %d layers of cells in all", UINT16_MAX - 1);
    b->level_room = b->level_count;
    b->levels = calloc((size_t)b->level_room, sizeof *b->levels);
    b->keys = calloc(has_keys(b) ? KEYS : 1, sizeof *b->keys);
    WABE_CHECK(b->levels && b->keys, WABE_MEMORY, "no memory for %lld layers of cells",
               (long long)b->level_room);
    for (int face = 0; face < WABE_FACES; face++)
        for (int64_t i = 0; i < width_of(b, face); i++)
            b->levels[b->first_level[face] + i] = level_of(b, face, i);
    return WABE_OK;
}

/* Of several layers that a cell is in, the strongest counts: turbulence, whose potential would be
 * cut off otherwise, then the sponge with the highest rate, which is 1 at most. */
static double strength_of(wabe_face_layer level) { return level.stir > 0.0 ? 2.0 : level.rate; }

static int strongest_at(const builder *b, const int64_t cell[3]) {
    int best = 0;
    for (int face = 0; face < WABE_FACES; face++) {
        const int64_t x = cell[face / 2];
        const int64_t layer = face % 2 ? b->geometry->cells[face / 2] - 1 - x : x;
        if (layer < 0 || layer >= width_of(b, face)) /* ghost planes have negative ones */
            continue;
        const int level = b->first_level[face] + (int)layer;
        if (strength_of(b->levels[level]) > strength_of(b->levels[best]))
            best = level;
    }
    return best;
}

/* Finds the solids in the layers before wall functions. Cells that geometry.fill has filled are
 * known in a slab alone, and count as fluid here, so that all cuts agree. */
static wabe_status find_covers(builder *b) {
    wabe_geometry geometry = *b->geometry;
    geometry.filled = NULL;
    for (int face = 0; face < WABE_FACES; face++) {
        const int axis = face / 2;
        wabe_box box = b->block;
        box.begin[axis] = face % 2 ? geometry.cells[axis] - WABE_MIXED_LAYERS : 0;
        box.end[axis] = box.begin[axis] + WABE_MIXED_LAYERS;
        if (is_wall_function(b, face) && box.begin[axis] < b->block.end[axis] &&
            box.end[axis] > b->block.begin[axis])
            WABE_TRY(wabe_geometry_flags(&geometry, box, &b->covers[face]));
    }
    return b->solid ? wabe_geometry_flags(&geometry, wabe_box_grow(b->block, WABE_MIXED_LAYERS),
                                          &b->around)
                    : WABE_OK;
}

/* The layer of a cell at a face, if it has a wall function, and if there is fluid between them;
 * otherwise one beyond the last. */
static int64_t wall_layer_at(const builder *b, int face, const int64_t cell[3]) {
    const int axis = face / 2;
    const int64_t last = b->geometry->cells[axis] - 1;
    const int64_t layer = face % 2 ? last - cell[axis] : cell[axis];
    if (!is_wall_function(b, face) || layer < 0 || layer >= WABE_MIXED_LAYERS)
        return WABE_MIXED_LAYERS;
    int64_t between[3] = {cell[0], cell[1], cell[2]};
    for (int64_t i = 0; i < layer; i++) {
        between[axis] = face % 2 ? last - i : i;
        if (wabe_flags_at(&b->covers[face], between[0], between[1], between[2]) != 0)
            return WABE_MIXED_LAYERS;
    }
    return layer;
}

/* The same of a solid on the side of this face. */
static int64_t solid_layer_at(const builder *b, int face, const int64_t cell[3]) {
    int64_t at[3] = {cell[0], cell[1], cell[2]};
    for (int64_t layer = 0; b->solid && layer < WABE_MIXED_LAYERS; layer++) {
        at[face / 2] += face % 2 ? 1 : -1;
        const int flag = wabe_flags_at(&b->around, at[0], at[1], at[2]);
        if (flag != 0)
            return b->geometry->conditions[flag - 1].has_law ? layer : WABE_MIXED_LAYERS;
    }
    return WABE_MIXED_LAYERS;
}

/* What wall functions are on the sides of a cell, a digit for each face; 0: there are none. */
static int64_t place_at(const builder *b, const int64_t cell[3]) {
    int64_t place = 0;
    for (int face = WABE_FACES - 1; face >= 0; face--) {
        const int64_t of_face = wall_layer_at(b, face, cell);
        const int64_t of_solid = solid_layer_at(b, face, cell);
        const int64_t state = of_face < WABE_MIXED_LAYERS    ? 1 + of_face
                              : of_solid < WABE_MIXED_LAYERS ? 1 + WABE_MIXED_LAYERS + of_solid
                                                             : 0;
        place = place * SIDE_STATES + state;
    }
    return place;
}

/* Adds to a level what wall functions do at such a place: the shortest mixing length counts. */
static void add_walls(const builder *b, int64_t place, wabe_face_layer *level) {
    double length = INFINITY;
    for (int face = 0; face < WABE_FACES; face++, place /= SIDE_STATES) {
        const int state = (int)(place % SIDE_STATES);
        const bool solid = state > WABE_MIXED_LAYERS;
        const int layer = (state - 1) % WABE_MIXED_LAYERS;
        if (state == 0)
            continue;
        const double roughness = solid ? b->solid->roughness
                                       : b->geometry->conditions[face].roughness;
        length = fmin(length, wabe_mixing_length(layer, roughness));
        if (layer == 0)
            level->friction |= 1u << (solid ? WABE_FACES + face : face);
    }
    level->mixes = 1;
    level->subgrid = subgrid_of(length);
}

/* The source that a cell is in, from 1; 0: none. */
static int source_at(const builder *b, const int64_t cell[3]) {
    const int64_t planes = b->geometry->cells[2];
    const int64_t z = (cell[2] + planes) % planes; /* ghost planes are those of the other end */
    for (int i = 0; i < b->geometry->source_count; i++)
        if (wabe_box_contains(b->geometry->sources[i].box, cell[0], cell[1], z))
            return i + 1;
    return 0;
}

/* Adds to a level what a source gives off. */
static void add_source(const builder *b, int source, wabe_face_layer *level) {
    if (source == 0)
        return;
    const wabe_source *s = &b->geometry->sources[source - 1];
    level->release = s->amount;
    level->begin = s->begin;
    level->end = s->end;
}

/* The entry of a key, or a free one; NULL: there is neither. */
static layer_key *find_key(const builder *b, int64_t key) {
    uint64_t at = (uint64_t)key * 0x9e3779b97f4a7c15u >> 40;
    for (int i = 0; i < KEYS; i++, at++)
        if (b->keys[at % KEYS].key == key || b->keys[at % KEYS].key == 0)
            return &b->keys[at % KEYS];
    return NULL;
}

static wabe_status add_level(builder *b, int own, int64_t place, int source, layer_key *entry) {
    WABE_CHECK(entry && b->level_count < UINT16_MAX, WABE_INPUT,
               "wall functions, sources, sponges and turbulence meet in more than %d ways",
               UINT16_MAX - 1);
    if (b->level_count == b->level_room) {
        void *grown = realloc(b->levels, 2 * (size_t)b->level_room * sizeof *b->levels);
        WABE_CHECK(grown, WABE_MEMORY, "no memory for layers of cells");
        b->levels = grown;
        b->level_room *= 2;
    }
    entry->level = (uint16_t)b->level_count++;
    b->levels[entry->level] = b->levels[own];
    if (place != 0)
        add_walls(b, place, &b->levels[entry->level]);
    add_source(b, source, &b->levels[entry->level]);
    return WABE_OK;
}

static wabe_status level_at(builder *b, const int64_t cell[3], uint16_t *out) {
    const int own = strongest_at(b, cell), source = source_at(b, cell);
    const int64_t place = b->walls ? place_at(b, cell) : 0;
    *out = (uint16_t)own;
    if (place == 0 && source == 0)
        return WABE_OK;
    const int64_t key = (source * PLACES + place) * (UINT16_MAX + 1) + own;
    layer_key *entry = find_key(b, key);
    if (!entry || entry->key == 0) {
        WABE_TRY(add_level(b, own, place, source, entry));
        entry->key = key;
    }
    *out = entry->level;
    return WABE_OK;
}

static wabe_status add_tile(builder *b, wabe_region_name name, const wabe_face_layer_tile *tile) {
    if (b->count[name] == b->room[name]) {
        const int64_t room = b->room[name] ? 2 * b->room[name] : 256;
        void *grown = realloc(b->found[name], (size_t)room * sizeof *tile);
        WABE_CHECK(grown, WABE_MEMORY, "no memory for %lld tiles of layers before faces",
                   (long long)room);
        b->found[name] = grown;
        b->room[name] = room;
    }
    b->found[name][b->count[name]++] = *tile;
    return WABE_OK;
}

/* Adds a tile of a region to it, or the lanes to the regions that an inner box divides. record: see
 * wabe_face_layer_tile. */
static wabe_status look_at(builder *b, wabe_region_name name, int64_t tile, uint32_t record) {
    const wabe_layout *l = b->layout;
    wabe_face_layer_tile of[WABE_REGION_COUNT];
    bool any[WABE_REGION_COUNT] = {false, false};
    for (int i = 0; i < WABE_REGION_COUNT; i++)
        of[i] = (wabe_face_layer_tile){.tile = (uint32_t)tile, .record = record};
    for (int lane = 0; lane < WABE_TILE; lane++) {
        if (!(b->tiles->fluid[tile] >> lane & 1))
            continue;
        const int64_t slot = tile * WABE_TILE + lane, n = b->list ? b->list->cells[slot] : slot;
        const int64_t cell[3] = {b->block.begin[0] + n % l->pitch,
                                 b->block.begin[1] + n % l->plane / l->pitch,
                                 b->block.begin[2] + n / l->plane};
        const int its = !b->inner ? (int)name
                        : wabe_box_contains(*b->inner, cell[0], cell[1], cell[2])
                            ? WABE_REGION_INNER
                            : WABE_REGION_OUTER;
        WABE_TRY(level_at(b, cell, &of[its].level[lane]));
        any[its] |= of[its].level[lane] != 0;
    }
    for (int i = 0; i < WABE_REGION_COUNT; i++)
        if (any[i])
            WABE_TRY(add_tile(b, (wabe_region_name)i, &of[i]));
    return WABE_OK;
}

static wabe_status look_at_region(builder *b, wabe_region_name name) {
    const wabe_tiles *t = b->tiles;
    const wabe_region *r = &t->regions[name];
    int64_t record = 0;
    for (int64_t c = 0; c < r->chunk_count; c++)
        for (uint32_t i = 0; i < r->chunks[c].tile_count; i++) {
            const int64_t tile = (int64_t)r->chunks[c].first_tile + i;
            const bool has = record < r->record_count &&
                             wabe_tiles_record(t, r, record)->tile == tile;
            WABE_TRY(look_at(b, name, tile, has ? (uint32_t)record + 1 : 0));
            while (record < r->record_count && wabe_tiles_record(t, r, record)->tile == tile)
                record++;
        }
    return WABE_OK;
}

static wabe_status hand_over_waves(const wabe_turbulence *t, wabe_stream *stream,
                                   wabe_face_layers *out) {
    wabe_gust_wave waves[WABE_WAVES];
    for (int i = 0; i < WABE_WAVES; i++) {
        const wabe_wave *w = &t->waves[i];
        waves[i].phase = wabe_coefficient_of(w->phase);
        for (int d = 0; d < 3; d++) {
            waves[i].turns[d] = wabe_coefficient_of(w->turns[d]);
            waves[i].velocity[d] = wabe_coefficient_of(w->velocity[d]);
            waves[i].across[d] = wabe_coefficient_of(w->across[d]);
        }
    }
    memcpy(out->carried, t->carried, sizeof out->carried);
    memcpy(out->period, t->period, sizeof out->period);
    out->bytes += (int64_t)sizeof waves;
    return wabe_memory_copy_of(out->component, stream, waves, (int64_t)sizeof waves, &out->waves);
}

static wabe_status hand_over_laws(const builder *b, wabe_stream *stream, wabe_face_layers *out) {
    wabe_wall_law laws[WABE_FACES + 1];
    wabe_wall_laws_make(b->flow->viscosity, b->geometry, laws);
    out->bytes += (int64_t)sizeof laws;
    return wabe_memory_copy_of(out->component, stream, laws, (int64_t)sizeof laws, &out->laws);
}

static wabe_status hand_over(const builder *b, wabe_stream *stream, wabe_face_layers *out) {
    const int64_t bytes = b->level_count * (int64_t)sizeof *b->levels;
    out->bytes = bytes;
    if (b->geometry->turbulence)
        WABE_TRY(hand_over_waves(b->geometry->turbulence, stream, out));
    if (b->walls)
        WABE_TRY(hand_over_laws(b, stream, out));
    WABE_TRY(wabe_memory_copy_of(out->component, stream, b->levels, bytes, &out->levels));
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        const int64_t size = b->count[name] * (int64_t)sizeof *b->found[name];
        out->tile_count[name] = b->count[name];
        out->bytes += size;
        if (size == 0)
            continue;
        WABE_TRY(
            wabe_memory_copy_of(out->component, stream, b->found[name], size, &out->tiles[name]));
        out->numbers[name] = malloc((size_t)b->count[name] * sizeof *out->numbers[name]);
        WABE_CHECK(out->numbers[name], WABE_MEMORY, "no memory for %lld tiles of layers",
                   (long long)b->count[name]);
        for (int64_t i = 0; i < b->count[name]; i++)
            out->numbers[name][i] = b->found[name][i].tile;
    }
    return WABE_OK;
}

wabe_status wabe_face_layers_create(const wabe_component *component, wabe_stream *stream,
                                    const wabe_geometry *geometry, const wabe_layout *layout,
                                    const wabe_list *list, const wabe_tiles *tiles, wabe_box block,
                                    const wabe_box *inner, const wabe_face_layers_flow *flow,
                                    wabe_face_layers *out) {
    builder b = {.flow = flow,
                 .geometry = geometry,
                 .layout = layout,
                 .list = list,
                 .tiles = tiles,
                 .block = block,
                 .inner = inner};
    *out = (wabe_face_layers){.component = NULL};
    wabe_status status = make_levels(&b);
    if (status == WABE_OK)
        status = find_covers(&b);
    for (int name = 0;
         name < WABE_REGION_COUNT && status == WABE_OK && (b.level_count > 1 || has_keys(&b));
         name++)
        status = look_at_region(&b, (wabe_region_name)name);
    if (status == WABE_OK && b.level_count > 1) {
        out->component = component;
        status = hand_over(&b, stream, out);
    }
    if (status != WABE_OK)
        wabe_face_layers_destroy(out);
    free(b.levels);
    free(b.keys);
    for (int face = 0; face < WABE_FACES; face++)
        wabe_flags_free(&b.covers[face]);
    wabe_flags_free(&b.around);
    free(b.found[0]);
    free(b.found[1]);
    return status;
}

void wabe_face_layers_destroy(wabe_face_layers *layers) {
    if (!layers->component)
        return;
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        wabe_memory_destroy(layers->component, &layers->tiles[name]);
        free(layers->numbers[name]);
    }
    wabe_memory_destroy(layers->component, &layers->levels);
    wabe_memory_destroy(layers->component, &layers->waves);
    wabe_memory_destroy(layers->component, &layers->laws);
    *layers = (wabe_face_layers){.component = NULL};
}
