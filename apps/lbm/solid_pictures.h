/* What wabe geometry writes. */
#pragma once

#include "apps/lbm/solids.h"
#include "apps/runtime/run.h"

/* Writes the solid cells of a geometry into a folder called geometry, the same for all axes of
 * porous.axis: voxels for ParaView, pictures of planes, and of heights from above. Logs where.
 * Fails as wabe_geometry_flags and wabe_output_create. Collective. */
wabe_status wabe_lbm_show_solids(wabe_run *run, const wabe_geometry *geometry,
                                 const wabe_lbm_solids *solids);
