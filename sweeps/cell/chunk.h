/* Runs of cells: the unit of work that threads share out, and that passes go through. */
#pragma once

#include <stdint.h>

enum { WABE_TILE = 16 }; /* cells; see sweeps/cell/lbm.h */

/* A run of tiles. Of irregular tiles of flows there are records: one more chunk after the last
 * holds only first_record, the end of the records. */
typedef struct {
    uint32_t first_tile, tile_count;
    uint32_t first_record;
} wabe_chunk;

/* The first cell of a chunk, and one past its last. Local. */
static inline int64_t wabe_chunk_begin(const wabe_chunk *c) {
    return (int64_t)c->first_tile * WABE_TILE;
}
static inline int64_t wabe_chunk_end(const wabe_chunk *c) {
    return ((int64_t)c->first_tile + c->tile_count) * WABE_TILE;
}
