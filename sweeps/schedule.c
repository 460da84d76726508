#include "sweeps/schedule.h"

/* Runs the sweep on a region of those slabs that are on devices, or of the others. */
static void run_region(const wabe_schedule *s, const wabe_schedule_entry *entry,
                       wabe_region_name region, bool devices, const wabe_progress *progress) {
    wabe_call calls[WABE_SLABS_MAX];
    int count = 0;
    for (int i = 0; i < s->slab_count; i++)
        if ((s->components[i]->device != NULL) == devices)
            count += entry->prepare(s->slabs[i], region, &calls[count]);
    wabe_calls_run(count, calls, progress);
}

static void run_kind(const wabe_schedule *s, const wabe_schedule_entry *entry, bool devices,
                     bool exchanges) {
    const wabe_progress progress = {s->exchange.drive, s->exchange.context,
                                    s->exchange.drive_first};
    wabe_profile_start(s->profile);
    run_region(s, entry, WABE_REGION_OUTER, devices, NULL);
    wabe_profile_stop(s->profile, entry->sweep->exchanged ? WABE_PHASE_outer : entry->sweep->phase);
    if (exchanges)
        s->exchange.begin(s->exchange.context, devices);
    wabe_profile_start(s->profile);
    run_region(s, entry, WABE_REGION_INNER, devices,
               exchanges && !devices && s->exchange.drive ? &progress : NULL);
    wabe_profile_stop(s->profile, entry->sweep->phase);
}

static void run_entry(const wabe_schedule *s, const wabe_schedule_entry *entry) {
    const bool exchanges = entry->sweep->exchanged && s->exchange.begin;
    run_kind(s, entry, true, exchanges);
    run_kind(s, entry, false, exchanges);
    if (exchanges)
        s->exchange.end(s->exchange.context);
    for (int i = 0; i < s->slab_count && entry->post; i++)
        entry->post(s->slabs[i]);
}

void wabe_schedule_run(const wabe_schedule *schedule) {
    for (int i = 0; i < schedule->entry_count; i++)
        run_entry(schedule, &schedule->entries[i]);
}
