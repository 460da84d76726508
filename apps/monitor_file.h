/* monitor.csv: what is looked at in a run, a line for each look, on the disk as soon as it is
 * written. */
#ifndef WABE_APPS_MONITOR_FILE_H
#define WABE_APPS_MONITOR_FILE_H

#include "core/status.h"

#include <stdint.h>
#include <stdio.h>

/* Begins DIRECTORY/monitor.csv with the columns, "step,time,mean". A run that goes on after some
 * step keeps the lines that another one has written up to it; 0: it begins. On rank 0; others get
 * NULL. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_monitor_file_open(MPI_Comm comm, const char *directory, const char *columns,
                                   int64_t step, FILE **out);

/* A line: the step, and so many values. Nothing is done without a file. WABE_FILE. Local. */
wabe_status wabe_monitor_file_add(FILE *file, int64_t step, int count, const double values[]);

void wabe_monitor_file_close(FILE **file);

#endif
