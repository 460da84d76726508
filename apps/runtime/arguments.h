/* The arguments of a command: one row each, and from the rows what is read, refused and explained.
 */
#pragma once

#include "core/base/closest.h"
#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { WABE_ARGUMENT_TEXTS_MAX = 256 };

typedef struct {
    int count;
    const char *list[WABE_ARGUMENT_TEXTS_MAX];
} wabe_argument_texts;

/* What an argument is stored as. */
typedef enum {
    WABE_ARGUMENT_SWITCH, /* bool */
    WABE_ARGUMENT_TEXT,   /* const char * */
    WABE_ARGUMENT_TEXTS,  /* wabe_argument_texts: each of those given */
    WABE_ARGUMENT_INT,    /* int64_t */
    WABE_ARGUMENT_REAL,   /* double, above 0 */
    WABE_ARGUMENT_WORD,   /* int: the place of the word in value, from 1 */
} wabe_argument_type;

typedef struct {
    const char *name;  /* "--cells"; of what is no option, of type TEXT: "FILE", "[PATTERN]" */
    const char *value; /* what follows it, "N"; of WORD "cpu|gpu"; NULL: nothing */
    const char *help;  /* what it does: a part of a sentence */
    wabe_argument_type type;
    size_t offset;    /* in the command's struct */
    int64_t min, max; /* of INT */
    const char *of;   /* the commands that have it, "run|check"; NULL: all that have the table */
} wabe_argument;

/* The end of a row: the member of a struct that it is stored in. */
#define WABE_ARGUMENT(kind, options, member)                                                       \
    .type = WABE_ARGUMENT_##kind, .offset = offsetof(options, member)

/* Stores what a command was given; argv[0] is its name. The rest of the struct, which the caller
 * has filled, stays as it is. rows: ended by one without a name. WABE_INPUT: an unknown option
 * (with the closest known one), a missing or wrong value, a word too much. Local. */
wabe_status wabe_arguments_read(const wabe_argument rows[], int argc, char *argv[], void *target);

/* WABE_INPUT: what was typed is no option, say, of this command, "" for wabe itself. Local. */
wabe_status wabe_arguments_fail_unknown(const char *what, const char *typed,
                                        const wabe_closest *closest, const char *command);

/* "FILE", "[PATTERN]": what the command takes beside options; "" if nothing. Local. */
const char *wabe_arguments_operand(const wabe_argument rows[], const char *command);

/* A line for each. Local. */
void wabe_arguments_print(FILE *file, const wabe_argument rows[], const char *command);
