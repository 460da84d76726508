/* Ghost planes: planes of its neighbours along z that a streamed slab computes, too, so that a pass
 * (sweeps/stream/pass.h) of several steps needs nothing from them. Each level of a pass covers
 * fewer of them than the one before. After the pass what neighbours have computed replaces what has
 * become wrong.
 *
 * Each plane is sent as soon as the last level has passed it, and copied to the device as soon as
 * the pass has no more need of the old one: both go on while kernels run. */
#pragma once

#include "comm/planes.h"
#include "core/base/box.h"
#include "sweeps/stream/pass.h"
#include "sweeps/stream/window.h"

/* The numbers of a plane that are sent. */
typedef struct {
    int after;     /* levels after the present state */
    bool arriving; /* populations: what arrives in its cells, otherwise what has left them */
} wabe_ghost_state;

/* What ghost planes need of a slab. Its planes are counted from the first one, ghost planes
 * included, and its cells as passes count them. */
typedef struct {
    const void *context;
    wabe_device *device;
    wabe_window *window;
    wabe_stream *stream;     /* of its kernels */
    int64_t begin, end;      /* its own planes are begin to end - 1 */
    int64_t plane_bytes;     /* of the parts of a plane, at most */
    int64_t reach;           /* cells: see sweeps/stream/pass.h */
    int64_t margin;          /* cells beyond those within reach that a step may access */
    int planes_known_beside; /* next to a plane, without which it is not sent */
    int64_t (*cell)(const void *context, int64_t plane); /* the first of a plane */
    /* The bytes of an array among which all parts of a plane lie. */
    void (*bytes)(const void *context, int64_t plane, int64_t *begin, int64_t *end);
    /* The parts of a plane; returns their number. */
    int (*parts)(const void *context, int64_t plane, wabe_ghost_state state,
                 wabe_window_part out[WABE_WINDOW_ARRAYS_MAX]);
} wabe_ghost_slab;

/* A plane of the slab that is sent, and the ghost plane as far beyond the face. */
typedef struct {
    int64_t fresh;           /* the pass for which the ghost plane was renewed last */
    int64_t sent_passes;     /* number of passes after which the other one was sent */
    bool leaving, coming;    /* is copied from the device, and then sent; to the device */
    wabe_event *left, *came; /* the ends of these copies */
} wabe_ghost_plane;

typedef struct {
    wabe_ghost_slab slab;
    int count;    /* of planes at each side that has a neighbour; 0: there are none */
    int after;    /* levels of the present pass */
    int64_t pass; /* the present one */
    wabe_planes *messages;
    wabe_ghost_plane *planes[WABE_SIDES]; /* from the face on */
} wabe_ghosts;

/* Returns the number of a block's faces normal to z behind which the domain goes on. Local. */
int wabe_ghosts_faces(wabe_box block, const int64_t domain[3], const bool periodic[3]);
/* Returns the block with so many planes more at each of these faces. Local. */
wabe_box wabe_ghosts_around(wabe_box block, const int64_t domain[3], const bool periodic[3],
                            int planes);

/* Connects a slab with those below and above it, the only ones of their processes: count planes are
 * sent to each. ranks: -1: there is none; share: see wabe_planes_create. WABE_MEMORY; WABE_INPUT: a
 * plane is too large for a message. Collective. */
wabe_status wabe_ghosts_create(MPI_Comm comm, const wabe_ghost_slab *slab, int count,
                               const int ranks[WABE_SIDES], bool share, wabe_ghosts *out);
/* After wabe_ghosts_drain. Collective. */
void wabe_ghosts_destroy(wabe_ghosts *ghosts);
/* Is there a neighbour at a side? Local. */
bool wabe_ghosts_has(const wabe_ghosts *ghosts, int side);

/* Waits until neighbours have all that was sent, and discards what they have sent: before the state
 * is set anew, or the slab is destroyed. Collective. */
void wabe_ghosts_drain(wabe_ghosts *ghosts);
/* Says that all ghost planes are those of a new state. Local. */
void wabe_ghosts_restart(wabe_ghosts *ghosts);
/* Replaces the first count planes beyond each face by the neighbours'. Collective. */
void wabe_ghosts_swap(wabe_ghosts *ghosts, int count, bool arriving);

/* Returns the slab's own planes and planes_beyond each face to a neighbour, as begin and end;
 * planes: of the slab, ghost planes included. Local. */
void wabe_ghosts_shrink(const wabe_ghosts *ghosts, int planes_beyond, int64_t planes,
                        int64_t *begin, int64_t *end);
/* Before a pass of so many levels. Before a round: renew the ghost planes that it needs, and let it
 * wait until planes are copied that it changes. After it: send planes, and renew ghost planes
 * early. After the pass: discard those that it has not needed. Neighbours must do the same passes,
 * for which these functions wait while messages go on; apart from that they are Local. */
void wabe_ghosts_begin_pass(wabe_ghosts *ghosts, int levels);
void wabe_ghosts_prepare_round(wabe_ghosts *ghosts, const wabe_pass_round *round);
void wabe_ghosts_finish_round(wabe_ghosts *ghosts, const wabe_pass_round *round, bool up);
void wabe_ghosts_end_pass(wabe_ghosts *ghosts);
/* Returns cell, or the first one (up; otherwise one past the last) that planes not yet sent need.
 * Local. */
int64_t wabe_ghosts_unsent(const wabe_ghosts *ghosts, bool up, int64_t cell);
/* Waits for an event of the slab's device, while messages go on. Local. */
void wabe_ghosts_await_event(wabe_ghosts *ghosts, wabe_event *event);
