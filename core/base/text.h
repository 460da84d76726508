/* Texts from outside: which characters may appear in messages, files and on a terminal. */
#pragma once

#include <stddef.h>

/* Returns the bytes of the UTF-8 character at the beginning of a text; 0: there is none, or the
 * text is empty. Local. */
int wabe_text_character(const char *text);

/* Returns the first byte that is not valid UTF-8 or belongs to a control character (below U+0020,
 * U+007F to U+009F); NULL: there is none. Local. */
const char *wabe_text_find_bad(const char *text);

/* Copies a text, truncated to size bytes, with each such byte as "\xNN", except newlines. Local. */
void wabe_text_escape(const char *text, char *out, size_t size);
