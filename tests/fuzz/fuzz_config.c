/* Any text must be read or refused: no crash, no leak, no hang; and what was read must survive
 * being printed and read again. The bytes up to a first NUL are the file, each text between later
 * NULs is an override. */
#include "core/config/option.h"
#include "tests/fuzz/target.h"

typedef struct {
    int64_t value;
} mark;

typedef struct {
    int kind;
    double radius;
    wabe_option_list marks;
} object;

typedef struct {
    bool flag;
    int64_t count;
    double real;
    char text[WABE_STRING_SIZE];
    int word;
    int64_t cells[3];
    double force[3];
    wabe_option_list objects;
} options;

static const wabe_option mark_rows[] = {
    {.path = "value",
     .type = WABE_OPTION_INT,
     .offset = offsetof(mark, value),
     .default_value = "unset"},
    {0},
};

static const wabe_option object_rows[] = {
    {.path = "kind",
     .type = WABE_OPTION_WORD,
     .offset = offsetof(object, kind),
     .default_value = "sphere",
     .words = "sphere|box"},
    {.path = "size.radius", .type = WABE_OPTION_REAL, .offset = offsetof(object, radius)},
    {.path = "marks",
     .type = WABE_OPTION_LIST,
     .offset = offsetof(object, marks),
     .default_value = "()",
     .elements = mark_rows,
     .element_size = sizeof(mark)},
    {0},
};

static const wabe_option rows[] = {
    {.path = "flag",
     .type = WABE_OPTION_BOOL,
     .offset = offsetof(options, flag),
     .default_value = "true"},
    {.path = "run.count",
     .type = WABE_OPTION_INT,
     .offset = offsetof(options, count),
     .default_value = "1",
     .min = -4e18,
     .max = 4e18,
     .unit = "steps"},
    {.path = "run.real",
     .type = WABE_OPTION_REAL,
     .offset = offsetof(options, real),
     .default_value = "unset"},
    {.path = "output.text",
     .type = WABE_OPTION_STRING,
     .offset = offsetof(options, text),
     .default_value = "\"text\""},
    {.path = "run.word",
     .type = WABE_OPTION_WORD,
     .offset = offsetof(options, word),
     .default_value = "srt",
     .words = "srt|trt|mrt"},
    {.path = "cells",
     .type = WABE_OPTION_INT3,
     .offset = offsetof(options, cells),
     .default_value = "[1, 1, 1]"},
    {.path = "run.force",
     .type = WABE_OPTION_REAL3,
     .offset = offsetof(options, force),
     .default_value = "unset"},
    {.path = "objects",
     .type = WABE_OPTION_LIST,
     .offset = offsetof(options, objects),
     .default_value = "()",
     .elements = object_rows,
     .element_size = sizeof(object)},
    {0},
};

enum { OVERRIDES_MAX = 8 };

static wabe_config *read_all(const char *text, int override_count, const char *const overrides[],
                             options *target) {
    wabe_option_table table = {rows, target};
    wabe_config *config;
    wabe_status status = wabe_config_parse("fuzz.cfg", text, override_count, overrides, &config);
    if (status == WABE_OK)
        status = wabe_config_read(config, 1, &table);
    if (status == WABE_OK)
        return config;
    if (status != WABE_INPUT || !wabe_error_message()[0])
        abort();
    wabe_config_destroy(&config);
    return NULL;
}

static char *print_all(options *target) {
    wabe_option_table table = {rows, target};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        abort();
    wabe_config_print_resolved(file, 1, &table);
    fclose(file);
    return text;
}

static void check_round_trip(options *first) {
    char *text = print_all(first);
    options second;
    wabe_config *config = read_all(text, 0, NULL, &second);
    if (!config) {
        fprintf(stderr, "%s\n", wabe_error_message());
        abort();
    }
    char *again = print_all(&second);
    if (strcmp(text, again) != 0)
        abort();
    free(again);
    free(text);
    wabe_config_destroy(&config);
}

/* NOLINTNEXTLINE(readability-identifier-naming) */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text)
        abort();
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    const char *overrides[OVERRIDES_MAX];
    int count = 0;
    for (size_t i = strlen(text) + 1; i < size && count < OVERRIDES_MAX; i += strlen(text + i) + 1)
        overrides[count++] = text + i;
    options target;
    wabe_config *config = read_all(text, count, overrides, &target);
    if (config) {
        check_round_trip(&target);
        wabe_config_fail(config, "objects[1].size.radius", "is wrong");
        wabe_config_fail(config, "run.count", "is wrong");
    }
    wabe_config_destroy(&config);
    free(text);
    return 0;
}
