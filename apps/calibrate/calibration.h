/* A calibration in progress: shared by calibrate*.c. */
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
    bool quick; /* a trial: few, small sizes */
    wabe_target only;
    const char *part;       /* of the names of the kernels to measure */
    int measured, unsteady; /* numbers of kernels; unsteady: with a large spread between rounds */
    char file[WABE_STRING_SIZE], points[WABE_STRING_SIZE + 8];
    FILE *csv; /* rank 0: the file of all points */
    wabe_components found;
    wabe_machine machine;
    double started;
} wabe_calibration;

/* Prints a line of progress. Local. */
void wabe_calibration_note(const wabe_calibration *c, const char *line);

/* Writes a measured point to the file of all points. Local. */
void wabe_calibration_point(const wabe_calibration *c, const char *quantity, const char *subject,
                            double size, double seconds, double fitted);

/* Fits the time of a message in one direction; ways: the number of directions that a point's
 * seconds cover. Local. */
wabe_model_link wabe_calibration_fit(const wabe_calibration *c, const char *quantity,
                                     const char *subject, const wabe_probe *probe, double ways);

/* Measures copies, kernels and transfers of the node's components. Rank 0 only, while the others
 * wait. WABE_MEMORY, WABE_INPUT. Local. */
wabe_status wabe_calibrate_components(wabe_calibration *c);

/* Measures messages between processes, within a node and between nodes. WABE_MEMORY. Collective. */
wabe_status wabe_calibrate_links(wabe_calibration *c);
