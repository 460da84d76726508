/* Checks the syntax of texts before libconfig parses them. */
#include "core/config/config_internal.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Texts are checked and slightly rewritten before libconfig sees them. On its own, libconfig leaks
 * the strings of a text with a syntax error, truncates 5000000000 to 32 bits, reads 010 as 8 or as
 * 10 depending on its version, reads "." as 0.0, accepts an unclosed comment, follows @include, and
 * reports no more than "syntax error". */

/* Each key of a group is compared with all before it, here and in libconfig; without a limit a
 * malicious text could take hours. */
enum { GROUP_KEYS_MAX = 256 };

typedef enum { TOKEN_NAME, TOKEN_BOOL, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_MARK, TOKEN_END } token_kind;

typedef struct {
    const wabe_config *config;
    const char *origin; /* of an override or a default; NULL: a file */
    const char *next;
    unsigned line;
    unsigned depth;
    token_kind kind; /* the current token */
    const char *start;
    size_t length;
    unsigned start_line;
    bool wide;        /* an integer that needs the suffix L */
    char *copy;       /* end of the text for libconfig: the same lines, at most twice as long */
    char *copy_start; /* of the current token */
} scanner;

static wabe_status fail_syntax(const scanner *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static wabe_status fail_syntax(const scanner *s, const char *format, ...) {
    char body[WABE_CONFIG_BODY_SIZE] = "";
    va_list arguments;
    va_start(arguments, format);
    wabe_config_append_arguments(body, sizeof body, format, arguments);
    va_end(arguments);
    if (s->origin)
        return WABE_FAIL(WABE_INPUT, "%s: %s", s->origin, body);
    return wabe_config_fail_line(s->config, s->start_line, body);
}

/* Returns the current token, for a message. The caller provides the buffer. */
static const char *shown(const scanner *s, char *out, size_t size) {
    if (s->kind == TOKEN_END)
        return "the end";
    char token[40] = "";
    wabe_config_append(token, sizeof token, "%.*s", (int)(s->length < 80 ? s->length : 80),
                       s->start);
    wabe_config_quote_line(token, 1, token, sizeof token);
    snprintf(out, size, "'%s'", token);
    return out;
}

static bool is_mark(const scanner *s, char mark) {
    return s->kind == TOKEN_MARK && *s->start == mark;
}

static void skip_line(scanner *s) { s->next += strcspn(s->next, "\n"); }

static wabe_status skip_comment(scanner *s) {
    s->start = s->next;
    s->start_line = s->line;
    const char *end = strstr(s->next + 2, "*/");
    if (!end)
        return fail_syntax(s, "the comment that starts here is never closed by '*/'");
    for (; s->next < end; s->next++)
        s->line += *s->next == '\n';
    s->next = end + 2;
    return WABE_OK;
}

static wabe_status skip_blanks(scanner *s) {
    for (;; s->next++) {
        while (*s->next == '#' || strncmp(s->next, "//", 2) == 0)
            skip_line(s);
        if (strncmp(s->next, "/*", 2) == 0) {
            WABE_TRY(skip_comment(s));
            s->next--;
        } else if (*s->next == '\n') {
            s->line++;
        } else if (*s->next == '\0' || !strchr(" \t\r\f", *s->next)) {
            return WABE_OK;
        }
    }
}

static const char *skip_digits(const char *at) { return at + strspn(at, "0123456789"); }

static const char *skip_suffix(const char *at) { return at + (*at == 'L') + !strncmp(at, "LL", 2); }

/* Accepts only forms that have the same meaning in all versions of libconfig. */
static bool is_integer(const char *text, size_t length) {
    const char *digits = text + (*text == '+' || *text == '-');
    const char *end = skip_digits(digits);
    if (end == text + 1 && *text == '0' && (*end == 'x' || *end == 'X')) {
        digits = end + 1;
        end = digits + strspn(digits, "0123456789abcdefABCDEF");
    }
    return end > digits && skip_suffix(end) == text + length;
}

static bool is_real(const char *text, size_t length) {
    const char *digits = text + (*text == '+' || *text == '-');
    const char *end = skip_digits(digits);
    bool point = *end == '.';
    bool filled = end > digits;
    if (point) {
        digits = end + 1;
        end = skip_digits(digits);
        filled |= end > digits;
    }
    bool exponent = *end == 'e' || *end == 'E';
    if (exponent) {
        digits = end + 1 + (end[1] == '+' || end[1] == '-');
        end = skip_digits(digits);
        exponent = end > digits;
    }
    return filled && (point || exponent) && end == text + length;
}

static bool is_number(const char *text, size_t length) {
    return is_integer(text, length) || is_real(text, length);
}

/* INT64_MIN is rejected: it represents an unset value. */
static wabe_status check_integer(scanner *s) {
    bool hexadecimal = s->length > 1 && (s->start[1] == 'x' || s->start[1] == 'X');
    const char *digits = s->start + (*s->start == '+' || *s->start == '-');
    char token[60];
    if (!hexadecimal && *digits == '0' && skip_digits(digits) > digits + 1)
        return fail_syntax(s, "%s has a leading zero", shown(s, token, sizeof token));
    errno = 0;
    char *end;
    long long value = strtoll(s->start, &end, hexadecimal ? 16 : 10);
    if (errno == ERANGE || value == INT64_MIN)
        return fail_syntax(s, "%s does not fit into a 64-bit integer",
                           shown(s, token, sizeof token));
    s->wide = *end != 'L' && (value < INT_MIN || value > INT_MAX);
    return WABE_OK;
}

/* Takes all characters that may be meant as part of the number, so that 1_000 is a single error. */
static wabe_status take_number(scanner *s) {
    do
        s->next++;
    while (isalnum((unsigned char)*s->next) || *s->next == '_' || *s->next == '.' ||
           ((*s->next == '+' || *s->next == '-') && strchr("eE", s->next[-1])));
    s->kind = TOKEN_NUMBER;
    s->length = (size_t)(s->next - s->start);
    if (is_integer(s->start, s->length))
        return check_integer(s);
    char token[60];
    if (!is_real(s->start, s->length))
        return fail_syntax(s, "%s is not a number", shown(s, token, sizeof token));
    return WABE_OK;
}

/* A text must end on its line, so that a missing quote is reported where it is missing. */
static wabe_status take_text(scanner *s) {
    for (s->next++; *s->next != '"'; s->next++) {
        if (strncasecmp(s->next, "\\x00", 4) == 0)
            return fail_syntax(s, "a text cannot hold the byte \\x00");
        if (*s->next == '\\')
            s->next++;
        if (*s->next == '\0' || *s->next == '\n')
            return fail_syntax(s, "the closing quote is missing");
    }
    s->next++;
    s->kind = TOKEN_TEXT;
    s->length = (size_t)(s->next - s->start);
    return WABE_OK;
}

static bool is_name_start(char c) { return isalpha((unsigned char)c) || c == '*'; }

size_t wabe_config_name_length(const char *text) {
    const char *end = text;
    if (is_name_start(*end))
        while (isalnum((unsigned char)*end) || (*end && strchr("-_*", *end)))
            end++;
    return (size_t)(end - text);
}

static bool is_bool(const char *text, size_t length) {
    return (length == 4 && strncasecmp(text, "true", 4) == 0) ||
           (length == 5 && strncasecmp(text, "false", 5) == 0);
}

static wabe_status fail_character(const scanner *s) {
    unsigned char c = (unsigned char)*s->start;
    if (strncmp(s->start, "@include", 8) == 0)
        return fail_syntax(s, "@include is not supported: an input is one file");
    if (c > ' ' && c < 127)
        return fail_syntax(s, "unexpected character '%c'", c);
    return fail_syntax(s, "unexpected byte 0x%02X outside of a text and of comments", c);
}

static wabe_status take_token(scanner *s) {
    if (*s->start == '"')
        return take_text(s);
    if (*s->start && strchr("+-.0123456789", *s->start))
        return take_number(s);
    s->length = wabe_config_name_length(s->start);
    if (*s->start == '\0') {
        s->kind = TOKEN_END;
    } else if (s->length > 0) {
        s->kind = is_bool(s->start, s->length) ? TOKEN_BOOL : TOKEN_NAME;
    } else if (strchr("=:,;{}[]()", *s->start)) {
        s->kind = TOKEN_MARK;
        s->length = 1;
    } else {
        return fail_character(s);
    }
    s->next += s->length;
    return WABE_OK;
}

/* Advances to the next token. */
static wabe_status advance(scanner *s) {
    const char *from = s->next;
    WABE_TRY(skip_blanks(s));
    s->start = s->next;
    s->start_line = s->line;
    s->wide = false;
    WABE_TRY(take_token(s));
    memcpy(s->copy, from, (size_t)(s->next - from));
    s->copy_start = s->copy + (s->start - from);
    s->copy += s->next - from;
    if (s->wide)
        *s->copy++ = 'L';
    return WABE_OK;
}

static wabe_status check_value(scanner *s);

static wabe_status check_setting(scanner *s) {
    scanner key = *s;
    char name[60];
    char token[60];
    WABE_TRY(advance(s));
    if (!is_mark(s, '=') && !is_mark(s, ':'))
        return fail_syntax(s, "expected '=' after %s, found %s", shown(&key, name, sizeof name),
                           shown(s, token, sizeof token));
    WABE_TRY(advance(s));
    WABE_TRY(check_value(s));
    if (is_mark(s, ';') || is_mark(s, ','))
        WABE_TRY(advance(s));
    return WABE_OK;
}

/* A key of the group that is being read. */
typedef struct {
    const char *start;
    size_t length;
    unsigned line;
} group_key;

/* The token at hand must be none of the group's keys so far. */
static wabe_status check_new(const scanner *s, const group_key keys[], int count) {
    char token[60], first[40] = "";
    int i = 0;
    while (i < count &&
           (keys[i].length != s->length || memcmp(keys[i].start, s->start, s->length) != 0))
        i++;
    if (i == count)
        return WABE_OK;
    if (!s->origin)
        snprintf(first, sizeof first, ", first in line %u", keys[i].line);
    return fail_syntax(s, "the key %s stands twice in this group%s; take one of the two away",
                       shown(s, token, sizeof token), first);
}

static wabe_status check_settings(scanner *s) {
    group_key keys[GROUP_KEYS_MAX];
    for (int count = 0; s->kind == TOKEN_NAME; count++) {
        if (count == GROUP_KEYS_MAX)
            return fail_syntax(s, "more than %d keys in one group", GROUP_KEYS_MAX);
        WABE_TRY(check_new(s, keys, count));
        keys[count] = (group_key){s->start, s->length, s->start_line};
        WABE_TRY(check_setting(s));
    }
    return WABE_OK;
}

static wabe_status check_elements(scanner *s, char close) {
    while (!is_mark(s, close)) {
        WABE_TRY(check_value(s));
        if (!is_mark(s, ','))
            break;
        char *comma = s->copy_start;
        WABE_TRY(advance(s));
        if (is_mark(s, close))
            *comma = ' '; /* not all versions of libconfig accept a comma after the last element */
    }
    return WABE_OK;
}

static wabe_status fail_open(scanner *s, char open, unsigned open_line, char close) {
    char token[60];
    if (s->kind != TOKEN_END)
        return fail_syntax(s, "expected %s'%c' (for the '%c' of line %u), found %s",
                           close == '}' ? "a key or " : "',' or ", close, open, open_line,
                           shown(s, token, sizeof token));
    s->start_line = open_line;
    return fail_syntax(s, "a '%c' that is opened here is never closed by '%c'", open, close);
}

/* Turns arrays into lists: libconfig requires one type for all elements of an array, down to the
 * width of an integer, but [0, 0.5, 1] is a valid vector. */
static wabe_status check_aggregate(scanner *s) {
    char open = *s->start;
    char *open_copy = s->copy_start;
    unsigned open_line = s->start_line;
    char close = open == '{' ? '}' : open == '[' ? ']' : ')';
    if (s->depth == WABE_CONFIG_DEPTH_MAX)
        return fail_syntax(s, "nested deeper than %d levels", WABE_CONFIG_DEPTH_MAX);
    s->depth++;
    WABE_TRY(advance(s));
    WABE_TRY(close == '}' ? check_settings(s) : check_elements(s, close));
    if (!is_mark(s, close))
        return fail_open(s, open, open_line, close);
    s->depth--;
    if (close == ']') {
        *open_copy = '(';
        *s->copy_start = ')';
    }
    return advance(s);
}

static wabe_status check_value(scanner *s) {
    char token[60];
    switch (s->kind) {
    case TOKEN_BOOL:
    case TOKEN_NUMBER:
        return advance(s);
    case TOKEN_TEXT: /* adjacent texts are one text */
        while (s->kind == TOKEN_TEXT)
            WABE_TRY(advance(s));
        return WABE_OK;
    case TOKEN_NAME:
        return fail_syntax(s, "%s is not a value; a text stands in quotes",
                           shown(s, token, sizeof token));
    default:
        if (is_mark(s, '{') || is_mark(s, '[') || is_mark(s, '('))
            return check_aggregate(s);
        return fail_syntax(s, "expected a value, found %s", shown(s, token, sizeof token));
    }
}

static wabe_status fail_libconfig(scanner *s, const config_t *tree) {
    s->start_line = (unsigned)config_error_line(tree);
    const char *reason = config_error_text(tree);
    return fail_syntax(s, "%s", reason ? reason : "syntax error");
}

static wabe_status check_text(scanner *s) {
    bool file = !s->origin;
    WABE_TRY(advance(s));
    WABE_TRY(file ? check_settings(s) : check_value(s));
    char token[60];
    if (s->kind != TOKEN_END)
        return fail_syntax(s, "expected %s, found %s", file ? "a key" : "one value",
                           shown(s, token, sizeof token));
    strcpy(s->copy, "\n"); /* libconfig expects a newline after a comment */
    return WABE_OK;
}

bool wabe_config_is_plain_text(const char *value, size_t length) {
    if (length > 0 && strchr("\"[({", *value))
        return false;
    return !is_number(value, length) && !is_bool(value, length);
}

wabe_status wabe_config_read_text(const wabe_config *config, const char *origin, const char *text,
                                  config_t *tree) {
    char *copy = malloc(2 * strlen(text) + 16);
    WABE_CHECK(copy, WABE_MEMORY, "no memory for the input");
    strcpy(copy, origin ? "value = " : "");
    scanner s = {.config = config, .origin = origin, .next = text, .line = 1};
    s.copy = copy + strlen(copy);
    wabe_status status = check_text(&s);
    if (status == WABE_OK && !config_read_string(tree, copy))
        status = fail_libconfig(&s, tree);
    free(copy);
    return status;
}
