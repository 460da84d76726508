/* Which boundary a link meets. A link leads from a fluid cell to the cell behind it, from which a
 * population with velocity e arrives. Oblique links pass by two cells more, or by three, beside the
 * first one along each axis: where boundaries meet in an edge, these decide as well. Flags cover
 * the cells around the first one. */
#pragma once

#include "core/geometry/geometry.h"

/* Returns the flag of the boundary that returns the population, or 0: it comes from a fluid cell,
 * or from the image of one that mirrors make. In an edge the link belongs to a velocity boundary,
 * so that as much flows in as its velocity times its area; otherwise to a wall; otherwise to the
 * cell behind. Local. */
int wabe_link_boundary(const wabe_geometry *geometry, const wabe_flags *flags,
                       const int64_t cell[3], const int e[3]);

/* Returns the flag of the boundary on which the link's momentum along an axis acts (e[axis] is not
 * 0): the one that has a surface normal to the axis beside the first cell, otherwise that of the
 * cell behind. The link meets a boundary. Local. */
int wabe_link_owner(const wabe_geometry *geometry, const wabe_flags *flags, const int64_t cell[3],
                    const int e[3], int axis);

/* Returns whether a resting wall returns the population by plain bounce-back. Local. */
bool wabe_link_rests(const wabe_geometry *geometry, const wabe_flags *flags, const int64_t cell[3],
                     const int e[3]);
