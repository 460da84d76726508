/* Solids of geometry.* in slabs of a grid, as flows of the lattice Boltzmann application have them,
 * and the angle at which the interface of two fluids meets them. */
#pragma once

#include "apps/lbm/solids.h"

/* An element of geometry.objects. */
typedef struct {
    wabe_object_options object;
    double contact_angle;
} wabe_wetted_object;

typedef struct {
    wabe_geometry geometry;
    wabe_condition *conditions;
    wabe_object *objects;
    double *angles; /* contact angles of the objects, in radians; NAN: that of all */
    wabe_lbm_solids solids;
} wabe_grid_solids;

/* Makes the solids between the faces of a domain, whose objects are wabe_wetted_object. Of the
 * options it clears those of a city, which have no rows. They must outlive the solids, and out must
 * stay where it is in memory. Call wabe_grid_solids_free even if it fails. Fails as
 * wabe_lbm_object_make and wabe_lbm_solids_make. Local. */
wabe_status wabe_grid_solids_make(const wabe_config *config, wabe_geometry_options *options,
                                  const int64_t cells[3], const wabe_boundary faces[WABE_FACES],
                                  wabe_grid_solids *out);
/* Frees what wabe_grid_solids_make has made. Local. */
void wabe_grid_solids_free(wabe_grid_solids *solids);

/* The cells of a slab and of layers around it. */
typedef struct {
    int64_t cells[3]; /* of the domain */
    const wabe_grid_solids *solids;
    wabe_flags flags;
} wabe_solid_cells;

/* Finds which cells of a box of the domain, and of so many layers around it, are solid. Call
 * wabe_solid_cells_free afterwards. Fails as wabe_geometry_flags. Local. */
wabe_status wabe_solid_cells_find(const wabe_grid_solids *solids, wabe_box box, int layers,
                                  wabe_solid_cells *out);
/* Frees what wabe_solid_cells_find has found. Local. */
void wabe_solid_cells_free(wabe_solid_cells *cells);
/* Is a cell of the box or of the layers around it solid? One behind a periodic face is the domain's
 * at its other end; those behind other faces must not be asked for. context: wabe_solid_cells.
 * Local. */
bool wabe_solid_cells_is_solid(const void *context, const int64_t cell[3]);
/* Returns the contact angle of a solid cell, in radians; NAN: that of all. Local. */
double wabe_solid_cells_angle(const void *context, const int64_t cell[3]);
