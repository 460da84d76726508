/* Forces on bodies: solids of a flow, each with a boundary condition of its own. They are written
 * over time to forces.csv, and as means to results.json. */
#pragma once

#include "apps/lbm/options.h"
#include "apps/runtime/run.h"

/* Numbers of each body in a line of forces.csv; of a whole line without its step, at most. */
enum { WABE_FORCE_COLUMNS = 6, WABE_FORCE_NUMBERS = 4 + WABE_FORCE_COLUMNS * WABE_BODIES_MAX };

/* Means and root mean squares of the deviation from them, of the lines of forces.csv. */
typedef struct {
    double force[3], torque[3], rms_force[3];
    double drag, lift, drag_error, lift_error; /* of bodies with a stream; standard errors, NAN:
                                                  there are too few lines */
    double drag_drift, lift_drift; /* from the first half of the lines to the second; if it is
                                      within the scatter of the batches 0 */
} wabe_body_means;

typedef struct {
    wabe_time_series file;
    int64_t step; /* of now; -1: none */
    wabe_force now[WABE_CONDITIONS_MAX];
    int64_t lines; /* that the means are of; 0: there are none */
    wabe_body_means means[WABE_BODIES_MAX];
} wabe_forces;

static inline double wabe_forces_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Reads forces.bodies; without them each solid is a body. Needs the conditions of the case.
 * WABE_INPUT, with the key's line. Local. */
wabe_status wabe_forces_bodies(const wabe_config *config, const wabe_lbm_options *options,
                               wabe_lbm_case *lbm_case);

/* Sets the functions that record forces in the runtime's table, if forces.every is given. Local. */
void wabe_forces_enter(const wabe_lbm_options *options, wabe_application *app);
/* force_means.c: computes the means of the lines of forces.csv from forces.begin on, those of
 * earlier runs included; on rank 0. WABE_FILE. Local. */
wabe_status wabe_forces_conclude(const wabe_run *run);
/* Add the means to results.json; print them. Local. */
void wabe_forces_put(const wabe_run *run, wabe_json *json);
void wabe_forces_print(const wabe_run *run);
