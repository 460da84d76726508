/* Residence times of the fluid in a medium, measured with tracers, written to a file and
 * reported. */
#pragma once

#include "apps/lbm/tracers.h"
#include "core/base/json.h"

/* The results. They leave out the mean, which is pore volume over flux: a few very slow tracers
 * would dominate a mean over tracers. */
typedef struct {
    int64_t started, arrived;        /* numbers of tracers */
    double tenth, half, nine_tenths; /* steps after which this fraction of arrivals had come */
} wabe_residence_results;

enum { WABE_RESIDENCE_LONGEST = 100 };

/* Sends tracers through the medium and drops those that take longer than WABE_RESIDENCE_LONGEST
 * times the mean. mean: pore volume over flux, in steps. Removes an existing
 * DIRECTORY/residence.csv; unless journey.count is 0, writes quantiles of the arrival times to a
 * new one. WABE_MEMORY, WABE_FILE, and the errors of wabe_tracers_follow. Collective. */
wabe_status wabe_residence_measure(const wabe_simulation *simulation, wabe_journey journey,
                                   double mean, const char *directory, wabe_residence_results *out);

/* Log the results, with warnings, and add them to a JSON object. Local. */
void wabe_residence_print(const wabe_residence_results *results);
void wabe_residence_put(const wabe_residence_results *results, wabe_json *json);
