#include "core/config/config_internal.h"

#include "core/base/closest.h"
#include "core/base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OVERRIDE "--set "

enum {
    TEXT_SIZE_MAX = 1 << 26,
    LINE_SIZE = 160,
};

/* ---- Messages ----------------------------------------------------------------------- */

void wabe_config_append_arguments(char *text, size_t size, const char *format, va_list arguments) {
    size_t used = strlen(text);
    vsnprintf(text + used, size - used, format, arguments);
}

void wabe_config_append(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    wabe_config_append_arguments(text, size, format, arguments);
    va_end(arguments);
}

void wabe_config_quote_line(const char *text, unsigned line, char *out, size_t size) {
    for (; line > 1 && (text = strchr(text, '\n')); line--)
        text++;
    size_t length = text ? strcspn(text, "\n") : 0;
    if (length > 0 && text[length - 1] == '\r')
        length--;
    bool cut = length > size - 4;
    if (cut)
        length = size - 4;
    while (cut && length > 0 && (text[length] & 0xC0) == 0x80) /* within a UTF-8 character */
        length--;
    for (size_t i = 0; i < length; i++)
        out[i] = text[i] == '\t' ? ' ' : text[i];
    strcpy(out + length, cut ? "..." : "");
}

/* Does a text have the name of a key, as it is or as that of a group? */
static bool has_name(const char *text, const char *key, size_t length) {
    for (const char *at = text; length > 0 && (at = memmem(at, strlen(at), key, length)); at++) {
        const char before = at > text ? at[-1] : ' ', after = at[length];
        if (!isalnum((unsigned char)before) && !strchr("_.", before) &&
            !isalnum((unsigned char)after) && after != '_')
            return true;
    }
    return false;
}

/* The overrides of keys that a message names: what is wrong may be theirs. A line for each. */
static void append_overrides(const wabe_config *config, const char *body, char *out, size_t size) {
    for (int i = 0; i < config->override_count; i++) {
        const char *path = config->origins[i] + strlen(OVERRIDE);
        path += strspn(path, " ");
        if (has_name(body, path, strcspn(path, " =")))
            wabe_config_append(out, size, "\n    %s", config->origins[i]);
    }
}

wabe_status wabe_config_fail_line(const wabe_config *config, unsigned line, const char *body) {
    char quoted[LINE_SIZE], overrides[WABE_CONFIG_BODY_SIZE] = "";
    wabe_config_quote_line(config->text, line, quoted, sizeof quoted);
    append_overrides(config, body, overrides, sizeof overrides);
    return WABE_FAIL(WABE_INPUT, "%.600s:%u: %s\n    %u | %s%s", config->name, line, body, line,
                     quoted, overrides);
}

static const char *origin_of(const config_setting_t *setting) {
    for (; setting; setting = config_setting_parent(setting))
        if (config_setting_get_hook(setting))
            return config_setting_get_hook(setting);
    return NULL;
}

static wabe_status fail_body(const wabe_config *config, const config_setting_t *setting,
                             const char *body) {
    const char *origin = origin_of(setting);
    if (origin)
        return WABE_FAIL(WABE_INPUT, "%s: %s", origin, body);
    if (setting && config_setting_source_line(setting) > 0)
        return wabe_config_fail_line(config, config_setting_source_line(setting), body);
    return WABE_FAIL(WABE_INPUT, "%.600s: %s", config->name, body);
}

static void path_of(const config_setting_t *setting, char *out, size_t size) {
    out[0] = '\0';
    if (!config_setting_parent(setting))
        return;
    path_of(config_setting_parent(setting), out, size);
    if (config_setting_name(setting))
        wabe_config_append(out, size, "%s%s", out[0] ? "." : "", config_setting_name(setting));
    else
        wabe_config_append(out, size, "[%d]", config_setting_index(setting));
}

/* Records and returns WABE_INPUT, "FILE:LINE: 'path' ", followed by what is wrong with the
 * value. */
static wabe_status fail_key(const wabe_config *config, const config_setting_t *setting,
                            const char *format, ...) __attribute__((format(printf, 3, 4)));

static wabe_status fail_key(const wabe_config *config, const config_setting_t *setting,
                            const char *format, ...) {
    char path[WABE_CONFIG_PATH_SIZE];
    path_of(setting, path, sizeof path);
    char body[WABE_CONFIG_BODY_SIZE] = "";
    wabe_config_append(body, sizeof body, "'%s' ", path);
    va_list arguments;
    va_start(arguments, format);
    wabe_config_append_arguments(body, sizeof body, format, arguments);
    va_end(arguments);
    return fail_body(config, setting, body);
}

void wabe_config_format_real(double value, char *out, size_t size) {
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, size, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    if (!strpbrk(out, ".en"))
        wabe_config_append(out, size, ".0");
}

