/* Contracts of core/config/option.h: what is read, what is refused and in which words, what is
 * printed. */
#include "core/base/box.h"
#include "core/config/option.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    int64_t value;
} mark;

typedef struct {
    int kind;
    double radius;
    double center[3];
    wabe_option_list marks;
} object;

typedef struct {
    bool overlap;
    int64_t steps;
    double tau;
    char name[WABE_STRING_SIZE];
    int collision;
    int64_t cells[3];
    double force[3];
    wabe_option_list objects;
    int64_t seed;
    double reynolds;
    char note[WABE_STRING_SIZE];
    int kernel;
    int64_t planes[3];
    double origin[3];
} options;

static const wabe_option mark_rows[] = {
    {.path = "value", .type = WABE_OPTION_INT, .offset = offsetof(mark, value), .help = "Mark."},
    {0},
};

static const wabe_option object_rows[] = {
    {.path = "kind",
     .type = WABE_OPTION_WORD,
     .offset = offsetof(object, kind),
     .default_value = "\"sphere\"",
     .words = "sphere|box",
     .help = "Shape."},
    {.path = "radius",
     .type = WABE_OPTION_REAL,
     .offset = offsetof(object, radius),
     .max = INFINITY,
     .unit = "m",
     .help = "Size."},
    {.path = "place.center",
     .type = WABE_OPTION_REAL3,
     .offset = offsetof(object, center),
     .default_value = "[0, 0.5, 1]",
     .help = "Center."},
    {.path = "marks",
     .type = WABE_OPTION_LIST,
     .offset = offsetof(object, marks),
     .default_value = "()",
     .help = "Marks.",
     .elements = mark_rows,
     .element_size = sizeof(mark)},
    {0},
};

/* Two tables share the group lbm, and the second comes back to it after another group. */
static const wabe_option first_rows[] = {
    {.path = "steps",
     .type = WABE_OPTION_INT,
     .offset = offsetof(options, steps),
     .default_value = "100",
     .min = 1,
     .max = 1e15,
     .unit = "steps",
     .help = "Number of steps."},
    {.path = "lbm.tau",
     .type = WABE_OPTION_REAL,
     .offset = offsetof(options, tau),
     .default_value = "0.6",
     .min = 0.5,
     .max = 2,
     .unit = "lattice units",
     .help = "Relaxation time."},
    {.path = "domain.cells",
     .type = WABE_OPTION_INT3,
     .offset = offsetof(options, cells),
     .min = 1,
     .max = 1e6,
     .unit = "cells",
     .help = "Size of the domain."},
    {.path = "domain.origin",
     .type = WABE_OPTION_REAL3,
     .offset = offsetof(options, origin),
     .default_value = "unset",
     .help = "Corner."},
    {0},
};

static const wabe_option second_rows[] = {
    {.path = "lbm.collision",
     .type = WABE_OPTION_WORD,
     .offset = offsetof(options, collision),
     .default_value = "trt",
     .words = "srt|trt",
     .help = "Operator: a|b."},
    {.path = "lbm.force",
     .type = WABE_OPTION_REAL3,
     .offset = offsetof(options, force),
     .default_value = "[0, 0, 1e-6]",
     .help = "Force."},
    {.path = "parallel.overlap",
     .type = WABE_OPTION_BOOL,
     .offset = offsetof(options, overlap),
     .default_value = "true",
     .help = "Hide communication."},
    {.path = "output.name",
     .type = WABE_OPTION_STRING,
     .offset = offsetof(options, name),
     .default_value = "\"run\"",
     .help = "Name."},
    {.path = "geometry.objects",
     .type = WABE_OPTION_LIST,
     .offset = offsetof(options, objects),
     .default_value = "()",
     .help = "Bodies.",
     .elements = object_rows,
     .element_size = sizeof(object)},
    {.path = "lbm.seed",
     .type = WABE_OPTION_INT,
     .offset = offsetof(options, seed),
     .default_value = "unset",
     .help = "Seed."},
    {.path = "lbm.reynolds",
     .type = WABE_OPTION_REAL,
     .offset = offsetof(options, reynolds),
     .default_value = "unset",
     .help = "Reynolds number."},
    {.path = "output.note",
     .type = WABE_OPTION_STRING,
     .offset = offsetof(options, note),
     .default_value = "unset",
     .help = "Note."},
    {.path = "lbm.kernel",
     .type = WABE_OPTION_WORD,
     .offset = offsetof(options, kernel),
     .default_value = "unset",
     .words = "plain|fast",
     .help = "Kernel."},
    {.path = "parallel.planes",
     .type = WABE_OPTION_INT3,
     .offset = offsetof(options, planes),
     .default_value = "unset",
     .help = "Planes."},
    {0},
};

#define CELLS "domain = { cells = [8, 8, 8]; };\n"

static wabe_config *config;
static options read_options;
static const wabe_option_table tables[] = {{first_rows, &read_options},
                                           {second_rows, &read_options}};

static wabe_status read_with(const char *text, int count, const char *const overrides[]) {
    memset(&read_options, 0xAB, sizeof read_options);
    wabe_config_destroy(&config);
    WABE_TRY(wabe_config_parse("case.cfg", text, count, overrides, &config));
    return wabe_config_read(config, 2, tables);
}

static void accept(const char *text) {
    if (read_with(text, 0, NULL) != WABE_OK)
        fail_msg("%s", wabe_error_message());
}

