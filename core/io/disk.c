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

/* Permission bits are not sufficient (read-only mounts, quotas): only a write is a proof. */
static wabe_status try_writing(const char *directory, const char *part) {
    int file = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int error = file < 0 ? errno : 0;
    if (file >= 0) {
        if (write(file, "wabe\n", 5) != 5)
            error = errno ? errno : ENOSPC;
        if (close(file) != 0 && !error)
            error = errno;
        unlink(part);
    }
    WABE_CHECK(!error, WABE_FILE, "cannot write into the output directory %s: %s", directory,
               strerror(error));
    return WABE_OK;
}

wabe_status wabe_disk_prepare(const char *directory, const char *part) {
    WABE_CHECK(directory[0], WABE_FILE, "the output directory has an empty name");
    WABE_CHECK(strlen(directory) <= WABE_DISK_DIRECTORY_MAX, WABE_FILE,
               "the path of the output directory is too long (%zu bytes, at most %d): %s",
               strlen(directory), WABE_DISK_DIRECTORY_MAX, directory);
    WABE_TRY(make_directory(directory));
    return try_writing(directory, part);
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

/* Makes the final and the temporary path. */
static void name_text(const char *directory, const char *name, char path[PATH_MAX],
                      char part[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s/%s", directory, name);
    snprintf(part, PATH_MAX, "%s/%s%s", directory, name, wabe_disk_part_ending());
}

wabe_status wabe_disk_open_text(const char *directory, const char *name, FILE **out) {
    char path[PATH_MAX], part[PATH_MAX];
    name_text(directory, name, path, part);
    *out = fopen(part, "w");
    WABE_CHECK(*out, WABE_FILE, "%s: cannot be written: %s", path, strerror(errno));
    return WABE_OK;
}

wabe_status wabe_disk_close_text(const char *directory, const char *name, FILE *file) {
    char path[PATH_MAX], part[PATH_MAX];
    name_text(directory, name, path, part);
    const bool failed = ferror(file) != 0;
    if (fclose(file) == 0 && !failed && rename(part, path) == 0)
        return WABE_OK;
    const wabe_status status = WABE_FAIL(WABE_FILE, "%s: cannot be written: %s", path,
                                         strerror(errno));
    unlink(part);
    return status;
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
    int descriptor = open(file, O_RDWR);
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
