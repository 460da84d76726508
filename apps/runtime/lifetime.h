/* When a run writes checkpoints, and when it ends before its last step: intervals, a limit on its
 * time, signals. */
#ifndef WABE_APPS_RUNTIME_LIFETIME_H
#define WABE_APPS_RUNTIME_LIFETIME_H

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
    int64_t looked, look; /* the steps of the last look at clock and signals, and the next */
    int64_t last;         /* step that is known to be of this run: its begin, or of a checkpoint */
    double looked_at, saved_at; /* seconds */
    uint64_t busy; /* of the files that are being written (see wabe_lifetime_decide) those that some
                      rank still writes, or that nobody has asked about after this step */
} wabe_lifetime;

/* From now on SIGTERM, SIGINT and SIGUSR1 are for wabe_lifetime_decide; a second one ends the
 * process. The run's time begins. Local. */
void wabe_lifetime_watch(void);

/* step: done so far. Local. */
wabe_lifetime wabe_lifetime_begin(MPI_Comm comm, const wabe_checkpoint_options *options,
                                  int64_t step);

/* What to do after a step, the same on all ranks; they ask each other a few times a second. last:
 * no other step comes. busy: a bit for each file that this rank is still writing. Collective. */
wabe_decision wabe_lifetime_decide(wabe_lifetime *lifetime, int64_t step, bool last, uint64_t busy);

/* What became of the checkpoint of a step: one that could not be written is worth a warning, but
 * no reason to end a run, or to do without its results; unless the run was to end with it.
 * WABE_FILE, WABE_MEMORY: see status. Local. */
wabe_status wabe_lifetime_saved(wabe_lifetime *lifetime, wabe_decision decision, int64_t step,
                                wabe_status status);

#endif
