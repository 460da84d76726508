/* Messages of a run, of rank 0: lines to stdout, warnings and errors to stderr, all of them into
 * run.log once that is open. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

/* Whether this process speaks (rank 0 does); quiet: of warnings and errors alone, but for the log
 * file. Local. */
void wabe_log_start(bool speaks, bool quiet);
/* Also writes what follows into this file, and what was said that no file has got so far, behind
 * what stands there if it goes on; or warns that it cannot. Local. */
void wabe_log_open(const char *file, bool goes_on);
/* Ends the log file: what follows is for the next one. Local. */
void wabe_log_leave(void);
/* Ends a progress line that is still open, and the log file. Local. */
void wabe_log_close(void);

/* A line of information, a warning ("warning: ..."), a line of progress: where
 * wabe_log_is_live it replaces the one before, elsewhere it is a line of its own. What a terminal
 * cannot show is written as "\xNN". Local. */
void wabe_log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void wabe_log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void wabe_log_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Why the program fails, "wabe: ...": the last that it says. Local. */
void wabe_log_error(const char *message);
/* Do progress lines replace each other? As WABE_LIVE says (0: no), otherwise if stdout is the
 * terminal that the program was started from. Local. */
bool wabe_log_is_live(void);