static void accept_override(const char *text, const char *override) {
    if (read_with(text, 1, &override) != WABE_OK)
        fail_msg("%s", wabe_error_message());
}

static void refuse(const char *text, const char *message) {
    assert_int_equal(read_with(text, 0, NULL), WABE_INPUT);
    assert_string_equal(wabe_error_message(), message);
}

static void refuse_override(const char *text, const char *override, const char *message) {
    assert_int_equal(read_with(text, 1, &override), WABE_INPUT);
    assert_string_equal(wabe_error_message(), message);
}

static int clean_up(void **state) {
    (void)state;
    wabe_config_destroy(&config);
    return 0;
}

static void test_defaults(void **state) {
    (void)state;
    accept(CELLS);
    assert_int_equal(read_options.steps, 100);
    assert_true(read_options.tau == 0.6);
    assert_true(read_options.overlap);
    assert_string_equal(read_options.name, "run");
    assert_int_equal(read_options.collision, 1);
    assert_true(read_options.force[0] == 0 && read_options.force[2] == 1e-6);
    assert_int_equal(read_options.objects.count, 0);
}

static void test_unset(void **state) {
    (void)state;
    accept(CELLS);
    assert_true(read_options.seed == INT64_MIN);
    assert_true(isnan(read_options.reynolds));
    assert_string_equal(read_options.note, "");
    assert_int_equal(read_options.kernel, -1);
    for (int i = 0; i < 3; i++) {
        assert_true(read_options.planes[i] == INT64_MIN);
        assert_true(isnan(read_options.origin[i]));
    }
}

static void test_every_type(void **state) {
    (void)state;
    accept("steps = 7; // comments of all kinds\n"
           "domain : { cells = (1, 0x20, 3); origin = [0, -0.5, 1e2,]; }\n"
           "lbm = { tau = 1 /* an integer */, collision = \"srt\"; }\n"
           "parallel = { overlap = FALSE } # the end\n"
           "output = { name = \"a \\\"b\\\"\" \" c\"; };");
    assert_int_equal(read_options.steps, 7);
    assert_int_equal(read_options.cells[1], 32);
    assert_true(read_options.origin[1] == -0.5 && read_options.origin[2] == 100);
    assert_true(read_options.tau == 1);
    assert_int_equal(read_options.collision, 0);
    assert_false(read_options.overlap);
    assert_string_equal(read_options.name, "a \"b\" c");
}

static void test_list(void **state) {
    (void)state;
    accept(CELLS "geometry = { objects = (\n"
                 "  { radius = 1; kind = \"box\"; marks = ({value = 4;}, {value = 5;}); },\n"
                 "  { radius = 2; place = { center = [1, 2, 3]; }; },\n"
                 "  { radius = 3; } ); };");
    assert_int_equal(read_options.objects.count, 3);
    const object *objects = read_options.objects.items;
    assert_int_equal(objects[0].kind, 1);
    assert_true(objects[0].center[1] == 0.5);
    assert_int_equal(objects[0].marks.count, 2);
    assert_int_equal(((mark *)objects[0].marks.items)[1].value, 5);
    assert_int_equal(objects[1].kind, 0); /* nothing stays from the element before */
    assert_int_equal(objects[1].marks.count, 0);
    assert_true(objects[1].radius == 2 && objects[1].center[2] == 3);
    assert_true(objects[2].radius == 3 && objects[2].center[2] == 1);
}

static void test_wide_integers(void **state) {
    (void)state;
    accept(CELLS "lbm = { seed = 5000000000; };");
    assert_true(read_options.seed == 5000000000);
    accept(CELLS "lbm = { seed = 0xFFFFFFFF; };");
    assert_true(read_options.seed == 0xFFFFFFFF);
    accept(CELLS "lbm = { seed = -9223372036854775807; };");
    assert_true(read_options.seed == -INT64_MAX);
    accept(CELLS "lbm = { seed = 9223372036854775807L; reynolds = 3000000000; };");
    assert_true(read_options.seed == INT64_MAX);
    assert_true(read_options.reynolds == 3e9);
    refuse(CELLS "lbm = { seed = 9223372036854775808; };",
           "case.cfg:2: '9223372036854775808' does not fit into a 64-bit integer\n"
           "    2 | lbm = { seed = 9223372036854775808; };");
    refuse(CELLS "lbm = { seed = 0x10000000000000000L; };",
           "case.cfg:2: '0x10000000000000000L' does not fit into a 64-bit integer\n"
           "    2 | lbm = { seed = 0x10000000000000000L; };");
    refuse(CELLS "lbm = { seed = -9223372036854775808L; };", /* it stands for unset */
           "case.cfg:2: '-9223372036854775808L' does not fit into a 64-bit integer\n"
           "    2 | lbm = { seed = -9223372036854775808L; };");
    refuse(CELLS "lbm = { seed = 010; };", "case.cfg:2: '010' has a leading zero\n"
                                           "    2 | lbm = { seed = 010; };");
}

