#include "sweeps/lattice/tiles.h"

#include "core/device/memory.h"
#include "sweeps/cell/lattice.h"
#include "sweeps/lattice/link.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS_BEHIND = 2 };

typedef struct {
    const wabe_layout *layout;
    const wabe_list *list;
    const wabe_geometry *geometry;
    const wabe_flags *flags;
    wabe_box block, inner;
    bool wraps[3];
    wabe_box unwrapped; /* cells that no population reaches from the other end of a periodic axis */
    int grain;
    wabe_tiles *tiles;
    int64_t chunk_room[WABE_REGION_COUNT], record_room[WABE_REGION_COUNT], image_room;
} builder;

static int populations_of(const builder *b) { return wabe_lattice_count(b->tiles->lattice); }

/* Makes room for one more item of size bytes in an array. */
static wabe_status grow(void **items, int64_t count, int64_t *room, size_t size) {
    if (count < *room)
        return WABE_OK;
    const int64_t wanted = *room ? 2 * *room : 256;
    void *grown = realloc(*items, (size_t)wanted * size);
    WABE_CHECK(grown, WABE_MEMORY, "no memory for %lld tiles of cells", (long long)wanted);
    memset((char *)grown + (size_t)count * size, 0, (size_t)(wanted - count) * size);
    *items = grown;
    *room = wanted;
    return WABE_OK;
}

/* ---- patches of links ---------------------------------------------------------------- */

/* The part of a link that lies before a surface, of the condition with this flag. */
static double place_on_link(const wabe_geometry *geometry, const int64_t cell[3], const int e[3],
                            int flag) {
    const int way[3] = {-e[0], -e[1], -e[2]};
    int64_t solid[3];
    for (int d = 0; d < 3; d++) {
        const bool periodic = geometry->conditions[2 * d].kind == WABE_BOUNDARY_periodic;
        solid[d] = cell[d] - e[d];
        if (periodic) /* the cell of the domain */
            solid[d] = (solid[d] + geometry->cells[d]) % geometry->cells[d];
    }
    return wabe_geometry_cut(geometry, flag - 1, solid, way);
}

/* Is a curved wall half-way between cells for population q, of a scalar? */
static bool is_half_way(wabe_lattice lattice, const wabe_condition *condition, int q) {
    return q >= wabe_lattice_flow(lattice) &&
           !(wabe_lattice_carries(lattice) && condition->scalar.kind == WABE_SCALAR_INSULATED);
}

int wabe_tiles_patch(wabe_lattice lattice, const wabe_geometry *geometry, const wabe_flags *flags,
                     const int64_t cell[3], int q) {
    const int *e = wabe_lattice_e(lattice, q);
    const int back[3] = {-e[0], -e[1], -e[2]};
    const int flag = wabe_link_boundary(geometry, flags, cell, e);
    if (geometry->conditions[flag - 1].kind != WABE_BOUNDARY_curved_wall ||
        is_half_way(lattice, &geometry->conditions[flag - 1], q) ||
        wabe_link_boundary(geometry, flags, cell, back) != 0)
        return flag;
    const double d = place_on_link(geometry, cell, e, flag);
    const int place = (int)fmin(WABE_LINK_PLACES, fmax(1.0, nearbyint(WABE_LINK_PLACES * d)));
    return wabe_patches_places(geometry->condition_count) + place;
}

/* ---- one tile ----------------------------------------------------------------------- */

typedef struct {
    int patch, lane, q;
} tile_link;

/* What has been found out about a tile. */
typedef struct {
    int64_t tile;
    unsigned fluid; /* mask of lanes */
    bool outer;     /* a fluid cell lies outside the inner box */
    tile_link links[WABE_TILE * WABE_Q_MAX];
    int link_count;
} tile_view;

/* Bits of the periodic axes at whose other end a cell beside the slab lies. */
static unsigned wrapped_axes(const builder *b, const int64_t cell[3]) {
    unsigned axes = 0;
    for (int d = 0; d < 3; d++)
        if (b->wraps[d] && (cell[d] < b->block.begin[d] || cell[d] >= b->block.end[d]))
            axes |= 1u << d;
    return axes;
}

