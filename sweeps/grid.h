/* A slab of a grid of values that a stencil works on: two fields in turn, its regions as boxes of
 * rows, and the step of a schedule. What the stencil is, its kernels and their arguments know. */
#ifndef WABE_SWEEPS_GRID_H
#define WABE_SWEEPS_GRID_H

#include "core/base/box.h"
#include "core/device/field.h"
#include "sweeps/cell/grid.h"
#include "sweeps/cell/stencil_attributes.h"
#include "sweeps/schedule.h"

typedef struct {
    const wabe_sweep *sweep;
    const char *kernel; /* a part of the kernel's name, or "" */
    size_t args_size;   /* of the sweep's arguments, which begin with wabe_grid_args */
    wabe_type type;     /* f64 or f32 */
    int64_t cells[3];   /* of the domain */
    bool periodic[3];
    bool wraps[3];    /* kernels find a periodic slab's other end themselves */
    bool diagonals;   /* cells beyond the slab's edges are needed, too */
    bool rim;         /* those behind the domain's faces are there, and keep what they begin with */
    int components;   /* numbers of a cell that stay, beside the value; 0: none */
    int depth;        /* time steps of a pass at most: ghosts are as many times as deep */
    int panel, chunk; /* rows and planes of tiles; 0: by cache and threads */
} wabe_grid_model;

typedef struct {
    const wabe_component *component;
    wabe_grid_model model;
    wabe_box block; /* global indices */
    wabe_layout layout;
    wabe_field *fields[2];
    void *crossing;        /* of the grid that the last step has written, or the present one */
    wabe_field *constants; /* the model's components, places as in the fields; NULL: none */
    const wabe_kernel *kernel, *pack, *unpack;
    wabe_timeline timeline;
    wabe_grid_args *args[WABE_REGION_COUNT]; /* with the sweep's own behind them */
    bool wraps[3]; /* its own neighbour along this axis: nothing is exchanged */
    int steps;     /* of time, that the next pass does: the model's depth, if nothing else is set */
} wabe_grid_slab;

/* Layers of cells that a slab's neighbours need. Local. */
int wabe_grid_halo(const wabe_grid_model *model);

/* Are cells beyond the slab's edges and corners among them? Local. */
bool wabe_grid_needs_edges(const wabe_grid_model *model);

/* Can slabs of so many cells do that many time steps a pass? Their ghosts must be cells of the next
 * slab, and of no other behind it. Local. */
bool wabe_grid_fits(const wabe_grid_model *model, const int64_t cells[3], int depth);

/* Time steps of a pass that make a step of a slab of so many cells cheapest, by the kernel's row
 * and what both sides of a face compute. Local. */
int wabe_grid_depth(const wabe_kernel *kernel, const wabe_grid_model *model,
                    const int64_t cells[3]);

/* inner: the part of block that needs nothing of neighbours. The sweep's own arguments are zero.
 * WABE_INPUT: no kernel matches; WABE_MEMORY. Local. */
wabe_status wabe_grid_create(const wabe_registry *registry, const wabe_component *component,
                             const wabe_grid_model *model, wabe_box block, wabe_box inner,
                             wabe_grid_slab **out);
void wabe_grid_destroy(wabe_grid_slab **slab);

/* Values of so many cells of a row, from this one on (global indices; of a rim -1 and the domain's
 * cells, too). Called plane by plane. */
typedef wabe_status (*wabe_grid_values)(const void *context, const int64_t cell[3], int64_t count,
                                        double *row);

/* The state before step 0. WABE_MEMORY. Local. */
wabe_status wabe_grid_initialise(wabe_grid_slab *slab, wabe_grid_values values,
                                 const void *context);
/* One of the numbers that stay; of ghosts, too. WABE_MEMORY. Local. */
wabe_status wabe_grid_set(wabe_grid_slab *slab, int component, wabe_grid_values values,
                          const void *context);

/* Appends the sweep of slabs, all of one model, to a schedule. Local. */
void wabe_grid_schedule(int slab_count, wabe_grid_slab *const *slabs, wabe_schedule *schedule);

/* Values of a box of the slab (global indices) after the last step, [z][y][x]. WABE_MEMORY. Local.
 */
wabe_status wabe_grid_read(const wabe_grid_slab *slab, wabe_box box, double *values);

/* Bytes that a slab of this size takes, and those that each thread works in. Local. */
int64_t wabe_grid_bytes(const wabe_grid_model *model, const int64_t cells[3], wabe_target target);

int64_t wabe_grid_scratch(const wabe_kernel *kernel, const wabe_grid_model *model,
                          const int64_t cells[3]);

#endif
