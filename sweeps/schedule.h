/* The schedule: the sweeps of a step in their order, on all slabs of the process, and the exchange
 * hidden behind them.
 *
 * A sweep that reads neighbours needs its results exchanged: it runs on the outer region, the
 * exchange begins, it runs on the inner region meanwhile, the exchange ends (Feichtinger et al.
 * 2015, section 3.1 and figure 2). Devices are given all of this first, then processors work on
 * theirs at the same time. The schedule knows neither fields nor messages. */
#ifndef WABE_SWEEPS_SCHEDULE_H
#define WABE_SWEEPS_SCHEDULE_H

#include "core/base/profile.h"
#include "core/registry/call.h"
#include "sweeps/timeline.h"

typedef struct {
    const wabe_sweep *sweep;
    /* Fills call with the sweep's work on a region of a slab; false: there is none. */
    bool (*prepare)(void *slab, wabe_region_name region, wabe_call *call);
    void (*post)(void *slab); /* after the sweep has run on all slabs, or NULL */
} wabe_schedule_entry;

/* All NULL: nothing is exchanged. */
typedef struct {
    void *context;
    void (*begin)(void *context, bool devices); /* of slabs on devices, or of the others */
    bool (*drive)(void *context);               /* false: nothing is left; NULL: end does it all */
    void (*end)(void *context);
    bool drive_first; /* see wabe_progress */
} wabe_schedule_exchange;

enum { WABE_SCHEDULE_ENTRIES_MAX = 8, WABE_SLABS_MAX = WABE_JOBS_MAX };

typedef struct {
    int slab_count;
    void *slabs[WABE_SLABS_MAX];
    const wabe_component *components[WABE_SLABS_MAX];
    int entry_count;
    wabe_schedule_entry entries[WABE_SCHEDULE_ENTRIES_MAX];
    wabe_schedule_exchange exchange;
    wabe_profile *profile;
} wabe_schedule;

/* One step; on devices it may not be done on return. Collective if the exchange is. */
void wabe_schedule_run(const wabe_schedule *schedule);

#endif