void wabe_config_format_limit(double value, char *out, size_t size) {
    snprintf(out, size, "%.15g", value);
}

/* Describes the value that was found, for a message. */
static void describe(const config_setting_t *setting, char *out, size_t size) {
    switch (config_setting_type(setting)) {
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64:
        snprintf(out, size, "%lld", config_setting_get_int64(setting));
        break;
    case CONFIG_TYPE_FLOAT:
        wabe_config_format_real(config_setting_get_float(setting), out, size);
        break;
    case CONFIG_TYPE_BOOL:
        snprintf(out, size, "%s", config_setting_get_bool(setting) ? "true" : "false");
        break;
    case CONFIG_TYPE_STRING:
        wabe_config_quote_line(config_setting_get_string(setting), 1, out, size);
        break;
    case CONFIG_TYPE_LIST:
        snprintf(out, size, "a list of %d", config_setting_length(setting));
        break;
    default:
        snprintf(out, size, "a group");
    }
}

/* ---- Words -------------------------------------------------------------------------- */

bool wabe_config_next_word(const char **words, const char **word, size_t *length) {
    if (!*words)
        return false;
    *word = *words;
    *length = strcspn(*words, "|");
    *words = (*word)[*length] ? *word + *length + 1 : NULL;
    return true;
}

/* ---- The tree of settings ----------------------------------------------------------- */

static config_setting_t *member(const config_setting_t *group, const char *name, size_t length) {
    if (!config_setting_is_group(group))
        return NULL;
    for (int i = 0; i < config_setting_length(group); i++) {
        config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const char *other = config_setting_name(setting);
        if (strlen(other) == length && memcmp(other, name, length) == 0)
            return setting;
    }
    return NULL;
}

static config_setting_t *element(const config_setting_t *list, const char *index, char **end) {
    long i = strtol(index, end, 10);
    if (!isdigit((unsigned char)*index) || **end != ']' || !config_setting_is_list(list) ||
        i >= config_setting_length(list))
        return NULL;
    ++*end;
    return config_setting_get_elem(list, (unsigned)i);
}

/* Returns the setting at a path such as "geometry.objects[2].radius", relative to a group, or
 * NULL. */
static config_setting_t *find(const config_setting_t *group, const char *path) {
    config_setting_t *setting = NULL;
    while (group) {
        size_t length = strcspn(path, ".[");
        setting = member(group, path, length);
        path += length;
        while (setting && *path == '[') {
            char *end;
            setting = element(setting, path + 1, &end);
            path = end;
        }
        if (!setting || *path == '\0')
            return setting;
        group = *path++ == '.' ? setting : NULL;
    }
    return NULL;
}

/* ---- Overrides ---------------------------------------------------------------------- */

static wabe_status set_text(config_t *tree, const char *value, size_t length) {
    char *text = strndup(value, length);
    config_setting_t *setting = config_setting_add(config_root_setting(tree), "value",
                                                   CONFIG_TYPE_STRING);
    bool done = text && setting && config_setting_set_string(setting, text);
    free(text);
    WABE_CHECK(done, WABE_MEMORY, "no memory for a text");
    return WABE_OK;
}

/* Parses one value, of an override or a default, as the only setting of an empty tree. */
static wabe_status read_value(const char *origin, const char *value, config_t *tree) {
    value += strspn(value, " \t\r\n\f");
    size_t length = strlen(value);
    while (length > 0 && strchr(" \t\r\n\f", value[length - 1]))
        length--;
    if (wabe_config_is_plain_text(value, length))
        return set_text(tree, value, length);
    return wabe_config_read_text(NULL, origin, value, tree);
}

static bool copy_value(config_setting_t *to, const config_setting_t *from);

static bool copy_elements(config_setting_t *to, const config_setting_t *from) {
    for (int i = 0; i < config_setting_length(from); i++) {
        const config_setting_t *old = config_setting_get_elem(from, (unsigned)i);
        config_setting_t *new = config_setting_add(to, config_setting_name(old),
                                                   config_setting_type(old));
        if (!new || !copy_value(new, old))
            return false;
    }
    return true;
}

static bool copy_value(config_setting_t *to, const config_setting_t *from) {
    switch (config_setting_type(from)) {
    case CONFIG_TYPE_BOOL:
        return config_setting_set_bool(to, config_setting_get_bool(from));
    case CONFIG_TYPE_INT:
        return config_setting_set_int(to, config_setting_get_int(from));
    case CONFIG_TYPE_INT64:
        return config_setting_set_int64(to, config_setting_get_int64(from));
    case CONFIG_TYPE_FLOAT:
        return config_setting_set_float(to, config_setting_get_float(from));
    case CONFIG_TYPE_STRING:
        return config_setting_set_string(to, config_setting_get_string(from));
    default:
        return copy_elements(to, from);
    }
}

