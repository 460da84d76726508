#include "sweeps/stream/ghosts.h"

#include "core/base/wait.h"

#include <stdlib.h>

/* ---- set-up ------------------------------------------------------------------------- */

static bool goes_on(wabe_box block, const int64_t domain[3], const bool periodic[3], int side) {
    return (periodic[2] && domain[2] > 1) ||
           (side == WABE_BELOW ? block.begin[2] > 0 : block.end[2] < domain[2]);
}

int wabe_ghosts_faces(wabe_box block, const int64_t domain[3], const bool periodic[3]) {
    return goes_on(block, domain, periodic, WABE_BELOW) +
           goes_on(block, domain, periodic, WABE_ABOVE);
}

wabe_box wabe_ghosts_around(wabe_box block, const int64_t domain[3], const bool periodic[3],
                            int planes) {
    const bool below = goes_on(block, domain, periodic, WABE_BELOW);
    const bool above = goes_on(block, domain, periodic, WABE_ABOVE);
    block.begin[2] -= below ? planes : 0;
    block.end[2] += above ? planes : 0;
    return block;
}

bool wabe_ghosts_has(const wabe_ghosts *g, int side) { return g->planes[side] != NULL; }

static wabe_status make_planes(wabe_ghosts *g, int count, const int ranks[WABE_SIDES]) {
    for (int side = 0; side < WABE_SIDES; side++) {
        if (ranks[side] < 0)
            continue;
        g->count = count;
        g->planes[side] = calloc((size_t)count, sizeof *g->planes[side]);
        WABE_CHECK(g->planes[side], WABE_MEMORY, "no memory for %d ghost planes", count);
        for (int i = 0; i < count; i++) {
            WABE_TRY(wabe_event_create(g->slab.device, &g->planes[side][i].left));
            WABE_TRY(wabe_event_create(g->slab.device, &g->planes[side][i].came));
        }
    }
    return WABE_OK;
}

wabe_status wabe_ghosts_create(MPI_Comm comm, const wabe_ghost_slab *slab, int count,
                               const int ranks[WABE_SIDES], bool share, wabe_ghosts *out) {
    int64_t bytes = slab->plane_bytes; /* planes of lists differ */
    *out = (wabe_ghosts){.slab = *slab};
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_MAX, comm);
    WABE_TRY(wabe_planes_create(comm, ranks, count, bytes, share, &out->messages));
    return wabe_agree(comm, make_planes(out, count, ranks));
}

void wabe_ghosts_destroy(wabe_ghosts *g) {
    for (int side = 0; side < WABE_SIDES; side++) {
        for (int i = 0; i < g->count && wabe_ghosts_has(g, side); i++) {
            wabe_event_destroy(&g->planes[side][i].left);
            wabe_event_destroy(&g->planes[side][i].came);
        }
        free(g->planes[side]);
    }
    wabe_planes_destroy(&g->messages);
    *g = (wabe_ghosts){.count = 0};
}

/* ---- planes ------------------------------------------------------------------------- */

/* The i-th plane from the face between the slab and a neighbour: of the slab, or beyond. */
static int64_t own_plane(const wabe_ghosts *g, int side, int i) {
    return side == WABE_BELOW ? g->slab.begin + i : g->slab.end - 1 - i;
}
static int64_t ghost_plane(const wabe_ghosts *g, int side, int i) {
    return own_plane(g, side, -1 - i);
}

static int64_t cell_of(const wabe_ghosts *g, int64_t plane) {
    return g->slab.cell(g->slab.context, plane);
}

static void bring(const wabe_ghosts *g, int64_t plane) {
    int64_t begin, end;
    g->slab.bytes(g->slab.context, plane, &begin, &end);
    wabe_window_load(g->slab.window, g->slab.stream, begin, end);
}

/* ---- messages ----------------------------------------------------------------------- */

/* Sends what has been copied from the device, and makes room for more where all is copied to it. */
static void drive(wabe_ghosts *g) {
    for (int side = 0; side < WABE_SIDES; side++)
        for (int i = 0; i < g->count && wabe_ghosts_has(g, side); i++) {
            wabe_ghost_plane *p = &g->planes[side][i];
            if (p->leaving && wabe_event_is_done(p->left)) {
                wabe_planes_send(g->messages, side, i);
                p->leaving = false;
            }
            if (p->coming && wabe_event_is_done(p->came)) {
                wabe_planes_receive(g->messages, side, i);
                p->coming = false;
            }
        }
}

static bool may_send(wabe_ghosts *g, int side, int i) {
    return !g->planes[side][i].leaving && wabe_planes_is_sent(g->messages, side, i);
}
static bool is_here(wabe_ghosts *g, int side, int i) {
    return !g->planes[side][i].coming && wabe_planes_is_received(g->messages, side, i);
}
static bool has_come(wabe_ghosts *g, int side, int i) { return !g->planes[side][i].coming; }

