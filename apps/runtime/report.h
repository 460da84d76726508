/* Reports that are common to all runs: progress, phases, result files. */
#pragma once

#include "core/base/json.h"
#include "core/base/profile.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Is an action due after this step that is done at this interval? 0: never. Local. */
static inline bool wabe_report_is_due(int64_t step, int64_t every) {
    return every > 0 && step % every == 0;
}

typedef struct {
    double started, shown, share; /* done at the start, of the whole run */
    int64_t shown_step;
} wabe_report_clock;

/* Returns the seconds between two lines of progress. Local. */
double wabe_report_interval(void);
/* Starts the clock; step: steps already done, and the share of the run that they are. Local. */
wabe_report_clock wabe_report_start(int64_t step, double share);
/* Prints a line now and then: where the run is ("step 20 of 200"), the share done, the update rate
 * since the last line (cells per step, bytes moved per cell), the remaining time. Local. */
void wabe_report_progress(wabe_report_clock *clock, int64_t step, const char *place, double share,
                          double cells, double bytes);

/* Writes DIRECTORY/NAME, a JSON object whose members write adds. WABE_FILE. Local. */
wabe_status wabe_report_write(const char *directory, const char *name,
                              void (*write)(const void *context, wabe_json *json),
                              const void *context);

/* Writes the files of a finished run: DIRECTORY/results.json and, if stepped, timing.json; a run
 * that had no step left to do keeps the timing.json of its last steps. Rank 0 writes. WABE_FILE.
 * Collective. */
wabe_status wabe_report_results(MPI_Comm comm, const char *directory, bool stepped,
                                void (*results)(const void *context, wabe_json *json),
                                void (*timing)(const void *context, wabe_json *json),
                                const void *context);

/* Gathers the phases of all processes. Collective. */
void wabe_report_phases(MPI_Comm comm, const wabe_profile *profile,
                        wabe_spread phases[WABE_PHASE_COUNT]);
/* Prints a table of phases with a noticeable share of the run's seconds; separate: each phase ended
 * before the next began, also on GPUs. Local. */
void wabe_report_print_phases(const wabe_spread phases[WABE_PHASE_COUNT], double seconds,
                              bool separate);
/* Adds the phases to a JSON object. Local. */
void wabe_report_put_phases(const wabe_spread phases[WABE_PHASE_COUNT], wabe_json *json);
