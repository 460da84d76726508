/* What the files that derive a case from the options share. Each part of the case has a file
 * (case_*.c); case.c has the table of all. All functions are Local; they return WABE_INPUT, with
 * the key's line, for options that contradict each other, and WABE_MEMORY. */
#pragma once

#include "apps/lbm/options.h"

#include <math.h>

/* case_keys.c: the flow's velocity set; the lattice of this case, or of those it may be the one
 * with the most kernels: which of both kinds of a scalar it is, is chosen later. */
wabe_lattice wabe_lbm_lattice_of(const wabe_lbm_options *options);
wabe_lattice wabe_lbm_lattice_with_kernels(const wabe_lbm_options *options);
/* Is the initial state a Taylor-Green vortex? */
bool wabe_lbm_is_vortex(const wabe_lbm_options *options);
/* Rejects keys that other keys leave without a use, what has no kernels, and a velocity that is
 * missing. */
wabe_status wabe_case_check_keys(const wabe_config *config, const wabe_lbm_options *options,
                                 wabe_lbm_case *lbm_case);

/* case_drive.c: what drives the flow. */
wabe_status wabe_case_drive(const wabe_config *config, const wabe_lbm_options *options,
                            wabe_lbm_case *lbm_case);

/* case_solids.c: objects, the conditions of all solids, and what the solids are. */
wabe_status wabe_case_solids(const wabe_config *config, const wabe_lbm_options *options,
                             wabe_lbm_case *lbm_case);
/* Finds the surface of the solid with this condition, and its group ("geometry.meshes[0]"). Returns
 * false if it has none of its own. */
bool wabe_case_surface_at(const wabe_lbm_options *options, const wabe_lbm_case *lbm_case,
                          int condition, char group[64], wabe_surface_options *out);

/* case_turning.c: solids that turn, which share the conditions that are left with faces that have
 * profiles. */
wabe_status wabe_case_turning(const wabe_config *config, const wabe_lbm_options *options,
                              wabe_lbm_case *lbm_case);

/* case_inflows.c: profiles and turbulence of faces, and the ramp of velocities. */
wabe_status wabe_case_inflows(const wabe_config *config, const wabe_lbm_options *options,
                              wabe_lbm_case *lbm_case);

/* case_numbers.c: velocities; units and viscosity, once velocities are known. */
wabe_status wabe_case_velocities(const wabe_config *config, const wabe_lbm_options *options,
                                 wabe_lbm_case *lbm_case);
wabe_status wabe_case_viscosity(const wabe_config *config, const wabe_lbm_options *options,
                                wabe_lbm_case *lbm_case);
wabe_status wabe_case_output_units(const wabe_config *config, const wabe_lbm_options *options,
                                   wabe_lbm_case *lbm_case);
/* Takes a velocity as the fastest, if it is larger than those before; format: its key. */
void wabe_case_take_velocity(wabe_lbm_case *lbm_case, double speed, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Rejects viscosities that a wall function cannot have. kind: the key that asks for it. */
wabe_status wabe_case_check_turbulence(const wabe_config *config, const wabe_lbm_case *lbm_case,
                                       const char *kind);

/* case_rheology.c: the fluid whose viscosity depends on the rate of strain, if it is one. */
wabe_status wabe_case_rheology(const wabe_config *config, const wabe_lbm_options *options,
                               wabe_lbm_case *lbm_case);

/* case_start.c: what the initial state is computed from. */
wabe_status wabe_case_start(const wabe_config *config, const wabe_lbm_options *options,
                            wabe_lbm_case *lbm_case);
