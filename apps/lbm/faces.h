/* What lies behind the faces of the domain: from keys to conditions. */
#pragma once

#include "apps/lbm/options.h"

/* Returns the boundary of a face's word: from 0, the place in WABE_FACE_BOUNDARIES. Local. */
wabe_boundary wabe_face_boundary(int word);
/* Has the boundary a velocity of its own? Local. */
bool wabe_takes_velocity(wabe_boundary kind);
/* Returns the key of a face's kind: "boundaries.x_low.kind" for 0. Local. */
const char *wabe_face_kind_key(int face);
/* Returns the largest component, without its sign. Local. */
double wabe_largest_of(const double v[3]);

/* Rejects a velocity that the kind of a group ("boundaries.x_low") ignores, and a kind without the
 * velocity that it takes. takers: the kinds that take one, in words. WABE_INPUT, with the
 * key's line. Local. */
wabe_status wabe_check_velocity(const wabe_config *config, const char *group, const char *kind,
                                bool taken, const char *takers, const double velocity[3]);
/* The same for a face or a solid. Local. */
wabe_status wabe_check_surface_velocity(const wabe_config *config, const char *group,
                                        wabe_boundary kind, const double velocity[3]);

/* Checks the keys of all faces, and makes their conditions. WABE_INPUT, WABE_FILE, WABE_MEMORY: as
 * wabe_in_time_make; with the key's line. Local. */
wabe_status wabe_faces_make(const wabe_config *config, const wabe_lbm_options *options,
                            wabe_lbm_case *out);
/* Rejects a wall function in a flow without the subgrid model or a regularized collision. kind: the
 * key that asks for it. WABE_INPUT, with the key's line. Local. */
wabe_status wabe_check_wall_function(const wabe_config *config, const wabe_lbm_options *options,
                                     const char *kind, wabe_collision_operator collision);
/* Rejects wall functions in flows that cannot have them: the subgrid viscosity of the layers at
 * them is made from what a regularized collision with the subgrid model has left. WABE_INPUT, with
 * the key's line. Local. */
wabe_status wabe_faces_check_walls(const wabe_config *config, const wabe_lbm_options *options,
                                   wabe_collision_operator collision);