static void await(wabe_ghosts *g, bool (*ready)(wabe_ghosts *, int, int), int side, int i) {
    wabe_wait wait = {0};
    while (!ready(g, side, i)) {
        drive(g);
        wabe_wait_go_on(&wait);
    }
}

void wabe_ghosts_await_event(wabe_ghosts *g, wabe_event *event) {
    wabe_wait wait = {0};
    while (g->count > 0 && !wabe_event_is_done(event)) {
        drive(g);
        wabe_wait_go_on(&wait);
    }
    wabe_event_synchronise(event);
}

static void send(wabe_ghosts *g, int side, int i, wabe_ghost_state state) {
    wabe_window_part parts[WABE_WINDOW_ARRAYS_MAX];
    await(g, may_send, side, i);
    const int count = g->slab.parts(g->slab.context, own_plane(g, side, i), state, parts);
    wabe_window_get(g->slab.window, g->slab.stream, count, parts,
                    wabe_planes_room(g->messages, side, i, true), g->planes[side][i].left);
    g->planes[side][i].leaving = true;
}

static void receive(wabe_ghosts *g, int side, int i, wabe_ghost_state state) {
    wabe_window_part parts[WABE_WINDOW_ARRAYS_MAX];
    await(g, is_here, side, i);
    const int count = g->slab.parts(g->slab.context, ghost_plane(g, side, i), state, parts);
    wabe_window_put(g->slab.window, g->slab.stream, count, parts,
                    wabe_planes_room(g->messages, side, i, false), g->planes[side][i].came);
    g->planes[side][i].coming = true;
}

/* Discards what has come for the present pass and was not needed. */
static void discard_unused(wabe_ghosts *g) {
    for (int side = 0; side < WABE_SIDES; side++)
        for (int i = 0; i < g->count && wabe_ghosts_has(g, side); i++) {
            if (g->planes[side][i].fresh >= g->pass)
                continue;
            await(g, is_here, side, i);
            wabe_planes_receive(g->messages, side, i);
            g->planes[side][i].fresh = g->pass;
        }
}

void wabe_ghosts_drain(wabe_ghosts *g) {
    discard_unused(g);
    for (int side = 0; side < WABE_SIDES; side++)
        for (int i = 0; i < g->count && wabe_ghosts_has(g, side); i++) {
            await(g, may_send, side, i);
            await(g, has_come, side, i);
        }
}

void wabe_ghosts_restart(wabe_ghosts *g) {
    g->pass = 0;
    for (int side = 0; side < WABE_SIDES; side++)
        for (int i = 0; i < g->count && wabe_ghosts_has(g, side); i++)
            g->planes[side][i].fresh = g->planes[side][i].sent_passes = 0;
}

/* Begins where the window is. */
void wabe_ghosts_swap(wabe_ghosts *g, int count, bool arriving) {
    const wabe_ghost_state now = {.after = 0, .arriving = arriving};
    const int near = wabe_window_is_low(g->slab.window) ? WABE_BELOW : WABE_ABOVE, far = 1 - near;
    const int sends[WABE_SIDES] = {near, far}, receives[WABE_SIDES] = {far, near};
    for (int turn = 0; turn < WABE_SIDES; turn++)
        for (int i = 0; i < count && wabe_ghosts_has(g, sends[turn]); i++) {
            bring(g, own_plane(g, sends[turn], i));
            send(g, sends[turn], i, now);
        }
    for (int turn = 0; turn < WABE_SIDES; turn++)
        for (int i = 0; i < count && wabe_ghosts_has(g, receives[turn]); i++) {
            bring(g, ghost_plane(g, receives[turn], i));
            receive(g, receives[turn], i, now);
        }
}

/* ---- during a pass ------------------------------------------------------------------ */

void wabe_ghosts_shrink(const wabe_ghosts *g, int planes_beyond, int64_t planes, int64_t *begin,
                        int64_t *end) {
    *begin = wabe_ghosts_has(g, WABE_BELOW) ? own_plane(g, WABE_BELOW, -planes_beyond) : 0;
    *end = wabe_ghosts_has(g, WABE_ABOVE) ? own_plane(g, WABE_ABOVE, -planes_beyond) + 1 : planes;
}

void wabe_ghosts_begin_pass(wabe_ghosts *g, int levels) { g->after = levels; }

static int64_t around(const wabe_ghosts *g) { return g->slab.reach + g->slab.margin; }

/* Do the steps of a round, or what goes ahead of them, read or write numbers of a plane? */
static bool touches(const wabe_ghosts *g, const wabe_pass_round *round, int64_t plane) {
    return cell_of(g, plane + 1) > round->low - around(g) &&
           cell_of(g, plane) < round->high + around(g);
}

