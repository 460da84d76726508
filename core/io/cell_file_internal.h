/* What core/io/cell_file*.c share. */
#pragma once

#include "core/io/cell_file.h"

#include <limits.h>

/* One file while it is being written. */
typedef struct {
    wabe_cell_content content;
    char path[PATH_MAX];                   /* the final name, for messages as well */
    int descriptor;                        /* this rank's own; -1: none */
    bool reserved;                         /* there is room on the disk for all of it, for sure */
    int64_t offsets[WABE_CELL_ARRAYS_MAX]; /* of the values of each array in the file */
    wabe_writer_job *written; /* in the background: the values, then the name; NULL: nothing */
} wabe_cell_job;

struct wabe_cell_file {
    MPI_Comm comm;
    int rank;
    char *directory;
    char part[PATH_MAX]; /* the temporary name */
    wabe_cell_shape shape;
    wabe_writer *writer, *own_writer; /* own_writer: NULL if it is another's */
    bool background;                  /* values go to where they belong without HDF5 */
    int64_t planes;                   /* at once, the same on all ranks */
    int64_t writes;                   /* times that many, the same on all ranks */
    enum { WABE_CELL_IDLE, WABE_CELL_VALUES, WABE_CELL_NAME } stage; /* what is being written */
    wabe_cell_job job;                                               /* unless idle */
};

/* Why HDF5 could not write the file. To be called right after the failure. Local. */
wabe_status wabe_cell_failed(const wabe_cell_file *file);

static inline void wabe_cell_keep_first(wabe_status *first, wabe_status status) {
    if (*first == WABE_OK)
        *first = status;
}

/* Local. */
int64_t wabe_cell_bytes_per_cell(const wabe_cell_array *array);
/* Of this rank's block, in the widest array. Local. */
int64_t wabe_cell_bytes_per_plane(const wabe_cell_file *file);
/* The planes of the block that are written at once for the n-th time; empty when none are left.
 * Local. */
wabe_box wabe_cell_part(const wabe_cell_file *file, int64_t n);
int64_t wabe_cell_bytes_in(const wabe_cell_file *file, int array, wabe_box part);
/* Opens the file that rank 0 has made by itself, without HDF5. WABE_FILE. Local. */
wabe_status wabe_cell_open_own(wabe_cell_file *file);

/* Fills the arrays of the file that rank 0 has made. Collective. */
wabe_status wabe_cell_write_collectively(wabe_cell_file *file);
/* The same, in the background. Collective. */
wabe_status wabe_cell_begin_background(wabe_cell_file *file);
wabe_status wabe_cell_end_background(wabe_cell_file *file);
