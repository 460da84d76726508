/* Residence times of fluid in a medium: measured with tracers, written to a file, and reported. */
#pragma once

#include "apps/lbm/tracers.h"
#include "core/base/json.h"

/* The mean is not among them: it equals pore volume over flux, whereas the tracers' mean would be
 * dominated by a few very slow ones. */
typedef struct {
    int64_t started, arrived;        /* numbers of tracers */
    double tenth, half, nine_tenths; /* steps by which this fraction of the arrivals had come */
} wabe_residence_results;

enum { WABE_RESIDENCE_LONGEST = 100 };

/* Sends tracers through the medium; gives up those that take longer than WABE_RESIDENCE_LONGEST
 * times the mean. mean: pore volume over flux, in steps. Writes quantiles of the arrival times to
 * DIRECTORY/residence.csv, after removing an existing file; count 0: only removes it. WABE_MEMORY,
 * WABE_FILE, and the errors of wabe_tracers_follow. Collective. */
wabe_status wabe_residence_measure(const wabe_simulation *simulation, wabe_journey journey,
                                   double mean, const char *directory, wabe_residence_results *out);

/* Log the results, with warnings, and add them to a JSON object. Local. */
void wabe_residence_print(const wabe_residence_results *results);
void wabe_residence_put(const wabe_residence_results *results, wabe_json *json);
