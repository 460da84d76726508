/* The fluid cells of a slab as a list, for streaming pattern list: in place, like the AA pattern
 * (Bailey et al. 2009), on memory for fluid cells alone. Solid cells take none; walls at rest are
 * resolved here: a population that leaves into one is put where the cell reads it in the next step.
 *
 * A cell's number in the list is its slot. Slots of the outer region come first, then those of the
 * inner one, each in the order z, y, x and filled up to whole tiles; then come ghosts, the cells
 * behind the slab's faces and behind other walls, which have memory but are not worked on. A slab
 * that is its own neighbour across periodic faces has no ghosts there: neighbours wrap round. */
#pragma once

#include "core/device/field.h"
#include "core/geometry/geometry.h"
#include "sweeps/cell/lbm.h"

typedef struct {
    int64_t count; /* slots that are worked on, whole tiles */
    int64_t slots; /* with ghosts */
    /* Of each of count slots: the cell in the slab's dense layout, or WABE_NO_CELL. And the same in
     * the component's memory. */
    uint32_t *cells, *cells_there;
    uint32_t *neighbours; /* see wabe_neighbours */
    uint32_t *groups;     /* CPUs; some more behind the last one */
    wabe_runs *runs;
    wabe_box block, around; /* the slab; with one cell around it */
    bool wraps[3];          /* the slab is its own neighbour along this axis */
    uint32_t *slot_of;      /* of each cell of around, from 1; 0: none; until the flags are freed */
    int64_t bytes;          /* of what kernels read */
    /* Whose memory holds neighbours and cells_there; NULL: the host's. */
    const wabe_component *component;
} wabe_list;

#define WABE_NO_CELL UINT32_MAX
#define WABE_LIST_CELLS_MAX (UINT32_MAX / WABE_Q) /* ghosts included: neighbours have 32 bits */

/* inner: see wabe_tiles_create. wraps: see above. at_rest: by flag, whether the cell is a wall that
 * turns populations round as they are. Sets the layout's stride and front to those of a field of
 * the list. WABE_MEMORY; WABE_INPUT: more numbers than 32 bits can tell apart. Local. */
wabe_status wabe_list_create(wabe_layout *layout, wabe_target target, const wabe_flags *flags,
                             wabe_box block, wabe_box inner, const bool wraps[3],
                             const bool at_rest[256], wabe_list **out);
/* Moves what kernels read to the component's memory, if it is a GPU. WABE_MEMORY. Local. */
wabe_status wabe_list_move(wabe_list *list, const wabe_component *component, wabe_stream *stream);
void wabe_list_destroy(wabe_list **list);
/* What kernels are told of it; NULL for no list. moved: see wabe_neighbours. Local. */
wabe_neighbours wabe_list_neighbours(const wabe_list *list, const wabe_layout *layout, bool moved);

/* The slot of a cell of the slab or next to it, global indices; -1: it has none. What lies across
 * faces where the slab wraps round is a cell of the slab. Until the flags are freed. Local. */
int64_t wabe_list_slot(const wabe_list *list, const int64_t cell[3]);
