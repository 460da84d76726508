/* Prints the resolved configuration and the reference, and compares configurations. */
#include "core/base/box.h"
#include "core/config/config_internal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Printing the resolved values --------------------------------------------------- */

static void print_string(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < ' ' || c == 127)
            fprintf(file, "\\x%02X", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

static void print_int(FILE *file, int64_t value) {
    bool wide = value < INT_MIN || value > INT_MAX;
    fprintf(file, "%lld%s", (long long)value, wide ? "L" : "");
}

static void print_real(FILE *file, double value) {
    char text[40];
    wabe_config_format_real(value, text, sizeof text);
    fputs(text, file);
}

static void print_word(FILE *file, const char *words, int place) {
    const char *word;
    size_t length;
    while (wabe_config_next_word(&words, &word, &length))
        if (place-- == 0)
            fprintf(file, "\"%.*s\"", (int)length, word);
}

static void print_group(FILE *file, wabe_config_tables set, const char *prefix, size_t length,
                        int depth);

static void print_list(FILE *file, const wabe_option *row, const wabe_option_list *list,
                       int depth) {
    fputc('(', file);
    for (int64_t i = 0; i < list->count; i++) {
        char *item = (char *)list->items + (size_t)i * row->element_size;
        wabe_option_table table = {row->elements, item};
        fprintf(file, "%s\n%*s{\n", i > 0 ? "," : "", 4 * depth + 4, "");
        print_group(file, (wabe_config_tables){1, &table}, "", 0, depth + 2);
        fprintf(file, "%*s}", 4 * depth + 4, "");
    }
    if (list->count > 0)
        fprintf(file, "\n%*s", 4 * depth, "");
    fputc(')', file);
}

static void print_value(FILE *file, const wabe_option *row, const void *at, int depth) {
    const int64_t *integers = at;
    const double *reals = at;
    switch (row->type) {
    case WABE_OPTION_BOOL:
        fputs(*(const bool *)at ? "true" : "false", file);
        break;
    case WABE_OPTION_INT:
        print_int(file, *integers);
        break;
    case WABE_OPTION_REAL:
        print_real(file, *reals);
        break;
    case WABE_OPTION_STRING:
        print_string(file, at);
        break;
    case WABE_OPTION_WORD:
        print_word(file, row->words, *(const int *)at);
        break;
    case WABE_OPTION_INT3:
    case WABE_OPTION_REAL3:
        for (int i = 0; i < 3; i++) {
            fputs(i > 0 ? ", " : "[", file);
            if (row->type == WABE_OPTION_INT3)
                print_int(file, integers[i]);
            else
                print_real(file, reals[i]);
        }
        fputc(']', file);
        break;
    case WABE_OPTION_LIST:
        print_list(file, row, at, depth);
        break;
    }
}

static bool is_unset(const wabe_option *row, const void *at) {
    switch (row->type) {
    case WABE_OPTION_INT:
    case WABE_OPTION_INT3:
        return *(const int64_t *)at == INT64_MIN;
    case WABE_OPTION_REAL:
    case WABE_OPTION_REAL3:
        return isnan(*(const double *)at);
    case WABE_OPTION_STRING:
        return *(const char *)at == '\0' && wabe_config_may_be_unset(row);
    case WABE_OPTION_WORD:
        return *(const int *)at < 0;
    default:
        return false;
    }
}

/* Prints the rows whose paths begin with a prefix. A group is printed as a whole where it first
 * appears, since libconfig does not accept a group twice. */
static void print_group(FILE *file, wabe_config_tables set, const char *prefix, size_t length,
                        int depth) {
    wabe_config_walk walk = {.left = set};
    while (wabe_config_next_row(&walk)) {
        const char *path = walk.row->path;
        const void *at = (const char *)walk.target + walk.row->offset;
        if (strncmp(path, prefix, length) != 0)
            continue;
        const char *part = path + length;
        int part_length = (int)strcspn(part, ".");
        size_t bytes = length + (size_t)part_length + 1;
        bool group = part[part_length] == '.';
        if (!wabe_config_is_first(set, walk.row, bytes) || (!group && is_unset(walk.row, at)))
            continue;
        fprintf(file, "%*s%.*s = ", 4 * depth, "", part_length, part);
        if (group) {
            fputs("{\n", file);
            print_group(file, set, path, bytes, depth + 1);
            fprintf(file, "%*s}", 4 * depth, "");
        } else {
            print_value(file, walk.row, at, depth);
        }
        fputs(";\n", file);
    }
}

void wabe_config_print_resolved(FILE *file, int table_count, const wabe_option_table tables[]) {
    print_group(file, (wabe_config_tables){table_count, tables}, "", 0, 0);
}

/* ---- Comparing ---------------------------------------------------------------------- */

bool wabe_config_is_among(const char *path, const char *const names[]) {
    for (; names && *names; names++) {
        const size_t length = strlen(*names);
        const bool group = (*names)[length - 1] == '.';
        if (group ? strncmp(path, *names, length) == 0 : strcmp(path, *names) == 0)
            return true;
    }
    return false;
}

/* Returns the value as written in a file, to be freed; NULL: no memory. */
static char *value_as_text(const wabe_option *row, const void *at) {
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    if (!is_unset(row, at))
        print_value(file, row, at, 0);
    fclose(file);
    return text;
}

/* Without memory for the texts, the values count as different. */
static void compare_values(const wabe_option *row, const void *a, const void *b,
                           wabe_config_visitor *visit, void *context) {
    char *texts[2] = {value_as_text(row, a), value_as_text(row, b)};
    if (!texts[0] || !texts[1] || strcmp(texts[0], texts[1]) != 0)
        visit(context, row->path, texts[0] ? texts[0] : "?", texts[1] ? texts[1] : "?");
    free(texts[0]);
    free(texts[1]);
}

void wabe_config_differences(int table_count, const wabe_option_table a[],
                             const wabe_option_table b[], const char *const may_differ[],
                             wabe_config_visitor *visit, void *context) {
    for (int i = 0; i < table_count; i++)
        for (const wabe_option *row = a[i].options; row->path; row++)
            if (!wabe_config_is_among(row->path, may_differ))
                compare_values(row, (const char *)a[i].target + row->offset,
                               (const char *)b[i].target + row->offset, visit, context);
}

/* ---- Printing the reference --------------------------------------------------------- */

/* All faces have the same keys: those of the first stand for them, and name it FACE. */
#define FACES "boundaries."
#define EACH FACES "FACE"

/* Returns what follows the name of a face, numbers first to last, in a path; NULL: nothing does. */
static const char *behind_face(const char *path, int first, int last) {
    if (strncmp(path, FACES, strlen(FACES)) != 0)
        return NULL;
    path += strlen(FACES);
    for (int face = first; face <= last; face++) {
        const size_t length = strlen(wabe_face_name(face));
        if (strncmp(path, wabe_face_name(face), length) == 0 && path[length] == '.')
            return path + length;
    }
    return NULL;
}

static bool is_repeated(const wabe_option *row) {
    return behind_face(row->path, 1, WABE_FACES - 1) != NULL;
}

static const char *shown_path(const wabe_option *row, char text[WABE_CONFIG_PATH_SIZE]) {
    const char *key = behind_face(row->path, 0, 0);
    if (!key)
        return row->path;
    snprintf(text, WABE_CONFIG_PATH_SIZE, EACH "%s", key);
    return text;
}

/* Prints a table cell; an unescaped '|' would end it. */
static void print_cell(FILE *file, const char *text) {
    for (fputc(' ', file); text && *text; text++)
        fprintf(file, *text == '|' ? "\\|" : "%c", *text);
    fputs(" |", file);
}

static void print_default(FILE *file, const wabe_option *row) {
    if (!row->default_value) {
        print_cell(file, "required");
    } else if (wabe_config_may_be_unset(row)) {
        print_cell(file, "unset");
    } else {
        char text[WABE_CONFIG_BODY_SIZE];
        bool plain = row->type == WABE_OPTION_WORD || row->type == WABE_OPTION_STRING;
        const char *quote = plain && row->default_value[0] != '"' ? "\"" : "";
        snprintf(text, sizeof text, "`%s%s%s`", quote, row->default_value, quote);
        print_cell(file, text);
    }
}

static void print_range(FILE *file, const wabe_option *row) {
    char low[40];
    wabe_config_format_limit(row->min, low, sizeof low);
    char high[40];
    wabe_config_format_limit(row->max, high, sizeof high);
    char text[WABE_CONFIG_BODY_SIZE] = "";
    if (row->type == WABE_OPTION_WORD)
        wabe_config_append_words(row->words, text, sizeof text);
    else if (row->min == 0 && row->max == 0)
        text[0] = '\0';
    else if (row->min == WABE_ABOVE_0)
        wabe_config_append(text, sizeof text, "above 0");
    else if (isinf(row->max))
        wabe_config_append(text, sizeof text, "at least %s", low);
    else if (isinf(row->min))
        wabe_config_append(text, sizeof text, "at most %s", high);
    else
        wabe_config_append(text, sizeof text, "%s to %s", low, high);
    print_cell(file, text);
}

static void print_reference_row(FILE *file, const wabe_option *row) {
    static const char *const types[] = {
        [WABE_OPTION_BOOL] = "true or false", [WABE_OPTION_INT] = "integer",
        [WABE_OPTION_REAL] = "number",        [WABE_OPTION_STRING] = "text",
        [WABE_OPTION_WORD] = "word",          [WABE_OPTION_INT3] = "3 integers",
        [WABE_OPTION_REAL3] = "3 numbers",    [WABE_OPTION_LIST] = "list of groups",
    };
    char path[WABE_CONFIG_PATH_SIZE];
    fprintf(file, "| `%s` | %s |", shown_path(row, path), types[row->type]);
    print_default(file, row);
    print_range(file, row);
    print_cell(file, row->unit);
    print_cell(file, row->help);
    fputc('\n', file);
}

static void print_reference_head(FILE *file, const char *level, const char *title, int length) {
    fprintf(file, "%s %.*s\n\n", level, length, title);
    if (length == (int)strlen(EACH) && strncmp(title, EACH, strlen(EACH)) == 0) {
        fputs("FACE is", file);
        for (int face = 0; face < WABE_FACES; face++)
            fprintf(file, "%s `%s`",
                    face == 0                ? ""
                    : face == WABE_FACES - 1 ? " or"
                                             : ",",
                    wabe_face_name(face));
        fputs("; each has these keys, and those of the groups below.\n\n", file);
    }
    fputs("| key | type | default | range | unit | meaning |\n"
          "| --- | --- | --- | --- | --- | --- |\n",
          file);
}

static void print_reference_elements(FILE *file, const wabe_option *list) {
    char title[WABE_CONFIG_PATH_SIZE];
    int length = snprintf(title, sizeof title, "Elements of `%s`", list->path);
    print_reference_head(file, "###", title, length);
    for (const wabe_option *row = list->elements; row->path; row++)
        print_reference_row(file, row);
    fputc('\n', file);
    for (const wabe_option *row = list->elements; row->path; row++)
        if (row->type == WABE_OPTION_LIST)
            print_reference_elements(file, row);
}

static bool same_group(const wabe_option *a, const wabe_option *b) {
    size_t length = (size_t)(wabe_config_last_part(a->path) - a->path);
    return length == (size_t)(wabe_config_last_part(b->path) - b->path) &&
           strncmp(a->path, b->path, length) == 0;
}

static bool starts_group(wabe_config_tables set, const wabe_option *row) {
    wabe_config_walk walk = {.left = set};
    while (wabe_config_next_row(&walk) && walk.row != row)
        if (same_group(walk.row, row))
            return false;
    return true;
}

static void print_reference_group(FILE *file, wabe_config_tables set, const wabe_option *first) {
    char text[WABE_CONFIG_PATH_SIZE];
    const char *path = shown_path(first, text);
    int length = (int)(wabe_config_last_part(path) - path) - 1;
    bool top = length < 0;
    print_reference_head(file, "##", top ? "Top level" : path,
                         top ? WABE_CONFIG_PATH_SIZE : length);
    for (wabe_config_walk walk = {.left = set}; wabe_config_next_row(&walk);)
        if (same_group(walk.row, first) &&
            wabe_config_is_first(set, walk.row, strlen(walk.row->path) + 1))
            print_reference_row(file, walk.row);
    fputc('\n', file);
    for (wabe_config_walk walk = {.left = set}; wabe_config_next_row(&walk);)
        if (same_group(walk.row, first) && walk.row->type == WABE_OPTION_LIST)
            print_reference_elements(file, walk.row);
}

void wabe_config_print_reference(FILE *file, int table_count, const wabe_option_table tables[]) {
    wabe_config_tables set = {table_count, tables};
    for (wabe_config_walk walk = {.left = set}; wabe_config_next_row(&walk);)
        if (!is_repeated(walk.row) && starts_group(set, walk.row))
            print_reference_group(file, set, walk.row);
}
