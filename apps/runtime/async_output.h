/* Background output of a run: the fields and the checkpoint that are being written. */
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
    bool vital;    /* the run ends with this checkpoint, and could not be continued without it */
    int64_t known; /* latest step known to belong to this run: its first, or a checkpoint's */
} wabe_async_output;

/* Starts the writer with a small buffer. WABE_MEMORY. Collective. */
wabe_status wabe_async_open(MPI_Comm comm, const wabe_components *components,
                            wabe_async_output *out);
/* Returns the limit of the writer's buffer, in bytes: on GPUs this process's share of a quarter of
 * the host's memory that is available, so that runs need not wait; on CPUs a twentieth of the
 * state, 64 MB at most. state: bytes of this process's slabs. Collective. */
int64_t wabe_async_room(MPI_Comm comm, const wabe_components *components, int64_t state,
                        int64_t available);
/* Gives the writer this room. Call it once the run has allocated its memory. Collective. */
void wabe_async_widen(MPI_Comm comm, const wabe_components *components, int64_t state,
                      wabe_async_output *async);
/* Ends all outputs; a failure causes only a warning. Collective. */
void wabe_async_close(wabe_async_output *async);

/* Adds an output that uses this writer. WABE_FILE, WABE_MEMORY. Collective. */
wabe_status wabe_async_add(MPI_Comm comm, wabe_async_output *async,
                           const wabe_output_request *request);
/* Waits for the previous checkpoint to end, then starts one. A checkpoint that cannot be written
 * causes only a warning; if it is vital, it is an error (WABE_FILE, WABE_MEMORY), here and below.
 * Collective. */
wabe_status wabe_async_save(MPI_Comm comm, wabe_async_output *async,
                            const wabe_checkpoint_request *request, bool vital);

/* Returns what this rank is still writing: bit 0 for the checkpoint, then a bit per output.
 * Local. */
uint64_t wabe_async_busy(const wabe_async_output *async);
/* Starts the next stage of each file that no rank is busy with, without waiting for the disk. busy:
 * wabe_async_busy of all ranks, combined by OR. The time counts as phase output. WABE_FILE,
 * WABE_MEMORY: fields could not be written; for checkpoints see wabe_async_save. Collective. */
wabe_status wabe_async_proceed(wabe_async_output *async, uint64_t busy, wabe_profile *profile);
/* Like wabe_async_proceed, but waits until all files are written. Collective. */
wabe_status wabe_async_end(wabe_async_output *async, wabe_profile *profile);
