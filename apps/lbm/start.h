/* initial.kind = "file": a flow that begins with the fields that another run has written, on as
 * many cells or on more or fewer of the same domain. */
#pragma once

#include "apps/lbm/options.h"

typedef struct wabe_start wabe_start;

/* Opens initial.file and looks whether it has what is needed, of all of the domain; out: NULL if
 * the options ask for none. WABE_INPUT, with the key's line; WABE_FILE, WABE_MEMORY. Local. */
wabe_status wabe_start_open(const wabe_config *config, const wabe_lbm_options *options,
                            const wabe_lbm_case *lbm_case, wabe_start **out);
void wabe_start_close(wabe_start **start);

/* Room for what cells of a block need of two planes of the file. WABE_MEMORY. Local. */
wabe_status wabe_start_begin(wabe_start *start, wabe_box block);
/* A wabe_lbm_initial; context: a wabe_start *const *. Between the file's cells it is linear, and
 * goes on so behind the last ones to walls. Of cells that are solid in the file others take their
 * place by their weights; what has none but such is at rest. Fast plane by plane. */
void wabe_start_moments(const void *context, const int64_t cell[3], double moments[4]);
/* What has failed meanwhile: WABE_FILE; WABE_INPUT: a value is no number. Local. */
wabe_status wabe_start_end(const wabe_start *start);
