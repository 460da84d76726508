/* The fluid cells of a slab as a list, for the streaming pattern list: in place, like the AA
 * pattern (Bailey et al. 2009), on memory for fluid cells alone. Solid cells take no memory.
 * Resting walls are resolved here: a population that leaves into one is written where the cell
 * reads it in the next step.
 *
 * A cell's number in the list is its slot. Slots of the outer region come first, then those of the
 * inner region, each in the order z, y, x and padded to whole tiles. Ghosts follow: the neighbours
 * in other slabs and in boundaries other than resting walls, which have memory but are not updated.
 * A slab that is its own neighbour across periodic faces has no ghosts there: its neighbour indices
 * wrap round.
 *
 * By planes, for passes of several steps (sweeps/stream/pass.h), all slots are in the order of the
 * planes normal to z: the cells of a plane, padded, and then its ghosts, padded. Neighbours that
 * have a plane in common give it the same slots. */
#pragma once

#include "core/device/field.h"
#include "core/geometry/geometry.h"
#include "sweeps/cell/lattice.h"
#include "sweeps/cell/lbm.h"
#include "sweeps/stream/window.h"

/* How the slots of a list by planes lie. */
typedef struct {
    int64_t slots; /* with neighbour indices, in whole tiles */
    int64_t plane; /* the most slots of a plane */
    int64_t reach; /* the largest distance between slots of neighbours */
} wabe_list_extent;

typedef struct {
    int64_t count; /* slots with neighbour indices, in whole tiles */
    int64_t slots; /* with ghosts */
    /* By planes: the first slot of each plane, from the one below the slab to the one above it, and
     * one past the last; otherwise NULL. */
    int64_t *planes;
    wabe_list_extent extent; /* by planes */
    /* The cell of each of count slots in the slab's dense layout, or WABE_NO_CELL; on the host and
     * in the component's memory. */
    uint32_t *cells, *cells_there;
    uint32_t *neighbours; /* the neighbour indices: see wabe_neighbours */
    uint32_t *groups;     /* CPUs; padded, since kernels read ahead */
    void *runs;           /* WABE_RUNS */
    wabe_lattice lattice;
    int populations;        /* of the lattice */
    wabe_box block, around; /* the slab; the same with one cell around it */
    bool wraps[3];          /* the slab is its own neighbour along this axis */
    uint32_t *slot_of;      /* by cell of around, from 1; 0: none; until wabe_lbm_forget */
    int64_t bytes;          /* that kernels read */
    /* The component whose memory holds neighbours and cells_there; NULL: the host's. */
    const wabe_component *component;
    bool windowed; /* neighbours are in a window's memory */
} wabe_list;

#define WABE_NO_CELL UINT32_MAX

/* With ghosts: indices have 32 bits. */
static inline int64_t wabe_list_cells_max(int populations) { return UINT32_MAX / populations; }

/* How slots are numbered. */
typedef struct {
    bool by_planes;
    int64_t multiple; /* of so many elements is the field's stride; 0: of any number */
} wabe_list_order;

/* Creates the list. inner: see wabe_tiles_create. wraps: see above. Sets the layout's stride and
 * front to those of a field of the list. WABE_MEMORY; WABE_INPUT: more elements than 32 bits can
 * index. Local. */
wabe_status wabe_list_create(wabe_lattice lattice, wabe_layout *layout, wabe_target target,
                             const wabe_geometry *geometry, const wabe_flags *flags, wabe_box block,
                             wabe_box inner, const bool wraps[3], wabe_list_order order,
                             wabe_list **out);
/* Measures the list by planes that the slab would have, without making it; slots: of its first
 * planes, so many. WABE_MEMORY; WABE_INPUT: as above. Local. */
wabe_status wabe_list_measure(wabe_lattice lattice, const wabe_geometry *geometry,
                              const wabe_flags *flags, wabe_box block, const bool wraps[3],
                              int64_t planes, wabe_list_extent *out);
/* Moves what kernels read to the component's memory if it is a GPU; neighbour indices to window, if
 * that is not NULL. WABE_MEMORY. Local. */
wabe_status wabe_list_move(wabe_list *list, const wabe_component *component, wabe_stream *stream,
                           wabe_window *window);
/* Returns the bytes of the neighbour indices of so many slots, of which kernels may read some more.
 * Local. */
int64_t wabe_list_neighbour_bytes(int populations, int64_t slots);
void wabe_list_destroy(wabe_list **list);
/* Returns the list as kernels see it; list may be NULL: no list. moved: see wabe_neighbours. Local.
 */
wabe_neighbours wabe_list_neighbours(const wabe_list *list, const wabe_layout *layout, bool moved);

/* Returns the slot of a cell of the slab or next to it (global indices), or -1 if it has none.
 * Across faces where the slab wraps round it is the slot of a cell of the slab. Until
 * wabe_lbm_forget. Local. */
int64_t wabe_list_slot(const wabe_list *list, const int64_t cell[3]);
