/* Writes JSON: results.json, timing.json, the output of --json. It does not read JSON. Texts are
 * UTF-8; each invalid byte becomes U+FFFD. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *file;
    int depth;
    bool first; /* the innermost object or array is still empty */
} wabe_json;

wabe_json wabe_json_begin(FILE *file);
/* Open an object or array; bracket: '{' or '['; key: NULL inside arrays and at the top. Local. */
void wabe_json_open(wabe_json *json, const char *key, char bracket);
void wabe_json_close(wabe_json *json, char bracket);
void wabe_json_text(wabe_json *json, const char *key, const char *value);
void wabe_json_integer(wabe_json *json, const char *key, int64_t value);
/* 17 significant digits: reads back to the same bits; null for NAN and infinities. */
void wabe_json_real(wabe_json *json, const char *key, double value);
void wabe_json_boolean(wabe_json *json, const char *key, bool value);
void wabe_json_end(wabe_json *json);
