/* The files that list the files of all steps: NAME.hdf.series (JSON, for ParaView's VTKHDF reader)
 * and NAME.xdmf (for its XDMF Reader). Used by core/io/output.c; rank 0 writes them. */
#pragma once

#include "core/io/output.h"

#include <stddef.h>

typedef struct {
    int64_t step;
    double time;
} wabe_output_step;

/* The steps written so far, ascending; {0} is an empty index. */
typedef struct {
    wabe_output_step *steps; /* count entries, owned */
    size_t count, capacity;
} wabe_output_index;

enum { WABE_OUTPUT_NAME_SIZE = 48 };

/* Gets the file name of a step of an output, without its directory. Local. */
void wabe_output_file_name(const char *output, int64_t step, char name[WABE_OUTPUT_NAME_SIZE]);

/* Adds a step; if it is already there, changes its time. WABE_MEMORY. Local. */
wabe_status wabe_output_index_add(wabe_output_index *index, int64_t step, double time);
/* Adds the steps up to last of which the output's directory has files, with the times that are in
 * them; warns of files without one. WABE_FILE, WABE_MEMORY. Local. */
wabe_status wabe_output_index_find(wabe_output_index *index, const wabe_output_request *output,
                                   int64_t last);
void wabe_output_index_clear(wabe_output_index *index);

/* Replaces both files in the directory; each stays complete if that fails. WABE_FILE. Local. */
wabe_status wabe_output_index_write(const wabe_output_index *index,
                                    const wabe_output_request *output);
