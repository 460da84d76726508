/* A slab's cells as tiles, which kernels loop over; made once from the geometry's flags. */
#pragma once

#include "core/base/status.h"
#include "core/device/field.h"
#include "core/geometry/geometry.h"
#include "sweeps/cell/lattice.h"
#include "sweeps/cell/lbm.h"
#include "sweeps/lattice/list.h"
#include "sweeps/lattice/patches.h"
#include "sweeps/stream/timeline.h"

/* The tiles of a region, and their wall records. */
typedef struct {
    int64_t chunk_count; /* chunks holds one more, which marks the end of the records */
    wabe_chunk *chunks;
    uint32_t first_tile, end_tile; /* of the first chunk; one past the last */
    bool contiguous; /* GPUs: every tile in between belongs to the region, in chunks of the
                        component's grain */
    int64_t record_count;
    void *records; /* see wabe_tiles_record; NULL on GPUs */
    int64_t cells; /* fluid cells */
} wabe_region;

typedef struct {
    wabe_lattice lattice;
    wabe_region regions[WABE_REGION_COUNT];
    int64_t tile_count;
    /* A mask of fluid lanes for every tile of the slab; on the host and in the component's memory
     * (NULL for a list). */
    uint16_t *fluid, *fluid_there;
    /* GPUs, and pattern moments: by tile, its first record in cell_records, from 1; 0: the tile is
     * plain. */
    uint32_t *classes;
    int64_t cell_record_count;
    void *cell_records; /* words of cells */
    int64_t link_count; /* values in the wall buffer */
    wabe_patches patches;
    int64_t image_count;
    wabe_image_link *images; /* free slip and other mirrors; periodic axes that wrap */
    bool wraps;              /* some axis does */
    unsigned kinds;          /* bit b: there are links to boundaries of kind b, mirrors aside */
    int64_t bytes;
    const wabe_component *component; /* owner of the memory; NULL: the host */
    bool has_mirror_solids;          /* populations have images in solids, too */
} wabe_tiles;

/* Creates the tiles. list: NULL, or the list that numbers the cells; resting walls are then no
 * links, since the list resolves them. grain: maximal number of tiles per chunk. block: the slab
 * (global indices). inner: the part of it (global indices) that neither needs data from neighbours
 * nor sends any. Tiles with a fluid cell outside it are the outer region. wraps: periodic axes
 * whose ends are both in the slab and linked by images; NULL: none are. flags cover block and one
 * cell around it. WABE_MEMORY; WABE_INPUT: more than 2^32 cells or links in a slab. Local. */
wabe_status wabe_tiles_create(wabe_lattice lattice, const wabe_layout *layout,
                              const wabe_list *list, const wabe_geometry *geometry,
                              const wabe_flags *flags, wabe_box block, wabe_box inner,
                              const bool wraps[3], int grain, wabe_tiles **out);
/* Returns a record of a region of the tiles. Local. */
static inline wabe_tile_record *wabe_tiles_record(const wabe_tiles *tiles,
                                                  const wabe_region *region, int64_t i) {
    const int64_t bytes = wabe_record_bytes(wabe_lattice_count(tiles->lattice));
    return (wabe_tile_record *)((char *)region->records + i * bytes);
}
/* Returns the row in patches of the boundary that returns population q to a cell of the slab
 * (wabe_link_boundary, which is not 0). flags cover the cells around it. A curved wall returns what
 * leaves, as walls at rest do, if no fluid, nor a mirror, is at the cell's other side. Local. */
int wabe_tiles_patch(wabe_lattice lattice, const wabe_geometry *geometry, const wabe_flags *flags,
                     const int64_t cell[3], int q);
/* Finds the classes of all tiles, of those without fluid, too, and keeps the records: for streaming
 * pattern moments, on any component. WABE_MEMORY. Local. */
wabe_status wabe_tiles_classify(wabe_tiles *tiles, const wabe_layout *layout);
/* If the component is a GPU, converts chunks, records, patches and mirrors to the form that GPU
 * kernels read and moves them to its memory. component must outlive the tiles. WABE_MEMORY.
 * Local. */
wabe_status wabe_tiles_move(wabe_tiles *tiles, const wabe_list *list, const wabe_layout *layout,
                            const wabe_component *component, wabe_stream *stream);
void wabe_tiles_destroy(wabe_tiles **tiles);
