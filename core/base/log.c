#include "core/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    bool speaks, quiet, pending; /* pending: the terminal's cursor stands on a progress line */
    FILE *file, *early;          /* early: what comes before the file is open, */
    char *early_text;            /* as a text */
    size_t early_size;
} state;

void wabe_log_start(bool speaks, bool quiet) {
    state.speaks = speaks;
    state.quiet = quiet;
}

static void forget_early(void) {
    if (state.early)
        fclose(state.early);
    state.early = NULL;
    free(state.early_text);
    state.early_text = NULL;
}

void wabe_log_open(const char *file, bool goes_on) {
    if (!state.speaks)
        return;
    if (state.file)
        fclose(state.file);
    state.file = fopen(file, goes_on ? "a" : "w");
    if (!state.file)
        wabe_log_warning("%s cannot be written: %s", file, strerror(errno));
    if (state.file && state.early && fflush(state.early) == 0)
        fputs(state.early_text, state.file);
    forget_early();
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
    forget_early();
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
    fputs(prefix, file);
    vfprintf(file, format, arguments);
    fputc('\n', file);
    fflush(file);
}

static void put_both(bool on_terminal, const char *prefix, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    if (state.speaks && on_terminal) {
        end_progress();
        put(stdout, prefix, format, arguments);
    }
    if (state.speaks && !state.file && !state.early)
        state.early = open_memstream(&state.early_text, &state.early_size);
    if (state.file || state.early)
        put(state.file ? state.file : state.early, prefix, format, again);
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
