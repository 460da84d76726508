#include "core/base/json.h"

#include "core/base/text.h"

#include <inttypes.h>
#include <math.h>

wabe_json wabe_json_begin(FILE *file) { return (wabe_json){.file = file, .first = true}; }

static void put_text(FILE *file, const char *text) {
    fputc('"', file);
    while (*text) {
        const int count = wabe_text_character(text);
        const unsigned char c = (unsigned char)*text;
        if (count == 0)
            fputs("\\ufffd", file); /* a byte that is not UTF-8 */
        else if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20)
            fprintf(file, "\\u%04x", c);
        else
            fwrite(text, 1, (size_t)count, file);
        text += count ? count : 1;
    }
    fputc('"', file);
}

static void put_key(wabe_json *json, const char *key) {
    if (json->depth > 0)
        fprintf(json->file, "%s\n%*s", json->first ? "" : ",", 2 * json->depth, "");
    json->first = false;
    if (key) {
        put_text(json->file, key);
        fputs(": ", json->file);
    }
}

void wabe_json_open(wabe_json *json, const char *key, char bracket) {
    put_key(json, key);
    fputc(bracket, json->file);
    json->depth++;
    json->first = true;
}

void wabe_json_close(wabe_json *json, char bracket) {
    json->depth--;
    if (!json->first)
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    fputc(bracket, json->file);
    json->first = false;
}

void wabe_json_text(wabe_json *json, const char *key, const char *value) {
    put_key(json, key);
    put_text(json->file, value);
}

void wabe_json_integer(wabe_json *json, const char *key, int64_t value) {
    put_key(json, key);
    fprintf(json->file, "%" PRId64, value);
}

void wabe_json_real(wabe_json *json, const char *key, double value) {
    put_key(json, key);
    if (isfinite(value))
        fprintf(json->file, "%.17g", value);
    else
        fputs("null", json->file);
}

void wabe_json_boolean(wabe_json *json, const char *key, bool value) {
    put_key(json, key);
    fputs(value ? "true" : "false", json->file);
}

void wabe_json_end(wabe_json *json) { fputc('\n', json->file); }
