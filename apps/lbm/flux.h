/* A mean velocity that the body force keeps (lbm.flux): after every so many steps the force is
 * chosen anew, from the mean velocity of the fluid, whose sum is exact. So runs have the same bits
 * on any hardware and after a restart. */
#pragma once

#include "apps/lbm/options.h"
#include "apps/runtime/run.h"

enum { WABE_FLUX_NUMBERS = 7 };

/* Lattice units. */
typedef struct {
    int64_t step;    /* after which the force was chosen */
    double force[3]; /* since then */
    double mean[3];  /* velocity of the fluid at that step */
} wabe_flux;

/* Checks the keys. WABE_INPUT, with the key's line. Local. */
wabe_status wabe_flux_check(const wabe_config *config, const wabe_lbm_options *options);
/* Begins with lbm.force, once the first state is checked, unless it was restored. Local. */
void wabe_flux_begin(wabe_run *run, bool restored);
/* Chooses the force of the steps after the present one, if it is time; the present state was
 * checked. Local. */
void wabe_flux_steer(wabe_run *run);
/* Takes the force from a checkpoint, before its state is read; false: it has none. Local. */
bool wabe_flux_restore(wabe_run *run, const wabe_checkpoint *checkpoint);
