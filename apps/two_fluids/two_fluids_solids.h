/* The solids between two fluids: those of geometry.*, as flows of the lattice Boltzmann application
 * have them. */
#pragma once

#include "apps/lbm/solids.h"
#include "sweeps/stencil/two_fluids.h"

/* An element of geometry.objects. */
typedef struct {
    wabe_object_options object;
    double contact_angle;
} wabe_two_fluids_object;

typedef struct {
    wabe_geometry geometry;
    wabe_condition *conditions;
    wabe_object *objects;
    double *angles; /* contact angles of the objects, in radians; NAN: that of all */
    wabe_lbm_solids solids;
} wabe_two_fluids_solids;

/* Makes the solids between the faces of a domain. The options must outlive them, and out must stay
 * where it is in memory. Call wabe_two_fluids_solids_free even if it fails. Fails as
 * wabe_lbm_object_make and wabe_lbm_solids_make. Local. */
wabe_status wabe_two_fluids_solids_make(const wabe_config *config,
                                        const wabe_geometry_options *options,
                                        const wabe_two_fluids_place *place,
                                        wabe_two_fluids_solids *out);
void wabe_two_fluids_solids_free(wabe_two_fluids_solids *solids);

/* wabe_two_fluids_set with these solids. Fails as it, and as wabe_geometry_flags. Local. */
wabe_status wabe_two_fluids_solids_set(const wabe_two_fluids_solids *solids,
                                       const wabe_two_fluids_step *step,
                                       const wabe_two_fluids_place *place, wabe_grid_slab *slab);