static wabe_ghost_state arrivals_after(int levels) {
    return (wabe_ghost_state){.after = levels, .arriving = true};
}

/* The kernels wait for it once the round's planes are brought. */
static void refresh_now(wabe_ghosts *g, int side, int i) {
    bring(g, ghost_plane(g, side, i));
    receive(g, side, i, arrivals_after(0));
    g->planes[side][i].fresh = g->pass;
}

/* A level may write numbers of a plane from the cells beside it (what a wall returns has the place
 * of what arrives in it), so a plane is renewed before the first level comes next to it. */
void wabe_ghosts_prepare_round(wabe_ghosts *g, const wabe_pass_round *round) {
    for (int side = 0; side < WABE_SIDES; side++)
        for (int i = 0; i < g->count && wabe_ghosts_has(g, side); i++) {
            const wabe_ghost_plane *p = &g->planes[side][i];
            if (p->fresh < g->pass && touches(g, round, ghost_plane(g, side, i)))
                refresh_now(g, side, i);
            if (p->sent_passes == g->pass && touches(g, round, own_plane(g, side, i)))
                wabe_stream_wait(g->slab.stream, p->left); /* it may still be copied */
        }
}

/* Planes beyond the face where the pass ends that the rounds to come leave alone. */
static bool is_over(const wabe_ghosts *g, const wabe_pass_round *round, bool up, int64_t plane) {
    const int64_t away = g->slab.reach + around(g);
    return up ? cell_of(g, plane) >= round->limit + away
              : cell_of(g, plane + 1) <= round->limit - away;
}

/* Refreshes a plane if it has come and is on the device, for this pass, or, if this one has done
 * with it, for the next. */
static void refresh_early(wabe_ghosts *g, int side, int i, const wabe_pass_round *round, bool up) {
    const int64_t plane = ghost_plane(g, side, i);
    const bool next = g->planes[side][i].fresh == g->pass;
    int64_t begin, end;
    g->slab.bytes(g->slab.context, plane, &begin, &end);
    if (g->planes[side][i].fresh > g->pass) /* the one after next may have come */
        return;
    if ((next && (side != (up ? WABE_ABOVE : WABE_BELOW) || !is_over(g, round, up, plane))) ||
        !wabe_window_has(g->slab.window, begin, end) || !is_here(g, side, i))
        return;
    receive(g, side, i, arrivals_after(next ? g->after : 0));
    g->planes[side][i].fresh++;
}

/* Has the last level passed a plane, and those beside it? */
static bool is_known(const wabe_ghosts *g, const wabe_pass_round *round, bool up, int64_t plane) {
    const int beside = g->slab.planes_known_beside;
    return up ? cell_of(g, plane + 1 + beside) <= round->known
              : cell_of(g, plane - beside) >= round->known;
}

/* Sends what is in a plane after the present pass. */
static void send_after(wabe_ghosts *g, int side, int i) {
    bring(g, own_plane(g, side, i));
    send(g, side, i, arrivals_after(g->after));
    g->planes[side][i].sent_passes++;
}

void wabe_ghosts_finish_round(wabe_ghosts *g, const wabe_pass_round *round, bool up) {
    for (int side = 0; side < WABE_SIDES; side++) /* the next pass begins with the farthest plane */
        for (int i = g->count - 1; i >= 0 && wabe_ghosts_has(g, side); i--) {
            const bool due = g->planes[side][i].sent_passes == g->pass;
            if (due && is_known(g, round, up, own_plane(g, side, i)))
                send_after(g, side, i);
            refresh_early(g, side, i, round, up);
        }
    drive(g);
}

/* A pass without rounds, as of a slab without fluid, has sent nothing. */
static void send_the_rest(wabe_ghosts *g) {
    for (int side = 0; side < WABE_SIDES; side++)
        for (int i = 0; i < g->count && wabe_ghosts_has(g, side); i++)
            if (g->planes[side][i].sent_passes == g->pass)
                send_after(g, side, i);
}

void wabe_ghosts_end_pass(wabe_ghosts *g) {
    send_the_rest(g);
    discard_unused(g);
    g->pass++;
}

int64_t wabe_ghosts_unsent(const wabe_ghosts *g, bool up, int64_t cell) {
    for (int side = 0; side < WABE_SIDES; side++)
        for (int i = 0; i < g->count && wabe_ghosts_has(g, side); i++) {
            const int64_t plane = own_plane(g, side, i);
            const int64_t at = up ? cell_of(g, plane) - around(g)
                                  : cell_of(g, plane + 1) + around(g);
            if (g->planes[side][i].sent_passes == g->pass)
                cell = (up ? at < cell : at > cell) ? at : cell;
        }
    return cell;
}
