#include "apps/lbm/in_time.h"

#include "core/base/log.h"

#include <math.h>
#include <stdio.h>

#define PERIOD_LEAST 10.0 /* steps */

enum { KEY_SIZE = 64 };

static wabe_status check_unused(const wabe_config *config, const char *group,
                                const wabe_in_time_options *o) {
    char scale[KEY_SIZE], periodic[KEY_SIZE];
    snprintf(scale, sizeof scale, "%s.scale", group);
    snprintf(periodic, sizeof periodic, "%s.periodic", group);
    if (o->scale == 1.0 && !o->periodic)
        return WABE_OK;
    return wabe_config_fail(config, o->periodic ? periodic : scale, "is not used: it needs %s.file",
                            group);
}

/* Sets the steps of the rows. */
static wabe_status scale_rows(const char *file, double scale, wabe_table *t) {
    for (int64_t k = 0; k < t->count; k++) {
        t->rows[k][0] *= scale;
        WABE_CHECK(isfinite(t->rows[k][0]) && (k == 0 || t->rows[k][0] > t->rows[k - 1][0]),
                   WABE_INPUT, "%s: the times of rows %lld and %lld are no steps of their own",
                   file, (long long)k, (long long)k + 1);
    }
    return WABE_OK;
}

static wabe_status check_period(const char *file, const wabe_table *t) {
    const double first = t->rows[0][1], last = t->rows[t->count - 1][1];
    WABE_CHECK(t->count > 1, WABE_INPUT, "%s: a period needs two rows at least", file);
    WABE_CHECK(first == last, WABE_INPUT,
               "%s: the last row is the first one of the next period: its factor must be %.17g, "
               "and is %.17g",
               file, first, last);
    const double period = t->rows[t->count - 1][0] - t->rows[0][0];
    WABE_CHECK(
        period >= PERIOD_LEAST, WABE_INPUT,
        "%s: the period is %.3g steps, and must be %g at least: scale says how many steps the "
        "file's unit of time has",
        file, period, PERIOD_LEAST);
    return WABE_OK;
}

static wabe_status read_table(const wabe_in_time_options *o, wabe_table *out) {
    WABE_TRY(wabe_table_read(o->file, "time, factor", out));
    WABE_TRY(scale_rows(o->file, o->scale, out));
    out->periodic = o->periodic;
    return o->periodic ? check_period(o->file, out) : WABE_OK;
}

wabe_status wabe_in_time_make(const wabe_config *config, const char *group,
                              const wabe_in_time_options *o, const wabe_in_time_key *key,
                              wabe_table *out) {
    char path[KEY_SIZE];
    *out = (wabe_table){0};
    if (!o->file[0])
        return check_unused(config, group, o);
    snprintf(path, sizeof path, "%s.file", group);
    if (key->size == 0.0)
        return wabe_config_fail(config, path,
                                "is not used: times any factor, %s remains what it is", key->path);
    const wabe_status status = read_table(o, out);
    if (status == WABE_INPUT || status == WABE_FILE)
        wabe_config_fail_because(config, path, "cannot be used");
    WABE_TRY(status);
    const double most = wabe_table_most(out);
    if (most * key->size > key->most)
        return wabe_config_fail(
            config, path, "has a factor of size %.4g, with which %s is %.4g%s; %g is the most",
            most, key->path, most * key->size, key->from, key->most);
    return WABE_OK;
}

void wabe_in_time_print(const char *group, const wabe_table *t) {
    if (!t)
        return;
    const double *first = t->rows[0], *last = t->rows[t->count - 1];
    if (t->periodic)
        wabe_log_line("in time    %s: times %.4g at most, in periods of %.6g steps", group,
                      wabe_table_most(t), last[0] - first[0]);
    else
        wabe_log_line("in time    %s: times %.4g until step %.6g, %.4g from step %.6g on", group,
                      first[1], first[0], last[1], last[0]);
}

double wabe_in_time_most(const wabe_condition conditions[WABE_FACES]) {
    double most = 1.0;
    for (int face = 0; face < WABE_FACES; face++)
        if (!wabe_is_pressure(conditions[face].kind))
            most = fmax(most, wabe_table_most(conditions[face].in_time));
    return most;
}
