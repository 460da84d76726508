/* Checkpoints: HDF5 files of all that a run needs to go on, to the last bit, on any number of
 * ranks.
 *
 *   /state/00, 01, ...   arrays [z][y][x] of the whole domain, as they are stored
 *   /wabe                attributes: format, application, step, cells, type, and numbers of the
 *                        application; datasets: configuration, checksums (array, z)
 *
 * A plane's checksum is a sum of hashes of its values and their places, so it does not depend on
 * who wrote them. Files are written under a temporary name, in the background, and renamed when
 * what they have is what was meant, and is on the disk. */
#pragma once

#include "core/base/box.h"
#include "core/base/enums.h"
#include "core/base/status.h"
#include "core/io/writer.h"

#include <stdbool.h>

enum { WABE_CHECKPOINT_FORMAT = 2, WABE_CHECKPOINT_NUMBERS_MAX = 32 };

typedef struct {
    const char *name; /* letters, digits and _; at most 62 */
    double value;
} wabe_checkpoint_number;

/* What a checkpoint is of. */
typedef struct {
    const char *application;
    int64_t step;
    int64_t cells[3];
    int array_count;
    wabe_type type;
    int real_count;            /* so many more arrays follow, of f64 */
    const char *configuration; /* the resolved input */
    int number_count;          /* what else the application has to know again */
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
    wabe_writer *writer; /* of this rank; NULL: it gets its own */
} wabe_checkpoint_request;

/* One that is being written. */
typedef struct wabe_checkpoint_writing wabe_checkpoint_writing;

/* Begins DIRECTORY/checkpoint_<step>.h5: on return the values have been taken. Directory and
 * configuration are copied, other names must outlive it. WABE_FILE: earlier ones are still there.
 * WABE_MEMORY. Collective. */
wabe_status wabe_checkpoint_begin(MPI_Comm comm, const wabe_checkpoint_request *request,
                                  wabe_checkpoint_writing **out);
/* Would wabe_checkpoint_proceed return without long waiting, as far as this rank knows? Local. */
bool wabe_checkpoint_is_done(const wabe_checkpoint_writing *writing);
/* The next step: waits until all values are written; or until the file has its name, and only then
 * removes older ones but for keep - 1 of them. Others of steps after mine, the last one that is
 * known to be of this run, are of another one, and renamed to NAME.old (an earlier one of that
 * name goes). writing becomes NULL when that was the last step, or with a failure. Returns as
 * wabe_checkpoint_begin. Collective. */
wabe_status wabe_checkpoint_proceed(wabe_checkpoint_writing **writing);
/* All steps. Collective. */
wabe_status wabe_checkpoint_end(wabe_checkpoint_writing **writing);

/* A checkpoint that is there. */
typedef struct wabe_checkpoint wabe_checkpoint;

/* Reads what it is of, and its checksums. WABE_INPUT: it is no checkpoint, of another format, or
 * damaged; WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_checkpoint_open(MPI_Comm comm, const char *path, wabe_checkpoint **out);
void wabe_checkpoint_close(wabe_checkpoint **checkpoint);
const char *wabe_checkpoint_path(const wabe_checkpoint *checkpoint);
const wabe_checkpoint_head *wabe_checkpoint_head_of(const wabe_checkpoint *checkpoint);
/* One of its numbers, or otherwise. Local. */
double wabe_checkpoint_number_of(const wabe_checkpoint *checkpoint, const char *name,
                                 double otherwise);

/* Reads all values, and holds them against the checksums. WABE_INPUT: says which plane is damaged;
 * WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_checkpoint_verify(MPI_Comm comm, wabe_checkpoint *checkpoint);

/* A box of an array; cheap for one box of an array after the other. WABE_FILE, WABE_INPUT: it is
 * damaged; WABE_MEMORY. Local. */
wabe_status wabe_checkpoint_read(wabe_checkpoint *checkpoint, int array, wabe_box box,
                                 void *values);

/* Opens the checkpoint of the latest step in a directory whose values verify; the log says which
 * others were skipped, and why. out: NULL if there is none at all. WABE_INPUT: none is whole;
 * WABE_FILE: the directory cannot be read; WABE_MEMORY. Collective. */
wabe_status wabe_checkpoint_open_latest(MPI_Comm comm, const char *directory,
                                        wabe_checkpoint **out);
