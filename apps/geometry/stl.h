/* Triangles from STL files. Libraries that read them are larger than this reader, or under the GPL
 * (admesh). */
#pragma once

#include "core/base/status.h"

#include <stdint.h>

/* To be freed with wabe_stl_free. */
typedef struct {
    int64_t count;
    float *corners;  /* [count][corner][axis], in the file's units */
    int64_t surplus; /* bytes behind the triangles of a binary file, which are skipped */
} wabe_stl;

/* Reads a file, binary or text; normals and names are skipped. A text begins with "solid", behind a
 * byte order mark or blanks, if any, and its lines end with LF, CR LF or CR; but a file is binary
 * if its size is that of the triangles that it announces, whatever its header says. WABE_INPUT:
 * empty, truncated, no triangle, a coordinate that is not finite, a text that is no STL file (with
 * the line); WABE_FILE; WABE_MEMORY. Messages begin with the file's name. Local. */
wabe_status wabe_stl_read(const char *file, wabe_stl *out);
void wabe_stl_free(wabe_stl *stl);
