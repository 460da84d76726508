/* Messages of a run, printed by rank 0: information to stdout, warnings and errors to stderr, and
 * all of them to run.log once it is open. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

/* speaks: this process prints messages (rank 0 does). quiet: it prints only warnings and errors;
 * the log file still gets all. Local. */
void wabe_log_start(bool speaks, bool quiet);
/* Opens the log file and writes to it the messages that no file has yet, and all later ones.
 * goes_on: appends to an existing file. Warns if the file cannot be opened; messages are then kept
 * for the next one. Local. */
void wabe_log_open(const char *file, bool goes_on);
/* Closes the log file; later messages are kept for the next one. Local. */
void wabe_log_leave(void);
/* Ends an open progress line and closes the log file. Local. */
void wabe_log_close(void);

/* Print a line of information, a warning ("warning: ..."), or a line of progress, which replaces
 * the one before if wabe_log_is_live and is a line of its own otherwise. Characters that a terminal
 * cannot show are written as "\xNN". Local. */
void wabe_log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void wabe_log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void wabe_log_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints why the program fails, "wabe: ...": its last message. Local. */
void wabe_log_error(const char *message);
/* Returns whether progress lines replace each other: WABE_LIVE decides if set (0: no), otherwise
 * whether stdout is the controlling terminal. Local. */
bool wabe_log_is_live(void);
