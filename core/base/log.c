#include "core/base/log.h"

#include "core/base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_SIZE = 4096 };

static struct {
    bool speaks, quiet, pending; /* pending: the terminal's cursor stands on a progress line */
    FILE *file;
} state;

void wabe_log_start(bool speaks, bool quiet) {
    state.speaks = speaks;
    state.quiet = quiet;
}

void wabe_log_open(const char *file, bool goes_on) {
    wabe_log_close();
    if (!state.speaks)
        return;
    state.file = fopen(file, goes_on ? "a" : "w");
    if (!state.file)
        wabe_log_warning("%s cannot be written: %s", file, strerror(errno));
}

static void end_progress(void) {
    if (state.pending)
        fputc('\n', stdout);
    state.pending = false;
}

void wabe_log_close(void) {
    end_progress();
    fflush(stdout);
    if (state.file)
        fclose(state.file);
    state.file = NULL;
}

/* mpirun gives its processes a terminal even when its own output goes elsewhere, so a launcher that
 * redirects must say so: WABE_LIVE=0, or any dumb TERM. */
bool wabe_log_is_live(void) {
    const char *live = getenv("WABE_LIVE"), *term = getenv("TERM");
    if (live)
        return strcmp(live, "0") != 0;
    return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

static void put(FILE *file, const char *prefix, const char *format, va_list arguments) {
    char line[LINE_SIZE], shown[LINE_SIZE];
    vsnprintf(line, sizeof line, format, arguments);
    wabe_text_escape(line, shown, sizeof shown);
    fprintf(file, "%s%s\n", prefix, shown);
    fflush(file);
}

static void put_both(bool on_terminal, const char *prefix, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    if (state.speaks && on_terminal) {
        end_progress();
        put(stdout, prefix, format, arguments);
    }
    if (state.file)
        put(state.file, prefix, format, again);
    va_end(again);
}

void wabe_log_line(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put_both(!state.quiet, "", format, arguments);
    va_end(arguments);
}

void wabe_log_warning(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put_both(true, "warning: ", format, arguments);
    va_end(arguments);
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
        put_both(false, "", format, arguments);
    } else {
        put_both(!state.quiet, "", format, arguments);
    }
    va_end(arguments);
}
