/* The geometry: boundary conditions of the domain's faces, and obstacles. */
#pragma once

#include "core/base/box.h"
#include "core/base/status.h"
#include "core/geometry/boundary.h"
#include "core/geometry/mask.h"
#include "core/geometry/particle_bins.h"
#include "core/geometry/turbulence.h"
#include "core/io/table.h"

#include <stdint.h>

enum {
    WABE_CONDITIONS_MAX = 255,
};

/* What a boundary does with a scalar that the flow carries. */
typedef enum {
    WABE_SCALAR_INSULATED,
    WABE_SCALAR_VALUE, /* has this value, also of the fluid that comes in */
    WABE_SCALAR_FLUX,  /* this flux goes into the fluid, per cell face and step */
    WABE_SCALAR_OPEN   /* the fluid takes it along as it leaves, and comes in with this value */
} wabe_scalar_kind;

/* The boundary condition of a face or an obstacle. */
typedef struct {
    wabe_boundary kind;
    double velocity[3]; /* of moving walls and velocity inlets, in lattice units */
    double spin[3];   /* of a wall that turns, rad per step; velocity: at the solid cell's centre */
    double roughness; /* of a wall_function: z0, in cells; 0: it is smooth */
    bool has_law;     /* a solid's no_slip: its flat walls are wall functions, of one roughness */
    double density;   /* of pressure boundaries: deviation from rho_0 = 1 */
    const wabe_table *in_time; /* by steps: a factor of velocity and density; NULL: 1 */
    struct {
        wabe_scalar_kind kind;
        double value;
    } scalar;
    /* A sponge before a face of given pressure: its layers of cells (0: none), and the part of a
     * sound wave's density that it takes away per step, at the face. */
    int64_t sponge_width;
    double sponge_strength;
} wabe_condition;

typedef enum { WABE_SHAPE_BOX, WABE_SHAPE_SPHERE, WABE_SHAPE_CYLINDER } wabe_shape;

/* An obstacle. Lengths are in cells, positions relative to the domain's corner; a cell is inside if
 * its centre is. */
typedef struct wabe_object {
    wabe_shape shape;
    double low[3], high[3]; /* box: its corners; cylinder: the end points of its axis */
    double center[3], radius;
    double bore; /* radius of a cylinder's hole along its axis; 0: none */
} wabe_object;

/* Solid cells that are found box by box: of an image, a mesh, a height map. */
typedef struct {
    wabe_box box; /* the cells that can be solid; may extend beyond the domain */
    /* Sets solid for each cell of a box within this one, x fastest: 1 or 0. Local. */
    wabe_status (*read)(const void *source, wabe_box box, uint8_t *solid);
    /* See wabe_geometry_cut; NAN: no surface crosses the way. NULL: its surface is that of its
     * cells. Local. */
    double (*cut)(const void *source, const int64_t cell[3], const int way[3]);
    const void *source;
    int condition; /* an index of conditions */
} wabe_raster;

/* A face whose condition depends on the place along an axis within the face: for each cell along it
 * an index of the geometry's conditions, all of one kind. NULL: the face has one condition. */
typedef struct {
    int axis;
    const uint8_t *conditions;
} wabe_face_levels;

/* A solid whose velocity depends on the place: its cells have other conditions in place of its own.
 */
typedef struct {
    int condition; /* of the solid */
    const void *source;
    int (*condition_of)(const void *source, const int64_t cell[3]); /* Local. */
} wabe_motion;

/* Cells that give off a scalar that the flow carries, in steps begin to end - 1. */
typedef struct {
    wabe_box box;
    double amount; /* per fluid cell and step */
    int64_t begin, end;
} wabe_source;

typedef struct {
    int64_t cells[3];
    int object_count;
    const wabe_object *objects;
    int raster_count;
    const wabe_raster *rasters;
    /* Any number of particles, with conditions[solid]. */
    int particle_count;
    const wabe_object *particles;
    const wabe_particle_bins *bins; /* of particles with curved walls; NULL: there are none */
    int solid;
    int motion_count;
    const wabe_motion *motions;
    /* Fluid cells to be made solid, with conditions[solid] too; NULL: none. Flags can be computed
     * only within its box. */
    const wabe_mask *filled;
    /* conditions[0..5]: of the faces x low, x high, y low, ...; conditions[6 + k]: of object k;
     * further ones: of rasters, particles, levels and motions. The flag of a solid cell is 1 + the
     * index of its condition. */
    int condition_count;
    const wabe_condition *conditions;
    wabe_face_levels levels[WABE_FACES]; /* conditions[face] gives the kind */
    const wabe_turbulence *turbulence;   /* of the flow through a face; NULL: none */
    int source_count;
    const wabe_source *sources; /* a cell is in one at most */
    int64_t ramp; /* steps from the start in which the conditions' velocities grow from 0 */
} wabe_geometry;

