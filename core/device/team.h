/* The threads of a process: the only place that starts them.
 *
 * A job is a range of items for one component's threads. Each thread begins with its own share (so
 * that first touch and later use fall on the same core) and then helps its component's others, and
 * the jobs of all components run at the same time. The calling thread drives communication. */
#pragma once

#include "core/device/component.h"

typedef struct {
    const wabe_component *component;
    int64_t count;
    void (*work)(void *context, int64_t begin, int64_t end);
    void *context;
} wabe_job;

/* Something that advances when the calling thread drives it now and then. */
typedef struct {
    bool (*drive)(void *context); /* false: nothing is left to drive */
    void *context;
    bool first; /* the calling thread does nothing else while there is something left */
} wabe_progress;

enum { WABE_JOBS_MAX = 16 };

/* Works on all items of all jobs and returns when they are done. progress or NULL. Local. */
void wabe_team_run(int count, const wabe_job *jobs, const wabe_progress *progress);

/* One job without help for others: each thread works on its own share alone, so that memory that it
 * touches first lies near to it. Local. */
void wabe_team_run_own(const wabe_job *job);

/* So many bytes for each thread of the process up to this component's last one, kept until more are
 * asked for. What they hold is of no meaning. WABE_MEMORY. Local, no job may be running. */
wabe_status wabe_team_reserve(const wabe_component *component, int64_t bytes);
/* Those of the thread that calls from a job: a page begins there. Local. */
void *wabe_team_scratch(void);

/* Binds each thread of the component to its cores, if it has a list of them. WABE_INPUT: the
 * process may not use one of them. Local. */
wabe_status wabe_team_bind(const wabe_component *component);
/* The calling thread, which is none of the team's, goes where the process may, though the one that
 * has started it is bound. Local. */
void wabe_team_leave_cores(void);
