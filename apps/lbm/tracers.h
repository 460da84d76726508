/* Tracers: points that the flow carries through a medium, for the distribution of residence
 * times. */
#pragma once

#include "apps/lbm/simulation.h"

/* Along the axis, from where slice begin starts to where slice end starts. */
typedef struct {
    int axis;
    int64_t begin, end;
    int64_t count;    /* number of tracers, at most 10^7 */
    double steps_max; /* a tracer that takes longer is dropped */
} wabe_journey;

typedef struct {
    int64_t started, arrived;
    double *steps; /* process 0: travel times of the tracers that arrived, ascending, to be freed;
                      other processes: NULL */
} wabe_residence;

/* Returns the bytes that wabe_tracers_follow takes on a block with all of the tracers, about.
 * Local. */
int64_t wabe_tracers_memory(wabe_box block, int64_t count);
/* Starts tracers where the medium begins, in proportion to each cell's flux, and follows them in
 * the present velocity field, frozen in time, until they first reach the medium's end. The velocity
 * normal to a cell face is the mean of the two cells', or 0 at a solid, and varies linearly between
 * opposite faces, so that the path through a cell is exact (Pollock 1988, Ground Water 26, 743).
 * Tracers that take too long, get stuck, or leave against the flow through a face that is not
 * periodic do not arrive. The result does not depend on the decomposition. WABE_MEMORY, and the
 * errors of wabe_geometry_flags. Collective. */
wabe_status wabe_tracers_follow(const wabe_simulation *simulation, const wabe_journey *journey,
                                wabe_residence *out);
