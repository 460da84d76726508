/* Solids whose surfaces turn: each cell of the surface moves with the body, though the body stays
 * where it is. The velocity of a wall belongs to its boundary condition, of which there are few, so
 * places of nearly the same velocity share one; kernels need not know of turning. */
#pragma once

#include "core/base/status.h"
#include "core/geometry/geometry.h"
#include "sweeps/cell/lattice.h"

enum { WABE_TURNING_MAX = 16, WABE_TURNING_CONDITIONS_MIN = 8 };

/* The surface of a solid: velocity + spin x (place - pivot). Conditions have the velocity at the
 * solid cell's centre, whose component along a link, all that kernels use, is that at the wall
 * half-way: spin x link is normal to the link. */
typedef struct {
    wabe_lattice lattice;
    int condition; /* of the solid; that of its surface's cells is one of count others */
    double velocity[3];
    double spin[3], pivot[3]; /* rad per step; cells from the domain's corner */
    double axes[2][3];        /* unit vectors normal to spin */
    int first, count;         /* conditions */
    int64_t (*squares)[2];    /* [count], ascending: parts of the plane of axes */
    double edge;              /* of a square, in cells */
    double most, error;       /* largest speed; by which a cell's velocity differs from what its
                                 condition has. In cells per step */
} wabe_turning;

/* Finds the solid's cells that populations of the lattice reach from fluid, and makes conditions
 * for their velocities: count at most, appended to conditions, of which there are *condition_count.
 * Members up to pivot are given. The geometry must be complete but for motions. WABE_MEMORY;
 * WABE_INPUT, WABE_FILE: a raster cannot be read. Local. */
wabe_status wabe_turning_make(const wabe_geometry *geometry, wabe_box solid, int count,
                              wabe_condition *conditions, int *condition_count,
                              wabe_turning *turning);
void wabe_turning_free(wabe_turning *turning);

/* Returns the solid as a motion of the geometry, which it must outlive. Local. */
wabe_motion wabe_turning_motion(const wabe_turning *turning);
