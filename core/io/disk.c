#include "core/io/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* ---- what is read ------------------------------------------------------------------- */

/* Returns errno of opening a regular file, which also checks permissions. If it has been replaced
 * by another kind of file, opening does not block. */
static int try_opening(const char *path) {
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return errno;
    close(file);
    return 0;
}

wabe_status wabe_disk_check(const char *path, int64_t *bytes) {
    struct stat about;
    const bool found = stat(path, &about) == 0;
    int error = found ? 0 : errno;
    if (found && S_ISDIR(about.st_mode))
        error = EISDIR;
    WABE_CHECK(error || S_ISREG(about.st_mode), WABE_FILE, "%s: cannot be read: no regular file",
               path);
    if (!error)
        error = try_opening(path);
    WABE_CHECK(!error, WABE_FILE, "%s: cannot be read: %s", path, strerror(error));
    *bytes = about.st_size;
    return WABE_OK;
}

/* ---- what is written ---------------------------------------------------------------- */

int wabe_disk_create(const char *path) {
    if (unlink(path) != 0 && errno != ENOENT)
        return -1;
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int wabe_disk_reopen(const char *path) { return open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC); }

int wabe_disk_append(const char *path) {
    struct stat about;
    if (lstat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return wabe_disk_create(path);
    return open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* Returns errno. Permission bits are not sufficient (read-only mounts, quotas): only a write is a
 * proof. */
static int try_writing(const char *part) {
    const int file = wabe_disk_create(part);
    int error = file < 0 ? errno : 0;
    if (file >= 0) {
        if (write(file, "wabe\n", 5) != 5)
            error = errno ? errno : ENOSPC;
        if (close(file) != 0 && !error)
            error = errno;
        unlink(part);
    }
    return error;
}

/* Makes the temporary name. Returns errno. */
static int name_part(const char *path, char part[PATH_MAX]) {
    const int length = snprintf(part, PATH_MAX, "%s%s", path, wabe_disk_part_ending());
    return length < PATH_MAX ? 0 : ENAMETOOLONG;
}

static wabe_status cannot_write(const char *path, int error) {
    return WABE_FAIL(WABE_FILE, "%s: cannot be written: %s", path, strerror(error));
}

wabe_status wabe_disk_check_target(const char *path) {
    char part[PATH_MAX];
    struct stat about;
    const bool found = lstat(path, &about) == 0;
    WABE_CHECK(!found || S_ISREG(about.st_mode), WABE_FILE,
               "%s: cannot be written: it is %s; name a file that is none, or a new one", path,
               S_ISLNK(about.st_mode)   ? "a symbolic link"
               : S_ISDIR(about.st_mode) ? "a directory"
                                        : "a device or pipe");
    int error = name_part(path, part);
    if (!error)
        error = try_writing(part);
    return error ? cannot_write(path, error) : WABE_OK;
}

wabe_status wabe_disk_open_new(const char *path, FILE **out) {
    char part[PATH_MAX];
    int error = name_part(path, part);
    const int file = error ? -1 : wabe_disk_create(part);
    *out = file < 0 ? NULL : fdopen(file, "w");
    if (*out)
        return WABE_OK;
    error = error ? error : errno;
    if (file >= 0) {
        close(file);
        unlink(part);
    }
    return cannot_write(path, error);
}

/* Returns errno. */
static int flush(FILE *file, bool sync) {
    errno = 0;
    if (fflush(file) != 0 || ferror(file) || (sync && fsync(fileno(file)) != 0))
        return errno ? errno : EIO;
    return 0;
}

void wabe_disk_drop_new(const char *path, FILE *file) {
    char part[PATH_MAX];
    name_part(path, part);
    fclose(file);
    unlink(part);
}

wabe_status wabe_disk_keep_new(const char *path, FILE *file) {
    char part[PATH_MAX];
    name_part(path, part);
    int error = flush(file, false);
    if (!error && rename(part, path) != 0)
        error = errno;
    if (!error)
        return WABE_OK;
    wabe_disk_drop_new(path, file);
    return cannot_write(path, error);
}

static wabe_status close_new(const char *path, FILE *file, bool sync) {
    char part[PATH_MAX];
    name_part(path, part);
    int error = flush(file, sync);
    if (fclose(file) != 0 && !error)
        error = errno;
    if (!error && rename(part, path) != 0)
        error = errno;
    if (!error)
        return WABE_OK;
    unlink(part);
    return cannot_write(path, error);
}

wabe_status wabe_disk_close_new(const char *path, FILE *file) {
    return close_new(path, file, false);
}

/* ---- a directory -------------------------------------------------------------------- */

static wabe_status make_one_directory(const char *path) {
    if (mkdir(path, 0777) == 0)
        return WABE_OK;
    int error = errno;
    struct stat about;
    if (stat(path, &about) == 0) {
        if (S_ISDIR(about.st_mode))
            return WABE_OK;
        error = ENOTDIR;
    }
    return WABE_FAIL(WABE_FILE, "cannot make the output directory %s: %s", path, strerror(error));
}

static wabe_status make_directory(const char *directory) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", directory);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        WABE_TRY(make_one_directory(path));
        *slash = '/';
    }
    return make_one_directory(path);
}