/* A number with a point or an exponent will do for an integer if it is one, and told exactly. */
static void test_integers_as_numbers(void **state) {
    (void)state;
    accept("steps = 1e4; domain = { cells = [8.0, 1.6e1, 3]; }; lbm = { seed = -2.5E1; };");
    assert_int_equal(read_options.steps, 10000);
    assert_int_equal(read_options.cells[0], 8);
    assert_int_equal(read_options.cells[1], 16);
    assert_int_equal(read_options.seed, -25);
    accept_override(CELLS, "steps=1e4");
    assert_int_equal(read_options.steps, 10000);
    accept(CELLS "lbm = { seed = 9007199254740991.0; };");
    assert_true(read_options.seed == (INT64_C(1) << 53) - 1);
    refuse(CELLS "steps = 1.5;", "case.cfg:2: 'steps' must be an integer, such as 64, is 1.5\n"
                                 "    2 | steps = 1.5;");
    refuse(CELLS "lbm = { seed = 1e30; };",
           "case.cfg:2: 'lbm.seed' must be an integer, such as 64, is 1e+30\n"
           "    2 | lbm = { seed = 1e30; };");
    refuse(CELLS "lbm = { seed = 9007199254740993.0; };", /* a double has no place for it */
           "case.cfg:2: 'lbm.seed' must be an integer, such as 64, is 9007199254740992.0\n"
           "    2 | lbm = { seed = 9007199254740993.0; };");
    refuse(CELLS "lbm = { seed = 1e999; };",
           "case.cfg:2: 'lbm.seed' must be an integer, such as 64, is inf\n"
           "    2 | lbm = { seed = 1e999; };");
    refuse(CELLS "steps = 0e0;", "case.cfg:2: 'steps' must be at least 1, is 0.0 (unit: steps)\n"
                                 "    2 | steps = 0e0;");
    refuse_override(CELLS, "steps=1.5",
                    "--set steps=1.5: 'steps' must be an integer, such as 64, is 1.5");
}

static bool suggests(const char *text) {
    assert_int_equal(read_with(text, 0, NULL), WABE_INPUT);
    return strstr(wabe_error_message(), "did you mean") != NULL;
}

/* One letter of short words, a third of long ones; groups in front of them do not count. */
static void test_suggestions(void **state) {
    (void)state;
    static const char *const close[] = {"lbm = { tua = 1; };",
                                        "lbm = { tu = 1; };",
                                        "lbm = { sed = 1; };",
                                        "lbm = { kernle = 1; };",
                                        "lbm = { renolds = 1; };",
                                        "setps = 1;",
                                        "step = 1;",
                                        "lbmtau = 1;",
                                        "lbm = { collision_ = 1; };",
                                        "paralel = { x = 1; };",
                                        "parallel = { overlpa = 1; };",
                                        "tau = 1;",
                                        "lbm = { collision = \"str\"; };"};
    static const char *const far[] = {"lbm = { foo = 1; };",
                                      "lbm = { tax_ = 1; };",
                                      "parallel = { gpus = 1; };",
                                      "parallel = { plots = 1; };",
                                      "output = { gate = 1; };",
                                      "geometry = { hat = 1; };",
                                      "x = 1;",
                                      "stop = 1;",
                                      "parallel = { overtake = 1; };",
                                      "lbm = { collision = \"mrts\"; };"};
    for (size_t i = 0; i < sizeof close / sizeof close[0]; i++) {
        char text[100];
        snprintf(text, sizeof text, CELLS "%s", close[i]);
        if (!suggests(text))
            fail_msg("no suggestion: %s", wabe_error_message());
    }
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        char text[100];
        snprintf(text, sizeof text, CELLS "%s", far[i]);
        if (suggests(text))
            fail_msg("%s", wabe_error_message());
    }
}

static void test_unknown_keys(void **state) {
    (void)state;
    refuse(CELLS "lbm = {\n\tcolision = \"trt\";\n};",
           "case.cfg:3: unknown key 'lbm.colision'; did you mean 'lbm.collision'?\n"
           "    3 |  colision = \"trt\";");
    refuse("domian = { cells = [8, 8, 8]; };",
           "case.cfg:1: unknown group 'domian'; did you mean 'domain'?\n"
           "    1 | domian = { cells = [8, 8, 8]; };");
    refuse(CELLS "parallel = { collision = \"trt\"; };",
           "case.cfg:2: unknown key 'parallel.collision'; did you mean 'lbm.collision'?\n"
           "    2 | parallel = { collision = \"trt\"; };");
    refuse(CELLS "lbm = { viscosity = 1; };",
           "case.cfg:2: unknown key 'lbm.viscosity'; "
           "known here: tau, collision, force, seed, reynolds, kernel\n"
           "    2 | lbm = { viscosity = 1; };");
    refuse(CELLS "geometry = { objects = ( { radius = 1; },\n { raduis = 1; } ); };",
           "case.cfg:3: unknown key 'geometry.objects[1].raduis'; "
           "did you mean 'geometry.objects[1].radius'?\n"
           "    3 |  { raduis = 1; } ); };");
}

