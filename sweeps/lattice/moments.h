/* What streaming pattern moments needs besides a slab's cells and tiles: its layout, the columns
 * that kernels march through, and marks of fluid cells. */
#pragma once

#include "core/device/field.h"
#include "core/geometry/geometry.h"
#include "sweeps/cell/lbm.h"
#include "sweeps/cell/lbm_attributes.h"
#include "sweeps/stream/timeline.h"

typedef struct {
    const wabe_component *component; /* owner of the memory */
    wabe_marching marching;          /* but for the columns */
    wabe_box inner;                  /* the inner region (global indices) */
    wabe_column *columns[WABE_REGION_COUNT];
    int64_t column_count[WABE_REGION_COUNT];
    void *fluid;
    int64_t bytes;
} wabe_moments_plan;

/* Returns how a slab's cells are numbered: one number per cell, with so many ghost cells (0 or 1)
 * at both ends of each axis, rows padded to groups; and the layout of its ten moments. Local. */
wabe_layout wabe_moments_cells(const int64_t cells[3], const int ghosts[3]);
wabe_layout wabe_moments_layout(const int64_t cells[3], const int ghosts[3], wabe_type type);

/* Makes the plan of a slab. cells: from wabe_moments_cells; flags: of block and one cell around it;
 * geometry: says which ghost cells are mirror images, which are fluid if the cell at the face is;
 * inner: the part of the block that needs no data from neighbours, of which the plan leaves more to
 * the outer region, so that columns are whole; wraps: axes along which the slab
 * is its own neighbour; whole: columns have all planes of the block, of which a pass updates some
 * at a time; kernel: which marches, of the sweep stream_collide (CPUs: reserves scratch memory of
 * threads). WABE_MEMORY. Local. */
wabe_status wabe_moments_plan_create(const wabe_component *component, wabe_stream *stream,
                                     const wabe_layout *cells, const wabe_geometry *geometry,
                                     const wabe_flags *flags, wabe_box block, wabe_box inner,
                                     const bool wraps[3], const int ghosts[3], bool whole,
                                     const wabe_kernel *kernel, wabe_moments_plan *out);
void wabe_moments_plan_destroy(wabe_moments_plan *plan);