static config_setting_t *add_from(char *origin, config_setting_t *group, const char *name,
                                  int type) {
    config_setting_t *setting = config_setting_add(group, name, type);
    if (setting)
        config_setting_set_hook(setting, origin);
    return setting;
}

/* Moves *place to its member named by a part of a path, such as "objects[2]"; creates the group if
 * it does not exist and has no index. */
static wabe_status enter(char *origin, char *part, config_setting_t **place) {
    char *index = strchr(part, '[');
    size_t length = index ? (size_t)(index - part) : strlen(part);
    WABE_CHECK(length > 0 && wabe_config_name_length(part) == length, WABE_INPUT,
               "%s: '%.200s' is not the name of a group", origin, part);
    config_setting_t *next = member(*place, part, length);
    if (!next && !index) {
        next = add_from(origin, *place, part, CONFIG_TYPE_GROUP);
        WABE_CHECK(next, WABE_MEMORY, "no memory for a group");
    }
    char *end = index ? index : part + length;
    while (next && *end == '[')
        next = element(next, end + 1, &end);
    WABE_CHECK(next && *end == '\0', WABE_INPUT, "%s: there is no element '%.200s'", origin, part);
    WABE_CHECK(config_setting_is_group(next), WABE_INPUT, "%s: '%.200s' is not a group", origin,
               part);
    *place = next;
    return WABE_OK;
}

static wabe_status set_at(char *origin, char *path, config_setting_t *place,
                          const config_setting_t *value) {
    int depth = 0;
    char *part = strsep(&path, ".");
    for (; path; part = strsep(&path, ".")) {
        WABE_CHECK(++depth < WABE_CONFIG_DEPTH_MAX, WABE_INPUT, "%s: nested deeper than %d levels",
                   origin, WABE_CONFIG_DEPTH_MAX);
        WABE_TRY(enter(origin, part, &place));
    }
    WABE_CHECK(part[0] && wabe_config_name_length(part) == strlen(part), WABE_INPUT,
               "%s: '%.200s' is not the name of a key", origin, part);
    if (member(place, part, strlen(part)))
        config_setting_remove(place, part);
    config_setting_t *setting = add_from(origin, place, part, config_setting_type(value));
    WABE_CHECK(setting && copy_value(setting, value), WABE_MEMORY, "no memory for an override");
    return WABE_OK;
}

/* A value in brackets may take several lines. What is not UTF-8 is told where the value is read. */
static wabe_status check_characters(const char *origin, const char *text) {
    const char *value = strchrnul(text, '=');
    value += strspn(value, "= ");
    const bool brackets = *value && strchr("[({", *value);
    for (const char *c = text; *c; c++)
        WABE_CHECK(!iscntrl((unsigned char)*c) || (brackets && c > value && strchr("\t\r\n\f", *c)),
                   WABE_INPUT,
                   "%s: has a control character, the byte \\x%02x; a value takes one line, unless "
                   "it stands in brackets",
                   origin, (unsigned char)*c);
    return WABE_OK;
}

static wabe_status apply_override(wabe_config *config, char *origin, const char *text) {
    WABE_TRY(check_characters(origin, text));
    const char *equals = strchr(text, '=');
    WABE_CHECK(equals, WABE_INPUT, "%s: expected path=value", origin);
    text += strspn(text, " ");
    size_t length = equals > text ? (size_t)(equals - text) : 0;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    char *path = strndup(text, length);
    WABE_CHECK(path, WABE_MEMORY, "no memory for an override");
    config_t value;
    config_init(&value);
    wabe_status status = read_value(origin, equals + 1, &value);
    if (status == WABE_OK)
        status = set_at(origin, path, config_root_setting(&config->tree),
                        config_setting_get_elem(config_root_setting(&value), 0));
    config_destroy(&value);
    free(path);
    return status;
}

static wabe_status apply_overrides(wabe_config *config, int count, const char *const overrides[]) {
    config->origins = calloc((size_t)count + 1, sizeof *config->origins);
    WABE_CHECK(config->origins, WABE_MEMORY, "no memory for %d overrides", count);
    for (int i = 0; i < count; i++) {
        char quoted[LINE_SIZE];
        wabe_config_quote_line(overrides[i], 1, quoted, sizeof quoted);
        char *origin;
        WABE_CHECK(asprintf(&origin, OVERRIDE "%s", quoted) >= 0, WABE_MEMORY,
                   "no memory for %d overrides", count);
        config->origins[config->override_count++] = origin;
        WABE_TRY(apply_override(config, origin, overrides[i]));
    }
    return WABE_OK;
}

static wabe_status read_file(wabe_config *config) {
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    bool marked = strncmp(config->text, byte_order_mark, 3) == 0;
    return wabe_config_read_text(config, NULL, config->text + (marked ? 3 : 0), &config->tree);
}

