/* Texts from outside: what of them may stand in messages, files and on a terminal. */
#pragma once

#include <stddef.h>

/* Bytes of the UTF-8 character that a text begins with; 0: it begins with none, or is at its end.
 * Local. */
int wabe_text_character(const char *text);

/* The first byte that belongs to no character of UTF-8, or to one that controls terminals: below
 * U+0020, U+007F to U+009F. NULL: there is none. Local. */
const char *wabe_text_find_bad(const char *text);

/* Copies a text, cut to size bytes, with every such byte as "\xNN", but newlines as they are.
 * Local. */
void wabe_text_escape(const char *text, char *out, size_t size);
