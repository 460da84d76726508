/* Tracers: points advected by the velocity through a medium, for the distribution of residence
 * times. */
#pragma once

#include "apps/lbm/simulation.h"

/* From the start of slice begin normal to the axis to the start of slice end. */
typedef struct {
    int axis;
    int64_t begin, end;
    int64_t count;    /* of tracers, at most 10^7 */
    double steps_max; /* then a tracer is given up */
} wabe_journey;

typedef struct {
    int64_t started, arrived;
    double *steps; /* process 0: of the tracers that arrived, ascending, to be freed; other
                      processes: NULL */
} wabe_residence;

/* Starts tracers where the medium begins, in proportion to each cell's flux, and follows them in
 * the present velocity field, frozen in time, until they first reach the medium's end. The velocity
 * normal to a cell face is the mean of both cells', 0 at solids, and linear between opposite faces,
 * so that paths through a cell are known exactly (Pollock 1988, Ground Water 26, 743). Tracers that
 * are given up, get stuck, or leave against the flow through a face that is not periodic do not
 * arrive. The result is independent of the decomposition. WABE_MEMORY, and the errors of
 * wabe_geometry_flags. Collective. */
wabe_status wabe_tracers_follow(const wabe_simulation *simulation, const wabe_journey *journey,
                                wabe_residence *out);