/* Adds a link to the image of a population that arrives from behind mirrors, or from the other end
 * of a periodic axis. axes: bits of those that are normal to mirrors. */
static wabe_status add_image(builder *b, const int64_t cell[3], int q, unsigned axes, int64_t n,
                             int patch) {
    int64_t behind[3], source[3];
    for (int d = 0; d < 3; d++)
        behind[d] = cell[d] - wabe_lattice_e(b->tiles->lattice, q)[d];
    for (int d = 0; d < 3; d++)
        source[d] = axes >> d & 1 ? cell[d] : behind[d];
    wabe_tiles *t = b->tiles;
    WABE_TRY(grow((void **)&t->images, t->image_count, &b->image_room, sizeof *t->images));
    t->images[t->image_count++] = (wabe_image_link){.cell = n,
                                                    .population = (uint8_t)q,
                                                    .mirrored = (uint8_t)axes,
                                                    .wrapped = (uint8_t)wrapped_axes(b, source),
                                                    .patch = (uint8_t)patch};
    return WABE_OK;
}

/* The axis normal to a flat wall of a solid that is a wall function, in which a population that
 * arrives has its mirror image; -1: there is none, such as at edges, which are no_slip. Where the
 * image would lie behind a mirror, too, it is what the cell itself has sent the opposite way, which
 * is what a no_slip wall returns. */
static int mirror_axis(const builder *b, const int64_t cell[3], const int e[3]) {
    for (int d = 0; d < 3; d++) {
        int64_t wall[3] = {cell[0], cell[1], cell[2]};
        int64_t source[3] = {cell[0] - e[0], cell[1] - e[1], cell[2] - e[2]};
        const int behind = wabe_flags_at(b->flags, source[0], source[1], source[2]);
        wall[d] -= e[d];
        source[d] = cell[d];
        const int flag = wabe_flags_at(b->flags, wall[0], wall[1], wall[2]);
        if (e[d] != 0 && flag != 0 && b->geometry->conditions[flag - 1].has_law && behind != 0 &&
            b->geometry->conditions[behind - 1].has_law &&
            wabe_flags_at(b->flags, source[0], source[1], source[2]) == 0)
            return d;
    }
    return -1;
}

static wabe_status view_link(builder *b, const int64_t cell[3], int lane, int q, tile_view *view) {
    const int *e = wabe_lattice_e(b->tiles->lattice, q);
    const int64_t behind[3] = {cell[0] - e[0], cell[1] - e[1], cell[2] - e[2]};
    const int flag = wabe_flags_at(b->flags, behind[0], behind[1], behind[2]);
    const int64_t n = view->tile * WABE_TILE + lane;
    const int axis = mirror_axis(b, cell, e);
    if (axis >= 0) { /* images are made before the outer cells are computed */
        view->outer = b->tiles->has_mirror_solids = true;
        return add_image(b, cell, q, 1u << axis, n, flag);
    }
    if (wabe_link_boundary(b->geometry, b->flags, cell, e) == 0)
        return flag != 0 || wrapped_axes(b, behind)
                   ? add_image(b, cell, q, wabe_geometry_outside(b->geometry, behind), n, flag)
                   : WABE_OK;
    if (b->list && wabe_list_slot(b->list, behind) < 0)
        return WABE_OK; /* a resting wall */
    view->links[view->link_count++] =
        (tile_link){.patch = wabe_tiles_patch(b->tiles->lattice, b->geometry, b->flags, cell, q),
                    .lane = lane,
                    .q = q};
    return WABE_OK;
}

static wabe_status view_cell(builder *b, const int64_t cell[3], int lane, tile_view *view) {
    view->fluid |= 1u << lane;
    view->outer |= !wabe_box_contains(b->inner, cell[0], cell[1], cell[2]);
    for (int q = 1; q <= wabe_lattice_moving(b->tiles->lattice); q++)
        WABE_TRY(view_link(b, cell, lane, q, view));
    return WABE_OK;
}

