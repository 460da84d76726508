/* Numbers after some of the steps of a run, as CSV: a line for each, on the disk as soon as it is
 * written. */
#pragma once

#include "core/base/status.h"

#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *file; /* rank 0, otherwise NULL */
    char name[64];
} wabe_time_series;

/* Begins DIRECTORY/NAME with the columns, "step,time,mean". A run that goes on after some step
 * keeps the lines that another one has written up to it; 0: it begins. WABE_FILE, WABE_MEMORY.
 * Collective. */
wabe_status wabe_time_series_open(MPI_Comm comm, const char *directory, const char *name,
                                  const char *columns, int64_t step, wabe_time_series *out);

/* A line: the step, and so many values, "nan" for one that is not finite. Nothing is done on other
 * ranks. WABE_FILE. Local. */
wabe_status wabe_time_series_add(const wabe_time_series *series, int64_t step, int count,
                                 const double values[]);

void wabe_time_series_close(wabe_time_series *series);
