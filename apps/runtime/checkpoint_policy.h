/* When a run writes checkpoints, and when it ends before its last step: intervals, a limit on its
 * time, signals. */
#pragma once

#include "core/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t every, keep;
    double minutes, stop_after; /* minutes */
    bool compress;
} wabe_checkpoint_options;

typedef enum { WABE_GO_ON, WABE_SAVE, WABE_SAVE_AND_STOP } wabe_decision;

typedef struct {
    MPI_Comm comm;
    wabe_checkpoint_options options;
    int64_t looked, look;       /* the steps of the last look at clock and signals, and the next */
    double looked_at, saved_at; /* seconds */
} wabe_checkpoint_policy;

/* From now on SIGTERM, SIGINT and SIGUSR1 are for wabe_checkpoint_decide; a second one ends the
 * process. The run's time begins. Local. */
void wabe_checkpoint_watch(void);

/* Has this process been asked by a signal to end, since it watches? Local. */
bool wabe_checkpoint_is_signalled(void);

/* step: done so far. Local. */
wabe_checkpoint_policy
wabe_checkpoint_policy_begin(MPI_Comm comm, const wabe_checkpoint_options *options, int64_t step);

/* What to do after a step, the same on all ranks; they ask each other a few times a second. last:
 * no other step comes. busy: a bit for each file that this rank is still writing; after it those
 * that some rank still writes, or all bits, if ranks have not asked each other. Collective. */
wabe_decision wabe_checkpoint_decide(wabe_checkpoint_policy *policy, int64_t step, bool last,
                                     uint64_t *busy);
