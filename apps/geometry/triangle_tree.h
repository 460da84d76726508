/* A tree of the boxes of triangles, to find where a short way meets a surface of many triangles. */
#pragma once

#include "core/base/status.h"

#include <stdint.h>

typedef struct wabe_triangle_tree wabe_triangle_tree;

/* Makes a tree of count triangles, [count][corner][axis], which must outlive it; they are put in
 * another order, unless it fails. WABE_MEMORY. Local. */
wabe_status wabe_triangle_tree_create(int64_t count, float *corners, wabe_triangle_tree **out);
void wabe_triangle_tree_destroy(wabe_triangle_tree **tree);

/* Returns the part of the way between two points, 0 to 1, after which it first meets a triangle;
 * INFINITY: it meets none. The result does not depend on other triangles, nor on their order.
 * Local. */
double wabe_triangle_tree_first(const wabe_triangle_tree *tree, const double from[3],
                                const double to[3]);
