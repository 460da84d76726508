/* What is fluid, what is wall: the domain's faces and the obstacles in it. */
#pragma once

#include "core/base/box.h"
#include "core/base/status.h"
#include "core/geometry/boundary.h"
#include "core/geometry/mask.h"
#include "core/geometry/voxels.h"

#include <stdint.h>

enum { WABE_CONDITIONS_MAX = 255 };

/* Faces: x low, x high, y low, ... */
typedef struct {
    wabe_boundary kind;
    double velocity[3]; /* of moving walls and velocity inlets, lattice units */
    double density;     /* deviation from rho_0 = 1, of pressure boundaries */
} wabe_condition;

typedef enum { WABE_SHAPE_BOX, WABE_SHAPE_SPHERE, WABE_SHAPE_CYLINDER } wabe_shape;

/* Lengths in cells from the domain's corner; a cell is inside if its centre is. */
typedef struct {
    wabe_shape shape;
    double low[3], high[3]; /* box: its corners; cylinder: the ends of its axis */
    double center[3], radius;
    double bore; /* radius of a cylinder's hole along its axis; 0: none */
} wabe_object;

typedef struct {
    int64_t cells[3];
    int object_count;
    const wabe_object *objects;
    /* What is solid beside the objects, all under conditions[solid]: any number of particles, and
     * voxels of an image (NULL: none). */
    int particle_count;
    const wabe_object *particles;
    const wabe_voxels *voxels;
    int solid;
    /* Cells that were fluid and are made solid, too; NULL: none. Its box limits which flags can be
     * asked for. */
    const wabe_mask *filled;
    /* conditions[0..5]: of the faces; conditions[6 + k]: of object k. Flags are 1 + their place. */
    int condition_count;
    const wabe_condition *conditions;
} wabe_geometry;

/* One byte per cell of a box: 0 fluid, otherwise 1 + the place of its condition. */
typedef struct {
    wabe_box box; /* global indices */
    uint8_t *ids;
} wabe_flags;

static inline uint8_t *wabe_flags_place(const wabe_flags *flags, int64_t x, int64_t y, int64_t z) {
    const wabe_box *b = &flags->box;
    const int64_t nx = b->end[0] - b->begin[0], ny = b->end[1] - b->begin[1];
    return flags->ids + (x - b->begin[0]) + nx * ((y - b->begin[1]) + ny * (z - b->begin[2]));
}

static inline uint8_t wabe_flags_at(const wabe_flags *flags, int64_t x, int64_t y, int64_t z) {
    return *wabe_flags_place(flags, x, y, z);
}

/* Flags of a box, which may reach out of the domain by less than the domain's length: those cells
 * take the condition of the face that they lie behind, wrapped round where it is periodic. Behind
 * two faces at once no_slip goes before moving_wall, velocity, pressure, pressure_normal and
 * free_slip. Of objects
 * that overlap the first counts. WABE_MEMORY; WABE_INPUT, WABE_FILE: the voxels cannot be read;
 * WABE_INTERNAL: the box reaches beyond that of the filled cells. Local. */
wabe_status wabe_geometry_flags(const wabe_geometry *geometry, wabe_box box, wabe_flags *flags);
void wabe_flags_free(wabe_flags *flags);

/* Calls visit(context, flags, z) for each plane of a box normal to z, in their order, with flags
 * that hold the plane, and so many cells before and behind it along all axes. Images of voxels are
 * read piece by piece. Fails as wabe_geometry_flags, and as visit. Local. */
typedef wabe_status wabe_plane_visitor(void *context, const wabe_flags *flags, int64_t z);
wabe_status wabe_geometry_visit(const wabe_geometry *geometry, wabe_box box, int before, int behind,
                                wabe_plane_visitor *visit, void *context);

/* The fluid cells in each plane of a box normal to z. Fails as wabe_geometry_flags. Local. */
wabe_status wabe_geometry_count(const wabe_geometry *geometry, wabe_box box, int64_t *fluid);

/* Axes along which the domain is periodic. Local. */
void wabe_geometry_periodic(const wabe_geometry *geometry, bool periodic[3]);

/* The axes (bit d) along which a cell lies outside the domain, behind faces that are not periodic.
 */
unsigned wabe_geometry_outside(const wabe_geometry *geometry, const int64_t cell[3]);
