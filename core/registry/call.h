/* Kernel calls: a kernel, its arguments, and the component that runs it. */
#pragma once

#include "core/device/team.h"
#include "core/registry/kernel.h"

typedef struct {
    const wabe_component *component;
    const wabe_kernel *kernel;
    const void *args; /* arguments of the kernel's sweep; copied for GPUs */
    int64_t count;    /* items */
    /* GPUs: the stream that runs the kernel, an event that it waits for, and events recorded before
     * and after it (or NULL). */
    wabe_stream *stream;
    wabe_event *after, *begun, *done;
} wabe_call;

/* Queues the calls for GPUs in their streams without waiting, and runs the calls for CPUs, all at
 * the same time; CPU calls are done on return. progress or NULL. Local. */
void wabe_calls_run(int count, const wabe_call *calls, const wabe_progress *progress);
