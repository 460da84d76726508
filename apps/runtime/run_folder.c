/* The output folder of a run, below that of several runs if it is one of these, and what is in
 * it. */
#include "apps/runtime/restart.h"
#include "apps/runtime/run_internal.h"

#include "core/base/log.h"
#include "core/io/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EARLIER_RUN "results.json"

/* ---- files of an earlier run -------------------------------------------------------- */

/* Is this a file NAME_STEP of fields or a picture, of a step after the one from which the run goes
 * on? */
static bool is_later(const wabe_run *run, const char *name, const char *file) {
    const size_t length = strlen(name);
    long long step;
    char ending[8] = "";
    return strncmp(file, name, length) == 0 &&
           sscanf(file + length, "_%lld.%7s", &step, ending) == 2 &&
           (strcmp(ending, "hdf") == 0 || strcmp(ending, "png") == 0) && step > run->first_step;
}

int64_t wabe_run_set_aside(const wabe_run *run, const char *name) {
    DIR *folder = opendir(run->directory);
    int64_t count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char aside[sizeof entry->d_name + 8];
        snprintf(aside, sizeof aside, "%s.old", entry->d_name);
        if (is_later(run, name, entry->d_name))
            count += renameat(dirfd(folder), entry->d_name, dirfd(folder), aside) == 0;
    }
    if (folder)
        closedir(folder);
    return count;
}

/* Returns a text file of the folder, to be freed; NULL: it cannot be read. */
static char *read_text(const wabe_run *run, const char *name) {
    char path[PATH_MAX], *text = NULL;
    int64_t bytes;
    size_t room = 0;
    snprintf(path, sizeof path, "%s/%s", run->directory, name);
    FILE *file = wabe_disk_check(path, &bytes) == WABE_OK ? fopen(path, "r") : NULL;
    if (file && getdelim(&text, &room, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

/* Has the earlier run been done, with the same input? */
static bool was_done(const wabe_run *run) {
    char *results = read_text(run, EARLIER_RUN), *before = read_text(run, WABE_RUN_CONFIGURATION);
    char *now = wabe_restart_configuration(run->app->table_count, run->app->tables);
    const bool done = results && before && now && strstr(results, "\"status\": \"done\"") &&
                      strcmp(before, now) == 0;
    free(results);
    free(before);
    free(now);
    return done;
}

/* ---- stages of a run ---------------------------------------------------------------- */

wabe_status wabe_run_take_folder(wabe_run *run) {
    if (run->folder.home)
        WABE_TRY(wabe_folder_take(run->folder.home));
    return wabe_folder_take(&run->folder);
}

/* A log that cannot be opened is no reason not to run: its lines go to the next one. */
static void open_log(const wabe_run *run) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/run.log", run->directory);
    const int log = run->goes_on ? wabe_disk_append(path) : wabe_disk_create(path);
    FILE *file = log < 0 ? NULL : fdopen(log, run->goes_on ? "a" : "w");
    if (file)
        wabe_log_open(file);
    else
        wabe_log_warning("%s cannot be written: %s", path, strerror(errno));
}

/* With --restart the runs of a home go on there, even if the first has no checkpoint. */
static bool home_goes_on(const wabe_run *run) {
    return run->goes_on || (run->input->restart && !run->input->overwrite &&
                            wabe_folder_has(&run->app->home->folder, "tensor.json"));
}

/* The run's own folder may move with its home, so that it is taken anew there. */
static wabe_status begin_home(wabe_run *run) {
    wabe_folder *home = &run->app->home->folder;
    WABE_TRY(wabe_folder_check(&run->folder));
    if (home_goes_on(run))
        return WABE_OK;
    wabe_folder_leave(&run->folder);
    WABE_TRY(wabe_folder_clear(home, run->input->overwrite));
    return wabe_folder_take_alone(&run->folder);
}

/* Of several runs in one home, any may have left a checkpoint: those without one begin again. */
static bool home_has_checkpoint(const wabe_folder *home) {
    char path[PATH_MAX];
    bool found = false;
    for (int d = 0; d < 3; d++) {
        snprintf(path, sizeof path, "%s/%c", home->path, 'x' + d);
        found |= wabe_checkpoint_is_in(path);
    }
    return found;
}

static wabe_status check_none_begun(const wabe_run *run) {
    const wabe_home *home = run->app->home;
    const wabe_folder *all = home ? &home->folder : &run->folder;
    if (!wabe_folder_has_run(all) || (home && (home->begun || home_has_checkpoint(all))))
        return WABE_OK;
    return WABE_FAIL(
        WABE_INPUT,
        "--restart latest: %s holds a run that has made no checkpoint yet, so it cannot "
        "go on: start over with --overwrite instead of --restart, and let "
        "checkpoint.minutes or checkpoint.every make checkpoints in time",
        all->path);
}

wabe_status wabe_run_check_none_begun(const wabe_run *run) {
    return wabe_agree(run->comm, run->rank == 0 ? check_none_begun(run) : WABE_OK);
}

/* Rank 0 only. */
static wabe_status begin_folder(wabe_run *run) {
    const wabe_home *home = run->app->home;
    if (home && !home->begun)
        WABE_TRY(begin_home(run));
    WABE_TRY(wabe_folder_check(&run->folder));
    if (!run->goes_on)
        WABE_TRY(wabe_folder_clear(&run->folder, run->input->overwrite));
    open_log(run);
    return WABE_OK;
}

/* The results of a tensor need those of each of its runs again. */
bool wabe_run_is_done(const wabe_run *run) {
    const bool last = wabe_run_ends_at(run, run->step) || wabe_run_is_steady(run);
    bool done = run->goes_on && last && !run->app->folder[0] && run->rank == 0 && was_done(run);
    MPI_Bcast(&done, 1, MPI_C_BOOL, 0, run->comm);
    return done;
}

wabe_status wabe_run_begin_folder(wabe_run *run) {
    wabe_home *home = run->app->home;
    WABE_TRY(wabe_agree(run->comm, run->rank == 0 ? begin_folder(run) : WABE_OK));
    if (home && !home->begun)
        WABE_TRY(home->begin(run));
    if (home)
        home->begun = true;
    return WABE_OK;
}

static wabe_status write_configuration(const char *directory, int table_count,
                                       const wabe_option_table tables[]) {
    FILE *file;
    WABE_TRY(wabe_disk_open_text(directory, WABE_RUN_CONFIGURATION, &file));
    wabe_config_print_resolved(file, table_count, tables);
    return wabe_disk_close_text(directory, WABE_RUN_CONFIGURATION, file);
}

wabe_status wabe_run_write_configuration(const wabe_run *run, const char *directory,
                                         int table_count, const wabe_option_table tables[]) {
    return wabe_agree(run->comm, run->rank == 0
                                     ? write_configuration(directory, table_count, tables)
                                     : WABE_OK);
}

wabe_status wabe_run_check_folder(wabe_run *run) {
    return wabe_agree(run->comm, wabe_folder_check(&run->folder));
}

bool wabe_run_is_in_folder(const wabe_run *run, const char *file) {
    char path[PATH_MAX];
    struct stat mine, its;
    snprintf(path, sizeof path, "%s", file);
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    return stat(run->directory, &mine) == 0 && stat(slash ? path : ".", &its) == 0 &&
           mine.st_ino == its.st_ino && mine.st_dev == its.st_dev;
}