wabe_status wabe_config_parse(const char *name, const char *text, int override_count,
                              const char *const overrides[], wabe_config **out) {
    *out = NULL;
    WABE_CHECK(strnlen(text, TEXT_SIZE_MAX) < TEXT_SIZE_MAX, WABE_INPUT,
               "%.600s: more than 64 MiB: this is not an input file", name);
    wabe_config *config = calloc(1, sizeof *config);
    WABE_CHECK(config, WABE_MEMORY, "no memory for the input");
    config_init(&config->tree);
    config->name = strdup(name);
    config->text = strdup(text);
    wabe_status status = config->name && config->text
                             ? read_file(config)
                             : WABE_FAIL(WABE_MEMORY, "no memory for the input");
    if (status == WABE_OK)
        status = apply_overrides(config, override_count, overrides);
    if (status != WABE_OK)
        wabe_config_destroy(&config);
    *out = config;
    return status;
}

void wabe_config_destroy(wabe_config **config) {
    wabe_config *old = *config;
    *config = NULL;
    if (!old)
        return;
    config_destroy(&old->tree);
    for (int i = 0; i < old->override_count; i++)
        free(old->origins[i]);
    free(old->origins);
    while (old->blocks) {
        wabe_config_block *block = old->blocks;
        old->blocks = block->next;
        free(block);
    }
    free(old->text);
    free(old->name);
    free(old);
}

/* ---- Rows --------------------------------------------------------------------------- */

bool wabe_config_next_row(wabe_config_walk *walk) {
    if (walk->row)
        walk->row++;
    while (!walk->row || !walk->row->path) {
        if (walk->left.count-- == 0)
            return false;
        walk->row = walk->left.tables->options;
        walk->target = walk->left.tables->target;
        walk->left.tables++;
    }
    return true;
}

bool wabe_config_is_first(wabe_config_tables set, const wabe_option *row, size_t bytes) {
    wabe_config_walk walk = {.left = set};
    while (wabe_config_next_row(&walk) && walk.row != row)
        if (strncmp(walk.row->path, row->path, bytes) == 0)
            return false;
    return true;
}

/* ---- Unknown keys ------------------------------------------------------------------- */

typedef enum { UNKNOWN, KNOWN_KEY, KNOWN_GROUP } known_as;

static known_as look_up(wabe_config_tables set, const char *path) {
    size_t length = strlen(path);
    wabe_config_walk walk = {.left = set};
    while (wabe_config_next_row(&walk)) {
        if (strncmp(walk.row->path, path, length) != 0)
            continue;
        if (walk.row->path[length] == '\0')
            return KNOWN_KEY;
        if (walk.row->path[length] == '.')
            return KNOWN_GROUP;
    }
    return UNKNOWN;
}