/* Returns a solid's condition that has a law of the wall; NULL: none has. Local. */
static inline const wabe_condition *wabe_geometry_law(const wabe_geometry *geometry) {
    for (int k = WABE_FACES; k < geometry->condition_count; k++)
        if (geometry->conditions[k].has_law)
            return &geometry->conditions[k];
    return NULL;
}

/* Returns the word of a condition's kind in input files. Local. */
static inline const char *wabe_condition_word(const wabe_condition *condition) {
    return wabe_boundary_word(condition->has_law ? WABE_BOUNDARY_wall_function : condition->kind);
}

/* Returns a condition as it is at a time, in steps from the start: in the ramp its velocities are
 * (1 - cos(pi time / ramp)) / 2 of what they are then. Local. */
wabe_condition wabe_condition_at(const wabe_condition *condition, int64_t ramp, double time);

/* One byte per cell of a box: 0 for fluid, otherwise 1 + the index of the condition. */
typedef struct {
    wabe_box box; /* global indices */
    uint8_t *ids;
} wabe_flags;

/* Returns the address of a cell's flag. Local. */
static inline uint8_t *wabe_flags_place(const wabe_flags *flags, int64_t x, int64_t y, int64_t z) {
    const wabe_box *b = &flags->box;
    const int64_t nx = b->end[0] - b->begin[0], ny = b->end[1] - b->begin[1];
    return flags->ids + (x - b->begin[0]) + nx * ((y - b->begin[1]) + ny * (z - b->begin[2]));
}

static inline uint8_t wabe_flags_at(const wabe_flags *flags, int64_t x, int64_t y, int64_t z) {
    return *wabe_flags_place(flags, x, y, z);
}

/* Computes the flags of a box, which may extend beyond the domain by less than the domain's length.
 * Cells outside take the condition of the face that they lie behind, or, if that is periodic, the
 * flag of their periodic image. Behind two faces the order of precedence is no_slip, moving_wall,
 * velocity, pressure, pressure_normal, free_slip, wall_function (links have an order of their own
 * there, see sweeps/lattice/link.h). Of overlapping solids objects go first, then rasters, then
 * particles; of these the first. WABE_MEMORY; WABE_INPUT, WABE_FILE: a raster cannot be read;
 * WABE_INTERNAL: the box extends beyond that of the filled cells. Local. */
wabe_status wabe_geometry_flags(const wabe_geometry *geometry, wabe_box box, wabe_flags *flags);
void wabe_flags_free(wabe_flags *flags);

/* Calls visit(context, flags, z) for each plane of a box normal to z, in ascending order. flags
 * cover the plane, extended along all axes by before cells below and after cells above. Rasters
 * are read piece by piece. Fails as wabe_geometry_flags or visit. Local. */
typedef wabe_status wabe_plane_visitor(void *context, const wabe_flags *flags, int64_t z);
wabe_status wabe_geometry_visit(const wabe_geometry *geometry, wabe_box box, int before, int after,
                                wabe_plane_visitor *visit, void *context);

/* Counts the fluid cells in each plane of a box normal to z: fluid[planes]. Fails as
 * wabe_geometry_flags. Local. */
wabe_status wabe_geometry_count(const wabe_geometry *geometry, wabe_box box, int64_t *fluid);

/* Finds the boxes of the domain's cells of which a box's flags are made: those within it, and those
 * seen across periodic faces. Returns their number. Local. */
enum { WABE_IMAGES_MAX = 27 };
int wabe_geometry_images(const wabe_geometry *geometry, wabe_box box,
                         wabe_box out[WABE_IMAGES_MAX]);

/* Returns a box that contains all cells whose centres can be in an object. Local. */
wabe_box wabe_geometry_object_box(const wabe_object *object);

/* Returns the part of the way from the centre of a fluid cell, cell - way, to that of a solid one,
 * cell (of the domain, or behind a mirror), that lies outside the solid with this condition: 0 to
 * 1; 1/2 if its surface is not known, as of voxels. Local. */
double wabe_geometry_cut(const wabe_geometry *geometry, int condition, const int64_t cell[3],
                         const int way[3]);

/* Returns whether there is any solid besides the faces. Local. */
static inline bool wabe_geometry_has_solids(const wabe_geometry *g) {
    return g->object_count > 0 || g->raster_count > 0 || g->particle_count > 0;
}

/* Finds the axes along which the domain is periodic. Local. */
void wabe_geometry_periodic(const wabe_geometry *geometry, bool periodic[3]);

/* Returns the axes (bit d) along which a cell lies outside the domain, behind faces that are not
 * periodic. Local. */
unsigned wabe_geometry_outside(const wabe_geometry *geometry, const int64_t cell[3]);
