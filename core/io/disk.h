/* What files ask of the disk: to be what can be read, a directory, room, and a name once they are
 * whole. */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes of the longest path of a directory, and of the temporary name of a file in it. Open MPI 4.1
 * copies the path of a file, and up to ".locktest.NNNNNN" behind it, into 256 bytes without
 * looking; it is given no longer name than the temporary one. */
enum { WABE_DISK_PART_MAX = 40, WABE_DISK_DIRECTORY_MAX = 255 - 16 - 1 - WABE_DISK_PART_MAX };

/* For all data that are read: path is a regular file of so many bytes, and can be opened. Opening
 * anything else might wait for ever, reading it never end. WABE_FILE: "PATH: cannot be read: WHY".
 * Local. */
wabe_status wabe_disk_check(const char *path, int64_t *bytes);

/* Makes the directory and its parents, and checks that files can be written there by writing one:
 * part, a path in it. WABE_FILE: says which path and why; of a path that is too long nothing is
 * made. Local. */
wabe_status wabe_disk_prepare(const char *directory, const char *part);

/* Room for so many bytes from the beginning of an open file; mode is that of fallocate. reserved:
 * there is, for sure; otherwise the file system cannot tell. Returns errno. Local. */
int wabe_disk_reserve(int file, int mode, int64_t bytes, bool *reserved);

/* ".1a2b3c4d.part": what the names of files end in that this process has yet to finish. No other
 * process has the same ending, so that none writes into another's file. Local. */
enum { WABE_PART_ENDING_SIZE = 16 };
const char *wabe_disk_part_ending(void);
/* Is this the name of such a file, of any process? Local. */
bool wabe_disk_is_part(const char *name);

/* DIRECTORY/NAME as a text that is written anew. It appears, whole, when it is closed; until then
 * an earlier one stays. WABE_FILE. Local. */
wabe_status wabe_disk_open_text(const char *directory, const char *name, FILE **out);
wabe_status wabe_disk_close_text(const char *directory, const char *name, FILE *file);

/* Gives the finished file part its final name, once its contents are safely on the disk. WABE_FILE.
 * Local. */
wabe_status wabe_disk_publish(const char *part, const char *file);
