/* What files ask of the disk: a directory, room, and a name once they are whole. */
#pragma once

#include "core/base/status.h"

#include <stdint.h>
#include <stdio.h>

/* Makes the directory and its parents, and checks that files can be written there by writing one:
 * part, a path in it. WABE_FILE: says which path and why. Local. */
wabe_status wabe_disk_prepare(const char *directory, const char *part);

/* Room for so many bytes from the beginning of an open file; mode is that of fallocate. reserved:
 * there is, for sure; otherwise the file system cannot tell. Returns errno. Local. */
int wabe_disk_reserve(int file, int mode, int64_t bytes, bool *reserved);

/* DIRECTORY/NAME as a text that is written anew, and its end. WABE_FILE. Local. */
wabe_status wabe_disk_open_text(const char *directory, const char *name, FILE **out);
wabe_status wabe_disk_close_text(const char *directory, const char *name, FILE *file);

/* Gives the finished file part its final name, once its contents are safely on the disk. WABE_FILE.
 * Local. */
wabe_status wabe_disk_publish(const char *part, const char *file);