const char *wabe_config_last_part(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

/* Returns the edit distance of two paths. Leading groups that they share do not count, and a path
 * within a group does not match the group by its name alone. */
static int path_distance(const char *path, const char *known, size_t length) {
    size_t same = 0, i = 0;
    for (; i < length && path[i] == known[i]; i++)
        if (path[i] == '.')
            same = i + 1;
    if (i == length && path[i] == '.')
        same = length;
    return wabe_closest_distance(path + same, strlen(path) - same, known + same, length - same);
}

/* Returns the closest of all keys and groups. A known key in the wrong group counts as one wrong
 * letter. */
static wabe_closest closest_path(wabe_config_tables set, const char *path) {
    wabe_closest closest = {0};
    wabe_config_walk walk = {.left = set};
    while (wabe_config_next_row(&walk)) {
        const char *known = walk.row->path;
        for (const char *dot = strchr(known, '.'); dot; dot = strchr(dot + 1, '.')) {
            size_t length = (size_t)(dot - known);
            wabe_closest_offer(&closest, path_distance(path, known, length), known, length);
        }
        bool moved = strcmp(wabe_config_last_part(path), wabe_config_last_part(known)) == 0;
        int distance = moved ? 1 : path_distance(path, known, strlen(known));
        wabe_closest_offer(&closest, distance, known, strlen(known));
    }
    return closest;
}

/* Appends the names that are known in place of an unknown key: all parts that can follow the groups
 * of its path. */
static void append_known(wabe_config_tables set, const char *path, char *out, size_t size) {
    size_t before = (size_t)(wabe_config_last_part(path) - path);
    const char *separator = "";
    wabe_config_walk walk = {.left = set};
    while (wabe_config_next_row(&walk)) {
        if (strncmp(walk.row->path, path, before) != 0)
            continue;
        const char *part = walk.row->path + before;
        size_t length = strcspn(part, ".");
        if (!wabe_config_is_first(set, walk.row, before + length + 1))
            continue;
        wabe_config_append(out, size, "%s%.*s", separator, (int)length, part);
        separator = ", ";
    }
}

static wabe_status fail_unknown(const wabe_config *config, wabe_config_tables set,
                                const config_setting_t *base, const config_setting_t *setting,
                                const char *path) {
    char full[WABE_CONFIG_PATH_SIZE];
    path_of(setting, full, sizeof full);
    char prefix[WABE_CONFIG_PATH_SIZE];
    path_of(base, prefix, sizeof prefix);
    char body[WABE_CONFIG_BODY_SIZE] = "";
    wabe_config_append(body, sizeof body, "unknown %s '%s'; ",
                       config_setting_is_group(setting) ? "group" : "key", full);
    wabe_closest closest = closest_path(set, path);
    if (closest.word) {
        wabe_config_append(body, sizeof body, "did you mean '%s%s%.*s'?", prefix,
                           prefix[0] ? "." : "", (int)closest.length, closest.word);
    } else {
        wabe_config_append(body, sizeof body, "known here: ");
        append_known(set, path, body, sizeof body);
    }
    return fail_body(config, setting, body);
}

/* Something else is where a group must be; the message shows the first key of the group. */
static wabe_status fail_group(const wabe_config *config, wabe_config_tables set,
                              const config_setting_t *setting, const char *path) {
    const size_t length = strlen(path);
    wabe_config_walk walk = {.left = set};
    char example[WABE_CONFIG_PATH_SIZE] = "...";
    while (wabe_config_next_row(&walk))
        if (strncmp(walk.row->path, path, length) == 0 && walk.row->path[length] == '.')
            break;
    const char *key = walk.row ? walk.row->path + length + 1 : "";
    const char *word = walk.row && walk.row->words ? strrchr(walk.row->words, '|') : NULL;
    if (word && !strchr(key, '.'))
        snprintf(example, sizeof example, "%s = \"%s\";", key, word + 1);
    return fail_key(config, setting, "must be a group, such as %s = { %s }",
                    config_setting_name(setting), example);
}

/* Checks that all settings of a group are known; group_path is relative to base, the root or an
 * element of a list. */
static wabe_status check_known(const wabe_config *config, wabe_config_tables set,
                               const config_setting_t *base, const config_setting_t *group,
                               const char *group_path) {
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        char path[WABE_CONFIG_PATH_SIZE];
        int length = snprintf(path, sizeof path, "%s%s%s", group_path, group_path[0] ? "." : "",
                              config_setting_name(setting));
        known_as known = length < WABE_CONFIG_PATH_SIZE ? look_up(set, path) : UNKNOWN;
        if (known == UNKNOWN)
            return fail_unknown(config, set, base, setting, path);
        if (known == KNOWN_KEY)
            continue;
        if (!config_setting_is_group(setting))
            return fail_group(config, set, setting, path);
        WABE_TRY(check_known(config, set, base, setting, path));
    }
    return WABE_OK;
}

/* ---- Reading values ----------------------------------------------------------------- */

void wabe_config_append_words(const char *words, char *out, size_t size) {
    const char *separator = "";
    const char *word;
    size_t length;
    while (wabe_config_next_word(&words, &word, &length)) {
        wabe_config_append(out, size, "%s\"%.*s\"", separator, (int)length, word);
        separator = ", ";
    }
}

/* Appends the value that a row expects, for a message. */
static void append_expected(const wabe_option *row, char *out, size_t size) {
    static const char *const expected[] = {
        [WABE_OPTION_BOOL] = "true or false",
        [WABE_OPTION_INT] = "an integer, such as 64",
        [WABE_OPTION_REAL] = "a number, such as 0.5",
        [WABE_OPTION_STRING] = "a text in quotes",
        [WABE_OPTION_WORD] = "one of ",
        [WABE_OPTION_INT3] = "three integers, such as [64, 64, 64]",
        [WABE_OPTION_REAL3] = "three numbers, such as [0.0, 0.0, 1.0]",
        [WABE_OPTION_LIST] = "a list of groups, such as ( { ... }, { ... } )",
    };
    wabe_config_append(out, size, "%s", expected[row->type]);
    if (row->type == WABE_OPTION_WORD)
        wabe_config_append_words(row->words, out, size);
}

static wabe_status fail_expected(const wabe_config *config, const config_setting_t *setting,
                                 const char *expected) {
    char found[LINE_SIZE];
    describe(setting, found, sizeof found);
    const char *quote = config_setting_type(setting) == CONFIG_TYPE_STRING ? "\"" : "";
    return fail_key(config, setting, "must be %s, is %s%s%s", expected, quote, found, quote);
}