static void test_wrong_types(void **state) {
    (void)state;
    refuse("domain = { cells = 64; };",
           "case.cfg:1: 'domain.cells' must be three integers, such as [64, 64, 64], is 64\n"
           "    1 | domain = { cells = 64; };");
    refuse("domain = { cells = [64, 64.5, 64]; };",
           "case.cfg:1: 'domain.cells[1]' must be an integer, such as 64, is 64.5\n"
           "    1 | domain = { cells = [64, 64.5, 64]; };");
    refuse("domain = { cells = [1, 2, 3, 4]; };",
           "case.cfg:1: 'domain.cells' must be three integers, such as [64, 64, 64], "
           "is a list of 4\n    1 | domain = { cells = [1, 2, 3, 4]; };");
    refuse(CELLS "steps = \"7\";", "case.cfg:2: 'steps' must be an integer, such as 64, is \"7\"\n"
                                   "    2 | steps = \"7\";");
    refuse(CELLS "lbm = { tau = true; };",
           "case.cfg:2: 'lbm.tau' must be a number, such as 0.5, is true\n"
           "    2 | lbm = { tau = true; };");
    refuse(CELLS "parallel = { overlap = 1; };",
           "case.cfg:2: 'parallel.overlap' must be true or false, is 1\n"
           "    2 | parallel = { overlap = 1; };");
    refuse(CELLS "output = { name = 1; };",
           "case.cfg:2: 'output.name' must be a text in quotes, is 1\n"
           "    2 | output = { name = 1; };");
    refuse(CELLS "geometry = { objects = { radius = 1; }; };",
           "case.cfg:2: 'geometry.objects' must be a list of groups, such as "
           "( { ... }, { ... } ), is a group\n"
           "    2 | geometry = { objects = { radius = 1; }; };");
    refuse(CELLS "geometry = { objects = ( 5 ); };",
           "case.cfg:2: 'geometry.objects[0]' must be a group, such as { ... }, is 5\n"
           "    2 | geometry = { objects = ( 5 ); };");
}

static void test_groups_and_values(void **state) {
    (void)state;
    accept(CELLS "lbm = {}; geometry = {};");
    refuse(CELLS "lbm = 1;", "case.cfg:2: 'lbm' must be a group, such as lbm = { ... }\n"
                             "    2 | lbm = 1;");
    refuse(CELLS "lbm = { tau = { x = 1; }; };",
           "case.cfg:2: 'lbm.tau' must be a number, such as 0.5, is a group\n"
           "    2 | lbm = { tau = { x = 1; }; };");
}

static void test_ranges(void **state) {
    (void)state;
    refuse(CELLS "\nsteps = 0;", "case.cfg:3: 'steps' must be at least 1, is 0 (unit: steps)\n"
                                 "    3 | steps = 0;");
    refuse(CELLS "lbm = { tau = 2.5; };",
           "case.cfg:2: 'lbm.tau' must be at most 2, is 2.5 (unit: lattice units)\n"
           "    2 | lbm = { tau = 2.5; };");
    refuse("domain = { cells = [8,\n  8,\n  0]; };",
           "case.cfg:3: 'domain.cells[2]' must be at least 1, is 0 (unit: cells)\n"
           "    3 |   0]; };");
    refuse(CELLS "lbm = { force = [0, 1e999, 0]; };",
           "case.cfg:2: 'lbm.force[1]' must be a finite number\n"
           "    2 | lbm = { force = [0, 1e999, 0]; };");
    accept(CELLS
           "lbm = { tau = 0.5; reynolds = -1e300; }; geometry = { objects = ({radius = 0;}); };");
}

static void test_words(void **state) {
    (void)state;
    refuse(CELLS "lbm = { collision = \"tr\"; };",
           "case.cfg:2: 'lbm.collision' must be one of \"srt\", \"trt\", is \"tr\"; "
           "did you mean \"trt\"?\n    2 | lbm = { collision = \"tr\"; };");
    refuse(CELLS "lbm = { collision = \"cumulant\"; };",
           "case.cfg:2: 'lbm.collision' must be one of \"srt\", \"trt\", is \"cumulant\"\n"
           "    2 | lbm = { collision = \"cumulant\"; };");
}

static void test_missing_keys(void **state) {
    (void)state;
    refuse("steps = 1;", "case.cfg: missing key 'domain.cells', three integers, such as "
                         "[64, 64, 64]: Size of the domain.");
    refuse(CELLS "geometry = { objects = ( {radius = 1;},\n {kind = \"box\";} ); };",
           "case.cfg:3: missing key 'geometry.objects[1].radius', a number, such as 0.5: Size.\n"
           "    3 |  {kind = \"box\";} ); };");
}

static void test_syntax_errors(void **state) {
    (void)state;
    refuse("lbm = {\n tau = 0.6;\n tau = 0.7;\n};",
           "case.cfg:3: the key 'tau' stands twice in this group, first in line 2; take one of the "
           "two away\n    3 |  tau = 0.7;");
    accept(CELLS "lbm = { tau = 0.6; }; geometry = { objects = ({radius = 1;}, {radius = 2;}); };");
    refuse("lbm = {\n tau 0.6;\n};", "case.cfg:2: expected '=' after 'tau', found '0.6'\n"
                                     "    2 |  tau 0.6;");
    refuse("lbm = {\n tau = ;\n};", "case.cfg:2: expected a value, found ';'\n    2 |  tau = ;");
    refuse("lbm = { tau = nan; };", "case.cfg:1: 'nan' is not a value; a text stands in quotes\n"
                                    "    1 | lbm = { tau = nan; };");
    refuse("\nlbm = {\n tau = 1;\n", "case.cfg:2: a '{' that is opened here is never closed by "
                                     "'}'\n    2 | lbm = {");
    refuse("a = [1,\n 2);", "case.cfg:2: expected ',' or ']' (for the '[' of line 1), found ')'\n"
                            "    2 |  2);");
    refuse("a = 1;\n};", "case.cfg:2: expected a key, found '}'\n    2 | };");
    refuse("a = \"x;\nb = 2;", "case.cfg:1: the closing quote is missing\n    1 | a = \"x;");
    refuse("a = \"\\x00\";", "case.cfg:1: a text cannot hold the byte \\x00\n"
                             "    1 | a = \"\\x00\";");
    refuse("a = 1;\n/* b = 2;\n", "case.cfg:2: the comment that starts here is never closed by "
                                  "'*/'\n    2 | /* b = 2;");
    refuse("/* one\n two */ a = ]", "case.cfg:2: expected a value, found ']'\n"
                                    "    2 |  two */ a = ]");
    refuse("a = 1_000;", "case.cfg:1: '1_000' is not a number\n    1 | a = 1_000;");
    refuse("a = .;", "case.cfg:1: '.' is not a number\n    1 | a = .;");
    refuse("a = 1;\r\nb = \x01;\r\n", "case.cfg:2: unexpected byte 0x01 outside of a text and of "
                                      "comments\n    2 | b = \\x01;");
    refuse("\n@include \"other.cfg\"\n", "case.cfg:2: @include is not supported: an input is one "
                                         "file\n    2 | @include \"other.cfg\"");
}

