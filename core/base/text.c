#include "core/base/text.h"

#include <stdio.h>
#include <string.h>

/* RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
int wabe_text_character(const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80)
        return c[0] != 0;
    const int count = c[0] >= 0xF0 ? 4 : c[0] >= 0xE0 ? 3 : 2;
    if (c[0] < 0xC2 || c[0] > 0xF4)
        return 0;
    for (int i = 1; i < count; i++)
        if ((c[i] & 0xC0) != 0x80)
            return 0;
    if ((c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] > 0x9F) ||
        (c[0] == 0xF0 && c[1] < 0x90) || (c[0] == 0xF4 && c[1] > 0x8F))
        return 0;
    return count;
}

/* Returns the bytes of a printable character; 0: there is none. */
static int shown(const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    const int count = wabe_text_character(text);
    if (count == 1)
        return c[0] >= ' ' && c[0] != 0x7F;
    return c[0] == 0xC2 && c[1] < 0xA0 ? 0 : count;
}

const char *wabe_text_find_bad(const char *text) {
    for (int count; *text; text += count)
        if ((count = shown(text)) == 0)
            return text;
    return NULL;
}

void wabe_text_escape(const char *text, char *out, size_t size) {
    char *const end = out + size - 1;
    while (*text) {
        char escaped[8];
        const int count = *text == '\n' ? 1 : shown(text);
        if (count == 0)
            snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned char)*text);
        const size_t length = count ? (size_t)count : strlen(escaped);
        if (length > (size_t)(end - out))
            break;
        memcpy(out, count ? text : escaped, length);
        out += length;
        text += count ? count : 1;
    }
    *out = '\0';
}
