#include "core/io/table.h"

#include "core/io/disk.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 1024, ROWS_MAX = 1 << 16 };

/* Is the text exactly two numbers separated by a comma? */
static bool is_pair(const char *text, double pair[2]) {
    char *end;
    pair[0] = strtod(text, &end);
    if (end == text)
        return false;
    end += strspn(end, " \t");
    if (*end != ',')
        return false;
    text = end + 1;
    pair[1] = strtod(text, &end);
    return end != text && end[strspn(end, " \t")] == '\0' && isfinite(pair[0]) && isfinite(pair[1]);
}

static wabe_status read_rows(FILE *in, const char *file, const char *columns, wabe_table *to) {
    char line[LINE_SIZE];
    bool begun = false; /* no heading after the first line */
    for (int64_t number = 1; fgets(line, sizeof line, in); number++) {
        char *text = line + strspn(line, " \t\r\n");
        text[strcspn(text, "\r\n")] = '\0';
        if (*text == '\0' || *text == '#')
            continue;
        double pair[2];
        const bool heading = !begun && isalpha((unsigned char)*text) && !is_pair(text, pair);
        begun = true;
        if (heading)
            continue;
        WABE_CHECK(is_pair(text, pair), WABE_INPUT,
                   "%s:%lld: \"%.60s\" is no row of this table; a line must be %s", file,
                   (long long)number, text, columns);
        WABE_CHECK(to->count == 0 || pair[0] > to->rows[to->count - 1][0], WABE_INPUT,
                   "%s:%lld: the %.*s %g is not above that of the row before", file,
                   (long long)number, (int)strcspn(columns, ","), columns, pair[0]);
        WABE_CHECK(to->count < ROWS_MAX, WABE_INPUT, "%s has more than %d rows", file, ROWS_MAX);
        memcpy(to->rows[to->count++], pair, sizeof pair);
    }
    WABE_CHECK(!ferror(in), WABE_FILE, "%s: cannot be read: %s", file, strerror(errno));
    WABE_CHECK(to->count > 0, WABE_INPUT, "%s: there is no row; lines must be %s", file, columns);
    return WABE_OK;
}

wabe_status wabe_table_read(const char *file, const char *columns, wabe_table *out) {
    int64_t bytes;
    *out = (wabe_table){0};
    WABE_TRY(wabe_disk_check(file, &bytes));
    FILE *in = fopen(file, "r");
    WABE_CHECK(in, WABE_FILE, "%s: cannot be opened: %s", file, strerror(errno));
    out->rows = malloc(ROWS_MAX * sizeof *out->rows);
    wabe_status status = out->rows ? read_rows(in, file, columns, out)
                                   : WABE_FAIL(WABE_MEMORY, "no memory for the rows of %s", file);
    fclose(in);
    if (status != WABE_OK)
        wabe_table_free(out);
    return status;
}

void wabe_table_free(wabe_table *table) {
    free(table->rows);
    *table = (wabe_table){0};
}

/* The number of rows at or before a place. */
static int64_t rows_before(const wabe_table *t, double place) {
    int64_t low = 0, high = t->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (t->rows[middle][0] <= place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double within_period(const wabe_table *t, double place) {
    const double first = t->rows[0][0], length = t->rows[t->count - 1][0] - first;
    const double rest = fmod(place - first, length);
    return first + (rest < 0.0 ? rest + length : rest);
}

double wabe_table_at(const wabe_table *t, double place) {
    if (!t)
        return 1.0;
    const double at = t->periodic ? within_period(t, place) : place;
    const int64_t k = rows_before(t, at);
    if (k == 0 || k == t->count)
        return t->rows[k == 0 ? 0 : k - 1][1];
    const double *low = t->rows[k - 1], *high = t->rows[k];
    return low[1] + (high[1] - low[1]) * (at - low[0]) / (high[0] - low[0]);
}

/* The integral from the first row to a place, without periods. */
static double integral_of_rows(const wabe_table *t, double to) {
    double sum = 0.0;
    for (int64_t k = 1; k < t->count && t->rows[k - 1][0] < to; k++) {
        const double *low = t->rows[k - 1], *high = t->rows[k];
        const double end = fmin(to, high[0]), part = (end - low[0]) / (high[0] - low[0]);
        sum += (end - low[0]) * (low[1] + 0.5 * part * (high[1] - low[1]));
    }
    const double *first = t->rows[0], *last = t->rows[t->count - 1];
    return sum + fmin(to - first[0], 0.0) * first[1] + fmax(to - last[0], 0.0) * last[1];
}

static double integral(const wabe_table *t, double to) {
    const double first = t->rows[0][0], length = t->rows[t->count - 1][0] - first;
    if (!t->periodic)
        return integral_of_rows(t, to);
    return floor((to - first) / length) * integral_of_rows(t, first + length) +
           integral_of_rows(t, within_period(t, to));
}

double wabe_table_mean(const wabe_table *t, double from, double to) {
    return t ? (integral(t, to) - integral(t, from)) / (to - from) : 1.0;
}

double wabe_table_most(const wabe_table *t) {
    double most = t ? 0.0 : 1.0;
    for (int64_t k = 0; t && k < t->count; k++)
        most = fmax(most, fabs(t->rows[k][1]));
    return most;
}
