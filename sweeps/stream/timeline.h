/* The order of a slab's work: which GPU stream runs what, and which work waits for which.
 *
 * A slab has two regions: neighbours wait for the outer one, the inner one hides the exchange. On a
 * GPU each region has a stream; the outer region's has high priority and also packs and unpacks.
 * Events order the streams (docs/architecture.md, "A step, and who waits for whom"). On CPUs
 * a call is done when it returns, and streams and events are NULL. */
#pragma once

#include "core/registry/call.h"

typedef enum { WABE_REGION_OUTER, WABE_REGION_INNER, WABE_REGION_COUNT } wabe_region_name;

/* Unfinished steps that a GPU may be given: few, so that the host knows what has been done, or as
 * many as there are, where the steps of a timeline are sweeps, of which coarse grids have many that
 * take less time than the host needs to queue them. */
enum { WABE_STEPS_AHEAD = 4, WABE_SWEEPS_AHEAD = 128 };

typedef struct {
    const wabe_component *component;
    int64_t step; /* number of steps done */
    wabe_stream *streams[WABE_REGION_COUNT];
    int ahead;                                              /* unfinished steps at most */
    wabe_event *done[WABE_REGION_COUNT][WABE_SWEEPS_AHEAD]; /* by step % ahead */
    wabe_event *begun[WABE_SWEEPS_AHEAD];
    int64_t passes; /* begun */
    int64_t timed;  /* number of steps, or passes, whose time is included in seconds */
    double seconds;
    bool inner_is_first, inner_is_last; /* the inner region begins, ends the step */
} wabe_timeline;

/* Creates the streams and events of a slab on component, which must outlive the timeline.
 * steps_ahead: those that a GPU may be given before they are done. WABE_MEMORY. Local. */
wabe_status wabe_timeline_create(const wabe_component *component, int steps_ahead,
                                 wabe_timeline *out);
void wabe_timeline_destroy(wabe_timeline *timeline);

/* Waits until all work queued for the slab is done. Local. */
void wabe_timeline_synchronise(const wabe_timeline *timeline);

/* Returns the time in seconds that a GPU has spent on the steps since the clock was restarted, from
 * the start of the outer region to the end of the inner one, without packing and unpacking; of
 * sweeps that run on the inner region first, the time of that region alone; 0 on CPUs. Local. */
double wabe_timeline_seconds(wabe_timeline *timeline);

/* Sets the time spent on steps so far to zero. Local. */
void wabe_timeline_restart_clock(wabe_timeline *timeline);

/* Makes the next step step 0 and sets the time to zero. Local. */
void wabe_timeline_restart(wabe_timeline *timeline);

/* Enclose the steps of a pass, queued in the outer region's stream without wabe_timeline_call: all
 * steps of a timeline are of passes, or none. Local. */
void wabe_timeline_begin_pass(wabe_timeline *timeline);
void wabe_timeline_end_pass(wabe_timeline *timeline, int64_t steps);

/* The parity, 0 or 1, of the next step. Local. */
static inline int wabe_timeline_parity(const wabe_timeline *t) { return (int)(t->step & 1); }

/* Returns the call for a region's part of the present step; first that of the outer region, also if
 * it has no work: then no events of it are recorded, since nobody waits for what it writes. The
 * outer and the inner region must not access the same numbers; each may need both regions of the
 * step before. On GPUs it blocks until the slab is as far ahead as it may be. Local. */
wabe_call wabe_timeline_call(wabe_timeline *timeline, wabe_region_name name,
                             const wabe_kernel *kernel, const void *args, int64_t count);

/* Lets the inner region's call of a step be run before the outer region's. Both come from
 * wabe_timeline_call. Local. */
void wabe_timeline_inner_first(wabe_call *outer, wabe_call *inner);

/* Returns the call for more work on a region's numbers, after the call before. Local. */
wabe_call wabe_timeline_call_more(wabe_timeline *timeline, wabe_region_name name,
                                  const wabe_kernel *kernel, const void *args, int64_t count);

/* Returns the call for work between the exchange and the step that reads what neighbours have sent;
 * one call covers both regions. Local. */
wabe_call wabe_timeline_call_before(wabe_timeline *timeline, const wabe_kernel *kernel,
                                    const void *args, int64_t count);

/* Runs a call that is not part of a step. On a GPU the call has been queued in the outer region's
 * stream on return. Local. */
void wabe_timeline_run(const wabe_timeline *timeline, const wabe_kernel *kernel, const void *args,
                       int64_t count);
