/* What core/cell_file.c and core/cell_file_values.c share. */
#ifndef WABE_CORE_CELL_FILE_INTERNAL_H
#define WABE_CORE_CELL_FILE_INTERNAL_H

#include "core/cell_file.h"

#include <limits.h>

struct wabe_cell_file {
    MPI_Comm comm;
    int rank;
    char *directory;
    char part[PATH_MAX]; /* the temporary name */
    wabe_cell_shape shape;
    int64_t planes; /* per collective write, the same on all ranks */
    int64_t writes; /* collective writes per array, the same on all ranks */
    int64_t bytes;
    double seconds;
};

/* One file while it is being written. */
typedef struct {
    wabe_cell_file *owner;
    const wabe_cell_content *content;
    char path[PATH_MAX]; /* the final name, for messages as well */
    hid_t file, transfer;
    hid_t data[WABE_CELL_ARRAYS_MAX];
    int descriptor; /* this rank's own */
    bool reserved;  /* there is room on the disk for all of it, for sure */
    uint64_t *sums; /* [array][write], of the values written; owned */
} wabe_cell_job;

/* Why HDF5 could not write the file. To be called right after the failure. Local. */
wabe_status wabe_cell_failed(const wabe_cell_job *job);

static inline void wabe_cell_keep_first(wabe_status *first, wabe_status status) {
    if (*first == WABE_OK)
        *first = status;
}

/* Local. */
int64_t wabe_cell_bytes_per_cell(const wabe_cell_array *array);
/* Of this rank's block, in the widest array. Local. */
int64_t wabe_cell_bytes_per_plane(const wabe_cell_file *file);

/* Fills the arrays of the file that rank 0 has made. Collective. */
wabe_status wabe_cell_write_values(wabe_cell_job *job);

#endif
