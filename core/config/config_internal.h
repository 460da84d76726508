/* What the files of the configuration (config.c, config_syntax.c, config_print.c) share, and nobody
 * else uses. */
#pragma once

#include "core/config/option.h"

#include <libconfig.h>
#include <stdarg.h>

enum {
    WABE_CONFIG_DEPTH_MAX = 64,   /* libconfig calls itself once per level */
    WABE_CONFIG_PATH_SIZE = 256,  /* of a path in a message; longer ones are cut there */
    WABE_CONFIG_BODY_SIZE = 1800, /* why none of the kernels fits is a long story */
};

typedef struct wabe_config_block {
    struct wabe_config_block *next;
    max_align_t bytes[];
} wabe_config_block;

struct wabe_config {
    char *name;
    char *text; /* as given, to be quoted */
    config_t tree;
    int override_count;
    char **origins; /* "--set path=value"; the settings that it made have it as their hook */
    wabe_config_block *blocks; /* the items of all lists */
};

/* ---- Messages: config.c ------------------------------------------------------------- */

/* Adds to a text in a buffer of size bytes, cut there. Local. */
void wabe_config_append_arguments(char *text, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
void wabe_config_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One line of the text, cut to size; wabe_error sees to what a terminal cannot show. Local. */
void wabe_config_quote_line(const char *text, unsigned line, char *out, size_t size);

/* WABE_INPUT: "FILE:LINE: body", and the line itself. Local. */
wabe_status wabe_config_fail_line(const wabe_config *config, unsigned line, const char *body);

/* The shortest decimal that reads back to the same double, with a point or an exponent: without
 * them libconfig would take it for an integer. Limits read better as "1" than as "1.0". Local. */
void wabe_config_format_real(double value, char *out, size_t size);
void wabe_config_format_limit(double value, char *out, size_t size);

/* ---- Rows of the tables: config.c --------------------------------------------------- */

typedef struct {
    int count;
    const wabe_option_table *tables;
} wabe_config_tables;

/* Goes through the rows of all tables; starts as {.left = tables}. */
typedef struct {
    wabe_config_tables left;
    const wabe_option *row;
    void *target;
} wabe_config_walk;

bool wabe_config_next_row(wabe_config_walk *walk);

/* Is this the first row whose path starts with these bytes, of which the last is a '.' or the 0? */
bool wabe_config_is_first(wabe_config_tables set, const wabe_option *row, size_t bytes);

bool wabe_config_may_be_unset(const wabe_option *row);
const char *wabe_config_last_part(const char *path);

/* The next of "srt|trt"; moves words behind it. */
bool wabe_config_next_word(const char **words, const char **word, size_t *length);
/* All of them, quoted, separated by commas. */
void wabe_config_append_words(const char *words, char *out, size_t size);

/* ---- The syntax of texts: config_syntax.c ------------------------------------------- */

/* Reads a whole file into an empty tree; or, with an origin, one value, as the only setting.
 * WABE_INPUT: bad syntax. Local. */
wabe_status wabe_config_read_text(const wabe_config *config, const char *origin, const char *text,
                                  config_t *tree);

/* In an override a text needs no quotes; only what can be nothing else is read as one. */
bool wabe_config_is_plain_text(const char *value, size_t length);

/* The bytes of the name that a text begins with; 0 if it begins with none. */
size_t wabe_config_name_length(const char *text);
