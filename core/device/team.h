/* The compute threads of a process. (Files are written by threads of core/io/writer.h.)
 *
 * A job is a range of items for the threads of one component. Each thread starts with its own
 * share, so that the core that touches memory first also uses it later, and then takes items from
 * other threads (work stealing). The jobs of all components run at the same time. The calling
 * thread also drives communication. */
#pragma once

#include "core/device/component.h"

typedef struct {
    const wabe_component *component;
    int64_t count;
    void (*work)(void *context, int64_t begin, int64_t end);
    void *context;
} wabe_job;

/* A task, such as communication, that advances when the calling thread drives it now and then. */
typedef struct {
    bool (*drive)(void *context); /* false: nothing is left to do */
    void *context;
    bool first; /* the calling thread does nothing else until drive returns false */
} wabe_progress;

enum { WABE_JOBS_MAX = 16 };

/* Processes all items of all jobs and returns when they are done. progress may be NULL. Local. */
void wabe_team_run(int count, const wabe_job *jobs, const wabe_progress *progress);

/* Runs one job without work stealing: each thread processes only its own share, so that memory that
 * it touches first is allocated near it. Local. */
void wabe_team_run_own(const wabe_job *job);

/* Reserves bytes for each thread of the process up to this component's last one, until more are
 * requested. The contents are undefined. WABE_MEMORY. Local, no job may be running. */
wabe_status wabe_team_reserve(const wabe_component *component, int64_t bytes);
/* Returns the bytes of the thread that calls it from a job, aligned to a page. Local. */
void *wabe_team_scratch(void);

/* Binds each thread of the component to its core, if the component has a list of cores. WABE_INPUT:
 * the process may not use one of them. Local. */
wabe_status wabe_team_bind(const wabe_component *component);
/* Lets the calling thread, which does not belong to the team, run on all cores of the process
 * again: it inherits the binding of the thread that created it. Local. */
void wabe_team_leave_cores(void);
