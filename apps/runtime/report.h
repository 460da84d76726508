/* What every run tells of itself, whatever it computes: progress, and where its time went. */
#pragma once

#include "core/base/json.h"
#include "core/base/profile.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Is something to be done after this step that is done every so many? 0: never. Local. */
static inline bool wabe_report_is_due(int64_t step, int64_t every) {
    return every > 0 && step % every == 0;
}

typedef struct {
    double started, shown;
    int64_t first, shown_step;
} wabe_report_clock;

/* Seconds from one line of progress to the next. Local. */
double wabe_report_interval(void);
/* So many steps are done. Local. */
wabe_report_clock wabe_report_start(int64_t step);
/* A line now and then: step of so many, the rate since the last line of updates of cells that move
 * so many bytes each, the time left. Local. */
void wabe_report_progress(wabe_report_clock *clock, int64_t step, int64_t steps, double cells,
                          int bytes);

/* Writes DIRECTORY/NAME, an object of what write puts. WABE_FILE. Local. */
wabe_status wabe_report_write(const char *directory, const char *name,
                              void (*write)(const void *context, wabe_json *json),
                              const void *context);

/* The two files of a run that has ended: DIRECTORY/results.json, and, if stepped, timing.json: a
 * run that had no step left to do keeps that of its last ones. Rank 0 writes. WABE_FILE.
 * Collective. */
wabe_status wabe_report_results(MPI_Comm comm, const char *directory, bool stepped,
                                void (*results)(const void *context, wabe_json *json),
                                void (*timing)(const void *context, wabe_json *json),
                                const void *context);

/* The phases of all processes. Collective. */
void wabe_report_phases(MPI_Comm comm, const wabe_profile *profile,
                        wabe_spread phases[WABE_PHASE_COUNT]);
/* As a table, beside the seconds of the run, of phases that show in it; separate: each ended before
 * the next began, on GPUs too. As an object of this name. Local. */
void wabe_report_print_phases(const wabe_spread phases[WABE_PHASE_COUNT], double seconds,
                              bool separate);
void wabe_report_put_phases(const wabe_spread phases[WABE_PHASE_COUNT], wabe_json *json);
