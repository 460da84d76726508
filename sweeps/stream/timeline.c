#include "sweeps/stream/timeline.h"

/* ---- set-up ------------------------------------------------------------------------- */

static wabe_status make_streams(wabe_timeline *t) {
    wabe_device *device = t->component->device;
    if (!device)
        return WABE_OK;
    WABE_TRY(wabe_stream_create(device, true, &t->streams[WABE_REGION_OUTER]));
    WABE_TRY(wabe_stream_create(device, false, &t->streams[WABE_REGION_INNER]));
    for (int i = 0; i < t->ahead; i++) {
        WABE_TRY(wabe_event_create(device, &t->begun[i]));
        for (int name = 0; name < WABE_REGION_COUNT; name++)
            WABE_TRY(wabe_event_create(device, &t->done[name][i]));
    }
    return WABE_OK;
}

wabe_status wabe_timeline_create(const wabe_component *component, int steps_ahead,
                                 wabe_timeline *out) {
    *out = (wabe_timeline){.component = component, .ahead = steps_ahead};
    return make_streams(out);
}

void wabe_timeline_destroy(wabe_timeline *t) {
    if (!t->component)
        return;
    for (int i = 0; i < t->ahead; i++) {
        wabe_event_destroy(&t->begun[i]);
        for (int name = 0; name < WABE_REGION_COUNT; name++)
            wabe_event_destroy(&t->done[name][i]);
    }
    for (int name = 0; name < WABE_REGION_COUNT; name++)
        wabe_stream_destroy(&t->streams[name]);
}

/* ---- steps -------------------------------------------------------------------------- */

void wabe_timeline_synchronise(const wabe_timeline *t) {
    for (int name = 0; name < WABE_REGION_COUNT; name++)
        if (t->streams[name])
            wabe_stream_synchronise(t->streams[name]);
}

void wabe_timeline_restart(wabe_timeline *t) {
    t->step = t->passes = t->timed = 0;
    t->seconds = 0.0;
}

static int slot_of(const wabe_timeline *t, int steps_ago) {
    return (int)((t->step - steps_ago + t->ahead) % t->ahead);
}

/* The event recorded after a region's work of the present step, or of an earlier one. */
static wabe_event *done(const wabe_timeline *t, wabe_region_name name, int steps_ago) {
    return t->done[name][slot_of(t, steps_ago)];
}

/* Adds the times of the steps before end; only the last few events are kept. */
static void add_seconds(wabe_timeline *t, int64_t end) {
    for (; t->timed < end; t->timed++) {
        const int slot = (int)(t->timed % t->ahead);
        wabe_event *last = t->done[t->inner_is_last ? WABE_REGION_INNER : WABE_REGION_OUTER][slot];
        wabe_event_synchronise(last);
        t->seconds += wabe_event_seconds(t->begun[slot], last);
    }
}

double wabe_timeline_seconds(wabe_timeline *t) {
    if (t->component->device)
        add_seconds(t, t->passes > 0 ? t->passes : t->step);
    return t->seconds;
}

void wabe_timeline_restart_clock(wabe_timeline *t) {
    wabe_timeline_seconds(t);
    t->seconds = 0.0;
}

void wabe_timeline_begin_pass(wabe_timeline *t) {
    const int slot = (int)(t->passes % t->ahead);
    t->inner_is_last = true;
    if (t->component->device) {
        add_seconds(t, t->passes - t->ahead + 1);
        wabe_event_record(t->begun[slot], t->streams[WABE_REGION_OUTER]);
    }
}

void wabe_timeline_end_pass(wabe_timeline *t, int64_t steps) {
    const int slot = (int)(t->passes++ % t->ahead);
    if (t->component->device)
        wabe_event_record(t->done[WABE_REGION_INNER][slot], t->streams[WABE_REGION_OUTER]);
    t->step += steps;
}

/* Calls of one stream run in order; events order the two streams. An outer region without work
 * takes no part: small slabs would wait longer for its events than for their cells. */
wabe_call wabe_timeline_call(wabe_timeline *t, wabe_region_name name, const wabe_kernel *kernel,
                             const void *args, int64_t count) {
    const bool outer = name == WABE_REGION_OUTER;
    wabe_call call = {.component = t->component,
                      .kernel = kernel,
                      .args = args,
                      .count = count,
                      .stream = t->streams[name]};
    if (outer)
        t->inner_is_first = count == 0;
    else
        t->inner_is_last = count > 0 || t->inner_is_first;
    if (!t->component->device || (outer && t->inner_is_first))
        return call;
    call.after = done(t, outer ? WABE_REGION_INNER : WABE_REGION_OUTER, 1);
    call.done = done(t, name, 0);
    wabe_event_synchronise(call.done); /* no further ahead */
    if (outer || t->inner_is_first) {
        call.begun = t->begun[slot_of(t, 0)];
        add_seconds(t, t->step - t->ahead + 1);
    }
    return call;
}

void wabe_timeline_inner_first(wabe_call *outer, wabe_call *inner) {
    if (!outer->begun || inner->count == 0)
        return;
    inner->begun = outer->begun;
    outer->begun = NULL;
}

/* The event is recorded anew, so that it comes after this work too. */
wabe_call wabe_timeline_call_more(wabe_timeline *t, wabe_region_name name,
                                  const wabe_kernel *kernel, const void *args, int64_t count) {
    return (wabe_call){.component = t->component,
                       .kernel = kernel,
                       .args = args,
                       .count = count,
                       .stream = t->streams[name],
                       .done = done(t, name, 0)};
}

/* The call replaces the outer region's event of the step before, so the inner region waits for
 * it. */
wabe_call wabe_timeline_call_before(wabe_timeline *t, const wabe_kernel *kernel, const void *args,
                                    int64_t count) {
    return (wabe_call){.component = t->component,
                       .kernel = kernel,
                       .args = args,
                       .count = count,
                       .stream = t->streams[WABE_REGION_OUTER],
                       .after = done(t, WABE_REGION_INNER, 1),
                       .done = done(t, WABE_REGION_OUTER, 1)};
}

void wabe_timeline_run(const wabe_timeline *t, const wabe_kernel *kernel, const void *args,
                       int64_t count) {
    const wabe_call call = {.component = t->component,
                            .kernel = kernel,
                            .args = args,
                            .count = count,
                            .stream = t->streams[WABE_REGION_OUTER]};
    wabe_calls_run(1, &call, NULL);
}
