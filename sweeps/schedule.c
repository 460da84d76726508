#include "sweeps/schedule.h"

static const wabe_sweep_descriptor descriptors[WABE_SWEEP_end] = {
    [WABE_SWEEP_initialise] = {"moments", "populations", 0, true, WABE_PHASE_inner},
    [WABE_SWEEP_stream_collide] = {"populations, walls", "populations, walls", 1, true,
                                   WABE_PHASE_inner},
    [WABE_SWEEP_reflect] = {"populations", "walls", 0, false, WABE_PHASE_inner},
    [WABE_SWEEP_boundary] = {"populations", "populations", 1, false, WABE_PHASE_boundary},
    [WABE_SWEEP_macroscopic] = {"populations", "moments", 0, false, WABE_PHASE_output},
    [WABE_SWEEP_monitor] = {"populations", "sums", 0, false, WABE_PHASE_monitor},
    [WABE_SWEEP_pack] = {"a field", "a buffer", 0, false, WABE_PHASE_pack},
    [WABE_SWEEP_unpack] = {"a buffer", "a field", 0, false, WABE_PHASE_unpack},
    [WABE_SWEEP_copy] = {"an array", "an array", 0, false, WABE_PHASE_inner},
    [WABE_SWEEP_update] = {"arrays", "arrays", 0, false, WABE_PHASE_inner},
};

wabe_sweep_descriptor wabe_sweep_describe(wabe_sweep sweep) { return descriptors[sweep]; }

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
    const wabe_sweep_descriptor d = wabe_sweep_describe(entry->sweep);
    const bool exchanges = d.exchanged && s->exchange.begin;
    const bool overlap = exchanges && s->overlap;
    call(entry->pre, entry->context);
    run_region(s, entry, WABE_REGION_OUTER, d.exchanged ? WABE_PHASE_outer : d.phase, false);
    if (overlap)
        s->exchange.begin(s->exchange.context);
    run_region(s, entry, WABE_REGION_INNER, d.phase, overlap);
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
