/* The configuration: tables with one row per key describe it.
 *
 * Each module declares a plain struct of options and a table of rows that point into it. Input is
 * read and checked, and config.resolved.cfg and docs/input.md are written, by these tables. Only
 * config.c and config_syntax.c call libconfig; a module's options can be set and tested without a
 * file. */
#pragma once

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { WABE_STRING_SIZE = 256 };

/* The type of a key, with the C type of its value. */
typedef enum {
    WABE_OPTION_BOOL,   /* bool */
    WABE_OPTION_INT,    /* int64_t; also a number such as 1e4, if it is an integer below 2^53 */
    WABE_OPTION_REAL,   /* double; also an integer */
    WABE_OPTION_STRING, /* char[WABE_STRING_SIZE] */
    WABE_OPTION_WORD,   /* int: index of the word in the row's words */
    WABE_OPTION_INT3,   /* int64_t[3]: in the file [x, y, z] or the list (x, y, z) */
    WABE_OPTION_REAL3,  /* double[3] */
    WABE_OPTION_LIST,   /* wabe_option_list: a list of groups, each read by the row's elements */
} wabe_option_type;

typedef struct {
    int64_t count;
    void *items; /* count structs of element_size bytes, owned by the config */
} wabe_option_list;

typedef struct wabe_option {
    const char *path; /* from the file's root ("domain.cells"), or from the list's element */
    wabe_option_type type;
    size_t offset;             /* in the table's struct */
    const char *default_value; /* as in a file; NULL: the key is required; "unset": see below */
    double min, max;           /* INT, REAL, components of INT3, REAL3; both 0: any finite value */
    const char *words;         /* for WORD: "srt|trt" */
    const char *unit;          /* "cells", "m", "lattice units"; NULL or "": none */
    const char *help;          /* one sentence for docs/input.md */
    const struct wabe_option *elements; /* for LIST: rows, ended by one whose path is NULL */
    size_t element_size;                /* for LIST */
} wabe_option;

/* The default "unset" sets REAL and REAL3 to NAN, INT and INT3 to INT64_MIN, STRING to "", WORD to
 * -1. */

/* The first fields of a row: path, type, and the member of the struct that stores the value. */
#define WABE_KEY(name, kind, options, member)                                                      \
    .path = (name), .type = WABE_OPTION_##kind, .offset = offsetof(options, member)
#define WABE_RANGE(lowest, highest) .min = (lowest), .max = (highest)
#define WABE_ABOVE_0 1e-300 /* as min: any number above 0 */
#define WABE_POSITIVE WABE_RANGE(WABE_ABOVE_0, 1e300)

typedef struct {
    const wabe_option *options; /* ended by a row whose path is NULL */
    void *target;               /* the struct to which offsets refer */
} wabe_option_table;

typedef struct wabe_config wabe_config;

/* Parses the text of an input file. name: the file's, for messages; overrides: "path=value" texts,
 * as given to --set, which take precedence over the file. WABE_INPUT: a syntax error (the message
 * has file, line and the line itself), a text of more than 64 MiB, or a bad override; WABE_MEMORY.
 * Local. */
wabe_status wabe_config_parse(const char *name, const char *text, int override_count,
                              const char *const overrides[], wabe_config **out);
void wabe_config_destroy(wabe_config **config);

/* Sets the tables' structs from the defaults, then the file, then the overrides. WABE_INPUT: an
 * unknown key (the message has the closest known one), a wrong type, a value out of range, or a
 * missing key; the message has file, line, the line itself and what is expected. WABE_MEMORY.
 * Local. */
wabe_status wabe_config_read(wabe_config *config, int table_count,
                             const wabe_option_table tables[]);

/* Reads a single key, such as the application's name, before the tables are known. Fails as
 * wabe_config_read. Local. */
wabe_status wabe_config_read_one(wabe_config *config, const wabe_option *option, void *target);

/* Returns whether the file or an override sets this key. Local. */
bool wabe_config_is_given(const wabe_config *config, const char *path);

/* Sets out to the place of a key's value, for a warning: "FILE:LINE: ", "--set path=value: ", or ""
 * if the key is not given. Local. */
void wabe_config_place(const wabe_config *config, const char *path, char *out, size_t size);

/* Fails with WABE_INPUT because of the value of a key. The message begins with "FILE:LINE:
 * 'path'" and ends with the line itself; for an override it begins with "--set path=value: 'path'",
 * for a default with the path only. Overrides of other keys that the message names follow it.
 * Elements of lists are named "geometry.objects[2].radius".
 * Local. */
wabe_status wabe_config_fail(const wabe_config *config, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same; message ("cannot be met") is followed by that of the last failure. Local. */
wabe_status wabe_config_fail_because(const wabe_config *config, const char *path,
                                     const char *message);

/* Is a key among keys and whole groups ("output."), ended by NULL? names: NULL for none. Local. */
bool wabe_config_is_among(const char *path, const char *const names[]);

/* Calls visit for every key whose value differs between two sets of structs of the same tables,
 * with both values as written in a file, "" if unset. may_differ: see wabe_config_is_among. Local.
 */
typedef void wabe_config_visitor(void *context, const char *path, const char *a, const char *b);
void wabe_config_differences(int table_count, const wabe_option_table a[],
                             const wabe_option_table b[], const char *const may_differ[],
                             wabe_config_visitor *visit, void *context);

/* Prints all values that are set, as a file that reads back to the same values. Local. */
void wabe_config_print_resolved(FILE *file, int table_count, const wabe_option_table tables[]);

/* Prints the input reference in Markdown: a section per group, a table row per key. The keys of
 * "boundaries.x_low" stand for those of all faces, which must have the same, as boundaries.FACE.
 * Local. */
void wabe_config_print_reference(FILE *file, int table_count, const wabe_option_table tables[]);
