/* wabe predict: predicts the time per step of a case on a described machine, for numbers of nodes.
 * Applications describe the case. */
#pragma once

#include "apps/model/scaling.h"
#include "apps/runtime/input.h"

enum { WABE_NODES_MAX = 64 };

/* The parameters of a prediction, beside the case. */
typedef struct {
    const char *file; /* machine file */
    wabe_machine machine;
    int count;
    int64_t nodes[WABE_NODES_MAX]; /* ascending */
} wabe_prediction;

/* Reads the machine file and the numbers of nodes. Call wabe_predict_close even if it fails.
 * WABE_INPUT. Collective. */
wabe_status wabe_predict_open(MPI_Comm comm, const wabe_input *input, wabe_prediction *out);
void wabe_predict_close(wabe_prediction *prediction);

/* Prints the table, and writes it to the file given by --csv. WABE_INPUT, WABE_FILE. Collective. */
wabe_status wabe_predict(MPI_Comm comm, const wabe_input *input, const wabe_prediction *prediction,
                         const wabe_scaling_case *scaling);
