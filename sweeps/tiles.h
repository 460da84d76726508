/* A slab's cells as tiles: what the kernels loop over, made once from the geometry's flags. */
#pragma once

#include "core/base/status.h"
#include "core/device/field.h"
#include "core/geometry/geometry.h"
#include "sweeps/cell/lbm.h"
#include "sweeps/list.h"
#include "sweeps/timeline.h"

/* Cells that are updated in one go. */
typedef struct {
    int64_t chunk_count; /* chunks has one more, the end of the records */
    wabe_chunk *chunks;
    uint32_t first_tile, end_tile; /* of the first chunk, behind the last one */
    bool contiguous; /* GPUs: all of them are the region's, in chunks of the component's grain */
    int64_t record_count;
    wabe_tile_record *records; /* NULL in the memory of a GPU */
    int64_t cells;             /* fluid */
} wabe_region;

typedef struct {
    wabe_region regions[WABE_REGION_COUNT];
    int64_t tile_count;
    /* Of every tile of the slab: its lanes that are fluid. And the same in the component's memory;
     * NULL for a list. */
    uint16_t *fluid, *fluid_there;
    /* GPUs: of every tile its first record in cell_records, from 1; 0: the tile is plain. */
    uint32_t *classes;
    int64_t cell_record_count;
    wabe_cell_record *cell_records;
    int64_t link_count; /* values in the wall buffer */
    int patch_count;
    wabe_patch *patches;
    int64_t mirror_count;
    wabe_mirror_link *mirrors; /* free slip */
    unsigned kinds;            /* bit b: links to boundaries of kind b exist, mirrors aside */
    int64_t bytes;
    const wabe_component *component; /* whose memory holds them; NULL: the host's */
} wabe_tiles;

/* list: NULL, or what counts the cells; walls at rest are no links then, the list knows them.
 * grain: tiles of a chunk at most. block: the slab, global indices. inner: the part of it (global
 * indices) that needs nothing from neighbours and gives them nothing. Tiles with a cell outside it
 * are the outer region. flags cover block and one cell around it. WABE_MEMORY; WABE_INPUT: more
 * than 2^32 cells or links in a slab. Local. */
wabe_status wabe_tiles_create(const wabe_layout *layout, const wabe_list *list,
                              const wabe_geometry *geometry, const wabe_flags *flags,
                              wabe_box block, wabe_box inner, int grain, wabe_tiles **out);
/* By flag, whether a cell is a wall that turns populations round as they are. Local. */
void wabe_tiles_at_rest(const wabe_geometry *geometry, bool at_rest[256]);
/* Moves what kernels read (chunks, records, patches, mirrors) to the component's memory, if it is a
 * GPU, in the form that is made for them. component must outlive the tiles. WABE_MEMORY. Local. */
wabe_status wabe_tiles_move(wabe_tiles *tiles, const wabe_list *list, const wabe_layout *layout,
                            const wabe_component *component, wabe_stream *stream);
void wabe_tiles_destroy(wabe_tiles **tiles);
