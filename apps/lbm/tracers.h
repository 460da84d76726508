/* Tracers: points that the velocity carries through a medium, for the distribution of the times
 * that fluid stays in it. */
#pragma once

#include "apps/lbm/simulation.h"

/* From where slice begin normal to the axis begins to where slice end does. */
typedef struct {
    int axis;
    int64_t begin, end;
    int64_t count;    /* tracers, 10^7 at most */
    double steps_max; /* who takes longer is given up */
} wabe_journey;

typedef struct {
    int64_t started, arrived;
    double *steps; /* process 0: of those that arrived, ascending; NULL on others; to be freed */
} wabe_residence;

/* Starts tracers where the medium begins, as many in each cell as its share of the flux demands,
 * and follows them in the present velocity, held still, until they get to its end for the first
 * time. Velocities stand at the faces of cells, the mean of both cells' and 0 at what is solid, and
 * are linear between opposite faces; so the way through a cell is known exactly (Pollock 1988,
 * Ground Water 26, 743). Those that are given up, get nowhere, or leave against the flow through
 * a face that is not periodic, do not arrive. The result does not depend on how the domain is cut.
 * WABE_MEMORY, and what wabe_geometry_flags fails with. Collective. */
wabe_status wabe_tracers_follow(const wabe_simulation *simulation, const wabe_journey *journey,
                                wabe_residence *out);