static void test_depth(void **state) {
    (void)state;
    char text[140] = "a=";
    for (int i = 0; i < 64; i++) {
        text[2 + i] = '(';
        text[66 + i] = ')';
    }
    assert_int_equal(read_with(text, 0, NULL), WABE_INPUT);
    assert_non_null(strstr(wabe_error_message(), "unknown key 'a'"));
    text[66] = '('; /* one more */
    assert_int_equal(read_with(text, 0, NULL), WABE_INPUT);
    assert_non_null(strstr(wabe_error_message(), "nested deeper than 64 levels"));
}

/* What could use up the stack, hours, or the buffer of the message. */
static void test_excess(void **state) {
    (void)state;
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE + 1);
    assert_non_null(text);
    text[SIZE] = '\0';
    memset(text, '(', SIZE);
    memcpy(text, "a =", 3);
    assert_int_equal(read_with(text, 0, NULL), WABE_INPUT);
    assert_non_null(strstr(wabe_error_message(), "case.cfg:1: nested deeper than 64 levels\n"));
    for (int i = 0; i < SIZE / 8; i++)
        memcpy(text + 8 * i,
               (char[]){'k', (char)('a' + i % 26), (char)('a' + i / 26 % 26),
                        (char)('a' + i / 676 % 26), '=', '1', ';', '\n'},
               8);
    assert_int_equal(read_with(text, 0, NULL), WABE_INPUT);
    assert_string_equal(wabe_error_message(), "case.cfg:257: more than 256 keys in one group\n"
                                              "    257 | kwja=1;");
    memset(text, 'k', SIZE);
    memcpy(text + SIZE - 2, "=1", 2);
    assert_int_equal(read_with(text, 0, NULL), WABE_INPUT);
    assert_non_null(strstr(wabe_error_message(), "case.cfg:1: unknown key 'kkkk"));
    assert_non_null(strstr(wabe_error_message(), "kkk..."));
    memcpy(text, "output={name=\"", 14);
    memcpy(text + SIZE - 2, "\"}", 2);
    assert_int_equal(read_with(text, 0, NULL), WABE_INPUT);
    free(text);
}

static void test_string_size(void **state) {
    (void)state;
    char text[400];
    snprintf(text, sizeof text, CELLS "output = { name = \"%0255d\"; };", 0);
    accept(text);
    assert_int_equal(strlen(read_options.name), 255);
    snprintf(text, sizeof text, CELLS "output = { name = \"%0256d\"; };", 0);
    assert_int_equal(read_with(text, 0, NULL), WABE_INPUT);
    assert_non_null(strstr(wabe_error_message(),
                           "case.cfg:2: 'output.name' must have at most 255 bytes, has 256\n"));
}

