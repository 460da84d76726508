/* Background output of a run: fields and a checkpoint whose writing has begun but not ended. */
#pragma once

#include "apps/runtime/components.h"
#include "core/base/profile.h"
#include "core/io/checkpoint.h"
#include "core/io/output.h"

enum { WABE_ASYNC_OUTPUTS_MAX = 32 };

typedef struct {
    wabe_writer *writer; /* shared by all outputs */
    int output_count;
    wabe_output *outputs[WABE_ASYNC_OUTPUTS_MAX]; /* owned */
    wabe_checkpoint_writing *checkpoint;          /* NULL: none is being written */
    int64_t step;                                 /* of the checkpoint */
    bool vital; /* the run ends with this checkpoint: without it, the run could not be continued */
    int64_t known; /* latest step known to belong to this run: its start, or a checkpoint's */
} wabe_async_output;

/* Starts the writer with a small buffer. WABE_MEMORY. Collective. */
wabe_status wabe_async_open(MPI_Comm comm, const wabe_components *components,
                            wabe_async_output *out);
/* Enlarges the writer's buffer once the run has allocated its memory: with GPUs, to as much as is
 * needed for them not to wait, up to a quarter of the free memory of their host. Collective. */
void wabe_async_widen(MPI_Comm comm, const wabe_components *components, wabe_async_output *async);
/* Ends all outputs; failures become warnings. Collective. */
void wabe_async_close(wabe_async_output *async);

/* Adds an output that uses this writer. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_async_add(MPI_Comm comm, wabe_async_output *async,
                           const wabe_output_request *request);
/* Starts a checkpoint after the previous one has ended. If a checkpoint cannot be written, this is
 * only a warning, and the run goes on; if it is vital, WABE_FILE and WABE_MEMORY, here and below.
 * Collective. */
wabe_status wabe_async_save(MPI_Comm comm, wabe_async_output *async,
                            const wabe_checkpoint_request *request, bool vital);

/* Returns what this rank is still writing: bit 0 for the checkpoint, then a bit per output.
 * Local. */
uint64_t wabe_async_busy(const wabe_async_output *async);
/* Starts the next stage of each file that no rank is busy with; it does not wait for the disk. Its
 * time counts as phase output. WABE_FILE, WABE_MEMORY: fields could not be written; for checkpoints
 * see wabe_async_save. Collective. */
wabe_status wabe_async_proceed(wabe_async_output *async, uint64_t busy, wabe_profile *profile);
/* Waits until everything that was begun is written; otherwise as wabe_async_proceed. Collective. */
wabe_status wabe_async_end(wabe_async_output *async, wabe_profile *profile);
