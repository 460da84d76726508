/* The order of a pass of several steps (sweeps/stream/pass.h) for caches that hold few planes: each
 * plane is cut into panels of rows, and a pass goes through one panel of all planes after the
 * other. Level l follows level l - 1 at the distance of a plane and of a row, so its panels lie a
 * little lower.
 *
 *     rows ->  panel 0         panel 1              one plane; level n is done in panel 0
 *     level 2  ######......................
 *     level 1  ########....................         the next panel begins where this one ends,
 *     level 0  ##########..................         at each level
 *
 * Plain data, for any slab whose items (chunks of cells) are in the order of their cells. */
#pragma once

#include "core/base/status.h"
#include "sweeps/stream/pass.h"

enum { WABE_PANELS_PITCH_LEAST = 2 * WABE_TILE }; /* cells from row to row */

typedef struct {
    const wabe_chunk *chunks;
    int64_t plane, planes; /* cells of a plane; planes */
    int64_t reach; /* cells: the largest distance, within a plane, of a number that a step accesses,
                      in this plane or the next */
    int64_t width; /* cells of a plane in a panel; the last one has what remains */
    int levels_max;
    int levels;     /* of the present pass */
    int64_t *first; /* the first item of each plane, and one past the last */
    int64_t *done;  /* [level][plane]: the first item that is not done */
    int64_t panel, front;
    int level; /* the next one: of plane front - level */
} wabe_panels;

/* Behind the last row of each plane is one of at least WABE_PANELS_PITCH_LEAST cells that are not
 * updated, so that an item has cells of one plane alone: that of its end. WABE_MEMORY. Local. */
wabe_status wabe_panels_create(const wabe_chunk *chunks, int64_t count, int64_t plane,
                               int64_t planes, int64_t width, int64_t reach, int levels_max,
                               wabe_panels *out);
void wabe_panels_destroy(wabe_panels *panels);
/* Starts a pass of at most levels_max levels. Local. */
void wabe_panels_begin(wabe_panels *panels, int levels);
/* Finds the next items, which must be done in this order; false: the pass is over. Local. */
bool wabe_panels_next(wabe_panels *panels, wabe_pass_part *out);
