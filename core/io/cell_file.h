/* HDF5 files with arrays over the cells of a domain, written by all ranks together.
 *
 * Each rank writes its own part, in pieces of a few z-planes of at most 4 MiB (or one plane of the
 * block, if that is more). Threads of each rank (core/io/writer.h) write them to where HDF5 has
 * allocated space, while the caller continues. Compressed files, and those whose blocks have short
 * rows, are written by collective calls of parallel HDF5. A file is written under a temporary name
 * and renamed once it is complete, so that a file under its final name can be relied on. The caller
 * defines all contents but the arrays. */
#pragma once

#include "core/base/box.h"
#include "core/base/enums.h"
#include "core/base/status.h"
#include "core/io/writer.h"

#include <hdf5.h>

enum { WABE_CELL_ARRAYS_MAX = 128 };

typedef struct {
    const char *path; /* of the dataset, in a group that structure creates: "/VTKHDF/x" */
    int components;   /* per cell; 1: shape (z, y, x), otherwise (z, y, x, components) */
    wabe_type type;   /* f64, f32; f16: raw 16 bits, unsigned integers in the file */
    const char *unit; /* attribute unit of the dataset; NULL: none */
} wabe_cell_array;

/* The arrays; the parts of all ranks cover the domain. */
typedef struct {
    int64_t cells[3]; /* of the whole domain */
    wabe_box block;   /* this rank's part, global indices; may be empty */
    bool compress;    /* gzip, lossless */
    int array_count;
    wabe_cell_array arrays[WABE_CELL_ARRAYS_MAX]; /* paths and units must outlive the file */
} wabe_cell_shape;

/* The contents of one file; functions must be the same on all ranks. */
typedef struct {
    void *context;
    int64_t room; /* bytes that structure and finish write, at most */
    /* On rank 0, before the arrays are created: creates groups and attributes. Returns false if
     * HDF5 fails. Local. */
    bool (*structure)(void *context, hid_t file);
    /* Fills buffer with one array on part (within the rank's block): [z][y][x][component], of the
     * array's type. Local; must not communicate. */
    wabe_status (*fill)(void *context, int array, wabe_box part, void *buffer);
    /* NULL, or inspects the values of a part after fill; writing threads may call it for several
     * parts at once, which have no plane of an array in common. Local. */
    void (*look)(void *context, int array, wabe_box part, const void *values);
    bool verify; /* read values back after writing, and compare them */
    /* NULL, or combines data of all ranks (checksums, say) after all values are written.
     * Collective. */
    wabe_status (*gather)(void *context);
    /* NULL, or on rank 0 after gather, with the file open again: writes what is known only then.
     * Returns false if HDF5 fails. Local. */
    bool (*finish)(void *context, hid_t file);
    /* NULL, or checks the file under its temporary name before it is renamed. Collective. */
    wabe_status (*check)(void *context, const char *path);
    /* NULL, or on rank 0, usually on a writing thread, after the file is renamed. Local. */
    wabe_status (*named)(void *context);
} wabe_cell_content;

typedef struct wabe_cell_file wabe_cell_file;

/* Finds the memory that a file of this shape takes.
 * WABE_INTERNAL. Collective. */
wabe_status wabe_cell_file_memory(MPI_Comm comm, const wabe_cell_shape *shape,
                                  wabe_writer_memory *out);

/* Creates the directory (and its parents) on rank 0 and checks that files can be written there.
 * stem: the temporary name without its ending, at most 24 characters ("fields.hdf"). Everything
 * given is copied, except the arrays' paths and units. Compressed files need disk space for the
 * uncompressed size while they are written. writer: of this rank, must outlive the file; NULL: the
 * file creates its own. WABE_FILE: the message has path and reason. WABE_MEMORY, WABE_INTERNAL.
 * Collective. */
wabe_status wabe_cell_file_create(MPI_Comm comm, const char *directory, const char *stem,
                                  const wabe_cell_shape *shape, wabe_writer *writer,
                                  wabe_cell_file **out);
/* Ends a file that was begun, and frees all. Collective. */
void wabe_cell_file_destroy(wabe_cell_file **file);

/* Begins DIRECTORY/NAME: on return the values are copied, and the caller may change them. content's
 * context must last until the file has ended. A failure of fill on any rank is returned on all.
 * WABE_FILE: the message has file and reason (no space, no permission). After any failure (except
 * of named) an earlier file of that name is unchanged, and the next call may succeed.
 * Collective. */
wabe_status wabe_cell_file_begin(wabe_cell_file *file, const char *name,
                                 const wabe_cell_content *content);
/* Returns whether wabe_cell_file_proceed would return without a long wait, as far as this rank
 * knows. Local. */
bool wabe_cell_file_is_done(const wabe_cell_file *file);
/* Does the next step of a file that was begun, if any: waits until all ranks have written the
 * values, and lets a thread of rank 0 rename the file; or waits for the renaming. Returns as
 * wabe_cell_file_begin. Collective. */
wabe_status wabe_cell_file_proceed(wabe_cell_file *file);
/* Returns whether no file is being written; the same on all ranks. Local. */
bool wabe_cell_file_is_idle(const wabe_cell_file *file);
/* Does all remaining steps. Collective. */
wabe_status wabe_cell_file_end(wabe_cell_file *file);

/* For structure and finish: write attributes of a group, scalars if count is 0. Return false if
 * HDF5 fails. Local. */
bool wabe_hdf_put_attribute(hid_t group, const char *name, hid_t file_type, hid_t memory_type,
                            hsize_t count, const void *values);
bool wabe_hdf_put_integers(hid_t group, const char *name, hsize_t count, const int64_t *values);
bool wabe_hdf_put_reals(hid_t group, const char *name, hsize_t count, const double *values);
/* Writes a text attribute of a group or dataset; NULL: none. Returns false if HDF5 fails. Local. */
bool wabe_hdf_put_unit(hid_t object, const char *name, const char *unit);
/* Writes a text as a dataset, since attributes are limited to 64 KiB. Returns false if HDF5 fails.
 * Local. */
bool wabe_hdf_put_text(hid_t group, const char *name, const char *text);
