/* The output directory of a run: locked for one run at a time; files of earlier runs are kept
 * beside it. */
#include "apps/runtime/restart.h"
#include "apps/runtime/run_internal.h"

#include "core/base/log.h"
#include "core/io/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK "run.lock"
#define EARLIER_RUN "results.json" /* written by every run that has begun */
#define CONFIGURATION "config.resolved.cfg"

enum {
    LOCK_TRIES = 20, /* a run that was just killed may take a moment to exit */
    LOCK_WAIT_NS = 100000000
};

/* ---- the lock ----------------------------------------------------------------------- */

static void name_lock(const wabe_run *run, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s/" LOCK, run->directory);
}

/* Names the holder for runs that are refused. The lock itself belongs to the kernel, which releases
 * it when its process ends. */
static void sign(int lock) {
    char host[HOST_NAME_MAX + 1] = "?", date[32];
    const time_t now = time(NULL);
    struct tm when;
    gethostname(host, sizeof host - 1);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", localtime_r(&now, &when));
    if (ftruncate(lock, 0) == 0)
        dprintf(lock, "process %ld on %s, since %s\n", (long)getpid(), host, date);
}

static wabe_status refuse(const wabe_run *run, int lock) {
    char holder[256] = "";
    const ssize_t length = pread(lock, holder, sizeof holder - 1, 0);
    holder[length > 0 ? length : 0] = '\0';
    holder[strcspn(holder, "\n")] = '\0';
    return WABE_FAIL(WABE_FILE,
                     "%s: another run is writing there (%s); wait for it, or choose another "
                     "output.directory",
                     run->directory, holder[0] ? holder : "it does not say which");
}

/* Goes on without a lock; an empty lock file is removed. */
static void go_on_unlocked(const wabe_run *run, const char *path, int lock, int error) {
    struct stat file;
    if (fstat(lock, &file) == 0 && file.st_size == 0)
        unlink(path);
    close(lock);
    wabe_log_warning("%s cannot be locked (%s): see to it that no other run writes there",
                     run->directory, strerror(error));
}

/* true: we hold the lock, and path is still the locked file. */
static bool try_lock(const char *path, int lock, int *error) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat held, named;
    *error = fcntl(lock, F_OFD_SETLK, &whole) == 0 ? 0 : errno;
    return !*error && fstat(lock, &held) == 0 && stat(path, &named) == 0 &&
           held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

static wabe_status take_lock(wabe_run *run) {
    char path[PATH_MAX];
    name_lock(run, path);
    for (int i = 0; i < LOCK_TRIES; i++) {
        int error;
        const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock < 0 && errno == ENOENT) { /* another run is just moving the folder aside */
            nanosleep(&(struct timespec){.tv_nsec = LOCK_WAIT_NS}, NULL);
            continue;
        }
        WABE_CHECK(lock >= 0, WABE_FILE, "cannot write into the output directory %s: %s",
                   run->directory, strerror(errno));
        if (try_lock(path, lock, &error)) {
            sign(lock);
            run->lock = lock;
            return WABE_OK;
        }
        const bool held = error == EAGAIN || error == EACCES;
        if (error && !held) {
            go_on_unlocked(run, path, lock, error);
            return WABE_OK;
        }
        const wabe_status status = held && i == LOCK_TRIES - 1 ? refuse(run, lock) : WABE_OK;
        close(lock);
        WABE_TRY(status);
        if (held)
            nanosleep(&(struct timespec){.tv_nsec = LOCK_WAIT_NS}, NULL);
    }
    return WABE_FAIL(WABE_FILE, "%s: cannot be locked", path);
}

void wabe_run_leave_folder(wabe_run *run) {
    char path[PATH_MAX];
    if (run->lock < 0)
        return;
    name_lock(run, path);
    unlink(path); /* before the release, so that a waiting run sees that the file is gone */
    close(run->lock);
    run->lock = -1;
}

/* ---- files of other runs ------------------------------------------------------------ */

/* A file of a single step: NAME_00001000.hdf and the like. */
static bool is_of_step(const char *name) {
    const char *dot = strchr(name, '.');
    int digits = 0;
    while (dot && dot - digits > name && dot[-digits - 1] >= '0' && dot[-digits - 1] <= '9')
        digits++;
    return dot && digits >= 8 && dot - digits > name && dot[-digits - 1] == '_';
}

static bool is_list_of_steps(const char *name) {
    const size_t length = strlen(name);
    static const char *const endings[] = {".hdf.series", ".xdmf"};
    for (int i = 0; i < 2; i++)
        if (length > strlen(endings[i]) &&
            strcmp(name + length - strlen(endings[i]), endings[i]) == 0)
            return true;
    return false;
}

