#include "apps/runtime/time_series.h"

#include "core/io/disk.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 16384 }; /* of forces.csv: up to 198 numbers of 25 characters */

/* Copies the lines of old up to a step, without the header. */
static void keep_lines(FILE *old, int64_t last, FILE *new) {
    char line[LINE_SIZE];
    int64_t step;
    if (!fgets(line, sizeof line, old))
        return;
    while (fgets(line, sizeof line, old)) {
        const bool whole = line[strlen(line) - 1] == '\n'; /* false if the writer was killed */
        if (whole && sscanf(line, "%" SCNd64 ",", &step) == 1 && step <= last)
            fputs(line, new);
    }
}

static wabe_status begin(const char *directory, const char *name, const char *columns, int64_t step,
                         FILE **out) {
    char path[PATH_MAX], part[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    snprintf(part, sizeof part, "%s/%s%s", directory, name, wabe_disk_part_ending());
    int64_t bytes;
    const bool goes_on = step > 0 && wabe_disk_check(path, &bytes) == WABE_OK;
    FILE *old = goes_on ? fopen(path, "r") : NULL, *file = fopen(part, "w");
    bool good = file != NULL;
    if (good)
        fprintf(file, "%s\n", columns);
    if (good && old)
        keep_lines(old, step, file);
    if (old)
        fclose(old);
    good = good && fflush(file) == 0 && rename(part, path) == 0;
    if (!good) {
        const wabe_status status = WABE_FAIL(WABE_FILE, "%s: cannot be written: %s", path,
                                             strerror(errno));
        if (file)
            fclose(file);
        return status;
    }
    *out = file;
    return WABE_OK;
}

wabe_status wabe_time_series_open(MPI_Comm comm, const char *directory, const char *name,
                                  const char *columns, int64_t step, wabe_time_series *out) {
    int rank;
    *out = (wabe_time_series){0};
    snprintf(out->name, sizeof out->name, "%s", name);
    MPI_Comm_rank(comm, &rank);
    return wabe_agree(comm,
                      rank == 0 ? begin(directory, name, columns, step, &out->file) : WABE_OK);
}

wabe_status wabe_time_series_add(const wabe_time_series *series, int64_t step, int count,
                                 const double values[]) {
    FILE *file = series->file;
    if (!file)
        return WABE_OK;
    fprintf(file, "%" PRId64, step);
    for (int i = 0; i < count; i++)
        if (isfinite(values[i]))
            fprintf(file, ",%.17g", values[i]);
        else
            fputs(",nan", file); /* readable by all programs, unlike an empty field */
    fputc('\n', file);
    WABE_CHECK(fflush(file) == 0, WABE_FILE, "%s: cannot be written: %s", series->name,
               strerror(errno));
    return WABE_OK;
}

void wabe_time_series_close(wabe_time_series *series) {
    if (series->file)
        fclose(series->file);
    series->file = NULL;
}
