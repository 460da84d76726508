/* A CSV file of numbers over a run's steps: one line per recorded step, flushed at once. */
#pragma once

#include "core/base/status.h"

#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *file; /* rank 0, otherwise NULL */
    char name[64];
} wabe_time_series;

/* Opens DIRECTORY/NAME with these columns, such as "step,time,mean". step: the step at
 * which the run continues an earlier one, whose lines up to there are kept; 0: a new run.
 * WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_time_series_open(MPI_Comm comm, const char *directory, const char *name,
                                  const char *columns, int64_t step, wabe_time_series *out);

/* Writes a line: the step and count values, "nan" for those that are not finite. Does nothing on
 * ranks other than 0. WABE_FILE. Local. */
wabe_status wabe_time_series_add(const wabe_time_series *series, int64_t step, int count,
                                 const double values[]);

void wabe_time_series_close(wabe_time_series *series);