static wabe_status fail_type(const wabe_config *config, const wabe_option *row,
                             const config_setting_t *setting) {
    char expected[WABE_CONFIG_BODY_SIZE / 2] = "";
    append_expected(row, expected, sizeof expected);
    return fail_expected(config, setting, expected);
}

static bool get_int(const config_setting_t *setting, int64_t *value) {
    int type = config_setting_type(setting);
    *value = config_setting_get_int64(setting); /* 0 if it is not an integer */
    return type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64;
}

/* Reads an integer, or a real such as 1e4 that is one; below 2^53 doubles represent integers
 * exactly. */
static bool get_whole(const config_setting_t *setting, int64_t *value) {
    if (get_int(setting, value))
        return true;
    const double real = config_setting_get_float(setting); /* 0 if it is not a real */
    if (config_setting_type(setting) != CONFIG_TYPE_FLOAT || !(fabs(real) < 0x1p53) ||
        real != trunc(real))
        return false;
    *value = (int64_t)real;
    return true;
}

static bool get_real(const config_setting_t *setting, double *value) {
    int64_t integer;
    bool is_int = get_int(setting, &integer);
    *value = is_int ? (double)integer : config_setting_get_float(setting);
    return is_int || config_setting_type(setting) == CONFIG_TYPE_FLOAT;
}

static wabe_status check_range(const wabe_config *config, const wabe_option *row,
                               const config_setting_t *setting, double value) {
    WABE_CHECK(row->min <= row->max, WABE_INTERNAL, "the range of '%s' is empty", row->path);
    if (!isfinite(value))
        return fail_key(config, setting, "must be a finite number");
    bool any = row->min == 0 && row->max == 0;
    if (any || (value >= row->min && value <= row->max))
        return WABE_OK;
    char limit[40];
    wabe_config_format_limit(value < row->min ? row->min : row->max, limit, sizeof limit);
    char found[LINE_SIZE];
    describe(setting, found, sizeof found);
    bool has_unit = row->unit && row->unit[0];
    bool low = value < row->min, positive = low && row->min == WABE_ABOVE_0;
    return fail_key(config, setting, "must be %s %s, is %s%s%s%s",
                    positive ? "above"
                    : low    ? "at least"
                             : "at most",
                    positive ? "0" : limit, found, has_unit ? " (unit: " : "",
                    has_unit ? row->unit : "", has_unit ? ")" : "");
}

static wabe_status read_int(const wabe_config *config, const wabe_option *row,
                            const config_setting_t *setting, int64_t *at) {
    int64_t value;
    if (!get_whole(setting, &value))
        return fail_expected(config, setting, "an integer, such as 64");
    WABE_TRY(check_range(config, row, setting, (double)value));
    *at = value;
    return WABE_OK;
}

static wabe_status read_real(const wabe_config *config, const wabe_option *row,
                             const config_setting_t *setting, double *at) {
    double value;
    if (!get_real(setting, &value))
        return fail_expected(config, setting, "a number, such as 0.5");
    WABE_TRY(check_range(config, row, setting, value));
    *at = value;
    return WABE_OK;
}

static wabe_status read_string(const wabe_config *config, const wabe_option *row,
                               const config_setting_t *setting, char *at) {
    const char *text = config_setting_get_string(setting);
    if (!text)
        return fail_type(config, row, setting);
    if (strlen(text) >= WABE_STRING_SIZE)
        return fail_key(config, setting, "must have at most %d bytes, has %zu",
                        WABE_STRING_SIZE - 1, strlen(text));
    const char *bad = wabe_text_find_bad(text);
    if (bad)
        return fail_key(config, setting,
                        "must be UTF-8 without control characters; it has the byte \\x%02x",
                        (unsigned char)*bad);
    memset(at, 0, WABE_STRING_SIZE);
    memcpy(at, text, strlen(text));
    return WABE_OK;
}

static wabe_status read_word(const wabe_config *config, const wabe_option *row,
                             const config_setting_t *setting, int *at) {
    const char *text = config_setting_get_string(setting);
    if (!text)
        return fail_type(config, row, setting);
    wabe_closest closest = {0};
    const char *words = row->words;
    const char *word;
    size_t length;
    for (int place = 0; wabe_config_next_word(&words, &word, &length); place++) {
        if (strlen(text) == length && strncmp(text, word, length) == 0) {
            *at = place;
            return WABE_OK;
        }
        wabe_closest_offer(&closest, wabe_closest_distance(text, strlen(text), word, length), word,
                           length);
    }
    if (!closest.word)
        return fail_type(config, row, setting);
    char expected[WABE_CONFIG_BODY_SIZE / 2] = "";
    append_expected(row, expected, sizeof expected);
    char found[LINE_SIZE];
    describe(setting, found, sizeof found);
    return fail_key(config, setting, "must be %s, is \"%s\"; did you mean \"%.*s\"?", expected,
                    found, (int)closest.length, closest.word);
}

