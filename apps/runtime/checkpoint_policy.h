/* Decides when a run writes checkpoints, and whether it ends before its last step: intervals, a
 * time limit, signals. */
#pragma once

#include "core/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t every, keep;
    double minutes, stop_after; /* minutes */
    bool compress, last;        /* last: another one follows the last step */
} wabe_checkpoint_options;

typedef enum { WABE_GO_ON, WABE_SAVE, WABE_SAVE_AND_STOP } wabe_decision;

typedef struct {
    MPI_Comm comm;
    wabe_checkpoint_options options;
    int64_t looked, look; /* the steps of the last check of clock and signals, and of the next */
    double looked_at, saved_at; /* seconds */
} wabe_checkpoint_policy;

/* Starts the run's clock and catches SIGTERM, SIGINT and SIGUSR1 for wabe_checkpoint_decide; a
 * second signal ends the process. Local. */
void wabe_checkpoint_watch(void);

/* Has this process received such a signal since? Local. */
bool wabe_checkpoint_is_signalled(void);

/* Returns the initial policy; step: steps done so far. Local. */
wabe_checkpoint_policy
wabe_checkpoint_policy_begin(MPI_Comm comm, const wabe_checkpoint_options *options, int64_t step);

/* Decides what to do after a step, identically on all ranks, which communicate a few times per
 * second. last: no further step follows. busy: in: a bit for each file that this rank is still
 * writing; out: those that any rank is still writing, or all bits if ranks have not communicated.
 * Collective. */
wabe_decision wabe_checkpoint_decide(wabe_checkpoint_policy *policy, int64_t step, bool last,
                                     uint64_t *busy);
