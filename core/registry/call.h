/* Kernel calls: a kernel, its arguments, and the component that runs it. */
#pragma once

#include "core/device/team.h"
#include "core/registry/kernel.h"

typedef struct {
    const wabe_component *component;
    const wabe_kernel *kernel;
    const void *args;     /* arguments of the kernel's sweep; copied for GPUs */
    int64_t first, count; /* work items first to first + count - 1 */
    /* GPUs: the stream that runs the kernel, an event that it waits for, and events recorded before
     * and after it (or NULL). */
    wabe_stream *stream;
    wabe_event *after, *begun, *done;
} wabe_call;

/* Queues all GPU calls in their streams without waiting, then runs all CPU calls concurrently and
 * returns when these are done. progress: see core/device/team.h; or NULL. Local. */
void wabe_calls_run(int count, const wabe_call *calls, const wabe_progress *progress);
