/* Profiles of means over time and over planes of cells: mean_profiles.csv. */
#pragma once

#include "apps/runtime/run.h"

/* Writes the profiles that output.mean_profiles asks for, from the sums over time; exact sums make
 * them independent of the decomposition. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_mean_profiles_write(const wabe_run *run);
