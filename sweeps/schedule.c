#include "sweeps/schedule.h"

static const wabe_sweep_descriptor descriptors[WABE_SWEEP_end] = {
    [WABE_SWEEP_initialise] = {"moments", "populations", 0, true, WABE_PHASE_inner},
    [WABE_SWEEP_stream_collide] = {"populations, walls", "populations, walls", 1, true,
                                   WABE_PHASE_inner},
    [WABE_SWEEP_reflect] = {"populations", "walls", 0, false, WABE_PHASE_inner},
    [WABE_SWEEP_boundary] = {"populations", "populations", 1, false, WABE_PHASE_boundary},
    [WABE_SWEEP_macroscopic] = {"populations", "moments", 0, false, WABE_PHASE_output},
    [WABE_SWEEP_monitor] = {"populations", "sums", 0, false, WABE_PHASE_monitor},
    [WABE_SWEEP_hash] = {"populations", "a hash", 0, false, WABE_PHASE_output},
    [WABE_SWEEP_diffuse] = {"values", "values", 1, true, WABE_PHASE_inner},
    [WABE_SWEEP_diffuse_varied] = {"values, weights", "values", 1, true, WABE_PHASE_inner},
    [WABE_SWEEP_himeno] = {"values, coefficients", "values, sums", 1, true, WABE_PHASE_inner},
    [WABE_SWEEP_pack] = {"a field", "a buffer", 0, false, WABE_PHASE_pack},
    [WABE_SWEEP_unpack] = {"a buffer", "a field", 0, false, WABE_PHASE_unpack},
    [WABE_SWEEP_copy] = {"an array", "an array", 0, false, WABE_PHASE_inner},
    [WABE_SWEEP_update] = {"arrays", "arrays", 0, false, WABE_PHASE_inner},
    [WABE_SWEEP_throttle] = {"a clock", "nothing", 0, false, WABE_PHASE_inner},
};

wabe_sweep_descriptor wabe_sweep_describe(wabe_sweep sweep) { return descriptors[sweep]; }

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
    const wabe_sweep_descriptor d = wabe_sweep_describe(entry->sweep);
    const wabe_progress progress = {s->exchange.drive, s->exchange.context,
                                    s->exchange.drive_first};
    wabe_profile_start(s->profile);
    run_region(s, entry, WABE_REGION_OUTER, devices, NULL);
    wabe_profile_stop(s->profile, d.exchanged ? WABE_PHASE_outer : d.phase);
    if (exchanges)
        s->exchange.begin(s->exchange.context, devices);
    wabe_profile_start(s->profile);
    run_region(s, entry, WABE_REGION_INNER, devices,
               exchanges && !devices && s->exchange.drive ? &progress : NULL);
    wabe_profile_stop(s->profile, d.phase);
}

static void run_entry(const wabe_schedule *s, const wabe_schedule_entry *entry) {
    const bool exchanges = wabe_sweep_describe(entry->sweep).exchanged && s->exchange.begin;
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
