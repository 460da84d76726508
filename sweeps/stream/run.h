/* Passes of a slab: several time steps on one part of it after the other, while the part is on the
 * device or in the caches of CPUs. Here is the only loop over the rounds of passes
 * (sweeps/stream/pass.h); what a step does, and where a cell's numbers lie, the slab knows. */
#pragma once

#include "sweeps/stream/ghosts.h"
#include "sweeps/stream/panels.h"
#include "sweeps/stream/rounds.h"
#include "sweeps/stream/timeline.h"

typedef struct {
    void *own;               /* the slab, which the functions below get */
    wabe_stream *stream;     /* of its kernels */
    wabe_window *window;     /* NULL: the slab is resident, and passes are through caches */
    const wabe_chunk *items; /* that passes go through; on the host */
    int64_t item_count;
    int64_t planes;         /* of the slab, ghost planes included */
    int64_t reach, advance; /* cells; see sweeps/stream/pass.h */
    int shrink; /* ghost planes at each face that a level covers less than the one before */
    int beyond; /* those that the last level covers */
    wabe_rounds rounds;
    wabe_ghosts ghosts;
    wabe_panels panels; /* no chunks: rounds are whole planes */
    int64_t passes;     /* done */
    /* Queues a part of a level. pass: NULL: it is of a panel. */
    void (*run)(void *own, const wabe_pass *pass, const wabe_pass_part *part);
    /* Makes cells begin to end - 1, and what their steps access, present for what is queued next.
     */
    void (*load)(const void *own, int64_t begin, int64_t end);
    /* Returns the first cell (up; otherwise one past the last) whose numbers are still needed: by
     * steps of the cells from this one on, or by other work of the pass. */
    int64_t (*edge)(const void *own, int64_t cell, bool up);
    /* Lets cells below this one (up; otherwise from it on) go. */
    void (*release)(const void *own, int64_t cell, bool up);
    /* Sets the copy of two with which pieces come, that of the present state, and the one with
     * which they go, that of so many levels later. NULL: there is one copy. */
    void (*swap)(const void *own, int levels);
    /* Works on cells below this one (up; otherwise from it on), which all levels have done. NULL:
     * nothing to do. */
    void (*finished)(void *own, int64_t cell, bool up);
} wabe_pass_driver;

/* Connects the slab with those below and above it, the only ones of their processes: see
 * wabe_ghosts_create. planes: what these need of the slab; what the driver has need not be set.
 * Collective. */
wabe_status wabe_pass_meet_neighbours(wabe_pass_driver *driver, MPI_Comm comm,
                                      wabe_ghost_slab planes, int count,
                                      const int ranks[WABE_SIDES], bool share);
/* Does a pass of so many levels, which are so many time steps of the timeline. Neighbours must do
 * the same passes: it waits for their messages. Local apart from that. */
void wabe_pass_run(wabe_pass_driver *driver, wabe_timeline *timeline, int levels, int64_t steps);
/* Frees window, rounds, ghost planes and panels, after wabe_ghosts_drain. Collective if there are
 * neighbours. */
void wabe_pass_destroy(wabe_pass_driver *driver);

/* A walk through items or planes in ranges that are on the device together, in the direction in
 * which the window is to go. */
typedef struct {
    int64_t begin, end; /* the present range */
    int64_t low, high;  /* what remains */
    bool up;
} wabe_walk;
/* window: NULL: up. Local. */
wabe_walk wabe_walk_through(const wabe_window *window, int64_t begin, int64_t end);
/* Takes the next count of what remains, or all of it; false: nothing remains. Local. */
bool wabe_walk_take(wabe_walk *walk, int64_t count);
