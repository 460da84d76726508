/* What is being written behind a run: fields and checkpoints that were begun, and not yet ended. */
#ifndef WABE_APPS_RUNTIME_BACKLOG_H
#define WABE_APPS_RUNTIME_BACKLOG_H

#include "apps/runtime/components.h"
#include "apps/runtime/lifetime.h"
#include "core/base/profile.h"
#include "core/io/checkpoint.h"
#include "core/io/output.h"

enum { WABE_BACKLOG_OUTPUTS_MAX = 32 };

typedef struct {
    wabe_writer *writer; /* for all of it */
    int output_count;
    wabe_output *outputs[WABE_BACKLOG_OUTPUTS_MAX]; /* owned */
    wabe_checkpoint_writing *checkpoint;            /* NULL: none is being written */
    wabe_decision decision;                         /* that has led to it */
    int64_t step;
} wabe_backlog;

/* Starts the writer, with little room for values. WABE_MEMORY. Collective. */
wabe_status wabe_backlog_open(MPI_Comm comm, const wabe_components *components, wabe_backlog *out);
/* Once the run has its memory: where GPUs compute, the writer may hold so much at once that they
 * need not wait, up to a quarter of what processes find free on their host. Collective. */
void wabe_backlog_widen(MPI_Comm comm, const wabe_components *components, wabe_backlog *backlog);
/* Ends everything; warns of what fails. Collective. */
void wabe_backlog_close(wabe_backlog *backlog);

/* Appends an output, which uses this writer. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_backlog_add(MPI_Comm comm, wabe_backlog *backlog,
                             const wabe_output_request *request);
/* Begins a checkpoint, after the one before has ended. Of the status see wabe_lifetime_saved.
 * Collective. */
wabe_status wabe_backlog_save(MPI_Comm comm, wabe_backlog *backlog,
                              const wabe_checkpoint_request *request, wabe_decision decision,
                              wabe_lifetime *lifetime);

/* After a step: what wabe_lifetime_decide says, and the next step of each file that no rank is
 * still writing: the disk is not waited for. The time goes to the phase output. WABE_FILE,
 * WABE_MEMORY: fields could not be written; of a checkpoint see wabe_lifetime_saved. Collective. */
wabe_status wabe_backlog_decide(wabe_backlog *backlog, wabe_lifetime *lifetime,
                                wabe_profile *profile, int64_t step, bool last, wabe_decision *out);
/* All steps of all that was begun; otherwise as wabe_backlog_decide. Collective. */
wabe_status wabe_backlog_end(wabe_backlog *backlog, wabe_lifetime *lifetime, wabe_profile *profile);

#endif
