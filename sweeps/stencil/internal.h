/* Shared by the files of a grid's slabs: grid.c, grid_ghosts.c, passes.c, grid_shape.c,
 * grid_values.c. */
#pragma once

#include "sweeps/stencil/grid.h"

/* Is a slab of this size its own neighbour along an axis, and do its kernels wrap round there?
 * Local. */
bool wabe_grid_wraps(const wabe_grid_model *model, const int64_t cells[3], int axis);
/* One cell along y or z that is all fields' own neighbour: kernels see this cell on both sides.
 * Local. */
bool wabe_grid_is_flat(const wabe_grid_model *model, int axis);
/* Sets the panel and chunk of a sweep's arguments; their cells must be set. Local. */
void wabe_grid_shape(const wabe_grid_slab *slab, int sweep, wabe_grid_args *args);
/* Sets the boxes of a sweep's two regions. inner: the cells that need no data from neighbours.
 * Local. */
void wabe_grid_cut(const wabe_grid_slab *slab, int sweep, wabe_box inner);
/* Makes the only box of arguments planes begin to end - 1 of the slab's cells. Local. */
void wabe_grid_take_planes(wabe_grid_args *args, int64_t begin, int64_t end);
/* Returns the items of a kernel with these arguments. Local. */
int64_t wabe_grid_items(const wabe_kernel *kernel, const wabe_grid_args *args);
/* Points a sweep's arguments to fields, whose current grids these are. Local. */
void wabe_grid_point_fields(wabe_grid_slab *slab, int sweep, const int current[],
                            wabe_grid_args *args);

/* Are the ghosts that a sweep reads filled before it, as far as they must be? Local. */
bool wabe_grid_fills(const wabe_grid_slab *slab, int sweep);
/* Are they those of one box of cells on a CPU, so that no cell looks for walls? Local. */
bool wabe_grid_is_filled(const wabe_grid_slab *slab, int sweep, const wabe_grid_args *args);
/* Must the ghosts of what a sweep reads there be filled, unless that has been done since it was
 * written? args: its sides must be set. Local. */
bool wabe_grid_must_fill(const wabe_grid_slab *slab, int sweep, int read,
                         const wabe_grid_args *args);
/* Of slabs that are not streamed: chooses, before a sweep, which ghosts it fills; keeps, after both
 * of its regions, what has been filled, and forgets what it has written. Local. */
void wabe_grid_choose_fills(const wabe_grid_slab *slab, int sweep, wabe_grid_args *args);
void wabe_grid_keep_fills(wabe_grid_slab *slab, int sweep);
/* Values have been set. Local. */
void wabe_grid_forget_fills(wabe_grid_slab *slab);

/* Sets the values of an entry in the arguments of its sweep. Local. */
void wabe_grid_set_values(const wabe_grid_entry *entry, wabe_grid_args *args);

/* The layout of a field of slabs of this size. Local. */
wabe_layout wabe_grid_layout(const wabe_grid_model *model, int field, const int64_t cells[3],
                             wabe_target target);
/* The number of the first array of a field's grid in a window. Local. */
int wabe_grid_array(const wabe_grid_model *model, int field, int grid);
/* Allocates the window of a slab with a plan. WABE_MEMORY. Local. */
wabe_status wabe_grid_create_window(wabe_grid_slab *slab);
void wabe_grid_destroy_passes(wabe_grid_slab *slab);
/* Makes all fields but the constants zero, ghost planes included. Collective if there are any. */
void wabe_grid_clear_window(wabe_grid_slab *slab);
/* Makes planes begin to end - 1 present for the work queued next. Nothing to do if the slab is
 * resident. Local. */
void wabe_grid_load(const wabe_grid_slab *slab, int64_t begin, int64_t end);
/* A walk through a slab's planes. next brings a range, all planes if the slab is resident; false:
 * none is left. Local. */
wabe_walk wabe_grid_walk_through(const wabe_grid_slab *slab);
bool wabe_grid_next_planes(const wabe_grid_slab *slab, wabe_walk *walk);
/* Does a look write the field? Local. */
bool wabe_grid_is_shown(const wabe_grid_model *model, int field);
/* Computes what is shown of the present state, if the field is. Local. */
void wabe_grid_look(wabe_grid_slab *slab, int field);
/* Does slab->steps steps. Local. */
void wabe_grid_pass(wabe_grid_slab *slab);