static wabe_status read_three(const wabe_config *config, const wabe_option *row,
                              const config_setting_t *setting, void *at) {
    if (!config_setting_is_list(setting) || config_setting_length(setting) != 3)
        return fail_type(config, row, setting);
    for (unsigned i = 0; i < 3; i++) {
        const config_setting_t *part = config_setting_get_elem(setting, i);
        WABE_TRY(row->type == WABE_OPTION_INT3 ? read_int(config, row, part, (int64_t *)at + i)
                                               : read_real(config, row, part, (double *)at + i));
    }
    return WABE_OK;
}

static wabe_status fill_defaults(wabe_config *config, const wabe_option *rows, void *target);
static wabe_status read_rows(wabe_config *config, const wabe_option *rows, void *target,
                             const config_setting_t *base);

static void *config_alloc(wabe_config *config, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(wabe_config_block), &bytes))
        return NULL;
    wabe_config_block *block = calloc(1, bytes);
    if (!block)
        return NULL;
    block->next = config->blocks;
    config->blocks = block;
    return block->bytes;
}

static wabe_status read_element(wabe_config *config, const wabe_option *row,
                                const config_setting_t *setting, void *item) {
    if (!config_setting_is_group(setting))
        return fail_expected(config, setting, "a group, such as { ... }");
    wabe_option_table table = {row->elements, item};
    WABE_TRY(check_known(config, (wabe_config_tables){1, &table}, setting, setting, ""));
    return read_rows(config, row->elements, item, setting);
}

static wabe_status read_list(wabe_config *config, const wabe_option *row,
                             const config_setting_t *setting, wabe_option_list *at) {
    if (!config_setting_is_list(setting))
        return fail_type(config, row, setting);
    size_t count = (size_t)config_setting_length(setting);
    *at = (wabe_option_list){0};
    if (count == 0)
        return WABE_OK;
    char *items = config_alloc(config, count, row->element_size);
    WABE_CHECK(items, WABE_MEMORY, "no memory for the %zu elements of '%s'", count, row->path);
    WABE_TRY(fill_defaults(config, row->elements, items));
    for (size_t i = 0; i < count; i++) {
        const config_setting_t *group = config_setting_get_elem(setting, (unsigned)i);
        char *item = items + i * row->element_size;
        if (i + 1 < count) /* each item starts from the defaults, not from the one before */
            memcpy(item + row->element_size, item, row->element_size);
        WABE_TRY(read_element(config, row, group, item));
    }
    *at = (wabe_option_list){(int64_t)count, items};
    return WABE_OK;
}

static wabe_status read_setting(wabe_config *config, const wabe_option *row,
                                const config_setting_t *setting, void *target) {
    void *at = (char *)target + row->offset;
    switch (row->type) {
    case WABE_OPTION_BOOL:
        if (config_setting_type(setting) != CONFIG_TYPE_BOOL)
            return fail_type(config, row, setting);
        *(bool *)at = config_setting_get_bool(setting);
        return WABE_OK;
    case WABE_OPTION_INT:
        return read_int(config, row, setting, at);
    case WABE_OPTION_REAL:
        return read_real(config, row, setting, at);
    case WABE_OPTION_STRING:
        return read_string(config, row, setting, at);
    case WABE_OPTION_WORD:
        return read_word(config, row, setting, at);
    case WABE_OPTION_INT3:
    case WABE_OPTION_REAL3:
        return read_three(config, row, setting, at);
    case WABE_OPTION_LIST:
        return read_list(config, row, setting, at);
    }
    return WABE_FAIL(WABE_INTERNAL, "the row of '%s' has no type", row->path);
}

/* ---- Defaults ----------------------------------------------------------------------- */

bool wabe_config_may_be_unset(const wabe_option *row) {
    return row->default_value && strcmp(row->default_value, "unset") == 0;
}

static void set_unset(const wabe_option *row, void *target) {
    void *at = (char *)target + row->offset;
    switch (row->type) {
    case WABE_OPTION_BOOL:
        *(bool *)at = false;
        break;
    case WABE_OPTION_INT:
    case WABE_OPTION_INT3:
        for (int i = 0; i < (row->type == WABE_OPTION_INT ? 1 : 3); i++)
            ((int64_t *)at)[i] = INT64_MIN;
        break;
    case WABE_OPTION_REAL:
    case WABE_OPTION_REAL3:
        for (int i = 0; i < (row->type == WABE_OPTION_REAL ? 1 : 3); i++)
            ((double *)at)[i] = NAN;
        break;
    case WABE_OPTION_STRING:
        memset(at, 0, WABE_STRING_SIZE);
        break;
    case WABE_OPTION_WORD:
        *(int *)at = -1;
        break;
    case WABE_OPTION_LIST:
        *(wabe_option_list *)at = (wabe_option_list){0};
        break;
    }
}

