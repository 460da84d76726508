/* Messages of a run, printed by one process: information to stdout, warnings and errors to stderr,
 * and all of them to the log file, run.log. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

/* speaks: this process prints messages (rank 0 does) and keeps them for the log file. quiet: it
 * prints only warnings and errors; the log file still gets all. verbose: details are messages too.
 * Local. */
void wabe_log_start(bool speaks, bool quiet, bool verbose);
/* Returns whether details are printed, for lines that have some at their end. Local. */
bool wabe_log_is_verbose(void);
/* Writes to the log file, of a process that speaks, the lines and warnings that are in no log file
 * yet, and all later messages. Closes the file at the end. Warns once if it takes no more, as on a
 * full disk. Local. */
void wabe_log_open(FILE *file);
/* Closes the log file; later lines and warnings are kept for the next one. Local. */
void wabe_log_leave(void);
/* Ends an open progress line and closes the log file. Local. */
void wabe_log_close(void);

/* Print a line of information, a warning ("warning: ...", once on the terminal and once in each log
 * file, however often it is given), or a line of progress, which replaces
 * the one before if wabe_log_is_live, and is a line of its own otherwise. Progress is logged only
 * while the log file is open. Characters that a terminal cannot show are written as "\xNN", except
 * in progress that replaces itself. Local. */
void wabe_log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line of information for those who look at how the program computes; dropped unless verbose. */
void wabe_log_detail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void wabe_log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void wabe_log_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints why the program fails, "wabe: ...", as its last message, also to the log file if that is
 * open. message is printed unchanged. Local. */
void wabe_log_error(const char *message);
/* Returns whether progress lines replace each other: if WABE_LIVE is set, it decides (0: no);
 * otherwise stdout must be the controlling terminal, and TERM set and not "dumb". Local. */
bool wabe_log_is_live(void);
