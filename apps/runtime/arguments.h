/* Arguments of commands: a table with a row each, from which they are parsed, checked and
 * explained. */
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

/* The type that an argument is stored as. */
typedef enum {
    WABE_ARGUMENT_SWITCH, /* bool */
    WABE_ARGUMENT_TEXT,   /* const char * */
    WABE_ARGUMENT_TEXTS,  /* wabe_argument_texts: all that are given */
    WABE_ARGUMENT_INT,    /* int64_t */
    WABE_ARGUMENT_REAL,   /* double, positive */
    WABE_ARGUMENT_WORD,   /* int: position of the word in value, from 1 */
} wabe_argument_type;

typedef struct {
    const char *name;  /* "--cells"; an operand, of type TEXT: "FILE", "[PATTERN]" */
    const char *value; /* placeholder of its value, "N"; of type WORD: "cpu|gpu"; NULL: no value */
    const char *help;  /* a phrase, not a sentence */
    wabe_argument_type type;
    size_t offset;    /* in the command's struct */
    int64_t min, max; /* of INT */
    const char *of;   /* the commands that accept it, "run|check"; NULL: all that use the table */
} wabe_argument;

/* The end of a row: the struct member that stores the argument. */
#define WABE_ARGUMENT(kind, options, member)                                                       \
    .type = WABE_ARGUMENT_##kind, .offset = offsetof(options, member)

/* Parses the arguments of a command into target, whose other members the caller has set; argv[0] is
 * the command's name. rows: the last has no name. WABE_INPUT: an unknown option (with the closest
 * known one), a missing or wrong value, an extra word. Local. */
wabe_status wabe_arguments_read(const wabe_argument rows[], int argc, char *argv[], void *target);

/* Fails with WABE_INPUT: an unknown argument of a command, with the closest known one. kind: its
 * kind, "option"; command: "" for wabe itself. Local. */
wabe_status wabe_arguments_fail_unknown(const char *kind, const char *typed,
                                        const wabe_closest *closest, const char *command);

/* Returns the command's operand, "FILE" or "[PATTERN]"; "" if it has none. Local. */
const char *wabe_arguments_operand(const wabe_argument rows[], const char *command);

/* Prints a line per argument. Local. */
void wabe_arguments_print(FILE *file, const wabe_argument rows[], const char *command);
