#include "sweeps/stream/rounds.h"

wabe_status wabe_rounds_create(wabe_device *device, wabe_rounds *out) {
    *out = (wabe_rounds){.count = 0};
    for (int i = 0; i < WABE_ROUNDS_AHEAD; i++) {
        WABE_TRY(wabe_event_create(device, &out->begin[i]));
        WABE_TRY(wabe_event_create(device, &out->end[i]));
    }
    return WABE_OK;
}

void wabe_rounds_destroy(wabe_rounds *r) {
    for (int i = 0; i < WABE_ROUNDS_AHEAD; i++) {
        wabe_event_destroy(&r->begin[i]);
        wabe_event_destroy(&r->end[i]);
    }
}

void wabe_rounds_clear(wabe_rounds *r) {
    r->count = 0;
    r->seconds = 0.0;
}

static int next_of(const wabe_rounds *r) { return (int)(r->count % WABE_ROUNDS_AHEAD); }

wabe_event *wabe_rounds_oldest(const wabe_rounds *r) { return r->end[next_of(r)]; }

void wabe_rounds_begin(wabe_rounds *r, wabe_stream *stream) {
    const int i = next_of(r);
    wabe_event_synchronise(r->end[i]);
    if (r->count >= WABE_ROUNDS_AHEAD)
        r->seconds += wabe_event_seconds(r->begin[i], r->end[i]);
    wabe_event_record(r->begin[i], stream);
}

void wabe_rounds_end(wabe_rounds *r, wabe_stream *stream) {
    wabe_event_record(r->end[next_of(r)], stream);
    r->count++;
}

double wabe_rounds_seconds(const wabe_rounds *r) {
    const int64_t kept = r->count < WABE_ROUNDS_AHEAD ? r->count : WABE_ROUNDS_AHEAD;
    double seconds = r->seconds;
    for (int64_t i = r->count - kept; i < r->count; i++)
        seconds += wabe_event_seconds(r->begin[i % WABE_ROUNDS_AHEAD],
                                      r->end[i % WABE_ROUNDS_AHEAD]);
    return seconds;
}
