/* Messages of a run: to the terminal from rank 0, and into run.log once that is open. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

/* Whether this process speaks (rank 0 does), and whether it speaks on the terminal too. Local. */
void wabe_log_start(bool speaks, bool quiet);
/* Also writes what follows into this file, behind what stands there if it goes on, or warns that it
 * cannot. Local. */
void wabe_log_open(const char *file, bool goes_on);
/* Ends a progress line that is still open, and the log file. Local. */
void wabe_log_close(void);

/* A line of information, a warning ("warning: ..."), a line of progress: on a terminal it replaces
 * the one before, elsewhere it is a line of its own. The log file gets them all. What a terminal
 * cannot show is written as "\xNN". Local. */
void wabe_log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void wabe_log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void wabe_log_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Do progress lines replace each other? Local. */
bool wabe_log_is_live(void);
