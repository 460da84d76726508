/* Functions of one number, given by the rows of a CSV file: a height and a factor, a time and a
 * factor. */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t count;     /* 1 at least */
    double (*rows)[2]; /* place, value; places ascend */
    bool periodic;     /* the function repeats; the last row is the first of the next period */
} wabe_table;

/* Reads the rows of a CSV file. columns: the names of its two columns ("height, factor"), for
 * messages; a line of such names may come first, and lines that begin with # are comments.
 * WABE_INPUT: FILE:LINE: a line that has not two numbers, or a place that is not above that of the
 * row before; WABE_FILE; WABE_MEMORY. Local. */
wabe_status wabe_table_read(const char *file, const char *columns, wabe_table *out);
void wabe_table_free(wabe_table *table);

/* Returns the value at a place: linear between rows; beyond them that of the first or last one,
 * unless the table is periodic. table NULL: 1. Local. */
double wabe_table_at(const wabe_table *table, double place);
/* Returns the mean from one place to a higher one. table NULL: 1. Local. */
double wabe_table_mean(const wabe_table *table, double from, double to);
/* Returns the largest absolute value. table NULL: 1. Local. */
double wabe_table_most(const wabe_table *table);
