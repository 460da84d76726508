#include "apps/runtime/restart.h"

#include "core/base/log.h"

#include <stdlib.h>
#include <string.h>

enum { TABLES_MAX = 4 };

/* Keys that set where, how long and how fast a run computes; its values stay the same. The
 * application is compared by name. */
static const char *const free_keys[] = {"application", "name",     "steps",     "end_time",
                                        "output.",     "monitor.", "parallel.", "checkpoint.",
                                        "node.",       NULL};

char *wabe_restart_configuration(int table_count, const wabe_option_table tables[]) {
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    wabe_config_print_resolved(file, table_count, tables);
    const bool failed = ferror(file) != 0;
    if (fclose(file) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

/* ---- comparison with the case ------------------------------------------------------- */

/* Writes a value as text. Lists have a line per key of an element: only the first key from that
 * byte on is written. */
static const char *shorten(const char *value, size_t from, char text[], size_t size) {
    if (!strchr(value, '\n')) {
        snprintf(text, size, "%s", value[0] ? value : "unset");
        return text;
    }
    while (from > 0 && value[from - 1] != '\n')
        from--;
    const char *key = value + from + strspn(value + from, " \n{}(),");
    snprintf(text, size, "( ... %.*s%s)", (int)strcspn(key, "\n"), key, *key ? " ... " : "");
    return text;
}

/* The first key that differs from the checkpoint's, among all and among the fixed ones. */
typedef struct {
    const wabe_restart_request *request;
    const char *first, *first_fixed;
} comparison;

static void note_change(void *context, const char *path, const char *now, const char *before) {
    comparison *c = context;
    char texts[2][WABE_STRING_SIZE + 64];
    size_t equal = 0;
    while (now[equal] && now[equal] == before[equal])
        equal++;
    *c->request->changed = true;
    if (!c->first)
        c->first = path;
    if (!c->first_fixed && wabe_config_is_among(path, c->request->fixed_keys))
        c->first_fixed = path;
    if (c->request->change)
        wabe_log_line("%-10s %s = %s, was %s", "changed", path,
                      shorten(now, equal, texts[0], sizeof texts[0]),
                      shorten(before, equal, texts[1], sizeof texts[1]));
}

/* Logs all differences if they are allowed. */
static comparison find_differences(const wabe_restart_request *r,
                                   const wabe_option_table others[]) {
    comparison found = {.request = r};
    const char *all[64];
    int count = 0;
    for (int i = 0; free_keys[i]; i++)
        all[count++] = free_keys[i];
    for (int i = 0; r->may_differ[i]; i++)
        all[count++] = r->may_differ[i];
    all[count] = NULL;
    wabe_config_differences(r->table_count, r->tables, others, all, note_change, &found);
    return found;
}

/* others: tables with a struct of their own, for the checkpoint's configuration. */
static wabe_status compare(const wabe_restart_request *r, const wabe_checkpoint *c,
                           const wabe_option_table others[]) {
    wabe_config *config = NULL;
    const char *path = wabe_checkpoint_path(c);
    comparison found = {.request = r};
    wabe_status status = wabe_config_parse(path, wabe_checkpoint_head_of(c)->configuration, 0, NULL,
                                           &config);
    if (status == WABE_OK)
        status = wabe_config_read(config, r->table_count, others);
    if (status == WABE_OK)
        found = find_differences(r, others);
    wabe_config_destroy(&config);
    if (found.first_fixed)
        return wabe_config_fail(r->config, found.first_fixed,
                                "is not what %s was computed with, and the state in it depends on "
                                "this key: a restart cannot change it; start a new run",
                                path);
    if (found.first && !r->change)
        return wabe_config_fail(r->config, found.first,
                                "is not what %s was computed with: a run that goes on keeps its "
                                "physics, unless --change-physics is given",
                                path);
    return status;
}

static wabe_status check_configuration(const wabe_restart_request *r, const wabe_checkpoint *c) {
    wabe_option_table others[TABLES_MAX];
    WABE_CHECK(r->table_count <= TABLES_MAX, WABE_INTERNAL, "%d tables of options", r->table_count);
    char *options = calloc(1, r->options_size);
    WABE_CHECK(options, WABE_MEMORY, "no memory for a second configuration");
    for (int i = 0; i < r->table_count; i++)
        others[i] = (wabe_option_table){r->tables[i].options,
                                        options + ((const char *)r->tables[i].target -
                                                   (const char *)r->options)};
    const wabe_status status = compare(r, c, others);
    free(options);
    return status;
}

/* What cannot differ, whatever the user asks for. */
static wabe_status check_arrays(const wabe_restart_request *r, const wabe_checkpoint *c) {
    const wabe_checkpoint_head *h = wabe_checkpoint_head_of(c);
    const char *path = wabe_checkpoint_path(c);
    char key[WABE_STRING_SIZE];
    snprintf(key, sizeof key, "%s.storage", r->application);
    if (memcmp(h->cells, r->cells, sizeof h->cells) != 0)
        return wabe_config_fail(r->config, "domain.cells",
                                "must be [%lld, %lld, %lld], the cells of %s: a restart cannot "
                                "change them; start a new run",
                                (long long)h->cells[0], (long long)h->cells[1],
                                (long long)h->cells[2], path);
    if (h->type != r->type)
        return wabe_config_fail(r->config, key,
                                "must be \"%s\", as in %s: a restart cannot change it; start a new "
                                "run",
                                wabe_type_word(h->type), path);
    if (h->array_count == r->array_count ||
        (r->other_array_count > 0 && h->array_count == r->other_array_count))
        return WABE_OK;
    return wabe_config_fail(r->config,
                            r->array_key ? r->array_key(r->array_count, h->array_count)
                                         : "application",
                            "needs %d numbers per cell, and %s has %d: a restart cannot convert "
                            "them; start a new run, or go on as that one did",
                            r->array_count, path, h->array_count);
}

static wabe_status check(const wabe_restart_request *r, const wabe_checkpoint *c) {
    const wabe_checkpoint_head *h = wabe_checkpoint_head_of(c);
    WABE_CHECK(strcmp(h->application, r->application) == 0, WABE_INPUT,
               "%s is of application = \"%s\", not \"%s\"", wabe_checkpoint_path(c), h->application,
               r->application);
    WABE_TRY(check_arrays(r, c));
    return check_configuration(r, c);
}

/* ---- opening ------------------------------------------------------------------------ */

static wabe_status open_file(MPI_Comm comm, const char *path, const wabe_restart_request *request,
                             wabe_checkpoint **out) {
    WABE_TRY(wabe_checkpoint_open(comm, path, out));
    WABE_TRY(wabe_agree(comm, check(request, *out)));
    return wabe_checkpoint_verify(comm, *out);
}

wabe_status wabe_restart_open(MPI_Comm comm, const char *name, const char *directory,
                              const wabe_restart_request *request, wabe_checkpoint **out) {
    const bool latest = strcmp(name, "latest") == 0;
    *out = NULL;
    wabe_status status = latest ? wabe_checkpoint_open_latest(comm, directory, out)
                                : open_file(comm, name, request, out);
    if (status == WABE_OK && *out && latest)
        status = wabe_agree(comm, check(request, *out));
    if (status != WABE_OK)
        wabe_checkpoint_close(out);
    return status;
}
