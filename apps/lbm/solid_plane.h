/* The solid cells of a plane of the domain, for pictures. */
#pragma once

#include "apps/runtime/run.h"
#include "core/geometry/geometry.h"

/* Gathers a plane of the domain on rank 0, in an array to be freed: 1 for each cell that is not
 * fluid, otherwise 0. out: NULL on other ranks. Fails as wabe_geometry_flags. Collective. */
wabe_status wabe_lbm_gather_solid(const wabe_run *run, const wabe_geometry *geometry,
                                  wabe_box plane, uint8_t **out);
