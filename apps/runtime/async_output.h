/* What is being written behind a run: fields and a checkpoint that were begun, and not yet ended.
 */
#pragma once

#include "apps/runtime/components.h"
#include "core/base/profile.h"
#include "core/io/checkpoint.h"
#include "core/io/output.h"

enum { WABE_ASYNC_OUTPUTS_MAX = 32 };

typedef struct {
    wabe_writer *writer; /* for all of it */
    int output_count;
    wabe_output *outputs[WABE_ASYNC_OUTPUTS_MAX]; /* owned */
    wabe_checkpoint_writing *checkpoint;          /* NULL: none is being written */
    int64_t step;                                 /* that it is of */
    bool vital;    /* the run ends with it: without it nobody could go on */
    int64_t known; /* step that is known to be of this run: its begin, or of a checkpoint */
} wabe_async_output;

/* Starts the writer, with little room for values. WABE_MEMORY. Collective. */
wabe_status wabe_async_open(MPI_Comm comm, const wabe_components *components,
                            wabe_async_output *out);
/* Once the run has its memory: where GPUs compute, the writer may hold so much at once that they
 * need not wait, up to a quarter of what processes find free on their host. Collective. */
void wabe_async_widen(MPI_Comm comm, const wabe_components *components, wabe_async_output *async);
/* Ends everything; warns of what fails. Collective. */
void wabe_async_close(wabe_async_output *async);

/* Appends an output, which uses this writer. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_async_add(MPI_Comm comm, wabe_async_output *async,
                           const wabe_output_request *request);
/* Begins a checkpoint, after the one before has ended. One that cannot be written is worth a
 * warning, but no reason to end a run, or to do without its results: WABE_FILE and WABE_MEMORY,
 * here and below, if it is vital. Collective. */
wabe_status wabe_async_save(MPI_Comm comm, wabe_async_output *async,
                            const wabe_checkpoint_request *request, bool vital);

/* What this rank is still writing: bit 0 for the checkpoint, then one for each output. Local. */
uint64_t wabe_async_busy(const wabe_async_output *async);
/* The next step of each file that no rank is busy with: the disk is not waited for. The time goes
 * to the phase output. WABE_FILE, WABE_MEMORY: fields could not be written; of a checkpoint see
 * above. Collective. */
wabe_status wabe_async_proceed(wabe_async_output *async, uint64_t busy, wabe_profile *profile);
/* All steps of all that was begun; otherwise the same. Collective. */
wabe_status wabe_async_end(wabe_async_output *async, wabe_profile *profile);
