/* Kernel calls: a kernel, its arguments, and the component that runs it. */
#pragma once

#include "core/device/team.h"
#include "core/registry/kernel.h"

typedef struct {
    const wabe_component *component;
    const wabe_kernel *kernel;
    const void *args; /* of the kernel's sweep; for GPUs it is copied */
    int64_t count;    /* items */
    /* GPUs: the stream that runs it, an event that it waits for, and those recorded in front of it
     * and behind it (or NULL). */
    wabe_stream *stream;
    wabe_event *after, *begun, *done;
} wabe_call;

/* Gives the calls for GPUs to their streams, without waiting for them, and runs those for CPUs, all
 * at the same time; these are done on return. progress or NULL. Local. */
void wabe_calls_run(int count, const wabe_call *calls, const wabe_progress *progress);
