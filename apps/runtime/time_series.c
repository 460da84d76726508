#include "apps/runtime/time_series.h"

#include "core/io/disk.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 16384 }; /* of forces.csv: up to 198 numbers of 25 characters */

/* Copies the lines of old up to a step, without the header; returns how many later ones there are.
 */
static int64_t keep_lines(FILE *old, int64_t last, FILE *new) {
    char line[LINE_SIZE];
    int64_t step, dropped = 0;
    if (!fgets(line, sizeof line, old))
        return 0;
    while (fgets(line, sizeof line, old)) {
        const bool whole = line[strlen(line) - 1] == '\n'; /* false if the writer was killed */
        if (!whole || sscanf(line, "%" SCNd64 ",", &step) != 1)
            continue;
        if (step <= last)
            fputs(line, new);
        dropped += step > last;
    }
    return dropped;
}

static wabe_status begin(const char *directory, const char *columns, int64_t step,
                         wabe_time_series *out) {
    char path[PATH_MAX];
    int64_t bytes;
    FILE *file;
    snprintf(path, sizeof path, "%s/%s", directory, out->name);
    WABE_TRY(wabe_disk_open_new(path, &file));
    fprintf(file, "%s\n", columns);
    const bool goes_on = step > 0 && wabe_disk_check(path, &bytes) == WABE_OK;
    FILE *old = goes_on ? fopen(path, "r") : NULL;
    if (old) {
        out->dropped = keep_lines(old, step, file);
        fclose(old);
    }
    WABE_TRY(wabe_disk_keep_new(path, file));
    out->file = file;
    return WABE_OK;
}

wabe_status wabe_time_series_open(wabe_folder *folder, const char *name, const char *columns,
                                  int64_t step, wabe_time_series *out) {
    int rank;
    *out = (wabe_time_series){.folder = folder};
    snprintf(out->name, sizeof out->name, "%s", name);
    MPI_Comm_rank(folder->comm, &rank);
    return wabe_agree(folder->comm, rank == 0 ? begin(folder->path, columns, step, out) : WABE_OK);
}

wabe_status wabe_time_series_add(const wabe_time_series *series, int64_t step, int count,
                                 const double values[]) {
    FILE *file = series->file;
    if (!file)
        return WABE_OK;
    WABE_TRY(wabe_folder_check(series->folder));
    fprintf(file, "%" PRId64, step);
    for (int i = 0; i < count; i++)
        if (isfinite(values[i]))
            fprintf(file, ",%.17g", values[i]);
        else
            fputs(",nan", file); /* readable by all programs, unlike an empty field */
    fputc('\n', file);
    WABE_CHECK(fflush(file) == 0, WABE_FILE, "%s/%s: cannot be written: %s", series->folder->path,
               series->name, strerror(errno));
    return WABE_OK;
}

void wabe_time_series_close(wabe_time_series *series) {
    if (series->file)
        fclose(series->file);
    series->file = NULL;
}
