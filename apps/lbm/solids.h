/* Solids other than geometry.objects: voxels, spheres, a packed bed. */
#pragma once

#include "apps/geometry/packing.h"
#include "core/config/option.h"
#include "core/geometry/voxels.h"

/* The options as read, one member per key; the rows of their table are in schema.c. */
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
} wabe_sphere_options;

typedef struct {
    int particle; /* 0: none; 1 + a wabe_particle */
    double diameter, length, bore, spread, low[3], high[3], porosity;
    int container; /* 0: channel, 1: tube */
    int64_t seed;
} wabe_bed_options;

typedef struct {
    wabe_voxels voxels; /* its file name points into the options */
    wabe_particles particles;
    bool has_bed;
    wabe_packing_report bed;
} wabe_lbm_solids;

/* Reads and generates the solids that the options describe and adds them to the geometry, whose
 * faces and cells are already set. solids and the options must outlive the geometry. WABE_INPUT,
 * with the key's line; WABE_NOT_CONVERGED: interrupted by a signal while a bed is packed;
 * WABE_FILE; WABE_MEMORY. Local. */
wabe_status wabe_lbm_solids_make(const wabe_config *config, const wabe_voxel_options *voxels,
                                 const wabe_sphere_options *spheres, const wabe_bed_options *bed,
                                 wabe_geometry *geometry, wabe_lbm_solids *solids);
void wabe_lbm_solids_free(wabe_lbm_solids *solids);
