/* Shared by config.c, config_syntax.c and config_print.c. */
#pragma once

#include "core/config/option.h"

#include <libconfig.h>
#include <stdarg.h>

enum {
    WABE_CONFIG_DEPTH_MAX = 64,   /* libconfig recurses once per level */
    WABE_CONFIG_PATH_SIZE = 256,  /* of a path in a message; longer ones are truncated */
    WABE_CONFIG_BODY_SIZE = 1800, /* room for the reasons why no kernel matches */
};

typedef struct wabe_config_block {
    struct wabe_config_block *next;
    max_align_t bytes[];
} wabe_config_block;

struct wabe_config {
    char *name;
    char *text; /* as given; messages quote it */
    config_t tree;
    int override_count;
    char **origins; /* "--set path=value": the libconfig hook of settings from an override */
    wabe_config_block *blocks; /* the items of all lists */
};

/* ---- Messages: config.c ------------------------------------------------------------- */

/* Append to the text in a buffer of size bytes, and truncate the result to fit. Local. */
void wabe_config_append_arguments(char *text, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
void wabe_config_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Copies one line of a text, counted from 1, truncated to size bytes. Tabs become spaces;
 * wabe_error escapes the characters that a terminal cannot show. Local. */
void wabe_config_quote_line(const char *text, unsigned line, char *out, size_t size);

/* Fails with WABE_INPUT: "FILE:LINE: body", followed by the line itself. Local. */
wabe_status wabe_config_fail_line(const wabe_config *config, unsigned line, const char *body);

/* Formats the shortest decimal that reads back to the same double, with a point or an exponent,
 * since libconfig would otherwise read an integer. Local. */
void wabe_config_format_real(double value, char *out, size_t size);
/* Formats a limit for a message: "1" rather than "1.0". Local. */
void wabe_config_format_limit(double value, char *out, size_t size);

/* ---- Rows of the tables: config.c --------------------------------------------------- */

typedef struct {
    int count;
    const wabe_option_table *tables;
} wabe_config_tables;

/* Iterates over the rows of all tables; initialise with {.left = tables}. */
typedef struct {
    wabe_config_tables left;
    const wabe_option *row;
    void *target;
} wabe_config_walk;

/* Moves to the next row. Returns false after the last one. Local. */
bool wabe_config_next_row(wabe_config_walk *walk);

/* Returns whether no row before this one has a path that begins with the same bytes. bytes: up to
 * and including a '.' (then row is the first of its group) or the final 0. Local. */
bool wabe_config_is_first(wabe_config_tables set, const wabe_option *row, size_t bytes);

/* Returns whether the default value is "unset". Local. */
bool wabe_config_may_be_unset(const wabe_option *row);
/* Returns the part of a path after its last dot. Local. */
const char *wabe_config_last_part(const char *path);

/* Takes the next word of a list such as "srt|trt" and moves words past it. Returns false if there
 * is none. Local. */
bool wabe_config_next_word(const char **words, const char **word, size_t *length);
/* Appends all words, quoted, separated by commas. Local. */
void wabe_config_append_words(const char *words, char *out, size_t size);

/* ---- The syntax of input: config_syntax.c ------------------------------------------- */

/* Parses text into an empty tree. origin: NULL if text is a whole file; otherwise text is one
 * value, which becomes the only setting. WABE_INPUT: a syntax error; WABE_MEMORY. Local. */
wabe_status wabe_config_read_text(const wabe_config *config, const char *origin, const char *text,
                                  config_t *tree);

/* Returns whether the value of an override is a string without quotes: anything that cannot be
 * another kind of value. Local. */
bool wabe_config_is_plain_text(const char *value, size_t length);

/* Returns the length of the name at the beginning of a text; 0: there is none. Local. */
size_t wabe_config_name_length(const char *text);
