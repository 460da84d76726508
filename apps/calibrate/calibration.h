/* A calibration under way: what its parts, in calibrate*.c, share. */
#pragma once

#include "apps/calibrate/probe.h"
#include "apps/model/machine.h"
#include "apps/runtime/components.h"

#include <stdio.h>

#define WABE_MICRO 1e-6

enum { WABE_CALIBRATION_KERNELS_MAX = 1024 };

typedef struct {
    MPI_Comm comm;
    int rank, size;
    bool quick; /* few and small sizes: a trial */
    wabe_target only;
    int measured, unsteady; /* kernels; of them those whose rounds differed much */
    char file[WABE_STRING_SIZE], points[WABE_STRING_SIZE + 8];
    FILE *csv; /* rank 0: all points */
    wabe_components found;
    wabe_machine machine;
    double started;
} wabe_calibration;

/* A line of progress. Local. */
void wabe_calibration_note(const wabe_calibration *c, const char *what);

/* A point of what was measured, for the file of all points. Local. */
void wabe_calibration_point(const wabe_calibration *c, const char *what, const char *of,
                            double size, double seconds, double fitted);

/* Fits what a message takes in each direction; ways: that a point's seconds are of. Local. */
wabe_model_link wabe_calibration_fit(const wabe_calibration *c, const char *what, const char *of,
                                     const wabe_probe *probe, double ways);

/* Copies, kernels and transfers of the node's components. On rank 0 alone, while the others wait.
 * WABE_MEMORY, WABE_INPUT. Local. */
wabe_status wabe_calibrate_components(wabe_calibration *c);

/* Messages between processes, within a node and between nodes. Collective. */
wabe_status wabe_calibrate_links(wabe_calibration *c);
