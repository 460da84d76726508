/* Checkpoints: HDF5 files with all that a run needs to continue bitwise identically, on any number
 * of ranks.
 *
 *   /state/00, 01, ...   arrays [z][y][x] of the whole domain, as they are stored
 *   /wabe                attributes: format, application, step, cells, type, and numbers of the
 *                        application; datasets: configuration, checksums (array, z)
 *
 * The checksum of a plane is a sum of hashes of its values and their positions, so that it does not
 * depend on which ranks wrote them. Files are written under a temporary name, in the background,
 * and renamed once their contents are verified and on the disk. */
#pragma once

#include "core/base/box.h"
#include "core/base/enums.h"
#include "core/base/status.h"
#include "core/io/writer.h"

#include <stdbool.h>

enum { WABE_CHECKPOINT_FORMAT = 2, WABE_CHECKPOINT_NUMBERS_MAX = 64 };

typedef struct {
    const char *name; /* letters, digits and _; at most 62 */
    double value;
} wabe_checkpoint_number;

/* The metadata of a checkpoint. */
typedef struct {
    const char *application;
    int64_t step;
    int64_t cells[3];
    int array_count;
    wabe_type type;
    int real_count;            /* further arrays, of f64 */
    const char *configuration; /* the resolved input */
    int number_count;          /* further numbers that the application needs */
    wabe_checkpoint_number numbers[WABE_CHECKPOINT_NUMBERS_MAX];
} wabe_checkpoint_head;

/* Fills values with an array on part (within the rank's block), as it is stored. Local. */
typedef wabe_status (*wabe_checkpoint_fill)(void *context, int array, wabe_box part, void *values);

typedef struct {
    const char *directory;
    wabe_checkpoint_head head;
    wabe_box block; /* this rank's part */
    wabe_checkpoint_fill fill;
    void *context;
    bool compress;
    int64_t keep, mine;  /* see wabe_checkpoint_proceed */
    wabe_writer *writer; /* of this rank; NULL: it creates its own */
} wabe_checkpoint_request;

/* Finds the memory that writing such a checkpoint takes. WABE_INTERNAL. Collective. */
wabe_status wabe_checkpoint_memory(MPI_Comm comm, const wabe_checkpoint_request *request,
                                   wabe_writer_memory *out);

/* A checkpoint that is being written. */
typedef struct wabe_checkpoint_writing wabe_checkpoint_writing;

/* Begins DIRECTORY/checkpoint_<step>.h5: on return the values are copied. directory and
 * configuration are copied, other texts must outlive the writing. WABE_FILE: earlier checkpoints
 * are unchanged. WABE_MEMORY. Collective. */
wabe_status wabe_checkpoint_begin(MPI_Comm comm, const wabe_checkpoint_request *request,
                                  wabe_checkpoint_writing **out);
/* Returns whether wabe_checkpoint_proceed would return without a long wait, as far as this rank
 * knows. Local. */
bool wabe_checkpoint_is_done(const wabe_checkpoint_writing *writing);
/* Does the next step: waits until all values are written; or until the file is renamed, and only
 * then removes all but the latest keep - 1 of the older ones. Checkpoints of later steps than mine,
 * the last one known to be of this run, belong to another run; they are renamed to NAME.old,
 * replacing any earlier file of that name. writing becomes NULL after the last step or a failure.
 * Returns as wabe_checkpoint_begin. Collective. */
wabe_status wabe_checkpoint_proceed(wabe_checkpoint_writing **writing);
/* Does all remaining steps. Collective. */
wabe_status wabe_checkpoint_end(wabe_checkpoint_writing **writing);

/* A checkpoint that is open for reading. */
typedef struct wabe_checkpoint wabe_checkpoint;

/* Opens a checkpoint and reads its metadata and checksums. WABE_INPUT: it is no checkpoint, of
 * another format, or damaged; WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_checkpoint_open(MPI_Comm comm, const char *path, wabe_checkpoint **out);
void wabe_checkpoint_close(wabe_checkpoint **checkpoint);
const char *wabe_checkpoint_path(const wabe_checkpoint *checkpoint);
const wabe_checkpoint_head *wabe_checkpoint_head_of(const wabe_checkpoint *checkpoint);
/* Returns one of its numbers, or otherwise if there is none of this name. Local. */
double wabe_checkpoint_number_of(const wabe_checkpoint *checkpoint, const char *name,
                                 double otherwise);

/* Reads all values and compares them with the checksums. WABE_INPUT: the message names the damaged
 * plane; WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_checkpoint_verify(MPI_Comm comm, wabe_checkpoint *checkpoint);

/* Reads a box of an array; the array stays open, so that reading further boxes of it is cheap.
 * WABE_FILE; WABE_INPUT: it is damaged; WABE_MEMORY. Local. */
wabe_status wabe_checkpoint_read(wabe_checkpoint *checkpoint, int array, wabe_box box,
                                 void *values);

/* Returns whether a directory has a file named as a checkpoint. Local. */
bool wabe_checkpoint_is_in(const char *directory);

/* Opens the checkpoint of the latest step in a directory whose values verify; logs which others
 * were skipped, and why. out: NULL if the directory has no checkpoint. WABE_INPUT: all are damaged;
 * WABE_FILE: the directory cannot be read; WABE_MEMORY. Collective. */
wabe_status wabe_checkpoint_open_latest(MPI_Comm comm, const char *directory,
                                        wabe_checkpoint **out);
