/* The tip of a dendrite that grows along x. */
#pragma once

#include "apps/runtime/run.h"

typedef struct {
    double position, velocity, radius; /* NAN: there is no tip */
    double width;                      /* from nine tenths of solid to a tenth; or NAN */
    double from, from_step;            /* the position at the last multiple of monitor.every */
} wabe_tip;

enum { WABE_TIP_COLUMNS = 3 };
extern const char wabe_tip_columns[]; /* of monitor.csv */

/* Finds where phi, the state's first number, first falls to the mean of solid and liquid, its
 * values in the bulk, on the row of cells from center along x, counted from center; its mean
 * velocity since the last multiple of monitor.every; the radius of curvature there, from the mean
 * of the curvatures along y and z; and the interface's width; in the run's units. columns: is set
 * to the first three. tip: from and from_step NAN before the first call. WABE_MEMORY. Collective.
 */
wabe_status wabe_tip_find(const wabe_run *run, const double center[3], double solid, double liquid,
                          wabe_tip *tip, double columns[WABE_TIP_COLUMNS]);

/* Returns the Peclet number, velocity times radius over twice the diffusivity, of a steady parabola
 * (axes 2) or paraboloid (3) at an undercooling between 0 and 1 (G. P. Ivantsov, 1947). Local. */
double wabe_tip_peclet(double undercooling, int axes);