/* Is the tile 16 fluid cells of one row, with only fluid around them, and without images? */
static bool is_plain(const builder *b, int64_t x, int64_t y, int64_t z) {
    static const uint8_t fluid[WABE_TILE + 2] = {0};
    const int64_t *begin = b->block.begin, last = begin[0] + x + WABE_TILE - 1;
    if (!wabe_box_contains(b->unwrapped, begin[0] + x, begin[1] + y, begin[2] + z) ||
        !wabe_box_contains(b->unwrapped, last, begin[1] + y, begin[2] + z))
        return false;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++) {
            const int64_t gx = begin[0] + x - 1, gy = begin[1] + y + dy, gz = begin[2] + z + dz;
            if (memcmp(wabe_flags_place(b->flags, gx, gy, gz), fluid, sizeof fluid) != 0)
                return false;
        }
    return true;
}

static wabe_status view_listed(builder *b, tile_view *view) {
    const wabe_layout *l = b->layout;
    for (int lane = 0; lane < WABE_TILE; lane++) {
        const uint32_t n = b->list->cells[view->tile * WABE_TILE + lane];
        if (n == WABE_NO_CELL)
            continue;
        const int64_t cell[3] = {b->block.begin[0] + n % l->pitch,
                                 b->block.begin[1] + n % l->plane / l->pitch,
                                 b->block.begin[2] + n / l->plane};
        WABE_TRY(view_cell(b, cell, lane, view));
    }
    return WABE_OK;
}

static wabe_status view_tile(builder *b, int64_t tile, tile_view *view) {
    view->tile = tile;
    view->fluid = 0;
    view->outer = false;
    view->link_count = 0;
    const wabe_layout *l = b->layout;
    int64_t n = tile * WABE_TILE;
    int64_t x = n % l->pitch, y = n % l->plane / l->pitch, z = n / l->plane;
    const int64_t *begin = b->block.begin;
    if (b->list)
        return view_listed(b, view);
    if (z < l->cells[2] && is_plain(b, x, y, z)) {
        view->fluid = 0xffff;
        const int64_t end = begin[0] + x + WABE_TILE - 1;
        view->outer = !wabe_box_contains(b->inner, begin[0] + x, begin[1] + y, begin[2] + z) ||
                      !wabe_box_contains(b->inner, end, begin[1] + y, begin[2] + z);
        return WABE_OK;
    }
    for (int lane = 0; lane < WABE_TILE; lane++, n++) {
        x = n % l->pitch, y = n % l->plane / l->pitch, z = n / l->plane;
        const int64_t cell[3] = {begin[0] + x, begin[1] + y, begin[2] + z};
        if (wabe_box_contains(b->block, cell[0], cell[1], cell[2]) &&
            wabe_flags_at(b->flags, cell[0], cell[1], cell[2]) == 0)
            WABE_TRY(view_cell(b, cell, lane, view));
    }
    return WABE_OK;
}

/* ---- chunks and records ------------------------------------------------------------- */

/* Appends the tile to the last chunk if it is adjacent, otherwise begins a new chunk. */
static wabe_status add_tile(builder *b, wabe_region_name name, int64_t tile) {
    wabe_region *r = &b->tiles->regions[name];
    wabe_chunk *last = r->chunk_count ? &r->chunks[r->chunk_count - 1] : NULL;
    if (last && last->tile_count < (uint32_t)b->grain &&
        last->first_tile + last->tile_count == tile) {
        last->tile_count++;
        return WABE_OK;
    }
    WABE_TRY(grow((void **)&r->chunks, r->chunk_count, &b->chunk_room[name], sizeof *r->chunks));
    r->chunks[r->chunk_count++] = (wabe_chunk){.first_tile = (uint32_t)tile,
                                               .tile_count = 1,
                                               .first_record = (uint32_t)r->record_count};
    return WABE_OK;
}

/* Without links. */
static wabe_status add_record(builder *b, wabe_region_name name, const tile_view *view) {
    wabe_region *r = &b->tiles->regions[name];
    WABE_TRY(grow(&r->records, r->record_count, &b->record_room[name],
                  (size_t)wabe_record_bytes(populations_of(b))));
    wabe_tile_record *record = wabe_tiles_record(b->tiles, r, r->record_count++);
    record->tile = (uint32_t)view->tile;
    record->fluid = (uint16_t)view->fluid;
    return WABE_OK;
}

