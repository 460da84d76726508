#include "apps/runtime/folder.h"

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
#include <time.h>
#include <unistd.h>

#define LOCK "run.lock"
#define TENSOR "tensor.json" /* of several runs, which have subfolders */

enum {
    LOCK_TRIES = 20, /* a run that was just killed may take a moment to exit */
    LOCK_WAIT_NS = 100000000
};

wabe_folder wabe_folder_of(MPI_Comm comm, const char *path) {
    return (wabe_folder){.comm = comm, .path = path, .held = -1};
}

/* ---- the lock ----------------------------------------------------------------------- */

static void name_lock(const wabe_folder *f, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s/" LOCK, f->path);
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

/* Reads who holds a lock. */
static const char *holder_of(int lock, char text[], size_t size) {
    const ssize_t length = pread(lock, text, size - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return text[0] ? text : "it does not say which";
}

static wabe_status refuse(const wabe_folder *f, int lock) {
    char holder[256];
    return WABE_FAIL(WABE_FILE,
                     "%s: another run is writing there (%s); wait for it, or choose another "
                     "output.directory",
                     f->path, holder_of(lock, holder, sizeof holder));
}

/* Goes on without a lock; an empty lock file is removed. */
static wabe_status go_on_unlocked(wabe_folder *f, const char *path, int lock, int error) {
    struct stat file;
    if (fstat(lock, &file) == 0 && file.st_size == 0)
        unlink(path);
    close(lock);
    f->held = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    WABE_CHECK(f->held >= 0, WABE_FILE, "%s: cannot be opened: %s", f->path, strerror(errno));
    wabe_log_warning("%s cannot be locked (%s): see to it that no other run writes there", f->path,
                     strerror(error));
    return WABE_OK;
}

static bool are_same(const struct stat *a, const struct stat *b) {
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* true: we hold the lock, and path is still the locked file. */
static bool try_lock(const char *path, int lock, int *error) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat held, named;
    *error = fcntl(lock, F_OFD_SETLK, &whole) == 0 ? 0 : errno;
    return !*error && fstat(lock, &held) == 0 && lstat(path, &named) == 0 &&
           are_same(&held, &named);
}

static wabe_status take_lock(wabe_folder *f) {
    char path[PATH_MAX];
    name_lock(f, path);
    for (int i = 0; i < LOCK_TRIES; i++) {
        int error;
        const int lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (lock < 0 && errno == ENOENT) { /* another run is just moving the folder aside */
            nanosleep(&(struct timespec){.tv_nsec = LOCK_WAIT_NS}, NULL);
            continue;
        }
        WABE_CHECK(lock >= 0, WABE_FILE, "%s: cannot be locked: %s", path,
                   errno == ELOOP ? "it is a symbolic link, which no run makes; remove it"
                                  : strerror(errno));
        if (try_lock(path, lock, &error)) {
            sign(lock);
            f->held = lock;
            return WABE_OK;
        }
        const bool held = error == EAGAIN || error == EACCES;
        if (error && !held)
            return go_on_unlocked(f, path, lock, error);
        const wabe_status status = held && i == LOCK_TRIES - 1 ? refuse(f, lock) : WABE_OK;
        close(lock);
        WABE_TRY(status);
        if (held)
            nanosleep(&(struct timespec){.tv_nsec = LOCK_WAIT_NS}, NULL);
    }
    return WABE_FAIL(WABE_FILE, "%s: cannot be locked", path);
}

/* ---- is it still ours? -------------------------------------------------------------- */

/* Is what we hold a lock, rather than the folder? */
static bool is_lock(const wabe_folder *f) {
    struct stat held;
    return fstat(f->held, &held) == 0 && !S_ISDIR(held.st_mode);
}

/* Does the path still lead to what we hold? If a file system does not answer for the moment, that
 * is no reason to end a run. */
static bool is_ours(const wabe_folder *f) {
    char path[PATH_MAX];
    struct stat held, named;
    name_lock(f, path);
    if (fstat(f->held, &held) != 0 ||
        (S_ISDIR(held.st_mode) ? stat(f->path, &named) : lstat(path, &named)) != 0)
        return errno != ENOENT && errno != ENOTDIR && errno != ESTALE && errno != ELOOP;
    return are_same(&held, &named);
}

/* Says what has become of it. */
static void tell_lost(const wabe_folder *f, char text[], size_t size) {
    char path[PATH_MAX], holder[256];
    name_lock(f, path);
    const int lock = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (access(f->path, F_OK) != 0)
        snprintf(text, size, "it has been removed or renamed");
    else if (lock < 0)
        snprintf(text, size, "it has been replaced, or its " LOCK " removed");
    else
        snprintf(text, size, "another run writes there (%s)",
                 holder_of(lock, holder, sizeof holder));
    if (lock >= 0)
        close(lock);
}

wabe_status wabe_folder_check(wabe_folder *f) {
    char what[320];
    if (f->home)
        WABE_TRY(wabe_folder_check(f->home));
    if (!f->lost && (f->held < 0 || is_ours(f)))
        return WABE_OK;
    if (!f->lost) {
        f->lost = true;
        wabe_log_leave();
        close(f->held);
        f->held = -1;
    }
    tell_lost(f, what, sizeof what);
    return WABE_FAIL(WABE_FILE, "%s is no longer the folder of this run: %s; the run ends", f->path,
                     what);
}

void wabe_folder_leave(wabe_folder *f) {
    char path[PATH_MAX];
    name_lock(f, path);
    if (f->held >= 0 && is_lock(f) && is_ours(f))
        unlink(path); /* before the release, so that a waiting run sees that the file is gone */
    if (f->held >= 0)
        close(f->held);
    f->held = -1;
    f->taken = false;
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

/* Files that tell of a run as a whole, but the configuration: the input may be just that file. */
static bool is_of_whole_run(const char *name) {
    static const char *const names[] = {"results.json", TENSOR, "run.log"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool is_of_run(const char *name) {
    return is_of_step(name) || is_list_of_steps(name) || is_table(name) || is_of_whole_run(name);
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

bool wabe_folder_has(const wabe_folder *f, const char *name) {
    char path[PATH_MAX];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    return lstat(path, &about) == 0;
}

/* Every run writes one of these files as it begins. */
bool wabe_folder_has_run(const wabe_folder *f) {
    return wabe_folder_has(f, "results.json") || wabe_folder_has(f, TENSOR);
}

/* Several runs have a subfolder each. */
static void remove_run(const wabe_folder *f) {
    static const char *const parts[] = {"x", "y", "z"};
    for (int i = 0; i < 3 && wabe_folder_has(f, TENSOR); i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", f->path, parts[i]);
        remove_files(path, is_of_run);
    }
    remove_files(f->path, is_of_run);
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
static void leave_moved(wabe_folder *f, const char *folder) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/" LOCK, folder);
    if (is_lock(f))
        unlink(path);
    close(f->held);
    f->held = -1;
}

/* Logs where the earlier run is, by the path that the user gave if that leads there. */
static void tell_kept(const wabe_folder *f, const char *aside) {
    char *named = NULL, *real = NULL;
    if (asprintf(&named, "%s%s", f->path, strrchr(aside, '.')) < 0)
        named = NULL;
    if (named)
        real = realpath(named, NULL);
    wabe_log_line("kept       the earlier run in %s is now in %s", f->path,
                  real && strcmp(real, aside) == 0 ? named : aside);
    free(real);
    free(named);
}

/* Renames the folder to the first of FOLDER.1, FOLDER.2, ... that is free. The lock is held
 * meanwhile: a run that gets it afterwards sees that the file has no name. Another run may create
 * the new folder first. */
static wabe_status move_aside(wabe_folder *f) {
    char *folder = realpath(f->path, NULL), *aside = NULL; /* resolves symbolic links */
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
        leave_moved(f, aside);
        tell_kept(f, aside);
    }
    const bool made = error || mkdir(folder, 0777) == 0 || errno == EEXIST;
    const wabe_status status = made ? WABE_OK
                                    : WABE_FAIL(WABE_FILE,
                                                "cannot make the output directory %s again: %s; "
                                                "the earlier run is in %s",
                                                f->path, strerror(errno), aside);
    free(folder);
    free(aside);
    WABE_CHECK(!error, WABE_FILE,
               "%s holds an earlier run, and cannot be renamed to keep it (%s): choose another "
               "output.directory, or replace that run with --overwrite",
               f->path, strerror(error));
    return status;
}

/* ---- stages of a run ---------------------------------------------------------------- */

wabe_status wabe_folder_take_alone(wabe_folder *f) {
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s/run%s", f->path, wabe_disk_part_ending());
    WABE_TRY(wabe_disk_prepare(f->path, part));
    WABE_TRY(take_lock(f));
    if (is_lock(f))
        remove_files(f->path, wabe_disk_is_part); /* left by runs that were killed */
    return WABE_OK;
}

wabe_status wabe_folder_take(wabe_folder *f) {
    int rank;
    if (f->taken)
        return WABE_OK;
    MPI_Comm_rank(f->comm, &rank);
    const wabe_status status = wabe_agree(f->comm, rank == 0 ? wabe_folder_take_alone(f) : WABE_OK);
    f->taken = status == WABE_OK;
    return status;
}

wabe_status wabe_folder_clear(wabe_folder *f, bool overwrite) {
    WABE_TRY(wabe_folder_check(f));
    if (overwrite) {
        remove_run(f);
        return WABE_OK;
    }
    if (!wabe_folder_has_run(f))
        return WABE_OK;
    WABE_TRY(move_aside(f));
    return take_lock(f);
}
