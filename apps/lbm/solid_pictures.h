/* What wabe geometry writes. */
#pragma once

#include "apps/lbm/solids.h"
#include "apps/runtime/run.h"

/* Writes the solid cells of a geometry into the folder geometry of the output directory: voxels for
 * ParaView, pictures of planes, and of the solids' heights from above, if they have any. Logs
 * where. Fails as wabe_geometry_flags, wabe_output_create and wabe_image_write; WABE_MEMORY.
 * Collective. */
wabe_status wabe_lbm_show_solids(wabe_run *run, const wabe_geometry *geometry,
                                 const wabe_lbm_solids *solids);