/* Assigns the record's links their positions in the wall buffer. */
static void place_links(wabe_lattice lattice, wabe_tile_record *record, int64_t *link_count) {
    record->first_link = (uint32_t)*link_count;
    int count = 0;
    for (int group = 0; group < WABE_LINK_GROUPS; group++) {
        record->group_offset[group] = (uint16_t)count;
        for (int q = 1; q <= wabe_lattice_moving(lattice); q++) {
            const int ex = wabe_lattice_e(lattice, q)[0];
            const int its = ex > 0 ? WABE_LINKS_EAST : ex < 0 ? WABE_LINKS_WEST : WABE_LINKS_MIDDLE;
            if (its != group)
                continue;
            record->lanes[group] |= record->links[q - 1];
            count += __builtin_popcount(record->links[q - 1]);
        }
    }
    *link_count += count;
}

/* By wall, so that the order of a cell's links does not depend on the cells beside it. */
static void sort_links(tile_view *view) {
    for (int i = 1; i < view->link_count; i++) {
        const tile_link link = view->links[i];
        int k = i;
        for (; k > 0 && view->links[k - 1].patch > link.patch; k--)
            view->links[k] = view->links[k - 1];
        view->links[k] = link;
    }
}

/* Sorts the tile's links into records, one per wall. */
static wabe_status add_records(builder *b, wabe_region_name name, tile_view *view) {
    wabe_region *r = &b->tiles->regions[name];
    const int64_t first = r->record_count;
    sort_links(view);
    for (int i = 0; i < view->link_count; i++) {
        const tile_link link = view->links[i];
        if (i == 0 || link.patch != view->links[i - 1].patch) {
            WABE_TRY(add_record(b, name, view));
            wabe_tiles_record(b->tiles, r, r->record_count - 1)->patch = (uint16_t)link.patch;
            b->tiles->kinds |= 1u << b->tiles->patches.rows[link.patch].kind;
        }
        wabe_tiles_record(b->tiles, r, r->record_count - 1)->links[link.q - 1] |=
            (uint16_t)(1u << link.lane);
    }
    if (r->record_count == first && view->fluid != 0xffff)
        WABE_TRY(add_record(b, name, view));
    for (int64_t k = first; k < r->record_count; k++) {
        wabe_tile_record *record = wabe_tiles_record(b->tiles, r, k);
        record->last = k + 1 == r->record_count;
        place_links(b->tiles->lattice, record, &b->tiles->link_count);
    }
    return WABE_OK;
}

static wabe_status add_view(builder *b, tile_view *view) {
    if (!view->fluid)
        return WABE_OK;
    const wabe_region_name name = view->outer ? WABE_REGION_OUTER : WABE_REGION_INNER;
    b->tiles->regions[name].cells += __builtin_popcount(view->fluid);
    WABE_TRY(add_tile(b, name, view->tile));
    return add_records(b, name, view);
}

/* Aligns records to cache lines, and appends two empty ones, since kernels read ahead. */
static wabe_status fit_records(wabe_region *r, size_t record) {
    const size_t used = (size_t)r->record_count * record;
    const size_t bytes = used + RECORDS_BEHIND * record;
    void *fitted = aligned_alloc(64, bytes);
    WABE_CHECK(fitted, WABE_MEMORY, "no memory for %lld records of tiles",
               (long long)r->record_count);
    memset(fitted, 0, bytes);
    if (used > 0)
        memcpy(fitted, r->records, used);
    free(r->records);
    r->records = fitted;
    return WABE_OK;
}

static wabe_status finish_region(builder *b, wabe_region_name name) {
    wabe_region *r = &b->tiles->regions[name];
    const int64_t record = wabe_record_bytes(populations_of(b));
    WABE_TRY(grow((void **)&r->chunks, r->chunk_count, &b->chunk_room[name], sizeof *r->chunks));
    r->chunks[r->chunk_count] = (wabe_chunk){.first_record = (uint32_t)r->record_count};
    void *fitted = realloc(r->chunks, (size_t)(r->chunk_count + 1) * sizeof *r->chunks);
    r->chunks = fitted ? fitted : r->chunks;
    const wabe_chunk *last = &r->chunks[r->chunk_count > 0 ? r->chunk_count - 1 : 0];
    r->first_tile = r->chunks[0].first_tile;
    r->end_tile = last->first_tile + last->tile_count;
    b->tiles->bytes += (r->chunk_count + 1) * (int64_t)sizeof *r->chunks +
                       (r->record_count + RECORDS_BEHIND) * record;
    return fit_records(r, (size_t)record);
}

