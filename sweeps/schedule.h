/* The schedule: the sweeps of a step in their order, and the exchange hidden behind them.
 *
 * A sweep that reads neighbours needs its results exchanged: it runs on the outer region, the
 * exchange begins, it runs on the inner region meanwhile, the exchange ends. Pre- and
 * post-functions of a sweep run before its outer and after its inner region (Feichtinger et al.
 * 2015, section 3.1 and figure 2). The schedule knows neither fields nor messages. */
#ifndef WABE_SWEEPS_SCHEDULE_H
#define WABE_SWEEPS_SCHEDULE_H

#include "core/component.h"
#include "core/kernel.h"
#include "core/profile.h"
#include "sweeps/tiles.h"

/* What a sweep touches. */
typedef struct {
    const char *reads, *writes;
    int halo;       /* cells beyond its own that it reads */
    bool exchanged; /* neighbours need its results */
    wabe_phase phase;
} wabe_sweep_descriptor;

/* Local. */
wabe_sweep_descriptor wabe_sweep_describe(wabe_sweep sweep);

typedef void (*wabe_hook)(void *context);

typedef struct {
    wabe_sweep sweep;
    void *context;
    /* Runs the sweep on a region; progress is to be called now and then, if not NULL. */
    void (*run)(void *context, wabe_region_name region, wabe_component_progress progress,
                void *progress_context);
    wabe_hook pre, post; /* or NULL */
} wabe_schedule_entry;

/* begin and end of the exchange; all NULL: nothing is exchanged. */
typedef struct {
    void *context;
    wabe_hook begin, test, end;
} wabe_schedule_exchange;

enum { WABE_SCHEDULE_ENTRIES_MAX = 8 };

typedef struct {
    int entry_count;
    wabe_schedule_entry entries[WABE_SCHEDULE_ENTRIES_MAX];
    wabe_schedule_exchange exchange;
    bool overlap; /* begin the exchange before the inner region, not after it */
    wabe_profile *profile;
} wabe_schedule;

/* One step. Collective if the exchange is. */
void wabe_schedule_run(const wabe_schedule *schedule);

#endif
