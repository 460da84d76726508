#include "sweeps/schedule.h"

static const wabe_sweep_descriptor descriptors[] = {
    {WABE_SWEEP_initialise, "moments", "populations", 0, WABE_PHASE_inner},
    {WABE_SWEEP_stream_collide, "populations, walls", "populations, walls", 1, WABE_PHASE_inner},
    {WABE_SWEEP_reflect, "populations", "walls", 0, WABE_PHASE_inner},
    {WABE_SWEEP_boundary, "populations", "populations", 0, WABE_PHASE_boundary},
    {WABE_SWEEP_macroscopic, "populations", "moments", 0, WABE_PHASE_output},
    {WABE_SWEEP_monitor, "populations", "sums", 0, WABE_PHASE_monitor},
};

const wabe_sweep_descriptor *wabe_sweep_describe(wabe_sweep sweep) {
    for (size_t i = 0; i < sizeof descriptors / sizeof descriptors[0]; i++)
        if (descriptors[i].sweep == sweep)
            return &descriptors[i];
    return NULL;
}

static void call(wabe_hook hook, void *context) {
    if (hook)
        hook(context);
}

static void run_region(const wabe_schedule *s, const wabe_schedule_entry *entry,
                       wabe_region_name region, wabe_phase phase, bool exchanging) {
    wabe_profile_start(s->profile);
    entry->run(entry->context, region, exchanging ? s->exchange.test : NULL, s->exchange.context);
    wabe_profile_stop(s->profile, phase);
}

static void run_entry(const wabe_schedule *s, const wabe_schedule_entry *entry) {
    const wabe_sweep_descriptor *d = wabe_sweep_describe(entry->sweep);
    const bool exchanges = d->halo > 0 && s->exchange.begin;
    const bool overlap = exchanges && s->overlap;
    call(entry->pre, entry->context);
    run_region(s, entry, WABE_REGION_OUTER, d->halo > 0 ? WABE_PHASE_outer : d->phase, false);
    if (overlap)
        s->exchange.begin(s->exchange.context);
    run_region(s, entry, WABE_REGION_INNER, d->phase, overlap);
    if (exchanges && !overlap)
        s->exchange.begin(s->exchange.context);
    if (exchanges)
        s->exchange.end(s->exchange.context);
    call(entry->post, entry->context);
}

void wabe_schedule_run(const wabe_schedule *schedule) {
    for (int i = 0; i < schedule->entry_count; i++)
        run_entry(schedule, &schedule->entries[i]);
}
