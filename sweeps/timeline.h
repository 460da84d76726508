/* The order of a slab's work: which stream of a GPU has what, and who waits for whom.
 *
 * A slab is two regions: the outer one, which neighbours wait for, and the inner one, which hides
 * the exchange. On a GPU each has a stream of its own, the outer one's is urgent and also packs and
 * unpacks; events order them (docs/architecture.md, "A step, and who waits for whom"). On
 * processors calls are done when they return, and all of this is NULL. */
#pragma once

#include "core/registry/call.h"
#include "core/registry/transfer.h"

typedef enum { WABE_REGION_OUTER, WABE_REGION_INNER, WABE_REGION_COUNT } wabe_region_name;

enum { WABE_STEPS_AHEAD = 4 }; /* that a GPU may be given before the first of them is done */

typedef struct {
    const wabe_component *component;
    int64_t step; /* steps done */
    wabe_stream *streams[WABE_REGION_COUNT];
    wabe_event *done[WABE_REGION_COUNT][WABE_STEPS_AHEAD]; /* by step, modulo */
    wabe_event *begun[WABE_STEPS_AHEAD];
    int64_t timed; /* steps whose time is in seconds */
    double seconds;
    bool inner_is_last; /* the inner region has work, and ends a step */
    /* Of components that are to be slower than they are; NULL: of others. */
    const wabe_kernel *throttle;
    void *mark;
    wabe_throttle_args throttle_args[2]; /* before and behind the step */
} wabe_timeline;

/* component must outlive the timeline. WABE_MEMORY. Local. */
wabe_status wabe_timeline_create(const wabe_registry *registry, const wabe_component *component,
                                 wabe_timeline *out);
void wabe_timeline_destroy(wabe_timeline *timeline);

/* Waits until all that the slab was given is done. Local. */
void wabe_timeline_synchronise(const wabe_timeline *timeline);

/* On GPUs, how long the steps so far have taken there, from the start of the outer region to the
 * end of the inner one; packing and unpacking aside. Local. */
double wabe_timeline_seconds(wabe_timeline *timeline);

/* No time has been spent on the steps so far. Local. */
void wabe_timeline_restart_clock(wabe_timeline *timeline);

/* Step 0 comes next; no time has been spent. Local. */
void wabe_timeline_restart(wabe_timeline *timeline);

/* 0 and 1 in turn: of the step to come. Local. */
static inline int wabe_timeline_parity(const wabe_timeline *t) { return (int)(t->step & 1); }

/* A region's part of the present step. Outer and inner region must not touch the same numbers; each
 * may need both of the step before. On GPUs it waits until the slab is no more than
 * WABE_STEPS_AHEAD ahead. Local. */
wabe_call wabe_timeline_call(wabe_timeline *timeline, wabe_region_name name,
                             const wabe_kernel *kernel, const void *args, int64_t count);

/* Work that needs what neighbours have sent, before the step that reads it: one go, for both
 * regions. Local. */
wabe_call wabe_timeline_call_before(wabe_timeline *timeline, const wabe_kernel *kernel,
                                    const void *args, int64_t count);

/* A call that is not part of a step: on return it is given to the outer region's stream. Local. */
void wabe_timeline_run(const wabe_timeline *timeline, const wabe_kernel *kernel, const void *args,
                       int64_t count);

/* The throttle before and behind a step that updates so many cells; false: there is none. Local. */
bool wabe_timeline_throttle(wabe_timeline *timeline, bool behind, wabe_region_name name,
                            double cells, wabe_call *out);
