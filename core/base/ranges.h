/* Lists of numbers in texts: "2,5-7". */
#pragma once

#include <stdbool.h>

/* Reads a number or range at *cursor, of values up to most, and moves *cursor past it and a comma;
 * *cursor becomes NULL at the end of the text. Returns false if there is none, or if it does not
 * ascend. Local. */
bool wabe_ranges_next(const char **cursor, long most, long *first, long *last);
