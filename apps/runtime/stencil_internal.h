/* Shared by the files of stencil applications: stencil.c, stencil_residency.c. */
#pragma once

#include "apps/runtime/stencil.h"

/* Returns a kernel of any instruction set, since all move the same bytes; NULL: there is none.
 * Local. */
const wabe_kernel *wabe_stencil_find_kernel(const wabe_grid_sweep_row *sweep, wabe_target target);

/* Finds the time steps per call of the kernel, and whether rows can wrap, for the slabs of this
 * process. WABE_INPUT. Local. */
wabe_status wabe_stencil_plan_passes(const wabe_run *run, int *depth, int *wraps);

/* Connects slabs that are streamed with those below and above. WABE_MEMORY, WABE_INPUT.
 * Collective. */
wabe_status wabe_stencil_meet_neighbours(const wabe_run *run);
/* Bytes of a device that a streamed slab takes; 0: slabs are resident. Local. */
double wabe_stencil_streamed_memory(const wabe_run *run);
/* The bytes that a pass copies, for the model; steps 0: slabs are resident. Local. */
wabe_model_passes wabe_stencil_passes(const wabe_run *run);
/* Add to results.json, and print after the run, what has been copied, if anything. Local. */
void wabe_stencil_put_residency(const wabe_run *run, wabe_json *json);
void wabe_stencil_print_copies(const wabe_run *run);
void wabe_stencil_enter_residency(wabe_application *app);