/* Tables and timings that the new run might not overwrite. */
static bool is_table(const char *name) {
    static const char *const names[] = {"monitor.csv", "profiles.csv",  "mean_profiles.csv",
                                        "porous.csv",  "residence.csv", "forces.csv",
                                        "timing.json"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    const size_t length = strlen(name);
    return strncmp(name, "probe_", 6) == 0 && length > 4 && strcmp(name + length - 4, ".csv") == 0;
}

void wabe_run_remove_pictures(const wabe_run *run, const char *name) {
    DIR *folder = opendir(run->directory);
    const size_t length = strlen(name);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        long long step;
        char ending[8] = "";
        if (strncmp(entry->d_name, name, length) == 0 &&
            sscanf(entry->d_name + length, "_%lld%7s", &step, ending) == 2 &&
            strcmp(ending, ".png") == 0 && step > run->first_step)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder)
        closedir(folder);
}

static bool is_of_run(const char *name) {
    return is_of_step(name) || is_list_of_steps(name) || is_table(name);
}

/* Files that cannot be removed are left. */
static void remove_files(const char *directory, bool (*chosen)(const char *name)) {
    DIR *folder = opendir(directory);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (chosen(entry->d_name))
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

/* Is the working directory in this folder, or below it? Relative paths would then be wrong after
 * moving it. */
static bool is_around_us(const char *folder) {
    char here[PATH_MAX];
    const size_t length = strlen(folder);
    return getcwd(here, sizeof here) && strncmp(here, folder, length) == 0 &&
           (here[length] == '/' || here[length] == '\0');
}

/* Removes and releases the lock, which has moved with the folder. */
static void leave_moved(wabe_run *run, const char *folder) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/" LOCK, folder);
    unlink(path);
    if (run->lock >= 0)
        close(run->lock);
    run->lock = -1;
}

/* Logs where the earlier run is, by the path that the user gave if that leads there. */
static void tell_kept(const wabe_run *run, const char *aside) {
    char *named = NULL, *real = NULL;
    if (asprintf(&named, "%s%s", run->directory, strrchr(aside, '.')) < 0)
        named = NULL;
    if (named)
        real = realpath(named, NULL);
    wabe_log_line("kept       the earlier run in %s is now in %s", run->directory,
                  real && strcmp(real, aside) == 0 ? named : aside);
    free(real);
    free(named);
}

/* Renames the folder to the first of FOLDER.1, FOLDER.2, ... that is free. The lock is held
 * meanwhile: a run that gets it afterwards sees that the file has no name. Another run may create
 * the new folder first. */
static wabe_status move_aside(wabe_run *run) {
    char *folder = realpath(run->directory, NULL), *aside = NULL; /* resolves symbolic links */
    int error = folder ? 0 : errno;
    if (folder && is_around_us(folder))
        error = EBUSY;
    for (int i = 1; !error && !aside; i++) {
        if (asprintf(&aside, "%s.%d", folder, i) < 0)
            error = ENOMEM, aside = NULL;
        else if (access(aside, F_OK) == 0)
            free(aside), aside = NULL;
        else if (rename(folder, aside) != 0)
            error = errno;
    }
    if (!error) {
        leave_moved(run, aside);
        tell_kept(run, aside);
    }
    const bool made = error || mkdir(folder, 0777) == 0 || errno == EEXIST;
    const wabe_status status = made ? WABE_OK
                                    : WABE_FAIL(WABE_FILE,
                                                "cannot make the output directory %s again: %s; "
                                                "the earlier run is in %s",
                                                run->directory, strerror(errno), aside);
    free(folder);
    free(aside);
    WABE_CHECK(!error, WABE_FILE,
               "%s holds an earlier run, and cannot be renamed to keep it (%s): choose another "
               "output.directory, or replace that run with --overwrite",
               run->directory, strerror(error));
    return status;
}

static bool has_earlier_run(const wabe_run *run) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/" EARLIER_RUN, run->directory);
    return access(path, F_OK) == 0;
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
    char *results = read_text(run, EARLIER_RUN), *before = read_text(run, CONFIGURATION);
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
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s/run%s", run->directory, wabe_disk_part_ending());
    wabe_status status = run->rank == 0 ? wabe_disk_prepare(run->directory, part) : WABE_OK;
    if (run->rank == 0 && status == WABE_OK)
        status = take_lock(run);
    if (run->lock >= 0)
        remove_files(run->directory, wabe_disk_is_part); /* left by runs that were killed */
    return wabe_agree(run->comm, status);
}

/* Rank 0 only. */
static wabe_status begin_folder(wabe_run *run) {
    if (!run->goes_on && run->input->overwrite)
        remove_files(run->directory, is_of_run);
    if (!run->goes_on && !run->input->overwrite && has_earlier_run(run)) {
        WABE_TRY(move_aside(run));
        WABE_TRY(take_lock(run));
    }
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/run.log", run->directory);
    wabe_log_open(path, run->goes_on);
    return WABE_OK;
}

/* The results of a tensor need those of each of its runs again. */
bool wabe_run_is_done(const wabe_run *run) {
    const bool last = run->step == run->o->steps || wabe_run_is_steady(run);
    bool done = run->goes_on && last && !run->app->folder[0] && run->rank == 0 && was_done(run);
    MPI_Bcast(&done, 1, MPI_C_BOOL, 0, run->comm);
    return done;
}

wabe_status wabe_run_begin_folder(wabe_run *run) {
    return wabe_agree(run->comm, run->rank == 0 ? begin_folder(run) : WABE_OK);
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
