#include "core/base/log.h"

#include "core/base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_SIZE = 4096 };

/* A warning that has been given. */
typedef struct warning {
    struct warning *next;
    bool logged; /* the log file that is open, or is to be opened next, has it */
    char text[];
} warning;

static struct {
    warning *warnings;
    bool speaks, quiet, verbose;
    bool pending; /* pending: the terminal's cursor stands on a progress line */
    bool cut;     /* the log file lacks lines, and a warning has said so */
    FILE *file;
    FILE *early; /* keeps messages until the log file is open, and is then copied to it */
    char *early_text;
    size_t early_size;
} state;

void wabe_log_start(bool speaks, bool quiet, bool verbose) {
    state.speaks = speaks;
    state.quiet = quiet;
    state.verbose = verbose;
}

bool wabe_log_is_verbose(void) { return state.verbose; }

static void end_early(void) {
    if (!state.early)
        return;
    if (fclose(state.early) == 0 && state.file) {
        fputs(state.early_text, state.file);
        fflush(state.file);
    }
    free(state.early_text);
    state.early = NULL;
    state.early_text = NULL;
}

/* Ends the progress line, so that stdout is on the terminal before anything goes to stderr. */
static void end_progress(void) {
    if (state.pending)
        fputc('\n', stdout);
    state.pending = false;
    fflush(stdout);
}

static void close_file(void) {
    end_progress();
    if (!state.file)
        return;
    fclose(state.file);
    state.file = NULL;
    for (warning *w = state.warnings; w; w = w->next)
        w->logged = false;
}

void wabe_log_open(FILE *file) {
    close_file();
    state.file = file;
    state.cut = false;
    end_early();
}

void wabe_log_leave(void) { close_file(); }

void wabe_log_close(void) {
    close_file();
    end_early();
    while (state.warnings) {
        warning *first = state.warnings;
        state.warnings = first->next;
        free(first);
    }
}

/* mpirun gives its processes a terminal even if its own output goes elsewhere, but this terminal is
 * not their controlling one, so tcgetpgrp fails on it. */
bool wabe_log_is_live(void) {
    const char *live = getenv("WABE_LIVE"), *term = getenv("TERM");
    if (live)
        return strcmp(live, "0") != 0;
    return isatty(STDOUT_FILENO) && tcgetpgrp(STDOUT_FILENO) >= 0 && term &&
           strcmp(term, "dumb") != 0;
}

static void put(FILE *file, const char *prefix, const char *format, va_list arguments) {
    char line[LINE_SIZE], shown[LINE_SIZE];
    vsnprintf(line, sizeof line, format, arguments);
    wabe_text_escape(line, shown, sizeof shown);
    fprintf(file, "%s%s\n", prefix, shown);
    fflush(file);
}

/* Tells the terminal, once, that the log file has not taken a line. */
static void look_at_file(void) {
    const int error = errno;
    if (state.cut || !state.file || !ferror(state.file))
        return;
    state.cut = true;
    end_progress();
    fprintf(stderr, "warning: run.log lacks lines from here on: %s\n", strerror(error));
}

/* Writes to the terminal and to the log file; NULL: not there. */
static void put_both(FILE *terminal, FILE *log, const char *prefix, const char *format,
                     va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    if (state.speaks && terminal) {
        end_progress();
        put(terminal, prefix, format, arguments);
    }
    if (log)
        put(log, prefix, format, again);
    look_at_file();
    va_end(again);
}

__attribute__((format(printf, 4, 5))) static void
put_text(FILE *terminal, FILE *log, const char *prefix, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put_both(terminal, log, prefix, format, arguments);
    va_end(arguments);
}

static FILE *loud(void) { return state.quiet ? NULL : stdout; }

static FILE *log_file(void) {
    if (state.speaks && !state.file && !state.early)
        state.early = open_memstream(&state.early_text, &state.early_size);
    return state.file ? state.file : state.early;
}

void wabe_log_line(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put_both(loud(), log_file(), "", format, arguments);
    va_end(arguments);
}

void wabe_log_detail(const char *format, ...) {
    va_list arguments;
    if (!state.verbose)
        return;
    va_start(arguments, format);
    put_both(loud(), log_file(), "", format, arguments);
    va_end(arguments);
}

/* Returns the record of a warning, which it makes if there is none (fresh); NULL: no memory. */
static warning *record_of(const char *text, bool *fresh) {
    for (warning *w = state.warnings; w; w = w->next)
        if (strcmp(w->text, text) == 0)
            return w;
    *fresh = true;
    warning *made = malloc(sizeof *made + strlen(text) + 1);
    if (!made)
        return NULL;
    *made = (warning){.next = state.warnings};
    strcpy(made->text, text);
    return state.warnings = made;
}

/* To where it has not been yet: several runs of one command may have the same. */
void wabe_log_warning(const char *format, ...) {
    char text[LINE_SIZE];
    va_list arguments;
    bool fresh = false;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    warning *w = record_of(text, &fresh);
    put_text(fresh ? stderr : NULL, w && w->logged ? NULL : log_file(), "warning: ", "%s", text);
    if (w)
        w->logged = true;
}

void wabe_log_error(const char *message) {
    if (!state.speaks)
        return;
    end_progress();
    fprintf(stderr, "wabe: %s\n", message);
    if (state.file) {
        fprintf(state.file, "wabe: %s\n", message);
        fflush(state.file);
    }
}

void wabe_log_progress(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (state.speaks && !state.quiet && wabe_log_is_live()) {
        char line[256];
        va_list again;
        va_copy(again, arguments);
        vsnprintf(line, sizeof line, format, again);
        va_end(again);
        printf("\r%-100s", line);
        fflush(stdout);
        state.pending = true;
        put_both(NULL, state.file, "", format, arguments);
    } else {
        put_both(loud(), state.file, "", format, arguments);
    }
    va_end(arguments);
}
