/* Contract of wabe_config_differences: which key two sets of options differ in first. */
#include "core/config/option.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    int64_t value;
    double size;
} mark;

typedef struct {
    bool overlap;
    int64_t steps, cells[3];
    double tau, force[3];
    char name[WABE_STRING_SIZE];
    int collision;
    wabe_option_list marks;
} options;

#define AT(member) .offset = offsetof(options, member)

static const wabe_option mark_rows[] = {
    {.path = "value", .type = WABE_OPTION_INT, .offset = offsetof(mark, value), .help = "V."},
    {.path = "size", .type = WABE_OPTION_REAL, .offset = offsetof(mark, size), .help = "S."},
    {0},
};

static const wabe_option rows[] = {
    {.path = "run.overlap", .type = WABE_OPTION_BOOL, AT(overlap), .help = "O."},
    {.path = "run.steps", .type = WABE_OPTION_INT, AT(steps), .help = "S."},
    {.path = "cells", .type = WABE_OPTION_INT3, AT(cells), .help = "C."},
    {.path = "lbm.tau", .type = WABE_OPTION_REAL, AT(tau), .help = "T."},
    {.path = "lbm.force", .type = WABE_OPTION_REAL3, AT(force), .help = "F."},
    {.path = "name", .type = WABE_OPTION_STRING, AT(name), .help = "N."},
    {.path = "lbm.collision",
     .type = WABE_OPTION_WORD,
     AT(collision),
     .words = "srt|trt",
     .help = "C."},
    {.path = "marks",
     .type = WABE_OPTION_LIST,
     AT(marks),
     .elements = mark_rows,
     .element_size = sizeof(mark),
     .help = "M."},
    {0},
};

static mark first_marks[2] = {{1, 0.5}, {2, NAN}};

static options usual(void) {
    return (options){.overlap = true,
                     .steps = 10,
                     .cells = {4, 5, 6},
                     .tau = NAN, /* unset */
                     .force = {0.0, 1e-5, 0.0},
                     .name = "a",
                     .marks = {2, first_marks}};
}

static void keep_first(void *context, const char *path, const char *a, const char *b) {
    const char **first = context;
    (void)a, (void)b;
    *first = *first ? *first : path;
}

static const char *difference(options *b, const char *const may_differ[]) {
    const char *first = NULL;
    options a = usual();
    const wabe_option_table of_a = {rows, &a}, of_b = {rows, b};
    wabe_config_differences(1, &of_a, &of_b, may_differ, keep_first, &first);
    return first;
}

static const char *const nothing[] = {NULL};

#define DIFFERS(key, change)                                                                       \
    {                                                                                              \
        options b = usual();                                                                       \
        change;                                                                                    \
        const char *found = difference(&b, nothing);                                               \
        assert_non_null(found);                                                                    \
        assert_string_equal(found, key);                                                           \
    }

static void each_type_shows(void **state) {
    (void)state;
    mark other[2] = {{1, 0.5}, {2, 3.0}}, fewer[1] = {{1, 0.5}};
    options same = usual();
    mark copy[2] = {{1, 0.5}, {2, NAN}};
    same.marks.items = copy;
    assert_null(difference(&same, nothing));
    DIFFERS("run.overlap", b.overlap = false)
    DIFFERS("run.steps", b.steps++)
    DIFFERS("cells", b.cells[2]++)
    DIFFERS("lbm.tau", b.tau = 0.6)
    DIFFERS("lbm.force", b.force[1] = nextafter(1e-5, 1.0))
    DIFFERS("name", strcpy(b.name, "b"))
    DIFFERS("lbm.collision", b.collision = 1)
    DIFFERS("marks", b.marks.items = other)
    DIFFERS("marks", (b.marks = (wabe_option_list){1, fewer}))
}

static void the_first_of_the_rows_is_named(void **state) {
    (void)state;
    DIFFERS("run.steps", (b.collision = 1, b.steps = 3, b.tau = 1.0))
}

static void note(void *context, const char *path, const char *a, const char *b) {
    char *text = context;
    snprintf(text + strlen(text), 200 - strlen(text), "%s %s %s;", path, a, b);
}

static void all_are_visited_with_their_values(void **state) {
    (void)state;
    options a = usual(), b = usual();
    const wabe_option_table of_a = {rows, &a}, of_b = {rows, &b};
    char text[200] = "";
    b.collision = 1, b.steps = 3, b.tau = 1.5, b.overlap = false;
    wabe_config_differences(1, &of_a, &of_b, (const char *const[]){"run.overlap", NULL}, note,
                            text);
    assert_string_equal(text, "run.steps 10 3;lbm.tau  1.5;lbm.collision \"srt\" \"trt\";");
}

static void keys_and_groups_may_differ(void **state) {
    (void)state;
    options b = usual();
    b.steps = 3;
    b.overlap = false;
    assert_null(difference(&b, (const char *const[]){"run.", NULL}));
    assert_string_equal(difference(&b, (const char *const[]){"run.steps", NULL}), "run.overlap");
    assert_string_equal(difference(&b, (const char *const[]){"run", "run.step", NULL}),
                        "run.overlap");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_shows),
        cmocka_unit_test(the_first_of_the_rows_is_named),
        cmocka_unit_test(all_are_visited_with_their_values),
        cmocka_unit_test(keys_and_groups_may_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