/* Sets a default; a required key is left unset until it is read. */
static wabe_status fill_default(wabe_config *config, const wabe_option *row, void *target) {
    set_unset(row, target);
    if (!row->default_value || wabe_config_may_be_unset(row))
        return WABE_OK;
    static char origin[] = "its default";
    config_t tree;
    config_init(&tree);
    wabe_status status = read_value(origin, row->default_value, &tree);
    if (status == WABE_OK) {
        config_setting_t *setting = config_setting_get_elem(config_root_setting(&tree), 0);
        config_setting_set_hook(setting, origin);
        status = read_setting(config, row, setting, target);
    }
    config_destroy(&tree);
    if (status == WABE_INPUT) /* the table is wrong, not the input */
        return WABE_FAIL(WABE_INTERNAL, "'%s': %s", row->path, wabe_error_message());
    return status;
}

static wabe_status fill_defaults(wabe_config *config, const wabe_option *rows, void *target) {
    for (; rows->path; rows++)
        WABE_TRY(fill_default(config, rows, target));
    return WABE_OK;
}

/* ---- Reading tables ----------------------------------------------------------------- */

static wabe_status fail_missing(const wabe_config *config, const wabe_option *row,
                                const config_setting_t *base) {
    char prefix[WABE_CONFIG_PATH_SIZE];
    path_of(base, prefix, sizeof prefix);
    char body[WABE_CONFIG_BODY_SIZE] = "";
    wabe_config_append(body, sizeof body, "missing key '%s%s%s', ", prefix, prefix[0] ? "." : "",
                       row->path);
    append_expected(row, body, sizeof body);
    wabe_config_append(body, sizeof body, ": %s", row->help ? row->help : "");
    return fail_body(config, base, body);
}

static wabe_status read_row(wabe_config *config, const wabe_option *row, void *target,
                            const config_setting_t *base) {
    const config_setting_t *setting = find(base, row->path);
    if (setting)
        return read_setting(config, row, setting, target);
    return row->default_value ? WABE_OK : fail_missing(config, row, base);
}

static wabe_status read_rows(wabe_config *config, const wabe_option *rows, void *target,
                             const config_setting_t *base) {
    for (; rows->path; rows++)
        WABE_TRY(read_row(config, rows, target, base));
    return WABE_OK;
}

wabe_status wabe_config_read(wabe_config *config, int table_count,
                             const wabe_option_table tables[]) {
    const config_setting_t *root = config_root_setting(&config->tree);
    for (int i = 0; i < table_count; i++)
        WABE_TRY(fill_defaults(config, tables[i].options, tables[i].target));
    /* Before missing keys, so that a mistyped required key is reported as such. */
    WABE_TRY(check_known(config, (wabe_config_tables){table_count, tables}, root, root, ""));
    for (int i = 0; i < table_count; i++)
        WABE_TRY(read_rows(config, tables[i].options, tables[i].target, root));
    return WABE_OK;
}

wabe_status wabe_config_read_one(wabe_config *config, const wabe_option *option, void *target) {
    WABE_TRY(fill_default(config, option, target));
    return read_row(config, option, target, config_root_setting(&config->tree));
}

bool wabe_config_is_given(const wabe_config *config, const char *path) {
    return find(config_root_setting(&config->tree), path);
}

void wabe_config_place(const wabe_config *config, const char *path, char *out, size_t size) {
    const config_setting_t *setting = find(config_root_setting(&config->tree), path);
    const char *origin = origin_of(setting);
    if (origin)
        snprintf(out, size, "%s: ", origin);
    else if (setting)
        snprintf(out, size, "%.600s:%u: ", config->name, config_setting_source_line(setting));
    else
        snprintf(out, size, "%s", "");
}

wabe_status wabe_config_fail(const wabe_config *config, const char *path, const char *format, ...) {
    char body[WABE_CONFIG_BODY_SIZE] = "";
    wabe_config_append(body, sizeof body, "'%.*s' ", WABE_CONFIG_PATH_SIZE, path);
    va_list arguments;
    va_start(arguments, format);
    wabe_config_append_arguments(body, sizeof body, format, arguments);
    va_end(arguments);
    const config_setting_t *setting = find(config_root_setting(&config->tree), path);
    if (setting)
        return fail_body(config, setting, body);
    char overrides[WABE_CONFIG_BODY_SIZE] = "";
    append_overrides(config, body, overrides, sizeof overrides);
    return WABE_FAIL(WABE_INPUT, "%s%s", body, overrides);
}

wabe_status wabe_config_fail_because(const wabe_config *config, const char *path,
                                     const char *message) {
    return wabe_config_fail(config, path, "%s: %s", message, wabe_error_message());
}
