#include "apps/runtime/arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows --------------------------------------------------------------------------- */

/* The position of a word in a list, "cpu|gpu", from 1; 0: not in it. */
static int place_of(const char *word, const char *words) {
    for (int place = 1;; place++) {
        const size_t length = strcspn(words, "|");
        if (strlen(word) == length && strncmp(word, words, length) == 0)
            return place;
        if (!words[length])
            return 0;
        words += length + 1;
    }
}

/* The next row that applies to a command; NULL after the last one. */
static const wabe_argument *next_of(const wabe_argument *row, const char *command) {
    while (row->name && row->of && !place_of(command, row->of))
        row++;
    return row->name ? row : NULL;
}

static bool is_option(const char *text) { return text[0] == '-'; }

static const wabe_argument *find(const wabe_argument rows[], const char *command,
                                 const char *text) {
    for (const wabe_argument *row = next_of(rows, command); row; row = next_of(row + 1, command))
        if (is_option(text) ? strcmp(row->name, text) == 0 : !is_option(row->name))
            return row;
    return NULL;
}

/* ---- parsing ------------------------------------------------------------------------ */

wabe_status wabe_arguments_fail_unknown(const char *kind, const char *typed,
                                        const wabe_closest *closest, const char *command) {
    return WABE_FAIL(WABE_INPUT, "unknown %s '%.200s'; %s%s%swabe %s%s--help lists what there is",
                     kind, typed, closest->word ? "did you mean '" : "",
                     closest->word ? closest->word : "", closest->word ? "'? " : "", command,
                     command[0] ? " " : "");
}

static wabe_status fail_unknown(const wabe_argument rows[], const char *command, const char *text) {
    wabe_closest closest = {0};
    const size_t size = strlen(text);
    for (const wabe_argument *row = next_of(rows, command); row; row = next_of(row + 1, command)) {
        const size_t length = strlen(row->name);
        wabe_closest_offer(&closest, wabe_closest_distance(text, size, row->name, length),
                           row->name, length);
    }
    return wabe_arguments_fail_unknown(is_option(text) ? "option" : "argument", text, &closest,
                                       command);
}

static wabe_status store_int(const wabe_argument *row, const char *text, int64_t *at) {
    char *end;
    const long long value = strtoll(text, &end, 10);
    WABE_CHECK(*text && !*end && value >= row->min && value <= row->max, WABE_INPUT,
               "%s needs a whole number from %lld to %lld, not '%.200s'", row->name,
               (long long)row->min, (long long)row->max, text);
    *at = value;
    return WABE_OK;
}

static wabe_status store_real(const wabe_argument *row, const char *text, double *at) {
    char *end;
    const double value = strtod(text, &end);
    WABE_CHECK(*text && !*end && isfinite(value) && value > 0.0, WABE_INPUT,
               "%s needs a number above 0, not '%.200s'", row->name, text);
    *at = value;
    return WABE_OK;
}

static wabe_status store_word(const wabe_argument *row, const char *text, int *at) {
    *at = place_of(text, row->value);
    WABE_CHECK(*at > 0, WABE_INPUT, "%s needs %s, not '%.200s'", row->name, row->value, text);
    return WABE_OK;
}

static wabe_status store_text(const wabe_argument *row, const char *text, const char **at) {
    WABE_CHECK(!*at || is_option(row->name), WABE_INPUT,
               "one %s alone, not both '%.200s' and '%.200s'", row->name, *at, text);
    *at = text;
    return WABE_OK;
}

static wabe_status store_texts(const wabe_argument *row, const char *text,
                               wabe_argument_texts *at) {
    WABE_CHECK(at->count < WABE_ARGUMENT_TEXTS_MAX, WABE_INPUT, "at most %d %s",
               WABE_ARGUMENT_TEXTS_MAX, row->name);
    at->list[at->count++] = text;
    return WABE_OK;
}

static wabe_status store(const wabe_argument *row, const char *text, void *at) {
    switch (row->type) {
    case WABE_ARGUMENT_SWITCH:
        *(bool *)at = true;
        return WABE_OK;
    case WABE_ARGUMENT_TEXT:
        return store_text(row, text, at);
    case WABE_ARGUMENT_TEXTS:
        return store_texts(row, text, at);
    case WABE_ARGUMENT_INT:
        return store_int(row, text, at);
    case WABE_ARGUMENT_REAL:
        return store_real(row, text, at);
    case WABE_ARGUMENT_WORD:
        return store_word(row, text, at);
    }
    return WABE_FAIL(WABE_INTERNAL, "the row of '%s' has no type", row->name);
}

wabe_status wabe_arguments_read(const wabe_argument rows[], int argc, char *argv[], void *target) {
    for (int i = 1; i < argc; i++) {
        const wabe_argument *row = find(rows, argv[0], argv[i]);
        if (!row)
            return fail_unknown(rows, argv[0], argv[i]);
        if (row->value)
            WABE_CHECK(++i < argc, WABE_INPUT, "%s needs %s: %s", row->name, row->value, row->help);
        WABE_TRY(store(row, argv[i], (char *)target + row->offset));
    }
    return WABE_OK;
}

/* ---- help --------------------------------------------------------------------------- */

const char *wabe_arguments_operand(const wabe_argument rows[], const char *command) {
    const wabe_argument *row = find(rows, command, "");
    return row ? row->name : "";
}

void wabe_arguments_print(FILE *file, const wabe_argument rows[], const char *command) {
    for (const wabe_argument *row = next_of(rows, command); row; row = next_of(row + 1, command)) {
        char head[64];
        snprintf(head, sizeof head, "%s%s%s", row->name, row->value ? " " : "",
                 row->value ? row->value : "");
        fprintf(file, "  %-24s %s", head, row->help);
        if (row->type == WABE_ARGUMENT_INT)
            fprintf(file, ", %lld to %lld", (long long)row->min, (long long)row->max);
        fputc('\n', file);
    }
}
