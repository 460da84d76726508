/* initial.kind = "file": a flow starts from fields written by another run of the same domain, at
 * the same, a finer or a coarser resolution. */
#pragma once

#include "apps/lbm/options.h"

typedef struct wabe_start wabe_start;

/* Opens initial.file and checks that it has the fields needed, for the whole domain; out: NULL if
 * the options ask for no file. WABE_INPUT, with the key's line; WABE_FILE, WABE_MEMORY. Local. */
wabe_status wabe_start_open(const wabe_config *config, const wabe_lbm_options *options,
                            const wabe_lbm_case *lbm_case, wabe_start **out);
void wabe_start_close(wabe_start **start);

/* Allocates buffers for the parts of two planes of the file that a block needs. WABE_MEMORY.
 * Local. */
wabe_status wabe_start_begin(wabe_start *start, wabe_box block);
/* A wabe_lbm_initial; context: a wabe_start *const *. Interpolates linearly between the file's
 * cells, and extrapolates linearly from the last cells to walls. Cells that are solid in the file
 * are left out, and the others' weights rescaled; where only solid cells remain, fluid is at rest.
 * Efficient plane by plane. Local. */
void wabe_start_moments(const void *context, const int64_t cell[3],
                        double moments[WABE_MOMENTS_GIVEN]);
/* Returns the first error of wabe_start_moments: WABE_FILE; WABE_INPUT: a value is not a number.
 * Local. */
wabe_status wabe_start_end(const wabe_start *start);