/* Texts go into JSON, onto terminals, into names of files. */
static void test_characters(void **state) {
    (void)state;
    static const char *const good[] = {"caf\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x90\x9D",
                                       "\xEE\x80\x80", "\xC2\xA0"};
    static const char *const bad[] = {"caf\xE9",      "\xC3",         "\xC0\x80",
                                      "\xE2\x82",     "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                      "\xE0\x9F\xBF", "\xC2\x9B[2J",  "\x1B[2J",
                                      "\x7F",         "tab\there",    "\\x1b",
                                      "\\n",          "\xFF"};
    char text[100];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(text, sizeof text, CELLS "output = {\n name = \"%s\"; };", good[i]);
        accept(text);
        assert_string_equal(read_options.name, good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, CELLS "output = {\n name = \"%s\"; };", bad[i]);
        assert_int_equal(read_with(text, 0, NULL), WABE_INPUT);
        assert_non_null(strstr(wabe_error_message(), "case.cfg:3: 'output.name'"));
        for (const char *c = wabe_error_message(); *c; c++)
            assert_true((*c >= ' ' && *c < 0x7F) || *c == '\n');
    }
    refuse_override(CELLS, "output.name=caf\xE9",
                    "--set output.name=caf\\xe9: 'output.name' must be UTF-8 without control "
                    "characters; it has the byte \\xe9");
}

static void test_overrides(void **state) {
    (void)state;
    static const char text[] = CELLS "lbm = { collision = \"trt\"; tau = 0.7; };";
    accept_override(text, "lbm.collision=srt");
    assert_int_equal(read_options.collision, 0);
    assert_true(read_options.tau == 0.7);
    accept_override(text, "domain.cells=(1,2,2)");
    assert_int_equal(read_options.cells[2], 2);
    accept_override(text, "domain.cells = [1, 2, 3] ");
    accept_override(text, "domain.cells = [1,\n\t2, 3]\n");
    assert_int_equal(read_options.cells[2], 3);
    accept_override(text, "output.name=out/Re=100 fine");
    assert_string_equal(read_options.name, "out/Re=100 fine");
    accept_override(text, "output.name=\"42\"");
    assert_string_equal(read_options.name, "42");
    accept_override(text, "lbm.seed=5000000000");
    assert_true(read_options.seed == 5000000000);
    accept_override(text, "lbm={tau = 0.8; force = [1, 0.5, 2];}");
    assert_true(read_options.tau == 0.8 && read_options.force[1] == 0.5);
    const char *const twice[] = {"lbm.tau=0.8", "lbm.tau=0.9"};
    assert_int_equal(read_with(text, 2, twice), WABE_OK);
    assert_true(read_options.tau == 0.9);
    accept_override(CELLS "geometry = { objects = ({radius = 1;}, {radius = 2;}); };",
                    "geometry.objects[1].radius=7");
    assert_true(((object *)read_options.objects.items)[0].radius == 1);
    assert_true(((object *)read_options.objects.items)[1].radius == 7);
}

static void test_override_errors(void **state) {
    (void)state;
    refuse_override(CELLS, "lbm.colision=srt",
                    "--set lbm.colision=srt: unknown key 'lbm.colision'; "
                    "did you mean 'lbm.collision'?");
    refuse_override(CELLS, "lmb.tau=1",
                    "--set lmb.tau=1: unknown group 'lmb'; did you mean 'lbm'?");
    refuse_override(CELLS, "lbm.tau=3",
                    "--set lbm.tau=3: 'lbm.tau' must be at most 2, is 3 "
                    "(unit: lattice units)");
    refuse_override(CELLS, "lbm.tau=fast",
                    "--set lbm.tau=fast: 'lbm.tau' must be a number, such as 0.5, is \"fast\"");
    refuse_override(CELLS, "lbm={tau=1; tau=1;}",
                    "--set lbm={tau=1; tau=1;}: the key 'tau' stands twice in this group; take one "
                    "of the two away");
    refuse_override(CELLS, "lbm.tau=1\nlbm.tau=2",
                    "--set lbm.tau=1: has a control character, the byte \\x0a; a value takes one "
                    "line, unless it stands in brackets");
    refuse_override(CELLS, "lbm.tau", "--set lbm.tau: expected path=value");
    refuse_override(CELLS, "=1", "--set =1: '' is not the name of a key");
    refuse_override(CELLS, "lbm..tau=1", "--set lbm..tau=1: '' is not the name of a group");
    refuse_override(CELLS, "lbm.tau=[1, 2",
                    "--set lbm.tau=[1, 2: a '[' that is opened here is never closed by ']'");
    refuse_override(CELLS, "lbm.tau=(1) x", "--set lbm.tau=(1) x: expected one value, found 'x'");
    refuse_override(CELLS, "domain.cells.x=1", "--set domain.cells.x=1: 'cells' is not a group");
    refuse_override(CELLS, "domain.cells[0]=1",
                    "--set domain.cells[0]=1: 'cells[0]' is not the name of a key");
    refuse_override(CELLS, "geometry.objects[0].radius=1",
                    "--set geometry.objects[0].radius=1: there is no element 'objects[0]'");
}

static void test_read_one(void **state) {
    (void)state;
    static const char *const override = "output.name=b";
    assert_int_equal(wabe_config_parse("case.cfg", "unknown = 1; output = {name = \"a\";};", 1,
                                       &override, &config),
                     WABE_OK);
    const wabe_option row = {.path = "output.name",
                             .type = WABE_OPTION_STRING,
                             .default_value = "\"c\""};
    char name[WABE_STRING_SIZE];
    assert_int_equal(wabe_config_read_one(config, &row, name), WABE_OK);
    assert_string_equal(name, "b");
    const wabe_option other = {.path = "application",
                               .type = WABE_OPTION_STRING,
                               .help = "Application."};
    assert_int_equal(wabe_config_read_one(config, &other, name), WABE_INPUT);
    assert_string_equal(wabe_error_message(),
                        "case.cfg: missing key 'application', a text in quotes: Application.");
}

static void test_bad_default_is_internal(void **state) {
    (void)state;
    accept(CELLS);
    int64_t value;
    const wabe_option row = {
        .path = "steps", .type = WABE_OPTION_INT, .default_value = "0", .min = 1, .max = 2};
    assert_int_equal(wabe_config_read_one(config, &row, &value), WABE_INTERNAL);
    assert_non_null(strstr(wabe_error_message(), "'steps': its default: "));
    assert_non_null(strstr(wabe_error_message(), "must be at least 1, is 0"));
}

/* A row with a minimum alone, and the maximum forgotten. */
static void test_empty_range_is_internal(void **state) {
    (void)state;
    accept(CELLS "steps = 5;");
    int64_t value;
    const wabe_option row = {.path = "steps", .type = WABE_OPTION_INT, .min = 1};
    assert_int_equal(wabe_config_read_one(config, &row, &value), WABE_INTERNAL);
}

static void test_is_given(void **state) {
    (void)state;
    accept_override(CELLS "geometry = { objects = ({radius = 1;}, {radius = 2;}); };",
                    "lbm.tau=0.7");
    assert_true(wabe_config_is_given(config, "domain.cells"));
    assert_true(wabe_config_is_given(config, "lbm.tau"));
    assert_true(wabe_config_is_given(config, "geometry.objects[1].radius"));
    assert_false(wabe_config_is_given(config, "geometry.objects[2].radius"));
    assert_false(wabe_config_is_given(config, "geometry.objects[1].kind"));
    assert_false(wabe_config_is_given(config, "steps"));
    assert_false(wabe_config_is_given(config, "domain.cell"));
}

static void test_fail(void **state) {
    (void)state;
    accept_override(CELLS "geometry = { objects = ({radius = 1;},\n {radius = 2;}); };",
                    "lbm.tau=0.7");
    assert_int_equal(wabe_config_fail(config, "geometry.objects[1].radius", "hits %s", "a wall"),
                     WABE_INPUT);
    assert_string_equal(wabe_error_message(),
                        "case.cfg:3: 'geometry.objects[1].radius' hits a wall\n"
                        "    3 |  {radius = 2;}); };");
    wabe_config_fail(config, "lbm.tau", "is not stable");
    assert_string_equal(wabe_error_message(), "--set lbm.tau=0.7: 'lbm.tau' is not stable");
    wabe_config_fail(config, "lbm.force", "is too strong");
    assert_string_equal(wabe_error_message(), "'lbm.force' is too strong");
    wabe_config_fail(config, "lbm.force", "contradicts lbm.tau");
    assert_string_equal(wabe_error_message(),
                        "'lbm.force' contradicts lbm.tau\n    --set lbm.tau=0.7");
    wabe_config_fail(config, "domain.cells", "contradicts lbm.tau: give one");
    assert_string_equal(wabe_error_message(),
                        "case.cfg:1: 'domain.cells' contradicts lbm.tau: give one\n"
                        "    1 | domain = { cells = [8, 8, 8]; };\n    --set lbm.tau=0.7");
    wabe_config_fail(config, "domain.cells", "is not lbm.tau_2, nor other.lbm.tau");
    assert_null(strstr(wabe_error_message(), "--set"));
}

static void test_place(void **state) {
    (void)state;
    const char *const rows[][2] = {{"domain.cells", "case.cfg:1: "},
                                   {"geometry", "case.cfg:2: "},
                                   {"lbm.tau", "--set lbm.tau=0.7: "},
                                   {"lbm.force", ""}};
    accept_override(CELLS "geometry = {};", "lbm.tau=0.7");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char place[64];
        wabe_config_place(config, rows[i][0], place, sizeof place);
        assert_string_equal(place, rows[i][1]);
    }
}

