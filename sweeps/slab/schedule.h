/* The schedule: the order in which a step runs sweeps, on all slabs of the process, with loops of
 * sweeps and the exchanges that they hide.
 *
 * If neighbours need a sweep's results, the sweep runs on the outer region, the exchange begins,
 * and meanwhile the sweep runs on the inner region (Feichtinger et al. 2015, section 3.1 and figure
 * 2). The exchange continues during later sweeps, until one that awaits it, or until the end of the
 * step. One that awaits an exchange runs on the inner region first, which needs no neighbours'
 * data, then the exchange ends, then it runs on the outer region. In each sweep devices are given
 * all of their work first, then CPUs work at the same time. The schedule knows neither fields nor
 * messages. */
#pragma once

#include "core/base/profile.h"
#include "core/registry/call.h"
#include "sweeps/stream/timeline.h"

typedef enum {
    WABE_STEP_SWEEP,
    WABE_STEP_REDUCE, /* makes the sums and extremes of earlier sweeps known to the host */
    WABE_STEP_PASS,   /* calls a function of each slab that does all of its steps by itself */
    WABE_STEP_LOOP,   /* repeats the entries up to its end */
    WABE_STEP_END     /* of the innermost loop */
} wabe_step_kind;

enum {
    WABE_NO_EXCHANGE = -1,
    WABE_SCHEDULE_ENTRIES_MAX = 128,
    WABE_SCHEDULE_LOOPS_MAX = 4, /* nested */
    WABE_EXCHANGES_MAX = 64,     /* the bits of awaits */
    WABE_SLABS_MAX = WABE_JOBS_MAX
};

/* Where in a step something takes place: iterations that the open loops have done, from the
 * outermost loop on. */
typedef struct {
    int depth; /* open loops */
    int64_t index[WABE_SCHEDULE_LOOPS_MAX];
} wabe_position;

typedef struct {
    wabe_step_kind kind;
    int number; /* passed to the functions */
    /* Sweeps: fills call with the work on a region of a slab; false: there is none. */
    bool (*prepare)(void *slab, int number, const wabe_position *position, wabe_region_name region,
                    wabe_call *call);
    /* NULL, or the same for work on a CPU that prepare's work needs: it is done right before. */
    bool (*lead)(void *slab, int number, wabe_region_name region, wabe_call *call);
    /* NULL, or the same for more work on what prepare's work has written: it is done after that, in
     * the same region, and before the exchange begins. */
    bool (*follow)(void *slab, int number, const wabe_position *position, wabe_region_name region,
                   wabe_call *call);
    void (*post)(void *slab, int number); /* called after the sweep has run on all slabs, or NULL */
    wabe_phase phase;                     /* the phase that its time is added to */
    int exchange;                         /* the exchange of its results, or WABE_NO_EXCHANGE */
    uint64_t awaits;                      /* bit i: exchange i has to end before the outer region */
    void (*pass)(void *slab, int number); /* passes */
    /* Reductions. Collective. */
    void (*reduce)(void *context, int number);
    /* Loops: is there another iteration? The loop is the innermost one of the position. Same answer
     * on all processes. */
    bool (*again)(void *context, int number, const wabe_position *position);
    void *context;
    int partner; /* of a loop its end, of an end its loop */
} wabe_schedule_entry;

typedef struct {
    void *context;
    void (*begin)(void *context, bool devices); /* for slabs on devices, or for the others */
    bool (*drive)(void *context); /* false: nothing left to do; NULL: end does everything */
    void (*end)(void *context, const wabe_progress *others); /* others: see wabe_exchange_end */
} wabe_schedule_exchange;

typedef struct {
    int slab_count;
    void *slabs[WABE_SLABS_MAX];
    const wabe_component *components[WABE_SLABS_MAX];
    int entry_count;
    wabe_schedule_entry entries[WABE_SCHEDULE_ENTRIES_MAX];
    int exchange_count; /* 0: no exchanges, whatever the entries say */
    wabe_schedule_exchange exchanges[WABE_EXCHANGES_MAX];
    bool drive_first; /* see wabe_progress */
    bool at_once;     /* end each exchange right after the sweep that begins it */
    wabe_profile *profile;
} wabe_schedule;

/* Appends an entry; a schedule has at most WABE_SCHEDULE_ENTRIES_MAX. Local. */
void wabe_schedule_add(wabe_schedule *schedule, const wabe_schedule_entry *entry);

/* Runs one step; work on devices may still be running on return. Collective if its exchanges or
 * reductions are. */
void wabe_schedule_run(const wabe_schedule *schedule);
