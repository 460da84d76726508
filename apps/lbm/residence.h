/* How long fluid stays in a medium: what tracers tell, its file, and what is said of it. */
#pragma once

#include "apps/lbm/tracers.h"
#include "core/base/json.h"

/* The mean of all times is pore volume over flux; that of tracers would not tell it, as few very
 * slow ones make much of it. */
typedef struct {
    int64_t started, arrived;        /* tracers */
    double tenth, half, nine_tenths; /* steps after which so many of those that arrived had */
} wabe_residence_results;

enum { WABE_RESIDENCE_LONGEST = 100 };

/* Sends tracers; those that take WABE_RESIDENCE_LONGEST times the mean are given up. mean: pore
 * volume over flux, steps. DIRECTORY/residence.csv gets when which share of those that arrived had;
 * one that is there is removed first. count 0: nothing more is done. WABE_MEMORY, WABE_FILE, and
 * what wabe_tracers_follow fails with. Collective. */
wabe_status wabe_residence_measure(const wabe_simulation *simulation, wabe_journey journey,
                                   double mean, const char *directory, wabe_residence_results *out);

/* Local. */
void wabe_residence_print(const wabe_residence_results *results);
void wabe_residence_put(const wabe_residence_results *results, wabe_json *json);
