/* wabe predict: what steps of a case take on a described machine, over its nodes. Applications say
 * what their case is. */
#pragma once

#include "apps/model/scaling.h"
#include "apps/runtime/input.h"

enum { WABE_NODES_MAX = 64 };

/* What a prediction is for, beside the case. */
typedef struct {
    const char *file; /* of the machine */
    wabe_machine machine;
    int count;
    int64_t nodes[WABE_NODES_MAX]; /* growing */
} wabe_prediction;

/* Reads the machine and the numbers of nodes. To be closed in any case. WABE_INPUT. Collective. */
wabe_status wabe_predict_open(MPI_Comm comm, const wabe_input *input, wabe_prediction *out);
void wabe_predict_close(wabe_prediction *prediction);

/* Prints the table, and writes it where --csv says. WABE_INPUT, WABE_FILE. Collective. */
wabe_status wabe_predict(MPI_Comm comm, const wabe_input *input, const wabe_prediction *prediction,
                         const wabe_scaling_case *scaling);
