/* Field output for ParaView: one VTKHDF ImageData file per step, and NAME.hdf.series and NAME.xdmf,
 * which list them.
 *
 * Values are point data at cell centres, so that ParaView 5.11 can open them too. Along an axis of
 * one cell a file has two layers of the same values, at the cell's two faces: that is what all
 * versions of VTK's reader take. All ranks write their own parts, in the background
 * (core/io/cell_file.h). Files are written under a temporary name and renamed, and the series and
 * the XDMF file after them, so that a run that dies leaves all earlier output readable. */
#pragma once

#include "core/base/box.h"
#include "core/base/enums.h"
#include "core/base/status.h"
#include "core/io/writer.h"

typedef struct {
    const char *name; /* "velocity": letters, digits and _; unique */
    int components;   /* 1, 3: a vector, 6: a symmetric tensor xx, yy, zz, xy, yz, xz */
    const char *unit; /* the dataset's attribute unit; NULL: none. Must outlive the output */
} wabe_output_field;

/* The grid that is written, and this rank's part of it; the parts of all ranks cover the grid. */
typedef struct {
    int64_t cells[3];  /* of the whole domain */
    wabe_box block;    /* this rank's part, global indices; may be empty */
    double origin[3];  /* corner of the domain */
    double spacing[3]; /* edge lengths of a cell */
} wabe_output_grid;

enum { WABE_OUTPUT_FIELDS_MAX = 16, WABE_OUTPUT_NAME_MAX = 20 };

typedef struct {
    const char *directory;
    const char *name; /* of the files: letters, digits and _, at most 20: "fields" */
    wabe_output_grid grid;
    int field_count;
    wabe_output_field fields[WABE_OUTPUT_FIELDS_MAX];
    wabe_type type; /* f32, f64 */
    bool compress;  /* gzip, lossless; takes time, and needs disk space for the uncompressed size
                       while writing */
    const char *length_unit, *time_unit; /* attributes of group /wabe; NULL: none. Must outlive the
                                            output */
    /* NULL, or the number of samples in time averages, read when a file is begun. Must outlive the
     * output. */
    const int64_t *samples;
    wabe_writer *writer; /* must outlive the output; NULL: the output creates its own */
} wabe_output_request;

/* Fills buffer with one field on part (within the rank's block): of the output's type,
 * [z][y][x][component]. Local; must not communicate. */
typedef wabe_status (*wabe_output_fill)(void *context, int field, wabe_box part, void *buffer);

typedef struct wabe_output wabe_output;

/* Finds the memory that writing such files takes. WABE_MEMORY, WABE_INTERNAL. Collective. */
wabe_status wabe_output_memory(MPI_Comm comm, const wabe_output_request *request,
                               wabe_writer_memory *out);
/* Creates the directory (and its parents) on rank 0 and checks that files can be written there.
 * Everything given is copied, except what must outlive the output. The series and the XDMF file of
 * an earlier run stay until the first write replaces them; step files stay until their step is
 * written again. WABE_FILE: the message has path and reason. WABE_MEMORY, WABE_INTERNAL.
 * Collective. */
wabe_status wabe_output_create(MPI_Comm comm, const wabe_output_request *request,
                               wabe_output **out);
/* Keeps the files of steps up to this one, after which the run continues, in the series, and no
 * others. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_output_resume(wabe_output *output, int64_t step);
/* Ends a file that was begun, and frees all. Collective. */
void wabe_output_destroy(wabe_output **output);

/* Returns whether a name is valid for outputs and their fields: 1 to WABE_OUTPUT_NAME_MAX letters,
 * digits and _. Local. */
bool wabe_output_is_name(const char *name);

/* Returns the layers that a file has along an axis of so many cells: two for one cell. Local. */
int64_t wabe_output_layers(int64_t cells);

/* Begins NAME_<step, 8 digits>.hdf: on return all values are copied. time: in the run's unit. Group
 * /wabe of the file gets the attributes step, time, cells (the grid's, along x, y, z) and, if
 * requested, samples, and the dataset configuration: rank 0's text (NULL: empty). A failure of fill
 * on any rank is returned on all. WABE_FILE: the message has file and reason (no space, no
 * permission); files of earlier steps are unchanged, and the next call may succeed. Collective. */
wabe_status wabe_output_begin(wabe_output *output, int64_t step, double time, wabe_output_fill fill,
                              void *context, const char *configuration);
/* Returns whether wabe_output_proceed would return without a long wait, as far as this rank knows.
 * Local. */
bool wabe_output_is_done(const wabe_output *output);
/* Does the next step of a file that was begun, if any: waits for its values; or for a thread of
 * rank 0, which renames it and rewrites the series and the XDMF file. Returns as wabe_output_begin.
 * Collective. */
wabe_status wabe_output_proceed(wabe_output *output);
/* Does all remaining steps. Collective. */
wabe_status wabe_output_end(wabe_output *output);
/* Begins and ends a file. Collective. */
wabe_status wabe_output_write(wabe_output *output, int64_t step, double time, wabe_output_fill fill,
                              void *context, const char *configuration);
