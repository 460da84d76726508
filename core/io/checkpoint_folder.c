/* The checkpoints of a directory: names, which ones to remove, and which one is the latest. */
#include "core/io/checkpoint_internal.h"

#include "core/base/log.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void wabe_checkpoint_name(int64_t step, char name[NAME_SIZE]) {
    snprintf(name, NAME_SIZE, "checkpoint_%08" PRId64 ".h5", step);
}

/* Returns the step in the name of a checkpoint, or -1. */
static int64_t step_of_name(const char *name) {
    char again[NAME_SIZE];
    int64_t step;
    if (strlen(name) >= NAME_SIZE || sscanf(name, "checkpoint_%" SCNd64 ".h5", &step) != 1 ||
        step < 0)
        return -1;
    wabe_checkpoint_name(step, again);
    return strcmp(name, again) == 0 ? step : -1;
}

/* The steps of a directory's checkpoints, in descending order; to be freed. */
typedef struct {
    int64_t *steps;
    int count;
} step_list;

static int compare_steps(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

static wabe_status list_steps(const char *directory, step_list *out) {
    struct dirent *entry;
    DIR *folder = opendir(directory);
    int room = 0;
    WABE_CHECK(folder, WABE_FILE, "%s: cannot be read: %s", directory, strerror(errno));
    for (errno = 0; (entry = readdir(folder)); errno = 0) {
        const int64_t step = step_of_name(entry->d_name);
        if (step < 0)
            continue;
        if (out->count == room) {
            room = 2 * room + 16;
            int64_t *grown = realloc(out->steps, (size_t)room * sizeof *grown);
            if (!grown) {
                errno = ENOMEM;
                break;
            }
            out->steps = grown;
        }
        out->steps[out->count++] = step;
    }
    const int error = errno;
    closedir(folder);
    WABE_CHECK(error == 0, WABE_FILE, "%s: cannot be read: %s", directory, strerror(error));
    if (out->count > 0)
        qsort(out->steps, (size_t)out->count, sizeof *out->steps, compare_steps);
    return WABE_OK;
}

bool wabe_checkpoint_is_in(const char *directory) {
    step_list list = {0};
    const bool found = list_steps(directory, &list) == WABE_OK && list.count > 0;
    free(list.steps);
    return found;
}

void wabe_checkpoint_tidy(const char *directory, int64_t step, int64_t mine, int64_t keep) {
    step_list list = {0};
    if (list_steps(directory, &list) != WABE_OK)
        list.count = 0;
    for (int i = 0, older = 0; i < list.count; i++) {
        char name[NAME_SIZE], path[PATH_MAX], aside[PATH_MAX + 8];
        wabe_checkpoint_name(list.steps[i], name);
        snprintf(path, sizeof path, "%s/%s", directory, name);
        snprintf(aside, sizeof aside, "%s.old", path);
        const bool foreign = list.steps[i] > mine && list.steps[i] != step;
        if (foreign && rename(path, aside) == 0)
            wabe_log_line("checkpoint %s is of an earlier run: now %s.old", path, name);
        else if (!foreign && list.steps[i] < step && ++older >= keep)
            unlink(path);
    }
    free(list.steps);
}

/* ---- the latest --------------------------------------------------------------------- */

/* Sends the steps that rank 0 finds to all ranks. Collective. */
static wabe_status share_steps(MPI_Comm comm, const char *directory, step_list *out) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    WABE_TRY(wabe_agree(comm, rank == 0 ? list_steps(directory, out) : WABE_OK));
    MPI_Bcast(&out->count, 1, MPI_INT, 0, comm);
    if (rank != 0)
        out->steps = malloc((size_t)(out->count + 1) * sizeof *out->steps);
    WABE_TRY(wabe_agree_memory(comm, out->steps || out->count == 0, "a list of checkpoints"));
    MPI_Bcast(out->steps, out->count, MPI_INT64_T, 0, comm);
    return WABE_OK;
}

static wabe_status open_first(MPI_Comm comm, const char *directory, const step_list *list,
                              wabe_checkpoint **out) {
    for (int i = 0; i < list->count; i++) {
        char name[NAME_SIZE], path[PATH_MAX];
        wabe_checkpoint_name(list->steps[i], name);
        snprintf(path, sizeof path, "%s/%s", directory, name);
        wabe_status status = wabe_checkpoint_open(comm, path, out);
        if (status == WABE_OK)
            status = wabe_checkpoint_verify(comm, *out);
        if (status == WABE_OK)
            return WABE_OK;
        wabe_checkpoint_close(out);
        if (status == WABE_MEMORY)
            return status;
        wabe_log_warning("skipped: %s", wabe_error_message());
    }
    WABE_CHECK(list->count == 0, WABE_INPUT, "%s: none of its %d checkpoints is whole", directory,
               list->count);
    return WABE_OK;
}

wabe_status wabe_checkpoint_open_latest(MPI_Comm comm, const char *directory,
                                        wabe_checkpoint **out) {
    step_list list = {0};
    *out = NULL;
    wabe_status status = share_steps(comm, directory, &list);
    if (status == WABE_OK)
        status = open_first(comm, directory, &list, out);
    free(list.steps);
    return status;
}
