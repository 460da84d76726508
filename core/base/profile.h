/* Profile of a run: time per phase and process, and its spread over the processes. */
#pragma once

#include <mpi.h>
#include <stdio.h>

/* X(phase, text) */
#define WABE_PHASES(X)                                                                             \
    X(outer, "outer region")                                                                       \
    X(pack, "pack")                                                                                \
    X(copy_out, "copy from GPUs")                                                                  \
    X(inner, "inner region")                                                                       \
    X(wait, "wait for messages")                                                                   \
    X(copy_in, "copy to GPUs")                                                                     \
    X(unpack, "unpack")                                                                            \
    X(boundary, "boundary")                                                                        \
    X(monitor, "monitor")                                                                          \
    X(output, "output")

typedef enum {
#define X(phase, text) WABE_PHASE_##phase,
    WABE_PHASES(X)
#undef X
        WABE_PHASE_COUNT
} wabe_phase;

typedef struct {
    double seconds[WABE_PHASE_COUNT];
    double started;
    /* Waits until all queued work is done, so that each phase is timed by itself; NULL: devices may
     * still work on one phase while the host is in the next. */
    void (*settle)(const void *context);
    const void *context;
} wabe_profile;

typedef struct {
    double min, mean, max;
    int min_rank, max_rank;
} wabe_spread;

const char *wabe_phase_text(wabe_phase phase);

/* Local. */
static inline void wabe_profile_start(wabe_profile *profile) { profile->started = MPI_Wtime(); }
/* Adds the time since the last start or stop to a phase. profile: NULL: does nothing. Local. */
static inline void wabe_profile_stop(wabe_profile *profile, wabe_phase phase) {
    if (!profile)
        return;
    if (profile->settle)
        profile->settle(profile->context);
    const double now = MPI_Wtime();
    profile->seconds[phase] += now - profile->started;
    profile->started = now;
}

/* Sets all times to zero. Local. */
static inline void wabe_profile_restart(wabe_profile *profile) {
    for (int phase = 0; phase < WABE_PHASE_COUNT; phase++)
        profile->seconds[phase] = 0.0;
}

/* Returns the smallest, mean and largest value over the ranks, and the ranks of the extremes.
 * Collective. */
wabe_spread wabe_spread_over_ranks(MPI_Comm comm, double value);
