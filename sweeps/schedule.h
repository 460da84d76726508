/* The schedule: the sweeps of a step in their order, on all slabs of the process, loops of sweeps,
 * and the exchanges hidden behind them.
 *
 * A sweep whose results neighbours need runs on the outer region, the exchange begins, the sweep
 * runs on the inner region meanwhile (Feichtinger et al. 2015, section 3.1 and figure 2). The
 * exchange goes on behind the sweeps that follow, up to the first one that awaits it, or the end of
 * the step. Devices are given all of a sweep first, then processors work on theirs at the same
 * time. The schedule knows neither fields nor messages. */
#pragma once

#include "core/base/profile.h"
#include "core/registry/call.h"
#include "sweeps/timeline.h"

typedef enum {
    WABE_STEP_SWEEP,
    WABE_STEP_REDUCE, /* what sweeps have left for sums and extremes becomes known to the host */
    WABE_STEP_LOOP,   /* what follows, up to its end, again and again */
    WABE_STEP_END     /* of the innermost loop */
} wabe_step_kind;

enum {
    WABE_NO_EXCHANGE = -1,
    WABE_SCHEDULE_ENTRIES_MAX = 64,
    WABE_SCHEDULE_LOOPS_MAX = 4, /* one in the other */
    WABE_EXCHANGES_MAX = 32,     /* bits of awaits; no step of a grid has more entries */
    WABE_SLABS_MAX = WABE_JOBS_MAX
};

typedef struct {
    wabe_step_kind kind;
    int number; /* for the functions: which sweep, reduction, loop */
    /* Sweeps. Fills call with the work on a region of a slab; false: there is none. */
    bool (*prepare)(void *slab, int number, wabe_region_name region, wabe_call *call);
    void (*post)(void *slab, int number); /* after it has run on all slabs, or NULL */
    wabe_phase phase;                     /* that its time goes to */
    int exchange;                         /* of its results, or WABE_NO_EXCHANGE */
    unsigned awaits;                      /* bit i: exchange i has to end before it */
    /* Reductions. Collective. */
    void (*reduce)(void *context, int number);
    /* Loops: is there another iteration after so many? The same on all processes. */
    bool (*again)(void *context, int number, int64_t iterations);
    void *context;
    int partner; /* of a loop its end, of an end its loop */
} wabe_schedule_entry;

typedef struct {
    void *context;
    void (*begin)(void *context, bool devices); /* of slabs on devices, or of the others */
    bool (*drive)(void *context);               /* false: nothing is left; NULL: end does it all */
    void (*end)(void *context);
} wabe_schedule_exchange;

typedef struct {
    int slab_count;
    void *slabs[WABE_SLABS_MAX];
    const wabe_component *components[WABE_SLABS_MAX];
    int entry_count;
    wabe_schedule_entry entries[WABE_SCHEDULE_ENTRIES_MAX];
    int exchange_count; /* 0: nothing is exchanged, whatever entries say */
    wabe_schedule_exchange exchanges[WABE_EXCHANGES_MAX];
    bool drive_first; /* see wabe_progress */
    bool at_once;     /* an exchange ends behind the sweep that it has begun with */
    wabe_profile *profile;
} wabe_schedule;

/* Appends an entry, of which there are WABE_SCHEDULE_ENTRIES_MAX at most. Local. */
void wabe_schedule_add(wabe_schedule *schedule, const wabe_schedule_entry *entry);

/* One step; on devices it may not be done on return. Collective if exchanges or reductions are. */
void wabe_schedule_run(const wabe_schedule *schedule);
