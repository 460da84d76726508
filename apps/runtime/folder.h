/* An output folder, locked for one run at a time; files of earlier runs are kept beside it. */
#pragma once

#include "core/base/status.h"

/* Between wabe_folder_take and wabe_folder_leave the folder is ours, unless somebody renames,
 * removes or replaces it or its lock. */
typedef struct wabe_folder wabe_folder;
struct wabe_folder {
    MPI_Comm comm;
    const char *path; /* must outlive the folder */
    int held; /* on rank 0 the open lock file, or the folder itself if files cannot be locked there:
                 as long as it is what the path leads to, the folder is ours; -1: none */
    bool taken, lost;  /* lost: on rank 0, it is no longer ours */
    wabe_folder *home; /* another folder that is taken, which has this one; or NULL */
};

/* Returns a folder that is not taken. Local. */
wabe_folder wabe_folder_of(MPI_Comm comm, const char *path);

/* Makes the folder and locks it, unless it is taken, and removes the incomplete files that killed
 * runs have left. WABE_FILE: another run holds the lock (the message names its process), or the
 * folder cannot be written. Collective. */
wabe_status wabe_folder_take(wabe_folder *folder);
/* The same on rank 0 alone, for a folder that it has left. WABE_FILE. Local. */
wabe_status wabe_folder_take_alone(wabe_folder *folder);
/* Returns whether something in the folder has this name. Local. */
bool wabe_folder_has(const wabe_folder *folder, const char *name);
/* Returns whether a run, or several with a folder each, has begun there. Local. */
bool wabe_folder_has_run(const wabe_folder *folder);
/* Makes room for a new run: moves the folder of an earlier one aside or, if it is to be
 * overwritten, removes that run's files. Rank 0 only. WABE_FILE. Local. */
wabe_status wabe_folder_clear(wabe_folder *folder, bool overwrite);
/* Fails with WABE_FILE if the folder, or its home, is no longer ours: then nothing may be written
 * there, and the log file is closed. Call it before each write; it looks at two names. Other ranks
 * than 0 never fail. Local. */
wabe_status wabe_folder_check(wabe_folder *folder);
/* Releases and removes the lock, unless it is another's by now. Local. */
void wabe_folder_leave(wabe_folder *folder);
