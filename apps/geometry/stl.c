#include "apps/geometry/stl.h"

#include "core/io/disk.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    HEAD = 84,    /* bytes of a binary file before its triangles: 80 of any content, the count */
    RECORD = 50,  /* bytes of a triangle: normal, three corners, attributes */
    NORMAL = 12,  /* bytes before the corners */
    NUMBERS = 9,  /* coordinates of a triangle */
    LINE = 1024,  /* the longest line of a text */
    FIRST = 1024, /* triangles for which there is room at first */
};

void wabe_stl_free(wabe_stl *stl) {
    free(stl->corners);
    *stl = (wabe_stl){0};
}

static wabe_status make_room(const char *file, int64_t triangles, wabe_stl *out) {
    float *grown = realloc(out->corners, (size_t)triangles * NUMBERS * sizeof *grown);
    WABE_CHECK(grown, WABE_MEMORY, "%s: no memory for %lld triangles", file, (long long)triangles);
    out->corners = grown;
    return WABE_OK;
}

static bool are_finite(const float *numbers, int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

/* ---- binary files ------------------------------------------------------------------- */

/* Numbers are little-endian, as on all machines that Wabe runs on. */
static wabe_status read_binary(FILE *in, const char *file, int64_t count, wabe_stl *out) {
    WABE_CHECK(count > 0, WABE_INPUT, "%s: there is no triangle", file);
    WABE_TRY(make_room(file, count, out));
    for (; out->count < count; out->count++) {
        unsigned char record[RECORD];
        float *corners = out->corners + NUMBERS * out->count;
        WABE_CHECK(fread(record, sizeof record, 1, in) == 1, WABE_FILE, "%s: cannot be read: %s",
                   file, ferror(in) ? strerror(errno) : "it has become shorter");
        memcpy(corners, record + NORMAL, NUMBERS * sizeof *corners);
        WABE_CHECK(are_finite(corners, NUMBERS), WABE_INPUT,
                   "%s: triangle %lld of %lld has a coordinate that is not a finite number", file,
                   (long long)out->count + 1, (long long)count);
    }
    return WABE_OK;
}

/* ---- texts -------------------------------------------------------------------------- */

/* The words that begin lines. A facet has, in this order, three lines "vertex X Y Z", with "outer
 * loop" before and "endloop" behind them. */
typedef enum { SOLID, FACET, OUTER, VERTEX, ENDLOOP, ENDFACET, ENDSOLID, WORDS } word;

static const char *const words[WORDS] = {"solid",   "facet",    "outer",   "vertex",
                                         "endloop", "endfacet", "endsolid"};

/* Words that may follow each one; VERTEX is counted too. */
static const unsigned followers[WORDS] = {
    [SOLID] = 1u << FACET | 1u << ENDSOLID,
    [FACET] = 1u << OUTER,
    [OUTER] = 1u << VERTEX,
    [VERTEX] = 1u << VERTEX | 1u << ENDLOOP,
    [ENDLOOP] = 1u << ENDFACET,
    [ENDFACET] = 1u << FACET | 1u << ENDSOLID,
    [ENDSOLID] = 1u << SOLID,
};

static word find_word(const char *text) {
    const size_t length = strcspn(text, " \t\r\n");
    int w = 0;
    while (w < WORDS && (strlen(words[w]) != length || strncasecmp(text, words[w], length) != 0))
        w++;
    return (word)w;
}

static bool read_corner(const char *text, float corner[3]) {
    for (int d = 0; d < 3; d++) {
        char *end;
        corner[d] = strtof(text, &end);
        if (end == text)
            return false;
        text = end;
    }
    return text[strspn(text, " \t\r\n")] == '\0' && are_finite(corner, 3);
}

typedef struct {
    word last;
    int corners;      /* of the present facet */
    int64_t capacity; /* in triangles */
} text_state;

/* Takes a line that is not blank. Its message lacks file and line. */
static wabe_status take_line(text_state *s, const char *file, const char *text, wabe_stl *out) {
    const word w = find_word(text);
    if (w == VERTEX && s->last == OUTER)
        s->corners = 0;
    const bool full = s->corners == 3;
    WABE_CHECK(w < WORDS && followers[s->last] >> w & 1 && !(w == VERTEX && full) &&
                   !(w == ENDLOOP && !full),
               WABE_INPUT, "\"%.40s\" cannot follow \"%s\" in an STL file", text, words[s->last]);
    s->last = w;
    if (w == FACET && out->count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : FIRST;
        WABE_TRY(make_room(file, s->capacity, out));
    }
    if (w == VERTEX)
        WABE_CHECK(read_corner(text + strlen(words[VERTEX]),
                               out->corners + NUMBERS * out->count + 3 * s->corners++),
                   WABE_INPUT, "\"%.40s\" has to be vertex and three finite numbers", text);
    out->count += w == ENDFACET;
    return WABE_OK;
}

/* Reads a line, which ends with LF, CR LF, CR, or the file, without that end. Returns false at the
 * end of the file; *whole: it has room, and holds no NUL. */
static bool read_line(FILE *in, char line[LINE], bool *whole) {
    int c = getc_unlocked(in), length = 0;
    const bool found = c != EOF;
    *whole = true;
    for (; c != EOF && c != '\n' && c != '\r'; c = getc_unlocked(in)) {
        *whole = *whole && c != '\0' && length < LINE - 1;
        if (*whole)
            line[length++] = (char)c;
    }
    line[length] = '\0';
    if (c == '\r' && (c = getc_unlocked(in)) != '\n')
        ungetc(c, in);
    return found;
}

static wabe_status read_text(FILE *in, const char *file, wabe_stl *out) {
    char line[LINE], reason[2 * LINE];
    bool whole;
    text_state s = {.last = ENDSOLID};
    for (int64_t number = 1; read_line(in, line, &whole); number++) {
        const char *text = line + strspn(line, " \t");
        WABE_CHECK(whole, WABE_INPUT, "%s:%lld: the line holds a NUL, or more than %d bytes", file,
                   (long long)number, LINE - 1);
        const wabe_status status = *text ? take_line(&s, file, text, out) : WABE_OK;
        if (status == WABE_INPUT) {
            snprintf(reason, sizeof reason, "%s", wabe_error_message());
            return WABE_FAIL(status, "%s:%lld: %s", file, (long long)number, reason);
        }
        WABE_TRY(status);
    }
    WABE_CHECK(!ferror(in), WABE_FILE, "%s: cannot be read: %s", file, strerror(errno));
    WABE_CHECK(s.last == ENDSOLID, WABE_INPUT,
               "%s: it ends after \"%s\", without endsolid: it is truncated", file, words[s.last]);
    WABE_CHECK(out->count > 0, WABE_INPUT, "%s: there is no triangle", file);
    return WABE_OK;
}

/* Skips a byte order mark, if there is one at the beginning of the file. */
static void skip_mark(FILE *in) {
    unsigned char mark[3];
    rewind(in);
    if (fread(mark, 1, sizeof mark, in) != sizeof mark || memcmp(mark, "\xef\xbb\xbf", 3) != 0)
        rewind(in);
}

/* Is "solid" the first word, or its beginning? */
static bool begins_as_text(FILE *in) {
    const char *letter = words[SOLID];
    skip_mark(in);
    int c = getc_unlocked(in);
    while (isspace(c))
        c = getc_unlocked(in);
    for (; *letter && tolower(c) == *letter; letter++)
        c = getc_unlocked(in);
    return !*letter;
}

/* Headers of binary files may begin with "solid" too, but hold a NUL: their padding, or the upper
 * byte of the count. */
static wabe_status read_open(FILE *in, const char *file, int64_t bytes, wabe_stl *out) {
    unsigned char head[HEAD] = {0};
    const size_t got = fread(head, 1, sizeof head, in);
    const bool readable = !memchr(head, 0, got);
    uint32_t count;
    memcpy(&count, head + HEAD - sizeof count, sizeof count);
    const int64_t expected = HEAD + RECORD * (int64_t)count;
    const bool complete = got == sizeof head && bytes == expected;
    if (readable && !complete && begins_as_text(in)) {
        skip_mark(in);
        return read_text(in, file, out);
    }
    const bool wide = memcmp(head, "\xff\xfe", 2) == 0 || memcmp(head, "\xfe\xff", 2) == 0;
    WABE_CHECK(complete || !wide, WABE_INPUT, "%s is a text in UTF-16; convert it to ASCII", file);
    WABE_CHECK(complete || (got == sizeof head && !readable), WABE_INPUT,
               "%s is no STL file: a text begins with \"solid\", a binary file has %d bytes before "
               "its triangles; there are %lld",
               file, HEAD, (long long)bytes);
    WABE_CHECK(bytes >= expected, WABE_INPUT,
               "%s is truncated or no STL file: by its header it has %lld triangles, which take "
               "%lld bytes; there are %lld",
               file, (long long)count, (long long)expected, (long long)bytes);
    out->surplus = bytes - expected;
    WABE_CHECK(fseek(in, HEAD, SEEK_SET) == 0, WABE_FILE, "%s: cannot be read: %s", file,
               strerror(errno));
    return read_binary(in, file, count, out);
}

wabe_status wabe_stl_read(const char *file, wabe_stl *out) {
    int64_t bytes;
    *out = (wabe_stl){0};
    WABE_TRY(wabe_disk_check(file, &bytes));
    WABE_CHECK(bytes > 0, WABE_INPUT, "%s is empty", file);
    FILE *in = fopen(file, "rb");
    WABE_CHECK(in, WABE_FILE, "%s: cannot be opened: %s", file, strerror(errno));
    const wabe_status status = read_open(in, file, bytes, out);
    fclose(in);
    if (status != WABE_OK)
        wabe_stl_free(out);
    return status;
}