wabe_status wabe_disk_prepare(const char *directory, const char *part) {
    WABE_CHECK(directory[0], WABE_FILE, "the output directory has an empty name");
    WABE_CHECK(strlen(directory) <= WABE_DISK_DIRECTORY_MAX, WABE_FILE,
               "the path of the output directory is too long (%zu bytes, at most %d): %s",
               strlen(directory), WABE_DISK_DIRECTORY_MAX, directory);
    WABE_TRY(make_directory(directory));
    const int error = try_writing(part);
    WABE_CHECK(!error, WABE_FILE, "cannot write into the output directory %s: %s", directory,
               strerror(error));
    return WABE_OK;
}

/* ---- room --------------------------------------------------------------------------- */

int wabe_disk_reserve(int file, int mode, int64_t bytes, bool *reserved) {
    int result;
    do {
        result = fallocate(file, mode, 0, bytes);
    } while (result != 0 && errno == EINTR);
    *reserved = result == 0;
    if (*reserved)
        return 0;
    if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
        return errno;
    /* If the file system cannot reserve space, at least check how much is free. */
    struct statvfs about;
    if (fstatvfs(file, &about) != 0)
        return 0;
    return (double)about.f_bavail * (double)about.f_frsize < (double)bytes ? ENOSPC : 0;
}

/* ---- texts -------------------------------------------------------------------------- */

wabe_status wabe_disk_open_text(const char *directory, const char *name, FILE **out) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return wabe_disk_open_new(path, out);
}

wabe_status wabe_disk_close_text(const char *directory, const char *name, FILE *file) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return wabe_disk_close_new(path, file);
}

/* ---- a name ------------------------------------------------------------------------- */

static char part_ending[WABE_PART_ENDING_SIZE];

/* Random, since process ids are unique on one host only, and several may write to the same disk. */
static void make_part_ending(void) {
    uint32_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
        number = (uint32_t)getpid() ^ (uint32_t)time(NULL) << 12;
    snprintf(part_ending, sizeof part_ending, ".%08" PRIx32 ".part", number);
}

const char *wabe_disk_part_ending(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_part_ending);
    return part_ending;
}

bool wabe_disk_is_part(const char *name) {
    const size_t length = strlen(name), ending = strlen(wabe_disk_part_ending());
    unsigned number;
    int end = 0;
    return length > ending && sscanf(name + length - ending, ".%8x.part%n", &number, &end) == 1 &&
           (size_t)end == ending;
}

/* A rename is on the disk only once its directory is synced. Some file systems cannot sync a
 * directory; since the file itself is complete by then, this is no reason to stop a run. */
static void sync_directory_of(const char *file) {
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", file);
    char *slash = strrchr(directory, '/');
    if (!slash)
        return;
    slash[slash == directory] = '\0';
    int descriptor = open(directory, O_RDONLY | O_DIRECTORY);
    if (descriptor < 0)
        return;
    fsync(descriptor);
    close(descriptor);
}

/* Truncating the file to its own length releases what was reserved beyond its end. */
static int sync_file(const char *file) {
    int descriptor = wabe_disk_reopen(file);
    if (descriptor < 0)
        return errno;
    struct stat about;
    int error = 0;
    if (fstat(descriptor, &about) != 0 || ftruncate(descriptor, about.st_size) != 0 ||
        fsync(descriptor) != 0)
        error = errno;
    if (close(descriptor) != 0 && !error)
        error = errno;
    return error;
}

wabe_status wabe_disk_publish(const char *part, const char *file) {
    int error = sync_file(part);
    if (!error && rename(part, file) != 0)
        error = errno;
    WABE_CHECK(!error, WABE_FILE, "cannot write %s: %s", file, strerror(error));
    sync_directory_of(file);
    return WABE_OK;
}

wabe_status wabe_disk_publish_new(const char *path, FILE *file) {
    WABE_TRY(close_new(path, file, true));
    sync_directory_of(path);
    return WABE_OK;
}
