/* Mistakes with solids that take a look at cells to be found: output inside of solids, solids that
 * overlap without being alike, and bodies that leave a stream little room. */
#pragma once

#include "apps/runtime/run.h"

enum { WABE_OVERLAPS_MAX = 8 };

typedef struct {
    bool probes[WABE_PROBES_MAX], parts[WABE_PARTS_MAX]; /* all cells are solid */
    int overlap_count;                  /* of those that are found before there is no more room */
    int overlaps[WABE_OVERLAPS_MAX][2]; /* conditions; cells that both have are of the first */
    double narrowest; /* fluid cells of a plane normal to a stream, of a sample of planes, over
                         those at its inlet */
} wabe_body_faults;

/* Finds them. WABE_MEMORY; WABE_INPUT, WABE_FILE: a solid cannot be read. Collective. */
wabe_status wabe_bodies_look(const wabe_run *run, wabe_body_faults *out);
