/* Lists of numbers in texts: "2,5-7". */
#pragma once

#include <stdbool.h>

/* Reads one number or range at *at, up to most, and moves *at behind it and a comma; at the text's
 * end *at becomes NULL. False: there is none, or it does not rise. Local. */
bool wabe_ranges_next(const char **at, long most, long *first, long *last);
