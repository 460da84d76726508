/* A CSV file of numbers over a run's steps: one line per recorded step, flushed at once. */
#pragma once

#include "apps/runtime/folder.h"

#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *file; /* rank 0, otherwise NULL */
    wabe_folder *folder;
    char name[64];
    int64_t dropped; /* lines of an earlier run after the step at which this one continues it */
} wabe_time_series;

/* Opens NAME in a folder, which must outlive it, with these columns, such as "step,time,mean".
 * step: the step at which the run continues an earlier one, whose lines up to there are kept; 0: a
 * new run. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_time_series_open(wabe_folder *folder, const char *name, const char *columns,
                                  int64_t step, wabe_time_series *out);

/* Writes a line: the step and count values, "nan" for those that are not finite. Does nothing on
 * ranks other than 0. WABE_FILE, also if the folder is no longer ours (wabe_folder_check).
 * Local. */
wabe_status wabe_time_series_add(const wabe_time_series *series, int64_t step, int count,
                                 const double values[]);

void wabe_time_series_close(wabe_time_series *series);
