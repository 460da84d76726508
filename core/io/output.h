/* Field output for ParaView: one VTKHDF ImageData file per step, and NAME.hdf.series and NAME.xdmf
 * over them.
 *
 * Values are point data at cell centres, so that ParaView 5.11 opens them too, and what is one cell
 * thick along two axes or three has a second layer of the same values along all but one of them,
 * since it crashes without. All ranks write
 * their own parts, in the background (core/io/cell_file.h). Files are written under a temporary
 * name and renamed, the series and the XDMF after them: a run that dies leaves what was written
 * before readable. */
#pragma once

#include "core/base/box.h"
#include "core/base/enums.h"
#include "core/base/status.h"
#include "core/io/writer.h"

typedef struct {
    const char *name; /* "velocity": letters, digits and _; unique */
    int components;   /* 1 or 3 */
    const char *unit; /* the dataset's attribute unit; NULL: none. Must outlive the output */
} wabe_output_field;

/* The grid that is written, and this rank's part of it; all ranks' parts make up the whole. */
typedef struct {
    int64_t cells[3]; /* of the whole domain */
    wabe_box block;   /* this rank's part, global indices; may be empty */
    double origin[3]; /* corner of the domain */
    double spacing;   /* edge of a cell */
} wabe_output_grid;

enum { WABE_OUTPUT_FIELDS_MAX = 16, WABE_OUTPUT_NAME_MAX = 20 };

typedef struct {
    const char *directory;
    const char *name; /* of the files: letters, digits and _, at most 20: "fields" */
    wabe_output_grid grid;
    int field_count;
    wabe_output_field fields[WABE_OUTPUT_FIELDS_MAX];
    wabe_type type; /* f32, f64 */
    bool compress;  /* gzip, lossless; takes time, and still needs the uncompressed size free on the
                       disk while it writes */
    const char *length_unit, *time_unit; /* likewise of group /wabe; NULL: none */
    /* NULL, or how many states means over time are of when a file is begun: must outlive the
     * output.
     */
    const int64_t *samples;
    wabe_writer *writer; /* must outlive the output; NULL: it gets its own */
} wabe_output_request;

/* Fills buffer with one field on part (within the rank's block): of the output's type,
 * [z][y][x][component]. Local; must not communicate. */
typedef wabe_status (*wabe_output_fill)(void *context, int field, wabe_box part, void *buffer);

typedef struct wabe_output wabe_output;

/* Makes the directory (and its parents) on rank 0 and checks that files can be written there.
 * Everything given is copied. The series and the XDMF of an earlier run stay until the first write
 * replaces them; step files stay until their step is written again.
 * WABE_FILE: says which path and why. Collective. */
wabe_status wabe_output_create(MPI_Comm comm, const wabe_output_request *request,
                               wabe_output **out);
/* The run goes on after this step: files of steps up to it stay in the series; time_step: from one
 * step to the next. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_output_resume(wabe_output *output, int64_t step, double time_step);
/* Ends what was begun. Collective. */
void wabe_output_destroy(wabe_output **output);

/* Letters, digits and _, 1 to WABE_OUTPUT_NAME_MAX: what outputs and their fields may be called.
 * Local. */
bool wabe_output_is_name(const char *name);

/* Begins NAME_<step, 8 digits>.hdf: on return all values have been taken. time is in the unit of
 * the run. Group /wabe of the file gets the attributes step, time and cells (the grid's, along x,
 * y, z), and the dataset configuration: rank 0's text (NULL: an empty one); with samples that
 * attribute, too. A failure of fill on any rank is returned on all. WABE_FILE: the file and the
 * reason (no space, no permission); files of earlier steps stay as they are, and the next call may
 * succeed again. Collective. */
wabe_status wabe_output_begin(wabe_output *output, int64_t step, double time, wabe_output_fill fill,
                              void *context, const char *configuration);
/* Would wabe_output_proceed return without long waiting, as far as this rank knows? Local. */
bool wabe_output_is_done(const wabe_output *output);
/* The next step for the file that was begun, if one was: waits for its values, or for its name, and
 * the series and the XDMF, which rank 0's thread rewrites. Returns as wabe_output_begin.
 * Collective. */
wabe_status wabe_output_proceed(wabe_output *output);
/* All steps. Collective. */
wabe_status wabe_output_end(wabe_output *output);
/* Both. Collective. */
wabe_status wabe_output_write(wabe_output *output, int64_t step, double time, wabe_output_fill fill,
                              void *context, const char *configuration);
