/* File system operations: checking files to be read, creating directories, reserving disk space,
 * renaming complete files. */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The longest path of a directory, and the longest temporary name of a file in it, in bytes. Open
 * MPI 4.1 copies a file's path and up to ".locktest.NNNNNN" after it into 256 bytes without a
 * check; it only gets temporary names. */
enum { WABE_DISK_PART_MAX = 40, WABE_DISK_DIRECTORY_MAX = 255 - 16 - 1 - WABE_DISK_PART_MAX };

/* Checks that path is a regular file that can be opened, and gets its size in bytes. Call it before
 * reading any file: opening other kinds might block, and reading them never end. WABE_FILE: "PATH:
 * cannot be read: WHY". Local. */
wabe_status wabe_disk_check(const char *path, int64_t *bytes);

/* Creates the directory and its parents, and checks that files can be written there by writing one:
 * part, a path in it. WABE_FILE: the message has path and reason; if the path is too long nothing
 * is created. Local. */
wabe_status wabe_disk_prepare(const char *directory, const char *part);

/* Reserves disk space for the first bytes of an open file; mode is that of fallocate. reserved:
 * false if the file system cannot reserve; then only the free space is checked. Returns 0 or errno.
 * Local. */
int wabe_disk_reserve(int file, int mode, int64_t bytes, bool *reserved);

/* Returns the ending of the temporary names of this process's files, ".1a2b3c4d.part". It is
 * unique, so that no process writes to another's file. Local. */
enum { WABE_PART_ENDING_SIZE = 16 };
const char *wabe_disk_part_ending(void);
/* Returns whether this is such a temporary name, of any process. Local. */
bool wabe_disk_is_part(const char *name);

/* Open and close DIRECTORY/NAME, a text that is written anew. Under a temporary name until it is
 * closed, it then replaces an earlier one as a whole. WABE_FILE. Local. */
wabe_status wabe_disk_open_text(const char *directory, const char *name, FILE **out);
wabe_status wabe_disk_close_text(const char *directory, const char *name, FILE *file);

/* Syncs the complete file part to the disk and renames it to file. WABE_FILE. Local. */
wabe_status wabe_disk_publish(const char *part, const char *file);