/* The text is the caller's. */
static char *print(void (*printer)(FILE *, int, const wabe_option_table[])) {
    enum { SIZE = 1 << 16 };
    char *text = calloc(1, SIZE);
    assert_non_null(text);
    FILE *file = fmemopen(text, SIZE, "w");
    assert_non_null(file);
    printer(file, 2, tables);
    assert_int_equal(fclose(file), 0);
    return text;
}

static const char full_case[] =
    "steps = 123456789012; domain = { cells = [7, 8, 9]; origin = [-0.0, 4.9e-324, 1e300]; };\n"
    "lbm = { tau = 0.70000000000000007; force = [1, 0.1, 3.3333333333333335e-7];\n"
    "  seed = -5000000000; collision = \"srt\"; kernel = \"fast\"; };\n"
    "parallel = { overlap = false; planes = [1, 2, 3000000000]; };\n"
    "output = { name = \"\\\"q\\\" \\\\n \xC3\xA9\"; note = \"n\"; };\n"
    "geometry = { objects = ( { radius = 0.3; marks = ({value = 1;}, {value = 2;}); },\n"
    "  { radius = 1e22; kind = \"box\"; place = { center = [1, 2, 3]; }; } ); };\n";

static void test_resolved_reads_back(void **state) {
    (void)state;
    accept(full_case);
    options before = read_options;
    assert_string_equal(before.name, "\"q\" \\n \xC3\xA9");
    char *text = print(wabe_config_print_resolved);
    assert_non_null(strstr(text, "steps = 123456789012L;\n")); /* for other readers, too */
    wabe_config *kept = config;                                /* holds the list */
    config = NULL;
    accept(text);
    wabe_option_list lists[] = {before.objects, read_options.objects};
    before.objects = read_options.objects = (wabe_option_list){0};
    assert_memory_equal(&before, &read_options, sizeof before);
    assert_int_equal(lists[0].count, lists[1].count);
    for (int i = 0; i < 2; i++) {
        object a = ((object *)lists[0].items)[i];
        object b = ((object *)lists[1].items)[i];
        assert_true(a.kind == b.kind && a.radius == b.radius);
        assert_memory_equal(a.center, b.center, sizeof a.center);
        assert_int_equal(a.marks.count, b.marks.count);
        if (a.marks.count > 0)
            assert_memory_equal(a.marks.items, b.marks.items, 2 * sizeof(mark));
    }
    wabe_config_destroy(&kept);
    free(text);
}

