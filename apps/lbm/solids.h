/* Solids: objects, meshes, heights, a city, voxels, spheres, a packed bed. */
#pragma once

#include "apps/geometry/city.h"
#include "apps/geometry/heights.h"
#include "apps/geometry/mesh.h"
#include "apps/geometry/packing.h"
#include "apps/lbm/scalar.h"
#include "core/config/option.h"
#include "core/geometry/voxels.h"
#include "sweeps/cell/lattice.h"

#include <math.h>

static inline double wabe_length_of(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The options as read, one member per key; the rows of their tables are in schema.c and
 * solid_rows.h. */

/* The boundary condition of a solid. */
typedef struct {
    int kind;                              /* in WABE_SOLID_BOUNDARIES */
    double roughness;                      /* NAN: not given */
    double velocity[3], spin[3], pivot[3]; /* pivot: NAN if not given */
    wabe_scalar_surface scalar;
} wabe_surface_options;

typedef struct {
    int shape;
    double low[3], high[3], center[3], radius, bore;
    wabe_surface_options surface;
} wabe_object_options;

typedef struct {
    char file[WABE_STRING_SIZE];
    double scale, rotation[3], place[3];
    int fluid; /* 0: outside, 1: inside */
    wabe_surface_options surface;
} wabe_mesh_options;

typedef struct {
    char file[WABE_STRING_SIZE], dataset[WABE_STRING_SIZE];
    int up; /* an axis */
    double scale, offset;
    wabe_surface_options surface;
} wabe_heights_options;

typedef struct {
    double pitch, share, height, sigma, towers, tower_height, low[3], high[3];
    int up; /* an axis */
    int64_t seed;
    int kind;         /* 0: no_slip, 1: wall_function */
    double roughness; /* NAN: not given */
} wabe_city_options;

typedef struct {
    char file[WABE_STRING_SIZE], dataset[WABE_STRING_SIZE];
    char solid[WABE_STRING_SIZE], fluid[WABE_STRING_SIZE]; /* labels: "1", "2,5-7" */
    int format, order, mirror;                             /* mirror: bit d for axis d */
    int64_t size[3], header, begin[3], cells[3], at[3];
} wabe_voxel_options;

typedef struct {
    char file[WABE_STRING_SIZE];
    int array; /* 0: none; 1 + a wabe_array */
    double constant, radius;
    int kind; /* 0: no_slip, 1: curved_wall */
} wabe_sphere_options;

typedef struct {
    int particle; /* 0: none; 1 + a wabe_particle */
    double diameter, length, bore, spread, low[3], high[3], porosity;
    int container; /* 0: channel, 1: tube */
    int kind;      /* 0: no_slip, 1: curved_wall */
    int64_t seed;
} wabe_bed_options;

typedef struct {
    wabe_option_list objects, meshes;
    wabe_heights_options heights;
    wabe_city_options city;
    wabe_voxel_options voxels;
    wabe_sphere_options spheres;
    wabe_bed_options bed;
    wabe_scalar_surface scalar; /* of solids without a surface of their own */
    int fill;                   /* 0: nothing, 1: unconnected cells */
} wabe_geometry_options;

/* A mesh, and what wabe_lbm_solids_check finds of it. */
typedef struct {
    const char *file;
    wabe_mesh mesh;
    bool around;           /* solid is what is outside */
    int64_t triangles;     /* of the file */
    wabe_mesh_count count; /* cells of the domain */
    wabe_mesh_surface surface;
    int64_t gaps; /* links of a curved wall that meet no triangle: the wall is half-way on them */
} wabe_lbm_mesh;

typedef struct {
    int mesh_count;
    wabe_lbm_mesh *meshes;
    wabe_heights heights, city; /* heights NULL: none */
    wabe_city_report city_report;
    wabe_raster *rasters;
    wabe_voxels voxels; /* its file name, like those of meshes, points into the options */
    wabe_particles particles;
    wabe_particle_bins bins; /* of particles with curved walls */
    bool has_bed;
    wabe_packing_report bed;
} wabe_lbm_solids;

/* Makes the object of geometry.objects[number] in a domain of so many cells. WABE_INPUT: it has no
 * volume, lies nowhere or outside of the domain, or has lengths that its shape ignores. Local. */
wabe_status wabe_lbm_object_make(const wabe_config *config, const wabe_object_options *options,
                                 int number, const int64_t cells[3], wabe_object *out);

/* Returns the kind of spheres and of the bed's particles, and so of voxels: the surface of these is
 * half-way between cells in any case. Local. */
wabe_boundary wabe_lbm_particles_kind(const wabe_geometry_options *options);

/* Reads and generates the solids that the options describe and adds them to the geometry, whose
 * faces, cells and conditions are already set; meshes, in their order, then heights, then the city
 * have those from geometry->solid + 1 on. solids and the options must outlive the geometry. Call
 * wabe_lbm_solids_free even if it fails. WABE_INPUT, with the key's line; WABE_NOT_CONVERGED:
 * interrupted by a signal while a bed is packed; WABE_FILE; WABE_MEMORY. Local. */
wabe_status wabe_lbm_solids_make(const wabe_config *config, const wabe_geometry_options *options,
                                 wabe_geometry *geometry, wabe_lbm_solids *solids);
void wabe_lbm_solids_free(wabe_lbm_solids *solids);
/* Returns the status of something that has read a geometry, WABE_INPUT with the key of the image of
 * voxels, if there is one. Local. */
wabe_status wabe_lbm_solids_blame(const wabe_config *config, wabe_status status);
/* Checks that a cell of the domain is fluid, each process its block. WABE_INPUT; fails as
 * wabe_geometry_count. Collective. */
wabe_status wabe_lbm_solids_check_fluid(MPI_Comm comm, const wabe_config *config,
                                        const wabe_geometry *geometry, wabe_box block);

/* Examines each mesh, and counts its cells in a domain, each process those of its block.
 * WABE_INPUT: no cell is inside, all are that shall not be, or more than 1 % are in doubt (with the
 * line of its file's key); WABE_MEMORY. Collective. */
wabe_status wabe_lbm_solids_check(MPI_Comm comm, const wabe_config *config, const int64_t cells[3],
                                  wabe_box block, wabe_lbm_solids *solids);

/* Frees what this process does not need of the meshes if flags are asked for only within a box, and
 * finds the surfaces of those with curved walls. WABE_MEMORY. Local. */
wabe_status wabe_lbm_solids_trim(const wabe_geometry *geometry, wabe_box box,
                                 wabe_lbm_solids *solids);

/* Counts the gaps of trimmed meshes, each process those of its block. Fails as wabe_geometry_flags.
 * Collective. */
wabe_status wabe_lbm_solids_find_gaps(MPI_Comm comm, const wabe_geometry *geometry,
                                      wabe_lattice lattice, wabe_box block,
                                      wabe_lbm_solids *solids);
