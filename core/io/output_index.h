/* The texts that tie the files of the steps together: NAME.hdf.series (JSON, for ParaView's
 * VTKHDF reader) and NAME.xdmf (for its XDMF Reader). Used by core/io/output.c, on rank 0 alone. */
#pragma once

#include "core/io/output.h"

#include <stddef.h>

typedef struct {
    int64_t step;
    double time;
} wabe_output_step;

/* The steps written so far, ascending. All zero is an empty index. */
typedef struct {
    wabe_output_step *steps; /* count entries, owned */
    size_t count, capacity;
} wabe_output_index;

enum { WABE_OUTPUT_NAME_SIZE = 48 };

/* The name of a step's file of an output's, without its directory. Local. */
void wabe_output_file_name(const char *output, int64_t step, char name[WABE_OUTPUT_NAME_SIZE]);

/* Which of the axes x, y, z (0, 1, 2) are the file's i, j, k. ParaView 5.11 crashes on a VTKHDF
 * image with one layer in j or k, but not in i: so the flat axis of a plane comes first. The order
 * of the values in the file is the same either way. (Outputs have one flat axis at most: lines and
 * points are written with a second layer.) Local. */
const int *wabe_output_axes(const wabe_output_grid *grid);

/* Adds a step; one that is there already gets the new time. Local. */
wabe_status wabe_output_index_add(wabe_output_index *index, int64_t step, double time);
/* Adds the steps up to this one that the output's directory has files of. WABE_FILE, WABE_MEMORY.
 * Local. */
wabe_status wabe_output_index_find(wabe_output_index *index, const wabe_output_request *output,
                                   int64_t last, double time_step);
void wabe_output_index_clear(wabe_output_index *index);

/* Replaces both texts in the directory; after WABE_FILE the earlier ones are still whole. Local. */
wabe_status wabe_output_index_write(const wabe_output_index *index,
                                    const wabe_output_request *output);