static wabe_status build(builder *b) {
    const wabe_layout *l = b->layout;
    const int64_t last = b->list ? b->list->count - 1
                                 : wabe_layout_cell(l, l->cells[0] - 1, l->cells[1] - 1,
                                                    l->cells[2] - 1);
    WABE_CHECK(last < UINT32_MAX - WABE_TILE, WABE_INPUT,
               "%lld cells in one slab are too many: at most 2^32; use more processes",
               (long long)last);
    b->tiles->tile_count = (last + WABE_TILE) / WABE_TILE;
    b->tiles->fluid = calloc((size_t)b->tiles->tile_count, sizeof *b->tiles->fluid);
    WABE_CHECK(b->tiles->fluid, WABE_MEMORY, "no memory for the marks of %lld tiles of cells",
               (long long)b->tiles->tile_count);
    b->tiles->bytes += b->tiles->tile_count * (int64_t)sizeof *b->tiles->fluid;
    tile_view view;
    for (int64_t tile = 0; tile < b->tiles->tile_count; tile++) {
        WABE_TRY(view_tile(b, tile, &view));
        b->tiles->fluid[tile] = (uint16_t)view.fluid;
        WABE_TRY(add_view(b, &view));
        WABE_CHECK(b->tiles->link_count < UINT32_MAX, WABE_INPUT,
                   "more than 2^32 wall links in one slab; use more processes");
    }
    b->tiles->fluid_there = b->list ? NULL : b->tiles->fluid;
    for (int name = 0; name < WABE_REGION_COUNT; name++)
        WABE_TRY(finish_region(b, (wabe_region_name)name));
    b->tiles->bytes += b->tiles->image_count * (int64_t)sizeof *b->tiles->images;
    return WABE_OK;
}

wabe_status wabe_tiles_create(wabe_lattice lattice, const wabe_layout *layout,
                              const wabe_list *list, const wabe_geometry *geometry,
                              const wabe_flags *flags, wabe_box block, wabe_box inner,
                              const bool wraps[3], int grain, wabe_tiles **out) {
    wabe_tiles *tiles = calloc(1, sizeof *tiles);
    WABE_CHECK(tiles, WABE_MEMORY, "no memory for the list of tiles");
    tiles->lattice = lattice;
    builder b = {.layout = layout,
                 .list = list,
                 .geometry = geometry,
                 .flags = flags,
                 .block = block,
                 .inner = inner,
                 .unwrapped = block,
                 .grain = grain,
                 .tiles = tiles};
    for (int d = 0; d < 3 && wraps; d++) {
        b.wraps[d] = wraps[d];
        tiles->wraps |= wraps[d];
        b.unwrapped.begin[d] += wraps[d];
        b.unwrapped.end[d] -= wraps[d];
    }
    wabe_status status = wabe_patches_create(lattice, geometry, &tiles->patches);
    if (status == WABE_OK)
        status = build(&b);
    if (status != WABE_OK)
        wabe_tiles_destroy(&tiles);
    *out = tiles;
    return status;
}

/* Frees memory of the host, or of the component that the tiles have been moved to. */
static void release(const wabe_tiles *tiles, void *memory) {
    if (tiles->component)
        wabe_memory_destroy(tiles->component, &memory);
    else
        free(memory);
}

void wabe_tiles_destroy(wabe_tiles **tiles) {
    if (!*tiles)
        return;
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        release(*tiles, (*tiles)->regions[name].chunks);
        free((*tiles)->regions[name].records);
    }
    free((*tiles)->fluid);
    if ((*tiles)->component)
        release(*tiles, (*tiles)->fluid_there);
    release(*tiles, (*tiles)->classes);
    release(*tiles, (*tiles)->cell_records);
    wabe_patches_destroy(&(*tiles)->patches);
    release(*tiles, (*tiles)->images);
    free(*tiles);
    *tiles = NULL;
}
