/* Rounds of passes (sweeps/stream/pass.h) that are queued on a device: so many at most, and the
 * time that their kernels take. */
#pragma once

#include "core/device/device.h"

enum { WABE_ROUNDS_AHEAD = 8 };

typedef struct {
    wabe_event *begin[WABE_ROUNDS_AHEAD], *end[WABE_ROUNDS_AHEAD]; /* of the last ones */
    int64_t count;
    double seconds; /* of those before these */
} wabe_rounds;

/* WABE_MEMORY. Local. */
wabe_status wabe_rounds_create(wabe_device *device, wabe_rounds *out);
void wabe_rounds_destroy(wabe_rounds *rounds);
/* Forgets all rounds, which must be done. Local. */
void wabe_rounds_clear(wabe_rounds *rounds);

/* Returns the end of the round that must be done before another one is queued. Local. */
wabe_event *wabe_rounds_oldest(const wabe_rounds *rounds);
/* Say that what is queued next, or has been queued last, is the beginning, or the end, of a round.
 * begin waits for the oldest one. Local. */
void wabe_rounds_begin(wabe_rounds *rounds, wabe_stream *stream);
void wabe_rounds_end(wabe_rounds *rounds, wabe_stream *stream);
/* Returns the seconds of all rounds, which must be done. Local. */
double wabe_rounds_seconds(const wabe_rounds *rounds);
