/* The cells inside a closed surface of triangles. */
#pragma once

#include "apps/geometry/triangle_tree.h"
#include "core/base/box.h"
#include "core/base/status.h"
#include "core/geometry/geometry.h"

#include <stdint.h>

/* Where a file's triangles lie in the domain: scaled, then turned about the x, y and z axes in this
 * order, then moved. */
typedef struct {
    double scale;       /* cells per unit of the file */
    double rotation[3]; /* degrees */
    double place[3];    /* of the file's origin, in cells from the domain's corner */
} wabe_mesh_placement;

/* To be freed with wabe_mesh_free. */
typedef struct {
    int64_t count;
    float *corners;         /* [count][corner][axis], in cells */
    double low[3], high[3]; /* of the corners */
    double size[3];         /* along the axes of the file, in cells */
    double gap;             /* by which corners that are one may differ along an axis, in cells */
    int64_t surplus;        /* see wabe_stl */
    int part_count;         /* 0: cells of any box can be found */
    wabe_box parts[WABE_IMAGES_MAX];
    wabe_triangle_tree *tree; /* NULL: see wabe_mesh_find_surface */
} wabe_mesh;

/* Reads and places an STL file. WABE_INPUT: as wabe_stl_read, or it reaches beyond a thousand
 * million cells; WABE_FILE; WABE_MEMORY. Messages begin with the file's name. Local. */
wabe_status wabe_mesh_read(const char *file, const wabe_mesh_placement *placement, wabe_mesh *out);
void wabe_mesh_free(wabe_mesh *mesh);

/* Returns a box that contains all cells that can be inside. Local. */
wabe_box wabe_mesh_box(const wabe_mesh *mesh);

/* Numbers of cells. */
typedef struct {
    int64_t inside; /* by two axes at least */
    int64_t some;   /* by one axis at least */
    int64_t doubt;  /* by one or two axes, but not by all: at holes of the surface */
    int64_t twice;  /* outside, though in two closed parts that face the same way */
} wabe_mesh_count;

/* Sets inside for each cell of a box, x fastest: 1 or 0; and adds to count. Either may be NULL. A
 * cell is inside if rays from its centre leave the surface an odd number of times along at least
 * two of the axes; so where closed parts overlap, cells are outside. (The point that is tested lies
 * a few thousandths of a cell beside the centre, so that it lies on no surface by accident.) What a
 * cell is does not depend on the box. WABE_MEMORY; WABE_INTERNAL: the box is not within a part of a
 * trimmed mesh. Local. */
wabe_status wabe_mesh_cells(const wabe_mesh *mesh, wabe_box box, uint8_t *inside,
                            wabe_mesh_count *count);

/* Returns the cells inside a mesh, which must outlive it, as a part of the geometry. Local. */
wabe_raster wabe_mesh_raster(const wabe_mesh *mesh, int condition);
/* The same for the cells of a domain that are outside. Local. */
wabe_raster wabe_mesh_raster_around(const wabe_mesh *mesh, wabe_box domain, int condition);

/* Frees the triangles on which nothing in these parts of the domain depends: those that no column
 * of their cells meets, and that lie in none of them. Local. */
void wabe_mesh_trim(wabe_mesh *mesh, int part_count, const wabe_box parts[]);

/* Lets the mesh's raster tell where its surface lies between cells; after trimming, if at all.
 * WABE_MEMORY. Local. */
wabe_status wabe_mesh_find_surface(wabe_mesh *mesh);

/* A surface of triangles. */
typedef struct {
    int64_t open_edges;   /* that belong to an odd number of triangles: a closed surface has none */
    int64_t shared_edges; /* that belong to more than two: parts touch there, or occur twice */
    int64_t turned_edges; /* along which triangles run one way more often than the other, and which
                             are not open: the surface does not face one way there */
    int64_t repeated;     /* triangles that have the corners of another one before them */
    double mean_line;     /* mean length of the lines of its inside along the axis along which they
                             are shortest, in cells; a sphere's is 2/3 of its diameter; NAN: there
                             are open or turned edges */
} wabe_mesh_surface;

/* Examines the surface of a mesh that is not trimmed. Corners that differ by no more than
 * mesh->gap, as last digits do, close an edge, too. WABE_MEMORY. Local. */
wabe_status wabe_mesh_examine(const wabe_mesh *mesh, wabe_mesh_surface *out);
