/* What files ask of the disk: a directory, room, and a name once they are whole. */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Makes the directory and its parents, and checks that files can be written there by writing one:
 * part, a path in it. WABE_FILE: says which path and why. Local. */
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
