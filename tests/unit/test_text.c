/* Contracts of core/base/text.h, and of what texts become in messages and JSON. */
#include "core/base/json.h"
#include "core/base/status.h"
#include "core/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A text, what is shown of it, and its JSON. */
static const struct {
    const char *text, *shown, *json;
} cases[] = {
    {"plain", "plain", "plain"},
    {"caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x90\x9D", "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x90\x9D",
     "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x90\x9D"},
    {"caf\xE9", "caf\\xe9", "caf\\ufffd"},
    {"cut \xE2\x82", "cut \\xe2\\x82", "cut \\ufffd\\ufffd"},
    {"\xC0\x80\xED\xA0\x80", "\\xc0\\x80\\xed\\xa0\\x80", "\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd"},
    {"\x1B[2J\x7F\t", "\\x1b[2J\\x7f\\x09", "\\u001b[2J\x7F\\u0009"},
    {"\xC2\x9B"
     "2J",
     "\\xc2\\x9b2J",
     "\xC2\x9B"
     "2J"},
    {"two\n    lines", "two\n    lines", "two\\u000a    lines"},
};

static void messages_can_be_shown(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool bad = strcmp(cases[i].text, cases[i].shown) != 0 || strchr(cases[i].text, '\n');
        assert_int_equal(wabe_text_find_bad(cases[i].text) != NULL, bad);
        assert_int_equal(WABE_FAIL(WABE_INPUT, "%s", cases[i].text), WABE_INPUT);
        assert_string_equal(wabe_error_message(), cases[i].shown);
    }
}

static void messages_are_cut_between_characters(void **state) {
    (void)state;
    char text[2 * WABE_MESSAGE_SIZE], shown[8];
    for (size_t i = 0; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "\xC3\xA9", 3);
    (void)WABE_FAIL(WABE_INPUT, "%s", text);
    assert_true(strlen(wabe_error_message()) > WABE_MESSAGE_SIZE - 16);
    assert_null(wabe_text_find_bad(wabe_error_message()));
    wabe_text_escape("123456\xC3\xA9", shown, sizeof shown);
    assert_string_equal(shown, "123456");
    wabe_text_escape("1234\x1B", shown, sizeof shown);
    assert_string_equal(shown, "1234");
}

static void json_is_utf8(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char written[200] = "", expected[200];
        FILE *file = fmemopen(written, sizeof written, "w");
        assert_non_null(file);
        wabe_json json = wabe_json_begin(file);
        wabe_json_text(&json, NULL, cases[i].text);
        fclose(file);
        snprintf(expected, sizeof expected, "\"%s\"", cases[i].json);
        assert_string_equal(written, expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_can_be_shown),
        cmocka_unit_test(messages_are_cut_between_characters),
        cmocka_unit_test(json_is_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