static void test_resolved_form(void **state) {
    (void)state;
    accept(CELLS "lbm = { tau = 1; }; geometry = { objects = ({radius = 0.1;}); };");
    char *text = print(wabe_config_print_resolved);
    assert_string_equal(text, "steps = 100;\n"
                              "lbm = {\n"
                              "    tau = 1.0;\n"
                              "    collision = \"trt\";\n"
                              "    force = [0.0, 0.0, 1e-06];\n"
                              "};\n"
                              "domain = {\n"
                              "    cells = [8, 8, 8];\n"
                              "};\n"
                              "parallel = {\n"
                              "    overlap = true;\n"
                              "};\n"
                              "output = {\n"
                              "    name = \"run\";\n"
                              "};\n"
                              "geometry = {\n"
                              "    objects = (\n"
                              "        {\n"
                              "            kind = \"sphere\";\n"
                              "            radius = 0.1;\n"
                              "            place = {\n"
                              "                center = [0.0, 0.5, 1.0];\n"
                              "            };\n"
                              "            marks = ();\n"
                              "        }\n"
                              "    );\n"
                              "};\n");
    free(text);
}

static void test_reference(void **state) {
    (void)state;
    char *text = print(wabe_config_print_reference);
    static const char *const lines[] = {
        "## Top level\n",
        "| key | type | default | range | unit | meaning |\n",
        "| `steps` | integer | `100` | 1 to 1e+15 | steps | Number of steps. |\n",
        "## lbm\n",
        "| `lbm.tau` | number | `0.6` | 0.5 to 2 | lattice units | Relaxation time. |\n",
        "| `lbm.collision` | word | `\"trt\"` | \"srt\", \"trt\" |  | Operator: a\\|b. |\n",
        "| `lbm.force` | 3 numbers | `[0, 0, 1e-6]` |  |  | Force. |\n",
        "| `lbm.seed` | integer | unset |  |  | Seed. |\n",
        "## domain\n",
        "| `domain.cells` | 3 integers | required | 1 to 1000000 | cells | Size of the domain. |\n",
        "## parallel\n",
        "| `parallel.overlap` | true or false | `true` |  |  | Hide communication. |\n",
        "## output\n",
        "| `output.name` | text | `\"run\"` |  |  | Name. |\n",
        "## geometry\n",
        "| `geometry.objects` | list of groups | `()` |  |  | Bodies. |\n",
        "### Elements of `geometry.objects`\n",
        "| `radius` | number | required | at least 0 | m | Size. |\n",
        "| `place.center` | 3 numbers | `[0, 0.5, 1]` |  |  | Center. |\n",
        "### Elements of `marks`\n",
        "| `value` | integer | required |  |  | Mark. |\n",
    };
    const char *at = text; /* in this order */
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const char *found = strstr(at, lines[i]);
        if (!found)
            fail_msg("not there, or not in its place: %s", lines[i]);
        at = found;
    }
    int rows = 0;
    for (const char *row = strstr(text, "\n| `"); row; row = strstr(row + 1, "\n| `"))
        rows++;
    assert_int_equal(rows, 14 + 4 + 1);
    assert_null(strstr(strstr(text, "## lbm\n") + 1, "\n## lbm\n"));
    free(text);
}

#define FACE_ROWS(face, place)                                                                     \
    {.path = "boundaries." face ".kind",                                                           \
     .type = WABE_OPTION_STRING,                                                                   \
     .default_value = "a",                                                                         \
     .help = "Kind."},                                                                             \
    {                                                                                              \
        .path = "boundaries." face ".profile.height", .type = WABE_OPTION_REAL, .help = "Height."  \
    }

static void test_reference_of_faces(void **state) {
    static const wabe_option rows[] = {WABE_EACH_FACE(FACE_ROWS), {0}};
    const wabe_option_table table = {rows, NULL};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    (void)state;
    wabe_config_print_reference(file, 1, &table);
    fclose(file);
    const char *group = strstr(text, "## boundaries.FACE\n");
    assert_non_null(group);
    for (int face = 0; face < WABE_FACES; face++) {
        const char *name = strstr(text, wabe_face_name(face)); /* once, where FACE is explained */
        assert_non_null(name);
        assert_true(name > group && name < strstr(text, "| key |"));
        assert_null(strstr(name + 1, wabe_face_name(face)));
    }
    const char *kind = strstr(text, "| `boundaries.FACE.kind` |");
    const char *height = strstr(text, "| `boundaries.FACE.profile.height` |");
    assert_non_null(kind);
    assert_non_null(height);
    assert_null(strstr(kind + 1, "| `boundaries.FACE.kind` |"));
    assert_non_null(strstr(text, "## boundaries.FACE.profile\n"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_unset),
        cmocka_unit_test(test_every_type),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_wide_integers),
        cmocka_unit_test(test_integers_as_numbers),
        cmocka_unit_test(test_suggestions),
        cmocka_unit_test(test_unknown_keys),
        cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_groups_and_values),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_missing_keys),
        cmocka_unit_test(test_syntax_errors),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_excess),
        cmocka_unit_test(test_string_size),
        cmocka_unit_test(test_characters),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_override_errors),
        cmocka_unit_test(test_read_one),
        cmocka_unit_test(test_bad_default_is_internal),
        cmocka_unit_test(test_empty_range_is_internal),
        cmocka_unit_test(test_is_given),
        cmocka_unit_test(test_fail),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_resolved_reads_back),
        cmocka_unit_test(test_resolved_form),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_reference_of_faces),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
