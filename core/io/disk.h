/* File system operations: checking files to be read, opening files to be written, creating
 * directories, reserving disk space, renaming complete files. */
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

/* Files are written only as these functions open them, so that nothing is written through a
 * symbolic link: one that lies where a file is to be is replaced by the file, or refused, and what
 * it names stays as it is. A directory may be a link. */

/* Creates a file, and opens it for reading and writing; what has its name is removed first. Returns
 * the descriptor; -1: errno says why. Local. */
int wabe_disk_create(const char *path);
/* Opens a file that exists, for reading and writing. Returns the descriptor; -1: errno says why,
 * ELOOP: it is a symbolic link. Local. */
int wabe_disk_reopen(const char *path);
/* Opens a file to write behind its end; what is no regular file is replaced by one. Returns the
 * descriptor; -1: errno says why. Local. */
int wabe_disk_append(const char *path);

/* Checks that a file that the user has named for output can be written: there is none, or a regular
 * one, and its directory takes files. A link or a device that somebody names may be dear to others:
 * it is refused rather than replaced. WABE_FILE: "PATH: cannot be written: WHY". Local. */
wabe_status wabe_disk_check_target(const char *path);

/* Opens a file that is written anew. It has a temporary name until wabe_disk_close_new or one of
 * its like gives it its own: then it replaces an earlier one as a whole, which stays if anything
 * fails. WABE_FILE: "PATH: cannot be written: WHY". Local. */
wabe_status wabe_disk_open_new(const char *path, FILE **out);
/* Closes it and gives it its name. WABE_FILE, and then nothing is left of it. Local. */
wabe_status wabe_disk_close_new(const char *path, FILE *file);
/* The same, with the file and its name synced to the disk. */
wabe_status wabe_disk_publish_new(const char *path, FILE *file);
/* The same, but the file stays open, unless it fails. */
wabe_status wabe_disk_keep_new(const char *path, FILE *file);
/* Closes and removes it. Local. */
void wabe_disk_drop_new(const char *path, FILE *file);

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

/* Open and close DIRECTORY/NAME as wabe_disk_open_new and wabe_disk_close_new do. WABE_FILE.
 * Local. */
wabe_status wabe_disk_open_text(const char *directory, const char *name, FILE **out);
wabe_status wabe_disk_close_text(const char *directory, const char *name, FILE *file);

/* Syncs the complete file part to the disk and renames it to file. WABE_FILE. Local. */
wabe_status wabe_disk_publish(const char *part, const char *file);
