/* HDF5 files with numbers for each cell of a domain, written by all ranks together.
 *
 * Each rank writes its own part, a few z-planes at a time, from pieces of at most 4 MiB (or one
 * plane of the block, if that is more): threads of each rank write them (core/io/writer.h) to where
 * HDF5 has made room, while the caller goes on. What is compressed, or cut so that rows are short,
 * goes through parallel HDF5's collective calls. A file is written under a temporary name and
 * renamed once it is whole: one that has its name can be relied on. What stands in the file beside
 * the numbers, the caller says. */
#pragma once

#include "core/base/box.h"
#include "core/base/enums.h"
#include "core/base/status.h"
#include "core/io/writer.h"

#include <hdf5.h>

enum { WABE_CELL_ARRAYS_MAX = 32 };

typedef struct {
    const char *path; /* of its dataset: "/VTKHDF/PointData/velocity"; structure makes its group */
    int components;   /* of a cell; 1: shape (z, y, x), otherwise (z, y, x, components) */
    wabe_type type;   /* f64, f32; f16: 16 bits as they are, unsigned integers in the file */
    const char *unit; /* the dataset's attribute unit; NULL: none */
} wabe_cell_array;

/* The numbers; all ranks' parts make up the whole. */
typedef struct {
    int64_t cells[3]; /* of the whole domain */
    wabe_box block;   /* this rank's part, global indices; may be empty */
    /* Of the domain, in the order of the dataset's last, last but one, first dimension: 0, 1, 2.
     * Any other order is for axes of one cell only (see wabe_output_axes): values keep theirs. */
    int axes[3];
    bool compress; /* gzip, lossless */
    int array_count;
    wabe_cell_array arrays[WABE_CELL_ARRAYS_MAX]; /* paths must outlive the wabe_cell_file */
} wabe_cell_shape;

/* What stands in one file; the functions are the same on all ranks. */
typedef struct {
    void *context;
    int64_t room; /* bytes that structure and finish take, at most */
    /* Rank 0, before the arrays are made: groups, attributes. false: HDF5 has failed. Local. */
    bool (*structure)(void *context, hid_t file);
    /* Fills buffer with one array on part (within the rank's block): [z][y][x][component], of the
     * array's type. Local; must not communicate. */
    wabe_status (*fill)(void *context, int array, wabe_box part, void *buffer);
    /* NULL, or what else looks at what fill has filled, on writing threads: at several parts, which
     * have no plane of an array in common, at once. Local. */
    void (*look)(void *context, int array, wabe_box part, const void *values);
    bool verify; /* values are compared with what the file has after they were written */
    /* After all values are written, or NULL: gets what belongs together from all ranks (checksums,
     * say). Collective. */
    wabe_status (*gather)(void *context);
    /* Rank 0, after that, the file open again, or NULL: what is known only now. false: HDF5 has
     * failed. Local. */
    bool (*finish)(void *context, hid_t file);
    /* Before the file gets its name, or NULL: looks at it under its temporary name. Collective. */
    wabe_status (*check)(void *context, const char *path);
    /* Rank 0, on the writing thread, once the file has its name, or NULL. Local. */
    wabe_status (*named)(void *context);
} wabe_cell_content;

typedef struct wabe_cell_file wabe_cell_file;

/* Makes the directory (and its parents) on rank 0 and checks that files can be written there. stem:
 * the temporary name without its ending, at most 32 characters: "fields.hdf". Everything given is
 * copied, but for the paths of the arrays. Compressed files still need the uncompressed size free
 * on the disk while they are written. writer: of this rank, must outlive the file; NULL: it gets
 * its own. WABE_FILE: says which path and why. WABE_MEMORY, WABE_INTERNAL. Collective. */
wabe_status wabe_cell_file_create(MPI_Comm comm, const char *directory, const char *stem,
                                  const wabe_cell_shape *shape, wabe_writer *writer,
                                  wabe_cell_file **out);
/* Ends what has begun. Collective. */
void wabe_cell_file_destroy(wabe_cell_file **file);

/* Begins DIRECTORY/NAME: on return the values have been taken, and the caller may change them.
 * content's context must last until the end. A failure of fill on any rank is returned on all.
 * WABE_FILE: the file and the reason (no space, no permission). After any failure (but one of
 * named) an earlier file of that name is still there as it was, and the next call may succeed
 * again. Collective. */
wabe_status wabe_cell_file_begin(wabe_cell_file *file, const char *name,
                                 const wabe_cell_content *content);
/* Would wabe_cell_file_proceed return without long waiting, as far as this rank knows? Local. */
bool wabe_cell_file_is_done(const wabe_cell_file *file);
/* The next step of a file that was begun, if one was: waits until all ranks have written the
 * values, and leaves it to rank 0's thread to give the file its name; or waits for that. Returns as
 * wabe_cell_file_begin. Collective. */
wabe_status wabe_cell_file_proceed(wabe_cell_file *file);
/* Has nothing been begun, or has it ended? The same on all ranks. Local. */
bool wabe_cell_file_is_idle(const wabe_cell_file *file);
/* All steps. Collective. */
wabe_status wabe_cell_file_end(wabe_cell_file *file);

/* For structure and finish: attributes of a group, a scalar where count is 0. false: HDF5 has
 * failed. Local. */
bool wabe_hdf_put_attribute(hid_t group, const char *name, hid_t file_type, hid_t memory_type,
                            hsize_t count, const void *values);
bool wabe_hdf_put_integers(hid_t group, const char *name, hsize_t count, const int64_t *values);
bool wabe_hdf_put_reals(hid_t group, const char *name, hsize_t count, const double *values);
/* A text of a group or a dataset; NULL: there is none. */
bool wabe_hdf_put_unit(hid_t object, const char *name, const char *unit);
/* A dataset, since an attribute may not exceed 64 KiB. */
bool wabe_hdf_put_text(hid_t group, const char *name, const char *text);
