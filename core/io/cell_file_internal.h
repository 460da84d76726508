/* Shared by core/io/cell_file*.c. */
#pragma once

#include "core/io/cell_file.h"

#include <limits.h>

/* One file while it is being written. */
typedef struct {
    wabe_cell_content content;
    char path[PATH_MAX];                   /* the final name, also for messages */
    int descriptor;                        /* this rank's own; -1: none */
    bool reserved;                         /* disk space for the whole file is reserved */
    int64_t offsets[WABE_CELL_ARRAYS_MAX]; /* of each array's values in the file */
    wabe_writer_job *written; /* in the background: the values, then the renaming; NULL: nothing */
} wabe_cell_job;

struct wabe_cell_file {
    MPI_Comm comm;
    int rank;
    char *directory;
    char part[PATH_MAX]; /* the temporary name */
    wabe_cell_shape shape;
    wabe_writer *writer, *own_writer; /* own_writer: NULL if the writer is the caller's */
    bool background;                  /* threads write values in place, without HDF5 */
    int64_t planes;                   /* per write, the same on all ranks */
    int64_t writes;                   /* number of writes, the same on all ranks */
    enum { WABE_CELL_IDLE, WABE_CELL_VALUES, WABE_CELL_NAME } stage; /* what is being written */
    wabe_cell_job job;                                               /* unless idle */
};

/* Records and returns WABE_FILE with HDF5's reason; call it right after the failure. Local. */
wabe_status wabe_cell_failed(const wabe_cell_file *file);

static inline void wabe_cell_keep_first(wabe_status *first, wabe_status status) {
    if (*first == WABE_OK)
        *first = status;
}

/* Returns the bytes of an array per cell. Local. */
int64_t wabe_cell_bytes_per_cell(const wabe_cell_array *array);
/* Returns the bytes of a plane of this rank's block, in the widest array. Local. */
int64_t wabe_cell_bytes_per_plane(const wabe_cell_file *file);
/* Returns the planes of the block in write n, from 0; empty when none are left. Local. */
wabe_box wabe_cell_part(const wabe_cell_file *file, int64_t n);
/* Returns the bytes of an array on a part. Local. */
int64_t wabe_cell_bytes_in(const wabe_cell_file *file, int array, wabe_box part);
/* Opens the file that rank 0 has created, on this rank and without HDF5. WABE_FILE. Local. */
wabe_status wabe_cell_open_own(wabe_cell_file *file);

/* Writes the arrays to the file that rank 0 has created. Collective. */
wabe_status wabe_cell_write_collectively(wabe_cell_file *file);
/* Starts writing them in the background. Collective. */
wabe_status wabe_cell_begin_background(wabe_cell_file *file);
/* Waits until this rank's threads are done, if they have anything to do. Local. */
wabe_status wabe_cell_end_background(wabe_cell_file *file);
