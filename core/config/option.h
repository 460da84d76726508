/* The configuration: one row per key, and from the rows everything else.
 *
 * Each module declares a plain struct of options and a table of rows that point into it. The tables
 * drive reading, checking, config.resolved.cfg and docs/input.md. Only config.c and
 * config_syntax.c know libconfig; a module's options can be filled in and tested without a file. */
#pragma once

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { WABE_STRING_SIZE = 256 };

/* The type of a key, and what it is stored as. */
typedef enum {
    WABE_OPTION_BOOL,   /* bool */
    WABE_OPTION_INT,    /* int64_t; a number such as 1e4 will do if it is an integer below 2^53 */
    WABE_OPTION_REAL,   /* double; an integer in the file will do */
    WABE_OPTION_STRING, /* char[WABE_STRING_SIZE] */
    WABE_OPTION_WORD,   /* int: the place of the word in the row's words */
    WABE_OPTION_INT3,   /* int64_t[3]: [x, y, z] in the file, array or list */
    WABE_OPTION_REAL3,  /* double[3] */
    WABE_OPTION_LIST,   /* wabe_option_list: a list of groups, each read by the row's elements */
} wabe_option_type;

typedef struct {
    int64_t count;
    void *items; /* count structs of element_size bytes; owned by the config, freed with it */
} wabe_option_list;

typedef struct wabe_option {
    const char *path; /* dotted, from the root of the file ("domain.cells"), or of the element */
    wabe_option_type type;
    size_t offset;             /* in the table's struct */
    const char *default_value; /* as it stands in a file; NULL: required; "unset": see below */
    double min, max;           /* of INT, REAL and each part of INT3, REAL3; both 0: any finite */
    const char *words;         /* of WORD: "srt|trt" */
    const char *unit;          /* "cells", "m", "lattice units"; NULL or "": none */
    const char *help;          /* one sentence for docs/input.md */
    const struct wabe_option *elements; /* of LIST: rows, ended by a row with path NULL */
    size_t element_size;                /* of LIST */
} wabe_option;

/* "unset" as a default leaves REAL and REAL3 NAN, INT and INT3 INT64_MIN, STRING "", WORD -1. */

/* The beginning of a row: its path, and the member of a struct that it is stored in. */
#define WABE_KEY(name, kind, options, member)                                                      \
    .path = (name), .type = WABE_OPTION_##kind, .offset = offsetof(options, member)
#define WABE_RANGE(lowest, highest) .min = (lowest), .max = (highest)

typedef struct {
    const wabe_option *options; /* ended by a row with path NULL */
    void *target;               /* the struct that offsets count from */
} wabe_option_table;

typedef struct wabe_config wabe_config;

/* Parses the text of an input file. name stands in messages; overrides are "path=value" texts, as
 * given to --set, and win over the file. WABE_INPUT: a syntax error (file, line, the line itself),
 * or an override that does not parse. Local. */
wabe_status wabe_config_parse(const char *name, const char *text, int override_count,
                              const char *const overrides[], wabe_config **out);
void wabe_config_destroy(wabe_config **config);

/* Fills the tables' structs: defaults, then the file, then the overrides. WABE_INPUT: an unknown
 * key (with the closest known one), a wrong type, a value out of range, a missing key; the message
 * has file, line, the line itself and what would be right. Local. */
wabe_status wabe_config_read(wabe_config *config, int table_count,
                             const wabe_option_table tables[]);

/* One key alone, before the tables are known (the application's name, say). Local. */
wabe_status wabe_config_read_one(wabe_config *config, const wabe_option *option, void *target);

/* Was this key given, in the file or by an override? Local. */
bool wabe_config_is_given(const wabe_config *config, const char *path);

/* Where a key's value stands, before a warning: "FILE:LINE: ", "--set path=value: ", or "", if it
 * is not given. Local. */
void wabe_config_place(const wabe_config *config, const char *path, char *out, size_t size);

/* Records a WABE_INPUT failure that concerns the value of a key: prefixed by "FILE:LINE: path" and
 * followed by the line itself, or by "--set path" for an override, or by the key alone when the
 * default is at fault. Overrides of other keys that the message names follow it. Elements of lists
 * are named "geometry.objects[2].radius". Local. */
wabe_status wabe_config_fail(const wabe_config *config, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same because of the last failure: "cannot be met: ", and its message. WABE_INPUT. Local. */
wabe_status wabe_config_fail_because(const wabe_config *config, const char *path, const char *what);

/* The first key whose values differ between the structs of two sets of the same tables, of keys
 * that may_differ (ended by NULL) does not name: whole, or by their group, "output.". NULL: there
 * is none. Local. */
const char *wabe_config_difference(int table_count, const wabe_option_table a[],
                                   const wabe_option_table b[], const char *const may_differ[]);

/* Calls visit for each of them, with the values as they would stand in a file, "" if unset. Local.
 */
typedef void wabe_config_visitor(void *context, const char *path, const char *a, const char *b);
void wabe_config_differences(int table_count, const wabe_option_table a[],
                             const wabe_option_table b[], const char *const may_differ[],
                             wabe_config_visitor *visit, void *context);

/* Every value in force, as a file that reads back to the same values. Local. */
void wabe_config_print_resolved(FILE *file, int table_count, const wabe_option_table tables[]);

/* The input reference in Markdown: a section per group, a table row per key. Local. */
void wabe_config_print_reference(FILE *file, int table_count, const wabe_option_table tables[]);
